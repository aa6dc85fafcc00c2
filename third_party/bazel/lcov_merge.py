#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Offline stand-in for Bazel's CoverageOutputGenerator.

Merges gcov data (GCC 9+) and lcov tracefiles (clang) into one lcov file. Bazel
runs it once per test (--coverage_dir) and once for --combined_report=lcov
(--reports_file). It calls gcov itself, because Bazel 4's collect_cc_coverage.sh
loses all but one of the objects that share a base name.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

CC_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".ipp")


class File:
    def __init__(self):
        self.lines = collections.Counter()
        self.fn_line = {}
        self.fn_hits = collections.Counter()


def add_gcda(path, files):
    gcov = os.environ.get("COVERAGE_GCOV_PATH", "gcov")
    text = subprocess.run(
        [gcov, "--json-format", "--stdout", path], check=True, stdout=subprocess.PIPE
    ).stdout
    for document in text.splitlines():
        for entry in json.loads(document)["files"]:
            out = files[entry["file"]]
            for fn in entry["functions"]:
                out.fn_line[fn["name"]] = fn["start_line"]
                out.fn_hits[fn["name"]] += fn["execution_count"]
            for line in entry["lines"]:
                out.lines[line["line_number"]] += line["count"]


def add_lcov(path, files):
    out = None
    with open(path, errors="replace") as f:
        for raw in f:
            key, _, value = raw.rstrip("\n").partition(":")
            if key == "SF":
                out = files[value]
            elif key == "DA":
                number, count = value.split(",")[:2]
                out.lines[int(number)] += int(count)
            elif key == "FN":
                number, name = value.split(",", 1)
                out.fn_line[name] = int(number)
            elif key == "FNDA":
                count, name = value.split(",", 1)
                out.fn_hits[name] += int(count)


def main():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("--coverage_dir")
    p.add_argument("--reports_file", "--lcovfile_path")
    p.add_argument("--output_file", required=True)
    p.add_argument("--filter_sources", action="append", default=[])
    p.add_argument("--source_file_manifest")
    args, _ = p.parse_known_args()

    files = collections.defaultdict(File)
    if args.coverage_dir:
        for root, _, names in os.walk(args.coverage_dir):
            for name in sorted(names):
                path = os.path.join(root, name)
                if name.endswith(".gcda") and os.path.exists(path[:-5] + ".gcno"):
                    add_gcda(path, files)
                elif name.endswith(".dat"):
                    add_lcov(path, files)
    if args.reports_file:
        with open(args.reports_file) as f:
            for path in f.read().split():
                if path.endswith(".dat") and os.path.exists(path):
                    add_lcov(path, files)

    drop = [re.compile(pattern) for pattern in args.filter_sources]
    keep = None
    if args.source_file_manifest:
        with open(args.source_file_manifest) as f:
            keep = {s for s in f.read().split() if s.endswith(CC_SUFFIXES)}

    with open(args.output_file, "w") as out:
        for name in sorted(files):
            if any(pattern.fullmatch(name) for pattern in drop):
                continue
            if keep and name not in keep:
                continue
            data = files[name]
            if not data.lines:
                continue
            out.write("SF:%s\n" % name)
            for fn, line in sorted(data.fn_line.items()):
                out.write("FN:%d,%s\n" % (line, fn))
            for fn in sorted(data.fn_line):
                out.write("FNDA:%d,%s\n" % (data.fn_hits[fn], fn))
            hit_fns = sum(1 for fn in data.fn_line if data.fn_hits[fn])
            out.write("FNF:%d\nFNH:%d\n" % (len(data.fn_line), hit_fns))
            for line, count in sorted(data.lines.items()):
                out.write("DA:%d,%d\n" % (line, count))
            hit = sum(1 for count in data.lines.values() if count)
            out.write("LH:%d\nLF:%d\nend_of_record\n" % (hit, len(data.lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
