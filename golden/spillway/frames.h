// SPDX-License-Identifier: Apache-2.0
#pragma once
// The batches behind the frames in this folder. A builder is added, never changed: caches outlive
// the library that wrote them (README.md).

#include <string>
#include <vector>

#include "src/frame/v3_writer.h"
#include "src/vector/batch.h"

namespace spillway::golden {

struct OwnFrame {
  std::string name;  // of the .hex file and the manifest's line
  frame::V3WriteOptions options;
  vector::Batch batch;
};

std::vector<OwnFrame> OwnFrames();

}  // namespace spillway::golden
