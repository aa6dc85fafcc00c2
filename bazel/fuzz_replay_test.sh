#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A replay passes only if every path that it was given held inputs.
set -euo pipefail

readonly replay=$1
mkdir -p "$TEST_TMPDIR/empty" "$TEST_TMPDIR/two/deep"
printf a >"$TEST_TMPDIR/two/one"
printf b >"$TEST_TMPDIR/two/deep/other"

refused() {
  if "$@"; then
    echo "passed, but must fail: $*"
    exit 1
  fi
}

[[ $("$replay" -runs=0 "$TEST_TMPDIR/two") == "replayed 2 inputs" ]]
[[ $("$replay" "$TEST_TMPDIR/two/one") == "replayed 1 inputs" ]]
refused "$replay"
refused "$replay" "$TEST_TMPDIR/empty"
refused "$replay" "$TEST_TMPDIR/two" "$TEST_TMPDIR/absent"
