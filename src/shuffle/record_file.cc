// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/record_file.h"

#include <cstdint>

#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {
namespace {

absl::StatusOr<std::string_view> ReadRecord(base::ByteReader& in) {
  SPILLWAY_ASSIGN_OR_RETURN(const auto length, in.Read<uint64_t>("length"));
  // A length of 2^63 or more turns negative, and is refused as such.
  return in.ReadBytes(static_cast<int64_t>(length), "payload");
}

}  // namespace

void AppendRecord(std::string_view payload, std::string& file) {
  char length[sizeof(uint64_t)];
  base::Store(length, uint64_t{payload.size()});
  file.append(length, sizeof(length));
  file.append(payload);
}

absl::StatusOr<std::vector<std::string_view>> ReadRecords(std::string_view file) {
  base::ByteReader in(file);
  std::vector<std::string_view> payloads;
  while (!in.at_end()) {
    const absl::StatusOr<std::string_view> payload = ReadRecord(in);
    if (!payload.ok()) {
      return base::In(base::Cat("partition file: record ", payloads.size()), payload.status());
    }
    payloads.push_back(*payload);
  }
  return payloads;
}

}  // namespace spillway::shuffle
