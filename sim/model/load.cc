// SPDX-License-Identifier: Apache-2.0
#include "sim/model/load.h"

#include "google/protobuf/text_format.h"
#include "sim/model/simulation.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/check.h"
#include "src/base/status.h"
#include "src/base/strings.h"

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

absl::StatusOr<uint64_t> RunDecisions(const std::string& pool, int64_t decisions) {
  const Scenario scenario = Parse(base::Cat(
      "name: 'decisions' executor { slots: 1 } tasks { chunks: ", decisions,
      " partitions: 1 keys { none {} } buffer_bytes: 32768 think { constant_ns: 5000 } }"
      " policies { name: 'exact' step_bytes: 0 } pool { kind: ", pool,
      " } spark { off_heap_bytes: ", int64_t{1} << 60,
      " storage_permille: 0 } jni { crossing { constant_ns: 1000 } inside_permille: 500 }"));
  SPILLWAY_ASSIGN_OR_RETURN(const PolicyRun run, Simulate(scenario, scenario.policies(0)));
  return static_cast<uint64_t>(run.requests.sum());
}

absl::StatusOr<uint64_t> RunTasks(int64_t tasks, int64_t step_bytes) {
  const Scenario scenario = Parse(base::Cat(
      "name: 'tasks' executor { slots: 32 } tasks { count: ", tasks, " chunks: ", kChunks,
      " partitions: 201 keys { constant: 1 } buffer_bytes: 32768 think {"
      " quantile { permille: 0 ns: 340000 } quantile { permille: 1000 ns: 370000 } } }"
      " policies { name: 'p' step_bytes: ", step_bytes,
      " } jni { attach_ns: 34000 crossing { quantile { permille: 0 ns: 991 }"
      " quantile { permille: 1000 ns: 1670 } } inside_permille: 860 }"));
  SPILLWAY_ASSIGN_OR_RETURN(const PolicyRun run, Simulate(scenario, scenario.policies(0)));
  return run.task_time.count() * kChunks;
}

}  // namespace spillway::sim
