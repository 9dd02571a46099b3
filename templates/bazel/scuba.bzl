"""Checks CUDA targets beside their build, whatever rules compile them:

    bazel build --aspects=@scuba//:scuba.bzl%scuba --output_groups=+scuba //...

Every action of a target, and of what it depends on, that runs nvcc (or that is called CudaCompile) is a unit. A target's units are checked as one
program in one action of its own, whose inputs are theirs, SCuBA and scuba.toml (--@scuba//:config=//:scuba.toml): it runs where Bazel runs actions,
and again only where an input changed. C++ units of rules that show their commands are read as well. The rules of Bazel itself (cc_library) show none:
these units are named in a line, what they call is taken to be called with any arguments, and with SCUBA_STRICT=1 the build fails.

Reports lie beside the target's outputs (NAME.scuba.json, NAME.scuba.txt). A *denied* finding fails the build, unless --output_groups=+scuba_report asks
for the reports alone. In the environment of actions (--action_env): SCUBA_STRICT=1, as in any build; SCUBA_CACHE, a folder that actions may write.

Where findings should fail a test and not the build, in a BUILD file:

    load("@scuba//:scuba.bzl", "scuba_test")
    scuba_test(name = "bounds", targets = ["//app", "//tools:bench"], shard_count = 2)

The checks are actions of the build there, too; each shard of the test reports its share of the targets.
"""

_Units = provider(
    doc = "What compiles a target and what it depends on.",
    fields = {
        "units": "depset of structures: source, arguments, inputs",
        "unread": "depset of the paths of objects whose commands are not shown",
    },
)

_Checked = provider(doc = "The reports of a target.", fields = {"status": "file", "text": "file", "unread": "what was not read, in a line"})

# Attributes that lead to what is linked with a target.
_ALONG = ["deps", "implementation_deps", "srcs", "actual"]

# Sources by their ends. A command names its own behind its flags, and what ends so behind one of these is no source.
_SOURCES = (".cu", ".c", ".cc", ".cpp", ".cxx", ".c++", ".C")
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-include", "-ccbin")
_COMPILES = ("-c", "-dc", "-dw", "--compile", "--device-c", "--device-w")

def _runs_nvcc(argv):
    for word in argv:
        if word.startswith("-"):
            return False
        if word.split("/")[-1] == "nvcc":
            return True
    return False

# Compilers of host code, by the ends of their names (x86_64-linux-gnu-g++, clang++-22).
_HOST_COMPILERS = ("gcc", "g++", "cc", "c++", "clang", "clang++")

def _compiles_for_host(argv):
    name = argv[0].split("/")[-1] if argv else ""
    return name.split("-")[-1] in _HOST_COMPILERS or name.startswith("clang")

def _source(argv):
    before = None
    for word in argv:
        if not word.startswith("-") and word.endswith(_SOURCES) and before not in _WITH_VALUE:
            return word
        before = word
    return None

def _own_units(target):
    """A source that is compiled twice (with and without -fPIC, say) counts once."""
    units = {}
    for action in target.actions:
        argv = action.argv or []
        known = action.mnemonic == "CudaCompile" or _runs_nvcc(argv) or _compiles_for_host(argv)
        if not known or not [w for w in argv if w in _COMPILES]:
            continue
        source = _source(argv)
        if source and source not in units:
            units[source] = struct(source = source, arguments = tuple(argv), inputs = action.inputs)
    return units.values()

def _unread(target):
    """The objects of C++ units whose commands are not shown."""
    objects = []
    for action in target.actions:
        if action.mnemonic == "CppCompile" and not action.argv:
            objects += [o.path for o in action.outputs.to_list() if o.path.endswith(".o")]
    return objects

def _database(report, units):
    """As compile_commands.json has it. Folders are relative to the file's, commands to the root of the execution."""
    up = "/".join([".."] * report.dirname.count("/") + [".."])
    entries = [json.encode({"directory": up, "file": u.source, "arguments": u.arguments}) for u in units]
    return "[\n" + ",\n".join(entries) + "\n]\n"

# Arguments: scuba, the database, scuba.toml or nothing, then where the document, the text and the status go. What was read and decided for the text is kept
# for the document. The time that a check took is left out, so that outputs are the same on every machine.
_CHECK = """\
own=$(mktemp -d) && trap 'rm -rf "$own"' EXIT
export SCUBA_CACHE="${SCUBA_CACHE:-$own}" HOME="${HOME:-$own}"
"$1" check -p "$2" ${3:+--config "$3"} --color never 2>"$5"
echo $? >"$6"
"$1" check -p "$2" ${3:+--config "$3"} --message-format json >"$4" 2>"$own/said" || [ -s "$4" ] || { cat "$own/said" >&2; exit 2; }
sed -i -E '/^scuba: /s/ \\([0-9.]+ s\\)$//' "$5"
sed -i -E 's/^( *"seconds": )[0-9.e-]+/\\10/' "$4"
"""

# Arguments: the status, the text, a file that says that nothing was denied, and what was not read, if anything.
_SAY = """\
status=$(cat "$1")
cat "$2" >&2
if [ -n "$4" ]; then
  echo "scuba: note: $4" >&2
  [ "$status" != 0 ] || [ -z "${SCUBA_STRICT:-}" ] || exit 2
fi
case $status in
  0) ;;
  1) exit 1 ;;
  *) [ -z "${SCUBA_STRICT:-}" ] || exit 2 ;;
esac
: >"$3"
"""

