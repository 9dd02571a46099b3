"""The project of tools/seen.py in six shapes, and the ways to build it with and without SCuBA."""

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time
import typing

import buildlab
from buildlab import CHECKOUT, NVCC, RELEASE, SHIM, TOOLKIT, Skip, need

# What a command may take.
SECONDS = 900
GUARD = "if (i < n)"
PARTS = """\
#ifdef __cplusplus
extern "C" {
#endif
float *make(int n);
int blocks(int n);
void fill(float *x, int n);
int parse(int argc, char **argv);
#ifdef __cplusplus
}
#endif
"""
BASE = """\
#include "parts.h"

#ifdef SEPARABLE
__device__ float weight(int i) { return 2 * i; }
#endif

int blocks(int n) { return (n + 255) / 256; }

float *make(int n) {
    float *x;
    return cudaMalloc(&x, n * sizeof(float)) == cudaSuccess ? x : nullptr;
}
"""
# The guard and what stands in its place are equally long.
FILL = """\
#include "parts.h"

#ifdef SEPARABLE
__device__ float weight(int i);
#else
static __device__ float weight(int i) { return 2 * i; }
#endif

__global__ void filled(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    @GUARD@
    x[i] = weight(i);
}

void fill(float *x, int n) { filled<<<blocks(n), 256>>>(x, n); }
"""
MAIN = """\
#include "parts.h"
#include <stddef.h>

int main(int argc, char **argv) {
    int n = parse(argc, argv);
    float *x = make(n);
    if (x == NULL) return 1;
    fill(x, n);
    return 0;
}
"""
PARSE = """\
#include "parts.h"
#include <stdlib.h>

int parse(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    return n < 1 || n > 1000000 ? 1000 : n;
}
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES C CXX CUDA)
if(WITH_PACKAGE)
  find_package(scuba REQUIRED)
endif()
set(SHAPE static CACHE STRING "")
set(kind STATIC)
set(main app/main.cu app/parse.cpp)
if(SHAPE STREQUAL shared)
  set(kind SHARED)
elseif(SHAPE STREQUAL separable)
  set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)
  add_compile_definitions(SEPARABLE)
elseif(SHAPE STREQUAL cuda)
  set(main app/main.cu app/parse.cu)
elseif(SHAPE STREQUAL cxx)
  set(main app/main.cpp app/parse.cpp)
elseif(SHAPE STREQUAL c)
  set(main app/main.c app/parse.c)
endif()
include_directories(include)
add_library(base ${kind} lib/base.cu)
add_library(parts ${kind} lib/fill.cu)
target_link_libraries(parts PUBLIC base)
add_executable(app ${main})
target_link_libraries(app PRIVATE parts)
"""
# A C program is linked by g++, the others by nvcc.
MAKEFILE = """\
NVCC ?= nvcc
O ?= out
SHAPE ?= static
CUDAFLAGS = -O2 -std=c++17 -arch=sm_80 -Iinclude $(EXTRA)
CFLAGS = -O2 -Iinclude
COMPILE = -c
KIND = a
MAIN = main.cu.o parse.cpp.o
LINK = $(NVCC) -arch=sm_80 -o $@ $^
ifeq ($(SHAPE),shared)
KIND = so
CUDAFLAGS += -Xcompiler -fPIC
else ifeq ($(SHAPE),separable)
COMPILE = -dc -DSEPARABLE
else ifeq ($(SHAPE),cuda)
MAIN = main.cu.o parse.cu.o
else ifeq ($(SHAPE),cxx)
MAIN = main.cpp.o parse.cpp.o
else ifeq ($(SHAPE),c)
MAIN = main.c.o parse.c.o
LINK = $(CXX) -o $@ $^ -L$(CUDA_LIBRARIES) -lcudart_static -ldl -lrt -lpthread
endif

$(O)/app: $(addprefix $(O)/,$(MAIN)) $(O)/libparts.$(KIND) $(O)/libbase.$(KIND)
	$(LINK)
$(O)/libparts.a: $(O)/fill.cu.o
	$(AR) rcs $@ $^
$(O)/libbase.a: $(O)/base.cu.o
	$(AR) rcs $@ $^
$(O)/libparts.so: $(O)/fill.cu.o $(O)/libbase.so
	$(NVCC) -arch=sm_80 -shared -o $@ $^
$(O)/libbase.so: $(O)/base.cu.o
	$(NVCC) -arch=sm_80 -shared -o $@ $^
$(O)/%.cu.o: lib/%.cu include/parts.h
	@mkdir -p $(O)
	$(NVCC) $(CUDAFLAGS) $(COMPILE) -o $@ $<
$(O)/%.cu.o: app/%.cu include/parts.h
	@mkdir -p $(O)
	$(NVCC) $(CUDAFLAGS) $(COMPILE) -o $@ $<
$(O)/%.cpp.o: app/%.cpp include/parts.h
	@mkdir -p $(O)
	$(CXX) $(CFLAGS) -c -o $@ $<
$(O)/%.c.o: app/%.c include/parts.h
	@mkdir -p $(O)
	$(CC) $(CFLAGS) -c -o $@ $<
"""
MESON = """\
project('app', 'cuda', 'cpp', 'c', default_options: ['buildtype=plain'])
more = [%(flags)s] + get_option('more')
includes = include_directories('include')
base = %(kind)s('base', 'lib/base.cu', include_directories: includes, cuda_args: ['-arch=sm_80'] + more, link_args: ['-arch=sm_80'])
parts = %(kind)s('parts', 'lib/fill.cu', include_directories: includes, cuda_args: ['-arch=sm_80'] + more, link_args: ['-arch=sm_80'],
  link_with: base)
executable('app', %(main)s, include_directories: includes, cuda_args: ['-arch=sm_80'] + more, link_args: [%(link)s],
  link_with: [parts, base])
"""
BAZEL = """\
load("//:cuda.bzl", "cuda_binary", "cuda_library")
cuda_library(name = "base", srcs = ["lib/base.cu"], hdrs = ["include/parts.h"]%(more)s)
cuda_library(name = "parts", srcs = ["lib/fill.cu"], hdrs = ["include/parts.h"], deps = [":base"]%(more)s)
cuda_library(name = "main", srcs = [%(main)s], hdrs = ["include/parts.h"], deps = [":parts"]%(flags)s)
cuda_binary(name = "app", deps = [":main"])
"""


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    title: str
    main: tuple[str, str]


