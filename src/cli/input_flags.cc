// SPDX-License-Identifier: Apache-2.0
#include "src/cli/input_flags.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/hex_text.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cli/file.h"
#include "src/cli/point_at.h"
#include "src/inspect/inspect.h"

namespace spillway::cli {
namespace {

using vector::Kind;
using vector::Type;
using vector::TypePtr;

std::string CheckType(const std::string& text) {
  const auto type = Type::Parse(text);
  return type.ok() ? "" : PointAt(text, base::ToStd(type.status().message()));
}

// `hint`: what else `text` may have been meant for.
std::string CheckSchema(const std::string& text, std::string_view hint) {
  std::string complaint = CheckType(text);
  if (complaint.empty() && (*Type::Parse(text))->kind() != Kind::kRow) {
    complaint = base::Cat(text, " is no ROW type", hint);
  }
  return complaint;
}

std::string CheckCodec(const std::string& name) {
  const auto codec = page::ParseCodec(name);
  return codec.ok() ? "" : std::string(codec.status().message());
}

// All but --column; returns --schema.
Flag DeclareMost(CommandLine& line, const std::string& codec_flag, InputFlags& flags,
                 std::string_view schema_hint) {
  const Flag hex = line.Switch("--hex", flags.hex, "the input is hexadecimal text");
  line.Switch("--binary", flags.binary, "the input is binary").Excludes(hex);
  const Flag schema =
      line.Text("--schema", flags.schema, "type of a page or frame: 'ROW<a:INTEGER,...>'");
  schema.Check([schema_hint](const std::string& text) { return CheckSchema(text, schema_hint); });
  line.Text(codec_flag, flags.codec,
            "what a page is compressed with: lz4, zstd, snappy, zlib, gzip")
      .Check(CheckCodec);
  line.Integer("--max-bytes", flags.max_bytes, 0, INT32_MAX,
               "refuse larger files and larger decompressed pages")
      .ShowDefault();
  return schema;
}

}  // namespace

void DeclareFrameFlags(CommandLine& line, const std::string& codec_flag, InputFlags& flags) {
  DeclareMost(line, codec_flag, flags, "");
}

void DeclareInputFlags(CommandLine& line, const std::string& codec_flag, InputFlags& flags) {
  const Flag schema =
      DeclareMost(line, codec_flag, flags, "; a single column block has --column");
  line.Text("--column", flags.column, "the input is one column block of this type")
      .Check(CheckType)
      .Excludes(schema);
}

TypePtr SchemaOf(const InputFlags& flags) {
  if (!flags.column.empty()) return Type::Row({"c0"}, {Type::Parse(flags.column).value()});
  if (!flags.schema.empty()) return Type::Parse(flags.schema).value();
  return nullptr;
}

std::optional<inspect::Form> FormOf(const InputFlags& flags) {
  if (flags.column.empty()) return std::nullopt;
  return inspect::Form::kBlock;
}

page::PageReadOptions ReadOptionsOf(const InputFlags& flags) {
  return {.codec = page::ParseCodec(flags.codec).value(),
          .max_uncompressed_bytes = flags.max_bytes};
}

absl::StatusOr<vector::Buffer> ReadInput(const std::string& path, const InputFlags& flags) {
  SPILLWAY_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, flags.max_bytes));
  if (flags.hex || (!flags.binary && base::IsText(bytes))) {
    SPILLWAY_ASSIGN_OR_RETURN(bytes, base::In(InputName(path), base::FromHexText(bytes)));
  }
  return vector::Buffer::Own(std::move(bytes));
}

std::string SchemaWanted(const vector::Buffer& bytes, inspect::Form form) {
  std::string what = base::Cat("the types of a ", inspect::FormName(form),
                               " are not in its bytes; say them with --schema");
  const inspect::Inspection guess = inspect::Inspect(bytes, {.form = form});
  if (guess.status.ok()) {
    what += base::Cat(", as in --schema '", guess.schema->ToString(), "', if these are they");
  }
  return what;
}

std::string InputName(const std::string& path) { return path == "-" ? "stdin" : path; }

}  // namespace spillway::cli
