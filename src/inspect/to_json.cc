// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/to_json.h"

#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::inspect {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kBytesShown = 64;

Json PartJson(const Explanation& part, std::string_view region) {
  Json out = {{"offset", part.offset}, {"size", part.size}, {"name", part.name}};
  if (!part.text.empty()) out["text"] = part.text;
  if (part.children.empty()) {
    const std::string_view bytes = region.substr(part.offset, part.size).substr(0, kBytesShown);
    out["bytes"] = std::string(absl::BytesToHexString(base::ToAbsl(bytes)));
  }
  for (const Explanation& child : part.children) out["parts"].push_back(PartJson(child, region));
  if (part.decompressed != nullptr) {
    out["decompressed"] = PartJson(part.decompressed->whole, part.decompressed->bytes.view());
  }
  return out;
}

}  // namespace

std::string ToJson(const Inspection& inspection, std::string_view name,
                   const vector::Buffer& bytes) {
  Json error = nullptr;
  if (!inspection.status.ok()) {
    error = {{"message", base::ToStd(inspection.status.message())}};
    const auto byte = base::ByteOffset(inspection.status);
    if (byte.has_value()) error["byte"] = *byte;
  }
  const Json out = {{"input", name},
                    {"form", FormName(inspection.form)},
                    {"size", bytes.size()},
                    {"schema", inspection.schema->ToString()},
                    {"guessed", inspection.guessed},
                    {"error", std::move(error)},
                    {"parts", PartJson(inspection.whole, bytes.view())}};
  // Names of columns and files need not be UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spillway::inspect
