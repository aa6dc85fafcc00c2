// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/shuffle_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "src/base/status.h"
#include "src/shuffle/output_check.h"
#include "src/shuffle/output_reader.h"
#include "src/vector/lazy_column.h"

namespace spillway::shuffle {
namespace {

using memory::Grant;

// Writes down what happens, in order.
class Diary {
 public:
  Diary(int64_t most, ShuffleRun& run) : most_(most), run_(run) {}

  // Where chunks are counted; outlives this.
  void Watch(const Repartitioner& writer) { writer_ = &writer; }

  void Note(ShuffleEvent::Kind kind, int64_t bytes, int64_t reserved) {
    run_.peak_reserved = std::max(run_.peak_reserved, reserved);
    if (static_cast<int64_t>(run_.events.size()) == most_) {
      ++run_.events_left_out;
      return;
    }
    run_.events.push_back({.kind = kind, .chunk = Chunk(), .bytes = bytes, .reserved = reserved});
  }

  // What follows happens behind the last chunk.
  void EndInput() { ended_ = true; }

 private:
  // The writer counts a chunk before it reserves for it.
  int64_t Chunk() const {
    const int64_t chunks = writer_ == nullptr ? 0 : writer_->metrics().chunks;
    return ended_ ? chunks : std::max<int64_t>(0, chunks - 1);
  }

  const int64_t most_;
  ShuffleRun& run_;
  const Repartitioner* writer_ = nullptr;
  bool ended_ = false;
};

class WatchedPool final : public memory::Pool {
 public:
  WatchedPool(memory::Pool& pool, Diary& diary) : pool_(pool), diary_(diary) {}

  absl::StatusOr<Grant> TryGrow(int64_t bytes) override {
    const absl::StatusOr<Grant> grant = pool_.TryGrow(bytes);
    if (grant.ok()) {
      diary_.Note(grant->granted ? ShuffleEvent::Kind::kReserve : ShuffleEvent::Kind::kDeny, bytes,
                  pool_.reserved());
    }
    return grant;
  }

  absl::Status Shrink(int64_t bytes) override {
    const absl::Status status = pool_.Shrink(bytes);
    if (status.ok()) diary_.Note(ShuffleEvent::Kind::kRelease, bytes, pool_.reserved());
    return status;
  }

  int64_t reserved() const override { return pool_.reserved(); }

 private:
  memory::Pool& pool_;
  Diary& diary_;
};

class WatchedSink final : public PartitionSink {
 public:
  WatchedSink(OutputSink& sink, const memory::Pool& pool, Diary& diary)
      : sink_(sink), pool_(pool), diary_(diary) {}

  absl::Status Append(int32_t partition, const vector::Batch& rows) override {
    return sink_.Append(partition, rows);
  }
  absl::Status EndSpill() override {
    SPILLWAY_RETURN_IF_ERROR(sink_.EndSpill());
    const int64_t written = sink_.metrics().spilled_bytes;
    diary_.Note(ShuffleEvent::Kind::kSpill, written - std::exchange(spilled_, written),
                pool_.reserved());
    return absl::OkStatus();
  }
  absl::Status BeginLastRound() override { return sink_.BeginLastRound(); }
  absl::Status Finish() override { return sink_.Finish(); }

 private:
  OutputSink& sink_;
  const memory::Pool& pool_;
  Diary& diary_;
  int64_t spilled_ = 0;
};

}  // namespace

std::string_view EventName(ShuffleEvent::Kind kind) {
  switch (kind) {
    case ShuffleEvent::Kind::kReserve:
      return "reserve";
    case ShuffleEvent::Kind::kDeny:
      return "deny";
    case ShuffleEvent::Kind::kSpill:
      return "spill";
    case ShuffleEvent::Kind::kRelease:
      return "release";
  }
  return "";
}

absl::StatusOr<ShuffleRun> RunShuffle(const ShuffleInput& input, Partitioning partitioning,
                                      const ShuffleRunOptions& options, memory::Pool& pool,
                                      base::FileSystem& files) {
  ShuffleRun run;
  std::optional<OutputCheck> check;
  if (options.check) check.emplace(partitioning);

  SPILLWAY_ASSIGN_OR_RETURN(
      const std::unique_ptr<OutputSink> sink,
      OutputSink::Create(partitioning.schema(), partitioning.partitions(), options.output, files));
  {
    Diary diary(options.max_events, run);
    WatchedPool watched_pool(pool, diary);
    WatchedSink watched_sink(*sink, pool, diary);
    SPILLWAY_ASSIGN_OR_RETURN(
        Repartitioner writer,
        Repartitioner::Create(std::move(partitioning), options.writer, watched_pool, watched_sink));
    diary.Watch(writer);
    while (true) {
      SPILLWAY_ASSIGN_OR_RETURN(std::optional<vector::Batch> batch, input());
      if (!batch.has_value()) break;
      SPILLWAY_ASSIGN_OR_RETURN(batch, vector::Load(*batch));
      if (check.has_value()) SPILLWAY_RETURN_IF_ERROR(check->Expect(*batch));
      SPILLWAY_RETURN_IF_ERROR(writer.Insert(*batch));
    }
    diary.EndInput();
    SPILLWAY_RETURN_IF_ERROR(writer.Finish());
    run.writer = writer.metrics();
  }
  run.output = sink->metrics();
  run.offsets = sink->offsets();

  if (check.has_value()) {
    SPILLWAY_ASSIGN_OR_RETURN(
        const OutputReader reader,
        OutputReader::Open(options.output.paths, options.output.index_order, options.read, files));
    SPILLWAY_RETURN_IF_ERROR(check->Verify(reader));
    run.rows_of_partition = check->RowsOfPartitions();
  }
  return run;
}

}  // namespace spillway::shuffle
