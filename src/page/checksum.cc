// SPDX-License-Identifier: Apache-2.0
#include "src/page/checksum.h"

#include <libdeflate.h>

#include "src/base/little_endian.h"

namespace spillway::page {

void PageChecksummer::Add(std::string_view part) {
  crc_ = libdeflate_crc32(crc_, part.data(), part.size());
}

uint32_t PageChecksummer::Finish(uint8_t marker, int32_t rows, int32_t uncompressed_size) const {
  uint8_t trailer[9];
  trailer[0] = marker;
  base::Store(trailer + 1, rows);
  base::Store(trailer + 5, uncompressed_size);
  return libdeflate_crc32(crc_, trailer, sizeof(trailer));
}

uint32_t PageChecksum(std::string_view payload, uint8_t marker, int32_t rows,
                      int32_t uncompressed_size) {
  PageChecksummer sum;
  sum.Add(payload);
  return sum.Finish(marker, rows, uncompressed_size);
}

}  // namespace spillway::page
