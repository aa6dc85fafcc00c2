// SPDX-License-Identifier: Apache-2.0
#include "src/cli/batch_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/base/suggest.h"
#include "src/cli/batch_file.h"
#include "src/cli/batch_format.h"
#include "src/cli/cache_input.h"
#include "src/cli/file.h"
#include "src/cli/input_flags.h"
#include "src/cli/number.h"
#include "src/frame/cache_file.h"
#include "src/frame/content.h"
#include "src/frame/envelope.h"
#include "src/shuffle/workload.h"
#include "src/vector/schema_d.h"
#include "src/vector/schema_s.h"

namespace spillway::cli {
namespace {

using vector::Batch;

constexpr std::string_view kGenerated = "gen:";

struct Generator {
  std::string_view name;
  int64_t most_rows;
  Batch (*make)(int64_t first, int64_t rows);
};

constexpr std::array<Generator, 4> kGenerators = {{
    {"i64x2", vector::kMaxSchemaSRow,
     [](int64_t first, int64_t rows) {
       return shuffle::WorkloadRows(shuffle::Workload::kI64x2, first, rows);
     }},
    {"mix", vector::kMaxSchemaSRow,
     [](int64_t first, int64_t rows) {
       return shuffle::WorkloadRows(shuffle::Workload::kMix, first, rows);
     }},
    {"s", vector::kMaxSchemaSRow, vector::SchemaSBatch},
    {"d", INT32_MAX, vector::SchemaDBatch},
}};

absl::StatusOr<BatchSource> Generate(std::string_view spec, int64_t batch_rows) {
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const auto* const generator =
      std::find_if(kGenerators.begin(), kGenerators.end(),
                   [&](const Generator& known) { return known.name == name; });
  if (generator == kGenerators.end()) {
    std::vector<std::string> names;
    for (const Generator& known : kGenerators) names.emplace_back(known.name);
    const std::string nearest = base::Nearest(name, names);
    return base::Invalid(
        "`", name, "` is no generator; ",
        nearest.empty() ? "i64x2, mix, s and d are" : base::Cat("did you mean `", nearest, "`?"));
  }
  if (colon == std::string_view::npos) {
    return base::Invalid("how many rows? `gen:", name, ":1000000` has a million");
  }
  const std::string text(spec.substr(colon + 1));
  const std::string complaint = CheckInteger(text, 0, generator->most_rows);
  if (!complaint.empty()) return base::Invalid("rows: ", complaint);
  const int64_t rows = std::stoll(text);

  const auto at = std::make_shared<int64_t>(0);
  return BatchSource{.schema = generator->make(0, 0).schema(),
                     .next = [=, make = generator->make]() -> absl::StatusOr<std::optional<Batch>> {
                       if (*at == rows) return std::nullopt;
                       const int64_t count = std::min(batch_rows, rows - *at);
                       return make(std::exchange(*at, *at + count), count);
                     },
                     .done = [=] { return *at; },
                     .total = std::max<int64_t>(1, rows)};
}

// A file that is read batch by batch.
struct OpenCache {
  std::unique_ptr<frame::ByteSource> bytes;
  std::optional<frame::CacheFileReader> reader;
  int64_t batch = 0;
  int64_t offset = 0;
};

absl::StatusOr<BatchSource> Replay(const std::string& path,
                                   std::unique_ptr<frame::ByteSource> bytes, int64_t size) {
  const auto cache = std::make_shared<OpenCache>();
  cache->bytes = std::move(bytes);
  SPILLWAY_ASSIGN_OR_RETURN(frame::CacheFileReader reader,
                            frame::CacheFileReader::Open(*cache->bytes));
  cache->reader.emplace(std::move(reader));
  const auto next = [cache]() -> absl::StatusOr<std::optional<Batch>> {
    SPILLWAY_ASSIGN_OR_RETURN(std::optional<frame::CacheRecord> record, cache->reader->Next());
    if (!record.has_value()) return std::nullopt;
    cache->offset = record->offset;
    absl::StatusOr<frame::Content> content =
        frame::ReadEnvelopeContent(cache->reader->schema(), record->envelope, {.lazy = false});
    if (!content.ok()) return base::In(base::Cat("batch ", cache->batch), content.status());
    ++cache->batch;
    return std::move(content->batch);
  };
  return BatchSource{.schema = cache->reader->schema(),
                     .next = [next, path]() -> absl::StatusOr<std::optional<Batch>> {
                       return base::In(path, next());
                     },
                     .done = [cache] { return cache->offset; },
                     .total = std::max<int64_t>(1, size)};
}

absl::StatusOr<BatchSource> One(const std::string& path, BatchKind kind) {
  const InputFlags flags;
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, flags.max_bytes));
  SPILLWAY_ASSIGN_OR_RETURN(Batch batch, ReadNeutral(kind, text, path, flags.max_bytes));
  const auto left = std::make_shared<std::optional<Batch>>(batch);
  return BatchSource{.schema = batch.schema(),
                     .next = [left]() -> absl::StatusOr<std::optional<Batch>> {
                       return std::exchange(*left, std::nullopt);
                     },
                     .done = [left] { return left->has_value() ? 0 : 1; },
                     .total = 1};
}

}  // namespace

absl::StatusOr<BatchSource> OpenBatchSource(const std::string& input, int64_t batch_rows) {
  if (std::string_view(input).starts_with(kGenerated)) {
    return base::In(input, Generate(std::string_view(input).substr(kGenerated.size()), batch_rows));
  }
  const BatchFormat format = FormatOfPath(input);
  if (format.kind.has_value() && !FormOf(*format.kind).has_value()) return One(input, *format.kind);
  if (auto cache = OpenCacheFile(input, {})) {
    std::error_code ignored;
    const auto size = static_cast<int64_t>(std::filesystem::file_size(input, ignored));
    return base::In(input, Replay(input, std::move(cache), size));
  }
  SPILLWAY_RETURN_IF_ERROR(ReadFile(input, InputFlags().max_bytes).status());
  return base::Invalid(input,
                       ": neither a cache file nor named *.textproto or *.json; a page or "
                       "frame becomes one of these with `spillway convert`");
}

}  // namespace spillway::cli
