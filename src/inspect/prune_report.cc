// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/prune_report.h"

#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/content.h"
#include "src/frame/frame_stats.h"
#include "src/frame/sniff.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/stats/matching_rows.h"

namespace spillway::inspect {
namespace {

using stats::BatchStats;
using stats::PruneMode;
using vector::Buffer;

// What is known of a batch without its columns.
struct Outline {
  Form form = Form::kPage;
  int64_t rows = 0;
  std::optional<BatchStats> stats = std::nullopt;
};

absl::StatusOr<Outline> OutlineOfPage(const Buffer& bytes) {
  SPILLWAY_RETURN_IF_ERROR(frame::CheckVersion(bytes.view()));
  base::ByteReader in(bytes.view());
  SPILLWAY_ASSIGN_OR_RETURN(const page::PageHeader header,
                            base::In("page", page::ReadPageHeader(in)));
  return Outline{.form = Form::kPage, .rows = header.rows};
}

absl::StatusOr<Outline> OutlineOfV2(const vector::Type& schema, const Buffer& bytes) {
  SPILLWAY_RETURN_IF_ERROR(frame::SplitV2(bytes).status());
  SPILLWAY_ASSIGN_OR_RETURN(frame::FrameStats stats,
                            base::In("V2 frame", frame::ReadFrameStats(schema, bytes)));
  base::ByteReader in(bytes.view());
  in.Skip(stats.end + static_cast<int64_t>(sizeof(uint32_t)));  // bytesLen
  SPILLWAY_ASSIGN_OR_RETURN(const page::PageHeader header,
                            base::In("V2 frame: page", page::ReadPageHeader(in)));
  return Outline{.form = Form::kV2, .rows = header.rows, .stats = std::move(stats.stats)};
}

absl::StatusOr<Outline> OutlineOf(const PruneQuestion& question, const Buffer& bytes) {
  const vector::TypePtr& schema = question.predicate.schema();
  switch (frame::Sniff(bytes.view())) {
    case frame::Format::kV2:
      return OutlineOfV2(*schema, bytes);
    case frame::Format::kV3: {
      SPILLWAY_ASSIGN_OR_RETURN(const frame::V3Frame frame,
                                frame::V3Frame::Open(schema, bytes, question.read.limits));
      return Outline{.form = Form::kV3, .rows = frame.rows(), .stats = frame.stats()};
    }
    case frame::Format::kLegacy:
      break;
  }
  return OutlineOfPage(bytes);
}

PruneReport Judge(const PruneQuestion& question, const Outline& outline) {
  const BatchStats stats = outline.stats.value_or(BatchStats());
  const auto opinion_of = [&](PruneMode mode) {
    stats::PruneOptions options = question.options;
    options.mode = mode;
    return stats::OpinionOf(question.predicate, options, stats, outline.rows);
  };
  PruneReport report{.form = outline.form,
                     .rows = outline.rows,
                     .statistics = outline.stats.has_value(),
                     .opinion = opinion_of(question.options.mode)};
  size_t next = 0;
  for (const PruneMode mode :
       {PruneMode::kSound, PruneMode::kSparkParity, PruneMode::kGlutenParity}) {
    if (mode == question.options.mode) continue;
    const stats::Opinion opinion = opinion_of(mode);
    report.others[next++] = {mode, opinion.decision.skip,
                             stats::DifferencesBetween(question.predicate, stats, outline.rows,
                                                       report.opinion, opinion)};
  }
  return report;
}

// `read` gives the batch's content.
template <typename Read>
absl::StatusOr<PruneReport> Report(const PruneQuestion& question, const Outline& outline,
                                   Read read) {
  PruneReport report = Judge(question, outline);
  if (!question.check) return report;
  SPILLWAY_ASSIGN_OR_RETURN(const frame::Content content,
                            read(frame::ContentOptions{.page = question.read}));
  SPILLWAY_ASSIGN_OR_RETURN(report.matches,
                            stats::MatchingRows(question.predicate, content.batch));
  return report;
}

}  // namespace

absl::StatusOr<PruneReport> ReportPruning(const PruneQuestion& question, const Buffer& bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const Outline outline, OutlineOf(question, bytes));
  return Report(question, outline, [&](const frame::ContentOptions& options) {
    return frame::ReadContent(question.predicate.schema(), bytes, options);
  });
}

absl::StatusOr<PruneReport> ReportPruning(const PruneQuestion& question,
                                          const frame::Envelope& envelope) {
  const vector::TypePtr& schema = question.predicate.schema();
  SPILLWAY_ASSIGN_OR_RETURN(Outline outline,
                            base::In("payload", OutlineOf(question, envelope.payload)));
  if (outline.rows != envelope.rows) {
    return base::Invalid("the envelope says ", envelope.rows, " rows, its payload has ",
                         outline.rows);
  }
  if (!outline.stats.has_value() && envelope.stats.has_value()) {
    SPILLWAY_ASSIGN_OR_RETURN(
        outline.stats,
        base::In("statistics", stats::ReadBlob(*schema, base::ByteReader(envelope.stats->view()))));
    // A page with statistics beside it is what is left of a V2 frame.
    if (outline.form == Form::kPage) outline.form = Form::kV2;
  }
  return Report(question, outline, [&](const frame::ContentOptions& options) {
    return frame::ReadEnvelopeContent(schema, envelope, options);
  });
}

}  // namespace spillway::inspect
