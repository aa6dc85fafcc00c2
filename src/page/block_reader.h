// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads one column block, strictly (FORMAT sections 1 and 2). docs/format/block.md.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/base/byte_reader.h"
#include "src/vector/buffer.h"
#include "src/vector/column.h"

namespace spillway::page {

// Limits that protect memory and stack. Each is tested before anything is allocated.
struct ReadLimits {
  int max_depth = 64;            // nesting of ARRAY, MAP, ROW, RLE and DICTIONARY, all together
  int64_t max_rows = INT32_MAX;  // of a page, a frame or a block; RLE claims many in few bytes
  int64_t max_decoded_bytes = int64_t{4} << 30;  // allocated for the columns of one reader
};

// Reads blocks one after the other off `in`, which reads bytes of `input`. Both must outlive the
// reader. If `input` is owned, flat columns without nulls and VARCHAR offsets and bytes are views
// of it and share its ownership; otherwise they are copies.
class BlockReader {
 public:
  BlockReader(const vector::Buffer& input, base::ByteReader& in, const ReadLimits& limits = {})
      : input_(input), in_(in), limits_(limits), budget_(limits.max_decoded_bytes) {}

  // The next block, which must hold `type`. The reader stands behind it afterwards.
  //
  //   OK                 the column, in the encoding that it was written in
  //   InvalidArgument    the bytes break a rule; the message has the byte offset and the value seen
  //   ResourceExhausted  a limit was reached
  absl::StatusOr<vector::ColumnPtr> Read(const vector::TypePtr& type) { return Block(type, 0); }

  // As above; a block that does not have `rows` rows is refused.
  absl::StatusOr<vector::ColumnPtr> Read(const vector::TypePtr& type, int64_t rows);

 private:
  absl::StatusOr<vector::ColumnPtr> Block(const vector::TypePtr& type, int depth);
  absl::StatusOr<vector::ColumnPtr> Flat(const vector::TypePtr& type);
  absl::StatusOr<vector::ColumnPtr> Strings(const vector::TypePtr& type);
  absl::StatusOr<vector::ColumnPtr> NullFold(const vector::TypePtr& type, int64_t at);
  absl::StatusOr<vector::ColumnPtr> Rle(const vector::TypePtr& type, int depth);
  absl::StatusOr<vector::ColumnPtr> Dictionary(const vector::TypePtr& type, int depth);
  absl::StatusOr<vector::ColumnPtr> List(const vector::TypePtr& type, int depth);
  absl::StatusOr<vector::ColumnPtr> Row(const vector::TypePtr& type, int depth);

  absl::StatusOr<int64_t> Rows();
  absl::StatusOr<vector::Validity> Nulls(int64_t rows);
  // `bytes` bytes whose presence is known, as a view or a copy.
  absl::StatusOr<vector::Buffer> Take(int64_t bytes);
  // Takes `bytes` that are about to be allocated off the budget.
  absl::Status Spend(int64_t bytes);
  absl::Status CheckValues(const vector::FlatColumn& column, int64_t first_value_at) const;
  // Behind keys and values: nothing of it is needed.
  absl::Status SkipHashTable();
  // rows + 1 offsets that start at 0, ascend and end at `elements`.
  absl::StatusOr<vector::Buffer> Offsets(int64_t rows, int64_t elements);
  absl::Status CheckKeys(const vector::ListColumn& map, int64_t keys_at) const;
  // A field's rows, which are those of non-null parents, at the rows of their parents.
  absl::StatusOr<vector::ColumnPtr> Spread(vector::ColumnPtr field,
                                           const std::vector<int32_t>& rows);

  const vector::Buffer& input_;
  base::ByteReader& in_;
  const ReadLimits limits_;
  int64_t budget_;
};

}  // namespace spillway::page
