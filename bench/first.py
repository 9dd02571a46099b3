"""First builds through the shim, paired with plain nvcc: `make bench DIR=FOLDER BENCH_ARGS="--public-only --first"`.

Each project of `projects.py` is built in fresh copies, in turns: by nvcc, and through scuba-nvcc with each cache of the list:

    nothing    an empty cache
    warmed     the cache as `scuba warm` leaves it, as after `make install`; for an extension of PyTorch, as `scuba warm -- FLAGS SOURCE` does
    restored   the cache of a build of another copy, in another folder and itself in another place, as a CI service restores it

A ratio is that of two builds of one turn; the table has the medians. CPU time is that of all processes. Memory is the largest sum over all
processes of the build at one moment (proportional set sizes, so that shared libraries count once), from a build of its own that is not timed;
"own" leaves out pages of files, which are the system's file cache as well.
The headers that `scuba warm` made are the only ones at the beginning of each build with a warmed cache: what builds add is removed.
"""

import datetime
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
from pathlib import Path

import projects
from projects import Bench, Failed, Project, lay_out, measured, why

CACHES = ("nothing", "warmed", "restored")
# Pause between two looks at the memory of a build.
LOOK_S = 0.02


class Memory:
    """The most memory that all processes of a session have at one moment."""

    def __init__(self) -> None:
        self.peak_kib, self.own_kib = 0, 0
        self.before = set(pids())
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def __enter__(self) -> "Memory":
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.thread.join()

    def look(self) -> None:
        own = os.getpid()
        while not self.ended.wait(LOOK_S):
            parents = {}
            for pid in pids():
                try:
                    parents[pid] = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                except (OSError, ValueError, IndexError):
                    continue
            below, new = set(), {own}
            while new:
                new = {pid for pid, parent in parents.items() if parent in new} - below
                below |= new
            sizes = [proportional(pid) for pid in below - self.before]
            self.peak_kib = max(self.peak_kib, sum(size for size, _ in sizes))
            self.own_kib = max(self.own_kib, sum(own for _, own in sizes))


def pids() -> list:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def proportional(pid: int) -> tuple:
    """KiB of a process, and those of them that are pages of no file."""
    try:
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
        return int(lines["Pss"].split()[0]), int(lines["Pss_Anon"].split()[0])
    except (OSError, ValueError, KeyError):
        return 0, 0


def warm(bench: Bench, cache: Path) -> float:
    """Fills a cache by `scuba warm`; returns what it took in CPU seconds."""
    done = measured([str(bench.binaries / "scuba"), "warm"], bench.temporary, bench.environment("scuba", cache))
    if done["status"]:
        projects.fail(f"`scuba warm` ended with status {done['status']}: {done['output']}")
    return done["cpu_s"]


def keep_headers(cache: Path, headers: set) -> None:
    """Leaves in a cache the headers that were there, and nothing that a build left."""
    for entry in cache.iterdir():
        if entry.name not in ("headers", "hashes-2", "tools", ".gitignore"):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for entry in (cache / "headers").iterdir():
        if entry.name not in headers:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


class Turns:
    """Builds of one project in turns."""

    def __init__(self, bench: Bench, project: Project, warmed: Path | None) -> None:
        if project.torch and warmed:
            warmed = self.warm_for(bench, project, warmed.with_name("warmed-torch"))
        self.bench, self.project, self.warmed = bench, project, warmed
        self.headers = {entry.name for entry in (warmed / "headers").iterdir()} if warmed else set()

    @staticmethod
    def warm_for(bench: Bench, project: Project, cache: Path) -> Path:
        """Fills a cache with the headers that the project's source begins with."""
        with tempfile.TemporaryDirectory(dir=bench.temporary) as copy:
            folder = lay_out(project, bench.checkouts, Path(copy))
            cache.mkdir()
            done = measured(["make", f"SCUBA={bench.binaries / 'scuba'}", "warm"], folder, bench.environment("scuba", cache))
        if done["status"]:
            projects.fail(f"`scuba warm` ended with status {done['status']}: {done['output']}")
        projects.tell(f"{project.name}: its headers took {done['cpu_s']:.1f} s of CPU time")
        return cache

    def build(self, way: str, memory: bool = False) -> dict:
        """One first build; `way` is `plain` or one of the caches."""
        place = Path(tempfile.mkdtemp(dir=self.bench.temporary))
        try:
            cache = place / "cache"
            cache.mkdir()
            if way == "warmed":
                cache = self.warmed
                keep_headers(cache, self.headers)
            if way == "restored":
                self.run(place / "before" / "elsewhere", "scuba", cache)
                shutil.copytree(cache, place / "there" / "cache", symlinks=True)
                shutil.rmtree(cache)
                shutil.rmtree(place / "before")
                cache = place / "there" / "cache"
            return self.run(place / "copy", "plain" if way == "plain" else "scuba", cache, memory)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def run(self, copy: Path, way: str, cache: Path, memory: bool = False) -> dict:
        copy.mkdir(parents=True)
        folder = lay_out(self.project, self.bench.checkouts, copy)
        environment, command = self.bench.environment(way, cache), self.bench.make(self.project, way)
        measured([*command, "clean"], folder, self.bench.environment("plain", cache))
        if way == "scuba":
            # The project's folder is that of its settings.
            (copy / ".scuba").mkdir()
            (copy / "scuba.toml").write_text('[levels]\nall = "warn"\n')
            del environment["SCUBA_CONFIG"]
        if memory:
            with Memory() as seen:
                done = measured(command, folder, environment)
            done["tree_mib"], done["own_mib"] = seen.peak_kib / 1024, seen.own_kib / 1024
        else:
            done = measured(command, folder, environment)
        if done["status"]:
            raise Failed(why(done, copy))
        return done


