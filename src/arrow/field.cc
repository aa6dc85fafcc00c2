// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/field.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/base/utf8.h"

namespace spillway::arrow {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int kDecimalBits = 128;
// Of all names of a schema together. Many fields can share one long name in few bytes.
constexpr int64_t kMaxNameBytes = int64_t{16} << 20;

absl::Status CheckType(const Type& type) {
  if (type.kind() == Kind::kHugeint) {
    return absl::UnimplementedError("HUGEINT is no type of Arrow's");
  }
  for (const TypePtr& child : type.children()) SPILLWAY_RETURN_IF_ERROR(CheckType(*child));
  return absl::OkStatus();
}

// Builds fields in the order in which arrow-rs does: name, type, children, table.
class FieldBuilder {
 public:
  FieldBuilder(const FieldOptions& options, FlatBufferBuilder& builder)
      : options_(options), builder_(builder) {}

  Offset<metadata::Field> Build(std::string_view name, const Type& type, bool nullable) {
    const auto field_name = builder_.CreateString(name.data(), name.size());
    const Parts parts = TypeParts(type);
    metadata::FieldBuilder field(builder_);
    field.add_name(field_name);
    field.add_type_type(parts.tag);
    field.add_nullable(nullable);
    field.add_children(parts.children);
    field.add_type(parts.type);
    return field.Finish();
  }

 private:
  using Children = Offset<flatbuffers::Vector<Offset<metadata::Field>>>;
  struct Parts {
    metadata::Type tag;
    Offset<void> type;
    Children children;
  };

  Children Fields(const std::vector<Offset<metadata::Field>>& fields) {
    return builder_.CreateVector(fields);
  }

  // A type of no parts: its table first, then the empty list of children.
  template <typename Table>
  Parts Leaf(metadata::Type tag, Offset<Table> table) {
    return {tag, table.Union(), Fields({})};
  }

  Parts Integer(int bits) {
    const Children none = Fields({});
    metadata::IntBuilder table(builder_);
    table.add_is_signed(true);
    table.add_bit_width(bits);
    return {metadata::Type::Int, table.Finish().Union(), none};
  }

  Parts Float(metadata::Precision precision) {
    const Children none = Fields({});
    return {metadata::Type::FloatingPoint,
            metadata::CreateFloatingPoint(builder_, precision).Union(), none};
  }

  Parts DecimalParts(const Type& type) {
    metadata::DecimalBuilder table(builder_);
    table.add_precision(type.precision());
    table.add_scale(type.scale());
    return Leaf(metadata::Type::Decimal, table.Finish());
  }

  Parts TimestampParts() {
    const auto zone = builder_.CreateString(options_.timezone);
    metadata::TimestampBuilder table(builder_);
    table.add_unit(metadata::TimeUnit::Microsecond);
    if (!options_.timezone.empty()) table.add_timezone(zone);
    return Leaf(metadata::Type::Timestamp, table.Finish());
  }

  Parts ArrayParts(const Type& type) {
    const auto element = Build("item", *type.children()[0], true);
    const auto table = metadata::CreateList(builder_);
    return {metadata::Type::List, table.Union(), Fields({element})};
  }

  Parts RowParts(const Type& type, bool map_entries = false) {
    std::vector<Offset<metadata::Field>> fields;
    for (size_t i = 0; i < type.children().size(); ++i) {
      std::string_view name = i == 0 ? "key" : "value";
      if (!map_entries) name = type.names()[i];
      fields.push_back(Build(name, *type.children()[i], !map_entries || i > 0));
    }
    const auto table = metadata::CreateStruct(builder_);
    return {metadata::Type::Struct, table.Union(), Fields(fields)};
  }

  Parts MapParts(const Type& type) {
    const auto name = builder_.CreateString("entries");
    const Parts parts = RowParts(type, true);
    metadata::FieldBuilder field(builder_);
    field.add_name(name);
    field.add_type_type(parts.tag);
    field.add_children(parts.children);
    field.add_type(parts.type);
    const auto entries = field.Finish();
    const auto table = metadata::CreateMap(builder_);
    return {metadata::Type::Map, table.Union(), Fields({entries})};
  }

