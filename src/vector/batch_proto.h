// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches in their neutral protobuf form (batch.proto, docs/format/batch.md): as messages, as
// textproto, which people read and edit, and as protobuf's binary form.

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/batch.pb.h"

namespace spillway::vector {

struct FromProtoOptions {
  // Nesting of ARRAY, MAP, ROW, constants and dictionaries below a column, at most 64.
  int max_depth = 64;
  // Bound on the buffers of the batch. Few bytes can claim many rows (`all_null`, `constant`); a
  // constant or UNKNOWN column of any size needs next to nothing.
  int64_t max_bytes = int64_t{1} << 28;
};

// The batch that `in` describes. Buffers are new and as large as their contents, whatever capacity
// they claim. Zeros stand under nulls.
//
//   OK                 the batch
//   InvalidArgument    a rule of batch.proto is broken; the message gives the path and the value:
//                        column 2 `name`: field 0 `a`: integers[3]: 300 is no TINYINT
//   ResourceExhausted  nested deeper, or more bytes, than the options allow
absl::StatusOr<Batch> FromProto(const proto::Batch& in, const FromProtoOptions& options = {});

// The neutral form of `batch`: FromProto gives back the same values, nulls, encodings, capacities
// and sharing of allocations. Lazy columns must have been loaded (vector::Load). Canonical: two
// batches that agree in these have the same form.
proto::Batch ToProto(const Batch& batch);

// From textproto. Messages begin with the place: "rows.textproto:7:5: column 0 `id`: ...".
absl::StatusOr<Batch> FromTextproto(std::string_view text, std::string_view file_name,
                                    const FromProtoOptions& options = {});
std::string ToTextproto(const Batch& batch);

// From and to protobuf's binary form. Deterministic. Columns may nest deeper than protobuf's
// parsers allow unless told otherwise, so read batches with this.
absl::StatusOr<Batch> FromBinaryProto(std::string_view bytes,
                                      const FromProtoOptions& options = {});
std::string ToBinaryProto(const Batch& batch);

}  // namespace spillway::vector
