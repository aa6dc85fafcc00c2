// SPDX-License-Identifier: Apache-2.0
#include "src/memory/resumable_call.h"

#include "src/base/check.h"

namespace spillway::memory {

using Kind = Step::Kind;

void ResumableCall::Answer(absl::StatusOr<int64_t>) {
  SPILLWAY_CHECK(false, "this call asks for nothing that has an answer");
}

void CarryOut(Kind kind, ResumableCall& call) {
  const Request& request = call.request();
  switch (kind) {
    case Kind::kSpill:
      return call.Answer(request.spiller->Spill(request.bytes, *request.trigger));
    case Kind::kAcquire:
      return call.Answer(request.backend->Acquire(request.bytes));
    case Kind::kRelease: {
      const absl::Status status = request.backend->Release(request.bytes);
      return call.Answer(status.ok() ? absl::StatusOr<int64_t>(request.bytes) : status);
    }
    default:
      SPILLWAY_CHECK(false, "this step has no answer");
  }
}

}  // namespace spillway::memory
