// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/index_file.h"

#include "src/base/little_endian.h"
#include "src/base/status.h"

namespace spillway::shuffle {
namespace {

constexpr size_t kWidth = sizeof(int64_t);

uint64_t InOrder(uint64_t value, IndexOrder order) {
  return order == IndexOrder::kBigEndian ? __builtin_bswap64(value) : value;
}

std::vector<int64_t> Offsets(std::string_view index, IndexOrder order) {
  std::vector<int64_t> offsets(index.size() / kWidth);
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] =
        static_cast<int64_t>(InOrder(base::Load<uint64_t>(index.data() + i * kWidth), order));
  }
  return offsets;
}

}  // namespace

std::string EncodeIndex(std::span<const int64_t> offsets, IndexOrder order) {
  std::string out(offsets.size() * kWidth, '\0');
  for (size_t i = 0; i < offsets.size(); ++i) {
    base::Store(out.data() + i * kWidth, InOrder(static_cast<uint64_t>(offsets[i]), order));
  }
  return out;
}

absl::Status CheckOffsets(std::span<const int64_t> offsets, int64_t data_bytes) {
  if (offsets.empty()) return base::Invalid("shuffle index: no offsets");
  if (offsets.front() != 0) {
    return base::Invalid("shuffle index: the first offset is ", offsets.front(), ", not 0");
  }
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      return base::Invalid("shuffle index: partition ", i - 1, " ends at ", offsets[i],
                           ", before its start ", offsets[i - 1]);
    }
  }
  if (offsets.back() != data_bytes) {
    return base::Invalid("shuffle index: the last offset is ", offsets.back(),
                         ", the data file has ", data_bytes, " bytes");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> DecodeIndex(std::string_view index, IndexOrder order,
                                                 int64_t data_bytes) {
  if (index.size() % kWidth != 0) {
    return base::Invalid("shuffle index: ", index.size(), " bytes, no multiple of 8");
  }
  std::vector<int64_t> offsets = Offsets(index, order);
  absl::Status status = CheckOffsets(offsets, data_bytes);
  if (status.ok()) return offsets;
  const bool big = order == IndexOrder::kBigEndian;
  const IndexOrder other = big ? IndexOrder::kLittleEndian : IndexOrder::kBigEndian;
  if (CheckOffsets(Offsets(index, other), data_bytes).ok()) {
    return base::Invalid("shuffle index: in ", big ? "little" : "big", "-endian order, ",
                         big ? "big" : "little", "-endian is expected");
  }
  return status;
}

}  // namespace spillway::shuffle
