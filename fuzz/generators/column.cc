// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators/column.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/generators/type.h"
#include "fuzz/generators/value.h"
#include "src/vector/batch_proto.h"
#include "src/vector/build.h"

namespace spillway::fuzz {
namespace {

using vector::Buffer;
using vector::ColumnPtr;
using vector::Kind;
using vector::TypePtr;
using vector::Validity;

constexpr int kMaxWrappers = 3;        // on top of each other
constexpr int64_t kMaxChildren = 400;  // rows of a list's child

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

class ColumnMaker {
 public:
  ColumnMaker(base::Random& random, Features features) : random_(random), features_(features) {}

  // `nullable` false: no row may be null, which keys of a MAP need.
  ColumnPtr Make(const TypePtr& type, int64_t rows, bool nullable, int wrappers = 0) {
    if (Has(kSlices) && Chance(3)) {
      const int64_t before = random_.Between(0, 9);
      const int64_t after = random_.Between(0, 9);
      return MakeWhole(type, before + rows + after, nullable, wrappers)->Slice(before, rows);
    }
    return MakeWhole(type, rows, nullable, wrappers);
  }

 private:
  bool Has(Feature feature) const { return (features_ & feature) != 0; }
  bool Chance(uint64_t one_in) { return random_.Below(one_in) == 0; }

  ColumnPtr MakeWhole(const TypePtr& type, int64_t rows, bool nullable, int wrappers) {
    if (wrappers < (Has(kStackedWrappers) ? kMaxWrappers : 1)) {
      if (Has(kConstants) && Chance(4)) {
        return std::make_shared<vector::ConstantColumn>(Make(type, 1, nullable, wrappers + 1),
                                                        rows);
      }
      if (Has(kDictionaries) && Chance(3)) return Dictionary(type, rows, nullable, wrappers);
    }
    switch (type->kind()) {
      case Kind::kVarchar:
      case Kind::kVarbinary:
        return Strings(type, rows, nullable);
      case Kind::kArray:
      case Kind::kMap:
        return List(type, rows, nullable);
      case Kind::kRow: {
        Validity validity = Nulls(rows, nullable);
        std::vector<ColumnPtr> fields;
        for (const TypePtr& field : type->children()) fields.push_back(Make(field, rows, true));
        return std::make_shared<vector::RowColumn>(type, rows, std::move(validity),
                                                   std::move(fields));
      }
      case Kind::kUnknown:
        if (!Has(kAllNull) || Chance(2)) return vector::FlatColumn::Unknown(rows);
        return std::make_shared<vector::FlatColumn>(
            type, rows, Bitmap(std::vector<bool>(rows, true)), Buffer());
      default:
        return Values(type, rows, nullable);
    }
  }

  // Places `contents` in memory in one of the ways that buffers come.
  Buffer Place(std::string_view contents) {
    const auto size = static_cast<int64_t>(contents.size());
    const int64_t shift = Has(kUnaligned) && Chance(2) ? random_.Between(1, 7) : 0;
    if (Has(kTight) && Chance(2)) {
      // Not a std::string, which has a terminating byte and may lie within its owner.
      std::shared_ptr<char[]> exact(new char[shift + size]);
      std::memset(exact.get(), 0xa5, shift);
      std::memcpy(exact.get() + shift, contents.data(), size);
      const std::string_view bytes(exact.get(), shift + size);
      return Buffer::Share(bytes, std::move(exact)).Slice(shift, size);
    }
    const int64_t spare = Has(kCapacity) && Chance(2) ? random_.Between(0, 5000) : 0;
    vector::MutableBuffer buffer(shift + size, shift + size + spare);
    std::memset(buffer.data(), 0xa5, shift);
    std::memcpy(buffer.data() + shift, contents.data(), size);
    return std::move(buffer).Freeze().Slice(shift, size);
  }

  Validity Nulls(int64_t rows, bool nullable) {
    if (nullable && Has(kAllNull) && Chance(6)) {
      if (Chance(2)) return Validity::AllNull(rows);
      return Bitmap(std::vector<bool>(rows, true));
    }
    std::vector<bool> nulls(rows, false);
    if (nullable && Has(kNulls) && Chance(2)) {
      const uint64_t eighths = random_.Between(1, 7);
      for (int64_t row = 0; row < rows; ++row) nulls[row] = random_.Below(8) < eighths;
      return Bitmap(nulls);
    }
    return Has(kBareBitmaps) && Chance(2) ? Bitmap(nulls) : Validity();
  }

  Validity Bitmap(const std::vector<bool>& nulls) {
    const auto rows = static_cast<int64_t>(nulls.size());
    const int64_t offset = Has(kUnaligned) && Chance(2) ? random_.Between(1, 17) : 0;
    const int64_t size = (offset + rows + 7) / 8;
    std::string bits = Has(kGarbage) ? MakeBytes(random_, size) : std::string(size, '\0');
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t bit = offset + row;
      char& byte = bits[bit >> 3];
      const int mask = 1 << (bit & 7);
      byte = static_cast<char>(nulls[row] ? byte & ~mask : byte | mask);
    }
    return Validity::CountBits(Place(bits), offset, rows);
  }

