// SPDX-License-Identifier: Apache-2.0
// `spillway prune`.

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cli/cache_input.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/cli/input_flags.h"
#include "src/cli/point_at.h"
#include "src/frame/byte_source.h"
#include "src/frame/cache_file.h"
#include "src/inspect/form.h"
#include "src/inspect/prune_report.h"
#include "src/inspect/prune_to_json.h"
#include "src/inspect/prune_to_text.h"
#include "src/stats/predicate.h"
#include "src/stats/predicate_text.h"

namespace spillway::cli {
namespace {

using inspect::PruneQuestion;
using inspect::PruneReport;
using stats::PruneMode;
using vector::Buffer;

constexpr std::array kModes = {PruneMode::kSound, PruneMode::kSparkParity,
                               PruneMode::kGlutenParity};

struct Flags {
  InputFlags input;
  std::string file;
  std::string where;
  std::string mode = "sound";
  bool nan_aware = false;
  bool check = false;
  bool json = false;
};

// Syntax only; columns are known when the schema is.
std::string CheckWhere(const std::string& text) {
  const auto tree = stats::ParsePredicate(text);
  return tree.ok() ? "" : PointAt(text, tree.status());
}

void Declare(CommandLine& line, Flags& flags) {
  flags = {};  // of an earlier run in this process
  line.Text("--stats", flags.file, "V2 or V3 frame, legacy page or cache file; - for stdin")
      .Required();
  line.Text("--where", flags.where, "predicate: \"c0 >= 5 and (c2 like 'ab%' or c3 is null)\"")
      .Required()
      .Check(CheckWhere);
  line.Text("--mode", flags.mode,
            "who decides: sound loses no row; spark and gluten do as Spark 4.1.1's filter and "
            "Gluten's wrapper around it")
      .OneOf({"sound", "spark", "gluten"})
      .ShowDefault();
  line.Switch("--nan-aware", flags.nan_aware,
              "the statistics have NaN as the upper bound of columns that hold one");
  line.Switch("--check", flags.check,
              "look at the values, and fail if a skipped batch has a row that matches");
  line.Switch("--json", flags.json, "print JSON");
  DeclareFrameFlags(line, "--codec", flags.input);
}

PruneMode ModeNamed(std::string_view name) {
  for (const PruneMode mode : kModes) {
    if (name == stats::PruneModeName(mode)) return mode;
  }
  return PruneMode::kSound;
}

std::string Batches(int64_t count) { return base::Cat(count, count == 1 ? " batch" : " batches"); }

// Prints what is found, batch by batch, and counts. Returns exit codes.
class Judge {
 public:
  explicit Judge(const Flags& flags) : flags_(flags), name_(InputName(flags.file)) {
    json_.input = name_;
    json_.where = flags.where;
    json_.options = {.mode = ModeNamed(flags.mode), .nan_aware_stats = flags.nan_aware};
  }

  // A page or frame.
  int One(const Buffer& bytes) {
    const vector::TypePtr schema = SchemaOf(flags_.input);
    if (schema == nullptr) {
      const inspect::Form form = inspect::RecognizeForm(bytes.view());
      if (form == inspect::Form::kBlock) {
        return BadInput("prune", base::Cat(name_, ": a column block has no statistics"));
      }
      return BadUsage("prune", SchemaWanted(bytes, form));
    }
    if (!Bind(schema)) return kBadUsage;
    const auto report = inspect::ReportPruning(*question_, bytes);
    if (report.ok()) Add(std::nullopt, *report);
    return End(report.status());
  }

