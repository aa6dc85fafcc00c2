// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/cache_listing.h"

#include <set>
#include <utility>

#include "nlohmann/json.hpp"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/cache_file.h"

namespace spillway::inspect {
namespace {

std::string Count(int64_t count, std::string_view one, std::string_view many) {
  return base::Cat(count, " ", count == 1 ? one : many);
}

ListedBatch Listed(const frame::CacheRecord& record) {
  const frame::Envelope& envelope = record.envelope;
  ListedBatch batch{.offset = record.offset,
                    .partition = record.partition,
                    .form = RecognizeForm(envelope.payload.view()),
                    .rows = envelope.rows,
                    .bytes = envelope.payload.size()};
  if (envelope.stats.has_value()) {
    batch.bytes += envelope.stats->size();
    if (batch.form == Form::kPage) batch.form = Form::kV2;
  }
  return batch;
}

}  // namespace

int64_t CacheListing::rows() const {
  int64_t rows = 0;
  for (const ListedBatch& batch : batches) rows += batch.rows;
  return rows;
}

int64_t CacheListing::bytes() const {
  int64_t bytes = 0;
  for (const ListedBatch& batch : batches) bytes += batch.bytes;
  return bytes;
}

int64_t CacheListing::partitions() const {
  std::set<uint32_t> partitions;
  for (const ListedBatch& batch : batches) partitions.insert(batch.partition);
  return static_cast<int64_t>(partitions.size());
}

CacheListing ListCache(frame::ByteSource& source, const page::PageReadOptions* read) {
  CacheListing listing;
  absl::StatusOr<frame::CacheFileReader> reader = frame::CacheFileReader::Open(source);
  if (!reader.ok()) {
    listing.status = std::move(reader).status();
    return listing;
  }
  listing.schema = reader->schema();
  while (true) {
    const absl::StatusOr<std::optional<frame::CacheRecord>> record = reader->Next();
    if (!record.ok() || !record->has_value()) {
      listing.status = record.status();
      return listing;
    }
    if (read != nullptr) {
      const absl::Status status = frame::ReadEnvelopeContent(listing.schema, (*record)->envelope,
                                                             {.lazy = false, .page = *read})
                                      .status();
      if (!status.ok()) {
        listing.status = base::In(base::Cat("batch ", listing.batches.size()), status);
        return listing;
      }
    }
    listing.batches.push_back(Listed(**record));
  }
}

absl::StatusOr<CacheBatch> ReadCacheBatch(frame::ByteSource& source, uint64_t index) {
  SPILLWAY_ASSIGN_OR_RETURN(frame::CacheFileReader reader, frame::CacheFileReader::Open(source));
  for (uint64_t i = 0;; ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(std::optional<frame::CacheRecord> record, reader.Next());
    if (!record.has_value()) {
      return absl::OutOfRangeError(
          base::Cat("there is no batch ", index, ", the file has ", Count(i, "batch", "batches")));
    }
    if (i == index) return CacheBatch{reader.schema(), std::move(record->envelope)};
  }
}

std::string SumsText(const CacheListing& listing) {
  return base::Cat(Count(static_cast<int64_t>(listing.batches.size()), "batch", "batches"), ", ",
                   Count(listing.rows(), "row", "rows"), ", ",
                   Count(listing.partitions(), "partition", "partitions"), ", ",
                   Count(listing.bytes(), "byte", "bytes"));
}

std::string ToText(const CacheListing& listing, std::string_view name) {
  if (listing.schema == nullptr) return "";
  std::string out = base::Cat(name, ": cache file, ", listing.schema->ToString(), "\n");
  for (size_t i = 0; i < listing.batches.size(); ++i) {
    const ListedBatch& batch = listing.batches[i];
    out += base::Cat("  batch ", i, ", byte ", batch.offset, ", partition ", batch.partition, ": ",
                     FormName(batch.form), ", ", Count(batch.rows, "row", "rows"), ", ",
                     Count(batch.bytes, "byte", "bytes"), "\n");
  }
  return base::Cat(out, SumsText(listing), "\n");
}

std::string ToJson(const CacheListing& listing, std::string_view name) {
  using Json = nlohmann::ordered_json;
  Json error = nullptr;
  if (!listing.status.ok()) {
    error = {{"message", base::ToStd(listing.status.message())}};
    const auto byte = base::ByteOffset(listing.status);
    if (byte.has_value()) error["byte"] = *byte;
  }
  Json batches = Json::array();
  for (const ListedBatch& batch : listing.batches) {
    batches.push_back({{"offset", batch.offset},
                       {"partition", batch.partition},
                       {"form", FormName(batch.form)},
                       {"rows", batch.rows},
                       {"bytes", batch.bytes}});
  }
  const Json schema = listing.schema == nullptr ? Json(nullptr) : Json(listing.schema->ToString());
  const Json out = {{"input", name},
                    {"schema", schema},
                    {"batches", std::move(batches)},
                    {"error", std::move(error)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spillway::inspect
