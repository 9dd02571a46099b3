"""Small projects in many build systems, built with and without SCuBA: what tools/build-matrix.py and tools/seen.py share.

Binaries: SCUBA_RELEASE (target/release). nvcc: SCUBA_NVCC, else the one of .deps.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
RELEASE = pathlib.Path(os.environ.get("SCUBA_RELEASE", CHECKOUT / "target/release")).resolve()
NVCC = pathlib.Path(os.environ.get("SCUBA_NVCC") or CHECKOUT / ".deps/cuda/nvidia/cu13/bin/nvcc").resolve()
TOOLKIT = NVCC.parent.parent
SHIM = RELEASE / "scuba-nvcc"
# Where builds find their tools.
PROGRAMS = "/usr/local/bin:/usr/bin:/bin"
BUG = "error[oob-global]"
PYPROJECT = """\
[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"
[project]
name = "app"
version = "1.0"
[tool.scikit-build]
build-dir = "%s"
"""
# What Meson and CMake take nvcc's libraries from.
MESON_ENVIRONMENT = {"CUDA_PATH": str(TOOLKIT), "LIBRARY_PATH": str(TOOLKIT / "lib")}
BAZEL_WORKSPACE = 'local_repository(name = "scuba", path = "%(scuba)s")\n'
BAZEL_ASPECT = ("--aspects=@scuba//:scuba.bzl%scuba", "--output_groups=+scuba")
# Rules that run nvcc and the host's compilers, as small as can be.
BAZEL_RULES = """\
Objects = provider(fields = ["files"])
NVCC = "%(nvcc)s"

def _library(ctx):
    own = []
    inputs = ctx.files.srcs + ctx.files.hdrs
    for source in ctx.files.srcs:
        own.append(ctx.actions.declare_file(source.basename + ".o"))
        where = ["-Iinclude", "-c", source.path, "-o", own[-1].path]
        if source.extension == "cu":
            flags = ["-O2", "-std=c++17", "-arch=sm_80"] + ctx.attr.copts
            if ctx.var["COMPILATION_MODE"] == "dbg":
                flags = flags + ["-DGUARDED"]
            ctx.actions.run(executable = NVCC, arguments = flags + where, inputs = inputs, outputs = own[-1:], mnemonic = "CudaCompile",
                            use_default_shell_env = True)
        else:
            compiler = "/usr/bin/gcc" if source.extension == "c" else "/usr/bin/g++"
            ctx.actions.run(executable = compiler, arguments = ["-O2"] + where, inputs = inputs, outputs = own[-1:], mnemonic = "CppCompile",
                            use_default_shell_env = True)
    below = [d[Objects].files for d in ctx.attr.deps]
    if ctx.attr.shared:
        library = ctx.actions.declare_file("lib" + ctx.label.name + ".so")
        parts = depset(own, transitive = below)
        ctx.actions.run(executable = NVCC, arguments = ["-arch=sm_80", "-shared", "-o", library.path] + [o.path for o in parts.to_list()],
                        inputs = parts, outputs = [library], use_default_shell_env = True)
        own = [library]
    return [Objects(files = depset(own, transitive = below)), DefaultInfo(files = depset(own))]

def _binary(ctx):
    objects = depset(transitive = [d[Objects].files for d in ctx.attr.deps])
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.run(executable = NVCC, arguments = ["-arch=sm_80", "-o", program.path] + [o.path for o in objects.to_list()], inputs = objects,
                    outputs = [program], use_default_shell_env = True)
    return [DefaultInfo(files = depset([program]))]

_FILES = attr.label_list(allow_files = True)
cuda_library = rule(implementation = _library, attrs = {"srcs": _FILES, "hdrs": _FILES, "deps": attr.label_list(), "copts": attr.string_list(),
                                                        "shared": attr.bool()})
cuda_binary = rule(implementation = _binary, attrs = {"deps": attr.label_list()})
"""


class Skip(Exception):
    """Something that this way to build needs is not here."""


def need(program: str) -> str:
    found = shutil.which(program)
    if not found:
        raise Skip(f"{program} is not installed")
    return found


def need_binaries() -> None:
    for needed in (SHIM, RELEASE / "scuba", NVCC):
        if not needed.exists():
            sys.exit(f"there is no {needed}: run make build and tools/setup.sh test")


def last(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1][:120] if lines else "nothing was said"


def complaint(said: str) -> str:
    """The line of a failed command that says most."""
    return next((line for line in said.splitlines() if "rror" in line), last(said)).strip()[:120]


def environment(home: pathlib.Path, scuba_cache: pathlib.Path, compiler_caches: pathlib.Path, port: int) -> dict[str, str]:
    """What builds are run in: nothing of ours but SCuBA in PATH, and caches of their own."""
    # No variable of sccache's says this.
    patience = home / "sccache.toml"
    if not patience.exists():
        home.mkdir(parents=True, exist_ok=True)
        patience.write_text("server_startup_timeout_ms = 120000\n")
    return {
        "HOME": str(home), "PATH": f"{RELEASE}:{PROGRAMS}", "SCUBA_CACHE": str(scuba_cache), "LC_ALL": "C.UTF-8",
        "CCACHE_DIR": str(compiler_caches / "ccache"), "SCCACHE_DIR": str(compiler_caches / "sccache"),
        "SCCACHE_SERVER_PORT": str(port), "SCCACHE_IDLE_TIMEOUT": "600", "SCCACHE_CONF": str(patience),
    }


def stop_sccache(port: int) -> None:
    """It keeps the environment that it was started in."""
    if shutil.which("sccache"):
        subprocess.run(["sccache", "--stop-server"], env={**os.environ, "SCCACHE_SERVER_PORT": str(port)}, capture_output=True)


_VENV = threading.Lock()


def pip_of(venv: pathlib.Path) -> pathlib.Path:
    """pip of a virtual environment with scikit-build-core, made where it is not there."""
    pip = venv / "bin/pip"
    with _VENV:
        if not (venv / "ready").exists():
            shutil.rmtree(venv, ignore_errors=True)
            made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True)
            words = [pip, "install", "--quiet", "--disable-pip-version-check", "scikit-build-core", "pyproject-metadata"]
            if made.returncode or subprocess.run(words, capture_output=True).returncode:
                shutil.rmtree(venv, ignore_errors=True)
                raise Skip("scikit-build-core cannot be installed")
            (venv / "ready").touch()
    return pip


def wheel_command(pip: pathlib.Path, wheels: pathlib.Path, source: pathlib.Path) -> list:
    return [pip, "wheel", "-v", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "-w", wheels, source]


def bazel_repository(folder: pathlib.Path) -> None:
    """The folder of `make dist` as Bazel takes it: templates/bazel with the binaries."""
    shutil.copytree(CHECKOUT / "templates/bazel", folder)
    (folder / "bin").mkdir()
    for program in ("scuba", "scuba-nvcc", "scuba-extract"):
        (folder / "bin" / program).symlink_to(RELEASE / program)


def outputs(build: pathlib.Path) -> dict[str, str]:
    """What a compiler and linker made, by contents, but for the process number that nvcc puts into names of its temporary files."""
    return {str(p.relative_to(build)): hashlib.sha256(contents(p)).hexdigest() for p in made(build)}


def made(build: pathlib.Path) -> list[pathlib.Path]:
    """Objects, archives, libraries and programs below a folder."""
    files = [p for p in build.rglob("*") if p.is_file() and ".scuba" not in p.parts and "CompilerId" not in str(p)]
    return [p for p in files if p.suffix in (".o", ".a", ".so") or p.name in ("app", "app.out")]


def contents(file: pathlib.Path) -> bytes:
    return re.sub(rb"tmpxft_[0-9a-f]{8}_[0-9a-f]{8}", b"tmpxft", file.read_bytes())


def version(*command: str) -> str:
    try:
        said = subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return f"{command[0]} –"
    number = re.search(r"\d+\.\d+(\.\d+)*", said)
    return f"{pathlib.Path(command[0]).name} {number.group(0) if number else '(says no version)'}"


def versions() -> str:
    programs = ("cmake", "ninja", "make", "meson", "bazel", "ccache", "sccache", str(NVCC))
    return ", ".join(version(program, "--version") for program in programs)
