// SPDX-License-Identifier: Apache-2.0
#pragma once
// The four bytes that begin Gluten's frames (FORMAT sections 3 and 4).

#include <cstdint>

namespace spillway::frame {

// As little-endian words: FE CA 53 02 and FE CA 53 03.
inline constexpr uint32_t kMagicV2 = 0x0253CAFE;
inline constexpr uint32_t kMagicV3 = 0x0353CAFE;

// The last of the four bytes is the version.
inline constexpr int kVersionShift = 24;
inline constexpr uint32_t kMagicMask = 0x00FFFFFF;

// A frame becomes a Java byte array.
inline constexpr int64_t kMaxFrameSize = INT32_MAX;

}  // namespace spillway::frame
