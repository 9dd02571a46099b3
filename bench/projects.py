#!/usr/bin/env python3
"""Public programs, built by their own makefiles: plain nvcc against scuba-nvcc. `make bench DIR=FOLDER`, or this file by itself.

FOLDER holds checkouts (HeCBench, gpu-rodinia). Each project of the list below is copied to a temporary folder and built there by its
makefile, which is only told the compiler and an architecture that nvcc still has: nothing is written into a checkout. A
sample is one project, one way (plain, scuba), in a fresh copy, in four phases:

    first      make, with an empty cache (SCUBA_CACHE) and no facts
    second     make clean, make: the cache and the facts as the first build left them
    warm       make clean, make: once more
    unchanged  make, with nothing to do (the median of five)

Ways take turns. Findings only warn (`[levels] all = "warn"`, in a scuba.toml outside the copy): a bug that SCuBA proves in a public
program would end its build, and half a build is no measure of a whole one. All else is as it is by default, and a finding that warns
has cost what one that is denied does. CPU time is that of all processes, memory that of the largest process.

Every sample is one line of the journal; what stands there, of the same binaries, sources and jobs, is not measured again, so
that an interrupted run goes on where it ended. A project that plain nvcc does not build is left out, and the table says why. Status 1
where a build failed through the shim only.
"""

import argparse
import ctypes
import fnmatch
import hashlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import generate

ROOT = Path(__file__).resolve().parent.parent
JOURNAL = ROOT / "target" / "bench-projects.jsonl"
SCHEMA = "scuba-bench-projects/1"
BINARIES = ("scuba-nvcc", "scuba", "scuba-extract")
WAYS = ("plain", "scuba")
# What `make` with nothing to do takes is a few milliseconds: of so many runs the median.
UNCHANGED_RUNS = 5
# Of the caller's environment these would decide what is built, or how: the outer make's flags (DIR among them), other compilers, settings.
FOREIGN = re.compile(r"(SCUBA_|NVCC_|CUDA|MAKE|GNUMAKE)|(MFLAGS|CC|CXX|NVCC|CFLAGS|CXXFLAGS|LDFLAGS|EXTRA_CFLAGS|KERNEL_DIM)$")
FINDING = re.compile(r"^(?:error|warning)\[[a-z-]+\]", re.MULTILINE)
NOT_ANALYSED = re.compile(r"^scuba: .*not analysed", re.MULTILINE)
PR_SET_CHILD_SUBREAPER = 36


# --- What is built -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Project:
    name: str
    # Units that nvcc compiles, as the makefile names them.
    units: int
    # The checkout's folder, and what of it the build reads; the makefile's folder is the first.
    checkout: str = ""
    parts: tuple = ()
    # For make; {compiler} is nvcc or the shim, {toolkit} where nvcc's own toolkit lies.
    variables: tuple = ()
    # Kernels in each unit, of a generated project.
    generated: int = 0
    # Whether it is an extension of PyTorch; the checkout is the folder `torch` of its wheel.
    torch: bool = False


def hecbench(program: str, units: int, *others: str) -> Project:
    """Their makefiles call the compiler CC; sm_60, which they ask for, is gone from CUDA 13."""
    parts = tuple(f"src/{part}" for part in (f"{program}-cuda", *others))
    return Project(f"HeCBench {program}", units, "HeCBench", parts, ("CC={compiler}", "ARCH=sm_80"))


PROJECTS = (
    hecbench("rushlarsen", 3),
    hecbench("crs", 5),
    hecbench("clenergy", 2),
    hecbench("backprop", 4),
    hecbench("attention", 1),
    hecbench("hotspot3D", 2),
    hecbench("lulesh", 4),
    hecbench("xsbench", 6),
    hecbench("scan", 1),
    hecbench("aes", 1, "include"),
    hecbench("particlefilter", 1),
    hecbench("lud", 2),
    # Has a bug that is proved while the build waits.
    hecbench("thomas", 2),
    Project(
        "gpu-rodinia lud",
        3,
        "gpu-rodinia",
        ("cuda/lud/cuda", "cuda/lud/common"),
        ("NVCC={compiler}", "NVCCFLAGS=-I../common -O3 -use_fast_math -arch=sm_80 -lm"),
    ),
    Project("gpu-rodinia nw", 1, "gpu-rodinia", ("cuda/nw", "common"), ("CC={compiler}", "CUDA_DIR={toolkit}")),
    Project("torch extension", 1, "torch", ("include",), ("NVCC={compiler}",), torch=True),
    Project("generated 1", 1, generated=4, variables=("NVCC={compiler}",)),
    Project("generated 8", 8, generated=4, variables=("NVCC={compiler}",)),
)

