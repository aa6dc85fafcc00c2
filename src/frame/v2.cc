// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v2.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/frame/magic.h"
#include "src/page/page.h"
#include "src/vector/lazy_column.h"

namespace spillway::frame {
namespace {

using base::ByteReader;
using vector::Batch;
using vector::Buffer;
using vector::MutableBuffer;
using vector::TypePtr;

struct Parts {
  ByteReader stats;
  ByteReader page;
};

absl::StatusOr<Parts> Locate(const Buffer& bytes) {
  ByteReader in(bytes.view());
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t magic, in.Read<uint32_t>("magic"));
  if (magic != kMagicV2) {
    return in.ErrorAt(0, absl::StrFormat("magic %08x is not %08x", magic, kMagicV2));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t stats_size, in.Read<uint32_t>("statsLen"));
  SPILLWAY_ASSIGN_OR_RETURN(const ByteReader stats, in.Sub(stats_size, "statistics"));
  const int64_t size_at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t page_size, in.Read<uint32_t>("bytesLen"));
  if (page_size != in.remaining()) {
    return in.ErrorAt(size_at, "bytesLen ", page_size, ", ", in.remaining(), " bytes follow");
  }
  return Parts{stats, in};
}

absl::StatusOr<V2Content> Read(const TypePtr& schema, const Buffer& bytes,
                               const page::ReadLimits& limits) {
  SPILLWAY_ASSIGN_OR_RETURN(Parts parts, Locate(bytes));
  SPILLWAY_ASSIGN_OR_RETURN(stats::BatchStats stats,
                            base::In("statistics", stats::ReadBlob(*schema, parts.stats)));
  SPILLWAY_ASSIGN_OR_RETURN(
      Batch batch,
      base::In("page", page::ReadPage(schema, bytes, parts.page, {.limits = limits})));
  return V2Content{std::move(batch), std::move(stats)};
}

// Memory for a frame, written up to its page, and where that goes.
struct Head {
  MutableBuffer frame;
  uint8_t* page;
};

template <typename WriteStats>
absl::StatusOr<Head> Begin(int64_t stats_size, int64_t page_size, WriteStats write_stats) {
  const int64_t size = int64_t{3} * sizeof(uint32_t) + stats_size + page_size;
  if (size > kMaxFrameSize) {
    return base::Exhausted("V2 frame: ", size, " bytes, the limit is ", kMaxFrameSize);
  }
  MutableBuffer out(size);
  uint8_t* at = out.data();
  base::Store(at, kMagicV2);
  base::Store(at + 4, static_cast<uint32_t>(stats_size));
  at = write_stats(at + 8);
  base::Store(at, static_cast<uint32_t>(page_size));
  return Head{std::move(out), at + 4};
}

uint8_t* Put(std::string_view bytes, uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

}  // namespace

absl::StatusOr<Buffer> WriteV2(const Batch& lazy_batch, const stats::StatsOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(const Batch batch, base::In("V2 frame", vector::Load(lazy_batch)));
  SPILLWAY_ASSIGN_OR_RETURN(const page::PagePlan page,
                            base::In("V2 frame", page::PagePlan::Make(batch)));
  const stats::BatchStats stats = stats::ComputeStats(batch, options);
  SPILLWAY_ASSIGN_OR_RETURN(
      Head head, Begin(stats::BlobSize(stats), page.size(),
                       [&](uint8_t* out) { return stats::WriteBlob(stats, out); }));
  page.Write(head.page);
  return std::move(head.frame).Freeze();
}

absl::StatusOr<Buffer> AssembleV2(std::string_view stats, std::string_view page) {
  SPILLWAY_ASSIGN_OR_RETURN(
      Head head, Begin(static_cast<int64_t>(stats.size()), static_cast<int64_t>(page.size()),
                       [&](uint8_t* out) { return Put(stats, out); }));
  Put(page, head.page);
  return std::move(head.frame).Freeze();
}

absl::StatusOr<V2Parts> SplitV2(const Buffer& bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const Parts parts, base::In("V2 frame", Locate(bytes)));
  return V2Parts{bytes.Slice(parts.stats.offset(), parts.stats.remaining()),
                 bytes.Slice(parts.page.offset(), parts.page.remaining())};
}

absl::StatusOr<V2Content> ReadV2(const TypePtr& schema, const Buffer& bytes,
                                 const page::ReadLimits& limits) {
  return base::In("V2 frame", Read(schema, bytes, limits));
}

}  // namespace spillway::frame
