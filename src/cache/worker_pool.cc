// SPDX-License-Identifier: Apache-2.0
// Debian's libtbb is not instrumented, so that tsan sees races between tasks where there are none:
// .bazelrc exempts this file, which holds all of TBB's code and none of ours.
#include "src/cache/worker_pool.h"

#include "tbb/blocked_range.h"
#include "tbb/global_control.h"
#include "tbb/parallel_for.h"
#include "tbb/task_arena.h"

namespace spillway::cache {

void RunOnWorkers(int times, void (*loop)(void* context), void* context) {
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, times);
  tbb::task_arena arena(times);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, times, 1),
        [&](const tbb::blocked_range<int>& range) {
          for (int i = range.begin(); i < range.end(); ++i) loop(context);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace spillway::cache
