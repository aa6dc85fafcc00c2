// SPDX-License-Identifier: Apache-2.0
#pragma once
// The V2 frame: statistics beside one Presto page (FORMAT section 3). docs/format/frames.md.
//
//   FE CA 53 02 | statsLen u32 | statistics blob | bytesLen u32 | page

#include <string_view>

#include "absl/status/statusor.h"
#include "src/page/block_reader.h"
#include "src/stats/blob.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

struct V2Content {
  vector::Batch batch;
  stats::BatchStats stats;
};

// A frame's two parts, as bytes of it.
struct V2Parts {
  vector::Buffer stats;  // the blob
  vector::Buffer page;
};

// The frame of `batch` with its statistics, as Gluten writes it unless the options say otherwise.
// Lazy columns are loaded.
//
//   OK                 the frame; its allocation is its size
//   InvalidArgument    a value that the format cannot hold; the message names column and row
//   ResourceExhausted  over 2^31 - 1 rows or bytes
absl::StatusOr<vector::Buffer> WriteV2(const vector::Batch& batch,
                                       const stats::StatsOptions& options = {});

// A frame of parts that are already bytes; nothing is asked of their content. ResourceExhausted
// over 2^31 - 1 bytes.
absl::StatusOr<vector::Buffer> AssembleV2(std::string_view stats, std::string_view page);

// The parts of a frame that fills `bytes` exactly; shares its ownership. InvalidArgument if magic
// or lengths are wrong; the message names part, byte offset and value.
absl::StatusOr<V2Parts> SplitV2(const vector::Buffer& bytes);

// Reads a frame that fills `bytes` exactly. Columns may be views that share `bytes`' ownership.
//
//   OK                 the batch and one statistics entry a column
//   InvalidArgument    a rule is broken; the message names part, column, byte offset and value
//   ResourceExhausted  a limit was reached
//   Unimplemented      the embedded page is compressed or encrypted
absl::StatusOr<V2Content> ReadV2(const vector::TypePtr& schema, const vector::Buffer& bytes,
                                 const page::ReadLimits& limits = {});

}  // namespace spillway::frame
