// SPDX-License-Identifier: Apache-2.0
#include "src/frame/cache_file.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::frame {
namespace {

using vector::Buffer;

constexpr int64_t kUint32 = sizeof(uint32_t);
constexpr int64_t kRecordHead = 3 * kUint32;
constexpr size_t kPendingBytes = size_t{1} << 20;

uint32_t Crc(std::string_view bytes, uint32_t before = 0) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

void PutUint32(uint32_t value, std::string& out) {
  char bytes[kUint32];
  base::Store(bytes, value);
  out.append(bytes, kUint32);
}

// Length, partition and crc of a record; of the end with length 0.
void PutRecordHead(uint32_t length, uint32_t partition, std::string_view body, std::string& out) {
  const size_t at = out.size();
  PutUint32(length, out);
  PutUint32(partition, out);
  PutUint32(Crc(body, Crc(std::string_view(out).substr(at))), out);
}

absl::Status SystemError(std::string_view what, const std::string& path, int error) {
  const std::string message = base::Cat("cache file: cannot ", what, " ", path, ": ",
                                        std::generic_category().message(error));
  return error == EEXIST ? absl::AlreadyExistsError(message) : absl::UnavailableError(message);
}

std::string PartialPath(const std::string& path) { return path + ".partial"; }

// The name of a new file is durable once its directory is.
absl::Status SyncDirectory(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("open", directory, errno);
  const int failed = fsync(descriptor) != 0 ? errno : 0;
  close(descriptor);
  // Some file systems have nothing to sync for a directory and say so.
  if (failed != 0 && failed != EINVAL) return SystemError("sync", directory, failed);
  return absl::OkStatus();
}

absl::Status CrcMismatch(std::string_view what, uint32_t stored, uint32_t computed, int64_t at) {
  return base::AtByte(base::Invalid("checksum ", absl::StrFormat("%08x", stored), ", the ", what,
                                    " has ", absl::StrFormat("%08x", computed)),
                      at);
}

// The most that an envelope within `limits` takes.
int64_t MaxEnvelope(const CacheFileLimits& limits) {
  constexpr int64_t kFixed = 4 + 8 + 4 + 2 * (1 + 4);
  return std::min<int64_t>(kFixed + 3 * limits.envelope.max_length, UINT32_MAX);
}

}  // namespace

CacheFileWriter::CacheFileWriter(std::string path, int descriptor, const CacheFileLimits& limits)
    : path_(std::move(path)), descriptor_(descriptor), limits_(limits) {}

CacheFileWriter::~CacheFileWriter() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(PartialPath(path_).c_str());
}

absl::StatusOr<std::unique_ptr<CacheFileWriter>> CacheFileWriter::Create(
    const std::string& path, const vector::TypePtr& schema, const CacheFileLimits& limits) {
  const std::string text = schema->ToString();
  if (static_cast<int64_t>(text.size()) > limits.max_schema) {
    return base::Exhausted("cache file: schema of ", text.size(), " bytes, the limit is ",
                           limits.max_schema);
  }
  const std::string partial = PartialPath(path);
  const int descriptor =
      open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return SystemError("create", partial, errno);
  auto writer =
      std::unique_ptr<CacheFileWriter>(new CacheFileWriter(path, descriptor, limits));
  std::string& header = writer->pending_;
  header += kCacheFileMagic;
  PutUint32(kCacheFileVersion, header);
  PutUint32(static_cast<uint32_t>(text.size()), header);
  header += text;
  PutUint32(Crc(header), header);
  return writer;
}

absl::Status CacheFileWriter::Append(uint32_t partition, const Envelope& envelope) {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  if (descriptor_ < 0) return absl::FailedPreconditionError("cache file: append after finish");
  if (records_ == UINT32_MAX) return base::Exhausted("cache file: ", records_, " records");
  absl::StatusOr<Buffer> bytes = WriteEnvelope(envelope, limits_.envelope);
  if (!bytes.ok()) {
    return base::In(base::Cat("cache file: record ", records_), std::move(bytes).status());
  }
  if (bytes->size() > MaxEnvelope(limits_)) {
    return base::Exhausted("cache file: record ", records_, ": envelope of ", bytes->size(),
                           " bytes, the limit is ", MaxEnvelope(limits_));
  }
  PutRecordHead(static_cast<uint32_t>(bytes->size()), partition, bytes->view(), pending_);
  pending_ += bytes->view();
  ++records_;
  return pending_.size() < kPendingBytes ? absl::OkStatus() : Flush();
}

absl::Status CacheFileWriter::Flush() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  if (descriptor_ < 0) return absl::FailedPreconditionError("cache file: flush after finish");
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Fail(SystemError("write", PartialPath(path_), errno));
    rest.remove_prefix(static_cast<size_t>(written));
  }
  pending_.clear();
  return absl::OkStatus();
}

absl::Status CacheFileWriter::Finish() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  if (descriptor_ < 0) return absl::FailedPreconditionError("cache file: finished twice");
  PutRecordHead(0, records_, "", pending_);
  SPILLWAY_RETURN_IF_ERROR(Flush());
  const std::string partial = PartialPath(path_);
  if (fsync(descriptor_) != 0) return Fail(SystemError("sync", partial, errno));
  if (rename(partial.c_str(), path_.c_str()) != 0) {
    return Fail(SystemError("rename", partial, errno));
  }
  const int failed = close(std::exchange(descriptor_, -1)) != 0 ? errno : 0;
  if (failed != 0) return SystemError("close", path_, failed);
  return SyncDirectory(path_);
}

