// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a cache file holds, batch by batch.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/frame/byte_source.h"
#include "src/frame/envelope.h"
#include "src/inspect/form.h"
#include "src/page/page.h"
#include "src/vector/type.h"

namespace spillway::inspect {

struct ListedBatch {
  int64_t offset = 0;  // of the record in the file
  uint32_t partition = 0;
  Form form = Form::kPage;  // kV2: a page with statistics beside it
  int64_t rows = 0;
  int64_t bytes = 0;  // of the payload and statistics beside it
};

struct CacheListing {
  vector::TypePtr schema;  // null if the header could not be read
  std::vector<ListedBatch> batches = {};
  absl::Status status;  // what ended it before the file's end

  int64_t rows() const;
  int64_t bytes() const;
  int64_t partitions() const;
};

// Lists all batches up to the first error. With `read` every batch is read strictly and in full, by
// the file's schema; without, none is looked into.
CacheListing ListCache(frame::ByteSource& source, const page::PageReadOptions* read);

// Batch `index` of the file; OutOfRange if there are fewer, otherwise the first error before it.
struct CacheBatch {
  vector::TypePtr schema;
  frame::Envelope envelope;
};
absl::StatusOr<CacheBatch> ReadCacheBatch(frame::ByteSource& source, uint64_t index);

// "3 batches, 6 rows, 2 partitions, 412 bytes".
std::string SumsText(const CacheListing& listing);

// A line for the file, a line a batch, and the sums.
std::string ToText(const CacheListing& listing, std::string_view name);

// {"input", "schema", "batches": [{"offset", "partition", "form", "rows", "bytes"}],
//  "error": null or {"message", "byte"}}
std::string ToJson(const CacheListing& listing, std::string_view name);

}  // namespace spillway::inspect
