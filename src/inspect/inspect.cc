// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/inspect.h"

#include <utility>

#include "src/base/status.h"
#include "src/inspect/walker.h"

namespace spillway::inspect {
namespace {

// Whether `a` lies at or before `b` in the input. What is decompressed comes after the header and
// before nothing that is looked at later.
bool ComesFirst(const absl::Status& a, const absl::Status& b) {
  if (b.ok()) return true;
  if (IsInDecompressed(a) != IsInDecompressed(b)) return IsInDecompressed(b);
  return base::ByteOffset(a).value_or(0) <= base::ByteOffset(b).value_or(0);
}

}  // namespace

Inspection Inspect(const vector::Buffer& bytes, const InspectOptions& options) {
  Inspection out;
  out.form = options.form.value_or(RecognizeForm(bytes.view()));
  out.guessed = options.schema == nullptr;
  Walked walked = Walk(out.form, options.schema, bytes, options.walk);
  out.whole = std::move(walked.whole);
  out.schema = std::move(walked.schema);
  out.status = ReadForm(out.form, out.schema, bytes, options.walk.read).status();
  if (out.guessed && !walked.stop.ok() && ComesFirst(walked.stop, out.status)) {
    out.status = std::move(walked.stop);
  }
  return out;
}

}  // namespace spillway::inspect
