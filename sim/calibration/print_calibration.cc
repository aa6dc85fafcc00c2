// SPDX-License-Identifier: Apache-2.0
// bazel run //sim/calibration:print_calibration -- FILE.jsonl [BACKEND]
//
// Prints the `jni` of a scenario that has the recorded costs of one thread's crossings.

#include <cstdint>
#include <cstdio>
#include <string>

#include "golden/pool_latency/recording.h"
#include "google/protobuf/text_format.h"
#include "sim/calibration/calibrate.h"
#include "src/cli/file.h"

// The bundled recording takes 1 MiB.
constexpr int64_t kMaxBytes = int64_t{1} << 30;

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: print_calibration FILE.jsonl [BACKEND]\n");
    return 2;
  }
  const auto text = spillway::cli::ReadFile(argv[1], kMaxBytes);
  if (!text.ok()) {
    std::fprintf(stderr, "%s\n", text.status().ToString().c_str());
    return 1;
  }
  const auto recording = spillway::golden::ParseRecording(*text);
  if (!recording.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], recording.status().ToString().c_str());
    return 1;
  }
  const auto jni = spillway::sim::CalibrateCrossings(*recording, argc == 3 ? argv[2] : "spark");
  if (!jni.ok()) {
    std::fprintf(stderr, "%s\n", jni.status().ToString().c_str());
    return 1;
  }
  std::string out;
  google::protobuf::TextFormat::PrintToString(*jni, &out);
  std::fputs(out.c_str(), stdout);
  return 0;
}
