// SPDX-License-Identifier: Apache-2.0
// A simulated task asks its pool for what the real repartitioner asks for, request by request: the
// simulation adds time and nothing else.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "sim/model/simulation.h"
#include "sim/scenario/loader.h"
#include "src/base/random.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/memory_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/build.h"

namespace spillway::sim {
namespace {

using vector::ColumnPtr;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

// A call of the pool, with its answer.
struct Event {
  enum class Kind { kGranted, kDenied, kReleased };
  Kind kind;
  int64_t bytes;

  bool operator==(const Event&) const = default;
};

void showValue(const Event& event, std::ostream& out) {
  out << "gdr"[static_cast<int>(event.kind)] << event.bytes;
}

class RecordingPool final : public memory::Pool {
 public:
  explicit RecordingPool(std::optional<int64_t> capacity) : pool_(capacity) {}

  absl::StatusOr<memory::Grant> TryGrow(int64_t bytes) override {
    auto grant = pool_.TryGrow(bytes);
    if (grant.ok()) {
      events.push_back({grant->granted ? Event::Kind::kGranted : Event::Kind::kDenied, bytes});
    }
    return grant;
  }
  absl::Status Shrink(int64_t bytes) override {
    events.push_back({Event::Kind::kReleased, bytes});
    return pool_.Shrink(bytes);
  }
  int64_t reserved() const override { return pool_.reserved(); }

  std::vector<Event> events;

 private:
  memory::CountingPool pool_;
};

struct Workload {
  int64_t chunks = 1;
  int64_t rows = 1;  // of each chunk
  int32_t partitions = 1;
  Keys keys;                  // neither random nor none: what is random stands in a trace
  std::vector<Kind> columns;  // beside the key
  Policy policy;
  std::optional<int64_t> capacity;
};

// What a writer did, in order, and in sum.
struct Behaviour {
  std::vector<Event> events;
  int64_t spills = 0;
  int64_t spilled_bytes = 0;

  bool operator==(const Behaviour&) const = default;
};

int32_t KeyOf(const Keys& keys, int64_t row) {
  switch (keys.kind_case()) {
    case Keys::kConstant:
      return keys.constant();
    case Keys::kSequential: {
      const int64_t key = keys.sequential().first() + row;
      const int64_t modulus = keys.sequential().modulus();
      return static_cast<int32_t>(modulus == 0 ? key : key % modulus);
    }
    case Keys::kTrace:
      return keys.trace().keys(static_cast<int>(row % keys.trace().keys_size()));
    default:
      return 0;
  }
}

ColumnPtr ColumnOf(Kind kind, int64_t rows) {
  const auto type = Type::Scalar(kind);
  const auto size = static_cast<size_t>(rows);
  switch (kind) {
    case Kind::kVarchar:
      return vector::Strings(type, std::vector<std::optional<std::string>>(size, "some text"));
    case Kind::kBigint:
      return vector::Flat<int64_t>(type, std::vector<std::optional<int64_t>>(size, std::nullopt));
    case Kind::kDouble:
      return vector::Flat<double>(type, std::vector<double>(size, 0.5));
    default:
      return vector::Flat<int32_t>(type, std::vector<int32_t>(size, 5));
  }
}

std::vector<vector::Batch> BatchesOf(const Workload& workload) {
  std::vector<vector::Batch> batches;
  int64_t row = 0;
  for (int64_t chunk = 0; chunk < workload.chunks; ++chunk) {
    std::vector<int32_t> keys(static_cast<size_t>(workload.rows));
    for (int32_t& key : keys) key = KeyOf(workload.keys, row++);
    std::vector<ColumnPtr> columns = {vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), keys)};
    for (const Kind kind : workload.columns) columns.push_back(ColumnOf(kind, workload.rows));
    batches.push_back(vector::BatchOf(std::move(columns)));
  }
  return batches;
}

