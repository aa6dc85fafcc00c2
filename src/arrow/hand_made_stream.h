// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams put together message by message, for tests of what our writer never writes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/arrow/metadata_generated.h"
#include "src/base/little_endian.h"

namespace spillway::arrow {

inline constexpr std::string_view kEndMark("\xff\xff\xff\xff\0\0\0\0", 8);

struct HandMadeMessage {
  flatbuffers::FlatBufferBuilder builder;
  std::string body;

  void Finish(metadata::Header tag, flatbuffers::Offset<void> header,
              metadata::Version version = metadata::Version::V5) {
    builder.Finish(
        metadata::CreateMessage(builder, version, tag, header, static_cast<int64_t>(body.size())));
  }
  // The message with its frame and body.
  std::string Framed() const {
    std::string out(8, '\xff');
    const uint32_t size = (builder.GetSize() + 7) / 8 * 8;
    base::Store(out.data() + 4, size);
    out.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    out.resize(8 + size, '\0');
    return out + body;
  }
};

// A record batch with its frame.
inline std::string HandMadeBatch(int64_t rows, const std::vector<metadata::FieldNode>& nodes,
                                 const std::vector<metadata::Buffer>& buffers, std::string body) {
  HandMadeMessage message;
  message.body = std::move(body);
  const auto node_list = message.builder.CreateVectorOfStructs(nodes);
  const auto buffer_list = message.builder.CreateVectorOfStructs(buffers);
  message.Finish(
      metadata::Header::RecordBatch,
      metadata::CreateRecordBatch(message.builder, rows, node_list, buffer_list).Union());
  return message.Framed();
}

}  // namespace spillway::arrow
