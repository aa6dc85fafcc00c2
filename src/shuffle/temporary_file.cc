// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/temporary_file.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "src/base/strings.h"

namespace spillway::shuffle {

absl::StatusOr<base::File> CreateTemporary(base::FileSystem& files, std::string_view stem) {
  constexpr int kAttempts = 1000;
  static std::atomic<uint64_t> next = 0;
  for (int attempt = 1;; ++attempt) {
    const std::string path = base::Cat(stem, ".", getpid(), "-", next++, ".tmp");
    absl::StatusOr<base::File> file = base::File::Open(files, path, base::OpenMode::kCreate);
    const bool taken = file.status().code() == absl::StatusCode::kAlreadyExists;
    if (!taken || attempt == kAttempts) return file;
  }
}

}  // namespace spillway::shuffle
