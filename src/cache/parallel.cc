// SPDX-License-Identifier: Apache-2.0
#include "src/cache/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "tbb/blocked_range.h"
#include "tbb/global_control.h"
#include "tbb/parallel_for.h"
#include "tbb/task_arena.h"

namespace spillway::cache {

absl::Status ForEach(int64_t count, int threads,
                     const std::function<absl::Status(int64_t)>& work) {
  std::mutex mutex;
  int64_t failed = count;
  absl::Status failure;
  std::atomic<bool> stop = false;
  const auto one = [&](int64_t index) {
    if (stop) return;
    absl::Status status = work(index);
    if (status.ok()) return;
    stop = true;
    const std::lock_guard<std::mutex> lock(mutex);
    if (index < failed) {
      failed = index;
      failure = std::move(status);
    }
  };
  if (threads <= 1) {
    for (int64_t index = 0; index < count; ++index) one(index);
    return failure;
  }
  // More threads than processors are the caller's to choose.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, count, 1),
                      [&](const tbb::blocked_range<int64_t>& range) {
                        for (int64_t i = range.begin(); i < range.end(); ++i) one(i);
                      },
                      tbb::simple_partitioner());
  });
  return failure;
}

}  // namespace spillway::cache
