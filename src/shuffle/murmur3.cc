// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/murmur3.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/shuffle/flat_view.h"
#include "src/shuffle/murmur3_avx2.h"
#include "src/shuffle/murmur3_mix.h"
#include "src/vector/flatten.h"
#include "src/vector/select.h"

namespace spillway::shuffle {
namespace {

using vector::ColumnPtr;
using vector::FlatColumn;
using vector::Kind;
using vector::StringColumn;

__extension__ using Int128 = __int128;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kNanosPerMicro = 1'000;

// java.math.BigInteger.toByteArray of `value`.
uint32_t MinimalBigEndian(Int128 value, uint32_t seed) {
  std::array<uint8_t, sizeof(Int128)> bytes;
  size_t first = bytes.size();
  // Bytes are needed until what is left is nothing but the sign of the last one.
  bool more = true;
  while (more) {
    const auto byte = static_cast<int8_t>(value);
    bytes[--first] = static_cast<uint8_t>(byte);
    value >>= 8;
    more = first != 0 && value != (byte < 0 ? -1 : 0);
  }
  return murmur3::Bytes(bytes.data() + first, bytes.size() - first, seed);
}

// hashes[r] = hash(row of the base, hashes[r]) where row r is not null.
template <typename Hash>
void ForEachRow(const FlatView& view, std::span<uint32_t> hashes, Hash hash) {
  const auto rows = static_cast<int64_t>(hashes.size());
  if (view.mapping() == FlatView::Mapping::kIdentity && !view.may_have_nulls()) {
    for (int64_t row = 0; row < rows; ++row) hashes[row] = hash(row, hashes[row]);
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t source = view.Source(row);
    if (source != FlatView::kNull) hashes[row] = hash(source, hashes[row]);
  }
}

template <typename T, typename Hash>
void ForEachFixed(const FlatView& view, std::span<uint32_t> hashes, Hash hash) {
  const uint8_t* values = view.base().As<FlatColumn>().values().data();
  ForEachRow(view, hashes, [=](int64_t row, uint32_t seed) {
    return hash(base::Load<T>(values + row * static_cast<int64_t>(sizeof(T))), seed);
  });
}

// Lets kernel(first row, hashes of some rows) hash all rows, nulls too, and takes that back for
// those: what stands under a null may be read, and most columns have few.
template <typename Kernel>
void ForEachBlock(const vector::Validity& validity, std::span<uint32_t> hashes, Kernel kernel) {
  if (!validity.has_nulls()) return kernel(0, hashes);
  constexpr size_t kRows = 256;
  std::array<uint32_t, kRows> before;
  for (size_t first = 0; first < hashes.size(); first += kRows) {
    const std::span<uint32_t> block = hashes.subspan(first, std::min(kRows, hashes.size() - first));
    std::copy(block.begin(), block.end(), before.begin());
    kernel(static_cast<int64_t>(first), block);
    for (size_t i = 0; i < block.size(); ++i) {
      const bool null = validity.IsNull(static_cast<int64_t>(first + i));
      block[i] = null ? before[i] : block[i];
    }
  }
}

// 4 or 8 bytes a value that hash as they are.
template <typename T>
void HashWords(HashKernel kernel, const FlatView& view, std::span<uint32_t> hashes) {
  const auto one = [](T value, uint32_t seed) {
    if constexpr (sizeof(T) == sizeof(uint32_t)) {
      return murmur3::Int(value, seed);
    } else {
      return murmur3::Long(value, seed);
    }
  };
  if (kernel == HashKernel::kPortable || view.mapping() != FlatView::Mapping::kIdentity) {
    return ForEachFixed<T>(view, hashes, one);
  }
  const uint8_t* values = view.base().As<FlatColumn>().values().data();
  ForEachBlock(view.base_validity(), hashes, [&](int64_t first, std::span<uint32_t> block) {
    constexpr int64_t kWidth = sizeof(T);
    const auto rows = static_cast<int64_t>(block.size());
    const uint8_t* from = values + first * kWidth;
    int64_t row = sizeof(T) == sizeof(uint32_t) ? HashIntsAvx2(from, rows, block.data())
                                                : HashLongsAvx2(from, rows, block.data());
    for (; row < rows; ++row) block[row] = one(base::Load<T>(from + row * kWidth), block[row]);
  });
}

template <typename T>
void HashAsInt(const FlatView& view, std::span<uint32_t> hashes) {
  ForEachFixed<T>(view, hashes, [](T value, uint32_t seed) {
    return murmur3::Int(static_cast<uint32_t>(static_cast<int32_t>(value)), seed);
  });
}

// `Float` as the bits of `Bits`, zeros alike and, if asked, NaNs alike.
template <typename Float, typename Bits>
void HashFloat(const FlatView& view, std::span<uint32_t> hashes, HashOptions::Nan nan) {
  const auto run = [&](auto canonical) {
    ForEachFixed<Float>(view, hashes, [](Float value, uint32_t seed) {
      if (value == 0) value = 0;
      if (decltype(canonical)::value && std::isnan(value)) {
        value = std::numeric_limits<Float>::quiet_NaN();
      }
      const Bits bits = std::bit_cast<Bits>(value);
      if constexpr (sizeof(Bits) == sizeof(uint32_t)) {
        return murmur3::Int(bits, seed);
      } else {
        return murmur3::Long(bits, seed);
      }
    });
  };
  if (nan == HashOptions::Nan::kCanonical) {
    run(std::true_type());
  } else {
    run(std::false_type());
  }
}

// Microseconds of the TIMESTAMP at `at`; false if they do not fit.
bool ToMicros(const uint8_t* at, int64_t& micros) {
  const auto seconds = base::Load<int64_t>(at);
  const auto nanos = static_cast<int64_t>(base::Load<uint64_t>(at + sizeof(seconds)));
  // Seconds below 0 go up by one first: the lowest second reaches below 64 bits only without its
  // nanoseconds.
  const int64_t borrow = seconds < 0 ? 1 : 0;
  return !__builtin_mul_overflow(seconds + borrow, kMicrosPerSecond, &micros) &&
         !__builtin_add_overflow(micros, nanos / kNanosPerMicro - borrow * kMicrosPerSecond,
                                 &micros);
}

absl::Status HashTimestamps(const FlatView& view, std::span<uint32_t> hashes) {
  const uint8_t* values = view.base().As<FlatColumn>().values().data();
  constexpr int64_t kWidth = 2 * sizeof(int64_t);
  const auto rows = static_cast<int64_t>(hashes.size());
  int64_t micros = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t source = view.Source(row);
    if (source == FlatView::kNull || ToMicros(values + source * kWidth, micros)) continue;
    return base::Invalid("TIMESTAMP at row ", row, " has ",
                         base::Load<int64_t>(values + source * kWidth),
                         " seconds, whose microseconds do not fit 64 bits");
  }
  ForEachRow(view, hashes, [=](int64_t row, uint32_t seed) {
    int64_t value = 0;
    ToMicros(values + row * kWidth, value);
    return murmur3::Long(static_cast<uint64_t>(value), seed);
  });
  return absl::OkStatus();
}

void HashStrings(HashKernel kernel, const FlatView& view, std::span<uint32_t> hashes) {
  constexpr int64_t kWidth = sizeof(int32_t);
  constexpr int64_t kAtOnce = 16;
  const auto& strings = view.base().As<StringColumn>();
  const uint8_t* bytes = strings.bytes().data();
  const int32_t first = strings.first();
  const uint8_t* ends = strings.ends().data();
  const auto one = [=](int64_t row, uint32_t seed) {
    const int32_t start = row == 0 ? first : base::Load<int32_t>(ends + (row - 1) * kWidth);
    const int32_t end = base::Load<int32_t>(ends + row * kWidth);
    return murmur3::Bytes(bytes + start, static_cast<size_t>(end - start), seed);
  };
  if (kernel == HashKernel::kPortable || view.mapping() != FlatView::Mapping::kIdentity) {
    return ForEachRow(view, hashes, one);
  }
  const int64_t size = strings.bytes().size();
  ForEachBlock(view.base_validity(), hashes, [&](int64_t first_row, std::span<uint32_t> block) {
    const auto rows = static_cast<int64_t>(block.size());
    int64_t row = 0;
    // One by one: the row before which there is no end, and those that the kernel will not take.
    for (int64_t next = first_row == 0 ? 1 : 0; row < rows; next = row + kAtOnce) {
      for (; row < std::min(next, rows); ++row) block[row] = one(first_row + row, block[row]);
      row += HashStringsAvx2(bytes, size, ends + (first_row + row) * kWidth, rows - row,
                             block.data() + row);
    }
  });
}

void HashLongDecimals(const FlatView& view, HashOptions::LongDecimal form,
                      std::span<uint32_t> hashes) {
  if (form == HashOptions::LongDecimal::kSparkBigEndianMinimal) {
    ForEachFixed<Int128>(view, hashes, MinimalBigEndian);
    return;
  }
  ForEachFixed<Int128>(view, hashes, [](Int128 value, uint32_t seed) {
    return murmur3::Bytes(reinterpret_cast<const uint8_t*>(&value), sizeof(value), seed);
  });
}

class Hasher {
 public:
  Hasher(HashKernel kernel, const HashOptions& options) : kernel_(kernel), options_(options) {}

