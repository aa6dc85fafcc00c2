// SPDX-License-Identifier: Apache-2.0
#pragma once
// Examples in the pages of docs/format, in a form that tests can check.
//
// An example is a fence of `hex` whose first line is a comment that begins with the example's name.
// Tables whose first heading is `change`, up to the next example, say what comes of its bytes then:
//
//   ```hex
//   # page: INTEGER {1, null, 3}
//   03 00 00 00   # rows
//   ```
//   | change | message |
//   |---|---|
//   | `4 = 0c` | `unknown bits in marker 12, byte 4 of 52` |
//
// A message that has backticks in it stands between double ones. Anything that does not begin and
// end with them says in words how the changed bytes read.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::golden {

struct DocChange {
  // "4 = 0c": bytes from 4 on; "cut 30": only 30 bytes; "add 00": bytes behind the end.
  std::string edit;
  std::string message;  // empty: the changed bytes still read
};

struct DocExample {
  std::string name;
  std::string bytes;
  std::vector<DocChange> changes;
};

// The examples of the page at `path`, in its order. InvalidArgument with the line of the first
// example without name, hexadecimal text that does not parse, or row that is no edit and message.
absl::StatusOr<std::vector<DocExample>> ReadDocExamples(std::string_view path);

// `bytes` after `edit`; InvalidArgument if it is none of the three forms or leads past the end.
absl::StatusOr<std::string> ApplyEdit(std::string bytes, std::string_view edit);

}  // namespace spillway::golden
