#!/usr/bin/env python3
"""tools/toolkits.py [--work FOLDER] [--only PATTERN] [--every N] [--limit SECONDS] [--jobs N] [--again] [--torch FOLDER] [--out FILE]: which toolkits work?

The same measurements with every toolkit, host compiler and clang that there is, beside those with the pinned ones: whether the units of programs
are read, whether reports are the same, whether `scuba-nvcc` leaves nvcc's outputs, exit status and streams alone, whether clang is given the
macros that nvcc gives, whether a bug is found behind a toolkit's own flags, what `scuba doctor` says, which functions of CUDA's APIs SCuBA
does not know. Then CMake's versions, toolkits of which only nvcc's package is installed, and torch's headers. Toolkits and CMake come as wheels
(pip) into FOLDER. Wheels before 13.0 have headers and no nvcc: a script stands for it, which says its version and leaves empty outputs.

Every result is a line of FOLDER/journal.jsonl, by what was measured, toolkit, host compiler, clang and commit of SCuBA. What stands there is
not measured again, so a run goes on where it ended. Ends with status 1 where something differs for which toolkits_page.py has no reason.
Writes docs/evaluation/toolkits.md, or FILE. Binaries: SCUBA_RELEASE (target/release), of the commit SCUBA_COMMIT (that of the checkout).
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import typing
import zlib

import toolkits_macros
from toolkits_page import PINNED, write_page

HERE = pathlib.Path(__file__).resolve().parent.parent
RELEASE = pathlib.Path(os.environ.get("SCUBA_RELEASE", HERE / "target/release")).resolve()
GXX, CLANG = "g++", "clang++-22"
# Wheels, exact: another day's run is to measure the same. CCCL's wheels of 12.1 and 12.2 hold no headers: the one beside it is of 12.3.
WHEELS = {
    "11.8": "nvidia-cuda-runtime-cu11==11.8.89 nvidia-cuda-nvcc-cu11==11.8.89 nvidia-curand-cu11==10.3.0.86 nvidia-cuda-cccl-cu11==11.8.89.post1",
    "12.1": "nvidia-cuda-runtime-cu12==12.1.105 nvidia-cuda-nvcc-cu12==12.1.105 nvidia-curand-cu12==10.3.2.106 nvidia-cuda-cccl-cu12==12.3.101.post1",
    "12.8": "nvidia-cuda-runtime-cu12==12.8.90 nvidia-cuda-nvcc-cu12==12.8.93 nvidia-curand-cu12==10.3.9.90 nvidia-cuda-cccl-cu12==12.8.90",
    "13.0": "nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-curand==10.4.5.25",
    "13.1": "nvidia-cuda-nvcc==13.1.115 nvidia-cuda-crt==13.1.115 nvidia-nvvm==13.1.115 nvidia-cuda-runtime==13.1.80 nvidia-cuda-cccl==13.1.115 nvidia-curand==10.4.1.81",
    "13.2": "nvidia-cuda-nvcc==13.2.86 nvidia-cuda-crt==13.2.86 nvidia-nvvm==13.2.86 nvidia-cuda-runtime==13.2.86 nvidia-cuda-cccl==13.2.86 nvidia-curand==10.4.2.66",
    "13.3": "nvidia-cuda-nvcc==13.3.73 nvidia-cuda-crt==13.3.73 nvidia-nvvm==13.3.73 nvidia-cuda-runtime==13.3.29 nvidia-cuda-cccl==13.3.3.4.1 nvidia-curand==10.4.3.29",
    "13.4": "nvidia-cuda-nvcc==13.4.92 nvidia-cuda-crt==13.4.92 nvidia-nvvm==13.4.92 nvidia-cuda-runtime==13.4.92 nvidia-cuda-cccl==13.3.4.3.1 nvidia-curand==10.4.4.72",
    "13.5": "nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-cuda-cccl==13.3.5.0.6 nvidia-curand==10.4.5.25",
}
CMAKES = ("3.25.2", "3.28.4", "3.31.10", "4.0.3", "4.4.5")
# Rows of tools/build-matrix.py.
CMAKE_WAYS = {"launcher": "CMake, Makefiles", "package": "CMake, package"}
# Programs that call functions which older toolkits declare otherwise.
ALWAYS = ("undecided/graph_of_kernels.cu",)
PARTS = ("cuda_runtime", "cuda_nvcc", "curand", "cuda_cccl")
NVCC = """\
#!/bin/sh
case " $* " in *" --version "*) echo "Cuda compilation tools, release {version}, V{full}"; exit ;; esac
while [ $# -gt 0 ]; do [ "$1" != -o ] || : >"$2"; shift; done
"""
PROFILE = """\
TOP = $(_HERE_)/..
INCLUDES += "-I$(TOP)/$(_TARGET_DIR_)/include" $(_SPACE_)
SYSTEM_INCLUDES += $(_SPACE_)
"""
# Flags in each toolkit's own words: what nvcc 13 has dropped or renamed, and what newer ones brought.
FLAGS = {
    "11.": "-gencode=arch=compute_35,code=sm_35 -arch=sm_52 --expt-extended-lambda -std=c++11 -Wno-deprecated-gpu-targets",
    "12.": "-gencode=arch=compute_52,code=sm_52 -gencode arch=compute_70,code=[sm_70,compute_70] --expt-extended-lambda -std=c++14",
    "13.": "-gencode=arch=compute_75,code=sm_75 -gencode arch=compute_103a,code=sm_103a --extended-lambda -std=c++20",
}
BUG = "error[oob-global]"
BUGGY = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\nint main() { int *a; cudaMalloc(&a, 16); k<<<1, 32>>>(a); }\n"
GUARDED = BUGGY.replace("a[", "if (threadIdx.x < 4) a[")
FILES = {
    "a.cu": "__global__ void scale(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 2.0f; }\nvoid run(float *a, int n) { scale<<<1, 32>>>(a, n); }\n",
    "main.cpp": "void run(float *, int);\nint main() { run(nullptr, 0); return 0; }\n",
    "warn.cu": "__global__ void k() { int unused; }\n",
    "broken.cu": "__global__ void k( { }\n",
}
# Each runs under nvcc and under the shim. Some are wrong, or ask for nothing. What -G leaves holds the process number, compressed where it may be.
LINES = (
    "-arch=sm_80 -rdc=true -c a.cu", "-arch=sm_80 -ptx a.cu", "-arch=sm_90a -c a.cu", "-arch=sm_80 -G --no-compress -c a.cu", "-arch=sm_80 a.cu main.cpp -o app",
    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] -c a.cu", "-arch=sm_80 -MD -MF a.d -c a.cu -Xptxas -v",
    "-arch=sm_80 -c warn.cu", "-arch=sm_80 -c broken.cu", "-arch=sm_52 -c a.cu", "-c a.cu --nosuchflag", "--version",
)
TORCH = """\
#include <torch/extension.h>
__global__ void twice(float *x, long n) { long i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
torch::Tensor run(torch::Tensor t) {
  TORCH_CHECK(t.is_cuda() && t.is_contiguous() && t.scalar_type() == at::kFloat, "a contiguous tensor of floats");
  twice<<<(t.numel() + 255) / 256, 256>>>(t.data_ptr<float>(), t.numel());
  return t;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


@dataclasses.dataclass(frozen=True)
class Setting:
    """A toolkit, a host compiler and a clang."""

    toolkit: str
    host: str = GXX
    clang: str = CLANG

    @property
    def real(self) -> bool:
        """Whether its nvcc compiles."""
        return self.toolkit.startswith("13.")


@dataclasses.dataclass(frozen=True)
class Task:
    what: str
    item: str
    setting: Setting
    measure: typing.Callable[[], dict]


class Lab:
    """The folder of a run: toolkits, caches, the programs, and the environment of commands."""

    def __init__(self, work: pathlib.Path):
        self.work, self.lock, self.versions = work, threading.Lock(), {}

    def nvcc(self, toolkit: str) -> pathlib.Path:
        """nvcc of a toolkit, which is installed where it is not there."""
        if toolkit == PINNED and (HERE / ".deps/cuda/nvidia/cu13/bin/nvcc").exists():
            return HERE / ".deps/cuda/nvidia/cu13/bin/nvcc"
        with self.lock:
            return wheels_with_nvcc(toolkit, self.work) if toolkit.startswith("13.") else headers(toolkit, self.work)

    def environment(self, setting: Setting, **more: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SCUBA_", "CUDA", "NVCC_"))}
        cache = self.work / "caches" / f"{label(setting.toolkit)}-{setting.host}-{setting.clang}".replace("/", "_")
        if setting.clang != CLANG:
            settings = self.work / f"{pathlib.Path(setting.clang).name}.toml"
            settings.write_text(f'[frontend]\nclang = "{setting.clang}"\n')
            more["SCUBA_CONFIG"] = str(settings)
        return {**kept, "SCUBA_NVCC": str(self.nvcc(setting.toolkit)), "SCUBA_CACHE": str(cache), "LC_ALL": "C.UTF-8", **more}

    def run(self, command, folder, environment, timeout=590) -> subprocess.CompletedProcess:
        return subprocess.run([str(c) for c in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)

    def folder(self, name: str) -> pathlib.Path:
        there = self.work / "tries" / name
        shutil.rmtree(there, ignore_errors=True)
        there.mkdir(parents=True)
        return there

    def version(self, program: str) -> str:
        """`g++ 12.2.0`."""
        if program not in self.versions:
            said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            self.versions[program] = f"{re.sub('-.*', '', pathlib.Path(program).name)} {re.search(r'[0-9]+[.][0-9]+[.][0-9]+', said).group(0)}"
        return self.versions[program]


# ---- toolkits ---------------------------------------------------------------------------------------------------------


def pip(*words) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"pip cannot install {' '.join(map(str, words))}: {done.stderr.strip()}")


def label(toolkit: str) -> str:
    """A toolkit's name with a sum of its wheels' names: other wheels are measured anew."""
    return f"{toolkit}-{zlib.crc32(WHEELS[toolkit].encode()):08x}"


def wheels(toolkit: str, work: pathlib.Path) -> pathlib.Path:
    folder, partial = work / f"wheels-{label(toolkit)}", work / f"partial-{toolkit}"
    if not folder.exists():
        # pip leaves half a toolkit behind when it is interrupted.
        shutil.rmtree(partial, ignore_errors=True)
        pip("--no-deps", "--only-binary", ":all:", "--target", partial, *WHEELS[toolkit].split())
        partial.rename(folder)
    return folder


def wheels_with_nvcc(toolkit: str, work: pathlib.Path) -> pathlib.Path:
    root = wheels(toolkit, work) / "nvidia/cu13"
    if not (root / "lib64").exists():
        (root / "lib64").symlink_to("lib")
    return root / "bin/nvcc"


def headers(toolkit: str, work: pathlib.Path) -> pathlib.Path:
    """A folder as an installed toolkit is, but for what compiles."""
    root = work / f"cuda-{label(toolkit)}"
    if not (root / "bin/nvcc").exists():
        folder = wheels(toolkit, work) / "nvidia"
        for part in PARTS:
            for name in ("include", "nvvm"):
                if (folder / part / name).is_dir():
                    shutil.copytree(folder / part / name, root / name, dirs_exist_ok=True)
        (root / "bin").mkdir(exist_ok=True)
        (root / "bin/nvcc.profile").write_text(PROFILE)
        full = re.search(r"nvcc-cu\d+==([\d.]+)", WHEELS[toolkit]).group(1)
        script = root / "bin/partial"
        script.write_text(NVCC.format(version=toolkit, full=full))
        script.chmod(0o755)
        script.rename(root / "bin/nvcc")
    return root / "bin/nvcc"


# ---- measurements -----------------------------------------------------------------------------------------------------


def host_flags(setting: Setting) -> list[str]:
    return [] if setting.host == GXX else ["-ccbin", setting.host]


def flags_of(program: pathlib.Path) -> list[str]:
    return [w for line in re.findall(r"^//@ flags: (.*)$", program.read_text(), re.M) for w in line.split()]


def report(program: pathlib.Path, setting: Setting, lab: Lab) -> dict:
    """What `scuba check` counts and finds, and why units were not read."""
    command = [RELEASE / "scuba", "check", program.name, "--message-format", "json", "--", "-arch=sm_80", *flags_of(program), *host_flags(setting)]
    done = lab.run(command, program.parent, lab.environment(setting))
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return {"read": False, "counts": {}, "findings": [], "why": [done.stderr.decode(errors="replace").strip()[-300:]]}
    counts = {k: v for k, v in document["summary"].items() if k not in ("work", "seconds")}
    place = lambda at: at and f"{pathlib.Path(at['file']).name}:{at['line']}:{at['column']}"
    found = sorted(f"{f['level']} {f['verdict']} {f['rule']} {place(f['access'])} {f['message']}" for f in document["findings"])
    why = [re.sub(r"(\S*/)?([\w.]+:\d+:\d+: )", r"\2", unit["reason"] if isinstance(unit, dict) else str(unit)) for unit in document["not_analysed"]]
    return {"read": counts["translation_units"] > 0 and not document["not_analysed"], "counts": counts, "findings": found, "why": why}


def tree(folder: pathlib.Path) -> dict[str, bytes]:
    files = [p for p in folder.rglob("*") if p.is_file() and ".scuba" not in p.parts]
    return {str(p.relative_to(folder)): normal(p.read_bytes()) for p in files}


def normal(contents: bytes) -> bytes:
    """Without the process number that nvcc puts into names of its temporary files, and those into what it writes."""
    return re.sub(rb"tmpxft_[0-9a-f]{8}.[0-9a-f]{8}", b"tmpxft", contents)


def streams(done: subprocess.CompletedProcess) -> list[str]:
    """Without our own lines, and without how long ptxas took."""
    lines = normal(done.stderr).decode(errors="replace").splitlines()
    ours = [line for line in lines if not line.startswith("scuba: ") and "Compile time =" not in line]
    return [normal(done.stdout).decode(errors="replace"), "\n".join(ours)]


def drop_in(words: list[str], files: dict[str, str], setting: Setting, lab: Lab) -> dict:
    """nvcc and the shim around it on the same command, in a folder of the same name."""
    seen = []
    for program in (lab.nvcc(setting.toolkit), RELEASE / "scuba-nvcc"):
        folder = lab.folder(f"drop-in-{setting.toolkit}-{setting.host}-{zlib.crc32(' '.join(words).encode()):08x}")
        for name, text in files.items():
            (folder / name).write_text(text)
            # The line table that -G makes holds the source's time.
            os.utime(folder / name, (1_000_000_000, 1_000_000_000))
        done = lab.run([program, *words, *host_flags(setting)], folder, lab.environment(setting))
        seen.append((done.returncode, streams(done), tree(folder)))
        shutil.rmtree(folder)
    (status, said, made), (our_status, our_said, our_made) = seen
    differing = sorted(name for name in made.keys() | our_made.keys() if made.get(name) != our_made.get(name))
    first = next((f"{a!r} and {b!r}" for one, other in zip(said, our_said) for a, b in [(one[:150], other[:150])] if one != other), "")
    why = [f"status {status} and {our_status}"] if status != our_status else []
    return {"outputs": not differing, "streams": status == our_status and said == our_said, "status": status, "made": len(made) - len(files),
            "why": why + ([f"streams: {first}"] if said != our_said else []) + [f"file {name}" for name in differing]}


def flags_taken(setting: Setting, lab: Lab) -> dict:
    """Whether a command with the toolkit's own flags is analysed: the bug of its unit is found."""
    flags = FLAGS[setting.toolkit[:3]]
    if setting.toolkit >= "13.3":
        flags = flags.replace("c++20", "c++23")
    folder = lab.folder(f"flags-{setting.toolkit}-{setting.host}-{pathlib.Path(setting.clang).name}")
    (folder / "a.cu").write_text(BUGGY)
    done = lab.run([RELEASE / "scuba-nvcc", *flags.split(), *host_flags(setting), "-c", "a.cu", "-o", "a.o"], folder, lab.environment(setting))
    said = done.stderr.decode(errors="replace")
    return {"found": BUG in said and done.returncode == 1 and "unknown" not in said, "why": [] if BUG in said else said.strip().splitlines()[-1:]}


def doctor(environment: dict[str, str], folder: pathlib.Path, lab: Lab) -> dict:
    """What is missing, in the words of `scuba doctor`."""
    done = lab.run([RELEASE / "scuba", "doctor"], folder, environment)
    rows = [re.split(r"\s{2,}|(?<=ok)\s+|(?<=MISSING)\s+", line, maxsplit=2) for line in done.stdout.decode(errors="replace").splitlines()]
    bad = [" ".join(r[:3]) for r in rows if len(r) > 2 and r[1] not in ("ok", "-")]
    return {"ok": done.returncode == 0 and not bad, "why": bad}


def names(setting: Setting, lab: Lab) -> dict:
    """Functions that the headers of CUDA's APIs declare and src/models/cuda_names.rs lacks."""
    table = (HERE / "src/models/cuda_names.rs").read_text()
    known = {kind: set(re.findall(r'"(\w+)"', re.search(rf"const {kind}: &\[&str\] = &\[(.*?)\];", table, re.S).group(1))) for kind in ("RUNTIME", "DRIVER")}
    include = lab.nvcc(setting.toolkit).parent.parent / "include"
    result = {}
    for header, mark, begin, kind in (("cuda_runtime_api.h", "CUDARTAPI", "cuda", "RUNTIME"), ("cuda.h", "CUDAAPI", "cu", "DRIVER")):
        declared = set(re.findall(rf"{mark}\s+({begin}\w*)\s*\(", (include / header).read_text(errors="replace")))
        without = {n: re.sub(r"_v\d+$", "", re.sub(r"_pts[dz]$", "", n)) for n in declared}
        result[header] = {"declared": len(declared), "lacks": sorted(n for n, short in without.items() if short not in known[kind])}
    return result


def alone(setting: Setting, together: bool, lab: Lab) -> dict:
    """A virtual environment in which only nvcc's package was installed, with what it requires: what pip takes, or (together) the same release."""
    name = f"alone-{label(setting.toolkit)}{'-together' * together}"
    venv = lab.work / name
    if not (venv / "ready").exists():
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        # nvcc, and the three that it requires.
        packages = WHEELS[setting.toolkit].split()[: 4 if together else 1]
        subprocess.run([venv / "bin/pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
        (venv / "ready").touch()
    site = next(venv.glob("lib/python*/site-packages"))
    installed = sorted(re.sub(r"_", "-", p.name.removesuffix(".dist-info")[::-1].replace("-", " ", 1)[::-1]) for p in site.glob("nvidia*.dist-info"))
    environment = {**lab.environment(setting), "SCUBA_NVCC": str(site / "nvidia/cu13/bin/nvcc"), "SCUBA_CACHE": str(lab.work / "caches" / name)}
    folder = lab.folder(name)
    (folder / "bug.cu").write_text(BUGGY)
    (folder / "good.cu").write_text(GUARDED)
    said = {}
    for name in ("bug", "good"):
        said[name] = lab.run([RELEASE / "scuba-nvcc", "-arch=sm_80", "-c", f"{name}.cu", "-o", f"{name}.o"], folder, environment)
    plain = lab.run([environment["SCUBA_NVCC"], "-arch=sm_80", "-c", "good.cu", "-o", "plain.o"], folder, environment)
    error = said["bug"].stderr.decode(errors="replace")
    result = doctor(environment, folder, lab)
    return {
        "installed": installed, "doctor": result["ok"], "why": result["why"], "nvcc": plain.returncode == 0,
        "fails": said["bug"].returncode == 1 and BUG in error and not (folder / "bug.o").exists(),
        "builds": said["good"].returncode == 0 and (folder / "good.o").exists() and "rror" not in said["good"].stderr.decode(errors="replace"),
        "said": [line for line in error.splitlines() if "fatal" in line or "error" in line][:1],
    }


def cmake(version: str, way: str, setting: Setting, lab: Lab) -> dict:
    """A row of tools/build-matrix.py with a CMake of its own."""
    folder, partial = lab.work / f"cmake-{version}", lab.work / f"partial-cmake-{version}"
    with lab.lock:
        if not folder.exists():
            shutil.rmtree(partial, ignore_errors=True)
            pip("--no-deps", "--only-binary", ":all:", "--target", partial, f"cmake=={version}")
            partial.rename(folder)
    work = lab.folder(f"cmake-{version}-{way}-{setting.toolkit}")
    environment = {**lab.environment(setting), "SCUBA_RELEASE": str(RELEASE)}
    row = CMAKE_WAYS[way]
    command = [sys.executable, "-B", HERE / "tools/build-matrix.py", "--work", work, "--only", row, "--path", folder / "cmake/data/bin", "--out", work / "page.md"]
    done = lab.run(command, HERE, environment)
    results = work / "results.json"
    row = json.loads(results.read_text())[row] if results.exists() else [f"fails: {done.stderr.decode(errors='replace').strip()[-200:]}", "–", "–"]
    return {"outputs": row[0], "read": row[1], "found": row[2]}


def torch(folder: pathlib.Path, setting: Setting, lab: Lab) -> dict:
    """Whether a small extension is read with the headers of an installed torch, and its access is safe."""
    place = lab.folder(f"torch-{setting.toolkit}-{zlib.crc32(str(folder).encode()):08x}")
    (place / "a.cu").write_text(TORCH)
    include = folder / "include"
    includes = [f"-I{include}", f"-I{include}/torch/csrc/api/include", f"-I{sysconfig.get_path('include')}"]
    command = [RELEASE / "scuba", "check", "a.cu", "--message-format", "json", "--", "-arch=sm_80", "-std=c++20", "-DTORCH_EXTENSION_NAME=a", *includes]
    done = lab.run(command, place, lab.environment(setting))
    document = json.loads(done.stdout)
    return {"read": not document["not_analysed"] and document["summary"]["translation_units"] == 1, "counts": document["summary"], "why": [str(n) for n in document["not_analysed"]]}


# ---- the run ----------------------------------------------------------------------------------------------------------


class Journal:
    """Results by what they are of, the last word on each."""

    def __init__(self, file: pathlib.Path, lab: Lab, commit: str):
        self.file, self.lab, self.commit, self.lock, self.entries = file, lab, commit, threading.Lock(), {}
        for line in file.read_text().splitlines() if file.exists() else []:
            entry = json.loads(line)
            self.entries[tuple(entry["key"])] = entry

    def key(self, what: str, item: str, setting: Setting) -> tuple[str, ...]:
        return what, item, label(setting.toolkit), self.lab.version(setting.host), self.lab.version(setting.clang), self.commit

    def result(self, what: str, item: str, setting: Setting) -> dict | None:
        entry = self.entries.get(self.key(what, item, setting))
        return entry and entry["result"]

    def add(self, task: Task, result: dict, seconds: float) -> None:
        key = self.key(task.what, task.item, task.setting)
        entry = {"key": list(key), "date": datetime.date.today().isoformat(), "seconds": round(seconds, 1), "result": result}
        with self.lock:
            self.entries[key] = entry
            with self.file.open("a") as out:
                out.write(json.dumps(entry) + "\n")
            print(f"{seconds:5.1f} s  {' '.join(key[:3])}  {key[3]}  {'; '.join(result.get('why', []))[:200]}", flush=True)


def settings(lab: Lab) -> tuple[list[Setting], list[str]]:
    """All that are measured, and host compilers and clangs that are not there."""
    own = lab.version(GXX).split()[1].split(".")[0]
    others = [f"g++-{n}" for n in range(11, 17) if str(n) != own]
    newer = [f"clang++-{n}" for n in range(23, 26)]
    ends = dict.fromkeys((PINNED, max(WHEELS)))
    found = [Setting(t) for t in WHEELS]
    found += [Setting(t, host=h) for h in others if shutil.which(h) for t in ends]
    found += [Setting(t, clang=c) for c in newer if shutil.which(c) for t in ends]
    return found, [p for p in others + newer if not shutil.which(p)]


def tasks(lab: Lab, every: int, torches: list[pathlib.Path]) -> list[Task]:
    programs = chosen(every)
    clean = [p for p in programs if p.parent.name == "clean"][:2]
    found, _ = settings(lab)
    plain = [s for s in found if s.host == GXX and s.clang == CLANG]
    real = [s for s in found if s.real]
    out = [Task("names", "", s, lambda s=s: names(s, lab)) for s in plain]
    out += [Task("doctor", "", s, lambda s=s: doctor(lab.environment(s), lab.folder(f"doctor-{s.toolkit}-{s.host}"), lab)) for s in found]
    out += [Task("flags", "", s, lambda s=s: flags_taken(s, lab)) for s in found]
    for line in toolkits_macros.commands():
        out += [Task("macros", line, s, lambda s=s, line=line: toolkits_macros.differences(line, s, lab)) for s in real]
    for item in ("", "together"):
        out += [Task("alone", item, s, lambda s=s, i=item: alone(s, i == "together", lab)) for s in plain if s.real]
    for program in programs:
        out += [Task("check", name_of(program), s, lambda s=s, p=program: report(p, s, lab)) for s in found]
    for program in clean:
        words = ["-arch=sm_80", *flags_of(program), "-c", program.name, "-o", "it.o"]
        out += [Task("program", name_of(program), s, lambda s=s, w=words, p=program: drop_in(w, {p.name: p.read_text()}, s, lab)) for s in real if s.clang == CLANG]
    for line in LINES:
        out += [Task("line", line, s, lambda s=s, line=line: drop_in(line.split(), FILES, s, lab)) for s in real if s.clang == CLANG]
    for version in CMAKES:
        for way in CMAKE_WAYS:
            out += [Task("cmake", f"{version} {way}", s, lambda s=s, v=version, w=way: cmake(v, w, s, lab)) for s in plain if s.toolkit in (PINNED, max(WHEELS))]
    for folder in torches:
        item = re.search(r"__version__ = '([^']+)'", (folder / "version.py").read_text()).group(1)
        out += [Task("torch", item, s, lambda s=s, f=folder: torch(f, s, lab)) for s in plain if s.toolkit in (PINNED, max(WHEELS))]
    return out


def chosen(every: int) -> list[pathlib.Path]:
    """Every Nth program that is one file, and those of ALWAYS."""
    programs = [p for p in sorted((HERE / "tests/ui").glob("*/*.cu")) if "//@ with:" not in p.read_text()]
    return [p for n, p in enumerate(programs) if n % every == 0 or name_of(p) in ALWAYS]


def name_of(program: pathlib.Path) -> str:
    return str(program.relative_to(HERE / "tests/ui"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "scuba-toolkits", help="folder for wheels, caches and the journal, in no checkout [/tmp/scuba-toolkits]")
    parser.add_argument("--only", default="", help="a regular expression of what is measured (`check .* 13.5`); the page has what the journal knows of the rest")
    parser.add_argument("--every", type=int, default=9, help="take every Nth program of tests/ui [9]")
    parser.add_argument("--limit", type=float, help="begin nothing after so many seconds")
    parser.add_argument("--jobs", type=int, default=1, help="measurements at a time [1]")
    parser.add_argument("--again", action="store_true", help="measure what is in the journal, too")
    parser.add_argument("--torch", type=pathlib.Path, action="append", default=[], metavar="FOLDER", help="an installed torch (site-packages/torch), whose headers are tried")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "docs/evaluation/toolkits.md")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    head = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    lab = Lab(work)
    journal = Journal(work / "journal.jsonl", lab, os.environ.get("SCUBA_COMMIT") or head)
    todo = tasks(lab, options.every, [t.resolve() for t in options.torch])
    end = time.monotonic() + options.limit if options.limit else None

    def measure(task: Task) -> None:
        key = journal.key(task.what, task.item, task.setting)
        if (key in journal.entries and not options.again) or not re.search(options.only, " ".join(key)) or (end and time.monotonic() > end):
            return
        began = time.monotonic()
        try:
            journal.add(task, task.measure(), time.monotonic() - began)
        except subprocess.TimeoutExpired:
            print(f"took too long: {' '.join(key)}", file=sys.stderr)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(measure, todo))
    missing = sum(journal.key(t.what, t.item, t.setting) not in journal.entries for t in todo)
    found, absent = settings(lab)
    unexplained = write_page(options.out, journal, todo, found, absent, options.every, {"flags": FLAGS, "lines": LINES, "wheels": WHEELS})
    if missing:
        print(f"{missing} of {len(todo)} not measured yet: the same command goes on", file=sys.stderr)
    if unexplained:
        print("differs without a reason in tools/toolkits_page.py:\n" + "\n".join(unexplained), file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
