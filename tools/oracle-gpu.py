#!/usr/bin/env python3
"""A GPU as the judge of generated programs: python3 tools/oracle-gpu.py SHOWN... [--runs N] [--folder FOLDER]

SHOWN: what `SCUBA_ORACLE_SHOW=1 cargo test --release --test oracle -- --ignored many --nocapture` printed: each program with
the engine's word on every place that is not safe. Each program is built with nvcc and run under Compute Sanitizer, with the inputs
of its proved findings and with N small ones (default 4). Printed are

  wrong     the first error of a run is at a line where everything is called safe;
  wrapped   it is at one that is safe only if nothing wraps (that says nothing: small inputs seldom wrap);
  without a line   where it is cannot be told (atomic operations that are not inlined);
  seen      proved findings whose inputs showed an error at their line, or before it at another line that is not safe;
  not seen  those whose inputs showed none (they may need another order of threads, numbers of rand() of their own, or lie
            within memory that is allocated).

It needs nvcc, compute-sanitizer and a GPU; the exit status is 1 where something is wrong.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

PROGRAM = re.compile(r"^// seed (\d+)[^\n]*\n(.*?)^// (\{.*?\})\n// bad ", re.M | re.S)
PLACE = re.compile(r"\((\d+), (\d+)\): (SafeIfNoWrap|Unknown|Possible|Proved)")
ARGV = re.compile(r'run: Run \{ argv: \[(.*?)\]')
# The innermost call outside headers.
AT = re.compile(r"^=========\s+(?:at|Device Frame:) .*? in (?:\S*/)?\d+\.cu:(\d+)", re.M)


class Shown:
    """One program with what was said of it."""

    def __init__(self, seed, text, said):
        self.seed, self.text = seed, text
        # Lines are counted from the first that is the program's own.
        head = next(i for i, line in enumerate(text.split("\n")) if not line.startswith("#include"))
        self.lines, self.proved = collections.defaultdict(set), []
        places = list(PLACE.finditer(said))
        for m, after in zip(places, places[1:] + [None]):
            line = int(m[1]) + head
            self.lines[line].add(m[3])
            if m[3] == "Proved":
                run = ARGV.search(said, m.end(), after.start() if after else len(said))
                if run:
                    self.proved.append((line, re.findall(r'"(.*?)"', run[1])))
        self.arguments = max([int(n) for n in re.findall(r"argv\[(\d+)\]", text)], default=0)

    def inputs(self, runs):
        """Those of findings first."""
        out = [tuple(argv) for _, argv in self.proved]
        choose = random.Random(self.seed)
        out += [tuple(str(choose.choice([0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64])) for _ in range(self.arguments)) for _ in range(runs)]
        return list(dict.fromkeys(out))


def sanitize(binary, argv):
    """The lines of the errors of a run, in order; None where it could not be run."""
    command = ["compute-sanitizer", "--tool", "memcheck", "--padding", "4096", "--print-limit", "20", binary, *argv]
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    found = []
    for block in re.split(r"(?=^========= Invalid )", r.stdout, flags=re.M):
        if block.startswith("========= Invalid "):
            at = AT.search(block)
            found.append((int(at[1]) if at else 0, block.split("\n")[0]))
    return found


def judge(folder, p, runs, gpu):
    """What the GPU says of one program, as (kind, line, text)."""
    source, binary = os.path.join(folder, f"{p.seed}.cu"), os.path.join(folder, str(p.seed))
    with open(source, "w") as f:
        f.write(p.text)
    # Without optimisation, which leaves out reads that nothing uses.
    r = subprocess.run(["nvcc", "-std=c++17", "-arch=native", "-G", "-o", binary, source], capture_output=True, text=True)
    if r.returncode:
        return [("not built", 0, r.stderr.strip().split("\n")[0])]
    seen = {}
    for argv in p.inputs(runs):
        with gpu:
            seen[argv] = sanitize(binary, argv)
    out = []
    for argv, errors in seen.items():
        if not errors:
            continue
        line, text = errors[0]
        said = p.lines.get(line, set())
        if not line:
            out.append(("without a line", line, f"{' '.join(argv)}: {text}"))
        elif not said:
            out.append(("wrong", line, f"{' '.join(argv)}: {text}"))
        elif said == {"SafeIfNoWrap"}:
            out.append(("wrapped", line, f"{' '.join(argv)}: {text}"))
    for line, argv in p.proved:
        errors = seen.get(tuple(argv))
        at = [e[0] for e in errors or []]
        kind = "seen" if line in at else "seen before" if at else "not seen"
        out.append((kind, line, " ".join(argv)))
    out.append(("runs", 0, str(sum(e is not None for e in seen.values()))))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shown", nargs="+")
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--folder")
    o = parser.parse_args()
    programs = []
    for name in o.shown:
        with open(name) as f:
            programs += [Shown(int(m[1]), m[2], m[3]) for m in PROGRAM.finditer(f.read())]
    if not programs:
        sys.exit(f"{o.shown[0]}: no programs: print them with SCUBA_ORACLE_SHOW=1")
    gpu = threading.Semaphore(os.cpu_count() or 2)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = o.folder or temporary
        os.makedirs(folder, exist_ok=True)
        for n, (p, found) in enumerate(zip(programs, pool.map(lambda p: judge(folder, p, o.runs, gpu), programs)), 1):
            for kind, line, text in found:
                if kind == "runs":
                    counts["runs"] += int(text)
                    continue
                counts[kind] += 1
                if kind in ("wrong", "without a line", "not built", "not seen"):
                    print(f"seed {p.seed}, line {line}: {kind}: {text}", flush=True)
            if n % 25 == 0 or n == len(programs):
                print(f"{n} programs, {counts['runs']} runs: " + ", ".join(f"{c} {k}" for k, c in sorted(counts.items()) if k != "runs"), flush=True)
    sys.exit(1 if counts["wrong"] else 0)


if __name__ == "__main__":
    main()
