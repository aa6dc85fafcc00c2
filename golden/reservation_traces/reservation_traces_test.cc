// SPDX-License-Identifier: Apache-2.0
// The policy and the account against 100 runs of the pull request's own code. README.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "golden/gzip_file.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "src/base/random.h"
#include "src/memory/counting_pool.h"
#include "src/memory/reservation.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/partitioner.h"
#include "src/shuffle/writer_account.h"

namespace spillway::golden {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

constexpr int64_t kChunks = 256;
constexpr int64_t kChunkRows = 8192;
constexpr int32_t kPartitions = 201;

// Rows of each partition, by chunk.
using Counts = std::vector<std::vector<uint32_t>>;

// What a run did, as the file records it.
struct Recording {
  std::vector<int64_t> calls;  // bytes, negative if denied
  std::vector<int64_t> call_chunk;
  std::vector<int64_t> spills_after_chunk;
  std::vector<int64_t> released;
  int64_t reserved_before_write = 0;
  std::vector<int64_t> released_on_drop;

  bool operator==(const Recording&) const = default;
};

std::vector<Struct> ReadTraces() {
  const std::string text = ReadGzipFile("golden/reservation_traces/traces.jsonl.gz").value();
  std::vector<Struct> traces;
  for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text.substr(at, end - at),
                                                            &traces.emplace_back())
                    .ok());
  }
  return traces;
}

int64_t Number(const Value& value) { return static_cast<int64_t>(value.number_value()); }

std::optional<int64_t> MaybeNumber(const Value& value) {
  return value.kind_case() == Value::kNullValue ? std::nullopt : std::optional(Number(value));
}

std::vector<int64_t> Numbers(const Value& list) {
  std::vector<int64_t> out;
  for (const Value& value : list.list_value().values()) out.push_back(Number(value));
  return out;
}

Recording Recorded(const Struct& trace) {
  const auto& fields = trace.fields();
  Recording out;
  for (const Value& call : fields.at("calls").list_value().values()) {
    const auto& parts = call.struct_value().fields();
    out.calls.push_back(parts.at("ok").bool_value() ? Number(parts.at("bytes"))
                                                    : -Number(parts.at("bytes")));
  }
  out.call_chunk = Numbers(fields.at("call_chunk"));
  out.spills_after_chunk = Numbers(fields.at("spills_after_chunk"));
  out.released = Numbers(fields.at("released"));
  out.reserved_before_write = Number(fields.at("reserved_before_write"));
  out.released_on_drop = Numbers(fields.at("released_on_drop"));
  return out;
}

uint32_t PartitionOf(const std::string& keys, int64_t row) {
  static const shuffle::PositiveRemainder remainder(kPartitions);
  const auto hash = [](uint32_t key) {
    return remainder(shuffle::HashInt(key, shuffle::kMurmur3Seed));
  };
  if (keys == "constant") return hash(1);
  if (keys == "mod201") return hash(static_cast<uint32_t>(row % kPartitions));
  if (keys == "random") {
    return hash(static_cast<uint32_t>(base::SplitMix64(static_cast<uint64_t>(row)) >> 33));
  }
  EXPECT_EQ(keys, "even_partition");
  return static_cast<uint32_t>(row % kPartitions);  // the partition of T[row mod 201]
}

const Counts& CountsOf(const std::string& keys) {
  static std::map<std::string, Counts> all;
  Counts& counts = all[keys];
  if (!counts.empty()) return counts;
  counts.assign(kChunks, std::vector<uint32_t>(kPartitions));
  for (int64_t row = 0; row < kChunks * kChunkRows; ++row) {
    ++counts[static_cast<size_t>(row / kChunkRows)][PartitionOf(keys, row)];
  }
  return counts;
}

Recording Drive(const Counts& counts, const memory::PolicyOptions& options,
                std::optional<int64_t> capacity) {
  memory::CountingPool pool(capacity);
  memory::Reservation reservation(pool);
  auto policy = *memory::ReservationPolicy::Create(options);
  shuffle::WriterAccount account(kPartitions);
  const std::vector<uint8_t> addresses(kChunks);
  Recording out;
  for (int64_t chunk = 0; chunk < kChunks; ++chunk) {
    const int64_t buffers = account.ChargeAllocation(
        {&addresses[static_cast<size_t>(chunk)], kChunkRows * int64_t{sizeof(int32_t)}});
    memory::Action next =
        policy.Grow(buffers + account.ChargeIndices(counts[static_cast<size_t>(chunk)]));
    while (next.kind == memory::Action::Kind::kRequest) {
      const bool granted = reservation.TryGrow(next.bytes)->granted;
      out.calls.push_back(granted ? next.bytes : -next.bytes);
      out.call_chunk.push_back(chunk);
      next = policy.Answer(granted);
    }
    if (next.kind != memory::Action::Kind::kSpill) continue;
    out.spills_after_chunk.push_back(chunk);
    out.released.push_back(policy.Release());
    EXPECT_TRUE(reservation.Free().ok());
    account.Clear();
  }
  out.reserved_before_write = reservation.size();
  if (reservation.size() > 0) out.released_on_drop.push_back(reservation.size());
  return out;
}

TEST(ReservationTracesTest, EveryCallSpillAndReleaseOfThePullRequestsOwnCode) {
  const std::vector<Struct> traces = ReadTraces();
  ASSERT_EQ(traces.size(), 100u);
  int64_t denied = 0;
  int64_t spilled = 0;
  for (const Struct& trace : traces) {
    const auto& fields = trace.fields();
    const std::string& keys = fields.at("keys").string_value();
    const memory::PolicyOptions options = {.step = Number(fields.at("step")),
                                           .limit = MaybeNumber(fields.at("limit"))};
    const std::optional<int64_t> capacity = MaybeNumber(fields.at("pool_capacity"));
    const Recording expected = Recorded(trace);
    const Recording run = Drive(CountsOf(keys), options, capacity);
    const std::string name = keys + " step " + std::to_string(options.step) + " limit " +
                             std::to_string(options.limit.value_or(-1)) + " capacity " +
                             std::to_string(capacity.value_or(-1));
    EXPECT_EQ(run.calls, expected.calls) << name;
    EXPECT_EQ(run, expected) << name;
    for (const int64_t call : expected.calls) denied += call < 0 ? 1 : 0;
    spilled += static_cast<int64_t>(expected.spills_after_chunk.size());
  }
  EXPECT_GT(denied, 0) << "the traces show denials";
  EXPECT_GT(spilled, 0) << "and spills";
}

}  // namespace
}  // namespace spillway::golden
