// SPDX-License-Identifier: Apache-2.0
#pragma once
// What must hold of readers and writers for any bytes: one predicate, for the fuzzer, for its
// corpus in every test run, and for the canary that shows that it can fail.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/page/page.h"
#include "src/vector/batch.h"

namespace spillway::fuzz {

// The codec of pages that is under test: ours, or one with a planted fault.
struct PageCodec {
  std::function<absl::StatusOr<vector::Batch>(const vector::TypePtr&, const vector::Buffer&,
                                              const page::PageReadOptions&)>
      read = [](const auto& schema, const auto& bytes, const auto& options) {
        return page::ReadPage(schema, bytes, options);
      };
  std::function<absl::StatusOr<vector::Buffer>(const vector::Batch&,
                                               const page::PageWriteOptions&)>
      write = page::WritePage;
};

// Takes `input` as a page, V2 frame, V3 frame and column block, under the schema that its first
// byte picks and with the codec that its second byte picks. Empty if all is well, otherwise the
// rule that is broken:
//
//   whatever is refused is refused at a byte
//   what reads also writes, in every encoding, raw and compressed, and reads back the same
//   a payload reads the same raw and compressed
std::optional<std::string> BrokenRule(std::string_view input, const PageCodec& codec = {});

}  // namespace spillway::fuzz
