// SPDX-License-Identifier: Apache-2.0
// `spillway bench`.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cache/cache_bench.h"
#include "src/cache/dump.h"
#include "src/cli/bench.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/cli/progress_bar.h"
#include "src/frame/byte_source.h"
#include "src/shuffle/block_codec.h"
#include "src/shuffle/shuffle_bench.h"

namespace spillway::cli {
namespace {

// Numbers that are 0 stand for what the benchmark of that name has itself.
struct Flags {
  std::string what;
  int64_t partitions = 0;
  int64_t batch = 0;
  cache::CacheBenchOptions cache;
  std::string table = "both";
  std::string dump;
  shuffle::ShuffleBenchOptions shuffle;
  std::string schema = "both";
  std::string codec = "all";
  std::string memory = "both";
  std::string format = "text";
};

void Declare(CommandLine& line, Flags& flags) {
  std::string what =
      "cache: tables cached in several forms, side by side; shuffle: the whole shuffle writer, "
      "part "
      "by part";
  std::vector<std::string> names = {"cache", "shuffle"};
  for (const Bench* bench : Benches()) {
    what += base::Cat("; ", bench->name, ": ", bench->help);
    names.push_back(bench->name);
  }
  line.Text("WHAT", flags.what, what).Required().OneOf(names);
  const auto number = [&](const char* name, int64_t& value, const char* help) {
    line.Integer(name, value, 0, INT64_MAX, help).ShowDefault();
  };
  const Flag table = line.Text(
      "--table", flags.table,
      "cache: s: plain columns in four forms; encoded: dictionaries and constants, flattened and "
      "preserved; both");
  table.OneOf({"s", "encoded", "both"}).ShowDefault();
  line.Text("--dump", flags.dump, "cache: file whose batches are cached in all forms instead")
      .Excludes(table);
  number("--rows", flags.cache.rows, "rows, of table s in cache");
  number("--encoded-rows", flags.cache.encoded_rows,
         "cache: rows of table encoded; 0: as many, but at most 2000000");
  number("--partitions", flags.partitions,
         "partitions; 0: 32, contiguous ranges of rows, in cache, 201 in shuffle");
  number("--batch", flags.batch, "rows of a batch; 0: 4096 in cache, 8192 in shuffle");
  number("--iterations", flags.cache.iterations, "timed runs after a warm-up, 3 or more");
  number("--threads", flags.cache.threads, "cache: threads that build and scan partitions");
  number("--max-bytes", flags.cache.max_bytes, "cache: of one cache, at most; 0: no limit");
  line.Switch("--keep-open", flags.cache.keep_open,
              "cache: open V3 frames once, when they are cached, and not in each scan");
  line.Text("--schema", flags.schema,
            "shuffle: i64x2: two BIGINTs; mix: these, DOUBLE and VARCHAR; both")
      .OneOf({"i64x2", "mix", "both"})
      .ShowDefault();
  line.Text("--codec", flags.codec, "shuffle: of the output's blocks; all: none, lz4 and zstd")
      .OneOf({"all", "none", "lz4", "zstd", "snappy"})
      .ShowDefault();
  line.Text("--memory", flags.memory, "shuffle: of the pool; both: unlimited and 64MiB")
      .OneOf({"unlimited", "64MiB", "both"})
      .ShowDefault();
  line.Text("--directory", flags.shuffle.directory,
            "shuffle: where output goes, which is removed again")
      .ShowDefault();
  line.Text("--format", flags.format, "text, csv or json")
      .OneOf({"text", "csv", "json"})
      .ShowDefault();
  for (const Bench* bench : Benches()) bench->options(line);
}

// Null without --dump.
absl::StatusOr<std::shared_ptr<const cache::Dump>> Load(const Flags& flags) {
  if (flags.dump.empty()) return nullptr;
  const int64_t most = flags.cache.max_bytes == 0 ? INT64_MAX : flags.cache.max_bytes;
  SPILLWAY_ASSIGN_OR_RETURN(const auto source, frame::FileSource::Open(flags.dump));
  SPILLWAY_ASSIGN_OR_RETURN(cache::Dump dump, base::In(flags.dump, cache::LoadDump(*source, most)));
  return std::make_shared<const cache::Dump>(std::move(dump));
}

// Prints the report in the format that was asked for.
template <typename Result, typename Text, typename Csv, typename Json>
int Report(const Flags& flags, const absl::StatusOr<Result>& result, Text text, Csv csv,
           Json json) {
  if (!result.ok()) {
    std::fprintf(stderr, "spillway bench %s: %s\n", flags.what.c_str(),
                 std::string(result.status().message()).c_str());
    return result.status().code() == absl::StatusCode::kInvalidArgument ? kBadUsage : kBadInput;
  }
  const std::string report = flags.format == "csv"    ? csv(*result)
                             : flags.format == "json" ? json(*result)
                                                      : text(*result);
  std::fputs(report.c_str(), stdout);
  return kSuccess;
}

int RunCache(const Flags& flags) {
  cache::CacheBenchOptions options = flags.cache;
  auto dump = Load(flags);
  if (!dump.ok()) return BadInput("bench cache", base::ToStd(dump.status().message()));
  options.dump = *std::move(dump);
  options.table_s = flags.table != "encoded";
  options.table_encoded = flags.table != "s";
  if (flags.partitions != 0) options.partitions = flags.partitions;
  if (flags.batch != 0) options.batch = flags.batch;
  return Report(flags, cache::RunCacheBench(options, ProgressBar()), cache::CacheBenchText,
                cache::CacheBenchCsv, cache::CacheBenchJson);
}

int RunShuffle(const Flags& flags) {
  shuffle::ShuffleBenchOptions options = flags.shuffle;
  options.rows = flags.cache.rows;
  options.iterations = flags.cache.iterations;
  if (flags.partitions != 0) options.partitions = flags.partitions;
  if (flags.batch != 0) options.batch = flags.batch;
  std::erase_if(options.workloads, [&](shuffle::Workload workload) {
    return flags.schema != "both" && flags.schema != shuffle::WorkloadName(workload);
  });
  if (flags.codec != "all") options.codecs = {*shuffle::ParseBlockCodec(flags.codec)};
  std::erase_if(options.memory, [&](int64_t memory) {
    return flags.memory != "both" && (flags.memory == "unlimited") != (memory == 0);
  });
  return Report(flags, shuffle::RunShuffleBench(options, ProgressBar()), shuffle::ShuffleBenchText,
                shuffle::ShuffleBenchCsv, shuffle::ShuffleBenchJson);
}

int Run(const Flags& flags) {
  for (const Bench* bench : Benches()) {
    if (bench->name != flags.what) continue;
    return bench->run({.iterations = flags.cache.iterations, .format = flags.format});
  }
  return flags.what == "cache" ? RunCache(flags) : RunShuffle(flags);
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "bench",
      .summary = "measure the table cache, the shuffle writer or the simulator, part by part",
      .example = "./spillway bench cache --rows 100000 --partitions 4",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
