// SPDX-License-Identifier: Apache-2.0
// What must hold of cached batches for every batch, form, writer and projection.
#include <algorithm>
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
#include "src/frame/content.h"
#include "src/frame/envelope.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/vector/compare.h"

namespace spillway {
namespace {

using frame::ContentOptions;
using frame::Envelope;
using frame::Format;
using frame::Projection;
using frame::V3Frame;
using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;

constexpr EncodingChoice kChoices[] = {EncodingChoice::kFlatten, EncodingChoice::kVeloxBatch,
                                       EncodingChoice::kPreserve, EncodingChoice::kSmallest};

struct Written {
  Format format;
  Buffer bytes;
};

void Keep(std::vector<Written>& out, Format format, const absl::StatusOr<Buffer>& bytes) {
  if (!bytes.ok()) RC_FAIL(std::string(bytes.status().message()));
  out.push_back({format, *bytes});
}

// By every writer that there is.
std::vector<Written> WriteAll(const Batch& batch) {
  std::vector<Written> out;
  Keep(out, Format::kV2, frame::WriteV2(batch));
  for (const EncodingChoice choice : kChoices) {
    Keep(out, Format::kLegacy, page::WritePage(batch, {.encoding = choice}));
    for (const bool statistics : {false, true}) {
      Keep(out, Format::kV3,
           frame::WriteV3(batch, {.statistics = statistics, .encoding = choice}));
    }
  }
  return out;
}

// Absent, empty, or listed with repeats, in any order.
Projection AnyProjection(size_t columns) {
  base::Random random(*fuzz::AnySeed());
  if (random.Below(4) == 0) return std::nullopt;
  std::vector<int64_t> out;
  if (columns == 0) return out;
  for (uint64_t i = random.Below(2 * columns + 1); i > 0; --i) {
    out.push_back(static_cast<int64_t>(random.Below(columns)));
  }
  return out;
}

void AssertSame(const absl::StatusOr<Batch>& read, const Batch& written) {
  if (!read.ok()) RC_FAIL(std::string(read.status().message()));
  const std::optional<std::string> difference = vector::FirstDifference(*read, written);
  if (difference.has_value()) RC_FAIL(*difference);
}

void AssertReads(const vector::TypePtr& schema, const Written& written, const Buffer& bytes,
                 const ContentOptions& options, const Batch& expected) {
  const auto content = frame::ReadContent(schema, bytes, options);
  if (!content.ok()) RC_FAIL(std::string(content.status().message()));
  RC_ASSERT(content->format == written.format);
  AssertSame(content->batch, expected);
}

RC_GTEST_PROP(Frames, EagerLazyAndProjectedAreTheSameForEveryWriter, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const Projection projection = AnyProjection(batch.columns().size());
  const Batch projected = *frame::Project(batch, projection);
  const bool owned = *rc::gen::arbitrary<bool>();
  for (const Written& written : WriteAll(batch)) {
    const Buffer bytes =
        owned ? Buffer::Copy(written.bytes.view()) : Buffer::Borrow(written.bytes.view());
    for (const bool lazy : {false, true}) {
      AssertReads(batch.schema(), written, bytes, {.lazy = lazy}, batch);
      AssertReads(batch.schema(), written, bytes, {.projection = projection, .lazy = lazy},
                  projected);
    }
  }
}

RC_GTEST_PROP(Frames, LazyColumnsOutliveTheBytes, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const bool owned = *rc::gen::arbitrary<bool>();
  std::optional<Batch> lazy;
  {
    const std::string bytes(frame::WriteV3(batch)->view());
    const Buffer buffer = owned ? Buffer::Copy(bytes) : Buffer::Borrow(bytes);
    lazy = *V3Frame::Open(batch.schema(), buffer)->ReadLazy();
  }
  AssertSame(*lazy, batch);
}

// A batch that was read lazily is written as the batch that was read.
RC_GTEST_PROP(Frames, LazyBatchesAreWrittenWhole, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const Buffer bytes = *frame::WriteV3(batch);
  const Batch lazy = *V3Frame::Open(batch.schema(), bytes)->ReadLazy();
  RC_ASSERT(frame::WriteV3(lazy)->view() == bytes.view());
}

// Whether or not encodings are kept, statistics are those of the flat columns.
RC_GTEST_PROP(Frames, StatisticsDoNotDependOnTheEncoding, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const auto flat = V3Frame::Open(batch.schema(), *frame::WriteV3(batch));
  for (const EncodingChoice choice : kChoices) {
    const Buffer bytes = *frame::WriteV3(batch, {.encoding = choice});
    RC_ASSERT(V3Frame::Open(batch.schema(), bytes)->stats() == flat->stats());
    if (choice == EncodingChoice::kSmallest) {
      RC_ASSERT(bytes.size() <= frame::WriteV3(batch)->size());
    }
  }
}

// The damaged column and no other fails, with the same words each time.
RC_GTEST_PROP(Frames, ADamagedColumnSparesTheOthers, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const auto columns = static_cast<int64_t>(batch.columns().size());
  RC_PRE(columns > 0);
  const Buffer good = *frame::WriteV3(batch, {.statistics = false});
  const auto whole = V3Frame::Open(batch.schema(), good);
  const int64_t damaged = *rc::gen::inRange<int64_t>(0, columns);
  int64_t at = 16;
  for (int64_t i = 0; i < damaged; ++i) at += 4 + whole->block_size(i);
  std::string bytes(good.view());
  base::Random random(*fuzz::AnySeed());
  for (int i = 0; i < 3; ++i) {
    const auto byte = static_cast<int64_t>(random.Below(whole->block_size(damaged)));
    bytes[at + 4 + byte] = static_cast<char>(random.Next());
  }
  const page::ReadLimits limits{.max_decoded_bytes = int64_t{64} << 20};
  const auto frame = V3Frame::Open(batch.schema(), Buffer::Own(bytes), limits);
  RC_ASSERT(frame.ok());
  const Batch lazy = *frame->ReadLazy();
  for (int64_t i = 0; i < columns; ++i) {
    if (i == damaged) {
      const absl::Status first = frame->Load(i).status();
      RC_ASSERT(frame->Load(i).status() == first);
      RC_ASSERT(first.ok() || base::ByteOffset(first).has_value());
    } else {
      RC_ASSERT(vector::FirstDifference(lazy.column(i), batch.column(i)) == std::nullopt);
    }
  }
}

RC_GTEST_PROP(Envelopes, EveryFormSurvivesWhateverAReadGives, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const std::vector<Written> all = WriteAll(batch);
  base::Random random(*fuzz::AnySeed());
  const auto step = static_cast<int64_t>(1 + random.Below(40));
  std::string stream;
  for (const Written& written : all) {
    std::optional<std::string> schema;
    if (random.Below(2) == 0) schema = fuzz::MakeBytes(random, 5);
    const Envelope envelope =
        *frame::MakeEnvelope(written.bytes, batch.rows(), batch.rows(), std::move(schema));
    stream += frame::WriteEnvelope(envelope)->view();
  }
  frame::MemorySource source(stream, step);
  frame::StreamReader in(source);
  for (const Written& written : all) {
    const auto envelope = frame::ReadEnvelope(in);
    if (!envelope.ok()) RC_FAIL(std::string(envelope.status().message()));
    RC_ASSERT(envelope->has_value());
    const auto content = frame::ReadEnvelopeContent(batch.schema(), **envelope);
    if (!content.ok()) RC_FAIL(std::string(content.status().message()));
    RC_ASSERT(content->format == written.format);
    AssertSame(content->batch, batch);
  }
  RC_ASSERT(!frame::ReadEnvelope(in)->has_value());
}

RC_GTEST_PROP(Envelopes, ArbitraryBytesNeverCrashAReader, ()) {
  base::Random random(*fuzz::AnySeed());
  std::string bytes = fuzz::MakeBytes(random, static_cast<int64_t>(random.Below(200)));
  // Small numbers, so that what is behind the head is reached.
  for (size_t i = 0; i < std::min<size_t>(15, bytes.size()); ++i) bytes[i] = 0;
  frame::MemorySource source(bytes, static_cast<int64_t>(1 + random.Below(9)));
  frame::StreamReader in(source);
  while (true) {
    const auto envelope = frame::ReadEnvelope(in);
    if (!envelope.ok()) {
      RC_ASSERT(base::ByteOffset(envelope.status()).has_value());
      return;
    }
    if (!envelope->has_value()) return;
  }
}

}  // namespace
}  // namespace spillway
