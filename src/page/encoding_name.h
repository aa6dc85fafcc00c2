// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names that begin column blocks, and which type has which (FORMAT section 1).

#include <array>
#include <string_view>

#include "src/vector/type.h"

namespace spillway::page {

inline constexpr std::string_view kByteArray = "BYTE_ARRAY";
inline constexpr std::string_view kShortArray = "SHORT_ARRAY";
inline constexpr std::string_view kIntArray = "INT_ARRAY";
inline constexpr std::string_view kLongArray = "LONG_ARRAY";
inline constexpr std::string_view kInt128Array = "INT128_ARRAY";
inline constexpr std::string_view kVariableWidth = "VARIABLE_WIDTH";
inline constexpr std::string_view kArray = "ARRAY";
inline constexpr std::string_view kMap = "MAP";
inline constexpr std::string_view kRow = "ROW";
inline constexpr std::string_view kDictionary = "DICTIONARY";
inline constexpr std::string_view kRle = "RLE";

inline constexpr std::array<std::string_view, 11> kEncodingNames = {
    kByteArray, kShortArray, kIntArray, kLongArray,  kInt128Array, kVariableWidth,
    kArray,     kMap,        kRow,      kDictionary, kRle};

// The name of a block that holds `kind` without a wrapper (DICTIONARY, RLE).
constexpr std::string_view EncodingName(vector::Kind kind) {
  using vector::Kind;
  switch (kind) {
    case Kind::kBoolean:
    case Kind::kTinyint:
    case Kind::kUnknown:
      return kByteArray;
    case Kind::kSmallint:
      return kShortArray;
    case Kind::kInteger:
    case Kind::kReal:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return kIntArray;
    case Kind::kBigint:
    case Kind::kDouble:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
    case Kind::kTimestamp:
      return kLongArray;
    case Kind::kHugeint:
    case Kind::kLongDecimal:
      return kInt128Array;
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return kVariableWidth;
    case Kind::kArray:
      return kArray;
    case Kind::kMap:
      return kMap;
    case Kind::kRow:
      return kRow;
  }
  return {};
}

}  // namespace spillway::page
