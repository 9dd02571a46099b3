#!/usr/bin/env python3
"""Reads programs of a HeCBench checkout by clang, and by clang with cgeist beside it, and writes what both say and what it cost.

    tools/second-reading.py DIR --cgeist PATH [--cuda FOLDER] [--count N] [--seed S] [--out FILE] [--table FILE] [--until SECONDS] [-j N] [--scuba PATH] [--nvcc PATH]

DIR is a checkout of HeCBench. N programs (30) are taken by a shuffle with seed S (35) of those whose makefile names one CUDA source or more.
PATH is a cgeist with polygeist-opt beside it, FOLDER the CUDA headers that it reads (SCUBA_CGEIST_CUDA). Its own runs are timed by scripts in
its place. N programs are read at a time (1). FILE (target/second-reading.jsonl) is a journal as that of tools/sweep.py. Seconds are of the processor: other work on
the machine counts less than on a clock. Only the Python standard library is used.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import sweep

TIMED = """#!/bin/bash
TIMEFORMAT='%U %S'
exec 3>&2
{{ time '{program}' "$@" 2>&3 ; }} 2>>'{log}'
"""


def timed(folder, cgeist, log):
    """Scripts that run cgeist and polygeist-opt and note what each run took; the script's own name is what SCuBA looks for."""
    for name in ("cgeist", "polygeist-opt"):
        program = cgeist.parent / name
        if program.is_file():
            script = folder / name
            script.write_text(TIMED.format(program=program, log=log))
            script.chmod(0o755)
    return folder / "cgeist"


def run(sources, flags, folder, kind, arguments, cgeist):
    command = [arguments.scuba, "check", "-v", "-j", "1", "--frontend", kind, "--message-format", "json", *sources, "--", *flags]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_")}
    environment.update(SCUBA_CACHE="off", SCUBA_NVCC=str(arguments.nvcc), SCUBA_CGEIST=str(cgeist))
    if arguments.cuda:
        environment["SCUBA_CGEIST_CUDA"] = str(arguments.cuda.resolve())
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        _, _, cpu, _ = sweep.measured(command, folder, environment, arguments.limit, out, err)
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read().decode(errors="replace")
    try:
        return json.loads(text), said, cpu
    except ValueError:
        return None, said, cpu


def verdicts(report):
    """What of a report the second reading must not change."""
    keys = ("accesses", "safe", "safe_if_no_wrap", "proved", "possible", "unknown")
    findings = [[f["rule"], f["verdict"], f["access"]["file"], f["access"]["line"], f["access"]["array"]] for f in report["findings"]]
    return [report["summary"][k] for k in keys], sorted(findings, key=str)


def measure(name, folder, arguments):
    record = {"program": name}
    sources, flags, why = sweep.program_of(folder)
    if why:
        return {**record, "error": why}
    with tempfile.TemporaryDirectory() as scripts:
        log = pathlib.Path(scripts) / "log"
        cgeist = timed(pathlib.Path(scripts), arguments.cgeist.resolve(), log)
        alone, said, record["alone"] = run(sources, flags, folder, "clang", arguments, cgeist)
        if alone is None or alone["summary"]["accesses"] == 0 and alone["not_analysed"]:
            return {**record, "error": "clang: " + (said.strip().splitlines() or ["no report"])[-1][:160]}
        beside, said, record["beside"] = run(sources, flags, folder, "auto", arguments, cgeist)
        if beside is None:
            return {**record, "error": "beside: " + (said.strip().splitlines() or ["no report"])[-1][:160]}
        times = [sum(map(float, line.split())) for line in log.read_text().splitlines() if re.fullmatch(r"[\d.]+ [\d.]+", line)] if log.exists() else []
    record["cgeist"] = round(sum(times), 2)
    record["accesses"] = alone["summary"]["accesses"]
    record["same_verdicts"] = verdicts(alone) == verdicts(beside)
    record["second"] = beside.get("second_reading")
    whys = [line.split("no second reading: ", 1)[1] for line in said.splitlines() if "no second reading: " in line]
    record["why"] = whys[0][:300] if whys else None
    return record


def shorter(why):
    """A reason without paths of the machine."""
    why = re.sub(r"(?:/[^\s:'`]+)+/", "", why or "no line says why")
    return why.replace("|", "\\|")[:110]


