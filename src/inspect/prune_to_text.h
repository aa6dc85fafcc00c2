// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "src/inspect/prune_report.h"

namespace spillway::inspect {

// For people: the decision with a line a condition, then each mode that decides otherwise with the
// conditions that make the difference.
//
//   sound reads
//     c0 > 2: may be true (c0: 1 to 2, 1 of 4 null)
//   spark skips, and loses 1 row
//     c0 > 2: a NaN is above every bound
//   matching rows: 1 of 4: row 2
std::string ToText(const PruneReport& report);

}  // namespace spillway::inspect
