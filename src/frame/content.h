// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the table cache holds of a batch, whichever of its three forms the bytes are in (FORMAT
// section 7). docs/format/fallback.md.

#include <optional>

#include "absl/status/statusor.h"
#include "src/frame/sniff.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/stats/blob.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

struct Content {
  Format format = Format::kLegacy;
  vector::Batch batch;
  // As they were written. Absent for a page, and for a V3 frame without: a reader invents none.
  std::optional<stats::BatchStats> stats = std::nullopt;
};

struct ContentOptions {
  Projection projection = std::nullopt;
  // Of a V3 frame, leave columns to be decoded when they are needed. Pages are decoded at once:
  // their columns cannot be told apart before.
  bool lazy = true;
  page::PageReadOptions page = {};  // its limits are those of frames, too
};

// Reads bytes that are one page or frame, which Sniff() tells apart.
//
//   OK                 the columns of the projection, and statistics of all columns
//   InvalidArgument    a rule of the form is broken, or a frame's version is not known
//   OutOfRange         the projection names a column that is not there
//   ResourceExhausted  a limit was reached
//   Unimplemented      a page that is encrypted, or compressed and no codec is configured
absl::StatusOr<Content> ReadContent(const vector::TypePtr& schema, const vector::Buffer& bytes,
                                    const ContentOptions& options = {});

// The columns of `projection`; OutOfRange with index and range if there is none.
absl::StatusOr<vector::Batch> Project(const vector::Batch& batch, const Projection& projection);

}  // namespace spillway::frame