  absl::Status Scalars(const vector::Column& column, std::span<uint32_t> hashes) const {
    SPILLWAY_ASSIGN_OR_RETURN(const FlatView view, FlatView::Of(column));
    switch (column.type().kind()) {
      case Kind::kBoolean:
        ForEachFixed<uint8_t>(view, hashes, [](uint8_t value, uint32_t seed) {
          return murmur3::Int(value != 0 ? 1 : 0, seed);
        });
        break;
      case Kind::kTinyint:
        HashAsInt<int8_t>(view, hashes);
        break;
      case Kind::kSmallint:
        HashAsInt<int16_t>(view, hashes);
        break;
      case Kind::kInteger:
      case Kind::kDate:
      case Kind::kIntervalYearMonth:
        HashWords<uint32_t>(kernel_, view, hashes);
        break;
      case Kind::kBigint:
      case Kind::kShortDecimal:
      case Kind::kIntervalDayTime:
        HashWords<uint64_t>(kernel_, view, hashes);
        break;
      case Kind::kReal:
        HashFloat<float, uint32_t>(view, hashes, options_.nan);
        break;
      case Kind::kDouble:
        HashFloat<double, uint64_t>(view, hashes, options_.nan);
        break;
      case Kind::kLongDecimal:
      case Kind::kHugeint:
        HashLongDecimals(view, options_.long_decimal, hashes);
        break;
      case Kind::kTimestamp:
        return HashTimestamps(view, hashes);
      case Kind::kVarchar:
      case Kind::kVarbinary:
        HashStrings(kernel_, view, hashes);
        break;
      case Kind::kUnknown:
      case Kind::kArray:
      case Kind::kMap:
      case Kind::kRow:
        break;
    }
    return absl::OkStatus();
  }

