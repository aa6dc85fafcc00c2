// SPDX-License-Identifier: Apache-2.0
#pragma once
// What protobuf's text parser complains about.

#include <string>

#include "google/protobuf/io/tokenizer.h"

namespace spillway::sim {

// Keeps the first error; lines and columns count from 1.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!message_.empty()) return;
    line_ = line + 1;
    column_ = column + 1;
    message_ = message;
  }

  int line() const { return line_; }
  int column() const { return column_; }
  const std::string& message() const { return message_; }

 private:
  int line_ = 0;
  int column_ = 0;
  std::string message_;
};

}  // namespace spillway::sim
