#!/usr/bin/env python3
"""Confirms the proved findings of many programs on a GPU, and tells of it in a table.

  tools/confirm-campaign.py bundles FOLDER [--checkouts DIR] [--programs FILE] [--only WORD] [--jobs N] [--limit SECONDS] [--max-gib N]
      where the programs are (no GPU): a bundle in FOLDER/bundles for each program with proved findings, and FOLDER/bin, FOLDER/lib with
      `scuba` (SCUBA, else target/release/scuba). Which programs: those of tests/ui, tests/confirm and examples; with --checkouts
      those of the evaluation (tools/corpus.py) and of HeCBench (by their makefiles' flags, as tools/sweep.py reads them) in DIR; with
      --programs those of FILE: a line is a name, its folder, its sources, `--` and flags of nvcc, by words of a shell. What was made, or
      has no proved findings, is not looked at again.
  tools/confirm-campaign.py run FOLDER --journal FILE [--jobs N] [--limit SECONDS] [--until SECONDS]
      where there is a GPU, with nvcc and compute-sanitizer in PATH (or SCUBA_NVCC): runs the bundles, several at a time, and writes a
      line of JSON for each finding. What is in the journal already is left out; none is begun after --until.
  tools/confirm-campaign.py table JOURNAL… [--folder FOLDER]
      a table in Markdown: by rule and by what confirmed it, and each finding that is not confirmed with its reason. With the FOLDER of
      the bundles, findings that were not run are named too.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
# What confirmed it, by the words of the outcome's detail; the first that is found counts.
WAYS = (
    ("running the program itself without", "kernel alone"),
    ("running the program itself", "program"),
    ("running this launch alone", "launch"),
    ("running this launch with", "check"),
)
# What a finding that the device cannot hold has in its reason.
TOO_LARGE = ("`[confirm] max_bytes` allows", "out of memory")
# What is not run has in its: a claim is no access, and a program that nvcc refuses (clang takes more builtins) has no code.
NOT_RUN = ("there is no way to run it", "the program itself: nvcc ended with exit status")


def ours():
    """Name, folder, sources, flags and options of scuba for each of our own programs."""
    ui = HERE / "tests/ui"
    parts = set()
    programs = []
    for source in sorted(ui.glob("*/*.cu")):
        text = source.read_text()
        word = lambda name: [w for m in re.findall(rf"^//@ {name}: *(.*)$", text, re.M) for w in m.split()]
        others = [f"{source.parent.name}/{w}" for w in word("with")]
        parts.update(others)
        programs.append((f"ui-{source.parent.name}-{source.stem}", ui, [f"{source.parent.name}/{source.name}", *others], word("flags"), text))
    for name, folder, sources, flags, text in programs:
        # The programs state what is found in them.
        if sources[0] not in parts and re.search(r"//~.*proved", text):
            yield name, folder, sources, flags
    own = HERE / "tests/confirm/programs"
    for source in sorted(own.glob("*.cu")):
        yield f"confirm-{source.stem}", own, [source.name], ["-O3", "-Iinc", "-isystem", "system"]
    # Functions of libraries, under their contracts.
    for source in sorted((HERE / "tests/confirm/entries").glob("*/*.cu")):
        yield f"entry-{source.parent.name}", source.parent, [source.name], ["-O3"]
    heat = HERE / "examples/heat"
    kernels = [str(k.relative_to(heat)) for k in sorted(heat.glob("kernels/*.cu"))]
    yield "heat", heat, ["app/main.cu", *kernels], ["-O3", "-Iinclude"]


def others(checkouts):
    """The same of the programs of the evaluation whose findings count, and of all of HeCBench's."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(HERE / "tools"))
    import corpus
    import sweep

    known = set()
    for row in corpus.ROWS:
        folder = checkouts / row.program.folder
        if folder.is_dir() and row.program.prepare is None and HERE not in folder.parents:
            known.add(folder)
            yield f"corpus-{row.name.replace(', ', '-')}", folder, list(row.program.sources), [*row.program.flags, "-O3"]
    for folder in sorted((checkouts / "HeCBench/src").glob("*-cuda")):
        sources, flags, why = (None, None, "known") if folder in known else sweep.program_of(folder)
        if not why:
            yield f"hecbench-{folder.name}", folder, sources, flags


def named(path):
    with open(path) as lines:
        for line in lines:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            name, folder, *rest = words
            cut = rest.index("--") if "--" in rest else len(rest)
            yield name, pathlib.Path(folder), rest[:cut], rest[cut + 1 :]


