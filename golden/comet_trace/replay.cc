// SPDX-License-Identifier: Apache-2.0
#include "golden/comet_trace/replay.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/partition_sink.h"
#include "src/shuffle/partitioner.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::golden {
namespace {

constexpr int64_t kRowsPerFile = 1'048'576;
constexpr int64_t kBatchRows = 8192;
constexpr int32_t kPartitions = 201;
constexpr std::array<int64_t, kInt201Tasks> kFileOfTask = {7, 2, 3, 5, 0, 8, 6, 9, 1, 4};

// A request and its answer, or, negative and granted, a return.
struct Movement {
  int64_t bytes = 0;
  bool granted = false;
  bool operator==(const Movement&) const = default;
};

std::string Text(const Movement& movement) {
  if (movement.bytes < 0) return base::Cat("a return of ", -movement.bytes);
  return base::Cat(movement.bytes, movement.granted ? "" : " denied");
}

std::string Text(const std::vector<Movement>& movements, size_t at) {
  return at < movements.size() ? Text(movements[at]) : "nothing";
}

class DiscardingSink final : public shuffle::PartitionSink {
 public:
  absl::Status Append(int32_t, const vector::Batch&) override { return absl::OkStatus(); }
  absl::Status EndSpill() override { return absl::OkStatus(); }
  absl::Status Finish() override { return absl::OkStatus(); }
};

// Passes calls on and notes the returns.
class NotingPool final : public memory::Pool {
 public:
  explicit NotingPool(std::vector<Movement>& movements) : movements_(movements) {}

  absl::StatusOr<memory::Grant> TryGrow(int64_t bytes) override { return pool_.TryGrow(bytes); }
  absl::Status Shrink(int64_t bytes) override {
    movements_.push_back({-bytes, true});
    return pool_.Shrink(bytes);
  }
  int64_t reserved() const override { return pool_.reserved(); }

 private:
  memory::CountingPool pool_;
  std::vector<Movement>& movements_;
};

vector::Batch IntBatch(const vector::TypePtr& schema, int64_t first) {
  constexpr int64_t kWidth = sizeof(int32_t);
  vector::MutableBuffer values(kBatchRows * kWidth);
  for (int64_t row = 0; row < kBatchRows; ++row) {
    base::Store(values.data() + row * kWidth, static_cast<int32_t>(first + row));
  }
  return vector::Batch(schema, kBatchRows,
                       {std::make_shared<vector::FlatColumn>(schema->children()[0], kBatchRows,
                                                             vector::Validity(),
                                                             std::move(values).Freeze())});
}

absl::StatusOr<std::vector<Movement>> Compute(int64_t file) {
  const vector::TypePtr schema =
      vector::Type::Row({"a"}, {vector::Type::Scalar(vector::Kind::kInteger)});
  SPILLWAY_ASSIGN_OR_RETURN(
      shuffle::HashPartitioner partitioner,
      shuffle::HashPartitioner::Create(schema, {0}, kPartitions, shuffle::HashOptions::Comet()));
  std::vector<Movement> movements;
  NotingPool pool(movements);
  DiscardingSink sink;
  SPILLWAY_ASSIGN_OR_RETURN(
      shuffle::Repartitioner writer,
      shuffle::Repartitioner::Create(
          std::move(partitioner), {.batch_size = kBatchRows, .policy = {.step = 0}}, pool, sink,
          [&](int64_t bytes, bool granted) { movements.push_back({bytes, granted}); }));
  for (int64_t row = 0; row < kRowsPerFile; row += kBatchRows) {
    SPILLWAY_RETURN_IF_ERROR(writer.Insert(IntBatch(schema, file * kRowsPerFile + row)));
  }
  SPILLWAY_RETURN_IF_ERROR(writer.Finish());
  { const shuffle::Repartitioner dropped = std::move(writer); }
  return movements;
}

std::vector<Movement> Recorded(const PoolLog& log, int64_t task) {
  std::vector<Movement> movements;
  for (const PoolEvent& event : log.calls) {
    if (event.task != task) continue;
    switch (event.call) {
      case PoolEvent::Call::kTryGrow:
        movements.push_back({event.bytes, event.granted});
        break;
      case PoolEvent::Call::kGrow:
        movements.push_back({event.bytes, true});
        break;
      case PoolEvent::Call::kShrink:
        movements.push_back({-event.bytes, true});
        break;
      case PoolEvent::Call::kRegister:
      case PoolEvent::Call::kUnregister:
        break;
    }
  }
  return movements;
}

int64_t Requests(const std::vector<Movement>& movements) {
  return std::count_if(movements.begin(), movements.end(),
                       [](const Movement& movement) { return movement.bytes >= 0; });
}

}  // namespace

absl::StatusOr<Replay> ReplayInt201Task(const PoolLog& log, int64_t task) {
  if (task < 1 || task > kInt201Tasks) {
    return base::Invalid("replay: the run has no task ", task, ", only 1 to ", kInt201Tasks);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<Movement> computed,
                            Compute(kFileOfTask[static_cast<size_t>(task - 1)]));
  const std::vector<Movement> recorded = Recorded(log, task);
  Replay replay = {.requests = std::max(Requests(computed), Requests(recorded))};
  for (size_t at = 0; at < std::max(computed.size(), recorded.size()); ++at) {
    const bool same =
        at < computed.size() && at < recorded.size() && computed[at] == recorded[at];
    if (same && computed[at].bytes >= 0) replay.matching += 1;
    if (same || !replay.first_difference.empty()) continue;
    replay.first_difference =
        base::Cat("task ", task, ", request ", at + 1, ": the log has ", Text(recorded, at),
                  ", computed ", Text(computed, at));
  }
  return replay;
}

absl::StatusOr<Replay> ReplayInt201(const PoolLog& log) {
  Replay sum;
  for (const int64_t task : log.Tasks()) {
    if (task >= 1 && task <= kInt201Tasks) continue;
    return base::Invalid("replay: the log has a task ", task, ", the run only 1 to ",
                         kInt201Tasks);
  }
  for (int64_t task = 1; task <= kInt201Tasks; ++task) {
    SPILLWAY_ASSIGN_OR_RETURN(Replay one, ReplayInt201Task(log, task));
    sum.requests += one.requests;
    sum.matching += one.matching;
    if (sum.first_difference.empty()) sum.first_difference = std::move(one.first_difference);
  }
  return sum;
}

}  // namespace spillway::golden
