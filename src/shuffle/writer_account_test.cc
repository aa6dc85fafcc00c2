// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/writer_account.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/random.h"
#include "src/memory/reservation_policy.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using vector::Batch;
using vector::BatchOf;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;

ColumnPtr Ints(int64_t rows) {
  return vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), std::vector<int32_t>(rows, 7));
}

TEST(WriterAccountTest, SlicesOfOneAllocationAreChargedOnce) {
  WriterAccount account(1);
  const Batch batch = BatchOf({Ints(1000)});
  EXPECT_EQ(account.ChargeBuffers(batch.Slice(0, 10)), 4000) << "the whole, not the slice";
  EXPECT_EQ(account.ChargeBuffers(batch.Slice(10, 10)), 0);
  EXPECT_EQ(account.ChargeBuffers(batch), 0);
  EXPECT_EQ(account.pinned(), 1);
  EXPECT_EQ(account.data_size(), 4000);
}

TEST(WriterAccountTest, CapacityIsChargedNotSize) {
  WriterAccount account(1);
  vector::MutableBuffer buffer(40, 100);
  const auto column = std::make_shared<vector::FlatColumn>(
      Type::Scalar(Kind::kInteger), 10, vector::Validity(), std::move(buffer).Freeze());
  EXPECT_EQ(account.ChargeBuffers(BatchOf({column})), 100);
}

TEST(WriterAccountTest, ValidityOffsetsAndAlphabetsAreCharged) {
  WriterAccount account(1);
  const ColumnPtr alphabet =
      vector::Strings(Type::Scalar(Kind::kVarchar), {"ab", std::nullopt, "cde"});
  const auto ids = Ints(4)->As<vector::FlatColumn>().values();
  const auto dictionary =
      std::make_shared<vector::DictionaryColumn>(4, vector::Validity(), ids, alphabet);
  // Ids 4 x 4, end offsets 3 x 4, bytes 5, validity 1.
  EXPECT_EQ(account.ChargeBuffers(BatchOf({dictionary})), 16 + 12 + 5 + 1);
  EXPECT_EQ(account.ChargeBuffers(BatchOf({alphabet})), 0);
  EXPECT_EQ(account.ChargeBuffers(BatchOf({vector::FlatColumn::Unknown(9)})), 0);
}

// What is copied and let go must cost the same as what is kept.
TEST(WriterAccountTest, AnotherAllocationAtTheSameAddressIsChargedAgain) {
  const std::string bytes(8, '\1');
  WriterAccount account(1);
  const auto charge = [&](const std::shared_ptr<int>& owner) {
    return account.ChargeBuffers(BatchOf(
        {std::make_shared<vector::FlatColumn>(Type::Scalar(Kind::kInteger), 2, vector::Validity(),
                                              vector::Buffer::Share(bytes, owner))}));
  };
  auto owner = std::make_shared<int>();
  EXPECT_EQ(charge(owner), 8);
  EXPECT_EQ(charge(owner), 0) << "it is the same while somebody keeps it";
  owner = std::make_shared<int>();
  EXPECT_EQ(charge(owner), 8);
  EXPECT_EQ(charge(owner), 0);
  EXPECT_EQ(account.data_size(), 16);
}

TEST(WriterAccountTest, IndexVectorsAreChargedByTheirCapacity) {
  WriterAccount account(3);
  EXPECT_EQ(account.ChargeIndices(std::vector<uint32_t>{1, 0, 5}), (4 + 5) * 8);
  EXPECT_EQ(account.ChargeIndices(std::vector<uint32_t>{3, 0, 1}), (10 - 5) * 8);
  EXPECT_EQ(account.index_capacity(0), 4);
  EXPECT_EQ(account.index_capacity(1), 0) << "an untouched partition has no vector";
  EXPECT_EQ(account.index_capacity(2), 10);
}

TEST(WriterAccountTest, TouchedPartitionsAloneAreChargedAsAllOfThem) {
  WriterAccount all(50), touched(50);
  base::Random random(5387);
  for (int chunk = 0; chunk < 300; ++chunk) {
    std::vector<uint32_t> rows(50);
    std::vector<PartitionRows> some;
    for (uint64_t i = random.Below(10); i > 0; --i) rows[random.Below(50)] = random.Below(2000);
    for (int32_t partition = 49; partition >= 0; --partition) {
      if (rows[partition] > 0) some.push_back({partition, rows[partition]});
    }
    EXPECT_EQ(all.ChargeIndices(rows), touched.ChargeIndices(some));
    if (chunk % 100 == 99) {
      all.Clear();
      touched.Clear();
    }
  }
  for (int32_t i = 0; i < 50; ++i) EXPECT_EQ(all.index_capacity(i), touched.index_capacity(i));
}

