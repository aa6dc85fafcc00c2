// SPDX-License-Identifier: Apache-2.0
#include "src/cache/parallel.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/status.h"

namespace spillway::cache {
namespace {

TEST(ParallelTest, EachIndexIsWorkedOnOnce) {
  for (const int threads : {1, 2, 7}) {
    for (const int64_t count : {0, 1, 2, 1000}) {
      std::vector<int> calls(count, 0);  // no two threads have the same index
      ASSERT_TRUE(ForEach(count, threads, [&](int64_t index) {
                    ++calls[index];
                    return absl::OkStatus();
                  }).ok());
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads;
    }
  }
}

TEST(ParallelTest, NoMoreThreadsThanWereAskedForWorkAtATime) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  std::mutex mutex;
  std::set<std::thread::id> seen;
  ASSERT_TRUE(ForEach(200, 3, [&](int64_t) {
                const int running = ++now;
                for (int old = most; old < running && !most.compare_exchange_weak(old, running);) {
                }
                {
                  const std::lock_guard<std::mutex> lock(mutex);
                  seen.insert(std::this_thread::get_id());
                }
                std::this_thread::yield();
                --now;
                return absl::OkStatus();
              }).ok());
  EXPECT_LE(most, 3);
  EXPECT_LE(seen.size(), 3u);
}

TEST(ParallelTest, AFailureEndsTheWorkAndTheLeastIndexIsTold) {
  int calls = 0;
  const absl::Status one = ForEach(100, 1, [&](int64_t index) -> absl::Status {
    ++calls;
    return index == 4 ? base::Invalid("bad ", index) : absl::OkStatus();
  });
  EXPECT_EQ(one.message(), "bad 4");
  EXPECT_EQ(calls, 5);
  const absl::Status all =
      ForEach(100, 4, [&](int64_t index) -> absl::Status { return base::Invalid("bad ", index); });
  EXPECT_EQ(all.message(), "bad 0");
}

TEST(ParallelTest, CallsMayBeMadeFromManyThreadsAndFromWithin) {
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      const absl::Status status = ForEach(10, 3, [&](int64_t outer) {
        return ForEach(10, 2, [&](int64_t inner) {
          sum += outer * 10 + inner;
          return absl::OkStatus();
        });
      });
      EXPECT_TRUE(status.ok()) << status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 8 * 4950);
}

}  // namespace
}  // namespace spillway::cache
