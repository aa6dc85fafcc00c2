// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/walker.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/inspect/block_walker.h"
#include "src/inspect/recorder.h"
#include "src/inspect/stats_walker.h"
#include "src/page/checksum.h"
#include "src/vector/column_name.h"

namespace spillway::inspect {
namespace {

using base::ByteReader;
using vector::Buffer;
using vector::Type;
using vector::TypePtr;

constexpr std::string_view kInDecompressed = "in the decompressed payload";
constexpr char kNotReadable[] = "not readable";
// A column has at least its length or the length of its encoding's name.
constexpr int64_t kLeastColumn = sizeof(uint32_t);

std::string_view View(const ByteReader& in) {
  return {reinterpret_cast<const char*>(in.cursor()), static_cast<size_t>(in.remaining())};
}

std::string MarkerText(uint8_t marker) {
  std::string text;
  const auto name = [&](uint8_t bit, std::string_view what) {
    if ((marker & bit) == 0) return;
    text += base::Cat(text.empty() ? "" : ", ", what);
    marker &= static_cast<uint8_t>(~bit);
  };
  name(page::kChecksummedBit, "checksummed");
  name(page::kCompressedBit, "compressed");
  name(page::kEncryptedBit, "encrypted");
  if (marker != 0) name(marker, "unknown bits");
  return text.empty() ? "no flags" : text;
}

// For a column whose block does not tell: a type that has bounds of `length` bytes.
const TypePtr& TypeOfBound(int64_t length) {
  using vector::Kind;
  static const auto& decimal = *new TypePtr(*Type::Decimal(38, 0));
  switch (length) {
    case -1:
      return Type::Scalar(Kind::kUnknown);
    case 1:
      return Type::Scalar(Kind::kTinyint);
    case 2:
      return Type::Scalar(Kind::kSmallint);
    case 4:
      return Type::Scalar(Kind::kInteger);
    case 8:
      return Type::Scalar(Kind::kBigint);
    case 16:
      return decimal;
    default:
      return Type::Scalar(Kind::kVarchar);
  }
}

class Walker {
 public:
  Walker(TypePtr schema, const Buffer& bytes, const WalkOptions& options)
      : schema_(std::move(schema)), bytes_(bytes), options_(options),
        recorder_(options.max_parts) {}

  Walked Walk(Form form) && {
    ByteReader in(bytes_.view());
    Explanation whole = Recorder::Begin(in, std::string(FormName(form)));
    switch (form) {
      case Form::kPage:
        Page(bytes_, in, whole);
        break;
      case Form::kV2:
        V2(in, whole);
        break;
      case Form::kV3:
        V3(in, whole);
        break;
      case Form::kBlock:
        Columns(1, bytes_, in, whole);
        Rest(in, "behind the block", whole);
        break;
    }
    recorder_.End(in, whole);
    return {std::move(whole), Schema(), stats_stop_.ok() ? recorder_.stop() : stats_stop_};
  }

 private:
  TypePtr Schema() const {
    if (schema_ != nullptr) return schema_;
    std::vector<std::string> names;
    for (size_t i = 0; i < types_.size(); ++i) names.push_back(base::Cat("c", i));
    return Type::Row(std::move(names), types_);
  }

  bool Known(int64_t column) const {
    return schema_ != nullptr && column < static_cast<int64_t>(schema_->children().size());
  }

  std::string Name(int64_t column) const {
    return Known(column) ? vector::ColumnName(*schema_, column) : base::Cat("column ", column);
  }

  // What `in` has left: nothing if all is well.
  void Rest(ByteReader& in, std::string_view name, Explanation& whole) {
    recorder_.PassRest(in, std::string(recorder_.stopped() ? kNotReadable : name), whole);
  }

  // Whether `count` columns can be there; stops if not.
  bool Plausible(int64_t count, int64_t at, const ByteReader& in) {
    if (count >= 0 && count <= in.remaining() / kLeastColumn && count <= options_.max_guesses) {
      return true;
    }
    recorder_.Stop(in.ErrorAt(at, count, " columns in ", in.remaining(), " bytes"));
    return false;
  }

  // The blocks of `count` columns side by side.
  void Columns(int64_t count, const Buffer& input, ByteReader& in, Explanation& whole) {
    BlockWalker blocks(input, options_, recorder_);
    for (int64_t i = 0; i < count; ++i) {
      TypePtr type = Type::Scalar(vector::Kind::kUnknown);
      if (!recorder_.stopped()) {
        type = blocks.Walk(Name(i), Known(i) ? schema_->children()[i] : nullptr, in, whole);
      }
      types_.push_back(std::move(type));
    }
  }

