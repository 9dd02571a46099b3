#!/usr/bin/env python3
"""tools/seen.py [--work FOLDER] [--only PATTERN] [--jobs N] [--limit SECONDS] [--again] [--keep] [--out FILE]: does a bug ever pass without a word?

One small project, whose bug only several units together show, in every way to build it, from every state that a build can be found in, in six
shapes. Each cell of that matrix says what became of the bug in the build; then the project is corrected, and must build as it does without
SCuBA. Writes docs/evaluation/seen.md, or FILE. Every cell is a line of FOLDER/journal.jsonl, with its commands and what they said; cells that
are there stand, so a run goes on where it ended (tried once more: all with --again, else those for which sccache's server did not start). --only
is a regular expression of cells (WAY/STATE/SHAPE).
Binaries: SCUBA_RELEASE (target/release). nvcc: SCUBA_NVCC, else the one of .deps. What is not installed is left out, and said so.
"""

import argparse
import collections
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing

import buildlab
from buildlab import BUG, CHECKOUT, RELEASE, Skip
from seen_page import shown, write_page
from seen_ways import NO_SWITCH, SHAPES, WAYS, Broken, Place, Shape, Way, kill_all, remove

# Units, and the libraries that hold some.
UNITS = r"(?<![A-Za-z])(base\.cu|fill\.cu|(main|parse)\.(cu|cpp|c)|lib(base|parts)\.(so|a))\b"
# How a line of ours begins, also where a build tool stands before it.
OURS = re.compile(r"\bscuba(-nvcc)?: ")
FINDING = re.compile(r"^(error|warning)\[([a-z-]+)\]", re.M)
# What a line must speak of to be more than the name of a unit.
UNREAD = re.compile(r"not read|without being read|not analysed|without the analysis|unseen|no facts|not known|cannot be read")
# What says that something cannot be seen, where no unit can be named.
BLIND = re.compile(r"does not see|sees nothing|do not come")
PORT = 4310
# So many ways to build go before the others.
COMMON = 5


@dataclasses.dataclass
class Cell:
    way: Way
    state: "State"
    shape: Shape

    @property
    def name(self) -> str:
        return f"{self.way.name}/{self.state.name}/{self.shape.name}"


@dataclasses.dataclass
class State:
    name: str
    title: str
    # Leaves the place as this state is and runs the command that is watched: its exit status and what it said.
    reach: typing.Callable[[Place, Way], tuple[int, str]]


# ---- states -----------------------------------------------------------------------------------------------------------


def plain(place: Place, way: Way) -> None:
    """The project with its bug, built without SCuBA where nothing was built before."""
    name = f"plain-{way.family}-{place.shape.name}"
    if not place.restore(name):
        place.anew()
        place.write(bug=True)
        # A folder that Meson made knows its compiler for good.
        way.configure(place, way.name == "meson")
        status, said = way.off(place) if way.name == "meson" else way.build(place, False)
        if status != 0:
            raise Skip(f"does not build without SCuBA: {buildlab.complaint(said)}")
        shutil.rmtree(place.root / "wheels", ignore_errors=True)
        place.keep(name)
    if way.name == "meson":
        place.note(NO_SWITCH)


def touch(place: Place, name: str) -> None:
    (place.src / name).touch()
    place.note(f"touch {name}")


def must_pass(place: Place, what: str, status: int, said: str) -> None:
    found = FINDING.search(said)
    if status != 0 or found:
        raise Broken(f"{what}: status {status}, {found.group(0) if found else buildlab.complaint(said)}")


def watched(place: Place, way: Way) -> tuple[int, str]:
    """Runs the command that a cell is about, and keeps whether anything of SCuBA's ran in it: what does so leaves its mark in a `.scuba`."""
    before = place.marks()
    done = way.build(place, True)
    place.untouched = place.marks() == before
    return done


def clean(place: Place, way: Way) -> tuple[int, str]:
    place.write(bug=True)
    way.configure(place, True)
    return watched(place, way)


