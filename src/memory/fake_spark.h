// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Spark that grants what it has left and never blocks: for tests of the pools that ask it.

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "src/base/status.h"
#include "src/memory/spark_backend.h"

namespace spillway::memory {

// Not thread-safe.
class FakeSpark final : public SparkBackend {
 public:
  explicit FakeSpark(int64_t capacity) : capacity_(capacity) {}

  absl::StatusOr<int64_t> Acquire(int64_t bytes) override {
    ++crossings_;
    if (throws_at_.count(crossings_) > 0) return absl::UnavailableError("the JVM threw");
    const int64_t granted = std::min(bytes, std::max<int64_t>(0, capacity_ - held_));
    held_ += granted;
    return granted;
  }

  absl::Status Release(int64_t bytes) override {
    ++crossings_;
    if (throws_at_.count(crossings_) > 0) return absl::UnavailableError("the JVM threw");
    if (bytes > held_) over_returned_ += bytes - held_;
    held_ -= std::min(bytes, held_);
    return absl::OkStatus();
  }

  // The crossings, counted from 1, at which it throws in place of doing anything.
  void ThrowAt(std::set<int64_t> crossings) { throws_at_ = std::move(crossings); }
  void set_capacity(int64_t bytes) { capacity_ = bytes; }

  int64_t held() const { return held_; }
  int64_t crossings() const { return crossings_; }
  // Bytes given back that it had not granted.
  int64_t over_returned() const { return over_returned_; }

 private:
  int64_t capacity_;
  int64_t held_ = 0;
  int64_t crossings_ = 0;
  int64_t over_returned_ = 0;
  std::set<int64_t> throws_at_;
};

}  // namespace spillway::memory
