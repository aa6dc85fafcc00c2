#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A benchmark's cases run, without an error, and there are such cases.
set -euo pipefail

readonly benchmark=$1 filter=$2
readonly results=$TEST_TMPDIR/results.json

"$benchmark" --benchmark_filter="$filter" --benchmark_min_time=0.001 \
  --benchmark_format=json >"$results"

if grep -A 1 '"error_occurred": true' "$results"; then
  exit 1
fi
cases=$(grep -c '"iterations": ' "$results") || {
  echo "no case of $benchmark matches $filter"
  exit 1
}
echo "ran $cases cases"
