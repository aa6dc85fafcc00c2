// SPDX-License-Identifier: Apache-2.0
#include "src/stats/mode_difference.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/strings.h"
#include "src/base/utf8.h"
#include "src/stats/facts.h"
#include "src/stats/spark_filter.h"
#include "src/stats/spark_order.h"

namespace spillway::stats {
namespace {

using vector::Kind;
using vector::Type;

// What an opinion says of each condition.
using Verdicts = std::map<const Node*, const Explanation*>;

void Align(const Node& node, const Explanation& why, Verdicts& out) {
  out[&node] = &why;
  if (why.arguments.size() != node.arguments.size()) return;  // Spark does not look into NOT
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    Align(node.arguments[i], why.arguments[i], out);
  }
}

Verdicts VerdictsOf(const Predicate& predicate, const Opinion& opinion) {
  Verdicts verdicts;
  const Explanation& why = opinion.decision.why;
  if (opinion.options.mode != PruneMode::kGlutenParity) {
    Align(predicate.root(), why, verdicts);
    return verdicts;
  }
  const std::vector<Conjunct> conjuncts = ConjunctsOf(predicate);
  for (size_t i = 0; i < conjuncts.size(); ++i) {
    Align(*conjuncts[i].node, why.arguments[i], verdicts);
  }
  return verdicts;
}

class Comparer {
 public:
  Comparer(const Predicate& predicate, const BatchStats& stats, int64_t rows,
           const Opinion& skipper, const Opinion& reader)
      : predicate_(predicate),
        stats_(stats),
        rows_(rows),
        reader_(reader.options),
        skips_(VerdictsOf(predicate, skipper)),
        reads_(VerdictsOf(predicate, reader)) {}

  std::vector<ModeDifference> Differences() {
    if (std::optional<ModeDifference> bypass = Bypass()) return {*std::move(bypass)};
    Compare(predicate_.root());
    return std::move(found_);
  }

 private:
  const std::string& NameOf(int column) const { return predicate_.schema()->names()[column]; }
  const Type& TypeOf(int column) const { return *predicate_.schema()->children()[column]; }

  // Gluten's wrapper reads the batch, whatever its conditions say.
  std::optional<ModeDifference> Bypass() const {
    if (reader_.mode != PruneMode::kGlutenParity) return std::nullopt;
    for (const Conjunct& conjunct : ConjunctsOf(predicate_)) {
      if (conjunct.collated) continue;
      for (const int column : conjunct.columns) {
        const auto index = static_cast<size_t>(column);
        if (index < stats_.size() && stats_[index].bounds.has_value()) continue;
        return ModeDifference{"", base::Cat(NameOf(column),
                                            " has no bounds, and Gluten's wrapper then reads a "
                                            "batch whatever else is known")};
      }
    }
    return std::nullopt;
  }

  void Compare(const Node& node) {
    if (node.condition == Condition::kAll || node.condition == Condition::kAny) {
      for (const Node& argument : node.arguments) Compare(argument);
      return;
    }
    const auto skip = skips_.find(&node);
    const auto read = reads_.find(&node);
    if (skip == skips_.end() || read == reads_.end()) return;
    if (!skip->second->skips || read->second->skips) return;
    found_.push_back({NodeText(node), reader_.mode == PruneMode::kSound
                                          ? WhySoundReads(node, *read->second)
                                          : WhyParityReads(*read->second)});
  }

  static std::string WhyParityReads(const Explanation& read) {
    if (read.verdict == "no filter") return "Spark's filter does not look at it";
    if (read.verdict.starts_with("dropped")) {
      return "Gluten drops conditions on columns with a collation";
    }
    return base::Cat(read.verdict, " (", read.reason, ")");
  }

  // What the parity modes do not see.
  std::string WhySoundReads(const Node& node, const Explanation& read) const {
    for (const int column : Predicate::ColumnsOf(node)) {
      std::string why = WhyNotBelieved(column);
      if (!why.empty()) return base::Cat(NameOf(column), why);
    }
    if (node.condition == Condition::kStartsWith && !base::IsUtf8(node.values[0].bytes)) {
      return "Spark cuts bounds by characters, and the prefix ends inside one";
    }
    for (const int column : Predicate::ColumnsOf(node)) {
      switch (TypeOf(column).kind()) {
        case Kind::kReal:
        case Kind::kDouble:
          return "a NaN is above every bound";
        case Kind::kTimestamp:
          return "the upper bound is the last microsecond there is; a value may be behind it";
        default:
          break;
      }
    }
    return base::Cat(read.verdict, " (", read.reason, ")");
  }

  // Of a column of which a parity mode knows anything.
  std::string WhyNotBelieved(int column) const {
    const ColumnStats& of = stats_[column];
    if (of.count != rows_ || of.null_count > of.count ||
        (of.null_count == of.count && of.bounds.has_value())) {
      return " has counts that contradict the batch; Spark believes them";
    }
    if (!of.bounds.has_value()) {
      return " has no bounds: a comparison with an absent bound is null to Spark, and null skips";
    }
    const Type& type = TypeOf(column);
    const bool real = type.kind() == Kind::kReal || type.kind() == Kind::kDouble;
    const Order order = real                ? Order::kDouble
                        : type.is_string() ? Order::kBytes
                                           : Order::kExact;
    const std::optional<Value> low = ReadBound(order, type, of.bounds->lower);
    const std::optional<Value> high = ReadBound(order, type, of.bounds->upper);
    if (!low || !high) return " has bounds that are none of its type";
    return stats::Compare(order, *low, *high) > 0 ? " has its lower bound above the upper one" : "";
  }

  const Predicate& predicate_;
  const BatchStats& stats_;
  const int64_t rows_;
  const PruneOptions reader_;
  const Verdicts skips_;
  const Verdicts reads_;
  std::vector<ModeDifference> found_;
};

}  // namespace

Opinion OpinionOf(const Predicate& predicate, const PruneOptions& options, const BatchStats& stats,
                  int64_t rows) {
  return {options, Pruner(predicate, options).Explain(stats, rows)};
}

std::vector<ModeDifference> DifferencesBetween(const Predicate& predicate, const BatchStats& stats,
                                               int64_t rows, const Opinion& one,
                                               const Opinion& other) {
  if (one.decision.skip == other.decision.skip) return {};
  const bool one_skips = one.decision.skip;
  return Comparer(predicate, stats, rows, one_skips ? one : other, one_skips ? other : one)
      .Differences();
}

}  // namespace spillway::stats