absl::Status CacheFileWriter::Fail(absl::Status status) {
  failure_ = std::move(status);
  return failure_;
}

absl::StatusOr<CacheFileReader> CacheFileReader::Open(ByteSource& source,
                                                      const CacheFileLimits& limits) {
  CacheFileReader reader(source, limits);
  SPILLWAY_RETURN_IF_ERROR(base::In("cache file", base::In("header", reader.ReadHeader())));
  return reader;
}

absl::Status CacheFileReader::ReadHeader() {
  constexpr int64_t kMagic = kCacheFileMagic.size();
  char head[kMagic + 2 * kUint32];
  auto* bytes = reinterpret_cast<uint8_t*>(head);
  SPILLWAY_RETURN_IF_ERROR(in_.ReadFully(bytes, kMagic, "magic"));
  if (std::string_view(head, kMagic) != kCacheFileMagic) {
    return base::AtByte(base::Invalid("no cache file, which begins with ", kCacheFileMagic), 0);
  }
  SPILLWAY_RETURN_IF_ERROR(in_.ReadFully(bytes + kMagic, 2 * kUint32, "version and schemaLen"));
  const auto version = base::Load<uint32_t>(head + kMagic);
  if (version != kCacheFileVersion) {
    return base::AtByte(base::Invalid("version ", version, ", known is ", kCacheFileVersion),
                        kMagic);
  }
  const auto size = base::Load<uint32_t>(head + kMagic + kUint32);
  const int64_t size_at = kMagic + kUint32;
  if (size > limits_.max_schema) {
    return base::AtByte(base::Exhausted("schema of ", size, " bytes, the limit is ",
                                        limits_.max_schema),
                        size_at);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer text, in_.ReadBytes(size, "schema"));
  const int64_t crc_at = in_.offset();
  uint8_t stored[kUint32];
  SPILLWAY_RETURN_IF_ERROR(in_.ReadFully(stored, kUint32, "checksum"));
  const uint32_t crc = Crc(text.view(), Crc({head, sizeof(head)}));
  if (base::Load<uint32_t>(stored) != crc) {
    return CrcMismatch("header", base::Load<uint32_t>(stored), crc, crc_at);
  }
  auto schema = vector::Type::Parse(text.view());
  if (!schema.ok()) {
    return base::AtByte(base::In("schema", std::move(schema).status()), size_at + kUint32);
  }
  if ((*schema)->kind() != vector::Kind::kRow) {
    return base::AtByte(base::Invalid("schema ", (*schema)->ToString(), " is no ROW type"),
                        size_at + kUint32);
  }
  schema_ = *std::move(schema);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<CacheRecord>> CacheFileReader::Next() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  if (ended_) return std::nullopt;
  absl::StatusOr<std::optional<CacheRecord>> record = ReadRecord();
  if (!record.ok()) {
    failure_ = base::In("cache file",
                        base::In(base::Cat("record ", records_), std::move(record).status()));
    return failure_;
  }
  if (record->has_value()) ++records_;
  return record;
}

absl::StatusOr<std::optional<CacheRecord>> CacheFileReader::ReadRecord() {
  const int64_t at = in_.offset();
  uint8_t head[kRecordHead];
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t there, in_.ReadUpTo(head, 1));
  if (there == 0) {
    return base::AtByte(base::Invalid("the file ends here, without an end mark"), at);
  }
  SPILLWAY_RETURN_IF_ERROR(in_.ReadFully(head + 1, kRecordHead - 1, "the record's head"));
  const auto length = base::Load<uint32_t>(head);
  const auto partition = base::Load<uint32_t>(head + kUint32);
  const auto stored = base::Load<uint32_t>(head + 2 * kUint32);
  if (length > MaxEnvelope(limits_)) {
    return base::AtByte(base::Exhausted("envelope of ", length, " bytes, the limit is ",
                                        MaxEnvelope(limits_)),
                        at);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer body, in_.ReadBytes(length, "envelope"));
  const uint32_t crc =
      Crc(body.view(), Crc({reinterpret_cast<const char*>(head), 2 * kUint32}));
  if (stored != crc) return CrcMismatch("record", stored, crc, at + 2 * kUint32);
  if (length == 0) {
    SPILLWAY_RETURN_IF_ERROR(CheckEnd(partition, at));
    return std::nullopt;
  }
  MemorySource source(body.view());
  StreamReader envelope_in(source, at + kRecordHead);
  SPILLWAY_ASSIGN_OR_RETURN(std::optional<Envelope> envelope,
                            ReadEnvelope(envelope_in, limits_.envelope));
  const int64_t used = envelope_in.offset() - at - kRecordHead;
  if (used != length) {
    return base::AtByte(base::Invalid(length - used, " bytes left over after the envelope"),
                        envelope_in.offset());
  }
  return CacheRecord{partition, *std::move(envelope), at};
}

absl::Status CacheFileReader::CheckEnd(uint32_t records, int64_t at) {
  if (records != records_) {
    return base::AtByte(base::Invalid("the end mark counts ", records, " records, there are ",
                                      records_),
                        at + kUint32);
  }
  uint8_t more = 0;
  const int64_t end = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t there, in_.ReadUpTo(&more, 1));
  if (there != 0) return base::AtByte(base::Invalid("bytes left over after the end mark"), end);
  ended_ = true;
  return absl::OkStatus();
}

}  // namespace spillway::frame
