// SPDX-License-Identifier: Apache-2.0
#include "src/vector/proto_writer.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/vector/build.h"
#include "src/vector/column.h"
#include "src/vector/int128.h"
#include "src/vector/lazy_column.h"

namespace spillway::vector {
namespace {

constexpr int64_t kInt32 = sizeof(int32_t);

class BatchWriter {
 public:
  proto::Batch Write(const Batch& batch) {
    for (const ColumnPtr& column : batch.columns()) {
      column->VisitBuffers([&](const Buffer& buffer) { ++uses_[KeyOf(buffer)]; });
    }
    proto::Batch out;
    out.set_schema(batch.schema()->ToString());
    out.set_rows(batch.rows());
    for (const ColumnPtr& column : batch.columns()) WriteColumn(*column, *out.add_columns());
    return out;
  }

 private:
  using Key = std::pair<const uint8_t*, int64_t>;

  static Key KeyOf(const Buffer& buffer) {
    return {buffer.allocation().address, buffer.allocation().capacity};
  }

  // For a buffer of `size` bytes once it is read; empty if that is all there is to say.
  std::optional<proto::Memory> Describe(const Buffer& buffer, int64_t size) {
    const auto [address, capacity] = KeyOf(buffer);
    if (address == nullptr || capacity < size) return std::nullopt;
    const bool shared = capacity > 0 && uses_[KeyOf(buffer)] > 1;
    if (capacity == size && !shared) return std::nullopt;
    proto::Memory out;
    out.set_capacity(capacity);
    if (shared) {
      const auto next = static_cast<int32_t>(numbers_.size()) + 1;
      out.set_allocation(numbers_.try_emplace(KeyOf(buffer), next).first->second);
    }
    return out;
  }

  void WriteColumn(const Column& column, proto::Column& out) {
    switch (column.encoding()) {
      case Encoding::kFlat:
        if (column.type().is_string()) return WriteStrings(column.As<StringColumn>(), out);
        return WriteFlat(column.As<FlatColumn>(), out);
      case Encoding::kLazy:
        // ToProto's caller has loaded it.
        return WriteColumn(**column.As<LazyColumn>().Load(), out);
      case Encoding::kConstant:
        return WriteColumn(*column.As<ConstantColumn>().value(), *out.mutable_constant());
      case Encoding::kDictionary:
        return WriteDictionary(column.As<DictionaryColumn>(), out);
      case Encoding::kRow: {
        const auto& row = column.As<RowColumn>();
        WriteValidity(row.validity(), row.rows(), out);
        out.mutable_row();
        for (const ColumnPtr& field : row.fields()) {
          WriteColumn(*field, *out.mutable_row()->add_fields());
        }
        return;
      }
      case Encoding::kArray:
        WriteOffsets(column.As<ListColumn>(), *out.mutable_array()->mutable_offsets(), out);
        return WriteChild(*column.As<ListColumn>().children()[0],
                          *out.mutable_array()->mutable_elements());
      case Encoding::kMap:
        WriteOffsets(column.As<ListColumn>(), *out.mutable_map()->mutable_offsets(), out);
        WriteChild(*column.As<ListColumn>().children()[0], *out.mutable_map()->mutable_keys());
        return WriteColumn(*column.As<ListColumn>().children()[1],
                           *out.mutable_map()->mutable_values());
    }
  }

  // A column whose number of rows its parent does not say.
  void WriteChild(const Column& column, proto::Column& out) {
    out.set_rows(column.rows());
    WriteColumn(column, out);
  }

  void WriteValidity(const Validity& validity, int64_t rows, proto::Column& out) {
    if (validity.all_null()) {
      out.set_all_null(true);
      return;
    }
    if (validity.bits().allocation().address == nullptr) return;
    std::string nulls(rows, '0');
    for (int64_t row = 0; row < rows; ++row) {
      if (validity.IsNull(row)) nulls[row] = '1';
    }
    out.set_nulls(std::move(nulls));
    if (auto memory = Describe(validity.bits(), (rows + 7) / 8)) {
      *out.mutable_buffers()->mutable_validity() = *memory;
    }
  }

