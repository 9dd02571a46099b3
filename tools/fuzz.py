#!/usr/bin/env python3
"""tools/fuzz.py [--work FOLDER] run TARGET|all [--seconds N] | page: fuzzing of SCuBA's readers and of its check (tests/fuzz).

`run` builds the targets, makes first inputs where FOLDER has none, and fuzzes a target for so many seconds, or each target in turn. Inputs that reach
new code are kept in FOLDER/corpus, so that a later run goes on where it ended; inputs that break a target are kept in FOLDER/found. Each run is a line
of FOLDER/journal.jsonl. `page` writes docs/evaluation/fuzzing.md from that journal, from journals of other machines that lie in FOLDER
(journal-MACHINE.jsonl), and from tools/fuzz-found.jsonl, the faults that were mended.
Binaries that make the first inputs: SCUBA_RELEASE (target/release). nvcc: SCUBA_NVCC, else the one of .deps.
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import fuzz_seeds

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
BUILT = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", CHECKOUT / "target/fuzz"))
# Coverage without a sanitizer: the code is safe Rust, and a stable compiler has none.
BUILD = ["cargo", "fuzz", "build", "--fuzz-dir", "tests/fuzz", "--sanitizer", "none", "--release"]
PAGE = CHECKOUT / "docs/evaluation/fuzzing.md"
FOUND = CHECKOUT / "tools/fuzz-found.jsonl"
# A target that breaks at once is not started again and again.
MOST_RESTARTS = 200

# Of each target: what it reads, what must hold beside that nothing panics or hangs, and options of libFuzzer.
TARGETS = {
    "command_line": (
        "command lines of nvcc and of host tools",
        "nvcc gets the user's words; a request survives JSON; a unit's recorded command gives the same request; quoted words come back",
        ["-max_len=800"],
    ),
    "facts": ("fact files and packed values", "what is read is written and read again as the same", ["-max_len=40000"]),
    "mlir": (
        "MLIR as cgeist prints it",
        "an error has its place; lowered code has no index out of its tables, prints, and survives a store",
        ["-max_len=30000", "-timeout=30", "-rss_limit_mb=4096"],
    ),
    "assembly": (
        "inline assembly, in sources and in LLVM's spelling",
        "edits of sources only add `%` or `,`, and nothing the second time; both readers of one access agree",
        ["-max_len=1200"],
    ),
    "settings": (
        "scuba.toml",
        "settings that are read are the same after TOML is written anew, and the same for builds; a mistake has its place",
        ["-max_len=3000"],
    ),
    "conditions": (
        "conditions of contracts and of `[[assume]]`",
        "what is printed is read back; what is simplified holds of the same values, and stays as it is",
        ["-max_len=400"],
    ),
    "baseline": ("baselines", "what is read is written and read again as the same", ["-max_len=2000"]),
    "bundle": (
        "bundles of `scuba confirm`, their results, Compute Sanitizer's output",
        "what is read is written and read again as the same",
        ["-max_len=8000"],
    ),
    "cmake": (
        "build folders: CMake's File API, Ninja's file, makefiles, compile_commands.json",
        "the same files give the same links, with absolute paths; a database means the same in other JSON and with words as one command",
        ["-max_len=6000"],
    ),
    "remote": (
        "entries of a remote cache, and its helper's frames",
        "frames come back; only what the key has signed under a name is opened, and no changed byte of it",
        ["-max_len=400"],
    ),
    "objects": ("object files and archives", "symbols are sorted", ["-max_len=8000"]),
    "documents": (
        "documents of earlier runs: shards, kept reports",
        "what is read is written and read again as the same; a part is merged once; reports in all formats, of which JSON is JSON",
        ["-max_len=20000"],
    ),
    "check": (
        "facts of {programs} programs, changed in ways that keep them valid",
        "facts survive a store; each unit is in a program; a check ends within its counted work, without an internal fault, and the same twice; no access that a run of changed code finds out of bounds is safe",
        ["-max_len=220", "-timeout=120", "-rss_limit_mb=4096"],
    ),
}


def revision():
    said = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=True)
    return said.stdout.strip()


def tool(name):
    found = sorted((CHECKOUT / ".deps").glob(f"{name}-*/bin"))
    return os.environ | {
        "PATH": os.pathsep.join([*map(str, found), os.environ["PATH"]]), "RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(BUILT),
    }


def build():
    subprocess.run(BUILD, cwd=CHECKOUT, env=tool("cargo-fuzz"), check=True)


def binary(target):
    return next(BUILT.glob(f"*/release/{target}"))


def seeds(work):
    if (work / "seeds").is_dir():
        return
    release = pathlib.Path(os.environ.get("SCUBA_RELEASE", CHECKOUT / "target/release"))
    nvcc = os.environ.get("SCUBA_NVCC", str(CHECKOUT / ".deps/cuda/nvidia/cu13/bin/nvcc"))
    for name in fuzz_seeds.make(work, release / "scuba", nvcc):
        print(f"no facts of {name}: too large, or not compiled", file=sys.stderr)


def last(pattern, text, default=0):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else default


def run(work, target, seconds):
    """Fuzzes one target; starts it anew where an input broke it."""
    corpus, found, logs = (work / part / target for part in ("corpus", "found", "logs"))
    for folder in (corpus, found, logs):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    environment = os.environ | {"SCUBA_FUZZ_PROGRAMS": str(work / "programs")}
    begin = time.monotonic()
    line = {"target": target, "revision": revision(), "date": datetime.date.today().isoformat(), "machine": f"{os.cpu_count()} cores"}
    line |= {"cpu_seconds": 0.0, "executions": 0, "edges": 0, "features": 0, "runs": 0}
    while (left := seconds - (time.monotonic() - begin)) > 2 and line["runs"] < MOST_RESTARTS:
        words = work / "dictionaries" / target
        command = [binary(target), *TARGETS[target][2], *([f"-dict={words}"] if words.is_file() else [])]
        command += [f"-max_total_time={int(left)}", "-print_final_stats=1", f"-artifact_prefix={found}/", corpus]
        with open(logs / "log", "w+", errors="replace") as log:
            child = subprocess.Popen([*map(str, command), str(work / "seeds" / target)], stdout=log, stderr=log, env=environment)
            _, _, usage = os.wait4(child.pid, 0)
            log.seek(0)
            said = log.read()
        (logs / f"{int(time.time())}").write_text(said[-20_000:])
        line["cpu_seconds"] += usage.ru_utime + usage.ru_stime
        line["executions"] += last(r"stat::number_of_executed_units: *(\d+)", said) or last(r"^#(\d+)\s", said)
        line["edges"] = last(r"cov: (\d+)", said, line["edges"])
        line["features"] = last(r"ft: (\d+)", said, line["features"])
        line["runs"] += 1
    line |= {"wall_seconds": round(time.monotonic() - begin), "corpus": len(list(corpus.iterdir())), "cpu_seconds": round(line["cpu_seconds"], 1)}
    line["found"] = sorted(f.name for f in set(found.iterdir()) - before)
    with open(work / "journal.jsonl", "a") as journal:
        journal.write(json.dumps(line) + "\n")
    print(json.dumps(line))
    return line["found"]


def thousands(n):
    return f"{n:,}"


def of_time(seconds):
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


def page(work):
    lines = []
    for journal in sorted(work.glob("journal*.jsonl")):
        # The name of another machine's journal says which.
        machine = {"machine": journal.stem.removeprefix("journal-")} if journal.stem != "journal" else {}
        lines += [machine | json.loads(line) for line in journal.read_text().splitlines() if line.strip()]
    faults = [json.loads(line) for line in FOUND.read_text().splitlines() if line.strip()] if FOUND.is_file() else []
    by_target = collections.defaultdict(list)
    for line in lines:
        by_target[line["target"]].append(line)
    programs = len(list((work / "programs").iterdir()))
    machines = sorted({line["machine"] for line in lines})
    out = [
        "# Fuzzing", "",
        "Each reader of data from outside, and checks of changed facts, under libFuzzer with coverage (`tests/fuzz/`; overflow checks and",
        "assertions are on). Written by `tools/fuzz.py page`.", "",
        f"Commit {revision()}, {datetime.date.today().isoformat()}; machines: {', '.join(machines)}. To go on: `make fuzz TARGET=all SECONDS=3600 FUZZ_PAGE=1`.", "",
        "| target | reads | holds, beside that nothing panics or hangs | CPU time | executions | edges | faults mended |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for target, (reads, holds, _) in TARGETS.items():
        own = by_target[target]
        mended = sum(fault["target"] == target for fault in faults)
        cells = [
            f"`{target}`", reads.format(programs=programs), holds, of_time(sum(line["cpu_seconds"] for line in own)),
            thousands(sum(line["executions"] for line in own)), thousands(max((line["edges"] for line in own), default=0)), str(mended),
        ]
        out.append("| " + " | ".join(cells) + " |")
    total = of_time(sum(line["cpu_seconds"] for line in lines))
    out += ["", f"Together {total} of CPU time and {thousands(sum(line['executions'] for line in lines))} executions. `edges` is the most that one run covered.", ""]
    open_inputs = sorted({(line["target"], name) for line in lines for name in line["found"]})
    if open_inputs:
        slow = sum(name.startswith("slow-unit") for _, name in open_inputs)
        out += [f"Inputs that broke a target: {len(open_inputs) - slow}; slow ones (10 s and more of a busy machine): {slow}.", ""]
    out += ["## Faults", "", "Each is mended and has a test.", "", "| target | what was wrong | test |", "| --- | --- | --- |"]
    out += [f"| `{f['target']}` | {f['what']} | `{f['test']}` |" for f in faults]
    PAGE.write_text("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/scuba-fuzz"))
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("target", choices=["all", *TARGETS])
    runner.add_argument("--seconds", type=int, default=60)
    commands.add_parser("page")
    arguments = parser.parse_args()
    if arguments.command == "page":
        page(arguments.work)
        return
    arguments.work.mkdir(parents=True, exist_ok=True)
    build()
    seeds(arguments.work)
    targets = TARGETS if arguments.target == "all" else [arguments.target]
    broken = [name for target in targets for name in run(arguments.work, target, arguments.seconds)]
    if broken:
        sys.exit(f"{len(broken)} inputs broke a target: {arguments.work / 'found'}")


if __name__ == "__main__":
    main()
