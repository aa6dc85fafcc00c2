// SPDX-License-Identifier: Apache-2.0
#include "src/base/crc32c.h"

#include <array>
#include <cstddef>

#include "src/base/little_endian.h"

namespace spillway::base {
namespace {

constexpr uint32_t kReversedPolynomial = 0x82f63b78;
constexpr size_t kStride = 8;

// tables[k][b]: what byte b adds to the sum when k bytes follow it in its stride.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, kStride> tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < kStride; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}();

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (; bytes.size() >= kStride; bytes.remove_prefix(kStride)) {
    const uint64_t word = Load<uint64_t>(bytes.data()) ^ crc;
    crc = 0;
    for (size_t i = 0; i < kStride; ++i) {
      crc ^= kTables[kStride - 1 - i][(word >> (8 * i)) & 0xff];
    }
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace spillway::base
