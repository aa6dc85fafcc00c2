// SPDX-License-Identifier: Apache-2.0
#include "src/vector/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace spillway::vector {
namespace {

constexpr int64_t kAlignment = 64;

}  // namespace

Buffer Buffer::Own(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view view = *owner;
  return Share(view, std::move(owner));
}

Buffer Buffer::Copy(std::string_view bytes) {
  MutableBuffer copy(static_cast<int64_t>(bytes.size()));
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return std::move(copy).Freeze();
}

Buffer Buffer::Share(std::string_view bytes, std::shared_ptr<const void> owner) {
  Buffer out = Borrow(bytes);
  out.owner_ = std::move(owner);
  return out;
}

Buffer Buffer::Borrow(std::string_view bytes) {
  Buffer out;
  out.data_ = reinterpret_cast<const uint8_t*>(bytes.data());
  out.size_ = static_cast<int64_t>(bytes.size());
  out.allocation_ = {out.data_, out.size_};
  return out;
}

Buffer Buffer::Slice(int64_t offset, int64_t size) const {
  Buffer out = *this;
  out.data_ = data_ == nullptr ? nullptr : data_ + offset;
  out.size_ = size;
  return out;
}

Buffer Buffer::ChargedTo(const Buffer& other) const {
  Buffer out = *this;
  out.allocation_ = other.allocation_;
  out.owner_ = std::make_shared<const std::pair<Buffer, Buffer>>(*this, other);
  return out;
}

MutableBuffer::MutableBuffer(int64_t size, int64_t capacity)
    : size_(size), capacity_(std::max(size, capacity)) {
  const int64_t bytes = (size + kSlack + kAlignment - 1) / kAlignment * kAlignment;
  auto* memory = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  memory_ = std::shared_ptr<uint8_t>(memory, std::free);
  data_ = memory;
}

Buffer MutableBuffer::Freeze(int64_t size) && {
  Buffer out;
  out.data_ = data_;
  out.size_ = size;
  out.allocation_ = {data_, capacity_};
  out.owner_ = std::move(memory_);
  return out;
}

}  // namespace spillway::vector
