// SPDX-License-Identifier: Apache-2.0
// `spillway inspect`.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "src/base/strings.h"
#include "src/cli/cache_input.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/cli/input_flags.h"
#include "src/frame/byte_source.h"
#include "src/inspect/cache_listing.h"
#include "src/inspect/inspect.h"
#include "src/inspect/to_json.h"
#include "src/inspect/to_text.h"

namespace spillway::cli {
namespace {

struct Flags {
  InputFlags input;
  std::string file;
  int64_t rows = 8;
  std::optional<uint64_t> batch;
  bool json = false;
};

void Declare(CommandLine& line, Flags& flags) {
  flags = {};  // of an earlier run in this process
  line.Text("FILE", flags.file, "page, frame, column block or cache file; - for stdin").Required();
  DeclareInputFlags(line, "--codec", flags.input);
  line.Integer("--rows", flags.rows, 0, 1'000'000, "values shown of a list").ShowDefault();
  line.Unsigned("--batch", flags.batch, "explain this batch of a cache file, from 0");
  line.Switch("--json", flags.json, "print JSON");
}

int End(const std::string& text, const std::string& name, const absl::Status& status) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (status.ok()) return kSuccess;
  return BadInput("inspect", base::Cat(name, ": ", base::ToStd(status.message())));
}

int Explain(const Flags& flags, const std::string& name, const vector::Buffer& bytes,
            const vector::TypePtr& schema) {
  inspect::InspectOptions options;
  options.form = FormOf(flags.input);
  options.schema = schema;
  options.walk.read = ReadOptionsOf(flags.input);
  options.walk.preview = flags.rows;
  const inspect::Inspection inspection = inspect::Inspect(bytes, options);
  return End(flags.json ? inspect::ToJson(inspection, name, bytes)
                        : inspect::ToText(inspection, name, bytes),
             name, inspection.status);
}

int ExplainCache(const Flags& flags, frame::ByteSource& source) {
  const std::string name = InputName(flags.file);
  if (SchemaOf(flags.input) != nullptr) {
    return BadUsage("inspect", "--schema and --column say nothing about a cache file, which has "
                               "its own");
  }
  if (!flags.batch.has_value()) {
    const inspect::CacheListing listing = inspect::ListCache(source, nullptr);
    return End(flags.json ? inspect::ToJson(listing, name) : inspect::ToText(listing, name), name,
               listing.status);
  }
  const auto batch = inspect::ReadCacheBatch(source, *flags.batch);
  if (!batch.ok()) return End("", name, batch.status());
  return Explain(flags, base::Cat(name, ", batch ", *flags.batch), batch->envelope.payload,
                 batch->schema);
}

int Run(const Flags& flags) {
  if (const auto source = OpenCacheFile(flags.file, flags.input)) {
    return ExplainCache(flags, *source);
  }
  const auto bytes = ReadInput(flags.file, flags.input);
  if (!bytes.ok()) return BadInput("inspect", base::ToStd(bytes.status().message()));
  if (IsCacheFile(bytes->view())) {
    frame::MemorySource source(bytes->view());
    return ExplainCache(flags, source);
  }
  if (flags.batch.has_value()) {
    return BadUsage("inspect", base::Cat("--batch: ", InputName(flags.file), " is no cache file"));
  }
  return Explain(flags, InputName(flags.file), *bytes, SchemaOf(flags.input));
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "inspect",
      .summary = "explain every byte of a page, frame or column block, and its first error",
      .example = "./spillway inspect golden/gluten/v2_golden_3198.hex --rows 3",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
