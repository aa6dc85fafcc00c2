// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random types.

#include <cstdint>
#include <iosfwd>

#include "rapidcheck.h"
#include "src/base/random.h"
#include "src/vector/type.h"

namespace spillway::fuzz {

struct TypeOptions {
  bool nested = true;  // ARRAY, MAP, ROW
  int max_depth = 3;   // of nesting; a ROW<> or an ARRAY<INTEGER> has 1
  bool hugeint = true;
};

// Every kind comes up; precisions and scales at their edges; a MAP's key is never UNKNOWN, which
// would make every key null.
vector::TypePtr MakeType(base::Random& random, const TypeOptions& options = {});

// MakeType, shrinking towards the parts of the type.
rc::Gen<vector::TypePtr> AnyType(const TypeOptions& options = {});

// A uniform seed, whatever RapidCheck's size is; not shrunk, since no seed is simpler.
rc::Gen<uint64_t> AnySeed();

}  // namespace spillway::fuzz

namespace spillway::vector {

// How RapidCheck prints a type of a failing case.
void showValue(const Type& type, std::ostream& out);

}  // namespace spillway::vector
