#!/usr/bin/env python3
"""Seeded mutation campaign: breaks memory accesses of public programs and records what `scuba check` says.

    tools/mutants.py DIR... --seed S --programs N --per-program K --journal FILE [--scuba PATH] [--jobs N] [--limit SECONDS] [--until SECONDS]
                     [--seconds-of FILE --below SECONDS] [--judged FILE] [--table FILE] [--measured TEXT] [--summary]

DIR is a checkout of HeCBench or of cuda-samples; tools/sweep.py reads sources and flags of their programs. Copies in a temporary folder are
changed, never the checkouts. The seed chooses N programs, and K mutants of each; an operator that was planned least often comes first:

    halved   the size of a device allocation, or of a host allocation that is copied to or from a device, is halved
    guard    a comparison that guards accesses of device code is dropped or off by one
    moved    an index of device code is one too large, sometimes one too small
    bytes    an allocation's size in bytes loses `sizeof`; a copy's size has it once more
    swapped  two dimensions are exchanged: in an index, in a grid or block, `.x` and `.y`
    sizes    one of two sizes that must agree changes: one block more, twice the threads, half a shared array, another bound of a host loop

Programs without accesses, or of which a unit is not read, are left out. A mutant that SCuBA cannot read as well as the original does not compile: the next place takes its turn. The journal has a JSON line for each
original and for each mutant; a campaign resumes from it. Outcomes of a mutant:

    denied     a new finding of level deny
    warned     no such finding, but a new one of level warn
    undecided  no new finding; accesses or copies became undecided, or those that the change concerns were undecided before
    masked     no new finding; the original has a finding at an access that the change concerns
    if no wrap accesses that were safe are safe only unless an index wraps
    safe       none of these
    no result  the check ended without a report, or took longer than --limit

--judged names a file with one JSON object a line: program, operator, file, line, judgement (bug, equivalent, host only), why, and where the text
alone does not show which accesses a change concerns, `concerned`, a list of FILE:LINE. `--table` writes a page with rates over bugs. `--summary` checks nothing. Only the Python standard library is used.
"""

import argparse
import bisect
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import sweep

HERE = pathlib.Path(__file__).resolve().parent.parent
OPERATORS = ("halved", "guard", "moved", "bytes", "swapped", "sizes")
OUTCOMES = ("denied", "warned", "undecided", "if no wrap", "safe", "masked", "no result")
JUDGEMENTS = ("bug", "equivalent", "host only")
ALLOCATIONS = ("cudaMalloc", "cudaMallocManaged", "cudaMallocAsync")
# Position of the size among a call's arguments.
COPIES = {"cudaMemcpy": 2, "cudaMemcpyAsync": 2, "cudaMemset": 2, "cudaMemsetAsync": 2}
MASKED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"", re.M)
COMPARISON = re.compile(r"(?<=[\w)\]])\s*(?<![<>=\-])(<|>=)(?![<>=])\s*(?=[\w(\-+])")
ROW_MAJOR = re.compile(r"(?<![\w.\])*/%+\-] )(?<![\w.\])*/%\-])\b([A-Za-z_][\w.]*)\s*\*\s*([A-Za-z_][\w.]*)\s*\+\s*([A-Za-z_][\w.]*)\b(?!\s*[\w.(\[*/%])")
SIZEOF = re.compile(r"\*\s*sizeof\s*\(\s*([\w:]+(?:\s+\w+)?\s*\**)\s*\)|\bsizeof\s*\(\s*([\w:]+(?:\s+\w+)?\s*\**)\s*\)\s*\*(?=\s*[\w(])")
DUMPED = re.compile(r"^(/.*?|[^ :][^:]*):(\d+):(\d+) (read|write|atomic)\b")
OBLIGATION = re.compile(r"^obligation of .* at (.*):(\d+):(\d+)$")
# Undecided copies and fills of the host are no part of the document.
CALL = re.compile(r"^scuba: (?:[^:/]+: )?(\S[^:]*):(\d+):(\d+): (?:the call's use of|whether the call stays within) `(.*)` is undecided: (.*)$")
LEFT = re.compile(r"^scuba: (?:[^:/]+: )?`(.*)` was not followed to its end: (.*)$")
# Accesses that are safe only if nothing wraps are counted in the document, and named by `-v`.
WRAPS = re.compile(r"^scuba: (?:[^:/]+: )?(\S[^:]*):(\d+):(\d+): `.*` is safe if .* wrap")
MADE = re.compile(r"^  object .*made at (.*):(\d+):(\d+)\)")


@dataclasses.dataclass
class Place:
    """A change of one file: the text of a range, and the lines of the accesses that it concerns."""

    operator: str
    what: str
    file: str
    start: int
    end: int
    text: str
    # Accesses on these lines of `file` …
    lines: tuple = None
    # … in the kernel of this name …
    kernel: str = None
    # … or to objects allocated on these lines of `file`, or copies of the host on lines in this list.
    made: tuple = None
    call: tuple = None


