#!/usr/bin/env python3
"""Which share of the units that nvcc compiles does our front end read, on both sides?

    tools/front-end.py DIR [--out FILE.md] [--journal FILE] [--extract PATH] [--code REVISION] [--nvcc PATH] [--headers DIR] [--programs N] [--samples N]
                       [--until SECONDS] [--limit SECONDS] [--again] [-j N]
    tools/front-end.py DIR --projects N [--torch FLAGS] [--read-until SECONDS] [...]

DIR holds checkouts of HeCBench and of NVIDIA's cuda-samples (folder `cuda-samples`). Of HeCBench the units of every Nth program are taken
(16), with the flags of their makefiles; of cuda-samples every Nth unit (4), with relocatable device code where the sample's CMakeLists.txt asks
for it. --headers names a folder of libraries' headers (cuBLAS and the like), which both are given. Each is compiled by nvcc (`-c`, to nowhere), and read by `scuba-extract`; nothing is written into the checkouts. FILE
(target/front-end.jsonl) is a journal: nvcc is not asked again of units that stand in it; with --again they are read again by the front end. None
is begun after --until seconds; N units at a time (1); no program runs longer than --limit seconds (300). --code is the front end's revision (the
tree's). Only the Python standard library is used.

With --projects DIR holds checkouts of any projects, and of each at most N `.cu` files, spread evenly, are taken. Nobody knows their makefiles: the
folders of headers are searched for in the project, then in the others, by the names that are missing (`g++ -M -MG`). The other flags are the same
for all; units that want PyTorch's headers get FLAGS instead. Here the front end reads first: nvcc is asked of what it refuses at once, and of the
others in the end. After --read-until seconds no further unit is read, and nvcc is asked of those that are.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import sweep

HERE = pathlib.Path(__file__).resolve().parent.parent

def hecbench(folder, every):
    for program in sorted(folder.glob("src/*-cuda"))[::every]:
        sources, flags, why = sweep.program_of(program)
        if why:
            print(f"{program.name}: {why}", file=sys.stderr)
            continue
        # Many name an architecture that nvcc 13 has dropped.
        flags = [re.sub(r"\b(sm|compute)_[3567]\d\b", r"\1_80", f) for f in flags]
        for source in sources:
            if source.endswith(".cu"):
                yield program, source, flags


def samples(folder, every):
    for path in sorted(folder.glob("Samples/**/*.cu"))[::every]:
        lists = path.parent / "CMakeLists.txt"
        text = lists.read_text(errors="replace") if lists.is_file() else ""
        separable = re.search(r"CUDA_SEPARABLE_COMPILATION\s+ON", text)
        flags = ["-std=c++17", "-arch=sm_80", "--extended-lambda", f"-I{folder / 'Common'}"]
        yield path.parent, path.name, flags + (["-rdc=true"] if separable else [])


# What a project brings of others, and what is no program by itself.
OTHERS = re.compile(r"(?:^|/)(?:third[-_]?party|3rd[-_]?party|extern(?:al)?s?|dependencies|deps|submodules|hipify[^/]*|rocm[^/]*|hip)/", re.I)
TORCH = re.compile(r"(?:torch|ATen|c10)/")
SLOW = re.compile(r"#\s*include\s*[<\"](?:torch|ATen|c10|cutlass|cute|rmm|raft|cub|thrust)/")
# The heading of the projects' part of a page, behind that of the suites.
ANY = "## Units of any projects"
COMMON = ["-std=c++17", "-arch=sm_80", "--extended-lambda", "--expt-relaxed-constexpr"]
# nvcc is asked whether it takes a unit, not for fast code.
QUICK = ["--Ofast-compile=max", "-Xcompiler", "-O0"]
# Rounds of searching for folders of headers.
ROUNDS = 12
# Folders of headers found so far, by project.
FOLDERS = collections.defaultdict(list)


def projects(folder, most):
    """Units with the headers of their project, and of all projects, by name."""
    everywhere = collections.defaultdict(list)
    found = []
    for project in sorted(p for p in folder.iterdir() if p.is_dir()):
        headers = collections.defaultdict(list)
        units = []
        for root, _, names in os.walk(project):
            for name in names:
                path = pathlib.Path(root, name).relative_to(project)
                headers[name].append(path)
                everywhere[name].append(project / path)
                if name.endswith(".cu") and not OTHERS.search(f"{path}"):
                    units.append(path)
        units.sort()
        count = min(most, len(units))
        found += [(project, f"{units[i * len(units) // count]}", headers) for i in range(count)]
    # In turns, so that an interrupted run has some of each; at last the projects that include large libraries of templates.
    turns, slow = collections.Counter(), set()
    places = []
    for project, unit, _ in found:
        turns[project] += 1
        beside = [f for f in (project / unit).parent.iterdir() if f.suffix in (".cu", ".cuh", ".h", ".hpp")]
        slow.update([project] if any(SLOW.search(f.read_text(errors="replace")) for f in beside if f.is_file()) else [])
        places.append(turns[project])
    print(f"{len(found)} units, and at the end those of {', '.join(sorted(p.name for p in slow))}", file=sys.stderr)
    for _, (project, unit, headers) in sorted(zip(places, found), key=lambda f: (f[1][0] in slow, f[0])):
        yield project, unit, (headers, everywhere)


def missing_headers(project, source, flags):
    """What the unit includes and what is nowhere, by the host compiler's preprocessor in nvcc's place, since nvcc stops at the first."""
    # Whatever is found has a path from the root then.
    mine = [f"-I{project / f[2:]}" if f.startswith("-I") else f for f in flags if re.match(r"-[DUI]|-std", f)]
    mine += [w for f, value in zip(flags, flags[1:]) if f == "-isystem" for w in (f, value)]
    macros = ["-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0", "-D__CUDA_ARCH_LIST__=800"]
    toolkit = OPTIONS.nvcc.parent.parent / "include"
    command = ["g++", "-x", "c++", "-M", "-MG", *macros, *mine, "-isystem", str(toolkit), "-isystem", str(toolkit / "cccl"), "-include", "cuda_runtime.h", str(project / source)]
    try:
        out = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=OPTIONS.limit).stdout
    except (subprocess.TimeoutExpired, UnicodeDecodeError):
        return []
    names = out.replace("\\\n", " ").split()[1:]
    return [n for n in names if not os.path.isabs(n)]


def with_folders(project, source, headers):
    """The flags with the folders of the headers that the unit wants."""
    headers, everywhere = headers
    # Those of the project's other units save a search.
    flags, basis, folders = COMMON, COMMON, list(FOLDERS[project])
    more = [w for folder in OPTIONS.headers for w in ("-isystem", str(folder))]
    for _ in range(ROUNDS):
        flags = [*basis, *folders, *more]
        missing = missing_headers(project, source, flags)
        if OPTIONS.torch and basis is COMMON and any(TORCH.match(n) for n in missing):
            basis = OPTIONS.torch.split()
            continue
        new = []
        for name in missing:
            tail = pathlib.PurePath(name).parts
            if ".." in tail:
                continue
            # The nearest one: that shares the most of its path with the source.
            found = [p for p in headers[tail[-1]] if p.parts[-len(tail) :] == tail]
            near = lambda p: (-len(os.path.commonprefix([p.parts, pathlib.PurePath(source).parts])), len(p.parts), f"{p}")
            found.sort(key=near)
            # Of another project only what it calls by more than a file's name: `rmm/device_uvector.hpp`.
            if not found and len(tail) > 1:
                found = sorted((p for p in everywhere[tail[-1]] if p.parts[-len(tail) :] == tail), key=lambda p: (len(p.parts), f"{p}"))
            for path in found[:1]:
                root = pathlib.PurePath(*path.parts[: len(path.parts) - len(tail)])
                if f"-I{root}" not in folders + new:
                    new.append(f"-I{root}")
        if not new:
            break
        folders += new
    FOLDERS[project] = folders
    return flags, missing


def revision(project):
    """A checkout's commit and date, or what a file REVISION in an exported tree says."""
    kept = project / "REVISION"
    if kept.is_file():
        return kept.read_text().split()[:2]
    inside = subprocess.run(["git", "-C", str(project), "rev-parse", "--show-toplevel"], capture_output=True, text=True).stdout.strip()
    if not inside or pathlib.Path(inside) != project.resolve():
        return ["?", "?"]
    return subprocess.run(["git", "-C", str(project), "log", "-1", "--format=%H %cs"], capture_output=True, text=True).stdout.split()


