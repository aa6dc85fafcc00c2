// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/output_commit.h"

#include <mutex>
#include <utility>

#include "src/base/status.h"
#include "src/shuffle/temporary_file.h"

namespace spillway::shuffle {
namespace {

// A file's size; nothing if there is no such file.
absl::StatusOr<std::optional<int64_t>> SizeOf(base::FileSystem& files, const std::string& path) {
  const absl::StatusOr<base::File> file = base::File::Open(files, path, base::OpenMode::kRead);
  if (file.status().code() == absl::StatusCode::kNotFound) return std::nullopt;
  if (!file.ok()) return file.status();
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t size, file->Size());
  return size;
}

// One attempt to commit; removes what it leaves unfinished.
class Commit {
 public:
  Commit(base::FileSystem& files, const std::string& data, const OutputPaths& paths)
      : files_(files), paths_(paths), leftover_{data} {}
  ~Commit() {
    for (const std::string& path : leftover_) {
      // Once more if it fails: there is no other way to be rid of it.
      if (!base::Remove(files_, path).ok()) base::Remove(files_, path).IgnoreError();
    }
  }

  absl::Status Run(std::span<const int64_t> offsets, IndexOrder order, bool sync) {
    SPILLWAY_ASSIGN_OR_RETURN(const std::string index, WriteIndex(offsets, order, sync));
    SPILLWAY_RETURN_IF_ERROR(base::Remove(files_, paths_.data));
    SPILLWAY_RETURN_IF_ERROR(base::Remove(files_, paths_.index));
    SPILLWAY_RETURN_IF_ERROR(base::Rename(files_, index, paths_.index));
    leftover_.back() = paths_.index;
    SPILLWAY_RETURN_IF_ERROR(base::Rename(files_, leftover_.front(), paths_.data));
    leftover_.clear();
    if (!sync) return absl::OkStatus();
    const std::string directory = base::DirectoryOf(paths_.data);
    SPILLWAY_RETURN_IF_ERROR(base::SyncDirectory(files_, directory));
    const std::string other = base::DirectoryOf(paths_.index);
    return other == directory ? absl::OkStatus() : base::SyncDirectory(files_, other);
  }

 private:
  // The path of the temporary index.
  absl::StatusOr<std::string> WriteIndex(std::span<const int64_t> offsets, IndexOrder order,
                                         bool sync) {
    SPILLWAY_ASSIGN_OR_RETURN(base::File index, CreateTemporary(files_, paths_.index));
    leftover_.push_back(index.path());
    SPILLWAY_RETURN_IF_ERROR(index.Write(EncodeIndex(offsets, order)));
    if (sync) SPILLWAY_RETURN_IF_ERROR(index.Sync());
    SPILLWAY_RETURN_IF_ERROR(index.Close());
    return index.path();
  }

  base::FileSystem& files_;
  const OutputPaths& paths_;
  std::vector<std::string> leftover_;  // the data, then the index
};

}  // namespace

absl::StatusOr<std::optional<std::vector<int64_t>>> FindOutput(base::FileSystem& files,
                                                               const OutputPaths& paths,
                                                               IndexOrder order,
                                                               int32_t partitions) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::optional<int64_t> index_bytes, SizeOf(files, paths.index));
  if (index_bytes != (int64_t{partitions} + 1) * 8) return std::nullopt;
  SPILLWAY_ASSIGN_OR_RETURN(const std::optional<int64_t> data_bytes, SizeOf(files, paths.data));
  if (!data_bytes.has_value()) return std::nullopt;
  SPILLWAY_ASSIGN_OR_RETURN(const std::string index, base::ReadFile(files, paths.index));
  absl::StatusOr<std::vector<int64_t>> offsets = DecodeIndex(index, order, *data_bytes);
  if (!offsets.ok()) return std::nullopt;
  return *std::move(offsets);
}

absl::StatusOr<CommitResult> CommitOutput(base::FileSystem& files, const std::string& data,
                                          std::span<const int64_t> offsets,
                                          const OutputPaths& paths, IndexOrder order, bool sync) {
  static std::mutex turns;
  const std::lock_guard<std::mutex> turn(turns);
  Commit commit(files, data, paths);
  const auto partitions = static_cast<int32_t>(offsets.size()) - 1;
  SPILLWAY_ASSIGN_OR_RETURN(std::optional<std::vector<int64_t>> existing,
                            FindOutput(files, paths, order, partitions));
  if (existing.has_value()) return CommitResult{*std::move(existing), true};
  SPILLWAY_RETURN_IF_ERROR(commit.Run(offsets, order, sync));
  return CommitResult{{offsets.begin(), offsets.end()}, false};
}

}  // namespace spillway::shuffle
