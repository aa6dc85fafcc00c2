# SPDX-License-Identifier: Apache-2.0
"""precompiled_header: what many sources include, parsed once."""

def _precompiled_header_impl(ctx):
    # A copy in the output tree: gcc takes X.gch only where it found X.
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.expand_template(template = ctx.file.src, output = header, substitutions = {})
    headers = [header]
    toolchain = ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]
    if toolchain.compiler == "gcc" or toolchain.compiler == "compiler":
        compiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
        features = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = toolchain,
            requested_features = ctx.features,
            unsupported_features = ctx.disabled_features,
        )
        cpp = ctx.fragments.cpp
        variables = cc_common.create_compile_variables(
            feature_configuration = features,
            cc_toolchain = toolchain,
            source_file = header.path,
            output_file = compiled.path,
            user_compile_flags = cpp.copts + cpp.cxxopts + ctx.attr.copts + ["-w", "-xc++-header"],
            # As Bazel decides for what programs are linked from.
            use_pic = ctx.var["COMPILATION_MODE"] != "opt" and
                      toolchain.needs_pic_for_dynamic_libraries(feature_configuration = features),
        )
        ctx.actions.run(
            executable = cc_common.get_tool_for_action(
                feature_configuration = features,
                action_name = "c++-compile",
            ),
            arguments = cc_common.get_memory_inefficient_command_line(
                feature_configuration = features,
                action_name = "c++-compile",
                variables = variables,
            ),
            env = cc_common.get_environment_variables(
                feature_configuration = features,
                action_name = "c++-compile",
                variables = variables,
            ),
            inputs = depset([header], transitive = [toolchain.all_files]),
            outputs = [compiled],
            mnemonic = "CppPrecompile",
            progress_message = "Precompiling %s" % ctx.file.src.short_path,
        )
        headers.append(compiled)
    return [
        DefaultInfo(files = depset(headers)),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset(headers),
        )),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = """NAME.h, and NAME.h.gch for a source compiled with `-include PACKAGE/NAME.h`.

The source must depend on this target. gcc reads the precompiled form if it was made with the same
flags, and else the header itself, as clang always does; either way the source sees the same.""",
    attrs = {
        "copts": attr.string_list(doc = "What those sources are compiled with beside --copt."),
        "src": attr.label(
            doc = "The header; includes nothing but headers of the system.",
            allow_single_file = [".h"],
            mandatory = True,
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