MAKEFILE = """\
NVCC ?= nvcc
FLAGS := -std=c++17 -O3 -arch=sm_80
OBJECTS := $(patsubst %.cu,%.o,$(sort $(wildcard *.cu)))

bench: $(OBJECTS)
\t$(NVCC) $(FLAGS) $(OBJECTS) -o $@

%.o: %.cu bench.h
\t$(NVCC) $(FLAGS) -c $< -o $@

clean:
\trm -f bench $(OBJECTS)
"""

# The command of `torch.utils.cpp_extension.load` for one source (2.11), without the link, which wants PyTorch's libraries.
TORCH_MAKEFILE = """\
NVCC ?= nvcc
FLAGS := -DTORCH_EXTENSION_NAME=extension -DTORCH_API_INCLUDE_EXTENSION_H -isystem @TORCH@ -isystem @TORCH@/torch/csrc/api/include -isystem @PYTHON@ \\
  -D__CUDA_NO_HALF_OPERATORS__ -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_BFLOAT16_CONVERSIONS__ -D__CUDA_NO_HALF2_OPERATORS__ --expt-relaxed-constexpr \\
  -gencode=arch=compute_80,code=compute_80 -gencode=arch=compute_80,code=sm_80 --compiler-options -fPIC -std=c++17

extension.o: extension.cu
\t$(NVCC) $(FLAGS) -c $< -o $@

warm:
\t$(SCUBA) warm -- $(FLAGS) extension.cu

clean:
\trm -f extension.o
"""

TORCH_SOURCE = """\
#include <torch/extension.h>

template <typename T>
__global__ void scale(const T *in, T *out, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}

torch::Tensor scaled(torch::Tensor in, double factor) {
  TORCH_CHECK(in.is_cuda() && in.is_contiguous(), "in must be contiguous, on a GPU");
  auto out = torch::empty_like(in);
  int n = in.numel();
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "scaled", [&] {
    scale<scalar_t><<<(n + 255) / 256, 256>>>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), (scalar_t)factor, n);
  });
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scaled", &scaled); }
"""


def missing(project: Project, checkouts: Path) -> str | None:
    """Why there is nothing to build."""
    if project.generated:
        return None
    absent = [part for part in project.parts if not (checkouts / project.checkout / part).is_dir()]
    return f"no folder {project.checkout}/{absent[0]}" if absent else None


def lay_out(project: Project, checkouts: Path, copy: Path) -> Path:
    """Copies or generates the project, and returns the folder of its makefile."""
    if project.generated:
        folder = copy / "generated"
        generate.project(folder, project.units, project.generated, seed=project.units)
        (folder / "Makefile").write_text(MAKEFILE)
        return folder
    if project.torch:
        text = TORCH_MAKEFILE.replace("@TORCH@", str(checkouts / "torch" / "include")).replace("@PYTHON@", sysconfig.get_paths()["include"])
        (copy / "Makefile").write_text(text)
        (copy / "extension.cu").write_text(TORCH_SOURCE)
        return copy
    for part in project.parts:
        shutil.copytree(checkouts / project.checkout / part, copy / part, symlinks=True, ignore=shutil.ignore_patterns(".git", ".scuba"))
    return copy / project.parts[0]


