// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v2.h"

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
using vector::TypePtr;

absl::StatusOr<V2Content> Read(const TypePtr& schema, const Buffer& bytes,
                               const page::ReadLimits& limits) {
  ByteReader in(bytes.view());
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t magic, in.Read<uint32_t>("magic"));
  if (magic != kMagicV2) {
    return in.ErrorAt(0, absl::StrFormat("magic %08x is not %08x", magic, kMagicV2));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t stats_size, in.Read<uint32_t>("statsLen"));
  SPILLWAY_ASSIGN_OR_RETURN(const ByteReader stats_in, in.Sub(stats_size, "statistics"));
  SPILLWAY_ASSIGN_OR_RETURN(stats::BatchStats stats,
                            base::In("statistics", stats::ReadBlob(*schema, stats_in)));
  const int64_t size_at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t page_size, in.Read<uint32_t>("bytesLen"));
  if (page_size != in.remaining()) {
    return in.ErrorAt(size_at, "bytesLen ", page_size, ", ", in.remaining(), " bytes follow");
  }
  SPILLWAY_ASSIGN_OR_RETURN(
      Batch batch, base::In("page", page::ReadPage(schema, bytes, in, {.limits = limits})));
  return V2Content{std::move(batch), std::move(stats)};
}

}  // namespace

absl::StatusOr<Buffer> WriteV2(const Batch& lazy_batch) {
  SPILLWAY_ASSIGN_OR_RETURN(const Batch batch, base::In("V2 frame", vector::Load(lazy_batch)));
  SPILLWAY_ASSIGN_OR_RETURN(const page::PagePlan page,
                            base::In("V2 frame", page::PagePlan::Make(batch)));
  const stats::BatchStats stats = stats::ComputeStats(batch);
  const int64_t stats_size = stats::BlobSize(stats);
  const int64_t size = int64_t{3} * sizeof(uint32_t) + stats_size + page.size();
  if (size > kMaxFrameSize) {
    return base::Exhausted("V2 frame: ", size, " bytes, the limit is ", kMaxFrameSize);
  }
  vector::MutableBuffer out(size);
  uint8_t* at = out.data();
  base::Store(at, kMagicV2);
  base::Store(at + 4, static_cast<uint32_t>(stats_size));
  at = stats::WriteBlob(stats, at + 8);
  base::Store(at, static_cast<uint32_t>(page.size()));
  page.Write(at + 4);
  return std::move(out).Freeze();
}

absl::StatusOr<V2Content> ReadV2(const TypePtr& schema, const Buffer& bytes,
                                 const page::ReadLimits& limits) {
  return base::In("V2 frame", Read(schema, bytes, limits));
}

}  // namespace spillway::frame
