// SPDX-License-Identifier: Apache-2.0
#include "src/vector/proto_reader.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/proto_values.h"

namespace spillway::vector {
namespace {

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);

class BatchReader {
 public:
  BatchReader(ProtoContext& context, int max_depth)
      : context_(context), max_depth_(std::min(max_depth, kMaxColumnDepth)) {}

  absl::StatusOr<Batch> Read(const proto::Batch& in, const Place& place) {
    SPILLWAY_ASSIGN_OR_RETURN(TypePtr schema, Schema(in, place));
    if (!in.has_rows()) return context_.Fail(place.at(), "rows is missing");
    SPILLWAY_RETURN_IF_ERROR(CheckRows(in.rows(), place));
    std::vector<ColumnPtr> columns;
    for (int i = 0; i < in.columns_size(); ++i) {
      SPILLWAY_ASSIGN_OR_RETURN(
          ColumnPtr column,
          base::In(base::Cat("column ", i, " `", schema->names()[i], "`"),
                   ReadColumn(in.columns(i), place.Inside("columns", i), schema->children()[i],
                              in.rows(), 0)));
      columns.push_back(std::move(column));
    }
    return Batch(std::move(schema), in.rows(), std::move(columns));
  }

 private:
  absl::StatusOr<TypePtr> Schema(const proto::Batch& in, const Place& place) {
    if (in.schema().empty()) return SchemaOfColumns(in, place);
    auto schema = Type::Parse(in.schema());
    if (!schema.ok()) {
      return context_.Keep(place.Of("schema"), base::In("schema", schema.status()));
    }
    if ((*schema)->kind() != Kind::kRow) {
      return context_.Fail(place.Of("schema"), "schema: ", (*schema)->ToString(),
                           " is no ROW type");
    }
    if ((*schema)->children().size() != static_cast<size_t>(in.columns_size())) {
      return context_.Fail(place.Of("schema"), "schema: ", (*schema)->children().size(),
                           " fields for ", in.columns_size(), " columns");
    }
    return schema;
  }

  absl::StatusOr<TypePtr> SchemaOfColumns(const proto::Batch& in, const Place& place) {
    std::vector<std::string> names;
    std::vector<TypePtr> types;
    for (int i = 0; i < in.columns_size(); ++i) {
      const Place column = place.Inside("columns", i);
      if (in.columns(i).type().empty()) {
        return context_.Fail(column.at(), "column ", i, ": type is missing, and so is the schema");
      }
      auto type = Type::Parse(in.columns(i).type());
      if (!type.ok()) {
        return context_.Keep(column.Of("type"),
                             base::In(base::Cat("column ", i, ": type"), type.status()));
      }
      names.push_back(base::Cat("c", i));
      types.push_back(*std::move(type));
    }
    return Type::Row(std::move(names), std::move(types));
  }

  absl::Status CheckRows(int64_t rows, const Place& place) {
    if (rows >= 0 && rows <= kMaxRows) return absl::OkStatus();
    return context_.Fail(place.Of("rows"), "rows: ", rows, " is not within 0..", kMaxRows);
  }

  // `rows`: what the parent says, if it does.
  absl::StatusOr<ColumnPtr> ReadColumn(const proto::Column& in, const Place& place,
                                       const TypePtr& type, std::optional<int64_t> rows,
                                       int depth) {
    if (depth > max_depth_) {
      return context_.Keep(place.at(),
                           base::Exhausted("nested more than ", max_depth_, " levels deep"));
    }
    if (!in.type().empty()) SPILLWAY_RETURN_IF_ERROR(CheckType(in, place, *type));
    SPILLWAY_ASSIGN_OR_RETURN(const int64_t count, Rows(in, place, rows));
    SPILLWAY_RETURN_IF_ERROR(CheckEncoding(in, place, *type));
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, ReadValidity(in, place, count));
    switch (in.encoding_case()) {
      case proto::Column::kConstant:
        return ReadConstant(in, place, type, count, depth);
      case proto::Column::kDictionary:
        return ReadDictionary(in, place, type, count, std::move(validity), depth);
      case proto::Column::kRow:
        return ReadRow(in, place, type, count, std::move(validity), depth);
      case proto::Column::kArray:
        return ReadArray(in, place, type, count, std::move(validity), depth);
      case proto::Column::kMap:
        return ReadMap(in, place, type, count, std::move(validity), depth);
      default:
        return ReadFlat(context_, in, place, type, count, std::move(validity));
    }
  }

