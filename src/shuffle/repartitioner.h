// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shuffle writer's core: buffers batches, knows each row's partition, asks a pool for the
// memory and spills when it gets none. Mirrors Comet's repartitioner with the reservation policy of
// its pull request #5387. docs/memory/repartitioner.md.

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/memory/pool.h"
#include "src/memory/reservation.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/chunk_buffer.h"
#include "src/shuffle/partition_order.h"
#include "src/shuffle/partition_sink.h"
#include "src/shuffle/partitioning.h"
#include "src/shuffle/writer_account.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

struct RepartitionerOptions {
  // Rows of a chunk, the unit of charging, and of a piece given to the sink, at most.
  int32_t batch_size = 8192;
  memory::PolicyOptions policy = {};
};

struct RepartitionerMetrics {
  int64_t input_batches = 0;         // as inserted, empty ones too
  int64_t chunks = 0;                // slices of them, never empty
  int64_t rows = 0;                  // in chunks
  int64_t data_size = 0;             // bytes of buffers charged, again after each spill; no indices
  int64_t requests = 0;              // calls of the pool that asked for memory
  int64_t denials = 0;               // of those
  int64_t spill_count = 0;           // a spill whose sink fails counts as well
  int64_t memory_spilled_bytes = 0;  // buffered at spills, less what an input batch repeated
  int64_t repeated_spill_buffer_bytes = 0;  // that an earlier spill of the same input had reported

  // What the writer really has allocated, the sink's own memory left out: chunks, orders, runs,
  // scratch, the piece being written.
  int64_t peak_resident_bytes = 0;
  int64_t peak_resident_unreserved_bytes = 0;  // of what is more than the reservation
  int64_t sorted_chunks = 0;                   // that were copied in the order of partitions
};

// One task's writer; not thread-safe. Pool and sink must outlive it. Its reservation goes back to
// the pool at each spill and, as a whole, when the writer is destroyed; Finish() does not free it.
//
// The first failure, of the sink, the pool or a column, is final: everything buffered is dropped,
// the reservation is 0 from then on, and every later call returns that failure.
class Repartitioner {
 public:
  // Sees each request to the pool and its answer, in order.
  using RequestObserver = std::function<void(int64_t bytes, bool granted)>;

  // InvalidArgument: batch_size below 1, negative policy numbers.
  static absl::StatusOr<Repartitioner> Create(Partitioning partitioning,
                                              const RepartitionerOptions& options,
                                              memory::Pool& pool, PartitionSink& sink,
                                              RequestObserver observer = nullptr);
  Repartitioner(Repartitioner&&) = default;
  Repartitioner& operator=(Repartitioner&&) = default;

  // Buffers `batch`, and spills once or more if memory or limit demand it. Copies its rows, or
  // shares its buffers. Lazy columns are loaded first; one that cannot be is refused with its
  // error, and nothing changed.
  //
  //   OK
  //   InvalidArgument     not of the partitioner's schema, or borrowed buffers; nothing changed
  //   FailedPrecondition  after Finish()
  //   any other status    a failure, as above
  absl::Status Insert(const vector::Batch& batch);

  // Writes everything buffered to the sink, partition by partition, and frees the reservation.
  // With nothing buffered it does nothing and is not counted.
  absl::Status Spill();

  // Writes what is still buffered and finishes every partition. Once.
  absl::Status Finish();

  const RepartitionerMetrics& metrics() const { return metrics_; }
  // Bytes charged for what is buffered: the policy's B.
  int64_t buffered_bytes() const { return policy_.buffered(); }
  int64_t reserved_bytes() const { return reservation_.size(); }
  // Addresses that are charged now.
  int64_t pinned_allocations() const { return account_.pinned(); }
  // As in the metrics, now.
  int64_t resident_bytes() const;

 private:
  Repartitioner(Partitioning partitioning, int32_t batch_size, memory::ReservationPolicy policy,
                memory::Pool& pool, PartitionSink& sink, RequestObserver observer);

  absl::Status CheckInput(const vector::Batch& batch) const;
  absl::Status InsertChunk(const vector::Batch& chunk);
  absl::StatusOr<memory::Action> Reserve(int64_t growth);
  absl::Status SpillBuffered();
  absl::Status Drain();
  void NoteResident(int64_t bytes);
  // Passes `status` on; a failure drops everything.
  absl::Status Settle(absl::Status status);

  Partitioning partitioning_;
  int32_t batch_size_;
  memory::ReservationPolicy policy_;
  memory::Reservation reservation_;
  PartitionSink* sink_;
  RequestObserver observer_;

  WriterAccount account_;
  ChunkBuffer buffer_;
  RepartitionerMetrics metrics_;
  absl::Status failure_;
  bool finished_ = false;

  std::vector<uint32_t> partition_of_row_;  // scratch
  PartitionOrder order_;                    // scratch
};

}  // namespace spillway::shuffle
