// SPDX-License-Identifier: Apache-2.0
#include "golden/spark_pruning/cases.h"

#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"

namespace spillway::golden {
namespace {

using nlohmann::json;
using stats::proto::Call;
using stats::proto::Comparison;
using stats::proto::Literal;
using stats::proto::Match;
using stats::proto::Operand;
using stats::proto::Predicate;
using stats::proto::Test;
using vector::ColumnPtr;
using vector::Int128;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int64_t kMicrosPerSecond = 1'000'000;

std::string OurType(const std::string& spark) {
  std::string out = spark;
  const std::pair<std::string_view, std::string_view> kNames[] = {
      {"STRING", "VARCHAR"}, {"BINARY", "VARBINARY"}, {"FLOAT", "REAL"}};
  for (const auto& [theirs, ours] : kNames) {
    if (out.substr(0, theirs.size()) == theirs) out.replace(0, theirs.size(), ours);
  }
  if (out == "INT") return "INTEGER";
  if (out == "ARRAY<INT>") return "ARRAY<INTEGER>";
  return out;
}

TypePtr TypeOf(const json& spark) { return *Type::Parse(OurType(spark.get<std::string>())); }

std::string FromHex(const json& hex) {
  return absl::HexStringToBytes(hex.get<std::string>());
}

// Numbers are strings where JSON has none of the kind.
std::string NumberText(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

double ToDouble(const json& value) {
  double out = 0;
  absl::SimpleAtod(NumberText(value), &out);
  return out;
}

float ToFloat(const json& value) {
  float out = 0;
  absl::SimpleAtof(NumberText(value), &out);
  return out;
}

// The file has all digits of the scale.
Int128 Unscaled(const json& decimal) {
  return *vector::ParseInt128(
      absl::StrReplaceAll(decimal.get<std::string>(), {{".", ""}}));
}

vector::Timestamp FromMicros(int64_t micros) {
  const int64_t seconds =
      micros / kMicrosPerSecond - (micros % kMicrosPerSecond < 0 ? 1 : 0);
  return {seconds, static_cast<uint64_t>(micros - seconds * kMicrosPerSecond) * 1000};
}

template <typename T>
ColumnPtr Flat(const TypePtr& type, const json& values, const std::function<T(const json&)>& read) {
  std::vector<std::optional<T>> out;
  for (const json& value : values) {
    out.push_back(value.is_null() ? std::nullopt : std::optional<T>(read(value)));
  }
  return vector::Flat<T>(type, out);
}

template <typename T>
T Integer(const json& value) {
  return value.is_boolean() ? static_cast<T>(value.get<bool>()) : value.get<T>();
}

ColumnPtr Arrays(const TypePtr& type, const json& values) {
  json elements = json::array();
  std::vector<int32_t> offsets = {0};
  for (const json& value : values) {
    for (const json& element : value) elements.push_back(element);  // none in null
    offsets.push_back(static_cast<int32_t>(elements.size()));
  }
  const ColumnPtr ints = Flat<int32_t>(type->children()[0], elements, Integer<int32_t>);
  const auto rows = static_cast<int64_t>(values.size());
  return std::make_shared<vector::ListColumn>(
      type, rows, vector::BuildValidity(rows, [&](int64_t row) { return values[row].is_null(); }),
      vector::Flat<int32_t>(type->children()[0], offsets)->As<vector::FlatColumn>().values(),
      std::vector<ColumnPtr>{ints});
}

ColumnPtr ColumnOf(const TypePtr& type, const json& values) {
  switch (type->kind()) {
    case Kind::kBoolean:
      return Flat<uint8_t>(type, values, Integer<uint8_t>);
    case Kind::kTinyint:
      return Flat<int8_t>(type, values, Integer<int8_t>);
    case Kind::kSmallint:
      return Flat<int16_t>(type, values, Integer<int16_t>);
    case Kind::kInteger:
    case Kind::kDate:
      return Flat<int32_t>(type, values, Integer<int32_t>);
    case Kind::kBigint:
      return Flat<int64_t>(type, values, Integer<int64_t>);
    case Kind::kReal:
      return Flat<float>(type, values, ToFloat);
    case Kind::kDouble:
      return Flat<double>(type, values, ToDouble);
    case Kind::kShortDecimal:
      return Flat<int64_t>(type, values,
                           [](const json& value) { return static_cast<int64_t>(Unscaled(value)); });
    case Kind::kLongDecimal:
      return Flat<Int128>(type, values, Unscaled);
    case Kind::kTimestamp:
      return Flat<vector::Timestamp>(
          type, values, [](const json& value) { return FromMicros(value.get<int64_t>()); });
    case Kind::kArray:
      return Arrays(type, values);
    default: {
      std::vector<std::optional<std::string>> strings;
      for (const json& value : values) {
        strings.push_back(value.is_null() ? std::nullopt : std::optional(FromHex(value)));
      }
      return vector::Strings(type, strings);
    }
  }
}

template <typename T>
std::string Bytes(T value) {
  std::string out(sizeof(T), '\0');
  base::Store(out.data(), value);
  return out;
}

// A bound is as wide as a value, but for TIMESTAMP.
std::string BoundOf(const TypePtr& type, const json& value) {
  if (type->kind() == Kind::kTimestamp) return Bytes(value.get<int64_t>());
  if (type->is_string()) return FromHex(value);
  const ColumnPtr column = ColumnOf(type, json::array({value}));
  return std::string(column->As<vector::FlatColumn>().values().view());
}

stats::ColumnStats StatsOf(const TypePtr& type, const json& in) {
  stats::ColumnStats stats{.null_count = in["nullCount"].get<uint32_t>(),
                           .count = in["count"].get<uint32_t>()};
  if (!in["lower"].is_null()) {
    stats.bounds = stats::Bounds{BoundOf(type, in["lower"]), BoundOf(type, in["upper"])};
  }
  return stats;
}

std::string ColumnName(const json& index) { return base::Cat("c", index.get<int>()); }

Literal LiteralOf(const json& value, const TypePtr& type) {
  Literal literal;
  literal.set_type(type->ToString());
  if (value.is_null()) return literal;
  if (value.is_boolean()) {
    literal.set_boolean(value.get<bool>());
  } else if (type->is_string()) {
    literal.set_bytes(FromHex(value));
  } else if (value.is_array()) {
    literal.mutable_list();
    for (const json& item : value) {
      *literal.mutable_list()->add_items() = LiteralOf(item, type->children()[0]);
    }
  } else {
    literal.set_number(NumberText(value));
  }
  return literal;
}

Literal LiteralOf(const json& node, const char* field) {
  return LiteralOf(node[field], TypeOf(node["lit_type"]));
}

// Columns named in Spark's text of an expression: c0, c1.
std::vector<std::string> ColumnsIn(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view name : {"c0", "c1"}) {
    if (text.find(name) != std::string_view::npos) out.emplace_back(name);
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const json& types) : types_(types) {}

  Predicate Read(const json& node) {
    Predicate out;
    const std::string op = node["op"];
    if (op == "and" || op == "or") {
      auto& arguments = op == "and" ? *out.mutable_all() : *out.mutable_any();
      for (const json& argument : node["args"]) *arguments.add_arguments() = Read(argument);
    } else if (op == "not") {
      *out.mutable_negation() = Read(node["args"][0]);
    } else if (op == "lit") {
      out.mutable_constant();
      if (!node["lit"].is_null()) out.mutable_constant()->set_value(node["lit"].get<bool>());
    } else if (op == "col") {
      out.set_column(ColumnName(node["col"]));
    } else if (op == "between") {
      AddBound(node, Comparison::GREATER_EQUAL, "low", out);
      AddBound(node, Comparison::LESS_EQUAL, "high", out);
    } else if (op == "in" || op == "in_set") {
      out.mutable_in()->set_set(op == "in_set");
      *out.mutable_in()->mutable_operand() = Column(node);
      for (const json& item : node["lits"]) {
        *out.mutable_in()->add_items() = LiteralOf(item, TypeOf(node["lit_type"]));
      }
    } else if (op == "is_null" || op == "is_not_null" || op == "is_nan") {
      ReadTest(node, op, out);
    } else if (op == "other") {
      ReadOther(node, out);
    } else if (!ReadMatch(node, op, out)) {
      ReadComparison(node, op, out);
    }
    return out;
  }

 private:
  // The column, with the function or the cast from STRING around it; other casts are ours as well.
  Operand Column(const json& node) {
    Operand out;
    const std::string name = ColumnName(node["col"]);
    const bool from_string = node.contains("cast_to") && types_[node["col"].get<int>()] == "STRING";
    if (!node.contains("fn") && !from_string) {
      out.set_column(name);
      return out;
    }
    out.mutable_call()->set_column(name);
    out.mutable_call()->set_function(from_string            ? Call::CAST
                                     : node["fn"] == "abs" ? Call::ABS
                                                           : Call::LENGTH);
    return out;
  }

  // A side of a comparison of which Spark's optimizer left a whole expression.
  Operand Side(const json& in) {
    Operand out;
    if (in["expr"] == "lit") {
      *out.mutable_literal() = LiteralOf(in, "lit");
    } else if (in["expr"] == "col") {
      out.set_column(ColumnName(in["col"]));
    } else if (in["expr"] == "cast") {
      json column = in["child"];
      column["cast_to"] = in["to"];
      return Column(column);
    } else {
      out.mutable_call()->set_function(in["class"] == "Abs" ? Call::ABS : Call::LENGTH);
      out.mutable_call()->set_column(ColumnsIn(in["text"].get<std::string>())[0]);
    }
    return out;
  }

  void AddBound(const json& node, Comparison::Operator comparison, const char* field,
                Predicate& out) {
    Comparison& bound = *out.mutable_all()->add_arguments()->mutable_compare();
    bound.set_operator_(comparison);
    *bound.mutable_left() = Column(node);
    *bound.mutable_right()->mutable_literal() = LiteralOf(node, field);
  }

  void ReadTest(const json& node, const std::string& op, Predicate& out) {
    if (!node.contains("col")) {
      ReadOther(node["child"], out);
      return;
    }
    out.mutable_test()->set_kind(op == "is_null"       ? Test::IS_NULL
                                 : op == "is_not_null" ? Test::IS_NOT_NULL
                                                       : Test::IS_NAN);
    *out.mutable_test()->mutable_operand() = Column(node);
  }

  void ReadOther(const json& node, Predicate& out) {
    const std::string text = node["text"];
    if (node["class"] == "IsNaN") {
      out.mutable_test()->set_kind(Test::IS_NAN);
      out.mutable_test()->mutable_operand()->set_column(ColumnsIn(text)[0]);
      return;
    }
    out.mutable_opaque()->set_text(text);
    for (const std::string& column : ColumnsIn(text)) out.mutable_opaque()->add_columns(column);
  }

  bool ReadMatch(const json& node, const std::string& op, Predicate& out) {
    const std::map<std::string, Match::Kind> kinds = {{"starts_with", Match::STARTS_WITH},
                                                      {"ends_with", Match::ENDS_WITH},
                                                      {"contains", Match::CONTAINS},
                                                      {"like", Match::LIKE}};
    const auto kind = kinds.find(op);
    if (kind == kinds.end()) return false;
    out.mutable_match()->set_kind(kind->second);
    *out.mutable_match()->mutable_operand() = Column(node);
    Literal& pattern = *out.mutable_match()->mutable_pattern();
    const json& bytes = node.contains("pattern") ? node["pattern"] : node["lit"];
    if (!bytes.is_null()) pattern.set_bytes(FromHex(bytes));
    return true;
  }

  void ReadComparison(const json& node, const std::string& op, Predicate& out) {
    const std::map<std::string, Comparison::Operator> operators = {
        {"=", Comparison::EQUAL},        {"<=>", Comparison::NULL_SAFE_EQUAL},
        {"!=", Comparison::NOT_EQUAL},   {"<", Comparison::LESS},
        {"<=", Comparison::LESS_EQUAL},  {">", Comparison::GREATER},
        {">=", Comparison::GREATER_EQUAL}};
    Comparison& compare = *out.mutable_compare();
    compare.set_operator_(operators.at(op));
    if (node.contains("left")) {
      *compare.mutable_left() = Side(node["left"]);
      *compare.mutable_right() = Side(node["right"]);
      return;
    }
    const bool literal_left = node.contains("lit_on_left");
    *(literal_left ? compare.mutable_right() : compare.mutable_left()) = Column(node);
    Operand& other = literal_left ? *compare.mutable_left() : *compare.mutable_right();
    if (node.contains("col2")) {
      other.set_column(ColumnName(node["col2"]));
    } else {
      *other.mutable_literal() = LiteralOf(node, "lit");
    }
  }

  const json& types_;
};

std::optional<bool> OptionalBool(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<bool>());
}

PruningCase CaseOf(const json& line) {
  std::vector<ColumnPtr> columns;
  stats::BatchStats stats;
  for (size_t i = 0; i < line["types"].size(); ++i) {
    const TypePtr type = TypeOf(line["types"][i]);
    columns.push_back(ColumnOf(type, line["values"][i]));
    stats.push_back(StatsOf(type, line["stats"][i]));
  }
  Reader reader(line["types"]);
  Predicate scan;
  scan.mutable_constant()->set_value(true);
  if (!line["scan_predicates"].empty()) {
    scan = reader.Read(json{{"op", "and"}, {"args", line["scan_predicates"]}});
  }
  return {.id = line["id"],
          .sql = line["sql"],
          .batch = vector::BatchOf(std::move(columns)),
          .stats = std::move(stats),
          .predicate = reader.Read(line["predicate"]),
          .scan = std::move(scan),
          .matches = line["matches"].get<std::vector<int64_t>>(),
          .spark_keeps = OptionalBool(line["spark_keeps"]),
          .gluten_keeps = OptionalBool(line["gluten_keeps"]),
          .substr_overread = line.contains("substr_overread")};
}

}  // namespace

absl::StatusOr<std::vector<PruningCase>> ReadPruningCases() {
  std::ifstream in("golden/spark_pruning/spark_pruning.jsonl");
  std::vector<PruningCase> cases;
  for (std::string line; std::getline(in, line);) {
    try {
      cases.push_back(CaseOf(json::parse(line)));
    } catch (const std::exception& error) {
      return base::Invalid("line ", cases.size() + 1, ": ", error.what());
    }
  }
  return cases;
}

absl::StatusOr<std::map<std::string, std::string>> ReadLossyCauses() {
  std::ifstream in("golden/spark_pruning/unsound.tsv");
  std::map<std::string, std::string> causes;
  std::string line;
  std::getline(in, line);  // the header
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    if (fields.size() != 9) return base::Invalid("`", line, "` has not 9 fields");
    if (fields[4] == "False" && fields[3] != "[]") causes[fields[0]] = fields[8];
  }
  return causes;
}

}  // namespace spillway::golden
