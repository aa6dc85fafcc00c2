// SPDX-License-Identifier: Apache-2.0
#include "golden/comet_trace/pool_log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "src/base/status.h"

namespace spillway::golden {
namespace {

constexpr std::string_view kPoolSource = "core/src/execution/memory_pools/logging_pool.rs";
constexpr std::string_view kSpillSource = "shuffle/src/partitioners/multi_partition.rs";
// What an error repeats of a line.
constexpr size_t kShownText = 200;

// What is left of a line to read.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

  bool Take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // A decimal number of 63 bits without sign.
  bool TakeNumber(int64_t& number) {
    if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return false;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  // Everything before the next `delimiter`, which is taken too.
  std::optional<std::string_view> TakeUntil(std::string_view delimiter) {
    const size_t at = rest_.find(delimiter);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view out = rest_.substr(0, at);
    rest_.remove_prefix(at + delimiter.size());
    return out;
  }

 private:
  std::string_view rest_;
};

// NN `separator` NN `separator` NN, then a space.
bool TakeTriple(Scanner& in, std::string_view separator) {
  int64_t number = 0;
  return in.TakeNumber(number) && in.Take(separator) && in.TakeNumber(number) &&
         in.Take(separator) && in.TakeNumber(number) && in.Take(" ");
}

bool TakeBytes(Scanner& in, PoolEvent::Call call, PoolEvent& event) {
  event.call = call;
  return in.TakeNumber(event.bytes) && in.Take(")");
}

bool TakeCall(Scanner& in, PoolEvent& event) {
  using Call = PoolEvent::Call;
  if (in.Take("register()")) {
    event.call = Call::kRegister;
    return in.at_end();
  }
  if (in.Take("unregister()")) {
    event.call = Call::kUnregister;
    return in.at_end();
  }
  if (in.Take("shrink(")) return TakeBytes(in, Call::kShrink, event) && in.at_end();
  if (in.Take("grow(")) return TakeBytes(in, Call::kGrow, event) && in.at_end();
  if (!in.Take("try_grow(") || !TakeBytes(in, Call::kTryGrow, event)) return false;
  if (in.Take(" returning Err: ")) {
    event.error = in.rest();
    return true;
  }
  event.granted = true;
  return in.Take(" returning Ok") && in.at_end();
}

bool TakePoolMessage(Scanner& in, PoolEvent& event) {
  if (!in.Take("[Task ") || !in.TakeNumber(event.task) || !in.Take("] MemoryPool[")) return false;
  const std::optional<std::string_view> consumer = in.TakeUntil("[");
  if (!consumer.has_value()) return false;
  event.consumer = *consumer;
  return in.TakeNumber(event.partition) && in.Take("]].") && TakeCall(in, event);
}

bool TakeSpillMessage(Scanner& in, SpillEvent& event) {
  return in.Take("ShuffleRepartitioner spilling ") && in.TakeNumber(event.bytes) &&
         in.Take(" bytes to its partition writer (") && in.TakeNumber(event.previous_spills) &&
         in.Take(" previous spills)") && in.at_end();
}

// Adds one line to `log`; false if it does not parse.
bool TakeLine(std::string_view line, int64_t number, PoolLog& log) {
  Scanner in(line);
  if (!TakeTriple(in, "/") || !TakeTriple(in, ":")) return false;
  const std::optional<std::string_view> level = in.TakeUntil(" ");
  const std::optional<std::string_view> source = in.TakeUntil(": ");
  if (!level.has_value() || level->empty() || !source.has_value()) return false;
  if (source->ends_with(kPoolSource)) {
    PoolEvent event;
    event.line = number;
    if (!TakePoolMessage(in, event)) return false;
    log.calls.push_back(std::move(event));
  } else if (source->ends_with(kSpillSource)) {
    SpillEvent event = {.line = number};
    if (!TakeSpillMessage(in, event)) return false;
    log.spills.push_back(event);
  } else {
    ++log.other_lines;
  }
  return true;
}

}  // namespace

std::set<int64_t> PoolLog::Tasks() const {
  std::set<int64_t> tasks;
  for (const PoolEvent& event : calls) tasks.insert(event.task);
  return tasks;
}

absl::StatusOr<PoolLog> ParsePoolLog(std::string_view text) {
  PoolLog log;
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) {
      ++log.other_lines;
    } else if (!TakeLine(line, number, log)) {
      return base::Invalid("pool log: line ", number, " is not one of the grammar: `",
                           line.substr(0, kShownText), "`");
    }
  }
  return log;
}

}  // namespace spillway::golden
