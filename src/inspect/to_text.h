// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "src/inspect/inspect.h"
#include "src/vector/buffer.h"

namespace spillway::inspect {

// One line a part: offset, size, first bytes, name and meaning, nested by indentation. The first
// error stands under the part that it is in. The first line names the input:
//   v2.hex: V2 frame, 3198 bytes, ROW<a:INTEGER>
std::string ToText(const Inspection& inspection, std::string_view name,
                   const vector::Buffer& bytes);

}  // namespace spillway::inspect
