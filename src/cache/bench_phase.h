// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the phases of the cache benchmark compute, over each of its tables. docs/cache.md.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "src/frame/v3.h"
#include "src/vector/batch.h"

namespace spillway::cache {

// A result that does not depend on the order of rows; of one partition, or of several added up.
struct PhaseResult {
  static constexpr int64_t kGroups = 1000;

  uint64_t sum = 0;
  std::array<std::array<uint64_t, kGroups>, 4> groups = {};  // read4: counts, c1, c2, c4

  PhaseResult& operator+=(const PhaseResult& other);
  uint64_t Digest() const;
};

struct Phase {
  std::string name;
  frame::Projection columns = std::nullopt;
  std::string where = "";  // what batches are pruned by; empty: they are not
  // Adds the rows of a batch of `columns`. Called by one thread at a time for one result.
  std::function<void(const vector::Batch& batch, PhaseResult& result)> add = nullptr;
  // In place of `add` in the run that warms up and is not timed, the only one whose result is
  // compared then: `add` need not look at values. May be absent.
  std::function<absl::Status(const vector::Batch& batch, PhaseResult& result)> verify = nullptr;
};

// read1 (the sum of column `read1`), read4, readAll and filter (c0 = wanted), for a table whose c0
// is a flat INTEGER that is never negative.
std::vector<Phase> Phases(int64_t read1, int32_t wanted);

// read1 (the first column, if there is one) and readAll, for any table: columns are decoded, and
// verified by the bytes of their flat page.
std::vector<Phase> DecodePhases(const vector::Type& schema);

}  // namespace spillway::cache