def plain_one(place: Place, way: Way) -> tuple[int, str]:
    plain(place, way)
    touch(place, "lib/fill.cu")
    way.configure(place, True)
    return watched(place, way)


def plain_none(place: Place, way: Way) -> tuple[int, str]:
    plain(place, way)
    way.configure(place, True)
    return watched(place, way)


def off_one(place: Place, way: Way) -> tuple[int, str]:
    """The folder is SCuBA's, and its objects are not."""
    place.write(bug=True)
    way.configure(place, True)
    must_build(way.off(place))
    touch(place, "lib/fill.cu")
    return watched(place, way)


def denied_off(place: Place, way: Way) -> tuple[int, str]:
    place.write(bug=True)
    way.configure(place, True)
    status, said = way.build(place, True)
    if status == 0:
        place.note("the first build was not denied")
    must_build(way.off(place))
    with (place.src / "lib/base.cu").open("a") as text:
        text.write("// edited\n")
    place.note("echo '// edited' >>lib/base.cu")
    return watched(place, way)


def killed(place: Place, way: Way) -> tuple[int, str]:
    place.write(bug=True)
    way.configure(place, True)
    # Nothing is in SCuBA's cache, so that nvcc may be done first.
    status, said = way.build(place, way.builds, one=True, until=lambda: bool(place.cuda_objects()), SCUBA_CACHE=place.root / "caches/cold")
    if status != -9:
        place.note(f"it ended before it could be killed, with status {status}")
    else:
        facts = [p.name for p in place.root.rglob("*") if p.is_file() and ".scuba" in p.parts]
        place.note(f"killed when {', '.join(p.name for p in place.cuda_objects())} was there; in .scuba: {', '.join(facts) or 'nothing'}")
    return watched(place, way)


def old(place: Place, way: Way) -> tuple[int, str]:
    """As Nix and `cp -p` leave times: what is built differs in contents alone. What other cells left in SCuBA's cache is as old."""
    place.environment["SCUBA_CACHE"] = str(place.root / "caches/scuba")
    place.write(bug=False)
    for file in place.src.rglob("*"):
        os.utime(file, (1, 1))
    place.note("touch -d @1 of all sources")
    way.configure(place, True)
    must_pass(place, "the corrected project", *way.build(place, True))
    size = (place.src / "lib/fill.cu").stat().st_size
    place.write(bug=True)
    assert (place.src / "lib/fill.cu").stat().st_size == size
    os.utime(place.src / "lib/fill.cu", (1, 1))
    place.note("touch -d @1 lib/fill.cu")
    way.again(place, "fill.cu")
    return watched(place, way)


def all_hits(cache: str) -> typing.Callable[[Place, Way], tuple[int, str]]:
    def reach(place: Place, way: Way) -> tuple[int, str]:
        buildlab.need(cache)
        place.cache = cache
        shutil.rmtree(place.root / "caches", ignore_errors=True)
        if cache == "sccache":
            start_sccache(place)
        place.write(bug=True)
        way.configure(place, True)
        must_build(way.off(place))
        before = hits(place)
        shutil.rmtree(place.build)
        way.configure(place, True)
        done = watched(place, way)
        place.note(f"{cache}: {hits(place) - before} hits in this build")
        return done
    return reach


def start_sccache(place: Place) -> None:
    """Starts the server before a build needs it. On a busy machine it may be late, and is there for who asks next."""
    for _ in range(5):
        status, said = place.run("sccache", "--start-server")
        if status == 0 or listens(int(place.environment["SCCACHE_SERVER_PORT"])):
            return
        time.sleep(5)
    raise Skip(f"sccache's server does not start: {buildlab.complaint(said)}")


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return True
    except OSError:
        return False


def unstarted(entry: dict) -> bool:
    """Whether a cell tells of a busy machine alone: no server of sccache's was there in time. Such a cell is tried again."""
    late = any("Timed out waiting for server startup" in step.get("said", "") for step in entry["steps"])
    return late and entry["outcome"] in ("n/a", "broken")


