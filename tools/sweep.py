#!/usr/bin/env python3
"""Checks every program of a checkout of HeCBench or of cuda-samples where it lies, and writes what came of each.

    tools/sweep.py DIR [--out FILE] [--against FILE] [--only PATTERN ...] [--sample N [--seed S]] [--jobs N] [--threads N] [--scuba PATH]
                   [--toolkit DIR] [--limit SECONDS] [--table FILE]

DIR is a checkout of HeCBench (its `src` holds one folder for each program). The sources of a program and their flags are read off
what its own makefile would run (`make -n`): nothing is built, and nothing is written into the checkout. Or it is one of NVIDIA's
cuda-samples: a program is what an `add_executable` with a CUDA source lists, with the flags that all samples have. FILE
(target/sweep.jsonl) is a journal, one JSON line for each program with its verdicts, codes, work and seconds: programs that stand in it
are not checked again, so that an interrupted sweep goes on where it ended. `--against` compares with the journal of another
sweep. `--sample N` takes N programs at random, the same for one `--seed`; `--jobs` checks several programs side by side, and the
seconds of the processor are counted for each. Only the Python standard library is used.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
TOOLKIT = HERE / ".deps/cuda/nvidia/cu13"
SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
COMPILERS = re.compile(r"^(?:.*/)?(?:nvcc|g\+\+|gcc|clang\+\+|c\+\+|cc)$")
# What takes a value of its own.
VALUED = {"-o", "-Xcompiler", "-Xptxas", "-ccbin", "-L", "-l", "-x", "-MF", "-MT", "-Xlinker", "--compiler-options", "-gencode", "-arch", "-code", "-maxrregcount", "--maxrregcount"}
# Kept for the analysis, with the value behind where that stands alone.
KEPT = re.compile(r"^(-I|-D|-U|-std|--std|-include|-isystem|-arch|-gencode|--generate-code|--gpu-architecture|-rdc|--relocatable-device-code|--extended-lambda|--expt-|-fopenmp|-Xcompiler|-use_fast_math|--use_fast_math)")
SEPARATE = {"-I", "-D", "-U", "-include", "-isystem", "-arch", "-gencode", "--generate-code", "--gpu-architecture", "-std", "--std", "-Xcompiler"}


def commands(folder):
    """What make would run, as words, or why that is not known."""
    try:
        run = subprocess.run(["make", "-n", "-B", "-C", str(folder), "CC=nvcc", "NVCC=nvcc", "CUDA=nvcc"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, errors="replace")
    except subprocess.TimeoutExpired:
        return [], "make -n does not end"
    text = run.stdout.replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        for part in re.split(r"&&|;", line):
            try:
                words = shlex.split(part)
            except ValueError:
                continue
            if words and COMPILERS.match(words[0]):
                found.append(words)
    return found, None if found else (run.stderr.strip().splitlines() or ["make -n names no compiler"])[-1][:200]


def program_of(folder):
    """Sources and the flags of the first command with a CUDA source."""
    lines, why = commands(folder)
    sources, flags = [], None
    for words in lines:
        here, kept, skip = [], [], None
        for i, w in enumerate(words[1:]):
            if skip is not None:
                if skip:
                    kept.append(w)
                skip = None
            elif w in SEPARATE:
                kept.append(w)
                skip = True
            elif w in VALUED:
                skip = False
            elif w.endswith(SOURCES) and not w.startswith("-"):
                here.append(w)
            elif KEPT.match(w):
                kept.append(w)
        if here and (flags is None or not any(s.endswith(".cu") for s in sources) and any(s.endswith(".cu") for s in here)):
            flags = kept
        sources += [s for s in here if s not in sources]
    sources = [s for s in sources if (folder / s).is_file()]
    if not sources:
        return None, None, why or "no source"
    return sources, flags or [], None


def samples_of(checkout):
    """Folder, sources and flags of each program of cuda-samples with a CUDA source, by a name."""
    found = {}
    for lists in sorted(checkout.glob("Samples/**/CMakeLists.txt")):
        text = re.sub(r"#.*", "", lists.read_text(errors="replace"))
        flags = ["-std=c++17", "-arch=sm_80", "--extended-lambda", f"-I{checkout / 'Common'}"]
        flags += ["-rdc=true"] if re.search(r"CUDA_SEPARABLE_COMPILATION\s+ON", text) else []
        for words in map(str.split, re.findall(r"add_executable\(([^)]*)\)", text)):
            sources = [w for w in words[1:] if w.endswith(SOURCES) and (lists.parent / w).is_file()]
            if any(s.endswith(".cu") for s in sources):
                found[words[0]] = lists.parent, sources, flags
    return found


def measured(command, folder, environment, limit, out, err):
    """Status of a command in a folder, its peak in MiB, its seconds of the processor, and whether it was ended at the limit, in seconds."""
    start, cut = time.monotonic(), False
    process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment, start_new_session=True)
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if not cut and time.monotonic() - start > limit:
            os.killpg(process.pid, signal.SIGKILL)
            cut = True
        time.sleep(0.02)
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024, usage.ru_utime + usage.ru_stime, cut


def check(name, program, arguments):
    record = {"program": name}
    folder, sources, flags, why = program()
    if why:
        return {**record, "error": why}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        command = [arguments.scuba, "check", "-j", str(arguments.threads), "--message-format", "json", *sources, "--", *flags]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_") or k == "SCUBA_CACHE"}
        environment.setdefault("SCUBA_CACHE", "off")
        environment["SCUBA_NVCC"] = str(arguments.toolkit / "bin/nvcc")
        if arguments.config:
            environment["SCUBA_CONFIG"] = arguments.config
        start = time.monotonic()
        status, peak, cpu, _ = measured(command, folder, environment, arguments.limit, out, err)
        record.update(seconds=round(time.monotonic() - start, 2), cpu=round(cpu, 2), peak_mib=peak, status=status, units=len(sources))
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read().decode(errors="replace")
    try:
        report = json.loads(text)
    except ValueError:
        return {**record, "error": f"no report (status {status}): {said.strip()[-300:]}"}
    summary = report["summary"]
    record["summary"] = {k: v for k, v in summary.items() if k != "seconds"}
    record["work"] = summary.get("work")
    record["repeatable"] = report.get("repeatable", True)
    record["codes"] = dict(collections.Counter(u.get("code") or code_of(u["reason"]) for u in report["undecided"]))
    record["findings"] = sorted([f["rule"], f["level"], f["verdict"], f["access"]["file"], f["access"]["line"], f["access"]["array"]] for f in report["findings"])
    record["not_analysed"] = [f"{n['file']} ({n['side']}): {n['reason']}"[:200] for n in report["not_analysed"]]
    return record


def code_of(reason):
    """For documents without codes."""
    return "time" if "time limit" in reason or "time is up" in reason else "other"


def read(path):
    records = {}
    if path and pathlib.Path(path).exists():
        for line in pathlib.Path(path).read_text().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            records[record["program"]] = record
    return records


def at(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def percent(share):
    return round(100 * share, 1)


def summed(records):
    ok = [r for r in records.values() if "summary" in r]
    keys = ("accesses", "safe", "safe_if_no_wrap", "proved", "possible", "unknown")
    sums = {k: sum(r["summary"][k] for r in ok) for k in keys}
    codes = collections.Counter()
    for r in ok:
        codes.update(r["codes"])
    shares = [1 - r["summary"]["unknown"] / r["summary"]["accesses"] for r in ok if r["summary"]["accesses"]]
    # Of the processor: seconds of the clock depend on what else the machine does. Journals of old have only these.
    seconds = [r.get("cpu", r["seconds"]) for r in ok]
    return {
        "programs": len(records), "with_result": len(ok), **sums,
        "decided_percent": percent(1 - sums["unknown"] / max(sums["accesses"], 1)), "mean_of_programs_percent": percent(sum(shares) / max(len(shares), 1)),
        "median_of_programs_percent": percent(at(shares, 0.5)), "programs_under_half": sum(s < 0.5 for s in shares),
        "denied": sum(1 for r in ok for f in r["findings"] if f[1] == "deny"), "warned": sum(1 for r in ok for f in r["findings"] if f[1] == "warn"),
        "undecided_work": codes.get("work", 0), "undecided_time": codes.get("time", 0), "undecided_memory": codes.get("memory", 0),
        "not_repeatable": sum(1 for r in ok if r.get("repeatable") is False),
        "cpu_seconds_sum": round(sum(seconds)), "cpu_seconds_median": at(seconds, 0.5), "cpu_seconds_p90": at(seconds, 0.9), "over_60_cpu_s": sum(s > 60 for s in seconds),
        "peak_mib_median": at([r["peak_mib"] for r in ok], 0.5), "peak_mib_max": max([r["peak_mib"] for r in ok], default=0),
        "codes": dict(codes.most_common()),
    }


def changed(before, now):
    """One line for each program whose counts or findings differ."""
    lines = []
    for name in sorted(before.keys() & now.keys()):
        a, b = before[name], now[name]
        if "summary" not in a or "summary" not in b:
            if ("summary" in a) != ("summary" in b):
                lines.append(f"{name}: {a.get('error', 'read')} -> {b.get('error', 'read')}")
            continue
        keys = ("accesses", "safe", "safe_if_no_wrap", "proved", "possible", "unknown")
        counts = [f"{k} {a['summary'][k]} -> {b['summary'][k]}" for k in keys if a["summary"][k] != b["summary"][k]]
        lost = ["lost " + " ".join(map(str, f)) for f in a["findings"] if f not in b["findings"]]
        new = ["new " + " ".join(map(str, f)) for f in b["findings"] if f not in a["findings"]]
        if counts or lost or new:
            lines.append(f"{name} ({a.get('cpu', a['seconds']):.0f} -> {b.get('cpu', b['seconds']):.0f} s): " + "; ".join(counts + lost + new))
    return lines


def table(path, records, before, measured, title):
    """The figures as Markdown, with what they were measured on."""
    if not measured:
        revision = subprocess.run(["git", "-C", str(HERE), "log", "-1", "--format=%h of %cs"], capture_output=True, text=True).stdout.strip()
        measured = f"{revision or 'an unknown commit'}, {len(os.sched_getaffinity(0))} cores, caches off"
    lines = [f"# {title}, program by program", "", f"Generated by `make sweep` (`tools/sweep.py`) at {measured}. Nothing here is written by hand."]
    sums = [("now", summed(records))]
    if before:
        # Of the programs that both sweeps reached.
        sums = [("now", summed({n: r for n, r in records.items() if n in before})), ("before", summed(before))]
    lines += [f"The sums are of the {sums[0][1]['programs']} programs that were measured{' both times' if before else ''}.", ""]
    lines += ["| | " + " | ".join(name for name, _ in sums) + " |", "| --- |" + " --- |" * len(sums)]
    for key in sums[0][1]:
        if key != "codes":
            lines.append(f"| {key.replace('_', ' ')} | " + " | ".join(str(s[key]) for _, s in sums) + " |")
    if before:
        rows = changed(before, records)
        lines += ["", "## What changed, program by program", ""] + ([f"- {r}" for r in rows] or ["Nothing."])
    lines += ["", "Undecided by code: " + ", ".join(f"{code} {n}" for code, n in sums[0][1]["codes"].items()) + ".", ""]
    lines += ["| program | accesses | safe | if no wrap | proved | possible | undecided | of these work | work, 10^9 | CPU, s | MiB |", "| --- |" + " --- |" * 10]
    for name, r in sorted(records.items()):
        if "summary" not in r:
            lines.append(f"| {name.removesuffix('-cuda')} | {r['error'].splitlines()[0][:60].replace('|', ' ')} |" + " |" * 9)
            continue
        s = r["summary"]
        cells = [s["accesses"], s["safe"], s["safe_if_no_wrap"], s["proved"], s["possible"], s["unknown"], r["codes"].get("work", 0), round((r["work"] or 0) / 1e9, 2), r.get("cpu", r["seconds"]), r["peak_mib"]]
        lines.append(f"| {name.removesuffix('-cuda')} | " + " | ".join(map(str, cells)) + " |")
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--out", default=str(HERE / "target/sweep.jsonl"))
    parser.add_argument("--against")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1, help="only each N-th program")
    parser.add_argument("--offset", type=int, default=0, help="of these, begin with that one: for several sweeps side by side")
    parser.add_argument("--sample", type=int, metavar="N", help="only N programs, chosen at random")
    parser.add_argument("--seed", type=int, default=57, help="of the choice")
    parser.add_argument("--jobs", type=int, default=1, help="programs that are checked side by side")
    parser.add_argument("--toolkit", type=pathlib.Path, default=TOOLKIT, help="folder of the CUDA toolkit")
    parser.add_argument("--threads", type=int, default=2, help="-j of each check")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds after which a check is ended")
    parser.add_argument("--scuba", default=str(HERE / "target/release/scuba"))
    parser.add_argument("--config", help="a scuba.toml for all")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds after which no further program is begun")
    parser.add_argument("--table", help="writes the figures to this Markdown file")
    parser.add_argument("--measured", help="what was measured, for the table: revisions and machine (this checkout's, otherwise)")
    parser.add_argument("--summary", action="store_true", help="only show what the journal holds")
    arguments = parser.parse_args()
    sources = arguments.dir / "src" if (arguments.dir / "src").is_dir() else arguments.dir
    samples = samples_of(arguments.dir.resolve())
    names = sorted(samples or (p.name for p in sources.iterdir() if p.name.endswith("-cuda") and p.is_dir()))
    names = [n for n in names if not arguments.only or any(fnmatch.fnmatch(n.removesuffix("-cuda"), o) for o in arguments.only)][arguments.offset :: arguments.every]
    if arguments.sample is not None:
        names = sorted(random.Random(arguments.seed).sample(names, min(arguments.sample, len(names))))
    if not names:
        print(f"{arguments.dir}: no folder whose name ends in `-cuda`, and no samples; DIR is a checkout of HeCBench or of cuda-samples", file=sys.stderr)
        return 2
    journal = pathlib.Path(arguments.out)
    journal.parent.mkdir(parents=True, exist_ok=True)
    done, start = read(journal), time.monotonic()
    if not arguments.summary:
        def checked(name):
            if time.monotonic() - start > arguments.until:
                return None
            program = lambda: (*samples[name], None) if samples else (sources / name, *program_of(sources / name))
            return check(name, program, arguments)

        left = [n for n in names if n not in done]
        with journal.open("a") as out, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for work in concurrent.futures.as_completed([pool.submit(checked, n) for n in left]):
                record = work.result()
                if record is None:
                    continue
                out.write(json.dumps(record) + "\n")
                out.flush()
                s = record.get("summary")
                print(f"{record['program']}: " + (f"{record['cpu']} s, {s['accesses']} accesses, {s['unknown']} undecided, {s['proved']} proved" if s else record["error"]), file=sys.stderr)
        if any(n not in read(journal) for n in names):
            print("time is up; the same command goes on from here", file=sys.stderr)
    records = {n: r for n, r in read(journal).items() if n in names}
    print(json.dumps(summed(records), indent=1))
    before = {n: r for n, r in read(arguments.against).items() if n in records}
    if arguments.table:
        table(arguments.table, records, before, arguments.measured, "cuda-samples" if samples else "HeCBench")
    if arguments.against:
        print("before, of the same programs:", json.dumps(summed(before)))
        print("\n".join("  " + line for line in changed(before, records)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
