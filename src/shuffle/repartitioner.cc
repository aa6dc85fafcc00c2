// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/repartitioner.h"

#include <algorithm>
#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/lazy_column.h"

namespace spillway::shuffle {

using memory::Action;
using vector::Batch;

absl::StatusOr<Repartitioner> Repartitioner::Create(Partitioning partitioning,
                                                    const RepartitionerOptions& options,
                                                    memory::Pool& pool, PartitionSink& sink,
                                                    RequestObserver observer) {
  if (options.batch_size < 1) {
    return base::Invalid("repartitioner: batch size is ", options.batch_size, " rows");
  }
  SPILLWAY_ASSIGN_OR_RETURN(memory::ReservationPolicy policy,
                            memory::ReservationPolicy::Create(options.policy));
  return Repartitioner(std::move(partitioning), options.batch_size, policy, pool, sink,
                       std::move(observer));
}

Repartitioner::Repartitioner(Partitioning partitioning, int32_t batch_size,
                             memory::ReservationPolicy policy, memory::Pool& pool,
                             PartitionSink& sink, RequestObserver observer)
    : partitioning_(std::move(partitioning)),
      batch_size_(batch_size),
      policy_(policy),
      reservation_(pool),
      sink_(&sink),
      observer_(std::move(observer)),
      account_(partitioning_.partitions()),
      buffer_(partitioning_.schema(), partitioning_.partitions()) {}

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
  const vector::TypePtr& schema = partitioning_.schema();
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

absl::Status Repartitioner::InsertChunk(const Batch& chunk) {
  SPILLWAY_RETURN_IF_ERROR(partitioning_.Assign(chunk, partition_of_row_));
  order_.Sort(partition_of_row_, partitioning_.partitions());

  const int64_t buffers = account_.ChargeBuffers(chunk);
  const int64_t indices = account_.ChargeIndices(order_.counts());
  metrics_.chunks += 1;
  metrics_.rows += chunk.rows();
  metrics_.data_size = account_.data_size();

  SPILLWAY_ASSIGN_OR_RETURN(const Action next, Reserve(buffers + indices));
  const bool spills = next.kind == Action::Kind::kSpill;
  // A copy may take what was charged for, and nothing more: in this chunk, or in all that is
  // buffered. A chunk that is written at once is not worth one.
  const int64_t budget =
      spills ? 0 : std::max(buffers, policy_.buffered() - buffer_.resident_bytes());
  buffer_.Add(chunk, partition_of_row_, order_, budget);
  metrics_.sorted_chunks = buffer_.sorted();
  NoteResident(resident_bytes());
  if (!spills) return absl::OkStatus();
  account_.Report(chunk);
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
  if (buffer_.empty()) return absl::OkStatus();
  absl::Status written = Drain();
  if (written.ok()) written = sink_->EndSpill();
  metrics_.spill_count += 1;
  metrics_.memory_spilled_bytes += std::max<int64_t>(0, policy_.buffered() - account_.repeated());
  metrics_.repeated_spill_buffer_bytes += account_.repeated();
  account_.Clear();
  policy_.Release();
  const absl::Status freed = reservation_.Free();
  return written.ok() ? freed : written;
}

absl::Status Repartitioner::Drain() {
  const int64_t scratch = resident_bytes() - buffer_.resident_bytes();
  return buffer_.Drain(batch_size_, [&](int32_t partition, const Batch& piece, int64_t resident) {
    NoteResident(scratch + resident);
    return sink_->Append(partition, piece);
  });
}

int64_t Repartitioner::resident_bytes() const {
  return buffer_.resident_bytes() + order_.bytes() +
         static_cast<int64_t>(partition_of_row_.capacity() * sizeof(uint32_t));
}

void Repartitioner::NoteResident(int64_t bytes) {
  metrics_.peak_resident_bytes = std::max(metrics_.peak_resident_bytes, bytes);
  metrics_.peak_resident_unreserved_bytes =
      std::max(metrics_.peak_resident_unreserved_bytes, bytes - reservation_.size());
}

absl::Status Repartitioner::Settle(absl::Status status) {
  if (status.ok()) return status;
  failure_ = base::In("repartitioner", status);
  buffer_.Clear();
  account_.Clear();
  account_.ForgetReported();
  policy_.Release();
  // The first failure is the one to report.
  reservation_.Free().IgnoreError();
  return failure_;
}

}  // namespace spillway::shuffle