def run(command, folder):
    """Its status, what it wrote to its two streams (of the first, lines about units alone), and seconds."""
    start = time.monotonic()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_")}
    environment.update(SCUBA_NVCC=str(OPTIONS.nvcc), LC_ALL="C.UTF-8")
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        output, errors = process.communicate(timeout=OPTIONS.limit)
    except BaseException as e:
        # With all that it started.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if not isinstance(e, subprocess.TimeoutExpired):
            raise
        return None, "", f"took longer than {OPTIONS.limit:g} s", OPTIONS.limit
    out = "\n".join(l for l in output.decode(errors="replace").splitlines() if l.startswith("; "))
    return process.returncode, out, errors.decode(errors="replace"), round(time.monotonic() - start, 1)


def read(folder, source, flags):
    """The sides that are not read, each with its reason."""
    status, out, err, seconds = run([str(OPTIONS.extract), "--dump", source, "--", *flags], folder)
    refused = re.findall(r"^; (Host|Device) side not analysed: (.*)$", out, re.M)
    if status != 0:
        refused = [("both", (err.strip().splitlines() or [f"status {status}"])[-1])]
    notes = re.findall(r"^; (?:Host|Device) side: (.*)$", out, re.M)
    return {"refused": refused, "notes": sorted(set(notes)), "read_s": seconds, "code": commit()}


