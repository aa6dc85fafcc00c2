// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which form of a cached batch this process can write (FORMAT section 7). docs/format/fallback.md.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "src/frame/sniff.h"

namespace spillway::frame {

// Best first. A process starts Unknown and only ever goes down.
enum class Capability : uint8_t {
  kUnknown,      // nobody has asked yet
  kV3,           // everything
  kV2,           // V2 frames and pages
  kLegacy,       // pages
  kUnavailable,  // nothing: the rows have to be cached by somebody else
};

std::string_view CapabilityName(Capability capability);

// The form that a batch is written in: V3, which has statistics or not; V2 if they are wanted; else
// a page. nullopt if nothing can be written, or nothing is known.
std::optional<Format> ChooseFormat(Capability capability, bool statistics);

// What is left once writing `format` has proved impossible.
Capability Below(Format format);

// The one value of a process. Thread-safe.
class CapabilityLatch {
 public:
  // Whether a form can be written, found out by writing something: a function that can be looked up
  // may still lack its native symbol (apache/gluten 914567086).
  using Probe = std::function<bool(Format)>;

  explicit CapabilityLatch(Probe probe) : probe_(std::move(probe)) {}

  // At the first call probes V3, then V2, then pages, until one works. Probes each at most once,
  // whoever calls.
  Capability Get();

  // As far as it is known.
  Capability current() const { return value_.load(std::memory_order_acquire); }

  // Writing `format` proved impossible: goes down to what is below it, for good. Never up.
  void Lower(Format format) { LowerTo(Below(format)); }

 private:
  void LowerTo(Capability capability);

  Probe probe_;
  std::mutex probing_;
  std::atomic<Capability> value_ = Capability::kUnknown;
};

}  // namespace spillway::frame
