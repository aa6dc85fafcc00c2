// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one place where std::string_view, which our API speaks, meets
// absl::string_view, which Debian's Abseil keeps as a type of its own.

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace spillway::base {

inline absl::string_view ToAbsl(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view ToStd(absl::string_view s) { return {s.data(), s.size()}; }

namespace internal {
template <typename T>
decltype(auto) CatArg(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToAbsl(value);
  } else {
    return (value);
  }
}
}  // namespace internal

// absl::StrCat that also takes std::string_view.
template <typename... Args>
std::string Cat(const Args&... args) {
  return absl::StrCat(internal::CatArg(args)...);
}

}  // namespace spillway::base
