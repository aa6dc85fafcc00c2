// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moves over column blocks by their grammar alone and explains them (FORMAT section 1).
// docs/format/block.md.
//
// The walker judges nothing: it goes on as long as it can tell where the next field is. What is
// right is page::BlockReader's to say, which also decodes the values that are shown.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "src/base/byte_reader.h"
#include "src/inspect/explanation.h"
#include "src/inspect/options.h"
#include "src/inspect/recorder.h"
#include "src/vector/buffer.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::inspect {

class BlockWalker {
 public:
  // `input` holds the bytes that readers given to Walk() read. All must outlive the walker.
  BlockWalker(const vector::Buffer& input, const WalkOptions& options, Recorder& recorder)
      : input_(input), options_(options), recorder_(recorder), guesses_(options.max_guesses) {}

  // Explains the block at `in` as a part of `whole` called `name` and moves behind it, or to where
  // the recorder stopped. Returns `type`, or without one what the encoding names suggest:
  //
  //   BYTE_ARRAY  TINYINT     LONG_ARRAY      BIGINT; TIMESTAMP where only 16 bytes a value fit
  //   SHORT_ARRAY SMALLINT    INT128_ARRAY    DECIMAL(38, 0), HUGEINT where a value is too large
  //   INT_ARRAY   INTEGER     VARIABLE_WIDTH  VARCHAR
  //
  // Where nothing suggests a type it is UNKNOWN.
  vector::TypePtr Walk(std::string name, const vector::TypePtr& type, base::ByteReader& in,
                       Explanation& whole);

 private:
  // The widths taken for LONG_ARRAY blocks in one attempt, in the order of the blocks.
  class Widths {
   public:
    bool NextIsWide();
    // The next combination, the last block's width first. False: there is no other.
    bool Advance();

   private:
    std::vector<bool> wide_;
    size_t next_ = 0;
  };

  using TypePtr = vector::TypePtr;

  TypePtr Guess(std::string_view name, base::ByteReader& in, Explanation& whole);
  TypePtr Block(std::string name, const TypePtr& expected, base::ByteReader& in,
                Explanation& whole, int depth);
  TypePtr Body(const TypePtr& expected, base::ByteReader& in, Explanation& block, int depth);
  TypePtr Rle(const TypePtr& expected, base::ByteReader& in, Explanation& block, int depth);
  TypePtr Dictionary(const TypePtr& expected, base::ByteReader& in, Explanation& block, int depth);
  TypePtr List(bool map, const TypePtr& expected, base::ByteReader& in, Explanation& block,
               int depth);
  TypePtr Row(const TypePtr& expected, base::ByteReader& in, Explanation& block, int depth);
  TypePtr Strings(const base::ByteReader& start, const TypePtr& expected, base::ByteReader& in,
                  Explanation& block);
  TypePtr Flat(std::string_view encoding, const base::ByteReader& start, const TypePtr& expected,
               base::ByteReader& in, Explanation& block);
  TypePtr GuessFlat(std::string_view encoding, const base::ByteReader& start, int64_t stored);
  bool HashTable(base::ByteReader& in, Explanation& block);
  bool Offsets(int64_t rows, std::string_view note, base::ByteReader& in, Explanation& block);

  // -1: stopped.
  int64_t Rows(base::ByteReader& in, Explanation& block);
  // The number of null rows; -1: stopped.
  int64_t Nulls(int64_t rows, base::ByteReader& in, Explanation& block);
  // The rows of a whole column, where they do not stand as such in the bytes.
  std::string RowsText(const base::ByteReader& start, const TypePtr& type) const;
  // The block at `start` as `type`, or null if it is refused or nobody will see it.
  vector::ColumnPtr Decode(base::ByteReader start, const TypePtr& type) const;

  const vector::Buffer& input_;
  const WalkOptions& options_;
  Recorder& recorder_;
  int64_t guesses_;
  Widths widths_;
};

}  // namespace spillway::inspect
