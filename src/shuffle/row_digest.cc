// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/row_digest.h"

#include <cstring>
#include <string_view>

#include "src/base/little_endian.h"

namespace spillway::shuffle {
namespace {

using vector::Column;
using vector::Encoding;
using vector::Kind;

constexpr uint64_t kNull = 0x6e756c6c6e756c6c;
constexpr uint64_t kSalt = 0x9e3779b97f4a7c15;

uint64_t Mix(uint64_t a, uint64_t b) {
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 product = Uint128{a ^ 0xa0761d6478bd642f} * (b ^ 0xe7037ed1a0b428db);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t DigestBytes(std::string_view bytes) {
  uint64_t digest = Mix(kSalt, bytes.size());
  while (bytes.size() >= sizeof(uint64_t)) {
    digest = Mix(digest, base::Load<uint64_t>(bytes.data()));
    bytes.remove_prefix(sizeof(uint64_t));
  }
  uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return Mix(digest, rest);
}

uint64_t DigestFlat(const vector::FlatColumn& column, int64_t row) {
  constexpr uint64_t kMicrosASecond = 1'000'000;
  constexpr uint64_t kNanosAMicro = 1'000;
  switch (column.type().width()) {
    case 1:
      return Mix(kSalt, column.type().kind() == Kind::kBoolean ? column.Value<uint8_t>(row) != 0
                                                               : column.Value<uint8_t>(row));
    case 2:
      return Mix(kSalt, column.Value<uint16_t>(row));
    case 4:
      return Mix(kSalt, column.Value<uint32_t>(row));
    case 8:
      return Mix(kSalt, column.Value<uint64_t>(row));
    default:
      break;
  }
  const auto low = column.Value<uint64_t>(2 * row);
  const auto high = column.Value<uint64_t>(2 * row + 1);
  if (column.type().kind() != Kind::kTimestamp) return Mix(Mix(kSalt, low), high);
  return Mix(kSalt, low * kMicrosASecond + high / kNanosAMicro);
}

std::vector<uint64_t> DigestColumn(const Column& column);

void DigestLists(const vector::ListColumn& column, std::vector<uint64_t>& out) {
  for (int64_t row = 0; row < column.rows(); ++row) {
    out[row] = Mix(kSalt, static_cast<uint64_t>(column.Offset(row + 1) - column.Offset(row)));
  }
  for (const vector::ColumnPtr& child : column.children()) {
    const std::vector<uint64_t> elements = DigestColumn(*child);
    for (int64_t row = 0; row < column.rows(); ++row) {
      const int32_t end = column.Offset(row + 1);
      for (int32_t i = column.Offset(row); i < end; ++i) out[row] = Mix(out[row], elements[i]);
    }
  }
}

// Of each row's value alone, so that a dictionary's is worked out once an entry.
std::vector<uint64_t> DigestColumn(const Column& column) {
  const int64_t rows = column.rows();
  std::vector<uint64_t> out(rows, kSalt);
  switch (column.encoding()) {
    case Encoding::kConstant: {
      if (rows > 0) out.assign(rows, DigestColumn(*column.As<vector::ConstantColumn>().value())[0]);
      break;
    }
    case Encoding::kDictionary: {
      const auto& dictionary = column.As<vector::DictionaryColumn>();
      const std::vector<uint64_t> entries = DigestColumn(*dictionary.alphabet());
      for (int64_t row = 0; row < rows; ++row) {
        if (!column.IsNull(row)) out[row] = entries[dictionary.Id(row)];
      }
      break;
    }
    case Encoding::kRow:
      for (const vector::ColumnPtr& field : column.As<vector::RowColumn>().fields()) {
        const std::vector<uint64_t> values = DigestColumn(*field);
        for (int64_t row = 0; row < rows; ++row) out[row] = Mix(out[row], values[row]);
      }
      break;
    case Encoding::kArray:
    case Encoding::kMap:
      DigestLists(column.As<vector::ListColumn>(), out);
      break;
    default:
      for (int64_t row = 0; row < rows; ++row) {
        if (column.IsNull(row)) continue;
        out[row] = column.type().is_string()
                       ? DigestBytes(column.As<vector::StringColumn>().Value(row))
                       : DigestFlat(column.As<vector::FlatColumn>(), row);
      }
  }
  for (int64_t row = 0; row < rows; ++row) {
    if (column.IsNull(row)) out[row] = kNull;
  }
  return out;
}

}  // namespace

std::vector<uint64_t> RowDigests(const vector::Batch& batch) {
  std::vector<uint64_t> out(batch.rows(), kSalt);
  for (const vector::ColumnPtr& column : batch.columns()) {
    const std::vector<uint64_t> values = DigestColumn(*column);
    for (int64_t row = 0; row < batch.rows(); ++row) out[row] = Mix(out[row], values[row]);
  }
  return out;
}

}  // namespace spillway::shuffle
