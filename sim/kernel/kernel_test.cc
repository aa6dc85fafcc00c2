// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/kernel.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/steps.h"
#include "src/base/random.h"

namespace spillway::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(KernelTest, TimePassesOnlyFromEventToEvent) {
  Kernel kernel;
  std::vector<Time> seen;
  Steps process("p", [&](Steps& self, int count) {
    seen.push_back(kernel.now());
    count < 2 ? kernel.ResumeAfter(self, 10 * (count + 1)) : kernel.Finish(self);
  });
  kernel.Start(process, 5);
  EXPECT_TRUE(kernel.Run({}).ok());
  EXPECT_THAT(seen, ElementsAre(5, 15, 35));
  EXPECT_EQ(kernel.events(), 3u);
  EXPECT_EQ(kernel.ties(), 0u);
  EXPECT_EQ(kernel.live_processes(), 0u);
}

TEST(KernelTest, EqualTimesRunInTheOrderOfSchedulingAndAreCounted) {
  Kernel kernel;
  std::vector<std::string> order;
  auto note = [&](Steps& self, int) {
    order.push_back(self.name());
    kernel.Finish(self);
  };
  Steps a("a", note), b("b", note), c("c", note), d("d", note);
  kernel.Start(b, 7);
  kernel.Start(a, 7);
  kernel.Start(d, 8);
  kernel.Start(c, 7);
  EXPECT_TRUE(kernel.Run({}).ok());
  EXPECT_THAT(order, ElementsAre("b", "a", "c", "d"));
  EXPECT_EQ(kernel.ties(), 2u);
}

TEST(KernelTest, AnyOrderOfTiesMayBeExploredAndASeedRepeatsIt) {
  const auto run = [](std::optional<uint64_t> seed) {
    Kernel kernel;
    std::string order;
    auto note = [&](Steps& self, int count) {
      order += self.name();
      count == 0 ? kernel.ResumeAfter(self, 0) : kernel.Finish(self);
    };
    Steps a("a", note), b("b", note), c("c", note);
    for (Steps* process : {&a, &b, &c}) kernel.Start(*process);
    if (seed.has_value()) kernel.set_tie_order(*seed);
    EXPECT_TRUE(kernel.Run({}).ok());
    EXPECT_EQ(kernel.ties(), 5u);
    return order;
  };
  EXPECT_EQ(run(std::nullopt), "abcabc");
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    orders.insert(run(seed));
    EXPECT_EQ(run(seed), run(seed));
  }
  EXPECT_EQ(orders.size(), 90u);  // 6! / (2! 2! 2!)
}

// Processes that wait, wake and cancel each other as a random stream decides.
class Crowd {
 public:
  Crowd() {
    for (int i = 0; i < 8; ++i) kernel_.Start(members_.emplace_back(*this, i), i % 3);
  }

  Kernel& kernel() { return kernel_; }

  // Of all that the members know and will draw.
  uint64_t Digest() const {
    base::Random random = random_;
    uint64_t digest = random.Next();
    for (const Member& member : members_) digest = base::SplitMix64(digest ^ member.seen);
    return digest;
  }

 private:
  struct Member final : Process {
    Member(Crowd& crowd, int64_t number) : Process("member", number), crowd(crowd) {}
    void Resume() override { crowd.Act(*this); }

    Crowd& crowd;
    uint64_t seen = 0;
    bool waits = false;
  };

  void Act(Member& member) {
    member.seen = base::SplitMix64(member.seen ^ static_cast<uint64_t>(kernel_.now()));
    Member& other = members_[random_.Below(members_.size())];
    if (&other != &member) {
      other.waits ? kernel_.Wake(other, Delay()) : (void)kernel_.Cancel(other, bell_);
      other.waits = !other.waits;
    }
    kernel_.ResumeAfter(member, Delay());
  }

  Duration Delay() { return random_.Between(0, 4); }

  Kernel kernel_;
  Bell bell_;
  base::Random random_{7};
  std::deque<Member> members_;
};

