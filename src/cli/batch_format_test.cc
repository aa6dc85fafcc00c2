// SPDX-License-Identifier: Apache-2.0
#include "src/cli/batch_format.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace spillway::cli {
namespace {

using enum BatchKind;

void ExpectFormat(const BatchFormat& format, std::optional<BatchKind> kind, bool hex) {
  EXPECT_EQ(format.kind, kind);
  EXPECT_EQ(format.hex, hex);
}

TEST(BatchFormatTest, ExtensionsSayTheFormat) {
  ExpectFormat(FormatOfPath("a.page"), kPage, false);
  ExpectFormat(FormatOfPath("dir.v2/a.v3"), kV3, false);
  ExpectFormat(FormatOfPath("a.v2.hex"), kV2, true);
  ExpectFormat(FormatOfPath(".block.hex"), kBlock, true);
  ExpectFormat(FormatOfPath("a.json"), kJson, false);
  ExpectFormat(FormatOfPath("a.b.textproto"), kTextproto, false);
}

TEST(BatchFormatTest, OtherNamesSayNothing) {
  for (const std::string_view path : {"-", "", "page", "a.bin", "a.page/b", "a.V3", "a.page.gz"}) {
    SCOPED_TRACE(path);
    ExpectFormat(FormatOfPath(path), std::nullopt, false);
  }
  ExpectFormat(FormatOfPath("v3_fixture.hex"), std::nullopt, true);
  ExpectFormat(FormatOfPath("a.json.hex"), std::nullopt, true);
}

TEST(BatchFormatTest, NamesAreParsed) {
  for (const BatchKind kind : {kPage, kV2, kV3, kBlock, kTextproto, kJson}) {
    ExpectFormat(*ParseFormat(KindName(kind)), kind, false);
    EXPECT_EQ(FormOf(kind).has_value(), kind != kTextproto && kind != kJson);
    if (FormOf(kind).has_value()) {
      EXPECT_EQ(KindOf(*FormOf(kind)), kind);
    }
  }
  ExpectFormat(*ParseFormat("v3.hex"), kV3, true);
  ExpectFormat(*ParseFormat("hex"), std::nullopt, true);
  for (const std::string_view name : {"", "V3", "json.hex", ".hex", "hex.hex", "parquet"}) {
    EXPECT_FALSE(ParseFormat(name).ok()) << name;
  }
}

}  // namespace
}  // namespace spillway::cli
