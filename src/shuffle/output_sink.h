// SPDX-License-Identifier: Apache-2.0
#pragma once
// A shuffle writer's files: spills while it runs, then one data file and its index, as Comet and
// Spark have them. docs/memory/output.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/arrow/pieces.h"
#include "src/base/buffered_writer.h"
#include "src/base/file_system.h"
#include "src/shuffle/block.h"
#include "src/shuffle/index_file.h"
#include "src/shuffle/output_commit.h"
#include "src/shuffle/partition_sink.h"
#include "src/shuffle/spill_store.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

struct OutputOptions {
  OutputPaths paths;
  BlockOptions block = {};
  SpillLayout spill_layout = SpillLayout::kOneFile;
  // For spill files; empty: the directory of the data file.
  std::vector<std::string> spill_directories = {};
  // Files that are open at once, 2 or more; only a file a partition needs more than 2.
  int32_t max_open_files = 64;
  // Of the data file's buffer and of the spill's, 0 or more.
  int64_t buffer_bytes = int64_t{1} << 20;
  IndexOrder index_order = IndexOrder::kBigEndian;
  // Whether everything must have reached the disk before Finish() returns.
  bool sync = false;
};

struct OutputMetrics {
  int64_t rows = 0;
  int64_t blocks = 0;
  int64_t spilled_bytes = 0;     // written to spill files: the sum of their lengths
  int64_t spill_files = 0;       // created
  int64_t data_bytes = 0;        // of the data file
  int64_t bytes_written = 0;     // data, index and spills
  int64_t resident_bytes = 0;    // buffers and what is known of spills; the most at a round's end
  bool existing_output = false;  // an output that stood there already won
};

// Writes the blocks of spill rounds to spill files and those of the last round straight into a
// temporary data file, each behind its partition's spilled bytes, which are copied as they are.
// Then commits (output_commit.h). Not thread-safe. Calls in an order that PartitionSink does not
// allow end the process; after a failure every call returns it again.
//
// After a failure, and if it is destroyed before Finish(), every file that it made is removed.
// Statuses name the path and the system's reason (base::SystemError), or are the encoder's.
class OutputSink final : public PartitionSink {
 public:
  // `schema` is the ROW type of the batches to come; `files` outlives the sink.
  //
  //   InvalidArgument  no partitions, a path that is empty, data and index the same, an option
  //                    outside its range, or as BlockWriter says
  //   Unimplemented    a type that Arrow does not have
  static absl::StatusOr<std::unique_ptr<OutputSink>> Create(
      vector::TypePtr schema, int32_t partitions, OutputOptions options,
      base::FileSystem& files = base::FileSystem::Posix());
  ~OutputSink() override;

  absl::Status Append(int32_t partition, const vector::Batch& rows) override;
  absl::Status EndSpill() override;
  absl::Status BeginLastRound() override;
  absl::Status Finish() override;

  const OutputMetrics& metrics() const { return metrics_; }
  // After Finish(): of the output that stands there.
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  OutputSink(int32_t partitions, OutputOptions options, BlockWriter blocks,
             base::FileSystem& files);

  // Copies the spilled bytes of the partitions before `partition`, and of it.
  absl::Status AdvanceTo(int32_t partition);
  absl::Status WriteEnd();
  // Passes `status` on; a failure removes every file.
  absl::Status Settle(absl::Status status);
  void RemoveFiles();
  void Measure();

  const int32_t partitions_;
  const OutputOptions options_;
  BlockWriter blocks_;
  base::FileSystem& files_;
  std::unique_ptr<SpillStore> spills_;
  std::optional<base::BufferedWriter> data_;
  std::string data_path_;  // of the temporary file; empty: there is none
  int32_t next_ = 0;       // the first partition whose spilled bytes were not copied
  int32_t partition_ = 0;  // the last one of the round
  absl::Status failure_;
  std::vector<int64_t> offsets_;
  OutputMetrics metrics_;
  arrow::Pieces block_;  // scratch
};

}  // namespace spillway::shuffle
