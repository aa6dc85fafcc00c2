// SPDX-License-Identifier: Apache-2.0
// `spillway shuffle`.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/base/suggest.h"
#include "src/cli/batch_source.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/cli/progress_bar.h"
#include "src/memory/pool_kind.h"
#include "src/memory/pool_registry.h"
#include "src/memory/reservation_rule.h"
#include "src/memory/shared_pool.h"
#include "src/memory/spark/task_backend.h"
#include "src/memory/spark/task_memory.h"
#include "src/memory/spark/unified_memory.h"
#include "src/memory/spark_backend.h"
#include "src/memory/thread_monitor.h"
#include "src/shuffle/block_codec.h"
#include "src/shuffle/partitioning.h"
#include "src/shuffle/shuffle_report.h"
#include "src/shuffle/shuffle_run.h"
#include "src/shuffle/spill_store.h"

namespace spillway::cli {
namespace {

using shuffle::Partitioning;

struct Flags {
  std::string input;
  std::string out;
  bool overwrite = false;

  std::string by = "hash";
  std::string keys;
  int64_t partitions = 200;
  std::string boundaries;
  bool spark_hash = false;

  int64_t batch = 8192;
  std::string rule = "step";
  int64_t step = int64_t{1} << 20;
  int64_t limit = 0;
  std::string pool = "unbounded";
  int64_t pool_bytes = int64_t{1} << 30;
  std::string variant = "fixed";
  std::string fair_rule = "pool_wide";

  std::string codec = "lz4";
  int64_t level = 1;
  std::string layout = "one_file";
  std::vector<std::string> spill_directories;
  int64_t open_files = 64;
  bool sync = false;