def files(folder: Path) -> list:
    """All files below, relative; the facts are not the project's."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if ".scuba" not in path.parts)


def digest(folder: Path) -> str:
    """Of names and contents below."""
    total = hashlib.blake2b(digest_size=8)
    for name in files(folder):
        content = hashlib.blake2b((folder / name).read_bytes()).hexdigest()
        total.update(f"{name}\0{content}\n".encode())
    return total.hexdigest()


# --- One build ---------------------------------------------------------------------------------------------------------------


class Failed(Exception):
    """A build that did not end with 0; says why."""


def fail(message: str) -> None:
    sys.exit(f"bench: {message}")


def measured(command: list, folder: Path, environment: dict) -> dict:
    """Runs a command to its end, and counts all processes: also those that nobody waited for, which become our own children."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            usages = [usage]
            while True:
                try:
                    usages.append(os.wait4(-1, 0)[2])
                except ChildProcessError:
                    break
        except BaseException:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            raise
        output.seek(0)
        return {
            "wall_s": round(wall, 4),
            "cpu_s": round(sum(u.ru_utime + u.ru_stime for u in usages), 4),
            "peak_rss_mib": round(max(u.ru_maxrss for u in usages) / 1024, 1),
            "status": process.returncode,
            "output": output.read().decode(errors="replace"),
        }


def why(done: dict, copy: Path) -> str:
    """The line that says most of a failed build, without our folder's name."""
    lines = [line.strip() for line in done["output"].splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"\berror\b|undefined reference|No such file|fatal", line) and not line.startswith("make")]
    line = (telling or lines or [""])[0].replace(f"{copy}/", "")
    return f"status {done['status']}: {line[:160]}"


@dataclass
class Bench:
    """What all builds of a run have in common."""

    checkouts: Path
    binaries: Path
    nvcc: Path
    jobs: int
    temporary: Path

    def make(self, project: Project, way: str) -> list:
        compiler = self.nvcc if way == "plain" else self.binaries / "scuba-nvcc"
        toolkit = self.nvcc.resolve().parent.parent
        return ["make", f"-j{self.jobs}", *(v.format(compiler=compiler, toolkit=toolkit) for v in project.variables)]

    def environment(self, way: str, cache: Path) -> dict:
        environment = {k: v for k, v in os.environ.items() if not FOREIGN.match(k)}
        environment["LC_ALL"] = "C"
        if way == "scuba":
            environment |= {"SCUBA_NVCC": str(self.nvcc), "SCUBA_CACHE": str(cache), "SCUBA_CONFIG": str(self.temporary / "scuba.toml")}
        return environment

    def sample(self, project: Project, way: str, phases: bool = True) -> dict:
        """All phases in a fresh copy, or only whether it builds."""
        place = Path(tempfile.mkdtemp(dir=self.temporary))
        try:
            copy = place / "copy"
            copy.mkdir()
            folder = lay_out(project, self.checkouts, copy)
            environment, command = self.environment(way, place / "cache"), self.make(project, way)
            # Somebody may have built in the checkout. Some makefiles' `clean` fails where there is nothing to remove.
            measured([*command, "clean"], folder, self.environment("plain", place))
            before = set(files(copy))

            def build() -> dict:
                done = measured(command, folder, environment)
                if done["status"]:
                    raise Failed(why(done, copy))
                return done

            if not phases:
                build()
                return {}
            if way == "scuba":
                # Facts of all folders of the copy go here, as they would by the checkout's .git.
                (copy / ".scuba").mkdir()
                (place / "cache").mkdir()
            first = build()
            made = sorted(set(files(copy)) - before)
            rebuilt = {}
            for phase in ("second", "warm"):
                measured([*command, "clean"], folder, environment)
                rebuilt[phase] = slim(build())
            unchanged = [build() for _ in range(UNCHANGED_RUNS)]
            middle = {key: statistics.median(run[key] for run in unchanged) for key in ("wall_s", "cpu_s", "peak_rss_mib")}
            named = command[2].partition("=")[2]
            record = {
                "phases": {"first": slim(first), **rebuilt, "unchanged": middle},
                "made": made,
                # Some makefiles compile again whatever was built.
                "compiles_again": sum(named in line for line in unchanged[-1]["output"].splitlines()),
            }
            if way == "scuba":
                record["facts"] = sum(1 for _ in copy.glob(".scuba/units/*"))
                record["findings"] = len(FINDING.findall(first["output"]))
                record["not_analysed"] = len(NOT_ANALYSED.findall(first["output"]))
            return record
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def stamp(self, project: Project) -> str:
        """What a sample depends on besides the binaries."""
        with tempfile.TemporaryDirectory(dir=self.temporary) as place:
            lay_out(project, self.checkouts, Path(place))
            return hashlib.blake2b(f"{digest(Path(place))} {project.variables} {self.jobs}".encode(), digest_size=8).hexdigest()


