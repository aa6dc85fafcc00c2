// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page checksum (FORMAT section 1): CRC-32/ISO-HDLC over the stored payload,
// the marker byte, the row count and the uncompressed size.

#include <cstdint>
#include <string_view>

namespace spillway::page {

// Takes the payload in parts, so that each can be summed while it is still in the cache.
class PageChecksummer {
 public:
  void Add(std::string_view part);
  uint32_t Finish(uint8_t marker, int32_t rows, int32_t uncompressed_size) const;

 private:
  uint32_t crc_ = 0;
};

// The same at once. `payload` is every byte after the header, compressed if the page is.
// `uncompressed_size` is the header's, whether the page is compressed or not (velox#8851 took the
// compressed one).
uint32_t PageChecksum(std::string_view payload, uint8_t marker, int32_t rows,
                      int32_t uncompressed_size);

}  // namespace spillway::page
