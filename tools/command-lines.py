#!/usr/bin/env python3
"""tools/command-lines.py [--lines N] [--seed N] [--jobs N] [--toolkit V]… [--work FOLDER] [--only PATTERN] [--limit SECONDS] [--again] [--out FILE]: is scuba-nvcc nvcc?

Runs generated command lines of nvcc (tools/command_lines_words.py) as plain nvcc and through `scuba-nvcc`, one after the other in one folder and
environment, with the folder restored between. Compared are the exit status or signal, both streams, every file left with its kind, mode and bytes, and what
is left in TMPDIR. Lines of SCuBA's own are taken off standard error and counted. Where the two differ, nvcc runs twice more: what it does not itself repeat
is set aside. The units that the shim hands to the analysis are compared with what `nvcc -dryrun` would compile: sources, languages, sides, architectures.

Each result is a line of FOLDER/journal.jsonl; what stands there is not run again, so an interrupted run goes on. Ends with status 1 where a difference is
open. Toolkits other than the pinned one come as wheels (pip). Writes docs/evaluation/command-lines.md, or FILE, from the journal. Binaries: SCUBA_RELEASE
(target/release), of the commit SCUBA_COMMIT (that of the checkout).
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import queue
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

import command_lines_words as words
import toolkits
from command_lines_page import write_page

HERE = pathlib.Path(__file__).resolve().parent.parent
RELEASE = pathlib.Path(os.environ.get("SCUBA_RELEASE", HERE / "target/release")).resolve()
LONGEST = 180
# Every source's time: line tables hold it.
TIME = 1_000_000_000
# Numbers that every process draws anew: nvcc's and the host compiler's temporary files. ptxas prints its time.
TEMPORARY = re.compile(rb"tmpxft_[0-9a-f]{8}(.)[0-9a-f]{8}")
HOST_TEMPORARY = re.compile(rb"\bcc[A-Za-z0-9]{6}(?=\.|:|$)")
COMPILE_TIME = re.compile(rb"Compile time = [0-9.]+ ms")
STAND_IN = {
    # The real analysis, which leaves what it was asked.
    "whole": '#!/bin/sh\n[ "$1" = __analyze ] || exec "{real}" "$@"\ncat > "$COMMAND_LINES_ASKED" || exit 99\nexec "{real}" "$@" < "$COMMAND_LINES_ASKED"\n',
    # What would be asked, and no analysis; beside an nvcc that does nothing.
    "asked": '#!/bin/sh\ncat > "$COMMAND_LINES_ASKED"\n',
}


def normal(text: bytes) -> bytes:
    return COMPILE_TIME.sub(b"Compile time = 0 ms", HOST_TEMPORARY.sub(b"cc000000", TEMPORARY.sub(rb"tmpxft\1", text)))


@dataclasses.dataclass
class Seen:
    """All there is to see of a run, by what is compared."""

    status: int
    stdout: bytes
    stderr: bytes
    files: dict[str, tuple]
    temporary: list[str]
    processes: list[str]

    def facets(self) -> dict[str, object]:
        return {"status": self.status, "stdout": self.stdout, "stderr": self.stderr, "left in TMPDIR": self.temporary, "processes left": self.processes, "names of files": sorted(self.files), **{f"file {name}": what for name, what in self.files.items()}}


def tree(folder: pathlib.Path) -> dict[str, tuple]:
    """Every file but those in .scuba/: kind and mode, target or contents."""
    found = {}
    pending = [folder]
    while pending:
        for entry in os.scandir(pending.pop()):
            name = os.path.relpath(entry.path, folder)
            if name == ".scuba":
                continue
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                found[name] = (status.st_mode, b"")
                pending.append(entry.path)
            elif stat.S_ISREG(status.st_mode):
                found[name] = (status.st_mode, pathlib.Path(entry.path).read_bytes())
            else:
                found[name] = (status.st_mode, os.readlink(entry.path).encode() if entry.is_symlink() else b"")
    return found


def still_running(session: int) -> list[str]:
    """Names of a session's processes that are there a moment after its leader ended."""
    for attempt in range(4):
        names = []
        for stat_file in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                name, fields = stat_file.read_text(errors="replace").rsplit(")", 1)
            except OSError:
                continue
            state, _, _, its = fields.split()[:4]
            if int(its) == session and state != "Z":
                names.append(name.split("(", 1)[1])
        if not names or attempt == 3:
            break
        time.sleep(0.1)
    return sorted(names)