def slim(done: dict) -> dict:
    return {key: done[key] for key in ("wall_s", "cpu_s", "peak_rss_mib")}


# --- The journal -------------------------------------------------------------------------------------------------------------


def key_of(record: dict) -> tuple:
    return tuple(record.get(part) for part in ("project", "way", "repetition", "binaries", "sources"))


def read(journal: Path) -> dict:
    """Samples by their keys; a line that an interruption cut is none."""
    samples = {}
    for line in journal.read_text(errors="replace").splitlines() if journal.exists() else []:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("schema") == SCHEMA:
            samples[key_of(record)] = record
    return samples


def append(journal: Path, record: dict) -> None:
    with journal.open("a+b") as out:
        out.seek(0, os.SEEK_END)
        if out.tell():
            out.seek(-1, os.SEEK_END)
            if out.read(1) != b"\n":
                out.write(b"\n")
        out.write(json.dumps(record).encode() + b"\n")


def hash_of_binaries(binaries: Path, nvcc: Path) -> str:
    """Of the shim and what it starts, and of nvcc's version."""
    total = hashlib.blake2b(digest_size=8)
    for name in BINARIES:
        # Piece by piece: a process that is started begins with the most memory that we ever had, and its peak is no less.
        with open(binaries / name, "rb") as content:
            total.update(hashlib.file_digest(content, "blake2b").digest())
    total.update(subprocess.run([nvcc, "--version"], capture_output=True, check=True).stdout)
    return total.hexdigest()


# --- All of it ---------------------------------------------------------------------------------------------------------------


