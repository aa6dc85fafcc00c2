# SPDX-License-Identifier: Apache-2.0
"""Everything that Spillway's targets need, for our WORKSPACE and for that of a consumer.

    load("@spillway//third_party:repositories.bzl", "spillway_repositories")
    spillway_repositories()

A repository that the caller has defined before is left alone. Names are the canonical ones of each
project; what stands behind them is the system's installed library (third_party/*.BUILD), so
nothing is downloaded.
"""

load(":abseil.bzl", "system_abseil")
load(":overlay.bzl", "overlay_repository")
load(":pyarrow.bzl", "pyarrow_repository")

# name = (header to look for, Debian package); third_party/<last part of the name>.BUILD.
_LIBRARIES = {
    "cli11": ("CLI/CLI.hpp", "libcli11-dev"),
    "com_github_google_benchmark": ("benchmark/benchmark.h", "libbenchmark-dev"),
    "com_google_googletest": ("gmock/gmock.h", "libgmock-dev"),
    "com_google_snappy": ("snappy.h", "libsnappy-dev"),
    "libdeflate": ("libdeflate.h", "libdeflate-dev"),
    "lz4": ("lz4frame.h", "liblz4-dev"),
    "nlohmann_json": ("nlohmann/json.hpp", "nlohmann-json3-dev"),
    "rapidcheck": ("rapidcheck.h", "librapidcheck-dev"),
    "tbb": ("tbb/parallel_for.h", "libtbb-dev"),
    "zlib": ("zlib.h", "zlib1g-dev"),
    "zstd": ("zstd.h", "libzstd-dev"),
}

def _missing(name):
    return native.existing_rule(name) == None

def _bazel_rules(name, package):
    if _missing(name):
        overlay_repository(
            name = name,
            files = {Label("//third_party/bazel:%s.bzl" % name): package + "/defs.bzl"},
            empty_packages = [package],
        )

def spillway_repositories():
    """Defines the repositories that are not defined yet."""

    # Bazel 4 fetches these four from the network unless the workspace defines them first.
    _bazel_rules("rules_cc", "cc")
    _bazel_rules("rules_java", "java")
    _bazel_rules("rules_proto", "proto")
    if _missing("remote_coverage_tools"):
        overlay_repository(
            name = "remote_coverage_tools",
            files = {
                Label("//third_party/bazel:coverage_tools.BUILD"): "BUILD.bazel",
                Label("//third_party/bazel:lcov_merge.py"): "lcov_merge.py",
            },
        )

    if _missing("pyarrow"):
        pyarrow_repository(name = "pyarrow")
    if _missing("com_google_absl"):
        system_abseil(name = "com_google_absl")
    if _missing("com_google_protobuf"):
        overlay_repository(
            name = "com_google_protobuf",
            debian_package = "protobuf-compiler libprotobuf-dev",
            files = {Label("//third_party:protobuf.BUILD"): "BUILD.bazel"},
            header = "google/protobuf/message.h",
            programs = {"protoc": "bin/protoc"},
            system_paths = {"/usr/include/google/protobuf": "include/google/protobuf"},
        )
    if _missing("com_github_google_flatbuffers"):
        overlay_repository(
            name = "com_github_google_flatbuffers",
            debian_package = "libflatbuffers-dev flatbuffers-compiler",
            files = {Label("//third_party:flatbuffers.BUILD"): "BUILD.bazel"},
            header = "flatbuffers/flatbuffers.h",
            programs = {"flatc": "bin/flatc"},
        )
    for name, (header, debian_package) in _LIBRARIES.items():
        if _missing(name):
            overlay_repository(
                name = name,
                debian_package = debian_package,
                files = {
                    Label("//third_party:%s.BUILD" % name.rpartition("_")[2]): "BUILD.bazel",
                },
                header = header,
            )
