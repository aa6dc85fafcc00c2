// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes as text that people read, compare and comment: hexadecimal digits, white space anywhere,
// comments from `#` to the end of the line.

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace spillway::base {

// The bytes that `text` spells; InvalidArgument with line and column of what is no digit, or of a
// digit that has no second one.
absl::StatusOr<std::string> FromHexText(std::string_view text);

// `bytes`, 32 a line.
std::string ToHexText(std::string_view bytes);

// Whether `bytes` are text at all: no control characters but tabs and line ends, and no byte over
// 127 outside comments; at least one byte. Pages, frames and column blocks never are: each has a
// marker, a magic or a length that is no text.
bool IsText(std::string_view bytes);

}  // namespace spillway::base
