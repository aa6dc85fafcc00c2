// SPDX-License-Identifier: Apache-2.0
#pragma once
// What most tests include, parsed once for all of them: two of the five seconds that one takes to
// compile. A test includes what it uses all the same.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
