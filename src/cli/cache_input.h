// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cache files among the files that commands read.

#include <memory>
#include <string>
#include <string_view>

#include "src/cli/input_flags.h"
#include "src/frame/byte_source.h"

namespace spillway::cli {

// Whether `bytes` begin as a cache file does.
bool IsCacheFile(std::string_view bytes);

// The file at `path`, from its first byte, if it is a cache file on disk that can be read batch by
// batch, whatever its size. Null: something else, which ReadInput() reads.
std::unique_ptr<frame::ByteSource> OpenCacheFile(const std::string& path, const InputFlags& flags);

}  // namespace spillway::cli
