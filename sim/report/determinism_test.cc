// SPDX-License-Identifier: Apache-2.0
// The same scenario and seed give the same bytes: with gcc and with clang, optimized and under
// sanitizers, since this test runs in all of these.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "sim/model/simulation.h"
#include "sim/report/report.h"
#include "sim/scenario/loader.h"
#include "src/base/crc32c.h"

namespace spillway::sim {
namespace {

// Every part of the model, and more threads than cores.
constexpr std::string_view kEverything = R"(
name: "everything"
executor {
  slots: 5 count: 2 cores: 3 tick_ns: 100000 slice_ns: 60000
  background { every_ns: 200000 burst { constant_ns: 30000 } }
}
tasks {
  count: 12 chunks: 9 writers: 2 partitions: 13 rows_per_chunk: 200 buffer_bytes: 4000
  keys { zipf { values: 50 } }
  think { quantile { permille: 0 ns: 5000 } quantile { permille: 1000 ns: 90000 } }
  arrival { every_ns: 50000 poisson: true }
  size { quantile { permille: 0 factor: 500 } quantile { permille: 1000 factor: 2500 } }
  straggler { permille: 200 factor: 3000 }
  begin_ns: 20000 end_ns: 10000
}
tasks {
  count: 4 chunks: 6 partitions: 7 rows_per_chunk: 100 buffer_bytes: 900
  keys { uniform { high: 99 } }
  think { constant_ns: 30000 }
}
policies { name: "exact" step_bytes: 0 }
policies { name: "step" step_bytes: 16384 limit_bytes: 60000 }
policies { name: "adaptive" step_bytes: 16384 limit_bytes: 60000 rule: ADAPTIVE }
pool { kind: FAIR_UNIFIED }
spark {
  off_heap_bytes: 250000 storage_permille: 300 cached_blocks: 20 cached_block_bytes: 8000
  evict_ns: 20000 evict_ns_per_mib: 3000000 restores_entries: true counts_usage: true
}
jni {
  attach_ns: 34000 inside_permille: 800 inside_ns_per_task: 9
  gap {
    gap_ns: 0
    crossing { quantile { permille: 0 ns: 400 } quantile { permille: 1000 ns: 900 } }
  }
  gap {
    gap_ns: 80000
    crossing { quantile { permille: 0 ns: 1400 } quantile { permille: 1000 ns: 4900 } }
  }
  shared { quantile { permille: 0 ns: 100 } quantile { permille: 1000 ns: 500 } }
}
gc {
  every_ns: 400000
  pause { quantile { permille: 0 ns: 20000 } quantile { permille: 1000 ns: 90000 } }
}
holders {
  name: "join" count: 2 min_bytes: 1000 max_bytes: 60000
  hold { quantile { permille: 0 ns: 100000 } quantile { permille: 1000 ns: 700000 } }
  idle { quantile { permille: 0 ns: 100000 } quantile { permille: 1000 ns: 300000 } }
}
disk {
  spill_ns: 50000 spill_ns_per_mib: 900000 disks: 1
  slow_every_ns: 900000 slow_for_ns: 200000 slow_factor: 3000
}
)";

uint32_t DigestOfJson(const std::vector<std::string>& overrides) {
  const auto scenario = ParseScenario(kEverything, "x", overrides);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  if (!scenario.ok()) return 0;
  Report report{.scenario = *scenario, .replay = "./spillway simulate x"};
  for (const Policy& policy : scenario->policies()) {
    const auto run = Simulate(*scenario, policy);
    EXPECT_TRUE(run.ok()) << run.status();
    if (!run.ok()) return 0;
    report.runs.push_back(*run);
  }
  return base::Crc32c(JsonReport(report));
}

// A change of the model, or of what JSON says, changes these on purpose; a compiler must not.
TEST(DeterminismTest, JsonHasTheSameBytesInEveryBuild) {
  EXPECT_EQ(DigestOfJson({}), 0x6fc7f63cu);
  EXPECT_EQ(DigestOfJson({"seed=7", "pool={kind: GREEDY_UNIFIED}", "monitor.kind=FIFO"}),
            0x10c1cb23u);
  EXPECT_EQ(DigestOfJson({"seed=8", "pool={kind: FAIR_UNIFIED fixed: true}", "executor.cores=1"}),
            0x907a2d1fu);
  EXPECT_EQ(DigestOfJson({"seed=9", "executor={slots: 6}", "monitor.kind=IDEAL",
                          "pool.fair_rule=PER_CONSUMER", "policies[1].rule=BLOCKS"}),
            0x309bb5fdu);
}

TEST(DeterminismTest, AnotherSeedGivesOtherBytes) {
  EXPECT_NE(DigestOfJson({"seed=1"}), DigestOfJson({"seed=2"}));
}

}  // namespace
}  // namespace spillway::sim
