// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "src/inspect/explanation.h"
#include "src/inspect/inspect.h"

namespace spillway::inspect {

// The innermost part that holds the byte of the inspection's error: the last part if that is the
// input's end. Null if there is no error, or none with a place.
const Explanation* FaultyPart(const Inspection& inspection);

}  // namespace spillway::inspect
