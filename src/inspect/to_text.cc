// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/to_text.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "src/base/strings.h"
#include "src/inspect/fault.h"

namespace spillway::inspect {
namespace {

constexpr int64_t kBytesShown = 8;
constexpr int kBytesWidth = 3 * kBytesShown - 1 + 3;  // and " .."

std::string FirstBytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes.substr(0, kBytesShown)) {
    if (!out.empty()) out += ' ';
    out += absl::StrFormat("%02x", static_cast<uint8_t>(c));
  }
  if (bytes.size() > kBytesShown) out += " ..";
  return out;
}

class Printer {
 public:
  Printer(const Inspection& inspection, int64_t size)
      : inspection_(inspection),
        faulty_(FaultyPart(inspection)),
        width_(std::max<int>(6, static_cast<int>(base::Cat(size).size()))) {}

  void Head() {
    absl::StrAppendFormat(&out_, "%*s %*s  %-*s  %s\n", width_, "offset", width_, "size",
                          kBytesWidth, "bytes", "meaning");
  }

  void Part(const Explanation& part, std::string_view region, int depth) {
    std::string bytes;
    if (part.children.empty()) bytes = FirstBytes(region.substr(part.offset, part.size));
    std::string meaning = base::Cat(std::string(2 * depth, ' '), part.name);
    if (!part.text.empty()) meaning += base::Cat(": ", part.text);
    absl::StrAppendFormat(&out_, "%*d %*d  %-*s  %s\n", width_, part.offset, width_, part.size,
                          kBytesWidth, bytes, meaning);
    if (&part == faulty_) Fault();
    for (const Explanation& child : part.children) Part(child, region, depth + 1);
    if (part.decompressed != nullptr) {
      Part(part.decompressed->whole, part.decompressed->bytes.view(), depth + 1);
    }
  }

  void Fault() {
    absl::StrAppendFormat(&out_, "%*s ^ error: %s\n", 2 * width_ + 1, "",
                          base::ToStd(inspection_.status.message()));
  }

  bool fault_shown() const { return faulty_ != nullptr; }
  std::string Take() && { return std::move(out_); }

 private:
  const Inspection& inspection_;
  const Explanation* const faulty_;
  const int width_;
  std::string out_;
};

}  // namespace

std::string ToText(const Inspection& inspection, std::string_view name,
                   const vector::Buffer& bytes) {
  std::string out = base::Cat(name, ": ", FormName(inspection.form), ", ", bytes.size(),
                              " bytes, ", inspection.guessed ? "types guessed: " : "",
                              inspection.schema->ToString(), "\n");
  Printer printer(inspection, bytes.size());
  printer.Head();
  printer.Part(inspection.whole, bytes.view(), 0);
  if (!inspection.status.ok() && !printer.fault_shown()) printer.Fault();
  return out + std::move(printer).Take();
}

}  // namespace spillway::inspect
