// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of flat columns out of their message. A part of batch_proto.

#include <cstdint>

#include "absl/status/statusor.h"
#include "src/vector/batch.pb.h"
#include "src/vector/column.h"
#include "src/vector/proto_context.h"
#include "src/vector/type.h"
#include "src/vector/validity.h"

namespace spillway::vector {

// The column of `type` whose flat values `in` lists. `place` is that of `in`. InvalidArgument if a
// list is there that is not the type's, has not one entry for each non-null row, or holds a value
// outside the type.
absl::StatusOr<ColumnPtr> ReadFlat(ProtoContext& context, const proto::Column& in,
                                   const Place& place, const TypePtr& type, int64_t rows,
                                   Validity validity);

}  // namespace spillway::vector
