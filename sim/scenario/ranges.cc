// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/ranges.h"

#include <cstdint>
#include <optional>
#include <string>

#include "google/protobuf/descriptor.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;

std::string PathOf(const std::string& parent, const FieldDescriptor& field, int index) {
  std::string path = parent.empty() ? field.name() : base::Cat(parent, ".", field.name());
  return index < 0 ? path : base::Cat(path, "[", index, "]");
}

// Calls `visit(index)` for each element of a repeated field, or visit(-1) for one that is set.
template <typename Visit>
void ForEach(const Message& message, const FieldDescriptor& field, Visit visit) {
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) visit(i);
  } else if (reflection.HasField(message, &field)) {
    visit(-1);
  }
}

const Message& Nested(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  return index < 0 ? reflection.GetMessage(message, &field)
                   : reflection.GetRepeatedMessage(message, &field, index);
}

// What `range` speaks of: an integer's value, a string's length; nothing for other types.
std::optional<int64_t> Measure(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return index < 0 ? reflection.GetInt32(message, &field)
                       : reflection.GetRepeatedInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return index < 0 ? reflection.GetInt64(message, &field)
                       : reflection.GetRepeatedInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_STRING:
      return static_cast<int64_t>(
          (index < 0 ? reflection.GetString(message, &field)
                     : reflection.GetRepeatedString(message, &field, index)).size());
    default:
      return std::nullopt;
  }
}

absl::Status CheckValue(const Message& message, const FieldDescriptor& field, int index,
                        const std::string& path, const Places& places) {
  if (!field.options().HasExtension(range)) return absl::OkStatus();
  const std::optional<int64_t> value = Measure(message, field, index);
  if (!value.has_value()) return absl::OkStatus();
  const Range& bounds = field.options().GetExtension(range);
  if (*value >= bounds.min() && (!bounds.has_max() || *value <= bounds.max())) {
    return absl::OkStatus();
  }
  const bool text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  return places.Refuse(path, text ? "a text of " : "", *value, text ? " bytes" : "",
                       " is outside ", bounds.min(), " to ", bounds.max());
}

}  // namespace

void NotePlaces(const Message& message, const TextFormat::ParseInfoTree& tree,
                const std::string& file, const std::string& path, Places& places) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    TextFormat::ParseLocation location;
    ForEach(message, field, [&](int index) {
      const std::string at = PathOf(path, field, index);
      // A list in brackets has one location, which the parser gives to its first element.
      const TextFormat::ParseLocation own = tree.GetLocation(&field, index);
      if (own.line >= 0) location = own;
      if (location.line >= 0) {
        places.Add(at, base::Cat(file, ":", location.line + 1, ":", location.column + 1));
      }
      if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return;
      if (const auto* nested = tree.GetTreeForNested(&field, index)) {
        NotePlaces(Nested(message, field, index), *nested, file, at, places);
      }
    });
  }
}

absl::Status CheckRanges(const Message& message, const std::string& path, const Places& places) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    int elements = 0;
    absl::Status status;
    ForEach(message, field, [&](int index) {
      ++elements;
      if (!status.ok()) return;
      const std::string at = PathOf(path, field, index);
      status = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE
                   ? CheckRanges(Nested(message, field, index), at, places)
                   : CheckValue(message, field, index, at, places);
    });
    SPILLWAY_RETURN_IF_ERROR(status);
    if (elements == 0 && field.options().GetExtension(needed)) {
      return places.Refuse(PathOf(path, field, -1),
                           field.is_repeated() ? "needs at least one" : "must be given");
    }
    if (field.options().HasExtension(most) && elements > field.options().GetExtension(most)) {
      return places.Refuse(PathOf(path, field, -1), elements, " of them are more than ",
                           field.options().GetExtension(most));
    }
  }
  return absl::OkStatus();
}

}  // namespace spillway::sim
