// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes to a file by large calls.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/base/file_system.h"

namespace spillway::base {

// Keeps small writes in a buffer; what is long goes to the file from where it lies, together with
// what was kept before it. Bytes that were not flushed are lost with the writer.
class BufferedWriter {
 public:
  // The buffer's memory is taken at the first write that needs it. `buffer_bytes` 0: none.
  BufferedWriter(File file, int64_t buffer_bytes)
      : file_(std::move(file)), capacity_(static_cast<size_t>(buffer_bytes)) {}

  // Pieces of `size` bytes together. Fails as File::Write() does.
  absl::Status Write(std::span<const std::string_view> pieces, int64_t size);
  absl::Status Write(std::string_view bytes) {
    return Write({&bytes, 1}, static_cast<int64_t>(bytes.size()));
  }
  absl::Status Flush();

  // Bytes written so far, kept ones included.
  int64_t bytes() const { return bytes_; }
  File& file() { return file_; }
  const File& file() const { return file_; }
  int64_t resident_bytes() const {
    return buffer_ == nullptr ? 0 : static_cast<int64_t>(capacity_);
  }

 private:
  File file_;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  size_t kept_ = 0;
  int64_t bytes_ = 0;
  std::vector<std::string_view> call_;  // scratch
};

}  // namespace spillway::base
