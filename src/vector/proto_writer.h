// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches into their messages. A part of batch_proto, which is the interface.

#include "src/vector/batch.h"
#include "src/vector/batch.pb.h"

namespace spillway::vector {

// See ToProto.
proto::Batch WriteBatch(const Batch& batch);

}  // namespace spillway::vector
