// SPDX-License-Identifier: Apache-2.0
#pragma once
// CRC-32C (Castagnoli, RFC 3720), the checksum of Snappy's framing format.

#include <cstdint>
#include <string_view>

namespace spillway::base {

uint32_t Crc32c(std::string_view bytes);

}  // namespace spillway::base
