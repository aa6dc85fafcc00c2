// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/bare_load.h"

#include "sim/kernel/exponential.h"
#include "src/base/check.h"

namespace spillway::sim {
namespace {

constexpr Duration kBetween = kMicrosecond;
constexpr Duration kService = 900 * kNanosecond;

// The load has no end, so that it is always cut.
uint64_t RunMore(Kernel& kernel, uint64_t events) {
  const uint64_t before = kernel.events();
  const absl::Status status = kernel.Run({.max_events = before + events});
  SPILLWAY_CHECK(status.code() == absl::StatusCode::kResourceExhausted, "virtual time has an end");
  return kernel.events() - before;
}

}  // namespace

BareMM1::BareMM1(uint64_t seed)
    : arrivals_(base::Random::Stream(seed, "arrivals")),
      services_(base::Random::Stream(seed, "services")),
      line_(1024) {
  kernel_.Start(server_);
  kernel_.Start(source_);
}

uint64_t BareMM1::Run(uint64_t events) { return RunMore(kernel_, events); }

Duration BareMM1::ServiceTime() { return SampleExponential(services_, kService); }

void BareMM1::Arrive() {
  if (arrived_ - served_ == line_.size()) {
    std::vector<Time> longer(2 * line_.size());
    for (uint64_t i = served_; i < arrived_; ++i) {
      longer[i & (longer.size() - 1)] = line_[i & (line_.size() - 1)];
    }
    line_.swap(longer);
  }
  line_[arrived_++ & (line_.size() - 1)] = kernel_.now();
}

void BareMM1::Source::Resume() {
  BareMM1& queue = queue_;
  queue.Arrive();
  if (!queue.server_.serving_) {
    queue.server_.serving_ = true;
    queue.kernel_.Wake(queue.server_, queue.ServiceTime());
  }
  queue.kernel_.ResumeAfter(*this, SampleExponential(queue.arrivals_, kBetween));
}

void BareMM1::Server::Resume() {
  BareMM1& queue = queue_;
  if (serving_) {
    queue.responses_ +=
        queue.kernel_.now() - queue.line_[queue.served_++ & (queue.line_.size() - 1)];
  }
  serving_ = queue.served_ != queue.arrived_;
  if (!serving_) return queue.kernel_.Wait(*this, *this);
  queue.kernel_.ResumeAfter(*this, queue.ServiceTime());
}

BareHold::BareHold(int pending, uint64_t seed) : random_(base::Random::Stream(seed, "hold")) {
  for (int i = 0; i < pending; ++i) {
    kernel_.Start(holders_.emplace_back(*this), SampleExponential(random_, kMicrosecond));
  }
}

uint64_t BareHold::Run(uint64_t events) { return RunMore(kernel_, events); }

void BareHold::Holder::Resume() {
  hold_.kernel_.ResumeAfter(*this, SampleExponential(hold_.random_, kMicrosecond));
}

}  // namespace spillway::sim
