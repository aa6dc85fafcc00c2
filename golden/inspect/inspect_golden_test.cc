// SPDX-License-Identifier: Apache-2.0
// What `spillway inspect` prints, kept word for word. After a wanted change of the text, copy what
// the failing test wrote to bazel-testlogs/golden/inspect/inspect_golden_test/test.outputs.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "golden/hex_file.h"
#include "golden/inspect/golden_cases.h"
#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/inspect/inspect.h"
#include "src/inspect/to_text.h"
#include "src/vector/buffer.h"

namespace spillway {
namespace {

const std::vector<golden::InspectCase>& Cases() {
  static const auto& cases = *new auto(golden::LoadInspectCases());
  EXPECT_TRUE(cases.ok()) << cases.status();
  static const auto& none = *new std::vector<golden::InspectCase>();
  return cases.ok() ? *cases : none;
}

std::string Text(const golden::InspectCase& one) {
  std::string text;
  for (const golden::InspectInput& input : one.inputs) {
    if (!text.empty()) text += '\n';
    const vector::Buffer bytes = vector::Buffer::Copy(input.bytes);
    text += inspect::ToText(inspect::Inspect(bytes, input.options), input.name, bytes);
  }
  return text;
}

TEST(InspectGoldenTest, EveryTextIsAsKept) {
  ASSERT_EQ(Cases().size(), 18u);
  for (const golden::InspectCase& one : Cases()) {
    const auto kept = golden::ReadFile(base::Cat("golden/inspect/", one.name, ".txt"));
    const std::string text = Text(one);
    if (kept.ok() && *kept == text) continue;
    const char* outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
    if (outputs != nullptr) std::ofstream(base::Cat(outputs, "/", one.name, ".txt")) << text;
    EXPECT_EQ(kept.value_or(std::string(kept.status().message())), text) << one.name;
  }
}

}  // namespace
}  // namespace spillway
