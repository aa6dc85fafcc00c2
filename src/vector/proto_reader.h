// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches out of their messages. A part of batch_proto, which is the interface.

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/batch.pb.h"
#include "src/vector/proto_context.h"

namespace spillway::vector {

// Nesting below a column, whatever the caller's options say.
inline constexpr int kMaxColumnDepth = 64;

// The batch that `in`, at `place`, describes. On failure `context` knows where in the text.
absl::StatusOr<Batch> ReadBatch(ProtoContext& context, const proto::Batch& in, const Place& place,
                                int max_depth);

}  // namespace spillway::vector