  // One value a row where `validity` has none, zeros or garbage elsewhere.
  std::vector<std::string> RowValues(const vector::Type& type, int64_t rows,
                                     const Validity& validity) {
    const ValueOptions options = {Has(kExtremes), Has(kNans), Has(kLooseBooleans),
                                  Has(kLongStrings)};
    std::vector<std::string> pool;
    if (Has(kFewValues) && Chance(2)) {
      for (int i = 0; i < 3; ++i) pool.push_back(MakeValue(random_, type, options));
    }
    std::vector<std::string> out;
    out.reserve(rows);
    for (int64_t row = 0; row < rows; ++row) {
      if (validity.IsNull(row)) {
        const int64_t size = type.is_string() && Has(kGarbage) ? random_.Between(0, 5)
                                                               : type.width();
        out.push_back(Has(kGarbage) ? MakeBytes(random_, size) : std::string(size, '\0'));
      } else if (!pool.empty()) {
        out.push_back(pool[random_.Below(pool.size())]);
      } else {
        out.push_back(MakeValue(random_, type, options));
      }
    }
    return out;
  }

  ColumnPtr Values(const TypePtr& type, int64_t rows, bool nullable) {
    Validity validity = Nulls(rows, nullable);
    std::string bytes;
    for (const std::string& value : RowValues(*type, rows, validity)) bytes += value;
    return std::make_shared<vector::FlatColumn>(type, rows, std::move(validity), Place(bytes));
  }

  ColumnPtr Strings(const TypePtr& type, int64_t rows, bool nullable) {
    Validity validity = Nulls(rows, nullable);
    std::string ends;
    std::string bytes = Has(kGaps) && Chance(2) ? MakeBytes(random_, 3) : "";
    const auto first = static_cast<int32_t>(bytes.size());
    for (const std::string& value : RowValues(*type, rows, validity)) {
      bytes += value;
      Append(ends, static_cast<int32_t>(bytes.size()));
    }
    if (Has(kGaps) && Chance(2)) bytes += MakeBytes(random_, 3);
    Buffer placed_ends = Place(ends);
    return std::make_shared<vector::StringColumn>(type, rows, std::move(validity), first,
                                                  std::move(placed_ends), Place(bytes));
  }

  ColumnPtr Dictionary(const TypePtr& type, int64_t rows, bool nullable, int wrappers) {
    Validity validity = Nulls(rows, nullable);
    const int64_t size = random_.Between(rows == 0 ? 0 : 1, std::min<int64_t>(rows, 40) + 3);
    std::string ids;
    for (int64_t row = 0; row < rows; ++row) {
      if (validity.IsNull(row)) {
        Append(ids, Has(kGarbage) ? static_cast<int32_t>(random_.Next()) : 0);
      } else {
        Append(ids, static_cast<int32_t>(random_.Below(size)));
      }
    }
    Buffer placed_ids = Place(ids);
    return std::make_shared<vector::DictionaryColumn>(rows, std::move(validity),
                                                      std::move(placed_ids),
                                                      Make(type, size, nullable, wrappers + 1));
  }

  ColumnPtr List(const TypePtr& type, int64_t rows, bool nullable) {
    Validity validity = Nulls(rows, nullable);
    const bool map = type->kind() == Kind::kMap;
    // A key of UNKNOWN would be null.
    const bool empty = map && type->children()[0]->kind() == Kind::kUnknown;
    int32_t end = !empty && Has(kGaps) && Chance(2) ? 2 : 0;
    std::string offsets;
    Append(offsets, end);
    for (int64_t row = 0; row < rows; ++row) {
      const bool none = empty || end >= kMaxChildren || (validity.IsNull(row) && !Has(kGarbage));
      if (!none && !Chance(3)) end += static_cast<int32_t>(random_.Between(1, Chance(10) ? 9 : 3));
      Append(offsets, end);
    }
    const int64_t size = end + (!empty && Has(kGaps) && Chance(2) ? 3 : 0);
    Buffer placed_offsets = Place(offsets);
    std::vector<ColumnPtr> children;
    for (const TypePtr& child : type->children()) {
      children.push_back(Make(child, size, !(map && children.empty())));
    }
    return std::make_shared<vector::ListColumn>(type, rows, std::move(validity),
                                                std::move(placed_offsets), std::move(children));
  }

  base::Random& random_;
  const Features features_;
};

}  // namespace

ColumnPtr MakeColumn(base::Random& random, const TypePtr& type, int64_t rows, Features features) {
  return ColumnMaker(random, features).Make(type, rows, /*nullable=*/true);
}

rc::Gen<uint32_t> AnySubset(uint32_t allowed) {
  return rc::gen::shrink(
      rc::gen::map(AnySeed(), [allowed](uint64_t bits) -> uint32_t { return bits & allowed; }),
      [](uint32_t bits) {
        std::vector<uint32_t> fewer;
        for (int i = 32; i-- > 0;) {
          if ((bits >> i & 1) != 0) fewer.push_back(bits & ~(uint32_t{1} << i));
        }
        return rc::seq::fromContainer(std::move(fewer));
      });
}

rc::Gen<ColumnPtr> AnyColumn(TypePtr type, int64_t rows, Features allowed) {
  return rc::gen::apply(
      [type = std::move(type), rows](uint64_t seed, Features features) {
        base::Random random(seed);
        return MakeColumn(random, type, rows, features);
      },
      AnySeed(), AnySubset(allowed));
}

}  // namespace spillway::fuzz

namespace spillway::vector {

void showValue(const Column& column, std::ostream& out) {
  const ColumnPtr borrowed(ColumnPtr(), &column);
  out << ToTextproto(BatchOf({borrowed}));
}

}  // namespace spillway::vector
