// SPDX-License-Identifier: Apache-2.0
#include "src/cache/dump.h"

#include <map>
#include <optional>
#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/cache_file.h"

namespace spillway::cache {

absl::StatusOr<Dump> LoadDump(frame::ByteSource& source, int64_t max_bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(frame::CacheFileReader reader, frame::CacheFileReader::Open(source));
  Dump dump{.schema = reader.schema()};
  std::map<uint32_t, size_t> places;
  while (true) {
    SPILLWAY_ASSIGN_OR_RETURN(std::optional<frame::CacheRecord> record, reader.Next());
    if (!record.has_value()) break;
    frame::Envelope& envelope = record->envelope;
    dump.bytes += envelope.payload.size();
    if (envelope.stats.has_value()) dump.bytes += envelope.stats->size();
    if (dump.bytes > max_bytes) {
      return base::In(base::Cat("batch ", dump.batches),
                      base::Exhausted("the batches need ", dump.bytes, " bytes, the limit is ",
                                      max_bytes));
    }
    ++dump.batches;
    dump.rows += envelope.rows;
    const size_t place = places.try_emplace(record->partition, places.size()).first->second;
    if (place == dump.partitions.size()) dump.partitions.emplace_back();
    dump.partitions[place].push_back(std::move(envelope));
  }
  if (dump.rows == 0) return base::Invalid("no rows in ", dump.batches, " batches");
  return dump;
}

BatchSource Replay(const Dump& dump, int64_t partition) {
  return [&dump, partition, next = size_t{0}]() mutable
             -> absl::StatusOr<std::optional<vector::Batch>> {
    const std::vector<frame::Envelope>& envelopes = dump.partitions[partition];
    if (next == envelopes.size()) return std::nullopt;
    SPILLWAY_ASSIGN_OR_RETURN(
        frame::Content content,
        frame::ReadEnvelopeContent(dump.schema, envelopes[next++], {.lazy = false}));
    return std::move(content.batch);
  };
}

}  // namespace spillway::cache
