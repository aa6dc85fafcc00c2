// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/tiling.h"

#include "src/base/strings.h"

namespace spillway::inspect {
namespace {

std::string Check(const Explanation& part) {
  if (part.name.empty()) return base::Cat("a part at ", part.offset, " has no name");
  if (part.decompressed != nullptr) {
    const Decompressed& inner = *part.decompressed;
    const std::string gap = FirstGap(inner.whole, inner.bytes.size());
    if (!gap.empty()) return base::Cat("decompressed: ", gap);
  }
  if (part.children.empty()) return "";
  int64_t next = part.offset;
  for (const Explanation& child : part.children) {
    if (child.offset != next) {
      return base::Cat("`", child.name, "` begins at ", child.offset, ", not ", next);
    }
    if (child.size <= 0) return base::Cat("`", child.name, "` at ", next, " is empty");
    const std::string gap = Check(child);
    if (!gap.empty()) return gap;
    next += child.size;
  }
  const int64_t end = part.offset + part.size;
  if (next != end) {
    return base::Cat("the parts of `", part.name, "` end at ", next, ", not ", end);
  }
  return "";
}

}  // namespace

std::string FirstGap(const Explanation& whole, int64_t size) {
  if (whole.offset != 0 || whole.size != size) {
    return base::Cat("the whole is ", whole.offset, " to ", whole.offset + whole.size,
                     ", not 0 to ", size);
  }
  return Check(whole);
}

}  // namespace spillway::inspect
