// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/stream_reader.h"

#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::arrow {
namespace {

using base::Invalid;
using base::Load;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;

constexpr uint32_t kContinuation = 0xffffffff;
constexpr int64_t kPrefix = 2 * sizeof(uint32_t);
// A level of nesting is a Field and the list that it stands in.
constexpr uint32_t kTablesDeep = 4 * 64 + 16;
// Schemas have two tables a field; without a bound a few bytes could name one table very often.
constexpr uint32_t kMaxTables = 1 << 18;

// Adds the fields, at any depth, whose values are a dictionary, by its id; the first of several.
void FindDictionaries(const std::vector<Field>& fields,
                      absl::flat_hash_map<int64_t, const Field*>& found) {
  for (const Field& field : fields) {
    if (field.dictionary.has_value()) found.try_emplace(field.dictionary->id, &field);
    FindDictionaries(field.children, found);
  }
}

// FlatBuffers' verifier looks at the alignment of everything but structs in lists.
template <typename Vector>
bool IsAligned(const Vector* list) {
  return list == nullptr || list->size() == 0 ||
         reinterpret_cast<uintptr_t>(list->Data()) % alignof(int64_t) == 0;
}

absl::Status CheckBatch(const metadata::RecordBatch& batch) {
  if (batch.compression() != nullptr) return absl::UnimplementedError("a compressed body");
  if (!IsAligned(batch.nodes()) || !IsAligned(batch.buffers())) {
    return Invalid("field nodes or buffers at an odd address");
  }
  return absl::OkStatus();
}

}  // namespace

struct StreamReader::Message {
  // Aligned as FlatBuffers need it, which the stream need not be.
  std::unique_ptr<uint64_t[]> bytes;
  Buffer body;

  const metadata::Message& get() const { return *metadata::GetMessage(bytes.get()); }
};

absl::StatusOr<StreamReader> StreamReader::Open(Buffer stream, StreamReaderOptions options) {
  StreamReader reader(std::move(stream));
  SPILLWAY_RETURN_IF_ERROR(reader.At(reader.ReadSchemaMessage(options.max_depth)));
  return reader;
}

absl::Status StreamReader::At(absl::Status status) const {
  if (status.ok()) return status;
  return base::AtByte(base::In(base::Cat("Arrow stream: message ", message_), std::move(status)),
                      start_, stream_.size());
}

absl::StatusOr<std::optional<StreamReader::Message>> StreamReader::NextMessage() {
  ++message_;
  start_ = position_;
  const int64_t rest = stream_.size() - position_;
  if (rest < kPrefix) return Invalid("the stream ends without its end mark");
  const uint8_t* const at = stream_.data() + position_;
  if (Load<uint32_t>(at) != kContinuation) {
    return Invalid("no continuation mark, which every message since Arrow 0.15 begins with");
  }
  const auto length = int64_t{Load<int32_t>(at + sizeof(uint32_t))};
  if (length == 0) return std::nullopt;
  if (length < 0 || length > rest - kPrefix) {
    return Invalid("metadata of ", length, " bytes, ", rest - kPrefix, " remain");
  }
  Message message;
  message.bytes = std::make_unique<uint64_t[]>(static_cast<size_t>(length + 7) / 8);
  std::memcpy(message.bytes.get(), at + kPrefix, static_cast<size_t>(length));
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(message.bytes.get()),
                                 static_cast<size_t>(length), kTablesDeep, kMaxTables);
  if (!metadata::VerifyMessageBuffer(verifier)) {
    return Invalid("the metadata are no FlatBuffer of an Arrow message");
  }
  const metadata::Message& header = message.get();
  if (header.version() != metadata::Version::V5) {
    return absl::UnimplementedError(
        base::Cat("metadata version ", static_cast<int>(header.version()) + 1, ", not 5"));
  }
  const int64_t body = header.body_length();
  if (body < 0 || body > rest - kPrefix - length) {
    return Invalid("a body of ", body, " bytes, ", rest - kPrefix - length, " remain");
  }
  message.body = stream_.Slice(position_ + kPrefix + length, body);
  position_ += kPrefix + length + body;
  return message;
}

absl::Status StreamReader::ReadSchemaMessage(int max_depth) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::optional<Message> message, NextMessage());
  if (!message.has_value()) return Invalid("the stream ends before its schema");
  const metadata::Schema* const schema = message->get().header_as_Schema();
  if (schema == nullptr) return Invalid("the first message is no schema");
  SPILLWAY_ASSIGN_OR_RETURN(fields_, ReadSchema(*schema, max_depth));
  FindDictionaries(fields_, dictionary_fields_);
  schema_ = SchemaOf(fields_);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Batch>> StreamReader::Next() {
  if (done_) return absl::FailedPreconditionError("Arrow stream: read beyond its end");
  absl::StatusOr<std::optional<Batch>> batch = NextBatch();
  done_ = !batch.ok() || !batch->has_value();
  if (!batch.ok()) return At(std::move(batch).status());
  return batch;
}

absl::StatusOr<std::optional<Batch>> StreamReader::NextBatch() {
  while (true) {
    SPILLWAY_ASSIGN_OR_RETURN(const std::optional<Message> message, NextMessage());
    if (!message.has_value()) {
      const int64_t behind = stream_.size() - position_ - kPrefix;
      if (behind != 0) return Invalid(behind, " bytes left over behind the end mark");
      return std::nullopt;
    }
    const metadata::Message& header = message->get();
    if (const auto* batch = header.header_as_RecordBatch()) {
      SPILLWAY_ASSIGN_OR_RETURN(Batch out, ReadBatch(*batch, message->body));
      return out;
    }
    const auto* dictionary = header.header_as_DictionaryBatch();
    if (dictionary == nullptr) {
      return Invalid("a message of kind ", static_cast<int>(header.header_type()),
                     " where a batch is expected");
    }
    SPILLWAY_RETURN_IF_ERROR(base::In(base::Cat("dictionary ", dictionary->id()),
                                      ReadDictionary(*dictionary, message->body)));
  }
}

absl::Status StreamReader::ReadDictionary(const metadata::DictionaryBatch& in, const Buffer& body) {
  if (in.is_delta()) return absl::UnimplementedError("a delta");
  if (in.data() == nullptr) return Invalid("no values");
  SPILLWAY_RETURN_IF_ERROR(CheckBatch(*in.data()));
  const auto field = dictionary_fields_.find(in.id());
  if (field == dictionary_fields_.end()) return Invalid("no field has it");
  Field values = *field->second;
  values.dictionary.reset();
  ArrayReader columns(*in.data(), body, dictionaries_);
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr column, columns.Read(values, in.data()->length()));
  SPILLWAY_RETURN_IF_ERROR(columns.ExpectEnd());
  dictionaries_[in.id()] = column;
  return absl::OkStatus();
}

absl::StatusOr<Batch> StreamReader::ReadBatch(const metadata::RecordBatch& in,
                                              const Buffer& body) const {
  SPILLWAY_RETURN_IF_ERROR(CheckBatch(in));
  if (in.length() < 0 || in.length() > std::numeric_limits<int32_t>::max()) {
    return Invalid("a batch of ", in.length(), " rows");
  }
  ArrayReader columns(in, body, dictionaries_);
  std::vector<ColumnPtr> out;
  for (const Field& field : fields_) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, columns.Read(field, in.length()));
    out.push_back(std::move(column));
  }
  SPILLWAY_RETURN_IF_ERROR(columns.ExpectEnd());
  return Batch(schema_, in.length(), std::move(out));
}

}  // namespace spillway::arrow
