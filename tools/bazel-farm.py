#!/usr/bin/env python3
"""The aspect of templates/bazel on a farm: `make bazel-farm`.

One project, of a program with a bug that only two units together show and of a program without, is built by Bazel in two
checkouts at different paths, each with a Bazel of its own:

- with a remote cache by HTTP (WsgiDAV): the second checkout must take every action but the verdicts from it, and report the bug;
- with remote execution by BuildGrid's server, whose worker (bazel_worker.py) gives each action an empty folder with its declared
  inputs: the reports must be those of the first way, byte by byte, and the second checkout must execute nothing but the verdicts;
- with Bazel's own sandbox alone, where outputs must be the same bytes again;
- as a test (`scuba_test`), in one piece and in two shards, whose findings must be the same.

Nothing may name a folder of a checkout or of an action. What differs ends with status 1. The table goes to --out.
"""

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import buildlab

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("//:app", "//:good")
BUG = "past the end of `a`"
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
BUILD = """\
load("//:cuda.bzl", "cuda_binary", "cuda_library")
load("@scuba//:scuba.bzl", "scuba_test")
cuda_library(name = "scale", srcs = ["kernels/scale.cu"], hdrs = ["include/scale.h"])
cuda_library(name = "main", srcs = ["app/main.cu"], hdrs = ["include/scale.h"], deps = [":scale"])
cuda_binary(name = "app", deps = [":main"])
cuda_library(name = "twice", srcs = ["good/twice.cu"], hdrs = ["include/scale.h"])
cuda_binary(name = "good", deps = [":twice"])
scuba_test(name = "whole", targets = [":app", ":good"])
scuba_test(name = "sharded", targets = [":app", ":good"], shard_count = 2)
"""
KERNEL = """\
#include "scale.h"
__global__ void scale_all(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i %s n) a[i] *= 2.0f;
}
void scale(float *a, int n) { scale_all<<<(n + 255) / 256, 256>>>(a, n); }
"""
MAIN = """\
#include "scale.h"
#include <cstdlib>
int main(int argc, char **argv) {
  if (argc != 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 4096) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale(a, n);
  cudaFree(a);
}
"""
# Debian's Bazel has no network, and runs tests only with this repository, of which it uses nothing.
COVERAGE = {
    "WORKSPACE": "",
    "BUILD": 'load(":rule.bzl", "nothing")\nnothing(name = "coverage_report_generator", visibility = ["//visibility:public"])\n',
    "rule.bzl": """\
def _impl(ctx):
    file = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(file, "", is_executable = True)
    return [DefaultInfo(executable = file)]

nothing = rule(implementation = _impl, executable = True)
""",
}
GRID = """\
server:
  - !channel {{address: "127.0.0.1:{port}", insecure-mode: true}}
authorization: {{method: none}}
connections:
  - !sql-connection &sql {{connection-string: "postgresql+psycopg2://bgd@127.0.0.1:{database}/bgd"}}
storages:
  - !disk-storage &store {{path: {folder}/cas}}
caches:
  - !lru-action-cache &cache {{storage: *store, max-cached-refs: 10000, allow-updates: true, cache-failed-actions: false}}
schedulers:
  - !sql-scheduler &scheduler {{sql: *sql, storage: *store, action-cache: *cache, poll-interval: 0.2}}
instances:
  - name: ''
    services:
      - !action-cache {{cache: *cache}}
      - !execution {{scheduler: *scheduler, endpoints: [execution, operations]}}
      - !bots {{scheduler: *scheduler}}
      - !cas {{storage: *store}}
      - !bytestream {{storage: *store}}
thread-pool-size: 100
"""
FAILED = []


def must(condition: bool, what: str) -> None:
    if not condition:
        FAILED.append(what)
        print(f"bazel-farm: WRONG: {what}", file=sys.stderr, flush=True)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen, what: str) -> None:
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"bazel-farm: {what} ended with status {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    sys.exit(f"bazel-farm: {what} does not listen")


