// SPDX-License-Identifier: Apache-2.0
#include "src/cache/bench_phase.h"

#include <optional>

#include "src/base/random.h"
#include "src/base/strings.h"
#include "src/cache/row_numbers.h"

namespace spillway::cache {
namespace {

using vector::Batch;
using vector::FlatColumn;

void AddRead4(const Batch& batch, PhaseResult& result) {
  const auto& c0 = batch.column(0).As<FlatColumn>();
  std::vector<uint16_t> group(batch.rows());
  for (int64_t row = 0; row < batch.rows(); ++row) {
    group[row] = static_cast<uint16_t>(c0.Value<uint32_t>(row) % PhaseResult::kGroups);
    ++result.groups[group[row]][0];
  }
  for (size_t column = 1; column < 4; ++column) {
    WithRowNumbers(batch.column(column), [&](auto number) {
      for (int64_t row = 0; row < batch.rows(); ++row) {
        result.groups[group[row]][column] += number(row);
      }
    });
  }
}

void AddWhere(const Batch& batch, int32_t wanted, PhaseResult& result) {
  const auto& c0 = batch.column(0).As<FlatColumn>();
  WithRowNumbers(batch.column(1), [&](auto number) {
    for (int64_t row = 0; row < batch.rows(); ++row) {
      if (c0.Value<int32_t>(row) == wanted) result.sum += 1 + 2 * number(row);
    }
  });
}

void AddAll(const Batch& batch, PhaseResult& result) {
  uint64_t weight = 1;  // so that columns do not cancel out
  for (const vector::ColumnPtr& column : batch.columns()) {
    result.sum += weight * SumOfRows(*column);
    weight += 2;
  }
}

}  // namespace

PhaseResult& PhaseResult::operator+=(const PhaseResult& other) {
  sum += other.sum;
  for (int64_t group = 0; group < kGroups; ++group) {
    for (size_t i = 0; i < groups[group].size(); ++i) groups[group][i] += other.groups[group][i];
  }
  return *this;
}

uint64_t PhaseResult::Digest() const {
  uint64_t digest = base::SplitMix64(sum);
  for (const auto& group : groups) {
    for (const uint64_t value : group) digest = base::SplitMix64(digest ^ value);
  }
  return digest;
}

std::vector<Phase> Phases(int64_t read1, int32_t wanted) {
  return {
      {.name = "read1", .columns = {{read1}}, .where = "", .add = AddAll},
      {.name = "read4", .columns = {{0, 1, 2, 4}}, .where = "", .add = AddRead4},
      {.name = "readAll", .columns = std::nullopt, .where = "", .add = AddAll},
      {.name = "filter",
       .columns = {{0, 1}},
       .where = base::Cat("c0 = ", wanted),
       .add = [wanted](const Batch& batch,
                       PhaseResult& result) { AddWhere(batch, wanted, result); }},
  };
}

}  // namespace spillway::cache
