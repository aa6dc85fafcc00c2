// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/file_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/shuffle/record_file.h"

namespace spillway::shuffle {
namespace {

absl::Status SystemError(std::string_view what, const std::string& path, int error) {
  const std::string message = base::Cat("partition file ", path, ": cannot ", what, ": ",
                                        std::generic_category().message(error));
  return error == EEXIST ? absl::AlreadyExistsError(message) : absl::InternalError(message);
}

absl::Status WriteAll(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

FileSink::~FileSink() {
  if (!finished_) RemoveFiles();
}

absl::Status FileSink::Append(int32_t partition, const vector::Batch& rows) {
  absl::StatusOr<std::string> payload = encode_(rows);
  absl::Status status = payload.status();
  if (status.ok()) {
    std::string record;
    AppendRecord(*payload, record);
    status = Write(partition, record);
  } else {
    status = base::In(base::Cat("partition ", partition), status);
  }
  if (!status.ok()) RemoveFiles();
  return status;
}

absl::Status FileSink::Finish() {
  finished_ = true;
  return absl::OkStatus();
}

std::string FileSink::PathOf(int32_t partition) const {
  return absl::StrFormat("%s/partition-%05d.records", directory_, partition);
}

absl::Status FileSink::Write(int32_t partition, std::string_view record) {
  const std::string path = PathOf(partition);
  const int how = bytes_[partition] == 0 ? O_CREAT | O_EXCL : O_APPEND;
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC | how, 0600);
  if (descriptor < 0) return SystemError(bytes_[partition] == 0 ? "create" : "open", path, errno);
  // Ours from now on, so that a failure removes it.
  bytes_[partition] += static_cast<int64_t>(record.size());
  absl::Status status = WriteAll(descriptor, record, path);
  if (close(descriptor) != 0 && status.ok()) status = SystemError("close", path, errno);
  return status;
}

void FileSink::RemoveFiles() {
  for (size_t partition = 0; partition < bytes_.size(); ++partition) {
    if (std::exchange(bytes_[partition], 0) == 0) continue;
    unlink(PathOf(static_cast<int32_t>(partition)).c_str());
  }
}

}  // namespace spillway::shuffle
