// SPDX-License-Identifier: Apache-2.0
#pragma once
// Explains every byte of a legacy page, a V2 or V3 frame or a single column block, and says whether
// the strict reader takes it. docs/cli.md shows what comes out.

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "src/inspect/explanation.h"
#include "src/inspect/form.h"
#include "src/inspect/options.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::inspect {

struct InspectOptions {
  std::optional<Form> form = std::nullopt;  // absent: recognised
  // A ROW type, of one field for a column block. Null: types are guessed from encoding names, and
  // nothing that depends on them is judged.
  vector::TypePtr schema = nullptr;
  WalkOptions walk = {};
};

struct Inspection {
  Form form = Form::kPage;
  vector::TypePtr schema;  // what the bytes were read as
  bool guessed = false;    // the schema is a guess
  Explanation whole;       // tiles the input
  // The first error: that of ReadForm() under `schema`. Without a given schema, where no guess can
  // be made, what made guessing impossible, if that comes first.
  absl::Status status;
};

// Total: any bytes have an explanation.
Inspection Inspect(const vector::Buffer& bytes, const InspectOptions& options = {});

}  // namespace spillway::inspect
