// SPDX-License-Identifier: Apache-2.0
#pragma once
// Identical servers with one line before them: a lock, a disk, the cores of a machine.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sim/kernel/histogram.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"

namespace spillway::sim {

// Who finds all servers taken stands in line: by priority, 0 first, and among equals first come,
// first served. Service is not interrupted. Who leaves hands the server to the first in line at
// that instant, and nobody can get in between.
class Resource final : public Awaited {
 public:
  // `servers` and `priorities` are at least 1.
  Resource(Kernel& kernel, std::string name, int servers = 1, int priorities = 1);

  // True: `process` has a server and goes on at once. False: it stands in line and must return from
  // its Resume(), which is called again when it has one. `priority` is below `priorities`.
  [[nodiscard]] bool Enter(Process& process, int priority = 0);

  // A process that has a server gives it back. By anybody else it is a fault that ends the run.
  void Leave(Process& process);

  int64_t waiting() const { return line_length_.level(); }
  int64_t busy() const { return busy_.level(); }

  // One value for each entry so far: the time in line, 0 for those who found a server free.
  const Histogram& wait(int priority = 0) const { return lines_[priority].wait; }
  // One value for each that left: the time with a server.
  const Histogram& service() const { return service_; }

  // Over time. Those with a server are not in line.
  const TimeWeighted& line_length() const { return line_length_; }
  const TimeWeighted& busy_servers() const { return busy_; }
  // Of the servers' time until now, in parts per million.
  int64_t UtilisationPpm() const;

  // Little's law: the area under the length of the line is the time that was spent in it, and so
  // for the servers; to the picosecond, at any instant. Internal if it does not hold.
  absl::Status CheckLittle() const;

  // `disk, held by a and 3 more`.
  std::string Describe() const override;
  // The one that has the server. Of several servers, one of those that have them if all of them
  // wait for something else, and nobody if one does not.
  const Process* holder() const override;

 private:
  struct Line {
    explicit Line(Kernel& kernel) : processes(kernel) {}
    WaitLine processes;
    Histogram wait;
  };
  struct Served {
    const Process* process;
    Time since;
  };

  void Serve(Process& process, Line& line, Duration waited);

  Kernel& kernel_;
  std::string name_;
  size_t servers_;
  std::vector<Line> lines_;
  std::vector<Served> served_;
  __int128 joined_ = 0;  // sum of the times since which those in line stand there
  Histogram service_;
  TimeWeighted line_length_;
  TimeWeighted busy_;
};

}  // namespace spillway::sim
