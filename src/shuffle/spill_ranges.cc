// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/spill_ranges.h"

#include <limits>

namespace spillway::shuffle {

void SpillRanges::Append(int32_t partition, int64_t bytes) {
  if (partition != partition_) Flush();
  partition_ = partition;
  bytes_ += bytes;
}

void SpillRanges::Seal() {
  Flush();
  encoded_.shrink_to_fit();
}

void SpillRanges::Flush() {
  if (bytes_ == 0) return;
  Put(static_cast<uint64_t>(partition_ - encoded_partition_ - 1));
  Put(static_cast<uint64_t>(bytes_));
  encoded_partition_ = partition_;
  bytes_ = 0;
}

void SpillRanges::Put(uint64_t number) {
  for (; number >= 0x80; number >>= 7) encoded_.push_back(static_cast<char>(number | 0x80));
  encoded_.push_back(static_cast<char>(number));
}

SpillRanges::Cursor::Cursor(const SpillRanges& ranges, int64_t offset)
    : encoded_(&ranges.encoded_), offset_(offset) {
  Next();
}

void SpillRanges::Cursor::Next() {
  offset_ += bytes_;
  bytes_ = 0;
  if (at_ == encoded_->size()) {
    partition_ = std::numeric_limits<int32_t>::max();
    return;
  }
  partition_ += static_cast<int32_t>(Number()) + 1;
  bytes_ = static_cast<int64_t>(Number());
}

uint64_t SpillRanges::Cursor::Number() {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>((*encoded_)[at_++]);
    number |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
}

}  // namespace spillway::shuffle
