// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules that scenario.proto states as options of its fields.

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "sim/scenario/places.h"

namespace spillway::sim {

// Notes the place of every field of `message` that is set, by what the parser wrote into `tree`.
// Fields below `path`, which is empty for the outermost message.
void NotePlaces(const google::protobuf::Message& message,
                const google::protobuf::TextFormat::ParseInfoTree& tree, const std::string& file,
                const std::string& path, Places& places);

// InvalidArgument with the place of the first field, in the order of their numbers, that breaks its
// `range`, `needed` or `most`.
absl::Status CheckRanges(const google::protobuf::Message& message, const std::string& path,
                         const Places& places);

}  // namespace spillway::sim