TEST(KernelTest, ARunCutAfterEventNIsInTheStateOfTheFullRunAfterEventN) {
  constexpr uint64_t kEvents = 2'000;
  std::vector<uint64_t> after;  // [n]: the state after n events
  Crowd full;
  full.kernel().set_observer([&](const Kernel::Step& step) {
    EXPECT_EQ(step.ordinal, after.size() + 1);
    EXPECT_EQ(step.at, full.kernel().now());
    EXPECT_THAT(step.process.name(), testing::StartsWith("member "));
    after.push_back(full.Digest());
  });
  full.kernel().Run({.max_events = kEvents}).IgnoreError();
  ASSERT_EQ(after.size(), kEvents);
  for (uint64_t n = 1; n < kEvents; n += 37) {
    Crowd cut;
    cut.kernel().Run({.max_events = n}).IgnoreError();
    EXPECT_EQ(cut.kernel().events(), n);
    EXPECT_EQ(cut.Digest(), after[n]) << "after event " << n;
    cut.kernel().Run({.max_events = n + 1}).IgnoreError();
    cut.kernel().Run({.max_events = kEvents}).IgnoreError();
    EXPECT_EQ(cut.Digest(), full.Digest());
  }
}

TEST(KernelTest, ARunThatCannotEndIsCutByEventsAndMayGoOn) {
  Kernel kernel;
  Steps forever("clock", [&](Steps& self, int) { kernel.ResumeAfter(self, 3); });
  kernel.Start(forever);
  const absl::Status status = kernel.Run({.max_events = 100});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "cut after 100 events at 297 ps of virtual time; 1 process left: clock waits for its "
            "time to come");
  EXPECT_EQ(kernel.Run({.max_events = 150}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(kernel.events(), 150u);
}

TEST(KernelTest, ARunIsCutByVirtualTimeToo) {
  Kernel kernel;
  Steps forever("clock", [&](Steps& self, int) { kernel.ResumeAfter(self, 3); });
  kernel.Start(forever);
  const absl::Status status = kernel.Run({.until = 30});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cut at 30 ps"));
  EXPECT_EQ(kernel.now(), 30);
}

TEST(KernelTest, WhoWaitsIsWokenByAnotherBehindTheEventsOfThatInstant) {
  Kernel kernel;
  Bell bell;
  std::vector<std::pair<std::string, Time>> seen;
  auto note = [&](Steps& self) { seen.emplace_back(self.name(), kernel.now()); };
  Steps sleeper("sleeper", [&](Steps& self, int count) {
    note(self);
    count == 0 ? kernel.Wait(self, bell) : kernel.Finish(self);
  });
  Steps waker("waker", [&](Steps& self, int count) {
    note(self);
    if (count == 0) return kernel.ResumeAfter(self, 0);
    kernel.Wake(sleeper, 5);
    kernel.Finish(self);
  });
  Steps at_fifteen("at 15", [&](Steps& self, int) {
    note(self);
    kernel.Finish(self);
  });
  kernel.Start(sleeper);
  kernel.Start(waker, 10);
  kernel.Start(at_fifteen, 15);
  ASSERT_TRUE(kernel.Run({}).ok());
  using Seen = std::pair<std::string, Time>;
  EXPECT_THAT(seen, ElementsAre(Seen("sleeper", 0), Seen("waker", 10), Seen("waker", 10),
                                Seen("at 15", 15), Seen("sleeper", 15)));
}

TEST(KernelTest, ACancelledEventCountsForNothingAndDoesNotMoveTheClock) {
  Kernel kernel;
  Bell bell;
  std::vector<Time> seen;
  Duration left = 0;
  Steps running("running", [&](Steps& self, int count) {
    seen.push_back(kernel.now());
    count == 0 ? kernel.ResumeAfter(self, 100) : kernel.Finish(self);
  });
  Steps preempts("preempts", [&](Steps& self, int count) {
    if (count == 0) {
      left = kernel.Cancel(running, bell);
      return kernel.ResumeAfter(self, 30);
    }
    kernel.Wake(running, left);
    kernel.Finish(self);
  });
  kernel.Start(running);
  kernel.Start(preempts, 40);
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_EQ(left, 60);
  EXPECT_THAT(seen, ElementsAre(0, 130));
  EXPECT_EQ(kernel.events(), 4u);
  EXPECT_EQ(kernel.ties(), 0u);

  Steps late("late", [&](Steps& self, int) { kernel.Finish(self); });
  Steps cancels("cancels", [&](Steps& self, int) {
    kernel.Cancel(late, bell);
    kernel.Finish(self);
  });
  kernel.Start(late, 1000);
  kernel.Start(cancels, 10);
  EXPECT_THAT(std::string(kernel.Run({}).message()), HasSubstr("late, which waits for the bell"));
  EXPECT_EQ(kernel.now(), 140);
}

TEST(KernelTest, CancelledEventsDoNotPileUp) {
  Kernel kernel;
  Bell bell;
  size_t most_pending = 0;
  Steps timer("timer", [&](Steps& self, int) { kernel.Finish(self); });
  Steps resets("resets", [&](Steps& self, int count) {
    most_pending = std::max(most_pending, kernel.pending_events());
    if (count == 10'000) return kernel.Finish(self);
    kernel.Cancel(timer, bell);
    kernel.Wake(timer, 1'000'000'000 + count);
    kernel.ResumeAfter(self, 1);
  });
  kernel.Start(timer, 1000);
  kernel.Start(resets);
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_EQ(kernel.now(), 9'999 + 1'000'000'000 + 9'999);
  EXPECT_EQ(kernel.events(), 10'002u);
  EXPECT_LE(most_pending, 68u);
}

TEST(KernelTest, WakingAndCancellingOutOfTurnAreFaults) {
  const auto message = [](void (*act)(Kernel&, Process&, const Awaited&)) {
    Kernel kernel;
    Bell bell;
    Steps process("p", [&](Steps& self, int) { act(kernel, self, bell); });
    kernel.Start(process);
    return std::string(kernel.Run({}).message());
  };
  EXPECT_EQ(message([](Kernel& kernel, Process& p, const Awaited&) { kernel.Wake(p); }),
            "p was woken, but does not wait to be woken");
  EXPECT_EQ(
      message([](Kernel& kernel, Process& p, const Awaited& bell) { kernel.Cancel(p, bell); }),
      "p lost its event, but had none");
  EXPECT_EQ(message([](Kernel& kernel, Process& p, const Awaited& bell) {
              kernel.Wait(p, bell);
              kernel.Wait(p, bell);
            }),
            "p asked for the bell while it was waiting");
  EXPECT_EQ(message([](Kernel& kernel, Process& p, const Awaited& bell) {
              WaitLine line(kernel);
              line.Join(p, bell);
              kernel.Wake(p);
            }),
            "p was woken, but does not wait to be woken");
}

TEST(KernelTest, OneOfManyIsNamedByItsNumber) {
  class Numbered final : public Process {
   public:
    Numbered() : Process("task", 17) {}

   private:
    void Resume() override {}
  };
  EXPECT_EQ(Numbered().name(), "task 17");
}

TEST(KernelTest, AProcessThatArrangesNothingIsAFault) {
  Kernel kernel;
  Steps lost("lost", [](Steps&, int) {});
  kernel.Start(lost);
  EXPECT_EQ(kernel.Run({}).message(), "lost stopped without saying what it waits for");
}

TEST(KernelTest, ImpossibleDelaysAreFaults) {
  for (const Duration delay : {Duration{-1}, kEndOfTime}) {
    Kernel kernel;
    Steps process("p", [&](Steps& self, int) { kernel.ResumeAfter(self, delay); });
    kernel.Start(process, 1);
    EXPECT_EQ(kernel.Run({}).code(), absl::StatusCode::kOutOfRange) << delay;
  }
}

TEST(KernelTest, TheFirstFaultEndsTheRun) {
  Kernel kernel;
  int resumed = 0;
  auto step = [&](Steps& self, int) {
    ++resumed;
    kernel.Fail(absl::DataLossError(self.name()));
    kernel.Finish(self);
  };
  Steps a("a", step), b("b", step);
  kernel.Start(a);
  kernel.Start(b);
  EXPECT_EQ(kernel.Run({}).message(), "a");
  EXPECT_EQ(resumed, 1);
}

}  // namespace
}  // namespace spillway::sim
