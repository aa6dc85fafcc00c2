// SPDX-License-Identifier: Apache-2.0
#pragma once
// What benchmarks are held against: machines are noisy and differ, so an operation is measured
// beside a memcpy and a CRC-32 of the same bytes, in the same process just before.

#include <libdeflate.h>
#include <malloc.h>
#include <time.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "benchmark/benchmark.h"

namespace spillway::base {

// Processor time of this thread, which other programs do not add to.
inline double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Seconds of one call, on average over about 20 ms.
template <typename Call>
double MeanSeconds(Call call) {
  const double start = ThreadSeconds();
  int64_t calls = 0;
  double now = start;
  for (; now - start < 0.02; now = ThreadSeconds()) {
    for (int i = 0; i < 16; ++i, ++calls) call();
  }
  return (now - start) / static_cast<double>(calls);
}

// Seconds of one memcpy and of one CRC-32 (libdeflate) of `bytes` on this machine, now.
struct Yardstick {
  explicit Yardstick(std::string_view bytes) {
    std::string copy(bytes);
    memcpy_seconds = MeanSeconds([&] {
      std::memcpy(copy.data(), bytes.data(), bytes.size());
      benchmark::DoNotOptimize(copy.data());
      benchmark::ClobberMemory();
    });
    crc_seconds = MeanSeconds([&] {
      benchmark::DoNotOptimize(libdeflate_crc32(0, bytes.data(), bytes.size()));
    });
  }

  double memcpy_seconds;
  double crc_seconds;
};

// Runs `operation`, which works on `bytes`, as the loop of a benchmark. Counters: GB/s of `bytes`;
// vs_memcpy and vs_crc, how many times as long as a memcpy or a CRC of them it takes, in processor
// time of this thread.
inline void RunBeside(benchmark::State& state, std::string_view bytes,
                      const std::function<void()>& operation) {
  const Yardstick yardstick(bytes);
  const double start = ThreadSeconds();
  for (auto _ : state) operation();
  const double seconds = (ThreadSeconds() - start) / static_cast<double>(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
  state.counters["vs_memcpy"] = seconds / yardstick.memcpy_seconds;
  state.counters["vs_crc"] = seconds / yardstick.crc_seconds;
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

// Lets malloc keep memory of any size that benchmarks use, which would otherwise be mapped anew for
// each large output: page faults would be measured. Call it first in main().
inline void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
}

}  // namespace spillway::base