def run(command, limit, **more):
    """Status and output of a command; None for the status where its time was up. What it started ends with it."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True, **more
    ) as child:
        try:
            out, err = child.communicate(timeout=limit)
            return child.returncode, out, err
        except subprocess.TimeoutExpired:
            # `scuba` cleans up behind itself where it is asked to end.
            child.terminate()
            try:
                out, err = child.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                out, err = child.communicate()
            return None, out, err


def carry(to, scuba):
    """`scuba` and the libraries that it needs besides the C and C++ libraries of any machine."""
    (to / "bin").mkdir(parents=True, exist_ok=True)
    (to / "lib").mkdir(exist_ok=True)
    shutil.copy2(scuba, to / "bin/scuba")
    subprocess.run(["strip", to / "bin/scuba"], check=True)
    for line in subprocess.run(["ldd", scuba], capture_output=True, text=True, check=True).stdout.splitlines():
        found = re.match(r"\s*(libz3\S*) => (\S+)", line)
        if found:
            shutil.copy2(found[2], to / "lib" / found[1])


def limit(path, o):
    """Gives a bundle the limits of the campaign, which are not those of a user's machine."""
    manifest = json.loads(path.read_text())
    manifest["limits"].update(max_bytes=o.max_gib << 30, timeout_s=o.timeout)
    path.write_text(json.dumps(manifest, indent=1) + "\n")


