// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the bytes of a page, frame or block mean, part by part.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/vector/buffer.h"

namespace spillway::inspect {

struct Decompressed;

// Bytes [offset, offset + size) of a region. The children of a part, if any, tile it: they lie side
// by side, in order, without gaps. So the parts without children account for every byte once.
struct Explanation {
  int64_t offset = 0;
  int64_t size = 0;
  std::string name;  // "row count"; of a column, "column 2 `name` VARCHAR"
  std::string text;  // what the bytes say: "100"; may be empty
  std::vector<Explanation> children = {};
  // Of a compressed payload that could be decompressed.
  std::shared_ptr<const Decompressed> decompressed = nullptr;
};

// A region of its own, whose offsets count from its first byte.
struct Decompressed {
  vector::Buffer bytes;
  Explanation whole;
};

}  // namespace spillway::inspect