def commit():
    return OPTIONS.code or subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def first_error(text):
    lines = [l for l in text.splitlines() if "error" in l]
    return (lines or text.strip().splitlines() or ["no word"])[0].strip()[:160]


def ordinal(n):
    return f"{n}{'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def table(records):
    suites = collections.defaultdict(list)
    for r in records:
        suites[r["suite"]].append(r)
    codes = collections.Counter(r["code"] for r in records if r["nvcc"])
    lines = [
        "# What the front end reads",
        "",
        f"<!-- made by tools/front-end.py; read by {', '.join(f'{code} ({n})' for code, n in codes.most_common())} -->",
        "",
        "Units of public programs that nvcc 13.0 compiles (`nvcc -c`, with the flags of their makefiles), and how many of them clang reads for SCuBA, on",
        f"the host's side and the device's. Every {ordinal(OPTIONS.programs)} program of HeCBench, every {ordinal(OPTIONS.samples)} unit of cuda-samples. `tools/front-end.py DIR` repeats it.",
        "",
        "| programs | units | nvcc compiles | read on both sides | share |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for suite, all_of in [*suites.items(), ("together", records)]:
        compiled = [r for r in all_of if r["nvcc"]]
        good = [r for r in compiled if not r["refused"]]
        share = f"{100 * len(good) / len(compiled):.1f} %" if compiled else "–"
        lines.append(f"| {suite} | {len(all_of)} | {len(compiled)} | {len(good)} | {share} |")
    bad = [r for r in records if r["nvcc"] and r["refused"]]
    lines += ["", "Not read:" if bad else "None of them is refused.", ""]
    for r in bad:
        sides = ", ".join(sorted({s.lower() for s, _ in r["refused"]}))
        reason = re.sub(r"\S*/", "", r["refused"][0][1])
        lines.append(f"- `{r['unit']}` ({sides}): {reason}")
    notes = collections.Counter(n for r in records if r["nvcc"] and not r["refused"] for n in r["notes"])
    lines += ["", "Read otherwise than the first attempt, by how many units:", ""] if notes else []
    lines += [f"- {n}: {text}" for text, n in notes.most_common()]
    left = collections.Counter(re.sub(r"^.*?(fatal error|error): ", "", r["why"]) for r in records if not r["nvcc"])
    lines += ["", "Left out, since nvcc does not compile them here (headers that are not installed, most of all):", ""] if left else []
    lines += [f"- {n}: {text}" for text, n in left.most_common(12)]
    return "\n".join(lines) + "\n"


def nvcc_version():
    out = subprocess.run([str(OPTIONS.nvcc), "--version"], capture_output=True, text=True).stdout
    return (re.findall(r"release ([\d.]+)", out) or ["?"])[0]


def cause(reason):
    """A message without the names of its program."""
    text = re.sub(r"^.*?(?:fatal error|error): ", "", reason)
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'…'", text))


def by_cause(refusals):
    causes = collections.defaultdict(list)
    for record, refused in refusals:
        causes[cause(refused[0][1])].append(record)
    for text, of in sorted(causes.items(), key=lambda c: (-len(c[1]), c[0])):
        yield f"| {len(of)} | {text.replace('|', chr(92) + '|')} | {of[0]['suite'].replace('+', '/')}: `{of[0]['unit']}` |"


def table_of_projects(records, revisions):
    projects = collections.defaultdict(list)
    for r in records:
        projects[r["suite"]].append(r)
    taken = [r for r in records if r["nvcc"]]
    read_ones = [r for r in taken if not r["refused"]]
    codes = collections.Counter(r["code"] for r in taken)
    lines = [
        ANY,
        "",
        f"<!-- made by tools/front-end.py --projects; read by {', '.join(f'{code} ({n})' for code, n in codes.most_common())} -->",
        "",
        f"Units of {len(projects)} public projects, at most {OPTIONS.projects} of each, spread evenly over its `.cu` files. Nobody followed their makefiles: folders of headers",
        f"were searched for, and the flags are `{' '.join(COMMON)}`, or those of PyTorch's extensions. nvcc {nvcc_version()} compiles {len(taken)} of {len(records)} units;",
        f"clang reads {len(read_ones)} of these for SCuBA on both sides ({100 * len(read_ones) / max(len(taken), 1):.1f} %).",
        "`tools/front-end.py DIR --projects N` repeats it.",
        "",
        "### Not read, by cause",
        "",
        "| units | clang's first error | for example |",
        "| ---: | --- | --- |",
    ]
    lines += by_cause([(r, r["refused"]) for r in taken if r["refused"]])
    since = [(r, r["first"]) for r in read_ones if r.get("first")]
    if since:
        lines += ["", "### Not read at first, and read since", "", "| units | clang's first error | for example |", "| ---: | --- | --- |", *by_cause(since)]
    notes = collections.Counter(n for r in read_ones for n in r["notes"])
    lines += ["", "### Read otherwise than the first attempt", "", "| units | how |", "| ---: | --- |"] if notes else []
    lines += [f"| {n} | {text} |" for text, n in notes.most_common()]
    lines += ["", "### Projects", "", "| project | revision | of | units | nvcc compiles | read |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for name, of in sorted(projects.items()):
        good = [r for r in of if r["nvcc"]]
        sha, date = revisions.get(name, ["?", "?"])
        lines.append(f"| {name.replace('+', '/')} | {sha[:10]} | {date} | {len(of)} | {len(good)} | {len([r for r in good if not r['refused']])} |")
    left = collections.Counter(cause(r["why"]) if "No such file" not in r["why"] else "a header that is not here" for r in records if not r["nvcc"])
    lines += ["", "### Not compiled by nvcc here", "", "| units | why |", "| ---: | --- |"]
    lines += [f"| {n} | {text.replace('|', chr(92) + '|')} |" for text, n in left.most_common(15)]
    rest = sum(n for _, n in left.most_common()[15:])
    lines += [f"| {rest} | other errors |"] if rest else []
    return "\n".join(lines) + "\n"


def known_records():
    known = {}
    if OPTIONS.journal.is_file():
        for line in OPTIONS.journal.read_text().splitlines():
            record = json.loads(line)
            known[record["suite"], record["unit"]] = record
    return known


def told(record):
    if record["nvcc"] is False:
        return "nvcc refuses it: " + record["why"]
    return ("" if record["nvcc"] else "not asked of nvcc: ") + ("; ".join(f"{s}: {r}" for s, r in record["refused"]) or "read")


def measured(units, measure):
    """The records of all units; new ones are written down."""
    records = []
    with OPTIONS.journal.open("a") as journal, concurrent.futures.ThreadPoolExecutor(OPTIONS.jobs) as pool:
        for record, new in pool.map(measure, units):
            records += [record] if record else []
            if not new:
                continue
            journal.write(json.dumps(record) + "\n")
            journal.flush()
            print(f"{record['suite']} {record['unit']}: {told(record)}", file=sys.stderr)
    return records


def compiled(record, folder, source, flags):
    """The record with what nvcc says."""
    quick = QUICK if OPTIONS.projects else []
    status, _, err, seconds = run([str(OPTIONS.nvcc), *flags, *quick, "-c", source, "-o", "/dev/null"], folder)
    return {**record, "nvcc": status == 0, "why": first_error(err) if status != 0 else "", "nvcc_s": seconds}


def of_projects(start):
    known = known_records()
    late = lambda until: time.monotonic() - start > until

    def reading(unit):
        project, source, headers = unit
        record = known.get((project.name, source))
        again = record and OPTIONS.again and record["nvcc"] is not False and record["refused"]
        # With --again no further units are begun.
        if not again and (record or OPTIONS.again) or late(min(OPTIONS.until, OPTIONS.read_until)):
            return record, False
        if not record:
            flags, missing = with_folders(project, source, headers)
            record = {"suite": project.name, "unit": source, "flags": flags, "nvcc": None, "why": "", "refused": [], "notes": []}
            if missing:
                record.update(nvcc=False, why=f"{missing[0]}: No such file or directory")
        if record["nvcc"] is not False:
            first = record.get("first") or record["refused"]
            record = {**record, **read(project, source, record["flags"]), "first": first}
        if record["nvcc"] is None and record["refused"]:
            record = compiled(record, project, source, record["flags"])
        return record, True

    def asking(record):
        if record["nvcc"] is not None or late(OPTIONS.until):
            return record, False
        return compiled(record, OPTIONS.dir / record["suite"], record["unit"], record["flags"]), True

    records = measured(measured(list(projects(OPTIONS.dir, OPTIONS.projects)), reading), asking)
    # An interrupted run has not asked nvcc of all.
    records = [r for r in records if r["nvcc"] is not None]
    return table_of_projects(records, {p.name: revision(p) for p in OPTIONS.dir.iterdir() if p.is_dir()})


def of_suites(start):
    units = [("HeCBench", *u) for u in hecbench(OPTIONS.dir / "HeCBench", OPTIONS.programs)]
    units += [("cuda-samples", *u) for u in samples(OPTIONS.dir / "cuda-samples", OPTIONS.samples)]
    more = [w for headers in OPTIONS.headers for w in ("-isystem", str(headers))]
    units = [(suite, folder, source, flags + more) for suite, folder, source, flags in units]
    known = known_records()

    def measure(unit):
        """Its record, and whether that is new."""
        suite, folder, source, flags = unit
        name = f"{folder.name}/{source}"
        record = known.get((suite, name))
        if record and not (OPTIONS.again and record["nvcc"]) or time.monotonic() - start > OPTIONS.until:
            return record, False
        if not record:
            record = compiled({"suite": suite, "unit": name, "refused": [], "notes": []}, folder, source, flags)
        if record["nvcc"]:
            record = {**record, **read(folder, source, flags)}
        return record, True

    return table(measured(units, measure))


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--journal", type=pathlib.Path, default=HERE / "target/front-end.jsonl")
    parser.add_argument("--extract", type=pathlib.Path, default=HERE / "target/release/scuba-extract")
    parser.add_argument("--nvcc", type=pathlib.Path, default=sweep.TOOLKIT / "bin/nvcc")
    parser.add_argument("--headers", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--programs", type=int, default=16)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--projects", type=int)
    parser.add_argument("--torch", default="")
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--code", default="")
    parser.add_argument("--read-until", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    OPTIONS = parser.parse_args()
    start = time.monotonic()
    text = of_projects(start) if OPTIONS.projects else of_suites(start)
    if OPTIONS.out:
        # The other part of the page stays.
        suites, heading, rest = (OPTIONS.out.read_text() if OPTIONS.out.is_file() else "").partition(ANY)
        if OPTIONS.projects:
            text = f"{suites.rstrip()}\n\n{text}".lstrip()
        elif heading:
            text = f"{text}\n{heading}{rest}"
        OPTIONS.out.write_text(text)
    else:
        print(text)


main()
