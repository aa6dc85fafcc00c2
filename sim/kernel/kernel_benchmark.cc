// SPDX-License-Identifier: Apache-2.0
// The kernel and its parts, in events or values a second; and the same processes as coroutines.
//   bazel run --config=native //sim/kernel:kernel_benchmark

#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <utility>

#include "benchmark/benchmark.h"
#include "sim/kernel/bare_load.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/exponential.h"
#include "sim/kernel/histogram.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/process.h"
#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {
namespace {

constexpr uint64_t kEvents = 100'000;

void MM1(benchmark::State& state) {
  BareMM1 queue;
  for (auto _ : state) queue.Run(kEvents);
  state.SetItemsProcessed(state.iterations() * kEvents);
}
BENCHMARK(MM1);

void Hold(benchmark::State& state) {
  BareHold hold(static_cast<int>(state.range(0)));
  hold.Run(4 * static_cast<uint64_t>(state.range(0)));
  for (auto _ : state) hold.Run(kEvents);
  state.SetItemsProcessed(state.iterations() * kEvents);
}
BENCHMARK(Hold)->Arg(10)->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000);

struct Nothing final : Process {
  Nothing() : Process("nothing") {}
  void Resume() override {}
};

void QueueOnly(benchmark::State& state) {
  EventQueue queue;
  Nothing nothing;
  base::Random random(1);
  for (int64_t i = 0; i < state.range(0); ++i) {
    queue.Push(SampleExponential(random, kMicrosecond), &nothing);
  }
  for (auto _ : state) {
    const Time now = queue.Pop().at;
    queue.Push(now + SampleExponential(random, kMicrosecond), &nothing);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(QueueOnly)->Arg(2)->Arg(10)->Arg(1'000);

void Exponential(benchmark::State& state) {
  base::Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(SampleExponential(random, kMicrosecond));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Exponential);

void Record(benchmark::State& state) {
  base::Random random(1);
  Histogram histogram;
  for (auto _ : state) histogram.Record(static_cast<int64_t>(random.Next() >> 34));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Record);

// A coroutine that a process resumes, and that another coroutine may await.
class Coroutine {
 public:
  struct promise_type {
    Coroutine get_return_object() {
      return Coroutine(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct ToCaller {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().caller;
        }
        void await_resume() noexcept {}
      };
      return ToCaller{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }

    std::coroutine_handle<> caller = std::noop_coroutine();
  };

  explicit Coroutine(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Coroutine(Coroutine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Coroutine(const Coroutine&) = delete;
  Coroutine& operator=(const Coroutine&) = delete;
  ~Coroutine() {
    if (handle_) handle_.destroy();
  }

  std::coroutine_handle<> handle() const { return handle_; }

  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() const {}

 private:
  std::coroutine_handle<promise_type> handle_;
};

// A round of three waits, two of which are those of a part that a model would write as a function:
// entering a lock, say. As a coroutine, with the part as one of its own, or not; or by hand.
enum class Style { kByHand, kCoroutine, kNested };

class Rounds final : public Process {
 public:
  Rounds(Kernel& kernel, base::Random& random, Style style)
      : Process("rounds"),
        kernel_(kernel),
        random_(random),
        style_(style),
        body_(style == Style::kNested ? Nested() : Flat()) {
    innermost_ = body_.handle();
  }

 private:
  void Resume() override {
    if (style_ != Style::kByHand) return innermost_.resume();
    state_ = state_ == 2 ? 0 : state_ + 1;
    kernel_.ResumeAfter(*this, SampleExponential(random_, (state_ + 1) * kMicrosecond));
  }

  auto Pause(Duration mean) {
    struct Suspended {
      Rounds& rounds;
      Duration mean;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> handle) const {
        rounds.innermost_ = handle;
        rounds.kernel_.ResumeAfter(rounds, SampleExponential(rounds.random_, mean));
      }
      void await_resume() const {}
    };
    return Suspended{*this, mean};
  }

  Coroutine Flat() {
    while (true) {
      co_await Pause(kMicrosecond);
      co_await Pause(2 * kMicrosecond);
      co_await Pause(3 * kMicrosecond);
    }
  }

  Coroutine Part() {
    co_await Pause(2 * kMicrosecond);
    co_await Pause(3 * kMicrosecond);
  }

  Coroutine Nested() {
    while (true) {
      co_await Pause(kMicrosecond);
      co_await Part();
    }
  }

  Kernel& kernel_;
  base::Random& random_;
  Style style_;
  Coroutine body_;
  std::coroutine_handle<> innermost_;
  int state_ = 2;
};

void RunRounds(benchmark::State& state, Style style) {
  Kernel kernel;
  base::Random random(1);
  std::deque<Rounds> processes;
  for (int i = 0; i < state.range(0); ++i) {
    kernel.Start(processes.emplace_back(kernel, random, style));
  }
  for (auto _ : state) kernel.Run({.max_events = kernel.events() + kEvents}).IgnoreError();
  state.SetItemsProcessed(state.iterations() * kEvents);
}

void RoundsByHand(benchmark::State& state) { RunRounds(state, Style::kByHand); }
void RoundsAsCoroutine(benchmark::State& state) { RunRounds(state, Style::kCoroutine); }
void RoundsAsNestedCoroutines(benchmark::State& state) { RunRounds(state, Style::kNested); }
BENCHMARK(RoundsByHand)->Arg(2)->Arg(10)->Arg(1'000);
BENCHMARK(RoundsAsCoroutine)->Arg(2)->Arg(10)->Arg(1'000);
BENCHMARK(RoundsAsNestedCoroutines)->Arg(2)->Arg(10)->Arg(1'000);

}  // namespace
}  // namespace spillway::sim
