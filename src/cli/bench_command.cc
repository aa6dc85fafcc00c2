// SPDX-License-Identifier: Apache-2.0
// `spillway bench`.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cache/cache_bench.h"
#include "src/cache/dump.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/frame/byte_source.h"

namespace spillway::cli {
namespace {

struct Flags {
  std::string what;
  cache::CacheBenchOptions cache;
  std::string table = "both";
  std::string dump;
  std::string format = "text";
};

void Declare(CommandLine& line, Flags& flags) {
  line.Text("WHAT", flags.what, "cache: tables cached in several forms, side by side")
      .Required()
      .OneOf({"cache"});
  const auto number = [&](const char* name, int64_t& value, const char* help) {
    line.Integer(name, value, 0, INT64_MAX, help).ShowDefault();
  };
  const Flag table = line.Text(
      "--table", flags.table,
      "s: plain columns in four forms; encoded: dictionaries and constants, flattened and "
      "preserved; both");
  table.OneOf({"s", "encoded", "both"}).ShowDefault();
  line.Text("--dump", flags.dump, "cache file whose batches are cached in all forms instead")
      .Excludes(table);
  number("--rows", flags.cache.rows, "rows of table s");
  number("--encoded-rows", flags.cache.encoded_rows,
         "rows of table encoded; 0: as many, but at most 2000000");
  number("--partitions", flags.cache.partitions, "partitions, contiguous ranges of rows");
  number("--batch", flags.cache.batch, "rows of a batch");
  number("--iterations", flags.cache.iterations, "timed runs after a warm-up, 3 or more");
  number("--threads", flags.cache.threads, "threads that build and scan partitions");
  number("--max-bytes", flags.cache.max_bytes, "of one cache, at most; 0: no limit");
  line.Switch("--keep-open", flags.cache.keep_open,
              "open V3 frames once, when they are cached, and not in each scan");
  line.Text("--format", flags.format, "text, csv or json")
      .OneOf({"text", "csv", "json"})
      .ShowDefault();
}

// A bar with the time left, where somebody watches.
class ProgressBar {
 public:
  void operator()(int64_t done, int64_t total) const {
    if (!terminal_) return;
    constexpr int kWidth = 40;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    const double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const int filled = static_cast<int>(share * kWidth);
    std::fprintf(stderr, "\r[%s%s] %3d %%, %.0f s left ", std::string(filled, '#').c_str(),
                 std::string(kWidth - filled, '.').c_str(), static_cast<int>(share * 100),
                 passed / share - passed);
    if (done == total) std::fprintf(stderr, "\r%70s\r", "");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Null without --dump.
absl::StatusOr<std::shared_ptr<const cache::Dump>> Load(const Flags& flags) {
  if (flags.dump.empty()) return nullptr;
  const int64_t most = flags.cache.max_bytes == 0 ? INT64_MAX : flags.cache.max_bytes;
  SPILLWAY_ASSIGN_OR_RETURN(const auto source, frame::FileSource::Open(flags.dump));
  SPILLWAY_ASSIGN_OR_RETURN(cache::Dump dump, base::In(flags.dump, cache::LoadDump(*source, most)));
  return std::make_shared<const cache::Dump>(std::move(dump));
}

int Run(const Flags& flags) {
  cache::CacheBenchOptions options = flags.cache;
  auto dump = Load(flags);
  if (!dump.ok()) return BadInput("bench cache", base::ToStd(dump.status().message()));
  options.dump = *std::move(dump);
  options.table_s = flags.table != "encoded";
  options.table_encoded = flags.table != "s";
  const auto result = cache::RunCacheBench(options, ProgressBar());
  if (!result.ok()) {
    std::fprintf(stderr, "spillway bench cache: %s\n",
                 std::string(result.status().message()).c_str());
    return result.status().code() == absl::StatusCode::kInvalidArgument ? kBadUsage : kBadInput;
  }
  const std::string report = flags.format == "csv"    ? cache::CacheBenchCsv(*result)
                             : flags.format == "json" ? cache::CacheBenchJson(*result)
                                                      : cache::CacheBenchText(*result);
  std::fputs(report.c_str(), stdout);
  return kSuccess;
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "bench",
      .summary = "measure the table cache: four forms of the same table side by side",
      .example = "./spillway bench cache --rows 100000 --partitions 4",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
