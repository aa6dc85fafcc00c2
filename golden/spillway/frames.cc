// SPDX-License-Identifier: Apache-2.0
#include "golden/spillway/frames.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "src/vector/build.h"

namespace spillway::golden {
namespace {

using frame::V3WriteOptions;
using page::EncodingChoice;
using vector::Batch;
using vector::ColumnPtr;
using vector::Flat;
using vector::Timestamp;
using vector::TypePtr;

constexpr std::nullopt_t kNull = std::nullopt;
constexpr V3WriteOptions kFlat = {.statistics = true, .encoding = EncodingChoice::kFlatten};
constexpr V3WriteOptions kFlatBare = {.statistics = false, .encoding = EncodingChoice::kFlatten};
constexpr V3WriteOptions kNanAware = {
    .statistics = true, .nan_aware = true, .encoding = EncodingChoice::kFlatten};
constexpr V3WriteOptions kSmallest = {.statistics = true, .encoding = EncodingChoice::kSmallest};

TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

ColumnPtr Texts(std::string_view type, const std::vector<std::optional<std::string>>& values) {
  return vector::Strings(T(type), values);
}

vector::Buffer Int32s(const std::vector<int32_t>& values) {
  return Flat<int32_t>(T("INTEGER"), values)->As<vector::FlatColumn>().values();
}

ColumnPtr Constant(ColumnPtr value, int64_t rows) {
  return std::make_shared<vector::ConstantColumn>(std::move(value), rows);
}

// Row r is entry r % size; every `null_every`th row is null.
ColumnPtr Cycle(ColumnPtr alphabet, int64_t rows, int64_t null_every) {
  std::vector<int32_t> ids;
  for (int64_t row = 0; row < rows; ++row) {
    ids.push_back(static_cast<int32_t>(row % alphabet->rows()));
  }
  return std::make_shared<vector::DictionaryColumn>(
      rows, vector::BuildValidity(rows, [&](int64_t row) { return row % null_every == 2; }),
      Int32s(ids), std::move(alphabet));
}

Batch Scalars() {
  using L = std::numeric_limits<int64_t>;
  const auto int128 = [](int64_t high, uint64_t low) {
    return static_cast<__int128>(high) << 64 | low;
  };
  return vector::BatchOf({
      Flat<uint8_t>(T("BOOLEAN"), {uint8_t{1}, kNull, uint8_t{0}}),
      Flat<int8_t>(T("TINYINT"), {int8_t{-128}, int8_t{127}, kNull}),
      Flat<int16_t>(T("SMALLINT"), {int16_t{-2}, kNull, int16_t{300}}),
      Flat<int32_t>(T("INTEGER"), {1, 2, 3}),
      Flat<int64_t>(T("BIGINT"), {L::min(), kNull, L::max()}),
      Flat<__int128>(T("HUGEINT"), {int128(-1, 5), int128(1, 0), kNull}),
      Flat<float>(T("REAL"), {1.5f, kNull, -2.25f}),
      Flat<double>(T("DOUBLE"), {0.1, 1e300, kNull}),
      Flat<int64_t>(T("DECIMAL(10, 2)"), {-1250, kNull, 99}),
      Flat<__int128>(T("DECIMAL(20, 0)"), {__int128{-5}, __int128{5}, kNull}),
      Flat<int32_t>(T("DATE"), {-1, 0, 19000}),
      Flat<int32_t>(T("INTERVAL YEAR TO MONTH"), {14, kNull, -1}),
      Flat<int64_t>(T("INTERVAL DAY TO SECOND"), {86400000, -1, kNull}),
      Flat<Timestamp>(T("TIMESTAMP"), {Timestamp{-1, 999'999'999}, kNull, Timestamp{0, 1'500}}),
      Texts("VARCHAR", {"apple", "", kNull}),
      Texts("VARBINARY", {std::string("\0\xFF", 2), kNull, "x"}),
      vector::FlatColumn::Unknown(3),
  });
}

Batch Floats() {
  using D = std::numeric_limits<double>;
  return vector::BatchOf({
      Flat<double>(T("DOUBLE"), {-0.0, 0.0, D::quiet_NaN(), D::infinity(), D::denorm_min()}),
      Flat<double>(T("DOUBLE"), {D::quiet_NaN(), D::quiet_NaN(), kNull, kNull, kNull}),
      Flat<float>(T("REAL"), {-std::numeric_limits<float>::infinity(), 1.0f, kNull, 2.0f, 3.0f}),
  });
}

Batch OneNan() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return vector::BatchOf({Flat<double>(T("DOUBLE"), {-1.0, 5.0, kNan, kNull}),
                          Flat<int32_t>(T("INTEGER"), {1, 2, 3, 4})});
}

Batch LongStrings() {
  return vector::BatchOf({
      Texts("VARCHAR", {std::string(256, 'a'), std::string(257, 'b'), "c"}),
      Texts("VARCHAR", {std::string(300, 'm'), kNull, std::string(255, 'm') + "\xFF\xFF"}),
      Texts("VARCHAR", {std::string(257, '\xFF'), "a", "b"}),
      Texts("VARCHAR COLLATE UTF8_LCASE", {"B", "a", kNull}),
  });
}

Batch Nested() {
  const ColumnPtr numbers = Flat<int32_t>(T("INTEGER"), {1, 2, kNull, 4});
  const ColumnPtr lists = std::make_shared<vector::ListColumn>(
      T("ARRAY<INTEGER>"), 3, vector::BuildValidity(3, [](int64_t row) { return row == 1; }),
      Int32s({0, 2, 2, 4}), std::vector<ColumnPtr>{numbers});
  const ColumnPtr maps = std::make_shared<vector::ListColumn>(
      T("MAP<VARCHAR,BIGINT>"), 3, vector::Validity(), Int32s({0, 1, 1, 2}),
      std::vector<ColumnPtr>{Texts("VARCHAR", {"k", "l"}), Flat<int64_t>(T("BIGINT"), {7, kNull})});
  const ColumnPtr rows = std::make_shared<vector::RowColumn>(
      T("ROW<x:SMALLINT,y:VARCHAR>"), 3,
      vector::BuildValidity(3, [](int64_t row) { return row == 0; }),
      std::vector<ColumnPtr>{Flat<int16_t>(T("SMALLINT"), {int16_t{0}, int16_t{1}, kNull}),
                             Texts("VARCHAR", {kNull, "one", "two"})});
  return vector::BatchOf({lists, maps, rows});
}

Batch Dictionaries() {
  const ColumnPtr names =
      Texts("VARCHAR", {"Amsterdam", "Barcelona", "Copenhagen", "Dublin"});
  const ColumnPtr numbers = Flat<__int128>(T("DECIMAL(38, 4)"), {__int128{-12345}, __int128{7}});
  return vector::BatchOf({
      Cycle(names, 16, 5),
      Cycle(numbers, 16, 7),
      // Two wrappers, of which one is left, and an entry that is not used.
      Cycle(Cycle(names, 3, 100), 16, 100),
      // Smaller when flat.
      Cycle(Flat<int8_t>(T("TINYINT"), {1, 2}), 16, 5),
  });
}

Batch Constants() {
  return vector::BatchOf({
      Constant(Flat<int32_t>(T("INTEGER"), {42}), 1000),
      Constant(Texts("VARCHAR", {"the same"}), 1000),
      Constant(Flat<double>(T("DOUBLE"), {kNull}), 1000),
      Constant(std::make_shared<vector::RowColumn>(
                   T("ROW<x:INTEGER>"), 1, vector::Validity(),
                   std::vector<ColumnPtr>{Flat<int32_t>(T("INTEGER"), {5})}),
               1000),
  });
}

Batch Few() {
  return vector::BatchOf(
      {Flat<int32_t>(T("INTEGER"), {7, kNull, 9}), Texts("VARCHAR", {"a", "b", kNull})});
}

}  // namespace

std::vector<OwnFrame> OwnFrames() {
  return {
      {"v3_scalars", kFlat, Scalars()},
      {"v3_floats", kFlat, Floats()},
      {"v3_nan", kFlat, OneNan()},
      {"v3_nan_aware", kNanAware, OneNan()},
      {"v3_long_strings", kFlat, LongStrings()},
      {"v3_nested", kFlat, Nested()},
      {"v3_bare", kFlatBare, Few()},
      {"v3_no_rows", kFlat, Few().Slice(0, 0)},
      {"v3_no_columns", kFlatBare, Batch(T("ROW<>"), 5, {})},
      {"v3_flattened_dictionaries", kFlat, Dictionaries()},
      {"v3_dictionaries", kSmallest, Dictionaries()},
      {"v3_constants", kSmallest, Constants()},
  };
}

}  // namespace spillway::golden
