// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/byte_reader.h"
#include "src/inspect/explanation.h"
#include "src/inspect/recorder.h"
#include "src/vector/type.h"

namespace spillway::inspect {

// Explains the statistics blob that fills what `in` has left (FORMAT section 5), with bounds as
// values of `schema`'s types. Judges nothing, as BlockWalker; stops where bytes are missing.
// `named`: the schema was given, so that columns are called by name. Returns the length of each
// column's lower bound, -1 if it has none.
std::vector<int64_t> WalkStatistics(const vector::Type& schema, bool named, base::ByteReader& in,
                                    Recorder& recorder, Explanation& whole);

}  // namespace spillway::inspect
