// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/recorded_run.h"

#include <fstream>
#include <iterator>

#include "golden/comet_trace/pool_log.h"
#include "golden/comet_trace/replay.h"
#include "sim/runfiles/runfiles.h"
#include "src/base/status.h"

namespace spillway::sim {
namespace {

constexpr char kLog[] = "golden/comet_trace/int201_l5_4g_fair_b8192.log";

}  // namespace

absl::StatusOr<Reproduction> ReproduceRecordedRun() {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string path, Runfile(kLog));
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  SPILLWAY_ASSIGN_OR_RETURN(const golden::PoolLog log, base::In(kLog, golden::ParsePoolLog(text)));
  SPILLWAY_ASSIGN_OR_RETURN(const golden::Replay replay,
                            base::In(kLog, golden::ReplayInt201(log)));
  return Reproduction{
      .run = {.log = kLog, .requests = replay.requests, .reproduced = replay.matching},
      .first_difference = replay.first_difference};
}

}  // namespace spillway::sim