  Parts TypeParts(const Type& type) {
    switch (type.kind()) {
      case Kind::kBoolean:
        return Leaf(metadata::Type::Bool, metadata::CreateBool(builder_));
      case Kind::kTinyint:
        return Integer(8);
      case Kind::kSmallint:
        return Integer(16);
      case Kind::kInteger:
        return Integer(32);
      case Kind::kBigint:
        return Integer(64);
      case Kind::kReal:
        return Float(metadata::Precision::Single);
      case Kind::kDouble:
        return Float(metadata::Precision::Double);
      case Kind::kShortDecimal:
      case Kind::kLongDecimal:
        return DecimalParts(type);
      case Kind::kDate:
        return Leaf(metadata::Type::Date, metadata::CreateDate(builder_, metadata::DateUnit::Day));
      case Kind::kIntervalYearMonth:
        return Leaf(metadata::Type::Interval,
                    metadata::CreateInterval(builder_, metadata::IntervalUnit::YearMonth));
      case Kind::kIntervalDayTime:
        return Leaf(metadata::Type::Duration,
                    metadata::CreateDuration(builder_, metadata::TimeUnit::Millisecond));
      case Kind::kTimestamp:
        return TimestampParts();
      case Kind::kVarchar:
        return Leaf(metadata::Type::Utf8, metadata::CreateUtf8(builder_));
      case Kind::kVarbinary:
        return Leaf(metadata::Type::Binary, metadata::CreateBinary(builder_));
      case Kind::kArray:
        return ArrayParts(type);
      case Kind::kMap:
        return MapParts(type);
      case Kind::kRow:
        return RowParts(type);
      case Kind::kHugeint:  // refused before
      case Kind::kUnknown:
        break;
    }
    return Leaf(metadata::Type::Null, metadata::CreateNull(builder_));
  }

  const FieldOptions& options_;
  FlatBufferBuilder& builder_;
};

class FieldReader {
 public:
  explicit FieldReader(int max_depth) : max_depth_(max_depth) {}

  absl::StatusOr<Field> Read(const metadata::Field& in, int depth) {
    Field out;
    if (in.name() != nullptr) {
      name_bytes_ += in.name()->size();
      if (name_bytes_ > kMaxNameBytes) {
        return base::Exhausted("names of over ", kMaxNameBytes, " bytes");
      }
      out.name = in.name()->str();
    }
    absl::Status status = base::IsUtf8(out.name)
                              ? ReadType(in, depth, out)
                              : absl::InvalidArgumentError("the name is not UTF-8");
    if (!status.ok()) return base::In(base::Cat("field `", out.name, "`"), status);
    return out;
  }

 private:
  absl::Status ReadType(const metadata::Field& in, int depth, Field& out) {
    if (depth > max_depth_) return base::Invalid("nested over ", max_depth_, " levels");
    if (in.type() == nullptr) return base::Invalid("no type");
    SPILLWAY_RETURN_IF_ERROR(ReadDictionary(in.dictionary(), out));
    if (in.type_type() == metadata::Type::Map) return ReadMap(in, depth, out);
    if (in.children() != nullptr) {
      for (const metadata::Field* child : *in.children()) {
        SPILLWAY_ASSIGN_OR_RETURN(Field field, Read(*child, depth + 1));
        out.children.push_back(std::move(field));
      }
    }
    switch (in.type_type()) {
      case metadata::Type::List:
        if (out.children.size() != 1) {
          return base::Invalid("a list of ", out.children.size(), " children");
        }
        out.type = Type::Array(out.children[0].type);
        return absl::OkStatus();
      case metadata::Type::Struct:
        out.type = SchemaOf(out.children);
        return absl::OkStatus();
      default:
        if (!out.children.empty()) {
          return base::Invalid(out.children.size(), " children of a scalar type");
        }
        return ReadScalar(in, out);
    }
  }

  static absl::Status ReadDictionary(const metadata::DictionaryEncoding* in, Field& out) {
    if (in == nullptr) return absl::OkStatus();
    Field::Dictionary dictionary = {.id = in->id()};
    if (in->index_type() != nullptr) {
      dictionary.bit_width = in->index_type()->bit_width();
      dictionary.is_signed = in->index_type()->is_signed();
    }
    const int bits = dictionary.bit_width;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      return base::Invalid("dictionary indices of ", bits, " bits");
    }
    out.dictionary = dictionary;
    return absl::OkStatus();
  }

  // A map is a list of a struct of two, which the vector model does not have as a level of its own.
  absl::Status ReadMap(const metadata::Field& in, int depth, Field& out) {
    if (in.children() == nullptr || in.children()->size() != 1 ||
        in.children()->Get(0)->type_type() != metadata::Type::Struct ||
        in.children()->Get(0)->children() == nullptr ||
        in.children()->Get(0)->children()->size() != 2 ||
        in.children()->Get(0)->dictionary() != nullptr) {
      return base::Invalid("a map whose child is not one struct of a key and a value");
    }
    for (const metadata::Field* child : *in.children()->Get(0)->children()) {
      SPILLWAY_ASSIGN_OR_RETURN(Field field, Read(*child, depth + 1));
      out.children.push_back(std::move(field));
    }
    out.type = Type::Map(out.children[0].type, out.children[1].type);
    return absl::OkStatus();
  }

