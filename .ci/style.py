#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The part of the style that a machine can see, over the files that Git knows (without Git: all).

Not seen: names, comments that say what the code says, and everything else that matters.
"""

import os
import re
import subprocess
import sys

COLUMNS = 100
SPDX = "SPDX-License-Identifier: Apache-2.0"
SOURCE = (".bazel", ".bzl", ".cc", ".h", ".proto", ".py", ".sh")
SOURCE_NAMES = ("BUILD", "WORKSPACE", "run", "spillway")
TEXT = SOURCE + (".BUILD", ".bazelrc", ".md", ".textproto")
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")  # Markdown's, to files
# Text that is not ours to wrap.
FIXTURES = "golden/"
NAMESPACE = re.compile(r"^namespace (spillway[\w:]*) \{", re.M)
CLASS = re.compile(r"^(?:class|struct|enum class) (\w+)[^;{(]*\{", re.M)


def faults(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    name = os.path.basename(path)
    if path.endswith(SOURCE + (".BUILD",)) or name in SOURCE_NAMES:
        if not any(SPDX in line for line in lines[:2]):
            yield 1, "no `%s` in the first two lines" % SPDX
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS and "http" not in line:
                yield number, "%d columns, at most %d" % (len(line), COLUMNS)
    if path.endswith(".md"):
        for number, line in enumerate(lines, 1):
            for target in LINK.findall(line):
                if not os.path.exists(os.path.join(os.path.dirname(path), target)):
                    yield number, "a link to %s, which is not there" % target
    if path.endswith(".h") and "#pragma once" not in lines[:3]:
        yield 1, "no `#pragma once` under the licence"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and not path.endswith(".md"):
            yield number, "blanks at the end of the line"
        if "\t" in line and path.endswith(SOURCE):
            yield number, "a tab"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"


def classes(path):
    """(line, full name) of each class that a header defines at the level of its namespace."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    namespace = NAMESPACE.search(text)
    for match in CLASS.finditer(text):
        name = match.group(1)
        yield (text.count("\n", 0, match.start()) + 1,
               "%s::%s" % (namespace.group(1), name) if namespace else name)


def tree():
    try:
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"], check=True, stdout=subprocess.PIPE)
        return listed.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        return [
            os.path.relpath(os.path.join(folder, name), ".")
            for folder, _, names in os.walk(".") for name in names
            if not folder.startswith(("./.git", "./bazel-", "./external"))
        ]


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    count = 0
    defined = {}
    for path in tree():
        ours = path.endswith(TEXT) or os.path.basename(path) in SOURCE_NAMES
        if not ours or not os.path.isfile(path):
            continue
        if path.startswith(FIXTURES) and not path.endswith(SOURCE):
            continue
        for line, fault in faults(path):
            print("%s:%d: %s" % (path, line, fault))
            count += 1
        if not path.endswith(".h"):
            continue
        # Two of one name do not disturb the compiler, but programs that link both crash.
        for line, name in classes(path):
            if name in defined:
                print("%s:%d: %s is defined in %s, too" % (path, line, name, defined[name]))
                count += 1
            defined[name] = path
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
