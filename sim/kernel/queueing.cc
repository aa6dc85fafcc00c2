// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/queueing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "sim/kernel/exponential.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/preemptive_server.h"
#include "sim/kernel/resource.h"
#include "sim/kernel/time_weighted.h"
#include "src/base/random.h"

namespace spillway::sim {
namespace {

constexpr int kBatches = 40;
constexpr int kLevels = 10;

class Batches {
 public:
  void Add(int batch, double value) {
    sums_[batch] += value;
    counts_[batch] += 1;
  }

  Estimate Mean() const { return Per(sums_, counts_); }
  // Sum by sum.
  Estimate ShareOf(const Batches& total) const { return Per(sums_, total.sums_); }

 private:
  using Sums = double[kBatches];

  static Estimate Per(const Sums& sums, const Sums& weights) {
    double sum = 0, weight = 0;
    for (int i = 0; i < kBatches; ++i) {
      sum += sums[i];
      weight += weights[i];
    }
    const double mean = sum / weight;
    double squares = 0;
    for (int i = 0; i < kBatches; ++i) squares += std::pow(sums[i] / weights[i] - mean, 2);
    return {mean, std::sqrt(squares / (kBatches - 1) / kBatches)};
  }

  Sums sums_ = {};
  Sums counts_ = {};
};

int MostPriority(const Queue& queue) {
  int most = 0;
  for (const CustomerClass& c : queue.classes) most = std::max(most, c.priority);
  return most;
}

class Run {
 public:
  explicit Run(const Queue& queue)
      : queue_(queue),
        station_(kernel_, "station", queue.servers, MostPriority(queue) + 1),
        preemptive_(kernel_, "station", MostPriority(queue) + 1),
        classes_(queue.classes.size()) {}

  Observed Go() {
    for (int i = 0; i < queue_.population; ++i) {
      kernel_.Start(customers_.emplace_back(*this), Away(0));
      customers_.back().Begin(0);
    }
    if (queue_.population == 0) {
      for (size_t i = 0; i < classes_.size(); ++i) kernel_.Start(sources_.emplace_back(*this, i));
    }
    Observed out;
    out.status = kernel_.Run({});
    out.status.Update(station_.CheckLittle());
    const bool agrees =
        present_.Area(kernel_.now()) == responses_ &&
        preemptive_.present().Area(kernel_.now()) == (queue_.preemptive ? responses_ : 0) &&
        preemptive_.busy().Area(kernel_.now()) == (queue_.preemptive ? work_ : 0);
    if (!agrees) out.status.Update(absl::InternalError("Little's law does not hold"));
    for (const ClassBooks& books : classes_) {
      out.wait.push_back(books.wait.Mean());
      out.response.push_back(books.response.Mean());
    }
    out.waited = waited_.Mean();
    for (const Batches& level : levels_) out.present.push_back(level.ShareOf(time_));
    out.events = kernel_.events();
    return out;
  }

 private:
  struct ClassBooks {
    Batches wait;
    Batches response;
  };

  class Customer final : public Process {
   public:
    explicit Customer(Run& run) : Process("customer"), run_(run) {}
    void Begin(size_t index) {
      class_ = index;
      state_ = State::kArriving;
    }

   private:
    enum class State { kArriving, kInLine, kServed };

    void Resume() override {
      switch (state_) {
        case State::kArriving:
          arrived_ = run_.kernel_.now();
          work_ = run_.Service(class_);
          run_.NotePresent(1);
          if (run_.queue_.preemptive) {
            state_ = State::kServed;
            return run_.preemptive_.Enter(*this, work_, run_.ClassOf(class_).priority);
          }
          state_ = State::kInLine;
          if (!run_.station_.Enter(*this, run_.ClassOf(class_).priority)) return;
          [[fallthrough]];
        case State::kInLine:
          state_ = State::kServed;
          return run_.kernel_.ResumeAfter(*this, work_);
        case State::kServed:
          if (run_.queue_.preemptive) {
            run_.preemptive_.Leave(*this);
          } else {
            run_.station_.Leave(*this);
          }
          run_.Served(*this, class_, run_.kernel_.now() - arrived_, work_);
      }
    }

    Run& run_;
    size_t class_ = 0;
    State state_ = State::kArriving;
    Time arrived_ = 0;
    Duration work_ = 0;
  };

  class Source final : public Process {
   public:
    Source(Run& run, size_t index) : Process("source"), run_(run), class_(index) {}

   private:
    void Resume() override {
      if (run_.begun_ == run_.queue_.customers) return run_.kernel_.Finish(*this);
      if (started_) run_.Arrive(class_);
      started_ = true;
      run_.kernel_.ResumeAfter(*this, run_.Away(class_));
    }

    Run& run_;
    size_t class_;
    bool started_ = false;
  };

  const CustomerClass& ClassOf(size_t index) const { return queue_.classes[index]; }

  Duration Away(size_t index) { return SampleExponential(arrivals_, ClassOf(index).between); }

  Duration Service(size_t index) {
    const CustomerClass& c = ClassOf(index);
    switch (c.shape) {
      case Shape::kConstant:
        return c.service;
      case Shape::kExponential:
        return SampleExponential(services_, c.service);
      case Shape::kHyperexponential:
        return SampleHyperexponential(services_, 900, c.service / 2, c.service * 11 / 2);
    }
    return 0;
  }

  void Arrive(size_t index) {
    ++begun_;
    if (idle_.empty()) idle_.push_back(&customers_.emplace_back(*this));
    Customer* const customer = idle_.back();
    idle_.pop_back();
    customer->Begin(index);
    kernel_.Start(*customer);
  }

  void Served(Customer& customer, size_t index, Duration response, Duration work) {
    NotePresent(-1);
    responses_ += response;
    work_ += work;
    classes_[index].wait.Add(batch_, static_cast<double>(response - work));
    classes_[index].response.Add(batch_, static_cast<double>(response));
    waited_.Add(batch_, response > work ? 1 : 0);
    batch_ = static_cast<int>(++served_ * kBatches / (queue_.customers + queue_.population));
    if (queue_.population > 0 && begun_ < queue_.customers) {
      ++begun_;
      customer.Begin(0);
      return kernel_.ResumeAfter(customer, Away(0));
    }
    kernel_.Finish(customer);
    idle_.push_back(&customer);
  }

  void NotePresent(int change) {
    const auto stood = static_cast<double>(kernel_.now() - since_);
    time_.Add(batch_, stood);
    const int64_t level = present_.level();
    if (level < kLevels) levels_[static_cast<size_t>(level)].Add(batch_, stood);
    since_ = kernel_.now();
    present_.Add(kernel_.now(), change);
  }

  const Queue& queue_;
  Kernel kernel_;
  Resource station_;
  PreemptiveServer preemptive_;
  std::vector<ClassBooks> classes_;
  base::Random arrivals_ = base::Random::Stream(queue_.seed, "arrivals");
  base::Random services_ = base::Random::Stream(queue_.seed, "services");
  std::deque<Customer> customers_;
  std::deque<Source> sources_;
  std::vector<Customer*> idle_;
  int64_t begun_ = 0;
  int64_t served_ = 0;
  int batch_ = 0;
  __int128 responses_ = 0;
  __int128 work_ = 0;
  Batches waited_;
  std::array<Batches, kLevels> levels_;  // time with so many present
  Batches time_;
  TimeWeighted present_;
  Time since_ = 0;
};

}  // namespace

Observed Observe(const Queue& queue) { return Run(queue).Go(); }

}  // namespace spillway::sim
