// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v3.h"

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_format.h"
#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/frame/magic.h"
#include "src/vector/column_name.h"
#include "src/vector/empty.h"
#include "src/vector/lazy_column.h"

namespace spillway::frame {

using base::ByteReader;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::TypePtr;

namespace {

constexpr int64_t kUint32 = sizeof(uint32_t);
constexpr int64_t kMaxRows = INT32_MAX;

}  // namespace

// What all copies of a frame share, and the source of its lazy columns.
class V3Frame::Content final : public vector::ColumnSource {
 public:
  Content(TypePtr schema, Buffer bytes, const page::ReadLimits& limits)
      : schema_(std::move(schema)), bytes_(std::move(bytes)), limits_(limits) {}

  absl::Status Parse();

  const TypePtr& schema() const { return schema_; }
  const Buffer& bytes() const { return bytes_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return static_cast<int64_t>(schema_->children().size()); }
  int64_t columns_decoded() const { return decoded_.load(std::memory_order_relaxed); }

  int64_t BlockStart(int64_t index) const { return starts_[index]; }
  int64_t BlockSize(int64_t index) const {
    return starts_[index + 1] - kUint32 - starts_[index];
  }

  absl::Status CheckIndex(int64_t index) const {
    if (index >= 0 && index < columns()) return absl::OkStatus();
    return absl::OutOfRangeError(
        base::Cat("V3 frame: column ", index, " of a frame with ", columns(), " columns"));
  }

  const std::optional<stats::BatchStats>& stats() const {
    std::call_once(stats_once_, [this] {
      if (stats_size_ == 0) return;
      // Parse() has seen that this works.
      stats_ = *stats::ReadBlob(*schema_, *ByteReader(bytes_.view().substr(kStatsAt)).Sub(
                                              stats_size_, "statistics"));
    });
    return stats_;
  }

  absl::StatusOr<ColumnPtr> Load(int64_t index) const override {
    return Decode(index, bytes_, bytes_.view().substr(BlockStart(index), BlockSize(index)));
  }

  // Decodes column `index` from `block`, which is its bytes or a copy of them, and a part of
  // `input`.
  absl::StatusOr<ColumnPtr> Decode(int64_t index, const Buffer& input,
                                   std::string_view block) const;

 private:
  static constexpr int64_t kStatsAt = 2 * kUint32;

  absl::Status ParseBlocks(ByteReader in);
  absl::Status ExplainBlock(ByteReader in) const;

  TypePtr schema_;
  Buffer bytes_;
  page::ReadLimits limits_;
  int64_t rows_ = 0;
  int64_t stats_size_ = 0;
  // Where each column's block starts, and where one behind the last would: a colLen lies before
  // each of them. A frame has less than 2^31 bytes.
  std::vector<uint32_t> starts_;
  mutable std::once_flag stats_once_;
  mutable std::optional<stats::BatchStats> stats_;
  mutable std::atomic<int64_t> decoded_ = 0;
};

// One column of a frame whose bytes somebody else owns.
class V3Frame::BlockCopy final : public vector::ColumnSource {
 public:
  BlockCopy(std::shared_ptr<const Content> content, int64_t index)
      : content_(std::move(content)),
        block_(Buffer::Copy(content_->bytes().view().substr(content_->BlockStart(index),
                                                            content_->BlockSize(index)))) {}

  absl::StatusOr<ColumnPtr> Load(int64_t index) const override {
    return content_->Decode(index, block_, block_.view());
  }

 private:
  std::shared_ptr<const Content> content_;
  Buffer block_;
};

absl::Status V3Frame::Content::Parse() {
  ByteReader in(bytes_.view());
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t magic, in.Read<uint32_t>("magic"));
  if (magic != kMagicV3) {
    return in.ErrorAt(0, absl::StrFormat("magic %08x is not %08x", magic, kMagicV3));
  }
  if (bytes_.size() > kMaxFrameSize) {
    return base::Invalid("a frame of ", bytes_.size(), " bytes, the limit is ", kMaxFrameSize);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t stats_size, in.Read<uint32_t>("statsLen"));
  SPILLWAY_ASSIGN_OR_RETURN(const ByteReader stats_in, in.Sub(stats_size, "statistics"));
  stats_size_ = stats_size;

  int64_t at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t rows, in.Read<uint32_t>("numRows"));
  if (rows > kMaxRows) return in.ErrorAt(at, "numRows ", rows, " is over ", kMaxRows);
  if (rows > limits_.max_rows) {
    return in.At(at, base::Exhausted(rows, " rows, the limit is ", limits_.max_rows));
  }
  rows_ = rows;
  at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t columns, in.Read<uint32_t>("numCols"));
  if (columns != schema_->children().size()) {
    return in.ErrorAt(at, "numCols ", columns, ", the schema has ", schema_->children().size());
  }
  if (stats_size != 0) {
    SPILLWAY_RETURN_IF_ERROR(base::In("statistics", stats::CheckBlob(*schema_, stats_in)));
  }
  return ParseBlocks(in);
}

