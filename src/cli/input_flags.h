// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flags that the commands share: how to read a page, frame or column block.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "src/cli/command_line.h"
#include "src/inspect/form.h"
#include "src/page/page.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::cli {

struct InputFlags {
  bool hex = false;     // the input is hexadecimal text; neither: by its content
  bool binary = false;
  std::string schema;   // a ROW type, or empty
  std::string column;   // the type of a single column block, or empty
  std::string codec = "none";
  // Bound on what is read of one file: as much as a V3 frame or a page can have is 2^31 - 1.
  int64_t max_bytes = int64_t{1} << 30;
};

// Declares --hex, --binary, --schema, --max-bytes and the codec's flag. Types and codecs are
// checked when the command line is parsed; the complaint points into the type's text.
void DeclareFrameFlags(CommandLine& line, const std::string& codec_flag, InputFlags& flags);

// Those and --column, for commands that read single column blocks too.
void DeclareInputFlags(CommandLine& line, const std::string& codec_flag, InputFlags& flags);

// The type of --schema, or a ROW of the one --column; null if neither is given.
vector::TypePtr SchemaOf(const InputFlags& flags);
// Column blocks, if --column is given.
std::optional<inspect::Form> FormOf(const InputFlags& flags);
page::PageReadOptions ReadOptionsOf(const InputFlags& flags);

// The bytes of `path` ("-": stdin), out of hexadecimal text if they are that. Errors begin with the
// path.
absl::StatusOr<vector::Buffer> ReadInput(const std::string& path, const InputFlags& flags);

// What to say of `bytes` of a binary form that came without --schema, where a guess that is wrong
// would show nowhere.
std::string SchemaWanted(const vector::Buffer& bytes, inspect::Form form);

// `path` as messages name it.
std::string InputName(const std::string& path);

}  // namespace spillway::cli
