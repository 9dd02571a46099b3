#!/usr/bin/env python3
"""Whether every access of a program is counted: `nvcc -G -ptx` against `scuba check --dump accesses`, by line and kind.

    tools/audit.py [DIR | FILE.cu ...] [--every N] [--offset K] [--out FILE] [--table FILE] [--record FILE] [--scuba PATH] [-j N]

Without arguments: the programs of tests/ui and examples. DIR is a checkout of HeCBench (its `src` holds one folder for each program), or a
folder of `.cu` files. For each program, each line of its own sources where nvcc's code accesses memory (see ptx_accesses.py) must have an
access of that kind in what SCuBA looked at; what has none is shown, and the status is 1. FILE (--out) is a journal that an interrupted audit
goes on from. RECORD (--record) keeps what nvcc's code accesses, program by program: those whose code is as it was are not compiled again,
and the tests of `tests/ui` compare with it. Only the Python standard library is used.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import ptx_accesses
import sweep

HERE = pathlib.Path(__file__).resolve().parent.parent
TOOLKIT = HERE / ".deps/cuda/nvidia/cu13"
REJECTED = "rejected: "
HEADER = re.compile(r"^//@ (flags|with|options): (.*)$", re.M)
SEEN = re.compile(r"^(.*):(\d+):(\d+) (read|write|atomic) (.*)$")


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_")}
    env.update(SCUBA_CACHE="off", SCUBA_NVCC=str(TOOLKIT / "bin/nvcc"))
    return env


def folders(flags, names, folder):
    """The folders that flags of these names give, absolute."""
    found, flags = [], list(flags)
    for i, flag in enumerate(flags):
        for name in names:
            if flag == name and i + 1 < len(flags):
                found.append(flags[i + 1])
            elif flag.startswith(name) and flag != name:
                found.append(flag[len(name) :].removeprefix("="))
    return [os.path.realpath(os.path.join(folder, f)) for f in found]


def users(source, folder, flags):
    """Whether a path of the unit is the user's, as src/frontend/own.rs says: of the folders that it lies in the longest one decides."""
    standard = [str(TOOLKIT.resolve()), "/usr"]
    system, included = folders(flags, ["-isystem"], folder), folders(flags, ["-I"], folder)
    own = [os.path.dirname(os.path.realpath(os.path.join(folder, source)))]

    def is_users(path):
        real = os.path.realpath(os.path.join(folder, path))

        def longest(of):
            return max((len(f) for f in of if real.startswith(f.rstrip("/") + "/")), default=0)

        nobodys = max(longest(standard), longest(system))
        if path.startswith("<"):
            return False
        return nobodys == 0 or longest(own) >= nobodys or (longest(standard) == 0 and longest(included) > nobodys)

    return is_users


def compiled(folder, source, flags, scratch, words):
    """The accesses of one unit as nvcc compiles it, or why it does not."""
    ptx = os.path.join(scratch, f"{words}.ptx")
    language = [] if source.endswith(".cu") else ["-x", "cu"]
    command = [str(TOOLKIT / "bin/nvcc"), "-G", "-ptx", "-w", *language, *flags, source, "-o", ptx]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return None, "nvcc takes more than 300 s"
    if run.returncode or not os.path.exists(ptx):
        return None, (run.stderr.strip().splitlines() or ["nvcc fails"])[0][:200]
    text = pathlib.Path(ptx).read_text(errors="replace")
    found = ptx_accesses.lines(text, users(source, folder, flags))
    return {(os.path.realpath(os.path.join(folder, f)), n): k for (f, n), k in found.items()}, None


def looked_at(folder, sources, flags, options, arguments):
    command = [arguments.scuba, "check", *sources, "--dump", "accesses", "--message-format", "json", *options, "--", *flags]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=arguments.limit, env=environment())
    except subprocess.TimeoutExpired:
        return None, f"the check takes more than {arguments.limit} s"
    try:
        report = json.loads(run.stdout)
    except ValueError:
        return None, "no report"
    if report["not_analysed"]:
        n = report["not_analysed"][0]
        return None, f"{n['file']} ({n['side']}) is not read: {n['reason']}"[:200]
    found = collections.defaultdict(set)
    for line in run.stderr.splitlines():
        m = SEEN.match(line)
        if m:
            found[(os.path.realpath(os.path.join(folder, m.group(1))), int(m.group(2)))].add(m.group(4))
    return found, None


def for_this_toolkit(flags):
    """The same flags where the toolkit knows their architectures; its oldest (7.5) in the place of older ones."""
    def newer(m):
        return m.group(1) + (m.group(2) if int(re.match(r"\d+", m.group(2)).group(0)) >= 75 else "75")

    return [re.sub(r"((?:sm|compute)_)(\d+[af]?)", newer, f) for f in flags]