TEST(WriterAccountTest, NewAllocationsAreChargedAsThoseAtFreshAddresses) {
  WriterAccount fresh(1), counted(1);
  std::vector<uint8_t> addresses(100);
  for (int round = 0; round < 2; ++round) {
    for (int64_t i = 0; i < 100; ++i) {
      EXPECT_EQ(fresh.ChargeAllocation({&addresses[i], i * i}), counted.ChargeNew(i * i));
      EXPECT_EQ(fresh.pinned(), counted.pinned());
    }
    EXPECT_EQ(fresh.data_size(), counted.data_size());
    EXPECT_EQ(fresh.repeated(), counted.repeated());
    fresh.Clear();
    counted.Clear();
    EXPECT_EQ(counted.pinned(), 0);
  }
}

TEST(WriterAccountTest, AfterASpillEverythingIsChargedAgain) {
  WriterAccount account(1);
  const Batch batch = BatchOf({Ints(10)});
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(account.ChargeBuffers(batch), 40);
    EXPECT_EQ(account.ChargeIndices(std::vector<uint32_t>{10}), 80);
    account.Clear();
    EXPECT_EQ(account.pinned(), 0);
    EXPECT_EQ(account.index_capacity(0), 0);
  }
  EXPECT_EQ(account.data_size(), 80);
}

TEST(WriterAccountTest, BytesReportedBeforeAreRepeatedWithinOneInputOnly) {
  WriterAccount account(1);
  const Batch batch = BatchOf({Ints(10)});
  account.ChargeBuffers(batch.Slice(0, 5));
  EXPECT_EQ(account.repeated(), 0);
  account.Report(batch.Slice(0, 5));
  account.Clear();
  account.ChargeBuffers(batch.Slice(5, 5));
  EXPECT_EQ(account.repeated(), 40);
  account.Clear();
  EXPECT_EQ(account.repeated(), 0);
  account.ForgetReported();
  account.ChargeBuffers(batch);
  EXPECT_EQ(account.repeated(), 0);
}

struct Total {
  int64_t calls = 0;
  int64_t bytes = 0;
};

// A task of 256 chunks of 8192 int32 whose row i goes to partition i mod 201 (MEMORY section 2).
Total EvenlySpreadTask(int64_t step) {
  WriterAccount account(201);
  auto policy = *memory::ReservationPolicy::Create({.step = step});
  std::vector<uint8_t> addresses(256);
  Total total;
  for (int64_t chunk = 0; chunk < 256; ++chunk) {
    std::vector<uint32_t> rows(201);
    for (int64_t row = 0; row < 8192; ++row) rows[(chunk * 8192 + row) % 201] += 1;
    memory::Action next = policy.Grow(account.ChargeAllocation({&addresses[chunk], 32768}) +
                                      account.ChargeIndices(rows));
    while (next.kind == memory::Action::Kind::kRequest) {
      total.calls += 1;
      total.bytes += next.bytes;
      next = policy.Answer(true);
    }
  }
  return total;
}

TEST(WriterAccountTest, EvenlySpreadKeysAskExactly256TimesOr18TimesByAStep) {
  const Total exact = EvenlySpreadTask(0);
  EXPECT_EQ(exact.calls, 256);
  EXPECT_EQ(exact.bytes, 29'280'256);
  const Total stepped = EvenlySpreadTask(1 << 20);
  EXPECT_EQ(stepped.calls, 18);
  EXPECT_EQ(stepped.bytes, 30'296'064);
}

TEST(WriterAccountDeathTest, RowsComeOnePartitionEach) {
  WriterAccount account(2);
  EXPECT_DEATH(account.ChargeIndices(std::vector<uint32_t>{1}), "one number of rows a partition");
  for (const int32_t partition : {-1, 2}) {
    const std::vector<PartitionRows> rows = {{partition, 1}};
    EXPECT_DEATH(account.ChargeIndices(rows), "a partition there is");
  }
}

}  // namespace
}  // namespace spillway::shuffle
