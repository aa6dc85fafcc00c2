// SPDX-License-Identifier: Apache-2.0
#pragma once
// The actors of a run, and what they wait for.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/kernel/time.h"

namespace spillway::sim {

class Process;

// Something that a process can wait for; known to the kernel only for its messages.
class Awaited {
 public:
  virtual ~Awaited() = default;
  // As in "waits for ...", with the holder if there is one: `monitor pool, held by slot 3`.
  virtual std::string Describe() const = 0;
  // Who has to act for the wait to end; null if nobody in particular.
  virtual const Process* holder() const { return nullptr; }
};

// An actor, written as a state machine: Resume() runs it from one wait to the next. Measured faster
// than coroutines, see docs/simulator/kernel.md.
class Process {
 public:
  explicit Process(std::string name) : name_(std::move(name)) {}
  // Named `kind number`, put together when it is asked for: one of many.
  Process(std::string kind, int64_t number) : number_(number), name_(std::move(kind)) {}
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::string name() const;

  // What it waits for, until somebody wakes it; null if it is not waiting.
  const Awaited* awaited() const {
    return state_ == State::kWaiting || state_ == State::kInLine ? awaited_ : nullptr;
  }
  // Not started, or finished.
  bool idle() const { return state_ == State::kIdle; }

 protected:
  // Runs at the instant Kernel::now(). Before it returns it has arranged what comes next: a later
  // event (ResumeAfter), a wait for another process (Wait, WaitLine::Join), or its end (Finish).
  virtual void Resume() = 0;

 private:
  friend class Kernel;
  friend class WaitLine;

  enum class State : uint8_t { kIdle, kScheduled, kWaiting, kInLine, kRunning };

  // What an event touches comes first.
  State state_ = State::kIdle;
  uint32_t ticket_ = 0;  // an event with another one was cancelled
  Time resumes_at_ = 0;  // while it is scheduled
  const Awaited* awaited_ = nullptr;
  Time waiting_since_ = 0;
  Process* next_in_line_ = nullptr;
  size_t live_index_ = 0;
  int64_t number_ = -1;
  std::string name_;
};

}  // namespace spillway::sim
