// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arrow IPC streams from batches: a schema message, record batches, an end mark.
//
//   ff ff ff ff | length u32 | metadata (a FlatBuffer), padded to 64 bytes | body, padded to 64
//   ff ff ff ff | 0 u32
//
// The bytes are those of arrow-rs for the same columns. docs/memory/output.md.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/arrow/field.h"
#include "src/arrow/pieces.h"
#include "src/vector/batch.h"

namespace spillway::arrow {

struct StreamWriterOptions {
  FieldOptions fields = {};
  // Bound on what is allocated for one batch: flattened columns, and values that Arrow keeps
  // otherwise.
  int64_t max_bytes = int64_t{1} << 30;
};

// Makes streams of one schema, whose message is encoded once. Any number of threads may share it.
class StreamWriter {
 public:
  // `schema` is a ROW type. Fails as CheckFields() does.
  static absl::StatusOr<StreamWriter> Create(vector::TypePtr schema,
                                             StreamWriterOptions options = {});

  const vector::TypePtr& schema() const { return schema_; }

  // Appends parts of a stream to `out`, which must not outlive this writer.
  void AppendSchema(Pieces& out) const { out.Borrow(*schema_message_); }
  static void AppendEnd(Pieces& out);

  // A record batch. Columns of any encoding are written flat, and lazy ones loaded.
  //
  //   OK
  //   InvalidArgument    a batch of another schema, a null in a required column, or as
  //                      ArrayWriter::Write() says; the message names the column
  //   ResourceExhausted  more memory than `max_bytes`
  //
  // After a failure `out` has any part of it.
  absl::Status AppendBatch(const vector::Batch& batch, Pieces& out) const;

  // A whole stream of one batch. Fails as AppendBatch() does.
  absl::Status AppendStream(const vector::Batch& batch, Pieces& out) const;

 private:
  StreamWriter(vector::TypePtr schema, StreamWriterOptions options);

  vector::TypePtr schema_;
  StreamWriterOptions options_;
  std::shared_ptr<const std::string> schema_message_;
};

}  // namespace spillway::arrow
