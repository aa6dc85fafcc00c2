// SPDX-License-Identifier: Apache-2.0
#include "src/cli/input_flags.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "CLI/CLI.hpp"
#include "src/base/hex_text.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cli/file.h"
#include "src/cli/point_at.h"

namespace spillway::cli {
namespace {

using vector::Kind;
using vector::Type;
using vector::TypePtr;

// CLI11 takes a complaint, or nothing.
std::string CheckType(const std::string& text) {
  const auto type = Type::Parse(text);
  return type.ok() ? "" : PointAt(text, base::ToStd(type.status().message()));
}

std::string CheckSchema(const std::string& text) {
  std::string complaint = CheckType(text);
  if (complaint.empty() && (*Type::Parse(text))->kind() != Kind::kRow) {
    complaint = base::Cat(text, " is no ROW type; a single column block has --column");
  }
  return complaint;
}

std::string CheckCodec(const std::string& name) {
  const auto codec = page::ParseCodec(name);
  return codec.ok() ? "" : std::string(codec.status().message());
}

}  // namespace

void DeclareInputFlags(CLI::App& app, const std::string& codec_flag, InputFlags& flags) {
  CLI::Option* hex = app.add_flag("--hex", flags.hex, "the input is hexadecimal text");
  app.add_flag("--binary", flags.binary, "the input is binary")->excludes(hex);
  CLI::Option* schema =
      app.add_option("--schema", flags.schema, "type of a page or frame: 'ROW<a:INTEGER,...>'")
          ->check(CheckSchema, "");
  app.add_option("--column", flags.column, "the input is one column block of this type")
      ->check(CheckType, "")
      ->excludes(schema);
  app.add_option(codec_flag, flags.codec,
                 "what a page is compressed with: lz4, zstd, snappy, zlib, gzip")
      ->check(CheckCodec, "");
  app.add_option("--max-bytes", flags.max_bytes,
                 "refuse larger files and larger decompressed pages")
      ->check(CLI::Range(int64_t{0}, int64_t{INT32_MAX}), "")
      ->capture_default_str();
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

std::string InputName(const std::string& path) { return path == "-" ? "stdin" : path; }

}  // namespace spillway::cli
