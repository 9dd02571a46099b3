#!/usr/bin/env python3
"""What is decided of libraries without `main`, before and after something is stated of what their callers give.

    tools/libraries.py DIR [--scuba PATH] [--nvcc PATH] [--only NAME] [--every N] [--jobs N] [--flags "…"] [--limit SECONDS] [--until SECONDS]
                       [--journal FILE] [--judged FILE] [--judgements-alone] [--out FILE.md] [--commit HASH]

DIR holds checkouts; of each project that is known here and lies there, every unit is checked where it lies, together with the units that
define what it calls, twice: with nothing but its entry points stated, and with the invariants and contracts below. FILE (target/libraries.jsonl) is
a journal: what stands in it is not checked again. None is begun after --until seconds. ggml includes cuBLAS, whose headers the pinned toolkit has not:
--flags names their folder (-I…).
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contracts import with_section

ROOT = Path(__file__).resolve().parent.parent

JUDGED = "## Judged by reading"

# What is stated of ggml's tensors: sizes and strides are not 0, the first stride is the size of an element (two plain types of each size), and
# the data reach to the last element, also as rows that lie side by side.
# The functions are in ggml-cuda.cu, which no operator's unit is joined with: they change nothing that an operator is given.
GGML = """
[[contract]]
function = "ggml_cuda_set_device"
modifies = []

[[contract]]
function = "ggml_cuda_get_device"
modifies = []

[[contract]]
function = "ggml_cuda_info"
modifies = []

[[contract]]
function = "ggml_backend_cuda_context::new_pool_for_device"
modifies = []

