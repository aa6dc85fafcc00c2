// SPDX-License-Identifier: Apache-2.0
#include "golden/gzip_file.h"

#include <zlib.h>

#include "absl/status/status.h"
#include "src/base/strings.h"

namespace spillway::golden {

absl::StatusOr<std::string> ReadGzipFile(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(base::Cat(path, ": cannot be opened"));
  std::string text;
  char buffer[1 << 16];
  int n = 0;
  while ((n = gzread(file, buffer, sizeof(buffer))) > 0) {
    text.append(buffer, static_cast<size_t>(n));
  }
  // Z_BUF_ERROR: the last read ended in the middle of the stream.
  const bool whole = gzclose_r(file) == Z_OK;
  if (n < 0 || !whole) return absl::DataLossError(base::Cat(path, ": damaged or cut off"));
  return text;
}

}  // namespace spillway::golden
