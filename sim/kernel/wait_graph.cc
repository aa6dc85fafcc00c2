// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/wait_graph.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr size_t kNamed = 10;   // processes of a kind, or of a circle
constexpr size_t kCircles = 3;  // with more than two or three, the rest is of the same making

using Processes = std::vector<const Process*>;

// The process that has to act for `process` to go on, if that one waits as well.
const Process* Blocker(const Process& process) {
  const Process* const holder = process.awaited() ? process.awaited()->holder() : nullptr;
  return holder != nullptr && holder->awaited() != nullptr ? holder : nullptr;
}

// Each process waits for one other at most, so that a walk from holder to holder ends in a circle,
// at one that was walked before, or at one that is not blocked by another.
std::vector<Processes> Circles(std::span<Process* const> live) {
  std::vector<Processes> circles;
  std::unordered_map<const Process*, size_t> walk_of;
  for (size_t walk = 0; walk < live.size(); ++walk) {
    const Process* process = live[walk];
    if (Blocker(*process) == nullptr) continue;  // as with most of those that are well
    while (process != nullptr && walk_of.emplace(process, walk).second) process = Blocker(*process);
    if (process == nullptr || walk_of[process] != walk) continue;
    Processes& circle = circles.emplace_back();
    const Process* member = process;
    do {
      circle.push_back(member);
      member = Blocker(*member);
    } while (member != process);
  }
  return circles;
}

std::string Waits(const Process& process) {
  return process.awaited() == nullptr
             ? base::Cat(process.name(), " waits for its time to come")
             : base::Cat(process.name(), " waits for ", process.awaited()->Describe());
}

template <typename Range, typename Say>
std::string Name(const Range& processes, const Say& say) {
  std::string out;
  for (size_t i = 0; i < std::min(kNamed, processes.size()); ++i) {
    out += base::Cat(i == 0 ? "" : "; ", say(*processes[i]));
  }
  if (processes.size() > kNamed) out += base::Cat("; and ", processes.size() - kNamed, " more");
  return out;
}

std::string Deadlocks(const std::vector<Processes>& circles) {
  std::string out;
  for (size_t i = 0; i < std::min(kCircles, circles.size()); ++i) {
    out += base::Cat(i == 0 ? "" : "; ", "deadlock: ", Name(circles[i], Waits));
  }
  if (circles.size() > kCircles) {
    out += base::Cat("; and ", circles.size() - kCircles, " more such circles");
  }
  return out;
}

void AddPart(std::string& out, const std::string& part) {
  if (!part.empty()) out += base::Cat(out.empty() ? "" : "; ", part);
}

}  // namespace

std::string DescribeStuck(std::span<Process* const> live) {
  const std::vector<Processes> circles = Circles(live);
  Processes unheld;
  Processes unreleased;
  size_t behind = 0;
  for (const Process* process : live) {
    const Process* const holder = process->awaited() ? process->awaited()->holder() : nullptr;
    if (holder == nullptr) {
      unheld.push_back(process);
    } else if (holder->idle()) {
      unreleased.push_back(process);
    } else {
      ++behind;
    }
  }
  for (const Processes& circle : circles) behind -= circle.size();

  std::string out = Deadlocks(circles);
  if (!unheld.empty()) {
    AddPart(out, base::Cat("lost wake-up: ", Name(unheld, [](const Process& process) {
                             return base::Cat(
                                 "nobody is left to wake ", process.name(), ", which waits for ",
                                 process.awaited() ? process.awaited()->Describe() : "nothing");
                           })));
  }
  if (!unreleased.empty()) {
    AddPart(out, base::Cat("never released: ", Name(unreleased, [](const Process& process) {
                             return base::Cat(Waits(process), ", which has finished");
                           })));
  }
  if (behind > 0) {
    AddPart(out, base::Cat(behind, behind == 1 ? " more waits" : " more wait", " behind these"));
  }
  return out;
}

std::string DescribeWaiting(std::span<Process* const> live) {
  std::string out = base::Cat(live.size(), live.size() == 1 ? " process" : " processes", " left");
  if (live.empty()) return out;
  out += base::Cat(": ", Name(live, Waits));
  AddPart(out, Deadlocks(Circles(live)));
  return out;
}

}  // namespace spillway::sim