@contextlib.contextmanager
def running(command: list, log: Path, port: int | None = None, **more):
    """A process that ends with the block; by its id alone."""
    with log.open("wb") as out:
        process = subprocess.Popen([str(c) for c in command], stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, **more)
    try:
        if port:
            wait_for(port, process, Path(str(command[0])).name)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def project(folder: Path, scuba: Path) -> None:
    files = {
        "WORKSPACE": buildlab.BAZEL_WORKSPACE % {"scuba": scuba},
        "cuda.bzl": buildlab.BAZEL_RULES % {"nvcc": buildlab.NVCC},
        "BUILD": BUILD,
        "include/scale.h": "#pragma once\nvoid scale(float *a, int n);\n",
        "kernels/scale.cu": KERNEL % "<=",
        "app/main.cu": MAIN,
        "good/twice.cu": KERNEL % "<" + MAIN,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Checkout:
    """A checkout with a Bazel of its own, which keeps nothing from other ways."""

    def __init__(self, work: Path, folder: str, scuba: Path):
        self.folder, self.work = work / folder, work
        self.root = work / "bazel" / hashlib.sha256(folder.encode()).hexdigest()[:8]
        project(self.folder, scuba)

    def bazel(self, *words, wanted: tuple = (0,)) -> tuple[str, float]:
        command = ["bazel", "--batch", f"--output_user_root={self.root}", *map(str, words), "--color=no", "--curses=no"]
        environment = {"HOME": str(self.work), "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        start = time.monotonic()
        done = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=900)
        took = time.monotonic() - start
        with (self.work / "log").open("a") as log:
            log.write(f"$ {self.folder.name}: {' '.join(command)}\n{done.stdout}\n[{done.returncode}]\n")
        must(done.returncode in wanted, f"status {done.returncode} of bazel {' '.join(map(str, words[:3]))}: see {self.work / 'log'}")
        return done.stdout, took

    def check(self, *words) -> tuple[str, float]:
        """Builds what is checked; the bug fails the build."""
        said, took = self.bazel("build", "-k", *words, *buildlab.BAZEL_ASPECT, *TARGETS, wanted=(1,))
        must(said.count(BUG) == 1, f"{said.count(BUG)} findings are told instead of 1")
        return said, took

    def outputs(self) -> dict[str, bytes]:
        names = [f"{t.removeprefix('//:')}.scuba{end}" for t in TARGETS for end in (".json", ".txt", ".status")]
        return {name: (self.folder / "bazel-bin" / name).read_bytes() for name in names}

    def forget(self) -> None:
        self.bazel("clean", "--expunge")


def processes(said: str) -> dict[str, int]:
    """`INFO: 10 processes: 6 remote cache hit, 4 internal.`"""
    found = re.findall(r"^INFO: \d+ process(?:es)?: (.*)\.$", said, re.MULTILINE)
    kinds = found[-1].split(", ") if found else []
    return {kind.split(" ", 1)[1]: int(kind.split(" ", 1)[0]) for kind in kinds}


def cell(kinds: dict[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in kinds.items() if kind != "internal")


def shared(way: str, one: Checkout, two: Checkout, flags: list, hit: str, ran: str, reference: dict | None, rows: list) -> dict:
    """Both checkouts, one after the other. Bazel counts no action that fails: of these, the verdict of the bug, both run their own."""
    for checkout in (one, two):
        checkout.forget()
    first, first_s = one.check(*flags)
    made = processes(first)
    again, again_s = two.check(*flags)
    taken = processes(again)
    must(made.get(ran, 0) > 0 and cell(taken) == f"{made[ran]} {hit}", f"{way}: the first ran {made}, the second {taken}")
    outputs = one.outputs()
    must(outputs == two.outputs(), f"{way}: the checkouts have different reports")
    must(reference is None or outputs == reference, f"{way}: other reports than by the first way")
    names = [str(c.folder) for c in (one, two)] + [str(c.root) for c in (one, two)]
    must(not any(name.encode() in data for name in names for data in outputs.values()), f"{way}: a report names a folder")
    rows.append((way, cell(made), f"{first_s:.1f}", cell(taken), f"{again_s:.1f}"))
    return outputs


@contextlib.contextmanager
def grid(work: Path, python: Path):
    """BuildGrid's server with its database, and one worker; gives its port and the worker's log."""
    folder, bin_of = work / "grid", POSTGRES[-1]
    folder.mkdir()
    database, port = free_port(), free_port()
    as_other = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    data = Path(tempfile.mkdtemp(prefix="scuba-grid-"))
    if as_other:
        shutil.chown(data, "postgres", "postgres")
    try:
        subprocess.run([bin_of / "initdb", "-D", data / "db", "-U", "bgd", "-A", "trust"], check=True, capture_output=True, **as_other, extra_groups=[] if as_other else None)
        server = [bin_of / "postgres", "-D", data / "db", "-p", database, "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={data}"]
        with running(server, folder / "postgres.log", database, **as_other):
            subprocess.run([bin_of / "createdb", "-h", "127.0.0.1", "-p", str(database), "-U", "bgd", "bgd"], check=True)
            bgd = python.parent / "bgd"
            subprocess.run([bgd, "migrate", "apply", f"postgresql+psycopg2://bgd@127.0.0.1:{database}/bgd"], check=True, capture_output=True)
            (folder / "server.yml").write_text(GRID.format(port=port, database=database, folder=folder))
            log = folder / "actions.jsonl"
            worker = [python, ROOT / "tools" / "bazel_worker.py", f"127.0.0.1:{port}", folder / "worker", log]
            with running([bgd, "server", "start", folder / "server.yml"], folder / "server.log", port), running(worker, folder / "worker.log"):
                yield port, log
    finally:
        shutil.rmtree(data, ignore_errors=True)


def hermetic(log: Path) -> int:
    """What the worker tells of the actions that it ran."""
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    checks = [a for a in actions if any(o.endswith(".scuba.json") for o in a["outputs"])]
    must(len(checks) == len(TARGETS), f"{len(checks)} checks ran remotely instead of {len(TARGETS)}")
    naming = [o for a in actions for o in a["naming_the_folder"]]
    must(not naming, f"outputs name the folder of their action: {naming}")
    return len(actions)


def tests(checkout: Checkout, cache: str, rows: list) -> None:
    coverage = checkout.work / "coverage"
    for name, text in COVERAGE.items():
        coverage.mkdir(exist_ok=True)
        (coverage / name).write_text(text)
    told = {}
    for name, shards in (("whole", 1), ("sharded", 2)):
        said, took = checkout.bazel("test", f"--override_repository=remote_coverage_tools={coverage}", f"--remote_cache={cache}", f"//:{name}", wanted=(3,))
        logs = sorted((checkout.folder / "bazel-testlogs" / name).rglob("test.log"))
        must(len(logs) == shards, f"{name}: {len(logs)} logs instead of {shards}")
        # Debian's sandbox tells what it does, in lines that begin with the time.
        texts = [re.sub(r"^\d+\.\d+: src/main/tools/.*\n", "", log.read_text(), flags=re.MULTILINE) for log in logs]
        told[name] = sorted(part.strip() for text in texts for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:])
        rows.append((f"`scuba_test`, {shards} shard{'s' if shards > 1 else ''}", cell(processes(said)), f"{took:.1f}", "–", "–"))
    must(len(told["whole"]) == len(TARGETS) and sum(BUG in t for t in told["whole"]) == 1, "the test tells other findings")
    must(told["whole"] == told["sharded"], "the shards of the test tell other findings than the whole test")


def document(rows: list, actions: int) -> str:
    commit = subprocess.run(["git", "log", "-1", "--format=%h of %cs"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    version = subprocess.run(["bazel", "version"], capture_output=True, text=True, cwd="/").stdout
    bazel = (re.search(r"Build label: (\d\S*)", version) or re.search(r"(\d+\.\d+\.\d+)", subprocess.run(["dpkg-query", "-W", "bazel-bootstrap"], capture_output=True, text=True).stdout))[1]
    lines = ["| way | the first checkout ran | s | the second checkout ran | s |", "| --- | --- | ---: | --- | ---: |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return f"""# Bazel on a farm

Generated by `make bazel-farm` (`tools/bazel-farm.py`); not written by hand. Commit {commit}, Bazel {bazel}, BuildGrid's server from PyPI, 2 cores.

Two programs, one with a bug that only two units together show, in two checkouts at different paths, each with a Bazel of its own that starts from nothing.
Every way told the bug once in each checkout, and all reports (`NAME.scuba.json`, `.txt`, `.status`) were the same bytes in all ways and checkouts; none named a
folder of a checkout, of Bazel or of an action. A cache keeps no
failed action, and Bazel counts none: each checkout runs the verdict that fails its build itself, and nothing else that another one ran.

{chr(10).join(lines)}

- *Remote execution*: BuildGrid has no worker in a package registry, so `tools/bazel_worker.py` is one. It ran {actions} actions, each in an empty folder with its
  declared inputs, by the environment that its command declares, and returned its declared outputs alone. nvcc, its headers and the host's compiler are of the
  worker's machine, at the same paths: the rules of this project do not declare them. SCuBA's programs are declared and travel.
- *Sandbox*: Bazel's `linux-sandbox`, no cache.
- Not tried: NativeLink, Buildbarn and bazel-remote, which are in none of the registries that were at hand.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, default=ROOT / ".deps/farm-venv", help="where pip put BuildGrid and WsgiDAV (default: .deps/farm-venv)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/evaluation/bazel.md")
    parser.add_argument("--work", type=Path, default=None, help="a folder to keep (default: a temporary one)")
    options = parser.parse_args()
    buildlab.need_binaries()
    if not shutil.which("bazel") or not POSTGRES:
        sys.exit("bazel-farm: Bazel or PostgreSQL is missing (Debian: bazel-bootstrap, postgresql)")
    python = options.venv / "bin/python"
    if not (python.parent / "bgd").exists() or not (python.parent / "wsgidav").exists():
        sys.exit(f"bazel-farm: {options.venv} lacks BuildGrid or WsgiDAV: tools/setup.sh farm")
    work = options.work or Path(tempfile.mkdtemp(prefix="scuba-bazel-"))
    work.mkdir(parents=True, exist_ok=True)
    # PostgreSQL's own user reaches folders below.
    work.chmod(0o755)
    buildlab.bazel_repository(work / "scuba")
    one, two = Checkout(work, "one", work / "scuba"), Checkout(work, "some/where/else/two", work / "scuba")
    rows = []
    for kind in ("ac", "cas"):
        (work / "cache" / kind).mkdir(parents=True)
    port = free_port()
    with running([python.parent / "wsgidav", "--host", "127.0.0.1", "--port", port, "--auth", "anonymous", "--root", work / "cache"], work / "cache.log", port):
        cache = f"http://127.0.0.1:{port}"
        reference = shared("remote cache by HTTP", one, two, [f"--remote_cache={cache}"], "remote cache hit", "linux-sandbox", None, rows)
        tests(two, cache, rows)
    with grid(work, python.absolute()) as (port, log):
        shared("remote execution", one, two, [f"--remote_executor=grpc://127.0.0.1:{port}"], "remote cache hit", "remote", reference, rows)
        actions = hermetic(log)
    one.forget()
    said, took = one.check("--spawn_strategy=sandboxed")
    must(one.outputs() == reference, "in the sandbox: other reports")
    rows.append(("sandbox", cell(processes(said)), f"{took:.1f}", "–", "–"))
    for checkout in (one, two):
        checkout.forget()
    if not FAILED:
        options.out.write_text(document(rows, actions))
    if not options.work and not FAILED:
        shutil.rmtree(work, ignore_errors=True)
    print(f"bazel-farm: {len(rows)} ways, {len(FAILED)} wrong")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
