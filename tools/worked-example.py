#!/usr/bin/env python3
"""Writes the worked example of docs/how-it-works.md: what each room makes of examples/neighbours.cu.

    tools/worked-example.py [--check] [--scuba PATH] [--nvcc PATH]

Each block between `<!-- worked example: NAME -->` and `<!-- /worked example -->` is replaced by output of `scuba check`. With --check nothing
is written: status 1, with the difference, if the page would change. Only the Python standard library is used.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
PAGE = HERE / "docs/how-it-works.md"
SOURCE = HERE / "examples/neighbours.cu"
KERNEL = "add_neighbours"


class Scuba:
    """Runs `scuba check` on the example, with a cache of its own."""

    def __init__(self, scuba, nvcc, cache):
        self.scuba = scuba
        self.environment = {**os.environ, "SCUBA_NVCC": nvcc, "XDG_CACHE_HOME": cache, "NO_COLOR": "1"}
        for name in ("SCUBA_LOG", "SCUBA_OFF", "SCUBA_MESSAGE_FORMAT", "SCUBA_CONFIG", "SCUBA_STRICT"):
            self.environment.pop(name, None)

    def check(self, *options):
        """Both streams of one run as (standard output, standard error), with paths from the folder of the example."""
        command = [self.scuba, "check", SOURCE.name, "--frontend", "clang", *options]
        run = subprocess.run(command, cwd=SOURCE.parent, env=self.environment, capture_output=True, text=True)
        if run.returncode != 1:
            sys.exit(f"{' '.join(command)}: status {run.returncode} instead of 1 (a denied finding):\n{run.stderr}")
        return tuple(t.replace(f"{SOURCE.parent}/", "").replace("examples/", "") for t in (run.stdout, run.stderr))


def one(found, what):
    """The only element of a list, or an error."""
    if len(found) != 1:
        sys.exit(f"{what}: {len(found)} instead of 1: the form of the dump has changed, so mend tools/worked-example.py")
    return found[0]


def statements(dump):
    """The body of the kernel's loop in a dump of the analysis form."""
    kernel = one(re.findall(rf"^kernel .*{KERNEL}.*\n(?:  .*\n)+", dump, re.M), "kernels in --dump ir")
    return one(re.findall(r"^  b\d+: for\.body\n(?:    .*\n)+", kernel, re.M), "loop bodies in --dump ir")


def closed_form(dump):
    """The last summary of the kernel's loop: the one under the launch."""
    return re.findall(r"^loop in .*\n(?:  .*\n)+", dump, re.M)[-1]


def looks(explained, column):
    """What each look gave at one column of the line that is explained, and what the place counts as."""
    place = rf"{re.escape(SOURCE.name)}:\d+:{column}: "
    return (
        re.findall(rf"^{place}.*\n(?:  .*\n)+", explained, re.M),
        one(re.findall(rf"^{place}.* counts as .*$", explained, re.M), f"verdicts in --explain at column {column}"),
    )


def blocks(scuba):
    """Names of blocks of the page, each with its language and text."""
    source = SOURCE.read_text()
    lines = source.splitlines()
    number = one([i for i, l in enumerate(lines) if "a[i + 1]" in l and not l.startswith("//")], "lines that read a[i + 1]")
    right, wrong = (lines[number].index(text) + 1 for text in ("a[i] ", "a[i + 1]"))
    explained = "".join(scuba.check("--explain", f"{SOURCE.name}:{number + 1}"))
    safe, safe_verdict = looks(explained, right)
    bad, bad_verdict = looks(explained, wrong)
    report = scuba.check()[1]
    # The time of a run is not the same the next time.
    report = re.sub(r" \(\d+(\.\d+)? s\)", "", report)
    return {
        "source": ("cuda", source),
        "ir": ("", statements(scuba.check("--dump", "ir")[0])),
        "launch": ("", scuba.check("--dump", "state")[0]),
        "loop": ("", closed_form(scuba.check("--dump", "loops")[0])),
        "safe": ("", safe[-1] + safe_verdict),
        "proved": ("", bad[-1] + bad_verdict),
        "report": ("", report),
    }


def filled(text, made):
    """The page with each block replaced; every block must have its place once."""
    for name, (language, block) in made.items():
        begin, end = f"<!-- worked example: {name} -->\n", "<!-- /worked example -->"
        before, rest = one([text.split(begin)] if text.count(begin) == 1 else [], f"places of `{name}` in {PAGE.name}")
        after = rest.split(end, 1)[1]
        text = f"{before}{begin}```{language}\n{block.rstrip()}\n```\n{end}{after}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if the page would change")
    parser.add_argument("--scuba", default=str(HERE / "target/release/scuba"), help="default: %(default)s")
    nvcc = os.environ.get("SCUBA_NVCC", str(HERE / ".deps/cuda/nvidia/cu13/bin/nvcc"))
    parser.add_argument("--nvcc", default=nvcc, help="default: %(default)s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        made = blocks(Scuba(os.path.abspath(options.scuba), os.path.abspath(options.nvcc), cache))
    old = PAGE.read_text()
    new = filled(old, made)
    if options.check:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), PAGE.name, "as it should be"))
        if old != new:
            sys.exit(f"docs/{PAGE.name} is not what scuba prints: run `make worked-example`")
    elif old != new:
        PAGE.write_text(new)


if __name__ == "__main__":
    main()
