// SPDX-License-Identifier: Apache-2.0
#include "src/cli/cache_input.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/frame/cache_file.h"

namespace spillway::cli {

bool IsCacheFile(std::string_view bytes) { return bytes.starts_with(frame::kCacheFileMagic); }

std::unique_ptr<frame::ByteSource> OpenCacheFile(const std::string& path,
                                                 const InputFlags& flags) {
  std::error_code ignored;
  if (flags.hex || !std::filesystem::is_regular_file(path, ignored)) return nullptr;
  auto source = frame::FileSource::Open(path);
  if (!source.ok()) return nullptr;
  std::array<uint8_t, frame::kCacheFileMagic.size()> head{};
  const auto size = frame::StreamReader(**source).ReadUpTo(head.data(), head.size());
  if (!size.ok() || !IsCacheFile({reinterpret_cast<const char*>(head.data()),
                                  static_cast<size_t>(*size)})) {
    return nullptr;
  }
  source = frame::FileSource::Open(path);
  if (!source.ok()) return nullptr;
  return *std::move(source);
}

}  // namespace spillway::cli
