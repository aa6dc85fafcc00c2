// SPDX-License-Identifier: Apache-2.0
// Every kernel against the plain loop that defines it, bit by bit.
#include "src/stats/value_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/little_endian.h"
#include "src/base/random.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::Validity;

template <typename T>
bool IsNan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

// The definition.
template <typename T>
FoundRange<T> Plain(const uint8_t* values, const RowSet& rows) {
  FoundRange<T> found;
  for (int64_t row = 0; row < rows.rows; ++row) {
    if (rows.validity.IsNull(row)) continue;
    if (rows.shown != nullptr && rows.shown->IsNull(row)) continue;
    const T value = base::Load<T>(values + row * static_cast<int64_t>(sizeof(T)));
    if (IsNan(value)) {
      found.nan = true;
    } else if (!found.range.has_value()) {
      found.range = {value, value};
    } else {
      if (value < found.range->low) found.range->low = value;
      if (found.range->high < value) found.range->high = value;
    }
  }
  return found;
}

template <typename T>
bool SameBits(const FoundRange<T>& a, const FoundRange<T>& b) {
  if (a.nan != b.nan || a.range.has_value() != b.range.has_value()) return false;
  return !a.range.has_value() || std::memcmp(&*a.range, &*b.range, sizeof(*a.range)) == 0;
}

// What a column is made of: any bits; a few values that are equal, special or at the ends of the
// type; zeros of both signs.
enum class Mix { kAny, kFew, kZeros };

template <typename T>
T Draw(base::Random& random, Mix mix) {
  T value;
  uint64_t bits[2] = {random.Next(), random.Next()};
  if (mix != Mix::kAny) {
    if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      const std::array<T, 8> specials = {T{0},
                                         -T{0},
                                         T{1},
                                         -Limits::denorm_min(),
                                         Limits::infinity(),
                                         -Limits::infinity(),
                                         Limits::quiet_NaN(),
                                         -Limits::quiet_NaN()};
      return specials[bits[0] % (mix == Mix::kZeros ? 2 : specials.size())];
    }
    // Halves that are equal, or differ in the sign or the lowest bit only.
    for (uint64_t& half : bits) half = uint64_t{0x8000000000000001} * (half % 4);
  }
  std::memcpy(&value, bits, sizeof(T));
  return value;
}

Validity Nulls(base::Random& random, int64_t rows) {
  const uint64_t percent = std::array<uint64_t, 5>{0, 2, 10, 90, 100}[random.Below(5)];
  const bool runs = random.Below(2) == 0;
  const auto offset = static_cast<int64_t>(random.Below(20));  // where the bits begin
  bool null = false;
  const Validity whole = vector::BuildValidity(offset + rows, [&](int64_t row) {
    if (!runs || row % 70 == 0) null = random.Below(100) < percent;
    return null;
  });
  return whole.Slice(offset, rows);
}

template <typename T>
class ValueRangeTest : public ::testing::Test {};

using Types = ::testing::Types<uint8_t, int8_t, int16_t, int32_t, int64_t, __int128, Instant,
                               float, double>;
TYPED_TEST_SUITE(ValueRangeTest, Types);

TYPED_TEST(ValueRangeTest, EveryKernelAgreesWithThePlainLoop) {
  using T = TypeParam;
  const bool ok = rc::check([] {
    // Around the widths of vectors, words of 64 rows and chunks of 2,048.
    const int64_t near = *rc::gen::element<int64_t>(0, 32, 64, 128, 512, 2048, 4096);
    const int64_t rows = std::max<int64_t>(0, near + *rc::gen::inRange<int64_t>(-33, 34));
    const int64_t misaligned = *rc::gen::inRange<int64_t>(0, 17);
    const Mix mix = *rc::gen::element(Mix::kAny, Mix::kFew, Mix::kZeros);
    const bool wrapped = *rc::gen::arbitrary<bool>();
    base::Random random(*rc::gen::arbitrary<uint64_t>());
    // Exactly as large as the values, so that AddressSanitizer sees a read past them.
    std::vector<uint8_t> bytes(misaligned + rows * static_cast<int64_t>(sizeof(T)));
    uint8_t* const values = bytes.data() + misaligned;
    for (int64_t row = 0; row < rows; ++row) {
      base::Store(values + row * static_cast<int64_t>(sizeof(T)), Draw<T>(random, mix));
    }
    const Validity validity = Nulls(random, rows);
    const Validity shown = Nulls(random, rows);
    const RowSet set{validity, rows, wrapped ? &shown : nullptr};
    const FoundRange<T> expected = Plain<T>(values, set);
    for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
      if (!HasRangeKernel(kernel)) continue;
      RC_ASSERT(SameBits(FindRangeBy<T>(kernel, values, set), expected));
    }
  });
  EXPECT_TRUE(ok);
}

template <typename T>
FoundRange<T> RangeOf(RangeKernel kernel, const std::vector<T>& values) {
  return FindRangeBy<T>(kernel, reinterpret_cast<const uint8_t*>(values.data()),
                        {Validity(), static_cast<int64_t>(values.size())});
}

// BUGS 10.86. Lanes meet their first zeros in another order than rows do.
TEST(FloatRangeTest, OfZerosOfEitherSignTheFirstStaysWhereverTheyStand) {
  for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
    if (!HasRangeKernel(kernel)) continue;
    for (size_t first = 0; first < 64; ++first) {
      for (size_t second = first + 1; second < 64; ++second) {
        std::vector<double> values(64, 1.0);
        values[first] = -0.0;
        values[second] = 0.0;
        ASSERT_TRUE(std::signbit(RangeOf(kernel, values).range->low)) << first << " " << second;
        for (double& value : values) value = -value;
        ASSERT_FALSE(std::signbit(RangeOf(kernel, values).range->high)) << first << " " << second;
      }
    }
  }
}

TEST(FloatRangeTest, NanIsToldButNeverABound) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
    if (!HasRangeKernel(kernel)) continue;
    std::vector<float> values(200, kNan);
    EXPECT_TRUE(RangeOf(kernel, values).nan);
    EXPECT_FALSE(RangeOf(kernel, values).range.has_value());
    values[150] = -7;
    values[160] = 3;
    EXPECT_TRUE(RangeOf(kernel, values).nan);
    EXPECT_EQ(RangeOf(kernel, values).range->low, -7);
    EXPECT_EQ(RangeOf(kernel, values).range->high, 3);
    EXPECT_FALSE(RangeOf<float>(kernel, {1, 2}).nan);
  }
}

}  // namespace
}  // namespace spillway::stats
