// SPDX-License-Identifier: Apache-2.0
#pragma once
// The stream that Gluten serialises around a cached batch (FORMAT section 8).
// docs/format/envelope.md. Big-endian, fixed width:
//
//   numRows i32 | sizeInBytes i64 | payloadLength + 1 i32 | payload
//   | hasStats u8 [statsLen i32 | statistics blob] | hasSchema u8 [len i32 | schema, JSON in UTF-8]

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "src/frame/byte_source.h"
#include "src/frame/content.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

struct Envelope {
  int32_t rows = 0;
  int64_t size_in_bytes = 0;  // Spark's estimate of the batch's memory
  // A whole V3 frame; of a V2 frame the page, with the statistics beside it; or a page.
  vector::Buffer payload = {};
  std::optional<vector::Buffer> stats = std::nullopt;  // the blob
  std::optional<std::string> schema = std::nullopt;    // as it was written, not parsed
};

struct EnvelopeLimits {
  // Of payload, statistics and schema, each.
  int64_t max_length = int64_t{64} << 20;
};

// The bytes of `envelope`.
//
//   OK                 the bytes, with both trailing flags
//   InvalidArgument    rows or size_in_bytes are negative
//   ResourceExhausted  a part is over the limit, which its reader would refuse
absl::StatusOr<vector::Buffer> WriteEnvelope(const Envelope& envelope,
                                             const EnvelopeLimits& limits = {});

// Reads the next envelope of a stream, however few bytes each read gives.
//
//   OK                 the envelope; nullopt if the data ends before its first byte. A stream of
//                      before the trailing flags ends behind the payload, or behind the
//                      statistics: what is not there is absent
//   InvalidArgument    the data ends within a part, a length or count is negative, the payload is
//                      null, a flag is not 0 or 1; the message has the byte of the stream
//   ResourceExhausted  a length is over the limit; nothing was allocated for it
//   otherwise          as the source says
absl::StatusOr<std::optional<Envelope>> ReadEnvelope(StreamReader& in,
                                                     const EnvelopeLimits& limits = {});

// The envelope of a batch of `rows` rows that is cached as `bytes`, in any form. A V2 frame is
// taken apart; InvalidArgument if that fails, or if `rows` is no i32.
absl::StatusOr<Envelope> MakeEnvelope(const vector::Buffer& bytes, int64_t rows,
                                      int64_t size_in_bytes,
                                      std::optional<std::string> schema = std::nullopt);

// The batch in an envelope, under `schema`; its own schema is not looked at. Statistics beside the
// payload must have one entry a column; those inside a frame come first. Outcomes as ReadContent();
// InvalidArgument too if batch and envelope differ in rows.
absl::StatusOr<Content> ReadEnvelopeContent(const vector::TypePtr& schema,
                                            const Envelope& envelope,
                                            const ContentOptions& options = {});

}  // namespace spillway::frame
