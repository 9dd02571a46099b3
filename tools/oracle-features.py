#!/usr/bin/env python3
"""Judges verdicts of `scuba check` by brute force in Python: programs with what the generator of `tests/oracle` lacks.

    tools/oracle-features.py --scuba PATH [--from A] [--to B] [--journal FILE] [--jobs N] [--found FOLDER] [--nvcc PATH]
    tools/oracle-features.py --count [--from A] [--to B]      how often each feature occurs
    tools/oracle-features.py --show SEED                      one program's text
    tools/oracle-features.py --documents FOLDER --broken MISTAKE   the judge with a mistake, which must show
    tools/oracle-features.py --sum JOURNAL...                 the tables of journals written side by side, of every generator
    tools/oracle-features.py --against-compiler [--from A] [--to B] [--cxx g++]   the judge itself, against a compiler of C++

A seed always gives the same program (`oracle_programs.py`, of the third generator `oracle_third.py`), which `oracle_language.py` and its neighbours execute for some
500 or 140 lists of arguments, with all threads. Sums of products in a kernel count both ways, rounded once and twice. Threads that exchange values run in six orders, and in
every order where a witness is judged. A place is a line, which has one access as a rule. Counted are

  wrong safe    out of bounds in a run whose numbers are known up to there, and neither reported nor undecided; if something wraps in every such run
                and the place is safe only if nothing wraps, it counts as wrapped instead;
  wrong proved  not out of bounds with the arguments of the witness; open where the run depends on what a replay may choose (memory that nothing
                set, what does not fit an integer, a run that is cut);
  refused       the program is not read, or no document comes: a mistake of this tool or of SCuBA's.

The journal has one line of JSON for each seed; seeds that it has are not run again, so that a run goes on where it ended. Programs that are judged wrongly are
written to the folder of `--found`. `--documents` keeps SCuBA's answers and takes those that it has, so that SCuBA is not called twice for a seed. The exit status is 1 if something is wrong or refused. Python 3.11 or later, SCuBA and its nvcc are needed, no GPU.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import oracle_broken
import oracle_compiled
import oracle_races
from oracle_language import execute
from oracle_third import NEWEST, make, number

# Brute force sees objects, neither their parts nor how addresses are aligned.
UNSEEN_RULES = {"intra-allocation", "misaligned"}
FLAGS = ["-std=c++17", "-arch=sm_80"]
NOTE = re.compile(r"(\w+\.cu):(\d+)(?::\d+)?: `.*is safe if ")


ORDERS = 2000


def runs(program, argv, every=False):
    """One run, the one with fused sums where that can differ, and other orders of threads that exchange values: some, or every one (None at the end if those are too many)."""
    first = execute(program.units, argv, False)
    yield first
    if first.fusable:
        yield execute(program.units, argv, True)
    if first.racy and not every:
        for order in (oracle_races.Backwards(), oracle_races.Turns(), *map(oracle_races.Sampled, range(3))):
            yield execute(program.units, argv, False, order)
    elif first.racy:
        order = oracle_races.Enumerated()
        for _ in range(ORDERS):
            yield execute(program.units, argv, False, order)
            if not order.again():
                return
        yield None


def brute(program):
    """What is out of bounds by place: (arguments, wrapped, text), runs without a wrap first; and the places that are reached."""
    bad, reached, ends = {}, set(), collections.Counter()
    for argv in program.inputs:
        for run in runs(program, argv):
            ends[run.end] += 1
            reached |= run.at
            for where, (certain, wrapped, text) in run.bad.items():
                if certain and (where not in bad or bad[where][1] and not wrapped):
                    bad[where] = (argv, wrapped, text)
    return bad, reached, ends


def answered(program, folder, options):
    """SCuBA's document, the places that are safe only if nothing wraps, and what it said besides."""
    kept = options.documents and pathlib.Path(options.documents, f"{program.seed}.json")
    if kept and kept.exists():
        document, notes, words = json.loads(kept.read_text())
        return document, {tuple(n) for n in notes}, words
    answer = checked(program, folder, options, "json")
    try:
        document = json.loads(answer.stdout)
    except json.JSONDecodeError:
        return None, set(), answer.stderr[-500:]
    notes = set()
    if document["summary"]["safe_if_no_wrap"]:
        notes = {(m[1], int(m[2])) for m in NOTE.finditer(checked(program, folder, options, "human").stderr)}
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([document, sorted(notes), answer.stderr[-500:]]))
    return document, notes, answer.stderr[-500:]


def checked(program, folder, options, form):
    env = {**os.environ, "SCUBA_CACHE": str(folder / "cache")}
    if options.nvcc:
        env["SCUBA_NVCC"] = options.nvcc
    command = [options.scuba, "check", *(u.name for u in program.units), "-v", "-j", "1", "--color", "never", "--message-format", form, "--", *FLAGS]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=options.timeout)


