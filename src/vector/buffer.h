// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes with identity. Memory accounting charges an allocation once, however
// many columns and slices look into it, so a buffer knows the allocation that it
// is a part of: start address and capacity (MEMORY section 1, "new buffers").

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spillway::vector {

// One block of memory. `capacity` is what was asked for, not what malloc gave.
struct Allocation {
  const uint8_t* address = nullptr;
  int64_t capacity = 0;
};

// A read-only view of a part of an allocation. Cheap to copy. Usually shares ownership of the
// allocation; a borrowed buffer (`Borrow`) does not, and must not outlive its bytes.
class Buffer {
 public:
  Buffer() = default;

  // Takes `bytes` over as an allocation whose capacity is its size.
  static Buffer Own(std::string bytes);
  static Buffer Copy(std::string_view bytes);
  // Bytes that somebody else keeps alive through `owner`; capacity is their size.
  static Buffer Share(std::string_view bytes, std::shared_ptr<const void> owner);
  static Buffer Borrow(std::string_view bytes);

  const uint8_t* data() const { return data_; }
  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_t(size_)}; }

  // False: the bytes are borrowed, and whoever keeps them beyond the call must copy them.
  bool owned() const { return owner_ != nullptr; }
  // The whole allocation that this is a part of. Address null: nothing is allocated.
  const Allocation& allocation() const { return allocation_; }
  // Ends with what keeps the bytes alive: tells an allocation from a later one at its address.
  // Never begins if they are borrowed.
  std::weak_ptr<const void> lifetime() const { return owner_; }

  // Bytes [offset, offset + size) of this buffer; the allocation stays the same.
  Buffer Slice(int64_t offset, int64_t size) const;

  // The same bytes, accounted as a part of `other`'s allocation, which is kept alive with them:
  // for a copy that stands for a column whose buffers shared one allocation.
  Buffer ChargedTo(const Buffer& other) const;

 private:
  friend class MutableBuffer;

  const uint8_t* data_ = nullptr;
  int64_t size_ = 0;
  Allocation allocation_;
  std::shared_ptr<const void> owner_;
};

// Memory that is being filled. Not zeroed. 64-byte aligned, with kSlack writable bytes behind its
// end that belong to no value, so that word-wise kernels may store whole words.
class MutableBuffer {
 public:
  static constexpr int64_t kSlack = 64;

  explicit MutableBuffer(int64_t size) : MutableBuffer(size, size) {}
  // `capacity` >= `size` is what accounting charges, for bytes that stand for a larger allocation.
  MutableBuffer(int64_t size, int64_t capacity);

  uint8_t* data() { return data_; }
  int64_t size() const { return size_; }

  // The filled bytes, cut to `size` <= size(); nothing may be written afterwards.
  Buffer Freeze(int64_t size) &&;
  Buffer Freeze() && { return std::move(*this).Freeze(size_); }

 private:
  std::shared_ptr<uint8_t> memory_;
  uint8_t* data_;
  int64_t size_;
  int64_t capacity_;
};

}  // namespace spillway::vector
