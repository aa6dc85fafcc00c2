#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds docs/bugs.md and the tests that cite it (`BUGS 1.5`) to each other."""

import os
import re
import sys

import style

TABLE = "docs/bugs.md"
NUMBER = r"\d+\.\d+"
# Entries `M7` are counted otherwise, and no test cites them.
ROW = re.compile(r"\| (%s|M\d+) \|.*\| ([^|]*) \|$" % NUMBER)
TEST = re.compile(r"`([^`]+)` (\w+)$")
# A comment from `BUGS` to its end, over several lines.
CITATION = re.compile(r"(?://|#).*\bBUGS (?=\d)(.*(?:\n *(?://|#).*)*)")
RANGE = re.compile(r"(\d+)\.(\d+) to \1\.(\d+)")


def cited(text):
    """The numbers that the comments of a test file cite."""
    numbers = set()
    for comment in CITATION.findall(text):
        numbers.update(re.findall(NUMBER, comment))
        for section, first, last in RANGE.findall(comment):
            numbers.update("%s.%d" % (section, n) for n in range(int(first), int(last)))
    return numbers


def rows(table):
    """(line, number, last cell) of each entry."""
    for line, text in enumerate(table.split("\n"), 1):
        match = ROW.match(text)
        if match:
            yield line, match.group(1), match.group(2)


def defines(text, test):
    return re.search(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\w+,\s*%s\b" % test, text)


def faults(table, sources):
    """(place, what is wrong), of the table's text and the test files' by path."""
    citations = {path: cited(text) for path, text in sources.items()}
    listed = set()
    for line, number, tests in rows(table):
        place = "%s:%d" % (TABLE, line)
        if number in listed:
            yield place, "%s stands twice" % number
        listed.add(number)
        if tests == "later":
            for path in sorted(path for path in citations if number in citations[path]):
                yield place, "%s is later, but %s cites it: name the test" % (number, path)
            continue
        for test in tests.split("; "):
            match = TEST.match(test)
            if not match:
                yield place, "`%s` is not a file in backticks and a test" % test
            elif match.group(1) not in sources:
                yield place, "%s is not there" % match.group(1)
            elif not defines(sources[match.group(1)], match.group(2)):
                yield place, "%s has no test %s" % match.groups()
            elif number[0] != "M" and number not in citations[match.group(1)]:
                yield place, "%s does not cite %s" % (match.group(1), number)
    for path in sorted(citations):
        for number in sorted(citations[path] - listed):
            yield path, "cites BUGS %s, which %s does not have" % (number, TABLE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sources = {path: read(path) for path in style.tree()
               if path.endswith(("_test.cc", "_test.sh", "_test.py"))
               and not path.startswith(".ci/") and os.path.isfile(path)}
    count = 0
    for place, fault in faults(read(TABLE), sources):
        print("%s: %s" % (place, fault))
        count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
