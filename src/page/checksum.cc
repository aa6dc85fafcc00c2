// SPDX-License-Identifier: Apache-2.0
#include "src/page/checksum.h"

#include <libdeflate.h>

#include "src/base/little_endian.h"

namespace spillway::page {

uint32_t PageChecksum(std::string_view payload, uint8_t marker, int32_t rows,
                      int32_t uncompressed_size) {
  uint8_t trailer[9];
  trailer[0] = marker;
  base::Store(trailer + 1, rows);
  base::Store(trailer + 5, uncompressed_size);
  const uint32_t crc = libdeflate_crc32(0, payload.data(), payload.size());
  return libdeflate_crc32(crc, trailer, sizeof(trailer));
}

}  // namespace spillway::page
