// SPDX-License-Identifier: Apache-2.0
#include "src/stats/token_cursor.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "src/base/status.h"

namespace spillway::stats {

std::string LowerWord(std::string_view word) { return absl::AsciiStrToLower(base::ToAbsl(word)); }

std::string UpperWord(std::string_view word) { return absl::AsciiStrToUpper(base::ToAbsl(word)); }

const Token& TokenCursor::At(size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token& TokenCursor::Take() {
  const Token& token = At();
  if (token.kind != Token::Kind::kEnd) ++next_;
  return token;
}

bool TokenCursor::IsWord(std::string_view word, size_t ahead) const {
  return At(ahead).kind == Token::Kind::kWord && LowerWord(At(ahead).value) == word;
}

bool TokenCursor::IsSymbol(std::string_view symbol, size_t ahead) const {
  return At(ahead).kind == Token::Kind::kSymbol && At(ahead).value == symbol;
}

bool TokenCursor::TryWord(std::string_view word) {
  if (!IsWord(word)) return false;
  Take();
  return true;
}

bool TokenCursor::TrySymbol(std::string_view symbol) {
  if (!IsSymbol(symbol)) return false;
  Take();
  return true;
}

absl::Status TokenCursor::ExpectSymbol(std::string_view symbol) {
  return TrySymbol(symbol) ? absl::OkStatus() : Expected(base::Cat("`", symbol, "`"));
}

absl::Status TokenCursor::ErrorAt(size_t at, absl::Status status) const {
  return base::AtByte(std::move(status), static_cast<int64_t>(at),
                      static_cast<int64_t>(text_.size()));
}

absl::Status TokenCursor::Expected(std::string_view what) const {
  const Token& token = At();
  const std::string_view seen = text_.substr(token.begin, token.end - token.begin);
  return ErrorAt(token.begin,
                 base::Invalid("expected ", what, ", found ",
                               token.kind == Token::Kind::kEnd
                                   ? std::string("the end")
                                   : base::Cat("`", seen.substr(0, 64), "`")));
}

}  // namespace spillway::stats
