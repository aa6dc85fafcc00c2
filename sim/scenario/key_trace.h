// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of keys that a scenario names.

#include <string_view>

#include "absl/status/status.h"
#include "sim/scenario/places.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// Reads the file of every `keys.trace.file` of `scenario` into `keys.trace.keys`, so that the
// scenario is whole: what runs it opens no file, and its digest is of the keys too.
//
//   OK               every trace has its keys
//   InvalidArgument  with the place of the field: both or none of file and keys, no such file, more
//                    than 16 MiB or 1,000,000 keys, or a line that is no 32-bit integer, by number
absl::Status LoadKeyTraces(Scenario& scenario, const Places& places);

}  // namespace spillway::sim
