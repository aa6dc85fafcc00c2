// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/workload.h"

#include <memory>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/random.h"
#include "src/vector/buffer.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::shuffle {
namespace {

using vector::ColumnPtr;
using vector::Kind;
using vector::MutableBuffer;
using vector::Type;

template <typename T, typename Value>
ColumnPtr Column(Kind kind, int64_t first, int64_t rows, Value value) {
  constexpr int64_t kWidth = sizeof(T);
  MutableBuffer values(rows * kWidth);
  for (int64_t row = 0; row < rows; ++row) {
    base::Store<T>(values.data() + row * kWidth, value(static_cast<uint64_t>(first + row)));
  }
  return std::make_shared<vector::FlatColumn>(Type::Scalar(kind), rows, vector::Validity(),
                                              std::move(values).Freeze());
}

ColumnPtr Letters(int64_t first, int64_t rows) {
  constexpr int64_t kLongest = 16;
  constexpr int64_t kWidth = sizeof(int32_t);
  MutableBuffer ends(rows * kWidth);
  MutableBuffer bytes(rows * kLongest);
  int32_t end = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const uint64_t random = base::SplitMix64(4 * static_cast<uint64_t>(first + row) + 3);
    const auto length = static_cast<int32_t>(8 + (random & 0xff) % 9);
    for (int32_t i = 0; i < length; ++i) {
      bytes.data()[end++] = static_cast<uint8_t>('a' + ((random >> (8 + 3 * i)) & 7));
    }
    base::Store(ends.data() + row * kWidth, end);
  }
  // As much as they take, and no more.
  MutableBuffer exact(end);
  for (int32_t i = 0; i < end; ++i) exact.data()[i] = bytes.data()[i];
  return std::make_shared<vector::StringColumn>(Type::Scalar(Kind::kVarchar), rows,
                                                vector::Validity(), 0, std::move(ends).Freeze(),
                                                std::move(exact).Freeze());
}

}  // namespace

std::string_view WorkloadName(Workload workload) {
  return workload == Workload::kI64x2 ? "i64x2" : "mix";
}

vector::Batch WorkloadRows(Workload workload, int64_t first, int64_t rows) {
  const auto number = [](uint64_t i) { return static_cast<int64_t>(base::SplitMix64(4 * i)); };
  const auto small = [](uint64_t i) {
    return static_cast<int64_t>(base::SplitMix64(4 * i + 1) % 1'000'000);
  };
  const auto fraction = [](uint64_t i) {
    return static_cast<double>(base::SplitMix64(4 * i + 2) >> 11) * 0x1p-53;
  };
  std::vector<ColumnPtr> columns = {Column<int64_t>(Kind::kBigint, first, rows, number),
                                    Column<int64_t>(Kind::kBigint, first, rows, small)};
  std::vector<std::string> names = {"k", "a"};
  if (workload == Workload::kMix) {
    columns.push_back(Column<double>(Kind::kDouble, first, rows, fraction));
    columns.push_back(Letters(first, rows));
    names = {"k", "a", "d", "s"};
  }
  std::vector<vector::TypePtr> types;
  for (const ColumnPtr& column : columns) types.push_back(column->type_ptr());
  return vector::Batch(Type::Row(std::move(names), std::move(types)), rows, std::move(columns));
}

}  // namespace spillway::shuffle