absl::Status V3Frame::Content::ParseBlocks(ByteReader in) {
  const uint8_t* const begin = in.cursor() - in.offset();
  const auto end = static_cast<uint64_t>(bytes_.size());
  const int64_t shortest = rows_ == 0 ? 0 : 1;
  uint64_t at = in.offset();
  starts_.resize(columns() + 1);
  for (int64_t i = 0; i < columns(); ++i) {
    const uint64_t start = at + kUint32;
    const uint32_t size = start <= end ? base::Load<uint32_t>(begin + at) : 0;
    if (start > end || size > end - start || size < shortest) {
      in.Skip(static_cast<int64_t>(at) - in.offset());
      return base::In(vector::ColumnName(*schema_, i), ExplainBlock(in));
    }
    starts_[i] = static_cast<uint32_t>(start);
    at = start + size;
  }
  starts_.back() = static_cast<uint32_t>(at + kUint32);
  in.Skip(static_cast<int64_t>(at) - in.offset());
  return in.ExpectEnd("last column");
}

// What is wrong with the colLen that `in` stands on.
absl::Status V3Frame::Content::ExplainBlock(ByteReader in) const {
  const int64_t at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t size, in.Read<uint32_t>("colLen"));
  if (size == 0) return in.ErrorAt(at, "colLen 0 in a frame of ", rows_, " rows");
  return in.Need(size, "column block");
}

absl::StatusOr<ColumnPtr> V3Frame::Content::Decode(int64_t index, const Buffer& input,
                                                   std::string_view block) const {
  const TypePtr& type = schema_->children()[index];
  ByteReader in(block, BlockStart(index), bytes_.size());
  absl::StatusOr<ColumnPtr> column;
  if (in.at_end()) {
    column = vector::EmptyColumn(type);  // colLen 0, which means no rows
  } else {
    column = page::BlockReader(input, in, limits_).Read(type, rows_);
  }
  if (column.ok()) {
    const absl::Status end = in.ExpectEnd("column block");
    if (end.ok()) {
      decoded_.fetch_add(1, std::memory_order_relaxed);
      return column;
    }
    column = end;
  }
  return base::In("V3 frame",
                  base::In(vector::ColumnName(*schema_, index), std::move(column).status()));
}

V3Frame::V3Frame(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

absl::StatusOr<V3Frame> V3Frame::Open(TypePtr schema, Buffer bytes,
                                      const page::ReadLimits& limits) {
  auto content = std::make_shared<Content>(std::move(schema), std::move(bytes), limits);
  SPILLWAY_RETURN_IF_ERROR(base::In("V3 frame", content->Parse()));
  return V3Frame(std::move(content));
}

int64_t V3Frame::rows() const { return content_->rows(); }
const TypePtr& V3Frame::schema() const { return content_->schema(); }
const std::optional<stats::BatchStats>& V3Frame::stats() const { return content_->stats(); }
int64_t V3Frame::block_size(int64_t index) const { return content_->BlockSize(index); }
int64_t V3Frame::columns_decoded() const { return content_->columns_decoded(); }

absl::StatusOr<ColumnPtr> V3Frame::Load(int64_t index) const {
  SPILLWAY_RETURN_IF_ERROR(content_->CheckIndex(index));
  return content_->Load(index);
}

// A batch of make(index) for each column of the projection; a column that is there already is not
// made again.
template <typename Make>
absl::StatusOr<Batch> V3Frame::Project(const Projection& projection, Make make) const {
  std::vector<ColumnPtr> columns;
  if (!projection.has_value()) {
    columns.reserve(content_->columns());
    for (int64_t i = 0; i < content_->columns(); ++i) {
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, make(i));
      columns.push_back(std::move(column));
    }
    return Batch(schema(), rows(), std::move(columns));
  }
  for (const int64_t index : *projection) SPILLWAY_RETURN_IF_ERROR(content_->CheckIndex(index));
  std::vector<std::string> names;
  std::vector<TypePtr> types;
  std::unordered_map<int64_t, ColumnPtr> made;
  for (const int64_t index : *projection) {
    ColumnPtr& column = made[index];
    if (column == nullptr) {
      SPILLWAY_ASSIGN_OR_RETURN(column, make(index));
    }
    names.push_back(schema()->names()[index]);
    types.push_back(schema()->children()[index]);
    columns.push_back(column);
  }
  return Batch(vector::Type::Row(std::move(names), std::move(types)), rows(), std::move(columns));
}

absl::StatusOr<Batch> V3Frame::Read(const Projection& projection) const {
  return Project(projection, [this](int64_t index) { return content_->Load(index); });
}

absl::StatusOr<Batch> V3Frame::ReadLazy(const Projection& projection) const {
  return Project(projection, [this](int64_t index) -> absl::StatusOr<ColumnPtr> {
    std::shared_ptr<const vector::ColumnSource> source = content_;
    if (!content_->bytes().owned()) source = std::make_shared<BlockCopy>(content_, index);
    return std::make_shared<vector::LazyColumn>(schema()->children()[index], rows(),
                                                std::move(source), index);
  });
}

}  // namespace spillway::frame
