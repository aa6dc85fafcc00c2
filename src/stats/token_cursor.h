// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a parser stands among the tokens of a predicate's text. A part of predicate_text.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/stats/predicate_lexer.h"

namespace spillway::stats {

// ASCII letters in lower (upper) case.
std::string LowerWord(std::string_view word);
std::string UpperWord(std::string_view word);

class TokenCursor {
 public:
  // `tokens` are those of `text` and end with kEnd.
  TokenCursor(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

 protected:
  std::string_view text() const { return text_; }
  // The next token, or one behind it; kEnd behind the last.
  const Token& At(size_t ahead = 0) const;
  // Passes the next token.
  const Token& Take();

  bool IsWord(std::string_view word, size_t ahead = 0) const;  // in any case
  bool IsSymbol(std::string_view symbol, size_t ahead = 0) const;
  bool TryWord(std::string_view word);
  bool TrySymbol(std::string_view symbol);
  absl::Status ExpectSymbol(std::string_view symbol);

  // `status` at byte `at` of the text.
  absl::Status ErrorAt(size_t at, absl::Status status) const;
  // "expected `what`, found ..." at the next token.
  absl::Status Expected(std::string_view what) const;

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
};

}  // namespace spillway::stats