  // A column without wrappers at any level.
  absl::Status Nested(const vector::Column& column, std::span<uint32_t> hashes) const {
    switch (column.type().kind()) {
      case Kind::kRow:
        return Fields(column.As<vector::RowColumn>(), hashes);
      case Kind::kArray:
        return Elements(column.As<vector::ListColumn>(), hashes);
      default:
        return Scalars(column, hashes);
    }
  }

 private:
  absl::Status Fields(const vector::RowColumn& column, std::span<uint32_t> hashes) const {
    std::vector<int32_t> rows;  // with what is under a null parent made null
    if (column.validity().has_nulls() && options_.null_row == HashOptions::NullRow::kUnchanged) {
      rows.resize(hashes.size());
      for (size_t row = 0; row < rows.size(); ++row) {
        rows[row] =
            column.IsNull(static_cast<int64_t>(row)) ? vector::kNullRow : static_cast<int32_t>(row);
      }
    }
    for (const ColumnPtr& field : column.fields()) {
      ColumnPtr chosen = field;
      if (!rows.empty()) {
        SPILLWAY_ASSIGN_OR_RETURN(chosen, Choose(*field, rows));
      }
      SPILLWAY_RETURN_IF_ERROR(Nested(*chosen, hashes));
    }
    return absl::OkStatus();
  }

