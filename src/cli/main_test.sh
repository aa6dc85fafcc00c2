#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives the real binary: what only main() and the linked commands decide.
set -euo pipefail

readonly spillway=$1
failures=0

# expect CODE COMMAND...: runs with stdout in $out and stderr in $err.
expect() {
  local want=$1 got=0
  shift
  "$@" >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/err" </dev/null || got=$?
  out=$(<"$TEST_TMPDIR/out")
  err=$(<"$TEST_TMPDIR/err")
  if [[ $got != "$want" ]]; then
    printf '%s\nexit code %s, expected %s\n%s\n%s\n' "$*" "$got" "$want" "$out" "$err"
    failures=$((failures + 1))
  fi
}

contains() {
  if [[ $1 != *"$2"* ]]; then
    printf 'no "%s" in:\n%s\n' "$2" "$1"
    failures=$((failures + 1))
  fi
}

expect 0 "$spillway" --version
contains "$out" "spillway "

expect 0 "$spillway" --help
help=$out
expect 0 "$spillway" --commands
while read -r command; do
  [[ -n $command ]] || continue
  contains "$help" "  $command "
  expect 0 "$spillway" "$command" --help
  contains "$out" "Example: ./spillway $command"
  expect 2 "$spillway" "$command" --helb
  contains "$err" "unknown flag \`--helb\`; did you mean \`--help\`?"
done <<<"$out"

expect 2 "$spillway" --hlep
contains "$err" "did you mean \`--help\`?"
expect 2 "$spillway"

# Output that cannot be written is not success.
to_full_disk() { "$spillway" --help >/dev/full; }
expect 1 to_full_disk
contains "$err" "cannot write to stdout"

exit $((failures > 0))
