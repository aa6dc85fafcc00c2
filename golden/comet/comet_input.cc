// SPDX-License-Identifier: Apache-2.0
#include "golden/comet/comet_input.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::golden {
namespace {

using base::Store;
using vector::Buffer;
using vector::ColumnPtr;
using vector::FlatColumn;
using vector::Kind;
using vector::MutableBuffer;
using vector::Type;
using vector::TypePtr;
using vector::Validity;

constexpr int64_t kRows = kCometBatchRows;
// What arrow-rs allocates for 1000 rows: bitmaps of builders in multiples of 64 bytes, the boolean
// values and all buffers of numbers exactly, string bytes by doubling.
constexpr int64_t kBitmapCapacity = 128;
constexpr int64_t kBooleanCapacity = 125;
constexpr int64_t kStringCapacity = 8192;

template <typename IsNull>
Validity Nulls(int64_t first, IsNull is_null) {
  MutableBuffer bits((kRows + 7) / 8, kBitmapCapacity);
  std::fill_n(bits.data(), bits.size(), uint8_t{0});
  for (int64_t row = 0; row < kRows; ++row) {
    if (!is_null(first + row)) bits.data()[row / 8] |= static_cast<uint8_t>(1 << (row % 8));
  }
  return Validity::CountBits(std::move(bits).Freeze(), 0, kRows);
}

template <typename T, typename ValueOf>
Buffer Values(int64_t first, int64_t arrow_width, ValueOf value_of) {
  constexpr auto kWidth = static_cast<int64_t>(sizeof(T));
  MutableBuffer values(kRows * kWidth, kRows * arrow_width);
  for (int64_t row = 0; row < kRows; ++row) {
    Store<T>(values.data() + row * kWidth, value_of(first + row));
  }
  return std::move(values).Freeze();
}

ColumnPtr Column(const TypePtr& type, Validity validity, Buffer values) {
  return std::make_shared<FlatColumn>(type, kRows, std::move(validity), std::move(values));
}

std::string StringOf(int64_t g) {
  if (g % 17 == 0 || g % 5 == 2) return "";
  return "v" + std::to_string(g) + std::string(static_cast<size_t>(g % 11), 'x');
}

ColumnPtr StringsFrom(int64_t first) {
  constexpr int64_t kEnd = sizeof(int32_t);
  MutableBuffer ends(kRows * kEnd, (kRows + 1) * kEnd);
  std::string all;
  for (int64_t row = 0; row < kRows; ++row) {
    all += StringOf(first + row);
    Store(ends.data() + row * kEnd, static_cast<int32_t>(all.size()));
  }
  MutableBuffer bytes(static_cast<int64_t>(all.size()), kStringCapacity);
  std::copy(all.begin(), all.end(), bytes.data());
  return std::make_shared<vector::StringColumn>(
      Type::Scalar(Kind::kVarchar), kRows, Nulls(first, [](int64_t g) { return g % 5 == 2; }), 0,
      std::move(ends).Freeze(), std::move(bytes).Freeze());
}

}  // namespace

std::vector<vector::Batch> CometInput() {
  const TypePtr schema =
      *Type::Parse("ROW<c0:INTEGER,c1:BIGINT,c2:VARCHAR,c3:DOUBLE,c4:BOOLEAN,c5:DECIMAL(10, 2)>");
  const std::vector<TypePtr>& types = schema->children();
  std::vector<vector::Batch> batches;
  for (int64_t batch = 0; batch < kCometBatches; ++batch) {
    const int64_t first = batch * kRows;
    const auto is_null = [](int64_t g) { return g % 7 == 3; };
    // A byte a value here, a bit there.
    const Buffer booleans = Values<uint8_t>(first, 1, [](int64_t g) {
                              return g % 3 == 0 ? 1 : 0;
                            }).ChargedTo(MutableBuffer(kBooleanCapacity).Freeze());
    batches.emplace_back(
        schema, kRows,
        std::vector<ColumnPtr>{
            Column(types[0], Nulls(first, is_null),
                   Values<uint32_t>(first, 4,
                                    [&](int64_t g) {
                                      return is_null(g)
                                                 ? 0
                                                 : static_cast<uint32_t>(static_cast<uint64_t>(g) *
                                                                         2654435761u);
                                    })),
            Column(types[1], Validity(),
                   Values<int64_t>(first, 8, [](int64_t g) { return g * 1000003 - 500000000; })),
            StringsFrom(first),
            Column(types[3], Validity(),
                   Values<double>(first, 8,
                                  [](int64_t g) {
                                    return g % 97 == 0 ? -0.0 : static_cast<double>(g) * 0.25 - 100;
                                  })),
            Column(types[4], Validity(), booleans),
            Column(types[5], Validity(),
                   Values<int64_t>(first, 16, [](int64_t g) { return g * 37 - 50000; }))});
  }
  return batches;
}

}  // namespace spillway::golden