def hits(place: Place) -> int:
    command = ["ccache", "--print-stats"] if place.cache == "ccache" else ["sccache", "--show-stats"]
    said = subprocess.run(command, env=place.environment, capture_output=True, text=True).stdout
    return sum(int(n) for n in re.findall(r"^(?:direct_cache_hit|preprocessed_cache_hit|Cache hits) +(\d+)$", said.replace("\t", " "), re.M))


def two(place: Place, way: Way) -> tuple[int, str]:
    """Side by side: one has the guard by a macro, the other has not."""
    place.write_by_configuration()
    place.guarded = True
    way.configure(place, True)
    must_pass(place, "the configuration with the guard", *way.build(place, True))
    place.guarded = False
    way.configure(place, True)
    done = watched(place, way)
    place.guarded = True
    touch(place, "lib/base.cu")
    must_pass(place, "the configuration with the guard, after the other", *way.build(place, True))
    place.guarded = False
    return done


def outside(place: Place, way: Way) -> tuple[int, str]:
    place.outside = True
    return clean(place, way)


def readonly(place: Place, way: Way) -> tuple[int, str]:
    if os.geteuid() == 0:
        buildlab.need("setpriv")
    place.outside = True
    place.write(bug=True)
    # Bazel's rules are sources too, and are written here.
    if way.name == "bazel":
        way.configure(place, True)
    permit(place, "a-w")
    place.readonly = True
    way.configure(place, True)
    return watched(place, way)


def permit(place: Place, what: str) -> None:
    subprocess.run(["chmod", "-R", what, place.src], check=True)
    place.note(f"chmod -R {what} {place.src}")


def must_build(done: tuple[int, str]) -> None:
    status, said = done
    if status != 0:
        raise Skip(f"does not build with SCuBA off: {buildlab.complaint(said)}")


# In the order in which they are tried.
STATES = [
    State("plain-one", "plain build, then one unit touched", plain_one),
    State("denied-off", "denied, `SCUBA_OFF=1`, edit elsewhere", denied_off),
    State("clean", "clean", clean),
    State("killed", "killed", killed),
    State("old", "old times", old),
    State("off-one", "`SCUBA_OFF=1`, then one unit touched", off_one),
    State("plain-none", "plain build, nothing touched", plain_none),
    State("ccache", "ccache, all hits", all_hits("ccache")),
    State("two", "two configurations", two),
    State("readonly", "sources read-only", readonly),
    State("outside", "out of tree", outside),
    State("sccache", "sccache, all hits", all_hits("sccache")),
]

# ---- one cell ---------------------------------------------------------------------------------------------------------


def judge(status: int, said: str) -> tuple[str, list[str]]:
    """What became of the bug in one command, and the lines that say so."""
    lines = said.splitlines()
    ours = [line.strip() for line in lines if OURS.search(line) or "[oob-" in line or line.startswith("undecided: ")]
    if status != 0 and BUG in said:
        return "fails", [line for line in ours if BUG in line]
    if "warning[oob-global]" in said or "note[oob-global]" in said:
        return "warned", ours
    named = [line for line in ours if re.search(UNITS, line) and UNREAD.search(line) and "read now" not in line]
    if named and status in (0, 2):
        return "named", named
    if status != 0:
        return ("refused" if any(OURS.search(line) for line in ours) else "broken"), ours or lines[-3:]
    blind = [line for line in ours if BLIND.search(line)]
    return ("told", blind) if blind else ("silent", ours)


def check(place: Place, way: Way) -> tuple[str, list[str]]:
    """What the document of `scuba check` behind the build says."""
    status, said = place.run(RELEASE / "scuba", "check", way.checked(place), "--message-format", "json")
    try:
        report = json.JSONDecoder().raw_decode(said, said.index("{"))[0]
    except ValueError:
        return judge(status, said)
    found = [f for f in report["findings"] if f["rule"] == "oob-global"]
    if found:
        denied = any(f["level"] == "deny" for f in found)
        return ("fails" if denied and status == 1 else "warned"), [found[0]["message"]]
    entries = [e for field in ("unseen", "built_without_analysis", "not_analysed") for e in report.get(field) or []]
    names = sorted({m.group(0) for m in re.finditer(UNITS, json.dumps(entries))})
    open_ = [f"undecided: {e['reason']}" for e in report["undecided"]]
    return ("named", [f"its document lists {', '.join(names)}"]) if names else ("silent", open_)


