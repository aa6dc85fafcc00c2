#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a copy of the launcher on a machine made of stand-ins: dpkg-query, apt-get, sudo, id and
# bazel write down how they were called, and answer as the case at hand wants it.
set -euo pipefail

readonly launcher=$1 binary=$(readlink -f "$2")
readonly tree=$TEST_TMPDIR/tree bin=$TEST_TMPDIR/bin calls=$TEST_TMPDIR/calls
export HOME=$TEST_TMPDIR
failures=0

fail() {
  printf 'case "%s": %s\n' "$case" "$*"
  failures=$((failures + 1))
}

# Stands in for program $1; the body is on stdin.
stand_in() {
  { printf '#!/bin/bash\necho "%s $*" >>"%s"\n' "$1" "$calls" && cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# A root user on a machine with every package, where everything works.
begin() {
  case=$1
  rm -rf "$tree" "$bin"
  mkdir -p "$tree/third_party" "$tree/src/cli" "$tree/bazel-bin" "$bin" "$TEST_TMPDIR/elsewhere"
  # The copy has a command of the tool's own, `pour`, next to the real ones.
  sed 's/^readonly COMMANDS=(/&"pour|fill a file|.\/spillway pour glass" /' "$launcher" \
    >"$tree/spillway"
  chmod +x "$tree/spillway"
  printf '# needed\nalpha\nbeta\ngamma [develop]\n' >"$tree/third_party/debian-packages.txt"
  cp -L src/cli/version.h "$tree/src/cli/version.h"
  printf '#!/bin/bash\nprintf "<%%s>" "$@"; echo " in $PWD"; exit "${POUR:-0}"\n' \
    >"$tree/bazel-bin/spillway_cli"
  chmod +x "$tree/bazel-bin/spillway_cli"
  installed alpha beta gamma
  stand_in apt-get </dev/null
  stand_in sudo <<<'[[ $1 == -n ]] || "$@"'
  stand_in id <<<'echo 0'
  stand_in bazel <<<"if [[ \$1 == info ]]; then echo '$tree/bazel-bin'; else echo built; fi"
}

installed() {
  local names="$*"
  stand_in dpkg-query <<<"printf '%s installed\n' $names; exit 1"
  [[ -n $names ]] || stand_in dpkg-query <<<'exit 1'
}

# expect CODE ARGUMENTS...: runs the launcher; stdout is in $out, stderr in $err.
expect() {
  local want=$1 got=0
  shift
  : >"$calls"
  (cd "$TEST_TMPDIR/elsewhere" && PATH=${path:-$bin:$PATH} "$tree/spillway" "$@") \
    >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/err" </dev/null || got=$?
  out=$(<"$TEST_TMPDIR/out")
  err=$(<"$TEST_TMPDIR/err")
  [[ $got == "$want" ]] || fail "exit code $got, expected $want; $out; $err"
}

contains() { [[ $1 == *"$2"* ]] || fail "no \"$2\" in: $1"; }
called() { grep -qxF -- "$1" "$calls" || fail "no call \"$1\" in: $(<"$calls")"; }
not_called() { if grep -q "^$1 " "$calls"; then fail "$1 was called: $(<"$calls")"; fi; }

begin "the launcher knows exactly the binary's commands"
names=$("$launcher" --commands)
[[ $names == "$("$binary" --commands)" ]] || fail "$names; $("$binary" --commands)"
contains "$("$launcher" --help | tr -s ' ')" \
  "$("$binary" --help | sed -n '/^Commands/,/^$/p' | sed '1d;$d' | tr -s ' ')"

begin "launcher, binary and module have one version"
version=$("$binary" --version)
[[ $("$launcher" --version) == "$version" ]] || fail "$("$launcher" --version), $version"
contains "$(<MODULE.bazel)" "version = \"${version#spillway }\""

begin "launcher and binary suggest alike"
# --verabcn has 3 of 9 letters wrong, which is just near enough; --verabcd has 4.
for word in --hlep --verion --commads --helpp -hlep --verabcn --verabcd evaporate \
  $(sed 's/.$//' <<<"$names") $(sed 's/^\(.\)\(.\)/\2\1/' <<<"$names"); do
  ours=$("$launcher" "$word" 2>&1 || true)
  theirs=$("$binary" "$word" 2>&1 || true)
  [[ $ours == "$theirs" ]] || fail "launcher: $ours; binary: $theirs"
done

begin "a typing error costs no installation and no build"
installed
expect 2 puor
contains "$err" 'unknown command `puor`; did you mean `pour`?'
expect 2 --no-instal pour
contains "$err" 'unknown flag `--no-instal`; did you mean `--no-install`?'
expect 2 tset
contains "$err" 'did you mean `test`?'
expect 2 deps now
[[ ! -s $calls ]] || fail "calls: $(<"$calls")"

begin "help needs nothing"
installed
for arguments in --help -h "test --help" "deps --help"; do
  # shellcheck disable=SC2086
  expect 0 $arguments
  contains "$out" "Usage: ./spillway"
done
contains "$("$tree/spillway" --help)" "./spillway pour glass"
expect 2
contains "$err" "Usage: ./spillway"
not_called dpkg-query
not_called bazel

begin "a complete machine is left alone"
expect 0 pour
not_called apt-get
called "bazel build -c opt --noshow_progress //:spillway_cli"

begin "root gets what is missing and no more"
installed beta
expect 0 pour
contains "$err" "installing with apt-get: alpha"
called "apt-get -q -o DPkg::Lock::Timeout=120 update"
called "apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends alpha"
not_called sudo

begin "--no-install names the packages and the command, and stops"
installed gamma
expect 1 --no-install pour
contains "$err" "missing Debian packages: alpha beta"
contains "$err" "apt-get update && apt-get install --no-install-recommends alpha beta"
not_called apt-get
not_called bazel
expect 1 test --no-install
not_called bazel

begin "another user installs through sudo"
installed alpha
stand_in id <<<'echo 1000'
expect 0 pour
called "apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends beta"
contains "$(<"$calls")" "sudo env DEBIAN_FRONTEND=noninteractive apt-get"

begin "a user without rights is told what to ask for"
installed
stand_in id <<<'echo 1000'
stand_in sudo <<<'exit 1'
expect 1 pour
contains "$err" "missing Debian packages: alpha beta"
contains "$err" "As root: apt-get update && apt-get install"
not_called apt-get
not_called bazel

begin "apt-get's failure ends it, that of its update does not"
installed
stand_in apt-get <<<'[[ $* == *update* ]]'
expect 1 pour
contains "$err" "apt-get could not install the packages"
not_called bazel
stand_in apt-get <<<'[[ $* != *update* ]]'
expect 0 pour
contains "$err" "going on with the old lists"

begin "deps installs the developers' packages too and builds nothing"
installed alpha
expect 0 deps
called "apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends beta gamma"
not_called bazel
installed alpha beta
expect 0 test
not_called apt-get

begin "test takes targets and flags"
expect 0 test
called "bazel test //..."
expect 0 test --config=asan
called "bazel test //... --config=asan"
expect 0 test //src/base/... --config=asan
called "bazel test //src/base/... --config=asan"

begin "the tool gets its arguments, the caller's directory and the last word"
expect 0 pour "a glass" --seed ""
[[ $out == "<pour><a glass><--seed><> in $TEST_TMPDIR/elsewhere" ]] || fail "$out"
[[ $err == "" ]] || fail "the build is not quiet: $err"
POUR=1 expect 1 pour

begin "without HOME, which Bazel needs, the user's entry has it"
stand_in getent <<<'echo "ann:x:0:0::/home/ann:/bin/sh"'
stand_in bazel <<<'echo "home is $HOME"'
unset HOME
expect 0 test
contains "$out" "home is /home/ann"
export HOME=$TEST_TMPDIR

begin "a failed build shows its log"
stand_in bazel <<<'echo "x.cc:1: error"; exit 1'
expect 1 pour
contains "$err" "x.cc:1: error"
contains "$err" "the build failed"
[[ $out == "" ]] || fail "$out"

begin "a system without apt-get is told what is needed"
path=$TEST_TMPDIR/plain
mkdir -p "$path"
for program in bash dirname readlink id sed cat mktemp rm; do
  ln -sf "$(command -v "$program")" "$path/$program"
done
expect 1 pour
contains "$err" "What the build needs is, by Debian's names: alpha beta"
contains "$err" "there is no bazel on PATH"
cp "$bin/bazel" "$path/bazel"
expect 0 pour
contains "$err" "trying with what is there"
unset path

exit $((failures > 0))
