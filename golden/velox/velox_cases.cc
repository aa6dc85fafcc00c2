// SPDX-License-Identifier: Apache-2.0
#include "golden/velox/velox_cases.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include "golden/hex_file.h"
#include "golden/velox/velox_columns.h"
#include "nlohmann/json.hpp"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/concat.h"

namespace spillway::golden {
namespace {

using nlohmann::json;
using vector::Batch;
using vector::ColumnPtr;
using vector::Type;
using vector::TypePtr;

constexpr std::string_view kFolder = "golden/velox/";

constexpr std::string_view kOutputs[] = {"page_iter",           "single",          "page_batch",
                                         "page_batch_preserve", "flat_page_batch",
                                         "page_iter_nochecksum"};

// An absent output equals the other one. In an order in which the other is known.
constexpr std::pair<std::string_view, std::string_view> kSameAs[] = {
    {"page_batch", "page_iter"},
    {"page_batch_preserve", "page_batch"},
    {"flat_page_batch", "page_batch"},
};

// Calls `visit` with every line of `file`; errors name the file and line. The JSON library throws
// when a line is not what it is taken for; that ends here.
absl::Status ForEachLine(std::string_view file, const std::function<absl::Status(json)>& visit) {
  const std::string path = base::Cat(kFolder, file);
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  int line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string where = base::Cat(path, " line ", line);
    try {
      SPILLWAY_RETURN_IF_ERROR(
          base::In(where, visit(json::parse(text.begin() + static_cast<int64_t>(at),
                                            text.begin() + static_cast<int64_t>(end)))));
    } catch (const json::exception& error) {
      return base::In(where, base::Invalid(error.what()));
    }
    at = end + 1;
  }
  return absl::OkStatus();
}

class IndexReader {
 public:
  absl::StatusOr<VeloxCase> Read(const json& line) {
    const auto name = line["name"].get<std::string>();
    SPILLWAY_ASSIGN_OR_RETURN(const TypePtr type, Type::Parse(line["type"].get<std::string>()));
    // A line with `batches` is a whole page, any other a page of one column.
    const bool whole = line.contains("batches");
    const TypePtr schema = whole ? type : Type::Row({"c0"}, {type});
    std::vector<Batch> batches;
    for (const json& vector : whole ? line["batches"] : json::array({line["vector"]})) {
      SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr column, ColumnFromVector(type, vector));
      batches.emplace_back(schema, column->rows(),
                           whole ? column->As<vector::RowColumn>().fields()
                                 : std::vector<ColumnPtr>{column});
    }
    SPILLWAY_ASSIGN_OR_RETURN(Batch logical, Logical(line, schema, batches));
    VeloxCase out{name, schema, std::move(batches), std::move(logical), {}, {}};
    SPILLWAY_RETURN_IF_ERROR(ReadOutputs(line, whole, out));
    return out;
  }

 private:
  static absl::StatusOr<Batch> Logical(const json& line, const TypePtr& schema,
                                       const std::vector<Batch>& batches) {
    if (!line.contains("logical")) return vector::Concat(batches);
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column,
                              ColumnFromValues(schema->children()[0], line["logical"]));
    const int64_t rows = column->rows();
    return Batch(schema, rows, {std::move(column)});
  }

  absl::Status ReadOutputs(const json& line, bool whole, VeloxCase& out) {
    SPILLWAY_ASSIGN_OR_RETURN(const std::string* bytes, File(line["file"].get<std::string>()));
    for (const std::string_view output : kOutputs) {
      const std::string key(output);
      if (line.contains(key)) {
        const auto offset = line[key][0].get<size_t>();
        const auto size = line[key][1].get<size_t>();
        if (offset > bytes->size() || size > bytes->size() - offset) {
          return base::Invalid(output, " lies outside its file of ", bytes->size(), " bytes");
        }
        out.outputs.emplace(key, bytes->substr(offset, size));
      }
      if (line.contains(key + "_error")) {
        out.errors.emplace(key, line[key + "_error"].get<std::string>());
      }
    }
    if (whole) return absl::OkStatus();  // written by the iterative serializer only
    for (const auto& [output, other] : kSameAs) {
      const auto same = out.outputs.find(other);
      if (same == out.outputs.end() || out.errors.contains(output)) continue;
      out.outputs.emplace(output, same->second);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const std::string*> File(const std::string& name) {
    const auto known = files_.find(name);
    if (known != files_.end()) return &known->second;
    SPILLWAY_ASSIGN_OR_RETURN(std::string bytes, ReadFile(base::Cat(kFolder, name)));
    return &files_.emplace(name, std::move(bytes)).first->second;
  }

  std::map<std::string, std::string> files_;
};

// The part of "bigint_seq/lz4/crc" that names the batch.
std::string BatchName(const std::string& name) { return name.substr(0, name.find('/')); }

}  // namespace

