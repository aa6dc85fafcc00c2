// SPDX-License-Identifier: Apache-2.0
#pragma once
// The V2 frame: statistics beside one Presto page (FORMAT section 3). docs/format/frames.md.
//
//   FE CA 53 02 | statsLen u32 | statistics blob | bytesLen u32 | page

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

// The frame of `batch` with its statistics, as Gluten writes it.
//
//   OK                 the frame; its allocation is its size
//   InvalidArgument    a value that the format cannot hold; the message names column and row
//   ResourceExhausted  over 2^31 - 1 rows or bytes
absl::StatusOr<vector::Buffer> WriteV2(const vector::Batch& batch);

// Reads a frame that fills `bytes` exactly. Columns may be views that share `bytes`' ownership.
//
//   OK                 the batch and one statistics entry a column
//   InvalidArgument    a rule is broken; the message names part, column, byte offset and value
//   ResourceExhausted  a limit was reached
//   Unimplemented      the embedded page is compressed or encrypted
absl::StatusOr<V2Content> ReadV2(const vector::TypePtr& schema, const vector::Buffer& bytes,
                                 const page::ReadLimits& limits = {});

}  // namespace spillway::frame
