// SPDX-License-Identifier: Apache-2.0
#include "src/cli/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/base/status.h"

namespace spillway::cli {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }

  int get() const { return fd_; }
  int Close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

std::string ErrorText(int error) { return std::system_category().message(error); }

absl::StatusOr<std::string> ReadAll(int fd, int64_t max_bytes) {
  std::string bytes;
  const auto max = static_cast<size_t>(std::max<int64_t>(max_bytes, 0));
  while (true) {
    const size_t size = bytes.size();
    // One byte over the limit tells that there is more.
    const size_t wanted = std::min(kChunk, max - size + 1);
    bytes.resize(size + wanted);
    const ssize_t got = ::read(fd, bytes.data() + size, wanted);
    if (got < 0 && errno == EINTR) {
      bytes.resize(size);
      continue;
    }
    if (got < 0) return absl::NotFoundError(ErrorText(errno));
    bytes.resize(size + static_cast<size_t>(got));
    if (got == 0) return bytes;
    if (bytes.size() > max) return base::Exhausted("over ", max_bytes, " bytes");
  }
}

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return absl::InternalError(ErrorText(errno));
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

// What a new file gets.
mode_t NewMode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

absl::Status Replace(const std::string& path, mode_t mode, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  Descriptor fd(::mkstemp(temporary.data()));
  if (fd.get() < 0) return absl::InternalError(ErrorText(errno));
  absl::Status status = WriteAll(fd.get(), bytes);
  // The disk may report that it is full only now.
  if (status.ok() && (::fchmod(fd.get(), mode) != 0 || fd.Close() != 0 ||
                      ::rename(temporary.c_str(), path.c_str()) != 0)) {
    status = absl::InternalError(ErrorText(errno));
  }
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  if (path == "-") return base::In("stdin", ReadAll(STDIN_FILENO, max_bytes));
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return base::In(path, absl::NotFoundError(ErrorText(errno)));
  return base::In(path, ReadAll(fd.get(), max_bytes));
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  if (path == "-") return base::In("stdout", WriteAll(STDOUT_FILENO, bytes));
  std::error_code error;
  std::string target = path;
  if (std::filesystem::is_symlink(path, error)) {
    target = std::filesystem::weakly_canonical(path, error).string();
    if (error) return base::In(path, absl::InternalError(error.message()));
  }
  struct stat status = {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists || S_ISREG(status.st_mode)) {
    return base::In(path, Replace(target, exists ? status.st_mode & 07777 : NewMode(), bytes));
  }
  const Descriptor fd(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0) return base::In(path, absl::InternalError(ErrorText(errno)));
  return base::In(path, WriteAll(fd.get(), bytes));
}

}  // namespace spillway::cli
