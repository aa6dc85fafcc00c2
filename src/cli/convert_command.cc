// SPDX-License-Identifier: Apache-2.0
// `spillway convert`.

#include <optional>
#include <string>
#include <utility>

#include "src/base/hex_text.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cli/batch_file.h"
#include "src/cli/batch_format.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/complaint.h"
#include "src/cli/file.h"
#include "src/cli/input_flags.h"
#include "src/inspect/inspect.h"
#include "src/page/compression.h"

namespace spillway::cli {
namespace {

using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;

struct Flags {
  InputFlags input;
  std::string in;
  std::string out;
  std::string from;
  std::string to;
  std::string encoding;
  std::string codec;
  bool no_checksum = false;
  bool no_statistics = false;
};

constexpr std::pair<std::string_view, EncodingChoice> kEncodings[] = {
    {"flatten", EncodingChoice::kFlatten},
    {"velox", EncodingChoice::kVeloxBatch},
    {"preserve", EncodingChoice::kPreserve},
    {"smallest", EncodingChoice::kSmallest},
};

std::optional<EncodingChoice> EncodingNamed(std::string_view name) {
  for (const auto& [known, choice] : kEncodings) {
    if (known == name) return choice;
  }
  return std::nullopt;
}

std::string CheckFormat(const std::string& name) {
  const auto format = ParseFormat(name);
  return format.ok() ? "" : std::string(format.status().message());
}

std::string CheckEncoding(const std::string& name) {
  if (EncodingNamed(name).has_value()) return "";
  return base::Cat("`", name, "` is no encoding; flatten, velox, preserve and smallest are");
}

std::string CheckCodec(const std::string& name) {
  const auto codec = page::ParseCodec(name);
  return codec.ok() ? "" : std::string(codec.status().message());
}

void Declare(CommandLine& line, Flags& flags) {
  line.Text("IN", flags.in, "what to read; - for stdin").Required();
  line.Text("OUT", flags.out, "what to write; - for stdout").Required();
  const std::string formats =
      "page, v2, v3, block, each also as in v3.hex; textproto, json; otherwise by extension";
  line.Text("--from", flags.from, "format of IN: " + formats + " or content").Check(CheckFormat);
  line.Text("--to", flags.to, "format of OUT: " + formats).Check(CheckFormat);
  DeclareInputFlags(line, "--from-codec", flags.input);
  line.Text("--encoding", flags.encoding,
            "of columns in a page, v3 or block: flatten (default), velox, preserve, smallest")
      .Check(CheckEncoding);
  line.Text("--codec", flags.codec, "compress a page: lz4, zstd, snappy, zlib, gzip")
      .Check(CheckCodec);
  line.Switch("--no-checksum", flags.no_checksum, "write a page without a checksum");
  line.Switch("--no-statistics", flags.no_statistics, "write a v3 without statistics");
}

// A flag that says nothing about an output of this kind; empty if there is none.
std::string_view IdleOutputFlag(const Flags& flags, BatchKind kind) {
  const bool page = kind == BatchKind::kPage;
  const bool v3 = kind == BatchKind::kV3;
  if (!flags.encoding.empty() && !page && !v3 && kind != BatchKind::kBlock) return "--encoding";
  if (!flags.codec.empty() && !page) return "--codec";
  if (flags.no_checksum && !page) return "--no-checksum";
  if (flags.no_statistics && !v3) return "--no-statistics";
  return "";
}

// Likewise of an input of textproto or JSON, which says itself what it holds.
std::string_view IdleInputFlag(const InputFlags& flags) {
  if (flags.hex) return "--hex";
  if (flags.binary) return "--binary";
  if (!flags.schema.empty()) return "--schema";
  if (!flags.column.empty()) return "--column";
  if (flags.codec != "none") return "--from-codec";
  return "";
}

bool IsNeutral(BatchFormat format) {
  return format.kind.has_value() && !FormOf(*format.kind).has_value();
}

// --from, or the extension. Hexadecimal text shows by itself.
BatchFormat InputFormat(const Flags& flags) {
  return flags.from.empty() ? FormatOfPath(flags.in) : ParseFormat(flags.from).value();
}

// --to, or the extension; a .hex of OUT stays with `--to v3`.
BatchFormat OutputFormat(const Flags& flags) {
  BatchFormat format = FormatOfPath(flags.out);
  if (!flags.to.empty()) {
    const BatchFormat wanted = ParseFormat(flags.to).value();
    if (wanted.kind.has_value()) format.kind = wanted.kind;
    format.hex |= wanted.hex;
  }
  if (IsNeutral(format)) format.hex = false;
  return format;
}

BatchWriteOptions WriteOptions(const Flags& flags) {
  BatchWriteOptions options;
  options.page.checksum = !flags.no_checksum;
  options.statistics = !flags.no_statistics;
  if (!flags.encoding.empty()) options.page.encoding = EncodingNamed(flags.encoding).value();
  if (!flags.codec.empty()) options.page.codec = page::ParseCodec(flags.codec).value();
  return options;
}

int Write(const Flags& flags, const Batch& batch, BatchFormat format) {
  auto bytes = EncodeBatch(batch, *format.kind, WriteOptions(flags));
  if (!bytes.ok()) {
    return BadInput("convert", base::Cat("as a ", KindName(*format.kind), ": ",
                                         base::ToStd(bytes.status().message())));
  }
  const absl::Status written =
      WriteFile(flags.out, format.hex ? base::ToHexText(*bytes) : *bytes);
  return written.ok() ? kSuccess : BadInput("convert", base::ToStd(written.message()));
}

int Run(const Flags& flags) {
  const BatchFormat from = InputFormat(flags);
  BatchFormat to = OutputFormat(flags);
  if (!to.kind.has_value() && (!to.hex || IsNeutral(from))) {
    return BadUsage("convert", base::Cat("`", flags.out, "` does not say its format; --to does"));
  }
  if (IsNeutral(from)) {
    const std::string_view idle = IdleInputFlag(flags.input);
    if (!idle.empty()) {
      return BadUsage("convert", base::Cat(idle, " says nothing about ", KindName(*from.kind)));
    }
  }
  std::optional<inspect::Form> form = FormOf(flags.input);
  if (!form.has_value() && from.kind.has_value()) form = FormOf(*from.kind);

  absl::StatusOr<Batch> batch = absl::InternalError("not read");
  if (IsNeutral(from)) {
    const auto text = ReadFile(flags.in, flags.input.max_bytes);
    if (!text.ok()) return BadInput("convert", base::ToStd(text.status().message()));
    batch = ReadNeutral(*from.kind, *text, InputName(flags.in), flags.input.max_bytes);
  } else {
    const auto bytes = ReadInput(flags.in, flags.input);
    if (!bytes.ok()) return BadInput("convert", base::ToStd(bytes.status().message()));
    if (!form.has_value()) form = inspect::RecognizeForm(bytes->view());
    // Hexadecimal text of no stated format is of the one that was read.
    if (!to.kind.has_value()) to.kind = KindOf(*form);
    const vector::TypePtr schema = SchemaOf(flags.input);
    if (schema == nullptr) return BadUsage("convert", SchemaWanted(*bytes, *form));
    // Columns of their own, not views: the neutral form would say that all share the file's bytes.
    batch = base::In(InputName(flags.in),
                     inspect::ReadForm(*form, schema, Buffer::Borrow(bytes->view()),
                                       ReadOptionsOf(flags.input)));
  }
  if (!batch.ok()) return BadInput("convert", base::ToStd(batch.status().message()));
  const std::string_view idle = IdleOutputFlag(flags, *to.kind);
  if (!idle.empty()) {
    return BadUsage("convert", base::Cat(idle, " says nothing about ", KindName(*to.kind)));
  }
  return Write(flags, *batch, to);
}

const bool registered = [] {
  static Flags flags;
  RegisterCommand({
      .name = "convert",
      .summary = "turn a batch into another format: page, frame, block, textproto, JSON",
      .example = "./spillway convert golden/gluten/v2_golden_3198.hex - --to textproto --schema "
                 "'ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>'",
      .options = [](CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::cli
