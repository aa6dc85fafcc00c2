// SPDX-License-Identifier: Apache-2.0
#include "src/cli/batch_format.h"

#include <array>

#include "src/base/status.h"

namespace spillway::cli {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"page",  "v2",        "v3",
                                                    "block", "textproto", "json"};
constexpr std::string_view kHex = "hex";

std::optional<BatchKind> KindNamed(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<BatchKind>(i);
  }
  return std::nullopt;
}

// Takes ".ext" off `path` and returns "ext", or nothing.
std::string_view TakeExtension(std::string_view& path) {
  const size_t dot = path.find_last_of("./");
  if (dot == std::string_view::npos || path[dot] == '/') return {};
  const std::string_view extension = path.substr(dot + 1);
  path = path.substr(0, dot);
  return extension;
}

}  // namespace

std::string_view KindName(BatchKind kind) { return kNames[static_cast<size_t>(kind)]; }

BatchKind KindOf(inspect::Form form) {
  switch (form) {
    case inspect::Form::kPage:
      return BatchKind::kPage;
    case inspect::Form::kV2:
      return BatchKind::kV2;
    case inspect::Form::kV3:
      return BatchKind::kV3;
    case inspect::Form::kBlock:
      break;
  }
  return BatchKind::kBlock;
}

std::optional<inspect::Form> FormOf(BatchKind kind) {
  switch (kind) {
    case BatchKind::kPage:
      return inspect::Form::kPage;
    case BatchKind::kV2:
      return inspect::Form::kV2;
    case BatchKind::kV3:
      return inspect::Form::kV3;
    case BatchKind::kBlock:
      return inspect::Form::kBlock;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<BatchFormat> ParseFormat(std::string_view name) {
  BatchFormat format;
  std::string_view kind = name;
  if (kind == kHex) return BatchFormat{.hex = true};
  if (kind.ends_with(".hex")) {
    kind.remove_suffix(4);
    format.hex = true;
  }
  format.kind = KindNamed(kind);
  if (!format.kind.has_value() || (format.hex && !FormOf(*format.kind).has_value())) {
    return base::Invalid("`", name,
                         "` is no format; page, v2, v3, block, textproto, json, hex and ",
                         "v3.hex and the like are");
  }
  return format;
}

BatchFormat FormatOfPath(std::string_view path) {
  std::string_view extension = TakeExtension(path);
  BatchFormat format;
  if (extension == kHex) {
    format.hex = true;
    extension = TakeExtension(path);
  }
  format.kind = KindNamed(extension);
  if (format.hex && format.kind.has_value() && !FormOf(*format.kind).has_value()) {
    format.kind.reset();
  }
  return format;
}

}  // namespace spillway::cli