def compare(bench: Bench, project: Project, caches: tuple, repeat: int, warmed: Path | None) -> dict:
    """Medians over the turns: plain seconds, and ratios of each cache."""
    turns = Turns(bench, project, warmed)
    # The first build of a program reads files that later ones find in memory.
    turns.build("plain")
    ways = ("plain", *caches)
    samples = []
    for turn in range(repeat):
        order = ways if turn % 2 == 0 else ways[::-1]
        samples.append({way: turns.build(way) for way in order})
        told = ", ".join(f"{way} {samples[-1][way]['wall_s']:.2f} s ({samples[-1][way]['cpu_s']:.2f})" for way in ways)
        projects.tell(f"{project.name}, {turn + 1} of {repeat}: {told}")
    memory = {way: turns.build(way, memory=True) for way in ways}
    middle = statistics.median
    row = {"plain_wall": middle(s["plain"]["wall_s"] for s in samples), "plain_cpu": middle(s["plain"]["cpu_s"] for s in samples), "plain_mib": memory["plain"]["tree_mib"]}
    for cache in caches:
        for key, name in (("wall_s", "wall"), ("cpu_s", "cpu")):
            row[f"{cache}_{name}"] = middle(s[cache][key] / s["plain"][key] for s in samples)
        for key in ("tree_mib", "own_mib"):
            row[f"{cache}_{key}"] = memory[cache][key] / memory["plain"][key]
    return row


def table(chosen: list, rows: dict, left_out: dict, caches: tuple) -> str:
    """Markdown; the projects, then medians and largest ratios."""
    head = ["project", "units", "plain wall, s", "CPU, s", "MiB"] + [f"{cache}: wall" if i == 0 else name for cache in caches for i, name in enumerate(("wall", "CPU", "memory", "own"))]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    keys = [f"{cache}_{name}" for cache in caches for name in ("wall", "cpu", "tree_mib", "own_mib")]

    def cells(of) -> list:
        return [f"{of('plain_wall'):.2f}", f"{of('plain_cpu'):.2f}", f"{of('plain_mib'):.0f}", *(f"{of(key):.2f}" for key in keys)]

    for project in chosen:
        if project.name in rows:
            lines.append([project.name, str(project.units), *cells(rows[project.name].__getitem__)])
        else:
            lines.append([project.name, str(project.units), f"left out: {left_out[project.name]}", *[""] * (len(head) - 3)])
    if rows:
        lines.append([f"**median of {len(rows)}**", "", *cells(lambda key: statistics.median(row[key] for row in rows.values()))])
        worst = [f"{max(row[key] for row in rows.values()):.2f}" for key in keys]
        lines.append(["**largest**", "", "", "", "", *worst])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def measure(bench: Bench, chosen: list, arguments) -> int:
    """Measures first builds, prints the table, and returns the status."""
    caches = tuple(cache for cache in CACHES if cache in arguments.first)
    warmed = bench.temporary / "warmed" if "warmed" in caches else None
    said = ""
    if warmed:
        warmed.mkdir()
        cpu = warm(bench, warmed)
        mib = sum(f.stat().st_size for f in warmed.rglob("*") if f.is_file()) / 2**20
        said = f" `scuba warm` took {cpu:.1f} s of CPU time, its cache {mib:.0f} MiB."
    rows, left_out, status = {}, {}, 0
    for project in chosen:
        if reason := projects.missing(project, bench.checkouts):
            left_out[project.name] = reason
            continue
        try:
            rows[project.name] = compare(bench, project, caches, arguments.repeat, warmed)
        except Failed as failed:
            left_out[project.name] = str(failed)
            projects.tell(f"{project.name}: {failed}")
            status = 1
    commit = subprocess.run(["git", "-C", str(projects.ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    version = subprocess.run([bench.nvcc, "--version"], capture_output=True, text=True).stdout.split("release ")[-1].split(",")[0]
    command = f"make bench DIR=… BENCH_ARGS=\"--public-only --first {' '.join(caches)} --repeat {arguments.repeat}\""
    text = (
        f"Recorded at {commit}, {datetime.date.today()}, by `{command}`: `make -j{bench.jobs}`, nvcc {version}, load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores."
        f" Ratios to nvcc's build of the same turn.{said}\n\n{table(chosen, rows, left_out, caches)}\n"
    )
    print(text)
    if arguments.write:
        arguments.write.write_text(f"# First builds\n\n<!-- made by bench/first.py -->\n\n{text}")
    return status
