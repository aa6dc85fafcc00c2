// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace spillway::cli {

// MODULE.bazel names the same version; launcher_test compares them.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace spillway::cli
