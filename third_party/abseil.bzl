# SPDX-License-Identifier: Apache-2.0
"""Debian's Abseil under the labels of upstream's own BUILD files."""

load(":pkg_config.bzl", "pkg_config_repository")

_TARGETS = {
    "absl/algorithm:container": "absl_algorithm_container",
    "absl/base": "absl_base",
    "absl/base:core_headers": "absl_core_headers",
    "absl/base:log_severity": "absl_log_severity",
    "absl/cleanup": "absl_cleanup",
    "absl/container:btree": "absl_btree",
    "absl/container:fixed_array": "absl_fixed_array",
    "absl/container:flat_hash_map": "absl_flat_hash_map",
    "absl/container:flat_hash_set": "absl_flat_hash_set",
    "absl/container:inlined_vector": "absl_inlined_vector",
    "absl/container:node_hash_map": "absl_node_hash_map",
    "absl/debugging:failure_signal_handler": "absl_failure_signal_handler",
    "absl/debugging:symbolize": "absl_symbolize",
    "absl/flags:flag": "absl_flags",
    "absl/flags:marshalling": "absl_flags_marshalling",
    "absl/flags:parse": "absl_flags_parse",
    "absl/flags:reflection": "absl_flags_reflection",
    "absl/flags:usage": "absl_flags_usage",
    "absl/functional:any_invocable": "absl_any_invocable",
    "absl/functional:function_ref": "absl_function_ref",
    "absl/hash": "absl_hash",
    "absl/memory": "absl_memory",
    "absl/numeric:bits": "absl_bits",
    "absl/numeric:int128": "absl_int128",
    "absl/random": "absl_random_random",
    "absl/status": "absl_status",
    "absl/status:statusor": "absl_statusor",
    "absl/strings": "absl_strings",
    "absl/strings:cord": "absl_cord",
    "absl/strings:str_format": "absl_str_format",
    "absl/synchronization": "absl_synchronization",
    "absl/time": "absl_time",
    "absl/types:optional": "absl_optional",
    "absl/types:span": "absl_span",
    "absl/types:variant": "absl_variant",
}

def system_abseil(name, static = True):
    pkg_config_repository(
        name = name,
        debian_package = "libabsl-dev",
        static = static,
        targets = {label: [module] for label, module in _TARGETS.items()},
    )
