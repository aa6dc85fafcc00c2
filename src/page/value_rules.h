// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which bit patterns of a fixed-width type are values of it (FORMAT section 2).

#include <cstdint>
#include <string>

#include "src/vector/type.h"
#include "src/vector/validity.h"

namespace spillway::page {

inline constexpr uint64_t kNanosPerSecond = 1'000'000'000;

// The first row that is not null and whose value the type does not allow; `rows` if there is none.
// Values are in the form of vector::FlatColumn, and anything may stand under nulls.
//
//   DECIMAL(p, s)   magnitude over 10^p - 1
//   TIMESTAMP       nanos of 10^9 or more
int64_t FirstForbidden(const vector::Type& type, const uint8_t* values,
                       const vector::Validity& validity, int64_t rows);

// What is wrong with the value at `index`, for an error message: "magnitude over 999: 1000".
std::string ExplainForbidden(const vector::Type& type, const uint8_t* values, int64_t index);

}  // namespace spillway::page