  static absl::Status ReadScalar(const metadata::Field& in, Field& out) {
    switch (in.type_type()) {
      case metadata::Type::Null:
        return Is(Kind::kUnknown, out);
      case metadata::Type::Bool:
        return Is(Kind::kBoolean, out);
      case metadata::Type::Utf8:
        return Is(Kind::kVarchar, out);
      case metadata::Type::Binary:
        return Is(Kind::kVarbinary, out);
      case metadata::Type::Int:
        return ReadInt(*in.type_as_Int(), out);
      case metadata::Type::FloatingPoint:
        if (in.type_as_FloatingPoint()->precision() == metadata::Precision::Single) {
          return Is(Kind::kReal, out);
        }
        if (in.type_as_FloatingPoint()->precision() == metadata::Precision::Double) {
          return Is(Kind::kDouble, out);
        }
        return absl::UnimplementedError("a floating point number of 16 bits");
      case metadata::Type::Decimal:
        return ReadDecimal(*in.type_as_Decimal(), out);
      case metadata::Type::Date:
        if (in.type_as_Date()->unit() == metadata::DateUnit::Day) return Is(Kind::kDate, out);
        return absl::UnimplementedError("a date in milliseconds");
      case metadata::Type::Timestamp:
        out.unit = in.type_as_Timestamp()->unit();
        if (out.unit < metadata::TimeUnit::MIN || out.unit > metadata::TimeUnit::MAX) {
          return base::Invalid("time unit ", static_cast<int>(out.unit));
        }
        return Is(Kind::kTimestamp, out);
      case metadata::Type::Interval:
        if (in.type_as_Interval()->unit() == metadata::IntervalUnit::YearMonth) {
          return Is(Kind::kIntervalYearMonth, out);
        }
        return absl::UnimplementedError("an interval of days");
      case metadata::Type::Duration:
        if (in.type_as_Duration()->unit() == metadata::TimeUnit::Millisecond) {
          return Is(Kind::kIntervalDayTime, out);
        }
        return absl::UnimplementedError("a duration that is not in milliseconds");
      default:
        return absl::UnimplementedError(base::Cat("type ", metadata::EnumNameType(in.type_type()),
                                                  " (", static_cast<int>(in.type_type()), ")"));
    }
  }

  static absl::Status Is(Kind kind, Field& out) {
    out.type = Type::Scalar(kind);
    return absl::OkStatus();
  }

  static absl::Status ReadInt(const metadata::Int& in, Field& out) {
    if (in.is_signed()) {
      switch (in.bit_width()) {
        case 8:
          return Is(Kind::kTinyint, out);
        case 16:
          return Is(Kind::kSmallint, out);
        case 32:
          return Is(Kind::kInteger, out);
        case 64:
          return Is(Kind::kBigint, out);
        default:
          break;
      }
    }
    return absl::UnimplementedError(base::Cat(in.is_signed() ? "a signed" : "an unsigned",
                                              " integer of ", in.bit_width(), " bits"));
  }

  static absl::Status ReadDecimal(const metadata::Decimal& in, Field& out) {
    if (in.bit_width() != kDecimalBits) {
      return absl::UnimplementedError(base::Cat("a decimal of ", in.bit_width(), " bits"));
    }
    SPILLWAY_ASSIGN_OR_RETURN(out.type, Type::Decimal(in.precision(), in.scale()));
    return absl::OkStatus();
  }

  int max_depth_;
  int64_t name_bytes_ = 0;
};

}  // namespace

absl::Status CheckFields(const Type& schema, const FieldOptions& options) {
  for (size_t i = 0; i < schema.children().size(); ++i) {
    SPILLWAY_RETURN_IF_ERROR(base::In(base::Cat("column ", i, " `", schema.names()[i], "`"),
                                      CheckType(*schema.children()[i])));
  }
  for (const int32_t column : options.required) {
    if (column < 0 || static_cast<size_t>(column) >= schema.children().size()) {
      return base::Invalid("required column ", column, " of ", schema.children().size());
    }
  }
  return absl::OkStatus();
}

Offset<metadata::Schema> BuildSchema(const Type& schema, const FieldOptions& options,
                                     FlatBufferBuilder& builder) {
  FieldBuilder fields(options, builder);
  std::vector<Offset<metadata::Field>> built;
  for (size_t i = 0; i < schema.children().size(); ++i) {
    const bool required = std::find(options.required.begin(), options.required.end(),
                                    static_cast<int32_t>(i)) != options.required.end();
    built.push_back(fields.Build(schema.names()[i], *schema.children()[i], !required));
  }
  const auto list = builder.CreateVector(built);
  metadata::SchemaBuilder table(builder);
  table.add_fields(list);
  return table.Finish();
}

absl::StatusOr<std::vector<Field>> ReadSchema(const metadata::Schema& schema, int max_depth) {
  if (schema.endianness() != metadata::Endianness::Little) {
    return absl::UnimplementedError("big-endian data");
  }
  std::vector<Field> fields;
  if (schema.fields() == nullptr) return fields;
  FieldReader reader(max_depth);
  for (const metadata::Field* in : *schema.fields()) {
    SPILLWAY_ASSIGN_OR_RETURN(Field field, reader.Read(*in, 1));
    fields.push_back(std::move(field));
  }
  return fields;
}

TypePtr SchemaOf(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  std::vector<TypePtr> types;
  for (const Field& field : fields) {
    names.push_back(field.name);
    types.push_back(field.type);
  }
  return Type::Row(std::move(names), std::move(types));
}

}  // namespace spillway::arrow
