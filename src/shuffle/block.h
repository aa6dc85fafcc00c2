// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shuffle blocks, the records of Comet's shuffle files (MEMORY section 9). Everything is
// little-endian:
//
//   length   u64: bytes behind this field, at most 2^31 - 1
//   fields   u64: columns of the schema
//   codec    4 bytes: NONE, LZ4_, ZSTD, SNAP
//   payload  one Arrow IPC stream of one record batch, compressed as a whole
//
// docs/memory/output.md has an example.

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/arrow/pieces.h"
#include "src/arrow/stream_writer.h"
#include "src/shuffle/block_codec.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

struct BlockOptions {
  BlockCodec codec = BlockCodec::kLz4;
  int zstd_level = 1;
  arrow::StreamWriterOptions stream = {};
};

// Makes blocks of one schema. Not thread-safe.
class BlockWriter {
 public:
  // Fails as arrow::StreamWriter and BlockCompressor do.
  static absl::StatusOr<BlockWriter> Create(vector::TypePtr schema, const BlockOptions& options);

  // Appends the block of `rows` to `out`; a batch without rows is no block. Of codec none the
  // columns' buffers go out as they are. What is appended stays until the next call, and as long as
  // this writer.
  //
  //   OK
  //   ResourceExhausted  the block would be longer than 2^31 - 1
  //   otherwise          as arrow::StreamWriter::AppendBatch() says
  absl::Status Append(const vector::Batch& rows, arrow::Pieces& out);

  // Bytes kept between calls.
  int64_t scratch_bytes() const { return compressor_.scratch_bytes(); }

 private:
  BlockWriter(BlockCodec codec, arrow::StreamWriter stream, BlockCompressor compressor)
      : codec_(codec), stream_(std::move(stream)), compressor_(std::move(compressor)) {}

  BlockCodec codec_;
  arrow::StreamWriter stream_;
  BlockCompressor compressor_;
};

struct BlockHeader {
  static constexpr int64_t kSize = 20;
  // How much of the header `length` counts.
  static constexpr int64_t kCounted = 12;

  int64_t length = 0;
  int64_t fields = 0;
  BlockCodec codec = BlockCodec::kNone;

  int64_t block_bytes() const { return length + kSize - kCounted; }
};

// The header at the start of `bytes`, of which `available` >= bytes.size() are said to be there.
//
//   OK               the whole block lies within `available` bytes
//   InvalidArgument  no header, or a block that does not
absl::StatusOr<BlockHeader> ReadBlockHeader(std::string_view bytes, int64_t available);

struct BlockReadOptions {
  // Bound on the content of one block after decompression.
  int64_t max_bytes = int64_t{1} << 30;
};

// The rows of a block, given from its header to its end. Columns may share `block`.
//
//   OK                 the batch
//   InvalidArgument    damaged, or not exactly one record batch; a column count that is not the
//                      header's
//   ResourceExhausted  larger than the options allow
//   Unimplemented      as arrow::StreamReader says
absl::StatusOr<vector::Batch> ReadBlock(const vector::Buffer& block,
                                        const BlockReadOptions& options = {});

}  // namespace spillway::shuffle
