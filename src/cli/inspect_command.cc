// SPDX-License-Identifier: Apache-2.0
// `spillway inspect`.

#include <cstdint>
#include <cstdio>
#include <string>

#include "src/base/strings.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/cli/input_flags.h"
#include "src/inspect/inspect.h"
#include "src/inspect/to_json.h"
#include "src/inspect/to_text.h"

namespace spillway::cli {
namespace {

struct Flags {
  InputFlags input;
  std::string file;
  int64_t rows = 8;
  bool json = false;
};

void Declare(CommandLine& line, Flags& flags) {
  line.Text("FILE", flags.file, "page, frame or column block; - for stdin").Required();
  DeclareInputFlags(line, "--codec", flags.input);
  line.Integer("--rows", flags.rows, 0, 1'000'000, "values shown of a list").ShowDefault();
  line.Switch("--json", flags.json, "print JSON");
}

int Run(const Flags& flags) {
  const auto bytes = ReadInput(flags.file, flags.input);
  if (!bytes.ok()) return BadInput("inspect", base::ToStd(bytes.status().message()));
  inspect::InspectOptions options;
  options.form = FormOf(flags.input);
  options.schema = SchemaOf(flags.input);
  options.walk.read = ReadOptionsOf(flags.input);
  options.walk.preview = flags.rows;
  const inspect::Inspection inspection = inspect::Inspect(*bytes, options);
  const std::string name = InputName(flags.file);
  const std::string text = flags.json ? inspect::ToJson(inspection, name, *bytes)
                                      : inspect::ToText(inspection, name, *bytes);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (inspection.status.ok()) return kSuccess;
  return BadInput("inspect", base::Cat(name, ": ", base::ToStd(inspection.status.message())));
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
