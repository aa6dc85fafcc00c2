// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace spillway::base {

// Whether `bytes` is well-formed UTF-8: no stray, missing or overlong bytes, no surrogates, nothing
// above U+10FFFF (The Unicode Standard, table 3-7).
bool IsUtf8(std::string_view bytes);

}  // namespace spillway::base
