// SPDX-License-Identifier: Apache-2.0
#include "src/vector/proto_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"

namespace spillway::vector {
namespace {

constexpr int64_t kMaxStringBytes = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);
constexpr uint64_t kNanosPerSecond = 1'000'000'000;

// The field of proto::Flat that holds the type's values.
std::string_view ListOf(const Type& type) {
  switch (type.kind()) {
    case Kind::kBoolean:
      return "booleans";
    case Kind::kHugeint:
    case Kind::kLongDecimal:
      return "int128s";
    case Kind::kReal:
      return "reals";
    case Kind::kDouble:
      return "doubles";
    case Kind::kTimestamp:
      return "timestamps";
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return "strings";
    case Kind::kUnknown:
      return "";
    default:
      return "integers";
  }
}

struct Range {
  int64_t lowest;
  int64_t highest;
};

Range RangeOf(const Type& type) {
  if (type.kind() == Kind::kShortDecimal) {
    const auto largest = static_cast<int64_t>(LargestUnscaled(type.precision()));
    return {-largest, largest};
  }
  const int unused_bits = 64 - 8 * type.width();
  return {std::numeric_limits<int64_t>::min() >> unused_bits,
          std::numeric_limits<int64_t>::max() >> unused_bits};
}

class FlatReader {
 public:
  FlatReader(ProtoContext& context, const proto::Column& in, const Place& place,
             const TypePtr& type, int64_t rows, Validity validity)
      : context_(context),
        in_(in.flat()),
        buffers_(in.buffers()),
        place_(place.Inside("flat")),
        buffers_place_(place.Inside("buffers")),
        type_(type),
        list_(ListOf(*type)),
        rows_(rows),
        validity_(std::move(validity)) {}

  absl::StatusOr<ColumnPtr> Read() {
    SPILLWAY_RETURN_IF_ERROR(CheckLists());
    if (type_->is_string()) return Strings();
    if (type_->kind() == Kind::kUnknown) {
      return std::make_shared<FlatColumn>(type_, rows_, std::move(validity_), Buffer());
    }
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer values,
                              context_.Allocate(rows_ * type_->width(), buffers_.values(),
                                                buffers_place_, "values"));
    SPILLWAY_RETURN_IF_ERROR(Fill(values.data()));
    SPILLWAY_RETURN_IF_ERROR(ApplyNanBits(values.data()));
    return std::make_shared<FlatColumn>(type_, rows_, std::move(validity_),
                                        context_.Seal(std::move(values), buffers_.values()));
  }

 private:
  // Exactly the type's list, as long as there are rows without null.
  absl::Status CheckLists() {
    const google::protobuf::Reflection& reflection = *in_.GetReflection();
    std::vector<const google::protobuf::FieldDescriptor*> present;
    reflection.ListFields(in_, &present);
    int64_t entries = 0;
    for (const auto* field : present) {
      if (field->name() == list_) {
        entries = reflection.FieldSize(in_, field);
      } else if (field->name() != "nan_bits" || !is_float()) {
        return context_.Fail(place_.Of(field->name()), field->name(), ": not the list of type ",
                             type_->ToString(), ", which has ",
                             list_.empty() ? std::string_view("none") : list_);
      }
    }
    const int64_t expected = rows_ - validity_.null_count();
    if (entries == expected) return absl::OkStatus();
    if (list_.empty()) {
      return context_.Fail(place_.at(), expected, " of ", rows_, " rows of UNKNOWN are not null");
    }
    return context_.Fail(place_.Of(list_), list_, ": ", entries, " values for ", expected,
                         " rows that are not null");
  }

  bool is_float() const { return type_->kind() == Kind::kReal || type_->kind() == Kind::kDouble; }

  template <typename... What>
  absl::Status FailAt(int index, const What&... what) {
    return context_.Fail(place_.Of(list_, index), list_, "[", index, "]: ", what...);
  }

