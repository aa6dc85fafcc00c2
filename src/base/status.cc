// SPDX-License-Identifier: Apache-2.0
#include "src/base/status.h"

#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/types/optional.h"

namespace spillway::base {
namespace {

constexpr char kByteOffsetUrl[] = "spillway/byte-offset";

absl::Status WithMessage(const absl::Status& status, const std::string& message) {
  absl::Status out(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace

absl::Status AtByte(absl::Status status, int64_t offset, int64_t total) {
  const absl::Status at = AtByte(std::move(status), offset);
  return WithMessage(at, absl::StrCat(at.message(), " of ", total));
}

absl::Status AtByte(absl::Status status, int64_t offset) {
  absl::Status out = WithMessage(status, absl::StrCat(status.message(), ", byte ", offset));
  out.SetPayload(kByteOffsetUrl, absl::Cord(absl::StrCat(offset)));
  return out;
}

std::optional<int64_t> ByteOffset(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kByteOffsetUrl);
  int64_t offset = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &offset)) {
    return std::nullopt;
  }
  return offset;
}

absl::Status In(std::string_view where, absl::Status status) {
  if (status.ok()) return status;
  return WithMessage(status, Cat(where, ": ", status.message()));
}

}  // namespace spillway::base
