// SPDX-License-Identifier: Apache-2.0
#include "sim/model/slot.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

base::Random StreamOf(uint64_t seed, const TaskList::Entry& entry, int64_t writer,
                      std::string_view what) {
  if (writer == 0) return base::Random::Stream(seed, base::Cat("task ", entry.number, " ", what));
  return base::Random::Stream(seed,
                              base::Cat("task ", entry.number, " writer ", writer, " ", what));
}

}  // namespace

Writer::Part::Part(const Stage& stage, const TaskList::Entry& entry, int64_t writer,
                   memory::ReservationPolicy policy, const ChunkKeys& keys,
                   memory::Consumer& consumer)
    : group(*entry.group),
      policy(std::move(policy)),
      account(static_cast<int32_t>(group.partitions())),
      keys(keys),
      consumer(consumer),
      think_times(StreamOf(stage.scenario.seed(), entry, writer, "think")),
      crossing_times(StreamOf(stage.scenario.seed(), entry, writer, "crossing")),
      chunks_left(entry.chunks),
      think_factor(entry.think_factor) {}

Writer::Writer(Slot& slot, int64_t number, std::string name)
    : Thread(std::move(name)), slot_(slot), number_(number) {}

void Writer::Run() {
  absl::Status fault;
  switch (state_) {
    case State::kIdle:
      if (number_ == 0) {
        fault = slot_.TakeTask();
      } else if (!slot_.task_) {
        slot_.machine_.cores().Finish(*this);
      } else {
        NextChunk();
      }
      break;
    case State::kBeginning:
      slot_.BeginWriting();
      break;
    case State::kThinking:
      fault = TakeChunk();
      break;
    case State::kRequesting:
      if (!call_->Advance()) return;
      fault = NoteCall();
      if (!fault.ok()) break;
      if (!call_->granted()) ++slot_.task_->denied;
      Follow(part_->policy.Answer(call_->granted()));
      break;
    case State::kSpilling:
      part_->account.Clear();
      Free(State::kFreeing);
      break;
    case State::kFreeing:
      if (!call_->Advance()) return;
      fault = NoteCall();
      if (fault.ok()) NextChunk();
      break;
    case State::kReleasing:
      if (!call_->Advance()) return;
      fault = NoteCall();
      if (fault.ok()) End();
      break;
    case State::kJoining:
      state_ = State::kEnding;
      if (slot_.task_->pool.memory() != nullptr) call_->EndTask(slot_.task_->pool);
      [[fallthrough]];
    case State::kEnding:
      if (!call_->Advance()) return;
      slot_.EndTask();
      break;
    case State::kEnded:
      slot_.Record();
      break;
  }
  if (!fault.ok()) slot_.machine_.kernel().Fail(base::In(name(), fault));
}

absl::Status Writer::Begin(const TaskList::Entry& entry) {
  const Stage& stage = slot_.stage_;
  SPILLWAY_ASSIGN_OR_RETURN(memory::ReservationPolicy policy,
                            memory::ReservationPolicy::Create(stage.policy));
  const ChunkKeys keys(stage.keys[entry.group_index], entry.first_chunk + number_ * entry.chunks,
                       StreamOf(stage.scenario.seed(), entry, number_, "keys"));
  call_.reset();
  part_.emplace(stage, entry, number_, std::move(policy), keys,
                slot_.task_->pool.pool().Join("ShuffleWriter", /*can_spill=*/true));
  call_.emplace(slot_.machine_, *this, part_->crossing_times);
  if (stage.scenario.jni().attach() == Jni::TASK) attached_ = false;
  return absl::OkStatus();
}

void Writer::NextChunk() {
  if (part_->chunks_left == 0) return Free(State::kReleasing);
  --part_->chunks_left;
  state_ = State::kThinking;
  const Duration think = slot_.think_->Sample(part_->think_times);
  slot_.machine_.cores().Burn(
      *this, think / 1000 * part_->think_factor + think % 1000 * part_->think_factor / 1000);
}

