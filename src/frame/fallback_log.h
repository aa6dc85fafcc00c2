// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts what fell back, and warns of it without flooding a log (apache/gluten#12183).

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

#include "absl/status/status.h"

namespace spillway::frame {

// Thread-safe.
class FallbackLog {
 public:
  static constexpr int64_t kMaxWarnings = 100;
  // Takes one line. Called by one thread at a time; must not call back.
  using Sink = std::function<void(std::string_view line)>;

  explicit FallbackLog(Sink sink, int64_t max_warnings = kMaxWarnings)
      : sink_(std::move(sink)), max_warnings_(max_warnings) {}
  ~FallbackLog() { Finish(); }
  FallbackLog(const FallbackLog&) = delete;
  FallbackLog& operator=(const FallbackLog&) = delete;

  // One batch fell back because of `why`. The first max_warnings have a line each, the last of
  // which says that it is the last.
  void Add(const absl::Status& why);

  int64_t count() const;

  // If not all had a line of their own, one line with the numbers. Once.
  void Finish();

 private:
  mutable std::mutex mutex_;
  Sink sink_;
  int64_t max_warnings_;
  int64_t count_ = 0;
  bool finished_ = false;
};

}  // namespace spillway::frame
