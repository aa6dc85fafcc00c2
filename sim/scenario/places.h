// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where each field of a scenario was written.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "src/base/status.h"

namespace spillway::sim {

// A place reads `FILE:LINE:COLUMN` or `--set FIELD=VALUE`. A field's path reads
// `tasks[0].think.quantile[1].ns`.
class Places {
 public:
  explicit Places(std::string_view file) : file_(file) {}

  void Add(std::string_view path, std::string place);
  // Adds the place and forgets those of all fields below.
  void Replace(std::string_view path, std::string place);

  // The place of the field, or of the nearest message around it that has one, or the file.
  std::string Of(std::string_view path) const;

  // InvalidArgument: "PLACE: field `PATH`: what".
  template <typename... Args>
  absl::Status Refuse(std::string_view path, const Args&... what) const {
    return base::Invalid(Of(path), ": field `", path, "`: ", what...);
  }

 private:
  std::string file_;
  std::map<std::string, std::string, std::less<>> places_;
};

}  // namespace spillway::sim
