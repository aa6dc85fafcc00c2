// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fixtures in their text form: hexadecimal bytes, white space anywhere, comments from `#` to the
// end of the line.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::golden {

// The content of `path`, a file of this repository ("golden/gluten/x.hex") among the test's data.
absl::StatusOr<std::string> ReadFile(std::string_view path);

// The bytes of one fixture.
absl::StatusOr<std::string> ReadHexFile(std::string_view path);

// The lines of a table `a | b | c`, each split at " | "; comments and empty lines left out.
absl::StatusOr<std::vector<std::vector<std::string>>> ReadTable(std::string_view path);

// Bytes of hexadecimal text, as base::FromHexText.
absl::StatusOr<std::string> FromHex(std::string_view text);

}  // namespace spillway::golden
