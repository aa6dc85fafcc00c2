// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of commands that read cache files share.

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/cli/run.h"
#include "src/frame/cache_file.h"
#include "src/vector/buffer.h"
#include "src/vector/build.h"

namespace spillway::cli {

// A batch of one DOUBLE column, c0.
inline vector::Batch Doubles(const std::vector<double>& values) {
  return vector::BatchOf(
      {vector::Flat<double>(vector::Type::Scalar(vector::Kind::kDouble), values)});
}

class CommandFixture : public ::testing::Test {
 protected:
  // A page or frame of `rows` rows.
  struct Cached {
    uint32_t partition;
    vector::Buffer bytes;
    int64_t rows;
  };

  // Writes the cache file at path_, under `schema`.
  void WriteCache(const vector::TypePtr& schema, const std::vector<Cached>& batches) {
    auto writer = frame::CacheFileWriter::Create(path_, schema);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const Cached& batch : batches) {
      const auto envelope = frame::MakeEnvelope(batch.bytes, batch.rows, 0);
      ASSERT_TRUE(envelope.ok()) << envelope.status();
      ASSERT_TRUE((*writer)->Append(batch.partition, *envelope).ok());
    }
    ASSERT_TRUE((*writer)->Finish().ok());
  }

  // The exit code; what was printed is in out_ and err_.
  int Spillway(const std::vector<std::string>& args) {
    std::ostringstream ignored;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = cli::Run(args, ignored, ignored);
    std::fflush(stdout);
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  std::string path_ = ::testing::TempDir() + "/command.cache";
  std::string out_;
  std::string err_;
};

}  // namespace spillway::cli
