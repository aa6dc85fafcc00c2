// SPDX-License-Identifier: Apache-2.0
#pragma once
// A bounded cursor over bytes whose errors know where they are.

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"

namespace spillway::base {

// Reads little-endian integers and byte ranges off a region. Borrows the bytes.
// A reader of a part of a larger input (`Sub`) keeps reporting offsets of the whole.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes)
      : ByteReader(bytes, 0, static_cast<int64_t>(bytes.size())) {}

  // Over a copy of the bytes at `origin` of an input of `total` bytes, whose offsets it reports.
  ByteReader(std::string_view bytes, int64_t origin, int64_t total)
      : bytes_(bytes), origin_(origin), total_(total) {}

  int64_t remaining() const { return static_cast<int64_t>(bytes_.size()) - position_; }
  bool at_end() const { return remaining() == 0; }

  // Offset of the next byte: within this reader's region, and within the outermost input.
  int64_t position() const { return position_; }
  int64_t offset() const { return origin_ + position_; }
  int64_t total() const { return total_; }  // size of the outermost input

  const uint8_t* cursor() const {
    return reinterpret_cast<const uint8_t*>(bytes_.data()) + position_;
  }

  // InvalidArgument naming `what`, how much it needs and how much is left, unless `bytes` remain.
  // A negative `bytes` is refused too.
  absl::Status Need(int64_t bytes, std::string_view what) const {
    if (bytes >= 0 && bytes <= remaining()) return absl::OkStatus();
    return TooShort(bytes, what);
  }

  template <typename T>
  absl::StatusOr<T> Read(std::string_view what) {
    SPILLWAY_RETURN_IF_ERROR(Need(sizeof(T), what));
    const T value = Load<T>(cursor());
    position_ += sizeof(T);
    return value;
  }

  absl::StatusOr<std::string_view> ReadBytes(int64_t bytes, std::string_view what) {
    SPILLWAY_RETURN_IF_ERROR(Need(bytes, what));
    const std::string_view out = bytes_.substr(position_, bytes);
    position_ += bytes;
    return out;
  }

  // Reads `bytes` bytes as a reader of their own, bounded to them.
  absl::StatusOr<ByteReader> Sub(int64_t bytes, std::string_view what) {
    const int64_t at = offset();
    SPILLWAY_ASSIGN_OR_RETURN(const std::string_view region, ReadBytes(bytes, what));
    return ByteReader(region, at, total_);
  }

  // Moves past bytes whose presence Need() has shown.
  void Skip(int64_t bytes) { position_ += bytes; }

  // `status` at byte `at` (an offset of the outermost input).
  absl::Status At(int64_t at, absl::Status status) const {
    return AtByte(std::move(status), at, total_);
  }
  // `what` as InvalidArgument at byte `at`.
  template <typename... Args>
  absl::Status ErrorAt(int64_t at, const Args&... what) const {
    return At(at, Invalid(what...));
  }

  // InvalidArgument unless every byte of the region has been read.
  absl::Status ExpectEnd(std::string_view region_name) const;

 private:
  absl::Status TooShort(int64_t bytes, std::string_view what) const;

  std::string_view bytes_;
  int64_t position_ = 0;
  int64_t origin_;  // of bytes_[0] in the outermost input
  int64_t total_;   // size of the outermost input
};

}  // namespace spillway::base