# For each target of a test a call of `report`, with its name, its status, its text and what was not read, if anything. A denied finding counts before what
# could not be checked.
_TEST = """\
#!/bin/bash
share=${TEST_TOTAL_SHARDS:-1} number=0 result=0
[ -z "${TEST_SHARD_STATUS_FILE:-}" ] || : >"$TEST_SHARD_STATUS_FILE"
report() {
  number=$((number + 1))
  [ $(((number - 1) %% share)) = "${TEST_SHARD_INDEX:-0}" ] || return 0
  echo "== $1"
  cat "$3"
  if [ -n "$4" ]; then echo "scuba: note: $4"; fi
  case $(cat "$2") in
    0) if [ -n "$4" ] && [ -n "${SCUBA_STRICT:-}" ] && [ "$result" = 0 ]; then result=2; fi ;;
    1) result=1 ;;
    *) if [ -n "${SCUBA_STRICT:-}" ] && [ "$result" = 0 ]; then result=2; fi ;;
  esac
}
%s
exit "$result"
"""

def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _naming(target, unread):
    """One line on objects that were not read; nothing where there are none."""
    if not unread:
        return ""
    names = ", ".join([path.split("/")[-1] for path in unread[:3]])
    more = " and %d more" % (len(unread) - 3) if len(unread) > 3 else ""
    return "%s: %s%s linked without being read: Bazel does not show their commands to aspects" % (target.label.name, names, more)

def _check(target, ctx, units, unread):
    """The reports of a target, among them a file that is there unless something was denied."""
    name = target.label.name + ".scuba"
    database, document, text, status, passed = [
        ctx.actions.declare_file(name + end)
        for end in ("/compile_commands.json", ".json", ".txt", ".status", ".passed")
    ]
    ctx.actions.write(database, _database(database, units))
    config = ctx.files._config
    ctx.actions.run_shell(
        command = _CHECK,
        arguments = [ctx.file._program.path, database.path, config[0].path if config else ""] + [f.path for f in (document, text, status)],
        inputs = depset([database] + config, transitive = [u.inputs for u in units]),
        tools = [ctx.file._program] + ctx.files._brought_along,
        outputs = [document, text, status],
        mnemonic = "ScubaCheck",
        progress_message = "Checking the memory accesses of %s" % target.label,
        use_default_shell_env = True,
    )
    ctx.actions.run_shell(
        command = _SAY,
        arguments = [f.path for f in (status, text, passed)] + [_naming(target, unread)],
        inputs = [status, text],
        outputs = [passed],
        mnemonic = "ScubaVerdict",
        progress_message = "Findings of %s" % target.label,
        use_default_shell_env = True,
    )
    return struct(document = document, text = text, status = status, passed = passed, unread = _naming(target, unread))

def _scuba_impl(target, ctx):
    below, unread_below = [], []
    for attribute in _ALONG:
        found = getattr(ctx.rule.attr, attribute, None)
        for dependency in found if type(found) == type([]) else [found]:
            if type(dependency) == "Target" and _Units in dependency:
                below.append(dependency[_Units].units)
                unread_below.append(dependency[_Units].unread)
    units = depset(_own_units(target), transitive = below)
    unread = depset(_unread(target), transitive = unread_below)
    known = units.to_list()
    own = _Units(units = units, unread = unread)

    # Of host code alone there is nothing to check.
    if not [u for u in known if _runs_nvcc(u.arguments) or u.source.endswith(".cu")]:
        return [own]
    checked = _check(target, ctx, known, unread.to_list())
    reports = [checked.document, checked.text]
    return [
        own,
        _Checked(status = checked.status, text = checked.text, unread = checked.unread),
        OutputGroupInfo(scuba = depset(reports + [checked.passed]), scuba_report = depset(reports)),
    ]

scuba = aspect(
    implementation = _scuba_impl,
    attr_aspects = _ALONG,
    attrs = {
        "_program": attr.label(default = Label("//:bin/scuba"), allow_single_file = True, cfg = "exec"),
        "_brought_along": attr.label(default = Label("//:brought_along"), cfg = "exec"),
        "_config": attr.label(default = Label("//:config"), allow_files = True),
    },
    doc = "The CUDA units of a target, checked as one program.",
)

def _scuba_test_impl(ctx):
    checked = [(t.label, t[_Checked]) for t in ctx.attr.targets if _Checked in t]
    if not checked:
        fail("%s: none of its targets has CUDA code" % ctx.label)
    lines = ["report " + " ".join([_quoted(w) for w in (str(l), c.status.short_path, c.text.short_path, c.unread)]) for l, c in checked]
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(script, _TEST % "\n".join(lines), is_executable = True)
    files = [f for _, c in checked for f in (c.status, c.text)]
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(files = files))]

scuba_test = rule(
    implementation = _scuba_test_impl,
    test = True,
    attrs = {"targets": attr.label_list(aspects = [scuba], mandatory = True)},
    doc = "A test that fails where a denied finding is in one of its targets.",
)
