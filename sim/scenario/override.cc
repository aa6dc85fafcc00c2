// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/override.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
#include "sim/scenario/text_errors.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;

struct Segment {
  std::string name;
  std::optional<int> index;
};

// "tasks[0]" or "tasks".
absl::StatusOr<Segment> ParseSegment(std::string_view text) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos) return Segment{std::string(text), std::nullopt};
  int index = 0;
  if (text.back() != ']' ||
      !absl::SimpleAtoi(base::ToAbsl(text.substr(open + 1, text.size() - open - 2)), &index) ||
      index < 0) {
    return base::Invalid("`", text, "` is not a field with an index, as `tasks[0]` is");
  }
  return Segment{std::string(text.substr(0, open)), index};
}

absl::StatusOr<const FieldDescriptor*> FindField(const Message& message, const std::string& name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  if (field != nullptr) return field;
  std::vector<std::string> names;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    names.push_back(message.GetDescriptor()->field(i)->name());
  }
  return base::Invalid("there is no field `", name, "` here, but ", absl::StrJoin(names, ", "));
}

// The message that `segment` of `message` names; adds to `path` how Places writes it.
absl::StatusOr<Message*> Descend(Message& message, const Segment& segment, std::string& path) {
  SPILLWAY_ASSIGN_OR_RETURN(const FieldDescriptor* field, FindField(message, segment.name));
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return base::Invalid("field `", segment.name, "` is a value and has no fields");
  }
  const Reflection& reflection = *message.GetReflection();
  path += base::Cat(path.empty() ? "" : ".", segment.name);
  if (!field->is_repeated()) {
    if (segment.index.has_value()) {
      return base::Invalid("field `", segment.name, "` is not a list");
    }
    return reflection.MutableMessage(&message, field);
  }
  const int size = reflection.FieldSize(message, field);
  if (!segment.index.has_value() && size != 1) {
    return base::Invalid("field `", segment.name, "` has ", size, " elements; say which, as in `",
                         segment.name, "[0]`");
  }
  const int index = segment.index.value_or(0);
  if (index >= size) {
    return base::Invalid("field `", segment.name, "` has ", size, " elements, so there is no [",
                         index, "]");
  }
  path += base::Cat("[", index, "]");
  return reflection.MutableRepeatedMessage(&message, field, index);
}

absl::Status Assign(Message& message, const std::string& name, std::string_view value,
                    std::string& path) {
  SPILLWAY_ASSIGN_OR_RETURN(const FieldDescriptor* field, FindField(message, name));
  path += base::Cat(path.empty() ? "" : ".", name);
  const bool bare = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
                    (value.empty() || (value.front() != '"' && value.front() != '\''));
  const std::string text =
      bare ? base::Cat(name, ": \"", absl::CEscape(base::ToAbsl(value)), "\"")
           : base::Cat(name, ": ", value);
  FirstError errors;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowPartialMessage(true);
  const std::unique_ptr<Message> parsed(message.New());
  if (!parser.ParseFromString(text, parsed.get())) return base::Invalid(errors.message());
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(*parsed, &fields);
  for (const FieldDescriptor* set : fields) {
    // A value may be followed by more text.
    if (set != field) {
      return base::Invalid("this sets `", set->name(), "` too; one --set sets one field");
    }
  }
  reflection.ClearField(&message, field);
  message.MergeFrom(*parsed);
  return absl::OkStatus();
}

absl::Status Apply(std::string_view assignment, Message& scenario, std::string& path) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) return base::Invalid("this is not FIELD=VALUE");
  std::string_view fields = assignment.substr(0, equals);
  Message* message = &scenario;
  for (size_t dot = fields.find('.'); dot != std::string_view::npos; dot = fields.find('.')) {
    SPILLWAY_ASSIGN_OR_RETURN(const Segment segment, ParseSegment(fields.substr(0, dot)));
    SPILLWAY_ASSIGN_OR_RETURN(message, Descend(*message, segment, path));
    fields.remove_prefix(dot + 1);
  }
  return Assign(*message, std::string(fields), assignment.substr(equals + 1), path);
}

}  // namespace

absl::Status ApplyOverride(std::string_view assignment, Message& scenario, Places& places) {
  const std::string place = base::Cat("--set ", assignment);
  std::string path;
  SPILLWAY_RETURN_IF_ERROR(base::In(place, Apply(assignment, scenario, path)));
  places.Replace(path, place);
  return absl::OkStatus();
}

}  // namespace spillway::sim
