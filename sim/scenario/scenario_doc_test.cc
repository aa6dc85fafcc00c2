// SPDX-License-Identifier: Apache-2.0
// docs/simulator/scenario.md has every field, with its type, default and range as they are.

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "sim/runfiles/runfiles.h"
#include "sim/scenario/loader.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Page() {
  const auto path = Runfile("docs/simulator/scenario.md");
  EXPECT_TRUE(path.ok()) << path.status();
  std::ifstream in(path.ok() ? *path : "", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What stands below `## name`, up to the next heading.
std::string Section(const std::string& page, const std::string& name) {
  const size_t begin = page.find("\n## " + name + "\n");
  EXPECT_NE(begin, std::string::npos) << "no section " << name;
  if (begin == std::string::npos) return "";
  const size_t end = page.find("\n## ", begin + 1);
  return page.substr(begin, end == std::string::npos ? end : end - begin);
}

// Lines of the section that begin as a row with a name in code does.
std::vector<std::string> Rows(const std::string& section) {
  std::vector<std::string> out;
  for (const absl::string_view line : absl::StrSplit(section, '\n')) {
    if (line.substr(0, 3) == "| `") out.emplace_back(line);
  }
  return out;
}

std::string LinkTo(const std::string& name) {
  return base::Cat("[", name, "](#", absl::AsciiStrToLower(name), ")");
}

std::string TypeOf(const FieldDescriptor& field) {
  std::string type;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      type = LinkTo(field.message_type()->name());
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      type = field.enum_type()->containing_type() == nullptr
                 ? LinkTo(field.enum_type()->name())
                 : base::Cat("`", field.enum_type()->name(), "`");
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      type = "text";
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      type = "true or false";
      break;
    default:
      type = field.is_repeated() ? "integers" : "integer";
  }
  if (!field.is_repeated()) return type;
  return base::Cat("list of ", type, ", at most ", field.options().GetExtension(most));
}

std::string DefaultOf(const FieldDescriptor& field) {
  if (field.options().GetExtension(needed)) return "needed";
  if (!field.has_default_value()) return "-";
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return base::Cat(field.default_value_int32());
    case FieldDescriptor::CPPTYPE_INT64:
      return base::Cat(field.default_value_int64());
    case FieldDescriptor::CPPTYPE_UINT64:
      return base::Cat(field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_BOOL:
      return field.default_value_bool() ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return field.default_value_enum()->name();
    default:
      return "a default that this test does not know";
  }
}

std::string RangeOf(const FieldDescriptor& field) {
  if (!field.options().HasExtension(range)) return "-";
  const Range& bounds = field.options().GetExtension(range);
  const bool text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  return base::Cat(bounds.min(), " to ", bounds.max(), text ? " bytes" : "");
}

void ExpectValues(const EnumDescriptor& values, std::vector<std::string>& rows) {
  for (int i = 0; i < values.value_count(); ++i) {
    rows.push_back(base::Cat("| `", values.value(i)->name(), "` | "));
  }
}

TEST(ScenarioDocTest, EveryFieldAndValueStandsInThePage) {
  const std::string page = Page();
  const auto& file = *Scenario::descriptor()->file();
  for (int i = 0; i < file.message_type_count(); ++i) {
    const Descriptor& message = *file.message_type(i);
    if (message.full_name() == Range::descriptor()->full_name()) continue;
    std::vector<std::string> expected;
    for (int j = 0; j < message.field_count(); ++j) {
      const FieldDescriptor& field = *message.field(j);
      expected.push_back(base::Cat("| `", field.name(), "` | ", TypeOf(field), " | ",
                                   DefaultOf(field), " | ", RangeOf(field), " | "));
    }
    for (int j = 0; j < message.enum_type_count(); ++j) {
      ExpectValues(*message.enum_type(j), expected);
    }
    std::vector<testing::Matcher<std::string>> rows;
    for (const std::string& row : expected) rows.push_back(StartsWith(row));
    EXPECT_THAT(Rows(Section(page, message.name())), ElementsAreArray(rows)) << message.name();
  }
  for (int i = 0; i < file.enum_type_count(); ++i) {
    std::vector<std::string> expected;
    ExpectValues(*file.enum_type(i), expected);
    const std::string section = Section(page, file.enum_type(i)->name());
    for (const std::string& row : expected) EXPECT_THAT(section, HasSubstr("\n" + row));
  }
}

TEST(ScenarioDocTest, EveryRowSaysWhatItMeans) {
  for (const std::string& row : Rows(Page())) {
    EXPECT_THAT(row, testing::Not(testing::EndsWith("|  |"))) << row;
  }
}

TEST(ScenarioDocTest, TheExampleIsAScenario) {
  const std::string page = Page();
  const size_t begin = page.find("```\n") + 4;
  const auto scenario = ParseScenario(page.substr(begin, page.find("```", begin) - begin), "page");
  EXPECT_TRUE(scenario.ok()) << scenario.status();
}

}  // namespace
}  // namespace spillway::sim
