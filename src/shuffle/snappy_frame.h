// SPDX-License-Identifier: Apache-2.0
#pragma once
// Snappy's framing format (framing_format.txt of google/snappy), as the Rust crate `snap` writes
// it: a stream identifier, then chunks of at most 64 KiB, each with a masked CRC-32C of its
// content.

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/vector/buffer.h"

namespace spillway::shuffle {

// All pieces as one stream. A chunk that does not shrink by an eighth is stored as it is.
vector::Buffer FrameSnappy(std::span<const std::string_view> pieces);

// The content of all of `stream`.
//
//   OK                 the content
//   InvalidArgument    damaged, a chunk that must not be skipped, or no identifier in front
//   ResourceExhausted  over `max_bytes`; chunks are looked at before anything is allocated for them
absl::StatusOr<vector::Buffer> UnframeSnappy(std::string_view stream, int64_t max_bytes);

}  // namespace spillway::shuffle
