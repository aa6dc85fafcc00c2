// SPDX-License-Identifier: Apache-2.0
#include "sim/model/load.h"

#include <deque>
#include <utility>

#include "google/protobuf/text_format.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/model/cores.h"
#include "sim/model/lock.h"
#include "sim/model/simulation.h"
#include "sim/model/thread.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/check.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"
#include "src/memory/pool.h"
#include "src/memory/reservation_policy.h"

namespace spillway::sim {
namespace {

constexpr int64_t kChunks = 256;

Scenario Parse(const std::string& text) {
  Scenario scenario;
  SPILLWAY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &scenario),
                 "a load's scenario is a scenario");
  return scenario;
}

}  // namespace

namespace {

// Thinks, asks its policy, and its pool inside the monitor, for a time.
class BareWriter final : public Thread {
 public:
  BareWriter(Cores& cores, Lock& lock, memory::Pool& pool, memory::ReservationPolicy policy,
             int64_t decisions)
      : Thread("writer"),
        cores_(cores),
        lock_(lock),
        pool_(pool),
        policy_(std::move(policy)),
        left_(decisions) {}

 private:
  enum class State : uint8_t { kThinking, kEntered, kInside };

  void Run() override {
    switch (state_) {
      case State::kThinking:
        action_ = policy_.Grow(kChunkBytes);
        state_ = State::kEntered;
        if (!lock_.Enter(*this)) return;
        [[fallthrough]];
      case State::kEntered:
        state_ = State::kInside;
        return cores_.Burn(*this, kInside);
      case State::kInside: {
        const auto grant = pool_.TryGrow(action_.bytes);
        lock_.Exit(*this);
        policy_.Answer(grant.ok() && grant->granted);
        if (--left_ == 0) return cores_.Finish(*this);
        state_ = State::kThinking;
        return cores_.Burn(*this, kThink);
      }
    }
  }

  static constexpr int64_t kChunkBytes = 32'768;
  static constexpr Duration kThink = 5 * kMicrosecond;
  static constexpr Duration kInside = 500 * kNanosecond;

  Cores& cores_;
  Lock& lock_;
  memory::Pool& pool_;
  memory::ReservationPolicy policy_;
  memory::Action action_;
  int64_t left_;
  State state_ = State::kThinking;
};

}  // namespace

absl::StatusOr<uint64_t> RunBareDecisions(int64_t writers, int64_t decisions) {
  Kernel kernel;
  Cores cores(kernel, {});
  Lock lock(cores, "of the pool", LockTraits::HotSpot({.spin = 20 * kMicrosecond}));
  memory::CountingPool pool;
  std::deque<BareWriter> threads;
  for (int64_t i = 0; i < writers; ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(memory::ReservationPolicy policy,
                              memory::ReservationPolicy::Create({.step = 0}));
    cores.Start(threads.emplace_back(cores, lock, pool, std::move(policy), decisions / writers));
  }
  SPILLWAY_RETURN_IF_ERROR(kernel.Run({}));
  return pool.counters().acquire_calls;
}

absl::StatusOr<uint64_t> RunDecisions(const std::string& pool, int64_t decisions) {
  const Scenario scenario = Parse(base::Cat(
      "name: 'decisions' executor { slots: 1 } tasks { chunks: ", decisions,
      " partitions: 1 keys { none {} } buffer_bytes: 32768 think { constant_ns: 5000 } }"
      " policies { name: 'exact' step_bytes: 0 } pool { kind: ",
      pool, " } spark { off_heap_bytes: ", int64_t{1} << 60,
      " storage_permille: 0 } jni { crossing { constant_ns: 1000 } inside_permille: 500 }"));
  SPILLWAY_ASSIGN_OR_RETURN(const PolicyRun run, Simulate(scenario, scenario.policies(0)));
  return static_cast<uint64_t>(run.requests.sum());
}

absl::StatusOr<uint64_t> RunTasks(int64_t tasks, int64_t step_bytes) {
  const Scenario scenario = Parse(
      base::Cat("name: 'tasks' executor { slots: 32 } tasks { count: ", tasks, " chunks: ", kChunks,
                " partitions: 201 keys { constant: 1 } buffer_bytes: 32768 think {"
                " quantile { permille: 0 ns: 340000 } quantile { permille: 1000 ns: 370000 } } }"
                " policies { name: 'p' step_bytes: ",
                step_bytes,
                " } jni { attach_ns: 34000 crossing { quantile { permille: 0 ns: 991 }"
                " quantile { permille: 1000 ns: 1670 } } inside_permille: 860 }"));
  SPILLWAY_ASSIGN_OR_RETURN(const PolicyRun run, Simulate(scenario, scenario.policies(0)));
  return run.task_time.count() * kChunks;
}

}  // namespace spillway::sim