class Worker:
    """A folder that commands run in, restored before each."""

    def __init__(self, root: pathlib.Path, template: pathlib.Path, environment: dict[str, str], nvcc: pathlib.Path, shims: dict[str, pathlib.Path]):
        self.root, self.folder, self.temporary, self.template = root, root / "project", root / "tmp", template
        self.nvcc, self.shims, self.asked = nvcc, shims, root / "asked"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(template, self.folder)
        self.first = tree(self.folder)
        (root / "home").mkdir()
        self.environment = {**environment, "TMPDIR": str(self.temporary), "HOME": str(root / "home"), "COMMAND_LINES_ASKED": str(self.asked)}
        self.restore()

    def restore(self) -> None:
        """The folder as it was first: only what changed is written."""
        shutil.rmtree(self.folder / ".scuba", ignore_errors=True)
        now = tree(self.folder)
        for name in sorted(now, reverse=True):
            if name not in self.first or stat.S_IFMT(now[name][0]) != stat.S_IFMT(self.first[name][0]):
                path = self.folder / name
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, (mode, contents) in sorted(self.first.items()):
            path = self.folder / name
            if stat.S_ISDIR(mode):
                path.mkdir(exist_ok=True)
            elif now.get(name) != (mode, contents):
                path.write_bytes(contents)
            if now.get(name) != (mode, contents):
                path.chmod(stat.S_IMODE(mode))
            if not stat.S_ISDIR(mode) and path.stat().st_mtime != TIME:
                os.utime(path, (TIME, TIME))
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(exist_ok=True)
        self.asked.unlink(missing_ok=True)

    def run(self, command: list, line: words.Line, **more: str) -> Seen:
        self.restore()
        environment = {**self.environment, **more}
        for name, value in (("NVCC_PREPEND_FLAGS", line.prepend), ("NVCC_APPEND_FLAGS", line.append)):
            if value:
                environment[name] = value
        with open(self.folder / line.input if line.input else os.devnull, "rb") as stdin:
            child = subprocess.Popen([os.fsencode(str(c)) for c in command], cwd=self.folder, env=environment, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            try:
                out, err = child.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                raise
        running = still_running(child.pid)
        files = {TEMPORARY.sub(rb"tmpxft\1", os.fsencode(name)).decode(errors="replace"): (mode, normal(contents)) for name, (mode, contents) in tree(self.folder).items()}
        left = sorted(normal(os.fsencode(p.relative_to(self.temporary))).decode() for p in self.temporary.rglob("*"))
        return Seen(child.returncode, normal(out), normal(err), files, left, running)

    def request(self) -> dict | None:
        try:
            return json.loads(self.asked.read_bytes())
        except (FileNotFoundError, ValueError):
            return None


# ---- units ------------------------------------------------------------------------------------------------------------


def compiled(dryrun: str) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """What a dry run would compile: (source, language) to sides and virtual architectures. A host compilation whose output is read by no later
    command is none of the result's: device-only phases compile the host's sources and throw their objects away."""
    # An argument may hold the end of a line.
    commands = [line[3:].strip("\n") for line in re.split(r"^(?=#\$ )", dryrun, flags=re.M) if line.startswith("#$ ") and not re.match(r"#\$ [A-Z_a-z0-9]+=", line)]
    sides, architectures = {}, {}
    for number, command in enumerate(commands):
        try:
            # -t sends each command's streams to files.
            parts = shlex.split(re.sub(r" > \S+_stdout 2>\S+$", "", command).strip())
        except ValueError:
            continue
        tool = os.path.basename(parts[0]) if parts else ""
        if tool in ("cudafe++", "cicc") and "--orig_src_file_name" in parts:
            key = (parts[parts.index("--orig_src_file_name") + 1], "Cuda")
            sides.setdefault(key, set()).add("host" if tool == "cudafe++" else "device")
            if tool == "cicc":
                architectures.setdefault(key, set()).add(re.sub(r"\D", "", parts[parts.index("-arch") + 1]))
        elif "-c" in parts and "-E" not in parts and "-x" in parts and len(parts) > 3 and parts[-2] == "-o" and "tmpxft_" not in parts[-3] and not parts[-3].endswith((".stub", ".cudafe1.cpp")):
            kept = "tmpxft_" not in parts[-1] or any(parts[-1] in later for later in commands[number + 1 :])
            if kept:
                sides.setdefault((parts[-3], "C" if parts[parts.index("-x") + 1] == "c" else "Cxx"), set()).add("host")
    both = {frozenset(("host", "device")): "Both", frozenset(("host",)): "HostOnly", frozenset(("device",)): "DeviceOnly"}
    return {key: (both[frozenset(which)], sorted(architectures.get(key, ()))) for key, which in sides.items()}


def asked(request: dict | None) -> dict[tuple[str, str], tuple[str, list[str]]]:
    units = {}
    for unit in request["units"] if request else []:
        numbers = sorted({str(n) for n in unit["architectures"]} or {"75"}) if unit["language"] == "Cuda" else []
        units[(unit["source"], unit["language"])] = (unit["sides"], numbers)
    return units


def units_differ(worker: Worker, line: words.Line, request: dict | None, dry: bytes | None) -> tuple[int, list[str]]:
    """How many units nvcc would compile, and what the request has otherwise."""
    if dry is None:
        plain = worker.run([worker.nvcc, "-dryrun", *line.words], line)
        if plain.status != 0:
            return 0, []
        dry = plain.stderr
    text = dry.decode(errors="replace")
    ours = asked(request)
    # Standard input cannot be read twice: it is said, and not analysed. Preprocessed sources are not read.
    theirs = {key: value for key, value in compiled(text).items() if key[0] not in ("-", "/dev/stdin") and not key[0].endswith(("_stdin", ".i", ".ii"))}
    ours = {key: value for key, value in ours.items() if key[0] != "/dev/stdin"}
    why = [f"unit {key}: nvcc {theirs.get(key)}, asked {ours.get(key)}" for key in sorted(theirs.keys() | ours.keys()) if theirs.get(key) != ours.get(key)]
    return len(theirs), why


# ---- one line ---------------------------------------------------------------------------------------------------------


def without_ours(text: bytes) -> tuple[bytes, list[str]]:
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith(b"scuba:")]
    ours = [line.decode(errors="replace").rstrip("\n") for line in text.splitlines(keepends=True) if line.startswith(b"scuba:")]
    return b"".join(kept), ours


