// SPDX-License-Identifier: Apache-2.0
#pragma once
// "did you mean ...?": the known word that is nearest to a mistyped one.

#include <string>
#include <string_view>
#include <vector>

namespace spillway::base {

// Damerau-Levenshtein distance in bytes, in the variant (optimal string alignment) that edits no
// part of a word twice: insertions, deletions, substitutions and swaps of neighbours, 1 each.
int EditDistance(std::string_view a, std::string_view b);

// The word of `known` at the smallest distance from `word`, the first of several. Empty if the
// smallest is more than a third of `word`'s length (rounded up) or `word` has more than 64 bytes:
// a far-fetched suggestion is worse than none. The launcher `spillway` follows the same rule.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace spillway::base
