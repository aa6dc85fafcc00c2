// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors are sentences with a place, built up in layers: the code that finds a
// fault says what it saw and at which byte, each caller puts in front what it
// alone knows ("V3 frame", "column 2 `name` VARCHAR"), and the first fault wins.
//
//   V3 frame: column 2 `name` VARCHAR: offsets descend at row 17 (40 then 12), byte 288 of 1042

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/strings.h"

namespace spillway::base {

// The input breaks a rule.
template <typename... Args>
absl::Status Invalid(const Args&... what) {
  return absl::InvalidArgumentError(Cat(what...));
}

// A limit (an option of the caller, or of the format) was reached.
template <typename... Args>
absl::Status Exhausted(const Args&... what) {
  return absl::ResourceExhaustedError(Cat(what...));
}

// Ends the message with ", byte `offset` of `total`" and keeps `offset` readable by ByteOffset().
absl::Status AtByte(absl::Status status, int64_t offset, int64_t total);
// The same for a stream, whose end is not known: ", byte `offset`".
absl::Status AtByte(absl::Status status, int64_t offset);

// The byte that AtByte() recorded, if any. Counts from the start of the outermost input, except
// inside a decompressed payload, whose errors say so.
std::optional<int64_t> ByteOffset(const absl::Status& status);

// Puts "`where`: " in front of a failed status's message and keeps code and payloads.
// OK stays OK.
absl::Status In(std::string_view where, absl::Status status);

template <typename T>
absl::StatusOr<T> In(std::string_view where, absl::StatusOr<T> result) {
  if (result.ok()) return result;
  return In(where, std::move(result).status());
}

}  // namespace spillway::base

// Returns from the enclosing function with `expr`'s status if that is not OK.
#define SPILLWAY_RETURN_IF_ERROR(expr)                         \
  do {                                                         \
    absl::Status spillway_status = (expr);                     \
    if (!spillway_status.ok()) return spillway_status;         \
  } while (false)

// SPILLWAY_ASSIGN_OR_RETURN(auto x, F()): `x` is F()'s value, or F()'s status is returned.
#define SPILLWAY_ASSIGN_OR_RETURN(lhs, expr) \
  SPILLWAY_ASSIGN_OR_RETURN_IMPL_(SPILLWAY_CONCAT_(spillway_result_, __LINE__), lhs, expr)
#define SPILLWAY_ASSIGN_OR_RETURN_IMPL_(result, lhs, expr) \
  auto result = (expr);                                    \
  if (!result.ok()) return std::move(result).status();     \
  lhs = *std::move(result)
#define SPILLWAY_CONCAT_(a, b) SPILLWAY_CONCAT_IMPL_(a, b)
#define SPILLWAY_CONCAT_IMPL_(a, b) a##b
