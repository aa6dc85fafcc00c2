// SPDX-License-Identifier: Apache-2.0
#pragma once
// A batch out of the bytes of any format, and into them.

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/cli/batch_format.h"
#include "src/page/page.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::cli {

// The batch that textproto or JSON `text` describes, with the outcomes of vector::FromTextproto and
// FromJson. `name` begins the messages.
absl::StatusOr<vector::Batch> ReadNeutral(BatchKind kind, std::string_view text,
                                          std::string_view name, int64_t max_bytes);

struct BatchWriteOptions {
  page::PageWriteOptions page = {};  // of V3 frames and blocks: the encoding; of V2 frames: nothing
  bool statistics = true;            // of V3 frames
};

// `batch` in the format `kind`.
//
//   OK                 the bytes
//   InvalidArgument    the format cannot hold the batch: a block of other than one column, a value,
//                      nesting
//   ResourceExhausted  as the writers of pages and frames
absl::StatusOr<std::string> EncodeBatch(const vector::Batch& batch, BatchKind kind,
                                        const BatchWriteOptions& options = {});

}  // namespace spillway::cli