absl::StatusOr<std::vector<VeloxCase>> LoadVeloxCases() {
  std::vector<VeloxCase> out;
  IndexReader reader;
  SPILLWAY_RETURN_IF_ERROR(ForEachLine("index.jsonl", [&](const json& line) -> absl::Status {
    SPILLWAY_ASSIGN_OR_RETURN(VeloxCase one, reader.Read(line));
    out.push_back(std::move(one));
    return absl::OkStatus();
  }));
  return out;
}

std::string TestName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

absl::StatusOr<std::vector<VeloxMalformed>> LoadVeloxMalformed() {
  std::vector<VeloxMalformed> out;
  SPILLWAY_RETURN_IF_ERROR(ForEachLine("malformed.jsonl", [&](const json& line) -> absl::Status {
    SPILLWAY_ASSIGN_OR_RETURN(const TypePtr type,
                              ParseParenthesisedType(line["type"].get<std::string>()));
    SPILLWAY_ASSIGN_OR_RETURN(std::string bytes, FromHex(line["hex"].get<std::string>()));
    out.push_back({line["name"].get<std::string>(), type, line["api"] == "page", std::move(bytes),
                   line["velox"].get<std::string>()});
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<std::vector<VeloxCompressed>> LoadVeloxCompressed() {
  std::vector<VeloxCompressed> out;
  std::map<std::string, std::string> uncompressed;
  SPILLWAY_RETURN_IF_ERROR(ForEachLine("compressed.jsonl", [&](const json& line) -> absl::Status {
    const auto name = line["name"].get<std::string>();
    SPILLWAY_ASSIGN_OR_RETURN(const TypePtr schema,
                              ParseParenthesisedType(line["type"].get<std::string>()));
    SPILLWAY_ASSIGN_OR_RETURN(std::string bytes, FromHex(line["hex"].get<std::string>()));
    if (line.contains("uncompressed_page_hex")) {
      SPILLWAY_ASSIGN_OR_RETURN(uncompressed[BatchName(name)],
                                FromHex(line["uncompressed_page_hex"].get<std::string>()));
    }
    out.push_back({name, schema, line["codec"].get<std::string>(), line["checksum"].get<bool>(),
                   line["compressed"].get<bool>(), std::move(bytes),
                   uncompressed[BatchName(name)]});
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<TypePtr> ParseParenthesisedType(std::string_view text) {
  std::string out;
  std::string openers;  // of the parentheses that are open: R for ROW, D for DECIMAL, or the other
  bool field = false;   // a field's name is next or has begun
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool leads = out.empty() || out.back() == ' ' || out.back() == ',' || out.back() == '<';
    if (field && c == ' ') {
      if (leads) continue;
      out += ':';
      field = false;
    } else if (c == '(') {
      const size_t word = out.find_last_of("<,:") == std::string::npos
                              ? 0
                              : out.find_last_of("<,:") + 1;
      openers += out[word];
      field = openers.back() == 'R';
      out += openers.back() == 'D' ? '(' : '<';
    } else if (c == ')' && !openers.empty()) {
      out += openers.back() == 'D' ? ')' : '>';
      openers.pop_back();
      field = false;
    } else {
      out += c;
      if (c == ',') field = !openers.empty() && openers.back() == 'R';
    }
  }
  return Type::Parse(out);
}

}  // namespace spillway::golden
