// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/block_walker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "src/base/status.h"
#include "src/frame/sniff.h"
#include "src/inspect/preview.h"
#include "src/page/block_reader.h"
#include "src/page/encoding_name.h"
#include "src/page/null_bits.h"
#include "src/vector/compare.h"

namespace spillway::inspect {
namespace {

using base::ByteReader;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int64_t kInt32 = sizeof(int32_t);
constexpr int64_t kInstanceIdBytes = 24;
constexpr size_t kNameShown = 40;
// Combinations of widths that are tried for one column.
constexpr int kMaxAttempts = 64;
// What decoding for a preview may allocate.
constexpr int64_t kMaxPreviewBytes = int64_t{256} << 20;

const TypePtr& Unknown() { return Type::Scalar(Kind::kUnknown); }

TypePtr Child(const TypePtr& type, size_t index) {
  return type == nullptr ? nullptr : type->children()[index];
}

std::string RowCount(int64_t rows) { return base::Cat(rows, rows == 1 ? " row" : " rows"); }

// What else a block of this encoding may hold.
std::string_view Alternatives(Kind guessed) {
  switch (guessed) {
    case Kind::kTinyint:
      return "BOOLEAN, UNKNOWN";
    case Kind::kInteger:
      return "REAL, DATE, INTERVAL YEAR TO MONTH";
    case Kind::kBigint:
      return "DOUBLE, DECIMAL to precision 18, INTERVAL DAY TO SECOND";
    case Kind::kHugeint:
    case Kind::kLongDecimal:
      return "HUGEINT, DECIMAL from precision 19";
    case Kind::kVarchar:
      return "VARBINARY";
    default:
      return "";
  }
}

std::string_view Rest(const ByteReader& in) {
  return {reinterpret_cast<const char*>(in.cursor()), static_cast<size_t>(in.remaining())};
}

}  // namespace

bool BlockWalker::Widths::NextIsWide() {
  if (next_ == wide_.size()) wide_.push_back(false);
  return wide_[next_++];
}

bool BlockWalker::Widths::Advance() {
  next_ = 0;
  while (!wide_.empty() && wide_.back()) wide_.pop_back();
  if (wide_.empty()) return false;
  wide_.back() = true;
  return true;
}

TypePtr BlockWalker::Walk(std::string name, const TypePtr& type, ByteReader& in,
                          Explanation& whole) {
  if (type == nullptr) return Guess(name, in, whole);
  widths_ = {};
  return Block(std::move(name), type, in, whole, 0);
}

TypePtr BlockWalker::Guess(std::string_view name, ByteReader& in, Explanation& whole) {
  struct Attempt {
    Explanation holder;
    ByteReader in;
    Recorder recorder;
    int64_t guesses;
    TypePtr type;
  };
  const Recorder before = recorder_;
  const int64_t guesses_before = guesses_;
  widths_ = {};
  std::optional<Attempt> chosen;
  for (int i = 0; i < kMaxAttempts; ++i) {
    Attempt attempt{{}, in, before, 0, nullptr};
    recorder_ = before;
    guesses_ = guesses_before;
    attempt.type = Block(std::string(name), nullptr, attempt.in, attempt.holder, 0);
    attempt.recorder = recorder_;
    attempt.guesses = guesses_;
    const bool fits = !recorder_.stopped() &&
                      (attempt.in.at_end() || frame::IsColumnBlock(Rest(attempt.in)));
    // Where nothing fits, the first attempt says what is wrong.
    if (fits || i == 0) chosen = std::move(attempt);
    if (fits || !widths_.Advance()) break;
  }
  in = chosen->in;
  recorder_ = chosen->recorder;
  guesses_ = chosen->guesses;
  for (Explanation& part : chosen->holder.children) whole.children.push_back(std::move(part));
  return chosen->type;
}

TypePtr BlockWalker::Block(std::string name, const TypePtr& expected, ByteReader& in,
                           Explanation& whole, int depth) {
  const ByteReader start = in;
  Explanation block = Recorder::Begin(in, std::move(name));
  TypePtr type = Body(expected, in, block, depth);
  recorder_.End(in, block);
  if (depth == 0 && !recorder_.stopped()) block.text += RowsText(start, type);
  if (block.size != 0) recorder_.Add(whole, std::move(block));
  return type;
}

std::string BlockWalker::RowsText(const ByteReader& start, const TypePtr& type) const {
  const ColumnPtr column = Decode(start, type);
  // Flat blocks show their values where these stand.
  if (column == nullptr || column->rows() == 0 || column->encoding() == vector::Encoding::kFlat) {
    return "";
  }
  if (column->encoding() == vector::Encoding::kConstant) {
    return base::Cat(": every row ", vector::ValueToString(*column, 0));
  }
  return base::Cat(": ", PreviewRows(*column, options_.preview));
}

TypePtr BlockWalker::Body(const TypePtr& expected, ByteReader& in, Explanation& block, int depth) {
  const TypePtr& fallback = expected == nullptr ? Unknown() : expected;
  const ByteReader start = in;
  if (depth > options_.read.limits.max_depth) {
    recorder_.Stop(in.At(in.offset(), base::Exhausted("nested deeper than ",
                                                      options_.read.limits.max_depth)));
    return fallback;
  }
  if (expected == nullptr && --guesses_ < 0) {
    recorder_.Stop(in.At(in.offset(), base::Exhausted("more than ", options_.max_guesses,
                                                      " types to guess; a schema is needed")));
    return fallback;
  }
  const auto length = recorder_.Read<int32_t>(in, "encoding name length", block);
  if (!length.has_value()) return fallback;
  const std::string_view encoding = Rest(in).substr(0, std::max(*length, 0));
  const std::string shown = absl::CEscape(base::ToAbsl(encoding.substr(0, kNameShown)));
  if (!recorder_.Pass(in, *length, "encoding name", shown, block)) return fallback;

  const bool expects = expected != nullptr && page::EncodingName(expected->kind()) == encoding;
  const bool wrapper = encoding == page::kRle || encoding == page::kDictionary;
  block.text = shown;
  if (expected != nullptr && !expects && !wrapper) {
    block.text += base::Cat(" where ", expected->ToString(), " has ",
                            page::EncodingName(expected->kind()));
  }
  // A block of another encoding than expected is walked over as what it says it is.
  const TypePtr known = expects || wrapper ? expected : nullptr;
  TypePtr type;
  if (encoding == page::kRle) {
    type = Rle(known, in, block, depth);
  } else if (encoding == page::kDictionary) {
    type = Dictionary(known, in, block, depth);
  } else if (encoding == page::kArray || encoding == page::kMap) {
    type = List(encoding == page::kMap, known, in, block, depth);
  } else if (encoding == page::kRow) {
    type = Row(known, in, block, depth);
  } else if (encoding == page::kVariableWidth) {
    type = Strings(start, known, in, block);
  } else if (std::find(page::kEncodingNames.begin(), page::kEncodingNames.end(), encoding) !=
             page::kEncodingNames.end()) {
    type = Flat(encoding, start, known, in, block);
  } else {
    recorder_.Stop(start.ErrorAt(start.offset() + kInt32, "encoding `", shown, "` is not known"));
    return fallback;
  }
  if (expected != nullptr) return expected;
  if (!wrapper && !type->is_nested() && !recorder_.stopped()) {
    block.text += base::Cat(", shown as ", type->ToString());
    const std::string_view others = Alternatives(type->kind());
    if (!others.empty()) block.text += base::Cat(" (or ", others, ")");
  }
  return type;
}

int64_t BlockWalker::Rows(ByteReader& in, Explanation& block) {
  const int64_t at = in.offset();
  const auto rows = recorder_.Read<int32_t>(in, "row count", block);
  if (!rows.has_value()) return -1;
  if (*rows < 0) {
    recorder_.Stop(in.ErrorAt(at, "negative row count ", *rows));
    return -1;
  }
  block.text += base::Cat(", ", RowCount(*rows));
  return *rows;
}

int64_t BlockWalker::Nulls(int64_t rows, ByteReader& in, Explanation& block) {
  const auto has_nulls = recorder_.Read<uint8_t>(in, "hasNulls", block);
  if (!has_nulls.has_value()) return -1;
  if (*has_nulls == 0 || rows == 0) return 0;
  const int64_t bytes = page::NullBytes(rows);
  const absl::Status present = in.Need(bytes, "null bitmap");
  if (!present.ok()) {
    recorder_.Stop(present);
    return -1;
  }
  const vector::Validity validity = page::ReadNullBits(in.cursor(), rows);
  recorder_.Pass(in, bytes, "null bitmap", PreviewNulls(validity, rows, options_.preview), block);
  return validity.null_count();
}

ColumnPtr BlockWalker::Decode(ByteReader start, const TypePtr& type) const {
  if (recorder_.full()) return nullptr;
  page::ReadLimits limits = options_.read.limits;
  limits.max_decoded_bytes = std::min(limits.max_decoded_bytes, kMaxPreviewBytes);
  absl::StatusOr<ColumnPtr> column = page::BlockReader(input_, start, limits).Read(type);
  return column.ok() ? *std::move(column) : nullptr;
}

TypePtr BlockWalker::GuessFlat(std::string_view encoding, const ByteReader& start,
                               int64_t stored) {
  if (encoding == page::kByteArray) return Type::Scalar(Kind::kTinyint);
  if (encoding == page::kShortArray) return Type::Scalar(Kind::kSmallint);
  if (encoding == page::kIntArray) return Type::Scalar(Kind::kInteger);
  if (encoding == page::kLongArray) {
    const bool wide = stored != 0 && widths_.NextIsWide();
    return Type::Scalar(wide ? Kind::kTimestamp : Kind::kBigint);
  }
  // Two's complement of a negative number is larger than any decimal's sign and magnitude.
  TypePtr decimal = *Type::Decimal(38, 0);
  ByteReader in = start;
  const bool fits = page::BlockReader(input_, in, options_.read.limits).Read(decimal).ok();
  return fits ? decimal : Type::Scalar(Kind::kHugeint);
}

TypePtr BlockWalker::Flat(std::string_view encoding, const ByteReader& start,
                          const TypePtr& expected, ByteReader& in, Explanation& block) {
  const TypePtr& fallback = expected == nullptr ? Unknown() : expected;
  const int64_t rows = Rows(in, block);
  if (rows < 0) return fallback;
  const int64_t nulls = Nulls(rows, in, block);
  if (nulls < 0) return fallback;
  const int64_t stored = rows - nulls;
  TypePtr type = expected == nullptr ? GuessFlat(encoding, start, stored) : expected;
  const int64_t width = type->kind() == Kind::kUnknown ? 1 : type->width();
  std::string preview;
  if (stored != 0) {
    const ColumnPtr column = Decode(start, type);
    if (column != nullptr) preview = PreviewStored(*column, options_.preview);
  }
  recorder_.Pass(in, stored * width, "values", std::move(preview), block);
  return type;
}

TypePtr BlockWalker::Strings(const ByteReader& start, const TypePtr& expected, ByteReader& in,
                             Explanation& block) {
  TypePtr type = expected == nullptr ? Type::Scalar(Kind::kVarchar) : expected;
  const int64_t rows = Rows(in, block);
  if (rows < 0) return type;
  std::string ends;
  if (in.Need(rows * kInt32, "").ok()) ends = PreviewInts(in.cursor(), rows, options_.preview);
  if (!recorder_.Pass(in, rows * kInt32, "end offsets", std::move(ends), block)) return type;
  if (Nulls(rows, in, block) < 0) return type;
  const auto bytes = recorder_.Read<int32_t>(in, "byte count", block);
  if (!bytes.has_value()) return type;
  std::string preview;
  const ColumnPtr column = Decode(start, type);
  if (column != nullptr) preview = PreviewStored(*column, options_.preview);
  recorder_.Pass(in, *bytes, "bytes", std::move(preview), block);
  return type;
}

TypePtr BlockWalker::Rle(const TypePtr& expected, ByteReader& in, Explanation& block, int depth) {
  if (Rows(in, block) < 0) return expected == nullptr ? Unknown() : expected;
  return Block("value", expected, in, block, depth + 1);
}

TypePtr BlockWalker::Dictionary(const TypePtr& expected, ByteReader& in, Explanation& block,
                                int depth) {
  const int64_t rows = Rows(in, block);
  if (rows < 0) return expected == nullptr ? Unknown() : expected;
  TypePtr type = Block("alphabet", expected, in, block, depth + 1);
  if (recorder_.stopped()) return type;
  std::string ids;
  if (in.Need(rows * kInt32, "").ok()) ids = PreviewInts(in.cursor(), rows, options_.preview);
  if (recorder_.Pass(in, rows * kInt32, "dictionary ids", std::move(ids), block)) {
    recorder_.Pass(in, kInstanceIdBytes, "dictionary instance id", "ignored", block);
  }
  return type;
}

bool BlockWalker::HashTable(ByteReader& in, Explanation& block) {
  const int64_t at = in.offset();
  const auto entries = recorder_.Read<int32_t>(in, "hash table size", block);
  if (!entries.has_value()) return false;
  if (*entries < -1) {
    recorder_.Stop(in.ErrorAt(at, "hash table size ", *entries));
    return false;
  }
  if (*entries == -1) {
    recorder_.Note(block, "hash table size", "-1, no hash table");
    return true;
  }
  return recorder_.Pass(in, *entries * kInt32, "hash table", "ignored", block);
}

bool BlockWalker::Offsets(int64_t rows, std::string_view note, ByteReader& in,
                          Explanation& block) {
  const int64_t bytes = (rows + 1) * kInt32;
  std::string text;
  if (in.Need(bytes, "").ok()) {
    text = base::Cat(PreviewInts(in.cursor(), rows + 1, options_.preview), note);
  }
  return recorder_.Pass(in, bytes, "offsets", std::move(text), block);
}

TypePtr BlockWalker::List(bool map, const TypePtr& expected, ByteReader& in, Explanation& block,
                          int depth) {
  TypePtr first = Block(map ? "keys" : "elements", Child(expected, 0), in, block, depth + 1);
  TypePtr second = Unknown();
  if (map && !recorder_.stopped()) {
    second = Block("values", Child(expected, 1), in, block, depth + 1);
  }
  TypePtr type = expected;
  if (type == nullptr) type = map ? Type::Map(first, second) : Type::Array(first);
  if (recorder_.stopped()) return type;
  if (map && !HashTable(in, block)) return type;
  const int64_t rows = Rows(in, block);
  if (rows >= 0 && Offsets(rows, "", in, block)) Nulls(rows, in, block);
  return type;
}

TypePtr BlockWalker::Row(const TypePtr& expected, ByteReader& in, Explanation& block, int depth) {
  const int64_t at = in.offset();
  const auto count = recorder_.Read<int32_t>(in, "field count", block);
  if (!count.has_value()) return expected == nullptr ? Unknown() : expected;
  // Each field has at least the length of its name.
  if (*count < 0 || *count > in.remaining() / kInt32 || *count > options_.max_guesses) {
    recorder_.Stop(in.ErrorAt(at, *count, " fields in ", in.remaining(), " bytes"));
    return expected == nullptr ? Unknown() : expected;
  }
  std::vector<std::string> names;
  std::vector<TypePtr> fields;
  for (int32_t i = 0; i < *count; ++i) {
    const auto index = static_cast<size_t>(i);
    const bool known = expected != nullptr && index < expected->children().size();
    TypePtr field = Unknown();
    if (!recorder_.stopped()) {
      std::string name = base::Cat("field ", i);
      if (known) {
        name += base::Cat(" `", expected->names()[index], "` ",
                          expected->children()[index]->ToString());
      }
      field = Block(std::move(name), known ? expected->children()[index] : nullptr, in, block,
                    depth + 1);
    }
    names.push_back(base::Cat("f", i));
    fields.push_back(std::move(field));
  }
  TypePtr type = expected == nullptr ? Type::Row(std::move(names), std::move(fields)) : expected;
  if (recorder_.stopped()) return type;
  const int64_t rows = Rows(in, block);
  if (rows >= 0 && Offsets(rows, "; ignored", in, block)) Nulls(rows, in, block);
  return type;
}

}  // namespace spillway::inspect