  void Payload(const Buffer& input, ByteReader& in, Explanation& payload) {
    const int64_t at = in.offset();
    const auto count = recorder_.Read<int32_t>(in, "column count", payload);
    if (count.has_value() && Plausible(*count, at, in)) Columns(*count, input, in, payload);
    Rest(in, "behind the last column", payload);
    recorder_.End(in, payload);
  }

  std::optional<page::PageHeader> Header(ByteReader& in, Explanation& whole) {
    Explanation part = Recorder::Begin(in, "header");
    page::PageHeader header;
    const auto read = [&](std::string_view name, auto& value) {
      if (recorder_.stopped()) return;
      const auto field = recorder_.Read<std::decay_t<decltype(value)>>(in, name, part);
      if (field.has_value()) value = *field;
    };
    const absl::Status present = in.Need(page::kPageHeaderSize, "page header");
    if (!present.ok()) {
      recorder_.Stop(present);
      recorder_.Resume();  // what there is of it
    }
    read("row count", header.rows);
    read("marker", header.marker);
    if (!recorder_.stopped()) {
      recorder_.Note(part, "marker", base::Cat(int{header.marker}, ", ",
                                               MarkerText(header.marker)));
    }
    read("uncompressed size", header.uncompressed_size);
    read("size", header.size);
    read("checksum", header.checksum);
    if (!recorder_.stopped()) recorder_.Note(part, "checksum", ChecksumText(header, in));
    recorder_.End(in, part);
    if (part.size != 0) recorder_.Add(whole, std::move(part));
    if (recorder_.stopped()) return std::nullopt;
    return header;
  }

  static std::string ChecksumText(const page::PageHeader& header, const ByteReader& in) {
    const std::string stored = absl::StrFormat("%08x", static_cast<uint64_t>(header.checksum));
    if ((header.marker & page::kChecksummedBit) == 0) return base::Cat(stored, ", not in use");
    if (header.size < 0 || header.size > in.remaining()) return stored;
    const uint32_t actual = page::PageChecksum(View(in).substr(0, header.size), header.marker,
                                               header.rows, header.uncompressed_size);
    if (actual == static_cast<uint64_t>(header.checksum)) {
      return base::Cat(stored, ", which matches the page's bytes");
    }
    return base::Cat(stored, absl::StrFormat(", the page's bytes have %08x", actual));
  }

  // The page that takes what `in`, a reader of `input`, has left.
  void Page(const Buffer& input, ByteReader& in, Explanation& whole) {
    const auto header = Header(in, whole);
    if (header.has_value()) {
      const int64_t size = header->size < 0 ? in.remaining()
                                            : std::min<int64_t>(header->size, in.remaining());
      ByteReader stored = *in.Sub(size, "payload");
      Explanation payload = Recorder::Begin(stored, "payload");
      if ((header->marker & page::kEncryptedBit) != 0) {
        payload.text = "encrypted";
        payload.size = size;
      } else if ((header->marker & page::kCompressedBit) != 0) {
        payload.size = size;
        Compressed(*header, stored, payload);
      } else {
        Payload(input, stored, payload);
      }
      if (payload.size != 0) recorder_.Add(whole, std::move(payload));
      recorder_.Resume();
    }
    Rest(in, "behind the page", whole);
  }

  void Compressed(const page::PageHeader& header, ByteReader stored, Explanation& payload) {
    const page::Codec codec = options_.read.codec;
    if (codec == page::Codec::kNone) {
      payload.text = "compressed; --codec says with what";
      return;
    }
    payload.text = base::Cat("compressed with ", page::CodecName(codec));
    const auto bytes = page::Decompress(codec, stored, header.uncompressed_size,
                                        options_.read.max_uncompressed_bytes);
    if (!bytes.ok()) {
      recorder_.Stop(bytes.status());
      return;
    }
    auto decompressed = std::make_shared<Decompressed>();
    decompressed->bytes = *bytes;
    ByteReader in(decompressed->bytes.view());
    decompressed->whole = Recorder::Begin(in, "decompressed payload");
    Recorder outside = recorder_;
    Payload(decompressed->bytes, in, decompressed->whole);
    if (outside.stop().ok() && !recorder_.stop().ok()) {
      outside.Stop(base::In(kInDecompressed, recorder_.stop()));
      recorder_ = outside;
    }
    payload.decompressed = std::move(decompressed);
  }

  // Explains the blob, which stands before the columns that say its types, and files it at `index`.
  void Statistics(ByteReader stats, size_t index, Explanation& whole) {
    Recorder own(recorder_.full() ? 0 : options_.max_parts);
    Explanation part = Recorder::Begin(stats, "statistics");
    const std::vector<int64_t> bounds =
        WalkStatistics(*Schema(), schema_ != nullptr, stats, own, part);
    // The blob tells how many columns there are, if nothing behind it does.
    if (types_.empty() && !recorder_.stop().ok()) {
      types_.resize(bounds.size(), Type::Scalar(vector::Kind::kUnknown));
    }
    for (size_t i = 0; i < std::min(bounds.size(), types_.size()); ++i) {
      if (types_[i]->kind() == vector::Kind::kUnknown) types_[i] = TypeOfBound(bounds[i]);
    }
    if (!stats_cut_) stats_stop_ = base::In("statistics", own.stop());
    own.PassRest(stats, own.stopped() ? kNotReadable : "behind the statistics", part);
    own.End(stats, part);
    if (part.size == 0) return;
    whole.children.insert(whole.children.begin() + static_cast<int64_t>(index), std::move(part));
  }

