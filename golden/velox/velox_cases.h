// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pages and column blocks in this folder, printed by real Velox (README.md).

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::golden {

// One line of index.jsonl.
struct VeloxCase {
  std::string name;                    // "BIGINT/dict/n9_topnulls"
  vector::TypePtr schema;              // of the pages
  std::vector<vector::Batch> batches;  // what Velox was given; several: appended to one page
  vector::Batch logical;               // the rows of all of them, flat

  // What Velox printed, by output: page_iter, single, page_batch, page_batch_preserve,
  // flat_page_batch, page_iter_nochecksum. What README.md says to equal another is filled in.
  std::map<std::string, std::string, std::less<>> outputs;
  // What Velox did instead, by output: crashes.
  std::map<std::string, std::string, std::less<>> errors;
};

absl::StatusOr<std::vector<VeloxCase>> LoadVeloxCases();

// "ARRAY(INTEGER)/dict/n9_topnulls" as --test_filter takes it: ARRAY_INTEGER_dict_n9_topnulls.
std::string TestName(std::string_view name);

// One line of malformed.jsonl.
struct VeloxMalformed {
  std::string name;
  vector::TypePtr type;  // the schema of a page, the type of a single column
  bool page;
  std::string bytes;
  std::string velox;  // what Velox does: ACCEPTED, ERROR, ...
};

absl::StatusOr<std::vector<VeloxMalformed>> LoadVeloxMalformed();

// One line of compressed.jsonl.
struct VeloxCompressed {
  std::string name;  // "bigint_seq/lz4/crc"
  vector::TypePtr schema;
  std::string codec;  // lz4, zstd, snappy, zlib, gzip
  bool checksum;
  bool compressed;                // the marker's bit
  std::string bytes;              // the page
  std::string uncompressed_page;  // the same batch, uncompressed and with a checksum
};

absl::StatusOr<std::vector<VeloxCompressed>> LoadVeloxCompressed();

// A type in Velox's other spelling: "ROW(c MAP(BIGINT,INTEGER))" is ROW<c:MAP<BIGINT,INTEGER>>.
absl::StatusOr<vector::TypePtr> ParseParenthesisedType(std::string_view text);

}  // namespace spillway::golden
