// SPDX-License-Identifier: Apache-2.0
#pragma once
// The Presto page, "legacy" payload of the table cache: a 21-byte header, then a
// column count and one block a column (FORMAT sections 1 and 2). docs/format/page.md.
//
//   rows i32 | marker u8 | uncompressedSize i32 | size i32 | checksum i64 | payload (size bytes)
//
// The payload may be compressed; the checksum covers it as stored. docs/format/compression.md.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/base/byte_reader.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/page/compression.h"
#include "src/page/encoding_choice.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::page {

inline constexpr int64_t kPageHeaderSize = 21;

// Bits of the marker byte.
inline constexpr uint8_t kCompressedBit = 1;
inline constexpr uint8_t kEncryptedBit = 2;
inline constexpr uint8_t kChecksummedBit = 4;

struct PageHeader {
  int32_t rows = 0;
  uint8_t marker = 0;
  int32_t uncompressed_size = 0;
  int32_t size = 0;
  int64_t checksum = 0;
};

// Reads the header and tests all that it alone can show: non-negative counts, known marker bits,
// equal sizes if not compressed, a payload of exactly the bytes that remain, a checksum that is 0
// without its flag and has an empty upper half with it. `in` stands on the payload afterwards.
absl::StatusOr<PageHeader> ReadPageHeader(base::ByteReader& in);

struct PageWriteOptions {
  bool checksum = true;
  EncodingChoice encoding = EncodingChoice::kFlatten;
  // The payload is stored compressed if that takes at most 0.8 of its size (Velox's rule), raw
  // otherwise. Compressed bytes depend on the codec library's version.
  Codec codec = Codec::kNone;
  // Payloads of fewer bytes are not tried (velox#17306).
  int64_t min_bytes_to_compress = 0;
  // Bound on the memory that the flat form of all encoded columns together may take.
  int64_t max_expanded_bytes = kMaxExpandedBytes;
};

// A page of some batch, ready to be written at once into memory of a known size.
class PagePlan {
 public:
  // InvalidArgument or ResourceExhausted as BlockPlan::Make, naming the column; ResourceExhausted
  // too for a payload over 2^31 - 1 bytes. With a codec the payload is made and compressed here,
  // with the errors of Compress().
  static absl::StatusOr<PagePlan> Make(const vector::Batch& batch,
                                       const PageWriteOptions& options = {});

  int64_t size() const { return kPageHeaderSize + stored_size_; }
  // Writes size() bytes at `out` and returns their end. May overwrite BlockPlan::kSlack bytes
  // behind it.
  uint8_t* Write(uint8_t* out) const;

 private:
  PagePlan() = default;

  absl::Status CompressPayload(Codec codec);
  template <typename Written>
  uint8_t* WritePayload(uint8_t* out, Written written) const;

  std::vector<BlockPlan> blocks_;
  int64_t rows_ = 0;
  int64_t payload_size_ = 0;  // uncompressed
  int64_t stored_size_ = 0;
  uint8_t marker_ = 0;
  vector::Buffer compressed_;  // the payload, if the marker says so
};

// The page of `batch`; with the options' defaults, as Gluten's table cache writes it.
absl::StatusOr<vector::Buffer> WritePage(const vector::Batch& batch,
                                         const PageWriteOptions& options = {});

struct PageReadOptions {
  ReadLimits limits = {};
  // What compressed pages are compressed with: a page does not say it.
  Codec codec = Codec::kNone;
  // Bound on a compressed page's payload, tested before it is allocated.
  int64_t max_uncompressed_bytes = int64_t{1} << 30;
};

// Reads a page that fills `bytes` exactly, under `schema` (a ROW type). If `bytes` is owned,
// columns may be views that share its ownership; those of a compressed page share the decompressed
// payload.
//
//   OK                 the batch; column encodings as written
//   InvalidArgument    a rule is broken; the message names column, byte offset and value. Offsets
//                      "in the decompressed payload" count from its first byte, the column count
//   ResourceExhausted  a limit was reached
//   Unimplemented      the page is encrypted, or compressed and no codec is configured
absl::StatusOr<vector::Batch> ReadPage(const vector::TypePtr& schema, const vector::Buffer& bytes,
                                       const PageReadOptions& options = {});

// As above for the bytes that `in` has left, which are bytes of `input`.
absl::StatusOr<vector::Batch> ReadPage(const vector::TypePtr& schema, const vector::Buffer& input,
                                       base::ByteReader& in, const PageReadOptions& options);

}  // namespace spillway::page
