// SPDX-License-Identifier: Apache-2.0
// The forms in which the benchmark's result is printed.
#include <numeric>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "src/base/strings.h"
#include "src/cache/cache_bench.h"

namespace spillway::cache {
namespace {

// How many times as fast as the first mode, by the mean.
double Speedup(const TableTimes& table, size_t mode, size_t phase) {
  return table.modes[0].phases[phase].mean() / table.modes[mode].phases[phase].mean();
}

double MillionRows(const TableTimes& table, const PhaseTimes& phase) {
  return static_cast<double>(table.rows) / phase.mean() / 1e6;
}

double Gigabytes(const PhaseTimes& phase) {
  return static_cast<double>(phase.counts.bytes_touched) / phase.mean() / 1e9;
}

double PrunedPercent(const PhaseTimes& phase) {
  if (phase.counts.batches == 0) return 0;
  return 100.0 * static_cast<double>(phase.counts.batches_pruned) /
         static_cast<double>(phase.counts.batches);
}

// Names of columns may hold anything that is UTF-8.
std::string JsonText(const std::string& text) { return nlohmann::json(text).dump(); }

std::string CsvText(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return base::Cat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// What is no column's: headers, statistics.
int64_t Rest(const ModeTimes& mode) {
  return mode.footprint - std::accumulate(mode.columns.begin(), mode.columns.end(), int64_t{0});
}

std::string ColumnTitle(const TableTimes& table, size_t column) {
  const std::string title = base::Cat(table.schema->names()[column], " ",
                                      table.schema->children()[column]->ToString());
  return title.size() <= 22 ? title : title.substr(0, 19) + "...";
}

std::string TimesText(const TableTimes& table) {
  std::string out;
  for (size_t phase = 0; phase < table.modes[0].phases.size(); ++phase) {
    const PhaseTimes& first = table.modes[0].phases[phase];
    out += absl::StrFormat("\n%-24s %8s %8s %8s %8s %8s %9s %7s %8s", first.name, "mean ms",
                           "sd ms", "best ms", "cpu ms", "Mrows/s", "relative", "GB/s", "pruned");
    if (first.digest != 0) out += absl::StrFormat("   digest %016x", first.digest);
    out += '\n';
    for (size_t mode = 0; mode < table.modes.size(); ++mode) {
      const PhaseTimes& times = table.modes[mode].phases[phase];
      out += absl::StrFormat("  %-22s %8.2f %8.2f %8.2f %8.2f %8.1f %8.2fx %7.2f %7.2f%%\n",
                             table.modes[mode].name, times.mean() * 1e3, times.deviation() * 1e3,
                             times.best() * 1e3, times.processor_mean() * 1e3,
                             MillionRows(table, times), Speedup(table, mode, phase),
                             Gigabytes(times), PrunedPercent(times));
    }
  }
  return out;
}

// Bytes a row of each column, a mode side by side.
std::string FootprintText(const TableTimes& table) {
  const auto a_row = [&](int64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(table.rows);
  };
  const auto line = [&](const std::string& title, auto bytes) {
    std::string out = absl::StrFormat("  %-22s", title);
    for (const ModeTimes& mode : table.modes) {
      out += absl::StrFormat(" %21.3f", a_row(bytes(mode)));
    }
    return out + "\n";
  };
  std::string out = absl::StrFormat("\n%-24s", "footprint, bytes a row");
  for (const ModeTimes& mode : table.modes) out += absl::StrFormat(" %21s", mode.name);
  out += '\n';
  for (size_t column = 0; column < table.modes[0].columns.size(); ++column) {
    out += line(ColumnTitle(table, column),
                [&](const ModeTimes& mode) { return mode.columns[column]; });
  }
  out += line("headers, statistics", Rest);
  out += line("all", [](const ModeTimes& mode) { return mode.footprint; });
  out += absl::StrFormat("  %-22s", "all, bytes");
  for (const ModeTimes& mode : table.modes) out += absl::StrFormat(" %21d", mode.footprint);
  out += absl::StrFormat("\n  %-22s", "relative");
  for (const ModeTimes& mode : table.modes) {
    out += absl::StrFormat(" %20.4fx", static_cast<double>(mode.footprint) /
                                           static_cast<double>(table.modes[0].footprint));
  }
  return out + "\n";
}

std::string PhaseJson(const TableTimes& table, const PhaseTimes& times, double speedup) {
  return absl::StrFormat(
      "{\"phase\": \"%s\", \"mean_s\": %.6f, \"deviation_s\": %.6f, \"best_s\": %.6f, "
      "\"cpu_s\": %.6f, \"mrows_per_s\": %.3f, \"speedup\": %.4f, \"digest\": \"%016x\", "
      "\"batches\": %d, \"batches_pruned\": %d, \"fallbacks\": %d, \"columns_decoded\": %d, "
      "\"bytes_touched\": %d}",
      times.name, times.mean(), times.deviation(), times.best(), times.processor_mean(),
      MillionRows(table, times), speedup, times.digest, times.counts.batches,
      times.counts.batches_pruned, times.counts.fallbacks, times.counts.columns_decoded,
      times.counts.bytes_touched);
}

std::string ModeJson(const TableTimes& table, size_t index) {
  const ModeTimes& mode = table.modes[index];
  std::string out =
      absl::StrFormat("        {\n          \"mode\": \"%s\",\n          \"footprint\": %d,\n"
                      "          \"columns\": {",
                      mode.name, mode.footprint);
  for (size_t column = 0; column < mode.columns.size(); ++column) {
    out += absl::StrFormat("%s%s: %d", column == 0 ? "" : ", ",
                           JsonText(table.schema->names()[column]), mode.columns[column]);
  }
  out += "},\n          \"phases\": [";
  for (size_t phase = 0; phase < mode.phases.size(); ++phase) {
    out += phase == 0 ? "\n            " : ",\n            ";
    out += PhaseJson(table, mode.phases[phase], Speedup(table, index, phase));
  }
  return out + "\n          ]\n        }";
}

}  // namespace

std::string CacheBenchText(const CacheBenchResult& result) {
  const CacheBenchOptions& options = result.options;
  const std::string shape =
      options.dump == nullptr
          ? absl::StrFormat("%d partitions, batches of %d rows", options.partitions, options.batch)
          : absl::StrFormat("%d partitions and %d batches of the dump",
                            options.dump->partitions.size(), options.dump->batches);
  std::string out = absl::StrFormat(
      "bench cache: %s, %d threads, %d iterations after a warm-up, V3 frames %s\n", shape,
      options.threads, options.iterations, options.keep_open ? "kept open" : "opened by each scan");
  for (const TableTimes& table : result.tables) {
    out += absl::StrFormat(
        "\ntable %s: %d rows, made in %.2f ms (sd %.2f, best %.2f, cpu %.2f), as build does, too\n",
        table.name, table.rows, table.generate.mean() * 1e3, table.generate.deviation() * 1e3,
        table.generate.best() * 1e3, table.generate.processor_mean() * 1e3);
    out += TimesText(table) + FootprintText(table);
  }
  return out + absl::StrFormat(
                   "\nrelative: times as fast as, and bytes compared with, the first mode\n"
                   "cpu: of all threads\n"
                   "GB/s: bytes touched; memcpy of 64 MiB on one thread: %.2f GB/s\n"
                   "peak memory of the process: %.1f MB\n",
                   result.memcpy_rate / 1e9, static_cast<double>(result.peak_memory) / 1e6);
}

std::string CacheBenchCsv(const CacheBenchResult& result) {
  std::string out =
      "table,rows,mode,what,name,mean_s,deviation_s,best_s,cpu_s,speedup,digest,batches,"
      "batches_pruned,fallbacks,columns_decoded,bytes\n";
  const auto bytes_line = [&](const TableTimes& table, const ModeTimes& mode,
                              const std::string& name, int64_t bytes) {
    out += absl::StrFormat("%s,%d,%s,footprint,%s,,,,,,,,,,,%d\n", table.name, table.rows,
                           mode.name, name, bytes);
  };
  for (const TableTimes& table : result.tables) {
    for (size_t index = 0; index < table.modes.size(); ++index) {
      const ModeTimes& mode = table.modes[index];
      for (size_t phase = 0; phase < mode.phases.size(); ++phase) {
        const PhaseTimes& times = mode.phases[phase];
        out += absl::StrFormat("%s,%d,%s,phase,%s,%.6f,%.6f,%.6f,%.6f,%.4f,%016x,%d,%d,%d,%d,%d\n",
                               table.name, table.rows, mode.name, times.name, times.mean(),
                               times.deviation(), times.best(), times.processor_mean(),
                               Speedup(table, index, phase), times.digest,
                               times.counts.batches, times.counts.batches_pruned,
                               times.counts.fallbacks, times.counts.columns_decoded,
                               times.counts.bytes_touched);
      }
      for (size_t column = 0; column < mode.columns.size(); ++column) {
        bytes_line(table, mode, CsvText(table.schema->names()[column]), mode.columns[column]);
      }
      bytes_line(table, mode, "rest", Rest(mode));
      bytes_line(table, mode, "all", mode.footprint);
    }
  }
  return out;
}

std::string CacheBenchJson(const CacheBenchResult& result) {
  const CacheBenchOptions& options = result.options;
  std::string out = absl::StrFormat(
      "{\n  \"partitions\": %d,\n  \"batch\": %d,\n  \"iterations\": %d,\n  \"threads\": %d,\n"
      "  \"keep_open\": %s,\n"
      "  \"memcpy_bytes_per_s\": %.0f,\n  \"peak_memory\": %d,\n  \"tables\": [",
      options.partitions, options.batch, options.iterations, options.threads,
      options.keep_open ? "true" : "false", result.memcpy_rate, result.peak_memory);
  for (const TableTimes& table : result.tables) {
    out += absl::StrFormat(
        "%s\n    {\n      \"table\": \"%s\",\n      \"schema\": %s,\n      \"rows\": %d,\n"
        "      \"generate\": %s,\n      \"modes\": [",
        &table == &result.tables.front() ? "" : ",", table.name,
        JsonText(table.schema->ToString()), table.rows, PhaseJson(table, table.generate, 1));
    for (size_t mode = 0; mode < table.modes.size(); ++mode) {
      out += mode == 0 ? "\n" : ",\n";
      out += ModeJson(table, mode);
    }
    out += "\n      ]\n    }";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace spillway::cache
