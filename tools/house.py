#!/usr/bin/env python3
"""Figures of the house: lines, crates, methods, names and docstrings of revisions beside each other.

    tools/house.py [REV ...]            the table, one column for each revision and one for the working tree
    tools/house.py --compile REV [...]  also how long a release build takes after one file of the reports was touched
    tools/house.py --write              writes docs/evaluation/house.md (revisions: BEFORE, and the working tree)

A revision's sources are unpacked into a temporary folder. Compile times are CPU seconds of all processes, which other work on the machine
changes little; each revision is built whole first, in FOLDER (--folder), so that this takes minutes for each. Only the Python standard library
is used.
"""

import argparse
import collections
import datetime
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

import floors

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/evaluation/house.md"
# The last revision before the rooms became crates and the executor got floors.
BEFORE = "c97d6aa7"
REPORTS = ["src/report/human.rs"]
# As in tests/architecture/language.rs, but for words that enums and modules may begin with.
LINT = (ROOT / "tests/architecture/language.rs").read_text()
NEVER = set(re.findall(r'"(\w+)"', LINT.split("const NEVER", 1)[1].split("];", 1)[0]))


def docstrings(text):
    """Returns the first words of the docstrings of a Rust source."""
    blocks = re.findall(r"(?:^[ \t]*//[/!][^\n]*\n)+", text, re.M)
    lines = (re.sub(r"^[ \t]*//[/!]\s*", "", block.split("\n", 1)[0]) for block in blocks)
    return [m.group(0) for line in lines if (m := re.match(r"[A-Za-z]+", line))]


def figures(root):
    """Returns the figures of the sources under `root`, in the order of the table."""
    source = root / "src"
    lines, words, lengths, methods, names, files = 0, [], [], collections.Counter(), collections.defaultdict(set), 0
    for path in sorted(source.rglob("*.rs")):
        text = path.read_text()
        files += 1
        lines += text.count("\n")
        words += docstrings(text)
        tokens, crate = floors.tokens(text), path.relative_to(source).parts[0]
        for owner, is_trait, opened, closed in floors.impl_blocks(tokens):
            if not is_trait:
                methods[f"{crate}::{owner}"] += sum(1 for _ in floors.functions(tokens, opened, closed))
        own = re.split(r"^#\[cfg\(test\)\]\nmod ", text, maxsplit=1, flags=re.M)[0]
        if "tests" not in path.parts and "tests" not in path.stem:
            for name in re.findall(r"^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type|union) (\w+)", own, re.M):
                names[name].add(path)
            lengths += function_lengths(own)
    bodies = sum(p.read_text().count("\n") for p in (root / "templates/models").glob("*")) if (root / "templates/models").exists() else 0
    wrong = sum(w in NEVER for w in words)
    largest = methods.most_common(1)[0]
    executor = sum(n for name, n in methods.items() if name.endswith("::Executor"))
    return {
        "lines of Rust in `src`": f"{lines:,}",
        "lines of models in C++ (`templates/models`)": f"{bodies:,}",
        "files": files,
        "crates": len(list(source.glob("*/Cargo.toml"))) or 1,
        "lines of a function: median, most": f"{statistics.median_low(lengths)}, {max(lengths)}",
        "functions over 100 lines": sum(n > 100 for n in lengths),
        "methods of the largest type": f"{largest[1]} (`{largest[0].split('::')[1]}`)",
        "methods of `Executor`": executor,
        "types": len(names),
        "names of types in several files": sum(len(p) > 1 for p in names.values()),
        "docstrings and comments of modules": f"{len(words):,}",
        "begun with a word that needs another sentence": f"{wrong:,}",
    }


def function_lengths(text):
    """Returns the lengths in lines of the functions of a Rust source, by the indentation of `rustfmt`."""
    found, opened = [], []
    for number, line in enumerate(text.splitlines()):
        indent = len(line) - len(line.lstrip())
        if re.match(r"\s*(?:pub(?:\([^)]*\))? )?(?:const |unsafe |extern \"C\" )*fn \w+", line):
            opened.append((indent, number))
        if opened and line.strip() == "}" and indent == opened[-1][0]:
            found.append(number - opened.pop()[1] + 1)
        elif opened and line.endswith("}") and opened[-1] == (indent, number):
            found.append(opened.pop() and 1)
        elif opened and line.endswith(";") and opened[-1][0] == indent:
            opened.pop()
    return found


def seconds(folder):
    """Returns the CPU seconds of `cargo build --release --bins` in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cargo", "build", "--release", "--locked", "--bins", "--quiet"], cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compile_time(folder):
    """Returns CPU seconds of a release build after a touched file of the reports: the median of three."""
    seconds(folder)
    times = []
    for _ in range(3):
        for name in REPORTS:
            (folder / name).touch()
        times.append(seconds(folder))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revisions", nargs="*", metavar="REV")
    parser.add_argument("--compile", action="store_true", help="also the time of a release build after a touched file")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "scuba-house", help="for worktrees with --compile [/tmp/scuba-house]")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    revisions = options.revisions or [BEFORE]
    columns, times = {}, {}
    for revision in revisions:
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(["git", "-C", ROOT, "archive", revision, "src", "templates"], check=True, stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
            columns[revision] = figures(pathlib.Path(folder))
        if options.compile:
            tree = options.folder / revision
            if not tree.exists():
                subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", tree, revision], check=True)
                (tree / ".deps").symlink_to(ROOT / ".deps")
            times[revision] = compile_time(tree)
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    columns[head] = figures(ROOT)
    if options.compile:
        times[head] = compile_time(ROOT)
        for revision, time in times.items():
            columns[revision]["CPU seconds of a release build after a touched file of the reports"] = f"{time:.0f}"
    rows = list(columns[head])
    table = ["| | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    table += [f"| {row} | " + " | ".join(str(column.get(row, "–")) for column in columns.values()) + " |" for row in rows]
    text = "\n".join(table)
    if options.write:
        today = datetime.date.today().isoformat()
        PAGE.write_text(
            f"# The house\n\nGenerated by `tools/house.py --write` on {today}; not written by hand. {revisions[0]} is the last revision before the rooms became\n"
            "crates and the executor got floors.\n\n" + text + "\n"
        )
        return 0
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
