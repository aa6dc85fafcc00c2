// SPDX-License-Identifier: Apache-2.0
#pragma once
// SQL's LIKE: `%` any characters, `_` one, `\` before `%`, `_` or `\` that character itself.

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace spillway::stats {

// InvalidArgument: a `\` before something else, or at the end (Spark fails on these, too).
absl::Status CheckLikePattern(std::string_view pattern);

// Whether the whole of `text` is like `pattern`, which CheckLikePattern() took. A character is one
// of UTF-8, or a sequence that is none, as base::NextCharacter() takes it.
bool IsLike(std::string_view text, std::string_view pattern);

// Bytes that every text like `pattern` begins with. Spark compares texts after it has replaced what
// is no UTF-8 by U+FFFD, so the prefix ends before either in the pattern.
std::string LikePrefix(std::string_view pattern);

}  // namespace spillway::stats
