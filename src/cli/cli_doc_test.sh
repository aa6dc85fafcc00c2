#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands in a page of docs/: ```console blocks of `$ ./spillway ...` and what they print
# on stdout and stderr. A line `...` stands for any lines.
set -euo pipefail

readonly page=$1 spillway=$2
failures=0
runs=0

# compare COMMAND EXPECTED
compare() {
  local command=$1 rest=$2 got part
  got=$'\n'$(eval "${command/#.\/spillway/\$spillway}" 2>&1 || true)$'\n'
  runs=$((runs + 1))
  rest=$'\n'$rest
  while [[ $rest == *$'\n...\n'* ]]; do
    part=${rest%%$'\n...\n'*}$'\n'
    rest=$'\n'${rest#*$'\n...\n'}
    if [[ $got != "$part"* ]]; then
      rest=$part
      break
    fi
    got=${got#"$part"}
    # What follows may begin anywhere behind; it runs to the end.
    [[ $rest == $'\n' ]] && return
    got=${got: -${#rest}}
  done
  [[ $got == "$rest" ]] && return
  printf '%s printed\n%s\nnot\n%s\n' "$command" "$got" "$rest"
  failures=$((failures + 1))
}

command='' expected='' inside=no
while IFS= read -r line; do
  if [[ $line == '```console' ]]; then
    inside=yes
  elif [[ $inside == yes && ($line == '```' || $line == '$ '*) ]]; then
    [[ -z $command ]] || compare "$command" "$expected"
    command='' expected=''
    if [[ $line == '```' ]]; then inside=no; else command=${line#\$ }; fi
  elif [[ $inside == yes ]]; then
    expected+=$line$'\n'
  fi
done <"$page"

if ((runs == 0)); then
  echo "no command found"
  exit 1
fi
exit $((failures > 0))