def witnessed(program, finding):
    """Whether the witness of a proved finding is one: `seen`, `open`, or what is wrong."""
    place = (finding["access"]["file"], finding["access"]["line"])
    given = ((finding.get("witness") or {}).get("run") or {}).get("argv")
    if given is None:
        return "open"
    argv = [number(a) for a in given] if program.version < 3 else given
    if len(argv) < 2 and program.version < 3:
        return f"with {given} the program ends at once"
    doubt = False
    for run in runs(program, argv, True):
        if run is None:
            return "open"
        if place in run.bad:
            return "seen"
        doubt |= run.vague or not run.certain
    return "open" if doubt else f"with {given} it is within bounds (the run: {run.end})"


def judge(seed, options):
    """One seed's line of the journal."""
    program = make(seed, options.generator)
    out = {"seed": seed, "version": options.generator, "commit": options.commit, "features": dict(program.counts), "wrong": [], "refused": "", "places": {}, "codes": {}, "bad": {}, "missed": 0, "wrapped": 0, "proofs": {}}
    with tempfile.TemporaryDirectory(prefix="scuba-oracle-") as name:
        folder = pathlib.Path(name)
        for u in program.units:
            (folder / u.name).write_text(u.text)
        try:
            document, if_no_wrap, words = answered(program, folder, options)
        except subprocess.TimeoutExpired:
            document, words = None, f"no answer within {options.timeout} s"
        if document is None or document["not_analysed"] or document["summary"]["not_analysed"]:
            out["refused"] = words or "not analysed"
            return out, program
        said = {}
        for u in document["undecided"]:
            said[u["file"], u["line"]] = "undecided"
            section = program.sections.get((u["file"], u["line"]), "main")
            out["codes"][f"{section}: {u['code']}"] = out["codes"].get(f"{section}: {u['code']}", 0) + 1
        for f in document["findings"]:
            said[f["access"]["file"], f["access"]["line"]] = f["verdict"]
        bad, reached, ends = brute(program)
        out["ends"] = dict(ends)
        for place in reached:
            section = program.sections.get(place, "main")
            tally = out["places"].setdefault(section, {})
            word = said.get(place, "safe")
            tally[word] = tally.get(word, 0) + 1
            if place in bad:
                out["bad"][section] = out["bad"].get(section, 0) + 1
        for place, (argv, wrapped, text) in bad.items():
            if said.get(place) == "undecided":
                out["missed"] += 1
            elif place in if_no_wrap and wrapped:
                out["wrapped"] += 1
            elif place not in said:
                out["wrong"].append(["safe", *place, program.sections.get(place, ""), f"{list(argv)}: {text}{', something wraps' if wrapped else ''}"])
    for f in document["findings"]:
        if f["verdict"] == "proved" and f["rule"] not in UNSEEN_RULES:
            word = witnessed(program, f)
            short = word if word in ("seen", "open") else "wrong"
            out["proofs"][short] = out["proofs"].get(short, 0) + 1
            if short == "wrong":
                place = (f["access"]["file"], f["access"]["line"])
                out["wrong"].append(["proved", *place, program.sections.get(place, ""), f"{f['rule']}: {word}"])
    return out, program


def one(seed, options):
    out, program = judge(seed, options)
    if (out["wrong"] or out["refused"]) and options.found:
        folder = pathlib.Path(options.found, str(seed))
        folder.mkdir(parents=True, exist_ok=True)
        for u in program.units:
            (folder / u.name).write_text(u.text)
        (folder / "wrong.txt").write_text("\n".join(map(str, out["wrong"])) + out["refused"] + "\n")
    return out


def summary(lines):
    """The tables of a journal."""
    total, features, places, bad, proofs, codes = (collections.Counter() for _ in range(6))
    for line in lines:
        total["programs"] += 1
        total["missed"] += line["missed"]
        total["wrapped"] += line["wrapped"]
        total["refused"] += bool(line["refused"])
        for wrong, *_ in line["wrong"]:
            total[f"wrong {wrong}"] += 1
        features.update(line["features"])
        proofs.update(line["proofs"])
        codes.update(line["codes"])
        bad.update(line["bad"])
        for section, tally in line["places"].items():
            places.update({(section, word): n for word, n in tally.items()})
    words = ["safe", "undecided", "possible", "proved"]
    commits = collections.Counter(line.get("commit") or "a commit not noted" for line in lines)
    out = ["on " + ", ".join(f"{k} ({n})" for k, n in commits.most_common()), ", ".join(f"{n} {k}" for k, n in total.items()), "proofs: " + ", ".join(f"{n} {k}" for k, n in proofs.items())]
    out.append(f"{'places reached':16}" + "".join(f"{w:>11}" for w in words) + f"{'bad':>11}")
    for section in sorted({s for s, _ in places}):
        out.append(f"{section:16}" + "".join(f"{places[section, w]:11}" for w in words) + f"{bad[section]:11}")
    out += [f"{n:6} undecided, {k}" for k, n in codes.most_common(24)]
    out += [f"{n:6} times, {k}" for k, n in sorted(features.items())]
    for line in lines:
        out += [f"seed {line['seed']}: wrong {w[0]}: {w[1]}:{w[2]} ({w[3]}): {w[4]}" for w in line["wrong"]]
        out += [f"seed {line['seed']}: refused: {line['refused']}"] if line["refused"] else []
    return "\n".join(out), bool(total["refused"] or total["wrong safe"] or total["wrong proved"])


