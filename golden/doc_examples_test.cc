// SPDX-License-Identifier: Apache-2.0
// Every example in docs/format is what the library writes and reads, and every message quoted there
// is what it says.
#include "golden/doc_examples.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "golden/hex_file.h"
#include "gtest/gtest.h"
#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/frame/cache_file.h"
#include "src/frame/envelope.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/page/checksum.h"
#include "src/page/page.h"
#include "src/stats/blob.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway {
namespace {

using golden::DocChange;
using golden::DocExample;
using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Timestamp;
using vector::TypePtr;

TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

// What stands behind an example: how its bytes are written and read.
struct Subject {
  std::function<std::string()> write;  // absent: we read it and do not write it
  // Fails too if the bytes read and say something else than the example, unless `changed`.
  std::function<absl::Status(const std::string& bytes, bool changed)> read;
};

absl::Status CompareColumns(const absl::StatusOr<ColumnPtr>& read, const ColumnPtr& expected,
                            bool changed) {
  if (!read.ok()) return read.status();
  if (changed) return absl::OkStatus();
  if ((*read)->encoding() != expected->encoding()) return absl::InternalError("other encoding");
  const auto difference = vector::FirstDifference(**read, *expected);
  return difference.has_value() ? absl::InternalError(*difference) : absl::OkStatus();
}

absl::Status CompareBatches(const absl::StatusOr<Batch>& read, const Batch& expected,
                            bool changed) {
  if (!read.ok() || changed) return read.status();
  const auto difference = vector::FirstDifference(*read, expected);
  return difference.has_value() ? absl::InternalError(*difference) : absl::OkStatus();
}

Subject ReadOnlyBlock(const ColumnPtr& column) {
  const auto read = [column](const std::string& bytes, bool changed) {
    const Buffer input = Buffer::Copy(bytes);
    base::ByteReader in(input.view());
    absl::StatusOr<ColumnPtr> out = page::BlockReader(input, in).Read(column->type_ptr());
    if (out.ok() && !in.at_end()) out = in.ExpectEnd("column block");
    return CompareColumns(out, column, changed);
  };
  return {nullptr, read};
}

Subject Block(const ColumnPtr& column) {
  Subject subject = ReadOnlyBlock(column);
  subject.write = [column] {
    const auto plan = page::BlockPlan::Make(column, EncodingChoice::kPreserve);
    vector::MutableBuffer out(plan->size());
    plan->Write(out.data());
    return std::string(std::move(out).Freeze().view());
  };
  return subject;
}

Subject Page(const Batch& batch) {
  return {[batch] { return std::string(page::WritePage(batch)->view()); },
          [batch](const std::string& bytes, bool changed) {
            return CompareBatches(page::ReadPage(batch.schema(), Buffer::Copy(bytes)), batch,
                                  changed);
          }};
}

// As Velox wrote it: other versions of LZ4 may write other bytes.
Subject Lz4Page(const Batch& batch) {
  return {nullptr, [batch](const std::string& bytes, bool changed) {
            return CompareBatches(page::ReadPage(batch.schema(), Buffer::Copy(bytes),
                                                 {.codec = page::Codec::kLz4}),
                                  batch, changed);
          }};
}

Subject V2(const Batch& batch) {
  return {[batch] { return std::string(frame::WriteV2(batch)->view()); },
          [batch](const std::string& bytes, bool changed) {
            const auto read = frame::ReadV2(batch.schema(), Buffer::Copy(bytes));
            if (!read.ok()) return read.status();
            return CompareBatches(read->batch, batch, changed);
          }};
}

Subject V3(const Batch& batch) {
  return {[batch] { return std::string(frame::WriteV3(batch)->view()); },
          [batch](const std::string& bytes, bool changed) {
            const auto frame = frame::V3Frame::Open(batch.schema(), Buffer::Copy(bytes));
            if (!frame.ok()) return frame.status();
            return CompareBatches(frame->Read(), batch, changed);
          }};
}

Subject Statistics(const Batch& batch) {
  return {[batch] {
            const stats::BatchStats stats = stats::ComputeStats(batch);
            std::string blob(stats::BlobSize(stats), '\0');
            stats::WriteBlob(stats, reinterpret_cast<uint8_t*>(blob.data()));
            return blob;
          },
          [batch](const std::string& bytes, bool changed) {
            const auto read = stats::ReadBlob(*batch.schema(), base::ByteReader(bytes));
            if (!read.ok() || changed) return read.status();
            return *read == stats::ComputeStats(batch) ? absl::OkStatus()
                                                       : absl::InternalError("other statistics");
          }};
}

// The payload is no page: nothing here looks into it.
frame::Envelope ThreeBytes() {
  return {.rows = 3, .size_in_bytes = 99, .payload = Buffer::Copy("\1\2\3"), .schema = "{}"};
}

absl::Status CompareEnvelopes(const absl::StatusOr<std::optional<frame::Envelope>>& read,
                              bool changed) {
  if (!read.ok() || changed) return read.status();
  const bool same = read->has_value() && frame::WriteEnvelope(**read)->view() ==
                                             frame::WriteEnvelope(ThreeBytes())->view();
  return same ? absl::OkStatus() : absl::InternalError("another envelope");
}

Subject Envelope() {
  return {[] { return std::string(frame::WriteEnvelope(ThreeBytes())->view()); },
          [](const std::string& bytes, bool changed) {
            frame::MemorySource source(bytes);
            frame::StreamReader in(source);
            return CompareEnvelopes(frame::ReadEnvelope(in), changed);
          }};
}

// Of one record.
Subject CacheFile() {
  return {[] {
            const std::string path = ::testing::TempDir() + "/example.cache";
            auto writer = frame::CacheFileWriter::Create(path, T("ROW<a:INTEGER>"));
            const bool written = writer.ok() && (*writer)->Append(7, ThreeBytes()).ok() &&
                                 (*writer)->Finish().ok();
            EXPECT_TRUE(written) << writer.status();
            return golden::ReadFile(path).value_or("");
          },
          [](const std::string& bytes, bool changed) {
            frame::MemorySource source(bytes);
            auto reader = frame::CacheFileReader::Open(source);
            if (!reader.ok()) return reader.status();
            auto record = reader->Next();
            if (!record.ok()) return record.status();
            std::optional<frame::Envelope> envelope;
            if (record->has_value()) envelope = std::move((*record)->envelope);
            const absl::Status first = CompareEnvelopes(std::move(envelope), changed);
            return first.ok() ? reader->Next().status() : first;
          }};
}

ColumnPtr Integers() { return vector::Flat<int32_t>(T("INTEGER"), {1, std::nullopt, 3}); }
Batch OneColumn() { return Batch(T("ROW<a:INTEGER>"), 3, {Integers()}); }

Batch ThreeColumns() {
  return Batch(
      T("ROW<a:INTEGER,t:TIMESTAMP,v:VARBINARY>"), 3,
      {vector::Flat<int32_t>(T("INTEGER"), {7, std::nullopt, -2}),
       vector::Flat<Timestamp>(T("TIMESTAMP"),
                               {Timestamp{-1, 999'999'999}, Timestamp{0, 1'500}, std::nullopt}),
       vector::Strings(T("VARBINARY"), {"x", std::nullopt, std::nullopt})});
}

// {null, (2), null, (4)}
ColumnPtr Rows() {
  return std::make_shared<vector::RowColumn>(
      T("ROW<x:SMALLINT>"), 4, vector::BuildValidity(4, [](int64_t row) { return row % 2 == 0; }),
      std::vector<ColumnPtr>{vector::Flat<int16_t>(T("SMALLINT"), {0, 2, 0, 4})});
}

// {{1: true, 2: null}, {}}
ColumnPtr Map() {
  const ColumnPtr offsets = vector::Flat<int32_t>(T("INTEGER"), {0, 2, 2});
  return std::make_shared<vector::ListColumn>(
      T("MAP<TINYINT,BOOLEAN>"), 2, vector::Validity(),
      offsets->As<vector::FlatColumn>().values(),
      std::vector<ColumnPtr>{vector::Flat<int8_t>(T("TINYINT"), {1, 2}),
                             vector::Flat<uint8_t>(T("BOOLEAN"), {uint8_t{1}, std::nullopt})});
}

// {"no", "yes", "no", "no"}
ColumnPtr Dictionary() {
  const ColumnPtr ids = vector::Flat<int32_t>(T("INTEGER"), {0, 1, 0, 0});
  return std::make_shared<vector::DictionaryColumn>(4, vector::Validity(),
                                                    ids->As<vector::FlatColumn>().values(),
                                                    vector::Strings(T("VARCHAR"), {"no", "yes"}));
}

const std::map<std::string, Subject>& Subjects() {
  const ColumnPtr seven = vector::Flat<int64_t>(T("BIGINT"), std::vector<int64_t>{7});
  static const auto& subjects = *new std::map<std::string, Subject>{
      {"page", Page(OneColumn())},
      {"compressed", Lz4Page(vector::BatchOf({vector::Flat<int64_t>(
                         T("BIGINT"), std::vector<int64_t>(600, 7))}))},
      {"strings", Block(vector::Strings(T("VARCHAR"), {"ab", std::nullopt, "", "c"}))},
      {"decimals", Block(vector::Flat<__int128>(T("DECIMAL(20, 0)"), {5, -5}))},
      {"rows", Block(Rows())},
      {"map", Block(Map())},
      {"dictionary", Block(Dictionary())},
      {"run", Block(std::make_shared<vector::ConstantColumn>(seven, 3))},
      {"unknown", ReadOnlyBlock(vector::Flat<int64_t>(T("BIGINT"), {std::nullopt, std::nullopt}))},
      {"v2", V2(OneColumn())},
      {"v3", V3(OneColumn())},
      {"envelope", Envelope()},
      {"cache_file", CacheFile()},
      {"statistics", Statistics(ThreeColumns())},
  };
  return subjects;
}

// Behind a changed payload or uncompressed size of a page, so that the change is reached.
void RepairChecksum(std::string* page) {
  const std::string_view payload = std::string_view(*page).substr(page::kPageHeaderSize);
  base::Store<int64_t>(page->data() + 13,
                       page::PageChecksum(payload, static_cast<uint8_t>((*page)[4]),
                                          base::Load<int32_t>(page->data()),
                                          base::Load<int32_t>(page->data() + 5)));
}

class DocExamplesTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const auto examples = golden::ReadDocExamples(GetParam());
    ASSERT_TRUE(examples.ok()) << examples.status();
    ASSERT_FALSE(examples->empty());
    examples_ = *examples;
    for (const DocExample& example : examples_) {
      ASSERT_EQ(Subjects().count(example.name), 1u) << "unknown example " << example.name;
    }
  }

  std::vector<DocExample> examples_;
};

TEST_P(DocExamplesTest, ExamplesAreWhatTheLibraryWrites) {
  for (const DocExample& example : examples_) {
    const Subject& subject = Subjects().at(example.name);
    if (subject.write == nullptr) continue;
    EXPECT_EQ(absl::BytesToHexString(example.bytes), absl::BytesToHexString(subject.write()))
        << example.name;
  }
}

TEST_P(DocExamplesTest, ExamplesReadAsTheyWereWritten) {
  for (const DocExample& example : examples_) {
    const absl::Status status = Subjects().at(example.name).read(example.bytes, false);
    EXPECT_TRUE(status.ok()) << example.name << ": " << status;
  }
}

TEST_P(DocExamplesTest, ChangesLeadToTheMessageThatIsQuoted) {
  for (const DocExample& example : examples_) {
    EXPECT_FALSE(example.changes.empty()) << example.name;
    for (const DocChange& change : example.changes) {
      auto bytes = golden::ApplyEdit(example.bytes, change.edit);
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      ASSERT_NE(*bytes, example.bytes) << change.edit << " changes nothing";
      const size_t kept = example.name == "page"         ? page::kPageHeaderSize
                          : example.name == "compressed" ? 5
                                                         : std::string::npos;
      if (kept < bytes->size() && bytes->compare(0, kept, example.bytes, 0, kept) == 0) {
        RepairChecksum(&*bytes);
      }
      const absl::Status status = Subjects().at(example.name).read(*bytes, true);
      EXPECT_EQ(std::string(status.message()), change.message)
          << example.name << ", " << change.edit;
    }
  }
}

constexpr std::string_view kPages[] = {
    "docs/format/block.md",     "docs/format/cache_file.md", "docs/format/compression.md",
    "docs/format/encodings.md", "docs/format/envelope.md",   "docs/format/frames.md",
    "docs/format/nested.md",    "docs/format/page.md",       "docs/format/statistics.md",
};

INSTANTIATE_TEST_SUITE_P(Pages, DocExamplesTest, ::testing::ValuesIn(kPages),
                         [](const auto& info) {
                           const std::string_view path = info.param;
                           const size_t name = path.rfind('/') + 1;
                           return std::string(path.substr(name, path.size() - name - 3));
                         });

TEST(DocExamplesCoverageTest, EveryExampleStandsOnOnePage) {
  std::multiset<std::string> names;
  for (const std::string_view path : kPages) {
    const auto examples = golden::ReadDocExamples(path);
    ASSERT_TRUE(examples.ok()) << examples.status();
    for (const DocExample& example : *examples) names.insert(example.name);
  }
  for (const auto& [name, subject] : Subjects()) EXPECT_EQ(names.count(name), 1u) << name;
}

}  // namespace
}  // namespace spillway
