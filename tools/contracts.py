#!/usr/bin/env python3
"""What `scuba contracts` finds for kernels alone, and whether what it prints decides what it says that it covers.

    tools/contracts.py DIR... [--scuba PATH] [--nvcc PATH] [--flags "…"] [--every N] [--jobs N] [--limit SECONDS] [--memory SIZE] [--journal FILE] [--out FILE.md [--section TITLE]] [--commit HASH]

Each .cu file under the folders is read where it lies, its device side alone (`-cubin`): no host decides anything. Of each: accesses, how
many `scuba check` decides without contracts, how many conditions cover, and how many are decided once the tables of `--format toml` are
its scuba.toml. Files that clang does not read, or that have no kernel, are counted and left out. FILE (target/contracts.jsonl) is a
journal: a file that stands in it is not looked at again, so that folders which need other flags are run before, one by one. With --section the
table becomes a section of FILE.md in place of one of that title; what else stands there stays.

Status 1 where an access that is covered stays undecided, or one that was safe is not any more: then something printed is wrong.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(arguments, options, extra=()):
    environment = dict(os.environ, SCUBA_NVCC=str(options.nvcc), SCUBA_CACHE=options.cache)
    command = [str(options.scuba), *arguments, "-q", *extra]
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.limit, env=environment, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None


def place(of):
    """A place, whatever the project's folder is taken to be."""
    return Path(of["file"]).name, of["line"], of["column"], of["array"]


def places(document):
    """Undecided places of a report."""
    return {place(u) for u in document["undecided"]}


def look(path, options):
    """One file: a line of the journal."""
    flags = ["--", "-cubin", f"-I{path.parent}", *options.flags]
    # The safety nets are as wide as the tool's own limit: what is measured shall not depend on the machine's load.
    nets = f'[limits]\ntu_seconds = {options.limit}\nmemory = "{options.memory}"\n\n'
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write(nets)
        config.flush()
        said = run(["contracts", str(path), "--format", "json", "--config", config.name], options, flags)
    if said is None:
        return {"file": str(path), "why": "time"}
    try:
        functions = json.loads(said.stdout)["functions"]
    except (json.JSONDecodeError, KeyError):
        lines = said.stderr.strip().splitlines() or ["nothing was said"]
        why = "no kernel" if "no kernel here" in said.stderr and "not analysed" not in said.stderr else "not read"
        return {"file": str(path), "why": why, "said": lines[0][:200]}
    with tempfile.TemporaryDirectory() as folder:
        empty, full = Path(folder, "empty.toml"), Path(folder, "full.toml")
        empty.write_text(nets)
        toml = run(["contracts", str(path), "--format", "toml", "--config", str(empty)], options, flags)
        if toml is None:
            return {"file": str(path), "why": "time"}
        full.write_text(nets + toml.stdout)
        reports = []
        for settings in (empty, full):
            done = run(["check", str(path), "--message-format", "json", "--config", str(settings)], options, flags)
            if done is None:
                return {"file": str(path), "why": "time"}
            try:
                reports.append(json.loads(done.stdout))
            except json.JSONDecodeError:
                return {"file": str(path), "why": "no report", "said": done.stderr[-300:]}
    before, after = reports
    covered = {place(c) for f in functions for r in f["requires"] for c in r["covers"]}
    # What one kernel needs a condition for, another may leave open at the same place.
    covered -= {place(o) for f in functions for o in f["open"]}
    reasons = collections.Counter(o["reason"] for f in functions for o in f["open"])
    evidence = collections.Counter(r["evidence"] for f in functions for r in f["requires"])
    return {
        "file": str(path),
        "kernels": len(functions),
        "accesses": before["summary"]["accesses"],
        "before": before["summary"]["accesses"] - before["summary"]["unknown"],
        "covered": len(covered & places(before)),
        "after": after["summary"]["accesses"] - after["summary"]["unknown"],
        "broken": sorted(places(after) & covered & places(before)),
        "lost": sorted(places(after) - places(before)),
        "evidence": dict(evidence),
        "reasons": dict(reasons),
    }