  // The frame's magic and statsLen, and a reader of the blob.
  std::optional<ByteReader> Head(ByteReader& in, std::string_view magic_text, Explanation& whole) {
    if (!recorder_.Pass(in, sizeof(uint32_t), "magic", std::string(magic_text), whole)) {
      return std::nullopt;
    }
    const auto stats_size = recorder_.Read<uint32_t>(in, "statsLen", whole);
    if (!stats_size.has_value()) return std::nullopt;
    if (*stats_size == 0) recorder_.Note(whole, "statsLen", "0, no statistics");
    const absl::Status present = in.Need(*stats_size, "statistics");
    stats_cut_ = !present.ok();
    if (stats_cut_) recorder_.Stop(present);
    return in.Sub(std::min<int64_t>(*stats_size, in.remaining()), "statistics").value();
  }

  void V2(ByteReader& in, Explanation& whole) {
    const auto stats = Head(in, "V2", whole);
    const size_t stats_index = whole.children.size();
    if (stats.has_value() && !recorder_.stopped()) {
      if (recorder_.Read<uint32_t>(in, "bytesLen", whole).has_value()) {
        Explanation page = Recorder::Begin(in, "page");
        Page(bytes_, in, page);
        recorder_.End(in, page);
        if (page.size != 0) recorder_.Add(whole, std::move(page));
      }
    }
    Rest(in, "behind the frame", whole);
    if (stats.has_value()) Statistics(*stats, stats_index, whole);
  }

  void V3(ByteReader& in, Explanation& whole) {
    const auto stats = Head(in, "V3", whole);
    const size_t stats_index = whole.children.size();
    if (stats.has_value() && !recorder_.stopped()) V3Columns(in, whole);
    Rest(in, "behind the last column", whole);
    if (stats.has_value() && stats->remaining() != 0) Statistics(*stats, stats_index, whole);
  }

  void V3Columns(ByteReader& in, Explanation& whole) {
    if (!recorder_.Read<uint32_t>(in, "numRows", whole).has_value()) return;
    const int64_t at = in.offset();
    const auto count = recorder_.Read<uint32_t>(in, "numCols", whole);
    if (!count.has_value() || !Plausible(*count, at, in)) return;
    BlockWalker blocks(bytes_, options_, recorder_);
    bool cut = false;
    for (int64_t i = 0; i < *count; ++i) {
      TypePtr type = Type::Scalar(vector::Kind::kUnknown);
      if (!cut) cut = !V3Column(i, blocks, in, type, whole);
      types_.push_back(std::move(type));
    }
  }

  // False: the frame ends before the column does.
  bool V3Column(int64_t index, BlockWalker& blocks, ByteReader& in, TypePtr& type,
                Explanation& whole) {
    Explanation column = Recorder::Begin(in, Name(index));
    const auto size = recorder_.Read<uint32_t>(in, "colLen", column);
    if (!size.has_value()) return false;
    const absl::Status present = in.Need(*size, "column block");
    if (!present.ok()) recorder_.Stop(present);
    ByteReader block = in.Sub(std::min<int64_t>(*size, in.remaining()), "column block").value();
    if (!present.ok()) recorder_.Resume();
    if (!block.at_end()) {
      type = blocks.Walk("column block", Known(index) ? schema_->children()[index] : nullptr,
                         block, column);
    } else if (Known(index)) {
      type = schema_->children()[index];
    }
    Rest(block, "behind the column block", column);
    recorder_.End(block, column);
    recorder_.Add(whole, std::move(column));
    recorder_.Resume();
    return present.ok();
  }

  const TypePtr schema_;
  const Buffer& bytes_;
  const WalkOptions& options_;
  Recorder recorder_;
  std::vector<TypePtr> types_;  // of the columns seen
  bool stats_cut_ = false;      // the input ends before the blob does
  absl::Status stats_stop_;     // comes before all that stands behind the blob
};

}  // namespace

Walked Walk(Form form, const TypePtr& schema, const Buffer& bytes, const WalkOptions& options) {
  return Walker(schema, bytes, options).Walk(form);
}

bool IsInDecompressed(const absl::Status& status) {
  return base::ToStd(status.message()).find(kInDecompressed) != std::string_view::npos;
}

}  // namespace spillway::inspect
