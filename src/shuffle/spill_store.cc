// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/spill_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "src/base/check.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/base/suggest.h"
#include "src/shuffle/spill_ranges.h"
#include "src/shuffle/temporary_file.h"

namespace spillway::shuffle {
namespace {

using base::BufferedWriter;
using base::File;
using base::OpenMode;

constexpr std::string_view kOneFileName = "one_file";
constexpr std::string_view kFilePerPartitionName = "file_per_partition";
constexpr int64_t kLeastReadAhead = 16 << 10;

// Removes a file, twice if need be, and forgets it.
void RemoveTemporary(base::FileSystem& files, std::string& path) {
  if (path.empty()) return;
  if (!base::Remove(files, path).ok()) base::Remove(files, path).IgnoreError();
  path.clear();
}

// Bytes of a file, read ahead.
class RangeReader {
 public:
  // Nothing is read beyond byte `end` of the file.
  RangeReader(int64_t end, int64_t ahead)
      : end_(end), capacity_(std::max(kLeastReadAhead, ahead)) {}

  absl::Status Copy(const File& file, int64_t offset, int64_t bytes, BufferedWriter& out) {
    while (bytes > 0) {
      if (offset < start_ || offset >= start_ + held_) {
        start_ = offset;
        held_ = 0;
        const int64_t wanted = std::min(capacity_, end_ - offset);
        if (buffer_ == nullptr) buffer_.reset(new char[static_cast<size_t>(wanted)]);
        SPILLWAY_RETURN_IF_ERROR(file.Read(offset, buffer_.get(), wanted));
        held_ = wanted;
      }
      const int64_t part = std::min(bytes, start_ + held_ - offset);
      SPILLWAY_RETURN_IF_ERROR(out.Write(
          std::string_view(buffer_.get() + (offset - start_), static_cast<size_t>(part))));
      offset += part;
      bytes -= part;
    }
    return absl::OkStatus();
  }

  int64_t resident_bytes() const { return buffer_ == nullptr ? 0 : capacity_; }

 private:
  int64_t end_;
  int64_t capacity_;
  std::unique_ptr<char[]> buffer_;
  int64_t start_ = 0;  // of what the buffer holds, in the file
  int64_t held_ = 0;
};

class OneFile final : public SpillStore {
 public:
  OneFile(base::FileSystem& files, SpillOptions options)
      : files_(files), options_(std::move(options)) {}
  ~OneFile() override {
    writer_.reset();
    RemoveTemporary(files_, path_);
  }

  absl::Status Append(int32_t partition, const arrow::Pieces& block) override {
    if (!writer_.has_value()) SPILLWAY_RETURN_IF_ERROR(Open());
    if (!in_round_) rounds_.push_back({writer_->bytes(), {}});
    in_round_ = true;
    rounds_.back().ranges.Append(partition, block.size());
    return writer_->Write(block.list(), block.size());
  }

  absl::Status EndRound() override {
    if (!in_round_) return absl::OkStatus();
    in_round_ = false;
    rounds_.back().ranges.Seal();
    return writer_->Flush();
  }

  absl::Status EndWriting() override { return absl::OkStatus(); }

  absl::Status CopyTo(int32_t partition, BufferedWriter& out) override {
    if (cursors_.empty()) OpenCursors();
    for (RoundCursor& round : cursors_) {
      if (round.cursor.partition() != partition) continue;
      SPILLWAY_RETURN_IF_ERROR(
          round.reader.Copy(writer_->file(), round.cursor.offset(), round.cursor.bytes(), out));
      round.cursor.Next();
    }
    return absl::OkStatus();
  }

  int64_t bytes() const override { return writer_.has_value() ? writer_->bytes() : 0; }
  int64_t files() const override { return writer_.has_value() ? 1 : 0; }
  int64_t resident_bytes() const override {
    int64_t bytes = writer_.has_value() ? writer_->resident_bytes() : 0;
    for (const Round& round : rounds_) {
      bytes += static_cast<int64_t>(sizeof(round)) + round.ranges.resident_bytes();
    }
    for (const RoundCursor& round : cursors_) {
      bytes += static_cast<int64_t>(sizeof(round)) + round.reader.resident_bytes();
    }
    return bytes;
  }

 private:
  struct Round {
    int64_t offset = 0;
    SpillRanges ranges;
  };
  struct RoundCursor {
    SpillRanges::Cursor cursor;
    RangeReader reader;
  };

  absl::Status Open() {
    static std::atomic<size_t> turn = 0;
    const std::string& directory = options_.directories[turn++ % options_.directories.size()];
    SPILLWAY_ASSIGN_OR_RETURN(
        File file, CreateTemporary(files_, base::Cat(directory, "/", options_.stem, ".spill")));
    path_ = file.path();
    writer_.emplace(std::move(file), options_.buffer_bytes);
    return absl::OkStatus();
  }

  void OpenCursors() {
    // The rounds share what one buffer for writing takes.
    const auto count = std::max<int64_t>(1, static_cast<int64_t>(rounds_.size()));
    const int64_t ahead = options_.buffer_bytes / count;
    for (size_t i = 0; i < rounds_.size(); ++i) {
      const int64_t end = i + 1 < rounds_.size() ? rounds_[i + 1].offset : writer_->bytes();
      cursors_.push_back(
          {SpillRanges::Cursor(rounds_[i].ranges, rounds_[i].offset), RangeReader(end, ahead)});
    }
  }

