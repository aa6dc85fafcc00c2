// SPDX-License-Identifier: Apache-2.0
#pragma once
// A monitor for real threads.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "src/memory/monitor.h"

namespace spillway::memory {

// The calling thread as a caller, the same object at each call.
Caller& ThisThread();

// Callers are ThisThread(). Neither fair nor in any order: as with Java's, a newcomer may get in
// before those who have waited.
class ThreadMonitor final : public Monitor {
 public:
  explicit ThreadMonitor(std::string name) : Monitor(std::move(name)) {}

  bool Enter(Caller& caller) override;
  void Exit(Caller& caller) override;
  bool Wait(Caller& caller) override;
  void NotifyAll(Caller& caller) override;

 private:
  bool OwnedBy(const Caller& caller) const {
    return owner_.load(std::memory_order_relaxed) == &caller;
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  // Only the owner itself ever finds itself here, so that no order is needed.
  std::atomic<const Caller*> owner_ = nullptr;
  int64_t depth_ = 0;  // guarded by mutex_, as is waiting_
  int64_t waiting_ = 0;
};

}  // namespace spillway::memory