  // Calls `store(index, address of the row's value)` for each entry of the type's list.
  template <typename Store>
  absl::Status EachEntry(uint8_t* values, Store store) {
    const int width = type_->width();
    int index = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      if (!validity_.IsNull(row)) {
        SPILLWAY_RETURN_IF_ERROR(store(index++, values + row * width));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Fill(uint8_t* values) {
    if (list_ == "booleans") {
      return EachEntry(values, [&](int index, uint8_t* to) {
        *to = in_.booleans(index) ? 1 : 0;
        return absl::OkStatus();
      });
    }
    if (list_ == "reals") {
      return EachEntry(values, [&](int index, uint8_t* to) {
        const float value = in_.reals(index);
        base::Store(to, std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value);
        return absl::OkStatus();
      });
    }
    if (list_ == "doubles") {
      return EachEntry(values, [&](int index, uint8_t* to) {
        const double value = in_.doubles(index);
        base::Store(to, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
        return absl::OkStatus();
      });
    }
    if (list_ == "timestamps") return FillTimestamps(values);
    if (list_ == "int128s") return FillInt128s(values);
    return FillIntegers(values);
  }

  absl::Status FillIntegers(uint8_t* values) {
    const Range range = RangeOf(*type_);
    return EachEntry(values, [&](int index, uint8_t* to) {
      const int64_t value = in_.integers(index);
      if (value < range.lowest || value > range.highest) {
        return FailAt(index, value, " is no ", type_->ToString());
      }
      std::memcpy(to, &value, type_->width());  // little-endian: the low bytes come first
      return absl::OkStatus();
    });
  }

  absl::Status FillInt128s(uint8_t* values) {
    const bool decimal = type_->kind() == Kind::kLongDecimal;
    const Int128 largest = decimal ? LargestUnscaled(type_->precision()) : 0;
    return EachEntry(values, [&](int index, uint8_t* to) {
      const std::string& text = in_.int128s(index);
      const std::optional<Int128> value = ParseInt128(text);
      if (!value || (decimal && (*value < -largest || *value > largest))) {
        return FailAt(index, "`", text, "` is no ", type_->ToString());
      }
      base::Store(to, *value);
      return absl::OkStatus();
    });
  }

  absl::Status FillTimestamps(uint8_t* values) {
    return EachEntry(values, [&](int index, uint8_t* to) {
      const proto::Timestamp& value = in_.timestamps(index);
      if (value.nanos() >= kNanosPerSecond) {
        return FailAt(index, "nanos ", value.nanos(), " is not below ", kNanosPerSecond);
      }
      base::Store(to, Timestamp{value.seconds(), value.nanos()});
      return absl::OkStatus();
    });
  }

  absl::Status ApplyNanBits(uint8_t* values) {
    int64_t previous = -1;
    for (int i = 0; i < in_.nan_bits_size(); ++i) {
      const proto::NanBits& entry = in_.nan_bits(i);
      const auto fail = [&](const auto&... what) {
        return context_.Fail(place_.Of("nan_bits", i), "nan_bits[", i, "]: ", what...);
      };
      if (entry.row() <= previous) {
        return fail("row ", entry.row(), " does not come after row ", previous);
      }
      if (entry.row() >= rows_) return fail("row ", entry.row(), " of ", rows_);
      if (validity_.IsNull(entry.row())) return fail("row ", entry.row(), " is null");
      if (type_->kind() == Kind::kReal) {
        uint8_t* value = values + entry.row() * static_cast<int64_t>(sizeof(float));
        const auto bits = static_cast<uint32_t>(entry.bits());
        if (bits != entry.bits() || !std::isnan(std::bit_cast<float>(bits))) {
          return fail(absl::StrFormat("0x%x is no NaN of REAL", entry.bits()));
        }
        if (!std::isnan(base::Load<float>(value))) return fail("row ", entry.row(), " is no NaN");
        base::Store(value, bits);
      } else {
        uint8_t* value = values + entry.row() * static_cast<int64_t>(sizeof(double));
        if (!std::isnan(std::bit_cast<double>(entry.bits()))) {
          return fail(absl::StrFormat("0x%x is no NaN of DOUBLE", entry.bits()));
        }
        if (!std::isnan(base::Load<double>(value))) return fail("row ", entry.row(), " is no NaN");
        base::Store<uint64_t>(value, entry.bits());
      }
      previous = entry.row();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ColumnPtr> Strings() {
    int64_t total = 0;
    for (const std::string& value : in_.strings()) total += static_cast<int64_t>(value.size());
    if (total > kMaxStringBytes) {
      return context_.Fail(place_.Of(list_), "strings: ", total, " bytes in all, more than ",
                           kMaxStringBytes);
    }
    SPILLWAY_ASSIGN_OR_RETURN(
        MutableBuffer ends,
        context_.Allocate(rows_ * kInt32, buffers_.ends(), buffers_place_, "ends"));
    SPILLWAY_ASSIGN_OR_RETURN(
        MutableBuffer bytes, context_.Allocate(total, buffers_.bytes(), buffers_place_, "bytes"));
    int32_t end = 0;
    int index = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      if (!validity_.IsNull(row)) {
        const std::string& value = in_.strings(index++);
        std::memcpy(bytes.data() + end, value.data(), value.size());
        end += static_cast<int32_t>(value.size());
      }
      base::Store(ends.data() + row * kInt32, end);
    }
    Buffer sealed_ends = context_.Seal(std::move(ends), buffers_.ends());
    return std::make_shared<StringColumn>(type_, rows_, std::move(validity_), 0,
                                          std::move(sealed_ends),
                                          context_.Seal(std::move(bytes), buffers_.bytes()));
  }

  ProtoContext& context_;
  const proto::Flat& in_;
  const proto::Buffers& buffers_;
  const Place place_;
  const Place buffers_place_;
  const TypePtr& type_;
  const std::string_view list_;
  const int64_t rows_;
  Validity validity_;
};

}  // namespace

absl::StatusOr<ColumnPtr> ReadFlat(ProtoContext& context, const proto::Column& in,
                                   const Place& place, const TypePtr& type, int64_t rows,
                                   Validity validity) {
  return FlatReader(context, in, place, type, rows, std::move(validity)).Read();
}

}  // namespace spillway::vector
