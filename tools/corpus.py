#!/usr/bin/env python3
"""Analyses the programs of the evaluation where they lie and compares what is found with what a reading by hand gives.

    tools/corpus.py DIR [ROW ...]     DIR holds checkouts: HeCBench, gpu-rodinia, IndigoSuite, cuda-ptx, llm.c, kaldi, cuda-samples, ScoR

Nothing of them is built, changed or copied into this repository; Indigo's programs are generated into a temporary folder by
its own script. A row whose checkout is missing is left out and said. The exit status is 1 if a row differs, 2 if there is
nothing to compare. A row is as expected where the findings are; accesses that stay undecided are remarked. Where a row is
about some kernels of a program, the counts from `accesses` to `undecided` are the whole program's.
Only the Python standard library is used.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent.parent
TOOLKIT = HERE / ".deps/cuda/nvidia/cu13"
ARCHITECTURE = "-arch=sm_80"


@dataclass(frozen=True)
class Expected:
    """How many places must be found. Either by level, or all together where the level is not what matters."""

    denied: int = 0
    warned: int = 0
    together: int | None = None

    def __str__(self):
        if self.together is not None:
            return f"{self.together} at any level"
        parts = [f"{n} {what}" for n, what in ((self.denied, "denied"), (self.warned, "warned")) if n]
        return ", ".join(parts) or "clean"

    def meets(self, denied, warned):
        return denied + warned == self.together if self.together is not None else (denied, warned) == (self.denied, self.warned)


CLEAN = Expected()


@dataclass(frozen=True)
class Program:
    """Sources that make one program, relative to `folder`, which is relative to the folder of checkouts."""

    folder: str
    sources: tuple
    flags: tuple = ()
    # Called with the checkout's folder and a temporary one; gives further flags, or sources in place of `sources`.
    prepare: object = None


@dataclass(frozen=True)
class Row:
    name: str
    program: Program
    expected: Expected = CLEAN
    # Only findings in kernels whose name has one of these; the counts are the whole program's.
    kernels: tuple = ()


def indigo(pattern):
    """Generates one pattern of IndigoSuite; of its variants the plain one is meant."""

    def prepare(folder, temporary):
        copy = temporary / "Generators"
        if not copy.exists():
            shutil.copytree(folder, copy)
            shutil.copy(folder.parent / "copyright.txt", temporary / "copyright.txt")
        out = temporary / "generated"
        out.mkdir(exist_ok=True)
        command = [sys.executable, "-W", "ignore", "generate_CUDA_codes.py", f"CUDA_sources/{pattern}.idg", "../copyright.txt", str(out)]
        subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return (str(out / pattern / f"{pattern}.cu"),), ()

    return prepare


def kaldi(_folder, temporary):
    """What kaldi's configure script would leave, and what the CUB of CUDA 13 has no more."""
    (temporary / "base").mkdir(exist_ok=True)
    (temporary / "base/version.h").write_text('#define KALDI_VERSION "5.5"\n')
    header = temporary / "cub_max.h"
    header.write_text(
        "#ifdef __CUDACC__\n"
        "#include <cuda_runtime.h>\n"
        "namespace cub { struct Max { template <class T> __host__ __device__ T operator()(const T &a, const T &b) const "
        "{ return a < b ? b : a; } }; }\n"
        "#endif\n"
    )
    return (), (f"-I{temporary}", "-include", str(header), f"-I{TOOLKIT / 'include'}")


def hecbench(name, *more, sources=("main.cu",)):
    return Program(f"HeCBench/src/{name}-cuda", sources, ("-std=c++17", *more))


def indigo_program(pattern):
    return Program("IndigoSuite/Generators", (), ("-Isources_include", "-Igraph_include"), indigo(pattern))


def own(name):
    """Programs of this repository, in the shapes of cuCatch's, which are not public."""
    return Program(str(HERE / "tests/ui/memory-spaces"), (f"{name}.cu",))


ADV = ("-Ddfloat=double", "-Ddlong=int")
LUD = Program("gpu-rodinia/cuda/lud/cuda", ("lud.cu", "lud_kernel.cu", "../common/common.c"), ("-I../common",))
CONVOLUTION = Program(
    "cuda-samples/Samples/2_Concepts_and_Techniques/convolutionSeparable",
    ("convolutionSeparable.cu", "main.cpp", "convolutionSeparable_gold.cpp"), ("-I../../../Common", "-std=c++17"))
