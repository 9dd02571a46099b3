#!/usr/bin/env python3
"""Which share of the units that nvcc compiles does our front end read, on both sides?

    tools/front-end.py DIR [--out FILE.md] [--journal FILE] [--extract PATH] [--nvcc PATH] [--headers DIR] [--programs N] [--samples N] [--until SECONDS] [--again] [-j N]

DIR holds checkouts of HeCBench and of NVIDIA's cuda-samples (folder `cuda-samples`). Of HeCBench the units of every Nth program are taken
(16), with the flags of their makefiles; of cuda-samples every Nth unit (4), with relocatable device code where the sample's CMakeLists.txt asks
for it. --headers names a folder of libraries' headers (cuBLAS and the like), which both are given. Each is compiled by nvcc (`-c`, to nowhere), and read by `scuba-extract`; nothing is written into the checkouts. FILE
(target/front-end.jsonl) is a journal: nvcc is not asked again of units that stand in it; with --again they are read again by the front end. None
is begun after --until seconds; N units at a time (1). Only the Python standard library is used.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import sweep

HERE = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 300


def hecbench(folder, every):
    for program in sorted(folder.glob("src/*-cuda"))[::every]:
        sources, flags, why = sweep.program_of(program)
        if why:
            print(f"{program.name}: {why}", file=sys.stderr)
            continue
        # Many name an architecture that nvcc 13 has dropped.
        flags = [re.sub(r"\b(sm|compute)_[3567]\d\b", r"\1_80", f) for f in flags]
        for source in sources:
            if source.endswith(".cu"):
                yield program, source, flags


def samples(folder, every):
    for path in sorted(folder.glob("Samples/**/*.cu"))[::every]:
        lists = path.parent / "CMakeLists.txt"
        text = lists.read_text(errors="replace") if lists.is_file() else ""
        separable = re.search(r"CUDA_SEPARABLE_COMPILATION\s+ON", text)
        flags = ["-std=c++17", "-arch=sm_80", "--extended-lambda", f"-I{folder / 'Common'}"]
        yield path.parent, path.name, flags + (["-rdc=true"] if separable else [])


def run(command, folder):
    """Its status, what it wrote to its two streams (of the first, lines about units alone), and seconds."""
    start = time.monotonic()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_")}
    environment.update(SCUBA_NVCC=str(OPTIONS.nvcc), LC_ALL="C.UTF-8")
    try:
        process = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, "", f"took longer than {LIMIT} s", LIMIT
    out = "\n".join(l for l in process.stdout.decode(errors="replace").splitlines() if l.startswith("; "))
    return process.returncode, out, process.stderr.decode(errors="replace"), round(time.monotonic() - start, 1)


def read(folder, source, flags):
    """The sides that are not read, each with its reason."""
    status, out, err, seconds = run([str(OPTIONS.extract), "--dump", source, "--", *flags], folder)
    refused = re.findall(r"^; (Host|Device) side not analysed: (.*)$", out, re.M)
    if status != 0:
        refused = [("both", (err.strip().splitlines() or [f"status {status}"])[-1])]
    notes = re.findall(r"^; (?:Host|Device) side: (.*)$", out, re.M)
    return {"refused": refused, "notes": sorted(set(notes)), "read_s": seconds, "code": commit()}


def commit():
    return subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def first_error(text):
    lines = [l for l in text.splitlines() if "error" in l]
    return (lines or text.strip().splitlines() or ["no word"])[0].strip()[:160]


def ordinal(n):
    return f"{n}{'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def table(records):
    suites = collections.defaultdict(list)
    for r in records:
        suites[r["suite"]].append(r)
    codes = collections.Counter(r["code"] for r in records if r["nvcc"])
    lines = [
        "# What the front end reads",
        "",
        f"<!-- made by tools/front-end.py; read by {', '.join(f'{code} ({n})' for code, n in codes.most_common())} -->",
        "",
        "Units of public programs that nvcc 13.0 compiles (`nvcc -c`, with the flags of their makefiles), and how many of them clang reads for SCuBA, on",
        f"the host's side and the device's. Every {ordinal(OPTIONS.programs)} program of HeCBench, every {ordinal(OPTIONS.samples)} unit of cuda-samples. `tools/front-end.py DIR` repeats it.",
        "",
        "| programs | units | nvcc compiles | read on both sides | share |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for suite, all_of in [*suites.items(), ("together", records)]:
        compiled = [r for r in all_of if r["nvcc"]]
        good = [r for r in compiled if not r["refused"]]
        share = f"{100 * len(good) / len(compiled):.1f} %" if compiled else "–"
        lines.append(f"| {suite} | {len(all_of)} | {len(compiled)} | {len(good)} | {share} |")
    bad = [r for r in records if r["nvcc"] and r["refused"]]
    lines += ["", "Not read:" if bad else "None of them is refused.", ""]
    for r in bad:
        sides = ", ".join(sorted({s.lower() for s, _ in r["refused"]}))
        reason = re.sub(r"\S*/", "", r["refused"][0][1])
        lines.append(f"- `{r['unit']}` ({sides}): {reason}")
    notes = collections.Counter(n for r in records if r["nvcc"] and not r["refused"] for n in r["notes"])
    lines += ["", "Read otherwise than the first attempt, by how many units:", ""] if notes else []
    lines += [f"- {n}: {text}" for text, n in notes.most_common()]
    left = collections.Counter(re.sub(r"^.*?(fatal error|error): ", "", r["why"]) for r in records if not r["nvcc"])
    lines += ["", "Left out, since nvcc does not compile them here (headers that are not installed, most of all):", ""] if left else []
    lines += [f"- {n}: {text}" for text, n in left.most_common(12)]
    return "\n".join(lines) + "\n"


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--journal", type=pathlib.Path, default=HERE / "target/front-end.jsonl")
    parser.add_argument("--extract", type=pathlib.Path, default=HERE / "target/release/scuba-extract")
    parser.add_argument("--nvcc", type=pathlib.Path, default=sweep.TOOLKIT / "bin/nvcc")
    parser.add_argument("--headers", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=16)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    OPTIONS = parser.parse_args()
    units = [("HeCBench", *u) for u in hecbench(OPTIONS.dir / "HeCBench", OPTIONS.programs)]
    units += [("cuda-samples", *u) for u in samples(OPTIONS.dir / "cuda-samples", OPTIONS.samples)]
    more = ["-isystem", str(OPTIONS.headers)] if OPTIONS.headers else []
    units = [(suite, folder, source, flags + more) for suite, folder, source, flags in units]
    known = {}
    if OPTIONS.journal.is_file():
        for line in OPTIONS.journal.read_text().splitlines():
            record = json.loads(line)
            known[record["suite"], record["unit"]] = record
    start = time.monotonic()

    def measure(unit):
        """Its record, and whether that is new."""
        suite, folder, source, flags = unit
        name = f"{folder.name}/{source}"
        record = known.get((suite, name))
        if record and not (OPTIONS.again and record["nvcc"]) or time.monotonic() - start > OPTIONS.until:
            return record, False
        if not record:
            status, _, err, seconds = run([str(OPTIONS.nvcc), *flags, "-c", source, "-o", "/dev/null"], folder)
            record = {"suite": suite, "unit": name, "nvcc": status == 0, "why": first_error(err) if status != 0 else "", "nvcc_s": seconds, "refused": [], "notes": []}
        if record["nvcc"]:
            record = {**record, **read(folder, source, flags)}
        return record, True

    records = []
    with OPTIONS.journal.open("a") as journal, concurrent.futures.ThreadPoolExecutor(OPTIONS.jobs) as pool:
        for record, new in pool.map(measure, units):
            records += [record] if record else []
            if not new:
                continue
            journal.write(json.dumps(record) + "\n")
            journal.flush()
            state = "nvcc refuses it" if not record["nvcc"] else "; ".join(f"{s}: {r}" for s, r in record["refused"]) or "read"
            print(f"{record['suite']} {record['unit']}: {state}", file=sys.stderr)
    text = table(records)
    if OPTIONS.out:
        OPTIONS.out.write_text(text)
    else:
        print(text)


main()
