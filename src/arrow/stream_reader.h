// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches from Arrow IPC streams, of any origin.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/arrow/array_reader.h"
#include "src/arrow/field.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::arrow {

struct StreamReaderOptions {
  int max_depth = 64;  // of nested types
};

// Reads strictly: an end mark must be there and nothing behind it, every length is checked before
// it is believed, and no more is allocated than a small multiple of the stream's bytes. Columns
// share the stream's buffer where both sides keep values alike. Strings are not checked for UTF-8,
// since Spark's need not be it; nor are padding bytes for being zero.
//
// Errors name the message, the field and the byte of the stream:
//
//   InvalidArgument  damaged, or against a rule of Arrow's
//   Unimplemented    a part of Arrow that this library does not have: types outside the vector
//                    model, metadata before V5, compressed bodies, deltas of dictionaries
class StreamReader {
 public:
  // Reads the schema message. A borrowed `stream` must outlive what is read from it.
  static absl::StatusOr<StreamReader> Open(vector::Buffer stream, StreamReaderOptions options = {});

  StreamReader(StreamReader&&) = default;
  StreamReader& operator=(StreamReader&&) = default;

  // The ROW type of the columns.
  const vector::TypePtr& schema() const { return schema_; }

  // The next batch, or nothing at the end mark. After an error or the end: FailedPrecondition.
  absl::StatusOr<std::optional<vector::Batch>> Next();

 private:
  struct Message;

  explicit StreamReader(vector::Buffer stream) : stream_(std::move(stream)) {}

  absl::Status ReadSchemaMessage(int max_depth);
  // Nothing: the end mark.
  absl::StatusOr<std::optional<Message>> NextMessage();
  absl::StatusOr<std::optional<vector::Batch>> NextBatch();
  absl::Status ReadDictionary(const metadata::DictionaryBatch& in, const vector::Buffer& body);
  absl::StatusOr<vector::Batch> ReadBatch(const metadata::RecordBatch& in,
                                          const vector::Buffer& body) const;
  absl::Status At(absl::Status status) const;

  vector::Buffer stream_;
  int64_t position_ = 0;  // of the next message
  int64_t start_ = 0;     // of the message at hand
  int64_t message_ = -1;  // its ordinal
  bool done_ = false;
  std::vector<Field> fields_;
  absl::flat_hash_map<int64_t, const Field*> dictionary_fields_;  // parts of fields_
  vector::TypePtr schema_;
  Dictionaries dictionaries_;
};

}  // namespace spillway::arrow
