// SPDX-License-Identifier: Apache-2.0
#include "src/base/fault_file_system.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace spillway::base {

std::vector<FileFault> RandomFileFaults(base::Random& random, int64_t count, int64_t calls) {
  constexpr FileCall kFailing[] = {FileCall::kOpen,  FileCall::kWrite, FileCall::kWrite,
                                   FileCall::kRead,  FileCall::kSize,  FileCall::kSync,
                                   FileCall::kClose, FileCall::kRename};
  constexpr int kErrors[] = {EIO, EIO, ENOSPC, EDQUOT, EMFILE, EACCES};
  std::vector<FileFault> faults;
  for (int64_t i = 0; i < count; ++i) {
    FileFault fault = {.call = kFailing[random.Below(std::size(kFailing))],
                       .number = static_cast<int64_t>(random.Below(static_cast<uint64_t>(calls)))};
    switch (random.Below(8)) {
      case 0:
        fault.kind = FileFault::Kind::kShortWrite;
        fault.bytes = random.Between(1, 100);
        fault.lasting = random.Below(2) == 0;
        break;
      case 1:
        fault.kind = FileFault::Kind::kSlow;
        fault.nanos = random.Between(1, 1'000'000'000);
        break;
      case 2:
      case 3:
        fault.call = static_cast<FileCall>(random.Below(kFileCalls));
        fault.error = EINTR;
        break;
      default:
        fault.error = kErrors[random.Below(std::size(kErrors))];
        fault.lasting = random.Below(4) == 0;
    }
    faults.push_back(fault);
  }
  return faults;
}

FaultFileSystem::Verdict FaultFileSystem::Count(FileCall call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t number = calls_[static_cast<size_t>(call)]++;
  Verdict verdict;
  for (const FileFault& fault : faults_) {
    if (fault.call != call) continue;
    if (fault.lasting ? number < fault.number : number != fault.number) continue;
    switch (fault.kind) {
      case FileFault::Kind::kError:
        if (verdict.error == 0) verdict.error = fault.error;
        break;
      case FileFault::Kind::kShortWrite:
        verdict.max_bytes = std::max<int64_t>(1, fault.bytes);
        break;
      case FileFault::Kind::kSlow:
        delayed_nanos_ += fault.nanos;
        break;
      case FileFault::Kind::kKill:
        if (call != FileCall::kWrite) kill(getpid(), SIGKILL);
        verdict.kill = true;
        break;
    }
  }
  failures_ += verdict.error != 0 ? 1 : 0;
  return verdict;
}

int64_t FaultFileSystem::calls(FileCall call) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_[static_cast<size_t>(call)];
}

int64_t FaultFileSystem::open_handles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return open_;
}

int64_t FaultFileSystem::peak_handles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return peak_;
}

int64_t FaultFileSystem::failures() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failures_;
}

int64_t FaultFileSystem::delayed_nanos() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return delayed_nanos_;
}

IoResult FaultFileSystem::Open(const std::string& path, OpenMode mode) {
  if (const int error = Count(FileCall::kOpen).error; error != 0) return {0, error};
  const IoResult result = files_.Open(path, mode);
  if (result.error == 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    peak_ = std::max(peak_, ++open_);
  }
  return result;
}

IoResult FaultFileSystem::Write(int handle, std::span<const std::string_view> pieces) {
  const Verdict verdict = Count(FileCall::kWrite);
  if (verdict.error != 0) return {0, verdict.error};
  if (verdict.max_bytes < 0 && !verdict.kill) return files_.Write(handle, pieces);
  // One piece, cut: every allowed answer to a longer list is an answer to its beginning, too.
  std::string_view first = pieces.front();
  for (const std::string_view piece : pieces) {
    if (first.empty()) first = piece;
  }
  first = first.substr(
      0, verdict.kill ? (first.size() + 1) / 2 : static_cast<size_t>(verdict.max_bytes));
  const IoResult result = files_.Write(handle, {&first, 1});
  if (verdict.kill) kill(getpid(), SIGKILL);
  return result;
}

IoResult FaultFileSystem::Read(int handle, int64_t offset, char* to, int64_t size) {
  if (const int error = Count(FileCall::kRead).error; error != 0) return {0, error};
  return files_.Read(handle, offset, to, size);
}

IoResult FaultFileSystem::Size(int handle) {
  if (const int error = Count(FileCall::kSize).error; error != 0) return {0, error};
  return files_.Size(handle);
}

IoResult FaultFileSystem::Sync(int handle) {
  if (const int error = Count(FileCall::kSync).error; error != 0) return {0, error};
  return files_.Sync(handle);
}

IoResult FaultFileSystem::Close(int handle) {
  const int error = Count(FileCall::kClose).error;
  const IoResult result = files_.Close(handle);
  const std::lock_guard<std::mutex> lock(mutex_);
  --open_;
  return error != 0 ? IoResult{0, error} : result;
}

IoResult FaultFileSystem::Rename(const std::string& from, const std::string& to) {
  if (const int error = Count(FileCall::kRename).error; error != 0) return {0, error};
  return files_.Rename(from, to);
}

IoResult FaultFileSystem::Remove(const std::string& path) {
  if (const int error = Count(FileCall::kRemove).error; error != 0) return {0, error};
  return files_.Remove(path);
}

IoResult FaultFileSystem::List(const std::string& directory, std::vector<std::string>& names) {
  if (const int error = Count(FileCall::kList).error; error != 0) return {0, error};
  return files_.List(directory, names);
}

}  // namespace spillway::base
