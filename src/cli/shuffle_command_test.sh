#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives shuffle as a user does: generators, files, limits, mistakes, exit codes.
set -euo pipefail

readonly spillway=$PWD/$1
cd "$TEST_TMPDIR"
export TMPDIR=$TEST_TMPDIR/temporary  # of this test alone
mkdir "$TMPDIR"
failures=0

fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

# expect CODE ARGUMENTS...: runs the tool; stdout is in $out, stderr in $err.
expect() {
  local want=$1 got=0
  shift
  "$spillway" shuffle "$@" >out 2>err </dev/null || got=$?
  out=$(<out)
  err=$(<err)
  [[ $got == "$want" ]] || fail "$*: exit code $got, expected $want; $out; $err"
}

contains() { [[ $1 == *"$2"* ]] || fail "no \"$2\" in: $1"; }
figure() { sed -n "s/^  *$1  *\([0-9,]*\).*/\1/p" out | tr -d ,; }

# All rows come back, whatever the policy, pool, codec and layout.
for flags in "" "--rule adaptive --limit 200000" "--pool greedy --pool-bytes 100000" \
  "--pool fair_unified --pool-bytes 300000" "--pool greedy_unified --pool-bytes 1 --step 0" \
  "--codec none" "--codec zstd --level 3" "--codec snappy --limit 1" \
  "--spill-layout file_per_partition --open-files 2 --limit 100000" \
  "--by round_robin" "--by deal" "--by single" "--spark-hash --keys s,k" "--batch 1"; do
  # shellcheck disable=SC2086
  expect 0 gen:mix:3000 --partitions 13 $flags
  contains "$out" "read back: 3,000 rows, each once, in its partition, in order"
  [[ -z $err ]] || fail "$flags: stderr: $err"
done
[[ -z $(ls "$TMPDIR") ]] || fail "a temporary directory stays"

# A step changes how often the pool is asked, and not when it spills.
expect 0 gen:i64x2:100000 --batch 1000 --limit 1000000 --step 0
exact=$(figure requests) exact_spills=$(figure spills)
expect 0 gen:i64x2:100000 --batch 1000 --limit 1000000
((exact_spills > 0 && exact_spills == $(figure spills))) || fail "spills: $exact_spills"
(($(figure requests) < exact)) || fail "requests: $exact and $(figure requests)"

# Files of one's own, and the timeline.
expect 0 gen:d:5000 --out mine --keys c0 --limit 1 --timeline 3 --batch 4096
contains "$out" "hash (c0) into 200 partitions"
contains "$out" "           0  reserve"
contains "$out" "           0  spill"
contains "$out" "  and 3 more"
contains "$out" "written to mine.data and mine.index"
[[ $(stat -c %s mine.index) == 1608 ]] || fail "index: $(stat -c %s mine.index) bytes"
expect 1 gen:d:5000 --out mine
contains "$err" "spillway shuffle: mine.data is there already; --overwrite replaces it"
expect 0 gen:d:10 --out mine --overwrite --json
contains "$out" '"rows": 10,'
expect 1 gen:d:5000 --out nowhere/mine
contains "$err" "nowhere/"

# Mistakes.
expect 1 gen:mixx:5
contains "$err" "gen:mixx:5: \`mixx\` is no generator; did you mean \`mix\`?"
expect 1 gen:mix
contains "$err" "how many rows?"
expect 1 gen:mix:-5
contains "$err" "rows: "
expect 1 missing.cache
contains "$err" "missing.cache"
expect 2 gen:mix:5 --keys k,zz
contains "$err" "--keys: no column \`zz\`"
expect 2 gen:mix:5 --by range
contains "$err" "--by range needs --boundaries"
expect 2 gen:mix:5 --pool greddy
contains "$err" "greedy"
expect 2 gen:mix:5 --rule stpe
contains "$err" "step"
expect 2 gen:mix:5 --codec lz5
contains "$err" "lz4"
expect 2 gen:mix:5 --partitions 0
expect 2

exit $((failures > 0))
