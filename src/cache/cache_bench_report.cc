// SPDX-License-Identifier: Apache-2.0
// The forms in which the benchmark's result is printed.
#include <string>

#include "absl/strings/str_format.h"
#include "src/base/strings.h"
#include "src/cache/cache_bench.h"

namespace spillway::cache {
namespace {

// How many times as fast as the first form, by the mean.
double Speedup(const CacheBenchResult& result, size_t form, size_t phase) {
  return result.forms[0].phases[phase].mean() / result.forms[form].phases[phase].mean();
}

double MillionRows(const CacheBenchResult& result, const PhaseTimes& phase) {
  return static_cast<double>(result.options.rows) / phase.mean() / 1e6;
}

}  // namespace

std::string CacheBenchText(const CacheBenchResult& result) {
  const CacheBenchOptions& options = result.options;
  std::string out = absl::StrFormat(
      "bench cache: schema S, %d rows in %d partitions, batches of %d, %d threads, "
      "%d iterations after a warm-up\n",
      options.rows, options.partitions, options.batch, options.threads, options.iterations);
  for (size_t phase = 0; phase < result.forms[0].phases.size(); ++phase) {
    const PhaseTimes& first = result.forms[0].phases[phase];
    out += absl::StrFormat("\n%-22s %10s %10s %10s %10s %9s %9s   digest %016x\n", first.name,
                           "mean ms", "sd ms", "best ms", "Mrows/s", "relative", "pruned",
                           first.digest);
    for (size_t form = 0; form < result.forms.size(); ++form) {
      const PhaseTimes& times = result.forms[form].phases[phase];
      const double pruned = times.counts.batches == 0
                                ? 0
                                : 100.0 * static_cast<double>(times.counts.batches_pruned) /
                                      static_cast<double>(times.counts.batches);
      out += absl::StrFormat("  %-20s %10.2f %10.2f %10.2f %10.1f %8.2fx %8.2f%%\n",
                             FormName(result.forms[form].form), times.mean() * 1e3,
                             times.deviation() * 1e3, times.best() * 1e3,
                             MillionRows(result, times), Speedup(result, form, phase), pruned);
    }
  }
  out += absl::StrFormat("\n%-22s %14s %12s %10s\n", "footprint", "bytes", "bytes/row", "relative");
  for (const FormTimes& form : result.forms) {
    out += absl::StrFormat("  %-20s %14d %12.2f %9.4fx\n", FormName(form.form), form.footprint,
                           static_cast<double>(form.footprint) / static_cast<double>(options.rows),
                           static_cast<double>(form.footprint) /
                               static_cast<double>(result.forms[0].footprint));
  }
  return out + "relative: times as fast as, and bytes compared with, the first form\n";
}

std::string CacheBenchCsv(const CacheBenchResult& result) {
  std::string out =
      "form,phase,mean_s,deviation_s,best_s,speedup,digest,batches,batches_pruned,columns_decoded,"
      "bytes_touched,footprint\n";
  for (size_t form = 0; form < result.forms.size(); ++form) {
    for (size_t phase = 0; phase < result.forms[form].phases.size(); ++phase) {
      const PhaseTimes& times = result.forms[form].phases[phase];
      out += absl::StrFormat("%s,%s,%.6f,%.6f,%.6f,%.4f,%016x,%d,%d,%d,%d,%d\n",
                             FormName(result.forms[form].form), times.name, times.mean(),
                             times.deviation(), times.best(), Speedup(result, form, phase),
                             times.digest, times.counts.batches, times.counts.batches_pruned,
                             times.counts.columns_decoded, times.counts.bytes_touched,
                             result.forms[form].footprint);
    }
  }
  return out;
}

std::string CacheBenchJson(const CacheBenchResult& result) {
  const CacheBenchOptions& options = result.options;
  std::string out = absl::StrFormat(
      "{\n  \"schema\": \"S\",\n  \"rows\": %d,\n  \"partitions\": %d,\n  \"batch\": %d,\n"
      "  \"iterations\": %d,\n  \"threads\": %d,\n  \"forms\": [",
      options.rows, options.partitions, options.batch, options.iterations, options.threads);
  for (size_t form = 0; form < result.forms.size(); ++form) {
    out += absl::StrFormat("%s\n    {\n      \"form\": \"%s\",\n      \"footprint\": %d,\n"
                           "      \"phases\": [",
                           form == 0 ? "" : ",", FormName(result.forms[form].form),
                           result.forms[form].footprint);
    for (size_t phase = 0; phase < result.forms[form].phases.size(); ++phase) {
      const PhaseTimes& times = result.forms[form].phases[phase];
      out += absl::StrFormat(
          "%s\n        {\"phase\": \"%s\", \"mean_s\": %.6f, \"deviation_s\": %.6f, "
          "\"best_s\": %.6f, \"speedup\": %.4f, \"digest\": \"%016x\", \"batches\": %d, "
          "\"batches_pruned\": %d, \"columns_decoded\": %d, \"bytes_touched\": %d}",
          phase == 0 ? "" : ",", times.name, times.mean(), times.deviation(), times.best(),
          Speedup(result, form, phase), times.digest, times.counts.batches,
          times.counts.batches_pruned, times.counts.columns_decoded, times.counts.bytes_touched);
    }
    out += "\n      ]\n    }";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace spillway::cache