def masked(text):
    """The text with comments, literals of characters and directives blanked; offsets and lines stay."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    return DIRECTIVE.sub(blank, MASKED.sub(blank, text))


def closing(text, at):
    """Position of the bracket that closes the one at `at`, or None."""
    pairs, depth = {"(": ")", "[": "]", "{": "}"}, 0
    opens, closes = text[at], pairs[text[at]]
    for m in re.compile(f"[{re.escape(opens + closes)}]").finditer(text, at):
        depth += 1 if m[0] == opens else -1
        if depth == 0:
            return m.start()
    return None


def arguments_of(text, at):
    """Ranges of the arguments of the call whose bracket opens at `at`."""
    end = closing(text, at)
    if end is None:
        return []
    ranges, start, depth = [], at + 1, 0
    for i in range(at + 1, end + 1):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}" and i < end:
            depth -= 1
        elif (c == "," and depth == 0) or i == end:
            ranges.append((start, i))
            start = i + 1
    trimmed = []
    for start, stop in ranges:
        piece = text[start:stop]
        left = len(piece) - len(piece.lstrip())
        trimmed.append((start + left, start + max(left, len(piece.rstrip()))))
    return trimmed


class Source:
    """A source file: its text, masked text, lines, and device functions."""

    def __init__(self, name, path):
        self.name = name
        self.text = path.read_bytes().decode("latin-1")
        self.code = masked(self.text)
        self.starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        self.device = list(self.functions())

    def line(self, at):
        return bisect.bisect_right(self.starts, at)

    def lines(self, start, end):
        return self.line(start), self.line(end)

    def functions(self):
        """Name, start and end of the body, and whether it is a kernel, of each function of device code."""
        for m in re.finditer(r"__(global|device)__\b", self.code):
            opened = re.compile(r"[;{=]").search(self.code, m.end())
            if not opened or opened[0] != "{":
                continue
            head = self.code[m.end() : opened.start()]
            name = re.search(r"(\w+)\s*\(", re.sub(r"__launch_bounds__\s*\([^)]*\)", "", head))
            end = closing(self.code, opened.start())
            if name and end:
                yield name[1], opened.start(), end, m[1] == "global"

    def is_device(self, at):
        return any(start < at < end for _, start, end, _ in self.device)

    def calls(self, names):
        """Name, arguments and range of each call of host code."""
        for m in re.finditer(rf"(?<![\w.>])({'|'.join(names)})\s*(?:<[^<>();]*>\s*)?\(", self.code):
            if not self.is_device(m.start()):
                arguments = arguments_of(self.code, m.end() - 1)
                if arguments:
                    yield m[1], arguments, (m.start(), arguments[-1][1])

    def statement_end(self, at):
        """End of the statement or block that begins at or after `at`."""
        m = re.compile(r"\S").search(self.code, at)
        if not m:
            return at
        if m[0] == "{":
            return closing(self.code, m.start()) or at
        head = re.compile(r"(if|for|while)\s*\(").match(self.code, m.start())
        if head:
            return self.statement_end((closing(self.code, head.end() - 1) or m.start()) + 1)
        end = self.code.find(";", m.start())
        return end if end >= 0 else at


def copied_by(s):
    """Names of arrays that are copied to or from a device."""
    return {w for _, arguments, _ in s.calls(["cudaMemcpy", "cudaMemcpyAsync"]) for a, b in arguments[:2] for w in re.findall(r"^&?(\w+)", s.code[a:b])}


def halved(s):
    for _, arguments, (start, end) in s.calls(ALLOCATIONS):
        if len(arguments) > 1:
            a, b = arguments[1]
            yield Place("halved", "device allocation", s.name, a, b, f"({s.text[a:b]}) / 2", made=s.lines(start, end))
    copied = copied_by(s)
    for m in re.finditer(r"\b(\w+)\s*=\s*(?:\([^()]*\)\s*)?(?:malloc\s*(\()|new\s+[\w:]+\s*(\[))", s.code):
        if m[1] in copied and not s.is_device(m.start()):
            at = m.start(2) if m[2] else m.start(3)
            end = closing(s.code, at)
            if end:
                inner = s.text[at + 1 : end]
                calls = [range(s.line(x), s.line(y) + 1) for _, of, (x, y) in s.calls(["cudaMemcpy", "cudaMemcpyAsync"]) if any(s.code[a:b].startswith(m[1]) for a, b in of[:2])]
                yield Place("halved", "host allocation", s.name, at + 1, end, f"({inner.strip()}) / 2", call=tuple(n for lines in calls for n in lines))


def guard(s):
    for name, start, end, _ in s.device:
        for m in re.compile(r"\b(if|for|while)\s*\(").finditer(s.code, start, end):
            opened, closed = m.end() - 1, closing(s.code, m.end() - 1)
            if closed is None or closed > end:
                continue
            body = s.statement_end(closed + 1)
            returns = re.match(r"\s*\{?\s*(?:return|continue|break)\b", s.code[closed + 1 : body + 1])
            if "[" not in s.code[closed : body + 1] and not returns:
                continue
            concerned = s.lines(opened, end if returns else body)
            first, last = opened + 1, closed
            if m[1] == "for":
                parts = s.code[opened + 1 : closed].split(";")
                if len(parts) != 3:
                    continue
                first = opened + 2 + len(parts[0])
                last = first + len(parts[1])
            comparisons = list(COMPARISON.finditer(s.code, first, last))
            for c in comparisons:
                yield Place("guard", f"{m[1]}: off by one", s.name, c.start(1), c.end(1), {"<": "<=", ">=": ">"}[c[1]], lines=concerned)
            if m[1] == "if" and comparisons:
                yield Place("guard", "if: dropped", s.name, first, last, "false" if returns else "true", lines=concerned)


def moved(s):
    for name, start, end, _ in s.device:
        for m in re.compile(r"\b([A-Za-z_]\w*)\s*\[").finditer(s.code, start, end):
            closed = closing(s.code, m.end() - 1)
            inner = s.text[m.end() : closed] if closed else ""
            before = s.code[start : m.start()].rstrip()
            operand = before[-1:] in "=+-/%(,;{}<>!|&?:[)" or s.code[m.start() - 2 : m.start()] == "* " or before.endswith("return")
            statement = s.code[max(s.code.rfind(c, start, m.start()) for c in ";{}") + 1 : m.start()]
            declared = re.match(r"\s*(?:__shared__|extern|static|const|unsigned)?\s*\w+\s+\w+\s*(?:\[|,|$)", statement)
            if closed and closed < end and re.search(r"[a-z]", inner) and operand and not declared and "__shared__" not in statement:
                for sign, many in (("+", 3), ("-", 1)):
                    yield from [Place("moved", f"{sign} 1", s.name, m.end(), closed, f"({inner.strip()}) {sign} 1", lines=s.lines(m.start(), closed))] * many


def without_sizeof(s, first, last):
    """Ranges of factors `sizeof(T)` of a type that has more than a byte."""
    for m in SIZEOF.finditer(s.code, first, last):
        of = (m[1] or m[2]).strip()
        if of not in ("char", "unsigned char", "signed char", "uint8_t", "int8_t", "uchar", "bool", "void"):
            yield m, of


def in_bytes(s):
    named = set()
    for name, arguments, (start, end) in s.calls([*ALLOCATIONS, *COPIES]):
        at = COPIES.get(name, 1)
        if len(arguments) <= at:
            continue
        a, b = arguments[at]
        named.update(re.findall(r"^\w+$", s.code[a:b]) if name in ALLOCATIONS else [])
        for m, of in without_sizeof(s, a, b):
            if name in COPIES:
                yield Place("bytes", "copy: sizeof twice", s.name, a, b, f"sizeof({of}) * ({s.text[a:b]})", call=tuple(range(s.line(start), s.line(end) + 1)))
            else:
                yield Place("bytes", "allocation: no sizeof", s.name, m.start(), m.end(), "", made=s.lines(start, end))
    for m in re.finditer(r"\b(\w+)\s*=\s*([^;{}]*);", s.code):
        if m[1] in named and not s.is_device(m.start()):
            for found, _ in without_sizeof(s, m.start(2), m.end(2)):
                made = [s.lines(*r) for n, arguments, r in s.calls(ALLOCATIONS) if len(arguments) > 1 and s.code[slice(*arguments[1])] == m[1]]
                yield Place("bytes", "size: no sizeof", s.name, found.start(), found.end(), "", made=made[0] if len(made) == 1 else None)


def swapped(s):
    for name, start, end, kernel in s.device:
        body = s.code[start:end]
        for m in ROW_MAJOR.finditer(s.code, start, end):
            if m[1] != m[3] and not (m[1].startswith("blockIdx") or m[1].startswith("blockDim")):
                statement = s.code[max(s.code.rfind(c, start, m.start()) for c in ";{}") + 1 : m.start()]
                inside = statement.count("[") > statement.count("]")
                yield Place("swapped", "index", s.name, m.start(), m.end(), f"{m[3]} * {m[2]} + {m[1]}", lines=s.lines(m.start(), m.end()) if inside else s.lines(start, end))
        if re.search(r"Idx\.x", body) and re.search(r"Idx\.y", body):
            for m in re.compile(r"\b(?:blockIdx|threadIdx)\.([xy])\b").finditer(s.code, start, end):
                yield Place("swapped", ".x and .y", s.name, m.start(1), m.end(1), {"x": "y", "y": "x"}[m[1]], lines=s.lines(start, end))
    for m in re.finditer(r"\bdim3\s+(\w+)\s*(\()", s.code):
        arguments = arguments_of(s.code, m.start(2))
        if len(arguments) >= 2 and not s.is_device(m.start()):
            (a, b), (c, d) = arguments[:2]
            if s.code[a:b] != s.code[c:d]:
                launched = re.search(rf"(\w+)\s*(?:<[^<>;]*>\s*)?<<<[^;]*\b{m[1]}\b", s.code)
                yield Place("swapped", "grid or block", s.name, a, d, s.text[c:d] + s.text[b:c] + s.text[a:b], kernel=launched[1] if launched else None)


def sizes(s, unguarded):
    for m in re.finditer(r"\b(\w+)\s*(?:<(?:[^<>;(){}]|<[^<>]*>)*>\s*)?<<<", s.code):
        closed = s.code.find(">>>", m.end())
        if closed < 0:
            continue
        # The configuration as the arguments of a call.
        shown = s.code[: m.end() - 1] + "(" + s.code[m.end() : closed] + ")" + s.code[closed + 1 :]
        arguments = arguments_of(shown, m.end() - 1)
        if len(arguments) < 2:
            continue
        (a, b), (c, d) = arguments[:2]
        if m[1] in unguarded:
            if not re.match(r"dim3\b", s.code[a:b]):
                yield Place("sizes", "one block more", s.name, a, b, f"({s.text[a:b]}) + 1", kernel=m[1])
        if not re.match(r"dim3\b", s.code[c:d]) and m[1] in unguarded:
            yield Place("sizes", "twice the threads", s.name, c, d, f"({s.text[c:d]}) * 2", kernel=m[1])
        for variable in re.findall(r"^\w+$", s.code[a:b]) if m[1] in unguarded else []:
            for made in re.finditer(rf"\bdim3\s+{variable}\s*(\()", s.code):
                for x, y in arguments_of(s.code, made.start(1))[:2]:
                    if s.code[x:y] != "1":
                        yield Place("sizes", "one block more", s.name, x, y, f"({s.text[x:y]}) + 1", kernel=m[1])
    for name, start, end, _ in s.device:
        for m in re.compile(r"\b__shared__\s+(?!extern)[\w:<>, ]+?\b(\w+)\s*\[([^\[\]]+)\]").finditer(s.code, start, end):
            yield Place("sizes", "half a shared array", s.name, m.start(2), m.end(2), f"({s.text[m.start(2):m.end(2)].strip()}) / 2", lines=s.lines(start, end))
    bounds = [m for m in re.finditer(r"\bfor\s*\(\s*(?:\w+\s+)?(\w+)\s*=\s*0\s*;\s*\1\s*<\s*([A-Za-z_]\w*)\s*;", s.code) if not s.is_device(m.start())]
    others, copied = sorted({m[2] for m in bounds}), copied_by(s)
    for m in bounds:
        body = s.code[m.end() : s.statement_end((closing(s.code, s.code.index("(", m.start())) or m.end()) + 1)]
        if copied & set(re.findall(r"(\w+)\s*\[[^;]*?\]\s*=[^=]", body)):
            for other in others:
                if other != m[2]:
                    yield Place("sizes", "bound of a host loop", s.name, m.start(2), m.end(2), other)


def places(folder, sources):
    """Places of each operator in the sources of a program and in headers of its folder."""
    found, pending, known = {o: [] for o in OPERATORS}, list(sources), set()
    files = []
    while pending:
        name = os.path.normpath(pending.pop(0))
        path = folder / name
        if name in known or name.startswith("..") or not path.is_file():
            continue
        known.add(name)
        s = Source(name, path)
        files.append(s)
        pending += [os.path.join(os.path.dirname(name), i) for i in INCLUDE.findall(s.text)]
    unguarded = {name for s in files for name, start, end, kernel in s.device if kernel and not re.search(r"\bif\b|\bfor\b|\?", s.code[start:end])}
    for s in files:
        for place in [*halved(s), *guard(s), *moved(s), *in_bytes(s), *swapped(s), *sizes(s, unguarded)]:
            found[place.operator].append(place)
    return found, {s.name: s for s in files}


def programs_of(checkout):
    """Root of the copy, folder, sources and flags by the name of each program; sources are a function, since make has to tell."""
    samples = sweep.samples_of(checkout)
    if samples:
        return {name: (checkout, folder, lambda found=(sources, flags): (*found, None)) for name, (folder, sources, flags) in samples.items()}
    sources = checkout / "src" if (checkout / "src").is_dir() else checkout
    folders = sorted(p for p in sources.iterdir() if p.name.endswith("-cuda") and p.is_dir())
    return {p.name: (sources, p, lambda p=p: sweep.program_of(p)) for p in folders}


def copy(root, folder, to):
    """Copies a program's folder to the same place below `to`; all that lies beside it is linked."""
    at, here = root, to
    for part in folder.relative_to(root).parts:
        here.mkdir(exist_ok=True)
        for other in at.iterdir():
            if other.name != part:
                (here / other.name).symlink_to(other)
        at, here = at / part, here / part
    shutil.copytree(folder, here, symlinks=True, dirs_exist_ok=True)
    return here


