// SPDX-License-Identifier: Apache-2.0
// Coverage-guided: any bytes as a shuffle block. What is read is written again as a block of the
// same rows, whatever codec and encodings it came with.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/arrow/pieces.h"
#include "src/shuffle/block.h"
#include "src/vector/compare.h"

namespace {

using spillway::shuffle::BlockWriter;
using spillway::shuffle::ReadBlock;
using spillway::vector::Batch;
using spillway::vector::Buffer;

constexpr int64_t kMaxBytes = 1 << 20;

void Check(bool holds, const std::string& rule) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", rule.c_str());
  std::abort();
}

// Microseconds may be out of the range that Arrow's other units have, and maps may have null keys.
bool MayBeRefused(const spillway::vector::Type& type) {
  const auto kind = type.kind();
  return kind == spillway::vector::Kind::kTimestamp || kind == spillway::vector::Kind::kMap ||
         std::any_of(type.children().begin(), type.children().end(),
                     [](const auto& child) { return MayBeRefused(*child); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto batch = ReadBlock(Buffer::Copy(bytes), {.max_bytes = kMaxBytes});
  // Rows that take no memory are many for nothing.
  if (!batch.ok() || batch->rows() == 0 || batch->rows() > 100'000) return 0;
  auto writer = *BlockWriter::Create(
      batch->schema(),
      {.codec = spillway::shuffle::BlockCodec::kNone, .stream = {.max_bytes = 64 * kMaxBytes}});
  spillway::arrow::Pieces block;
  const auto written = writer.Append(*batch, block);
  if (!written.ok()) {
    Check(MayBeRefused(*batch->schema()) || written.code() == absl::StatusCode::kResourceExhausted,
          "what was read is refused: " + written.ToString());
    return 0;
  }
  const auto again = ReadBlock(Buffer::Copy(block.ToString()));
  Check(again.ok(), "what was written is refused: " + again.status().ToString());
  const auto difference = spillway::vector::FirstDifference(*batch, *again);
  // Nanoseconds are rounded to microseconds.
  Check(!difference.has_value() || MayBeRefused(*batch->schema()),
        "read, written and read again: " + difference.value_or(""));
  return 0;
}
