// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a file of bytes can be: one of the table cache's formats, or a single column block.

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/page/page.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"

namespace spillway::inspect {

enum class Form : uint8_t { kPage, kV2, kV3, kBlock };

// "legacy page", "V2 frame", "V3 frame", "column block".
std::string_view FormName(Form form);

// The form of any bytes, by frame::IsColumnBlock and frame::Sniff.
Form RecognizeForm(std::string_view bytes);

// Reads `bytes` strictly and in full, every column of a V3 frame included. `schema` is a ROW type;
// a column block is InvalidArgument unless that has one field. Other outcomes are those of
// page::ReadPage, frame::ReadV2, V3Frame::Read and page::BlockReader. Only a page may be
// compressed.
absl::StatusOr<vector::Batch> ReadForm(Form form, const vector::TypePtr& schema,
                                       const vector::Buffer& bytes,
                                       const page::PageReadOptions& options = {});

}  // namespace spillway::inspect
