// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/form.h"

#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/frame/sniff.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/block_reader.h"

namespace spillway::inspect {
namespace {

using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::TypePtr;

absl::StatusOr<Batch> ReadV2(const TypePtr& schema, const Buffer& bytes,
                             const page::ReadLimits& limits) {
  SPILLWAY_ASSIGN_OR_RETURN(frame::V2Content content, frame::ReadV2(schema, bytes, limits));
  return std::move(content.batch);
}

absl::StatusOr<Batch> ReadV3(const TypePtr& schema, const Buffer& bytes,
                             const page::ReadLimits& limits) {
  SPILLWAY_ASSIGN_OR_RETURN(const frame::V3Frame frame,
                            frame::V3Frame::Open(schema, bytes, limits));
  return frame.Read();
}

absl::StatusOr<Batch> ReadBlock(const TypePtr& schema, const Buffer& bytes,
                                const page::ReadLimits& limits) {
  if (schema->children().size() != 1) {
    return base::Invalid("a column block holds one column, the schema has ",
                         schema->children().size());
  }
  base::ByteReader in(bytes.view());
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column,
                            page::BlockReader(bytes, in, limits).Read(schema->children()[0]));
  SPILLWAY_RETURN_IF_ERROR(in.ExpectEnd("column block"));
  const int64_t rows = column->rows();
  return Batch(schema, rows, {std::move(column)});
}

}  // namespace

std::string_view FormName(Form form) {
  switch (form) {
    case Form::kPage:
      return "legacy page";
    case Form::kV2:
      return "V2 frame";
    case Form::kV3:
      return "V3 frame";
    case Form::kBlock:
      return "column block";
  }
  return "";
}

Form RecognizeForm(std::string_view bytes) {
  if (frame::IsColumnBlock(bytes)) return Form::kBlock;
  switch (frame::Sniff(bytes)) {
    case frame::Format::kV2:
      return Form::kV2;
    case frame::Format::kV3:
      return Form::kV3;
    case frame::Format::kLegacy:
      break;
  }
  return Form::kPage;
}

absl::StatusOr<Batch> ReadForm(Form form, const TypePtr& schema, const Buffer& bytes,
                               const page::PageReadOptions& options) {
  switch (form) {
    case Form::kPage:
      return page::ReadPage(schema, bytes, options);
    case Form::kV2:
      return ReadV2(schema, bytes, options.limits);
    case Form::kV3:
      return ReadV3(schema, bytes, options.limits);
    case Form::kBlock:
      return ReadBlock(schema, bytes, options.limits);
  }
  return base::Invalid("no such form");
}

}  // namespace spillway::inspect
