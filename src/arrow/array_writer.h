// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns as the body of a record batch.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/arrow/metadata_generated.h"
#include "src/arrow/pieces.h"
#include "src/vector/column.h"
#include "src/vector/validity.h"

namespace spillway::arrow {

// Appends columns one after the other. Buffers go out as they are where the vector model has them
// as Arrow does (docs/memory/output.md has the table), and are shared, not copied. As arrow-rs
// does it, every column but those of type UNKNOWN has a validity bitmap, and each buffer is padded
// to 64 bytes.
class ArrayWriter {
 public:
  static constexpr int64_t kAlignment = 64;

  // Bytes go to the end of `body`. `max_bytes` bounds what one writer allocates.
  ArrayWriter(Pieces& body, int64_t max_bytes) : body_(body), budget_(max_bytes) {}

  // Any encoding; of a type that CheckFields() lets pass. What stands under nulls is written as
  // zeros, whatever it is.
  //
  //   OK
  //   InvalidArgument    a TIMESTAMP whose microseconds, rounded down, do not fit 64 bits, or a map
  //                      key that is null; the message gives the row
  //   ResourceExhausted  more memory than the bound
  absl::Status Write(const vector::ColumnPtr& column);

  // One a column, nested ones included, in Arrow's order.
  const std::vector<metadata::FieldNode>& nodes() const { return nodes_; }
  const std::vector<metadata::Buffer>& buffers() const { return buffers_; }
  int64_t body_bytes() const { return offset_; }

 private:
  absl::Status WriteFlat(const vector::Column& column);
  absl::Status WriteValues(const vector::FlatColumn& column);
  absl::Status WriteStrings(const vector::StringColumn& column);
  absl::Status WriteRow(const vector::RowColumn& column);
  absl::Status WriteList(const vector::ListColumn& column);

  void Node(int64_t rows, int64_t nulls);
  void WriteValidity(const vector::Validity& validity, int64_t rows);
  // The 0 and `rows` ends less `first`.
  absl::Status WriteOffsets(const vector::Buffer& ends, int64_t rows, int32_t first);
  void EndBuffer(int64_t bytes);
  void Put(vector::Buffer bytes);
  void PutZeros(int64_t count);
  absl::Status Spend(int64_t bytes);

  Pieces& body_;
  int64_t budget_;
  int64_t offset_ = 0;
  std::vector<metadata::FieldNode> nodes_;
  std::vector<metadata::Buffer> buffers_;
};

}  // namespace spillway::arrow
