# SPDX-License-Identifier: Apache-2.0
"""For MODULE.bazel; Bazel 4 has no module extensions, so it must not load this."""

load(":abseil.bzl", "system_abseil")

def _system_abseil_impl(_ctx):
    system_abseil(name = "com_google_absl")

system_abseil_extension = module_extension(implementation = _system_abseil_impl)
