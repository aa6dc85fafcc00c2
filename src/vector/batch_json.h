// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches in the JSON form of their neutral protobuf message (batch.proto, docs/format/batch.md):
// field names as in the .proto file, bytes in base64, 64-bit integers as strings.

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/batch_proto.h"

namespace spillway::vector {

// From JSON. Values, nulls, encodings, capacities and sharing of allocations as with FromProto().
//
//   OK                 the batch
//   InvalidArgument    not JSON, not of this message, nested over 100 levels of JSON, or against a
//                      rule of batch.proto; the message begins with `file_name`
//   ResourceExhausted  as FromProto()
absl::StatusOr<Batch> FromJson(std::string_view text, std::string_view file_name,
                               const FromProtoOptions& options = {});

// InvalidArgument if columns nest deeper than protobuf's JSON goes (64 messages, which are about 31
// levels); textproto and the binary form have no such limit. What is written can be read.
absl::StatusOr<std::string> ToJson(const Batch& batch);

}  // namespace spillway::vector
