// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/repartitioner.h"

#include <algorithm>
#include <span>
#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/lazy_column.h"

namespace spillway::shuffle {

using memory::Action;
using vector::Batch;

absl::StatusOr<Repartitioner> Repartitioner::Create(HashPartitioner partitioner,
                                                    const RepartitionerOptions& options,
                                                    memory::Pool& pool, PartitionSink& sink,
                                                    RequestObserver observer) {
  if (options.batch_size < 1) {
    return base::Invalid("repartitioner: batch size is ", options.batch_size, " rows");
  }
  const absl::Status schema = Interleaver::Check(*partitioner.schema());
  if (!schema.ok()) return base::In("repartitioner", schema);
  SPILLWAY_ASSIGN_OR_RETURN(memory::ReservationPolicy policy,
                            memory::ReservationPolicy::Create(options.policy));
  return Repartitioner(std::move(partitioner), options.batch_size, policy, pool, sink,
                       std::move(observer));
}

Repartitioner::Repartitioner(HashPartitioner partitioner, int32_t batch_size,
                             memory::ReservationPolicy policy, memory::Pool& pool,
                             PartitionSink& sink, RequestObserver observer)
    : partitioner_(std::move(partitioner)),
      batch_size_(batch_size),
      policy_(policy),
      reservation_(pool),
      sink_(&sink),
      observer_(std::move(observer)),
      account_(partitioner_.partitions()),
      indices_(partitioner_.partitions()) {}

absl::Status Repartitioner::Insert(const Batch& lazy_batch) {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  if (finished_) return absl::FailedPreconditionError("repartitioner: insert after finish");
  SPILLWAY_ASSIGN_OR_RETURN(const Batch batch, base::In("repartitioner", vector::Load(lazy_batch)));
  SPILLWAY_RETURN_IF_ERROR(CheckInput(batch));
  account_.ForgetReported();
  for (int64_t row = 0; row < batch.rows(); row += batch_size_) {
    const int64_t rows = std::min<int64_t>(batch_size_, batch.rows() - row);
    SPILLWAY_RETURN_IF_ERROR(Settle(InsertChunk(batch.Slice(row, rows))));
  }
  account_.ForgetReported();
  metrics_.input_batches += 1;
  return absl::OkStatus();
}

absl::Status Repartitioner::Spill() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  return Settle(SpillBuffered());
}

absl::Status Repartitioner::Finish() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  if (finished_) return absl::FailedPreconditionError("repartitioner: finished twice");
  finished_ = true;
  SPILLWAY_RETURN_IF_ERROR(Settle(sink_->BeginLastRound()));
  SPILLWAY_RETURN_IF_ERROR(Settle(Drain()));
  account_.Clear();
  return Settle(sink_->Finish());
}

absl::Status Repartitioner::CheckInput(const Batch& batch) const {
  const vector::TypePtr& schema = partitioner_.schema();
  if (batch.schema() != schema && !(*batch.schema() == *schema)) {
    return base::Invalid("repartitioner: a batch of ", batch.schema()->ToString(), " for ",
                         schema->ToString());
  }
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    bool borrowed = false;
    batch.column(i).VisitBuffers([&](const vector::Buffer& buffer) {
      borrowed = borrowed || (!buffer.empty() && !buffer.owned());
    });
    if (borrowed) {
      return base::Invalid("repartitioner: column ", i, " `", schema->names()[i],
                           "` has borrowed bytes, which may be gone when it spills");
    }
  }
  return absl::OkStatus();
}

absl::Status Repartitioner::InsertChunk(Batch chunk) {
  SPILLWAY_RETURN_IF_ERROR(partitioner_.Assign(chunk, partition_of_row_));
  order_.Sort(partition_of_row_, partitioner_.partitions());

  const int64_t buffers = account_.ChargeBuffers(chunk);
  const int64_t indices = account_.ChargeIndices(order_.counts());
  const auto ordinal = static_cast<uint32_t>(batches_.size());
  batches_.push_back(std::move(chunk));
  for (int32_t partition = 0; partition < partitioner_.partitions(); ++partition) {
    std::vector<RowRef>& index = indices_[partition];
    const std::span<const uint32_t> rows = order_.RowsOf(partition);
    if (rows.empty()) continue;
    index.reserve(account_.index_capacity(partition));
    for (const uint32_t row : rows) index.push_back({ordinal, row});
  }
  metrics_.chunks += 1;
  metrics_.rows += batches_.back().rows();
  metrics_.data_size = account_.data_size();

  SPILLWAY_ASSIGN_OR_RETURN(const Action next, Reserve(buffers + indices));
  if (next.kind == Action::Kind::kCovered) return absl::OkStatus();
  account_.Report(batches_.back());
  return SpillBuffered();
}

absl::StatusOr<Action> Repartitioner::Reserve(int64_t growth) {
  Action next = policy_.Grow(growth);
  while (next.kind == Action::Kind::kRequest) {
    SPILLWAY_ASSIGN_OR_RETURN(const memory::Grant grant, reservation_.TryGrow(next.bytes));
    metrics_.requests += 1;
    metrics_.denials += grant.granted ? 0 : 1;
    if (observer_) observer_(next.bytes, grant.granted);
    next = policy_.Answer(grant.granted);
  }
  return next;
}

absl::Status Repartitioner::SpillBuffered() {
  if (batches_.empty()) return absl::OkStatus();
  absl::Status written = Drain();
  if (written.ok()) written = sink_->EndSpill();
  metrics_.spill_count += 1;
  metrics_.memory_spilled_bytes += std::max<int64_t>(0, policy_.buffered() - account_.repeated());
  account_.Clear();
  policy_.Release();
  const absl::Status freed = reservation_.Free();
  return written.ok() ? freed : written;
}

absl::Status Repartitioner::Drain() {
  const std::vector<Batch> batches = std::exchange(batches_, {});
  const std::vector<std::vector<RowRef>> indices =
      std::exchange(indices_, std::vector<std::vector<RowRef>>(partitioner_.partitions()));
  SPILLWAY_ASSIGN_OR_RETURN(const Interleaver interleaver,
                            Interleaver::Create(partitioner_.schema(), batches));
  for (int32_t partition = 0; partition < partitioner_.partitions(); ++partition) {
    std::span<const RowRef> rest = indices[partition];
    while (!rest.empty()) {
      const size_t rows = std::min(rest.size(), static_cast<size_t>(batch_size_));
      SPILLWAY_ASSIGN_OR_RETURN(const Batch piece, interleaver.Gather(rest.first(rows)));
      SPILLWAY_RETURN_IF_ERROR(sink_->Append(partition, piece));
      rest = rest.subspan(rows);
    }
  }
  return absl::OkStatus();
}

absl::Status Repartitioner::Settle(absl::Status status) {
  if (status.ok()) return status;
  failure_ = base::In("repartitioner", status);
  batches_.clear();
  indices_.assign(partitioner_.partitions(), {});
  account_.Clear();
  account_.ForgetReported();
  policy_.Release();
  // The first failure is the one to report.
  reservation_.Free().IgnoreError();
  return failure_;
}

}  // namespace spillway::shuffle