def tell(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def run(bench: Bench, projects: list, repeat: int, journal: Path) -> tuple:
    """Measures what the journal does not hold yet; returns samples by project and way, and why projects have none."""
    binaries = hash_of_binaries(bench.binaries, bench.nvcc)
    known = read(journal)
    samples, left_out, broken = {}, {}, {}
    for project in projects:
        if reason := missing(project, bench.checkouts):
            left_out[project.name] = reason
            continue
        common = {"project": project.name, "binaries": binaries, "sources": bench.stamp(project)}
        # Whoever comes second finds warm file caches: take turns.
        todo = [{**common, "way": way, "repetition": n} for n in range(repeat) for way in (WAYS if n % 2 == 0 else WAYS[::-1])]
        new = [sample for sample in todo if key_of(sample) not in known]
        if new:
            try:
                bench.sample(project, "plain", phases=False)
            except Failed as failed:
                left_out[project.name] = f"does not build plainly: {failed}"
                tell(f"{project.name}: {left_out[project.name]}")
                continue
        for sample in new:
            try:
                record = {"schema": SCHEMA, **sample, "jobs": bench.jobs, "load": round(os.getloadavg()[0], 2), **bench.sample(project, sample["way"])}
            except Failed as failed:
                broken[project.name] = f"fails as `{sample['way']}`, though plain nvcc built it: {failed}"
                tell(f"{project.name}: {broken[project.name]}")
                break
            append(journal, record)
            known[key_of(sample)] = record
            walls = ", ".join(f"{phase} {record['phases'][phase]['wall_s']:.2f} s" for phase in record["phases"])
            tell(f"{project.name}, {sample['way']}, {sample['repetition'] + 1} of {repeat}: {walls}")
        if project.name not in broken:
            samples[project.name] = {way: [known[key_of(sample)] for sample in todo if sample["way"] == way] for way in WAYS}
    return samples, left_out, broken


def row_of(project: Project, ways: dict) -> dict:
    """Medians of the repetitions, and what they come to."""

    def middle(way: str, phase: str, key: str) -> float:
        return statistics.median(sample["phases"][phase][key] for sample in ways[way])

    row = {"plain_wall": middle("plain", "first", "wall_s"), "plain_cpu": middle("plain", "first", "cpu_s")}
    for name, phase in (("cold", "first"), ("second", "second"), ("warm", "warm")):
        for short, key in (("wall", "wall_s"), ("cpu", "cpu_s")):
            row[f"{name}_{short}"] = middle("scuba", phase, key) / middle("plain", phase, key)
    row["added_ms"] = 1000 * (middle("scuba", "unchanged", "wall_s") - middle("plain", "unchanged", "wall_s")) / project.units
    row["plain_mib"], row["scuba_mib"] = (middle(way, "first", "peak_rss_mib") for way in WAYS)
    return row


def remarks(project: Project, ways: dict) -> list:
    """What a reader of the row must know."""
    last = ways["scuba"][-1]
    said = []
    if last["findings"]:
        said.append(f"{last['findings']} finding{'s' * (last['findings'] > 1)}")
    if last["not_analysed"]:
        said.append(f"{last['not_analysed']} not analysed")
    if last["facts"] < project.units:
        said.append(f"facts of {last['facts']} units only")
    if last["compiles_again"]:
        said.append("make compiles again")
    if any(a["made"] != b["made"] for a, b in zip(ways["plain"], ways["scuba"])):
        said.append("the builds left different files")
    return said


def table(projects: list, samples: dict, left_out: dict, broken: dict) -> str:
    """Markdown; the projects, then the medians over them."""
    head = ["project", "units", "plain wall, s", "CPU, s", "empty cache: wall", "CPU", "second build: wall", "CPU", "warm cache: wall", "CPU", "unchanged: ms per unit", "peak MiB: plain", "shim", "remarks"]
    lines = [head, ["---", *["---:"] * (len(head) - 2), "---"]]
    timed = [f"{build}_{what}" for build in ("plain", "cold", "second", "warm") for what in ("wall", "cpu")]
    formats = {**dict.fromkeys(timed, "{:.2f}"), "added_ms": "{:+.1f}", "plain_mib": "{:.0f}", "scuba_mib": "{:.0f}"}

    def cells(row: dict) -> list:
        return [form.format(row[key]) for key, form in formats.items()]

    rows = {}
    for project in projects:
        if project.name in samples:
            rows[project] = row_of(project, samples[project.name])
            lines.append([project.name, str(project.units), *cells(rows[project]), ", ".join(remarks(project, samples[project.name]))])
        else:
            reason = left_out.get(project.name) or broken[project.name]
            lines.append([project.name, str(project.units), *[""] * (len(head) - 3), ("left out: " if project.name in left_out else "") + reason.replace("|", "\\|")])
    public = [row for project, row in rows.items() if not project.generated]
    for name, those in ((f"**median of {len(public)} public**", public), (f"**median of all {len(rows)}**", list(rows.values()))):
        if those and (those is public or len(public) != len(rows)):
            lines.append([name, "", *cells({key: statistics.median(row[key] for row in those) for key in formats}), ""])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def add_arguments(parser) -> None:
    """The options that `bench.py` has too."""
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="samples of each public project and way (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="PATTERN", help="only public projects of such names, as 'HeCBench *' or '*lud'")
    parser.add_argument("--binaries", type=Path, default=ROOT / "target" / "release", metavar="FOLDER", help="where scuba-nvcc, scuba and scuba-extract lie (default: target/release)")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="other binaries, as of an older version: measured in the same run, with a table of their own before")
    parser.add_argument("--first", nargs="*", choices=("nothing", "warmed", "restored"), metavar="CACHE", help="measure only first builds: with nothing cached, with a warmed cache, with a cache restored elsewhere (default: all three); see bench/first.py")
    parser.add_argument("--write", type=Path, metavar="FILE", help="with --first: a page for the table")
    parser.add_argument("--journal", type=Path, default=JOURNAL, metavar="FILE", help="of the public projects' samples (default: target/bench-projects.jsonl)")


