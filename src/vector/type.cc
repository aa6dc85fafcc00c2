// SPDX-License-Identifier: Apache-2.0
#include "src/vector/type.h"

#include <array>
#include <cctype>
#include <utility>

#include "absl/strings/numbers.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/base/utf8.h"

namespace spillway::vector {
namespace {

struct ScalarName {
  Kind kind;
  std::string_view name;
  int width;
};

// In the order of Kind.
constexpr std::array<ScalarName, 20> kKinds = {{
    {Kind::kBoolean, "BOOLEAN", 1},
    {Kind::kTinyint, "TINYINT", 1},
    {Kind::kSmallint, "SMALLINT", 2},
    {Kind::kInteger, "INTEGER", 4},
    {Kind::kBigint, "BIGINT", 8},
    {Kind::kHugeint, "HUGEINT", 16},
    {Kind::kReal, "REAL", 4},
    {Kind::kDouble, "DOUBLE", 8},
    {Kind::kShortDecimal, "DECIMAL", 8},
    {Kind::kLongDecimal, "DECIMAL", 16},
    {Kind::kDate, "DATE", 4},
    {Kind::kIntervalYearMonth, "INTERVAL YEAR TO MONTH", 4},
    {Kind::kIntervalDayTime, "INTERVAL DAY TO SECOND", 8},
    {Kind::kTimestamp, "TIMESTAMP", 16},
    {Kind::kVarchar, "VARCHAR", 0},
    {Kind::kVarbinary, "VARBINARY", 0},
    {Kind::kUnknown, "UNKNOWN", 0},
    {Kind::kArray, "ARRAY", 0},
    {Kind::kMap, "MAP", 0},
    {Kind::kRow, "ROW", 0},
}};

constexpr int kMaxPrecision = 38;
constexpr int kMaxShortPrecision = 18;
// Deep enough for any schema; keeps a hostile type text from exhausting the stack.
constexpr int kMaxTextDepth = 256;

const ScalarName& Describe(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

bool IsPlainName(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

std::string QuoteName(std::string_view name) {
  if (IsPlainName(name)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<TypePtr> Whole() {
    SPILLWAY_ASSIGN_OR_RETURN(TypePtr type, One(0));
    SkipSpace();
    if (at_ != text_.size()) return Error("unexpected text after the type");
    return type;
  }

 private:
  absl::StatusOr<TypePtr> One(int depth) {
    if (depth > kMaxTextDepth) return Error(base::Cat("nested deeper than ", kMaxTextDepth));
    SkipSpace();
    const size_t start = at_;
    const std::string_view word = Word();
    if (word == "ARRAY") {
      SPILLWAY_RETURN_IF_ERROR(Expect('<'));
      SPILLWAY_ASSIGN_OR_RETURN(TypePtr element, One(depth + 1));
      SPILLWAY_RETURN_IF_ERROR(Expect('>'));
      return Type::Array(std::move(element));
    }
    if (word == "MAP") {
      SPILLWAY_RETURN_IF_ERROR(Expect('<'));
      SPILLWAY_ASSIGN_OR_RETURN(TypePtr key, One(depth + 1));
      SPILLWAY_RETURN_IF_ERROR(Expect(','));
      SPILLWAY_ASSIGN_OR_RETURN(TypePtr value, One(depth + 1));
      SPILLWAY_RETURN_IF_ERROR(Expect('>'));
      return Type::Map(std::move(key), std::move(value));
    }
    if (word == "ROW") return RowFields(depth);
    if (word == "DECIMAL") return DecimalArguments();
    if (word == "INTERVAL") return Interval(start);
    if (word == "VARCHAR" && TryWord("COLLATE")) {
      SkipSpace();
      const std::string_view collation = Word();
      if (collation.empty()) return Error("expected a collation");
      return Type::Collated(std::string(collation));
    }
    for (const ScalarName& scalar : kKinds) {
      if (scalar.name == word) return Type::Scalar(scalar.kind);
    }
    at_ = start;
    return Error(word.empty() ? std::string("expected a type")
                              : base::Cat("unknown type `", word, "`"));
  }

  absl::StatusOr<TypePtr> RowFields(int depth) {
    SPILLWAY_RETURN_IF_ERROR(Expect('<'));
    std::vector<std::string> names;
    std::vector<TypePtr> fields;
    if (!Try('>')) {
      do {
        SPILLWAY_ASSIGN_OR_RETURN(std::string name, FieldName());
        names.push_back(std::move(name));
        SPILLWAY_RETURN_IF_ERROR(Expect(':'));
        SPILLWAY_ASSIGN_OR_RETURN(TypePtr field, One(depth + 1));
        fields.push_back(std::move(field));
      } while (Try(','));
      SPILLWAY_RETURN_IF_ERROR(Expect('>'));
    }
    return Type::Row(std::move(names), std::move(fields));
  }

  absl::StatusOr<std::string> FieldName() {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == '"') {
      const size_t start = at_;
      std::string name;
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") {
          ++at_;
          if (base::IsUtf8(name)) return name;
          at_ = start;
          return Error("the field name is not UTF-8");
        }
        if (text_[at_] == '"') ++at_;
        name += text_[at_];
      }
      return Error("the quoted field name does not end");
    }
    const std::string_view name = Word();
    if (name.empty()) return Error("expected a field name");
    return std::string(name);
  }

  absl::StatusOr<TypePtr> DecimalArguments() {
    SPILLWAY_RETURN_IF_ERROR(Expect('('));
    SPILLWAY_ASSIGN_OR_RETURN(const int precision, Number());
    SPILLWAY_RETURN_IF_ERROR(Expect(','));
    SPILLWAY_ASSIGN_OR_RETURN(const int scale, Number());
    const absl::StatusOr<TypePtr> type = Type::Decimal(precision, scale);
    if (!type.ok()) return Error(base::ToStd(type.status().message()));
    SPILLWAY_RETURN_IF_ERROR(Expect(')'));
    return type;
  }

  absl::StatusOr<TypePtr> Interval(size_t start) {
    for (const Kind kind : {Kind::kIntervalYearMonth, Kind::kIntervalDayTime}) {
      const std::string_view name = Describe(kind).name;
      if (text_.substr(start, name.size()) == name) {
        at_ = start + name.size();
        return Type::Scalar(kind);
      }
    }
    return Error("expected INTERVAL YEAR TO MONTH or INTERVAL DAY TO SECOND");
  }

  absl::StatusOr<int> Number() {
    SkipSpace();
    const std::string_view digits = Word();
    int value = 0;
    if (!absl::SimpleAtoi(base::ToAbsl(digits), &value)) return Error("expected a number");
    return value;
  }

  std::string_view Word() {
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  bool TryWord(std::string_view word) {
    const size_t start = at_;
    SkipSpace();
    if (Word() == word) return true;
    at_ = start;
    return false;
  }

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool Try(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  absl::Status Expect(char c) {
    if (Try(c)) return absl::OkStatus();
    return Error(base::Cat("expected '", std::string_view(&c, 1), "'"));
  }

  absl::Status Error(std::string_view what) const {
    return base::Invalid("type `", text_.substr(0, 200), "`: ", what, " at position ", at_);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const TypePtr& Type::Scalar(Kind kind) {
  static const auto& instances = *[] {
    auto* all = new std::array<TypePtr, kKinds.size()>;
    for (const ScalarName& scalar : kKinds) {
      (*all)[static_cast<size_t>(scalar.kind)] = TypePtr(new Type(scalar.kind));
    }
    return all;
  }();
  return instances[static_cast<size_t>(kind)];
}

absl::StatusOr<TypePtr> Type::Decimal(int precision, int scale) {
  if (precision < 1 || precision > kMaxPrecision) {
    return base::Invalid("DECIMAL precision ", precision, " is not in 1..", kMaxPrecision);
  }
  if (scale < 0 || scale > precision) {
    return base::Invalid("DECIMAL scale ", scale, " is not in 0..", precision);
  }
  auto type = std::shared_ptr<Type>(
      new Type(precision <= kMaxShortPrecision ? Kind::kShortDecimal : Kind::kLongDecimal));
  type->precision_ = precision;
  type->scale_ = scale;
  return type;
}

TypePtr Type::Collated(std::string collation) {
  auto type = std::shared_ptr<Type>(new Type(Kind::kVarchar));
  type->collation_ = std::move(collation);
  return type;
}

TypePtr Type::Array(TypePtr element) {
  auto type = std::shared_ptr<Type>(new Type(Kind::kArray));
  type->children_ = {std::move(element)};
  return type;
}

TypePtr Type::Map(TypePtr key, TypePtr value) {
  auto type = std::shared_ptr<Type>(new Type(Kind::kMap));
  type->children_ = {std::move(key), std::move(value)};
  return type;
}

TypePtr Type::Row(std::vector<std::string> names, std::vector<TypePtr> fields) {
  auto type = std::shared_ptr<Type>(new Type(Kind::kRow));
  type->names_ = std::move(names);
  type->children_ = std::move(fields);
  return type;
}

absl::StatusOr<TypePtr> Type::Parse(std::string_view text) { return Parser(text).Whole(); }

int Type::width() const { return Describe(kind_).width; }

std::string Type::ToString() const {
  std::string out(Describe(kind_).name);
  switch (kind_) {
    case Kind::kShortDecimal:
    case Kind::kLongDecimal:
      return base::Cat(out, "(", precision_, ", ", scale_, ")");
    case Kind::kVarchar:
      return collation_.empty() ? out : base::Cat(out, " COLLATE ", collation_);
    case Kind::kArray:
      return base::Cat(out, "<", children_[0]->ToString(), ">");
    case Kind::kMap:
      return base::Cat(out, "<", children_[0]->ToString(), ",", children_[1]->ToString(), ">");
    case Kind::kRow:
      out += '<';
      for (size_t i = 0; i < children_.size(); ++i) {
        if (i != 0) out += ',';
        out += base::Cat(QuoteName(names_[i]), ":", children_[i]->ToString());
      }
      return out + ">";
    default:
      return out;
  }
}

bool Type::operator==(const Type& other) const {
  if (kind_ != other.kind_ || precision_ != other.precision_ || scale_ != other.scale_ ||
      collation_ != other.collation_ || names_ != other.names_ ||
      children_.size() != other.children_.size()) {
    return false;
  }
  for (size_t i = 0; i < children_.size(); ++i) {
    if (!(*children_[i] == *other.children_[i])) return false;
  }
  return true;
}

}  // namespace spillway::vector