def check(folder, sources, flags, o):
    """What a check says: findings, undecided accesses and all accesses, or why there is no report."""
    command = [o.scuba, "check", "-j", "1", "--message-format", "json", "-v", "--dump", "accesses", "--dump", "obligations", *sources, "--", *flags]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_")}
    environment.update(SCUBA_CACHE="off", SCUBA_NVCC=str(o.toolkit / "bin/nvcc"))
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        status, _, cpu, cut = sweep.measured(command, folder, environment, o.limit, out, err)
        record = {"seconds": round(time.monotonic() - start, 2), "cpu": round(cpu, 2)}
        out.seek(0)
        err.seek(0)
        try:
            report = json.loads(out.read())
        except ValueError:
            last = (err.read()[-300:].strip().splitlines() or [""])[-1]
            return {**record, "error": f"longer than {o.limit:g} s" if cut else f"no report (status {status}): {last}"}
        accesses, calls, left, wraps, made, at = {}, [], [], set(), collections.defaultdict(set), None
        inside = lambda file: relative(folder, file)
        for line in err:
            if line.startswith("obligation of "):
                m = OBLIGATION.match(line.rstrip("\n"))
                at = m and f"{inside(m[1])}:{m[2]}:{m[3]}"
            elif line.startswith("  object "):
                m = MADE.match(line)
                if m and at:
                    made[at].add(f"{inside(m[1])}:{m[2]}")
            elif line.startswith("scuba: "):
                m = WRAPS.match(line)
                if m:
                    wraps.add(f"{inside(m[1])}:{m[2]}:{m[3]}")
                m = CALL.match(line.rstrip("\n"))
                if m:
                    calls.append({"file": inside(m[1]), "line": int(m[2]), "column": int(m[3]), "array": m[4], "code": "call", "reason": m[5]})
                m = LEFT.match(line.rstrip("\n"))
                if m:
                    left.append(f"`{m[1]}`: {m[2]}")
            elif line[0] not in " \n":
                m = DUMPED.match(line)
                if m:
                    accesses[f"{inside(m[1])}:{m[2]}:{m[3]}"] = None
    finding = lambda f: {
        "rule": f["rule"], "level": f["level"], "verdict": f["verdict"], "file": inside(f["access"]["file"]), "line": f["access"]["line"], "column": f["access"]["column"],
        "array": f["access"]["array"], "message": f["message"],
    }
    undecided = [{"file": inside(u["file"]), "line": u["line"], "column": u["column"], "array": u["array"], "code": u.get("code"), "reason": u["reason"]} for u in report["undecided"]]
    undecided += calls
    return {
        **record, "summary": report["summary"], "findings": [finding(f) for f in report["findings"]], "undecided": undecided, "accesses": sorted(accesses), "if_no_wrap": sorted(wraps),
        "made": {k: sorted(v) for k, v in made.items()}, "left": left, "not_analysed": [f"{n['file']} ({n['side']}): {n['reason']}"[:200] for n in report["not_analysed"]],
    }


