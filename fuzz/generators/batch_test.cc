// SPDX-License-Identifier: Apache-2.0
// Properties are worth what their generators reach.
#include "fuzz/generators/batch.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/vector/batch_proto.h"

namespace spillway::fuzz {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using vector::Column;
using vector::ColumnPtr;
using vector::Encoding;
using vector::Kind;
using vector::Validity;

const std::vector<std::string> kEncodings = {"constant", "dictionary"};
const std::vector<std::string> kNested = {"array", "map", "row", "list not from 0",
                                          "elements left over"};
const std::vector<std::string> kShapes = {
    "all null, no bitmap", "all null, bitmap", "some null",      "bitmap without null",
    "shifted bitmap",      "unaligned values", "spare capacity", "string not from 0",
    "bytes under null"};

// What can be seen of a column and all below it.
class Sightings {
 public:
  void Look(const Column& column) {
    kinds.insert(column.type().kind());
    switch (column.encoding()) {
      case Encoding::kFlat:
        if (column.type().is_string()) {
          LookAtStrings(column.As<vector::StringColumn>());
        } else {
          const auto& flat = column.As<vector::FlatColumn>();
          if (column.type().kind() != Kind::kUnknown) Look(flat.validity(), flat.rows());
          See("unaligned values", reinterpret_cast<uintptr_t>(flat.values().data()) % 2 == 1);
          See("spare capacity", flat.values().allocation().capacity > flat.values().size() + 20);
        }
        break;
      case Encoding::kConstant:
        seen.insert("constant");
        Look(*column.As<vector::ConstantColumn>().value());
        break;
      case Encoding::kDictionary:
        seen.insert("dictionary");
        Look(column.As<vector::DictionaryColumn>().validity(), column.rows());
        Look(*column.As<vector::DictionaryColumn>().alphabet());
        break;
      case Encoding::kRow:
        seen.insert("row");
        Look(column.As<vector::RowColumn>().validity(), column.rows());
        for (const ColumnPtr& field : column.As<vector::RowColumn>().fields()) Look(*field);
        break;
      case Encoding::kArray:
      case Encoding::kMap:
        seen.insert(column.encoding() == Encoding::kArray ? "array" : "map");
        LookAtList(column.As<vector::ListColumn>());
        break;
      case Encoding::kLazy:
        break;  // not made
    }
  }

  std::set<std::string> seen;
  std::set<Kind> kinds;

 private:
  void See(std::string_view what, bool really) {
    if (really) seen.insert(std::string(what));
  }

  void Look(const Validity& validity, int64_t rows) {
    const bool bitmap = !validity.bits().empty();
    const bool all = rows > 0 && validity.null_count() == rows;
    See("all null, no bitmap", all && !bitmap);
    See("all null, bitmap", all && rows > 8 && bitmap);
    See("some null", validity.has_nulls() && !all);
    See("bitmap without null", bitmap && rows > 0 && !validity.has_nulls());
    See("shifted bitmap", bitmap && validity.bit_offset() % 8 != 0);
  }

  void LookAtStrings(const vector::StringColumn& column) {
    Look(column.validity(), column.rows());
    See("string not from 0", column.first() != 0);
    for (int64_t row = 0; row < column.rows(); ++row) {
      See("bytes under null", column.IsNull(row) && !column.Value(row).empty());
    }
  }

  void LookAtList(const vector::ListColumn& column) {
    Look(column.validity(), column.rows());
    See("list not from 0", column.Offset(0) != 0);
    See("elements left over", column.Offset(column.rows()) < column.children()[0]->rows());
    for (const ColumnPtr& child : column.children()) Look(*child);
  }
};

Sightings LookAtMany(Features features, const TypeOptions& types) {
  Sightings out;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto rows = static_cast<int64_t>(seed % 20);
    const vector::Batch batch = MakeBatch(seed, 4, rows, features, types);
    for (const ColumnPtr& column : batch.columns()) out.Look(*column);
  }
  return out;
}

std::vector<std::string> Together(std::vector<std::vector<std::string>> lists) {
  std::vector<std::string> out;
  for (const auto& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

TEST(BatchGeneratorTest, EveryShapeAndKindComesUp) {
  const Sightings all = LookAtMany(kAllFeatures, {});
  EXPECT_THAT(all.seen, UnorderedElementsAreArray(Together({kShapes, kNested, kEncodings})));
  EXPECT_EQ(all.kinds.size(), 20u);
}

TEST(BatchGeneratorTest, FlatBatchesHaveNeitherWrappersNorNesting) {
  const BatchOptions options = FlatBatches();
  const Sightings flat = LookAtMany(options.allowed, options.types);
  EXPECT_THAT(flat.seen, UnorderedElementsAreArray(kShapes));
  EXPECT_EQ(flat.kinds.size(), 17u);
}

TEST(BatchGeneratorTest, WithoutFeaturesColumnsArePlain) {
  EXPECT_THAT(LookAtMany(0, {.nested = false}).seen, IsEmpty());
}

TEST(BatchGeneratorTest, ASeedFixesTheBatch) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto text = [&](int columns) {
      return ToTextproto(MakeBatch(seed, columns, 17, kAllFeatures & ~kSharedColumns, {}));
    };
    EXPECT_EQ(text(3), text(3));
    EXPECT_NE(text(3), text(2));
  }
}

TEST(BatchGeneratorTest, KeysOfMapsAreNeverNull) {
  const vector::TypePtr type = *vector::Type::Parse("MAP<INTEGER,INTEGER>");
  int64_t keys = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    base::Random random(seed);
    const ColumnPtr column = MakeColumn(random, type, 9, kAllFeatures);
    if (column->encoding() != Encoding::kMap) continue;
    keys += column->As<vector::ListColumn>().children()[0]->rows();
    EXPECT_EQ(column->As<vector::ListColumn>().children()[0]->null_count(), 0);
  }
  EXPECT_GT(keys, 100);
}

}  // namespace
}  // namespace spillway::fuzz
