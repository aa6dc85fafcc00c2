// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/machine_rules.h"

#include <cstdint>
#include <string>

#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

absl::Status CheckGaps(const google::protobuf::RepeatedPtrField<Gap>& gaps,
                       const std::string& field, const Places& places) {
  for (int i = 0; i < gaps.size(); ++i) {
    const std::string path = base::Cat(field, "[", i, "]");
    if (i > 0 && gaps.Get(i).gap_ns() <= gaps.Get(i - 1).gap_ns()) {
      return places.Refuse(path + ".gap_ns", "gaps must ascend (", gaps.Get(i - 1).gap_ns(),
                           " then ", gaps.Get(i).gap_ns(), ")");
    }
    SPILLWAY_RETURN_IF_ERROR(CheckLatency(gaps.Get(i).crossing(), path + ".crossing", places));
  }
  return absl::OkStatus();
}

absl::Status CheckExecutor(const Executor& executor, const Places& places) {
  if (executor.cores() > 0 && executor.switch_ns() >= executor.tick_ns()) {
    return places.Refuse("executor.switch_ns", executor.switch_ns(), " is not below tick_ns, ",
                         executor.tick_ns(), ": cores that are shared would only switch");
  }
  if (!executor.has_background()) return absl::OkStatus();
  if (executor.cores() == 0) {
    return places.Refuse("executor.background",
                         "needs cores: threads that have one each do not "
                         "stand in each other's way");
  }
  return CheckLatency(executor.background().burst(), "executor.background.burst", places);
}

absl::Status CheckJni(const Jni& jni, const Places& places) {
  if (jni.has_crossing() == (jni.gap_size() > 0)) {
    return places.Refuse(
        "jni", jni.has_crossing() ? "has crossing or gap, not both" : "needs crossing or gap");
  }
  if (jni.has_shared()) {
    SPILLWAY_RETURN_IF_ERROR(CheckLatency(jni.shared(), "jni.shared", places));
  }
  if (jni.has_crossing()) {
    if (jni.release_gap_size() > 0) {
      return places.Refuse("jni.release_gap[0]", "goes with gap, not with crossing");
    }
    return CheckLatency(jni.crossing(), "jni.crossing", places);
  }
  SPILLWAY_RETURN_IF_ERROR(CheckGaps(jni.gap(), "jni.gap", places));
  return CheckGaps(jni.release_gap(), "jni.release_gap", places);
}

absl::Status CheckGc(const Scenario& scenario, const Places& places) {
  if (!scenario.has_gc()) return absl::OkStatus();
  SPILLWAY_RETURN_IF_ERROR(CheckLatency(scenario.gc().pause(), "gc.pause", places));
  constexpr int64_t kNanosPerMilli = 1'000'000;
  const int64_t end_ms = scenario.bounds().max_virtual_ms();
  if (ShortestNanos(scenario.gc().pause()) / kNanosPerMilli >= end_ms) {
    return places.Refuse("gc.pause", "never ends: the run would be cut at ", end_ms, " ms");
  }
  return absl::OkStatus();
}

absl::Status CheckDisk(const Disk& disk, const Places& places) {
  if (disk.slow_every_ns() == 0 && disk.slow_for_ns() > 0) {
    return places.Refuse("disk.slow_for_ns", "needs slow_every_ns");
  }
  if (disk.slow_every_ns() > 0 && disk.slow_for_ns() >= disk.slow_every_ns()) {
    return places.Refuse("disk.slow_for_ns", disk.slow_for_ns(), " is not below slow_every_ns, ",
                         disk.slow_every_ns(), ": the disk would always be slow");
  }
  if (disk.slow_factor() > 1000 && disk.slow_for_ns() == 0) {
    return places.Refuse("disk.slow_factor", "needs slow_every_ns and slow_for_ns");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMachine(const Scenario& scenario, const Places& places) {
  SPILLWAY_RETURN_IF_ERROR(CheckExecutor(scenario.executor(), places));
  SPILLWAY_RETURN_IF_ERROR(CheckJni(scenario.jni(), places));
  SPILLWAY_RETURN_IF_ERROR(CheckGc(scenario, places));
  return CheckDisk(scenario.disk(), places);
}

}  // namespace spillway::sim
