// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/preview.h"

#include <algorithm>

#include "src/base/little_endian.h"
#include "src/base/strings.h"
#include "src/vector/compare.h"

namespace spillway::inspect {
namespace {

// Bytes of text that a list of any limit may reach, and bytes for each entry that was asked for:
// the default of eight fills the first.
constexpr int64_t kMinMaxText = 160;
constexpr int64_t kTextPerEntry = 20;

class List {
 public:
  List(int64_t count, int64_t limit)
      : count_(count), limit_(limit), max_text_(std::max(kMinMaxText, kTextPerEntry * limit)) {}

  bool full() const {
    return shown_ == count_ || shown_ >= limit_ || static_cast<int64_t>(text_.size()) > max_text_;
  }

  void Add(const std::string& entry) {
    if (shown_ != 0) text_ += ", ";
    text_ += entry;
    ++shown_;
  }

  std::string Text() const {
    if (shown_ == count_) return text_;
    return base::Cat(text_, shown_ == 0 ? "... (" : ", ... (", count_, ")");
  }

 private:
  const int64_t count_;
  const int64_t limit_;
  const int64_t max_text_;
  int64_t shown_ = 0;
  std::string text_;
};

}  // namespace

std::string PreviewRows(const vector::Column& column, int64_t limit) {
  List list(column.rows(), limit);
  for (int64_t row = 0; !list.full(); ++row) list.Add(vector::ValueToString(column, row));
  return list.Text();
}

std::string PreviewStored(const vector::Column& column, int64_t limit) {
  List list(column.rows() - column.null_count(), limit);
  for (int64_t row = 0; !list.full(); ++row) {
    if (!column.IsNull(row)) list.Add(vector::ValueToString(column, row));
  }
  return list.Text();
}

std::string PreviewNulls(const vector::Validity& validity, int64_t rows, int64_t limit) {
  if (validity.null_count() == 0) return "no row is null";
  if (validity.null_count() == rows) return "every row is null";
  List list(validity.null_count(), limit);
  for (int64_t row = 0; !list.full(); ++row) {
    if (validity.IsNull(row)) list.Add(base::Cat(row));
  }
  return base::Cat("null rows: ", list.Text());
}

std::string PreviewInts(const uint8_t* at, int64_t count, int64_t limit) {
  List list(count, limit);
  for (int64_t i = 0; !list.full(); ++i) list.Add(base::Cat(base::Load<int32_t>(at + 4 * i)));
  return list.Text();
}

}  // namespace spillway::inspect
