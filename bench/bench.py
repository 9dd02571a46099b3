#!/usr/bin/env python3
"""Build time and memory of scuba-nvcc over plain nvcc: `make bench`.

Builds generated projects of different size with both, alternating, and compares the medians: wall time, CPU time of all
processes of the build (user and system), and the memory of its largest process. Then what the join of a built project takes
(`scuba check`, without and with its cache) over nvcc's whole build, and a join of ten thousand generated facts. A table goes to
standard output, every sample to target/bench.json. Wants `make build` to have run.

With --dir FOLDER (`make bench DIR=FOLDER`) also public programs, by their own makefiles: see `bench/projects.py --help`.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import generate
import projects

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "bench"
# Where cargo leaves what it builds; and the programs that are measured (--binaries).
BUILT = ROOT / "target" / "release"
RELEASE = BUILT
CACHE = WORK / "cache"

# name, translation units, kernels in each, repetitions
PROJECTS = [("small", 1, 4, 7), ("medium", 8, 4, 3), ("large", 40, 3, 1)]
WAYS = ("plain", "scuba")
# Units of the join that is measured by itself.
MANY = 10_000


def fail(message: str) -> None:
    sys.exit(f"bench: {message}")


def quietly(command: list, environment: dict, allowed=(0,)) -> str:
    """Runs what is not measured; its output matters only when it fails."""
    done = subprocess.run([str(c) for c in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in allowed:
        print(done.stdout, file=sys.stderr)
        fail(f"{' '.join(map(str, command))} ended with status {done.returncode}")
    return done.stdout


def measured(command: list, environment: dict) -> dict:
    """Runs a build, and counts all processes that it waited for."""
    log = WORK / "build.log"
    with open(log, "w") as output:
        start = time.monotonic()
        process = subprocess.Popen([str(c) for c in command], env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        print(log.read_text(), file=sys.stderr)
        fail(f"{' '.join(map(str, command))} ended with status {process.returncode}; the projects have no bug")
    return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_rss_mib": usage.ru_maxrss / 1024}


def configure(source: Path, build: Path, nvcc: str, way: str, environment: dict) -> None:
    shutil.rmtree(build, ignore_errors=True)
    launcher = [f"-DCMAKE_CUDA_COMPILER_LAUNCHER={RELEASE / 'scuba-nvcc'}"] if way == "scuba" else []
    options = [f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CUDA_ARCHITECTURES=80"]
    quietly(["cmake", "-G", "Ninja", "-S", source, "-B", build, *options, *launcher], environment)


def forget(build: Path, environment: dict) -> None:
    """Removes what was built, and what the analysis remembers of it."""
    quietly(["cmake", "--build", build, "--target", "clean"], environment)
    shutil.rmtree(build / ".scuba", ignore_errors=True)
    shutil.rmtree(CACHE, ignore_errors=True)


def analysed(build: Path, environment: dict) -> dict:
    """What the analysis saw: a fast build that analysed nothing would be no result."""
    command = [RELEASE / "scuba", "check", build, "--message-format", "json"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout)["summary"]
    except (ValueError, KeyError):
        print(done.stderr, file=sys.stderr)
        return fail(f"`scuba check {build}` printed no report (status {done.returncode})")


def join(build: Path, plain_s: float, environment: dict) -> dict:
    """`scuba check` of a built project: when nothing is known about it yet, and when nothing changed since."""
    times = {}
    for how in ("first", "again"):
        if how == "first":
            shutil.rmtree(CACHE, ignore_errors=True)
        start = time.monotonic()
        quietly([RELEASE / "scuba", "check", build, "-q"], environment, allowed=(0, 1))
        times[how] = time.monotonic() - start
    return {"seconds": times, "over nvcc": {how: s / plain_s for how, s in times.items()}}


def many(environment: dict) -> dict:
    """A join of very many units, of which nothing is known but their facts."""
    quietly(["cargo", "build", "--release", "--locked", "--example", "many-facts", "--manifest-path", ROOT / "Cargo.toml"], dict(os.environ))
    folder = WORK / "many"
    shutil.rmtree(folder, ignore_errors=True)
    quietly([BUILT / "examples" / "many-facts", folder, MANY], environment)
    start = time.monotonic()
    quietly([RELEASE / "scuba", "check", folder, "-q"], {**environment, "SCUBA_CACHE": "off"})
    return {"units": MANY, "seconds": time.monotonic() - start}


def bench(name: str, units: int, kernels: int, repetitions: int, jobs: int, nvcc: str, environment: dict) -> list:
    source = WORK / name / "source"
    generate.project(source, units, kernels, seed=units)
    builds = {way: WORK / name / way for way in WAYS}
    for way, build in builds.items():
        configure(source, build, nvcc, way, environment)

    samples = {"full": {way: [] for way in WAYS}, "one changed": {way: [] for way in WAYS}}
    for repetition in range(repetitions):
        # Whoever comes second finds warm file caches: take turns.
        order = WAYS if repetition % 2 == 0 else WAYS[::-1]
        for way in order:
            forget(builds[way], environment)
            samples["full"][way].append(measured(["cmake", "--build", builds[way], "--parallel", jobs], environment))
        if units > 1:
            with open(source / "unit_1.cu", "a") as unit:
                unit.write(f"// {repetition}\n")
            for way in order:
                samples["one changed"][way].append(measured(["cmake", "--build", builds[way], "--parallel", jobs], environment))

    summary = analysed(builds["scuba"], environment)
    if summary["translation_units"] != units or summary["not_analysed"] or not summary["accesses"]:
        fail(f"{name}: the shim did not analyse all of the {units} translation units: {summary}")
    plain = statistics.median(sample["wall_s"] for sample in samples["full"]["plain"])
    joined = join(builds["scuba"], plain, environment)
    return [
        {"project": name, "join": joined, "units": units, "kernels": units * kernels, "build": build, "jobs": jobs, "samples": ways, "summary": summary}
        for build, ways in samples.items()
        if ways["plain"]
    ]


def median(samples: list, key: str) -> float:
    return statistics.median(sample[key] for sample in samples)


def table(rows: list) -> str:
    head = ["project", "units", "build", "runs", "wall nvcc", "scuba", "ratio", "CPU nvcc", "scuba", "ratio", "RSS nvcc", "scuba"]
    lines = [head]
    for row in rows:
        cells = [row["project"], str(row["units"]), row["build"], str(len(row["samples"]["plain"]))]
        for key in ("wall_s", "cpu_s"):
            plain, scuba = (median(row["samples"][way], key) for way in WAYS)
            cells += [f"{plain:.2f} s", f"{scuba:.2f} s", f"{scuba / plain:.2f}"]
        cells += [f"{median(row['samples'][way], 'peak_rss_mib'):.0f} MiB" for way in WAYS]
        lines.append(cells)
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--projects", nargs="+", choices=[p[0] for p in PROJECTS], default=[p[0] for p in PROJECTS])
    parser.add_argument("--repetitions", type=int, help="of every project (default: more of the small ones)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="of the build tool (default: the machine's)")
    public = parser.add_argument_group("public programs")
    public.add_argument("--dir", type=Path, metavar="FOLDER", help="of checkouts: their programs are measured too")
    public.add_argument("--public-only", action="store_true", help="measure nothing but these")
    projects.add_arguments(public)
    arguments = parser.parse_args()
    if arguments.public_only and not arguments.dir:
        fail("--public-only wants --dir FOLDER, which `make bench DIR=FOLDER` gives")
    global RELEASE
    RELEASE = arguments.binaries.resolve()

    nvcc = quietly([ROOT / "tools" / "find-nvcc.sh"], dict(os.environ)).strip()
    if arguments.public_only:
        sys.exit(projects.measure(arguments.dir, Path(nvcc), arguments))
    ours = ("SCUBA_", "NVCC_", "CUDACXX", "CUDAFLAGS")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    environment["SCUBA_CACHE"] = str(CACHE)
    WORK.mkdir(parents=True, exist_ok=True)

    rows = []
    for name, units, kernels, repetitions in PROJECTS:
        if name in arguments.projects:
            rows += bench(name, units, kernels, arguments.repetitions or repetitions, arguments.jobs, nvcc, environment)

    facts = many(environment)
    version = quietly([nvcc, "--version"], environment).split("release ")[-1].split(",")[0]
    machine = {"nvcc": version, "cpus": arguments.jobs, "machine": platform.machine(), "system": platform.platform()}
    result = ROOT / "target" / "bench.json"
    result.write_text(json.dumps({"schema": "scuba-bench/1", "machine": machine, "rows": rows, "many": facts}, indent=1) + "\n")
    print(table(rows))
    print()
    for row in rows:
        if row["build"] == "full":
            seconds, over = row["join"]["seconds"], row["join"]["over nvcc"]
            told = ", ".join(f"{how} {seconds[how]:.2f} s ({over[how]:.3f} of nvcc's build)" for how in seconds)
            print(f"join of {row['project']} ({row['units']} units): {told}")
    print(f"join of {facts['units']} generated units: {facts['seconds']:.1f} s")
    print(f"\nmedians; RSS of the largest process; nvcc {version}, {arguments.jobs} jobs; all samples in {result.relative_to(ROOT)}")
    if arguments.dir:
        print(flush=True)
        sys.exit(projects.measure(arguments.dir, Path(nvcc), arguments))


if __name__ == "__main__":
    main()
