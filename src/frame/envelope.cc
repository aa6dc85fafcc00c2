// SPDX-License-Identifier: Apache-2.0
#include "src/frame/envelope.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/frame/v2.h"

namespace spillway::frame {
namespace {

using vector::Buffer;

constexpr int64_t kHeadSize = 4 + 8 + 4;

uint32_t Swap(uint32_t value) { return __builtin_bswap32(value); }
uint64_t Swap(uint64_t value) { return __builtin_bswap64(value); }

int32_t LoadInt32(const uint8_t* at) {
  return static_cast<int32_t>(Swap(base::Load<uint32_t>(at)));
}
int64_t LoadInt64(const uint8_t* at) {
  return static_cast<int64_t>(Swap(base::Load<uint64_t>(at)));
}

uint8_t* PutInt32(int64_t value, uint8_t* out) {
  base::Store(out, Swap(static_cast<uint32_t>(value)));
  return out + 4;
}

uint8_t* PutInt64(int64_t value, uint8_t* out) {
  base::Store(out, Swap(static_cast<uint64_t>(value)));
  return out + 8;
}

uint8_t* PutBytes(std::string_view bytes, uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

uint8_t* PutOptional(const std::optional<std::string_view>& part, uint8_t* out) {
  *out++ = part.has_value() ? 1 : 0;
  if (!part.has_value()) return out;
  return PutBytes(*part, PutInt32(static_cast<int64_t>(part->size()), out));
}

int64_t OptionalSize(const std::optional<std::string_view>& part) {
  return part.has_value() ? 1 + 4 + static_cast<int64_t>(part->size()) : 1;
}

// The limit, and what an i32 holds of length + 1.
int64_t Most(const EnvelopeLimits& limits) {
  return std::min<int64_t>(limits.max_length, INT32_MAX - 1);
}

absl::Status CheckSize(int64_t size, std::string_view what, const EnvelopeLimits& limits) {
  if (size <= Most(limits)) return absl::OkStatus();
  return base::Exhausted(what, " of ", size, " bytes, the limit is ", Most(limits));
}

// A length that was read at `at`.
absl::Status CheckLength(int64_t length, int64_t at, std::string_view what,
                         const EnvelopeLimits& limits) {
  if (length < 0) {
    return base::AtByte(base::Invalid("length ", length, " of the ", what, " is negative"), at);
  }
  const absl::Status size = CheckSize(length, what, limits);
  return size.ok() ? size : base::AtByte(size, at);
}

// A flag, and what it announces. No flag: an old stream, which ended before there were any.
absl::StatusOr<std::optional<Buffer>> ReadOptional(StreamReader& in, std::string_view what,
                                                   const EnvelopeLimits& limits) {
  const int64_t at = in.offset();
  uint8_t flag = 0;
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t there, in.ReadUpTo(&flag, 1));
  if (there == 0 || flag == 0) return std::nullopt;
  if (flag != 1) {
    return base::AtByte(base::Invalid("flag of the ", what, " is ", int{flag}, ", not 0 or 1"), at);
  }
  uint8_t bytes[4];
  SPILLWAY_RETURN_IF_ERROR(in.ReadFully(bytes, sizeof(bytes), "a length"));
  const int32_t length = LoadInt32(bytes);
  SPILLWAY_RETURN_IF_ERROR(CheckLength(length, at + 1, what, limits));
  SPILLWAY_ASSIGN_OR_RETURN(Buffer part, in.ReadBytes(length, what));
  return part;
}

absl::StatusOr<std::optional<Envelope>> Read(StreamReader& in, const EnvelopeLimits& limits) {
  const int64_t at = in.offset();
  uint8_t head[kHeadSize];
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t there, in.ReadUpTo(head, 1));
  if (there == 0) return std::nullopt;
  SPILLWAY_RETURN_IF_ERROR(in.ReadFully(head + 1, kHeadSize - 1, "the head"));
  Envelope out;
  out.rows = LoadInt32(head);
  out.size_in_bytes = LoadInt64(head + 4);
  const int64_t length = int64_t{LoadInt32(head + 12)} - 1;
  if (out.rows < 0) return base::AtByte(base::Invalid("row count ", out.rows), at);
  if (out.size_in_bytes < 0) {
    return base::AtByte(base::Invalid("sizeInBytes ", out.size_in_bytes), at + 4);
  }
  if (length == -1) return base::AtByte(base::Invalid("the payload is null"), at + 12);
  SPILLWAY_RETURN_IF_ERROR(CheckLength(length, at + 12, "payload", limits));
  SPILLWAY_ASSIGN_OR_RETURN(out.payload, in.ReadBytes(length, "payload"));
  SPILLWAY_ASSIGN_OR_RETURN(out.stats, ReadOptional(in, "statistics", limits));
  SPILLWAY_ASSIGN_OR_RETURN(const std::optional<Buffer> schema, ReadOptional(in, "schema", limits));
  if (schema.has_value()) out.schema = std::string(schema->view());
  return out;
}

}  // namespace

