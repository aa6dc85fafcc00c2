// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pending events of a run, earliest first; events of one instant come out in
// the order in which they went in, or on demand in a random one.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {

class Process;

// A sorted front of the next few events, and behind it a radix queue (Ahuja, Mehlhorn, Orlin and
// Tarjan 1990): a bucket for each value of each 6-bit digit of an event's time, counted from the
// highest digit in which it differs from the end of the front. The first bucket becomes the front
// when it is short, and is dealt to lower digits otherwise, so that an event moves at most once a
// digit whatever the number pending, and a run's cost is linear in its events. Nothing compares
// ties: an instant's events always share a bucket, in the order in which they came.
//
// Buckets are lists of 256-byte chunks that are used again. Memory grows with the greatest number
// of events pending, never with the length of the run, and a run in steady state allocates nothing.
//
// Choices here are about branches that cannot be predicted (10 ns each on the machine of
// docs/simulator/kernel.md, a third of the budget for an event).
class EventQueue {
 public:
  struct Event {
    Time at = 0;
    Process* process = nullptr;
    uint32_t ticket = 0;  // the caller's
  };

  EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  size_t size() const { return FrontSize() + bucketed_; }
  bool empty() const { return front_begin_ == front_end_ && bucketed_ == 0; }

  // `at` >= 0.
  void Push(Time at, Process* process, uint32_t ticket = 0) {
    const Event event{at, process, ticket};
    if (at > horizon_) {
      ++bucketed_;
      return Deal(event);
    }
    if (front_end_ == front_limit_) [[unlikely]]
      MakeRoom();
    Event* place = front_end_++;
    for (; place != front_begin_ && place[-1].at > at; --place) place[0] = place[-1];
    *place = event;
    if (front_end_ - front_begin_ > kFrontMost) [[unlikely]]
      Shorten();
  }

  // The earliest event, which stands until the next push. The queue is not empty.
  const Event& Pop() {
    if (front_begin_ == front_end_) Refill();
    return *front_begin_++;
  }

  // Any of the events of the earliest instant, all equally likely. The queue is not empty.
  const Event& Pop(base::Random& random);

  // Takes back the event that was popped just before.
  void Return() { --front_begin_; }

  // Drops the events that are `dead`; the others keep their order. Linear in size().
  void Remove(bool (*dead)(const Event&));

 private:
  static constexpr int kDigitBits = 6;
  static constexpr int kDigits = 11;
  static constexpr ptrdiff_t kFrontMost = 16;  // beyond this the front is shortened
  static constexpr ptrdiff_t kFrontKept = 8;   // to this; and so few in all need no buckets

  struct Chunk {
    static constexpr size_t kEvents = 10;
    Chunk* next = nullptr;
    std::array<Event, kEvents> events;
  };

  // The first chunk stays with its bucket.
  struct Bucket {
    Event* cursor = nullptr;  // where the next event goes
    Event* end = nullptr;     // of the last chunk
    Chunk* first = nullptr;
    Chunk* last = nullptr;
  };

  size_t FrontSize() const { return static_cast<size_t>(front_end_ - front_begin_); }

  // The highest digit in which two times differ; 0 if they are equal.
  static int DigitOf(Time a, Time b) {
    const uint64_t differs = (static_cast<uint64_t>(a) ^ static_cast<uint64_t>(b)) | 1;
    return (63 - std::countl_zero(differs)) * 43 >> 8;  // division by 6, up to 63
  }

  void Deal(const Event& event) {
    const int digit = DigitOf(event.at, horizon_);
    const int value = (static_cast<uint64_t>(event.at) >> (digit * kDigitBits)) & 63;
    values_[digit] |= uint64_t{1} << value;
    digits_ |= 1u << digit;
    Bucket& bucket = buckets_[digit][value];
    if (bucket.cursor == bucket.end) [[unlikely]]
      Extend(bucket);
    *bucket.cursor++ = event;
  }

  struct Address {
    int digit;
    int value;
  };
  Address FirstBucket() const;  // there is one
  Bucket& Detach(Address address);
  template <typename Use>
  void Drain(Bucket& bucket, const Use& use);

  void Extend(Bucket& bucket);
  void MakeRoom();
  void Shorten();
  void Refill();
  void Sort(Address address);
  void Append(Address address);
  void Spread(Address address);

  // Events at or before horizon_, sorted; all others are in buckets.
  Event* front_begin_;
  Event* front_end_;
  Event* front_limit_;
  Time horizon_ = 0;
  size_t bucketed_ = 0;

  // Bit sets of what is not empty.
  uint32_t digits_ = 0;
  std::array<uint64_t, kDigits> values_{};
  std::array<std::array<Bucket, 64>, kDigits> buckets_;

  std::vector<Event> front_;  // holds it
  Chunk* free_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
};

}  // namespace spillway::sim