  // The first elements of all rows, then the second ones of the rows that have them, and so on.
  absl::Status Elements(const vector::ListColumn& column, std::span<uint32_t> hashes) const {
    std::vector<int32_t> rows;
    for (int64_t row = 0; row < column.rows(); ++row) {
      if (!column.IsNull(row)) rows.push_back(static_cast<int32_t>(row));
    }
    std::vector<int32_t> elements;
    std::vector<uint32_t> chained;
    for (int32_t number = 0;; ++number) {
      std::erase_if(
          rows, [&](int32_t row) { return column.Offset(row + 1) - column.Offset(row) <= number; });
      if (rows.empty()) return absl::OkStatus();
      elements.clear();
      chained.clear();
      for (const int32_t row : rows) {
        elements.push_back(column.Offset(row) + number);
        chained.push_back(hashes[row]);
      }
      SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr chosen, Choose(*column.children()[0], elements));
      SPILLWAY_RETURN_IF_ERROR(Nested(*chosen, chained));
      for (size_t i = 0; i < rows.size(); ++i) hashes[rows[i]] = chained[i];
    }
  }

  static absl::StatusOr<ColumnPtr> Choose(const vector::Column& column,
                                          std::span<const int32_t> rows) {
    int64_t budget = std::numeric_limits<int64_t>::max();
    return vector::Select(column, rows, &budget);
  }

  HashKernel kernel_;
  HashOptions options_;
};

}  // namespace

uint32_t HashInt(uint32_t value, uint32_t seed) { return murmur3::Int(value, seed); }
uint32_t HashLong(uint64_t value, uint32_t seed) { return murmur3::Long(value, seed); }
uint32_t HashBytes(std::string_view bytes, uint32_t seed) {
  return murmur3::Bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), seed);
}

bool HasHashKernel(HashKernel kernel) { return kernel == HashKernel::kPortable || HasAvx2(); }

absl::Status CheckHashable(const vector::Type& type) {
  if (type.kind() == Kind::kMap) {
    return absl::UnimplementedError(
        base::Cat("type ", type.ToString(), " has no hash, as in Spark"));
  }
  for (const vector::TypePtr& child : type.children()) {
    SPILLWAY_RETURN_IF_ERROR(CheckHashable(*child));
  }
  return absl::OkStatus();
}

absl::Status HashColumnBy(HashKernel kernel, const vector::Column& column,
                          const HashOptions& options, std::span<uint32_t> hashes) {
  SPILLWAY_CHECK(static_cast<int64_t>(hashes.size()) == column.rows(), "one hash a row");
  SPILLWAY_RETURN_IF_ERROR(CheckHashable(column.type()));
  const Hasher hasher(kernel, options);
  if (!column.type().is_nested()) return hasher.Scalars(column, hashes);
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr flat, vector::Flatten(column.Slice(0, column.rows())));
  std::vector<uint32_t> chained(hashes.begin(), hashes.end());
  SPILLWAY_RETURN_IF_ERROR(hasher.Nested(*flat, chained));
  std::copy(chained.begin(), chained.end(), hashes.begin());
  return absl::OkStatus();
}

absl::Status HashColumn(const vector::Column& column, const HashOptions& options,
                        std::span<uint32_t> hashes) {
  static const HashKernel fastest =
      HasHashKernel(HashKernel::kAvx2) ? HashKernel::kAvx2 : HashKernel::kPortable;
  return HashColumnBy(fastest, column, options, hashes);
}

}  // namespace spillway::shuffle