def make_bundles(o):
    to = pathlib.Path(o.folder).resolve()
    scuba = pathlib.Path(os.environ.get("SCUBA") or HERE / "target/release/scuba").resolve()
    if not scuba.exists():
        sys.exit(f"there is no {scuba}: run make build, or set SCUBA")
    carry(to, scuba)
    # Bundles have their limits; no settings of the other machine are to change how they are run.
    (to / "scuba.toml").write_text("")
    (to / "bundles").mkdir(exist_ok=True)
    (to / "done").mkdir(exist_ok=True)
    chosen = named(o.programs) if o.programs else others(pathlib.Path(o.checkouts).resolve()) if o.checkouts else ours()

    def make(program):
        name, folder, sources, flags = program
        bundle, done = to / "bundles" / name, to / "done" / name
        if done.exists():
            return
        shutil.rmtree(bundle, ignore_errors=True)
        command = [scuba, "confirm", "-q", "-j", "1", "-D", "all", "--bundle", bundle, *sources, "--", *flags]
        started = time.monotonic()
        status, _, err = run(list(map(str, command)), o.limit, cwd=folder)
        last = (err.strip().splitlines() or [""])[-1]
        if status is None:
            shutil.rmtree(bundle, ignore_errors=True)
            last = f"not made in {o.limit} s"
        elif (bundle / "manifest.json").exists():
            limit(bundle / "manifest.json", o)
        done.write_text(f"{time.monotonic() - started:.1f} s: {last}\n")
        print(f"{name}: {last[:160]}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(make, (p for p in chosen if o.only in p[0])))
    cases = [c for m in to.glob("bundles/*/manifest.json") for c in json.loads(m.read_text())["cases"]]
    rules = collections.Counter(c["expected"]["rule"] for c in cases)
    print(f"{len(list(to.glob('bundles/*/manifest.json')))} bundles with {len(cases)} findings: " + ", ".join(f"{n} {r}" for r, n in sorted(rules.items())))


def finding(case):
    """What a finding is called in the journal."""
    place, _, message = case["expected"]["summary"].partition(": ")
    return {"rule": case["expected"]["rule"], "proved": case["expected"].get("proved", True), "place": place, "fingerprint": case["expected"]["fingerprint"], "message": message}


def way(confirmation):
    if confirmation["by"] == "kernel-check" and "running the program itself" in confirmation["detail"]:
        return "call"
    return next((name for words, name in WAYS if words in confirmation["detail"]), "")


def run_bundle(bundle, scuba, environment, limit):
    """Lines of the journal for a bundle."""
    cases = json.loads((bundle / "manifest.json").read_text())["cases"]
    started = time.monotonic()
    command = [scuba, "confirm", "--from", bundle, "--message-format", "json"]
    status, out, err = run(list(map(str, command)), limit, env=environment)
    seconds = round((time.monotonic() - started) / max(len(cases), 1), 1)
    try:
        outcomes = {o["fingerprint"]: o["confirmation"] for o in json.loads(out)}
    except ValueError:
        outcomes = {}
    why = f"the bundle did not end in {limit} s" if status is None else (err.strip().splitlines() or ["nothing was said"])[-1]
    lines = []
    for case in cases:
        seen = outcomes.get(case["expected"]["fingerprint"])
        verdict = seen["status"] if seen and not seen["detail"].startswith(NOT_RUN) else "not run"
        reason = seen["detail"] if seen else why
        lines.append({"program": bundle.name, **finding(case), "verdict": verdict, "by": way(seen) if verdict == "confirmed" else "", "reason": reason, "seconds": seconds})
    return lines


def run_all(o):
    folder = pathlib.Path(o.folder).resolve()
    environment = {**os.environ}
    libraries = [str(folder / "lib"), environment.get("LD_LIBRARY_PATH", "")]
    environment["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))
    environment.setdefault("SCUBA_CONFIG", str(folder / "scuba.toml"))
    if "SCUBA_NVCC" not in environment and shutil.which("nvcc"):
        environment["SCUBA_NVCC"] = shutil.which("nvcc")
    journal = pathlib.Path(o.journal)
    done = {line["program"] for line in read([journal]) if line["verdict"] != "not run"} if journal.exists() else set()
    bundles = [m.parent for m in sorted(folder.glob("bundles/*/manifest.json")) if m.parent.name not in done]
    if o.only:
        bundles = [b for b in bundles if o.only in b.name]
    end = time.monotonic() + o.until
    lock, counts = threading.Lock(), collections.Counter()
    with open(journal, "a") as out, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:

        def one(bundle):
            left = end - time.monotonic()
            if left < 5:
                return
            lines = run_bundle(bundle, folder / "bin/scuba", environment, min(o.limit, left))
            with lock:
                for line in lines:
                    counts[line["verdict"]] += 1
                    out.write(json.dumps(line) + "\n")
                out.flush()

        list(pool.map(one, bundles))
    print(", ".join(f"{n} {v}" for v, n in sorted(counts.items())) or "nothing was left to run")


def read(journals):
    """The last line of each finding counts."""
    lines = {}
    for journal in journals:
        for text in pathlib.Path(journal).read_text().splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                # Cut off by the end of a run.
                continue
            lines[line["program"], line["fingerprint"]] = line
    return list(lines.values())


def table(o):
    lines = read(o.journals)
    if o.folder:
        known = {(line["program"], line["fingerprint"]) for line in lines}
        for manifest in sorted(pathlib.Path(o.folder).glob("bundles/*/manifest.json")):
            for case in json.loads(manifest.read_text())["cases"]:
                if (manifest.parent.name, case["expected"]["fingerprint"]) not in known:
                    lines.append({"program": manifest.parent.name, **finding(case), "verdict": "not run", "by": "", "reason": "not in the journal", "seconds": 0})
    possible = [line for line in lines if not line.get("proved", True)]
    lines = [line for line in lines if line.get("proved", True)]
    ways = ["program", "call", "launch", "check", "kernel alone"]
    print("| rule | findings | confirmed | " + " | ".join(f"by the {w}" for w in ways) + " | inconclusive | not reproduced | not run |")
    print("| --- |" + " --- |" * (len(ways) + 5))
    rows = collections.defaultdict(list)
    for line in lines:
        rows[line["rule"]].append(line)
    for rule, of in [*sorted(rows.items()), ("**all**", lines)]:
        count = collections.Counter(line["verdict"] for line in of)
        by = collections.Counter(line["by"] for line in of)
        numbers = [len(of), count["confirmed"], *(by[w] for w in ways), count["inconclusive"], count["not-reproduced"], count["not run"]]
        print(f"| {rule} | " + " | ".join(map(str, numbers)) + " |")
    held = [line for line in lines if line["verdict"] != "not run" and not (line["verdict"] == "inconclusive" and any(words in line["reason"] for words in TOO_LARGE))]
    confirmed = sum(line["verdict"] == "confirmed" for line in held)
    print(f"\nOf {len(held)} findings that were run and that the device can hold, {confirmed} are confirmed ({100 * confirmed / max(len(held), 1):.1f} %).")
    seen = collections.Counter(line["verdict"] for line in possible)
    print(f"Of {len(possible)} that are merely possible {seen['confirmed']} are: what they assume need not be so in a run. They are not counted above.")
    print("\n| not confirmed | rule | outcome | why |\n| --- | --- | --- | --- |")
    for line in sorted(lines, key=lambda line: (line["verdict"], line["program"], line["place"])):
        if line["verdict"] != "confirmed":
            reason = line["reason"].replace("|", "\\|").replace("\n", " ")
            print(f"| {line['program']} `{line['place']}` | {line['rule']} | {line['verdict']} | {reason} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("bundles")
    make.add_argument("folder")
    which = make.add_mutually_exclusive_group()
    which.add_argument("--programs")
    which.add_argument("--checkouts")
    make.add_argument("--only", default="")
    make.add_argument("--jobs", type=int, default=2)
    make.add_argument("--limit", type=float, default=600, help="seconds for one program")
    make.add_argument("--max-gib", type=int, default=64, help="what a run may ask of the device's memory")
    make.add_argument("--timeout", type=int, default=60, help="seconds for one run on the device")
    make.set_defaults(do=make_bundles)
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--journal", required=True)
    go.add_argument("--only", default="")
    go.add_argument("--jobs", type=int, default=4)
    go.add_argument("--limit", type=float, default=300, help="seconds for one bundle")
    go.add_argument("--until", type=float, default=1e9, help="seconds for all of them")
    go.set_defaults(do=run_all)
    show = commands.add_parser("table")
    show.add_argument("journals", nargs="+")
    show.add_argument("--folder")
    show.set_defaults(do=table)
    o = parser.parse_args()
    o.do(o)


if __name__ == "__main__":
    main()