// The capacity of every allocation of a batch.
std::vector<int64_t> AllocationsOf(const vector::Batch& batch) {
  std::vector<int64_t> out;
  for (const ColumnPtr& column : batch.columns()) {
    column->VisitBuffers([&](const vector::Buffer& buffer) {
      if (buffer.allocation().address != nullptr) out.push_back(buffer.allocation().capacity);
    });
  }
  return out;
}

memory::ReservationRule RealRule(Policy::Rule rule) {
  static constexpr memory::ReservationRule kRules[] = {
      memory::ReservationRule::kStep,     memory::ReservationRule::kRoundUp,
      memory::ReservationRule::kMultiple, memory::ReservationRule::kDeficitPlusStep,
      memory::ReservationRule::kBlocks,   memory::ReservationRule::kVeloxQuantum,
      memory::ReservationRule::kAdaptive};
  return kRules[rule - Policy::Rule_MIN];
}

Behaviour Real(const Workload& workload, const std::vector<vector::Batch>& batches) {
  const TypePtr& schema = batches[0].schema();
  auto partitioning = [&]() -> absl::StatusOr<shuffle::Partitioning> {
    if (workload.keys.has_dealt()) {
      // Its first row goes to the partition behind the position.
      return shuffle::DealingPartitioner::Create(schema, workload.partitions,
                                                 workload.partitions - 1);
    }
    return shuffle::HashPartitioner::Create(schema, {0}, workload.partitions,
                                            shuffle::HashOptions::Comet());
  }();
  RC_ASSERT(partitioning.ok());
  RecordingPool pool(workload.capacity);
  shuffle::MemorySink sink(workload.partitions);
  Behaviour out;
  {
    auto writer =
        shuffle::Repartitioner::Create(*std::move(partitioning),
                                       {.batch_size = static_cast<int32_t>(workload.rows),
                                        .policy = {.step = workload.policy.step_bytes(),
                                                   .limit = workload.policy.limit_bytes(),
                                                   .rule = RealRule(workload.policy.rule())}},
                                       pool, sink);
    RC_ASSERT(writer.ok());
    for (const vector::Batch& batch : batches) RC_ASSERT(writer->Insert(batch).ok());
    RC_ASSERT(writer->Finish().ok());
    out.spills = writer->metrics().spill_count;
    out.spilled_bytes = writer->metrics().memory_spilled_bytes;
  }
  out.events = pool.events;
  return out;
}

Behaviour Simulated(const Workload& workload, const std::vector<vector::Batch>& batches) {
  auto scenario = ParseScenario(
      base::Cat("name: 'n' executor { slots: 1 } tasks { chunks: ", workload.chunks,
                " rows_per_chunk: ", workload.rows, " partitions: ", workload.partitions,
                " keys { dealt {} } think { constant_ns: 1 } } policies { name: 'p' } "
                "jni { crossing { constant_ns: 1000 } }"),
      "x");
  RC_ASSERT(scenario.ok());
  TaskGroup& group = *scenario->mutable_tasks(0);
  *group.mutable_keys() = workload.keys;
  for (const int64_t bytes : AllocationsOf(batches[0])) group.add_buffer_bytes(bytes);
  for (const vector::Batch& batch : batches) {
    RC_ASSERT(AllocationsOf(batch) == AllocationsOf(batches[0]));
  }
  RecordingPool pool(workload.capacity);
  const auto run = Simulate(*scenario, workload.policy, pool);
  RC_ASSERT(run.ok());
  return {pool.events, static_cast<int64_t>(run->spills.sum()),
          static_cast<int64_t>(run->spilled_bytes)};
}

Keys AnyKeys(int64_t rows) {
  Keys keys;
  base::Random random(*rc::gen::arbitrary<uint64_t>());
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      keys.set_constant(static_cast<int32_t>(random.Next()));
      break;
    case 1:
      keys.mutable_sequential()->set_first(static_cast<int32_t>(random.Below(1000)));
      keys.mutable_sequential()->set_modulus(
          static_cast<int32_t>(random.Below(2) * random.Below(5000)));
      break;
    case 2:
      keys.mutable_dealt();
      break;
    case 3:  // uniform, over all rows
      for (int64_t i = 0; i < rows; ++i) {
        keys.mutable_trace()->add_keys(static_cast<int32_t>(random.Next()));
      }
      break;
    default:  // skewed, and again and again
      for (uint64_t i = 1 + random.Below(700); i > 0; --i) {
        keys.mutable_trace()->add_keys(static_cast<int32_t>(random.Below(1 + random.Below(50))));
      }
  }
  return keys;
}

