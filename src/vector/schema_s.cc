// SPDX-License-Identifier: Apache-2.0
#include "src/vector/schema_s.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/little_endian.h"

namespace spillway::vector {
namespace {

template <typename T, typename Value>
ColumnPtr Fill(Kind kind, int64_t rows, Value value) {
  MutableBuffer values(rows * static_cast<int64_t>(sizeof(T)));
  for (int64_t row = 0; row < rows; ++row) {
    base::Store<T>(values.data() + row * static_cast<int64_t>(sizeof(T)), value(row));
  }
  return std::make_shared<FlatColumn>(Type::Scalar(kind), rows, Validity(),
                                      std::move(values).Freeze());
}

template <typename Value>
ColumnPtr FillStrings(std::string_view prefix, int64_t rows, Value value) {
  MutableBuffer ends(rows * static_cast<int64_t>(sizeof(int32_t)));
  std::string bytes;
  for (int64_t row = 0; row < rows; ++row) {
    bytes += prefix;
    absl::StrAppend(&bytes, value(row));
    base::Store(ends.data() + row * static_cast<int64_t>(sizeof(int32_t)),
                static_cast<int32_t>(bytes.size()));
  }
  return std::make_shared<StringColumn>(Type::Scalar(Kind::kVarchar), rows, Validity(), 0,
                                        std::move(ends).Freeze(), Buffer::Copy(bytes));
}

}  // namespace

const TypePtr& SchemaS() {
  static const TypePtr& schema = *new TypePtr(*Type::Parse(
      "ROW<c0:INTEGER,c1:INTEGER,c2:VARCHAR,c3:VARCHAR,c4:INTEGER,c5:INTEGER,c6:DOUBLE,"
      "c7:INTEGER,c8:VARCHAR,c9:INTEGER,c10:VARCHAR,c11:INTEGER,c12:INTEGER,c13:VARCHAR,"
      "c14:INTEGER,c15:DOUBLE>"));
  return schema;
}

Batch SchemaSBatch(int64_t first, int64_t rows) {
  const auto ints = [&](auto value) {
    return Fill<int32_t>(Kind::kInteger, rows,
                         [&](int64_t row) { return static_cast<int32_t>(value(first + row)); });
  };
  const auto doubles = [&] {
    return Fill<double>(Kind::kDouble, rows,
                        [&](int64_t row) { return static_cast<double>(first + row); });
  };
  const auto numbers = [&] {
    return FillStrings("", rows, [&](int64_t row) { return first + row; });
  };
  const auto payload = [&](std::string_view prefix) {
    return FillStrings(prefix, rows, [&](int64_t row) { return (first + row) % 100000; });
  };
  std::vector<ColumnPtr> columns = {
      ints([](int64_t row) { return row; }),
      ints([](int64_t row) { return row; }),
      numbers(),
      payload("payload-a-"),
      ints([](int64_t row) { return row % 100; }),
      ints([](int64_t row) { return 2 * row; }),
      doubles(),
      ints([](int64_t row) { return row % 10; }),
      payload("payload-b-"),
      ints([](int64_t row) { return row + 1; }),
      numbers(),
      ints([](int64_t row) { return row % 50; }),
      ints([](int64_t row) { return 3 * row; }),
      payload("payload-c-"),
      ints([](int64_t row) { return row % 200; }),
      doubles(),
  };
  return Batch(SchemaS(), rows, std::move(columns));
}

}  // namespace spillway::vector
