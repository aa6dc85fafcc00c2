// SPDX-License-Identifier: Apache-2.0
#include "src/stats/time_text.h"

#include <chrono>

#include "absl/strings/str_format.h"

namespace spillway::stats {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kMicrosPerDay = kSecondsPerDay * kMicrosPerSecond;
constexpr int64_t kFirstDay = -719'162;  // 0001-01-01
constexpr int64_t kLastDay = 2'932'896;  // 9999-12-31

// The number that exactly `text`'s digits spell; empty text or another character: nothing.
std::optional<int> Digits(std::string_view text) {
  if (text.empty()) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<int64_t> ParseTimeOfDay(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hour = Digits(text.substr(0, 2));
  const auto minute = Digits(text.substr(3, 2));
  const auto second = Digits(text.substr(6, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  int64_t micros = ((*hour * 60 + *minute) * 60 + *second) * kMicrosPerSecond;
  if (text.size() == 8) return micros;
  const std::string_view fraction = text.substr(9);
  const auto value = fraction.size() <= 6 ? Digits(fraction) : std::nullopt;
  if (text[8] != '.' || !value) return std::nullopt;
  int64_t scaled = *value;
  for (size_t i = fraction.size(); i < 6; ++i) scaled *= 10;
  return micros + scaled;
}

}  // namespace

std::optional<int32_t> ParseDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = Digits(text.substr(0, 4));
  const auto month = Digits(text.substr(5, 2));
  const auto day = Digits(text.substr(8, 2));
  if (!year || !month || !day || *year == 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return static_cast<int32_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  const auto days = ParseDate(text.substr(0, 10));
  if (!days) return std::nullopt;
  int64_t of_day = 0;
  if (text.size() > 10) {
    const auto parsed = text[10] == ' ' ? ParseTimeOfDay(text.substr(11)) : std::nullopt;
    if (!parsed) return std::nullopt;
    of_day = *parsed;
  }
  return *days * kMicrosPerDay + of_day;
}

std::optional<std::string> DateToText(int64_t days) {
  if (days < kFirstDay || days > kLastDay) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return absl::StrFormat("%04d-%02d-%02d", static_cast<int>(date.year()),
                         static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::optional<std::string> TimestampToText(int64_t micros) {
  int64_t days = micros / kMicrosPerDay;
  int64_t of_day = micros % kMicrosPerDay;
  if (of_day < 0) {
    --days;
    of_day += kMicrosPerDay;
  }
  const auto date = DateToText(days);
  if (!date) return std::nullopt;
  const int64_t seconds = of_day / kMicrosPerSecond;
  std::string out = absl::StrFormat("%s %02d:%02d:%02d", *date, seconds / 3600,
                                    seconds / 60 % 60, seconds % 60);
  if (of_day % kMicrosPerSecond != 0) {
    out += absl::StrFormat(".%06d", of_day % kMicrosPerSecond);
    while (out.back() == '0') out.pop_back();
  }
  return out;
}

}  // namespace spillway::stats
