// SPDX-License-Identifier: Apache-2.0
#pragma once
// Monitors as Java has them, for real threads and for virtual time alike: the pools name them, and
// whoever runs a pool's calls says what they are.

#include <string>
#include <utility>

namespace spillway::memory {

// Who enters monitors: a thread (thread_monitor.h), or a process of virtual time, which derives
// from this. Known by its address.
class Caller {
 public:
  explicit Caller(std::string name) : name_(std::move(name)) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  const std::string& name() const { return name_; }

 private:
  const std::string name_;
};

// One owner at a time, who may enter again and leaves as often as it entered, and a set of callers
// that have left it to wait.
//
// Leaving, waiting and notifying are for the owner alone: by anybody else they are errors of the
// calling program, and end it.
class Monitor {
 public:
  explicit Monitor(std::string name) : name_(std::move(name)) {}
  virtual ~Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  const std::string& name() const { return name_; }

  // True: `caller` is inside. False: it has to stop here, and goes on, inside, when whoever runs
  // it says so. Monitors of real threads block instead, and return true.
  [[nodiscard]] virtual bool Enter(Caller& caller) = 0;

  virtual void Exit(Caller& caller) = 0;

  // Leaves entirely, waits to be notified, and comes in again as deep as before. The outcome is
  // that of Enter(). May return without a notification, as Java's may.
  [[nodiscard]] virtual bool Wait(Caller& caller) = 0;

  // Ends the wait of all who wait; each of them then enters when the monitor is free.
  virtual void NotifyAll(Caller& caller) = 0;

 private:
  const std::string name_;
};

}  // namespace spillway::memory
