// SPDX-License-Identifier: Apache-2.0
#include "src/vector/schema_s.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"

namespace spillway::vector {
namespace {

// One text is copied as this many bytes at once, the surplus overwritten by the next one.
constexpr int64_t kText = 32;
static_assert(kText <= MutableBuffer::kSlack);

template <typename T, typename Value>
ColumnPtr Fill(Kind kind, int64_t rows, Value value) {
  MutableBuffer values(rows * static_cast<int64_t>(sizeof(T)));
  for (int64_t row = 0; row < rows; ++row) {
    base::Store<T>(values.data() + row * static_cast<int64_t>(sizeof(T)), value(row));
  }
  return std::make_shared<FlatColumn>(Type::Scalar(kind), rows, Validity(),
                                      std::move(values).Freeze());
}

// i % modulus, without a division a row.
ColumnPtr FillCycle(int64_t first, int64_t rows, int32_t modulus) {
  auto next = static_cast<int32_t>(first % modulus);
  return Fill<int32_t>(Kind::kInteger, rows, [&](int64_t) {
    const int32_t value = next;
    next = value + 1 == modulus ? 0 : value + 1;
    return value;
  });
}

// Digits of 0 .. count - 1 together: each has one, those from 10 on one more, and so on.
int64_t CountDigits(int64_t count) {
  int64_t digits = count;
  for (int64_t power = 10; power < count; power *= 10) digits += count - power;
  return digits;
}

// prefix || i % modulus, a multiple of ten. Ten rows share all but their last digit.
ColumnPtr FillStrings(std::string_view prefix, int64_t first, int64_t rows, int64_t modulus) {
  const auto digits_before = [&](int64_t i) {
    return i / modulus * CountDigits(modulus) + CountDigits(i % modulus);
  };
  const auto prefix_size = static_cast<int64_t>(prefix.size());
  MutableBuffer ends(rows * static_cast<int64_t>(sizeof(int32_t)));
  MutableBuffer bytes(rows * prefix_size + digits_before(first + rows) - digits_before(first));
  char text[kText] = {};
  prefix.copy(text, kText);
  uint8_t* at = bytes.data();
  for (int64_t row = 0; row < rows;) {
    const int64_t value = (first + row) % modulus;
    char* const text_end = std::to_chars(text + prefix_size, text + kText, value).ptr;
    const int64_t size = text_end - text;
    const int64_t stop = std::min(rows, row + 10 - value % 10);
    for (char digit = text_end[-1]; row < stop; ++row, ++digit) {
      std::memcpy(at, text, kText);
      at[size - 1] = static_cast<uint8_t>(digit);
      at += size;
      base::Store(ends.data() + row * static_cast<int64_t>(sizeof(int32_t)),
                  static_cast<int32_t>(at - bytes.data()));
    }
  }
  return std::make_shared<StringColumn>(Type::Scalar(Kind::kVarchar), rows, Validity(), 0,
                                        std::move(ends).Freeze(), std::move(bytes).Freeze());
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
  const auto ints = [&](uint64_t scale, uint64_t offset) {
    return Fill<int32_t>(Kind::kInteger, rows, [&](int64_t row) {
      return static_cast<int32_t>(static_cast<uint64_t>(first + row) * scale + offset);
    });
  };
  const auto cycle = [&](int32_t modulus) { return FillCycle(first, rows, modulus); };
  const auto doubles = [&] {
    return Fill<double>(Kind::kDouble, rows,
                        [&](int64_t row) { return static_cast<double>(first + row); });
  };
  const auto numbers = [&] { return FillStrings("", first, rows, kMaxSchemaSRow); };
  const auto payload = [&](std::string_view prefix) {
    return FillStrings(prefix, first, rows, 100'000);
  };
  std::vector<ColumnPtr> columns = {
      ints(1, 0),             // c0
      ints(1, 0),             // c1
      numbers(),              // c2
      payload("payload-a-"),  // c3
      cycle(100),             // c4
      ints(2, 0),             // c5
      doubles(),              // c6
      cycle(10),              // c7
      payload("payload-b-"),  // c8
      ints(1, 1),             // c9
      numbers(),              // c10
      cycle(50),              // c11
      ints(3, 0),             // c12
      payload("payload-c-"),  // c13
      cycle(200),             // c14
      doubles(),              // c15
  };
  return Batch(SchemaS(), rows, std::move(columns));
}

}  // namespace spillway::vector
