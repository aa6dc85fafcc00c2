// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows that the real writer was given; README.md has the formulas.

#include <cstdint>
#include <vector>

#include "src/vector/batch.h"

namespace spillway::golden {

inline constexpr int32_t kCometPartitions = 5;
inline constexpr int64_t kCometBatches = 3;
inline constexpr int64_t kCometBatchRows = 1000;

// ROW<c0:INTEGER,c1:BIGINT,c2:VARCHAR,c3:DOUBLE,c4:BOOLEAN,c5:DECIMAL(10, 2)>. Buffers claim the
// capacities that arrow-rs gave its own, which is what the account charges.
std::vector<vector::Batch> CometInput();

}  // namespace spillway::golden