  bool no_check = false;
  int64_t timeline = 0;
  bool json = false;
};

template <typename T>
std::string Complaint(const absl::StatusOr<T>& parsed) {
  return parsed.ok() ? "" : std::string(parsed.status().message());
}

void Declare(CommandLine& line, Flags& flags) {
  line.Text("INPUT", flags.input,
            "gen:NAME:ROWS (i64x2, mix, s or d), a cache file, or a batch as textproto or JSON")
      .Required();
  line.Text("--out", flags.out,
            "write OUT.data and OUT.index; otherwise they are written, checked and removed");
  line.Switch("--overwrite", flags.overwrite, "remove OUT.data and OUT.index first");

  line.Text("--by", flags.by,
            "hash of the keys; round_robin: Comet's, the hash of all columns or of the keys; deal: "
            "Spark's round robin, row by row; range; single")
      .OneOf({"hash", "round_robin", "deal", "range", "single"})
      .ShowDefault();
  line.Text("--keys", flags.keys, "columns by name or number: k,a; the first one if not given");
  line.Integer("--partitions", flags.partitions, 1, INT32_MAX, "partitions").ShowDefault();
  line.Text("--boundaries", flags.boundaries,
            "of --by range: a batch as textproto or JSON that has the keys' columns, a row a "
            "boundary, ascending; one partition more than rows");
  line.Switch("--spark-hash", flags.spark_hash,
              "hash NaN, long decimals and null structs as Spark does, not as Comet");

  line.Integer("--batch", flags.batch, 1, INT32_MAX, "rows of a chunk and of a block, at most")
      .ShowDefault();
  line.Text("--rule", flags.rule,
            "how much to reserve at once: step, round_up, multiple, deficit_plus_step, blocks, "
            "velox_quantum, adaptive")
      .Check([](const std::string& text) { return Complaint(memory::ParseRule(text)); })
      .ShowDefault();
  line.Integer("--step", flags.step, 0, INT64_MAX, "bytes of that rule's step; 0: exact")
      .ShowDefault();
  line.Integer("--limit", flags.limit, 0, INT64_MAX, "spill at that many buffered bytes; 0: never")
      .ShowDefault();
  line.Text("--pool", flags.pool,
            "unbounded, greedy, fair_spill, greedy_unified, fair_unified, ... (Comet's names)")
      .Check([](const std::string& text) { return Complaint(memory::ParsePoolName(text)); })
      .ShowDefault();
  line.Integer("--pool-bytes", flags.pool_bytes, 0, INT64_MAX,
               "of the pool, and of Spark's off-heap memory behind a unified one")
      .ShowDefault();
  line.Text("--pool-variant", flags.variant, "as_is: with the faults of the real ones; fixed")
      .Check([](const std::string& text) { return Complaint(memory::ParsePoolVariant(text)); })
      .ShowDefault();
  line.Text("--fair-rule", flags.fair_rule,
            "of fair_unified as_is: pool_wide, or per_consumer as in Comet 1.2.0")
      .Check([](const std::string& text) { return Complaint(memory::ParseFairRule(text)); })
      .ShowDefault();

  line.Text("--codec", flags.codec, "of blocks: none, lz4, zstd, snappy")
      .Check([](const std::string& text) { return Complaint(shuffle::ParseBlockCodec(text)); })
      .ShowDefault();
  line.Integer("--level", flags.level, 1, 22, "of zstd").ShowDefault();
  line.Text("--spill-layout", flags.layout, "one_file a task, or file_per_partition")
      .Check([](const std::string& text) { return Complaint(shuffle::ParseSpillLayout(text)); })
      .ShowDefault();
  line.Texts("--spill-directory", flags.spill_directories,
             "where spill files go, several in turn; not given: beside the output");
  line.Integer("--open-files", flags.open_files, 2, 1'000'000, "files open at once, at most")
      .ShowDefault();
  line.Switch("--sync", flags.sync, "have everything on the disk before it counts as written");

  line.Switch("--no-check", flags.no_check, "do not read the output back");
  line.Integer("--timeline", flags.timeline, 0, INT64_MAX,
               "print so many of the events: reserve, deny, spill, release")
      .ShowDefault();
  line.Switch("--json", flags.json, "print JSON, with all events");
}

// The columns of --keys in `schema`.
absl::StatusOr<std::vector<int>> Keys(const Flags& flags, const vector::Type& schema) {
  const std::vector<std::string>& names = schema.names();
  if (names.empty()) return base::Invalid("--keys: the input has no columns");
  if (flags.keys.empty()) return std::vector<int>{0};
  std::vector<int> keys;
  for (const std::string& word : std::vector<std::string>(absl::StrSplit(flags.keys, ','))) {
    const auto named = std::find(names.begin(), names.end(), word);
    int number = 0;
    if (named != names.end()) {
      keys.push_back(static_cast<int>(named - names.begin()));
    } else if (absl::SimpleAtoi(word, &number) && number >= 0 &&
               number < static_cast<int>(names.size())) {
      keys.push_back(number);
    } else {
      const std::string nearest = base::Nearest(word, names);
      return base::Invalid("--keys: no column `", word, "` in ", schema.ToString(),
                           nearest.empty() ? "" : base::Cat("; did you mean `", nearest, "`?"));
    }
  }
  return keys;
}

absl::StatusOr<Partitioning> RangeOf(const Flags& flags, const vector::TypePtr& schema,
                                     const std::vector<int>& keys) {
  if (flags.boundaries.empty()) return base::Invalid("--by range needs --boundaries");
  SPILLWAY_ASSIGN_OR_RETURN(const BatchSource source,
                            OpenBatchSource(flags.boundaries, flags.batch));
  SPILLWAY_ASSIGN_OR_RETURN(const std::optional<vector::Batch> rows, source.next());
  if (!rows.has_value()) return base::Invalid(flags.boundaries, ": no rows");
  std::vector<shuffle::SortKey> order;
  for (const int key : keys) order.push_back({.column = key});
  return shuffle::RangePartitioner::Create(schema, order, *rows);
}

absl::StatusOr<Partitioning> PartitioningOf(const Flags& flags, const vector::TypePtr& schema) {
  const auto partitions = static_cast<int32_t>(flags.partitions);
  const auto hash =
      flags.spark_hash ? shuffle::HashOptions::Spark() : shuffle::HashOptions::Comet();
  if (flags.by == "single") return shuffle::SinglePartitioner(schema);
  if (flags.by == "deal") return shuffle::DealingPartitioner::Create(schema, partitions, 0);
  if (flags.by == "round_robin" && flags.keys.empty()) {
    return shuffle::HashPartitioner::RoundRobin(schema, 0, partitions, hash);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<int> keys, Keys(flags, *schema));
  if (flags.by == "range") return RangeOf(flags, schema, keys);
  return shuffle::HashPartitioner::Create(schema, keys, partitions, hash);
}

std::string DescribePartitioning(const Flags& flags, const Partitioning& partitioning) {
  const bool keyed = flags.by == "hash" || flags.by == "range" || !flags.keys.empty();
  std::string text = flags.by;
  if (keyed && flags.by != "single" && flags.by != "deal") {
    text +=
        base::Cat(" (", flags.keys.empty() ? partitioning.schema()->names()[0] : flags.keys, ")");
  }
  return base::Cat(text, " into ", partitioning.partitions(),
                   partitioning.partitions() == 1 ? " partition" : " partitions");
}

// Spark's side of a unified pool: an executor with nothing but this task in its off-heap memory.
struct Spark final : memory::SparkBackend {
  explicit Spark(int64_t bytes)
      : memory(lock, {.off_heap = {.total = bytes}}),
        task(memory, task_lock, 0),
        consumer(task),
        backend(consumer) {}

  absl::StatusOr<int64_t> Acquire(int64_t bytes) override { return backend.Acquire(bytes); }
  absl::Status Release(int64_t bytes) override { return backend.Release(bytes); }

