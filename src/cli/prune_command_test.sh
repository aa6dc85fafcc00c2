#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives prune as a user does: frames, pipes, mistakes, exit codes.
set -euo pipefail

readonly spillway=$PWD/$1 gluten=$PWD/golden/gluten ours=$PWD/golden/spillway
readonly four='ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>' nan='ROW<c0:DOUBLE,c1:INTEGER>'
cd "$TEST_TMPDIR"
failures=0

fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

# expect CODE ARGUMENTS...: runs the tool; stdout is in $out, stderr in $err. $stdin: a file.
expect() {
  local want=$1 got=0
  shift
  "$spillway" prune "$@" >out 2>err <"${stdin:-/dev/null}" || got=$?
  out=$(<out)
  err=$(<err)
  [[ $got == "$want" ]] || fail "$*: exit code $got, expected $want; $out; $err"
}

contains() { [[ $1 == *"$2"* ]] || fail "no \"$2\" in: $1"; }
equal() { [[ $1 == "$2" ]] || fail "\"$1\" is not \"$2\""; }

cp "$gluten/v2_golden_3198.hex" v2.hex
cp "$gluten/v2_golden_page_3033.hex" page.hex
cp "$gluten/v3_bad_trailing.hex" trailing.hex
cp "$ours/v3_nan.hex" "$ours/v3_nan_aware.hex" "$ours/v3_bare.hex" "$ours/v3_long_strings.hex" .

# Gluten's own frame.
expect 0 --stats v2.hex --schema "$four" --where "a > 100 and c like 'd%'"
equal "$out" "v2.hex: V2 frame, 100 rows
sound skips
  and: never true
    a > 100: never true (a: 0 to 99, 0 of 100 null; decided by the upper bound)
    c like 'd%': may be true (c: 'apple' to 'date', 0 of 100 null)"
equal "$err" ""
expect 0 --stats v2.hex --schema "$four" --where "a != 100 or b is null" --check
equal "$out" "v2.hex: V2 frame, 100 rows
sound reads
  or: never false
    a != 100: never false (a: 0 to 99, 0 of 100 null)
    b is null: never true (b: -50 to 49, 0 of 100 null; decided by the null count)
matching rows: 100 of 100: rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, \
19, ..."

# Spark loses a NaN; a check of its mode fails, of the others it does not.
expect 0 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5 and c1 > 0'
equal "$out" "v3_nan.hex: V3 frame, 4 rows
sound reads
  and: may be true
    c0 > 5: may be true (c0: -1 to 5, 1 of 4 null)
    c1 > 0: never false (c1: 1 to 4, 0 of 4 null)
spark skips
  c0 > 5: a NaN is above every bound
gluten skips
  c0 > 5: a NaN is above every bound"
expect 0 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5' --mode spark
expect 1 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5' --mode spark --check
contains "$out" "LOST ROWS: spark skips the batch, and 1 row of it matches"
expect 1 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5' --mode gluten --check
expect 0 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5' --check
contains "$out" "spark skips, and loses 1 row"
for mode in sound spark gluten; do
  expect 0 --stats v3_nan_aware.hex --schema "$nan" --where 'c0 > 5' --mode $mode --check
  contains "$out" "$mode reads"
done
expect 1 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5' --nan-aware --check
contains "$out" "LOST ROWS: sound skips the batch, and 1 row of it matches"

# JSON; stdin; binary.
expect 1 --stats v3_nan.hex --schema "$nan" --where 'c0 > 5' --mode spark --check --json
contains "$out" '"loses_rows": true'
contains "$out" '"why": "a NaN is above every bound"'
stdin=v3_nan.hex expect 0 --stats - --schema "$nan" --where 'c1 = 9'
contains "$out" "stdin: V3 frame, 4 rows
sound skips"
"$spillway" convert v2.hex v2.v2 --schema "$four"
expect 0 --stats v2.v2 --schema "$four" --where 'a > 100'
contains "$out" "sound skips"
expect 0 --stats <(cat v2.v2) --schema "$four" --where 'a > 60'

# Without statistics every batch is read.
expect 0 --stats page.hex --schema "$four" --where 'a > 60'
equal "$out" "page.hex: legacy page, 100 rows, no statistics
sound reads
  a > 60: may be true (a: no statistics)"
expect 0 --stats v3_bare.hex --schema 'ROW<c0:INTEGER,c1:VARCHAR>' --where 'c0 > 60' --mode gluten
contains "$out" "v3_bare.hex: V3 frame, 3 rows, no statistics
gluten reads"

# Mistakes in the predicate are pointed at.
expect 2 --stats v2.hex --schema "$four" --where "a > 60 and e is null"
equal "$err" "spillway prune: --where: unknown column \`e\`, did you mean \`a\`?, byte 11 of 20
  a > 60 and e is null
             ^
See \`./spillway prune --help\`."
expect 2 --stats v2.hex --schema "$four" --where "a > 60 or c > 5"
equal "$err" "spillway prune: --where: \`5\` is no VARCHAR, byte 14 of 15
  a > 60 or c > 5
                ^
See \`./spillway prune --help\`."
expect 2 --stats none --schema "$four" --where "a > 60 or"
equal "$err" "spillway prune: --where: expected a column, a literal or a condition, found \
the end, byte 9 of 9
  a > 60 or
           ^
See \`./spillway prune --help\`."
expect 2 --stats v2.hex --where 'a > 60'
contains "$err" "say them with --schema, as in \
--schema 'ROW<c0:INTEGER,c1:BIGINT,c2:VARCHAR,c3:BIGINT>'"
expect 2 --stats v2.hex --schema "$four"
contains "$err" "--where"
expect 2 --where 'a > 60'
contains "$err" "--stats"
expect 2 --stats v2.hex --schema "$four" --where 'a > 60' --mode flink
contains "$err" "--mode"
expect 2 --stats v2.hex --column INTEGER --where 'a > 60'
expect 2 --stats v2.hex --schema INTEGER --where 'a > 60'
equal "$err" "spillway prune: --schema: INTEGER is no ROW type
See \`./spillway prune --help\`."

# Bad input has its place.
expect 1 --stats none --schema "$four" --where 'a > 60'
equal "$err" "spillway prune: none: No such file or directory"
readonly three='ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>'
expect 1 --stats trailing.hex --schema "$three" --where 'a is null'
equal "$err" "spillway prune: trailing.hex: V3 frame: 1 bytes left over after the last column, \
byte 34 of 35"
equal "$out" ""
expect 1 --stats trailing.hex --schema 'ROW<a:VARBINARY>' --where 'a is null' --json
contains "$out" '"message": "V3 frame: '
expect 1 --stats v2.hex --schema 'ROW<a:INTEGER>' --where 'a > 60'
contains "$err" "statistics of 4 columns, the schema has 1"

# What cannot be evaluated is judged, but not checked.
expect 0 --stats v2.hex --schema "$four" --where "opaque('f(a)', a) and a > 100"
contains "$out" "sound skips"
expect 1 --stats v2.hex --schema "$four" --where "opaque('f(a)', a) and a > 100" --check
contains "$err" "cannot be evaluated"

exit $((failures > 0))
