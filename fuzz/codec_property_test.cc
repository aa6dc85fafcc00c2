// SPDX-License-Identifier: Apache-2.0
// What must hold of pages and frames for every batch, and of readers for all bytes.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generators/batch.h"
#include "fuzz/generators/type.h"
#include "fuzz/generators/value.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/status.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/vector/batch_proto.h"
#include "src/vector/compare.h"
#include "src/vector/flatten.h"

namespace spillway {
namespace {

using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;

constexpr EncodingChoice kChoices[] = {EncodingChoice::kFlatten, EncodingChoice::kVeloxBatch,
                                       EncodingChoice::kPreserve, EncodingChoice::kSmallest};

// Owned and borrowed inputs take different ways through the reader.
Buffer Input(const Buffer& bytes, bool owned) {
  return owned ? Buffer::Copy(bytes.view()) : Buffer::Borrow(bytes.view());
}

void AssertSame(const absl::StatusOr<Batch>& read, const Batch& written) {
  if (!read.ok()) RC_FAIL(std::string(read.status().message()));
  const std::optional<std::string> difference = vector::FirstDifference(*read, written);
  if (difference.has_value()) RC_FAIL(*difference);
}

void CheckPage(const Batch& batch, EncodingChoice choice, bool owned) {
  const auto bytes = page::WritePage(batch, {.encoding = choice});
  if (!bytes.ok()) RC_FAIL(std::string(bytes.status().message()));
  AssertSame(page::ReadPage(batch.schema(), Input(*bytes, owned)), batch);
}

void CheckV2(const Batch& batch, bool owned) {
  const auto bytes = frame::WriteV2(batch);
  if (!bytes.ok()) RC_FAIL(std::string(bytes.status().message()));
  const auto content = frame::ReadV2(batch.schema(), Input(*bytes, owned));
  if (!content.ok()) RC_FAIL(std::string(content.status().message()));
  AssertSame(content->batch, batch);
  RC_ASSERT(content->stats == stats::ComputeStats(batch));
}

void CheckV3(const Batch& batch, bool statistics, bool owned) {
  const auto bytes = frame::WriteV3(batch, {.statistics = statistics});
  if (!bytes.ok()) RC_FAIL(std::string(bytes.status().message()));
  const auto frame = frame::V3Frame::Open(batch.schema(), Input(*bytes, owned));
  if (!frame.ok()) RC_FAIL(std::string(frame.status().message()));
  RC_ASSERT(frame->stats().has_value() == statistics);
  AssertSame(frame->Read(), batch);
}

RC_GTEST_PROP(ScalarCodec, EveryFormIsTheIdentity, ()) {
  const Batch batch = *fuzz::AnyBatch(fuzz::FlatBatches());
  const bool owned = *rc::gen::arbitrary<bool>();
  CheckPage(batch, EncodingChoice::kFlatten, owned);
  CheckV2(batch, owned);
  CheckV3(batch, true, owned);
  CheckV3(batch, false, owned);
}

RC_GTEST_PROP(Codec, EveryFormAndEncodingIsTheIdentity, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const bool owned = *rc::gen::arbitrary<bool>();
  for (const EncodingChoice choice : kChoices) CheckPage(batch, choice, owned);
  CheckV2(batch, owned);
  CheckV3(batch, true, owned);
  CheckV3(batch, false, owned);
}

// BUGS 1.1: the bytes do not depend on capacities, bytes under nulls, alignment or encodings.
RC_GTEST_PROP(Codec, FlatBytesAreAFunctionOfTypeAndValues, ()) {
  const Batch batch = *fuzz::AnyBatch();
  std::vector<ColumnPtr> plain;
  for (const ColumnPtr& column : batch.columns()) plain.push_back(*vector::Flatten(column));
  const Batch flat = *vector::FromProto(
      vector::ToProto(Batch(batch.schema(), batch.rows(), std::move(plain))));
  RC_ASSERT(page::WritePage(batch)->view() == page::WritePage(flat)->view());
  RC_ASSERT(frame::WriteV3(batch)->view() == frame::WriteV3(flat)->view());
}

RC_GTEST_PROP(Codec, TheSmallestEncodingIsNeverLargerThanTheFlatOne, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const auto flat = page::WritePage(batch);
  const auto smallest = page::WritePage(batch, {.encoding = EncodingChoice::kSmallest});
  RC_ASSERT(flat.ok() && smallest.ok());
  RC_ASSERT(smallest->size() <= flat->size());
}

RC_GTEST_PROP(Codec, EveryTruncationIsRefusedWithItsByte, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const Buffer bytes = *frame::WriteV3(batch);
  const int64_t size = *rc::gen::inRange<int64_t>(0, bytes.size());
  const auto frame = frame::V3Frame::Open(batch.schema(), bytes.Slice(0, size));
  RC_ASSERT(!frame.ok());
  RC_ASSERT(base::ByteOffset(frame.status()).has_value());
  const Buffer page = *page::WritePage(batch);
  const int64_t page_size = *rc::gen::inRange<int64_t>(0, page.size());
  const auto read = page::ReadPage(batch.schema(), page.Slice(0, page_size));
  RC_ASSERT(!read.ok());
  RC_ASSERT(base::ByteOffset(read.status()).has_value());
}

// A page without checksum, so that the damage reaches the blocks.
RC_GTEST_PROP(Codec, DamagedBytesReadCleanlyOrFailWithAByte, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const EncodingChoice choice = kChoices[*rc::gen::inRange<size_t>(0, std::size(kChoices))];
  std::string bytes(page::WritePage(batch, {.checksum = false, .encoding = choice})->view());
  base::Random random(*fuzz::AnySeed());
  const uint64_t flips = 1 + random.Below(4);
  for (uint64_t i = 0; i < flips; ++i) {
    const uint64_t at = page::kPageHeaderSize + random.Below(bytes.size() - page::kPageHeaderSize);
    const bool any = random.Below(3) == 0;
    bytes[at] = static_cast<char>(any ? random.Next() : bytes[at] ^ (1 << random.Below(8)));
  }
  const page::ReadLimits limits{.max_decoded_bytes = int64_t{64} << 20};
  const auto read = page::ReadPage(batch.schema(), Buffer::Copy(bytes), {.limits = limits});
  if (!read.ok()) {
    RC_ASSERT(base::ByteOffset(read.status()).has_value());
    return;
  }
  // What was read is a batch like any other: it can be walked and written.
  for (const ColumnPtr& column : read->columns()) {
    for (int64_t row = 0; row < std::min<int64_t>(column->rows(), 50); ++row) {
      vector::ValueToString(*column, row);
    }
  }
  const auto again = page::WritePage(*read);
  if (!again.ok()) {
    RC_ASSERT(again.status().code() == absl::StatusCode::kResourceExhausted);
    return;
  }
  AssertSame(page::ReadPage(batch.schema(), *again), *read);
}

RC_GTEST_PROP(Codec, ArbitraryBytesNeverCrashAReader, ()) {
  const vector::TypePtr type = *fuzz::AnyType();
  const vector::TypePtr schema = vector::Type::Row({"c"}, {type});
  base::Random random(*fuzz::AnySeed());
  const std::string bytes = fuzz::MakeBytes(random, static_cast<int64_t>(random.Below(300)));
  RC_ASSERT(!page::ReadPage(schema, Buffer::Copy(bytes)).ok());
  RC_ASSERT(!frame::ReadV2(schema, Buffer::Copy(bytes)).ok());
  RC_ASSERT(!frame::V3Frame::Open(schema, Buffer::Copy(bytes)).ok());
  const Buffer input = Buffer::Copy(bytes);
  base::ByteReader in(input.view());
  RC_ASSERT(!page::BlockReader(input, in).Read(type).ok());
}

}  // namespace
}  // namespace spillway
