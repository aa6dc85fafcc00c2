# SPDX-License-Identifier: Apache-2.0
"""A repository put together from files of ours and files of the system."""

def _compiler(ctx):
    for name in [ctx.os.environ.get("CC", ""), "gcc", "cc", "clang"]:
        path = ctx.which(name) if name else None
        if path:
            return path
    fail("no C++ compiler ($CC, gcc, cc or clang); install g++: apt-get install g++")

def _overlay_repository_impl(ctx):
    if ctx.attr.header:
        # The compiler itself searches, so any place that it knows will do.
        include = ["-x", "c++", "-fsyntax-only", "-include", ctx.attr.header, "/dev/null"]
        result = ctx.execute([_compiler(ctx)] + include)
        if result.return_code != 0:
            fail("@%s: cannot include <%s>; install %s: apt-get install %s\n%s" % (
                ctx.name,
                ctx.attr.header,
                ctx.attr.debian_package,
                ctx.attr.debian_package,
                result.stderr,
            ))
    for name, path in ctx.attr.programs.items():
        program = ctx.which(name)
        if not program:
            fail("@%s: no program %s; install %s: apt-get install %s" % (
                ctx.name,
                name,
                ctx.attr.debian_package,
                ctx.attr.debian_package,
            ))
        ctx.symlink(program, path)
    for label, path in ctx.attr.files.items():
        ctx.symlink(label, path)
    for system_path, path in ctx.attr.system_paths.items():
        ctx.symlink(system_path, path)
    for package in ctx.attr.empty_packages:
        ctx.file(package + "/BUILD.bazel", "", executable = False)

overlay_repository = repository_rule(
    implementation = _overlay_repository_impl,
    doc = "Links `files`, `system_paths` and `programs` into place after a check of `header`.",
    attrs = {
        "debian_package": attr.string(doc = "What to install if something is missing."),
        "empty_packages": attr.string_list(doc = "Folders that need a BUILD file of no content."),
        "files": attr.label_keyed_string_dict(doc = "File of a workspace to path in here."),
        "header": attr.string(doc = "Must be includable in C++, or the repository fails."),
        "programs": attr.string_dict(doc = "Program on PATH to path in here."),
        "system_paths": attr.string_dict(doc = "Absolute path to path in here."),
    },
    environ = ["CC", "PATH"],
    configure = True,
    local = True,
)
