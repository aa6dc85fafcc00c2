// SPDX-License-Identifier: Apache-2.0
// The walker moves by grammar alone and judges nothing; the strict reader judges. Over everything
// that real systems wrote, and over damage to it, the two must not contradict each other.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/hex_file.h"
#include "golden/inspect/golden_cases.h"
#include "golden/velox/velox_cases.h"
#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/inspect/fault.h"
#include "src/inspect/form.h"
#include "src/inspect/inspect.h"
#include "src/inspect/tiling.h"
#include "src/inspect/walker.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway {
namespace {

using inspect::Form;
using inspect::InspectOptions;
using inspect::Inspection;
using vector::Buffer;
using vector::Type;
using vector::TypePtr;

// What must hold of any bytes under any schema. Empty: it does.
std::string Contradiction(const Buffer& bytes, const InspectOptions& options) {
  const Inspection inspection = inspect::Inspect(bytes, options);
  const std::string gap = inspect::FirstGap(inspection.whole, bytes.size());
  if (!gap.empty()) return gap;
  const inspect::Walked walked =
      inspect::Walk(inspection.form, options.schema, bytes, options.walk);
  const absl::Status read =
      inspect::ReadForm(inspection.form, inspection.schema, bytes, options.walk.read).status();
  const std::string said =
      base::Cat("walker: ", walked.stop.ToString(), "; reader: ", read.ToString());
  if (!walked.stop.ok() && !base::ByteOffset(walked.stop).has_value()) return "no place: " + said;
  if (!walked.stop.ok() && read.ok()) return "stopped in what can be read: " + said;
  if (options.schema != nullptr) {
    if (inspection.status != read) return "not the reader's error: " + said;
    // What the walker cannot pass the reader cannot either, so its error comes no later; but a V3
    // frame's reader looks at the structure of all before the content of any part.
    if (inspection.form != Form::kV3 && !walked.stop.ok() &&
        inspect::IsInDecompressed(walked.stop) == inspect::IsInDecompressed(read) &&
        base::ByteOffset(read).value_or(0) > base::ByteOffset(walked.stop).value_or(0)) {
      return "stopped before the reader's error: " + said;
    }
  }
  if (!inspection.status.ok() && base::ByteOffset(inspection.status).has_value()) {
    const inspect::Explanation* part = inspect::FaultyPart(inspection);
    if (part == nullptr) return "no part has the error: " + said;
  }
  return "";
}

InspectOptions As(Form form, TypePtr schema) {
  InspectOptions options;
  options.form = form;
  options.schema = std::move(schema);
  return options;
}

TEST(AgreementTest, OverEveryGoldenInput) {
  const auto cases = golden::LoadInspectCases();
  ASSERT_TRUE(cases.ok()) << cases.status();
  for (const golden::InspectCase& one : *cases) {
    for (const golden::InspectInput& input : one.inputs) {
      EXPECT_EQ(Contradiction(Buffer::Copy(input.bytes), input.options), "") << input.name;
    }
  }
}

// Of the 87 hostile inputs that are refused, the grammar gives out in 25 at the very place that the
// reader names, and both say the same words.
TEST(AgreementTest, WhereTheGrammarBreaksWalkerAndReaderSayTheSame) {
  const auto inputs = golden::LoadVeloxMalformed();
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  int same = 0;
  for (const golden::VeloxMalformed& input : *inputs) {
    const Buffer bytes = Buffer::Copy(input.bytes);
    const TypePtr schema = input.page ? input.type : Type::Row({"c"}, {input.type});
    const Form form = input.page ? Form::kPage : Form::kBlock;
    const absl::Status stop = inspect::Walk(form, schema, bytes, {}).stop;
    const absl::Status read = inspect::ReadForm(form, schema, bytes).status();
    if (stop.ok() || base::ByteOffset(stop) != base::ByteOffset(read)) continue;
    if (base::ToStd(read.message()).ends_with(base::ToStd(stop.message()))) ++same;
  }
  EXPECT_EQ(same, 25);
}

TEST(AgreementTest, OverEverythingThatVeloxWrote) {
  const auto cases = golden::LoadVeloxCases();
  ASSERT_TRUE(cases.ok()) << cases.status();
  for (const golden::VeloxCase& one : *cases) {
    for (const auto& [output, text] : one.outputs) {
      const Buffer bytes = Buffer::Copy(text);
      const Form form = output == "single" ? Form::kBlock : Form::kPage;
      EXPECT_EQ(inspect::RecognizeForm(text), form) << one.name << " " << output;
      EXPECT_EQ(Contradiction(bytes, As(form, one.schema)), "") << one.name << " " << output;
      // Without a schema, all that is right under one is right.
      const Inspection guessed = inspect::Inspect(bytes);
      EXPECT_TRUE(guessed.status.ok()) << one.name << " " << output << ": " << guessed.status;
      EXPECT_EQ(inspect::FirstGap(guessed.whole, bytes.size()), "") << one.name << " " << output;
    }
  }
}

// What could not be guessed must not be blamed on the bytes.
TEST(AgreementTest, ACutFrameWithoutASchemaIsRefusedForTheCut) {
  const auto whole = golden::ReadHexFile("golden/gluten/v2_golden_3198.hex");
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (size_t size = 165; size < whole->size(); size += 7) {
    const Inspection cut = inspect::Inspect(Buffer::Copy(whole->substr(0, size)));
    EXPECT_EQ(std::string(cut.status.message()),
              base::Cat("V2 frame: bytesLen 3033, ", size - 165, " bytes follow, byte 161 of ",
                        size));
  }
}

TEST(AgreementTest, OverEveryTruncationAndSomeBitFlips) {
  const auto cases = golden::LoadInspectCases();
  ASSERT_TRUE(cases.ok()) << cases.status();
  for (const golden::InspectCase& one : *cases) {
    if (one.name == "velox_malformed" || one.name == "v2_golden_page_3033") continue;
    const golden::InspectInput& input = one.inputs.front();
    // Long runs of values are all alike.
    const size_t step = 1 + input.bytes.size() / 120;
    for (size_t at = 0; at < input.bytes.size(); at += step) {
      const Buffer cut = Buffer::Copy(std::string_view(input.bytes).substr(0, at));
      std::string flipped = input.bytes;
      flipped[at] ^= static_cast<char>(1 << (at % 8));
      const Buffer other = Buffer::Copy(flipped);
      for (InspectOptions options : {input.options, InspectOptions{}}) {
        options.form = inspect::RecognizeForm(input.bytes);
        ASSERT_EQ(Contradiction(cut, options), "") << input.name << " cut to " << at;
        ASSERT_EQ(Contradiction(other, options), "") << input.name << " flipped in " << at;
      }
    }
  }
}

}  // namespace
}  // namespace spillway
