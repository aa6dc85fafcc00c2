// SPDX-License-Identifier: Apache-2.0
#include "golden/inspect/golden_cases.h"

#include <string_view>
#include <utility>

#include "golden/hex_file.h"
#include "golden/velox/velox_cases.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/type.h"

namespace spillway::golden {
namespace {

using inspect::InspectOptions;
using vector::Type;
using vector::TypePtr;

constexpr char kV2Schema[] = "ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>";
constexpr char kV3Schema[] = "ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>";

struct GlutenFixture {
  std::string_view name;
  std::string_view schema;
};

constexpr GlutenFixture kGluten[] = {
    {"v2_golden_3198", kV2Schema},       {"v2_golden_page_3033", kV2Schema},
    {"v3_fixture_no_stats", kV3Schema},  {"v3_fixture_with_stats", kV3Schema},
    {"v3_empty_no_stats", "ROW<>"},      {"v3_empty_with_stats", "ROW<>"},
    {"v3_bad_numcols", kV3Schema},       {"v3_bad_trailing", kV3Schema},
    {"v3_bad_truncated", kV3Schema},
};

struct VeloxOutput {
  std::string_view file;
  std::string_view name;
  std::string_view output;
};

constexpr VeloxOutput kVelox[] = {
    {"velox_dictionary", "VARCHAR/dict/n9_repeat_unused", "page_batch_preserve"},
    {"velox_rle", "BIGINT/const/val/n9", "page_batch"},
    {"velox_rle_null", "VARCHAR/const/null/n9", "page_batch"},
    {"velox_timestamp", "TIMESTAMP/flat/n8/some", "page_iter"},
    {"velox_map", "MAP(INTEGER,ARRAY(BIGINT))/flat/n9/some", "page_iter"},
    {"velox_nested",
     "ROW(a BIGINT,b ROW(c VARCHAR,d ROW(e DECIMAL(38,4),f TIMESTAMP)))/flat/n8/some", "page_iter"},
    {"velox_column_block", "VARCHAR/flat/n9/some", "single"},
};

InspectOptions Under(TypePtr schema) {
  InspectOptions options;
  options.schema = std::move(schema);
  return options;
}

// With the schema, and without.
std::vector<InspectInput> Both(std::string name, std::string bytes, TypePtr schema) {
  return {{name, bytes, Under(std::move(schema))}, {name, bytes, {}}};
}

absl::Status AddGluten(std::vector<InspectCase>& cases) {
  for (const GlutenFixture& fixture : kGluten) {
    const std::string path = base::Cat("golden/gluten/", fixture.name, ".hex");
    SPILLWAY_ASSIGN_OR_RETURN(std::string bytes, ReadHexFile(path));
    SPILLWAY_ASSIGN_OR_RETURN(TypePtr schema, Type::Parse(fixture.schema));
    cases.push_back({std::string(fixture.name), Both(path, std::move(bytes), std::move(schema))});
  }
  return absl::OkStatus();
}

absl::Status AddVelox(std::vector<InspectCase>& cases) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<VeloxCase> all, LoadVeloxCases());
  for (const VeloxOutput& wanted : kVelox) {
    bool found = false;
    for (const VeloxCase& one : all) {
      const auto output = one.outputs.find(wanted.output);
      if (one.name != wanted.name || output == one.outputs.end()) continue;
      found = true;
      cases.push_back({std::string(wanted.file),
                       Both(base::Cat(one.name, " ", wanted.output), output->second, one.schema)});
    }
    if (!found) return base::Invalid("no ", wanted.output, " of a case ", wanted.name);
  }
  return absl::OkStatus();
}

absl::Status AddMalformed(std::vector<InspectCase>& cases) {
  SPILLWAY_ASSIGN_OR_RETURN(std::vector<VeloxMalformed> all, LoadVeloxMalformed());
  InspectCase out{"velox_malformed", {}};
  for (VeloxMalformed& one : all) {
    InspectOptions options = Under(one.page ? one.type : Type::Row({"c"}, {one.type}));
    options.form = one.page ? inspect::Form::kPage : inspect::Form::kBlock;
    out.inputs.push_back({one.name, std::move(one.bytes), std::move(options)});
  }
  cases.push_back(std::move(out));
  return absl::OkStatus();
}

absl::Status AddCompressed(std::vector<InspectCase>& cases) {
  SPILLWAY_ASSIGN_OR_RETURN(std::vector<VeloxCompressed> all, LoadVeloxCompressed());
  for (VeloxCompressed& one : all) {
    if (one.name != "bigint_const/lz4/crc") continue;
    InspectCase out{"velox_compressed", Both(one.name, one.bytes, one.schema)};
    for (InspectInput& input : out.inputs) input.options.walk.read.codec = page::Codec::kLz4;
    out.inputs.push_back({one.name, one.bytes, Under(one.schema)});
    out.inputs.push_back(out.inputs.back());
    out.inputs.back().options.walk.read.codec = page::Codec::kZstd;
    cases.push_back(std::move(out));
    return absl::OkStatus();
  }
  return base::Invalid("no such compressed page");
}

}  // namespace

absl::StatusOr<std::vector<InspectCase>> LoadInspectCases() {
  std::vector<InspectCase> cases;
  SPILLWAY_RETURN_IF_ERROR(AddGluten(cases));
  SPILLWAY_RETURN_IF_ERROR(AddVelox(cases));
  SPILLWAY_RETURN_IF_ERROR(AddMalformed(cases));
  SPILLWAY_RETURN_IF_ERROR(AddCompressed(cases));
  return cases;
}

}  // namespace spillway::golden