  absl::Status CheckType(const proto::Column& in, const Place& place, const Type& type) {
    const auto stated = Type::Parse(in.type());
    if (!stated.ok()) return context_.Keep(place.Of("type"), base::In("type", stated.status()));
    if (**stated == type) return absl::OkStatus();
    return context_.Fail(place.Of("type"), "type: ", (*stated)->ToString(),
                         " where the schema has ", type.ToString());
  }

  absl::StatusOr<int64_t> Rows(const proto::Column& in, const Place& place,
                               std::optional<int64_t> parents) {
    if (parents && in.has_rows() && in.rows() != *parents) {
      return context_.Fail(place.Of("rows"), "rows: ", in.rows(), " where ", *parents,
                           " are expected");
    }
    std::optional<int64_t> rows = in.has_rows() ? in.rows() : parents;
    if (!rows) rows = ImpliedRows(in);
    if (!rows) {
      return context_.Fail(place.at(), "rows is missing, and nothing in the column implies it");
    }
    SPILLWAY_RETURN_IF_ERROR(CheckRows(*rows, place));
    return *rows;
  }

  static std::optional<int64_t> ImpliedRows(const proto::Column& in) {
    if (in.has_nulls()) return static_cast<int64_t>(in.nulls().size());
    if (in.all_null()) return std::nullopt;
    switch (in.encoding_case()) {
      case proto::Column::kFlat: {
        const proto::Flat& flat = in.flat();
        // At most one of the lists may be there.
        return int64_t{0} + flat.booleans_size() + flat.integers_size() + flat.int128s_size() +
               flat.reals_size() + flat.doubles_size() + flat.timestamps_size() +
               flat.strings_size();
      }
      case proto::Column::kDictionary:
        return in.dictionary().ids_size();
      case proto::Column::kArray:
        return std::max(0, in.array().offsets_size() - 1);
      case proto::Column::kMap:
        return std::max(0, in.map().offsets_size() - 1);
      default:
        return std::nullopt;
    }
  }

  // The encoding suits the type and has the buffers that are described.
  absl::Status CheckEncoding(const proto::Column& in, const Place& place, const Type& type) {
    const Kind kind = type.kind();
    switch (in.encoding_case()) {
      case proto::Column::kFlat:
        if (type.is_nested()) return WrongEncoding("flat", place, type);
        if (type.is_string()) return CheckBuffers(in, place, {"validity", "ends", "bytes"});
        if (kind == Kind::kUnknown) return CheckBuffers(in, place, {"validity"});
        return CheckBuffers(in, place, {"validity", "values"});
      case proto::Column::kConstant:
        if (in.has_nulls() || in.all_null()) {
          return context_.Fail(place.Of(in.has_nulls() ? "nulls" : "all_null"),
                               "a constant's nulls belong to its value");
        }
        return CheckBuffers(in, place, {});
      case proto::Column::kDictionary:
        return CheckBuffers(in, place, {"validity", "ids"});
      case proto::Column::kRow:
        if (kind != Kind::kRow) return WrongEncoding("row", place, type);
        return CheckBuffers(in, place, {"validity"});
      case proto::Column::kArray:
        if (kind != Kind::kArray) return WrongEncoding("array", place, type);
        return CheckBuffers(in, place, {"validity", "offsets"});
      case proto::Column::kMap:
        if (kind != Kind::kMap) return WrongEncoding("map", place, type);
        return CheckBuffers(in, place, {"validity", "offsets"});
      case proto::Column::ENCODING_NOT_SET:
        break;
    }
    return context_.Fail(place.at(),
                         "no encoding: one of flat, constant, dictionary, row, array, map");
  }

  absl::Status WrongEncoding(std::string_view encoding, const Place& place, const Type& type) {
    return context_.Fail(place.Of(encoding), encoding, ": not an encoding of ", type.ToString());
  }

