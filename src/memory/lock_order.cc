// SPDX-License-Identifier: Apache-2.0
#include "src/memory/lock_order.h"

#include <algorithm>
#include <iterator>

#include "src/base/strings.h"

namespace spillway::memory {
namespace {

using Graph = std::map<std::string, std::set<std::string>>;

// The way from the last of `path` back to its first, if there is one, is appended.
bool FindCircle(const Graph& inside, std::vector<std::string>& path, std::set<std::string>& seen) {
  const auto found = inside.find(path.back());
  if (found == inside.end()) return false;
  for (const std::string& next : found->second) {
    const bool closes = next == path.front();
    if (!closes && !seen.insert(next).second) continue;
    path.push_back(next);
    if (closes || FindCircle(inside, path, seen)) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace

void LockOrder::Enter(const Caller& caller, const Monitor& monitor) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string>& held = held_[&caller];
  if (std::find(held.begin(), held.end(), monitor.name()) == held.end()) {
    for (const std::string& outer : held) inside_[outer].insert(monitor.name());
  }
  held.push_back(monitor.name());
}

void LockOrder::Exit(const Caller& caller, const Monitor& monitor) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string>& held = held_[&caller];
  const auto last = std::find(held.rbegin(), held.rend(), monitor.name());
  if (last != held.rend()) held.erase(std::next(last).base());
  if (held.empty()) held_.erase(&caller);
}

void LockOrder::Wait(const Caller& caller, const Monitor& monitor) {
  const std::lock_guard lock(mutex_);
  for (const std::string& held : held_[&caller]) {
    if (held == monitor.name()) continue;
    during_waits_.insert(base::Cat(held, " during a wait in ", monitor.name()));
  }
}

std::string LockOrder::Circle() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [outer, inner] : inside_) {
    std::vector<std::string> path = {outer};
    std::set<std::string> seen = {outer};
    if (!FindCircle(inside_, path, seen)) continue;
    std::string text;
    for (const std::string& name : path) text += base::Cat(text.empty() ? "" : " > ", name);
    return text;
  }
  return "";
}

std::set<std::string> LockOrder::HeldDuringWaits() const {
  const std::lock_guard lock(mutex_);
  return during_waits_;
}

std::set<std::string> LockOrder::Edges() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> edges;
  for (const auto& [outer, inside] : inside_) {
    for (const std::string& inner : inside) edges.insert(base::Cat(outer, " > ", inner));
  }
  return edges;
}

bool OrderedMonitor::Enter(Caller& caller) {
  order_.Enter(caller, *this);
  return monitor_.Enter(caller);
}

void OrderedMonitor::Exit(Caller& caller) {
  order_.Exit(caller, *this);
  monitor_.Exit(caller);
}

bool OrderedMonitor::Wait(Caller& caller) {
  order_.Wait(caller, *this);
  return monitor_.Wait(caller);
}

}  // namespace spillway::memory
