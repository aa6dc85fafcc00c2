// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/prune_report.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/status.h"
#include "src/frame/envelope.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/inspect/prune_to_json.h"
#include "src/inspect/prune_to_text.h"
#include "src/page/page.h"
#include "src/vector/build.h"

namespace spillway::inspect {
namespace {

using stats::PruneMode;
using vector::Batch;
using vector::Buffer;
using vector::Type;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// c0 DOUBLE -1, 5, NaN, null; c1 INTEGER 1, 2, 3, 4.
Batch Rows() {
  return vector::BatchOf(
      {vector::Flat<double>(*Type::Parse("DOUBLE"), {-1.0, 5.0, kNan, std::nullopt}),
       vector::Flat<int32_t>(*Type::Parse("INTEGER"), {1, 2, 3, 4})});
}

PruneQuestion Ask(std::string_view where, PruneMode mode = PruneMode::kSound, bool check = false,
                  bool nan_aware = false) {
  return {.predicate = *stats::Predicate::Parse(where, Rows().schema()),
          .options = {.mode = mode, .nan_aware_stats = nan_aware},
          .check = check};
}

std::string Text(const PruneQuestion& question, const Buffer& bytes) {
  const auto report = ReportPruning(question, bytes);
  return report.ok() ? ToText(*report) : std::string(report.status().message());
}

TEST(PruneReportTest, ADecisionHasALineACondition) {
  EXPECT_EQ(Text(Ask("c1 > 4 and c0 < 9"), *frame::WriteV3(Rows())),
            "sound skips\n"
            "  and: never true\n"
            "    c1 > 4: never true (c1: 1 to 4, 0 of 4 null; decided by the upper bound)\n"
            "    c0 < 9: may be true (c0: -1 to 5, 1 of 4 null)\n");
}

TEST(PruneReportTest, ModesThatDecideOtherwiseSayWhy) {
  EXPECT_EQ(Text(Ask("c0 > 5"), *frame::WriteV2(Rows())),
            "sound reads\n"
            "  c0 > 5: may be true (c0: -1 to 5, 1 of 4 null)\n"
            "spark skips\n"
            "  c0 > 5: a NaN is above every bound\n"
            "gluten skips\n"
            "  c0 > 5: a NaN is above every bound\n");
  EXPECT_EQ(Text(Ask("c1 != 4 or c1 > 4", PruneMode::kSparkParity), *frame::WriteV2(Rows())),
            "spark reads\n"
            "  or: no filter\n"
            "    c1 != 4: no filter (c1: 1 to 4, 0 of 4 null)\n"
            "    c1 > 4: false (c1: 1 to 4, 0 of 4 null)\n");
}

TEST(PruneReportTest, ACheckFindsTheRowsThatSparkLoses) {
  const Buffer frame = *frame::WriteV3(Rows());
  EXPECT_EQ(Text(Ask("c0 > 5", PruneMode::kSound, true), frame),
            "sound reads\n"
            "  c0 > 5: may be true (c0: -1 to 5, 1 of 4 null)\n"
            "spark skips, and loses 1 row\n"
            "  c0 > 5: a NaN is above every bound\n"
            "gluten skips, and loses 1 row\n"
            "  c0 > 5: a NaN is above every bound\n"
            "matching rows: 1 of 4: row 2\n");
  const auto spark = ReportPruning(Ask("c0 > 5", PruneMode::kSparkParity, true), frame);
  EXPECT_TRUE(spark->LosesRows());
  EXPECT_EQ(ToText(*spark),
            "spark skips\n"
            "  c0 > 5: false (c0: -1 to 5, 1 of 4 null)\n"
            "sound reads\n"
            "  c0 > 5: a NaN is above every bound\n"
            "matching rows: 1 of 4: row 2\n"
            "LOST ROWS: spark skips the batch, and 1 row of it matches\n");
  EXPECT_EQ(Text(Ask("c0 < -1", PruneMode::kSparkParity, true), frame),
            "spark skips\n"
            "  c0 < -1: false (c0: -1 to 5, 1 of 4 null)\n"
            "matching rows: 0 of 4\n");
}

TEST(PruneReportTest, NanAwareStatisticsLoseNone) {
  const Buffer frame = *frame::WriteV3(Rows(), {.nan_aware = true});
  EXPECT_EQ(Text(Ask("c0 > 5", PruneMode::kSparkParity, true), frame),
            "spark reads\n"
            "  c0 > 5: true (c0: -1 to NaN, 1 of 4 null)\n"
            "matching rows: 1 of 4: row 2\n");
  EXPECT_EQ(Text(Ask("not is_nan(c0) and c0 > 7", PruneMode::kSound, false, true),
                 *frame::WriteV3(Rows().Slice(0, 2), {.nan_aware = true})),
            "sound skips\n"
            "  and: never true\n"
            "    not: never false\n"
            "      is_nan(c0): never true (c0: -1 to 5, 0 of 2 null; decided by the bounds)\n"
            "    c0 > 7: never true (c0: -1 to 5, 0 of 2 null; decided by the upper bound)\n");
}

TEST(PruneReportTest, WithoutStatisticsABatchIsRead) {
  for (const Buffer& bytes :
       {*page::WritePage(Rows()), *frame::WriteV3(Rows(), {.statistics = false})}) {
    const auto report = ReportPruning(Ask("c1 > 100", PruneMode::kSound, true), bytes);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_FALSE(report->statistics);
    EXPECT_FALSE(report->opinion.decision.skip);
    EXPECT_EQ(report->rows, 4);
    EXPECT_EQ(ToText(*report),
              "sound reads\n"
              "  c1 > 100: may be true (c1: no statistics)\n"
              "matching rows: 0 of 4\n");
  }
}

TEST(PruneReportTest, ManyRowsAreListedInPart) {
  const Batch batch =
      vector::BatchOf({vector::Flat<int32_t>(*Type::Parse("INTEGER"), std::vector<int32_t>(50))});
  PruneQuestion question{.predicate = *stats::Predicate::Parse("c0 = 0", batch.schema()),
                         .check = true};
  const std::string text = Text(question, *frame::WriteV3(batch));
  EXPECT_NE(text.find("matching rows: 50 of 50: rows 0, 1, 2"), std::string::npos) << text;
  EXPECT_NE(text.find(" 19, ...\n"), std::string::npos) << text;
}

TEST(PruneReportTest, EnvelopesOfEveryFormAreJudgedAlike) {
  const Buffer v2 = *frame::WriteV2(Rows());
  const Buffer v3 = *frame::WriteV3(Rows());
  const std::string expected = Text(Ask("c0 > 5", PruneMode::kSound, true), v3);
  for (const Buffer& bytes : {v2, v3}) {
    const auto envelope = frame::MakeEnvelope(bytes, 4, 0);
    const auto report = ReportPruning(Ask("c0 > 5", PruneMode::kSound, true), *envelope);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(ToText(*report), expected);
    EXPECT_EQ(report->form, RecognizeForm(bytes.view()));
    EXPECT_TRUE(report->statistics);
  }
  const auto page = frame::MakeEnvelope(*page::WritePage(Rows()), 4, 0);
  EXPECT_FALSE(ReportPruning(Ask("c1 > 100"), *page)->statistics);
}

TEST(PruneReportTest, DamageIsReportedWithItsPlace) {
  const auto message = [](const Buffer& bytes, bool check = false) {
    return Text(Ask("c1 > 4", PruneMode::kSound, check), bytes);
  };
  const auto damaged = [](const Buffer& bytes, size_t at, char value) {
    std::string copy(bytes.view());
    copy[at] = value;
    return Buffer::Own(std::move(copy));
  };
  const Buffer v2 = *frame::WriteV2(Rows());
  const Buffer v3 = *frame::WriteV3(Rows());
  EXPECT_EQ(message(damaged(v3, 8, 9)),
            "V3 frame: statistics: statistics of 9 columns, the schema has 2, byte 8 of 180");
  EXPECT_EQ(message(damaged(v2, 8, 9)),
            "V2 frame: statistics: statistics of 9 columns, the schema has 2, byte 8 of 193");
  EXPECT_EQ(message(v2.Slice(0, v2.size() - 1)).substr(0, 8), "V2 frame");
  // A page in a V2 frame is known by its header; its columns are looked at only to check.
  const Buffer bad_column = damaged(v2, v2.size() - 40, '\x7f');
  EXPECT_EQ(message(bad_column).substr(0, 11), "sound skips");
  EXPECT_EQ(message(bad_column, true).substr(0, 14), "V2 frame: page");
  // Of a V3 frame, only columns that the predicate reads.
  const Buffer bad_block = damaged(v3, 103, '\x7f');
  EXPECT_EQ(message(bad_block, true).substr(0, 11), "sound skips");
  EXPECT_EQ(Text(Ask("c0 > 9", PruneMode::kSound, true), bad_block).substr(0, 20),
            "column 0 `c0` DOUBLE");
  EXPECT_EQ(message(Buffer::Copy("\xfe\xca\x53\x04 of a later version")).substr(0, 5), "frame");
}

TEST(PruneReportTest, AnEnvelopeMustAgreeWithItsPayload) {
  auto envelope = *frame::MakeEnvelope(*frame::WriteV3(Rows()), 5, 0);
  EXPECT_EQ(ReportPruning(Ask("c1 > 4"), envelope).status().message(),
            "the envelope says 5 rows, its payload has 4");
  envelope = *frame::MakeEnvelope(*frame::WriteV2(Rows()), 4, 0);
  envelope.stats = Buffer::Copy("\1");
  EXPECT_EQ(ReportPruning(Ask("c1 > 4"), envelope).status().message().substr(0, 11), "statistics:");
}

TEST(PruneReportTest, JsonHasTheSame) {
  const auto report = ReportPruning(Ask("c0 > 5 and c1 > 0", PruneMode::kSparkParity, true),
                                    *frame::WriteV3(Rows()));
  const PruneRun run{.input = "x.v3",
                     .where = "c0 > 5 and c1 > 0",
                     .schema = Rows().schema()->ToString(),
                     .options = {.mode = PruneMode::kSparkParity},
                     .batches = {{.partition = 7, .report = *report}},
                     .status = base::AtByte(base::Invalid("cut"), 9)};
  const auto json = nlohmann::json::parse(ToJson(run));
  EXPECT_EQ(json["mode"], "spark");
  EXPECT_EQ(json["error"]["message"], "cut, byte 9");
  EXPECT_EQ(json["error"]["byte"], 9);
  const auto& batch = json["batches"][0];
  EXPECT_EQ(batch["partition"], 7);
  EXPECT_EQ(batch["form"], "V3 frame");
  EXPECT_EQ(batch["skip"], true);
  EXPECT_EQ(batch["why"]["arguments"][0]["verdict"], "false");
  EXPECT_EQ(batch["why"]["arguments"][0]["skips"], true);
  EXPECT_EQ(batch["why"]["arguments"][1]["skips"], false);
  EXPECT_EQ(batch["others"][0]["mode"], "sound");
  EXPECT_EQ(batch["others"][0]["skip"], false);
  EXPECT_EQ(batch["others"][0]["differences"][0]["condition"], "c0 > 5");
  EXPECT_EQ(batch["others"][1]["differences"].size(), 0u);
  EXPECT_EQ(batch["matches"], (std::vector<int>{2}));
  EXPECT_EQ(batch["loses_rows"], true);
}

}  // namespace
}  // namespace spillway::inspect
