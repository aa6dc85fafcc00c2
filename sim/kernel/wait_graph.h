// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who waits for whom, in words, when a run cannot go on or was cut.

#include <span>
#include <string>

#include "sim/kernel/process.h"

namespace spillway::sim {

// Of processes of which none has an event any more, what keeps them from ending:
//
//   deadlock: a waits for monitor U, held by b; b waits for monitor T, held by a
//   lost wake-up: nobody is left to wake c, which waits for memory
//   never released: d waits for monitor T, held by e, which has finished
//   12 more wait behind these
//
// A few of each kind are named, so that the length is bounded; the first named are the first in
// `live`. Linear in the number of processes.
std::string DescribeStuck(std::span<Process* const> live);

// Of a run that could go on: the first few processes and what they wait for, and deadlocks among
// them, which more events would not end.
std::string DescribeWaiting(std::span<Process* const> live);

}  // namespace spillway::sim