SHAPES = [
    Shape("cuda", "CUDA units alone", ("main.cu", "parse.cu")),
    Shape("static", "static libraries", ("main.cu", "parse.cpp")),
    Shape("cxx", "main in C++", ("main.cpp", "parse.cpp")),
    Shape("shared", "shared libraries", ("main.cu", "parse.cpp")),
    Shape("separable", "separable compilation", ("main.cu", "parse.cpp")),
    Shape("c", "main in C", ("main.c", "parse.c")),
]


class Broken(Exception):
    """A build of the corrected project, or one without SCuBA, that did not end as it must."""


@dataclasses.dataclass
class Place:
    """Where one cell is built: sources in `src`, the build in `build`, at paths that the next cell has again."""

    root: pathlib.Path
    kept: pathlib.Path
    environment: dict[str, str]
    shape: Shape
    venv: pathlib.Path
    outside: bool = False
    readonly: bool = False
    # `ccache` or `sccache`, where the build uses it.
    cache: str = ""
    # What `GUARDED` builds are: their folder, else nothing.
    guarded: bool = False
    # Whether the command that is watched left SCuBA's folders as they were.
    untouched: bool = False
    journal: list = dataclasses.field(default_factory=list)

    @property
    def src(self) -> pathlib.Path:
        return self.root / "src"

    @property
    def build(self) -> pathlib.Path:
        folder = self.root / "b" if self.outside else self.src / "out"
        return folder.with_name(folder.name + "-guarded") if self.guarded else folder

    def words(self, command: tuple) -> list[str]:
        words = [str(c) for c in command]
        # Root may write whatever its permissions say, unless it gives that up.
        without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        return [*without, *words] if self.readonly else words

    def run(self, *command, until: typing.Callable[[], bool] | None = None, **more) -> tuple[int, str]:
        """Exit status and output, or -9 where `until` was true and all of the command was killed."""
        more = {k: str(v) for k, v in more.items()}
        words = self.words(command)
        began = time.monotonic()
        log = self.root / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(words, cwd=self.src, env={**self.environment, **more}, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            status = None
            while status is None:
                try:
                    status = process.wait(timeout=0.005 if until else SECONDS)
                except subprocess.TimeoutExpired:
                    late = time.monotonic() - began > SECONDS
                    if late or (until and until()):
                        kill_all(process.pid, self.environment["SEEN_CELL"])
                        status = process.wait() if not late else 124
        said = log.read_text(errors="replace")
        line = " ".join([*(f"{k}={shlex.quote(v)}" for k, v in more.items()), shlex.join(words)])
        self.journal.append({"command": line, "status": status, "seconds": round(time.monotonic() - began, 1), "said": said[-4000:]})
        return status, said

    def must(self, *command, **more) -> None:
        status, said = self.run(*command, **more)
        if status != 0:
            raise Skip(f"{pathlib.Path(str(command[0])).name}: {buildlab.complaint(said)}")

    def note(self, what: str) -> None:
        self.journal.append({"note": what})

    # ---- sources ----

    def write(self, bug: bool) -> None:
        (self.src / "lib/fill.cu").write_text(FILL.replace("@GUARD@", "/* none */" if bug else GUARD))
        self.note(f"lib/fill.cu {'without' if bug else 'with'} its guard")

    def write_by_configuration(self) -> None:
        (self.src / "lib/fill.cu").write_text(FILL.replace("@GUARD@", f"#ifdef GUARDED\n    {GUARD}\n#endif"))
        self.note("lib/fill.cu with its guard where GUARDED is defined")

    def write_project(self) -> None:
        texts = {"include/parts.h": PARTS, "lib/base.cu": BASE, f"app/{self.shape.main[0]}": MAIN, f"app/{self.shape.main[1]}": PARSE,
                 "CMakeLists.txt": CMAKE, "Makefile": MAKEFILE, "lib/fill.cu": "",
                 "meson_options.txt": "option('more', type: 'array', value: [])\n", "meson.build": self.meson(),
                 "pyproject.toml": buildlab.PYPROJECT % self.build}
        for name, text in texts.items():
            file = self.src / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.write(bug=False)

    def meson(self) -> str:
        separable, shared = self.shape.name == "separable", self.shape.name == "shared"
        cuda = self.shape.main[0].endswith(".cu")
        return MESON % {
            "flags": "'-dc', '-DSEPARABLE'" if separable else "'-Xcompiler', '-fPIC'" if shared else "",
            "kind": "shared_library" if shared else "static_library",
            "main": ", ".join(f"'app/{name}'" for name in self.shape.main),
            "link": "'-arch=sm_80'" if cuda else "'-lcudart_static', '-ldl', '-lrt', '-lpthread'",
        }

    # ---- what lies there ----

    def anew(self) -> None:
        """The project alone, as it is before any build."""
        remove(self.root)
        self.src.mkdir(parents=True)
        self.write_project()

    def restore(self, name: str) -> bool:
        """Sources and build as they were kept, with their times; nothing where none were."""
        kept = self.kept / name
        if not kept.exists():
            return False
        remove(self.root)
        subprocess.run(["cp", "-a", kept, self.root], check=True)
        self.note(f"a copy of what these commands left: {(kept / 'commands').read_text().strip()}")
        return True

    def marks(self) -> dict[str, tuple[bytes, int]]:
        """All that SCuBA's folders hold, and when it was written."""
        folders = [folder for folder in self.root.rglob(".scuba") if folder.is_dir()]
        folders += [pathlib.Path(self.environment["SCUBA_DIR"])] if "SCUBA_DIR" in self.environment else []
        files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
        return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}

    def keep(self, name: str) -> None:
        kept = self.kept / name
        partial = kept.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        self.kept.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", self.root, partial], check=True)
        (partial / "commands").write_text("; ".join(step["command"] for step in self.journal if "command" in step))
        partial.rename(kept)

    def cuda_objects(self) -> list[pathlib.Path]:
        """Objects of CUDA units that are whole."""
        return [p for p in buildlab.made(self.root) if p.suffix == ".o" and ".cu" in p.name and is_whole(p)]


