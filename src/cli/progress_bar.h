// SPDX-License-Identifier: Apache-2.0
#pragma once
// A bar with the time left on stderr, where somebody watches; nothing where nobody does.

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace spillway::cli {

class ProgressBar {
 public:
  // `done` of `total`, in any unit; both positive. Done when they are equal.
  void operator()(int64_t done, int64_t total) const {
    if (!terminal_) return;
    constexpr int kWidth = 40;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    const double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const int filled = static_cast<int>(share * kWidth);
    std::fprintf(stderr, "\r[%s%s] %3d %%, %.0f s left ", std::string(filled, '#').c_str(),
                 std::string(kWidth - filled, '.').c_str(), static_cast<int>(share * 100),
                 passed / share - passed);
    if (done == total) Clear();
  }

  // Takes the bar away, for a message.
  void Clear() const {
    if (terminal_) std::fprintf(stderr, "\r%70s\r", "");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace spillway::cli
