// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/recorder.h"

namespace spillway::inspect {

using base::ByteReader;

void Recorder::Stop(absl::Status why) {
  stopped_ = true;
  if (stop_.ok()) stop_ = std::move(why);
}

void Recorder::Add(Explanation& whole, Explanation part) {
  if (full()) return;
  --room_;
  whole.children.push_back(std::move(part));
}

Explanation Recorder::Begin(const ByteReader& in, std::string name) {
  return {in.offset(), 0, std::move(name), ""};
}

void Recorder::End(const ByteReader& in, Explanation& part) const {
  part.size = in.offset() - part.offset;
  if (part.children.empty()) return;
  const Explanation& last = part.children.back();
  const int64_t end = last.offset + last.size;
  if (end < in.offset()) {
    part.children.push_back({end, in.offset() - end, "more", "not listed"});
  }
}

bool Recorder::Pass(ByteReader& in, int64_t bytes, std::string_view name, std::string text,
                    Explanation& whole) {
  const absl::Status present = in.Need(bytes, name);
  if (!present.ok()) {
    Stop(present);
    return false;
  }
  if (bytes != 0) Add(whole, {in.offset(), bytes, std::string(name), std::move(text)});
  in.Skip(bytes);
  return true;
}

void Recorder::Note(Explanation& whole, std::string_view name, std::string text) const {
  if (whole.children.empty() || whole.children.back().name != name) return;
  whole.children.back().text = std::move(text);
}

void Recorder::PassRest(ByteReader& in, std::string name, Explanation& whole) {
  const int64_t bytes = in.remaining();
  if (bytes != 0 && !full()) whole.children.push_back({in.offset(), bytes, std::move(name), ""});
  in.Skip(bytes);
}

}  // namespace spillway::inspect
