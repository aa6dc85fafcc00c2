// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/process.h"

#include "src/base/strings.h"

namespace spillway::sim {

std::string Process::name() const { return number_ < 0 ? name_ : base::Cat(name_, " ", number_); }

}  // namespace spillway::sim
