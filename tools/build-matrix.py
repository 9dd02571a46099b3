#!/usr/bin/env python3
"""tools/build-matrix.py [--work FOLDER] [--only PART] [--again] [--path FOLDER] [--out FILE]: one small project in every build system here.

For each way to build it: whether the build leaves the same files as without SCuBA (the program corrected), how many of its CUDA units were
read, and whether its bug is found, by the build or by `scuba check` behind it. Writes docs/evaluation/build-systems.md, or FILE. With --work,
what was tried there before stands and the rest is tried (all of it: --again). What is not installed is left out, and said so.
Binaries: SCUBA_RELEASE (target/release). nvcc: SCUBA_NVCC, else the one of .deps.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing

import buildlab
from buildlab import BUG, CHECKOUT, NVCC, RELEASE, SHIM, TOOLKIT, Skip, last, need, outputs

SCCACHE_PORT = 4299
UNITS = 2  # CUDA units of the project
MAIN = """\
#include "scale.h"
#include <cstdlib>

__global__ void fill(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    %sx[i] = i;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    if (n < 1) return 1;
    float *x;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
    fill<<<(n + 255) / 256, 256>>>(x, n);
    scale(x, 2.0f, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
PROJECT = {
    "app/main.cu": MAIN,
    "include/scale.h": "void scale(float *x, float factor, int n);\n",
    "kernels/scale.cu": """\
#include "scale.h"

__global__ void scaled(float *x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

void scale(float *x, float factor, int n) { scaled<<<(n + 255) / 256, 256>>>(x, factor, n); }
""",
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
add_library(scale STATIC kernels/scale.cu)
target_include_directories(scale PUBLIC include)
add_executable(app app/main.cu)
target_link_libraries(app PRIVATE scale)
""",
    "meson.build": """\
project('app', 'cuda', default_options: ['buildtype=release'])
executable('app', 'app/main.cu', 'kernels/scale.cu', include_directories: 'include', cuda_args: ['-arch=sm_80'],
  link_args: ['-arch=sm_80'])
""",
    "pyproject.toml": buildlab.PYPROJECT,
}
BAZEL = {
    "WORKSPACE": buildlab.BAZEL_WORKSPACE,
    "BUILD": """\
load("//:cuda.bzl", "cuda_binary", "cuda_library")
cuda_library(name = "scale", srcs = ["kernels/scale.cu"], hdrs = ["include/scale.h"])
cuda_library(name = "main", srcs = ["app/main.cu"], hdrs = ["include/scale.h"], deps = [":scale"])
cuda_binary(name = "app", deps = [":main"])
""",
    "cuda.bzl": buildlab.BAZEL_RULES,
}
MAKEFILE = """\
NVCC ?= nvcc
NVCCFLAGS ?= -O2 -std=c++17 -arch=sm_80 -Iinclude
LINKFLAGS ?= -arch=sm_80
{fragment}
app: app/main.cu.o kernels/scale.cu.o
\t$(NVCC) -o app.out $^ $(LINKFLAGS)
%.cu.o: %.cu
\t$(NVCC) $(NVCCFLAGS) -c -o $@ $<
"""


@dataclasses.dataclass
class Place:
    """One row's folders: sources in `src`, the build in `b`, at the same paths with and without SCuBA."""

    root: pathlib.Path
    environment: dict[str, str]

    @property
    def src(self) -> pathlib.Path:
        return self.root / "src"

    @property
    def build(self) -> pathlib.Path:
        return self.root / "b"

    def run(self, *command, **more: str) -> tuple[int, str]:
        environment = {**self.environment, **{k: str(v) for k, v in more.items()}}
        done = subprocess.run([str(c) for c in command], cwd=self.src, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=900)
        with (self.root / "log").open("a") as log:
            log.write(f"$ {' '.join(map(str, command))}  {more}\n{done.stdout}\n[{done.returncode}]\n")
        return done.returncode, done.stdout

    def must(self, *command, **more: str) -> None:
        status, said = self.run(*command, **more)
        if status != 0:
            raise RuntimeError(f"{pathlib.Path(command[0]).name}: {buildlab.complaint(said)}")


# A way to build: (place, with SCuBA?, more of the environment) → exit status and what was said.
Build = typing.Callable[..., tuple[int, str]]


@dataclasses.dataclass
class Row:
    name: str
    how: str
    build: Build
    # For a second folder whose objects all come from a cache.
    warm: bool = False
    # The document that the build itself leaves, below its folder; else `scuba check` writes one.
    document: str = ""


# ---- ways to build ----------------------------------------------------------------------------------------------------


def cmake(generator: str = "Ninja", shimmed: tuple[str, ...] = (f"-DCMAKE_CUDA_COMPILER_LAUNCHER={SHIM}",),
          plain: tuple[str, ...] = (), compiler: str | None = str(NVCC), config: str = "", before=None) -> Build:
    def build(place: Place, scuba: bool, **more: str) -> tuple[int, str]:
        need("cmake")
        need("ninja" if "Ninja" in generator else "make")
        if before:
            before(place, scuba)
        named = [f"-DCMAKE_CUDA_COMPILER={compiler}"] if compiler else []
        if not place.build.exists():
            place.must("cmake", "-S", place.src, "-B", place.build, "-G", generator, "-DCMAKE_CUDA_ARCHITECTURES=80", *named,
                       *(shimmed if scuba else plain))
        return place.run("cmake", "--build", place.build, *(["--config", config] if config else []), **more)
    return build


def with_package(place: Place, scuba: bool) -> None:
    lists = place.src / "CMakeLists.txt"
    text = lists.read_text().replace("\nfind_package(scuba REQUIRED)", "")
    if scuba:
        text = re.sub(r"(?m)^project\(.*", lambda m: m.group(0) + "\nfind_package(scuba REQUIRED)", text)
    if text != lists.read_text():
        lists.write_text(text)


def presets(place: Place, scuba: bool) -> tuple[int, str]:
    need("cmake")
    variables = {"CMAKE_CUDA_COMPILER": str(NVCC), "CMAKE_CUDA_ARCHITECTURES": "80"}
    if scuba:
        variables["CMAKE_CUDA_COMPILER_LAUNCHER"] = str(SHIM)
    preset = {"name": "it", "generator": "Ninja", "binaryDir": str(place.build), "cacheVariables": variables}
    document = {"version": 3, "configurePresets": [preset], "buildPresets": [{"name": "it", "configurePreset": "it"}]}
    (place.src / "CMakePresets.json").write_text(json.dumps(document))
    if not place.build.exists():
        place.must("cmake", "--preset", "it")
    return place.run("cmake", "--build", "--preset", "it")


def behind_scuba_build(plain: Build) -> Build:
    """`scuba build -- COMMAND` of a build that is configured without SCuBA."""

    def build(place: Place, scuba: bool) -> tuple[int, str]:
        if not scuba:
            return plain(place, False)
        if not place.build.exists():
            place.must("cmake", "-S", place.src, "-B", place.build, "-G", "Ninja", f"-DCMAKE_CUDA_COMPILER={NVCC}",
                       "-DCMAKE_CUDA_ARCHITECTURES=80")
        return place.run(RELEASE / "scuba", "build", "--", "cmake", "--build", place.build)
    return build


def make(shimmed: typing.Callable[[Place], tuple[list[str], dict[str, str]]], fragment: bool = False, more_words: tuple[str, ...] = (), plain: str = str(NVCC)) -> Build:
    def build(place: Place, scuba: bool) -> tuple[int, str]:
        need("make")
        if not place.build.exists():
            shutil.copytree(place.src, place.build)
        shutil.copytree(place.src, place.build, dirs_exist_ok=True)
        place.build.joinpath("scuba.mk").write_text((CHECKOUT / "templates/make/scuba.mk").read_text())
        place.build.joinpath("Makefile").write_text(MAKEFILE.format(fragment="include scuba.mk" if fragment and scuba else ""))
        command, more = shimmed(place) if scuba else (["make", f"NVCC={plain}"], {})
        return place.run(*command, *more_words, "-C", place.build, **more)
    return build


def meson(place: Place, scuba: bool) -> tuple[int, str]:
    need("meson")
    words = ", ".join(repr(str(w)) for w in ([SHIM, NVCC] if scuba else [NVCC]))
    native = place.root / "native.ini"
    native.write_text(f"[binaries]\ncuda = [{words}]\n")
    more = buildlab.MESON_ENVIRONMENT
    if not place.build.exists():
        place.must("meson", "setup", "--native-file", native, place.build, place.src, **more)
    return place.run("ninja", "-C", place.build, **more)


def scikit_build(place: Place, scuba: bool) -> tuple[int, str]:
    pip = buildlab.pip_of(place.root.parent / "venv")
    more = {"CUDACXX": NVCC, "CMAKE_GENERATOR": "Ninja"}
    if scuba:
        more["CMAKE_CUDA_COMPILER_LAUNCHER"] = SHIM
    return place.run(*buildlab.wheel_command(pip, place.root / "wheels", place.src), **more)


def cached(launchers: tuple[str, ...]) -> Build:
    cache = next(name for name in launchers if name != "scuba-nvcc")
    names = ";".join(str(SHIM) if name == "scuba-nvcc" else name for name in launchers)
    inner = cmake(shimmed=(f"-DCMAKE_CUDA_COMPILER_LAUNCHER={names}",))

    def build(place: Place, scuba: bool, **more: str) -> tuple[int, str]:
        need(cache)
        return inner(place, scuba, **more)
    return build


def behind_cache(cache: str) -> Build:
    """A compiler cache that takes the shim for its compiler: on a hit the shim does not run."""
    inner = cmake(compiler=None, shimmed=(f"-DCMAKE_CUDA_COMPILER={SHIM}", f"-DCMAKE_CUDA_COMPILER_LAUNCHER={cache}"),
                  plain=(f"-DCMAKE_CUDA_COMPILER={NVCC}",))

    def build(place: Place, scuba: bool, **more: str) -> tuple[int, str]:
        need(cache)
        place.environment.update(SCUBA_NVCC=str(NVCC), CCACHE_COMPILERTYPE="nvcc")
        return inner(place, scuba, **more)
    return build


def bazel(place: Place, scuba: bool) -> tuple[int, str]:
    need("bazel")
    repository = place.root / "scuba"
    if not repository.exists():
        buildlab.bazel_repository(repository)
        for name, text in BAZEL.items():
            (place.src / name).write_text(text % {"scuba": repository, "nvcc": NVCC})
    more = buildlab.BAZEL_ASPECT if scuba else ()
    status, said = place.run("bazel", "--batch", f"--output_user_root={place.root}/bazel", "build", *more, "//:app")
    # What Bazel leaves cannot be written.
    shutil.rmtree(place.build, ignore_errors=True)
    shutil.copytree(place.src / "bazel-bin", place.build, copy_function=lambda a, b: shutil.copyfile(a, b))
    return status, said


def wrapped(place: Place, scuba: bool) -> tuple[int, str]:
    """Kokkos' nvcc_wrapper as the C++ compiler of sources that are CUDA."""
    wrapper = os.environ.get("SCUBA_NVCC_WRAPPER") or need("nvcc_wrapper")
    if place.build.exists():
        shutil.copytree(place.src, place.build, dirs_exist_ok=True)
    else:
        shutil.copytree(place.src, place.build)
    place.build.joinpath("Makefile").write_text(MAKEFILE.format(fragment=""))
    more = {"CUDA_ROOT": str(TOOLKIT)}
    words = [f"NVCC={wrapper}", "NVCCFLAGS=-O2 -std=c++17 -arch=sm_80 -Iinclude", "LINKFLAGS=-arch=sm_80"]
    command = [RELEASE / "scuba", "build", "--"] if scuba else []
    return place.run(*command, "make", *words, "-C", place.build, **more)


def conda(place: Place) -> tuple[list[str], dict[str, str]]:
    """What activating conda's cuda-nvcc and compilers sets: the host's compiler by its own name, for nvcc by NVCC_PREPEND_FLAGS."""
    compiler = place.root / "conda/x86_64-conda-linux-gnu-c++"
    if not compiler.exists():
        compiler.parent.mkdir()
        compiler.symlink_to(need("g++"))
    return ["make", f"NVCC={SHIM}"], {"CUDA_HOME": str(TOOLKIT), "NVCC_PREPEND_FLAGS": f"-ccbin={compiler}", "CXX": str(compiler)}


def named_by(**environment) -> Build:
    """make NVCC=scuba-nvcc, with nvcc known by the environment alone."""
    return make(lambda place: (["make", f"NVCC={SHIM}"], {k: v(place) if callable(v) else v for k, v in environment.items()}))


# CMake's first tries are with an architecture that CUDA 13 dropped, and with a linker that Debian has in a package of its own.
WITH_CLANG = f"-DCMAKE_CUDA_FLAGS=--cuda-path={TOOLKIT} --cuda-gpu-arch=sm_80 --no-offload-new-driver"
ROWS = [
    Row("CMake, Ninja", "`CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc`", cmake()),
    Row("CMake, Makefiles", "`CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc`", cmake("Unix Makefiles")),
    Row("CMake, Ninja Multi-Config", "`CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc`", cmake("Ninja Multi-Config", config="Release")),
    Row("CMake, presets", "`CMAKE_CUDA_COMPILER_LAUNCHER` in cacheVariables", presets),
    Row("CMake, package", "`find_package(scuba)`",
        cmake(shimmed=(f"-Dscuba_DIR={CHECKOUT}/templates/cmake",), before=with_package)),
    Row("CMake, as the compiler", "`CMAKE_CUDA_COMPILER=scuba-nvcc`, nvcc by `SCUBA_NVCC`",
        cmake(compiler=None, shimmed=(f"-DCMAKE_CUDA_COMPILER={SHIM}",), plain=(f"-DCMAKE_CUDA_COMPILER={NVCC}",),
              before=lambda place, scuba: place.environment.update(SCUBA_NVCC=str(NVCC)))),
    Row("CMake, clang compiles CUDA", "`CMAKE_CUDA_COMPILER=clang++-22`, launcher `scuba-nvcc`",
        cmake(compiler="clang++-22", plain=(WITH_CLANG, f"-DCUDAToolkit_ROOT={TOOLKIT}"),
              shimmed=(f"-DCMAKE_CUDA_COMPILER_LAUNCHER={SHIM}", WITH_CLANG, f"-DCUDAToolkit_ROOT={TOOLKIT}"))),
    Row("CMake, configured before", "`scuba build -- cmake --build b`", behind_scuba_build(cmake())),
    Row("Make", "`make NVCC=\"scuba-nvcc nvcc\"`", make(lambda place: (["make", f"NVCC={SHIM} {NVCC}"], {}))),
    Row("Make, fragment", "`include scuba.mk`",
        make(lambda place: (["make", f"NVCC={NVCC}", f"SCUBA_NVCC_PROGRAM={SHIM}"], {}), fragment=True)),
    Row("Make, unchanged", "`scuba build -- make`",
        make(lambda place: ([str(RELEASE / "scuba"), "build", "--", "make", f"NVCC={NVCC}"], {}))),
    Row("Make, clang compiles CUDA", "`make NVCC=\"scuba-nvcc clang++-22\"`",
        make(lambda place: (["make", f"NVCC={SHIM} clang++-22"], {}), plain="clang++-22", more_words=(
            f"NVCCFLAGS=-x cuda --cuda-path={TOOLKIT} --cuda-gpu-arch=sm_80 -O2 -std=c++17 -Iinclude",
            f"LINKFLAGS=-L{TOOLKIT}/lib -lcudart_static -ldl -lrt -lpthread"))),
    Row("Meson", "native file: `cuda = ['scuba-nvcc', 'nvcc']`", meson),
    Row("Bazel", "`--aspects=@scuba//:scuba.bzl%scuba --output_groups=+scuba`", bazel, document="app.scuba.json"),
    Row("Kokkos' nvcc_wrapper", "`scuba build -- make NVCC=nvcc_wrapper`", wrapped),
    Row("conda's activation", "`make NVCC=scuba-nvcc`, with its variables", make(conda)),
    Row("scikit-build-core", "`CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc pip wheel .`", scikit_build),
    Row("ccache behind us", "launcher `scuba-nvcc;ccache`", cached(("scuba-nvcc", "ccache"))),
    Row("ccache behind us, all hits", "the same in a new folder", cached(("scuba-nvcc", "ccache")), warm=True),
    Row("ccache before us", "launcher `ccache;scuba-nvcc`: ccache does not cache it", cached(("ccache", "scuba-nvcc"))),
    Row("ccache, we as the compiler", "`CMAKE_CUDA_COMPILER=scuba-nvcc`, launcher `ccache`, `CCACHE_COMPILERTYPE=nvcc`", behind_cache("ccache")),
    Row("ccache, we as the compiler, all hits", "the same in a new folder", behind_cache("ccache"), warm=True),
    Row("sccache behind us", "launcher `scuba-nvcc;sccache`", cached(("scuba-nvcc", "sccache"))),
    Row("sccache behind us, all hits", "the same in a new folder", cached(("scuba-nvcc", "sccache")), warm=True),
    Row("sccache before us", "launcher `sccache;scuba-nvcc`", cached(("sccache", "scuba-nvcc"))),
    Row("sccache, we as the compiler", "`CMAKE_CUDA_COMPILER=scuba-nvcc`, launcher `sccache`", behind_cache("sccache")),
    Row("sccache, we as the compiler, all hits", "the same in a new folder", behind_cache("sccache"), warm=True),
    Row("nvcc by SCUBA_NVCC", "`make NVCC=scuba-nvcc`", named_by(SCUBA_NVCC=NVCC)),
    Row("nvcc by CUDA_HOME", "`make NVCC=scuba-nvcc`", named_by(CUDA_HOME=TOOLKIT)),
    Row("nvcc by CUDA_PATH", "`make NVCC=scuba-nvcc`", named_by(CUDA_PATH=TOOLKIT)),
    Row("nvcc by PATH", "`make NVCC=scuba-nvcc`", named_by(PATH=lambda place: f"{place.environment['PATH']}:{NVCC.parent}")),
]

# ---- one row ----------------------------------------------------------------------------------------------------------


def difference(plain: dict[str, str], ours: dict[str, str]) -> str:
    if not plain:
        return "the plain build made nothing"
    changed = sorted(k for k in plain.keys() | ours.keys() if plain.get(k) != ours.get(k))
    return f"same ({len(plain)} files)" if not changed else f"{len(changed)} of {len(plain)} differ: {pathlib.Path(changed[0]).name}"


def checked(place: Place, row: Row) -> tuple[str, bool]:
    """Units that `scuba check` read, and whether it proves the bug."""
    if row.document:
        return judged((place.build / row.document).read_text(), "")
    document = place.root / "check.json"
    done = subprocess.run([RELEASE / "scuba", "check", place.build, "--message-format", "json"], cwd=place.src, env=place.environment,
                          capture_output=True, text=True, timeout=900)
    document.write_text(done.stdout)
    (place.root / "check.err").write_text(done.stderr)
    return judged(done.stdout, done.stderr)


def judged(document: str, said: str) -> tuple[str, bool]:
    try:
        report = json.loads(document)
    except ValueError:
        return f"0 of {UNITS}: {last(said)}", False
    read = report["summary"]["translation_units"]
    missed = len(report["not_analysed"])
    proved = any(f["verdict"] == "proved" and f["rule"] == "oob-global" for f in report["findings"])
    return f"{read} of {UNITS}" + (f", {missed} not" if missed else ""), proved


def write_source(place: Place, corrected: bool) -> None:
    (place.src / "app/main.cu").write_text(MAIN % ("if (i < n) " if corrected else ""))


def write_project(place: Place) -> None:
    for name, text in PROJECT.items():
        file = place.src / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text % place.build if name == "pyproject.toml" else text)
    write_source(place, corrected=True)


def try_row(row: Row, work: pathlib.Path) -> tuple[str, str, str]:
    name = re.sub(r"\W+", "-", row.name)
    root = work / name
    shutil.rmtree(root, ignore_errors=True)
    # Of the row before, whose caches this one is to hit.
    caches = work / "caches" / re.sub(r"-all-hits$", "", name)
    if not row.warm:
        shutil.rmtree(caches, ignore_errors=True)
    environment = buildlab.environment(work / "home", work / "caches/scuba", caches, SCCACHE_PORT)
    place = Place(root, environment)
    write_project(place)
    buildlab.stop_sccache(SCCACHE_PORT)
    try:
        if row.warm:
            # Twice from nothing, the second time with all objects in the cache: of the program with its bug, which the shim does not see.
            write_source(place, corrected=False)
            status, said = row.build(place, True, SCUBA_OFF="1")
            if status != 0:
                return f"fails: {last(said)}", "–", "–"
            shutil.rmtree(place.build)
            status, said = row.build(place, True)
            read, proved = checked(place, row)
            return "–", read, found(row, status, said, proved)
        try:
            status, said = row.build(place, False)
        except RuntimeError as why:
            status, said = 1, str(why)
        if status != 0:
            raise Skip(f"fails without SCuBA too: {last(said)}")
        plain = outputs(place.build)
        shutil.rmtree(place.build)
        status, said = row.build(place, True)
        if status != 0:
            return f"fails: {last(said)}", "–", "–"
        same = difference(plain, outputs(place.build))
        write_source(place, corrected=False)
        status, said = row.build(place, True)
        read, proved = checked(place, row)
        return same, read, found(row, status, said, proved)
    except Skip as why:
        return "not tried", "–", str(why)
    except (RuntimeError, subprocess.TimeoutExpired) as why:
        return f"fails: {why}", "–", "–"


def found(row: Row, status: int, said: str, proved: bool) -> str:
    by = [what for what, is_so in (("build", status != 0 and BUG in said), ("its document" if row.document else "`scuba check`", proved)) if is_so]
    return " and ".join(by) or "no"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, help="folder for the builds [a temporary one]")
    parser.add_argument("--only", default="", help="rows with this in their name; the page has what is known of the others")
    parser.add_argument("--again", action="store_true", help="try what was tried before in --work, too")
    parser.add_argument("--path", type=pathlib.Path, help="folder of programs, such as another CMake, that go before the machine's")
    parser.add_argument("--out", type=pathlib.Path, default=CHECKOUT / "docs/evaluation/build-systems.md")
    arguments = parser.parse_args()
    buildlab.need_binaries()
    if arguments.path:
        buildlab.PROGRAMS = f"{arguments.path.resolve()}:{buildlab.PROGRAMS}"
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.work or pathlib.Path(temporary)).resolve()
        (work / "home").mkdir(parents=True, exist_ok=True)
        kept = work / "results.json"
        results = json.loads(kept.read_text()) if kept.exists() else {}
        for row in (r for r in ROWS if arguments.only in r.name and (arguments.again or r.name not in results)):
            results[row.name] = try_row(row, work)
            kept.write_text(json.dumps(results, indent=1))
            print(row.name, *results[row.name], sep=" | ", flush=True)
        buildlab.stop_sccache(SCCACHE_PORT)
    write_page(arguments.out, results)
    return 0


def write_page(page: pathlib.Path, results: dict) -> None:
    unknown = ("not run", "–", "–")
    table = [f"| {row.name} | {row.how} | {' | '.join(results.get(row.name, unknown))} |" for row in ROWS]
    page.write_text(PAGE.format(tools=buildlab.versions(), units=UNITS, table="\n".join(table)))


PAGE = """\
# Build systems

Generated by `tools/build-matrix.py`; not written by hand. One small project (a library and a program, of one CUDA file each) in every way below, with
{tools}.

- *Outputs*: objects, archives and programs of the corrected project, byte by byte against a build without SCuBA at the same paths, but for the
  process number in `tmpxft_…` that nvcc writes into them.
- *Read*: CUDA units that `scuba check BUILD` knows, of the {units} that the build compiled.
- *Bug found*: without its guard, the project must fail in the build, and `scuba check` must prove the bug.
- *All hits*: the cache was filled by a build of the program with its bug, with the shim off; then all is built from nothing once more.

| build | by | outputs | read | bug found by |
| --- | --- | --- | --- | --- |
{table}
"""

if __name__ == "__main__":
    sys.exit(main())
