// SPDX-License-Identifier: Apache-2.0
// Every case of index.jsonl is a test of its own: each output of Velox decodes to the case's
// logical values, and our writer gives the same bytes. One case again:
//
//   bazel test //golden/velox:velox_conformance_test --test_filter='Velox.BIGINT_dict_n9_topnulls'
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "golden/velox/velox_cases.h"
#include "gtest/gtest.h"
#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/page/encoding_choice.h"
#include "src/page/page.h"
#include "src/vector/compare.h"
#include "src/vector/concat.h"
#include "src/vector/flatten.h"

namespace spillway {
namespace {

using golden::VeloxCase;
using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;

// How an output of Velox is written and read by us.
struct Output {
  std::string_view name;
  bool whole_page;  // or one column block
  EncodingChoice encoding;
  bool checksum;
  bool flattened;  // the input, before it is written
};

constexpr Output kOutputs[] = {
    {"page_iter", true, EncodingChoice::kFlatten, true, false},
    {"page_iter_nochecksum", true, EncodingChoice::kFlatten, false, false},
    {"single", false, EncodingChoice::kFlatten, false, false},
    {"page_batch", true, EncodingChoice::kVeloxBatch, true, false},
    {"page_batch_preserve", true, EncodingChoice::kPreserve, true, false},
    {"flat_page_batch", true, EncodingChoice::kVeloxBatch, true, true},
};

// Outputs that Velox itself cannot give, so there are no bytes to compare with. For these, our
// writer's own bytes must read back. Nothing else is left out.
struct LeftOut {
  std::string_view output;
  std::string_view reason;
  std::string_view said;  // in Velox's place
  size_t cases;
};

constexpr LeftOut kLeftOut[] = {
    {"page_batch", "the batch serializer crashes on a 0-row constant", "0-row CONSTANT", 45},
    {"page_batch", "the batch serializer crashes on a 0-row dictionary", "0-row DICTIONARY", 22},
    {"single", "the single-column path crashes on a 0-row fixed-width column", "PROCESS DIES", 8},
    {"page_iter", "the iterative serializer crashes on an empty first batch", "PROCESS DIES", 1},
    {"page_iter_nochecksum", "the same", "PROCESS DIES", 1},
};

// The batch that one page holds: several appends are one flat batch (src/vector/concat.h).
absl::StatusOr<Batch> Input(const VeloxCase& one, const Output& output) {
  if (one.batches.size() > 1) return vector::Concat(one.batches);
  if (!output.flattened) return one.batches[0];
  std::vector<ColumnPtr> columns;
  for (const ColumnPtr& column : one.batches[0].columns()) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr flat, vector::Flatten(column));
    columns.push_back(std::move(flat));
  }
  return Batch(one.schema, one.batches[0].rows(), std::move(columns));
}

absl::StatusOr<std::string> Write(const VeloxCase& one, const Output& output) {
  SPILLWAY_ASSIGN_OR_RETURN(const Batch input, Input(one, output));
  if (output.whole_page) {
    page::PageWriteOptions options;
    options.checksum = output.checksum;
    options.encoding = output.encoding;
    SPILLWAY_ASSIGN_OR_RETURN(const Buffer bytes, page::WritePage(input, options));
    return std::string(bytes.view());
  }
  SPILLWAY_ASSIGN_OR_RETURN(const page::BlockPlan plan,
                            page::BlockPlan::Make(input.columns()[0], output.encoding));
  vector::MutableBuffer bytes(plan.size());
  plan.Write(bytes.data());
  return std::string(std::move(bytes).Freeze().view());
}

absl::StatusOr<Batch> Read(const VeloxCase& one, const Output& output, std::string_view bytes) {
  const Buffer input = Buffer::Copy(bytes);
  if (output.whole_page) return page::ReadPage(one.schema, input);
  base::ByteReader in(input.view());
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column,
                            page::BlockReader(input, in).Read(one.schema->children()[0]));
  SPILLWAY_RETURN_IF_ERROR(in.ExpectEnd("column block"));
  const int64_t rows = column->rows();
  return Batch(one.schema, rows, {std::move(column)});
}

