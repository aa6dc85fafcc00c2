// SPDX-License-Identifier: Apache-2.0
#include "src/vector/proto_context.h"

#include <cstring>
#include <string>
#include <utility>

namespace spillway::vector {
namespace {

constexpr int64_t kMaxCapacity = int64_t{1} << 40;

}  // namespace

const google::protobuf::FieldDescriptor& Place::Field(std::string_view name) const {
  return *message_->FindFieldByName(std::string(name));
}

TextPosition Place::Of(std::string_view field, int index) const {
  if (tree_ == nullptr) return at_;
  const google::protobuf::FieldDescriptor& descriptor = Field(field);
  // [1, 2, 3] has one position, that of the list; it is recorded for the first entry.
  for (int i = descriptor.is_repeated() ? index : -1; i >= -1; --i) {
    const auto found = tree_->GetLocation(&descriptor, i);
    if (found.line >= 0) return {found.line + 1, found.column + 1};
    if (i <= 0) break;
  }
  return at_;
}

Place Place::Inside(std::string_view field, int index) const {
  const google::protobuf::FieldDescriptor& descriptor = Field(field);
  const Tree* tree =
      tree_ == nullptr
          ? nullptr
          : tree_->GetTreeForNested(&descriptor, descriptor.is_repeated() ? index : -1);
  return Place(descriptor.message_type(), tree, Of(field, index));
}

absl::Status ProtoContext::Keep(TextPosition at, absl::Status failure) {
  if (!failed_at_) failed_at_ = at;
  return failure;
}

absl::StatusOr<MutableBuffer> ProtoContext::Allocate(int64_t size, const proto::Memory& memory,
                                                     const Place& buffers,
                                                     std::string_view field) {
  Named* named = nullptr;
  if (memory.has_allocation()) {
    const auto found = allocations_.find(memory.allocation());
    if (found != allocations_.end()) named = &found->second;
  }
  const int64_t capacity = memory.has_capacity() ? memory.capacity()
                           : named != nullptr    ? named->capacity
                                                 : size;
  if (capacity < size) {
    return Fail(buffers.Of(field), "buffers.", field, ": capacity ", capacity,
                " is below the buffer's ", size, " bytes");
  }
  if (capacity > kMaxCapacity) {
    return Fail(buffers.Of(field), "buffers.", field, ": capacity ", capacity,
                " is above the limit of ", kMaxCapacity);
  }
  if (named != nullptr && capacity != named->capacity) {
    return Fail(buffers.Of(field), "buffers.", field, ": capacity ", capacity,
                ", but allocation ", memory.allocation(), " had ", named->capacity, " before");
  }
  if (size > bytes_left_) {
    return Keep(buffers.Of(field),
                base::Exhausted("buffers.", field, ": ", size,
                                " bytes more make the batch larger than the limit of ",
                                max_bytes_));
  }
  bytes_left_ -= size;
  if (memory.has_allocation() && named == nullptr) {
    allocations_[memory.allocation()] = {capacity, std::nullopt};
  }
  MutableBuffer out(size, capacity);
  std::memset(out.data(), 0, size);
  return out;
}

Buffer ProtoContext::Seal(MutableBuffer filled, const proto::Memory& memory) {
  Buffer buffer = std::move(filled).Freeze();
  if (!memory.has_allocation()) return buffer;
  std::optional<Buffer>& first = allocations_[memory.allocation()].first;
  if (first) return buffer.ChargedTo(*first);
  first = buffer;
  return buffer;
}

}  // namespace spillway::vector