def table(rows, options):
    read = [r for r in rows if "why" not in r]
    left = collections.Counter(r["why"] for r in rows if "why" in r)
    head = f"## {options.section}" if options.section else "# Contracts of kernels alone"
    out = [head, "", f"`tools/contracts.py{f' --every {options.every}' if options.every > 1 else ''}`, {options.commit}. Generated.", ""]
    out += ["| suite | files read | kernels | accesses | decided alone | covered | decided with what is printed | share |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for suite in options.dirs:
        of = [r for r in read if Path(r["file"]).is_relative_to(suite)]
        total = {k: sum(r[k] for r in of) for k in ("kernels", "accesses", "before", "covered", "after")}
        share = f"{100 * total['after'] / total['accesses']:.1f} %" if total["accesses"] else ""
        name = f"{suite.parent.name} {suite.name}" if suite.name in ("cuda", "src", "gpu") else suite.name
        out.append(f"| {name} | {len(of)} | {total['kernels']} | {total['accesses']} | {total['before']} | {total['covered']} | {total['after']} | {share} |")
    evidence, reasons = collections.Counter(), collections.Counter()
    for r in read:
        evidence.update(r["evidence"])
        reasons.update(r["reasons"])
    out += ["", "Conditions: " + ", ".join(f"{n} {e}" for e, n in evidence.most_common()) + "."]
    out += ["Left out: " + (", ".join(f"{n} files ({why})" for why, n in left.most_common()) or "nothing") + "."]
    broken = [f"{r['file']}:{at[1]}" for r in read for at in r["broken"] + r["lost"]]
    out += [f"Covered and undecided all the same, or safe before and not after: {len(broken)}."]
    out += ["", "| open accesses, by kernel | why |", "| ---: | --- |"]
    out += [f"| {n} | {why} |" for why, n in reasons.most_common(20)]
    return "\n".join(out) + "\n", broken


def with_section(document, section):
    """A document with a section, which replaces the one of the same title."""
    title = section.splitlines()[0]
    lines = document.rstrip("\n").splitlines()
    start = end = len(lines)
    if title in lines:
        start = lines.index(title)
        end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("## ")), len(lines))
    before, after = "\n".join(lines[:start]).rstrip("\n"), "\n".join(lines[end:])
    return "\n".join([*[before, ""] * bool(before), section, *[after] * bool(after)]).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dirs", nargs="+", type=Path)
    parser.add_argument("--scuba", type=Path, default=ROOT / "target/release/scuba")
    parser.add_argument("--nvcc", type=Path, default=ROOT / ".deps/cuda/nvidia/cu13/bin/nvcc")
    parser.add_argument("--flags", type=shlex.split, default=["-arch=sm_80", "-std=c++17"])
    parser.add_argument("--every", type=int, default=1, help="only every so manieth file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=120, help="seconds for one command")
    parser.add_argument("--memory", default="4GiB", help="what one command may have in memory")
    parser.add_argument("--cache", default="off")
    parser.add_argument("--journal", type=Path, default=ROOT / "target/contracts.jsonl")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--section", help="the title of a section of the file")
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    options.dirs = [d.resolve() for d in options.dirs]
    files = sorted(f for d in options.dirs for f in d.rglob("*.cu"))[:: options.every]
    known = {}
    if options.journal.is_file():
        known = {row["file"]: row for row in map(json.loads, options.journal.read_text().splitlines())}
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    with options.journal.open("a") as journal, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        asked = [pool.submit(look, f, options) for f in files if str(f) not in known]
        for row in (of_file.result() for of_file in concurrent.futures.as_completed(asked)):
            journal.write(json.dumps(row) + "\n")
            journal.flush()
            known[row["file"]] = row
    text, broken = table([known[str(f)] for f in files if str(f) in known], options)
    if options.out:
        options.out.write_text(with_section(options.out.read_text() if options.out.is_file() else "", text) if options.section else text)
    print(text)
    for at in broken:
        print(f"not as it was said: {at}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