  void WriteFlat(const FlatColumn& column, proto::Column& out) {
    WriteValidity(column.validity(), column.rows(), out);
    proto::Flat& flat = *out.mutable_flat();
    if (column.type().kind() == Kind::kUnknown) return;
    for (int64_t row = 0; row < column.rows(); ++row) {
      if (!column.IsNull(row)) WriteValue(column, row, flat);
    }
    if (auto memory = Describe(column.values(), column.rows() * column.type().width())) {
      *out.mutable_buffers()->mutable_values() = *memory;
    }
  }

  static void WriteValue(const FlatColumn& column, int64_t row, proto::Flat& out) {
    switch (column.type().kind()) {
      case Kind::kBoolean:
        return out.add_booleans(column.Value<uint8_t>(row) != 0);
      case Kind::kTinyint:
        return out.add_integers(column.Value<int8_t>(row));
      case Kind::kSmallint:
        return out.add_integers(column.Value<int16_t>(row));
      case Kind::kReal:
        return out.add_reals(
            WithoutPayload<float, uint32_t>(column.Value<uint32_t>(row), row, out));
      case Kind::kDouble:
        return out.add_doubles(
            WithoutPayload<double, uint64_t>(column.Value<uint64_t>(row), row, out));
      case Kind::kHugeint:
      case Kind::kLongDecimal:
        return out.add_int128s(Int128ToString(column.Value<Int128>(row)));
      case Kind::kTimestamp: {
        const auto value = column.Value<Timestamp>(row);
        proto::Timestamp& timestamp = *out.add_timestamps();
        timestamp.set_seconds(value.seconds);
        timestamp.set_nanos(value.nanos);
        return;
      }
      default:
        return out.add_integers(column.type().width() == sizeof(int32_t)
                                    ? column.Value<int32_t>(row)
                                    : column.Value<int64_t>(row));
    }
  }

  // A NaN that is not the plain one leaves its bits in `out`.
  template <typename Float, typename Bits>
  static Float WithoutPayload(Bits bits, int64_t row, proto::Flat& out) {
    const auto value = std::bit_cast<Float>(bits);
    if (!std::isnan(value)) return value;
    constexpr Float kPlain = std::numeric_limits<Float>::quiet_NaN();
    if (bits != std::bit_cast<Bits>(kPlain)) {
      proto::NanBits& entry = *out.add_nan_bits();
      entry.set_row(row);
      entry.set_bits(bits);
    }
    return kPlain;
  }

  void WriteStrings(const StringColumn& column, proto::Column& out) {
    WriteValidity(column.validity(), column.rows(), out);
    proto::Flat& flat = *out.mutable_flat();
    int64_t total = 0;
    for (int64_t row = 0; row < column.rows(); ++row) {
      if (column.IsNull(row)) continue;
      const std::string_view value = column.Value(row);
      flat.add_strings(value.data(), value.size());
      total += static_cast<int64_t>(value.size());
    }
    if (auto memory = Describe(column.ends(), column.rows() * kInt32)) {
      *out.mutable_buffers()->mutable_ends() = *memory;
    }
    if (auto memory = Describe(column.bytes(), total)) {
      *out.mutable_buffers()->mutable_bytes() = *memory;
    }
  }

  void WriteDictionary(const DictionaryColumn& column, proto::Column& out) {
    WriteValidity(column.validity(), column.rows(), out);
    proto::Dictionary& dictionary = *out.mutable_dictionary();
    for (int64_t row = 0; row < column.rows(); ++row) {
      if (!column.validity().IsNull(row)) dictionary.add_ids(column.Id(row));
    }
    if (auto memory = Describe(column.ids(), column.rows() * kInt32)) {
      *out.mutable_buffers()->mutable_ids() = *memory;
    }
    WriteChild(*column.alphabet(), *dictionary.mutable_alphabet());
  }

  void WriteOffsets(const ListColumn& column,
                    google::protobuf::RepeatedField<int32_t>& offsets, proto::Column& out) {
    WriteValidity(column.validity(), column.rows(), out);
    for (int64_t row = 0; row <= column.rows(); ++row) offsets.Add(column.Offset(row));
    if (auto memory = Describe(column.offsets(), (column.rows() + 1) * kInt32)) {
      *out.mutable_buffers()->mutable_offsets() = *memory;
    }
  }

  std::map<Key, int> uses_;
  std::map<Key, int32_t> numbers_;
};

}  // namespace

proto::Batch WriteBatch(const Batch& batch) { return BatchWriter().Write(batch); }

}  // namespace spillway::vector
