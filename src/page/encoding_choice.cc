// SPDX-License-Identifier: Apache-2.0
#include "src/page/encoding_choice.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/flatten.h"
#include "src/vector/select.h"

namespace spillway::page {
namespace {

using vector::Buffer;
using vector::Column;
using vector::ColumnPtr;
using vector::ConstantColumn;
using vector::DictionaryColumn;
using vector::Encoding;
using vector::kNullRow;
using vector::MutableBuffer;

constexpr int64_t kInt32 = sizeof(int32_t);

bool IsWrapper(const Column& column) {
  return column.encoding() == Encoding::kConstant || column.encoding() == Encoding::kDictionary;
}

// Rows of an alphabet that are in use, in the alphabet's order, and the ids that lead to them.
struct Compaction {
  std::vector<int32_t> used;
  Buffer ids;
};

// The ids but kNullRow, ascending, each once.
std::vector<int32_t> Distinct(const std::vector<int32_t>& ids) {
  std::vector<int32_t> distinct;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(distinct),
               [](int32_t id) { return id != kNullRow; });
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return distinct;
}

// Compact() for an alphabet that is too long for a table of it: a run claims 2^31 entries in a few
// bytes.
Compaction CompactSparse(const std::vector<int32_t>& ids) {
  Compaction out{.used = Distinct(ids), .ids = {}};
  const std::vector<int32_t> distinct = out.used;
  if (std::find(ids.begin(), ids.end(), kNullRow) != ids.end()) out.used.push_back(kNullRow);
  MutableBuffer buffer(static_cast<int64_t>(ids.size()) * kInt32);
  for (size_t row = 0; row < ids.size(); ++row) {
    const auto at = ids[row] == kNullRow
                        ? distinct.end()
                        : std::lower_bound(distinct.begin(), distinct.end(), ids[row]);
    base::Store(buffer.data() + row * kInt32, static_cast<int32_t>(at - distinct.begin()));
  }
  out.ids = std::move(buffer).Freeze();
  return out;
}

// Renumbers `ids`. kNullRow, if it occurs, becomes one entry behind the others.
Compaction Compact(const std::vector<int32_t>& ids, int64_t alphabet_rows) {
  // Up to this many entries an id, a table is less work than sorting.
  constexpr int64_t kEntriesPerId = 64;
  if (alphabet_rows / kEntriesPerId > static_cast<int64_t>(ids.size())) return CompactSparse(ids);
  std::vector<int32_t> renumbered(alphabet_rows, -1);
  bool null = false;
  for (const int32_t id : ids) {
    if (id == kNullRow) {
      null = true;
    } else {
      renumbered[id] = 0;
    }
  }
  Compaction out;
  for (int64_t id = 0; id < alphabet_rows; ++id) {
    if (renumbered[id] < 0) continue;
    renumbered[id] = static_cast<int32_t>(out.used.size());
    out.used.push_back(static_cast<int32_t>(id));
  }
  const auto null_id = static_cast<int32_t>(out.used.size());
  if (null) out.used.push_back(kNullRow);
  MutableBuffer buffer(static_cast<int64_t>(ids.size()) * kInt32);
  for (size_t row = 0; row < ids.size(); ++row) {
    base::Store(buffer.data() + row * kInt32,
                ids[row] == kNullRow ? null_id : renumbered[ids[row]]);
  }
  out.ids = std::move(buffer).Freeze();
  return out;
}

// Whether Velox's batch serializer takes a dictionary of `rows` rows with `used` values for worth
// keeping (velox#8688: it used to write dictionaries larger than the flat data).
bool VeloxKeeps(const vector::Type& type, int64_t rows, int64_t used) {
  if (used == rows || type.kind() == vector::Kind::kUnknown) return false;
  const int64_t width = type.width();
  if (width == 0) return true;
  return width > kInt32 && used * width + rows * kInt32 < rows * width;
}

absl::StatusOr<ColumnPtr> ChooseDictionary(const ColumnPtr& column, EncodingChoice choice,
                                           int64_t* budget) {
  const auto& dictionary = column->As<DictionaryColumn>();
  // Velox looks for the wrapper's bitmap, not into it.
  if (dictionary.validity().has_nulls() || !dictionary.validity().bits().empty()) {
    return vector::Flatten(column, budget);
  }
  std::vector<int32_t> ids(dictionary.rows());
  for (int64_t row = 0; row < dictionary.rows(); ++row) ids[row] = dictionary.Id(row);
  Compaction compact = Compact(ids, dictionary.alphabet()->rows());
  const auto used = static_cast<int64_t>(compact.used.size());
  if (choice == EncodingChoice::kVeloxBatch &&
      !VeloxKeeps(dictionary.type(), dictionary.rows(), used)) {
    return vector::Flatten(column, budget);
  }
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr alphabet,
                            vector::Select(*dictionary.alphabet(), compact.used, budget));
  SPILLWAY_ASSIGN_OR_RETURN(alphabet, vector::Flatten(alphabet, budget));
  return std::make_shared<DictionaryColumn>(dictionary.rows(), vector::Validity(),
                                            std::move(compact.ids), std::move(alphabet));
}

}  // namespace

absl::StatusOr<ColumnPtr> ChooseEncoding(const ColumnPtr& column, EncodingChoice choice,
                                         int64_t* budget) {
  if (choice == EncodingChoice::kFlatten) return vector::Flatten(column, budget);
  switch (column->encoding()) {
    case Encoding::kConstant: {
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr value,
                                vector::Flatten(column->As<ConstantColumn>().value(), budget));
      return std::make_shared<ConstantColumn>(std::move(value), column->rows());
    }
    case Encoding::kDictionary:
      return ChooseDictionary(column, choice, budget);
    default:
      return column;
  }
}

absl::StatusOr<ColumnPtr> PeelWrappers(const Column& column, int64_t* budget) {
  if (column.encoding() == Encoding::kConstant) {
    // By its one row: a run may be far longer than what holds it.
    ColumnPtr value = column.As<ConstantColumn>().value();
    if (IsWrapper(*value)) {
      SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr peeled, PeelWrappers(*value, budget));
      value = peeled->As<ConstantColumn>().value();
    }
    return std::make_shared<ConstantColumn>(std::move(value), column.rows());
  }
  const Column* base = &column;
  std::vector<int32_t> rows(column.rows());
  for (size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<int32_t>(row);
  ColumnPtr held;
  for (; IsWrapper(*base); base = held.get()) {
    if (base->encoding() == Encoding::kConstant) {
      for (int32_t& row : rows) row = row == kNullRow ? kNullRow : 0;
      held = base->As<ConstantColumn>().value();
      continue;
    }
    const auto& dictionary = base->As<DictionaryColumn>();
    for (int32_t& row : rows) {
      if (row == kNullRow) continue;
      row = dictionary.validity().IsNull(row) ? kNullRow : dictionary.Id(row);
    }
    held = dictionary.alphabet();
  }
  // Nulls of the base join those of the wrappers, so that there is one null entry at most.
  for (int32_t& row : rows) {
    if (row != kNullRow && base->IsNull(row)) row = kNullRow;
  }
  Compaction compact = Compact(rows, base->rows());
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr alphabet, vector::Select(*base, compact.used, budget));
  if (alphabet->rows() == 1) {
    return std::make_shared<ConstantColumn>(std::move(alphabet), column.rows());
  }
  return std::make_shared<DictionaryColumn>(column.rows(), vector::Validity(),
                                            std::move(compact.ids), std::move(alphabet));
}

}  // namespace spillway::page
