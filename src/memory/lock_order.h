// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds deadlocks that did not happen: monitors that are entered in one order here and in another
// there.

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "src/memory/monitor.h"

namespace spillway::memory {

// Collects who was entered inside whom, by any caller. Thread-safe.
class LockOrder {
 public:
  // The first circle of monitors that were entered one inside the next: "T1 > U > T1". Empty:
  // there is none, and no schedule of these calls can deadlock by their order.
  std::string Circle() const;

  // Monitors that a caller held while it waited in another: "T1 during a wait in U".
  std::set<std::string> HeldDuringWaits() const;

  // Pairs: "T1 > U".
  std::set<std::string> Edges() const;

 private:
  friend class OrderedMonitor;

  void Enter(const Caller& caller, const Monitor& monitor);
  void Exit(const Caller& caller, const Monitor& monitor);
  void Wait(const Caller& caller, const Monitor& monitor);

  mutable std::mutex mutex_;
  std::map<const Caller*, std::vector<std::string>> held_;  // as often as entered
  std::map<std::string, std::set<std::string>> inside_;
  std::set<std::string> during_waits_;
};

// Tells `order` what happens to `monitor`. Both outlive it. Names of monitors differ.
class OrderedMonitor final : public Monitor {
 public:
  OrderedMonitor(Monitor& monitor, LockOrder& order)
      : Monitor(monitor.name()), monitor_(monitor), order_(order) {}

  bool Enter(Caller& caller) override;
  void Exit(Caller& caller) override;
  bool Wait(Caller& caller) override;
  void NotifyAll(Caller& caller) override { monitor_.NotifyAll(caller); }

 private:
  Monitor& monitor_;
  LockOrder& order_;
};

}  // namespace spillway::memory
