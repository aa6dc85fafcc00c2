// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/event_queue.h"

#include <algorithm>
#include <utility>

namespace spillway::sim {
namespace {

constexpr size_t kFirstCapacity = 128;
constexpr size_t kBlockChunks = 64;

// With more than this pending, processes are no longer in the cache when their time comes.
constexpr size_t kCached = 4096;

void Prefetch(const Process* process) {
  const char* const line = reinterpret_cast<const char*>(process);
  __builtin_prefetch(line);
  __builtin_prefetch(line + 64);
}

constexpr uint64_t LowDigits(int count, int bits) { return (uint64_t{1} << (count * bits)) - 1; }

}  // namespace

EventQueue::EventQueue() : front_(kFirstCapacity) {
  front_begin_ = front_end_ = front_.data();
  front_limit_ = front_begin_ + kFirstCapacity;
}

const EventQueue::Event& EventQueue::Pop(base::Random& random) {
  if (front_begin_ == front_end_) Refill();
  Event* const later = std::upper_bound(front_begin_, front_end_, front_begin_->at,
                                        [](Time at, const Event& event) { return at < event.at; });
  // Moved up, not swapped: the order among the others stays one of pushing.
  Event* const chosen = front_begin_ + random.Below(later - front_begin_);
  std::rotate(front_begin_, chosen, chosen + 1);
  return *front_begin_++;
}

void EventQueue::Remove(bool (*dead)(const Event&)) {
  front_end_ = std::remove_if(front_begin_, front_end_, dead);
  std::vector<Event> alive;
  while (digits_ != 0) {
    Drain(Detach(FirstBucket()), [&](const Event& event) {
      if (!dead(event)) alive.push_back(event);
    });
  }
  bucketed_ = alive.size();
  for (const Event& event : alive) Deal(event);
}

EventQueue::Address EventQueue::FirstBucket() const {
  const int digit = std::countr_zero(digits_);
  return {digit, std::countr_zero(values_[digit])};
}

// The bucket at `address`, which counts as empty from now on.
EventQueue::Bucket& EventQueue::Detach(Address address) {
  uint64_t& values = values_[address.digit];
  values &= ~(uint64_t{1} << address.value);
  digits_ &= ~(uint32_t{values == 0} << address.digit);
  return buckets_[address.digit][address.value];
}

// Calls `use` for every event, in order, and leaves the bucket empty. `use` deals nothing to it.
template <typename Use>
void EventQueue::Drain(Bucket& bucket, const Use& use) {
  Event* const stop = std::exchange(bucket.cursor, bucket.first->events.data());
  const Chunk* const last = std::exchange(bucket.last, bucket.first);
  bucket.end = bucket.cursor + Chunk::kEvents;
  for (Chunk* chunk = bucket.first; chunk != nullptr;) {
    Event* const end = chunk == last ? stop : chunk->events.data() + Chunk::kEvents;
    for (const Event* event = chunk->events.data(); event != end; ++event) use(*event);
    Chunk* const next = std::exchange(chunk->next, nullptr);
    if (chunk != bucket.first) chunk->next = std::exchange(free_, chunk);
    chunk = next;
  }
}

// Gives a bucket that is full, or was never used, one more chunk.
void EventQueue::Extend(Bucket& bucket) {
  if (free_ == nullptr) {
    blocks_.push_back(std::make_unique<Chunk[]>(kBlockChunks));
    for (size_t i = 0; i < kBlockChunks; ++i) {
      blocks_.back()[i].next = std::exchange(free_, &blocks_.back()[i]);
    }
  }
  Chunk* const chunk = std::exchange(free_, free_->next);
  chunk->next = nullptr;
  (bucket.first == nullptr ? bucket.first : bucket.last->next) = chunk;
  bucket.last = chunk;
  bucket.cursor = chunk->events.data();
  bucket.end = bucket.cursor + Chunk::kEvents;
}

// The front has reached the end of its array.
void EventQueue::MakeRoom() {
  const size_t size = FrontSize();
  if (size > front_.size() / 2) {
    std::vector<Event> larger(2 * front_.size());
    std::copy(front_begin_, front_end_, larger.begin());
    front_.swap(larger);
  } else {
    std::copy(front_begin_, front_end_, front_.begin());
  }
  front_begin_ = front_.data();
  front_end_ = front_begin_ + size;
  front_limit_ = front_begin_ + front_.size();
}

// Keeps a front into which much is pushed short: all but the first few go to buckets, and ties
// among them all together, lest every push has to move them.
void EventQueue::Shorten() {
  Time horizon = front_begin_[kFrontKept].at;
  if (horizon != front_begin_->at) {
    --horizon;
  } else if (horizon == front_end_[-1].at) {
    return;  // nothing but ties, behind which others of their instant are pushed
  }
  // Seen from an earlier horizon, what lay in the lower digits differs in a higher one.
  const int digit = DigitOf(horizon, horizon_);
  horizon_ = horizon;
  while (digits_ != 0 && FirstBucket().digit < digit) Spread(FirstBucket());
  Event* end = front_end_;
  while (end[-1].at > horizon) --end;
  bucketed_ += front_end_ - end;
  for (const Event* event = end; event != front_end_; ++event) Deal(*event);
  front_end_ = end;
}

// Makes a new front, the old one being empty.
void EventQueue::Refill() {
  front_begin_ = front_end_ = front_.data();
  if (bucketed_ <= kFrontKept) {
    while (digits_ != 0) Sort(FirstBucket());
    horizon_ = kEndOfTime;
    return;
  }
  while (true) {
    const Address first = FirstBucket();
    const Bucket& bucket = buckets_[first.digit][first.value];
    const auto at = static_cast<uint64_t>(bucket.first->events[0].at);
    const uint64_t low = LowDigits(first.digit, kDigitBits);
    if (bucket.first == bucket.last) {
      horizon_ = static_cast<Time>(at | low);
      return Sort(first);
    }
    if (first.digit == 0) {
      horizon_ = static_cast<Time>(at);
      return Append(first);
    }
    horizon_ = static_cast<Time>(at & ~low);
    Spread(first);
  }
}

// A bucket of one chunk goes to the end of the front. Each event's place is counted, which branches
// on no comparison.
void EventQueue::Sort(Address address) {
  Bucket& bucket = Detach(address);
  const Event* const events = bucket.first->events.data();
  const int count = static_cast<int>(bucket.cursor - events);
  bucket.cursor = bucket.first->events.data();
  bucketed_ -= count;
  Event* const out = front_end_;
  front_end_ += count;
  std::array<int, Chunk::kEvents> place{};
  for (int i = 1; i < count; ++i) {
    int before = i;
    for (int j = 0; j < i; ++j) {
      const int later = events[i].at < events[j].at;
      place[j] += later;
      before -= later;
    }
    place[i] = before;
  }
  for (int i = 0; i < count; ++i) {
    out[place[i]] = events[i];
    Prefetch(events[i].process);
  }
}

// A bucket of any length, all of one instant, becomes the front.
void EventQueue::Append(Address address) {
  Drain(Detach(address), [this](const Event& event) {
    if (front_end_ == front_limit_) MakeRoom();
    *front_end_++ = event;
    --bucketed_;
  });
}

// Deals a bucket anew, as seen from the horizon.
void EventQueue::Spread(Address address) {
  Bucket& bucket = Detach(address);
  if (bucketed_ > kCached && address.digit <= 2) {
    Drain(bucket, [this](const Event& event) {
      Prefetch(event.process);
      Deal(event);
    });
  } else {
    Drain(bucket, [this](const Event& event) { Deal(event); });
  }
}

}  // namespace spillway::sim