Workload AnyWorkload() {
  Workload out;
  out.chunks = *rc::gen::inRange(1, 40);
  out.rows = *rc::gen::element(1, 7, 100, 600);
  out.partitions = *rc::gen::element(1, 2, 13, 200);
  out.keys = AnyKeys(out.chunks * out.rows);
  out.columns = *rc::gen::container<std::vector<Kind>>(
      *rc::gen::inRange(0, 4),
      rc::gen::element(Kind::kInteger, Kind::kBigint, Kind::kDouble, Kind::kVarchar));
  // Keeps the loader's ranges: what it would refuse is not simulated.
  out.policy.set_name("p");
  out.policy.set_step_bytes(*rc::gen::element(0, 1, 1000, 4096, 65536, 1 << 20));
  out.policy.set_limit_bytes(*rc::gen::element(0, 0, 1, 9000, 100'000, 400'000));
  out.policy.set_rule(
      static_cast<Policy::Rule>(*rc::gen::inRange<int>(Policy::Rule_MIN, Policy::Rule_MAX + 1)));
  const int64_t capacity = *rc::gen::element(0, 1, 3000, 30'000, 200'000, 2'000'000);
  if (capacity > 0) out.capacity = capacity;
  return out;
}

TEST(AgreementTest, TheSimulationAsksWhatTheRealRepartitionerAsks) {
  int spilled = 0, denied = 0;
  EXPECT_TRUE(rc::check("200 workloads", [&] {
    const Workload workload = AnyWorkload();
    const std::vector<vector::Batch> batches = BatchesOf(workload);
    const Behaviour real = Real(workload, batches);
    const Behaviour simulated = Simulated(workload, batches);
    RC_ASSERT(simulated.events == real.events);
    RC_ASSERT(simulated.spills == real.spills);
    RC_ASSERT(simulated.spilled_bytes == real.spilled_bytes);
    if (real.spills > 0) ++spilled;
    for (const Event& event : real.events) denied += event.kind == Event::Kind::kDenied ? 1 : 0;
  }));
  EXPECT_GT(spilled, 50) << "the workloads say little";
  EXPECT_GT(denied, 500);
}

// The comparison is worth something: one byte more in the step or in the limit is found.
TEST(AgreementTest, APolicyThatIsOffByOneByteIsFound) {
  Workload workload;
  workload.chunks = 30;
  workload.rows = 100;
  workload.partitions = 13;
  workload.keys.mutable_dealt();
  workload.policy.set_name("p");
  workload.policy.set_step_bytes(4096);
  const std::vector<vector::Batch> batches = BatchesOf(workload);
  Workload off = workload;
  off.policy.set_step_bytes(4097);
  EXPECT_TRUE(Simulated(workload, batches) == Real(workload, batches));
  EXPECT_FALSE(Simulated(off, batches) == Real(workload, batches));

  // The exact policy's requests are what each chunk is charged. A limit at the end of the tenth
  // spills there, one byte more after the next.
  workload.policy.set_step_bytes(0);
  const Behaviour exact = Real(workload, batches);
  int64_t limit = 0;
  for (int i = 0; i < 10; ++i) limit += exact.events.at(i).bytes;
  workload.policy.set_limit_bytes(limit);
  off = workload;
  off.policy.set_limit_bytes(limit + 1);
  EXPECT_TRUE(Simulated(workload, batches) == Real(workload, batches));
  EXPECT_FALSE(Simulated(off, batches) == Real(workload, batches));
}

}  // namespace
}  // namespace spillway::sim
