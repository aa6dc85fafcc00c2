// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file system whose calls fail as they are told, for tests.

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file_system.h"
#include "src/base/random.h"

namespace spillway::base {

enum class FileCall : uint8_t {
  kOpen,
  kWrite,
  kRead,
  kSize,
  kSync,
  kClose,
  kRename,
  kRemove,
  kList
};
inline constexpr size_t kFileCalls = 9;

struct FileFault {
  enum class Kind : uint8_t {
    kError,       // the call does nothing and answers `error`. A kClose closes all the same
    kShortWrite,  // a write takes at most `bytes` bytes, at least one; other calls are as usual
    kSlow,        // the call takes `nanos` longer: counted, not slept
    kKill,        // the process ends there and then by SIGKILL; a write has written half its bytes
  };
  Kind kind = Kind::kError;
  FileCall call = FileCall::kWrite;
  int64_t number = 0;    // which call of that kind, from 0
  bool lasting = false;  // all later calls of that kind as well: a full disk, a bad one
  int error = 0;
  int64_t bytes = 1;
  int64_t nanos = 0;
};

// `count` faults of the system for the first `calls` > 0 calls of each kind, the same for the same
// `random`: errors of one call, full and broken disks that stay so, interrupted calls, short
// writes, slow calls. Removals and listings are only interrupted.
std::vector<FileFault> RandomFileFaults(base::Random& random, int64_t count, int64_t calls);

// Passes calls on to another file system, counts them, and lets those fail that were named. Of
// several faults of one call all kSlow count, the last kShortWrite, and then the first kError.
// Thread-safe.
class FaultFileSystem final : public FileSystem {
 public:
  explicit FaultFileSystem(FileSystem& files, std::vector<FileFault> faults = {})
      : files_(files), faults_(std::move(faults)) {}

  // Calls of that kind so far, those that failed included.
  int64_t calls(FileCall call) const;
  // Handles that are open now, and at most so far.
  int64_t open_handles() const;
  int64_t peak_handles() const;
  // Calls that failed by a fault.
  int64_t failures() const;
  int64_t delayed_nanos() const;

  IoResult Open(const std::string& path, OpenMode mode) override;
  IoResult Write(int handle, std::span<const std::string_view> pieces) override;
  IoResult Read(int handle, int64_t offset, char* to, int64_t size) override;
  IoResult Size(int handle) override;
  IoResult Sync(int handle) override;
  IoResult Close(int handle) override;
  IoResult Rename(const std::string& from, const std::string& to) override;
  IoResult Remove(const std::string& path) override;
  IoResult List(const std::string& directory, std::vector<std::string>& names) override;

 private:
  struct Verdict {
    int error = 0;
    int64_t max_bytes = -1;  // -1: all
    bool kill = false;
  };

  Verdict Count(FileCall call);

  FileSystem& files_;
  const std::vector<FileFault> faults_;
  mutable std::mutex mutex_;  // guards everything below
  std::array<int64_t, kFileCalls> calls_ = {};
  int64_t open_ = 0;
  int64_t peak_ = 0;
  int64_t failures_ = 0;
  int64_t delayed_nanos_ = 0;
};

}  // namespace spillway::base
