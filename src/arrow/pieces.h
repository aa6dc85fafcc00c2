// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes that lie in many places, for writers that gather: a message is its metadata, the columns'
// own buffers and padding, and none of that is copied to be written.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/vector/buffer.h"

namespace spillway::arrow {

// Shares every buffer until Clear(); what is borrowed must be alive as long.
class Pieces {
 public:
  void Borrow(std::string_view bytes) {
    if (bytes.empty()) return;
    list_.push_back(bytes);
    size_ += static_cast<int64_t>(bytes.size());
  }
  void Share(vector::Buffer bytes) {
    if (bytes.empty()) return;
    Borrow(bytes.view());
    shared_.push_back(std::move(bytes));
  }
  void Append(Pieces&& other);
  // `count` bytes of 0x00, or of 0xff.
  void Zeros(int64_t count);
  void Ones(int64_t count);

  std::span<const std::string_view> list() const { return list_; }
  int64_t size() const { return size_; }  // bytes
  std::string ToString() const;

  void Clear() {
    list_.clear();
    shared_.clear();
    size_ = 0;
  }

 private:
  std::vector<std::string_view> list_;
  std::vector<vector::Buffer> shared_;
  int64_t size_ = 0;
};

}  // namespace spillway::arrow