  base::FileSystem& files_;
  const SpillOptions options_;
  std::string path_;
  std::optional<BufferedWriter> writer_;
  std::vector<Round> rounds_;
  bool in_round_ = false;
  std::vector<RoundCursor> cursors_;
};

class FilePerPartition final : public SpillStore {
 public:
  FilePerPartition(base::FileSystem& files, int32_t partitions, SpillOptions options)
      : files_(files),
        options_(std::move(options)),
        max_kept_(options_.max_open_files - 1),
        spills_(partitions) {}
  ~FilePerPartition() override {
    open_.clear();
    for (Spill& spill : spills_) RemoveTemporary(files_, spill.path);
  }

  absl::Status Append(int32_t partition, const arrow::Pieces& block) override {
    Spill& spill = spills_[partition];
    spill.bytes += block.size();
    bytes_ += block.size();
    if (const auto found = open_.find(partition); found != open_.end()) {
      return found->second.Write(block.list());
    }
    SPILLWAY_ASSIGN_OR_RETURN(File file, Open(partition, spill));
    SPILLWAY_RETURN_IF_ERROR(file.Write(block.list()));
    // Rounds go over all partitions in the same order, so that the file that was used last is the
    // one that is needed again last: those that were opened first stay open.
    if (static_cast<int64_t>(open_.size()) < max_kept_) {
      open_.emplace(partition, std::move(file));
      return absl::OkStatus();
    }
    return file.Close();
  }

  absl::Status EndRound() override { return absl::OkStatus(); }

  absl::Status EndWriting() override {
    for (auto& [partition, file] : open_) SPILLWAY_RETURN_IF_ERROR(file.Close());
    open_.clear();
    return absl::OkStatus();
  }

  absl::Status CopyTo(int32_t partition, BufferedWriter& out) override {
    Spill& spill = spills_[partition];
    if (spill.path.empty()) return absl::OkStatus();
    SPILLWAY_ASSIGN_OR_RETURN(const File file, File::Open(files_, spill.path, OpenMode::kRead));
    RangeReader reader(spill.bytes, options_.buffer_bytes);
    SPILLWAY_RETURN_IF_ERROR(reader.Copy(file, 0, spill.bytes, out));
    RemoveTemporary(files_, spill.path);
    return absl::OkStatus();
  }

  int64_t bytes() const override { return bytes_; }
  int64_t files() const override { return created_; }
  int64_t resident_bytes() const override {
    return static_cast<int64_t>(spills_.size() * sizeof(Spill) +
                                open_.size() * sizeof(std::pair<int32_t, File>)) +
           name_bytes_;
  }

 private:
  struct Spill {
    std::string path;  // empty: there is no file
    int64_t bytes = 0;
  };

  absl::StatusOr<File> Open(int32_t partition, Spill& spill) {
    absl::StatusOr<File> file = TryOpen(partition, spill);
    if (file.status().code() != absl::StatusCode::kResourceExhausted || open_.empty()) return file;
    // Most likely too many files are open; half as many from now on.
    max_kept_ = static_cast<int64_t>(open_.size()) / 2;
    SPILLWAY_RETURN_IF_ERROR(EndWriting());
    return TryOpen(partition, spill);
  }

  absl::StatusOr<File> TryOpen(int32_t partition, Spill& spill) {
    if (!spill.path.empty()) return File::Open(files_, spill.path, OpenMode::kAppend);
    const auto turn = static_cast<size_t>(partition) % options_.directories.size();
    SPILLWAY_ASSIGN_OR_RETURN(
        File file, CreateTemporary(files_, base::Cat(options_.directories[turn], "/", options_.stem,
                                                     ".spill-", partition)));
    spill.path = file.path();
    name_bytes_ += static_cast<int64_t>(spill.path.capacity());
    ++created_;
    return file;
  }

  base::FileSystem& files_;
  const SpillOptions options_;
  int64_t max_kept_;
  std::vector<Spill> spills_;
  absl::flat_hash_map<int32_t, File> open_;
  int64_t bytes_ = 0;
  int64_t created_ = 0;
  int64_t name_bytes_ = 0;
};

}  // namespace

std::string_view SpillLayoutName(SpillLayout layout) {
  return layout == SpillLayout::kOneFile ? kOneFileName : kFilePerPartitionName;
}

absl::StatusOr<SpillLayout> ParseSpillLayout(std::string_view name) {
  if (name == kOneFileName) return SpillLayout::kOneFile;
  if (name == kFilePerPartitionName) return SpillLayout::kFilePerPartition;
  const std::string nearest =
      base::Nearest(name, {std::string(kOneFileName), std::string(kFilePerPartitionName)});
  return base::Invalid("unknown spill layout `", name, "`",
                       nearest.empty()
                           ? base::Cat("; there are ", kOneFileName, ", ", kFilePerPartitionName)
                           : base::Cat("; did you mean ", nearest, "?"));
}

std::unique_ptr<SpillStore> SpillStore::Create(base::FileSystem& files, int32_t partitions,
                                               SpillOptions options) {
  SPILLWAY_CHECK(!options.directories.empty(), "spills need a directory");
  if (options.layout == SpillLayout::kOneFile) {
    return std::make_unique<OneFile>(files, std::move(options));
  }
  return std::make_unique<FilePerPartition>(files, partitions, std::move(options));
}

}  // namespace spillway::shuffle
