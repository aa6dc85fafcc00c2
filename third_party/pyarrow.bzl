# SPDX-License-Identifier: Apache-2.0
"""The pyarrow wheel of the Python registry, for tests against the real Arrow library.

Fetched (55 MB) only if it is asked for, so that nothing but Debian packages is downloaded unless
somebody wants it:

    bazel test --repo_env=SPILLWAY_PYARROW=1 //golden/pyarrow:all

Without that, without pip or without the registry, status.bzl says AVAILABLE = False, and targets
that need it are skipped.
"""

_VERSION = "26.0.1"

# Debian 12's Python on x86-64.
_WHEEL = "cp311-cp311-manylinux_2_28_x86_64"
_SHA256 = "39cb0f2418282c24bea6ceda77b03e5a8f0a5766b63a8bf194d4e2a2c423548c"

def _install(ctx):
    """The Python that can import pyarrow, or None."""
    python = ctx.which("python3")
    if not python:
        return None
    ctx.file("requirements.txt", "pyarrow==%s --hash=sha256:%s\n" % (_VERSION, _SHA256))
    options = "--quiet --no-deps --only-binary=:all: --require-hashes --retries=1 --timeout=20"
    result = ctx.execute(
        [python, "-m", "pip", "install"] + options.split(" ") +
        ["--target", "site", "-r", "requirements.txt"],
        timeout = 300,
    )
    if result.return_code == 0:
        return python

    # buildifier: disable=print
    print("pyarrow %s (%s) is not there, its tests are skipped: %s" % (
        _VERSION,
        _WHEEL,
        result.stderr[-300:],
    ))
    return None

def _pyarrow_repository_impl(ctx):
    python = _install(ctx) if ctx.os.environ.get("SPILLWAY_PYARROW", "") == "1" else None
    ctx.file("BUILD.bazel", "", executable = False)
    ctx.file(
        "status.bzl",
        "AVAILABLE = %s\nPYTHON = %r\nSITE = %r\n" % (
            python != None,
            str(python),
            str(ctx.path("site")),
        ),
        executable = False,
    )

pyarrow_repository = repository_rule(
    implementation = _pyarrow_repository_impl,
    environ = ["PATH", "SPILLWAY_PYARROW"],
)
