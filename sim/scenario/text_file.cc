// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/text_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {

std::string UserPath(std::string_view path) {
  const char* const directory = std::getenv("BUILD_WORKING_DIRECTORY");
  if (directory == nullptr) return std::string(path);
  return (std::filesystem::path(directory) / path).string();
}

absl::StatusOr<std::string> ReadText(const std::string& path, int64_t max_bytes) {
  constexpr int64_t kPiece = int64_t{1} << 20;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(base::Cat("there is no file ", path));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text;
  while (in.good() && static_cast<int64_t>(text.size()) <= max_bytes) {
    const size_t size = text.size();
    // One byte over the limit tells that there is more.
    text.resize(size + std::min(kPiece, max_bytes - static_cast<int64_t>(size) + 1));
    in.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<size_t>(in.gcount()));
  }
  if (in.bad() || text.empty()) {
    return absl::NotFoundError(base::Cat(path, " is empty or cannot be read"));
  }
  if (static_cast<int64_t>(text.size()) > max_bytes) {
    return base::Invalid(path, " has more than ", max_bytes, " bytes");
  }
  return text;
}

}  // namespace spillway::sim
