// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing a batch in the best form that the native side can give, and reading one whose bytes may
// be damaged (FORMAT section 7). docs/format/fallback.md.

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "src/frame/capability.h"
#include "src/frame/content.h"
#include "src/frame/fallback_log.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

// The functions of a native library that write batches, one a form. Called from many threads.
class FormatWriter {
 public:
  virtual ~FormatWriter() = default;

  //   OK             the bytes; nullopt: it returned nothing, as a library does that cannot
  //   Unimplemented  the library has no such function
  //   otherwise      this batch cannot be written
  virtual absl::StatusOr<std::optional<vector::Buffer>> Write(Format format,
                                                              const vector::Batch& batch,
                                                              bool statistics) const = 0;
};

// This library's own writers.
class OwnFormatWriter final : public FormatWriter {
 public:
  absl::StatusOr<std::optional<vector::Buffer>> Write(Format format, const vector::Batch& batch,
                                                      bool statistics) const override;
};

// Writes a batch without rows and columns in the form that is asked for. Borrows the writer.
CapabilityLatch::Probe ProbeByWriting(const FormatWriter& writer);

struct Written {
  Format format;
  vector::Buffer bytes;
};

// Writes `batch` in the form that `latch` and `statistics` choose.
//
//   missing function, or no result   `latch` goes down for good, and the next form is tried
//   a frame whose structure is bad   `log` counts it and this batch takes the next form; `latch`
//                                    stays
//
//   OK           the bytes and their form, which stays what it is
//   Unavailable  no form can be written
//   otherwise    as the writer says of this batch, or what is wrong with the last form's bytes
absl::StatusOr<Written> WriteWithFallback(const vector::Batch& batch, bool statistics,
                                          const FormatWriter& writer, CapabilityLatch& latch,
                                          FallbackLog& log);

// The content of `bytes`; where they cannot be read, what `recompute` makes of this one batch, and
// `log` counts it. Columns of a lazy V3 batch are not looked into: their errors come when they are
// loaded. OutOfRange is the caller's error and not the bytes'; it is returned.
absl::StatusOr<Content> ReadWithFallback(
    const vector::TypePtr& schema, const vector::Buffer& bytes, const ContentOptions& options,
    const std::function<absl::StatusOr<Content>()>& recompute, FallbackLog& log);

}  // namespace spillway::frame
