// SPDX-License-Identifier: Apache-2.0
#pragma once
// What reading a batch message needs at every level: places of fields in the text that the message
// came from, the memory bound, and the allocations named so far. A part of batch_proto.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
#include "src/base/status.h"
#include "src/vector/batch.pb.h"
#include "src/vector/buffer.h"

namespace spillway::vector {

// Counted from 1. Line 0: the message did not come from text.
struct TextPosition {
  int line = 0;
  int column = 0;
};

// A message and where it stands in its text.
class Place {
 public:
  using Tree = google::protobuf::TextFormat::ParseInfoTree;

  // `tree` may be null; otherwise it outlives the place.
  Place(const google::protobuf::Descriptor* message, const Tree* tree, TextPosition at)
      : message_(message), tree_(tree), at_(at) {}

  const TextPosition& at() const { return at_; }
  // The field's position, or the message's own if the field is not in the text. `index` is an
  // entry of a repeated field, whatever its name is in batch.proto.
  TextPosition Of(std::string_view field, int index = 0) const;
  // The message in that field.
  Place Inside(std::string_view field, int index = 0) const;

 private:
  const google::protobuf::FieldDescriptor& Field(std::string_view name) const;

  const google::protobuf::Descriptor* message_;
  const Tree* tree_;
  TextPosition at_;
};

class ProtoContext {
 public:
  explicit ProtoContext(int64_t max_bytes) : max_bytes_(max_bytes), bytes_left_(max_bytes) {}

  // InvalidArgument that says `what`. The first failure's position is kept.
  template <typename... What>
  absl::Status Fail(TextPosition at, const What&... what) {
    return Keep(at, base::Invalid(what...));
  }
  absl::Status Keep(TextPosition at, absl::Status failure);
  TextPosition failed_at() const { return failed_at_.value_or(TextPosition()); }

  // Zeroed memory for a buffer that `buffers` describes under the name `field`.
  absl::StatusOr<MutableBuffer> Allocate(int64_t size, const proto::Memory& memory,
                                         const Place& buffers, std::string_view field);
  // The filled buffer, in the allocation that `memory` names.
  Buffer Seal(MutableBuffer filled, const proto::Memory& memory);

 private:
  struct Named {
    int64_t capacity;
    std::optional<Buffer> first;  // once it is filled
  };

  const int64_t max_bytes_;
  int64_t bytes_left_;
  std::optional<TextPosition> failed_at_;
  std::map<int32_t, Named> allocations_;
};

}  // namespace spillway::vector