def show(value: object) -> str:
    return repr(value)[:300]


def differing(plain: Seen, shim: Seen) -> dict[str, str]:
    one, other = plain.facets(), shim.facets()
    return {what: f"{show(one.get(what))} and {show(other.get(what))}" for what in one.keys() | other.keys() if one.get(what) != other.get(what)}


def denied(worker: Worker, plain: Seen, shim: Seen, ours: list[str]) -> list[str]:
    """A bug: nvcc's streams, then the finding; status 1; what the command wrote is gone."""
    first = {name: (mode, normal(contents)) for name, (mode, contents) in worker.first.items()}
    why = [f"status {plain.status} and {shim.status}"] if (plain.status, shim.status) != (0, 1) else []
    why += [] if shim.stderr.startswith(plain.stderr) and b"error[oob-global]" in shim.stderr and shim.stdout == plain.stdout else ["streams"]
    # What was there and is written anew is an output, too.
    return why + [f"left: {name}" for name in sorted(shim.files) if name not in first and name in plain.files]


def measure(worker: Worker, line: words.Line) -> dict:
    plain = worker.run([worker.nvcc, *line.words], line)
    before = [worker.nvcc] if line.launcher else []
    shim = worker.run([worker.shims["whole"] / "scuba-nvcc", *before, *line.words], line)
    request = worker.request()
    shim.stderr, ours = without_ours(shim.stderr)
    result = {"status": plain.status, "why": [], "unrepeatable": [], "ours": ours, "units": 0, "processes": True}
    if line.kind == "a bug that is denied":
        result["why"] = denied(worker, plain, shim, ours)
        return result
    different = differing(plain, shim)
    for _ in range(2):
        if different:
            again = worker.run([worker.nvcc, *line.words], line)
            result["unrepeatable"] += [what for what in differing(plain, again) if what in different]
            different = {what: how for what, how in different.items() if what not in result["unrepeatable"]}
    result["why"] = [f"{what}: {how}" for what, how in sorted(different.items())]
    if plain.status != 0 and ours:
        result["why"].append(f"said where nvcc failed: {ours[0]}")
    if "dryrun" in line.prepend + line.append:
        return result
    # A dry run compiles nothing: what the same line without -dryrun asks for is compared with what it shows.
    if "-dryrun" in line.words:
        rest = tuple(w for w in line.words if w not in ("-dryrun", "--dryrun"))
        result["why"] += [f"unit asked by a dry run: {request['units'][:1]}"] if request and line.kind.endswith("dry run") and line.words.count("-dryrun") == 1 and line.words[0] == "-dryrun" else []
        if plain.status == 0 and plain.stderr.startswith(b"#$ "):
            worker.run([worker.shims["asked"] / "scuba-nvcc", *rest], line, SCUBA_NVCC=str(worker.shims["asked"] / "nvcc"))
            result["units"], why = units_differ(worker, line, worker.request(), plain.stderr)
            result["why"] += why
    elif plain.status == 0 and not plain.stderr.startswith(b"#$ _") and (request is not None or compiles(line)):
        result["units"], why = units_differ(worker, line, request, None)
        result["why"] += why
        missing = [unit["output"] for unit in (request or {}).get("units", []) if unit["output"] and not shim_wrote(worker, shim, unit["output"])]
        result["why"] += [f"output named and not written: {missing[0]}"] if missing else []
    return result


