// SPDX-License-Identifier: Apache-2.0
#include "src/frame/fallback.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/stats/blob.h"

namespace spillway::frame {

using vector::Batch;
using vector::Buffer;

namespace {

absl::Status CheckPage(const Batch& batch, const Buffer& page) {
  base::ByteReader in(page.view());
  SPILLWAY_ASSIGN_OR_RETURN(const page::PageHeader header, page::ReadPageHeader(in));
  if (header.rows == batch.rows()) return absl::OkStatus();
  return base::Invalid("a page of ", header.rows, " rows for a batch of ", batch.rows());
}

absl::Status CheckV2(const Batch& batch, const Buffer& bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const V2Parts parts, SplitV2(bytes));
  SPILLWAY_RETURN_IF_ERROR(
      stats::CheckBlob(*batch.schema(), base::ByteReader(parts.stats.view())));
  return CheckPage(batch, parts.page);
}

absl::Status CheckV3(const Batch& batch, const Buffer& bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const V3Frame frame, V3Frame::Open(batch.schema(), bytes));
  if (frame.rows() == batch.rows()) return absl::OkStatus();
  return base::Invalid("a frame of ", frame.rows(), " rows for a batch of ", batch.rows());
}

// Whether the structure is that of `format`; column blocks are not looked into.
absl::Status CheckStructure(Format format, const Batch& batch, const Buffer& bytes) {
  switch (format) {
    case Format::kV3:
      return base::In("V3", CheckV3(batch, bytes));
    case Format::kV2:
      return base::In("V2", CheckV2(batch, bytes));
    case Format::kLegacy:
      break;
  }
  return base::In("page", CheckPage(batch, bytes));
}

}  // namespace

absl::StatusOr<std::optional<Buffer>> OwnFormatWriter::Write(Format format, const Batch& batch,
                                                             bool statistics) const {
  switch (format) {
    case Format::kV3:
      return WriteV3(batch, {.statistics = statistics});
    case Format::kV2:
      return WriteV2(batch);
    case Format::kLegacy:
      break;
  }
  return page::WritePage(batch);
}

CapabilityLatch::Probe ProbeByWriting(const FormatWriter& writer) {
  return [&writer](Format format) {
    const Batch empty(vector::Type::Row({}, {}), 0, {});
    const auto bytes = writer.Write(format, empty, /*statistics=*/true);
    return bytes.ok() && bytes->has_value();
  };
}

absl::StatusOr<Written> WriteWithFallback(const Batch& batch, bool statistics,
                                          const FormatWriter& writer, CapabilityLatch& latch,
                                          FallbackLog& log) {
  // This batch's own: never better than the latch, and worse once a frame of it was bad.
  Capability capability = latch.Get();
  while (true) {
    const std::optional<Format> format = ChooseFormat(capability, statistics);
    if (!format.has_value()) {
      return absl::UnavailableError("the native library writes no form of a cached batch");
    }
    absl::StatusOr<std::optional<Buffer>> bytes = writer.Write(*format, batch, statistics);
    const bool missing = absl::IsUnimplemented(bytes.status());
    if (!bytes.ok() && !missing) return std::move(bytes).status();
    if (missing || !bytes->has_value()) {
      latch.Lower(*format);
      capability = std::max(Below(*format), latch.Get());
      continue;
    }
    const absl::Status structure = CheckStructure(*format, batch, **bytes);
    if (structure.ok()) return Written{*format, **std::move(bytes)};
    if (*format == Format::kLegacy) return structure;
    log.Add(structure);
    capability = std::max(Below(*format), latch.Get());
  }
}

absl::StatusOr<Content> ReadWithFallback(const vector::TypePtr& schema, const Buffer& bytes,
                                         const ContentOptions& options,
                                         const std::function<absl::StatusOr<Content>()>& recompute,
                                         FallbackLog& log) {
  absl::StatusOr<Content> content = ReadContent(schema, bytes, options);
  if (content.ok() || absl::IsOutOfRange(content.status())) return content;
  log.Add(content.status());
  return recompute();
}

}  // namespace spillway::frame
