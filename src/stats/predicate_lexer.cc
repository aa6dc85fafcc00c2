// SPDX-License-Identifier: Apache-2.0
#include "src/stats/predicate_lexer.h"

#include <array>
#include <cctype>
#include <utility>

#include "src/base/status.h"

namespace spillway::stats {
namespace {

constexpr std::array<std::string_view, 14> kSymbols = {"<=>", "<=", ">=", "!=", "<>", "==", "=",
                                                       "<",   ">",  "(",  ")",  "[",  "]",  ","};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsWord(char c) { return IsWordStart(c) || IsDigit(c); }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> All() {
    while (true) {
      while (std::isspace(static_cast<unsigned char>(Peek())) != 0) ++at_;
      begin_ = at_;
      if (at_ == text_.size()) {
        Add(Token::Kind::kEnd, "");
        return std::move(tokens_);
      }
      SPILLWAY_RETURN_IF_ERROR(Next());
    }
  }

 private:
  // 0 behind the end, which nothing below takes for a part of a token.
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Add(Token::Kind kind, std::string value) {
    tokens_.push_back({kind, begin_, at_, std::move(value)});
  }

  absl::Status Error(size_t at, std::string_view what) const {
    return base::AtByte(base::Invalid(what), static_cast<int64_t>(at),
                        static_cast<int64_t>(text_.size()));
  }

  absl::Status Next() {
    const char c = Peek();
    if ((c == 'x' || c == 'X') && Peek(1) == '\'') return HexString();
    if (IsWordStart(c)) {
      while (IsWord(Peek())) ++at_;
      Add(Token::Kind::kWord, std::string(text_.substr(begin_, at_ - begin_)));
      return absl::OkStatus();
    }
    if (IsDigit(c) || (c == '-' && IsDigit(Peek(1)))) return Number();
    if (c == '\'') return String();
    if (c == '"') return QuotedName();
    if (c == '-' && IsWordStart(Peek(1))) {  // -Infinity
      ++at_;
      Add(Token::Kind::kSymbol, "-");
      return absl::OkStatus();
    }
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) == symbol) {
        at_ += symbol.size();
        Add(Token::Kind::kSymbol, std::string(symbol));
        return absl::OkStatus();
      }
    }
    const std::string_view shown = text_.substr(at_, 1);
    return Error(at_, std::isprint(static_cast<unsigned char>(c)) != 0
                          ? base::Cat("unexpected `", shown, "`")
                          : base::Cat("unexpected byte ", int{static_cast<unsigned char>(c)}));
  }

  absl::Status Number() {
    ++at_;
    while (IsDigit(Peek())) ++at_;
    if (Peek() == '.' && IsDigit(Peek(1))) {
      ++at_;
      while (IsDigit(Peek())) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      const size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign))) {
        at_ += 1 + sign;
        while (IsDigit(Peek())) ++at_;
      }
    }
    if (IsWord(Peek()) || Peek() == '.') {
      return Error(begin_, base::Cat("`", text_.substr(begin_, at_ + 1 - begin_),
                                     "` begins no number"));
    }
    Add(Token::Kind::kNumber, std::string(text_.substr(begin_, at_ - begin_)));
    return absl::OkStatus();
  }

  absl::Status String() {
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (Peek() == '\'') {
        ++at_;
        if (Peek() != '\'') {
          Add(Token::Kind::kString, std::move(value));
          return absl::OkStatus();
        }
        value += '\'';
      } else if (Peek() == '\\') {
        SPILLWAY_RETURN_IF_ERROR(Escape(value));
      } else {
        value += Peek();
      }
    }
    return Error(begin_, "a string without its closing '");
  }

  // Leaves `at_` on the last byte of the escape.
  absl::Status Escape(std::string& value) {
    const size_t start = at_++;
    switch (Peek()) {
      case 'n':
        value += '\n';
        return absl::OkStatus();
      case 't':
        value += '\t';
        return absl::OkStatus();
      case 'r':
        value += '\r';
        return absl::OkStatus();
      case '\\':
      case '\'':
        value += Peek();
        return absl::OkStatus();
      // LIKE's own: the pattern keeps the backslash.
      case '%':
      case '_':
        value += '\\';
        value += Peek();
        return absl::OkStatus();
      case 'x': {
        const int high = HexDigit(Peek(1));
        const int low = HexDigit(Peek(2));
        if (high < 0 || low < 0) return Error(start, "\\x needs two hexadecimal digits");
        value += static_cast<char>(high * 16 + low);
        at_ += 2;
        return absl::OkStatus();
      }
      default:
        return Error(start, "unknown escape: there are \\\\ \\' \\n \\r \\t \\xHH \\% \\_");
    }
  }

  absl::Status HexString() {
    std::string value;
    for (at_ += 2; Peek() != '\''; at_ += 2) {
      if (at_ >= text_.size()) return Error(begin_, "a string without its closing '");
      const int high = HexDigit(Peek());
      const int low = HexDigit(Peek(1));
      if (high < 0 || low < 0) return Error(at_, "expected two hexadecimal digits");
      value += static_cast<char>(high * 16 + low);
    }
    ++at_;
    Add(Token::Kind::kString, std::move(value));
    return absl::OkStatus();
  }

  absl::Status QuotedName() {
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (Peek() == '"') {
        ++at_;
        if (Peek() != '"') {
          Add(Token::Kind::kQuotedName, std::move(value));
          return absl::OkStatus();
        }
      }
      value += Peek();
    }
    return Error(begin_, "a name without its closing \"");
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t begin_ = 0;  // of the token that is being read
  std::vector<Token> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text) { return Lexer(text).All(); }

}  // namespace spillway::stats
