// SPDX-License-Identifier: Apache-2.0
#pragma once
// The file formats of a batch, and which a file's name says.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/inspect/form.h"

namespace spillway::cli {

enum class BatchKind : uint8_t { kPage, kV2, kV3, kBlock, kTextproto, kJson };

// Hexadecimal text spells any binary kind: "x.v3.hex". "x.hex" alone does not say which.
struct BatchFormat {
  std::optional<BatchKind> kind = std::nullopt;
  bool hex = false;
};

// "page", "v2", "v3", "block", "textproto", "json".
std::string_view KindName(BatchKind kind);
BatchKind KindOf(inspect::Form form);
// Absent for textproto and JSON.
std::optional<inspect::Form> FormOf(BatchKind kind);

// A kind's name, "hex", or both as "v3.hex"; otherwise InvalidArgument with the names there are.
absl::StatusOr<BatchFormat> ParseFormat(std::string_view name);

// By the extensions: ".page", ".v3.hex". Nothing, if they say nothing.
BatchFormat FormatOfPath(std::string_view path);

}  // namespace spillway::cli