  absl::Status CheckBuffers(const proto::Column& in, const Place& place,
                            std::initializer_list<std::string_view> allowed) {
    std::vector<const google::protobuf::FieldDescriptor*> present;
    in.buffers().GetReflection()->ListFields(in.buffers(), &present);
    for (const auto* field : present) {
      if (std::find(allowed.begin(), allowed.end(), field->name()) == allowed.end()) {
        return context_.Fail(place.Inside("buffers").Of(field->name()), "buffers.", field->name(),
                             ": the column has no such buffer");
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Validity> ReadValidity(const proto::Column& in, const Place& place,
                                        int64_t rows) {
    if (!in.has_nulls()) {
      if (in.buffers().has_validity()) {
        return context_.Fail(place.Inside("buffers").Of("validity"),
                             "buffers.validity: no bitmap without nulls");
      }
      return in.all_null() ? Validity::AllNull(rows) : Validity();
    }
    if (in.all_null()) {
      return context_.Fail(place.Of("all_null"), "all_null: nulls says it already");
    }
    const std::string& nulls = in.nulls();
    if (static_cast<int64_t>(nulls.size()) != rows) {
      return context_.Fail(place.Of("nulls"), "nulls: ", nulls.size(), " characters for ", rows,
                           " rows");
    }
    SPILLWAY_ASSIGN_OR_RETURN(
        MutableBuffer bits, context_.Allocate((rows + 7) / 8, in.buffers().validity(),
                                              place.Inside("buffers"), "validity"));
    int64_t null_count = 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (nulls[row] == '1') {
        ++null_count;
      } else if (nulls[row] == '0') {
        bits.data()[row >> 3] |= static_cast<uint8_t>(1 << (row & 7));
      } else {
        return context_.Fail(place.Of("nulls"), "nulls: character ", row, " is neither 0 nor 1");
      }
    }
    return Validity::FromBits(context_.Seal(std::move(bits), in.buffers().validity()), 0,
                              null_count);
  }

  absl::StatusOr<ColumnPtr> ReadConstant(const proto::Column& in, const Place& place,
                                         const TypePtr& type, int64_t rows, int depth) {
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr value,
        base::In("constant", ReadColumn(in.constant(), place.Inside("constant"), type,
                                        int64_t{1}, depth + 1)));
    return std::make_shared<ConstantColumn>(std::move(value), rows);
  }

  absl::StatusOr<ColumnPtr> ReadDictionary(const proto::Column& in, const Place& column,
                                           const TypePtr& type, int64_t rows, Validity validity,
                                           int depth) {
    const proto::Dictionary& dictionary = in.dictionary();
    const Place place = column.Inside("dictionary");
    const int64_t expected = rows - validity.null_count();
    if (dictionary.ids_size() != expected) {
      return context_.Fail(place.Of("ids"), "ids: ", dictionary.ids_size(), " ids for ", expected,
                           " rows that are not null");
    }
    if (!dictionary.has_alphabet()) return context_.Fail(place.at(), "alphabet is missing");
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr alphabet,
        base::In("alphabet", ReadColumn(dictionary.alphabet(), place.Inside("alphabet"), type,
                                        std::nullopt, depth + 1)));
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer ids,
                              context_.Allocate(rows * kInt32, in.buffers().ids(),
                                                column.Inside("buffers"), "ids"));
    int index = 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (validity.IsNull(row)) continue;
      const int32_t id = dictionary.ids(index);
      if (id < 0 || id >= alphabet->rows()) {
        return context_.Fail(place.Of("ids", index), "ids[", index, "]: ", id,
                             " is not within the alphabet of ", alphabet->rows());
      }
      base::Store(ids.data() + row * kInt32, id);
      ++index;
    }
    return std::make_shared<DictionaryColumn>(rows, std::move(validity),
                                              context_.Seal(std::move(ids), in.buffers().ids()),
                                              std::move(alphabet));
  }

  absl::StatusOr<ColumnPtr> ReadRow(const proto::Column& in, const Place& column,
                                    const TypePtr& type, int64_t rows, Validity validity,
                                    int depth) {
    const Place place = column.Inside("row");
    if (static_cast<size_t>(in.row().fields_size()) != type->children().size()) {
      return context_.Fail(place.at(), "row: ", in.row().fields_size(), " fields for ",
                           type->ToString());
    }
    std::vector<ColumnPtr> fields;
    for (int i = 0; i < in.row().fields_size(); ++i) {
      SPILLWAY_ASSIGN_OR_RETURN(
          ColumnPtr field,
          base::In(base::Cat("field ", i, " `", type->names()[i], "`"),
                   ReadColumn(in.row().fields(i), place.Inside("fields", i), type->children()[i],
                              rows, depth + 1)));
      fields.push_back(std::move(field));
    }
    return std::make_shared<RowColumn>(type, rows, std::move(validity), std::move(fields));
  }

  absl::StatusOr<ColumnPtr> ReadArray(const proto::Column& in, const Place& column,
                                      const TypePtr& type, int64_t rows, Validity validity,
                                      int depth) {
    const Place place = column.Inside("array");
    if (!in.array().has_elements()) return context_.Fail(place.at(), "elements is missing");
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr elements,
        base::In("elements", ReadColumn(in.array().elements(), place.Inside("elements"),
                                        type->children()[0], std::nullopt, depth + 1)));
    SPILLWAY_ASSIGN_OR_RETURN(
        Buffer offsets, ReadOffsets(in, column, place, in.array().offsets(), rows, *elements));
    return std::make_shared<ListColumn>(type, rows, std::move(validity), std::move(offsets),
                                        std::vector<ColumnPtr>{std::move(elements)});
  }

  absl::StatusOr<ColumnPtr> ReadMap(const proto::Column& in, const Place& column,
                                    const TypePtr& type, int64_t rows, Validity validity,
                                    int depth) {
    const Place place = column.Inside("map");
    if (!in.map().has_keys()) return context_.Fail(place.at(), "keys is missing");
    if (!in.map().has_values()) return context_.Fail(place.at(), "values is missing");
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr keys, base::In("keys", ReadColumn(in.map().keys(), place.Inside("keys"),
                                                    type->children()[0], std::nullopt,
                                                    depth + 1)));
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr values, base::In("values", ReadColumn(in.map().values(), place.Inside("values"),
                                                        type->children()[1], keys->rows(),
                                                        depth + 1)));
    SPILLWAY_ASSIGN_OR_RETURN(
        Buffer offsets, ReadOffsets(in, column, place, in.map().offsets(), rows, *keys));
    return std::make_shared<ListColumn>(
        type, rows, std::move(validity), std::move(offsets),
        std::vector<ColumnPtr>{std::move(keys), std::move(values)});
  }

  absl::StatusOr<Buffer> ReadOffsets(const proto::Column& in, const Place& column,
                                     const Place& list,
                                     const google::protobuf::RepeatedField<int32_t>& offsets,
                                     int64_t rows, const Column& elements) {
    if (offsets.size() != rows + 1) {
      return context_.Fail(list.Of("offsets"), "offsets: ", offsets.size(), " for ", rows,
                           " rows, which need ", rows + 1);
    }
    int32_t previous = 0;
    for (int i = 0; i < offsets.size(); ++i) {
      if (offsets[i] < previous) {
        return context_.Fail(list.Of("offsets", i), "offsets[", i, "]: ", offsets[i],
                             " is below ", previous);
      }
      previous = offsets[i];
    }
    if (previous > elements.rows()) {
      return context_.Fail(list.Of("offsets"), "offsets: the last, ", previous,
                           ", is not within the ", elements.rows(), " elements");
    }
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer out,
                              context_.Allocate((rows + 1) * kInt32, in.buffers().offsets(),
                                                column.Inside("buffers"), "offsets"));
    for (int i = 0; i < offsets.size(); ++i) base::Store(out.data() + i * kInt32, offsets[i]);
    return context_.Seal(std::move(out), in.buffers().offsets());
  }

  ProtoContext& context_;
  const int max_depth_;
};

}  // namespace

absl::StatusOr<Batch> ReadBatch(ProtoContext& context, const proto::Batch& in, const Place& place,
                                int max_depth) {
  return BatchReader(context, max_depth).Read(in, place);
}

}  // namespace spillway::vector