absl::StatusOr<Buffer> WriteEnvelope(const Envelope& envelope, const EnvelopeLimits& limits) {
  if (envelope.rows < 0) return base::Invalid("envelope: row count ", envelope.rows);
  if (envelope.size_in_bytes < 0) {
    return base::Invalid("envelope: sizeInBytes ", envelope.size_in_bytes);
  }
  std::optional<std::string_view> stats;
  if (envelope.stats.has_value()) stats = envelope.stats->view();
  std::optional<std::string_view> schema;
  if (envelope.schema.has_value()) schema = *envelope.schema;
  const std::string_view payload = envelope.payload.view();
  const auto check = [&](std::string_view part, std::string_view what) {
    return base::In("envelope", CheckSize(static_cast<int64_t>(part.size()), what, limits));
  };
  SPILLWAY_RETURN_IF_ERROR(check(payload, "payload"));
  SPILLWAY_RETURN_IF_ERROR(check(stats.value_or(""), "statistics"));
  SPILLWAY_RETURN_IF_ERROR(check(schema.value_or(""), "schema"));

  const auto size = static_cast<int64_t>(payload.size());
  vector::MutableBuffer out(kHeadSize + size + OptionalSize(stats) + OptionalSize(schema));
  uint8_t* at = PutInt64(envelope.size_in_bytes, PutInt32(envelope.rows, out.data()));
  at = PutBytes(payload, PutInt32(size + 1, at));
  PutOptional(schema, PutOptional(stats, at));
  return std::move(out).Freeze();
}

absl::StatusOr<std::optional<Envelope>> ReadEnvelope(StreamReader& in,
                                                     const EnvelopeLimits& limits) {
  return base::In("envelope", Read(in, limits));
}

absl::StatusOr<Envelope> MakeEnvelope(const Buffer& bytes, int64_t rows, int64_t size_in_bytes,
                                      std::optional<std::string> schema) {
  if (rows < 0 || rows > INT32_MAX) return base::Invalid("envelope: row count ", rows);
  Envelope out{.rows = static_cast<int32_t>(rows),
               .size_in_bytes = size_in_bytes,
               .payload = bytes,
               .schema = std::move(schema)};
  if (Sniff(bytes.view()) == Format::kV2) {
    SPILLWAY_ASSIGN_OR_RETURN(V2Parts parts, base::In("envelope", SplitV2(bytes)));
    out.payload = std::move(parts.page);
    out.stats = std::move(parts.stats);
  }
  return out;
}

absl::StatusOr<Content> ReadEnvelopeContent(const vector::TypePtr& schema,
                                            const Envelope& envelope,
                                            const ContentOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(Content content,
                            base::In("payload", ReadContent(schema, envelope.payload, options)));
  if (content.batch.rows() != envelope.rows) {
    return base::Invalid("the envelope says ", envelope.rows, " rows, its payload has ",
                         content.batch.rows());
  }
  if (content.stats.has_value() || !envelope.stats.has_value()) return content;
  SPILLWAY_ASSIGN_OR_RETURN(
      content.stats,
      base::In("statistics", stats::ReadBlob(*schema, base::ByteReader(envelope.stats->view()))));
  // A page with statistics beside it is what is left of a V2 frame.
  if (content.format == Format::kLegacy) content.format = Format::kV2;
  return content;
}

}  // namespace spillway::frame