def relative(folder, file):
    """A file of a report, as seen from the program's folder; names in reports begin at the folder of the project, which may be further up."""
    path = pathlib.Path(folder)
    found = next((base / file for base in (path, *path.parents) if (base / file).exists()), path / file)
    return os.path.relpath(found, folder)


def concerned(place, sources, record):
    """Accesses that a change concerns, as FILE:LINE:COLUMN."""
    def at(position):
        file, line, _ = position.rsplit(":", 2)
        return file, int(line)

    if place.lines:
        return [a for a in record["accesses"] if at(a)[0] == place.file and place.lines[0] <= at(a)[1] <= place.lines[1]]
    if place.kernel:
        bodies = [(s.name, s.lines(start, end)) for s in sources.values() for name, start, end, _ in s.device if name == place.kernel]
        return [a for a in record["accesses"] if any(at(a)[0] == file and first <= at(a)[1] <= last for file, (first, last) in bodies)]
    if place.call:
        return [f"{place.file}:{n}:0" for n in place.call]
    if place.made:
        lines = {f"{place.file}:{n}" for n in range(place.made[0], place.made[1] + 1)}
        return [a for a in record["accesses"] if lines & set(record["made"].get(a, []))]
    return []


def compared(before, now, place, line):
    """Outcome of a mutant, with what is new."""
    # Columns of the changed line move.
    column = lambda e: None if e["file"] == place.file and e["line"] == line else e["column"]
    key = lambda f: (f["rule"], f["level"], f["verdict"], f["file"], f["line"], column(f), f["array"])
    where = lambda u: (u["file"], u["line"], column(u))
    known = collections.Counter(map(key, before["findings"]))
    new = []
    for f in now["findings"]:
        known[key(f)] -= 1
        if known[key(f)] < 0:
            new.append(f)
    open_before = {where(u) for u in before["undecided"]}
    became = [u for u in now["undecided"] if where(u) not in open_before]
    return new, became


