// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/shuffle_report.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "src/base/strings.h"

namespace spillway::shuffle {
namespace {

using Json = nlohmann::ordered_json;

// 12345678 as 12,345,678.
std::string Grouped(int64_t number) {
  const std::string digits = base::Cat(number);
  std::string out;
  for (size_t at = 0; at < digits.size(); ++at) {
    const size_t left = digits.size() - at;
    if (at > 0 && left % 3 == 0 && digits[at - 1] != '-') out += ',';
    out += digits[at];
  }
  return out;
}

void Line(std::string& out, std::string_view name, int64_t value, std::string_view unit) {
  out += absl::StrFormat("  %-32s %16s%s%s\n", base::ToAbsl(name), Grouped(value),
                         unit.empty() ? "" : " ", base::ToAbsl(unit));
}

std::string Checked(const ShuffleRunOptions& options, const ShuffleRun& run) {
  if (!options.check) return "not checked";
  return base::Cat("read back: ", Grouped(run.writer.rows),
                   " rows, each once, in its partition, in order");
}

}  // namespace

std::string ShuffleText(const ShuffleSetting& setting, const ShuffleRunOptions& options,
                        const ShuffleRun& run, int64_t timeline) {
  std::string out = base::Cat("shuffle: ", setting.input, "\n  ", setting.partitioning,
                              "\n  policy ", setting.policy, "\n  pool ", setting.pool, "\n");
  const RepartitionerMetrics& writer = run.writer;
  const OutputMetrics& output = run.output;
  out += "\nrows\n";
  Line(out, "rows", writer.rows, "");
  Line(out, "input batches", writer.input_batches, "");
  Line(out, "chunks", writer.chunks, "");
  out += "\nmemory\n";
  Line(out, "requests", writer.requests, "");
  Line(out, "denied", writer.denials, "");
  Line(out, "most reserved", run.peak_reserved, "bytes");
  Line(out, "most resident", writer.peak_resident_bytes, "bytes");
  Line(out, "most resident but unreserved", writer.peak_resident_unreserved_bytes, "bytes");
  Line(out, "data_size", writer.data_size, "bytes");
  out += "\nspills\n";
  Line(out, "spills", writer.spill_count, "");
  Line(out, "memory_spilled_bytes", writer.memory_spilled_bytes, "bytes");
  Line(out, "repeated_spill_buffer_bytes", writer.repeated_spill_buffer_bytes, "bytes");
  Line(out, "spilled_bytes", output.spilled_bytes, "bytes");
  Line(out, "spill files", output.spill_files, "");
  out += "\noutput\n";
  Line(out, "blocks written", output.blocks, "");
  Line(out, "data file", output.data_bytes, "bytes");
  Line(out, "written in all", output.bytes_written, "bytes");

  if (timeline > 0) {
    out += "\ntimeline\n       chunk  event               bytes  reserved afterwards\n";
    const size_t shown = std::min<size_t>(run.events.size(), timeline);
    for (size_t i = 0; i < shown; ++i) {
      const ShuffleEvent& event = run.events[i];
      out += absl::StrFormat("%12s  %-8s %16s  %19s\n", Grouped(event.chunk),
                             base::ToAbsl(EventName(event.kind)), Grouped(event.bytes),
                             Grouped(event.reserved));
    }
    const int64_t rest = static_cast<int64_t>(run.events.size() - shown) + run.events_left_out;
    if (rest > 0) out += base::Cat("  and ", Grouped(rest), " more\n");
  }

  out += base::Cat("\n", Checked(options, run), "\n");
  if (output.existing_output) {
    out += "an output that stood there already won; this run's was removed\n";
  }
  if (!setting.output.empty()) out += base::Cat("written to ", setting.output, "\n");
  return out;
}

std::string ShuffleJson(const ShuffleSetting& setting, const ShuffleRunOptions& options,
                        const ShuffleRun& run) {
  const RepartitionerMetrics& writer = run.writer;
  const OutputMetrics& output = run.output;
  Json json = {
      {"input", setting.input},
      {"partitioning", setting.partitioning},
      {"policy", setting.policy},
      {"pool", setting.pool},
      {"output", setting.output},
      {"rows", writer.rows},
      {"input_batches", writer.input_batches},
      {"chunks", writer.chunks},
      {"requests", writer.requests},
      {"denials", writer.denials},
      {"peak_reserved_bytes", run.peak_reserved},
      {"peak_resident_bytes", writer.peak_resident_bytes},
      {"peak_resident_unreserved_bytes", writer.peak_resident_unreserved_bytes},
      {"data_size", writer.data_size},
      {"spill_count", writer.spill_count},
      {"memory_spilled_bytes", writer.memory_spilled_bytes},
      {"repeated_spill_buffer_bytes", writer.repeated_spill_buffer_bytes},
      {"spilled_bytes", output.spilled_bytes},
      {"spill_files", output.spill_files},
      {"blocks", output.blocks},
      {"data_bytes", output.data_bytes},
      {"bytes_written", output.bytes_written},
      {"existing_output", output.existing_output},
      {"checked", options.check},
      {"offsets", run.offsets},
  };
  if (options.check) json["rows_of_partition"] = run.rows_of_partition;
  Json& events = json["events"] = Json::array();
  for (const ShuffleEvent& event : run.events) {
    events.push_back({{"chunk", event.chunk},
                      {"event", std::string(EventName(event.kind))},
                      {"bytes", event.bytes},
                      {"reserved", event.reserved}});
  }
  json["events_left_out"] = run.events_left_out;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spillway::shuffle
