// SPDX-License-Identifier: Apache-2.0
// What must hold of explanations for every batch, and for all bytes.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generators/batch.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/status.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/inspect/inspect.h"
#include "src/inspect/tiling.h"
#include "src/inspect/to_json.h"
#include "src/inspect/to_text.h"
#include "src/page/page.h"
#include "src/vector/buffer.h"

namespace spillway {
namespace {

using inspect::InspectOptions;
using inspect::Inspection;
using vector::Batch;
using vector::Buffer;
using vector::TypePtr;

// Some page or frame of `batch`.
Buffer Written(const Batch& batch) {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return *frame::WriteV2(batch);
    case 1:
      return *frame::WriteV3(batch, {.statistics = *rc::gen::arbitrary<bool>()});
    default:
      return *page::WritePage(
          batch, {.checksum = *rc::gen::arbitrary<bool>(),
                  .encoding = *rc::gen::element(page::EncodingChoice::kFlatten,
                                                page::EncodingChoice::kPreserve,
                                                page::EncodingChoice::kSmallest)});
  }
}

void CheckTiled(const Inspection& inspection, const Buffer& bytes) {
  const std::string gap = inspect::FirstGap(inspection.whole, bytes.size());
  if (!gap.empty()) RC_FAIL(gap);
  RC_ASSERT(!inspect::ToText(inspection, "x", bytes).empty());
  RC_ASSERT(!inspect::ToJson(inspection, "x", bytes).empty());
}

RC_GTEST_PROP(Inspect, ExplainsEveryByteOfWhatIsWritten, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const Buffer bytes = Written(batch);
  InspectOptions options;
  options.schema = batch.schema();
  const Inspection known = inspect::Inspect(bytes, options);
  if (!known.status.ok()) RC_FAIL(std::string(known.status.message()));
  CheckTiled(known, bytes);
}

// A guess may take 16-byte values for others of half the width where both fit, but it never
// refuses what some schema takes.
RC_GTEST_PROP(Inspect, GuessesASchemaThatTheReaderTakes, ()) {
  const Buffer bytes = Written(*fuzz::AnyBatch());
  const Inspection guessed = inspect::Inspect(bytes);
  if (!guessed.status.ok()) RC_FAIL(std::string(guessed.status.message()));
  CheckTiled(guessed, bytes);
}

RC_GTEST_PROP(Inspect, ExplainsDamagedBytesToo, ()) {
  const Batch batch = *fuzz::AnyBatch();
  const Buffer whole = Written(batch);
  std::string bytes(whole.view());
  for (int i = *rc::gen::inRange(1, 4); i > 0 && !bytes.empty(); --i) {
    const size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
    if (*rc::gen::arbitrary<bool>()) {
      bytes[at] = *rc::gen::arbitrary<char>();
    } else {
      bytes.resize(at);
    }
  }
  const Buffer damaged = Buffer::Own(bytes);
  for (const TypePtr& schema : {batch.schema(), TypePtr()}) {
    InspectOptions options;
    options.schema = schema;
    const Inspection inspection = inspect::Inspect(damaged, options);
    CheckTiled(inspection, damaged);
    if (inspection.status.ok() || inspection.form == inspect::Form::kBlock) continue;
    const auto byte = base::ByteOffset(inspection.status);
    RC_ASSERT(byte.has_value());
    RC_ASSERT(*byte <= damaged.size());
  }
}

RC_GTEST_PROP(Inspect, ExplainsArbitraryBytes, (const std::string& bytes)) {
  const Buffer buffer = Buffer::Copy(bytes);
  for (const inspect::Form form : {inspect::Form::kPage, inspect::Form::kV2, inspect::Form::kV3,
                                   inspect::Form::kBlock}) {
    InspectOptions options;
    options.form = form;
    CheckTiled(inspect::Inspect(buffer, options), buffer);
  }
}

}  // namespace
}  // namespace spillway
