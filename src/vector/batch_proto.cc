// SPDX-License-Identifier: Apache-2.0
#include "src/vector/batch_proto.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/proto_context.h"
#include "src/vector/proto_reader.h"
#include "src/vector/proto_writer.h"

namespace spillway::vector {
namespace {

using google::protobuf::TextFormat;

// Messages within messages of a batch: two a level of nesting, and enough to tell a column that is
// too deep from one that is not.
constexpr int kMessageDepth = 2 * (kMaxColumnDepth + 1) + 4;

// The parser's first complaint.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  // Counts from 0; line -1 is the input as a whole.
  void AddError(int line, int column, const std::string& message) override {
    if (!message_) message_ = {{line + 1, column + 1}, message};
  }

  TextPosition at() const { return message_ ? message_->first : TextPosition(); }
  std::string_view message() const {
    if (!message_) return "not a batch";
    return message_->second;
  }

 private:
  std::optional<std::pair<TextPosition, std::string>> message_;
};

std::string Where(std::string_view file_name, TextPosition at) {
  return base::Cat(file_name, ":", std::max(at.line, 1), ":", std::max(at.column, 1));
}

class HexPrinter final : public TextFormat::FastFieldValuePrinter {
 public:
  void PrintUInt64(uint64_t value, TextFormat::BaseTextGenerator* generator) const override {
    generator->PrintString(absl::StrFormat("0x%x", value));
  }
};

}  // namespace

absl::StatusOr<Batch> FromProto(const proto::Batch& in, const FromProtoOptions& options) {
  ProtoContext context(options.max_bytes);
  return ReadBatch(context, in, Place(proto::Batch::descriptor(), nullptr, {}),
                   options.max_depth);
}

proto::Batch ToProto(const Batch& batch) { return WriteBatch(batch); }

absl::StatusOr<Batch> FromTextproto(std::string_view text, std::string_view file_name,
                                    const FromProtoOptions& options) {
  if (text.size() > std::numeric_limits<int>::max()) {
    return base::Exhausted(file_name, ": ", text.size(), " bytes, more than 2^31 - 1");
  }
  FirstError error;
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(kMessageDepth);
  proto::Batch in;
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &in)) {
    return base::Invalid(Where(file_name, error.at()), ": ", error.message());
  }
  ProtoContext context(options.max_bytes);
  auto batch = ReadBatch(context, in, Place(proto::Batch::descriptor(), &tree, {1, 1}),
                         options.max_depth);
  if (batch.ok()) return batch;
  return base::In(Where(file_name, context.failed_at()), std::move(batch).status());
}

std::string ToTextproto(const Batch& batch) {
  TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.RegisterFieldValuePrinter(proto::NanBits::descriptor()->FindFieldByName("bits"),
                                    new HexPrinter);  // the printer owns it
  std::string out;
  printer.PrintToString(ToProto(batch), &out);
  return out;
}

absl::StatusOr<Batch> FromBinaryProto(std::string_view bytes, const FromProtoOptions& options) {
  if (bytes.size() > std::numeric_limits<int>::max()) {
    return base::Exhausted("batch message: ", bytes.size(), " bytes, more than 2^31 - 1");
  }
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMessageDepth);
  proto::Batch in;
  // Whose log goes to stderr; what is wrong is in the status.
  const google::protobuf::LogSilencer silencer;
  if (!in.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return base::Invalid("batch message: not protobuf's binary form of a batch, or too deep");
  }
  // Skipping what a newer writer had to say could change what the rest means.
  const size_t size = in.ByteSizeLong();
  in.DiscardUnknownFields();
  if (in.ByteSizeLong() != size) {
    return base::Invalid("batch message: ", size - in.ByteSizeLong(),
                         " bytes of fields that batch.proto does not have");
  }
  return FromProto(in, options);
}

std::string ToBinaryProto(const Batch& batch) { return ToProto(batch).SerializeAsString(); }

}  // namespace spillway::vector
