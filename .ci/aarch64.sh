#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the libraries of src/ for aarch64 with all warnings, and runs their tests under QEMU.
# For changes to kernels and to anything where char is signed; not a part of .ci/run, since it takes
# a quarter of an hour. As root on Debian 12: installs the cross compiler and QEMU, and unpacks the
# libraries for arm64 into a directory of its own.
#
#   .ci/aarch64.sh [TEST.cc...]   all tests of the packages below, or these
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/.."
readonly packages=(base vector page stats frame memory arrow shuffle)
readonly compiler=aarch64-linux-gnu-g++-12
work=${TMPDIR:-/tmp}/spillway-aarch64
readonly work sysroot=$work/sysroot objects=$work/objects
mkdir -p "$sysroot" "$objects" "$work/debs" "$work/proto"

install() {
  apt-get install -y --no-install-recommends \
    flatbuffers-compiler g++-12-aarch64-linux-gnu qemu-user protobuf-compiler
  dpkg --add-architecture arm64
  apt-get update
  (
    cd "$work/debs"
    apt-get download {libabsl-dev,libprotobuf-dev,libprotobuf32,zlib1g-dev,zlib1g}:arm64 \
      {libgtest-dev,libgmock-dev,librapidcheck-dev,libdeflate-dev,libdeflate0}:arm64 \
      libflatbuffers-dev:arm64 \
      {liblz4-dev,liblz4-1,libzstd-dev,libzstd1,libsnappy-dev,libsnappy1v5}:arm64
  )
  dpkg --remove-architecture arm64
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$sysroot"; done
}
if [[ ! -e $sysroot/usr/include/absl || -z $(command -v $compiler) ]]; then
  install >"$work/install.log" 2>&1 || { tail "$work/install.log"; exit 1; }
fi

# Headers of the target first: those of the build machine are for another architecture.
compile() {
  $compiler -std=c++20 -O1 -I. -I"$work/proto" -idirafter "$sysroot/usr/include" "$@"
}

find src -name '*.proto' -exec protoc --cpp_out="$work/proto" {} +
mkdir -p "$work/proto/src/arrow"
flatc --cpp --scoped-enums -o "$work/proto/src/arrow" src/arrow/metadata.fbs
failed=0
archive=$work/libspillway.a
rm -f "$archive"
sources=$(for package in "${packages[@]}"; do
  find "src/$package" -name '*.cc' ! -name '*_test.cc' ! -name '*_benchmark.cc'
done)
for source in $sources $(cd "$work/proto" && find . -name '*.pb.cc'); do
  object=$objects/$(tr / _ <<<"$source").o
  if [[ $source == ./* ]]; then
    compile -c "$work/proto/$source" -o "$object"
  else
    # At -O1 gcc takes what Abseil moves between slots of a table for uninitialized.
    compile -Wall -Wextra -Werror -Wno-maybe-uninitialized -c "$source" -o "$object"
  fi
  ar q "$archive" "$object" 2>/dev/null
done
printf 'compiled %d sources without a warning\n' "$(wc -w <<<"$sources")"

libraries=$sysroot/usr/lib/aarch64-linux-gnu
tests=("$@")
[[ $# != 0 ]] || mapfile -t tests < <(for package in "${packages[@]}"; do
  find "src/$package" -name '*_test.cc' | sort
done)
for test in "${tests[@]}"; do
  binary=$objects/$(tr / _ <<<"${test%.cc}")
  compile "$test" -o "$binary" -L"$libraries" -Wl,-rpath-link,"$sysroot/lib/aarch64-linux-gnu" \
    -Wl,--start-group "$archive" "$libraries"/libabsl_*.a -Wl,--end-group -lgtest_main -lgmock \
    -lgtest -lrapidcheck -lprotobuf -ldeflate -llz4 -lzstd -lsnappy -lz -pthread
  if qemu-aarch64 -L /usr/aarch64-linux-gnu \
    -E LD_LIBRARY_PATH="$libraries:$sysroot/lib/aarch64-linux-gnu" \
    "$binary" >"$binary.log" 2>&1; then
    printf 'ok: %s, %d tests\n' "$test" "$(grep -c '\[       OK' "$binary.log")"
  else
    failed=$((failed + 1))
    tail -20 "$binary.log"
    printf 'FAILED: %s\n' "$test"
  fi
done
exit $((failed > 0))
