// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which of the table cache's formats bytes are in (FORMAT section 7). The only place that looks:
// every reader of unknown bytes asks here. docs/format/frames.md.
//
// A legacy page begins with its row count, and two counts read like the frames' magic: 39,045,886
// rows are FE CA 53 02, 55,823,102 rows are FE CA 53 03. So four bytes do not decide:
//
//   first four bytes   frame structure   page header   format
//   anything else      -                 -             legacy
//   a frame's magic    holds             -             that frame
//   a frame's magic    does not hold     holds         legacy
//   a frame's magic    does not hold     does not      that frame, whose reader says what is wrong
//
// A frame's structure holds if all its lengths add up to the last byte. A page header holds if
// page::ReadPageHeader takes it and the bytes that follow are exactly its payload. A damaged V3
// frame thus never reaches the page decoder, which would take its magic for 55,823,102 rows.

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace spillway::frame {

enum class Format : uint8_t { kLegacy, kV2, kV3 };

// The format of `bytes`, which are one page or frame. Any bytes have one; that of neither is
// legacy, whose reader refuses them.
//
//   V2 structure   statsLen, bytesLen and the embedded page's header fit each other and the end
//   V3 structure   statsLen and every colLen fit to the end; numRows is at most 2^31 - 1; colLen is
//                  0 only without rows; a statistics blob has numCols columns
Format Sniff(std::string_view bytes);

// InvalidArgument with the version if `bytes` begin as a frame does (FE CA 53) and the next byte is
// of no version that is known here, unless they are a page of that many rows. A reader says so
// before it takes such bytes for a page (druid#632).
absl::Status CheckVersion(std::string_view bytes);

// Whether `bytes` begin as a column block does: a length and an encoding name of that length. No
// page that can be read and no frame does, since a letter is no marker.
bool IsColumnBlock(std::string_view bytes);

}  // namespace spillway::frame
