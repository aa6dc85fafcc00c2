// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the bug museum's tests are written in: columns of every encoding, and blocks as bytes.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::museum {

inline vector::TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

inline vector::ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values);
}

inline vector::ColumnPtr Longs(const std::vector<std::optional<int64_t>>& values) {
  return vector::Flat<int64_t>(T("BIGINT"), values);
}

inline vector::ColumnPtr Texts(const std::vector<std::optional<std::string>>& values) {
  return vector::Strings(T("VARCHAR"), values);
}

inline vector::Buffer Int32s(const std::vector<int32_t>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values)->As<vector::FlatColumn>().values();
}

// `null_rows` are the wrapper's own.
inline vector::ColumnPtr Dictionary(const std::vector<int32_t>& ids, vector::ColumnPtr alphabet,
                                    const std::vector<int64_t>& null_rows = {}) {
  const auto rows = static_cast<int64_t>(ids.size());
  return std::make_shared<vector::DictionaryColumn>(
      rows, vector::BuildValidity(rows, [&](int64_t row) {
        return std::find(null_rows.begin(), null_rows.end(), row) != null_rows.end();
      }),
      Int32s(ids), std::move(alphabet));
}

inline vector::ColumnPtr Constant(vector::ColumnPtr value, int64_t rows) {
  return std::make_shared<vector::ConstantColumn>(std::move(value), rows);
}

inline vector::ColumnPtr RowOf(std::string_view type, std::vector<vector::ColumnPtr> fields,
                               int64_t rows, const std::vector<int64_t>& null_rows = {}) {
  return std::make_shared<vector::RowColumn>(
      T(type), rows, vector::BuildValidity(rows, [&](int64_t row) {
        return std::find(null_rows.begin(), null_rows.end(), row) != null_rows.end();
      }),
      std::move(fields));
}

inline vector::ColumnPtr ListOf(std::string_view type, const std::vector<int32_t>& offsets,
                                std::vector<vector::ColumnPtr> children) {
  return std::make_shared<vector::ListColumn>(T(type), static_cast<int64_t>(offsets.size()) - 1,
                                              vector::Validity(), Int32s(offsets),
                                              std::move(children));
}

inline std::string Write(const vector::ColumnPtr& column,
                         page::EncodingChoice choice = page::EncodingChoice::kFlatten) {
  const auto plan = page::BlockPlan::Make(column, choice);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return "";
  vector::MutableBuffer out(plan->size());
  plan->Write(out.data());
  return std::string(std::move(out).Freeze().view());
}

inline absl::StatusOr<vector::ColumnPtr> Read(std::string_view type, std::string_view bytes) {
  const vector::Buffer input = vector::Buffer::Copy(bytes);
  base::ByteReader in(input.view());
  absl::StatusOr<vector::ColumnPtr> column = page::BlockReader(input, in).Read(T(type));
  if (column.ok() && !in.at_end()) return in.ExpectEnd("block");
  return column;
}

// Written with each choice of encoding, `column` reads back as what it says.
inline void ExpectSurvives(const vector::ColumnPtr& column) {
  using page::EncodingChoice;
  for (const EncodingChoice choice : {EncodingChoice::kFlatten, EncodingChoice::kVeloxBatch,
                                      EncodingChoice::kPreserve, EncodingChoice::kSmallest}) {
    const auto read = Read(column->type().ToString(), Write(column, choice));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(vector::FirstDifference(**read, *column), std::nullopt)
        << "choice " << static_cast<int>(choice);
  }
}

}  // namespace spillway::museum
