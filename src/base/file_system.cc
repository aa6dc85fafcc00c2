// SPDX-License-Identifier: Apache-2.0
#include "src/base/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::base {
namespace {

IoResult FromCall(int64_t returned) {
  return returned < 0 ? IoResult{0, errno} : IoResult{returned, 0};
}

int Flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::kCreate:
      return O_RDWR | O_CREAT | O_EXCL | O_APPEND;
    case OpenMode::kAppend:
      return O_WRONLY | O_APPEND;
    case OpenMode::kRead:
      return O_RDONLY;
    case OpenMode::kDirectory:
      return O_RDONLY | O_DIRECTORY;
  }
  return O_RDONLY;
}

class PosixFileSystem final : public FileSystem {
 public:
  IoResult Open(const std::string& path, OpenMode mode) override {
    return FromCall(open(path.c_str(), Flags(mode) | O_CLOEXEC, 0644));
  }

  IoResult Write(int handle, std::span<const std::string_view> pieces) override {
    std::array<iovec, 64> parts;
    const size_t count = std::min(pieces.size(), parts.size());
    for (size_t i = 0; i < count; ++i) {
      parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
    }
    return FromCall(writev(handle, parts.data(), static_cast<int>(count)));
  }

  IoResult Read(int handle, int64_t offset, char* to, int64_t size) override {
    return FromCall(pread(handle, to, static_cast<size_t>(size), offset));
  }

  IoResult Size(int handle) override {
    struct stat status;
    if (fstat(handle, &status) != 0) return {0, errno};
    return {status.st_size, 0};
  }

  IoResult Sync(int handle) override { return FromCall(fsync(handle)); }
  IoResult Close(int handle) override { return FromCall(close(handle)); }

  IoResult Rename(const std::string& from, const std::string& to) override {
    return FromCall(std::rename(from.c_str(), to.c_str()));
  }

  IoResult Remove(const std::string& path) override { return FromCall(unlink(path.c_str())); }

  IoResult List(const std::string& directory, std::vector<std::string>& names) override {
    DIR* const open = opendir(directory.c_str());
    if (open == nullptr) return {0, errno};
    errno = 0;
    while (const dirent* entry = readdir(open)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int error = errno;
    closedir(open);
    return {0, error};
  }
};

// `call` again and again until it is not interrupted.
template <typename Call>
IoResult Uninterrupted(Call call) {
  IoResult result;
  do {
    result = call();
  } while (result.error == EINTR);
  return result;
}

absl::Status ToStatus(std::string_view what, std::string_view path, const IoResult& result) {
  return result.error == 0 ? absl::OkStatus() : SystemError(what, path, result.error);
}

}  // namespace

FileSystem& FileSystem::Posix() {
  static PosixFileSystem files;
  return files;
}

absl::Status SystemError(std::string_view what, std::string_view path, int error) {
  const std::string message =
      Cat(path, ": cannot ", what, ": ", std::generic_category().message(error));
  switch (error) {
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case ENOENT:
      return absl::NotFoundError(message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InternalError(message);
  }
}

absl::StatusOr<File> File::Open(FileSystem& files, std::string path, OpenMode mode) {
  const IoResult opened = Uninterrupted([&] { return files.Open(path, mode); });
  if (opened.error != 0) {
    return SystemError(mode == OpenMode::kCreate ? "create" : "open", path, opened.error);
  }
  return File(files, std::move(path), static_cast<int>(opened.value));
}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    if (handle_ >= 0) files_->Close(handle_);
    files_ = other.files_;
    path_ = std::move(other.path_);
    handle_ = std::exchange(other.handle_, -1);
  }
  return *this;
}

File::~File() {
  if (handle_ >= 0) files_->Close(handle_);
}

absl::Status File::Write(std::span<const std::string_view> pieces) {
  std::vector<std::string_view> rest;  // what a short write left, if it stopped within a piece
  while (true) {
    while (!pieces.empty() && pieces.front().empty()) pieces = pieces.subspan(1);
    if (pieces.empty()) return absl::OkStatus();
    const IoResult result = Uninterrupted([&] { return files_->Write(handle_, pieces); });
    if (result.error != 0) return SystemError("write", path_, result.error);
    // Nothing written and no reason given: asking again could go on for ever.
    if (result.value == 0) return SystemError("write", path_, EIO);
    auto written = static_cast<size_t>(result.value);
    while (!pieces.empty() && written >= pieces.front().size()) {
      written -= pieces.front().size();
      pieces = pieces.subspan(1);
    }
    if (written > 0) {
      rest = std::vector<std::string_view>(pieces.begin(), pieces.end());
      rest.front().remove_prefix(written);
      pieces = rest;
    }
  }
}

absl::StatusOr<int64_t> File::Size() const {
  const IoResult size = Uninterrupted([&] { return files_->Size(handle_); });
  if (size.error != 0) return SystemError("get the size", path_, size.error);
  return size.value;
}

absl::Status File::Read(int64_t offset, char* to, int64_t size) const {
  while (size > 0) {
    const IoResult result = Uninterrupted([&] { return files_->Read(handle_, offset, to, size); });
    if (result.error != 0) return SystemError("read", path_, result.error);
    if (result.value == 0) {
      return absl::DataLossError(
          Cat(path_, ": ends at byte ", offset, ", ", size, " more are expected"));
    }
    offset += result.value;
    to += result.value;
    size -= result.value;
  }
  return absl::OkStatus();
}

absl::Status File::Sync() {
  return ToStatus("sync", path_, Uninterrupted([&] { return files_->Sync(handle_); }));
}

absl::Status File::Close() {
  const IoResult result = files_->Close(std::exchange(handle_, -1));
  // Linux has closed the file all the same, and a second call could close somebody else's.
  if (result.error == EINTR) return absl::OkStatus();
  return ToStatus("close", path_, result);
}

absl::Status Rename(FileSystem& files, const std::string& from, const std::string& to) {
  return ToStatus(Cat("rename to ", to), from,
                  Uninterrupted([&] { return files.Rename(from, to); }));
}

absl::Status Remove(FileSystem& files, const std::string& path) {
  const IoResult result = Uninterrupted([&] { return files.Remove(path); });
  if (result.error == ENOENT) return absl::OkStatus();
  return ToStatus("remove", path, result);
}

absl::Status SyncDirectory(FileSystem& files, const std::string& directory) {
  SPILLWAY_ASSIGN_OR_RETURN(File open, File::Open(files, directory, OpenMode::kDirectory));
  SPILLWAY_RETURN_IF_ERROR(open.Sync());
  return open.Close();
}

absl::StatusOr<std::vector<std::string>> List(FileSystem& files, const std::string& directory) {
  std::vector<std::string> names;
  const IoResult result = Uninterrupted([&] {
    names.clear();
    return files.List(directory, names);
  });
  if (result.error != 0) return SystemError("list", directory, result.error);
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> ReadFile(FileSystem& files, const std::string& path,
                                     int64_t max_bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const File file, File::Open(files, path, OpenMode::kRead));
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t size, file.Size());
  if (size > max_bytes) {
    return Exhausted(path, ": has ", size, " bytes, the limit is ", max_bytes);
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  SPILLWAY_RETURN_IF_ERROR(file.Read(0, bytes.data(), size));
  return bytes;
}

std::string DirectoryOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

}  // namespace spillway::base
