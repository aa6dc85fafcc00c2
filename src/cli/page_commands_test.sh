#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives inspect, check and convert as a user does: files, pipes, exit codes.
set -euo pipefail

readonly spillway=$PWD/$1 gluten=$PWD/golden/gluten
readonly four='ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>'
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
  "$spillway" "$@" >out 2>err <"${stdin:-/dev/null}" || got=$?
  out=$(tr -d '\0' <out)
  err=$(<err)
  [[ $got == "$want" ]] || fail "$*: exit code $got, expected $want; $out; $err"
}

contains() { [[ $1 == *"$2"* ]] || fail "no \"$2\" in: $1"; }
equal() { [[ $1 == "$2" ]] || fail "\"$1\" is not \"$2\""; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

cp "$gluten/v2_golden_3198.hex" v2.hex
cp "$gluten/v3_bad_trailing.hex" trailing.hex

# inspect: 0 for good input, 1 with the reader's error for bad input.
expect 0 inspect v2.hex --schema "$four"
contains "$out" "v2.hex: V2 frame, 3198 bytes, $four"
contains "$out" "upper: \"date\""
equal "$err" ""
expect 0 inspect v2.hex --rows 2
contains "$out" "types guessed: ROW<c0:INTEGER,c1:BIGINT,c2:VARCHAR,c3:BIGINT>"
contains "$out" "values: -50, -49, ... (100)"
expect 1 inspect trailing.hex --schema 'ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>'
readonly reason='V3 frame: 1 bytes left over after the last column, byte 34 of 35'
contains "$out" "^ error: $reason"
equal "$err" "spillway inspect: trailing.hex: $reason"
expect 1 inspect trailing.hex --json --schema 'ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>'
contains "$out" "\"message\": \"$reason\""
contains "$out" "\"byte\": 34"
expect 1 inspect none.page
equal "$err" "spillway inspect: none.page: No such file or directory"
expect 1 inspect /dev/zero --max-bytes 1000
equal "$err" "spillway inspect: /dev/zero: over 1000 bytes"
stdin=v2.hex expect 0 inspect -
contains "$out" "stdin: V2 frame, 3198 bytes"

# Binary or hexadecimal shows by itself; a flag overrules.
expect 0 convert v2.hex v2.v2 --schema "$four"
expect 0 inspect v2.v2
contains "$out" "v2.v2: V2 frame, 3198 bytes"
expect 1 inspect v2.hex --binary
expect 1 inspect v2.v2 --hex
contains "$err" "line 1, column 1: \`\\376\` is no hexadecimal digit"
printf '00 # one\n0z' >typo.hex
expect 1 inspect typo.hex
contains "$err" "typo.hex: line 2, column 2: \`z\` is no hexadecimal digit"

# Mistakes of the command line are 2 and point at the text.
expect 2 inspect
expect 2 inspect v2.hex --hex --binary
expect 2 inspect v2.hex --schema "ROW<a:INTGER>"
equal "$err" "spillway inspect: --schema: unknown type \`INTGER\` at position 6
  ROW<a:INTGER>
        ^
See \`./spillway inspect --help\`."
expect 2 check v2.hex --schema INTEGER
contains "$err" "INTEGER is no ROW type; a single column block has --column"
expect 2 check v2.hex --schema "$four" --column INTEGER
expect 2 check v2.hex --codec rar
expect 2 check
expect 2 check v2.hex --max-bytes -1
expect 2 check v2.hex --max-bytes x
expect 2 inspect v2.hex --row 3
contains "$err" 'did you mean `--rows`?'

# check: a line a file; 1 if one is bad.
expect 0 check v2.hex v2.v2 --schema "$four"
equal "$out" "ok   v2.hex: V2 frame, 100 rows, 4 columns, 3198 bytes
ok   v2.v2: V2 frame, 100 rows, 4 columns, 3198 bytes"
expect 1 check v2.hex none "$gluten/v3_empty_no_stats.hex"
equal "$out" "ok   v2.hex: V2 frame, 100 rows, 4 columns, 3198 bytes, types guessed
bad  none: No such file or directory
ok   $gluten/v3_empty_no_stats.hex: V3 frame, 0 rows, 0 columns, 16 bytes, types guessed"
expect 1 check v2.hex --schema 'ROW<a:INTEGER>'
contains "$out" "bad  v2.hex: V2 frame: statistics: statistics of 4 columns, the schema has 1"
expect 1 check v2.hex --column INTEGER

# convert: every format holds the same batch.
expect 0 convert v2.v2 v2.v3 --schema "$four"
expect 0 convert v2.v3 v2.page --schema "$four"
expect 0 convert v2.page v2.textproto --schema "$four"
expect 0 convert v2.textproto v2.json
expect 0 convert v2.json again.v2
same again.v2 v2.v2
expect 0 check v2.textproto v2.json v2.page v2.v3 --schema "$four"
contains "$out" "ok   v2.json: json batch, 100 rows, 4 columns, $four"
stdin=v2.json expect 0 convert - - --from json --to v2
same out v2.v2
expect 0 convert v2.v2 v2.v2.hex --schema "$four"
expect 0 convert v2.v2.hex - --to v2 --schema "$four"
same out v2.v2
expect 0 convert v2.v2 other.hex --schema "$four"
same other.hex v2.v2.hex

# Encodings survive where they are asked to, and are gone where they are not.
cat >wrapped.textproto <<'END'
schema: "ROW<c0:VARCHAR>"
rows: 5
columns {
  dictionary {
    ids: [0, 1, 0, 1, 0]
    alphabet { flat { strings: "a string of some length" strings: "another string" } }
  }
}
END
for format in page v3 block; do
  expect 0 convert wrapped.textproto "kept.$format" --encoding preserve
  flags=(--schema 'ROW<c0:VARCHAR>')
  [[ $format != block ]] || flags=(--column VARCHAR)
  expect 0 inspect "kept.$format" "${flags[@]}"
  contains "$out" "DICTIONARY, 5 rows: \"a string of some length\", \"another string\""
  expect 0 convert "kept.$format" again.textproto "${flags[@]}"
  same again.textproto <("$spillway" convert wrapped.textproto - --to textproto)
  expect 0 convert wrapped.textproto "flat.$format"
  expect 0 inspect "flat.$format" "${flags[@]}"
  contains "$out" "VARIABLE_WIDTH, 5 rows"
done
expect 0 inspect kept.v3
contains "$out" 'lower: "a string of some length"'
expect 0 convert wrapped.textproto bare.v3 --no-statistics
expect 0 inspect bare.v3
contains "$out" "0, no statistics"

# Pages: checksum and codec.
expect 0 convert v2.v2 bare.page --no-checksum --schema "$four"
expect 0 inspect bare.page
contains "$out" "marker: 0, no flags"
expect 0 convert v2.v2 small.page --codec zstd --schema "$four"
expect 0 check small.page --codec zstd --schema "$four"
expect 1 check small.page --codec lz4
expect 1 check small.page
contains "$out" "the page is compressed and no codec is configured"
expect 0 convert small.page back.page --from-codec zstd --schema "$four"
same back.page v2.page
expect 0 inspect small.page --codec zstd
contains "$out" "decompressed payload"

# convert's refusals: types are never guessed, idle flags are mistakes, and nothing is left behind.
expect 2 convert v2.v2 new.json
contains "$err" "say them with --schema, as in \
--schema 'ROW<c0:INTEGER,c1:BIGINT,c2:VARCHAR,c3:BIGINT>'"
expect 2 convert v2.json new
contains "$err" "\`new\` does not say its format; --to does"
expect 2 convert v2.json new.hex
expect 2 convert v2.json new.v2 --codec lz4
contains "$err" "--codec says nothing about v2"
expect 2 convert v2.json new.v2 --no-statistics
expect 2 convert v2.json new.json --encoding flatten
expect 2 convert v2.json new.v2 --schema "$four"
contains "$err" "--schema says nothing about json"
expect 2 convert v2.json new.v2 --to parquet
expect 2 convert v2.json new.page --encoding tight
contains "$err" "\`tight\` is no encoding"
expect 1 convert v2.json new.block
contains "$err" "as a block: a column block holds one column, the batch has 4"
printf 'rows: x' >bad.textproto
expect 1 convert bad.textproto new.page
contains "$err" "bad.textproto:1:7: "
expect 1 convert v2.json none/new.page
contains "$err" "none/new.page: No such file or directory"
expect 1 convert trailing.hex new.v2 --schema 'ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>'
contains "$err" "trailing.hex: $reason"
[[ -z $(compgen -G 'new*' || true) ]] || fail "left behind: $(compgen -G 'new*')"

# A reader that has seen enough is no error, even where a parent ignores SIGPIPE.
(
  trap '' PIPE
  "$spillway" inspect v2.hex --rows 1000 --json 2>pipe.err | head -c 10 >/dev/null || true
)
equal "$(<pipe.err)" ""
full() { "$spillway" inspect v2.hex >/dev/full 2>err; }
full && fail "a full disk is no success"
contains "$(<err)" "cannot write to stdout"

exit $((failures > 0))
