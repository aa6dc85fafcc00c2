// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/stream_writer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/arrow/array_writer.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/buffer.h"

namespace spillway::arrow {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr uint32_t kContinuation = 0xffffffff;
constexpr size_t kPrefix = 2 * sizeof(uint32_t);
constexpr std::string_view kEnd("\xff\xff\xff\xff\0\0\0\0", kPrefix);

// The message `header`, framed and padded, without its body.
std::string Frame(FlatBufferBuilder& builder, metadata::Header tag, Offset<void> header,
                  int64_t body_bytes) {
  metadata::MessageBuilder message(builder);
  message.add_version(metadata::Version::V5);
  message.add_header_type(tag);
  message.add_body_length(body_bytes);
  message.add_header(header);
  builder.Finish(message.Finish());

  constexpr auto kAlignment = static_cast<size_t>(ArrayWriter::kAlignment);
  const size_t size = (kPrefix + builder.GetSize() + kAlignment - 1) / kAlignment * kAlignment;
  std::string out(size, '\0');
  base::Store(out.data(), kContinuation);
  base::Store(out.data() + sizeof(uint32_t), static_cast<uint32_t>(size - kPrefix));
  std::copy_n(builder.GetBufferPointer(), builder.GetSize(), out.begin() + kPrefix);
  return out;
}

}  // namespace

absl::StatusOr<StreamWriter> StreamWriter::Create(vector::TypePtr schema,
                                                  StreamWriterOptions options) {
  SPILLWAY_RETURN_IF_ERROR(base::In("Arrow stream", CheckFields(*schema, options.fields)));
  return StreamWriter(std::move(schema), std::move(options));
}

StreamWriter::StreamWriter(vector::TypePtr schema, StreamWriterOptions options)
    : schema_(std::move(schema)), options_(std::move(options)) {
  FlatBufferBuilder builder;
  const auto table = BuildSchema(*schema_, options_.fields, builder);
  schema_message_ = std::make_shared<const std::string>(
      Frame(builder, metadata::Header::Schema, table.Union(), 0));
}

void StreamWriter::AppendEnd(Pieces& out) { out.Borrow(kEnd); }

absl::Status StreamWriter::AppendBatch(const vector::Batch& batch, Pieces& out) const {
  if (batch.schema() != schema_ && !(*batch.schema() == *schema_)) {
    return base::Invalid("Arrow stream: a batch of ", batch.schema()->ToString(), " for ",
                         schema_->ToString());
  }
  Pieces body;
  ArrayWriter columns(body, options_.max_bytes);
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    SPILLWAY_RETURN_IF_ERROR(
        base::In(base::Cat("Arrow stream: column ", i, " `", schema_->names()[i], "`"),
                 columns.Write(batch.columns()[i])));
  }
  for (const int32_t column : options_.fields.required) {
    const int64_t nulls = batch.column(static_cast<size_t>(column)).null_count();
    if (nulls > 0) {
      return base::Invalid("Arrow stream: column ", column, " `", schema_->names()[column],
                           "` is required and has ", nulls, " nulls");
    }
  }

  FlatBufferBuilder builder(1024);
  const auto buffers = builder.CreateVectorOfStructs(columns.buffers());
  const auto nodes = builder.CreateVectorOfStructs(columns.nodes());
  metadata::RecordBatchBuilder table(builder);
  table.add_length(batch.rows());
  table.add_nodes(nodes);
  table.add_buffers(buffers);
  out.Share(vector::Buffer::Own(
      Frame(builder, metadata::Header::RecordBatch, table.Finish().Union(), columns.body_bytes())));
  out.Append(std::move(body));
  return absl::OkStatus();
}

absl::Status StreamWriter::AppendStream(const vector::Batch& batch, Pieces& out) const {
  AppendSchema(out);
  SPILLWAY_RETURN_IF_ERROR(AppendBatch(batch, out));
  AppendEnd(out);
  return absl::OkStatus();
}

}  // namespace spillway::arrow
