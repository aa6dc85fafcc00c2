// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes of a partition file: records one behind the other, nothing before, between or after.
//
//   length   u64, little-endian: bytes of the payload
//   payload  `length` bytes
//
// docs/memory/repartitioner.md has an example.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::shuffle {

// Adds `payload` as a record behind `file`.
void AppendRecord(std::string_view payload, std::string& file);

// The payloads of `file`, which they borrow from. InvalidArgument with record and byte if the file
// ends within a record.
absl::StatusOr<std::vector<std::string_view>> ReadRecords(std::string_view file);

}  // namespace spillway::shuffle