def fingerprint(folder, sources, flags):
    """Of a program's code: what changes in comments alone changes no access. tests/ui/accesses.rs computes the same."""
    digest = hashlib.sha256(" ".join(flags).encode())
    for source in sources:
        text = pathlib.Path(folder, source).read_text(errors="replace")
        digest.update("".join("\n" + line.split("//", 1)[0].rstrip() for line in text.splitlines()).encode())
    return digest.hexdigest()[:16]


class Record:
    """What nvcc's code accesses, by program: `NAME FINGERPRINT`, then a line `  FILE:LINE KIND,KIND` for each line of its own sources that
    does; `  rejected: WHY` where nvcc does not take the program."""

    def __init__(self, path):
        version = subprocess.run([str(TOOLKIT / "bin/nvcc"), "--version"], capture_output=True, text=True, check=True).stdout
        release = re.search(r"V([\d.]+)", version).group(1)
        self.head = f"# Lines that access memory, by `nvcc {release} -G -ptx`. Written by `make audit-record`."
        self.path, self.programs = path, {}
        lines = pathlib.Path(path).read_text().splitlines() if os.path.exists(path) else []
        # Another nvcc may take other programs: what it said is asked again.
        for line in lines if lines[:1] == [self.head] else ():
            if line.startswith("  "):
                self.programs[name][1].append(line.strip())
            elif not line.startswith("#"):
                name, mark = line.split()
                self.programs[name] = (mark, [])

    def known(self, name, mark, folder):
        """(file, line) to kinds, where the program is as it was; or why nvcc rejects it."""
        if name not in self.programs or self.programs[name][0] != mark:
            return None, None
        if self.programs[name][1][:1] and self.programs[name][1][0].startswith(REJECTED):
            return None, self.programs[name][1][0].removeprefix(REJECTED)
        places = (re.match(r"(.*):(\d+) (.*)$", line).groups() for line in self.programs[name][1])
        return {(os.path.realpath(os.path.join(folder, f)), int(n)): set(kinds.split(",")) for f, n, kinds in places}, None

    def keep(self, name, mark, folder, places, why):
        lines = [REJECTED + why] if why else [f"{os.path.relpath(f, folder)}:{n} {','.join(sorted(kinds))}" for (f, n), kinds in sorted(places.items())]
        self.programs[name] = (mark, lines)

    def write(self, names):
        """Those of `names`: what is gone goes."""
        lines = [self.head]
        for name, (mark, places) in sorted(self.programs.items()):
            if name in names:
                lines += [f"{name} {mark}", *(f"  {p}" for p in places)]
        pathlib.Path(self.path).write_text("\n".join(lines) + "\n")


def expected_of(folder, sources, flags):
    """(file, line) to kinds, as nvcc compiles the program's units; or why it does not."""
    expected = collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as scratch:
        for i, source in enumerate(sources):
            if not source.endswith(".cu") and sum(s.endswith(".cu") for s in sources):
                continue
            of_unit, why = compiled(folder, source, flags, scratch, i)
            if why:
                return None, f"{source}: {why}"
            for place, kinds in of_unit.items():
                expected[place] |= kinds
    return expected, None


def audit(name, folder, sources, flags, options, arguments):
    record = {"program": name, "lines": 0, "missing": []}
    expected = why = None
    if arguments.record:
        mark = fingerprint(folder, sources, flags)
        expected, why = arguments.record.known(name, mark, folder)
    flags = for_this_toolkit(flags)
    if expected is None and why is None:
        expected, why = expected_of(folder, sources, flags)
        if arguments.record:
            arguments.record.keep(name, mark, folder, expected, why)
    if why:
        return {**record, "error": why}
    record["lines"] = len(expected)
    if arguments.only_record:
        return record
    seen, why = looked_at(folder, sources, flags, options, arguments)
    if why:
        return {**record, "error": why}
    for place, kinds in sorted(expected.items()):
        # An atomic operation is both of the others; one of the others is none of it.
        have = seen.get(place, set())
        missing = sorted(k for k in kinds if k not in have and not (k != "atomic" and "atomic" in have))
        if missing:
            record["missing"].append([os.path.relpath(place[0], folder), place[1], missing])
    return record


def of_files(files):
    """Programs of single files, with what their headers ask for."""
    texts = {f: f.read_text(errors="replace") for f in files}
    parts = {(f.parent / w).resolve() for f, t in texts.items() for k, v in HEADER.findall(t) if k == "with" for w in shlex.split(v)}
    for f, text in texts.items():
        if f.resolve() in parts:
            continue
        head = collections.defaultdict(list)
        for key, value in HEADER.findall(text):
            head[key] += shlex.split(value)
        # A project's headers lie beside its sources, or in a folder `include` above.
        roots = [p / "include" for p in list(f.parents)[:3] if (p / "include").is_dir()] if not head["flags"] else []
        flags = [*head["flags"], *(f"-I{os.path.relpath(r, f.parent)}" for r in roots)]
        yield str(f.relative_to(HERE) if f.is_relative_to(HERE) else f), f.parent, [f.name, *head["with"]], flags, head["options"]


