#!/usr/bin/env python3
"""How joins grow with the project: `make scale-joins`.

Facts as a build of many units and programs leaves them (examples/many-facts.rs multiplies two units that were compiled), each
family growing in one respect. Measured are, with user and system seconds of all processes and memory of the largest one:

- `check`: `scuba check` of all programs, whose verdicts the cache has;
- `no-op`: `scuba build` of a command that does nothing, with the same verdicts;
- `compile`: one unit compiled again through the shim, less what nvcc alone takes; of three runs of each the one with the
  least CPU time;
- `compile (link)`: the same with `[build] check = "link"`;
- `first`: `scuba check` with an empty cache.

Every answer is looked at: the programs and units that there are, all read, every access that main reaches safe. Each
measurement is a line of the journal and is not repeated for the same binaries; --label names them. The page shows all labels of
the journal, in the order of their first lines.
"""

import argparse
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scale import ROOT, run, slope

UNIT = """\
#include <cuda_runtime.h>
#include <vector>
__global__ void kernel0000000(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 2.0f * a[i];
}
void step0000000(int n) {
  float *a;
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess) return;
  kernel0000000<<<(n + 255) / 256, 256>>>(a, n);
  cudaFree(a);
}
"""
MAIN = """\
#include <cstdlib>
#include <cuda_runtime.h>
void step9999999(int n);
int main(int argc, char **argv) {
  if (argc != 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 4096) return 1;
  step9999999(n);
  return 0;
}
"""
LINKED = 99
# What grows: words, sizes, and for each size the units, the programs and how many units each of these links.
FAMILIES = {
    "units": ("units, a hundred to a program", (1_000, 10_000, 100_000), lambda n: (n - n // 100, n // 100, LINKED)),
    "programs": ("programs over the same hundred units", (10, 100, 1_000), lambda n: (100, n, 100)),
}
WAYS = ("first", "check", "no-op", "compile", "compile (link)")
SETTINGS = {"compile (link)": '[build]\ncheck = "link"\n'}


def environment(options, cache: Path) -> dict:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SCUBA_", "NVCC_"))}
    return {**kept, "SCUBA_NVCC": str(options.nvcc), "SCUBA_CACHE": str(cache)}


def make(family: str, size: int, folder: Path, options) -> tuple:
    """Facts of a build; returns how many units and programs there are."""
    units, programs, linked = FAMILIES[family][2](size)
    folder.mkdir(parents=True)
    (folder / "scuba.toml").write_text("")
    for name, text in (("unit", UNIT), ("main", MAIN)):
        (folder / f"{name}0000000.cu").write_text(text)
        command = [options.release / "scuba-nvcc", "-arch=sm_80", "-c", f"{name}0000000.cu", "-o", f"{name}0000000.o"]
        subprocess.run(command, cwd=folder, env=environment(options, Path("off")), check=True)
    subprocess.run([options.many_facts, folder, str(units), str(programs), str(linked)], check=True)
    # The copies replaced the objects of the two.
    shutil.rmtree(folder / ".scuba/made")
    return units + programs, programs


def judged(done: dict, units: int, programs: int, report: Path | None = None) -> str | None:
    """What is wrong with an answer."""
    if done["late"]:
        return "late"
    try:
        summary = json.loads(report.read_bytes() if report else done["stdout"])["summary"]
    except (ValueError, KeyError, OSError):
        return f"no report (status {done['status']}): {done['stderr'].strip().splitlines()[-1:]}"
    # A unit that no program takes in is a program of its own; there is none here.
    right = {"programs": programs, "not_analysed": 0, "possible": 0, "proved": 0}
    wrong = [f"{key} {summary[key]} instead of {value}" for key, value in right.items() if summary[key] != value]
    return "; ".join(wrong) or None


def command_of(way: str, folder: Path, options) -> list:
    if way == "no-op":
        return [options.release / "scuba", "build", "--message-format", "json", "--", "make", "-q", "-C", folder]
    if way.startswith("compile"):
        return [options.release / "scuba-nvcc", "-arch=sm_80", "-c", "unit0000000.cu", "-o", "unit0000000.o"]
    return [options.release / "scuba", "check", folder, "--message-format", "json"]


def measure(family: str, size: int, ways: list, options, done_with) -> None:
    with tempfile.TemporaryDirectory(prefix="scuba-joins-", dir=options.work) as top:
        folder, cache = Path(top) / "p", Path(top) / "cache"
        units, programs = make(family, size, folder, options)
        (folder / "Makefile").write_text("all:\n")
        env = environment(options, cache)
        for way in dict.fromkeys(("first", *ways)):
            words = [str(w) for w in command_of(way, folder, options)]
            (folder / "scuba.toml").write_text(SETTINGS.get(way, ""))
            if way.startswith("compile"):
                # nvcc's own share: the same command without SCuBA.
                least = lambda env: min((run(words, folder, env, options.limit) for _ in range(3)), key=lambda p: p["cpu_s"])
                run(words, folder, env, options.limit)
                plain, point = least({**env, "SCUBA_OFF": "1"}), least(env)
                point["cpu_s"] = round(point["cpu_s"] - plain["cpu_s"], 3)
                point["wall_s"] = round(point["wall_s"] - plain["wall_s"], 3)
                why = None if point["status"] == 0 else f"status {point['status']}: {point['stderr'][-200:]}"
            else:
                point = run(words, folder, env, options.limit)
                why = judged(point, units, programs)
            if way not in ways:
                # Fills the cache for what is measured.
                continue
            kept = {key: point[key] for key in ("wall_s", "cpu_s", "peak_mib")}
            done_with({"family": family, "size": size, "way": way, "units": units, "programs": programs, **kept, "why": why})


def table(points: list) -> str:
    labels = list(dict.fromkeys(p["label"] for p in points))
    lines = ["| what grows | size | what is run | " + " | ".join(f"{label}: CPU s | MiB" for label in labels) + " |"]
    lines.append("| --- | ---: | --- |" + " ---: | ---: |" * len(labels))
    by = {(p["label"], p["family"], p["way"], p["size"]): p for p in points}
    for family, (what, sizes, _) in FAMILIES.items():
        for way in WAYS:
            shown = [size for size in sizes if any((label, family, way, size) in by for label in labels)]
            for size in shown:
                cells = []
                for label in labels:
                    p = by.get((label, family, way, size))
                    cells += [f"{p['cpu_s']:.2f}", f"{p['peak_mib']:.0f}"] if p and not p["why"] else ["–", "–"]
                lines.append(f"| {what} | {size:,} | {way} | " + " | ".join(cells) + " |")
            growth = []
            for label in labels:
                pairs = [(size, by[label, family, way, size]["cpu_s"]) for size in shown if (label, family, way, size) in by]
                pairs = [(x, max(y, 0.001)) for x, y in pairs][-2:]
                found = slope(pairs)
                growth += [f"n^{found:.2f}" if found is not None and not math.isnan(found) else "–", ""]
            if shown:
                lines.append(f"| | | *{way}, last two* | " + " | ".join(growth) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", type=Path, default=ROOT / "target/release", help="folder of the binaries (default: target/release)")
    parser.add_argument("--many-facts", type=Path, default=None, help="the example (default: examples/many-facts beside the binaries)")
    parser.add_argument("--label", default="now", help="names these binaries in the page")
    parser.add_argument("--journal", type=Path, default=ROOT / "target/scale-joins.jsonl")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/evaluation/scale-joins.md")
    parser.add_argument("--work", type=Path, default=None, help="where projects are made (default: the system's)")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--max-size", type=int, default=100_000)
    parser.add_argument("--limit", type=float, default=500, help="seconds of one command")
    options = parser.parse_args()
    options.release = options.release.resolve()
    options.many_facts = (options.many_facts or options.release / "examples/many-facts").resolve()
    found = subprocess.run([ROOT / "tools/find-nvcc.sh"], capture_output=True, text=True)
    options.nvcc = found.stdout.strip() or sys.exit("scale-joins: no nvcc: run `make setup`")
    with open(options.release / "scuba", "rb") as program:
        digest = hashlib.file_digest(program, "sha256").hexdigest()[:16]
    points = [json.loads(line) for line in options.journal.read_text().splitlines()] if options.journal.exists() else []
    known = {(p["family"], p["size"], p["way"]) for p in points if p["scuba"] == digest}
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    with options.journal.open("a") as journal:

        def done_with(point: dict) -> None:
            point |= {"label": options.label, "scuba": digest}
            points.append(point)
            journal.write(json.dumps(point) + "\n")
            journal.flush()
            print(f"{options.label}: {point['family']} {point['size']} {point['way']}: {point['wall_s']} s, {point['cpu_s']} s CPU, {point['peak_mib']} MiB {point['why'] or ''}", flush=True)

        for family in options.families:
            for size in (s for s in FAMILIES[family][1] if s <= options.max_size):
                ways = [way for way in WAYS if way in options.ways and (family, size, way) not in known]
                if ways:
                    measure(family, size, ways, options, done_with)
    commit = subprocess.run(["git", "log", "-1", "--format=%h of %cs"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    text = f"""# How joins grow with the project

Generated by `make scale-joins` (`bench/scale_joins.py`) at commit {commit}; not written by hand. 2 cores.

Two small units are compiled and multiplied with changed names: sources, objects, facts and links as a build leaves them. `first` checks all programs with an
empty cache, `check` again with all verdicts cached, `no-op` is `scuba build` of a make that has nothing to do, `compile` one unit compiled again through the
shim, less nvcc's own time; `compile (link)` the same with `[build] check = "link"`, so that it reads no facts of other units. CPU seconds of all processes; memory of the largest. *Last two* is the exponent between the last two sizes: 1 is linear.
Every answer was looked at: all programs there, all units read, no finding.

{table(points)}
"""
    wrong = [p for p in points if p["why"] and p["scuba"] == digest]
    options.out.write_text(text)
    for p in wrong:
        print(f"scale-joins: {p['family']} {p['size']} {p['way']}: {p['why']}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
