// SPDX-License-Identifier: Apache-2.0
#pragma once
// One task's shuffle write, from its rows to its files, watched: what it asked of its pool, when it
// spilled, what it wrote, and whether that is what went in.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/file_system.h"
#include "src/memory/pool.h"
#include "src/shuffle/output_sink.h"
#include "src/shuffle/partitioning.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

struct ShuffleEvent {
  enum class Kind : uint8_t {
    kReserve,  // the pool granted `bytes`
    kDeny,     // it did not
    kSpill,    // everything buffered went to spill files, which grew by `bytes`
    kRelease,  // `bytes` went back to the pool
  };
  Kind kind = Kind::kReserve;
  int64_t chunk = 0;  // being inserted, from 0; behind the last: the number of chunks
  int64_t bytes = 0;
  int64_t reserved = 0;  // held afterwards

  bool operator==(const ShuffleEvent&) const = default;
};

// "reserve", "deny", "spill", "release".
std::string_view EventName(ShuffleEvent::Kind kind);

struct ShuffleRunOptions {
  RepartitionerOptions writer = {};
  OutputOptions output;
  // Reads the output back and compares it with the rows that went in (output_check.h). An output
  // of another attempt that won is compared, too.
  bool check = true;
  // Of the output's blocks, when they are read back.
  BlockReadOptions read = {};
  // Kept of the events; later ones are counted only.
  int64_t max_events = 100'000;
};

struct ShuffleRun {
  RepartitionerMetrics writer;
  OutputMetrics output;
  std::vector<int64_t> offsets;            // of the partitions in the data file, and its length
  std::vector<int64_t> rows_of_partition;  // as read back; empty without a check
  std::vector<ShuffleEvent> events;
  int64_t events_left_out = 0;
  int64_t peak_reserved = 0;
};

// The next batch; nothing behind the last.
using ShuffleInput = std::function<absl::StatusOr<std::optional<vector::Batch>>()>;

// Reads `input` to its end. The pool is not asked for anything after this returns, and holds
// nothing for it. Fails as the input, the writer, the sink or the check does; then no file of this
// run is left, but for an output that was committed and does not pass the check.
absl::StatusOr<ShuffleRun> RunShuffle(const ShuffleInput& input, Partitioning partitioning,
                                      const ShuffleRunOptions& options, memory::Pool& pool,
                                      base::FileSystem& files = base::FileSystem::Posix());

}  // namespace spillway::shuffle
