// SPDX-License-Identifier: Apache-2.0
#include "src/frame/fallback_log.h"

#include <string>

#include "src/base/strings.h"

namespace spillway::frame {

void FallbackLog::Add(const absl::Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++count_;
  if (count_ > max_warnings_) return;
  std::string line = base::Cat("a batch falls back: ", why.message());
  if (count_ == max_warnings_) line += " (further ones are counted, not shown)";
  sink_(line);
}

int64_t FallbackLog::count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

void FallbackLog::Finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (finished_ || count_ <= max_warnings_) return;
  finished_ = true;
  sink_(base::Cat(count_, " batches fell back, ", count_ - max_warnings_, " of them not shown"));
}

}  // namespace spillway::frame
