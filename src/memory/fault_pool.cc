// SPDX-License-Identifier: Apache-2.0
#include "src/memory/fault_pool.h"

#include <algorithm>
#include <utility>

#include "src/base/status.h"

namespace spillway::memory {

using Kind = PoolFault::Kind;

std::vector<PoolFault> RandomPoolFaults(base::Random& random, int64_t count, int64_t calls) {
  std::vector<PoolFault> faults;
  for (int64_t i = 0; i < count; ++i) {
    PoolFault fault;
    fault.kind = static_cast<Kind>(random.Below(5));
    fault.call = random.Between(1, calls);
    fault.times = random.Below(4) == 0 ? random.Between(2, 5) : 1;
    if (fault.kind == Kind::kShortGrant) fault.bytes = random.Between(0, int64_t{1} << 20);
    faults.push_back(fault);
  }
  return faults;
}

FaultPool::FaultPool(Pool& pool, std::vector<PoolFault> faults, std::function<void()> meanwhile)
    : pool_(pool), faults_(std::move(faults)), meanwhile_(std::move(meanwhile)) {}

const PoolFault* FaultPool::Due(int64_t call, bool release) {
  for (const PoolFault& fault : faults_) {
    if ((fault.kind == Kind::kReleaseError) != release) continue;
    if (call < fault.call || call - fault.call >= fault.times) continue;
    ++faults_met_;
    return &fault;
  }
  return nullptr;
}

absl::StatusOr<Grant> FaultPool::TryGrow(int64_t bytes) {
  if (bytes <= 0) return pool_.TryGrow(bytes);
  ++grow_calls_;
  const PoolFault* fault = Due(grow_calls_, /*release=*/false);
  if (fault == nullptr) return pool_.TryGrow(bytes);
  switch (fault->kind) {
    case Kind::kShortGrant:
      return GrantShort(bytes, fault->bytes);
    case Kind::kLateGrant:
      if (meanwhile_) meanwhile_();
      return pool_.TryGrow(bytes);
    case Kind::kError:
      return absl::UnavailableError(
          base::Cat("injected: the pool fails at growth call ", grow_calls_));
    default:
      return Grant{.granted = false, .available = 0};
  }
}

absl::StatusOr<Grant> FaultPool::GrantShort(int64_t bytes, int64_t got) {
  got = std::clamp<int64_t>(got, 0, bytes - 1);
  SPILLWAY_ASSIGN_OR_RETURN(Grant part, pool_.TryGrow(got));
  if (!part.granted) return part;
  SPILLWAY_RETURN_IF_ERROR(pool_.Shrink(got));
  return Grant{.granted = false, .available = got};
}

absl::Status FaultPool::Shrink(int64_t bytes) {
  if (bytes <= 0) return pool_.Shrink(bytes);
  ++shrink_calls_;
  const bool fails = Due(shrink_calls_, /*release=*/true) != nullptr;
  SPILLWAY_RETURN_IF_ERROR(pool_.Shrink(bytes));
  if (!fails) return absl::OkStatus();
  return absl::UnavailableError(
      base::Cat("injected: the pool fails at release call ", shrink_calls_));
}

}  // namespace spillway::memory
