// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/prune_to_json.h"

#include <utility>

#include "nlohmann/json.hpp"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json WhyJson(const stats::Explanation& why) {
  Json out = {{"condition", why.condition}, {"verdict", why.verdict}};
  if (!why.reason.empty()) out["reason"] = why.reason;
  out["skips"] = why.skips;
  for (const stats::Explanation& part : why.arguments) out["arguments"].push_back(WhyJson(part));
  return out;
}

Json OtherJson(const OtherMode& other) {
  Json differences = Json::array();
  for (const stats::ModeDifference& difference : other.differences) {
    differences.push_back({{"condition", difference.condition}, {"why", difference.why}});
  }
  return {{"mode", stats::PruneModeName(other.mode)},
          {"skip", other.skip},
          {"differences", std::move(differences)}};
}

Json BatchJson(const JudgedBatch& batch) {
  const PruneReport& report = batch.report;
  Json out = Json::object();
  if (batch.partition.has_value()) out["partition"] = *batch.partition;
  out["form"] = FormName(report.form);
  out["rows"] = report.rows;
  out["statistics"] = report.statistics;
  out["skip"] = report.opinion.decision.skip;
  out["why"] = WhyJson(report.opinion.decision.why);
  for (const OtherMode& other : report.others) out["others"].push_back(OtherJson(other));
  if (report.matches.has_value()) {
    out["matches"] = *report.matches;
    out["loses_rows"] = report.LosesRows();
  }
  return out;
}

}  // namespace

std::string ToJson(const PruneRun& run) {
  Json error = nullptr;
  if (!run.status.ok()) {
    error = {{"message", base::ToStd(run.status.message())}};
    const auto byte = base::ByteOffset(run.status);
    if (byte.has_value()) error["byte"] = *byte;
  }
  Json batches = Json::array();
  for (const JudgedBatch& batch : run.batches) batches.push_back(BatchJson(batch));
  const Json out = {{"input", run.input},
                    {"where", run.where},
                    {"schema", run.schema},
                    {"mode", stats::PruneModeName(run.options.mode)},
                    {"nan_aware", run.options.nan_aware_stats},
                    {"error", std::move(error)},
                    {"batches", std::move(batches)}};
  // Names, literals and bounds need not be UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spillway::inspect