def table(path, records, arguments):
    revision = subprocess.run(["git", "-C", str(sweep.HERE), "log", "-1", "--format=%h of %cs"], capture_output=True, text=True).stdout.strip()
    taken = [r for r in records if "error" not in r]
    read = [r for r in taken if r["second"]]
    total = {k: sum(r["second"][k] for r in read) for k in ("compared", "equal", "different", "open_on_one_side", "open_on_both", "unmatched")}
    rest = lambda r: max(0.0, r["beside"] - r["alone"] - r["cgeist"])
    name = next((r["second"]["frontend"] for r in read), "cgeist")
    lines = [
        "# cgeist beside clang",
        "",
        f"Generated by `tools/second-reading.py` at {revision or 'an unknown commit'}: {len(records)} programs of HeCBench by a shuffle with seed {arguments.seed}, {name}, caches off, one thread. Nothing here is written by hand.",
        "",
        "| | |",
        "| --- | --- |",
        f"| programs that clang reads | {len(taken)} |",
        f"| of these, read by cgeist too | {len(read)} |",
        f"| verdicts as without cgeist | {sum(r['same_verdicts'] for r in taken)} |",
        *(f"| places {k.replace('_', ' ')} | {v} |" for k, v in total.items()),
        f"| seconds of the processor: by clang alone | {sum(r['alone'] for r in read):.1f} |",
        f"| cgeist and polygeist-opt | {sum(r['cgeist'] for r in read):.1f} |",
        f"| reading what they print, and comparing | {sum(map(rest, read)):.1f} |",
        "",
        "Places are *equal* where both say in bounds, or both out of bounds; *different* where one says the one and one the other.",
        "",
        "| program | accesses | compared | equal | different | open on one side | open on both | unmatched | alone, s | cgeist, s | rest, s |",
        "| --- |" + " --- |" * 10,
    ]
    for r in records:
        program = r["program"].removesuffix("-cuda")
        if "error" in r:
            lines.append(f"| {program} | {shorter(r['error'])} |" + " |" * 9)
        elif not r["second"]:
            lines.append(f"| {program} | {r['accesses']} | {shorter(r['why'])} |" + " |" * 5 + f" {r['alone']:.1f} | {r['cgeist']:.1f} | {rest(r):.1f} |")
        else:
            s = r["second"]
            cells = [r["accesses"], s["compared"], s["equal"], s["different"], s["open_on_one_side"], s["open_on_both"], s["unmatched"]]
            lines.append(f"| {program} | " + " | ".join(map(str, cells)) + f" | {r['alone']:.1f} | {r['cgeist']:.1f} | {rest(r):.1f} |")
    different = [(r["program"].removesuffix("-cuda"), c) for r in read for c in r["second"]["list"] if c["first"] and c["second"] and {c["first"], c["second"]} == {"safe", "found"}]
    if different:
        lines += ["", "## Where they differ", "", "| program | array, kernel | clang | cgeist | known |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {p} | `{c['array']}` in `{c['kernel']}` | {c['first']} | {c['second']} | {c['known'] or ''} |" for p, c in different]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--cgeist", type=pathlib.Path, required=True)
    parser.add_argument("--cuda", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=35)
    parser.add_argument("--out", default=str(sweep.HERE / "target/second-reading.jsonl"))
    parser.add_argument("--table", help="writes the figures to this Markdown file")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a check is ended")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds after which no further program is begun")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--nvcc", type=pathlib.Path, default=sweep.TOOLKIT / "bin/nvcc")
    parser.add_argument("--scuba", default=str(sweep.HERE / "target/release/scuba"))
    arguments = parser.parse_args()
    if not shutil.which(str(arguments.cgeist)):
        print(f"{arguments.cgeist}: not there, or no program", file=sys.stderr)
        return 2
    sources = arguments.dir / "src" if (arguments.dir / "src").is_dir() else arguments.dir
    names = sorted(p.name for p in sources.iterdir() if p.name.endswith("-cuda") and any(p.glob("*.cu")))
    random.Random(arguments.seed).shuffle(names)
    names = sorted(names[: arguments.count])
    journal = pathlib.Path(arguments.out)
    journal.parent.mkdir(parents=True, exist_ok=True)
    done, start = sweep.read(journal), time.monotonic()
    left = [n for n in names if n not in done]

    def one(name):
        return None if time.monotonic() - start > arguments.until else measure(name, sources / name, arguments)

    with journal.open("a") as out, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, record in zip(left, pool.map(one, left)):
            if record is None:
                print("time is up; the same command goes on from here", file=sys.stderr)
                break
            out.write(json.dumps(record) + "\n")
            out.flush()
            print(f"{name}: {record.get('error') or record['second'] and record['second']['compared'] or record['why']}", file=sys.stderr)
    records = [r for n, r in sorted(sweep.read(journal).items()) if n in names]
    if arguments.table:
        table(arguments.table, records, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
