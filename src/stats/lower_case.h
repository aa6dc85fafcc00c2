// SPDX-License-Identifier: Apache-2.0
#pragma once
// What Spark's collation UTF8_LCASE compares the bytes of.

#include <string>
#include <string_view>

namespace spillway::stats {

// `text` with every character in lower case, one by one and in no language, as Spark's
// lowerCaseCodePoints has it: U+0130 becomes two characters, a final sigma an ordinary one, and
// what is no UTF-8 U+FFFD.
std::string LowerCase(std::string_view text);

}  // namespace spillway::stats
