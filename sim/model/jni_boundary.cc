// SPDX-License-Identifier: Apache-2.0
#include "sim/model/jni_boundary.h"

#include <utility>

#include "absl/status/statusor.h"
#include "src/base/status.h"

namespace spillway::sim {

JniBoundary::JniBoundary(Kernel& kernel, memory::Pool& pool, const Jni& jni, Empirical crossing)
    : kernel_(kernel),
      pool_(pool),
      crossing_(std::move(crossing)),
      attach_(jni.attach_ns() * kNanosecond),
      inside_permille_(jni.inside_permille()),
      monitor_(kernel, "of the pool") {}

void PoolCall::Begin(Kind kind, int64_t bytes, bool attach) {
  kind_ = kind;
  bytes_ = bytes;
  granted_ = false;
  crossings_ = 0;
  duration_ = waited_ = 0;
  BeginCrossing(attach ? boundary_.attach_ : 0);
}

void PoolCall::BeginCrossing(Duration attach) {
  const Duration whole = boundary_.crossing_.Sample(random_);
  inside_ = whole / 1000 * boundary_.inside_permille_ +
            whole % 1000 * boundary_.inside_permille_ / 1000;
  before_ = (whole - inside_) / 2;
  after_ = whole - inside_ - before_;
  attach_ = attach;
  began_ = boundary_.kernel_.now();
  step_ = Step::kLeaveNative;
}

bool PoolCall::Advance() {
  Kernel& kernel = boundary_.kernel_;
  switch (step_) {
    case Step::kLeaveNative:
      step_ = Step::kAtMonitor;
      kernel.ResumeAfter(process_, attach_ + before_);
      return false;
    case Step::kAtMonitor:
      at_monitor_ = kernel.now();
      step_ = Step::kInside;
      if (!boundary_.monitor_.Enter(process_)) return false;
      [[fallthrough]];
    case Step::kInside:
      waited_ += kernel.now() - at_monitor_;
      boundary_.times_.waiting += kernel.now() - at_monitor_;
      if (const absl::Status fault = UsePool(); !fault.ok()) kernel.Fail(fault);
      step_ = Step::kBackToNative;
      kernel.ResumeAfter(process_, inside_);
      return false;
    case Step::kBackToNative:
      boundary_.monitor_.Exit(process_);
      step_ = Step::kArrived;
      kernel.ResumeAfter(process_, after_);
      return false;
    case Step::kArrived:
      Arrive();
      if (kind_ != Kind::kAcquire || granted_) return true;
      kind_ = Kind::kReturnNothing;
      BeginCrossing(0);
      return Advance();
  }
  return true;
}

absl::Status PoolCall::UsePool() {
  switch (kind_) {
    case Kind::kAcquire: {
      SPILLWAY_ASSIGN_OR_RETURN(const memory::Grant grant, boundary_.pool_.TryGrow(bytes_));
      granted_ = grant.granted;
      break;
    }
    case Kind::kRelease:
      SPILLWAY_RETURN_IF_ERROR(boundary_.pool_.Shrink(bytes_));
      break;
    case Kind::kReturnNothing:  // the pools here give all or nothing
      return absl::OkStatus();
  }
  boundary_.reserved_.Set(boundary_.kernel_.now(), boundary_.pool_.reserved());
  return absl::OkStatus();
}

void PoolCall::Arrive() {
  const Duration taken = boundary_.kernel_.now() - began_;
  ++crossings_;
  duration_ += taken;
  boundary_.crossings_.Record(taken - attach_);
  boundary_.times_.attach += attach_;
  boundary_.times_.outside += before_ + after_;
  boundary_.times_.bookkeeping += inside_;
}

}  // namespace spillway::sim