absl::Status Writer::TakeChunk() {
  int64_t growth = 0;
  for (const int64_t bytes : part_->group.buffer_bytes()) {
    growth += part_->account.ChargeNew(bytes);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const std::span<const shuffle::PartitionRows> rows, part_->keys.Next());
  growth += part_->account.ChargeIndices(rows);
  Follow(part_->policy.Grow(growth));
  return absl::OkStatus();
}

void Writer::Follow(memory::Action action) {
  NoteLevels();
  Slot::Task& task = *slot_.task_;
  switch (action.kind) {
    case memory::Action::Kind::kCovered:
      return NextChunk();
    case memory::Action::Kind::kRequest:
      ++task.requests;
      task.requested_bytes += action.bytes;
      call_->Acquire(task.pool, part_->consumer, action.bytes, Attaching());
      state_ = State::kRequesting;
      return Run();
    case memory::Action::Kind::kSpill: {
      ++task.spills;
      slot_.stage_.measures.run.spilled_bytes += part_->policy.buffered();
      state_ = State::kSpilling;
      slot_.machine_.disks().Write(*this, part_->policy.buffered());
      return slot_.machine_.cores().Away(*this);
    }
  }
}

// Gives everything back, in a crossing if there is anything, and goes on as `next` does after it.
void Writer::Free(State next) {
  const int64_t bytes = part_->policy.Release();
  NoteLevels();
  if (bytes == 0) return next == State::kFreeing ? NextChunk() : End();
  call_->Release(slot_.task_->pool, part_->consumer, bytes, Attaching());
  state_ = next;
  Run();
}

void Writer::End() {
  slot_.task_->pool.pool().Leave(part_->consumer);
  const bool last = --slot_.task_->writing == 0;
  if (number_ == 0) {
    state_ = State::kJoining;
    return last ? Run() : slot_.machine_.cores().Block(*this, slot_);
  }
  state_ = State::kIdle;
  if (last) {
    slot_.machine_.cores().Unblock(*slot_.writers_[0], slot_.machine_.mutex_traits().wake, this);
  }
  slot_.machine_.cores().Block(*this, slot_);
}

absl::Status Writer::NoteCall() {
  SPILLWAY_RETURN_IF_ERROR(call_->fault());
  Slot::Task& task = *slot_.task_;
  task.crossings += call_->crossings();
  task.jni_time += call_->duration();
  task.waited += call_->waited();
  return absl::OkStatus();
}

Duration Writer::Attaching() {
  if (std::exchange(attached_, true)) return 0;
  return slot_.stage_.scenario.jni().attach_ns() * kNanosecond;
}

void Writer::NoteLevels() {
  Measures& measures = slot_.stage_.measures;
  const Time now = slot_.machine_.kernel().now();
  const int64_t slack = std::max<int64_t>(0, part_->policy.slack());
  const int64_t unreserved = std::max<int64_t>(0, -part_->policy.slack());
  if (slack != part_->slack) measures.slack.Add(now, slack - part_->slack);
  if (unreserved != part_->unreserved) {
    measures.unreserved.Add(now, unreserved - part_->unreserved);
  }
  measures.run.peak_task_slack = std::max(measures.run.peak_task_slack, slack);
  part_->slack = slack;
  part_->unreserved = unreserved;
}

Slot::Task::Task(Machine& machine, const TaskList::Entry& entry, Time now)
    : entry(entry), pool(machine, entry.number), began(now), writing(entry.group->writers()) {}

Slot::Slot(Stage& stage, Machine& machine, int64_t number)
    : stage_(stage), machine_(machine), number_(number) {
  writers_.push_back(std::make_unique<Writer>(*this, 0, NameOf(0)));
}

std::string Slot::NameOf(int64_t writer) const {
  std::string name = base::Cat("slot ", number_);
  if (writer > 0) name += base::Cat(" writer ", writer);
  if (stage_.scenario.executor().count() == 1) return name;
  return base::Cat(name, " on executor ", machine_.number());
}

void Slot::Start() {
  machine_.BeginSlot();
  machine_.cores().Start(*writers_[0]);
}