def mutate(name, place, source, folder, program, before, sources, o):
    """The journal's line for a mutant, or None where it does not compile."""
    path = folder / place.file
    changed = source.text[: place.start] + place.text + source.text[place.end :]
    line = source.line(place.start)
    shown = lambda text: text.split("\n")[line - 1].strip()
    path.unlink()
    path.write_bytes(changed.encode("latin-1"))
    now = check(folder, *program, o)
    path.write_bytes(source.text.encode("latin-1"))
    record = {"program": name, "operator": place.operator, "what": place.what, "file": place.file, "line": line, "before": shown(source.text), "after": shown(changed)}
    record.update(change=f"{source.text[place.start:place.end]} -> {place.text}", seconds=now["seconds"], cpu=now["cpu"])
    if "error" in now:
        return {**record, "outcome": "no result", "error": now["error"]}
    if len(now["not_analysed"]) > len(before["not_analysed"]):
        return None
    new, became = compared(before, now, place, line)
    # Where no access is known to use a changed allocation, those that were undecided may.
    of = {tuple(a.rsplit(":", 2)[:2]) for a in concerned(place, sources, before)} or {(u["file"], str(u["line"])) for u in before["undecided"] if not (place.lines or place.kernel)}
    is_concerned = lambda e: (e["file"], str(e["line"])) in of
    still = [u for u in now["undecided"] if is_concerned(u) and u not in became]
    if place.call and now.get("left"):
        # Of a call that is not reached nothing is said.
        still.append({"file": place.file, "line": line, "column": 0, "array": "", "code": "call", "reason": now["left"][0]})
    told = [f for f in now["findings"] if is_concerned(f) and f not in new]
    at = concerned(place, sources, now)
    # Columns of the changed line move: lines are compared.
    known = {a.rsplit(":", 1)[0] for a in before.get("if_no_wrap", now["if_no_wrap"])}
    wraps = [a for a in now["if_no_wrap"] if a.rsplit(":", 1)[0] not in known]
    outcome = "denied" if any(f["level"] == "deny" for f in new) else "warned" if any(f["level"] == "warn" for f in new) else "undecided" if became or still else "masked" if told else "if no wrap" if wraps else "safe"
    verdicts = {a: "safe if no wrap" for a in now["if_no_wrap"]}
    verdicts.update({f"{f['file']}:{f['line']}:{f['column']}": f"{f['rule']} {f['verdict']}" for f in now["findings"]})
    verdicts.update({f"{u['file']}:{u['line']}:{u['column']}": f"undecided ({u['code']})" for u in now["undecided"]})
    return {
        **record, "outcome": outcome, "new": new, "became_undecided": became, "still_undecided": still, "told_before": told, "became_if_no_wrap": wraps,
        "concerned": {a: verdicts.get(a, "safe") for a in at}, "counts": {k: now["summary"][k] for k in ("accesses", "safe", "safe_if_no_wrap", "safe_assuming", "proved", "possible", "unknown")},
    }