def follow_up(place: Place, way: Way, cell: Cell) -> None:
    """The project with its guard once more: it builds, nothing is said against it, and what it leaves is what it leaves without SCuBA."""
    if place.readonly:
        place.readonly = False
        permit(place, "u+w")
    if cell.state.name == "two":
        place.guarded = False
    place.write(bug=False)
    must_pass(place, "corrected", *way.build(place, True))
    if cell.state.name != "clean" or not way.builds:
        return
    ours = files(place, way)
    journal, place.journal = place.journal, []
    plain(place, way)
    place.journal = journal
    without = files(place, way)
    if ours != without:
        raise Broken(f"other files than without SCuBA: {', '.join(sorted(ours ^ without)[:5])}")


def files(place: Place, way: Way) -> set[str]:
    """What sources and build hold, by name, but for SCuBA's own folder, what CMake answers it, and what a build tool leaves in a second build.

    CMake's makefiles note down what a second build depends on, and Meson keeps what it knew before it configured again (it does wherever its native
    file is newer) as `meson-private/*.prev`.
    """
    if way.name == "bazel":
        # Its folders are named by configuration and by action.
        return {p.name for p in buildlab.made(place.root)}
    names = [p.relative_to(place.src) for p in place.src.rglob("*") if p.is_file()]
    again = [n for n in names if n.name.startswith("compiler_depend") or (n.parent.name == "meson-private" and n.suffix == ".prev")]
    return {str(n) for n in names if not {".scuba", ".cmake"} & set(n.parts)} - {str(n) for n in again}


def try_cell(cell: Cell, slot: pathlib.Path, kept: pathlib.Path, work: pathlib.Path, port: int) -> dict:
    way = cell.way
    environment = buildlab.environment(work / "home", work / "caches/scuba", slot / "caches", port)
    environment["SEEN_CELL"] = f"{slot.name}-{time.time_ns()}"
    place = Place(slot, kept, environment, cell.shape, work / "venv")
    entry = {"cell": cell.name, "outcome": "n/a", "by": "", "lines": [], "why": "", "ran": None}
    if cell.state.name in way.without:
        return {**entry, "why": way.without[cell.state.name], "steps": []}
    place.anew()
    if cell.state.name in ("outside", "readonly"):
        place.outside = True
        (place.src / "pyproject.toml").write_text(buildlab.PYPROJECT % place.build)
    try:
        status, said = cell.state.reach(place, way)
        outcome, lines = judge(status, said)
        # Where a command of ours stands before the whole build, it did run.
        if (outcome, lines) == ("silent", []) and place.untouched and way.builds and not way.always and way.name != "bazel":
            outcome = "idle"
        entry.update(outcome=outcome, by="build" if way.builds else "check", lines=lines[:6])
        if outcome in ("silent", "idle", "told", "refused") and way.builds and way.name != "bazel":
            behind, more = check(place, way)
            entry.update(behind=behind, behind_lines=more[:6])
        if outcome != "broken":
            follow_up(place, way, cell)
    except Skip as why:
        entry.update(why=str(why))
    except Broken as why:
        entry.update(outcome="broken", bug=entry["outcome"], why=str(why))
    finally:
        # Servers that a build tool left (Meson starts sccache's) are of this cell's folders.
        kill_all(None, environment["SEEN_CELL"])
    # What the page quotes must not tell where it was built.
    for key in ("lines", "behind_lines"):
        entry[key] = [line.replace(f"{slot}/", "") for line in entry.get(key, [])]
    entry.update(why=entry["why"].replace(f"{slot}/", ""), steps=place.journal)
    return entry


