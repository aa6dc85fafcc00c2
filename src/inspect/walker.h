// SPDX-License-Identifier: Apache-2.0
#pragma once
// Explains whole inputs: pages, frames, column blocks (FORMAT sections 1, 3, 4 and 5).

#include "absl/status/status.h"
#include "src/inspect/explanation.h"
#include "src/inspect/form.h"
#include "src/inspect/options.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::inspect {

struct Walked {
  Explanation whole;       // tiles the input
  vector::TypePtr schema;  // a ROW type: the one given, or as far as it can be guessed
  // Where the grammar gave out first, if it did; the bytes behind are in parts "not readable".
  absl::Status stop;
};

// Walks over `bytes` as over a `form`. Without a `schema`, types are guessed as BlockWalker does.
// Nothing is judged: lengths that do not add up are shown, and walked over as far as bytes are
// there. Each column of a V3 frame is walked over whatever the others are.
Walked Walk(Form form, const vector::TypePtr& schema, const vector::Buffer& bytes,
            const WalkOptions& options);

// What an error says of offsets within a decompressed payload (page::ReadPage).
bool IsInDecompressed(const absl::Status& status);

}  // namespace spillway::inspect
