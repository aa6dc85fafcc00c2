// SPDX-License-Identifier: Apache-2.0
#include "src/memory/thread_monitor.h"

#include "src/base/check.h"

namespace spillway::memory {
namespace {

constexpr char kOwner[] = "only its owner may leave a monitor, wait in it or notify";

}  // namespace

Caller& ThisThread() {
  static thread_local Caller caller("a thread");
  return caller;
}

bool ThreadMonitor::Enter(Caller& caller) {
  if (!OwnedBy(caller)) {
    mutex_.lock();
    owner_.store(&caller, std::memory_order_relaxed);
  }
  ++depth_;
  return true;
}

void ThreadMonitor::Exit(Caller& caller) {
  SPILLWAY_CHECK(OwnedBy(caller), kOwner);
  if (--depth_ > 0) return;
  owner_.store(nullptr, std::memory_order_relaxed);
  mutex_.unlock();
}

bool ThreadMonitor::Wait(Caller& caller) {
  SPILLWAY_CHECK(OwnedBy(caller), kOwner);
  const int64_t depth = std::exchange(depth_, 0);
  owner_.store(nullptr, std::memory_order_relaxed);
  ++waiting_;
  std::unique_lock lock(mutex_, std::adopt_lock);
  condition_.wait(lock);
  lock.release();
  --waiting_;
  owner_.store(&caller, std::memory_order_relaxed);
  depth_ = depth;
  return true;
}

void ThreadMonitor::NotifyAll(Caller& caller) {
  SPILLWAY_CHECK(OwnedBy(caller), kOwner);
  if (waiting_ > 0) condition_.notify_all();
}

}  // namespace spillway::memory
