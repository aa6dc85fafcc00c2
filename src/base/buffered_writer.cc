// SPDX-License-Identifier: Apache-2.0
#include "src/base/buffered_writer.h"

#include <algorithm>

#include "src/base/status.h"

namespace spillway::base {
namespace {

// Up to about this many bytes a copy is cheaper than a call of the system.
constexpr size_t kLongestCopy = size_t{16} << 10;

}  // namespace

absl::Status BufferedWriter::Write(std::span<const std::string_view> pieces, int64_t size) {
  bytes_ += size;
  const auto count = static_cast<size_t>(size);
  if (count > std::min(kLongestCopy, capacity_ / 4)) {
    call_.assign(1, {buffer_.get(), kept_});
    call_.insert(call_.end(), pieces.begin(), pieces.end());
    kept_ = 0;
    return file_.Write(call_);
  }
  if (count > capacity_ - kept_) SPILLWAY_RETURN_IF_ERROR(Flush());
  if (buffer_ == nullptr) buffer_.reset(new char[capacity_]);
  for (const std::string_view piece : pieces) {
    std::copy(piece.begin(), piece.end(), buffer_.get() + kept_);
    kept_ += piece.size();
  }
  return absl::OkStatus();
}

absl::Status BufferedWriter::Flush() {
  const std::string_view kept(buffer_.get(), std::exchange(kept_, 0));
  return file_.Write(kept);
}

}  // namespace spillway::base