void ExpectReadsAsLogical(const VeloxCase& one, const Output& output, std::string_view bytes) {
  const auto read = Read(one, output, bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(vector::FirstDifference(*read, one.logical), std::nullopt);
}

// Where two outputs part, with a few bytes from there on.
std::string Parting(std::string_view ours, std::string_view velox) {
  size_t at = 0;
  while (at < ours.size() && at < velox.size() && ours[at] == velox[at]) ++at;
  const auto hex = [&](std::string_view bytes) {
    return absl::BytesToHexString(base::ToAbsl(bytes.substr(std::min(at, bytes.size()), 16)));
  };
  return base::Cat("byte ", at, ": ours (", ours.size(), " bytes) ", hex(ours), ", Velox's (",
                   velox.size(), ") ", hex(velox));
}

class ConformanceTest : public ::testing::Test {
 public:
  explicit ConformanceTest(const VeloxCase& one) : case_(one) {}

  void TestBody() override {
    for (const Output& output : kOutputs) {
      SCOPED_TRACE(base::Cat(case_.name, " ", output.name));
      const auto known = case_.outputs.find(output.name);
      const bool left_out = case_.errors.contains(output.name);
      if (known == case_.outputs.end() && !left_out) continue;

      const auto ours = Write(case_, output);
      EXPECT_TRUE(ours.ok()) << ours.status();
      if (ours.ok()) ExpectReadsAsLogical(case_, output, *ours);
      if (left_out) continue;
      ExpectReadsAsLogical(case_, output, known->second);
      EXPECT_TRUE(!ours.ok() || *ours == known->second) << Parting(*ours, known->second);
    }
    EXPECT_EQ(vector::FirstDifference(*Input(case_, kOutputs[0]), case_.logical), std::nullopt);
  }

 private:
  const VeloxCase& case_;
};

// The suite as a whole: what is in it and what is not.
class SuiteTest : public ::testing::Test {
 public:
  explicit SuiteTest(const std::vector<VeloxCase>& cases) : cases_(cases) {}

  void TestBody() override {
    EXPECT_EQ(cases_.size(), 1037u);
    std::map<std::string_view, size_t> compared;
    size_t left_out = 0;
    for (const VeloxCase& one : cases_) {
      left_out += one.errors.size();
      for (const auto& [output, bytes] : one.outputs) ++compared[output];
    }
    EXPECT_EQ(compared["page_iter"], 1036u);
    EXPECT_EQ(compared["single"], 1021u);
    EXPECT_EQ(compared["page_batch"], 1029u - 67);
    EXPECT_EQ(compared["page_batch_preserve"], 1029u - 67);
    EXPECT_EQ(compared["flat_page_batch"], 1029u);
    EXPECT_EQ(compared["page_iter_nochecksum"], 7u);
    for (const LeftOut& group : kLeftOut) {
      size_t cases = 0;
      for (const VeloxCase& one : cases_) {
        const auto error = one.errors.find(group.output);
        if (error == one.errors.end()) continue;
        if (error->second.find(group.said) != std::string::npos) ++cases;
      }
      EXPECT_EQ(cases, group.cases) << group.output << ": " << group.reason;
      left_out -= cases;
    }
    EXPECT_EQ(left_out, 0u) << "left out without a reason in kLeftOut";
  }

 private:
  const std::vector<VeloxCase>& cases_;
};

int RegisterAll(const std::vector<VeloxCase>& cases) {
  std::set<std::string> names;
  for (const VeloxCase& one : cases) {
    const std::string name = golden::TestName(one.name);
    if (!names.insert(name).second) {
      std::fprintf(stderr, "two cases are named %s\n", name.c_str());
      return 1;
    }
    ::testing::RegisterTest("Velox", name.c_str(), nullptr, one.name.c_str(), __FILE__, __LINE__,
                            [&one]() -> ::testing::Test* { return new ConformanceTest(one); });
  }
  ::testing::RegisterTest("VeloxSuite", "OnlyWhatVeloxCannotWriteIsLeftOut", nullptr, nullptr,
                          __FILE__, __LINE__,
                          [&cases]() -> ::testing::Test* { return new SuiteTest(cases); });
  return 0;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto cases = golden::LoadVeloxCases();
  if (!cases.ok()) {
    std::fprintf(stderr, "%s\n", cases.status().ToString().c_str());
    return 1;
  }
  if (RegisterAll(*cases) != 0) return 1;
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) { return spillway::Main(argc, argv); }
