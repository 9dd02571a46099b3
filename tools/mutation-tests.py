#!/usr/bin/env python3
"""Mutation testing of SCuBA's own Rust code by cargo-mutants: which planted mistakes its tests notice.

    tools/mutation-tests.py run --work DIR [--area NAME]... [--crate NAME] [--shard K/N | --sample N --seed S] [--programs] [--again] [--until SECONDS]
    tools/mutation-tests.py list --work DIR [--area NAME]...
    tools/mutation-tests.py table --work DIR [--write FILE] [--measured TEXT]

tools/mutants.py plants bugs in CUDA programs and asks what `scuba check` says; this script plants them in SCuBA and asks what its tests say.

`cargo mutants` (cargo install cargo-mutants) plants one mutant at a time in a clone of the checkout's HEAD in DIR, with a target folder of its own,
without optimisation or debug information. A run without --shard and --sample takes every mutant. The first stage is the unit tests of the mutated
crate; with --programs, what survived them meets programs of tests/ui: those of `[quick]`, then a folder for each area. --again repeats the
survivors, for instance after tests were added. DIR/journal.jsonl has a line for each mutant and stage, the last one counts; a run goes on where it ended.

`table` reads the journal and tools/mutation-tests-judged.jsonl: a JSON object for each survivor that somebody looked at: mutant, judgement (test
added, equivalent, dead code, slower, open), why. `slower` changes only work or wording. Only the Python standard library is used.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
JUDGED = HERE / "tools" / "mutation-tests-judged.jsonl"
# Area: crate, folder, programs of tests/ui that use it most.
AREAS = {
    "solver": ("check", "src/check/solver", "index-overflow/"),
    "obligations": ("check", "src/check/obligations", "index-overflow/"),
    "rules": ("check", "src/check/rules", "use-after-free/"),
    "inference": ("check", "src/check/inference", "undecided/torch"),
    "loops": ("engine", "src/engine/symbolic/loops", "clean/sum"),
    "memory": ("engine", "src/engine/symbolic/memory", "use-after-free/"),
    "contracts": ("contracts", "src/contracts", "undecided/contract"),
}
# One test takes as long as all others together: only mutants of what it tests meet it.
SLOW = "logarithms_of_another_number_or_the_other_way_round_stay"
TESTED_BY_SLOW = re.compile(r"/(host_factors|logarithm|precomputed)\.rs:")
OUTCOMES = {"CaughtMutant": "caught", "MissedMutant": "survived", "Unviable": "unviable", "Timeout": "timed out"}
JUDGEMENTS = ("test added", "equivalent", "dead code", "slower", "open")
PROFILE = {f"CARGO_PROFILE_{p}_{k}": "0" for p in ("DEV", "TEST") for k in ("OPT_LEVEL", "DEBUG")}
# Mutants for one start of cargo-mutants; what a killed run has to repeat.
BATCH = 5


class Work:
    """The clone in which mutants are planted, and the journal."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.tree = self.folder / "tree"
        self.journal = self.folder / "journal.jsonl"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, **PROFILE, "CARGO_INCREMENTAL": "1", "CARGO_TERM_COLOR": "never"}
        self.environment["CARGO_TARGET_DIR"] = str(self.folder / "target")
        for name in ("CARGO_MUTANTS_OUTPUT", "SCUBA_BLESS", "INSTA_UPDATE"):
            self.environment.pop(name, None)

    def update(self):
        """Brings the clone to HEAD of the checkout; undoes what a killed run left there."""
        commit = git(HERE, "rev-parse", "HEAD")
        if not self.tree.exists():
            subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(HERE), str(self.tree)], check=True)
        git(self.tree, "fetch", "--quiet", str(HERE), "HEAD")
        git(self.tree, "reset", "--quiet", "--hard", commit)
        tools = self.tree / ".deps"
        if not tools.exists():
            tools.symlink_to((HERE / ".deps").resolve())
        return git(self.tree, "rev-parse", "--short=8", "HEAD")

    def mutants(self, areas, more=()):
        """Mutants of areas as cargo-mutants lists them, by area."""
        out = {}
        for area in areas:
            crate, folder, _ = AREAS[area]
            command = ["cargo", "mutants", "--list", "--json", "-d", str(self.tree), "-p", crate, "-f", f"{folder}/**/*.rs", *more]
            listed = subprocess.run(command, cwd=self.tree, env=self.environment, check=True, stdout=subprocess.PIPE).stdout
            out[area] = [m["name"] for m in json.loads(listed)]
        return out

    def records(self):
        if not self.journal.exists():
            return []
        return [json.loads(line) for line in self.journal.read_text().splitlines() if line.strip()]

    def note(self, record):
        with self.journal.open("a") as file:
            file.write(json.dumps(record) + "\n")


def git(folder, *arguments):
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def stages(area, programs):
    """Name, package that is tested, arguments of `cargo test`."""
    crate, _, folder = AREAS[area]
    yield "unit tests", crate, ["--lib"]
    if programs:
        yield "quick programs", "scuba", ["--test", "ui", "--", "[quick]"]
        yield "programs", "scuba", ["--test", "ui", "--", folder]


