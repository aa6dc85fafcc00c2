// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a round of spilled blocks lies in its file. Comet keeps 16 bytes for every partition and
// round (datafusion-comet#6009: 22 MB a task); here it is 2 to 6 bytes, and none for a partition
// without rows in the round.

#include <cstdint>
#include <string>

namespace spillway::shuffle {

// The lengths of a round's ranges, which lie one behind the other in ascending order of partition.
// Two variable-length numbers a range: partitions skipped since the last one, and bytes.
class SpillRanges {
 public:
  // `partition` >= the one before; bytes of the same partition add up. `bytes` > 0.
  void Append(int32_t partition, int64_t bytes);
  // The round is over.
  void Seal();

  int64_t resident_bytes() const { return static_cast<int64_t>(encoded_.capacity()); }

  // Walks over the ranges in order.
  class Cursor {
   public:
    // `ranges` is sealed and outlives the cursor; its first range begins at byte `offset`.
    Cursor(const SpillRanges& ranges, int64_t offset);

    // The range at hand; past the end, partition() is 2^31 - 1.
    int32_t partition() const { return partition_; }
    int64_t offset() const { return offset_; }
    int64_t bytes() const { return bytes_; }
    void Next();

   private:
    uint64_t Number();

    const std::string* encoded_;
    size_t at_ = 0;
    int32_t partition_ = -1;
    int64_t offset_;
    int64_t bytes_ = 0;
  };

 private:
  void Put(uint64_t number);
  void Flush();

  std::string encoded_;
  int32_t encoded_partition_ = -1;  // the last one in encoded_
  int32_t partition_ = -1;          // the one being added up
  int64_t bytes_ = 0;
};

}  // namespace spillway::shuffle
