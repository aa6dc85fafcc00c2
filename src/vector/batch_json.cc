// SPDX-License-Identifier: Apache-2.0
#include "src/vector/batch_json.h"

#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/util/json_util.h"
#include "src/base/status.h"

namespace spillway::vector {

namespace {

namespace util = google::protobuf::util;

// Makes each number -0 a -0.0: protobuf takes the first for an integer and loses the sign.
std::string WithSignedZeros(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    out += json[i];
    if (quoted && json[i] == '\\' && i + 1 < json.size()) {
      out += json[++i];
    } else if (json[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && json[i] == '-' && json.substr(i + 1, 1) == "0") {
      out += json[++i];
      const std::string_view next = json.substr(i + 1, 1);
      if (next != "." && next != "e" && next != "E") out += ".0";
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<Batch> FromJson(std::string_view text, std::string_view file_name,
                               const FromProtoOptions& options) {
  proto::Batch message;
  const auto parsed = util::JsonStringToMessage(WithSignedZeros(text), &message);
  if (!parsed.ok()) {
    return base::Invalid(file_name, ": ",
                         std::string_view(parsed.message().data(), parsed.message().size()));
  }
  return base::In(file_name, FromProto(message, options));
}

absl::StatusOr<std::string> ToJson(const Batch& batch) {
  util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  const google::protobuf::LogSilencer silencer;  // a refusal is also a warning on stderr
  std::string out;
  const auto printed = util::MessageToJsonString(ToProto(batch), &out, options);
  if (!printed.ok()) {
    return base::Invalid("JSON: ",
                         std::string_view(printed.message().data(), printed.message().size()));
  }
  return WithSignedZeros(out);
}

}  // namespace spillway::vector