absl::Status Slot::TakeTask() {
  const bool waited = !stage_.idle.empty() && stage_.idle.front() == this;
  const TaskList::Found found = stage_.tasks.Next(machine_.kernel().now());
  if (found.arrives.has_value()) {
    WaitForArrival(*found.arrives);
    return absl::OkStatus();
  }
  if (waited) {
    stage_.idle.pop_front();
    WakeNextIdle();
  }
  const std::optional<TaskList::Entry>& entry = found.task;
  if (!entry.has_value()) {
    Leave();
    return absl::OkStatus();
  }
  SPILLWAY_ASSIGN_OR_RETURN(think_, ToEmpirical(entry->group->think()));
  task_.emplace(machine_, *entry, machine_.kernel().now());
  ++stage_.under_way;
  while (static_cast<int64_t>(writers_.size()) < entry->group->writers()) {
    const auto writer = static_cast<int64_t>(writers_.size());
    writers_.push_back(std::make_unique<Writer>(*this, writer, NameOf(writer)));
  }
  for (int64_t i = 0; i < entry->group->writers(); ++i) {
    SPILLWAY_RETURN_IF_ERROR(writers_[i]->Begin(*entry));
  }
  writers_[0]->state_ = Writer::State::kBeginning;
  if (entry->group->begin_ns() == 0) {
    BeginWriting();
  } else {
    machine_.cores().Burn(*writers_[0], entry->group->begin_ns() * kNanosecond);
  }
  return absl::OkStatus();
}

void Slot::WaitForArrival(Time arrives) {
  std::deque<Slot*>& idle = stage_.idle;
  if (idle.empty() || idle.front() != this) idle.push_back(this);
  if (idle.front() != this) return machine_.cores().Block(*writers_[0], *this);
  machine_.cores().Sleep(*writers_[0], arrives - machine_.kernel().now());
}

void Slot::WakeNextIdle() {
  if (stage_.idle.empty()) return;
  Slot& next = *stage_.idle.front();
  next.machine_.cores().Unblock(*next.writers_[0], 0, nullptr);
}

// No task is left.
void Slot::Leave() {
  machine_.EndSlot();
  for (size_t i = 1; i < writers_.size(); ++i) {
    if (writers_[i]->core() != nullptr) machine_.cores().Unblock(*writers_[i], 0, nullptr);
  }
  machine_.cores().Finish(*writers_[0]);
}

void Slot::BeginWriting() {
  for (int64_t i = 1; i < task_->writing; ++i) {
    Writer& writer = *writers_[i];
    if (writer.core() == nullptr) {
      machine_.cores().Start(writer);
    } else {
      machine_.cores().Unblock(writer, machine_.mutex_traits().wake, writers_[0].get());
    }
  }
  writers_[0]->NextChunk();
}

// What Spark had of it has gone back.
void Slot::EndTask() {
  Writer& first = *writers_[0];
  first.state_ = Writer::State::kEnded;
  const Duration time = task_->entry.group->end_ns() * kNanosecond;
  if (time == 0) return Record();
  machine_.cores().Burn(first, time);
}

void Slot::Record() {
  PolicyRun& run = stage_.measures.run;
  run.requests.Record(task_->requests);
  run.requested_bytes.Record(task_->requested_bytes);
  run.denied.Record(task_->denied);
  run.crossings.Record(task_->crossings);
  run.jni_time.Record(task_->jni_time);
  run.monitor_wait.Record(task_->waited);
  run.spills.Record(task_->spills);
  run.task_time.Record(machine_.kernel().now() - task_->began);
  run.start_delay.Record(task_->began - task_->entry.arrival);
  run.stage_time = machine_.kernel().now();
  for (const auto& writer : writers_) writer->part_.reset();
  task_.reset();
  if (--stage_.under_way == 0 && stage_.tasks.empty()) stage_.at_end();
  writers_[0]->state_ = Writer::State::kIdle;
  writers_[0]->Run();
}

std::string Slot::Describe() const {
  return task_ ? "the other writers of its task" : "a task to arrive";
}

}  // namespace spillway::sim
