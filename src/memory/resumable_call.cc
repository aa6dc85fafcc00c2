// SPDX-License-Identifier: Apache-2.0
#include "src/memory/resumable_call.h"

#include "src/base/check.h"

namespace spillway::memory {

using Kind = Step::Kind;

void ResumableCall::Answer(absl::StatusOr<int64_t>) {
  SPILLWAY_CHECK(false, "this call asks for nothing that has an answer");
}

bool TakeLockStep(const Step& step, Caller& caller) {
  switch (step.kind) {
    case Kind::kEnter:
      return step.monitor->Enter(caller);
    case Kind::kExit:
      step.monitor->Exit(caller);
      return true;
    case Kind::kWait:
      return step.monitor->Wait(caller);
    case Kind::kNotifyAll:
      step.monitor->NotifyAll(caller);
      return true;
    default:
      return true;
  }
}

void RunBlocking(ResumableCall& call, Caller& caller) {
  for (;;) {
    const Step step = call.Next();
    switch (step.kind) {
      case Kind::kDone:
        return;
      case Kind::kSpill:
        call.Answer(step.spiller->Spill(step.bytes, *step.trigger));
        break;
      case Kind::kAcquire:
        call.Answer(step.backend->Acquire(step.bytes));
        break;
      case Kind::kRelease: {
        const absl::Status status = step.backend->Release(step.bytes);
        call.Answer(status.ok() ? absl::StatusOr<int64_t>(step.bytes) : status);
        break;
      }
      default:
        SPILLWAY_CHECK(TakeLockStep(step, caller), "RunBlocking needs monitors of threads");
    }
  }
}

}  // namespace spillway::memory
