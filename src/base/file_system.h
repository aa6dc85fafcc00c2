// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files, behind an interface on which tests can let every call of the system fail
// (fault_file_system.h).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace spillway::base {

// What one call of the system answered.
struct IoResult {
  int64_t value = 0;
  int error = 0;  // errno; 0: it succeeded
};

enum class OpenMode : uint8_t {
  kCreate,  // for writing and reading; a file of that name must not be there
  kAppend,  // for writing behind the end of a file that is there
  kRead,
  kDirectory,  // a directory, for Sync() of the names in it
};

// The system's calls one by one, with its habits: a call may be interrupted (EINTR), and a write
// may take only a part. File and the functions below know these habits; use them.
//
// Implementations may be called from several threads.
class FileSystem {
 public:
  // The operating system's.
  static FileSystem& Posix();

  virtual ~FileSystem() = default;

  virtual IoResult Open(const std::string& path, OpenMode mode) = 0;  // value: a handle
  // Pieces one behind the other, at the end of the file. value: bytes written, perhaps fewer.
  virtual IoResult Write(int handle, std::span<const std::string_view> pieces) = 0;
  // value: bytes read, perhaps fewer; 0 at the end of the file.
  virtual IoResult Read(int handle, int64_t offset, char* to, int64_t size) = 0;
  virtual IoResult Size(int handle) = 0;  // value: bytes
  virtual IoResult Sync(int handle) = 0;
  // The handle is gone whatever the result.
  virtual IoResult Close(int handle) = 0;
  virtual IoResult Rename(const std::string& from, const std::string& to) = 0;
  virtual IoResult Remove(const std::string& path) = 0;
  // The names in a directory but `.` and `..`, in any order.
  virtual IoResult List(const std::string& directory, std::vector<std::string>& names) = 0;
};

// "`path`: cannot `what`: `the system's reason`".
//
//   AlreadyExists      EEXIST
//   NotFound           ENOENT
//   ResourceExhausted  ENOSPC, EDQUOT, EMFILE, ENFILE
//   Internal           every other error
absl::Status SystemError(std::string_view what, std::string_view path, int error);

// An open file; not thread-safe. The file system must outlive it. Every status is a SystemError()
// unless it says otherwise.
class File {
 public:
  static absl::StatusOr<File> Open(FileSystem& files, std::string path, OpenMode mode);

  File(File&& other) noexcept { *this = std::move(other); }
  File& operator=(File&& other) noexcept;
  // Closes it, if Close() did not; an error then cannot be reported.
  ~File();

  const std::string& path() const { return path_; }

  // All pieces, at the end of the file. After a failure any number of bytes may have been written.
  absl::Status Write(std::span<const std::string_view> pieces);
  absl::Status Write(std::string_view bytes) { return Write({&bytes, 1}); }

  absl::StatusOr<int64_t> Size() const;

  // Bytes [offset, offset + size). DataLoss if the file ends before them.
  absl::Status Read(int64_t offset, char* to, int64_t size) const;

  absl::Status Sync();
  absl::Status Close();

 private:
  File(FileSystem& files, std::string path, int handle)
      : files_(&files), path_(std::move(path)), handle_(handle) {}

  FileSystem* files_ = nullptr;
  std::string path_;
  int handle_ = -1;  // -1: closed
};

absl::Status Rename(FileSystem& files, const std::string& from, const std::string& to);
// OK, too, if there was no such file.
absl::Status Remove(FileSystem& files, const std::string& path);
absl::Status SyncDirectory(FileSystem& files, const std::string& directory);
// Sorted.
absl::StatusOr<std::vector<std::string>> List(FileSystem& files, const std::string& directory);
// The whole file; ResourceExhausted, before anything is read, if it has more than `max_bytes`.
absl::StatusOr<std::string> ReadFile(FileSystem& files, const std::string& path,
                                     int64_t max_bytes = int64_t{1} << 30);

// The directory that `path` lies in; "." if it names none.
std::string DirectoryOf(std::string_view path);

}  // namespace spillway::base
