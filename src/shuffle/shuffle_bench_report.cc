// SPDX-License-Identifier: Apache-2.0
// The forms in which the benchmark's result is printed.
#include <string>

#include "absl/strings/str_format.h"
#include "src/base/strings.h"
#include "src/shuffle/shuffle_bench.h"

namespace spillway::shuffle {
namespace {

std::string MemoryText(int64_t memory) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  if (memory == 0) return "unlimited";
  if (memory % kMiB == 0) return absl::StrFormat("%d MiB", memory / kMiB);
  return absl::StrFormat("%d B", memory);
}

double NanosARow(const ShuffleBenchResult& result, double seconds) {
  return seconds * 1e9 / static_cast<double>(result.options.rows);
}

std::string Name(const ShuffleBenchRun& run) {
  return base::Cat(WorkloadName(run.workload), ", ", BlockCodecName(run.codec), ", ",
                   MemoryText(run.memory));
}

}  // namespace

std::string ShuffleBenchText(const ShuffleBenchResult& result) {
  const ShuffleBenchOptions& options = result.options;
  std::string out = absl::StrFormat(
      "bench shuffle: %d rows, %d partitions, batches of %d rows, %d iterations after a warm-up, "
      "one thread, output in %s\n\nns a row, best / median\n%-26s",
      options.rows, options.partitions, options.batch, options.iterations, options.directory,
      "schema, codec, memory");
  for (const ShufflePart& part : result.runs[0].parts) out += absl::StrFormat(" %15s", part.name);
  out += "  spills\n";
  for (const ShuffleBenchRun& run : result.runs) {
    out += absl::StrFormat("%-26s", Name(run));
    for (const ShufflePart& part : run.parts) {
      out += absl::StrFormat(" %7.2f /%6.2f", NanosARow(result, part.best()),
                             NanosARow(result, part.median()));
    }
    out += absl::StrFormat(" %7d\n", run.metrics.spill_count);
  }
  out += absl::StrFormat("\nbytes\n%-26s %14s %14s %14s %14s %14s\n", "schema, codec, memory",
                         "input", "output", "spilled", "peak resident", "unreserved");
  for (const ShuffleBenchRun& run : result.runs) {
    out += absl::StrFormat("%-26s %14d %14d %14d %14d %14d\n", Name(run), run.input_bytes,
                           run.output.data_bytes, run.output.spilled_bytes,
                           run.metrics.peak_resident_bytes,
                           run.metrics.peak_resident_unreserved_bytes);
  }
  return out;
}

std::string ShuffleBenchCsv(const ShuffleBenchResult& result) {
  std::string out = "schema,codec,memory,rows,partitions,part,best_ns_a_row,median_ns_a_row\n";
  for (const ShuffleBenchRun& run : result.runs) {
    for (const ShufflePart& part : run.parts) {
      out +=
          absl::StrFormat("%s,%s,%d,%d,%d,%s,%.3f,%.3f\n", std::string(WorkloadName(run.workload)),
                          std::string(BlockCodecName(run.codec)), run.memory, result.options.rows,
                          result.options.partitions, part.name, NanosARow(result, part.best()),
                          NanosARow(result, part.median()));
    }
  }
  return out;
}

std::string ShuffleBenchJson(const ShuffleBenchResult& result) {
  const ShuffleBenchOptions& options = result.options;
  std::string out = absl::StrFormat(
      "{\n  \"rows\": %d,\n  \"partitions\": %d,\n  \"batch\": %d,\n  \"iterations\": %d,\n"
      "  \"runs\": [",
      options.rows, options.partitions, options.batch, options.iterations);
  for (size_t i = 0; i < result.runs.size(); ++i) {
    const ShuffleBenchRun& run = result.runs[i];
    out += absl::StrFormat(
        "%s\n    {\n      \"schema\": \"%s\",\n      \"codec\": \"%s\",\n      \"memory\": %d,\n"
        "      \"input_bytes\": %d,\n      \"output_bytes\": %d,\n      \"spilled_bytes\": %d,\n"
        "      \"spills\": %d,\n      \"peak_resident_bytes\": %d,\n"
        "      \"peak_resident_unreserved_bytes\": %d,\n      \"ns_a_row\": {",
        i == 0 ? "" : ",", std::string(WorkloadName(run.workload)),
        std::string(BlockCodecName(run.codec)), run.memory, run.input_bytes, run.output.data_bytes,
        run.output.spilled_bytes, run.metrics.spill_count, run.metrics.peak_resident_bytes,
        run.metrics.peak_resident_unreserved_bytes);
    for (size_t part = 0; part < run.parts.size(); ++part) {
      out += absl::StrFormat("%s\n        \"%s\": {\"best\": %.3f, \"median\": %.3f}",
                             part == 0 ? "" : ",", run.parts[part].name,
                             NanosARow(result, run.parts[part].best()),
                             NanosARow(result, run.parts[part].median()));
    }
    out += "\n      }\n    }";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace spillway::shuffle
