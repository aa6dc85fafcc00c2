// SPDX-License-Identifier: Apache-2.0
#include "src/base/byte_reader.h"

namespace spillway::base {

absl::Status ByteReader::TooShort(int64_t bytes, std::string_view what) const {
  if (bytes < 0) return ErrorAt(offset(), what, ": negative length ", bytes);
  return ErrorAt(offset(), what, " needs ", bytes, " bytes, ", remaining(), " remain");
}

absl::Status ByteReader::ExpectEnd(std::string_view region_name) const {
  if (at_end()) return absl::OkStatus();
  return ErrorAt(offset(), remaining(), " bytes left over after the ", region_name);
}

}  // namespace spillway::base
