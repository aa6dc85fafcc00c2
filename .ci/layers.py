#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the picture in docs/architecture.md with the dependencies in the BUILD files.

Counted are direct dependencies between packages, of libraries and programs that are not for tests.
Left out, as the page says: src/base as a target, and src/cli as a source.
"""

import os
import re
import subprocess
import sys

PAGE = "docs/architecture.md"
ROOT_TARGET = "//:spillway_cli"
QUERY = ('kind("cc_(library|binary)", //src/... + //sim/... + //golden/... + //fuzz/... + %s)'
         " except attr(testonly, 1, //...)" % ROOT_TARGET)
NODE = re.compile(r'(\w+)\["([^"]+)"\]')
EDGE = re.compile(r'"(//[^"]*)" -> "(//[^"]*)"')


def counts(source, target):
    return source != target and target != "src/base" and source != "src/cli"


def drawn(text):
    picture = text.split("```mermaid\n")[1].split("```")[0]
    paths = dict(NODE.findall(picture))
    edges = set()
    for line in NODE.sub(r"\1", picture).splitlines():
        if "-->" in line:
            source, targets = line.split("-->")
            edges.update((paths[source.strip()], paths[t.strip()]) for t in targets.split("&"))
    return edges


def package(label):
    return label if label == ROOT_TARGET else label.split(":")[0].strip("/")


def built():
    graph = subprocess.run(
        ["bazel", "query", "--noshow_progress", "--noimplicit_deps", "--output=graph",
         "--nograph:factored", QUERY],
        check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    pairs = ((package(a), package(b)) for a, b in EDGE.findall(graph))
    return {pair for pair in pairs if counts(*pair)}


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(PAGE, encoding="utf-8") as file:
        picture = drawn(file.read())
    reality = built()
    if not reality:
        sys.exit("bazel query gave no dependencies")
    for source, target in sorted(reality - picture):
        print("%s: %s uses %s, which is not drawn" % (PAGE, source, target))
    for source, target in sorted(picture - reality):
        print("%s: %s -> %s is drawn, but no BUILD file has it" % (PAGE, source, target))
    return int(reality != picture)


if __name__ == "__main__":
    sys.exit(main())
