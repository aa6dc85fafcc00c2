// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pending events of a run, earliest first; events of one instant come out in
// the order in which they went in.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/kernel/time.h"

namespace spillway::sim {

class Process;

// A 4-ary heap of plain 24-byte entries in one array: half the depth of a binary heap, and the four
// children of a node lie within two cache lines. The array only grows, so that a run in steady
// state allocates nothing for an event.
class EventQueue {
 public:
  struct Event {
    Time at = 0;
    uint64_t order = 0;  // counts pushes: breaks ties
    Process* process = nullptr;
  };

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }

  // The event that Pop would return. The queue is not empty.
  const Event& top() const { return heap_.front(); }

  // Returns the event's order, which no other event of this queue has.
  uint64_t Push(Time at, Process* process);
  Event Pop();  // the queue is not empty

 private:
  static constexpr size_t kArity = 4;

  static bool Before(const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.order < b.order;
  }

  std::vector<Event> heap_;
  uint64_t pushes_ = 0;
};

}  // namespace spillway::sim
