// SPDX-License-Identifier: Apache-2.0
// Every kernel against the plain definition, at every width, length and share of nulls, without a
// byte read beside the values.
#include "src/page/value_runs.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/random.h"
#include "src/vector/build.h"

namespace spillway::page {
namespace {

using vector::Validity;

struct Shape {
  int width;
  int null_percent;
};

class ValueRunsTest : public ::testing::TestWithParam<Shape> {
 protected:
  static Validity Nulls(base::Random& random, int64_t rows) {
    const auto percent = static_cast<uint64_t>(GetParam().null_percent);
    // Runs of both kinds too, since whole words without nulls are taken apart.
    const bool runs = random.Below(2) == 0;
    bool null = false;
    return vector::BuildValidity(rows, [&](int64_t row) {
      if (!runs || row % 70 == 0) null = random.Below(100) < percent;
      return null;
    });
  }
};

TEST_P(ValueRunsTest, EveryKernelMovesTheValuesOfNonNullRowsAndNoOthers) {
  const int width = GetParam().width;
  base::Random random(static_cast<uint64_t>(width * 1000 + GetParam().null_percent));
  for (int64_t rows = 0; rows < 300; ++rows) {
    const Validity validity = Nulls(random, rows);
    // Exactly as large as the values, so that AddressSanitizer sees a read past either.
    std::vector<uint8_t> values(rows * width);
    for (uint8_t& byte : values) byte = static_cast<uint8_t>(random.Next());
    std::vector<uint8_t> packed;
    for (int64_t row = 0; row < rows; ++row) {
      if (validity.IsNull(row)) continue;
      packed.insert(packed.end(), values.begin() + row * width, values.begin() + (row + 1) * width);
    }
    for (const RunKernel kernel : {RunKernel::kPortable, RunKernel::kAvx2}) {
      if (!HasRunKernel(kernel)) continue;
      std::vector<uint8_t> out(packed.size() + kRunSlack);
      const uint8_t* end =
          CompactValuesBy(kernel, values.data(), width, validity, rows, out.data());
      ASSERT_EQ(end - out.data(), static_cast<int64_t>(packed.size()));
      out.resize(packed.size());
      ASSERT_EQ(out, packed) << rows << " rows";

      if (!validity.has_nulls()) continue;
      std::vector<uint8_t> expanded(rows * width);
      ExpandValuesBy(kernel, packed.data(), width, validity, rows, expanded.data());
      for (int64_t row = 0; row < rows; ++row) {
        if (validity.IsNull(row)) continue;
        ASSERT_EQ(std::memcmp(&expanded[row * width], &values[row * width], width), 0)
            << "row " << row << " of " << rows;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ValueRunsTest,
    ::testing::Values(Shape{1, 10}, Shape{1, 50}, Shape{1, 95}, Shape{2, 10}, Shape{2, 50},
                      Shape{2, 95}, Shape{4, 10}, Shape{4, 50}, Shape{4, 95}, Shape{8, 10},
                      Shape{8, 50}, Shape{8, 95}, Shape{16, 10}, Shape{16, 50}, Shape{16, 95}),
    [](const auto& info) {
      return "Width" + std::to_string(info.param.width) + "Nulls" +
             std::to_string(info.param.null_percent);
    });

}  // namespace
}  // namespace spillway::page
