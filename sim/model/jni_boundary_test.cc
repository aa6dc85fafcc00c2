// SPDX-License-Identifier: Apache-2.0
#include "sim/model/jni_boundary.h"

#include <cstdint>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "src/memory/counting_pool.h"

namespace spillway::sim {
namespace {

// Makes one call on the pool.
class Caller final : public Process {
 public:
  Caller(Kernel& kernel, JniBoundary& boundary, std::string name, int64_t bytes, bool attach)
      : Process(std::move(name)),
        kernel_(kernel),
        bytes_(bytes),
        attach_(attach),
        call_(boundary, *this, random_) {}

  const PoolCall& call() const { return call_; }

 private:
  void Resume() override {
    if (!begun_) {
      begun_ = true;
      bytes_ > 0 ? call_.Acquire(bytes_, attach_) : call_.Release(-bytes_, attach_);
    }
    if (call_.Advance()) kernel_.Finish(*this);
  }

  Kernel& kernel_;
  int64_t bytes_;  // negative: to release
  bool attach_;
  bool begun_ = false;
  base::Random random_{1};
  PoolCall call_;
};

class JniBoundaryTest : public testing::Test {
 protected:
  // A crossing of 1000 ns: 100 out, 800 inside, 100 back. Attach costs 5000 ns.
  static Jni Costs() {
    Jni jni;
    jni.set_attach_ns(5000);
    jni.set_inside_permille(800);
    return jni;
  }

  Kernel kernel_;
  memory::CountingPool pool_{100};
  JniBoundary boundary_{kernel_, pool_, Costs(), Empirical::Constant(1000 * kNanosecond)};
};

TEST_F(JniBoundaryTest, AGrantIsOneCrossing) {
  Caller caller(kernel_, boundary_, "a", 100, false);
  kernel_.Start(caller);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_TRUE(caller.call().granted());
  EXPECT_EQ(caller.call().crossings(), 1);
  EXPECT_EQ(caller.call().duration(), 1000 * kNanosecond);
  EXPECT_EQ(pool_.reserved(), 100);
  EXPECT_EQ(boundary_.monitor().held(kernel_.now()), 800 * kNanosecond);
}

TEST_F(JniBoundaryTest, ADenialIsFollowedByACrossingThatReturnsNothing) {
  Caller caller(kernel_, boundary_, "a", 101, false);
  kernel_.Start(caller);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_FALSE(caller.call().granted());
  EXPECT_EQ(caller.call().crossings(), 2);
  EXPECT_EQ(caller.call().duration(), 2000 * kNanosecond);
  EXPECT_EQ(pool_.reserved(), 0);
  EXPECT_EQ(pool_.counters().acquire_calls, 1u);
}

TEST_F(JniBoundaryTest, OnlyTheFirstCrossingPaysForTheAttach) {
  Caller caller(kernel_, boundary_, "a", 101, true);
  kernel_.Start(caller);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_EQ(caller.call().duration(), 7000 * kNanosecond);
  EXPECT_EQ(boundary_.crossings().max(), 1000 * kNanosecond);
  EXPECT_EQ(boundary_.times().attach, 5000 * kNanosecond);
  EXPECT_EQ(boundary_.times().outside, 400 * kNanosecond);
  EXPECT_EQ(boundary_.times().bookkeeping, 1600 * kNanosecond);
}

TEST_F(JniBoundaryTest, TheSecondToArriveWaitsForTheMonitorAndThenSeesThePoolAsLeft) {
  Caller first(kernel_, boundary_, "first", 60, false);
  Caller second(kernel_, boundary_, "second", 60, false);
  kernel_.Start(first);
  kernel_.Start(second, 300 * kNanosecond);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_TRUE(first.call().granted());
  EXPECT_FALSE(second.call().granted());
  EXPECT_EQ(first.call().waited(), 0);
  // At the monitor at 400 ns, which the first holds from 100 to 900 ns.
  EXPECT_EQ(second.call().waited(), 500 * kNanosecond);
  EXPECT_EQ(second.call().duration(), 2500 * kNanosecond);
  EXPECT_EQ(boundary_.times().waiting, 500 * kNanosecond);
  EXPECT_EQ(boundary_.reserved().peak(), 60);
}

TEST_F(JniBoundaryTest, AReleaseGivesBackUnderTheMonitor) {
  Caller grow(kernel_, boundary_, "grow", 70, false);
  Caller shrink(kernel_, boundary_, "shrink", -70, false);
  kernel_.Start(grow);
  kernel_.Start(shrink, 2000 * kNanosecond);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_EQ(shrink.call().crossings(), 1);
  EXPECT_EQ(pool_.reserved(), 0);
  // 70 bytes from 100 ns to 2100 ns, of 3000 ns.
  EXPECT_EQ(boundary_.reserved().Average(kernel_.now()), 46);
}

TEST_F(JniBoundaryTest, AFaultOfThePoolEndsTheRun) {
  Caller shrink(kernel_, boundary_, "shrink", -1, false);
  kernel_.Start(shrink);
  EXPECT_EQ(kernel_.Run({}).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace spillway::sim
