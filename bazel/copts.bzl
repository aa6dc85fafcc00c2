# SPDX-License-Identifier: Apache-2.0
"""Compiler flags of single targets."""

# For loops that are to be vectorized: gcc 12 does that at -O3 only. Other builds stay as they are,
# so that sanitizers and debuggers see the code that was written.
KERNEL_COPTS = select({
    "//bazel:optimized": ["-O3"],
    "//conditions:default": [],
})

# What .bazelrc compiles *_test.cc with, whatever the build: a precompiled header must agree.
TEST_COPTS = [
    "-O0",
    "-U_FORTIFY_SOURCE",
]
