// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/places.h"

#include <utility>

namespace spillway::sim {

void Places::Add(std::string_view path, std::string place) {
  places_.insert_or_assign(std::string(path), std::move(place));
}

void Places::Replace(std::string_view path, std::string place) {
  std::erase_if(places_, [&](const auto& entry) {
    const std::string& other = entry.first;
    return other.starts_with(path) && other.size() > path.size() &&
           (other[path.size()] == '.' || other[path.size()] == '[');
  });
  Add(path, std::move(place));
}

std::string Places::Of(std::string_view path) const {
  while (!path.empty()) {
    const auto found = places_.find(path);
    if (found != places_.end()) return found->second;
    const size_t end = path.find_last_of(".[");
    path = path.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return file_;
}

}  // namespace spillway::sim
