// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's Murmur3 hash of rows, the one that decides a row's shuffle partition: MurmurHash3 x86_32
// but for the bytes after the last whole word, each of which Spark mixes in as a word of its own.

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// What a row of no columns hashes to.
inline constexpr uint32_t kMurmur3Seed = 42;

struct HashOptions {
  // DECIMAL of precision above 18, and HUGEINT.
  enum class LongDecimal {
    kSparkBigEndianMinimal,  // the fewest bytes that hold the unscaled value, big-endian
    kCometLittleEndian16,    // all 16 bytes, little-endian
  };
  enum class Nan {
    kCanonical,  // Spark, Velox: every NaN hashes as the quiet one, 0x7fc00000 or 0x7ff8 << 48
    kRawBits,    // Comet: as it is
  };
  // A ROW that is null as a whole.
  enum class NullRow {
    kUnchanged,    // Spark: leaves the running hash, as any null does
    kHashesFields  // Comet: its fields hash as what they hold
  };
  LongDecimal long_decimal = LongDecimal::kSparkBigEndianMinimal;
  Nan nan = Nan::kCanonical;
  NullRow null_row = NullRow::kUnchanged;

  static constexpr HashOptions Spark() { return {}; }
  static constexpr HashOptions Comet() {
    return {LongDecimal::kCometLittleEndian16, Nan::kRawBits, NullRow::kHashesFields};
  }
};

// The code that runs the inner loops. All give the same hashes.
enum class HashKernel : uint8_t { kPortable, kAvx2 };

// Whether this processor has it.
bool HasHashKernel(HashKernel kernel);

// One value after `seed`, the hash of the columns before it.
uint32_t HashInt(uint32_t value, uint32_t seed);
uint32_t HashLong(uint64_t value, uint32_t seed);
uint32_t HashBytes(std::string_view bytes, uint32_t seed);

// OK, or Unimplemented naming `type` if it is or holds a MAP, which Spark refuses as well.
absl::Status CheckHashable(const vector::Type& type);

// Chains `column` to the hash of each row: hashes[r] = hash(row r, hashes[r]); a null leaves it as
// it is. hashes.size() == column.rows(). Columns of any encoding, which hash as what they show.
//
//   as int     BOOLEAN (0, 1), TINYINT, SMALLINT, INTEGER, DATE, INTERVAL YEAR TO MONTH, REAL's
//              bits
//   as long    BIGINT, DECIMAL up to precision 18, INTERVAL DAY TO SECOND, TIMESTAMP's microseconds
//              (rounded down), DOUBLE's bits
//   as bytes   VARCHAR, VARBINARY, DECIMAL above precision 18, HUGEINT
//   not at all UNKNOWN
//   chained    ROW's fields, ARRAY's elements
//
// -0.0 hashes as 0.0.
//
//   OK
//   InvalidArgument    a TIMESTAMP whose microseconds do not fit 64 bits; the message gives the
//                      row, counted among the elements if it is in an ARRAY
//   ResourceExhausted  wrappers around nested values that take more than 1 GiB without them
//   Unimplemented      as CheckHashable()
//
// After a failure `hashes` is as before.
absl::Status HashColumn(const vector::Column& column, const HashOptions& options,
                        std::span<uint32_t> hashes);

// By a certain kernel, which the processor must have: for tests and benchmarks.
absl::Status HashColumnBy(HashKernel kernel, const vector::Column& column,
                          const HashOptions& options, std::span<uint32_t> hashes);

}  // namespace spillway::shuffle
