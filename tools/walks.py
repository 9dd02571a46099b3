#!/usr/bin/env python3
"""From `pip install` of the wheel to the first verdict, on a machine that never saw LLVM or Z3.

    tools/walks.py WHEEL [--nvcc PATH] [--torch PYTHON [--extension DIR …]] [--cmake DIR] [--installer pip|pipx|uv …] [--out FILE.md]

Each walk begins with an empty folder and an empty cache, in a mount namespace in which LLVM, Z3 and this checkout's build are covered
(tools/packaging/cover.sh), with nothing in its environment but PATH, HOME and CUDA_HOME. A CMake project (examples/heat, or DIR) is configured and built through
`scuba build`; so are a small extension of torch (PYTHON has torch, setuptools, wheel and ninja), by `torch.utils.cpp_extension.load` and by pip, whose missing check must
be found, and each DIR with a setup.py. The table of FILE.md (docs/evaluation/walks.md) between `<!-- walks` and
`<!-- /walks -->` is replaced. Only the Python standard library is used.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
# A finding, what a command says of its unit's accesses, or the last line of a report.
VERDICT = re.compile(r"^(error|warning)\[|^scuba: .*(\baccess(es)? in \d+ kernel|\d+ of \d+ accesses (not decided|are still open))")
MOST = 300
# An operator that takes the length of one tensor for that of both.
EXTENSION = {
    "add.cu": """\
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void add_kernel(const float *a, const float *b, float *out, int64_t n) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

at::Tensor add(const at::Tensor &a, const at::Tensor &b) {
  TORCH_CHECK(a.is_cuda() && b.is_cuda() && a.is_contiguous() && b.is_contiguous());
  TORCH_CHECK(a.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat);
  at::Tensor out = at::empty_like(a);
  int64_t n = a.numel();
  if (n == 0) return out;
  add_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
""",
    "bind.cpp": """\
#include <torch/extension.h>

at::Tensor add(const at::Tensor &a, const at::Tensor &b);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add); }
""",
    "load.py": """\
from torch.utils.cpp_extension import load