[[contract]]
type = "ggml_tensor"
invariant = [
  "ne[0] >= 1 && ne[1] >= 1 && ne[2] >= 1 && ne[3] >= 1",
  "nb[0] >= 1 && nb[1] >= 1 && nb[2] >= 1 && nb[3] >= 1",
  "type == 0 || type == 26 ==> nb[0] == 4",
  "type == 1 || type == 30 ==> nb[0] == 2",
  "extent(data) >= nb[0] * ne[0] * ne[1] * ne[2] * ne[3]",
  "extent(data) >= nb[0] * ne[0] + nb[1] * (ne[1] - 1) + nb[2] * (ne[2] - 1) + nb[3] * (ne[3] - 1)",
]
"""
# Name, folder in DIR, units, what is joined with each, entry points, what is stated, flags.
PROJECTS = [
    (
        "ggml-org/ggml",
        "ggml/src/ggml-cuda",
        "*.cu",
        ["../ggml.c"],
        ["ggml_cuda_op_*"],
        GGML,
        ["-std=c++17", "-arch=sm_80", "-I.", "-I..", "-I../../include", '-DGGML_VERSION="x"', '-DGGML_COMMIT="x"'],
    ),
]


def call(o, folder, command, sources, flags, settings):
    """What a command of ours says of sources under these settings, and its seconds; None where it takes too long."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write(settings)
        config.flush()
        words = [o.scuba, *command, *sources, "--config", config.name, "-q", "--", *flags]
        environment = dict(os.environ, SCUBA_NVCC=str(o.nvcc), SCUBA_CACHE="off")
        started = time.monotonic()
        try:
            said = subprocess.run(list(map(str, words)), cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=o.limit, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, o.limit
    return said, round(time.monotonic() - started, 1)


def inferred(o, folder, sources, flags, settings):
    """What `scuba contracts` prints as settings; nothing where it does not come to its end."""
    said, _ = call(o, folder, ["contracts", "--format", "toml"], sources, flags, settings)
    return said.stdout if said else ""


def check(o, folder, sources, flags, settings):
    """The report of a check, and its seconds; or why there is none."""
    toolkit = str(Path(o.nvcc).resolve().parent.parent)
    said, seconds = call(o, folder, ["check", "--message-format", "json"], sources, flags, settings)
    if said is None:
        return {"why": "time"}
    try:
        report = json.loads(said.stdout)
    except ValueError:
        lines = said.stderr.strip().splitlines() or ["nothing was said"]
        return {"why": "not read", "said": lines[0][:200], "seconds": seconds}
    s = report["summary"]
    findings = collections.Counter(f"{f['rule']} {f['verdict']}" for f in report["findings"])
    reasons = collections.Counter(u["code"] for u in report["undecided"])
    return {
        **{k: s[k] for k in ("accesses", "safe", "safe_if_no_wrap", "proved", "possible", "unknown", "not_analysed")},
        "findings": dict(findings),
        "shown": [[f"{Path(f['access']['file']).name}:{f['access']['line']}:{f['access']['column']}", f["rule"], f["verdict"], f["message"]] for f in report["findings"]],
        "reasons": dict(reasons),
        "of_toolkit": sum(str(Path(folder, u["file"]).resolve()).startswith(toolkit) for u in report["undecided"]),
        "seconds": seconds,
    }


def run(o):
    journal = Path(o.journal)
    done = {(line["project"], line["unit"]) for line in read(journal)}
    end = time.monotonic() + o.until
    wanted = []
    for name, folder, pattern, joined, entries, stated, flags in PROJECTS:
        folder = Path(o.dir, folder)
        if o.only not in name or not folder.is_dir():
            continue
        listed = ", ".join(f'"{e}"' for e in entries)
        entry = f"[entry]\nfunctions = [{listed}]\n"
        units = [unit for unit in sorted(folder.glob(pattern))[:: o.every] if (name, unit.name) not in done]
        wanted += [(name, folder, unit, joined, [*flags, *o.flags], entry, stated) for unit in units]

    def look(one):
        name, folder, unit, joined, flags, entry, stated = one
        if time.monotonic() > end:
            return None
        sources = [unit.name, *joined]
        line = {"project": name, "unit": unit.name, "before": check(o, folder, sources, flags, entry), "after": check(o, folder, sources, flags, entry + stated)}
        printed = inferred(o, folder, sources, flags, entry + stated) if "accesses" in line["after"] else ""
        line["inferred"] = check(o, folder, sources, flags, entry + stated + printed) if printed.strip() else line["after"]
        return line

    with journal.open("a") as out, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        asked = [pool.submit(look, one) for one in wanted]
        for line in filter(None, (of_unit.result() for of_unit in concurrent.futures.as_completed(asked))):
            out.write(json.dumps(line) + "\n")
            out.flush()
            print(line["unit"], line["before"], line["after"], flush=True)


def read(journal):
    return [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []


def table(o):
    rows = ["| project | units | read | accesses | decided before | decided after | with inferred contracts | of the open ones the toolkit's | findings after | median s | over the limit |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    units = ["| unit | accesses | decided before | decided after | with inferred contracts | of the open ones the toolkit's | findings after | what is open, by code | s |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    lines = read(Path(o.journal))
    for name, *_ in PROJECTS:
        of = sorted((line for line in lines if line["project"] == name), key=lambda line: line["unit"])
        if not of:
            continue
        late = [line for line in of if "time" in (line["before"].get("why"), line["after"].get("why"))]
        both = [line for line in of if "accesses" in line["before"] and "accesses" in line["after"]]
        for line in both:
            # What is over the limit with them decides no more than without.
            if "accesses" not in line["inferred"]:
                line["inferred"] = line["after"]
        decided = lambda r: r["accesses"] - r["unknown"]
        share = lambda side: f"{sum(decided(l[side]) for l in both)} ({100 * sum(decided(l[side]) for l in both) / max(1, sum(l[side]['accesses'] for l in both)):.1f} %)"
        found = collections.Counter()
        for line in both:
            found.update(line["after"]["findings"])
        seconds = sorted(line["after"]["seconds"] for line in both) or [0]
        words = lambda c: ", ".join(f"{n} {k}" for k, n in sorted(c.items())) or "–"
        fully = sum(line["after"]["not_analysed"] == 0 for line in both)
        rows.append(f"| {name} | {len(of)} | {fully} | {sum(l['after']['accesses'] for l in both)} | {share('before')} | {share('after')} | {share('inferred')} | {sum(l['inferred']['of_toolkit'] for l in both)} | {words(found)} | {seconds[len(seconds) // 2]} | {len(late)} |")
        for line in of:
            a, b = line["after"], line["before"]
            if line in both:
                units.append(f"| {line['unit']} | {a['accesses']} | {decided(b)} | {decided(a)} | {decided(line['inferred'])} | {line['inferred']['of_toolkit']} | {words(a['findings'])} | {words(a['reasons'])} | {a['seconds']} |")
            else:
                units.append(f"| {line['unit']} | – | – | – | – | – | – | {a.get('why') or b.get('why')} | – |")
    text = f"""# Libraries without `main`

Generated by `make corpus-libraries DIR=…` (`tools/libraries.py`){f', version {o.commit}' if o.commit else ''}; the units are checked where they lie, one program each. *Before*: entry points
alone are stated; *after*: with the invariants and contracts that the tool states. Decided are accesses that are safe, safe where nothing wraps,
or reported. *With inferred contracts*: what `scuba contracts` prints is stated too. *The toolkit's* are accesses in CUB's own kernels. A limit of {o.limit} s for each check{f'; every {o.every}th unit of a project' if o.every > 1 else ''}. Shares are of units of which both checks came to their end:
what is over the limit is in none of them. Findings are as they are reported.

""" + "\n".join(rows) + "\n\n" + "\n".join(units) + "\n"
    text = with_section(text, judged(o))
    Path(o.out).write_text(text) if o.out else sys.stdout.write(text)


def judged(o):
    """The section that says what reading says of findings."""
    lines = read(Path(o.judged))
    counts = collections.Counter(line["judged"] for line in lines)
    text = [JUDGED, "", "Is there a call of the function that its own checks accept, with the memory error that is reported? (What builds the graph may check more.)", ""]
    text += ["| right | wrong | not clear |", "| ---: | ---: | ---: |", "| " + " | ".join(str(counts[word]) for word in ("right", "wrong", "not clear")) + " |", ""]
    text += ["| project | place | rule | judged | why |", "| --- | --- | --- | --- | --- |"]
    text += [f"| {line['project']} | `{line['place']}` | {line['rule']} | {line['judged']} | {line['why']} |" for line in sorted(lines, key=lambda line: (line["project"], line["place"]))]
    return "\n".join(text) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir")
    p.add_argument("--scuba", default=ROOT / "target/release/scuba")
    p.add_argument("--nvcc", default=os.environ.get("SCUBA_NVCC") or ROOT / ".deps/cuda/nvidia/cu13/bin/nvcc")
    p.add_argument("--only", default="", help="projects whose names have this")
    p.add_argument("--every", type=int, default=1, help="every N-th unit")
    p.add_argument("--jobs", "-j", type=int, default=1, help="checks at the same time")
    p.add_argument("--flags", type=shlex.split, default=[], help="more flags for nvcc")
    p.add_argument("--limit", type=int, default=300, help="seconds for each check")
    p.add_argument("--until", type=float, default=1e9, help="seconds after which none is begun")
    p.add_argument("--journal", default=ROOT / "target/libraries.jsonl")
    p.add_argument("--out", help="the table (standard output)")
    p.add_argument("--judged", default=ROOT / "tools/libraries-judged.jsonl", help="what reading says of findings")
    p.add_argument("--judgements-alone", action="store_true", help="nothing is checked; of --out the section about judgements is made anew")
    p.add_argument("--commit", default="", help="the version that the table names")
    o = p.parse_args()
    if o.judgements_alone:
        Path(o.out).write_text(with_section(Path(o.out).read_text(), judged(o)))
        return
    run(o)
    table(o)


if __name__ == "__main__":
    main()
