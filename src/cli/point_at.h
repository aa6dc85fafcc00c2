// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace spillway::cli {

// A complaint of vector::Type::Parse about `text`, which says "at position N", with the text and a
// mark under that position:
//
//   expected a type at position 6
//     ROW<a:INTGER>
//           ^
//
// Of a long text, a part around the position. A complaint without a position stays as it is.
std::string PointAt(std::string_view text, std::string_view complaint);

// The same for an error about `text` that knows its byte (base::ByteOffset):
//
//   unknown column `x`, byte 4 of 9
//     not (x = 1)
//          ^
std::string PointAt(std::string_view text, const absl::Status& error);

}  // namespace spillway::cli
