// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/preemptive_server.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "src/base/check.h"
#include "src/base/strings.h"

namespace spillway::sim {

PreemptiveServer::PreemptiveServer(Kernel& kernel, std::string name, int priorities)
    : kernel_(kernel), name_(std::move(name)), priorities_(priorities) {
  SPILLWAY_CHECK(priorities >= 1, "a server has a priority");
}

void PreemptiveServer::Enter(Process& process, Duration work, int priority) {
  SPILLWAY_CHECK(0 <= priority && priority < priorities_, "priority is below `priorities`");
  const Job job{.process = &process, .left = work, .priority = priority, .order = jobs_++};
  present_.Add(kernel_.now(), 1);
  if (current_.process == nullptr) {
    busy_.Set(kernel_.now(), 1);
  } else if (priority < current_.priority) {
    // At the very instant of its end its work is done, though it has not been resumed to say so.
    current_.left = kernel_.Cancel(*current_.process, *this);
    PutInLine(current_);
    ++preemptions_;
  } else {
    kernel_.Wait(process, *this);
    return PutInLine(job);
  }
  current_ = job;
  kernel_.ResumeAfter(process, work);
}

void PreemptiveServer::Leave(Process& process) {
  if (current_.process != &process) {
    return kernel_.Fail(absl::InternalError(
        base::Cat(process.name(), " leaves ", name_, ", which it does not hold")));
  }
  present_.Add(kernel_.now(), -1);
  if (line_.empty()) {
    current_ = {};
    return busy_.Set(kernel_.now(), 0);
  }
  std::pop_heap(line_.begin(), line_.end(), LessUrgent);
  current_ = line_.back();
  line_.pop_back();
  kernel_.Wake(*current_.process, current_.left);
}

void PreemptiveServer::PutInLine(const Job& job) {
  line_.push_back(job);
  std::push_heap(line_.begin(), line_.end(), LessUrgent);
}

std::string PreemptiveServer::Describe() const {
  if (current_.process == nullptr) return base::Cat(name_, ", held by nobody");
  return base::Cat(name_, ", held by ", current_.process->name());
}

}  // namespace spillway::sim
