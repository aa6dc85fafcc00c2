// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/pieces.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace spillway::arrow {
namespace {

template <char value>
std::string_view Block() {
  static const auto block = [] {
    std::array<char, 4096> bytes;
    bytes.fill(value);
    return bytes;
  }();
  return {block.data(), block.size()};
}

void Fill(std::string_view block, int64_t count, Pieces& out) {
  for (; count > 0; count -= static_cast<int64_t>(block.size())) {
    out.Borrow(block.substr(0, static_cast<size_t>(count)));
  }
}

}  // namespace

void Pieces::Append(Pieces&& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
  std::move(other.shared_.begin(), other.shared_.end(), std::back_inserter(shared_));
  size_ += other.size_;
  other.Clear();
}

void Pieces::Zeros(int64_t count) { Fill(Block<'\0'>(), count, *this); }
void Pieces::Ones(int64_t count) { Fill(Block<'\xff'>(), count, *this); }

std::string Pieces::ToString() const {
  std::string out;
  out.reserve(static_cast<size_t>(size_));
  for (const std::string_view piece : list_) out.append(piece);
  return out;
}

}  // namespace spillway::arrow
