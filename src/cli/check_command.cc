// SPDX-License-Identifier: Apache-2.0
// `spillway check`.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cli/batch_file.h"
#include "src/cli/batch_format.h"
#include "src/cli/cache_input.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/file.h"
#include "src/cli/input_flags.h"
#include "src/frame/byte_source.h"
#include "src/inspect/cache_listing.h"
#include "src/inspect/inspect.h"

namespace spillway::cli {
namespace {

struct Flags {
  InputFlags input;
  std::vector<std::string> files;
};

void Declare(CommandLine& line, Flags& flags) {
  flags = {};  // of an earlier run in this process
  line.Texts("FILE", flags.files,
             "pages, frames, column blocks, cache files; by extension .textproto and .json "
             "batches; - for stdin")
      .Required();
  DeclareInputFlags(line, "--codec", flags.input);
}

std::string Count(int64_t count, std::string_view what) {
  return base::Cat(count, " ", what, count == 1 ? "" : "s");
}

std::string BatchText(const vector::Batch& batch) {
  return base::Cat(Count(batch.rows(), "row"), ", ",
                   Count(static_cast<int64_t>(batch.columns().size()), "column"));
}

// Every batch, by the file's own schema.
absl::StatusOr<std::string> CheckCache(frame::ByteSource& source, const std::string& file,
                                       const InputFlags& flags) {
  const page::PageReadOptions read = ReadOptionsOf(flags);
  const inspect::CacheListing listing = inspect::ListCache(source, &read);
  SPILLWAY_RETURN_IF_ERROR(base::In(InputName(file), listing.status));
  return base::Cat("cache file, ", inspect::SumsText(listing));
}

// What a good file is: "V3 frame, 5 rows, 3 columns, 89 bytes".
absl::StatusOr<std::string> CheckBinary(const std::string& file, const InputFlags& flags) {
  if (const auto source = OpenCacheFile(file, flags)) return CheckCache(*source, file, flags);
  SPILLWAY_ASSIGN_OR_RETURN(const vector::Buffer bytes, ReadInput(file, flags));
  if (IsCacheFile(bytes.view())) {
    frame::MemorySource source(bytes.view());
    return CheckCache(source, file, flags);
  }
  const inspect::Form form = FormOf(flags).value_or(inspect::RecognizeForm(bytes.view()));
  const page::PageReadOptions read = ReadOptionsOf(flags);
  vector::TypePtr schema = SchemaOf(flags);
  const bool guessed = schema == nullptr;
  if (guessed) {
    inspect::Inspection guess =
        inspect::Inspect(bytes, {.form = form, .walk = {.read = read, .max_parts = 0}});
    SPILLWAY_RETURN_IF_ERROR(base::In(InputName(file), guess.status));
    schema = std::move(guess.schema);
  }
  SPILLWAY_ASSIGN_OR_RETURN(
      const vector::Batch batch,
      base::In(InputName(file), inspect::ReadForm(form, schema, bytes, read)));
  return base::Cat(inspect::FormName(form), ", ", BatchText(batch), ", ",
                   Count(bytes.size(), "byte"), guessed ? ", types guessed" : "");
}

absl::StatusOr<std::string> CheckNeutral(BatchKind kind, const std::string& file,
                                         const InputFlags& flags) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, flags.max_bytes));
  SPILLWAY_ASSIGN_OR_RETURN(const vector::Batch batch,
                            ReadNeutral(kind, text, InputName(file), flags.max_bytes));
  return base::Cat(KindName(kind), " batch, ", BatchText(batch), ", ",
                   batch.schema()->ToString());
}

int Run(const Flags& flags) {
  bool all_good = true;
  for (const std::string& file : flags.files) {
    const auto kind = FormatOfPath(file).kind;
    const bool neutral = kind.has_value() && !FormOf(*kind).has_value();
    const absl::StatusOr<std::string> good = neutral ? CheckNeutral(*kind, file, flags.input)
                                                     : CheckBinary(file, flags.input);
    // Messages begin with the file's name.
    const std::string line =
        good.ok() ? base::Cat("ok   ", InputName(file), ": ", *good, "\n")
                  : base::Cat("bad  ", base::ToStd(good.status().message()), "\n");
    std::fputs(line.c_str(), stdout);
    all_good &= good.ok();
  }
  return all_good ? kSuccess : kBadInput;
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "check",
      .summary = "say of each file whether the strict reader takes it",
      .example = "./spillway check golden/gluten/v2_golden_3198.hex --schema "
                 "'ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>'",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
