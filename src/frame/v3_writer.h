// SPDX-License-Identifier: Apache-2.0
#pragma once
// The V3 frame, written (FORMAT section 4). docs/format/frames.md.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "src/page/encoding_choice.h"
#include "src/stats/blob.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

struct V3WriteOptions {
  bool statistics = true;
  // NaN as an upper bound (StatsOptions::nan_aware, ours).
  bool nan_aware = false;
  // kFlatten: the bytes that Gluten writes. kSmallest: dictionaries and runs stay where they are
  // smaller, which Gluten's reader takes (ours). Statistics are those of the flat columns either
  // way.
  page::EncodingChoice encoding = page::EncodingChoice::kFlatten;
  // As page::PageWriteOptions has it.
  int64_t max_expanded_bytes = page::kMaxExpandedBytes;
};

// The frame of `batch`, whose lazy columns are loaded.
//
//   OK                 the frame; its allocation is its size
//   InvalidArgument    a value that the format cannot hold; the message names column and row
//   ResourceExhausted  over 2^31 - 1 rows or bytes; over max_expanded_bytes
//   otherwise          a lazy column's failed load
absl::StatusOr<vector::Buffer> WriteV3(const vector::Batch& batch,
                                       const V3WriteOptions& options = {});

// A frame of blocks that are already bytes. Nothing is asked of their content; `stats`, if any, has
// one entry a block, and a block is empty only without rows.
absl::StatusOr<vector::Buffer> AssembleV3(int64_t rows,
                                          const std::optional<stats::BatchStats>& stats,
                                          const std::vector<std::string_view>& blocks);

// The size of a frame; ResourceExhausted if a limit of the format is passed: 2^31 - 1 rows, bytes
// of one block, bytes of the frame.
absl::StatusOr<int64_t> V3FrameSize(int64_t rows, int64_t stats_size,
                                    const std::vector<int64_t>& block_sizes);

}  // namespace spillway::frame
