// SPDX-License-Identifier: Apache-2.0
#pragma once
// The body of a record batch as columns.

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/arrow/field.h"
#include "src/arrow/metadata_generated.h"
#include "src/vector/buffer.h"
#include "src/vector/column.h"
#include "src/vector/validity.h"

namespace spillway::arrow {

// Values of dictionaries, by id.
using Dictionaries = absl::flat_hash_map<int64_t, vector::ColumnPtr>;

// Takes the columns of one record batch one after the other. Borrows the metadata, which has passed
// the verifier; columns share `body` where both sides keep values alike. Whatever the metadata
// claim, no more is allocated than a small multiple of the body's bytes.
class ArrayReader {
 public:
  ArrayReader(const metadata::RecordBatch& batch, vector::Buffer body,
              const Dictionaries& dictionaries)
      : batch_(batch), body_(std::move(body)), dictionaries_(dictionaries) {}

  // The next column, which has `rows` rows.
  //
  //   OK               the column
  //   InvalidArgument  lengths or offsets that do not fit each other or the body, null counts that
  //                    the bitmap does not show, a decimal of 18 digits or less that does not fit
  //                    64 bits, an index outside its dictionary, a dictionary that never came
  absl::StatusOr<vector::ColumnPtr> Read(const Field& field, int64_t rows);

  // InvalidArgument if nodes or buffers are left over.
  absl::Status ExpectEnd() const;

 private:
  struct Node {
    int64_t rows = 0;
    vector::Validity validity;  // once NextColumn() has read it
    int64_t claimed_nulls = 0;
  };

  absl::StatusOr<Node> NextNode();
  absl::StatusOr<vector::Buffer> NextBuffer(std::string_view what, int64_t at_least);
  absl::StatusOr<vector::Validity> NextValidity(int64_t rows, int64_t nulls);
  // Node with its validity, of `rows` rows.
  absl::StatusOr<Node> NextColumn(int64_t rows);
  // A column of as many rows as its node says.
  absl::StatusOr<vector::ColumnPtr> ReadAny(const Field& field, int64_t rows);
  absl::StatusOr<vector::ColumnPtr> ReadValues(const Field& field, int64_t rows);
  absl::StatusOr<vector::ColumnPtr> ReadFixed(const Field& field, Node node);
  absl::StatusOr<vector::ColumnPtr> ReadStrings(const Field& field, Node node);
  absl::StatusOr<vector::ColumnPtr> ReadList(const Field& field, Node node);
  absl::StatusOr<vector::ColumnPtr> ReadRow(const Field& field, Node node);
  absl::StatusOr<vector::ColumnPtr> ReadIndices(const Field::Dictionary& dictionary, Node node);
  // The `rows` + 1 offsets; they ascend from 0 or more.
  absl::StatusOr<vector::Buffer> ReadOffsets(int64_t rows);

  const metadata::RecordBatch& batch_;
  const vector::Buffer body_;
  const Dictionaries& dictionaries_;
  uint32_t node_ = 0;
  uint32_t buffer_ = 0;
};

}  // namespace spillway::arrow
