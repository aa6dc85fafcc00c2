// SPDX-License-Identifier: Apache-2.0
#pragma once
// What pruning makes of one cached batch: the decision of the mode that is asked for with its
// reasons, where the other modes differ, and, on request, the rows that match. docs/cli.md shows
// what comes out.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "src/frame/envelope.h"
#include "src/inspect/form.h"
#include "src/page/page.h"
#include "src/stats/mode_difference.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"
#include "src/vector/buffer.h"

namespace spillway::inspect {

struct PruneQuestion {
  stats::Predicate predicate;  // under the batch's schema
  stats::PruneOptions options = {};
  bool check = false;  // look at every value that the predicate reads
  page::PageReadOptions read = {};
};

struct OtherMode {
  stats::PruneMode mode = stats::PruneMode::kSound;
  bool skip = false;
  std::vector<stats::ModeDifference> differences = {};  // empty: it decides as the one asked for
};

struct PruneReport {
  Form form = Form::kPage;
  int64_t rows = 0;
  bool statistics = false;  // there are any
  stats::Opinion opinion = {};
  std::array<OtherMode, 2> others = {};
  std::optional<std::vector<int64_t>> matches = std::nullopt;  // rows; if checked

  // Rows that match are in a batch that is skipped.
  bool LosesRows() const { return opinion.decision.skip && matches && !matches->empty(); }
};

// Of a page or frame that fills `bytes`. Columns are decoded only to check, in a V3 frame only
// those that the predicate reads. A batch without statistics is judged as one of which nothing is
// known.
//
//   OK               the report
//   InvalidArgument  the frame's structure, its statistics or a column that is looked at is
//                    damaged, or a cast cannot read a value; the message has the place
//   otherwise        as frame::ReadContent and stats::MatchingRows
absl::StatusOr<PruneReport> ReportPruning(const PruneQuestion& question,
                                          const vector::Buffer& bytes);

// The same of a batch in its envelope. InvalidArgument too if the two differ in rows.
absl::StatusOr<PruneReport> ReportPruning(const PruneQuestion& question,
                                          const frame::Envelope& envelope);

}  // namespace spillway::inspect
