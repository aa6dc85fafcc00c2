// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/key_trace.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "sim/scenario/text_file.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr int64_t kMaxBytes = int64_t{16} << 20;
constexpr int64_t kMaxKeys = int64_t{1} << 24;  // of all groups together

int MostKeys() {
  return TraceKeys::descriptor()->FindFieldByName("keys")->options().GetExtension(most);
}

absl::Status ReadKeys(TraceKeys& trace) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadText(UserPath(trace.file()), kMaxBytes));
  const int most_keys = MostKeys();
  std::string_view rest = text;
  while (!rest.empty()) {
    constexpr size_t kShown = 40;
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    int32_t key = 0;
    if (trace.keys_size() == most_keys) {
      return base::Invalid(trace.file(), " has more than ", most_keys, " keys");
    }
    if (!absl::SimpleAtoi(base::ToAbsl(line), &key)) {
      return base::Invalid(trace.file(), ":", trace.keys_size() + 1, ": \"",
                           absl::CEscape(base::ToAbsl(line.substr(0, kShown))),
                           line.size() > kShown ? "..." : "", "\" is not a 32-bit integer");
    }
    trace.add_keys(key);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LoadKeyTraces(Scenario& scenario, const Places& places) {
  int64_t keys = 0;
  for (int i = 0; i < scenario.tasks_size(); ++i) {
    if (!scenario.tasks(i).keys().has_trace()) continue;
    TraceKeys& trace = *scenario.mutable_tasks(i)->mutable_keys()->mutable_trace();
    const std::string path = base::Cat("tasks[", i, "].keys.trace");
    if (trace.has_file() == (trace.keys_size() > 0)) {
      return places.Refuse(
          path, trace.has_file() ? "has a file or keys, not both" : "needs a file or keys");
    }
    if (trace.has_file()) {
      if (const absl::Status status = ReadKeys(trace); !status.ok()) {
        return places.Refuse(path + ".file", base::ToStd(status.message()));
      }
    }
    keys += trace.keys_size();
    if (keys > kMaxKeys) {
      return places.Refuse(path, "the groups up to here have more than ", kMaxKeys,
                           " keys together");
    }
  }
  return absl::OkStatus();
}

}  // namespace spillway::sim
