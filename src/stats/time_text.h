// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dates and times as people write them, in UTC and the proleptic Gregorian calendar.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spillway::stats {

// Days since 1970-01-01 of "1992-07-08", years 0001 to 9999. Empty: not that, or no such day.
std::optional<int32_t> ParseDate(std::string_view text);

// Microseconds since the epoch of "1992-07-08", "1992-07-08 12:30:00" or "... 12:30:00.123456",
// with 1 to 6 digits behind the point. Empty: not that.
std::optional<int64_t> ParseTimestamp(std::string_view text);

// The text that the above read. Empty: outside years 0001 to 9999.
std::optional<std::string> DateToText(int64_t days);
std::optional<std::string> TimestampToText(int64_t micros);

}  // namespace spillway::stats