KALDI = Program(
    "kaldi/src/cudamatrix", ("cu-kernels.cu", "cu-matrix.cc", "cu-common.cc"),
    ("-I..", "-DHAVE_CUDA=1", "-DKALDI_DOUBLEPRECISION=0", "-DHAVE_OPENBLAS", "-std=c++17"), kaldi)
RULE110 = Program("ScoR/benchmarks/rule-110", ("r110_main.cu", "r110_kernel.cu"), ("-I.", "-DNTHREADS=1024", "-DNBLOCKS=15", "-std=c++17"))

ROWS = (
    Row("fluidAdvection", hecbench("adv", *ADV), Expected(19)),
    Row("axHelm", hecbench("axhelm", *ADV, sources=("main.cu", "meshBasis.cpp")), Expected(2, 2)),
    Row("luDecomposition", LUD, Expected(2)),
    # The kernel's accesses; for a graph without edges the host copies one element of an empty block, which warns besides.
    Row("pathCompression", indigo_program("path_compression"), CLEAN, ("test_kernel",)),
    Row("populateWorklist", indigo_program("populate_worklist_neighbors"), Expected(together=2), ("test_kernel",)),
    Row("pushNode", indigo_program("push_node_neighbors"), Expected(together=2), ("test_kernel",)),
    Row("sosfil", hecbench("sosfil")),
    Row("matmul", Program("cuda-ptx", ("main.cu", "src/cuda_c.cu", "src/cuda_ptx.cu"), ("-DSHARED",))),
    Row("softmax", Program("llm.c/dev/cuda", ("softmax_forward.cu",), ("-std=c++17",)), CLEAN, ("softmax_forward_kernel7",)),
    Row("kalmanFilter", hecbench("kalman")),
    Row("globalOOb", own("global_oob"), Expected(1)),
    Row("localOOb", own("local_oob"), Expected(1)),
    Row("staticSharedOOb", own("static_shared_oob"), Expected(1)),
    Row("dynamicSharedOOb", own("dynamic_shared_oob"), Expected(1)),
    Row("globalOOb, corrected", own("global_ok")),
    Row("localOOb, corrected", own("local_ok")),
    Row("staticSharedOOb, corrected", own("static_shared_ok")),
    Row("dynamicSharedOOb, corrected", own("dynamic_shared_ok")),
    Row("CopyUpperToLower", KALDI, CLEAN, ("_copy_upp_low",)),
    Row("CopyLowerToUpper", KALDI, CLEAN, ("_copy_low_upp",)),
    Row("CopyFromMat", KALDI, CLEAN, ("_copy_from_mat",)),
    Row("NeedlemanWunsch", Program("gpu-rodinia/cuda/nw", ("needle.cu",))),
    Row("convolutionSeparable", CONVOLUTION),
    Row("rule110", RULE110),
)


@dataclass
class Run:
    """One analysis: the document, what was said besides, seconds, and MiB of its largest process."""

    report: dict | None = None
    said: str = ""
    seconds: float = 0.0
    mebibytes: float = 0.0
    notes: list = field(default_factory=list)


def analyse(program, checkouts, temporary, scuba):
    folder = (checkouts / program.folder).resolve()
    sources, flags = program.sources, program.flags
    # Include folders of the checkout stay where they are, whatever the sources.
    if program.prepare:
        scratch = temporary / folder.parent.name
        scratch.mkdir(exist_ok=True)
        other, more = program.prepare(folder, scratch)
        sources, flags = other or sources, (*more, *flags)
    command = [str(scuba), "check", "-q", "-j", "2", "--message-format", "json", *sources, "--", ARCHITECTURE, *flags]
    # Settings of this machine have no say; an empty file keeps out those of folders above.
    settings = temporary / "scuba.toml"
    settings.touch()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCUBA_")}
    environment["SCUBA_NVCC"] = os.environ.get("SCUBA_NVCC") or str(TOOLKIT / "bin/nvcc")
    environment["SCUBA_CONFIG"] = str(settings)
    # Verdicts of an earlier run would make the seconds mean nothing.
    environment["SCUBA_CACHE"] = "off"
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)
        _, _, usage = os.wait4(child.pid, 0)
        # The child is reaped: Popen must not wait for it again.
        child.returncode = 0
        out.seek(0)
        err.seek(0)
        run = Run(said=err.read().decode(errors="replace"), seconds=time.monotonic() - started, mebibytes=usage.ru_maxrss / 1024)
        try:
            run.report = json.load(out)
        except ValueError:
            pass
    return run


def findings_of(row, run):
    wanted = lambda f: not row.kernels or any(name in f["access"]["kernel"] for name in row.kernels)
    return [f for f in run.report["findings"] if wanted(f)]


