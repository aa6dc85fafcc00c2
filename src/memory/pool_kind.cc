// SPDX-License-Identifier: Apache-2.0
#include "src/memory/pool_kind.h"

#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/base/suggest.h"

namespace spillway::memory {
namespace {

template <typename T>
struct Named {
  std::string_view text;
  T value;
};

constexpr Named<PoolName> kPools[] = {
    {"greedy", {PoolKind::kGreedy, PoolScope::kPlan}},
    {"fair_spill", {PoolKind::kFairSpill, PoolScope::kPlan}},
    {"unbounded", {PoolKind::kUnbounded, PoolScope::kPlan}},
    {"greedy_task_shared", {PoolKind::kGreedy, PoolScope::kTask}},
    {"fair_spill_task_shared", {PoolKind::kFairSpill, PoolScope::kTask}},
    {"greedy_global", {PoolKind::kGreedy, PoolScope::kProcess}},
    {"fair_spill_global", {PoolKind::kFairSpill, PoolScope::kProcess}},
    {"greedy_unified", {PoolKind::kGreedyUnified, PoolScope::kTask}},
    {"fair_unified", {PoolKind::kFairUnified, PoolScope::kTask}},
};

constexpr Named<PoolVariant> kVariants[] = {
    {"as_is", PoolVariant::kAsIs},
    {"fixed", PoolVariant::kFixed},
};

constexpr Named<FairRule> kFairRules[] = {
    {"pool_wide", FairRule::kPoolWide},
    {"per_consumer", FairRule::kPerConsumer},
};

// `what` as in "is no memory pool".
template <typename T, size_t kSize>
absl::StatusOr<T> Parse(std::string_view text, const Named<T> (&known)[kSize],
                        std::string_view what) {
  std::vector<std::string> names;
  for (const Named<T>& named : known) {
    if (named.text == text) return named.value;
    names.emplace_back(named.text);
  }
  const std::string nearest = base::Nearest(text, names);
  if (nearest.empty()) return base::Invalid("`", text, "` is no ", what);
  return base::Invalid("`", text, "` is no ", what, "; did you mean `", nearest, "`?");
}

}  // namespace

absl::StatusOr<PoolName> ParsePoolName(std::string_view text) {
  return Parse(text, kPools, "memory pool");
}

std::string_view NameOf(const PoolName& name) {
  for (const Named<PoolName>& named : kPools) {
    if (named.value == name) return named.text;
  }
  return "";
}

absl::StatusOr<PoolVariant> ParsePoolVariant(std::string_view text) {
  return Parse(text, kVariants, "variant of a pool");
}

absl::StatusOr<FairRule> ParseFairRule(std::string_view text) {
  return Parse(text, kFairRules, "rule of fair_unified");
}

}  // namespace spillway::memory
