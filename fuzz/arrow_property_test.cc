// SPDX-License-Identifier: Apache-2.0
// Arrow streams of random batches, in every type and shape of the vector model that Arrow has.
#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/generators/batch.h"
#include "fuzz/generators/type.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/arrow/pieces.h"
#include "src/arrow/stream_reader.h"
#include "src/arrow/stream_writer.h"
#include "src/base/random.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"
#include "src/vector/compare.h"
#include "src/vector/type.h"

namespace spillway::fuzz {
namespace {

using vector::Batch;
using vector::Buffer;

absl::StatusOr<std::string> Write(const Batch& batch) {
  const auto writer = arrow::StreamWriter::Create(batch.schema());
  if (!writer.ok()) return writer.status();
  arrow::Pieces pieces;
  const absl::Status status = writer->AppendStream(batch, pieces);
  if (!status.ok()) return status;
  return pieces.ToString();
}

absl::StatusOr<Batch> Read(const std::string& stream) {
  absl::StatusOr<arrow::StreamReader> reader = arrow::StreamReader::Open(Buffer::Copy(stream));
  if (!reader.ok()) return reader.status();
  absl::StatusOr<std::optional<Batch>> batch = reader->Next();
  if (!batch.ok()) return batch.status();
  if (!batch->has_value()) return absl::NotFoundError("no batch");
  return **batch;
}

BatchOptions ArrowBatches() {
  BatchOptions options;
  options.types.hugeint = false;
  return options;
}

// What Arrow does not keep: fractions of a microsecond, and collations.
bool IsExact(const vector::Type& type) {
  return type.kind() != vector::Kind::kTimestamp && type.collation().empty() &&
         std::all_of(type.children().begin(), type.children().end(),
                     [](const vector::TypePtr& child) { return IsExact(*child); });
}

bool HasTimestamp(const vector::Type& type) {
  return type.kind() == vector::Kind::kTimestamp ||
         std::any_of(type.children().begin(), type.children().end(),
                     [](const vector::TypePtr& child) { return HasTimestamp(*child); });
}

RC_GTEST_PROP(ArrowPropertyTest, WhatIsReadIsWhatWasWritten, ()) {
  const Batch batch = *AnyBatch(ArrowBatches());
  const absl::StatusOr<std::string> stream = Write(batch);
  if (!stream.ok()) {
    RC_ASSERT(stream.status().code() == absl::StatusCode::kInvalidArgument);
    RC_ASSERT(HasTimestamp(*batch.schema()));
    RC_DISCARD("a timestamp beyond 64 bits of microseconds");
  }
  const absl::StatusOr<Batch> read = Read(*stream);
  RC_ASSERT(std::string(read.status().message()) == "");
  if (IsExact(*batch.schema())) {
    RC_ASSERT(vector::FirstDifference(*read, batch) == std::nullopt);
  }
  // Neither encodings nor what stands under nulls reach the bytes.
  RC_ASSERT(*Write(*read) == *stream);
}

RC_GTEST_PROP(ArrowPropertyTest, DamageIsRefusedOrReadAndDoesNoHarm, ()) {
  const Batch batch = *AnyBatch(ArrowBatches());
  absl::StatusOr<std::string> stream = Write(batch);
  RC_PRE(stream.ok());
  base::Random random(*AnySeed());
  for (int round = 0; round < 8; ++round) {
    std::string damaged = *stream;
    for (uint64_t edit = random.Below(3) + 1; edit > 0; --edit) {
      // The beginning has the metadata, where an edit hurts more.
      const size_t end =
          random.Below(2) == 0 ? damaged.size() : std::min<size_t>(900, damaged.size());
      damaged[random.Below(end)] = static_cast<char>(random.Next());
    }
    if (random.Below(4) == 0) damaged.resize(random.Below(damaged.size()));
    const absl::StatusOr<Batch> read = Read(damaged);
    if (read.ok()) RC_ASSERT(vector::FirstDifference(*read, *read) == std::nullopt);
  }
}

}  // namespace
}  // namespace spillway::fuzz