def described(scuba):
    """What git calls the checkout that a program lies in, or nothing."""
    folder = os.path.dirname(shutil.which(scuba) or scuba) or "."
    answer = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=folder if os.path.isdir(folder) else ".", capture_output=True, text=True)
    return answer.stdout.strip()


def read(path, generator=None):
    """Lines of a journal, those of one generator if it is given; one that a killed process left unfinished is skipped."""
    out = []
    for text in pathlib.Path(path).read_text().splitlines() if path and os.path.exists(path) else []:
        try:
            out.append(json.loads(text))
        except json.JSONDecodeError:
            continue
    return [line for line in out if generator in (None, line["version"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scuba", default="scuba")
    parser.add_argument("--nvcc", help="given to SCuBA as SCUBA_NVCC")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="A")
    parser.add_argument("--to", type=int, default=100, metavar="B", help="the first seed that is not run")
    parser.add_argument("--journal", metavar="FILE")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=900, metavar="SECONDS", help="for one call of SCuBA")
    parser.add_argument("--found", metavar="FOLDER")
    parser.add_argument("--documents", metavar="FOLDER")
    parser.add_argument("--broken", choices=list(oracle_broken.MISTAKES), metavar="MISTAKE", help=", ".join(oracle_broken.MISTAKES))
    parser.add_argument("--generator", type=int, choices=range(1, NEWEST + 1), default=NEWEST, help="an earlier one gives other programs for the same seeds")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--sum", nargs="+", metavar="JOURNAL")
    parser.add_argument("--against-compiler", action="store_true")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--commit", help="of the SCuBA that runs, for the journal; without it what `git describe` says where the program lies")
    o = parser.parse_args()
    if o.broken:
        oracle_broken.MISTAKES[o.broken]()
    if o.show is not None:
        for u in make(o.show, o.generator).units:
            print(f"// {u.name}\n{u.text}")
        return
    if o.count:
        counts, programs = collections.Counter(), collections.Counter()
        for seed in range(o.first, o.to):
            program = make(seed, o.generator)
            counts.update(program.counts)
            programs.update(set(program.counts))
        print("times, in programs, feature\n" + "\n".join(f"{counts[k]:6} {programs[k]:6} {k}" for k in sorted(counts)))
        return
    if o.against_compiler:
        sys.exit(oracle_compiled.compare(range(o.first, o.to), o.cxx, o.generator))
    if o.sum:
        lines = sorted((line for path in o.sum for line in read(path)), key=lambda line: line["seed"])
    else:
        if "/" in o.scuba:
            o.scuba = str(pathlib.Path(o.scuba).resolve())
        o.commit = o.commit or described(o.scuba)
        lines = read(o.journal, o.generator)
        if o.journal and os.path.exists(o.journal):
            # What a killed process left unfinished must not swallow the next line.
            with open(o.journal, "a") as f:
                f.write("" if pathlib.Path(o.journal).read_text().endswith("\n") else "\n")
        done = {line["seed"] for line in lines}
        todo = [seed for seed in range(o.first, o.to) if seed not in done]
        lines = [line for line in lines if o.first <= line["seed"] < o.to]
        with concurrent.futures.ProcessPoolExecutor(o.jobs) as pool:
            for future in concurrent.futures.as_completed([pool.submit(one, seed, o) for seed in todo]):
                line = future.result()
                lines.append(line)
                if o.journal:
                    with open(o.journal, "a") as f:
                        f.write(json.dumps(line) + "\n")
                if line["wrong"] or line["refused"] or len(lines) % 25 == 0:
                    print(f"{len(lines)} programs; seed {line['seed']}: {line['wrong'] or line['refused'] or 'right'}", file=sys.stderr, flush=True)
        lines.sort(key=lambda line: line["seed"])
    text, wrong = summary(lines)
    print(text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
