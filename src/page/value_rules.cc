// SPDX-License-Identifier: Apache-2.0
#include "src/page/value_rules.h"

#include <algorithm>
#include <sstream>

#include "absl/numeric/int128.h"
#include "src/base/little_endian.h"
#include "src/base/strings.h"

namespace spillway::page {
namespace {

using vector::Kind;

// Values a check looks at before it asks whether one failed; keeps the inner loop free of branches.
constexpr int64_t kStride = 256;

// The first row that is neither null nor `allowed`, or `rows`. Anything may stand under nulls, so a
// stride with a fault is looked through once and left behind if all its faults are null.
template <typename Allowed>
int64_t FirstNot(const vector::Validity& validity, int64_t rows, Allowed allowed) {
  for (int64_t start = 0; start < rows; start += kStride) {
    const int64_t end = std::min(rows, start + kStride);
    bool all = true;
    for (int64_t i = start; i < end; ++i) all &= allowed(i);
    if (all) continue;
    for (int64_t i = start; i < end; ++i) {
      if (!allowed(i) && !validity.IsNull(i)) return i;
    }
  }
  return rows;
}

__int128 PowerOfTen(int exponent) {
  __int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::string Int128ToString(__int128 value) {
  std::ostringstream out;
  out << absl::int128(value);
  return out.str();
}

}  // namespace

int64_t FirstForbidden(const vector::Type& type, const uint8_t* values,
                       const vector::Validity& validity, int64_t rows) {
  switch (type.kind()) {
    case Kind::kShortDecimal: {
      const auto limit = static_cast<uint64_t>(PowerOfTen(type.precision()));
      // |v| < limit as one unsigned comparison: v + limit - 1 lies in [0, 2 x limit - 2].
      return FirstNot(validity, rows, [&](int64_t i) {
        return base::Load<uint64_t>(values + i * 8) + (limit - 1) <= 2 * (limit - 1);
      });
    }
    case Kind::kLongDecimal: {
      const __int128 limit = PowerOfTen(type.precision());
      return FirstNot(validity, rows, [&](int64_t i) {
        const auto value = base::Load<__int128>(values + i * 16);
        return value < limit && value > -limit;
      });
    }
    case Kind::kTimestamp:
      return FirstNot(validity, rows, [&](int64_t i) {
        return base::Load<uint64_t>(values + i * 16 + 8) < kNanosPerSecond;
      });
    default:
      return rows;
  }
}

std::string ExplainForbidden(const vector::Type& type, const uint8_t* values, int64_t index) {
  switch (type.kind()) {
    case Kind::kShortDecimal:
      return base::Cat("magnitude over ", Int128ToString(PowerOfTen(type.precision()) - 1), ": ",
                       base::Load<int64_t>(values + index * 8));
    case Kind::kLongDecimal:
      return base::Cat("magnitude over ", Int128ToString(PowerOfTen(type.precision()) - 1), ": ",
                       Int128ToString(base::Load<__int128>(values + index * 16)));
    case Kind::kTimestamp:
      return base::Cat("nanos over 999999999: ", base::Load<uint64_t>(values + index * 16 + 8));
    default:
      return "";
  }
}

}  // namespace spillway::page
