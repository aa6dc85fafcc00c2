// SPDX-License-Identifier: Apache-2.0
#include "src/cache/bench_phase.h"

#include <optional>

#include "src/base/byte_reader.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cache/row_numbers.h"
#include "src/page/page.h"

namespace spillway::cache {
namespace {

using vector::Batch;
using vector::FlatColumn;

// A group at a time would be one pass, but every column may have another encoding. Sums are 64 bits
// wide, as row counts are: what the loops do not change is in variables of their own.
void AddRead4(const Batch& batch, PhaseResult& result) {
  const auto& c0 = batch.column(0).As<FlatColumn>();
  const int64_t rows = batch.rows();
  std::vector<uint16_t> group(rows);
  uint16_t* const group_of = group.data();
  for (int64_t row = 0; row < rows; ++row) {
    group_of[row] = static_cast<uint16_t>(c0.Value<uint32_t>(row) % uint32_t{PhaseResult::kGroups});
  }
  uint64_t* const counts = result.groups[0].data();
  for (int64_t row = 0; row < rows; ++row) ++counts[group_of[row]];
  for (size_t column = 1; column < result.groups.size(); ++column) {
    uint64_t* const sums = result.groups[column].data();
    WithRowNumbers(batch.column(column), [=](auto number) {
      for (int64_t row = 0; row < rows; ++row) sums[group_of[row]] += number(row);
    });
  }
}

void AddWhere(const Batch& batch, int32_t wanted, PhaseResult& result) {
  const auto& c0 = batch.column(0).As<FlatColumn>();
  result.sum += WithRowNumbers(batch.column(1), [&, rows = batch.rows()](auto number) {
    uint64_t sum = 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (c0.Value<int32_t>(row) == wanted) sum += 1 + 2 * number(row);
    }
    return sum;
  });
}

void AddAll(const Batch& batch, PhaseResult& result) {
  uint64_t weight = 1;  // so that columns do not cancel out
  for (const vector::ColumnPtr& column : batch.columns()) {
    result.sum += weight * SumOfRows(*column);
    weight += 2;
  }
}

void CountRows(const Batch& batch, PhaseResult& result) { result.sum += batch.rows(); }

// A flat page is a function of types and values, and so is its checksum.
absl::Status AddPageChecksum(const Batch& batch, PhaseResult& result) {
  SPILLWAY_ASSIGN_OR_RETURN(const vector::Buffer page, page::WritePage(batch));
  base::ByteReader in(page.view());
  SPILLWAY_ASSIGN_OR_RETURN(const page::PageHeader header, page::ReadPageHeader(in));
  result.sum += base::SplitMix64(static_cast<uint64_t>(header.checksum));
  return absl::OkStatus();
}

}  // namespace

PhaseResult& PhaseResult::operator+=(const PhaseResult& other) {
  sum += other.sum;
  for (size_t i = 0; i < groups.size(); ++i) {
    for (int64_t group = 0; group < kGroups; ++group) groups[i][group] += other.groups[i][group];
  }
  return *this;
}

uint64_t PhaseResult::Digest() const {
  uint64_t digest = base::SplitMix64(sum);
  for (const auto& sums : groups) {
    for (const uint64_t sum_of_group : sums) digest = base::SplitMix64(digest ^ sum_of_group);
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

std::vector<Phase> DecodePhases(const vector::Type& schema) {
  std::vector<Phase> phases;
  if (!schema.children().empty()) phases.push_back({.name = "read1", .columns = {{0}}});
  phases.push_back({.name = "readAll", .columns = std::nullopt});
  for (Phase& phase : phases) {
    phase.add = CountRows;
    phase.verify = AddPageChecksum;
  }
  return phases;
}

}  // namespace spillway::cache
