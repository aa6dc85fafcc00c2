// SPDX-License-Identifier: Apache-2.0
#include "sim/model/task_slot.h"

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

base::Random StreamOf(uint64_t seed, const TaskList::Entry& entry, std::string_view what) {
  return base::Random::Stream(seed, base::Cat("task ", entry.number, " ", what));
}

// kEndOfTime if it is longer: the kernel refuses that with a place.
Duration SpillTime(const Disk& disk, int64_t bytes) {
  const __int128 nanos =
      disk.spill_ns() + (static_cast<__int128>(bytes) * disk.spill_ns_per_mib() >> 20);
  return static_cast<Duration>(std::min<__int128>(nanos * kNanosecond, kEndOfTime));
}

}  // namespace

TaskSlot::Task::Task(const TaskList::Entry& entry, memory::ReservationPolicy policy,
                     const ChunkKeys& keys, uint64_t seed, Time now)
    : group(*entry.group),
      policy(std::move(policy)),
      account(static_cast<int32_t>(group.partitions())),
      keys(keys),
      think_times(StreamOf(seed, entry, "think")),
      crossing_times(StreamOf(seed, entry, "crossing")),
      began(now),
      chunks_left(group.chunks()) {}

TaskSlot::TaskSlot(Stage& stage, int64_t number)
    : Process(base::Cat("slot ", number)), stage_(stage) {}

void TaskSlot::Resume() {
  absl::Status fault;
  switch (state_) {
    case State::kNextTask:
      fault = BeginTask();
      break;
    case State::kThinking:
      fault = TakeChunk();
      break;
    case State::kRequesting:
      if (!call_->Advance()) return;
      NoteCall();
      if (!call_->granted()) ++task_->denied;
      Follow(task_->policy.Answer(call_->granted()));
      break;
    case State::kSpilling:
      task_->account.Clear();
      Free(State::kFreeing);
      break;
    case State::kFreeing:
      if (!call_->Advance()) return;
      NoteCall();
      NextChunk();
      break;
    case State::kEnding:
      if (!call_->Advance()) return;
      NoteCall();
      EndTask();
      break;
  }
  if (!fault.ok()) stage_.kernel.Fail(base::In(name(), fault));
}

absl::Status TaskSlot::BeginTask() {
  const std::optional<TaskList::Entry> entry = stage_.tasks.Next();
  if (!entry.has_value()) {
    stage_.kernel.Finish(*this);
    return absl::OkStatus();
  }
  const uint64_t seed = stage_.scenario.seed();
  SPILLWAY_ASSIGN_OR_RETURN(memory::ReservationPolicy policy,
                            memory::ReservationPolicy::Create(stage_.policy));
  const ChunkKeys keys(stage_.keys[entry->group_index], entry->ordinal * entry->group->chunks(),
                       StreamOf(seed, *entry, "keys"));
  SPILLWAY_ASSIGN_OR_RETURN(think_, ToEmpirical(entry->group->think()));
  call_.reset();
  task_.emplace(*entry, std::move(policy), keys, seed, stage_.kernel.now());
  call_.emplace(stage_.boundary, *this, task_->crossing_times);
  if (stage_.scenario.jni().attach() == Jni::TASK) attached_ = false;
  NextChunk();
  return absl::OkStatus();
}

void TaskSlot::NextChunk() {
  if (task_->chunks_left == 0) return Free(State::kEnding);
  --task_->chunks_left;
  state_ = State::kThinking;
  stage_.kernel.ResumeAfter(*this, think_->Sample(task_->think_times));
}

absl::Status TaskSlot::TakeChunk() {
  int64_t growth = 0;
  for (const int64_t bytes : task_->group.buffer_bytes()) {
    growth += task_->account.ChargeNew(bytes);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const std::span<const shuffle::PartitionRows> rows, task_->keys.Next());
  growth += task_->account.ChargeIndices(rows);
  Follow(task_->policy.Grow(growth));
  return absl::OkStatus();
}

void TaskSlot::Follow(memory::Action action) {
  NoteSlack();
  switch (action.kind) {
    case memory::Action::Kind::kCovered:
      return NextChunk();
    case memory::Action::Kind::kRequest:
      ++task_->requests;
      task_->requested_bytes += action.bytes;
      call_->Acquire(action.bytes, Attaching());
      state_ = State::kRequesting;
      return Resume();
    case memory::Action::Kind::kSpill:
      ++task_->spills;
      stage_.result.spilled_bytes += task_->policy.buffered();
      state_ = State::kSpilling;
      return stage_.kernel.ResumeAfter(*this,
                                       SpillTime(stage_.scenario.disk(), task_->policy.buffered()));
  }
}

// Gives everything back, in a crossing if there is anything, and goes on as `next` does after it.
void TaskSlot::Free(State next) {
  const int64_t bytes = task_->policy.Release();
  NoteSlack();
  if (bytes == 0) return next == State::kFreeing ? NextChunk() : EndTask();
  call_->Release(bytes, Attaching());
  state_ = next;
  Resume();
}

void TaskSlot::EndTask() {
  PolicyRun& result = stage_.result;
  result.requests.Record(task_->requests);
  result.requested_bytes.Record(task_->requested_bytes);
  result.denied.Record(task_->denied);
  result.crossings.Record(task_->crossings);
  result.jni_time.Record(task_->jni_time);
  result.monitor_wait.Record(task_->monitor_wait);
  result.spills.Record(task_->spills);
  result.task_time.Record(stage_.kernel.now() - task_->began);
  result.stage_time = stage_.kernel.now();
  state_ = State::kNextTask;
  Resume();
}

bool TaskSlot::Attaching() { return !std::exchange(attached_, true); }

void TaskSlot::NoteCall() {
  task_->crossings += call_->crossings();
  task_->jni_time += call_->duration();
  task_->monitor_wait += call_->waited();
}

void TaskSlot::NoteSlack() {
  const int64_t slack = std::max<int64_t>(0, task_->policy.slack());
  stage_.slack.Add(stage_.kernel.now(), slack - task_->slack);
  stage_.result.peak_task_slack = std::max(stage_.result.peak_task_slack, slack);
  task_->slack = slack;
}

}  // namespace spillway::sim