def compiles(line: words.Line) -> bool:
    return not any(w in ("-E", "-M", "-MM", "--version", "-V", "--help", "-h") for w in line.words)


def shim_wrote(worker: Worker, shim: Seen, output: str) -> bool:
    name = os.path.relpath(output, worker.folder)
    return name in shim.files or name.startswith("..") or output.startswith("/dev/")


# ---- the run ----------------------------------------------------------------------------------------------------------


class Journal:
    def __init__(self, file: pathlib.Path, seed: int):
        self.seed = seed
        self.file, self.lock, self.entries = file, threading.Lock(), {}
        for text in file.read_text().splitlines() if file.exists() else []:
            try:
                entry = json.loads(text)
            except ValueError:
                # The last line of a run that was killed.
                continue
            self.entries[entry["toolkit"], entry["line"]] = entry

    def add(self, toolkit: str, line: words.Line, commit: str, result: dict, seconds: float) -> None:
        entry = {"toolkit": toolkit, "kind": line.kind, "line": line.key, "seed": self.seed, "commit": commit, "date": datetime.date.today().isoformat(), "seconds": round(seconds, 2), **result}
        with self.lock:
            before = self.entries.get((toolkit, line.key))
            if before and (before["why"] or before.get("was")) and not result["why"]:
                entry["was"] = before.get("was") or before["why"][:3]
            self.entries[toolkit, line.key] = entry
            with self.file.open("a") as out:
                out.write(json.dumps(entry, ensure_ascii=False) + "\n")
        if result["why"]:
            print(f"{toolkit} {line.kind}: {line.key}\n    " + "\n    ".join(result["why"][:4]), flush=True)


