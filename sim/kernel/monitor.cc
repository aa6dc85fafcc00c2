// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/monitor.h"

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {

bool Monitor::Enter(Process& process) {
  if (owner_ == nullptr) {
    Own(process, 0);
    return true;
  }
  if (owner_ == &process) {
    kernel_.Fail(absl::InternalError(
        base::Cat(process.name(), " enters monitor ", name_, ", which it holds already")));
  }
  ++contended_;
  line_length_.Add(kernel_.now(), 1);
  line_.Join(process, *this);
  return false;
}

void Monitor::Exit(Process& process) {
  if (owner_ != &process) {
    return kernel_.Fail(absl::InternalError(
        base::Cat(process.name(), " leaves monitor ", name_, ", which it does not hold")));
  }
  held_ += kernel_.now() - owned_since_;
  owner_ = nullptr;
  if (line_.empty()) return;
  line_length_.Add(kernel_.now(), -1);
  const WaitLine::Woken next = line_.WakeFirst();
  Own(next.process, next.waited);
}

void Monitor::Own(Process& process, Duration waited) {
  owner_ = &process;
  owned_since_ = kernel_.now();
  wait_.Record(waited);
}

std::string Monitor::Describe() const {
  if (owner_ == nullptr) return base::Cat("monitor ", name_, ", held by nobody");
  return base::Cat("monitor ", name_, ", held by ", owner_->name());
}

}  // namespace spillway::sim
