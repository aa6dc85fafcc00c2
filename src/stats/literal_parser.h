// SPDX-License-Identifier: Apache-2.0
#pragma once
// The literals of a predicate's text. A part of predicate_text.

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/repeated_field.h"
#include "src/stats/predicate.pb.h"
#include "src/stats/token_cursor.h"

namespace spillway::stats {

class LiteralParser : protected TokenCursor {
 public:
  using TokenCursor::TokenCursor;

 protected:
  // Whether a literal begins at the next token.
  bool StartsLiteral() const;
  // `depth`: of the lists around it.
  absl::StatusOr<proto::Literal> ALiteral(int depth);
  // Literals with commas up to the symbol `end`, which is passed.
  absl::Status Literals(std::string_view end,
                        google::protobuf::RepeatedPtrField<proto::Literal>& items, int depth = 0);

 private:
  bool IsValue(size_t ahead) const;
  bool StartsType() const;
  size_t TypeEnd() const;
  absl::StatusOr<std::string> AType();
  absl::Status StringValue(proto::Literal& literal);
};

}  // namespace spillway::stats
