// SPDX-License-Identifier: Apache-2.0
// Coverage-guided: any bytes as a page, a column block, a V2 and a V3 frame, under a schema that the
// first byte picks. What reads must also write, and read back the same.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/vector/compare.h"
#include "src/vector/type.h"

namespace {

using namespace spillway;
using vector::Batch;
using vector::Buffer;
using vector::Type;
using vector::TypePtr;

constexpr std::array<std::string_view, 12> kSchemas = {
    "ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>",
    "ROW<c:BOOLEAN>",
    "ROW<c:DECIMAL(38, 4)>",
    "ROW<c:TIMESTAMP>",
    "ROW<c:VARBINARY,d:UNKNOWN>",
    "ROW<c:DECIMAL(12, 4),d:SMALLINT>",
    "ROW<c:ARRAY<INTEGER>>",
    "ROW<c:MAP<VARCHAR,BIGINT>>",
    "ROW<c:ROW<a:INTEGER,b:VARCHAR>>",
    "ROW<c:ARRAY<ROW<x:INTEGER,y:ARRAY<VARCHAR>>>>",
    "ROW<c:HUGEINT>",
    "ROW<>",
};

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void CheckError(const absl::Status& status) {
  Require(base::ByteOffset(status).has_value(), "an error without its byte");
}

void CheckBatch(const Batch& batch) {
  const auto written = page::WritePage(batch);
  if (!written.ok()) {
    Require(written.status().code() == absl::StatusCode::kResourceExhausted,
            written.status().message().data());
    return;
  }
  const auto again = page::ReadPage(batch.schema(), *written);
  Require(again.ok(), "a written page does not read");
  Require(!vector::FirstDifference(batch, *again).has_value(), "a page changed on its way");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TypePtr schema = *Type::Parse(kSchemas[data[0] % kSchemas.size()]);
  const Buffer input =
      Buffer::Copy(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  // Small, so that the fuzzer's time goes into the readers and not into clearing memory.
  const page::ReadLimits limits{.max_rows = 1 << 16, .max_decoded_bytes = 1 << 20};

  const auto page = page::ReadPage(schema, input, {.limits = limits});
  page.ok() ? CheckBatch(*page) : CheckError(page.status());

  const auto v2 = frame::ReadV2(schema, input, limits);
  v2.ok() ? CheckBatch(v2->batch) : CheckError(v2.status());

  const auto v3 = frame::V3Frame::Open(schema, input, limits);
  if (!v3.ok()) {
    CheckError(v3.status());
  } else if (const auto batch = v3->Read(); batch.ok()) {
    CheckBatch(*batch);
  } else {
    CheckError(batch.status());
  }

  if (!schema->children().empty()) {
    base::ByteReader in(input.view());
    const auto column = page::BlockReader(input, in, limits).Read(schema->children()[0]);
    if (!column.ok()) CheckError(column.status());
  }
  return 0;
}
