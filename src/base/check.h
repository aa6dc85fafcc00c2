// SPDX-License-Identifier: Apache-2.0
#pragma once
// For errors of the calling program only, where a header states a precondition. Input never gets
// this far: it is refused with a Status.

#include <cstdio>
#include <cstdlib>

namespace spillway::base::internal {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition,
                                     const char* rule) {
  std::fprintf(stderr, "%s:%d: %s (%s is false)\n", file, line, rule, condition);
  std::abort();
}

}  // namespace spillway::base::internal

// Ends the process with `rule`, a literal that says what the caller had to keep, in every build
// mode.
#define SPILLWAY_CHECK(condition, rule) \
  ((condition) ? (void)0                \
               : ::spillway::base::internal::CheckFailed(__FILE__, __LINE__, #condition, rule))