def drawn(found, chance):
    """The places in an order by chance in which each kind of change has its turn."""
    kinds = collections.defaultdict(list)
    for place in found:
        kinds[place.what].append(place)
    for of in kinds.values():
        chance.shuffle(of)
    turns = [(rank, chance.random(), place) for of in kinds.values() for rank, place in enumerate(of)]
    return [place for _, _, place in sorted(turns, key=lambda turn: turn[:2])]


def campaign(name, order, program, journal, done, o):
    """Checks a program and its mutants. True where the original has a result."""
    root, folder, told = program
    sources, flags, why = told()
    if why:
        journal({"program": name, "original": True, "error": why})
        return
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        work = copy(root, folder, pathlib.Path(temporary).resolve())
        before = done.get(name, {}).get("original") or check(work, sources, flags, o)
        if before.get("not_analysed"):
            before["error"] = f"not read: {before['not_analysed'][0]}"
        elif not before.get("accesses", True):
            before["error"] = "no accesses"
        if "original" not in done.get(name, {}):
            journal({"program": name, "original": True, **before})
        if "error" in before:
            return
        found, texts = places(work, sources)
        chance = random.Random(f"{o.seed} {name}")
        # What no check looks at shows nothing.
        live = lambda p: not (p.lines or p.kernel) or concerned(p, texts, before)
        mutants = list(done.get(name, {}).get("mutants", []))
        had = {(m["file"], m["line"], m["what"]) for m in mutants}
        redrawn, queue = 0, {}
        for operator in OPERATORS:
            queue[operator] = drawn([p for p in found[operator] if live(p)], chance)
            queue[operator] = [p for p in queue[operator] if (p.file, texts[p.file].line(p.start), p.what) not in had]
        # Each mutant is another operator where there are enough; the plan names which comes first.
        turns = [operator for operator in order if queue[operator]]
        for operator in turns * o.per_program:
            if len(mutants) >= o.per_program or time.monotonic() > o.end:
                return
            if len(turns) >= o.per_program and any(m["operator"] == operator for m in mutants):
                continue
            while queue[operator]:
                place = queue[operator].pop(0)
                if time.monotonic() > o.end:
                    return
                record = mutate(name, place, texts[place.file], work, (sources, flags), before, texts, o)
                if record is None:
                    redrawn += 1
                    if redrawn > 6:
                        return
                    continue
                mutants.append(record)
                journal({**record, "redrawn": redrawn})
                break


def read(path):
    """Original and mutants by program."""
    records = {}
    if path and pathlib.Path(path).exists():
        for text in pathlib.Path(path).read_text().splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                # Cut off by the end of a run.
                continue
            record = records.setdefault(line["program"], {"mutants": []})
            if line.get("original"):
                record["original"] = line
            else:
                record["mutants"].append(line)
    return records


def seconds_of(path):
    """Seconds of the processor by program, from a page of tools/sweep.py."""
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in pathlib.Path(path).read_text().splitlines() if line.startswith("| ")]
    return {r[0]: float(r[9]) for r in rows if len(r) == 11 and re.match(r"[\d.]+$", r[9])}


def judged(path):
    judgements = {}
    for number, text in enumerate(pathlib.Path(path).read_text().splitlines() if path else [], 1):
        try:
            j = json.loads(text)
            key = j["program"], j["operator"], j["file"], j["line"]
        except (ValueError, KeyError) as error:
            sys.exit(f"{path}:{number}: not a judgement: {error}")
        if j["judgement"] not in JUDGEMENTS:
            sys.exit(f"{path}:{number}: judgement `{j['judgement']}` is none of {', '.join(JUDGEMENTS)}")
        judgements[key] = j
    return judgements


def cause(m):
    """Codes of the undecided accesses of a mutant; new ones first."""
    of = m.get("became_undecided") or m.get("still_undecided") or []
    return [c for c, _ in collections.Counter(u["code"] or "other" for u in of).most_common()]