def of_corpus(checkouts):
    """The programs of the evaluation (tools/corpus.py) whose checkouts are there; those that are generated first are not."""
    import corpus

    known = set()
    for row in corpus.ROWS:
        folder = checkouts / row.program.folder
        mark = (folder, row.program.sources)
        if folder.is_dir() and row.program.prepare is None and mark not in known:
            known.add(mark)
            yield row.name, folder, list(row.program.sources), [*row.program.flags, corpus.ARCHITECTURE], []


def programs(arguments):
    if arguments.corpus:
        yield from of_corpus(pathlib.Path(arguments.corpus).resolve())
    default = [] if arguments.corpus else [HERE / "tests/ui", HERE / "examples"]
    paths = [pathlib.Path(p).resolve() for p in arguments.paths] or default
    files = []
    for path in paths:
        if path.is_file():
            files.append(path)
        elif (path / "src").is_dir() and any((path / "src").glob("*-cuda")):
            for folder in sorted((path / "src").glob("*-cuda")):
                sources, flags, why = sweep.program_of(folder)
                yield folder.name, folder, sources or [], flags or [], [] if not why else None
        else:
            files += sorted(path.rglob("*.cu"))
    yield from of_files(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--corpus", metavar="FOLDER", help="the programs of the evaluation, whose checkouts lie there")
    parser.add_argument("--every", type=int, default=1, help="only each N-th program")
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--out", help="journal")
    parser.add_argument("--table", help="writes the figures to this Markdown file")
    parser.add_argument("--record", help="what nvcc's code accesses, program by program")
    parser.add_argument("--only-record", action="store_true", help="nothing is checked")
    parser.add_argument("--scuba", default=str(HERE / "target/release/scuba"))
    parser.add_argument("--limit", type=int, default=120, help="seconds after which a check is ended")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds after which no further program is begun")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    arguments.scuba = os.path.abspath(arguments.scuba)
    arguments.record = arguments.record and Record(arguments.record)
    done = {}
    if arguments.out and os.path.exists(arguments.out):
        done = {r["program"]: r for r in map(json.loads, pathlib.Path(arguments.out).read_text().splitlines())}
    chosen = list(programs(arguments))[arguments.offset :: arguments.every]
    start, results = time.monotonic(), []

    def one(program):
        name, folder, sources, flags, options = program
        if name in done:
            return done[name]
        if time.monotonic() - start > arguments.until:
            return None
        if options is None or not sources:
            return {"program": name, "lines": 0, "missing": [], "error": "its sources are not known"}
        return audit(name, folder, sources, flags, options, arguments)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for record in pool.map(one, chosen):
            if record is None:
                continue
            results.append(record)
            if arguments.record and len(results) % 20 == 0:
                arguments.record.write({p[0] for p in chosen})
            if arguments.out and record["program"] not in done:
                with open(arguments.out, "a") as journal:
                    journal.write(json.dumps(record) + "\n")
            for file, line, kinds in record["missing"]:
                print(f"{record['program']}: {file}:{line}: {', '.join(kinds)} not counted", flush=True)
            if "error" in record:
                print(f"{record['program']}: not audited: {record['error']}", flush=True)
    if arguments.record:
        arguments.record.write({p[0] for p in chosen})
    audited = [r for r in results if "error" not in r]
    lines, missing = sum(r["lines"] for r in audited), sum(len(r["missing"]) for r in audited)
    print(f"{len(audited)} programs, {lines} lines with accesses, {missing} with one that is not counted; {len(results) - len(audited)} programs not audited")
    if arguments.table:
        write_table(arguments.table, results)
    return 1 if missing else 0


def write_table(path, results):
    rows = ["| program | lines with accesses | not counted | |", "| --- | --- | --- | --- |"]
    for r in results:
        if r.get("error") or r["missing"]:
            what = r.get("error") or ", ".join(f"{f}:{n} ({'/'.join(k)})" for f, n, k in r["missing"][:6])
            rows.append(f"| {r['program']} | {r['lines']} | {len(r['missing'])} | {what.replace('|', '/')} |")
    audited = [r for r in results if "error" not in r]
    total = f"{len(audited)} programs audited, {sum(r['lines'] for r in audited)} lines, {sum(len(r['missing']) for r in audited)} not counted."
    pathlib.Path(path).write_text("\n".join([total, "", *rows]) + "\n")


if __name__ == "__main__":
    sys.exit(main())
