// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/prune_to_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/strings.h"

namespace spillway::inspect {
namespace {

constexpr size_t kShownRows = 20;

std::string Rows(int64_t count) { return base::Cat(count, count == 1 ? " row" : " rows"); }

// "row 2", "rows 0, 1, 5, ...".
std::string RowList(const std::vector<int64_t>& rows) {
  std::string out = rows.size() == 1 ? "row " : "rows ";
  for (size_t i = 0; i < std::min(rows.size(), kShownRows); ++i) {
    if (i != 0) out += ", ";
    out += base::Cat(rows[i]);
  }
  return rows.size() > kShownRows ? out + ", ..." : out;
}

}  // namespace

std::string ToText(const PruneReport& report) {
  const stats::Decision& decision = report.opinion.decision;
  const std::string_view asked = stats::PruneModeName(report.opinion.options.mode);
  std::string out = base::Cat(asked, decision.skip ? " skips\n" : " reads\n",
                              decision.why.ToString(/*indent=*/2));
  for (const OtherMode& other : report.others) {
    if (other.skip == decision.skip) continue;
    out += base::Cat(stats::PruneModeName(other.mode), other.skip ? " skips" : " reads");
    if (other.skip && report.matches && !report.matches->empty()) {
      out += base::Cat(", and loses ", Rows(static_cast<int64_t>(report.matches->size())));
    }
    out += "\n";
    for (const stats::ModeDifference& difference : other.differences) {
      const std::string_view colon = difference.condition.empty() ? "" : ": ";
      out += base::Cat("  ", difference.condition, colon, difference.why, "\n");
    }
  }
  if (!report.matches) return out;
  out += base::Cat("matching rows: ", report.matches->size(), " of ", report.rows);
  if (!report.matches->empty()) out += base::Cat(": ", RowList(*report.matches));
  out += "\n";
  if (report.LosesRows()) {
    const auto lost = static_cast<int64_t>(report.matches->size());
    out += base::Cat("LOST ROWS: ", asked, " skips the batch, and ", Rows(lost), " of it ",
                     lost == 1 ? "matches\n" : "match\n");
  }
  return out;
}

}  // namespace spillway::inspect
