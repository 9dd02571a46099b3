#!/usr/bin/env python3
"""Puts what was measured into README.md, from the pages of docs/evaluation, and a finding as it is printed.

    tools/readme.py [--check] [--scuba PATH --nvcc PATH]

Between `<!-- results` and `<!-- /results -->` stands a table of the pages' own figures. With --scuba, examples/heat is checked and the last finding that it
has stands between `<!-- finding` and `<!-- /finding -->`, as it is printed. With --check nothing is written: status 1 where README.md would change.
Only the Python standard library is used.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
PAGES = HERE / "docs/evaluation"


def page(name):
    return (PAGES / name).read_text()


def rows(text, head):
    """The rows below the table head that begins so, as lists of cells."""
    lines = text.splitlines()
    start = next(i for i, l in enumerate(lines) if l.startswith(head))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append([c.strip() for c in line.strip("| ").split("|")])
    return found


def results():
    corpus = page("corpus.md")
    all_rows = rows(corpus, "| row |")
    expected = re.search(r"All (\d+) rows are as expected", corpus)
    assert expected and int(expected[1]) == len(all_rows), "docs/evaluation/corpus.md does not say that all its rows are as expected"
    sweep = {r[0]: r[1] for r in rows(page("sweep.md"), "| | now |")}
    accesses, safe, proved, possible = (int(sweep[k]) for k in ("accesses", "safe", "proved", "possible"))
    no_wrap, unknown = int(sweep["safe if no wrap"]), int(sweep["unknown"])
    assert safe + no_wrap + proved + possible + unknown == accesses, "docs/evaluation/sweep.md does not add up"
    campaign = [r for r in rows(page("gpu-campaign.md"), "| rule | findings |") if re.fullmatch(r"[a-z-]+", r[0]) and r[0] != "all"]
    findings, confirmed, not_run = (sum(int(r[i]) for r in campaign) for i in (1, 2, 10))
    costs = rows(page("build-cost.md"), "| project | units | build |")
    full = [r for r in costs if r[2] == "full"]
    changed = [float(r[5]) for r in costs if r[2] == "one changed"]
    read = {r[0]: r for r in rows(page("front-end.md"), "| programs | units |")}["together"]
    table = [
        ("the publication's table", f"all {len(all_rows)} rows as a reading by hand expects", "corpus.md"),
        (
            f"HeCBench programs at random ({sweep['with result']} of {sweep['programs']} with a result), {accesses} accesses",
            f"{safe} safe, {no_wrap} safe unless an index wraps, {proved} proved wrong, {possible} possible, {unknown} undecided ({100 * unknown / accesses:.0f} %); "
            f"median {sweep['cpu seconds median']} s of the processor a program, 16 at a time",
            "sweep.md",
        ),
        ("proved findings of our own programs, run on an H100", f"{confirmed} of {findings - not_run} confirmed", "gpu-campaign.md"),
        ("public units that nvcc compiles, read on both sides", f"{read[3]} of {read[2]} ({read[4]})", "front-end.md"),
        (
            "a full build through the shim, with an empty cache",
            ", ".join(f"{r[6] if len(r) > 7 else r[5]} times nvcc's ({r[1]} {'unit' if r[1] == '1' else 'units'})" for r in full),
            "build-cost.md",
        ),
        ("the same where one file changed", f"{min(changed):g} to {max(changed):g} times", "build-cost.md"),
    ]
    lines = ["| what | result | measured in |", "| --- | --- | --- |"]
    lines += [f"| {what} | {result} | [{name}](docs/evaluation/{name}) |" for what, result, name in table]
    return "\n".join(lines)


def finding(scuba, nvcc):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "heat"
        shutil.copytree(HERE / "examples/heat", copy)
        (copy / "scuba.toml").write_text('[confirm]\nwhen = "never"\n')
        sources = sorted(str(p.relative_to(copy)) for p in copy.rglob("*.cu"))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_")}
        environment.update(SCUBA_NVCC=str(nvcc), SCUBA_CACHE="off", LC_ALL="C.UTF-8")
        run = subprocess.run([scuba, "check", *sources, "--", "-Iinclude", "-arch=sm_80", "-std=c++17"], cwd=copy, env=environment, capture_output=True, text=True)
        assert run.returncode == 1, run.stderr
        found = [f for f in re.split(r"\n\n", run.stderr) if f.startswith("error[")]
        return f"```\n{found[-1].rstrip()}\n```"


def replaced(text, what, new):
    begin, end = f"<!-- {what}: tools/readme.py -->\n", f"\n<!-- /{what} -->"
    start = text.index(begin) + len(begin)
    stop = text.index(f"<!-- /{what} -->", start)
    return text[:start] + new + end + text[stop + len(f"<!-- /{what} -->") :]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--scuba", type=pathlib.Path)
    parser.add_argument("--nvcc", type=pathlib.Path, default=HERE / ".deps/cuda/nvidia/cu13/bin/nvcc")
    options = parser.parse_args()
    path = HERE / "README.md"
    old = path.read_text()
    text = replaced(old, "results", results())
    if options.scuba:
        text = replaced(text, "finding", finding(options.scuba.absolute(), options.nvcc.absolute()))
    if options.check:
        if text != old:
            sys.exit("README.md is not what docs/evaluation says: run tools/readme.py")
    elif text != old:
        path.write_text(text)


main()
