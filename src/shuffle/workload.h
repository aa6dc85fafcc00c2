// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows on which golden/comet has the speed of Comet's own writer, for benchmarks.

#include <cstdint>
#include <string_view>

#include "src/vector/batch.h"

namespace spillway::shuffle {

// Row i, with m = SplitMix64:
//
//   k BIGINT   m(4i)
//   a BIGINT   m(4i + 1) mod 10^6
//   d DOUBLE   m(4i + 2) / 2^11, rounded down, times 2^-53: below 1
//   s VARCHAR  8 to 16 of the letters a to h, out of m(4i + 3)
enum class Workload : uint8_t {
  kI64x2,  // k and a: 16 bytes a row
  kMix,    // all four: 40 on average
};

// "i64x2", "mix".
std::string_view WorkloadName(Workload workload);

// Rows [first, first + rows), without nulls, in buffers of their own.
vector::Batch WorkloadRows(Workload workload, int64_t first, int64_t rows);

}  // namespace spillway::shuffle
