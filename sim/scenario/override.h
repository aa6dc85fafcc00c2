// SPDX-License-Identifier: Apache-2.0
#pragma once
// `--set FIELD=VALUE`: one field of a scenario replaced from the command line.

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "sim/scenario/places.h"

namespace spillway::sim {

// `assignment` is `tasks[0].keys.constant=7`: names of fields, elements of repeated messages by
// index (which may be left out if there is only one), and a value in textproto; text may go without
// quotes, a list is `[1, 2]`, a message `{constant_ns: 5}`. What the field held is replaced whole.
// Messages on the way are made if they are not there; elements are not. Notes the field's place.
//
// InvalidArgument, with the whole assignment: no such field, no such element, not a value.
absl::Status ApplyOverride(std::string_view assignment, google::protobuf::Message& scenario,
                           Places& places);

}  // namespace spillway::sim