def rows_of(records, judgements):
    """Mutants with their judgement; a denied mutant is a bug unless judged otherwise."""
    for m in [m for r in records.values() for m in r["mutants"]]:
        j = judgements.get((m["program"], m["operator"], m["file"], m["line"]))
        at = set(j.get("concerned", [])) if j else set()
        still = [u for u in records[m["program"]]["original"]["undecided"] if f"{u['file']}:{u['line']}" in at]
        if m["outcome"] == "safe" and still:
            m = {**m, "outcome": "undecided", "still_undecided": still}
        yield m, j["judgement"] if j else "bug" if m["outcome"] == "denied" else "not judged", j["why"] if j else ""


def share(n, of):
    return f"{n} ({100 * n / of:.0f} %)" if of else "0"


def table(path, records, judgements, o):
    rows = list(rows_of(records, judgements))
    kinds = collections.Counter(j for _, j, _ in rows)
    bugs = [m for m, j, _ in rows if j == "bug" and m["outcome"] not in ("masked", "no result")]
    revision = subprocess.run(["git", "-C", str(HERE), "log", "-1", "--format=%h of %cs"], capture_output=True, text=True).stdout.strip()
    with_mutants = sum(1 for r in records.values() if r["mutants"])
    failed = collections.Counter("no accesses" if r["original"]["error"] == "no accesses" else "not read" for r in records.values() if "error" in r.get("original", {}))
    lines = [
        "# Mutants of public programs", "",
        f"Generated by `tools/mutants.py` (seed {o.seed}) at {o.measured or revision}. Nothing here is written by hand, except the judgements of `tools/mutants-judged.jsonl`.",
        "", "The tool breaks one place of a program and checks it again. A denied mutant counts as a bug: a replay reached the access. Each other mutant was judged by reading its source:", "",
        "* *bug*: some input of the program makes a wrong access;",
        "* *equivalent*: no input does, for example since the allocation has slack or the guard never bites;",
        "* *host only*: only loads and stores of the host go wrong, which SCuBA does not check.", "",
        f"{len(rows)} mutants of {with_mutants} programs: {kinds['bug']} bugs, {kinds['equivalent']} equivalent, {kinds['host only']} host only, {kinds['not judged']} not judged. "
        f"Of programs that the seed chose, {failed['not read']} were left out since SCuBA does not read all of them within the limit, and {failed['no accesses']} since they have no accesses.", "",
    ]
    if o.seconds_of:
        lines += [f"Only programs that took less than {o.below:g} s of the processor in [{pathlib.Path(o.seconds_of).name}]({pathlib.Path(o.seconds_of).name}) were drawn, and programs that are not in it.", ""]
    seconds = sorted(m["cpu"] for m, _, _ in rows)
    lines += [
        f"A check of a mutant took {sweep.at(seconds, 0.5):g} s of the processor (median), at most {max(seconds, default=0):g} s.", "",
        "A mutant is *undecided* if accesses or copies that it concerns are. *If no wrap*: they count as safe unless an index wraps. *Masked*: the original has a finding there. "
        "*Masked* mutants and those without a result are no part of the rates.", "",
    ]
    head = [x for x in OUTCOMES if x not in ("masked", "no result")]
    lines += ["## Rates over bugs", "", "| operator | mutants | equivalent | host only | bugs | " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) + 4)]
    for operator in [*OPERATORS, None]:
        of = [m for m in bugs if operator in (None, m["operator"])]
        count = collections.Counter(m["outcome"] for m in of)
        by = collections.Counter(j for m, j, _ in rows if operator in (None, m["operator"]))
        numbers = [by.total(), by["equivalent"], by["host only"], len(of), *(share(count[x], len(of)) for x in head)]
        lines.append(f"| {operator or '**all**'} | " + " | ".join(map(str, numbers)) + " |")
    lines += ["", "A bug that counts as *safe* is a wrong *safe*." if any(m["outcome"] == "safe" for m in bugs) else "No bug counts as safe.", ""]
    lines += ["## Outcomes", "", "| judgement | " + " | ".join(OUTCOMES) + " |", "| --- |" + " --- |" * len(OUTCOMES)]
    for kind in ("bug", "equivalent", "host only", "not judged"):
        count = collections.Counter(m["outcome"] for m, j, _ in rows if j == kind)
        lines.append(f"| {kind} | " + " | ".join(str(count[x]) for x in OUTCOMES) + " |")
    rules, codes = collections.Counter(), collections.Counter()
    for m in bugs:
        rules.update({f"`{f['rule']}` {f['verdict']}" for f in m.get("new", []) if f["level"] in ("deny", "warn")})
        codes.update(cause(m) if m["outcome"] == "undecided" else [])
    lines += ["", "Rules of new findings, by the number of bugs: " + (", ".join(f"{r} {n}" for r, n in rules.most_common()) or "none") + ".", ""]
    lines += ["Codes of accesses of undecided bugs, by the number of bugs (`call`: a copy of the host): " + (", ".join(f"{c} {n}" for c, n in codes.most_common()) or "none") + ".", ""]
    lines += ["## Mutants", "", "| program | operator | change | place | outcome | rules or codes | judgement |", "| --- |" + " --- |" * 6]
    for m, j, why in sorted(rows, key=lambda r: (r[0]["program"], r[0]["operator"])):
        said = sorted({f["rule"] for f in m.get("new", [])}) if m["outcome"] in ("denied", "warned") else cause(m) if m["outcome"] == "undecided" else []
        lines.append(f"| {m['program'].removesuffix('-cuda')} | {m['operator']} | {m['what']} | {m['file']}:{m['line']} | {m['outcome']} | {', '.join(said)} | {j}{': ' + why.replace('|', chr(92) + '|') if why else ''} |")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def plan(names, seed, many):
    """Order of operators for each program: the one that was first least often comes first."""
    chance, counts, orders = random.Random(seed), collections.Counter(), {}
    for name in names:
        order = list(OPERATORS)
        chance.shuffle(order)
        order.sort(key=lambda operator: counts[operator])
        counts.update(order[:many])
        orders[name] = order
    return orders


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=pathlib.Path, nargs="+")
    parser.add_argument("--seed", type=int, required=True, help="of all choices")
    parser.add_argument("--programs", type=int, required=True, metavar="N", help="programs with a result")
    parser.add_argument("--per-program", type=int, required=True, metavar="K", help="mutants of each program")
    parser.add_argument("--journal", required=True, help="a JSON line for each original and mutant")
    parser.add_argument("--scuba", default=str(HERE / "target/release/scuba"))
    parser.add_argument("--toolkit", type=pathlib.Path, default=sweep.TOOLKIT, help="folder of the CUDA toolkit")
    parser.add_argument("--jobs", type=int, default=1, help="programs that are checked side by side")
    parser.add_argument("--limit", type=float, default=100.0, help="seconds after which a check is ended")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds after which no further mutant is begun")
    parser.add_argument("--seconds-of", help="page of tools/sweep.py with the seconds of the processor of each program")
    parser.add_argument("--below", type=float, default=60.0, help="of the programs of --seconds-of: only those below so many seconds")
    parser.add_argument("--judged", help="file with judgements")
    parser.add_argument("--table", help="writes the page to this Markdown file")
    parser.add_argument("--measured", help="what was measured, for the page: revisions and machine (this checkout's, otherwise)")
    parser.add_argument("--summary", action="store_true", help="only show what the journal holds")
    o = parser.parse_args()
    o.end = time.monotonic() + o.until
    for path in filter(None, (o.judged, o.seconds_of)):
        if not pathlib.Path(path).is_file():
            sys.exit(f"{path}: no such file")
    programs, known = {}, seconds_of(o.seconds_of) if o.seconds_of else None
    for checkout in o.dir:
        if not checkout.is_dir():
            sys.exit(f"{checkout}: no such folder")
        found = programs_of(checkout.resolve())
        if not found:
            sys.exit(f"{checkout}: no folder whose name ends in `-cuda`, and no samples; DIR is a checkout of HeCBench or of cuda-samples")
        if known is not None:
            # Programs of another checkout than the page's are not in it.
            named = any(n.removesuffix("-cuda") in known and n.endswith("-cuda") for n in found)
            found = {n: p for n, p in found.items() if not named or known.get(n.removesuffix("-cuda"), o.below) < o.below}
        programs.update(found)
    judgements = judged(o.judged)
    names = sorted(programs)
    random.Random(o.seed).shuffle(names)
    if not o.summary and not os.access(o.scuba, os.X_OK):
        sys.exit(f"{o.scuba}: no such program; run `make build`, or name one with --scuba")
    pathlib.Path(o.journal).parent.mkdir(parents=True, exist_ok=True)
    orders, lock = plan(names, o.seed, o.per_program), threading.Lock()

    def counted(records):
        return sum(1 for r in records.values() if "error" not in r.get("original", {}) and r["mutants"])

    if not o.summary:
        with open(o.journal, "a") as out, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            def write(line):
                with lock:
                    out.write(json.dumps(line) + "\n")
                    out.flush()
                said = line.get("outcome") or line.get("error") or f"{line['cpu']} s, {line['summary']['accesses']} accesses"
                print(f"{line['program']}: {line.get('operator', 'original')} {line.get('what', '')}: {said}", file=sys.stderr)

            def one(name):
                done = read(o.journal)
                if time.monotonic() > o.end or counted(done) >= o.programs and name not in done:
                    return
                of = done.get(name, {})
                if len(of.get("mutants", [])) < o.per_program and "error" not in of.get("original", {}):
                    campaign(name, orders[name], programs[name], write, done, o)

            for work in [pool.submit(one, n) for n in names]:
                work.result()
    records = {n: r for n, r in read(o.journal).items() if n in programs}
    if not o.summary and counted(records) < o.programs and time.monotonic() > o.end:
        print("time is up; the same command goes on from here", file=sys.stderr)
    rows = list(rows_of(records, judgements))
    count = collections.Counter((j, m["outcome"]) for m, j, _ in rows)
    print(f"{counted(records)} programs, {len(rows)} mutants: " + ", ".join(f"{n} {j} {x}" for (j, x), n in sorted(count.items())))
    if o.table:
        table(o.table, records, judgements, o)
    return 0


if __name__ == "__main__":
    sys.exit(main())
