// SPDX-License-Identifier: Apache-2.0
#include "src/cache/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "src/cache/worker_pool.h"

namespace spillway::cache {
namespace {

// What a thread did before this happens before what another does after it. The pool orders its
// threads, too, but tsan cannot see into it. A lock of one call's own would have to be found first.
void Order() {
  static constinit std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
}

// The work of one call, shared by its threads.
class Work {
 public:
  Work(int64_t count, const std::function<absl::Status(int64_t)>& work)
      : count_(count), work_(work), failed_(count) {}

  // Takes one index after the other until there is none or a call has failed.
  void Loop() {
    while (!stop_.load(std::memory_order_relaxed)) {
      const int64_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= count_) break;
      absl::Status status = work_(index);
      if (!status.ok()) Fail(index, std::move(status));
    }
  }

  absl::Status failure() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  void Fail(int64_t index, absl::Status status) {
    stop_ = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index >= failed_) return;
    failed_ = index;
    failure_ = std::move(status);
  }

  const int64_t count_;
  const std::function<absl::Status(int64_t)>& work_;
  std::atomic<int64_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  int64_t failed_;  // least index of a failure so far
  absl::Status failure_;
};

}  // namespace

absl::Status ForEach(int64_t count, int threads,
                     const std::function<absl::Status(int64_t)>& work) {
  Work all(count, work);
  const auto wanted = static_cast<int>(std::min<int64_t>(threads, count));
  if (wanted <= 1) {
    all.Loop();
  } else {
    Order();
    const auto loop = [](void* context) {
      Order();
      static_cast<Work*>(context)->Loop();
      Order();
    };
    RunOnWorkers(wanted, loop, &all);
    Order();
  }
  return all.failure();
}

}  // namespace spillway::cache
