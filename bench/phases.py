#!/usr/bin/env python3
"""Profile of a first build through the shim: CPU seconds of each kind of process. `python3 -B bench/phases.py --dir FOLDER PROJECT…`

PROJECT is the end of a name in the list of `projects.py`. Each is built in a fresh copy with `perf record` over all its processes, once
with each cache of `--first` (`first.py`), and by plain nvcc. A sample of perf counts for the process that it is in; processes are told apart by
what started them (nvcc or the analysis) and by their arguments, which a thread reads from /proc.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections import Counter
from pathlib import Path

import bench
import first
import projects

# Samples in each second of CPU time.
RATE = 2000
EVENT = re.compile(
    r"^\s*(?P<comm>.*?)\s+(?P<pid>\d+)/(?P<tid>\d+)\s+[\d.]+:\s+(?:"
    r"PERF_RECORD_COMM(?P<exec> exec)?: (?P<name>.*):\d+/\d+|PERF_RECORD_FORK\((?P<child>\d+):(?P<thread>\d+)\):\((?P<parent>\d+):\d+\)|(?P<sample>[\w-]+): ?)"
)


class Arguments:
    """Arguments of all new processes, by process id, as a thread saw them last."""

    def __init__(self) -> None:
        self.of, self.ended = {}, threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def __enter__(self) -> "Arguments":
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.thread.join()

    def look(self) -> None:
        before = set(first.pids())
        while not self.ended.wait(0.005):
            for pid in set(first.pids()) - before:
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
                # A process that has ended, and whom nobody waited for yet, has none.
                if words:
                    self.of[pid] = words.split("\0")


def kind(thread: str, arguments: list) -> str:
    """What a process of the analysis does."""
    words = " ".join(arguments)
    if thread.startswith("clang"):
        side = "device" if "--cuda-device-only" in words else "host" if "--cuda-host-only" in words else "models and questions"
        return f"clang, {'a header, ' if '-emit-pch' in words else ''}{side}"
    if thread == "check":
        return "check"
    if thread in ("cc1plus", "cc1", "gcc", "g++", "nvcc"):
        return f"questions to {'nvcc' if thread == 'nvcc' else 'the host compiler'}"
    return thread


def phases(data: Path, arguments: dict) -> Counter:
    """CPU seconds of each kind."""
    script = subprocess.run(
        ["perf", "script", "-i", str(data), "--show-task-events", "-F", "comm,pid,tid,event,time"], capture_output=True, text=True, check=True
    ).stdout
    parents, names, seconds = {}, {}, Counter()

    def within(pid: int) -> bool:
        while pid:
            if names.get(pid) in ("scuba", "scuba-extract"):
                return True
            pid = parents.get(pid, 0)
        return False

    for line in script.splitlines():
        event = EVENT.match(line)
        if not event:
            continue
        pid = int(event["pid"])
        if event["exec"]:
            names[pid] = event["name"]
        elif event["child"] and event["child"] != event["parent"]:
            child, parent = int(event["child"]), int(event["parent"])
            parents[child], names[child] = parent, ""
        elif event["sample"]:
            thread = event["comm"].strip()
            if within(pid):
                seconds[kind(thread, arguments.get(pid, []))] += 1 / RATE
            else:
                seconds["shim" if thread == "scuba-nvcc" else "nvcc and make"] += 1 / RATE
    return seconds


def profile(turns: first.Turns, way: str) -> Counter:
    """Builds once, and returns CPU seconds of each kind."""
    data = turns.bench.temporary / "perf.data"
    make = turns.bench.make
    turns.bench.make = lambda project, how: ["perf", "record", "-q", "-o", str(data), "-e", "cpu-clock", "-F", str(RATE), *make(project, how)]
    with Arguments() as arguments:
        turns.build(way)
    turns.bench.make = make
    return phases(data, arguments.of)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, required=True, help="folder of checkouts")
    parser.add_argument("--binaries", type=Path, default=bench.BUILT)
    parser.add_argument("--nvcc", type=Path, help="default: what tools/find-nvcc.sh finds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", nargs="*", default=list(first.CACHES), choices=first.CACHES)
    parser.add_argument("names", nargs="+", metavar="PROJECT")
    arguments = parser.parse_args()
    ways = ("plain", *arguments.first)
    nvcc = arguments.nvcc or Path(bench.quietly([projects.ROOT / "tools" / "find-nvcc.sh"], dict(os.environ)).strip())
    temporary = Path(tempfile.mkdtemp(prefix="scuba-phases-"))
    try:
        given = projects.Bench(arguments.dir.resolve(), arguments.binaries.resolve(), nvcc.absolute(), arguments.jobs, temporary)
        warmed = None
        if "warmed" in ways:
            warmed = temporary / "warmed"
            warmed.mkdir()
            first.warm(given, warmed)
        for project in (p for p in projects.PROJECTS if any(p.name.endswith(name) for name in arguments.names)):
            turns = first.Turns(given, project, warmed)
            turns.build("plain")
            taken = {way: profile(turns, way) for way in ways}
            print(f"\n| {project.name}, CPU s | {' | '.join(ways)} |\n| --- |{' ---: |' * len(ways)}")
            kinds = Counter()
            for seconds in taken.values():
                kinds.update(seconds)
            for what, _ in kinds.most_common():
                print(f"| {what} | {' | '.join(f'{taken[way][what]:.2f}' if taken[way][what] else '' for way in ways)} |")
            print(f"| **all** | {' | '.join(f'{sum(taken[way].values()):.2f}' for way in ways)} |", flush=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


if __name__ == "__main__":
    main()
