// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads whose programs are lists, for tests of cores and locks.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/model/cores.h"
#include "sim/model/exploration.h"
#include "sim/model/thread.h"
#include "src/memory/monitor.h"

namespace spillway::sim {

// One line of a program.
struct Action {
  enum class Kind : uint8_t {
    kBurn,  // `time` on a core
    kSleep,
    kBlock,  // until somebody wakes it
    kWake,   // `other`, which is blocked
    kEnter,  // these four: `lock`
    kExit,
    kWait,
    kNotifyAll,
    kIntoJava,
    kOutOfJava,
  };
  Kind kind;
  Duration time = 0;
  memory::Monitor* lock = nullptr;
  Thread* other = nullptr;
};

inline Action Burn(Duration time) { return {.kind = Action::Kind::kBurn, .time = time}; }
inline Action Sleep(Duration time) { return {.kind = Action::Kind::kSleep, .time = time}; }
inline Action Block() { return {.kind = Action::Kind::kBlock}; }
inline Action Wake(Thread& other) { return {.kind = Action::Kind::kWake, .other = &other}; }
inline Action Enter(memory::Monitor& lock) { return {.kind = Action::Kind::kEnter, .lock = &lock}; }
inline Action Exit(memory::Monitor& lock) { return {.kind = Action::Kind::kExit, .lock = &lock}; }
inline Action Wait(memory::Monitor& lock) { return {.kind = Action::Kind::kWait, .lock = &lock}; }
inline Action NotifyAll(memory::Monitor& lock) {
  return {.kind = Action::Kind::kNotifyAll, .lock = &lock};
}
inline Action IntoJava() { return {.kind = Action::Kind::kIntoJava}; }
inline Action OutOfJava() { return {.kind = Action::Kind::kOutOfJava}; }

class ScriptedThread final : public Thread {
 public:
  ScriptedThread(Cores& cores, std::string name, std::vector<Action> program)
      : Thread(std::move(name)), cores_(cores), program_(std::move(program)) {}

  // The instant at which line `line` of its program, from 0, was done; -1: it is not.
  Time done(size_t line) const { return line < done_.size() ? done_[line] : -1; }
  // The same of the last line.
  Time ended() const { return done(program_.size() - 1); }
  // Lines that are done.
  size_t line() const { return done_.size(); }

  // From now on `exploration`, which outlives this, may hold it up before each line.
  void set_exploration(Exploration& exploration) { exploration_ = &exploration; }

 private:
  void Run() override;
  // False: the thread stops here for now.
  bool Take(const Action& action);

  Cores& cores_;
  const std::vector<Action> program_;
  Exploration* exploration_ = nullptr;
  bool held_up_ = false;  // before the next line
  bool begun_ = false;
  std::vector<Time> done_;
};

// Pauses of given times.
class ScriptedPauses final : public Process {
 public:
  struct Pause {
    Time from;
    Time to;
  };

  // One after the other. To be started at time 0.
  ScriptedPauses(Cores& cores, std::vector<Pause> pauses)
      : Process("pauses"), cores_(cores), pauses_(std::move(pauses)) {}

 private:
  void Resume() override;

  Cores& cores_;
  const std::vector<Pause> pauses_;
  size_t next_ = 0;
  bool pausing_ = false;
};

// Cores with scripted threads.
struct ScriptedRun {
  explicit ScriptedRun(const CoreOptions& options) : cores(kernel, options) {}

  ScriptedThread& Start(std::string name, std::vector<Action> program, Time at = 0);
  void Pause(std::vector<ScriptedPauses::Pause> pauses);
  // To its end, or until `until`: the kernel's message, empty if all threads have ended.
  std::string Run(Time until = kEndOfTime);

  Kernel kernel;
  Cores cores;
  std::deque<ScriptedThread> threads;
  std::deque<ScriptedPauses> pauses;
};

}  // namespace spillway::sim