def cells() -> list[Cell]:
    """Those that tell most first: the commonest ways, states and shapes."""
    ranked = sorted((s + 4 * h + 4 * (w >= COMMON), h, s, w) for h in range(len(SHAPES)) for s in range(len(STATES)) for w in range(len(WAYS)))
    return [Cell(WAYS[w], STATES[s], SHAPES[h]) for _, h, s, w in ranked]


class Journal:
    """Cells that were tried, the last word on each."""

    def __init__(self, file: pathlib.Path):
        self.file, self.lock, self.entries = file, threading.Lock(), {}
        if file.exists():
            for line in file.read_text().splitlines():
                entry = json.loads(line)
                self.entries[entry["cell"]] = entry

    def add(self, entry: dict) -> None:
        with self.lock:
            self.entries[entry["cell"]] = entry
            with self.file.open("a") as out:
                out.write(json.dumps(entry) + "\n")
            said = shown(entry)
            print(f"{entry['seconds']:5.0f} s  {entry['cell']:42} {said}  {(entry['why'] or ' | '.join(entry['lines']))[:160]}", flush=True)


def binaries() -> str:
    """Which commit the binaries are of."""
    folder = os.environ.get("SCUBA_COMMIT")
    done = subprocess.run(["git", "-C", CHECKOUT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return folder or done.stdout.strip()


def run(todo: list[Cell], journal: Journal, work: pathlib.Path, arguments) -> None:
    end = time.monotonic() + arguments.limit if arguments.limit else None
    queue, lock = collections.deque(todo), threading.Lock()
    stamp = {"commit": binaries(), "date": datetime.date.today().isoformat(), "jobs": arguments.jobs, "cores": len(os.sched_getaffinity(0)),
             "tools": buildlab.versions()}

    def worker(number: int) -> None:
        slot, port = work / f"slot-{number}", PORT + number
        while True:
            with lock:
                if not queue or (end and time.monotonic() > end):
                    return
                cell = queue.popleft()
            began = time.monotonic()
            entry = try_cell(cell, slot, work / f"kept-{number}", work, port)
            journal.add({**entry, **stamp, "seconds": round(time.monotonic() - began, 1)})
            if arguments.keep and slot.exists():
                there = work / "cells" / cell.name.replace("/", "-")
                remove(there)
                there.parent.mkdir(exist_ok=True)
                slot.rename(there)
            remove(slot)

    threads = [threading.Thread(target=worker, args=(number,)) for number in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, help="folder for the journal and the builds, in no checkout [a temporary one]")
    parser.add_argument("--only", default="", help="cells that match this regular expression; the page has what the journal knows of the others")
    parser.add_argument("--jobs", type=int, default=2, help="cells at a time [2]")
    parser.add_argument("--limit", type=float, help="begin no cell after so many seconds")
    parser.add_argument("--again", action="store_true", help="try what is in the journal, too")
    parser.add_argument("--keep", action="store_true", help="keep the folders of cells, in FOLDER/cells")
    parser.add_argument("--list", action="store_true", help="print the cells, in their order, and end")
    parser.add_argument("--out", type=pathlib.Path, default=CHECKOUT / "docs/evaluation/seen.md")
    arguments = parser.parse_args()
    chosen = [cell for cell in cells() if re.search(arguments.only, cell.name)]
    if arguments.list:
        print(*(cell.name for cell in chosen), sep="\n")
        return 0
    buildlab.need_binaries()
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.work or pathlib.Path(temporary)).resolve()
        above = next((p / n for p in work.parents for n in (".git", ".scuba", "CMakeCache.txt") if (p / n).exists()), None)
        if above:
            sys.exit(f"--work {work}: there is {above}, and SCuBA would keep what it knows of the builds beside it; name a folder elsewhere")
        (work / "home").mkdir(parents=True, exist_ok=True)
        journal = Journal(work / "journal.jsonl")
        known = set() if arguments.again else {name for name, entry in journal.entries.items() if not unstarted(entry)}
        run([cell for cell in chosen if cell.name not in known], journal, work, arguments)
        write_page(arguments.out, journal.entries, [(state.name, state.title) for state in STATES])
    return 0


if __name__ == "__main__":
    sys.exit(main())