def try_mutants(work, area, names, package, arguments, timeout):
    """Outcome and seconds of each mutant, by cargo-mutants."""
    if package == "check" and not any(TESTED_BY_SLOW.search(n) for n in names):
        arguments = [*arguments, "--", "--skip", SLOW]
    command = ["cargo", "mutants", "-d", str(work.tree), "--in-place", "--baseline=skip", "-t", str(timeout), "--no-shuffle", "--colors", "never"]
    command += ["-o", str(work.folder), "-p", AREAS[area][0], "--test-package", package]
    for name in names:
        command += ["-F", "^" + re.escape(name).replace(r"\-", "-").replace(r"\ ", " ").replace(r"\'", "'") + "$"]
    ran = subprocess.run([*command, "--", *arguments], cwd=work.tree, env=work.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    outcomes = work.folder / "mutants.out" / "outcomes.json"
    found = {}
    if outcomes.exists():
        for o in json.loads(outcomes.read_text())["outcomes"]:
            if isinstance(o["scenario"], dict) and o["summary"] in OUTCOMES:
                seconds = sum(p["duration"] for p in o["phase_results"])
                found[o["scenario"]["Mutant"]["name"]] = (OUTCOMES[o["summary"]], round(seconds, 1))
    missing = [n for n in names if n not in found]
    if missing:
        print(ran.stdout[-2000:], file=sys.stderr)
        sys.exit(f"cargo mutants gave no outcome for {missing[0]}")
    return found


def passes(work, package, arguments):
    """Whether tests pass without a mutant; otherwise each mutant would count as caught."""
    ran = subprocess.run(["cargo", "test", "--quiet", "--locked", "-p", package, *arguments], cwd=work.tree, env=work.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode != 0:
        print(ran.stdout[-3000:], file=sys.stderr)
    return ran.returncode == 0


def chosen(work, options):
    """Mutants that a run takes, by area, in the order of the seed."""
    areas = options.area or [a for a in AREAS if options.crate in (None, AREAS[a][0])]
    listed = work.mutants(areas, ["--shard", options.shard] if options.shard else [])
    if options.sample is not None:
        listed = {a: random.Random(f"{options.seed} {a}").sample(sorted(m), min(options.sample, len(m))) for a, m in listed.items()}
    return listed


def last(records):
    """Last outcome of each mutant at each stage."""
    return {(r["mutant"], r["stage"]): r["outcome"] for r in records}


def run(options):
    work = Work(options.work)
    commit = work.update()
    begun = time.monotonic()
    fresh, tried = set(), set()
    for area, names in chosen(work, options).items():
        for stage, package, arguments in stages(area, options.programs):
            known = last(work.records())
            survived = lambda n: all(known.get((n, s), "survived") == "survived" for s, _, _ in stages(area, options.programs))
            wanted = [n for n in names if survived(n) and ((n, stage) not in known or (options.again and (n, stage) not in fresh))]
            if wanted and (package, *arguments) not in tried:
                if not passes(work, package, arguments):
                    sys.exit(f"{stage} of {area} fail without a mutant")
                tried.add((package, *arguments))
            # Of one file together: what its change makes cargo build is then warm.
            for batch in batches(wanted):
                if options.until and time.monotonic() - begun > options.until:
                    return
                for name, (outcome, seconds) in try_mutants(work, area, batch, package, arguments, options.timeout).items():
                    fresh.add((name, stage))
                    work.note({"area": area, "mutant": name, "stage": stage, "outcome": outcome, "seconds": seconds, "commit": commit})
                    print(f"{area}: {stage}: {outcome} {seconds} s: {name}", flush=True)


def batches(names):
    slow = [n for n in names if TESTED_BY_SLOW.search(n)]
    rest = [n for n in names if not TESTED_BY_SLOW.search(n)]
    for part in (rest, slow):
        for start in range(0, len(part), BATCH):
            yield part[start : start + BATCH]


def listing(options):
    work = Work(options.work)
    work.update()
    for area, names in work.mutants(options.area or list(AREAS)).items():
        print(f"{area}: {len(names)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("run", run), ("list", listing), ("table", table)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--work", required=True, help="folder of the clone, its target folder and the journal")
        command.add_argument("--area", action="append", choices=AREAS)
    one = commands.choices["run"]
    one.add_argument("--crate", choices=sorted({c for c, _, _ in AREAS.values()}))
    one.add_argument("--shard", metavar="K/N")
    one.add_argument("--sample", type=int, metavar="N", help="so many mutants of each area")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--programs", action="store_true", help="survivors of the unit tests meet programs of tests/ui")
    one.add_argument("--again", action="store_true", help="repeat the survivors")
    one.add_argument("--until", type=float, metavar="SECONDS", help="begin nothing new after that")
    one.add_argument("--timeout", type=float, default=150, metavar="SECONDS", help="for the tests of one mutant")
    page = commands.choices["table"]
    page.add_argument("--write", metavar="FILE")
    page.add_argument("--measured", default="", metavar="TEXT")
    options = parser.parse_args()
    options.action(options)


def table(options):
    pass


if __name__ == "__main__":
    main()
