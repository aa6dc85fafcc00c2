// SPDX-License-Identifier: Apache-2.0
#include "src/vector/schema_d.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/vector/build.h"

namespace spillway::vector {
namespace {

constexpr int64_t kInt32 = sizeof(int32_t);

template <typename T, typename Value>
ColumnPtr Values(TypePtr type, int64_t count, Value value) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(value(i));
  return Flat<T>(std::move(type), values);
}

template <typename Value>
ColumnPtr Texts(int64_t count, Value value) {
  std::vector<std::optional<std::string>> texts;
  for (int64_t i = 0; i < count; ++i) texts.push_back(value(i));
  return Strings(Type::Scalar(Kind::kVarchar), texts);
}

std::string Numbered(std::string_view prefix, int64_t number) {
  return std::string(prefix) + std::to_string(number);
}

// Array k has k % 4 elements.
ColumnPtr Tags() {
  constexpr int64_t kArrays = 16;
  std::vector<int32_t> offsets = {0};
  for (int32_t k = 0; k < kArrays; ++k) offsets.push_back(offsets.back() + k % 4);
  const ColumnPtr elements =
      Texts(offsets.back(), [](int64_t i) { return Numbered("tag-", i % 7); });
  return std::make_shared<ListColumn>(
      Type::Array(elements->type_ptr()), kArrays, Validity(),
      Flat<int32_t>(Type::Scalar(Kind::kInteger), offsets)->As<FlatColumn>().values(),
      std::vector<ColumnPtr>{elements});
}

// What all batches share.
struct Alphabets {
  ColumnPtr c1 = Values<int64_t>(Type::Scalar(Kind::kBigint), 100,
                                 [](int64_t i) { return i * 1'000'000'007; });
  ColumnPtr c2 = Texts(200, [](int64_t i) { return Numbered("country-of-origin-", i); });
  ColumnPtr c3 = Texts(1, [](int64_t) { return std::string("eu-central-1/production/blue"); });
  ColumnPtr c4 = Values<int32_t>(Type::Scalar(Kind::kInteger), 1,
                                 [](int64_t) { return 20'261'130; });
  ColumnPtr c5 = Texts(5, [](int64_t i) {
    return i == 3 ? std::nullopt : std::optional(Numbered("delivered-", i));
  });
  ColumnPtr c6 = Values<double>(Type::Scalar(Kind::kDouble), 50,
                                [](int64_t i) { return 0.25 * static_cast<double>(i); });
  ColumnPtr c7 = Values<Timestamp>(Type::Scalar(Kind::kTimestamp), 30, [](int64_t i) {
    return Timestamp{.seconds = 1'700'000'000 + i * 86'400, .nanos = 500'000'000};
  });
  ColumnPtr c8 = Values<__int128>(*Type::Decimal(38, 2), 64, [](int64_t i) {
    return static_cast<__int128>(i - 32) * 1'000'000'000'000 * 1'000'000'000;
  });
  ColumnPtr c9 = Texts(400, [](int64_t i) {
    return Numbered(Numbered("https://shop.example/catalogue/section-", i % 20) + "/article-", i);
  });
  ColumnPtr kind = Texts(10, [](int64_t i) { return Numbered("kind-", i); });
  ColumnPtr tax = Values<int64_t>(Type::Scalar(Kind::kBigint), 1, [](int64_t) { return 19; });
  ColumnPtr c11 = Tags();
};

const Alphabets& Shared() {
  static const Alphabets& shared = *new Alphabets();
  return shared;
}

ColumnPtr Dictionary(int64_t first, int64_t rows, const ColumnPtr& alphabet) {
  MutableBuffer ids(rows * kInt32);
  auto id = static_cast<int32_t>(first % alphabet->rows());
  for (int64_t row = 0; row < rows; ++row) {
    base::Store(ids.data() + row * kInt32, id);
    id = id + 1 == alphabet->rows() ? 0 : id + 1;
  }
  return std::make_shared<DictionaryColumn>(rows, Validity(), std::move(ids).Freeze(), alphabet);
}

}  // namespace

const TypePtr& SchemaD() {
  static const TypePtr& schema = *new TypePtr(*Type::Parse(
      "ROW<c0:INTEGER,c1:BIGINT,c2:VARCHAR,c3:VARCHAR,c4:INTEGER,c5:VARCHAR,c6:DOUBLE,"
      "c7:TIMESTAMP,c8:DECIMAL(38, 2),c9:VARCHAR,c10:ROW<kind:VARCHAR,tax:BIGINT>,"
      "c11:ARRAY<VARCHAR>,c12:VARCHAR>"));
  return schema;
}

Batch SchemaDBatch(int64_t first, int64_t rows) {
  const Alphabets& of = Shared();
  const auto dictionary = [&](const ColumnPtr& alphabet) {
    return Dictionary(first, rows, alphabet);
  };
  const auto constant = [&](const ColumnPtr& value) -> ColumnPtr {
    return std::make_shared<ConstantColumn>(value, rows);
  };
  std::vector<ColumnPtr> columns = {
      Values<int32_t>(Type::Scalar(Kind::kInteger), rows,
                      [&](int64_t row) { return static_cast<int32_t>(first + row); }),
      dictionary(of.c1),
      dictionary(of.c2),
      constant(of.c3),
      constant(of.c4),
      dictionary(of.c5),
      dictionary(of.c6),
      dictionary(of.c7),
      dictionary(of.c8),
      dictionary(of.c9),
      std::make_shared<RowColumn>(SchemaD()->children()[10], rows, Validity(),
                                  std::vector<ColumnPtr>{dictionary(of.kind), constant(of.tax)}),
      dictionary(of.c11),
      Texts(rows, [&](int64_t row) { return Numbered("order-", first + row); }),
  };
  return Batch(SchemaD(), rows, std::move(columns));
}

}  // namespace spillway::vector
