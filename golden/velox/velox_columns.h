// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns from the JSON of index.jsonl (README.md): of any encoding, or plain values.

#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::golden {

// A `vector` object, `{enc: FLAT|CONSTANT|DICTIONARY|ROW|ARRAY|MAP, size, nulls, ...}`, as a column
// of that encoding. Lists whose ranges do not follow one another get their elements copied into
// order, since our model has offsets only; a null row keeps the elements that it spans.
absl::StatusOr<vector::ColumnPtr> ColumnFromVector(const vector::TypePtr& type,
                                                   const nlohmann::json& vector);

// An array of row values, null where a row is, as a flat column.
absl::StatusOr<vector::ColumnPtr> ColumnFromValues(const vector::TypePtr& type,
                                                   const nlohmann::json& values);

}  // namespace spillway::golden
