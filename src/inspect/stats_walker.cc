// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/stats_walker.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/strings.h"
#include "src/stats/column_stats.h"
#include "src/vector/column.h"
#include "src/vector/column_name.h"
#include "src/vector/compare.h"

namespace spillway::inspect {
namespace {

using base::ByteReader;
using vector::Buffer;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

// The bound as a value, or nothing if its length is not the type's.
std::string BoundText(const TypePtr& type, std::string_view bytes) {
  const int width = type == nullptr ? 0 : stats::BoundWidth(*type);
  if (width == 0 || (width > 0 && bytes.size() != static_cast<size_t>(width))) return "";
  if (type->kind() == Kind::kTimestamp) {
    return base::Cat(base::Load<int64_t>(bytes.data()), " microseconds");
  }
  // Bounds have the form of values in memory: a long decimal's are two's complement.
  if (type->is_string()) {
    std::string ends(sizeof(int32_t), '\0');
    base::Store(ends.data(), static_cast<int32_t>(bytes.size()));
    return vector::ValueToString(vector::StringColumn(type, 1, {}, 0, Buffer::Own(std::move(ends)),
                                                      Buffer::Borrow(bytes)),
                                 0);
  }
  return vector::ValueToString(vector::FlatColumn(type, 1, {}, Buffer::Borrow(bytes)), 0);
}

// The bound's length; -1 if bytes are missing.
int64_t WalkBound(const TypePtr& type, std::string_view name, ByteReader& in, Recorder& recorder,
                  Explanation& cell) {
  const auto length = recorder.Read<uint32_t>(in, base::Cat(name, "Len"), cell);
  if (!length.has_value()) return -1;
  std::string text;
  if (in.Need(*length, name).ok()) {
    text = BoundText(type, {reinterpret_cast<const char*>(in.cursor()), *length});
  }
  return recorder.Pass(in, *length, name, std::move(text), cell) ? *length : -1;
}

int64_t WalkCell(const TypePtr& type, ByteReader& in, Recorder& recorder, Explanation& cell) {
  const auto supported = recorder.Read<uint8_t>(in, "supported", cell);
  if (!supported.has_value()) return -1;
  recorder.Note(cell, "supported",
                base::Cat(int{*supported}, *supported == 0 ? ", no bounds" : ", bounds follow"));
  for (const std::string_view name : {"nullCount", "count"}) {
    if (!recorder.Read<uint32_t>(in, name, cell).has_value()) return -1;
  }
  if (!recorder.Read<uint64_t>(in, "sizeInBytes", cell).has_value() || *supported == 0) return -1;
  const int64_t length = WalkBound(type, "lower", in, recorder, cell);
  if (length >= 0) WalkBound(type, "upper", in, recorder, cell);
  return length;
}

}  // namespace

std::vector<int64_t> WalkStatistics(const Type& schema, bool named, ByteReader& in,
                                    Recorder& recorder, Explanation& whole) {
  std::vector<int64_t> lengths;
  const auto columns = recorder.Read<uint32_t>(in, "numCols", whole);
  if (!columns.has_value()) return lengths;
  for (uint32_t i = 0; i < *columns && !recorder.stopped(); ++i) {
    const bool known = i < schema.children().size();
    Explanation cell = Recorder::Begin(
        in, named && known ? vector::ColumnName(schema, i) : base::Cat("column ", i));
    lengths.push_back(WalkCell(known ? schema.children()[i] : nullptr, in, recorder, cell));
    recorder.End(in, cell);
    if (cell.size != 0) recorder.Add(whole, std::move(cell));
  }
  return lengths;
}

}  // namespace spillway::inspect
