// SPDX-License-Identifier: Apache-2.0
#pragma once
// 64 bits for each row of a batch, by what it says and not by how it holds it: whether a shuffle
// lost, doubled or changed a row, without keeping the rows.

#include <cstdint>
#include <span>
#include <vector>

#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::shuffle {

// Rows with equal values have equal digests, whatever their encodings; others differ but for one
// case in 2^64 or so. Not meant against an adversary. As vector::FirstDifference() compares, but
//
//   TIMESTAMP  to the microsecond, rounded down: a shuffle writes no more of it
//
// `batch` holds nothing lazy.
std::vector<uint64_t> RowDigests(const vector::Batch& batch);

// The rows of a partition so far, in their order.
class PartitionDigest {
 public:
  void Add(uint64_t row) {
    digest_ = digest_ * 0x9e3779b97f4a7c15 + row;  // odd: no earlier row is lost
    ++rows_;
  }

  int64_t rows() const { return rows_; }
  bool operator==(const PartitionDigest&) const = default;

 private:
  uint64_t digest_ = 0;
  int64_t rows_ = 0;
};

}  // namespace spillway::shuffle