def prepare(work: pathlib.Path, toolkit: str, lab: toolkits.Lab) -> tuple[pathlib.Path, pathlib.Path, dict[str, pathlib.Path], dict[str, str]]:
    """nvcc, the folder's first state with its objects, the shims, the environment."""
    nvcc = lab.nvcc(toolkit)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SCUBA_", "CUDA", "NVCC_", "MAKE", "MFLAGS", "CMAKE_")) and k not in ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS")}
    environment = {**kept, "SCUBA_NVCC": str(nvcc), "SCUBA_CACHE": str(work / "cache"), "LC_ALL": "C.UTF-8"}
    shims = {}
    for name, script in STAND_IN.items():
        shims[name] = work / f"shim-{name}"
        shims[name].mkdir(parents=True, exist_ok=True)
        for file, contents in (("scuba", script.format(real=RELEASE / "scuba") if name == "whole" else script), ("nvcc", "#!/bin/sh\nexit 0\n")):
            if file == "scuba" or name == "asked":
                (shims[name] / file).write_text(contents)
                (shims[name] / file).chmod(0o755)
        shutil.copy2(RELEASE / "scuba-nvcc", shims[name] / "scuba-nvcc")
    template = work / f"template-{toolkit}"
    if not (work / f"template-{toolkit}.ready").exists():
        shutil.rmtree(template, ignore_errors=True)
        words.write(template)
        for command in words.OBJECTS:
            subprocess.run([nvcc, *command.split()], cwd=template, env=environment, check=True)
        (work / f"template-{toolkit}.ready").touch()
    for path in template.rglob("*"):
        if path.is_file():
            os.utime(path, (TIME, TIME))
    return nvcc, template, shims, environment


def run_toolkit(toolkit: str, options: argparse.Namespace, journal: Journal, lab: toolkits.Lab, commit: str, end: float | None) -> None:
    nvcc, template, shims, environment = prepare(options.work, toolkit, lab)
    listed = subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout
    rows = words.flags((HERE / "src/nvcc/flags.rs").read_text(), listed)
    todo = [line for line in words.lines(rows, options.lines, options.seed) if re.search(options.only, f"{line.kind}: {line.key}")]
    if options.again:
        todo = [line for line in todo if journal.entries.get((toolkit, line.key), {}).get("why")]
    else:
        todo = [line for line in todo if (toolkit, line.key) not in journal.entries]
    workers = queue.SimpleQueue()
    for number in range(options.jobs):
        workers.put(Worker(options.work / f"{toolkit}-{number}", template, environment, nvcc, shims))

    def one(line: words.Line) -> None:
        if end and time.monotonic() > end:
            return
        worker = workers.get()
        began = time.monotonic()
        try:
            journal.add(toolkit, line, commit, measure(worker, line), time.monotonic() - began)
        except subprocess.TimeoutExpired:
            journal.add(toolkit, line, commit, {"status": None, "why": [f"took longer than {LONGEST} s"], "unrepeatable": [], "ours": [], "units": 0}, LONGEST)
        finally:
            workers.put(worker)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(one, line) for line in todo]:
            done.result()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10000, help="lines for each toolkit [10000]")
    parser.add_argument("--seed", type=int, default=1, help="[1]")
    parser.add_argument("--jobs", type=int, default=1, help="lines at a time [1]")
    parser.add_argument("--toolkit", action="append", help=f"13.0 to 13.5, several times [{toolkits.PINNED}]")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "scuba-command-lines", help="folder for wheels, the cache, the journal [/tmp/scuba-command-lines]")
    parser.add_argument("--only", default="", help="a regular expression of `KIND: LINE`")
    parser.add_argument("--limit", type=float, help="begin nothing after so many seconds")
    parser.add_argument("--again", action="store_true", help="run again what differed")
    parser.add_argument("--page", action="store_true", help="write the page and run nothing")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "docs/evaluation/command-lines.md")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    head = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    journal = Journal(options.work / "journal.jsonl", options.seed)
    end = time.monotonic() + options.limit if options.limit else None
    for toolkit in [] if options.page else options.toolkit or [toolkits.PINNED]:
        run_toolkit(toolkit, options, journal, toolkits.Lab(options.work), os.environ.get("SCUBA_COMMIT") or head, end)
    open_ones = write_page(options.out, list(journal.entries.values()))
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
