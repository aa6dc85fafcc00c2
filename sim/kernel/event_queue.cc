// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/event_queue.h"

#include <algorithm>

namespace spillway::sim {

uint64_t EventQueue::Push(Time at, Process* process) {
  const Event event{at, pushes_++, process};
  size_t hole = heap_.size();
  heap_.push_back(event);
  while (hole > 0) {
    const size_t parent = (hole - 1) / kArity;
    if (!Before(event, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = event;
  return event.order;
}

EventQueue::Event EventQueue::Pop() {
  const Event first = heap_.front();
  const Event last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return first;
  size_t hole = 0;
  while (true) {
    const size_t begin = hole * kArity + 1;
    if (begin >= heap_.size()) break;
    const size_t end = std::min(begin + kArity, heap_.size());
    size_t child = begin;
    for (size_t i = begin + 1; i < end; ++i) {
      if (Before(heap_[i], heap_[child])) child = i;
    }
    if (!Before(heap_[child], last)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = last;
  return first;
}

}  // namespace spillway::sim