def remove(folder: pathlib.Path) -> None:
    """Also what Bazel leaves, which cannot be written."""
    if folder.exists():
        subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def is_whole(object_file: pathlib.Path) -> bool:
    try:
        data = object_file.read_bytes()
    except OSError:
        return False
    if len(data) < 64 or data[:4] != b"\x7fELF":
        return False
    sections, size, count = (int.from_bytes(data[a:b], "little") for a, b in ((40, 48), (58, 60), (60, 62)))
    return sections > 0 and sections + size * count <= len(data)


def kill_all(leader: int | None, cell: str) -> None:
    """Kills a command's process group and whatever else the cell started, which its environment names."""
    try:
        if leader:
            os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass
    mark = f"SEEN_CELL={cell}".encode()
    for _ in range(200):
        left = [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and mark in read(p / "environ").split(b"\0")]
        left = [pid for pid in left if read(pathlib.Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split()[:1] != [b"Z"]]
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def read(file: pathlib.Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


# ---- ways -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Way:
    name: str
    title: str
    # States that this way does not have: why.
    without: dict[str, str] = dataclasses.field(default_factory=dict)
    # Whether the command that is watched is a build: else it is `scuba check` itself.
    builds: bool = True
    # Whether a command of ours stands before the whole build.
    always: bool = False

    @property
    def family(self) -> str:
        """Ways of one family have the same build without SCuBA."""
        return self.name

    def configure(self, place: Place, scuba: bool) -> None:
        pass

    def build(self, place: Place, scuba: bool, one: bool = False, **more) -> tuple[int, str]:
        raise NotImplementedError

    def off(self, place: Place) -> tuple[int, str]:
        """A build in which SCuBA is switched off: what `scuba build` stands before is run without it."""
        return self.build(place, False) if self.always else self.build(place, True, SCUBA_OFF="1")

    def checked(self, place: Place) -> pathlib.Path:
        """What `scuba check` is told."""
        return place.build

    def again(self, place: Place, name: str) -> None:
        """Takes away the object of a unit, so that it is made again."""
        # Meson puts the folder's name before the unit's.
        objects = [found for found in buildlab.made(place.root) if re.search(rf"(^|_){re.escape(name)}\b", found.name)]
        if self.builds and not objects:
            raise Broken(f"there is no object of {name} to take away")
        for found in objects:
            found.unlink()
            place.note(f"rm {found}")


class CMake(Way):
    def __init__(self, name: str, title: str, on: typing.Callable[[Place], list], plain: typing.Callable[[Place], list], generator: str = "Ninja",
                 before: tuple = (), compiler: bool = False, environment: dict | None = None, **more):
        super().__init__(name, title, **more)
        self.on, self.plain, self.generator, self.before, self.compiler = on, plain, generator, before, compiler
        self.environment = environment or {}

    @property
    def family(self) -> str:
        return "cmake-" + self.generator.replace(" ", "-")

    def configure(self, place: Place, scuba: bool) -> None:
        need("cmake")
        need("ninja" if self.generator == "Ninja" else "make")
        # SCuBA must not find an answer of CMake's that a first configuration would not have given it, and a plain build nothing that a way of
        # ours told CMake: what such a way configured is its own.
        template = f"configured-{self.name if scuba else 'plain-' + self.family}-{place.shape.name}-{place.build.name}-{place.outside}"
        if not (place.build / "CMakeCache.txt").exists() and (place.kept / template).exists():
            subprocess.run(["cp", "-a", place.kept / template, place.build], check=True)
        if self.compiler and scuba and not made_with(place.build, SHIM):
            # CMake forgets what else it was told where its compiler changes.
            (place.build / "CMakeCache.txt").unlink(missing_ok=True)
            place.note("rm CMakeCache.txt")
        fresh = not (place.build / "CMakeCache.txt").exists() and not place.build.exists()
        more = ["-DCMAKE_CUDA_FLAGS=" + ("-DGUARDED" if place.guarded else "")]
        place.must("cmake", "-S", place.src, "-B", place.build, "-G", self.generator, "-DCMAKE_CUDA_ARCHITECTURES=80-real",
                   f"-DSHAPE={place.shape.name}", *more, *(self.on(place) if scuba else self.plain(place)), **self.environment)
        if fresh and not place.cache:
            place.kept.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", place.build, place.kept / template], check=True)
            for left in (".cmake", ".scuba"):
                shutil.rmtree(place.kept / template / left, ignore_errors=True)

    def build(self, place: Place, scuba: bool, one: bool = False, **more) -> tuple[int, str]:
        command = ["cmake", "--build", place.build, *(["-j1"] if one else [])]
        if scuba and not self.builds:
            return place.run(RELEASE / "scuba", "check", "-p", place.build, **more)
        return place.run(*(self.before if scuba else ()), *command, **self.environment, **more)


def made_with(build: pathlib.Path, compiler: pathlib.Path) -> bool:
    found = re.search(rb"^CMAKE_CUDA_COMPILER:[A-Z]+=(.*)$", read(build / "CMakeCache.txt"), re.M)
    return bool(found) and found.group(1).decode() == str(compiler)


def launcher(names: typing.Callable[[Place], list[str]]) -> typing.Callable[[Place], list]:
    return lambda place: [f"-DCMAKE_CUDA_COMPILER={NVCC}", f"-DCMAKE_CUDA_COMPILER_LAUNCHER={';'.join(names(place))}"]


def cache_alone(place: Place) -> list[str]:
    return [need(place.cache)] if place.cache else []


class Make(Way):
    def __init__(self, name: str, title: str, before: tuple = (), **more):
        super().__init__(name, title, **more)
        self.before = before

    @property
    def family(self) -> str:
        return "make"

    def build(self, place: Place, scuba: bool, one: bool = False, **more) -> tuple[int, str]:
        nvcc = str(SHIM if scuba and not self.before else NVCC)
        words = [f"O={os.path.relpath(place.build, place.src)}", f"SHAPE={place.shape.name}", f"CUDA_LIBRARIES={TOOLKIT}/lib"]
        words.append(f"NVCC={' '.join([*cache_alone(place), nvcc])}")
        if place.guarded:
            words.append("EXTRA=-DGUARDED")
        return place.run(*(self.before if scuba else ()), need("make"), *([] if one else ["-j2"]), *words, CUDA_HOME=TOOLKIT,
                         CCACHE_COMPILERTYPE="nvcc", **more)

    def checked(self, place: Place) -> pathlib.Path:
        return place.src


class Meson(Way):
    def configure(self, place: Place, scuba: bool) -> None:
        need("meson")
        native = place.root / "native.ini"
        # Before `ccache` and `sccache` it would find no nvcc. Before the host's compilers it would put one by itself.
        cache = cache_alone(place)
        compilers = {"cuda": [*cache, *([SHIM] if scuba else []), NVCC], "c": [*cache, "cc"], "cpp": [*cache, "c++"]}
        lines = [f"{name} = [{', '.join(repr(str(w)) for w in words)}]\n" for name, words in compilers.items()]
        native.write_text("[binaries]\n" + "".join(lines))
        if not place.build.exists():
            more = ["-Dmore=-DGUARDED"] if place.guarded else []
            place.must("meson", "setup", "--native-file", native, *more, place.build, place.src, **buildlab.MESON_ENVIRONMENT)

    def build(self, place: Place, scuba: bool, one: bool = False, **more) -> tuple[int, str]:
        return place.run("ninja", *(["-j1"] if one else []), "-C", place.build, **buildlab.MESON_ENVIRONMENT, **more)


class Bazel(Way):
    def configure(self, place: Place, scuba: bool) -> None:
        need("bazel")
        repository = place.root / "scuba"
        if not repository.exists():
            buildlab.bazel_repository(repository)
        separable = place.shape.name == "separable"
        flags = ', copts = ["-dc", "-DSEPARABLE"]' if separable else ', copts = ["-Xcompiler", "-fPIC"]'
        names = {"more": flags + (", shared = True" if place.shape.name == "shared" else ""), "flags": flags,
                 "main": ", ".join(f'"app/{name}"' for name in place.shape.main)}
        texts = {"WORKSPACE": buildlab.BAZEL_WORKSPACE % {"scuba": repository}, "BUILD": BAZEL % names,
                 "cuda.bzl": buildlab.BAZEL_RULES % {"nvcc": NVCC}}
        for name, text in texts.items():
            if not (place.src / name).exists():
                (place.src / name).write_text(text)

    def build(self, place: Place, scuba: bool, one: bool = False, **more) -> tuple[int, str]:
        options = [*(buildlab.BAZEL_ASPECT if scuba else ()), *(["--jobs=1"] if one else []), "-c", "dbg" if place.guarded else "fastbuild"]
        options += ["--symlink_prefix=/"] if place.readonly else []
        return place.run("bazel", "--batch", f"--output_user_root={place.kept}/bazel", f"--output_base={place.root}/bazel", "build", *options,
                         "//:app", **more)

    def off(self, place: Place) -> tuple[int, str]:
        return self.build(place, False)

    def again(self, place: Place, name: str) -> None:
        place.note("nothing is removed: Bazel compares contents")


class Pip(Way):
    def build(self, place: Place, scuba: bool, one: bool = False, **more) -> tuple[int, str]:
        pip = buildlab.pip_of(place.venv)
        more |= {"CUDACXX": NVCC, "CMAKE_GENERATOR": "Ninja"}
        if one:
            more["CMAKE_BUILD_PARALLEL_LEVEL"] = "1"
        defines = {"SHAPE": place.shape.name, "CMAKE_CUDA_ARCHITECTURES": "80-real", "CMAKE_CUDA_FLAGS": "-DGUARDED" if place.guarded else "",
                   "CMAKE_CUDA_COMPILER_LAUNCHER": ";".join(cache_alone(place))}
        options = [f"-Ccmake.define.{name}={value}" for name, value in defines.items()] + [f"-Cbuild-dir={place.build}"]
        before = (RELEASE / "scuba", "build", "--") if scuba else ()
        command = buildlab.wheel_command(pip, place.root / "wheels", place.src)
        return place.run(*before, *command, *options, **more)


BUILD = (RELEASE / "scuba", "build", "--")
NO_SWITCH = "Meson takes another compiler only into a new build folder: the build without us is one with `SCUBA_OFF=1`"
NO_CACHE = "Bazel keeps results itself; no compiler cache stands in its actions"
PACKAGE = f"-Dscuba_DIR={CHECKOUT}/templates/cmake"
WAYS = [
    CMake("cmake-launcher", "CMake, `CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc`, Ninja", launcher(lambda place: [str(SHIM), *cache_alone(place)]),
          launcher(cache_alone)),
    Make("make-nvcc", "`make NVCC=scuba-nvcc`"),
    CMake("scuba-build-cmake", "`scuba build -- cmake --build`", launcher(cache_alone), launcher(cache_alone), before=BUILD, always=True),
    Make("scuba-build-make", "`scuba build -- make`", before=BUILD, always=True),
    CMake("cmake-launcher-makefiles", "CMake, `CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc`, Makefiles",
          launcher(lambda place: [str(SHIM), *cache_alone(place)]), launcher(cache_alone), generator="Unix Makefiles"),
    CMake("cmake-package", "CMake, `find_package(scuba)`", lambda place: [*launcher(cache_alone)(place), "-DWITH_PACKAGE=ON", PACKAGE],
          lambda place: [*launcher(cache_alone)(place), "-DWITH_PACKAGE=OFF"]),
    CMake("cmake-compiler", "CMake, `CMAKE_CUDA_COMPILER=scuba-nvcc`",
          lambda place: [f"-DCMAKE_CUDA_COMPILER={SHIM}", f"-DCMAKE_CUDA_COMPILER_LAUNCHER={';'.join(cache_alone(place))}"], launcher(cache_alone),
          compiler=True, environment={"SCUBA_NVCC": str(NVCC), "CCACHE_COMPILERTYPE": "nvcc"}),
    CMake("compile-commands", "`scuba check -p`", lambda place: [*launcher(cache_alone)(place), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
          lambda place: [*launcher(cache_alone)(place), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], builds=False, always=True),
    Meson("meson", "Meson, native file"),
    Pip("pip", "`scuba build -- pip wheel` (scikit-build-core)", always=True),
    Bazel("bazel", "Bazel, aspect", without={"ccache": NO_CACHE, "sccache": NO_CACHE, "outside": "Bazel always builds outside"}),
]
