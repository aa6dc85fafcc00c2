// SPDX-License-Identifier: Apache-2.0
#pragma once
// The statistics of a frame without the rest of it: V2 and V3 have them in the same place.

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "src/stats/blob.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::frame {

struct FrameStats {
  std::optional<stats::BatchStats> stats;  // absent: statsLen is 0
  int64_t end = 0;                         // offset of the first byte behind the blob
};

// Reads the statistics at the front of a V2 or V3 frame; nothing is asked of what follows.
// InvalidArgument, with the byte: another magic, a blob that is cut or malformed.
absl::StatusOr<FrameStats> ReadFrameStats(const vector::Type& schema, const vector::Buffer& bytes);

}  // namespace spillway::frame