def undecided_of(row, run):
    return sum(1 for u in run.report["undecided"] if not row.kernels or any(name in u["kernel"] for name in row.kernels))


def by_rule(findings):
    counts = collections.Counter(f["rule"] for f in findings)
    return " + ".join(f"{n} {rule}" for rule, n in sorted(counts.items()))


HEADINGS = ("row", "expected", "denied", "warned", "accesses", "safe", "if no wrap", "assuming", "possible", "undecided", "s", "MiB", "")


def compare(row, run):
    """The cells of one row, and whether it is as expected."""
    if run.report is None:
        last = run.said.strip().splitlines()
        return (row.name, str(row.expected), *[""] * 8, f"{run.seconds:.1f}", f"{run.mebibytes:.0f}", "no report: " + (last[-1] if last else "nothing was said")), False
    findings = findings_of(row, run)
    denied = [f for f in findings if f["level"] == "deny"]
    warned = [f for f in findings if f["level"] == "warn"]
    s = run.report["summary"]
    same = row.expected.meets(len(denied), len(warned)) and s["not_analysed"] == 0
    remarks = [] if row.expected.meets(len(denied), len(warned)) else ["differs"]
    if s["not_analysed"]:
        remarks.append(f"{s['not_analysed']} sides not analysed")
    if same and undecided_of(row, run):
        remarks.append(f"{undecided_of(row, run)} of its accesses undecided")
    cells = (
        row.name, str(row.expected), by_rule(denied) or "0", by_rule(warned) or "0", s["accesses"], s["safe"], s["safe_if_no_wrap"],
        s.get("safe_assuming", 0), s["possible"], s["unknown"], f"{run.seconds:.1f}", f"{run.mebibytes:.0f}", "; ".join(remarks) or "same")
    return tuple(map(str, cells)), same


def table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADINGS))]
    numbers = range(4, 12)
    for line in lines:
        print("  ".join(cell.rjust(width) if i in numbers else cell.ljust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", metavar="DIR", type=pathlib.Path, help="the folder of the checkouts")
    parser.add_argument("rows", metavar="ROW", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--scuba", type=pathlib.Path, default=HERE / "target/release/scuba", help="the program to run")
    parser.add_argument("--findings", action="store_true", help="list every finding below the table")
    arguments = parser.parse_args()
    if not arguments.checkouts.is_dir():
        parser.error(f"{arguments.checkouts} is not a folder: name the one that holds the checkouts (`make corpus DIR=...`)")
    if not arguments.scuba.is_file():
        parser.error(f"{arguments.scuba} is missing: run `make build`")
    checkouts, scuba = arguments.checkouts.resolve(), arguments.scuba.resolve()
    wanted = [row for row in ROWS if not arguments.rows or any(part.lower() in row.name.lower() for part in arguments.rows)]
    if not wanted:
        parser.error(f"no row is called so; there are {', '.join(row.name for row in ROWS)}")

    runs, lines, details, missing, different, open_rows = {}, [HEADINGS], [], [], 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        for row in wanted:
            if not (checkouts / row.program.folder).is_dir():
                missing.append(f"{row.name}: {row.program.folder} is not there")
                continue
            if row.program not in runs:
                print(f"{row.name} ...", file=sys.stderr, flush=True)
                try:
                    runs[row.program] = analyse(row.program, checkouts, pathlib.Path(temporary), scuba)
                except (OSError, subprocess.CalledProcessError) as fault:
                    runs[row.program] = Run(said=str(fault))
            run = runs[row.program]
            cells, same = compare(row, run)
            lines.append(cells)
            different += not same
            open_rows += same and undecided_of(row, run) > 0
            if arguments.findings and run.report:
                for f in findings_of(row, run):
                    a = f["access"]
                    details.append(f"{row.name}: {a['file']}:{a['line']}:{a['column']}: {f['level']} {f['rule']} {f['verdict']}: `{a['array']}` [{a['index']}] in {a['kernel']}")
                details += [f"{row.name}: {n['file']}: {n['side']} side not analysed: {n['reason']}" for n in run.report["not_analysed"]]
    table(lines)
    for line in details + missing:
        print(line)
    compared = len(lines) - 1
    undecided = f", {open_rows} of them with accesses that are undecided" if open_rows else ""
    print(f"{compared - different} of {compared} rows as expected{undecided}" + (f"; {len(missing)} left out" if missing else ""))
    return 2 if compared == 0 else int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
