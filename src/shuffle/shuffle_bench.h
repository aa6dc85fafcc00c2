// SPDX-License-Identifier: Apache-2.0
#pragma once
// The benchmark of the whole shuffle writer, on the rows that golden/comet has Comet's figures for.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/shuffle/block_codec.h"
#include "src/shuffle/output_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/shuffle/workload.h"

namespace spillway::shuffle {

struct ShuffleBenchOptions {
  std::vector<Workload> workloads = {Workload::kI64x2, Workload::kMix};
  std::vector<BlockCodec> codecs = {BlockCodec::kNone, BlockCodec::kLz4, BlockCodec::kZstd};
  std::vector<int64_t> memory = {0, int64_t{64} << 20};  // bytes of the pool; 0: no limit
  int64_t rows = 10'000'000;
  int64_t partitions = 201;
  int64_t batch = 8192;    // rows of an input batch, and of a block at most
  int64_t iterations = 3;  // after one warm-up; at least 3
  // Exists; output and spills go there and are removed.
  std::string directory = "/dev/shm";
};

// One part of the work, over all rows.
//
//   hash        of the key k, by itself
//   partition   remainder and counting sort, by themselves
//   interleave  what is left of the whole: the charge, the policy, sorting chunks, gathering pieces
//   encode      Arrow streams and compression
//   write       calls of the file system
//   whole       making the writer, inserting, finishing
//   memcpy      of the same bytes from the same buffers, just before
struct ShufflePart {
  std::string name;
  std::vector<double> seconds = {};  // one an iteration, wall time

  double best() const;
  double median() const;
};

struct ShuffleBenchRun {
  Workload workload = Workload::kI64x2;
  BlockCodec codec = BlockCodec::kNone;
  int64_t memory = 0;
  int64_t input_bytes = 0;
  RepartitionerMetrics metrics = {};  // of one iteration, like the next
  OutputMetrics output = {};
  std::vector<ShufflePart> parts = {};  // in the order above
};

struct ShuffleBenchResult {
  ShuffleBenchOptions options;
  std::vector<ShuffleBenchRun> runs = {};
};

// Told after each iteration how many of how many are done.
using ShuffleBenchProgress = std::function<void(int64_t done, int64_t total)>;

// Runs everything on this thread, one after the other.
//
//   OK
//   InvalidArgument  an option is out of its range; the message names it
//   Internal         rows are missing in the output
//   otherwise        as the writer and its files say
absl::StatusOr<ShuffleBenchResult> RunShuffleBench(const ShuffleBenchOptions& options,
                                                   const ShuffleBenchProgress& progress);

// A table for people, values for a spreadsheet, or JSON.
std::string ShuffleBenchText(const ShuffleBenchResult& result);
std::string ShuffleBenchCsv(const ShuffleBenchResult& result);
std::string ShuffleBenchJson(const ShuffleBenchResult& result);

}  // namespace spillway::shuffle