  memory::ThreadMonitor lock{"U"};
  memory::ThreadMonitor task_lock{"T"};
  memory::spark::UnifiedMemory memory;
  memory::spark::TaskMemory task;
  memory::spark::CometConsumer consumer;
  memory::spark::TaskBackend backend;
};

absl::StatusOr<std::shared_ptr<memory::SharedPool>> PoolOf(const Flags& flags) {
  const memory::PoolOptions options{.name = *memory::ParsePoolName(flags.pool),
                                    .variant = *memory::ParsePoolVariant(flags.variant),
                                    .rule = *memory::ParseFairRule(flags.fair_rule),
                                    .size = flags.pool_bytes};
  return memory::MakePool(options, 0, std::make_shared<Spark>(flags.pool_bytes));
}

shuffle::ShuffleRunOptions RunOptionsOf(const Flags& flags, const std::string& out) {
  shuffle::ShuffleRunOptions options;
  options.writer.batch_size = static_cast<int32_t>(flags.batch);
  options.writer.policy = {
      .step = flags.step, .limit = flags.limit, .rule = *memory::ParseRule(flags.rule)};
  options.output.paths = {.data = out + ".data", .index = out + ".index"};
  options.output.block.codec = *shuffle::ParseBlockCodec(flags.codec);
  options.output.block.zstd_level = static_cast<int>(flags.level);
  options.output.spill_layout = *shuffle::ParseSpillLayout(flags.layout);
  options.output.spill_directories = flags.spill_directories;
  options.output.max_open_files = static_cast<int32_t>(flags.open_files);
  options.output.sync = flags.sync;
  options.check = !flags.no_check;
  return options;
}

// A directory that is gone, with all that is in it, when this is.
class TemporaryDirectory {
 public:
  static absl::StatusOr<TemporaryDirectory> Make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "spillway-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr) {
      return absl::InternalError(base::Cat(path, ": cannot make a temporary directory"));
    }
    return TemporaryDirectory(std::move(path));
  }
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Nothing may stand where the output goes, or it goes first.
absl::Status MakeRoom(const Flags& flags) {
  for (const char* extension : {".data", ".index"}) {
    const std::string path = flags.out + extension;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    if (!flags.overwrite) {
      return absl::AlreadyExistsError(
          base::Cat(path, " is there already; --overwrite replaces it"));
    }
    if (!std::filesystem::remove(path, error)) {
      return absl::InternalError(base::Cat(path, ": ", error.message()));
    }
  }
  return absl::OkStatus();
}

int Fail(const absl::Status& status) { return BadInput("shuffle", base::ToStd(status.message())); }

int Run(const Flags& flags) {
  const auto source = OpenBatchSource(flags.input, flags.batch);
  if (!source.ok()) return Fail(source.status());
  auto partitioning = PartitioningOf(flags, source->schema);
  if (!partitioning.ok()) return BadUsage("shuffle", base::ToStd(partitioning.status().message()));
  const auto pool = PoolOf(flags);
  if (!pool.ok()) return Fail(pool.status());

  std::optional<TemporaryDirectory> temporary;
  std::string out = flags.out;
  if (out.empty()) {
    auto made = TemporaryDirectory::Make();
    if (!made.ok()) return Fail(made.status());
    temporary.emplace(*std::move(made));
    out = temporary->path() + "/shuffle";
  } else if (const absl::Status room = MakeRoom(flags); !room.ok()) {
    return Fail(room);
  }

  const shuffle::ShuffleRunOptions options = RunOptionsOf(flags, out);
  const shuffle::ShuffleSetting setting{
      .input = flags.input,
      .partitioning = DescribePartitioning(flags, *partitioning),
      .pool = base::Cat(flags.pool,
                        flags.pool == "unbounded"
                            ? ""
                            : base::Cat(" of ", flags.pool_bytes, " bytes, ", flags.variant)),
      .policy =
          base::Cat(flags.rule, " of ", flags.step, " bytes, ",
                    flags.limit == 0 ? "no limit" : base::Cat("limit ", flags.limit, " bytes")),
      .output = flags.out.empty() ? "" : base::Cat(out, ".data and ", out, ".index")};

  const ProgressBar progress;
  const auto input = [&]() -> absl::StatusOr<std::optional<vector::Batch>> {
    auto batch = source->next();
    progress(std::clamp<int64_t>(source->done(), 1, source->total), source->total);
    return batch;
  };
  const auto consumer = (*pool)->Register("ShuffleWriter", /*can_spill=*/true);
  const auto run = RunShuffle(input, *std::move(partitioning), options, *consumer);
  progress.Clear();
  if (!run.ok()) return Fail(run.status());
  const std::string report = flags.json ? ShuffleJson(setting, options, *run)
                                        : ShuffleText(setting, options, *run, flags.timeline);
  std::fwrite(report.data(), 1, report.size(), stdout);
  return kSuccess;
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "shuffle",
      .summary =
          "repartition rows under a memory policy, write them as Comet does, check the files",
      .example = "./spillway shuffle gen:mix:200000 --limit 4000000 --timeline 12",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
