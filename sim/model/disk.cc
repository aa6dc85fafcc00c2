// SPDX-License-Identifier: Apache-2.0
#include "sim/model/disk.h"

#include <algorithm>

#include "src/base/strings.h"

namespace spillway::sim {

Disks::Disks(Kernel& kernel, const Disk& disk, DiskUse& use)
    : kernel_(kernel), disk_(disk), use_(use) {
  for (int64_t i = 0; i < disk.disks(); ++i) spindles_.emplace_back(*this, i);
  for (int64_t i = disk.disks(); i > 0; --i) idle_.push_back(&spindles_[i - 1]);
}

Duration Disks::Take(int64_t bytes) {
  const __int128 nanos =
      disk_.spill_ns() + (static_cast<__int128>(bytes) * disk_.spill_ns_per_mib() >> 20);
  __int128 picos = nanos * kNanosecond;
  const Duration every = disk_.slow_every_ns() * kNanosecond;
  if (every > 0 && kernel_.now() >= every &&
      kernel_.now() % every < disk_.slow_for_ns() * kNanosecond) {
    picos = picos / 1000 * disk_.slow_factor();
  }
  use_.time += picos;
  // The kernel refuses what goes beyond the end of time, with a place.
  return static_cast<Duration>(std::min<__int128>(picos, kEndOfTime));
}

void Disks::Write(Process& process, int64_t bytes) {
  if (spindles_.empty()) return kernel_.ResumeAfter(process, Take(bytes));
  kernel_.Wait(process, *this);
  const Spill spill{&process, bytes};
  if (idle_.empty()) {
    line_.push_back(spill);
    use_.line.Add(kernel_.now(), 1);
    return;
  }
  Spindle& disk = *idle_.back();
  idle_.pop_back();
  disk.Begin(spill);
}

void Disks::Spindle::Begin(const Spill& spill) {
  spill_ = spill;
  disks_.kernel_.Start(*this, disks_.Take(spill.bytes));
}

void Disks::Spindle::Resume() {
  Kernel& kernel = disks_.kernel_;
  kernel.Wake(*spill_.process);
  if (disks_.line_.empty()) {
    disks_.idle_.push_back(this);
    return kernel.Finish(*this);
  }
  spill_ = disks_.line_.front();
  disks_.line_.pop_front();
  disks_.use_.line.Add(kernel.now(), -1);
  kernel.ResumeAfter(*this, disks_.Take(spill_.bytes));
}

std::string Disks::Describe() const {
  return base::Cat("its spill, of ", spindles_.size(), " disks ", spindles_.size() - idle_.size(),
                   " at work and ", line_.size(), " spills in line");
}

}  // namespace spillway::sim
