// SPDX-License-Identifier: Apache-2.0
#include "src/memory/pool_counters.h"

#include "src/base/strings.h"

namespace spillway::memory {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// `nanos` in the largest unit of s, ms, µs, ns that makes it 1 or more, trailing zeros cut.
std::string RustDuration(uint64_t nanos) {
  struct Unit {
    uint64_t nanos;
    std::string_view name;
  };
  for (const Unit& unit : {Unit{1'000'000'000, "s"}, Unit{1'000'000, "ms"}, Unit{1'000, "µs"}}) {
    if (nanos < unit.nanos) continue;
    std::string fraction;
    uint64_t rest = nanos % unit.nanos;
    for (uint64_t place = unit.nanos / 10; rest != 0; place /= 10) {
      fraction += static_cast<char>('0' + rest / place);
      rest %= place;
    }
    return base::Cat(nanos / unit.nanos, fraction.empty() ? "" : ".", fraction, unit.name);
  }
  return base::Cat(nanos, "ns");
}

}  // namespace

std::string PoolCounts::DebugLine(int64_t task, std::string_view pool) const {
  if (acquire_calls == 0 && release_calls == 0) return "";
  return base::Cat("Task ", task, " ", pool, " memory pool stats: acquire(calls=", acquire_calls,
                   ", requested=", requested_bytes, " bytes, granted=", granted_bytes,
                   " bytes, short=", short_grants, "), release(calls=", release_calls,
                   ", bytes=", release_bytes, "), backend_time=", RustDuration(backend_nanos));
}

void PoolCounters::CountAcquire(uint64_t requested, uint64_t granted, uint64_t nanos) {
  acquire_calls_.fetch_add(1, kRelaxed);
  requested_bytes_.fetch_add(requested, kRelaxed);
  granted_bytes_.fetch_add(granted, kRelaxed);
  if (granted < requested) short_grants_.fetch_add(1, kRelaxed);
  backend_nanos_.fetch_add(nanos, kRelaxed);
}

void PoolCounters::CountRelease(uint64_t bytes, uint64_t nanos) {
  release_calls_.fetch_add(1, kRelaxed);
  release_bytes_.fetch_add(bytes, kRelaxed);
  backend_nanos_.fetch_add(nanos, kRelaxed);
}

PoolCounts PoolCounters::Snapshot() const {
  return {acquire_calls_.load(kRelaxed), requested_bytes_.load(kRelaxed),
          granted_bytes_.load(kRelaxed), short_grants_.load(kRelaxed),
          release_calls_.load(kRelaxed), release_bytes_.load(kRelaxed),
          backend_nanos_.load(kRelaxed)};
}

}  // namespace spillway::memory
