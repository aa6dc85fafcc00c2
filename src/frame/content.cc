// SPDX-License-Identifier: Apache-2.0
#include "src/frame/content.h"

#include <string>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/v2.h"

namespace spillway::frame {

using vector::Batch;
using vector::Buffer;
using vector::TypePtr;

namespace {

absl::StatusOr<Content> ReadPage(const TypePtr& schema, const Buffer& bytes,
                                 const ContentOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(const Batch batch, page::ReadPage(schema, bytes, options.page));
  SPILLWAY_ASSIGN_OR_RETURN(Batch projected, Project(batch, options.projection));
  return Content{Format::kLegacy, std::move(projected), std::nullopt};
}

absl::StatusOr<Content> ReadV2Frame(const TypePtr& schema, const Buffer& bytes,
                                    const ContentOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(V2Content content, ReadV2(schema, bytes, options.page.limits));
  SPILLWAY_ASSIGN_OR_RETURN(Batch projected, Project(content.batch, options.projection));
  return Content{Format::kV2, std::move(projected), std::move(content.stats)};
}

absl::StatusOr<Content> ReadV3Frame(const TypePtr& schema, const Buffer& bytes,
                                    const ContentOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(const V3Frame frame,
                            V3Frame::Open(schema, bytes, options.page.limits));
  SPILLWAY_ASSIGN_OR_RETURN(Batch batch, options.lazy ? frame.ReadLazy(options.projection)
                                                      : frame.Read(options.projection));
  return Content{Format::kV3, std::move(batch), frame.stats()};
}

}  // namespace

absl::StatusOr<Content> ReadContent(const TypePtr& schema, const Buffer& bytes,
                                    const ContentOptions& options) {
  switch (Sniff(bytes.view())) {
    case Format::kV2:
      return ReadV2Frame(schema, bytes, options);
    case Format::kV3:
      return ReadV3Frame(schema, bytes, options);
    case Format::kLegacy:
      break;
  }
  SPILLWAY_RETURN_IF_ERROR(CheckVersion(bytes.view()));
  return base::In("page", ReadPage(schema, bytes, options));
}

absl::StatusOr<Batch> Project(const Batch& batch, const Projection& projection) {
  if (!projection.has_value()) return batch;
  const auto count = static_cast<int64_t>(batch.columns().size());
  std::vector<std::string> names;
  std::vector<TypePtr> types;
  std::vector<vector::ColumnPtr> columns;
  for (const int64_t index : *projection) {
    if (index < 0 || index >= count) {
      return absl::OutOfRangeError(
          base::Cat("column ", index, " of a batch with ", count, " columns"));
    }
    names.push_back(batch.schema()->names()[index]);
    types.push_back(batch.schema()->children()[index]);
    columns.push_back(batch.columns()[index]);
  }
  return Batch(vector::Type::Row(std::move(names), std::move(types)), batch.rows(),
               std::move(columns));
}

}  // namespace spillway::frame
