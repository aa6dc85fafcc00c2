// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/fault.h"

#include <optional>

#include "src/base/status.h"
#include "src/inspect/walker.h"

namespace spillway::inspect {
namespace {

const Explanation* Innermost(const Explanation& part, int64_t byte) {
  if (part.children.empty()) return &part;
  for (const Explanation& child : part.children) {
    if (byte < child.offset + child.size) return Innermost(child, byte);
  }
  return Innermost(part.children.back(), byte);
}

const Explanation* FirstDecompressed(const Explanation& part) {
  if (part.decompressed != nullptr) return &part.decompressed->whole;
  for (const Explanation& child : part.children) {
    if (const Explanation* found = FirstDecompressed(child)) return found;
  }
  return nullptr;
}

}  // namespace

const Explanation* FaultyPart(const Inspection& inspection) {
  const std::optional<int64_t> byte = base::ByteOffset(inspection.status);
  if (!byte.has_value()) return nullptr;
  const Explanation* region = IsInDecompressed(inspection.status)
                                  ? FirstDecompressed(inspection.whole)
                                  : &inspection.whole;
  return region == nullptr ? nullptr : Innermost(*region, *byte);
}

}  // namespace spillway::inspect
