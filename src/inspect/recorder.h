// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files parts while a walker moves over bytes, and remembers where it could not go on.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "src/base/byte_reader.h"
#include "src/base/strings.h"
#include "src/inspect/explanation.h"

namespace spillway::inspect {

// A value: a copy is a point to return to.
class Recorder {
 public:
  explicit Recorder(int64_t max_parts) : room_(max_parts) {}

  // Whether the walker may not go on: what follows cannot be told apart.
  bool stopped() const { return stopped_; }
  void Stop(absl::Status why);
  // Goes on at a place that does not depend on what was in the way.
  void Resume() { stopped_ = false; }
  // The first Stop(), or OK.
  const absl::Status& stop() const { return stop_; }

  // No more parts are filed: there are enough to read.
  bool full() const { return room_ <= 0; }
  void Add(Explanation& whole, Explanation part);

  // A part that begins where `in` stands.
  static Explanation Begin(const base::ByteReader& in, std::string name);
  // Ends `part` where `in` stands and covers what its children do not.
  void End(const base::ByteReader& in, Explanation& part) const;

  // Reads an integer as a part of `whole`; stops, in the reader's own words, if bytes are missing.
  template <std::integral T>
  std::optional<T> Read(base::ByteReader& in, std::string_view name, Explanation& whole) {
    const int64_t at = in.offset();
    const absl::StatusOr<T> value = in.Read<T>(name);
    if (!value.ok()) {
      Stop(value.status());
      return std::nullopt;
    }
    Add(whole, {at, sizeof(T), std::string(name), base::Cat(+*value)});
    return *value;
  }

  // Passes `bytes` bytes as a part of `whole`. No part if there are none.
  bool Pass(base::ByteReader& in, int64_t bytes, std::string_view name, std::string text,
            Explanation& whole);

  // Says more about the last part of `whole`, which is called `name`.
  void Note(Explanation& whole, std::string_view name, std::string text) const;

  // Covers what `in` has left.
  void PassRest(base::ByteReader& in, std::string name, Explanation& whole);

 private:
  int64_t room_;
  bool stopped_ = false;
  absl::Status stop_;
};

}  // namespace spillway::inspect
