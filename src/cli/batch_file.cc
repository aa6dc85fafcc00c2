// SPDX-License-Identifier: Apache-2.0
#include "src/cli/batch_file.h"

#include <utility>

#include "src/base/status.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/block_writer.h"
#include "src/vector/batch_json.h"
#include "src/vector/batch_proto.h"

namespace spillway::cli {
namespace {

using page::BlockPlan;
using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;

std::string Text(const Buffer& bytes) { return std::string(bytes.view()); }

absl::StatusOr<std::string> EncodeBlock(const vector::ColumnPtr& column, EncodingChoice encoding) {
  SPILLWAY_ASSIGN_OR_RETURN(const BlockPlan plan, BlockPlan::Make(column, encoding));
  vector::MutableBuffer out(plan.size());
  plan.Write(out.data());
  return Text(std::move(out).Freeze());
}

absl::StatusOr<std::string> EncodeSingle(const Batch& batch, EncodingChoice encoding) {
  if (batch.columns().size() != 1) {
    return base::Invalid("a column block holds one column, the batch has ",
                         batch.columns().size());
  }
  return EncodeBlock(batch.columns()[0], encoding);
}

}  // namespace

absl::StatusOr<Batch> ReadNeutral(BatchKind kind, std::string_view text, std::string_view name,
                                  int64_t max_bytes) {
  const vector::FromProtoOptions options = {.max_bytes = max_bytes};
  return kind == BatchKind::kJson ? vector::FromJson(text, name, options)
                                  : vector::FromTextproto(text, name, options);
}

absl::StatusOr<std::string> EncodeBatch(const Batch& batch, BatchKind kind,
                                        const BatchWriteOptions& options) {
  switch (kind) {
    case BatchKind::kPage: {
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer page, page::WritePage(batch, options.page));
      return Text(page);
    }
    case BatchKind::kV2: {
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer frame, frame::WriteV2(batch));
      return Text(frame);
    }
    case BatchKind::kV3: {
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer frame,
                                frame::WriteV3(batch, {.statistics = options.statistics,
                                                       .encoding = options.page.encoding}));
      return Text(frame);
    }
    case BatchKind::kBlock:
      return EncodeSingle(batch, options.page.encoding);
    case BatchKind::kTextproto:
      return vector::ToTextproto(batch);
    case BatchKind::kJson:
      return vector::ToJson(batch);
  }
  return base::Invalid("no such format");
}

}  // namespace spillway::cli
