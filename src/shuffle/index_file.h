// SPDX-License-Identifier: Apache-2.0
#pragma once
// The index of a shuffle output: where each partition's bytes lie in the data file.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace spillway::shuffle {

// An index is partitions + 1 offsets of 64 bits and nothing else: the first is 0, the last the
// length of the data file, and partition p is bytes [offset p, offset p + 1).
enum class IndexOrder : uint8_t {
  kLittleEndian,  // what Comet's native writer hands to the JVM
  kBigEndian,     // what Spark commits and reads
};

std::string EncodeIndex(std::span<const int64_t> offsets, IndexOrder order);

// OK, or InvalidArgument: no offsets, the first is not 0, one descends, or the last is not
// `data_bytes`. The message gives the position and what was seen.
absl::Status CheckOffsets(std::span<const int64_t> offsets, int64_t data_bytes);

// The offsets of `index`, for which CheckOffsets() holds. InvalidArgument otherwise, or if its
// length is no multiple of 8; an index that is right in the other byte order is said to be that.
absl::StatusOr<std::vector<int64_t>> DecodeIndex(std::string_view index, IndexOrder order,
                                                 int64_t data_bytes);

}  // namespace spillway::shuffle