  int Cache(frame::ByteSource& source) {
    if (!flags_.input.schema.empty()) {
      return BadUsage("prune", "--schema says nothing about a cache file, which has its own");
    }
    auto reader = frame::CacheFileReader::Open(source);
    if (!reader.ok()) return End(reader.status());
    if (!Bind(reader->schema())) return kBadUsage;
    cache_ = true;
    Print(base::Cat(name_, ": cache file, ", reader->schema()->ToString(), "\n"));
    while (true) {
      const auto record = reader->Next();
      if (!record.ok() || !record->has_value()) return EndCache(record.status());
      const auto report = inspect::ReportPruning(*question_, (*record)->envelope);
      if (!report.ok()) {
        return EndCache(base::In(base::Cat("batch ", batches_), report.status()));
      }
      Add((*record)->partition, *report);
    }
  }

 private:
  // Whether the predicate fits the schema; has complained if not.
  bool Bind(const vector::TypePtr& schema) {
    auto predicate = stats::Predicate::Parse(flags_.where, schema);
    if (!predicate.ok()) {
      BadUsage("prune", base::Cat("--where: ", PointAt(flags_.where, predicate.status())));
      return false;
    }
    json_.schema = schema->ToString();
    question_.emplace(PruneQuestion{.predicate = *std::move(predicate),
                                    .options = json_.options,
                                    .check = flags_.check,
                                    .read = ReadOptionsOf(flags_.input)});
    return true;
  }

  void Add(std::optional<uint32_t> partition, const PruneReport& report) {
    std::string head = name_;
    if (cache_) head = base::Cat("batch ", batches_, ", partition ", *partition);
    Print(base::Cat(head, ": ", inspect::FormName(report.form), ", ", report.rows,
                    report.rows == 1 ? " row" : " rows",
                    report.statistics ? "\n" : ", no statistics\n", inspect::ToText(report)));
    ++batches_;
    lost_ += report.LosesRows() ? 1 : 0;
    skipped_[static_cast<size_t>(report.opinion.options.mode)] += report.opinion.decision.skip;
    for (const inspect::OtherMode& other : report.others) {
      skipped_[static_cast<size_t>(other.mode)] += other.skip ? 1 : 0;
    }
    if (flags_.json) json_.batches.push_back({partition, report});
  }

  int EndCache(absl::Status status) {
    std::string sums = base::Cat(Batches(batches_), ":");
    for (const PruneMode mode : kModes) {
      sums += base::Cat(mode == kModes[0] ? " " : ", ", stats::PruneModeName(mode), " skips ",
                        skipped_[static_cast<size_t>(mode)]);
    }
    if (lost_ > 0) sums += base::Cat("; LOST ROWS in ", Batches(lost_));
    Print(sums + "\n");
    return End(std::move(status));
  }

  // `status`: what ended it before the input's end.
  int End(absl::Status status) {
    json_.status = std::move(status);
    if (flags_.json) std::fputs(inspect::ToJson(json_).c_str(), stdout);
    if (!json_.status.ok()) {
      return BadInput("prune", base::Cat(name_, ": ", base::ToStd(json_.status.message())));
    }
    return lost_ > 0 ? kBadInput : kSuccess;
  }

  void Print(const std::string& text) const {
    if (!flags_.json) std::fwrite(text.data(), 1, text.size(), stdout);
  }

  const Flags& flags_;
  const std::string name_;
  std::optional<PruneQuestion> question_;
  inspect::PruneRun json_;
  bool cache_ = false;
  int64_t batches_ = 0;
  int64_t lost_ = 0;
  std::array<int64_t, kModes.size()> skipped_ = {};
};

int Prune(const Flags& flags) {
  Judge judge(flags);
  if (const auto source = OpenCacheFile(flags.file, flags.input)) return judge.Cache(*source);
  const auto bytes = ReadInput(flags.file, flags.input);
  if (!bytes.ok()) return BadInput("prune", base::ToStd(bytes.status().message()));
  if (!IsCacheFile(bytes->view())) return judge.One(*bytes);
  frame::MemorySource source(bytes->view());
  return judge.Cache(source);
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "prune",
      .summary = "say whether a cached batch can be skipped, and by which bound",
      .example = "./spillway prune --stats golden/gluten/v2_golden_3198.hex --where 'a > 100' "
                 "--schema 'ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>'",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Prune(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
