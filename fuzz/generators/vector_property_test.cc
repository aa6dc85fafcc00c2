// SPDX-License-Identifier: Apache-2.0
// What must hold for every column that src/vector allows.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generators/batch.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/strings.h"
#include "src/vector/batch_proto.h"
#include "src/vector/compare.h"
#include "src/vector/flatten.h"

namespace spillway::fuzz {
namespace {

using vector::Batch;
using vector::Column;
using vector::ColumnPtr;
using vector::Encoding;
using vector::FirstDifference;
using vector::FromBinaryProto;
using vector::FromProto;
using vector::FromTextproto;
using vector::ToBinaryProto;
using vector::ToProto;
using vector::ToTextproto;

std::vector<ColumnPtr> ChildrenOf(const Column& column) {
  switch (column.encoding()) {
    case Encoding::kFlat:
      return {};
    case Encoding::kConstant:
      return {column.As<vector::ConstantColumn>().value()};
    case Encoding::kDictionary:
      return {column.As<vector::DictionaryColumn>().alphabet()};
    case Encoding::kRow:
      return column.As<vector::RowColumn>().fields();
    case Encoding::kArray:
    case Encoding::kMap:
      return column.As<vector::ListColumn>().children();
    case Encoding::kLazy:  // generators make none
      return {};
  }
  return {};
}

std::string Encodings(const Column& column) {
  std::string out(1, "FCDRAML"[static_cast<int>(column.encoding())]);
  for (const ColumnPtr& child : ChildrenOf(column)) out += "(" + Encodings(*child) + ")";
  return out;
}

// Encodings and charges: what values do not show.
std::string Physical(const Batch& batch) {
  std::string out;
  std::map<std::pair<const uint8_t*, int64_t>, size_t> numbers;
  for (const ColumnPtr& column : batch.columns()) {
    out += base::Cat("\n", Encodings(*column));
    column->VisitBuffers([&](const vector::Buffer& buffer) {
      const auto [address, capacity] = buffer.allocation();
      if (capacity == 0) return;
      const auto number = numbers.try_emplace({address, capacity}, numbers.size()).first->second;
      out += base::Cat(" #", number, ":", capacity);
    });
  }
  return out;
}

void Same(const Batch& expected, const absl::StatusOr<Batch>& actual) {
  if (!actual.ok()) RC_FAIL(std::string(actual.status().message()));
  RC_ASSERT(FirstDifference(expected, *actual) == std::nullopt);
  RC_ASSERT(Physical(expected) == Physical(*actual));
  RC_ASSERT(ToBinaryProto(expected) == ToBinaryProto(*actual));
}

RC_GTEST_PROP(VectorPropertyTest, EveryNeutralFormIsTheIdentity, ()) {
  const Batch batch = *AnyBatch();
  Same(batch, FromProto(ToProto(batch)));
  Same(batch, FromTextproto(ToTextproto(batch), "batch"));
  Same(batch, FromBinaryProto(ToBinaryProto(batch)));
}

RC_GTEST_PROP(VectorPropertyTest, FlatteningKeepsTheValuesAndLeavesNoWrapper, ()) {
  const Batch batch = *AnyBatch();
  for (const ColumnPtr& column : batch.columns()) {
    const auto flat = vector::Flatten(column);
    RC_ASSERT(flat.ok());
    RC_ASSERT(FirstDifference(*column, **flat) == std::nullopt);
    RC_ASSERT((*flat)->null_count() == column->null_count());
    RC_ASSERT(Encodings(**flat).find_first_of("CD") == std::string::npos);
  }
}

RC_GTEST_PROP(VectorPropertyTest, ASliceHasTheRowsOfTheWhole, ()) {
  const Batch batch = *AnyBatch();
  const auto offset = *rc::gen::inRange<int64_t>(0, batch.rows() + 1);
  const auto rows = *rc::gen::inRange<int64_t>(0, batch.rows() - offset + 1);
  const Batch slice = batch.Slice(offset, rows);
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    int64_t nulls = 0;
    for (int64_t row = 0; row < rows; ++row) {
      RC_ASSERT(vector::ValueToString(slice.column(i), row) ==
                vector::ValueToString(batch.column(i), offset + row));
      nulls += slice.column(i).IsNull(row) ? 1 : 0;
    }
    RC_ASSERT(slice.column(i).null_count() == nulls);
  }
  Same(slice, FromProto(ToProto(slice)));
}

RC_GTEST_PROP(VectorPropertyTest, TypeTextIsTheIdentity, ()) {
  const vector::TypePtr type = *AnyType();
  const auto again = vector::Type::Parse(type->ToString());
  RC_ASSERT(again.ok());
  RC_ASSERT(**again == *type);
}

RC_GTEST_PROP(VectorPropertyTest, AnyBytesAreABatchOrAnError, ()) {
  std::string bytes = ToBinaryProto(*AnyBatch({.max_columns = 2, .max_rows = 20}));
  base::Random random(*AnySeed());
  for (uint64_t flips = random.Below(4) + 1; flips-- > 0 && !bytes.empty();) {
    bytes[random.Below(bytes.size())] ^= static_cast<char>(1 << random.Below(8));
  }
  const auto batch = FromBinaryProto(bytes);
  if (batch.ok()) Same(*batch, FromTextproto(ToTextproto(*batch), "batch"));
}

}  // namespace
}  // namespace spillway::fuzz
