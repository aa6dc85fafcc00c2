// SPDX-License-Identifier: Apache-2.0
#include "src/frame/capability.h"

namespace spillway::frame {

std::string_view CapabilityName(Capability capability) {
  switch (capability) {
    case Capability::kUnknown:
      return "unknown";
    case Capability::kV3:
      return "V3";
    case Capability::kV2:
      return "V2";
    case Capability::kLegacy:
      return "legacy";
    case Capability::kUnavailable:
      break;
  }
  return "unavailable";
}

std::optional<Format> ChooseFormat(Capability capability, bool statistics) {
  switch (capability) {
    case Capability::kV3:
      return Format::kV3;
    case Capability::kV2:
      return statistics ? Format::kV2 : Format::kLegacy;
    case Capability::kLegacy:
      return Format::kLegacy;
    case Capability::kUnknown:
    case Capability::kUnavailable:
      break;
  }
  return std::nullopt;
}

Capability Below(Format format) {
  switch (format) {
    case Format::kV3:
      return Capability::kV2;
    case Format::kV2:
      return Capability::kLegacy;
    case Format::kLegacy:
      break;
  }
  return Capability::kUnavailable;
}

Capability CapabilityLatch::Get() {
  if (current() != Capability::kUnknown) return current();
  const std::lock_guard<std::mutex> lock(probing_);
  if (current() != Capability::kUnknown) return current();
  if (probe_(Format::kV3)) {
    LowerTo(Capability::kV3);
  } else if (probe_(Format::kV2)) {
    LowerTo(Capability::kV2);
  } else {
    LowerTo(probe_(Format::kLegacy) ? Capability::kLegacy : Capability::kUnavailable);
  }
  return current();
}

void CapabilityLatch::LowerTo(Capability capability) {
  Capability now = current();
  while (now < capability && !value_.compare_exchange_weak(now, capability)) {
  }
}

}  // namespace spillway::frame