load("added", ["bind.cpp", "add.cu"], verbose=True)
""",
    "setup.py": """\
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="added", version="1.0", ext_modules=[CUDAExtension("added", ["bind.cpp", "add.cu"])], cmdclass={"build_ext": BuildExtension})
""",
}
MISSING = "warning[unchecked-argument]"


class Walk:
    def __init__(self, name, folder, environment):
        self.name, self.folder, self.environment = name, folder, environment
        self.steps, self.began, self.verdict, self.said = [], time.monotonic(), None, ""

    def step(self, shown, command, cwd=None, may_fail=False):
        """Runs a command as its user would type it; notes when the first verdict is printed."""
        start = time.monotonic()
        covered = ["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", str(HERE / "tools/packaging/cover.sh"), str(self.folder / "cover"), str(HERE)]
        process = subprocess.Popen([*covered, *map(str, command)], cwd=cwd or self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        text = []
        for line in process.stdout:
            text.append(line)
            if self.verdict is None and VERDICT.search(line):
                self.verdict, self.said = time.monotonic() - self.began, line.strip().replace(f"{self.folder}/project/", "").replace(": `scuba check` goes on", ": …")
            # The rest of a long build shows nothing new.
            if self.verdict is not None and time.monotonic() - self.began > MOST:
                process.terminate()
        status = process.wait()
        self.steps.append((shown, time.monotonic() - start, status, "".join(text)))
        if status != 0 and not may_fail:
            sys.exit(f"{self.name}: {shown}: status {status}\n{''.join(text)[-3000:]}")
        return "".join(text)


def environment(folder, nvcc, *more):
    toolkit = pathlib.Path(nvcc).resolve().parent.parent
    return {"HOME": str(folder), "PATH": ":".join([*map(str, more), "/usr/bin", "/bin"]), "CUDA_HOME": str(toolkit), "LC_ALL": "C.UTF-8"}


def installed(walk, how, wheel):
    """Installs the wheel; the folder of its programs."""
    folder = walk.folder
    if how == "pip":
        walk.step("python3 -m venv venv", [sys.executable, "-m", "venv", "venv"])
        walk.step(f"pip install {wheel.name}", ["venv/bin/pip", "install", "--disable-pip-version-check", "--no-index", "--no-deps", wheel])
        return folder / "venv/bin"
    tool = shutil.which(how)
    if how == "pipx":
        walk.environment.update(PIPX_HOME=str(folder / "pipx"), PIPX_BIN_DIR=str(folder / "bin"))
        walk.step(f"pipx install {wheel.name}", [tool, "install", wheel])
    else:
        walk.environment.update(UV_TOOL_DIR=str(folder / "tools"), UV_TOOL_BIN_DIR=str(folder / "bin"))
        walk.step(f"uv tool install {wheel.name}", [tool, "tool", "install", "--offline", wheel])
    return folder / "bin"


def begin(name, folder, options):
    (folder / "cover").mkdir(parents=True)
    return Walk(name, folder, environment(folder, options.nvcc))


def cmake(how, folder, options):
    source = options.cmake or HERE / "examples/heat"
    walk = begin(f"CMake, {how}", folder, options)
    shutil.copytree(source, folder / "project")
    programs = installed(walk, how, options.wheel)
    walk.environment = {**walk.environment, **environment(folder, options.nvcc, programs), "CUDACXX": str(options.nvcc)}
    walk.step("scuba doctor", [programs / "scuba", "doctor"])
    walk.step("cmake -S . -B build", ["cmake", "-S", "project", "-B", "build", *(["-DCMAKE_CUDA_ARCHITECTURES=80"] if options.cmake else [])])
    walk.step("scuba build -- cmake --build build", [programs / "scuba", "build", "--", "cmake", "--build", "build"], may_fail=True)
    return walk


def torch(name, folder, options, extension=None):
    """The start of a walk in the user's own environment, which has torch already."""
    walk = begin(name, folder, options)
    if extension:
        shutil.copytree(extension, folder / "project", ignore=shutil.ignore_patterns("build", "*.egg-info", ".git"))
    else:
        (folder / "project").mkdir()
        for file, text in EXTENSION.items():
            (folder / "project" / file).write_text(text)
    python = pathlib.Path(options.torch).absolute()
    walk.environment = {**walk.environment, **environment(folder, options.nvcc, python.parent), "FORCE_CUDA": "1", "TORCH_CUDA_ARCH_LIST": "8.0", "MAX_JOBS": "2"}
    walk.step(f"pip install {options.wheel.name}", [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-deps", "--force-reinstall", options.wheel])
    walk.step("scuba doctor", [python.parent / "scuba", "doctor"])
    return walk


def extension(folder, options, directory):
    walk = torch(f"{directory.name}, setup.py", folder, options, directory)
    python = pathlib.Path(options.torch).absolute()
    build = [python.parent / "scuba", "build", "--", python, "setup.py", "build_ext"]
    walk.step("scuba build -- python setup.py build_ext", build, cwd=folder / "project", may_fail=True)
    return walk


def small_extension(way, folder, options):
    """By `load` or by pip; the missing check must be found."""
    walk = torch(f"torch extension, {way}", folder, options)
    python = pathlib.Path(options.torch).absolute()
    scuba = [python.parent / "scuba", "build", "--", python]
    commands = {
        "load": ("python load.py", ["load.py"]),
        "pip": ("pip install .", ["-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-build-isolation", "--target", str(folder / "site"), "."]),
    }
    shown, words = commands[way]
    said = walk.step(f"scuba build -- {shown}", [*scuba, *words], cwd=folder / "project", may_fail=True)
    if MISSING not in said:
        sys.exit(f"{walk.name}: the missing check was not found\n{said[-3000:]}")
    return walk


def table(walks):
    lines = ["| walk | step | s | status |", "| --- | --- | ---: | ---: |"]
    for walk in walks:
        for number, (shown, seconds, status, _) in enumerate(walk.steps):
            lines.append(f"| {walk.name if number == 0 else ''} | `{shown}` | {seconds:.1f} | {status} |")
    lines += ["", "| walk | first verdict after | which | the last line | all together |", "| --- | ---: | --- | --- | ---: |"]
    for walk in walks:
        last = [l for l in walk.steps[-1][3].splitlines() if l.startswith("scuba: ") and "access" in l]
        total = sum(s[1] for s in walk.steps)
        first = "none" if walk.verdict is None else f"**{walk.verdict:.0f} s**"
        lines.append(f"| {walk.name} | {first} | `{walk.said or '–'}` | `{last[-1].replace(': `scuba check` goes on', ': …') if last else '–'}` | {total:.0f} s |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--nvcc", type=pathlib.Path, default=HERE / ".deps/cuda/nvidia/cu13/bin/nvcc")
    parser.add_argument("--torch", type=pathlib.Path)
    parser.add_argument("--extension", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--cmake", type=pathlib.Path)
    parser.add_argument("--installer", action="append", choices=["pip", "pipx", "uv"])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="what the commands printed goes here")
    options = parser.parse_args()
    options.wheel = options.wheel.resolve()
    walks = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        # Where the covered folders cannot be seen.
        shutil.copy(options.wheel, work)
        options.wheel = work / options.wheel.name
        for how in options.installer or ["pip"]:
            walks.append(cmake(how, work / f"cmake-{how}", options))
        if options.torch:
            walks += [small_extension(way, work / f"small-{way}", options) for way in ("load", "pip")]
            walks += [extension(work / f"torch-{directory.name}", options, directory) for directory in options.extension]
    if options.keep:
        options.keep.write_text("\n".join(f"== {w.name}: {s[0]}\n{s[3]}" for w in walks for s in w.steps))
    text = table(walks)
    if options.out:
        page = options.out.read_text()
        begin_mark, end_mark = "<!-- walks: tools/walks.py -->\n", "\n<!-- /walks -->"
        start, stop = page.index(begin_mark) + len(begin_mark), page.index("<!-- /walks -->")
        options.out.write_text(page[:start] + text + end_mark + page[stop + len("<!-- /walks -->") :])
    else:
        print(text)
    late = [w.name for w in walks if w.verdict is None or w.verdict > MOST]
    if late:
        sys.exit(f"no verdict within {MOST} s: {', '.join(late)}")


main()
