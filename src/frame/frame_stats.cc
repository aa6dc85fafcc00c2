// SPDX-License-Identifier: Apache-2.0
#include "src/frame/frame_stats.h"

#include "absl/strings/str_format.h"
#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/frame/magic.h"

namespace spillway::frame {

absl::StatusOr<FrameStats> ReadFrameStats(const vector::Type& schema, const vector::Buffer& bytes) {
  base::ByteReader in(bytes.view());
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t magic, in.Read<uint32_t>("magic"));
  if (magic != kMagicV2 && magic != kMagicV3) {
    return in.ErrorAt(0, absl::StrFormat("magic %08x is that of no frame", magic));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t size, in.Read<uint32_t>("statsLen"));
  SPILLWAY_ASSIGN_OR_RETURN(const base::ByteReader blob, in.Sub(size, "statistics"));
  FrameStats out;
  out.end = in.offset();
  if (size != 0) {
    SPILLWAY_ASSIGN_OR_RETURN(out.stats,
                              base::In("statistics", stats::ReadBlob(schema, blob)));
  }
  return out;
}

}  // namespace spillway::frame
