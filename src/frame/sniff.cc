// SPDX-License-Identifier: Apache-2.0
#include "src/frame/sniff.h"

#include <algorithm>

#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/frame/magic.h"
#include "src/page/encoding_name.h"
#include "src/page/page.h"

namespace spillway::frame {
namespace {

using base::ByteReader;

absl::Status SkipSized(ByteReader& in) {
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t size, in.Read<uint32_t>("length"));
  SPILLWAY_RETURN_IF_ERROR(in.Need(size, "part"));
  in.Skip(size);
  return absl::OkStatus();
}

// `in` stands behind the magic.
absl::Status CheckV2(ByteReader in) {
  SPILLWAY_RETURN_IF_ERROR(SkipSized(in));
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t size, in.Read<uint32_t>("bytesLen"));
  if (size != in.remaining()) return base::Invalid("bytesLen ", size);
  return page::ReadPageHeader(in).status();
}

absl::Status CheckV3(ByteReader in) {
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t stats_size, in.Read<uint32_t>("statsLen"));
  SPILLWAY_ASSIGN_OR_RETURN(ByteReader stats, in.Sub(stats_size, "statistics"));
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t rows, in.Read<uint32_t>("numRows"));
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t columns, in.Read<uint32_t>("numCols"));
  if (rows > INT32_MAX) return base::Invalid("numRows ", rows);
  if (stats_size != 0) {
    SPILLWAY_ASSIGN_OR_RETURN(const uint32_t cells, stats.Read<uint32_t>("cells"));
    if (cells != columns) return base::Invalid("statistics of ", cells, " columns");
  }
  for (uint32_t i = 0; i < columns; ++i) {
    const int64_t before = in.remaining();
    SPILLWAY_RETURN_IF_ERROR(SkipSized(in));
    const bool empty = before - in.remaining() == sizeof(uint32_t);
    if (empty && rows != 0) return base::Invalid("colLen 0");
  }
  return in.ExpectEnd("last column");
}

bool IsPage(std::string_view bytes) {
  ByteReader in(bytes);
  return page::ReadPageHeader(in).ok();
}

}  // namespace

Format Sniff(std::string_view bytes) {
  ByteReader in(bytes);
  const auto magic = in.Read<uint32_t>("magic");
  if (!magic.ok() || (*magic != kMagicV2 && *magic != kMagicV3)) return Format::kLegacy;
  const Format frame = *magic == kMagicV2 ? Format::kV2 : Format::kV3;
  const absl::Status structure = frame == Format::kV2 ? CheckV2(in) : CheckV3(in);
  return structure.ok() || !IsPage(bytes) ? frame : Format::kLegacy;
}

absl::Status CheckVersion(std::string_view bytes) {
  ByteReader in(bytes);
  const auto magic = in.Read<uint32_t>("magic");
  if (!magic.ok() || (*magic & kMagicMask) != (kMagicV3 & kMagicMask)) return absl::OkStatus();
  const uint32_t version = *magic >> kVersionShift;
  if (*magic == kMagicV2 || *magic == kMagicV3 || IsPage(bytes)) return absl::OkStatus();
  return in.ErrorAt(3, "frame of version ", version, ", known are 2 and 3");
}

bool IsColumnBlock(std::string_view bytes) {
  ByteReader in(bytes);
  const auto length = in.Read<int32_t>("length");
  if (!length.ok()) return false;
  const auto name = in.ReadBytes(*length, "name");
  return name.ok() && std::find(page::kEncodingNames.begin(), page::kEncodingNames.end(), *name) !=
                          page::kEncodingNames.end();
}

}  // namespace spillway::frame
