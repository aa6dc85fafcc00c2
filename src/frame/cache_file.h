// SPDX-License-Identifier: Apache-2.0
#pragma once
// A `.cache` file: what a table cache holds, dumped batch by batch, to be loaded, inspected and
// replayed. The format is ours. docs/format/cache_file.md. Little-endian:
//
//   header   "SPWCACHE" | version u32 = 1 | schemaLen u32 | schema, as Type::ToString() | crc u32
//   record   length u32 | partition u32 | crc u32 | envelope, `length` bytes
//   end      0 u32 | number of records u32 | crc u32
//
// Each crc is CRC-32 (zlib's) over all that stands before it in its part, then over the envelope.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/frame/byte_source.h"
#include "src/frame/envelope.h"
#include "src/vector/type.h"

namespace spillway::frame {

inline constexpr std::string_view kCacheFileMagic = "SPWCACHE";
inline constexpr uint32_t kCacheFileVersion = 1;

struct CacheFileLimits {
  EnvelopeLimits envelope = {};
  int64_t max_schema = int64_t{1} << 20;  // bytes of the schema's text
};

// One batch of a file.
struct CacheRecord {
  uint32_t partition = 0;
  Envelope envelope = {};
  int64_t offset = 0;  // of the record in the file
};

// Writes a file under the name `path`.partial, which becomes `path` when it is whole. Not finished:
// the partial file is removed. After a failure every further call fails alike.
class CacheFileWriter {
 public:
  // `schema` is a ROW type.
  //
  //   OK                 a writer; the partial file is there
  //   AlreadyExists      the partial file is: somebody writes it, or ended before it was whole
  //   ResourceExhausted  the schema's text is over the limit
  //   otherwise          what the system says, with the path
  static absl::StatusOr<std::unique_ptr<CacheFileWriter>> Create(
      const std::string& path, const vector::TypePtr& schema, const CacheFileLimits& limits = {});
  ~CacheFileWriter();
  CacheFileWriter(const CacheFileWriter&) = delete;
  CacheFileWriter& operator=(const CacheFileWriter&) = delete;

  // Adds a batch. It may stay in memory until Flush() or Finish(). Outcomes of WriteEnvelope(),
  // which change nothing, or of the system.
  absl::Status Append(uint32_t partition, const Envelope& envelope);

  // Gives all that was added to the system: a reader of the partial file sees it.
  absl::Status Flush();

  // Ends the file, makes it durable and gives it its name, in place of a file that has it. The last
  // call.
  absl::Status Finish();

 private:
  CacheFileWriter(std::string path, int descriptor, const CacheFileLimits& limits);

  absl::Status Fail(absl::Status status);

  std::string path_;
  int descriptor_;  // -1: closed
  CacheFileLimits limits_;
  uint32_t records_ = 0;
  std::string pending_;
  absl::Status failure_;
};

// Reads a file batch by batch. A file that was cut gives all batches before the cut, then one error
// with the byte, the same at each further call. Borrows the source.
class CacheFileReader {
 public:
  // Reads the header.
  //
  //   OK                 a reader
  //   InvalidArgument    no such file, another version, a damaged header, or a schema that is no
  //                      ROW type; the message has the byte
  //   ResourceExhausted  the schema's text is over the limit
  static absl::StatusOr<CacheFileReader> Open(ByteSource& source,
                                              const CacheFileLimits& limits = {});

  const vector::TypePtr& schema() const { return schema_; }

  //   OK                 the next batch; nullopt behind the last one of a whole file
  //   InvalidArgument    the file is cut or damaged; the message names record and byte
  //   ResourceExhausted  a length is over the limits
  //   otherwise          as the source says
  absl::StatusOr<std::optional<CacheRecord>> Next();

 private:
  CacheFileReader(ByteSource& source, const CacheFileLimits& limits)
      : in_(source), limits_(limits) {}

  absl::Status ReadHeader();
  absl::StatusOr<std::optional<CacheRecord>> ReadRecord();
  absl::Status CheckEnd(uint32_t records, int64_t at);

  StreamReader in_;
  CacheFileLimits limits_;
  vector::TypePtr schema_;
  uint32_t records_ = 0;
  bool ended_ = false;
  absl::Status failure_;
};

}  // namespace spillway::frame
