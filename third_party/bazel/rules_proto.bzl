# SPDX-License-Identifier: Apache-2.0
"""Offline stand-in for @rules_proto: re-exports Bazel 4's native proto rules."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