def measure(checkouts: Path, nvcc: Path, arguments) -> int:
    """Measures the public projects, prints the table, and returns the status."""
    if arguments.repeat < 1 or arguments.jobs < 1:
        fail("--repeat and --jobs are at least 1")
    if not checkouts.is_dir():
        fail(f"{checkouts} is no folder; DIR names one that holds checkouts of {' and '.join(sorted({p.checkout for p in PROJECTS if p.checkout}))}")
    if not any((checkouts / p.checkout).is_dir() for p in PROJECTS if p.checkout):
        fail(f"{checkouts} holds none of the checkouts {', '.join(sorted({p.checkout for p in PROJECTS if p.checkout}))}")
    folders = {"before": arguments.against, "after": arguments.binaries} if arguments.against else {"": arguments.binaries}
    for folder in folders.values():
        for name in BINARIES:
            if not os.access(folder / name, os.X_OK):
                fail(f"no program {folder / name}; `make build` makes it, or --binaries and --against name other folders")
    for tool in ("make", "g++"):
        if shutil.which(tool) is None:
            fail(f"no `{tool}` in PATH, which the projects' makefiles need")
    projects = [p for p in PROJECTS if not arguments.only or any(fnmatch.fnmatch(p.name, pattern) for pattern in arguments.only)]
    if not projects:
        fail(f"--only {' '.join(arguments.only)} names no project; there are: {', '.join(p.name for p in PROJECTS)}")

    # Processes whose parent ended come to us, and are counted; so does an end by SIGTERM, which must remove the copies.
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if arguments.first is not None:
        return measure_first(checkouts, nvcc, projects, arguments)
    if os.getloadavg()[0] > 0.5:
        tell(f"note: the machine is busy (load {os.getloadavg()[0]:.1f}): wall times will not be comparable")
    arguments.journal.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="scuba-bench-") as temporary:
        (Path(temporary) / "scuba.toml").write_text('[levels]\nall = "warn"\n')
        measured = {}
        for title, folder in folders.items():
            bench = Bench(checkouts.resolve(), folder.resolve(), nvcc, arguments.jobs, Path(temporary).resolve())
            measured[title] = run(bench, projects, arguments.repeat, arguments.journal)
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout.split("release ")[-1].split(",")[0]
    for title, results in measured.items():
        print(f"{title}:\n\n" * bool(title) + table(projects, *results) + "\n" * bool(title))
    print(
        f"\nMedians of {arguments.repeat}, `make -j{arguments.jobs}`, nvcc {version}. Plain: nvcc's first build, in seconds. Ratios: the same build through scuba-nvcc over nvcc's, first (empty"
        "\ncache), second, and third (warm cache). Unchanged: what the shim adds to a make with nothing to do, which starts no compiler unless the makefile compiles in"
        '\nany case. Peak: the largest process of the first build. Findings only warned (`[levels] all = "warn"`), so that all builds ran to their end.'
    )
    return 1 if any(broken for *_, broken in measured.values()) else 0


def measure_first(checkouts: Path, nvcc: Path, chosen: list, arguments) -> int:
    """First builds only, of each of the named binaries."""
    # It builds on this module.
    import first

    arguments.first = arguments.first or list(first.CACHES)
    folders = {"before": arguments.against, "after": arguments.binaries} if arguments.against else {"": arguments.binaries}
    status = 0
    for title, folder in folders.items():
        with tempfile.TemporaryDirectory(prefix="scuba-bench-") as temporary:
            (Path(temporary) / "scuba.toml").write_text('[levels]\nall = "warn"\n')
            print(f"{title}:\n" * bool(title))
            bench = Bench(checkouts.resolve(), folder.resolve(), nvcc, arguments.jobs, Path(temporary).resolve())
            status |= first.measure(bench, chosen, arguments)
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of checkouts")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="of make (default: the machine's)")
    add_arguments(parser)
    arguments = parser.parse_args()
    found = subprocess.run([ROOT / "tools" / "find-nvcc.sh"], capture_output=True, text=True)
    if found.returncode:
        fail("no nvcc: set SCUBA_NVCC, put it into PATH, or `make setup`")
    return measure(arguments.folder, Path(found.stdout.strip()), arguments)


if __name__ == "__main__":
    sys.exit(main())
