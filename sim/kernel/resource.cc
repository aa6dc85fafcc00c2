// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/resource.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"
#include "src/base/strings.h"

namespace spillway::sim {

Resource::Resource(Kernel& kernel, std::string name, int servers, int priorities)
    : kernel_(kernel), name_(std::move(name)), servers_(static_cast<size_t>(servers)) {
  SPILLWAY_CHECK(servers >= 1 && priorities >= 1, "a resource has a server and a priority");
  for (int i = 0; i < priorities; ++i) lines_.emplace_back(kernel);
  served_.reserve(servers_);
}

bool Resource::Enter(Process& process, int priority) {
  Line& line = lines_[static_cast<size_t>(priority)];
  if (served_.size() < servers_) {
    Serve(process, line, 0);
    return true;
  }
  joined_ += kernel_.now();
  line_length_.Add(kernel_.now(), 1);
  line.processes.Join(process, *this);
  return false;
}

void Resource::Leave(Process& process) {
  const auto served = std::find_if(served_.begin(), served_.end(),
                                   [&](const Served& s) { return s.process == &process; });
  if (served == served_.end()) {
    return kernel_.Fail(absl::InternalError(
        base::Cat(process.name(), " leaves ", name_, ", which it does not hold")));
  }
  service_.Record(kernel_.now() - served->since);
  *served = served_.back();
  served_.pop_back();
  busy_.Add(kernel_.now(), -1);
  for (Line& line : lines_) {
    if (line.processes.empty()) continue;
    const WaitLine::Woken next = line.processes.WakeFirst();
    joined_ -= kernel_.now() - next.waited;
    line_length_.Add(kernel_.now(), -1);
    return Serve(next.process, line, next.waited);
  }
}

void Resource::Serve(Process& process, Line& line, Duration waited) {
  line.wait.Record(waited);
  served_.push_back({&process, kernel_.now()});
  busy_.Add(kernel_.now(), 1);
}

int64_t Resource::UtilisationPpm() const {
  const Time now = kernel_.now();
  if (now == 0) return 0;
  return static_cast<int64_t>(busy_.Area(now) * 1'000'000 / now / servers_);
}

absl::Status Resource::CheckLittle() const {
  const __int128 now = kernel_.now();
  __int128 waited = now * waiting() - joined_;
  for (const Line& line : lines_) waited += static_cast<__int128>(line.wait.sum());
  if (line_length_.Area(kernel_.now()) != waited) {
    return absl::InternalError(
        base::Cat("the line before ", name_, " and the waits in it do not agree"));
  }
  auto served = static_cast<__int128>(service_.sum());
  for (const Served& s : served_) served += now - s.since;
  if (busy_.Area(kernel_.now()) != served) {
    return absl::InternalError(
        base::Cat("the busy servers of ", name_, " and the times of service do not agree"));
  }
  return absl::OkStatus();
}

std::string Resource::Describe() const {
  if (served_.empty()) return base::Cat(name_, ", held by nobody");
  std::string out = base::Cat(name_, ", held by ", served_.front().process->name());
  if (served_.size() > 1) out += base::Cat(" and ", served_.size() - 1, " more");
  return out;
}

const Process* Resource::holder() const {
  const bool all_wait = std::all_of(served_.begin(), served_.end(), [](const Served& s) {
    return s.process->awaited() != nullptr;
  });
  if (served_.empty() || (servers_ > 1 && !all_wait)) return nullptr;
  return served_.front().process;
}

}  // namespace spillway::sim
