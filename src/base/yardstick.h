// SPDX-License-Identifier: Apache-2.0
#pragma once
// What benchmarks are held against: machines are noisy and differ, so an operation is measured
// beside a memcpy and a CRC-32 of the same bytes, in the same process just before.

#include <cstdint>
#include <functional>
#include <string_view>

#include "benchmark/benchmark.h"

namespace spillway::base {

// Seconds of one memcpy and of one CRC-32 (libdeflate) of `bytes` on this machine, now.
struct Yardstick {
  explicit Yardstick(std::string_view bytes);

  double memcpy_seconds;
  double crc_seconds;
};

// Runs `operation`, which works on `bytes`, as the loop of a benchmark. Counters: GB/s of `bytes`;
// vs_memcpy and vs_crc, how many times as long as a memcpy or a CRC of them it takes, in processor
// time of this thread.
void RunBeside(benchmark::State& state, std::string_view bytes,
               const std::function<void()>& operation);

// Lets malloc keep memory of any size that benchmarks use, which would otherwise be mapped anew for
// each large output: page faults would be measured. Call it first in main().
void KeepFreedMemory();

}  // namespace spillway::base
