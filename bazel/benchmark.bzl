# SPDX-License-Identifier: Apache-2.0
"""benchmark_smoke_test: a benchmark that runs in every `bazel test`, for as long as it must."""

def benchmark_smoke_test(name, benchmark, filter, tags = [], **kwargs):
    """Runs those cases of `benchmark` that `filter` matches once or a few times.

    Nothing is said about speed: the test fails if the binary does, if a case reports an error, or
    if no case matches.

    Args:
      name: the target's name.
      benchmark: a cc_binary with Google Benchmark.
      filter: a regular expression over the names of its cases.
      tags: tags besides "benchmark".
      **kwargs: passed on to sh_test.
    """
    native.sh_test(
        name = name,
        size = "small",
        srcs = [str(Label("//bazel:benchmark_smoke_test.sh"))],
        args = ["$(location %s)" % benchmark, "'%s'" % filter],
        data = [benchmark],
        tags = tags + ["benchmark"],
        **kwargs
    )
