// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes that come bit by bit and end somewhere: a Java stream, a file. Nothing here asks how many
// are there, since a stream that says 0 may go on (apache/gluten#12147).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads at least 1 and at most `size` >= 1 bytes to `out` and returns how many; 0 at the end of
  // the data, then and ever after.
  virtual absl::StatusOr<int64_t> Read(uint8_t* out, int64_t size) = 0;
};

// Bytes in memory, which must outlive the source.
class MemorySource final : public ByteSource {
 public:
  // `step`: the most that one Read() returns.
  explicit MemorySource(std::string_view bytes, int64_t step = INT64_MAX)
      : rest_(bytes), step_(step) {}

  absl::StatusOr<int64_t> Read(uint8_t* out, int64_t size) override;

 private:
  std::string_view rest_;
  int64_t step_;
};

// A file from its first byte.
class FileSource final : public ByteSource {
 public:
  // NotFound or another error with the path and what the system says.
  static absl::StatusOr<std::unique_ptr<FileSource>> Open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  absl::StatusOr<int64_t> Read(uint8_t* out, int64_t size) override;

 private:
  FileSource(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

// Whole parts off a source, with the offset of each. Borrows the source.
class StreamReader {
 public:
  // `origin`: the offset of the source's first byte in what errors are about.
  explicit StreamReader(ByteSource& source, int64_t origin = 0)
      : source_(source), offset_(origin) {}

  // Of the next byte.
  int64_t offset() const { return offset_; }

  // Fills `out`, unless the data ends, and returns how many bytes there were.
  absl::StatusOr<int64_t> ReadUpTo(uint8_t* out, int64_t size);

  // Fills `out`. InvalidArgument naming `what`, how much it needs, how much there was and the byte
  // where the data ends.
  absl::Status ReadFully(uint8_t* out, int64_t size, std::string_view what);

  // `size` bytes. Memory grows with what has arrived, so that a length which lies costs nothing.
  absl::StatusOr<vector::Buffer> ReadBytes(int64_t size, std::string_view what);

 private:
  absl::Status TooShort(int64_t size, int64_t there, std::string_view what) const;

  ByteSource& source_;
  int64_t offset_;
};

}  // namespace spillway::frame
