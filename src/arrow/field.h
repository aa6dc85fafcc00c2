// SPDX-License-Identifier: Apache-2.0
#pragma once
// Types of the vector model as Arrow's fields, and back. docs/memory/output.md has the table.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "src/arrow/metadata_generated.h"
#include "src/vector/type.h"

namespace spillway::arrow {

struct FieldOptions {
  // Of TIMESTAMP: what the number of microseconds counts from. Empty: no zone (TIMESTAMP_NTZ).
  std::string timezone = "UTC";
  // Columns, by position in the schema, whose field says that it has no nulls.
  std::vector<int32_t> required = {};
};

// OK, or Unimplemented naming the column: HUGEINT, at any depth, is no type of Arrow's.
// InvalidArgument: a required column that the schema does not have.
absl::Status CheckFields(const vector::Type& schema, const FieldOptions& options);

// Builds the `Schema` table of `schema`, a ROW type that CheckFields() found well. In the order of
// arrow-rs, so that the bytes are its bytes.
flatbuffers::Offset<metadata::Schema> BuildSchema(const vector::Type& schema,
                                                  const FieldOptions& options,
                                                  flatbuffers::FlatBufferBuilder& builder);

// How a field of a stream lies in memory, where its type alone does not say.
struct Field {
  struct Dictionary {
    int64_t id = 0;
    int bit_width = 32;
    bool is_signed = true;
  };

  std::string name;
  vector::TypePtr type;
  metadata::TimeUnit unit = metadata::TimeUnit::Microsecond;  // TIMESTAMP
  std::optional<Dictionary> dictionary;  // of the column; the children are its values'
  std::vector<Field> children;           // ARRAY: element. MAP: key, value. ROW: fields
};

// `schema` has passed the verifier.
//
//   OK                 one field a column
//   InvalidArgument    a type without its parts, decimal digits out of range, a name that is not
//                      UTF-8, nesting over `max_depth`; the message names the field by its path
//   ResourceExhausted  names of over 16 MiB together
//   Unimplemented      a type that the vector model does not have, or big-endian data
absl::StatusOr<std::vector<Field>> ReadSchema(const metadata::Schema& schema, int max_depth);

// The ROW type of `fields`.
vector::TypePtr SchemaOf(const std::vector<Field>& fields);

}  // namespace spillway::arrow
