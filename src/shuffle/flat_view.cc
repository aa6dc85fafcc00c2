// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/flat_view.h"

#include <utility>

#include "absl/status/status.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/lazy_column.h"

namespace spillway::shuffle {

using vector::Encoding;

absl::StatusOr<FlatView> FlatView::Of(const vector::Column& column) {
  switch (column.encoding()) {
    case Encoding::kFlat:
      return column.type().is_string()
                 ? FlatView(column, column.As<vector::StringColumn>().validity())
                 : FlatView(column, column.As<vector::FlatColumn>().validity());
    case Encoding::kConstant: {
      SPILLWAY_ASSIGN_OR_RETURN(FlatView view, Of(*column.As<vector::ConstantColumn>().value()));
      view.WrapInConstant();
      return view;
    }
    case Encoding::kLazy: {
      // The lazy column keeps what it has loaded.
      SPILLWAY_ASSIGN_OR_RETURN(const vector::ColumnPtr loaded,
                                column.As<vector::LazyColumn>().Load());
      return Of(*loaded);
    }
    case Encoding::kDictionary: {
      const auto& dictionary = column.As<vector::DictionaryColumn>();
      SPILLWAY_ASSIGN_OR_RETURN(FlatView view, Of(*dictionary.alphabet()));
      view.WrapInDictionary(dictionary);
      return view;
    }
    default:
      return absl::UnimplementedError(
          base::Cat("type ", column.type().ToString(), " is nested, only scalars can be shuffled"));
  }
}

void FlatView::WrapInConstant() {
  constant_ = Source(0);
  mapping_ = Mapping::kConstant;
  may_have_nulls_ = constant_ == kNull;
  indices_.clear();
}

void FlatView::WrapInDictionary(const vector::DictionaryColumn& dictionary) {
  std::vector<int64_t> indices(dictionary.rows());
  for (int64_t row = 0; row < dictionary.rows(); ++row) {
    indices[row] = dictionary.validity().IsNull(row) ? kNull : Source(dictionary.Id(row));
  }
  may_have_nulls_ = may_have_nulls_ || dictionary.validity().has_nulls();
  indices_ = std::move(indices);
  mapping_ = Mapping::kIndexed;
}

}  // namespace spillway::shuffle
