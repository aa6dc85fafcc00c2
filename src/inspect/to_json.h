// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "src/inspect/inspect.h"
#include "src/vector/buffer.h"

namespace spillway::inspect {

// What ToText() says, as JSON:
//   {"input", "form", "size", "schema", "guessed", "error": null or {"message", "byte"},
//    "parts": {"offset", "size", "name", "text", "bytes", "parts": [...]}}
// `bytes` are up to 64 first ones, in hexadecimal, of parts that have no parts. A compressed
// payload has `decompressed`, a part like the others whose offsets count from its own first byte.
std::string ToJson(const Inspection& inspection, std::string_view name,
                   const vector::Buffer& bytes);

}  // namespace spillway::inspect
