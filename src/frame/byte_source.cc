// SPDX-License-Identifier: Apache-2.0
#include "src/frame/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::frame {
namespace {

// Taken in one piece on the word of a length alone.
constexpr int64_t kTrustedBytes = int64_t{1} << 20;

absl::Status SystemError(std::string_view what, const std::string& path, int error) {
  const std::string message =
      base::Cat("cannot ", what, " ", path, ": ", std::generic_category().message(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
}

}  // namespace

absl::StatusOr<int64_t> MemorySource::Read(uint8_t* out, int64_t size) {
  const auto there = static_cast<int64_t>(rest_.size());
  const int64_t count = std::min({there, size, step_});
  if (count != 0) std::memcpy(out, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

absl::StatusOr<std::unique_ptr<FileSource>> FileSource::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("open", path, errno);
  return std::unique_ptr<FileSource>(new FileSource(path, descriptor));
}

FileSource::~FileSource() { close(descriptor_); }

absl::StatusOr<int64_t> FileSource::Read(uint8_t* out, int64_t size) {
  while (true) {
    const ssize_t count = read(descriptor_, out, size);
    if (count >= 0) return count;
    if (errno != EINTR) return SystemError("read", path_, errno);
  }
}

absl::StatusOr<int64_t> StreamReader::ReadUpTo(uint8_t* out, int64_t size) {
  int64_t there = 0;
  while (there < size) {
    SPILLWAY_ASSIGN_OR_RETURN(const int64_t count, source_.Read(out + there, size - there));
    if (count == 0) break;
    there += count;
    offset_ += count;
  }
  return there;
}

absl::Status StreamReader::TooShort(int64_t size, int64_t there, std::string_view what) const {
  return base::AtByte(
      base::Invalid(what, " needs ", size, " bytes, the data ends after ", there), offset_);
}

absl::Status StreamReader::ReadFully(uint8_t* out, int64_t size, std::string_view what) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t there, ReadUpTo(out, size));
  return there == size ? absl::OkStatus() : TooShort(size, there, what);
}

absl::StatusOr<vector::Buffer> StreamReader::ReadBytes(int64_t size, std::string_view what) {
  vector::MutableBuffer bytes(std::min(size, kTrustedBytes));
  int64_t there = 0;
  while (true) {
    SPILLWAY_ASSIGN_OR_RETURN(const int64_t count,
                              ReadUpTo(bytes.data() + there, bytes.size() - there));
    there += count;
    if (there == size) return std::move(bytes).Freeze();
    if (there < bytes.size()) return TooShort(size, there, what);
    vector::MutableBuffer larger(std::min(size, 2 * there));
    std::memcpy(larger.data(), bytes.data(), there);
    bytes = std::move(larger);
  }
}

}  // namespace spillway::frame
