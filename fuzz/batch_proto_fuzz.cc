// SPDX-License-Identifier: Apache-2.0
// Coverage-guided: any bytes as a batch in its neutral form, as textproto if the first is odd, else
// in protobuf's binary form. What reads is written in both forms, and they read back the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/batch_proto.h"
#include "src/vector/compare.h"
#include "src/vector/flatten.h"

namespace {

using namespace spillway;
using vector::Batch;
using vector::Column;
using vector::ColumnPtr;

// Small, so that the time goes into the readers and not into clearing memory.
constexpr vector::FromProtoOptions kOptions = {.max_bytes = 1 << 20};
constexpr std::string_view kFile = "batch.textproto";

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// Rows of `column` and of all that is below it. Lists of UNKNOWN claim many in few bytes.
int64_t Rows(const Column& column) {
  int64_t rows = column.rows();
  if (column.encoding() == vector::Encoding::kRow) {
    for (const ColumnPtr& field : column.As<vector::RowColumn>().fields()) rows += Rows(*field);
  } else if (column.type().is_nested()) {
    for (const ColumnPtr& child : column.As<vector::ListColumn>().children()) rows += Rows(*child);
  }
  return rows;
}

// The batch without wrappers, if few enough values are in it to be compared one by one.
absl::StatusOr<Batch> Flat(const Batch& batch) {
  std::vector<ColumnPtr> columns;
  for (const ColumnPtr& column : batch.columns()) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr flat, vector::Flatten(column, {.max_bytes = 1 << 20}));
    if (Rows(*flat) > 1 << 16) return base::Exhausted("too many rows to compare");
    columns.push_back(std::move(flat));
  }
  return Batch(batch.schema(), batch.rows(), std::move(columns));
}

void RequireSame(const Batch& batch, const absl::StatusOr<Batch>& again, std::string_view form) {
  if (!again.ok()) Require(false, base::Cat(form, " does not read: ", again.status().ToString()));
  Require(vector::ToBinaryProto(*again) == vector::ToBinaryProto(batch),
          base::Cat(form, " reads back in another form"));
  const auto flat = Flat(batch);
  if (!flat.ok()) return;
  const auto difference = vector::FirstDifference(*flat, *Flat(*again));
  Require(!difference.has_value(), base::Cat(form, ": ", difference.value_or("")));
}

void RequireGoodError(const absl::Status& status, bool text) {
  Require(status.code() == absl::StatusCode::kInvalidArgument ||
              status.code() == absl::StatusCode::kResourceExhausted,
          base::Cat("an error of another kind: ", status.ToString()));
  Require(!status.message().empty(), "an error that says nothing");
  Require(!text || base::ToStd(status.message()).substr(0, kFile.size() + 1) ==
                       base::Cat(kFile, ":"),
          base::Cat("an error without its place: ", status.ToString()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool text = (data[0] & 1) != 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto batch = text ? vector::FromTextproto(bytes, kFile, kOptions)
                          : vector::FromBinaryProto(bytes, kOptions);
  if (!batch.ok()) {
    RequireGoodError(batch.status(), text);
    return 0;
  }
  RequireSame(*batch, vector::FromBinaryProto(vector::ToBinaryProto(*batch), kOptions), "binary");
  RequireSame(*batch, vector::FromTextproto(vector::ToTextproto(*batch), kFile, kOptions), "text");
  return 0;
}
