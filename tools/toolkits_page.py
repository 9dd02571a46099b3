"""The page that tools/toolkits.py writes of its journal, and the reasons of what differs."""

import re

# Why a result differs from the pinned toolkit's, judged by reading: what was measured, toolkit, host compiler, item (each a regular expression).
REASONS = (
    ("check", "1[12].*", ".*", ".*copies_of_a_group.cu", "Expected: what a group and `cuda::memcpy_async` read and write of their own, in older cooperative groups and CCCL, is less; the copies are found in each."),
    ("check", "1[12].*", ".*", ".*declared_block_size.cu", "Expected: `__block_size__` came with CUDA 13; the headers do not define it, and nvcc would refuse the program as well."),
    ("check", "11[.]8", ".*", ".*functions_of_the_driver.cu", "Expected: the program is one of CUDA 12, where `cuGetProcAddress` has five parameters; 11.8's nvcc would refuse it as well."),
    ("check", "11[.]8", ".*", ".*graph_of_kernels.cu", "Expected: the program is one of CUDA 12, where `cudaGraphInstantiate` has three parameters; 11.8's nvcc would refuse it as well."),
    ("alone", "13[.][0-4]", ".*", "", "The toolkit's: the package of nvcc requires the others in no version, so pip takes the newest cicc, whose PTX the older ptxas refuses. nvcc alone fails as well."),
)

# The toolkit of `tools/setup.sh`, which the others are compared with.
PINNED = "13.5"


def label(setting) -> str:
    words = {PINNED: " (pinned)"}.get(setting.toolkit, "" if setting.real else " (headers)")
    return setting.toolkit + words


def share(results: list, good) -> str:
    """`6 of 6`, or a dash where nothing was measured."""
    known = [r for r in results if r is not None]
    waiting = f", {len(results) - len(known)} not run" if len(known) < len(results) else ""
    return f"{sum(map(good, known))} of {len(known)}{waiting}" if known else "–"


def report_difference(ours: dict, pinned: dict) -> str:
    if not ours["read"]:
        return f"not read: {'; '.join(dict.fromkeys(ours['why']))[:200]}"
    counts = [f"{k.replace('_', ' ')} {ours['counts'][k]}, not {pinned['counts'].get(k)}" for k in ours["counts"] if ours["counts"][k] != pinned["counts"].get(k)]
    lost = [f"without `{f}`" for f in pinned["findings"] if f not in ours["findings"]]
    new = [f"with `{f}`" for f in ours["findings"] if f not in pinned["findings"]]
    return "; ".join(counts + lost + new)


def same_report(ours: dict, pinned: dict) -> bool:
    return ours["counts"] == pinned["counts"] and ours["findings"] == pinned["findings"]


class Page:
    def __init__(self, journal, todo, settings):
        self.journal, self.todo, self.settings = journal, todo, settings
        self.differences: list[tuple[str, object, str, str]] = []

    def results(self, what: str, setting) -> list[tuple[str, dict | None]]:
        return [(t.item, self.journal.result(what, t.item, setting)) for t in self.todo if t.what == what and t.setting == setting]

    def differs(self, what: str, setting, item: str, how: str) -> None:
        self.differences.append((what, setting, item, how))

    def row(self, setting) -> str:
        pinned = dict(self.results("check", self.settings[[s.toolkit for s in self.settings].index(PINNED)]))
        checks = [(item, r) for item, r in self.results("check", setting)]
        both = [(item, r, pinned[item]) for item, r in checks if r is not None and pinned[item] is not None]
        for item, ours, reference in both:
            if not same_report(ours, reference):
                self.differs("check", setting, item, report_difference(ours, reference))
        same = share([same_report(r, p) for _, r, p in both] + [None] * (len(checks) - len(both)), bool)
        made = self.results("program", setting) + self.results("line", setting)
        macros = self.results("macros", setting)
        for what, results, key in (("outputs", made, "outputs"), ("outputs", made, "streams"), ("macros", macros, "same")):
            for item, result in results:
                if result and not result[key] and (key != "streams" or result["outputs"]):
                    self.differs(what, setting, item, "; ".join(result["why"]))
        single = {what: (self.results(what, setting) or [("", None)])[0][1] for what in ("flags", "doctor", "names")}
        if single["flags"] and not single["flags"]["found"]:
            self.differs("flags", setting, "", "; ".join(single["flags"]["why"]))
        if single["doctor"] and not single["doctor"]["ok"]:
            self.differs("doctor", setting, "", "; ".join(single["doctor"]["why"]))
        lacks = [name for header in (single["names"] or {}).values() for name in header["lacks"]]
        if lacks:
            self.differs("names", setting, "", ", ".join(f"`{n}`" for n in lacks))
        yes = lambda result, key, good, bad: "–" if result is None else good if result[key] else f"**{bad}**"
        cells = [
            label(setting), self.journal.lab.version(setting.host), self.journal.lab.version(setting.clang).replace("clang++", "clang"), share([r for _, r in checks], lambda r: r["read"]), same,
            share([r for _, r in made if r is None or r["made"] or r["status"] == 0], lambda r: r["outputs"]), share([r for _, r in made], lambda r: r["streams"]),
            share([r for _, r in macros], lambda r: r["same"]), yes(single["flags"], "found", "found", "not found"), yes(single["doctor"], "ok", "all ok", "not ok"),
            "–" if not single["names"] else f"{len(lacks)} of {sum(h['declared'] for h in single['names'].values())}",
        ]
        return f"| {' | '.join(cells)} |"

    def cmake(self) -> list[str]:
        rows = []
        for task in (t for t in self.todo if t.what == "cmake"):
            result = self.journal.result("cmake", task.item, task.setting)
            version, way = task.item.split()
            cells = [result["outputs"], result["read"], result["found"]] if result else ["not run", "–", "–"]
            rows.append(f"| {version} | {way} | {task.setting.toolkit} | {' | '.join(cells)} |")
            if result and not (result["outputs"].startswith("same") and result["found"] == "build and `scuba check`"):
                self.differs("cmake", task.setting, task.item, "; ".join(cells))
        return rows

    def alone(self) -> list[str]:
        rows = []
        for task in (t for t in self.todo if t.what == "alone"):
            result = self.journal.result("alone", task.item, task.setting)
            packages = "the four" if task.item else "nvcc's"
            if not result:
                rows.append(f"| {task.setting.toolkit} | {packages} | not run | – | – | – | – |")
                continue
            words = [["no", "yes"][result[k]] for k in ("nvcc", "fails", "builds")]
            rows.append(f"| {task.setting.toolkit} | {packages} | {', '.join(i.removeprefix('nvidia-') for i in result['installed'])} | {'all ok' if result['doctor'] else '**not ok**'} | {' | '.join(words)} |")
            if not (result["doctor"] and result["nvcc"] and result["fails"] and result["builds"]):
                said = [re.sub(r".*line \d+; fatal *: *|; current version.*", "", line) for line in result["said"]]
                self.differs("alone", task.setting, task.item, "; ".join(result["why"] + said))
        return rows

    def torch(self) -> list[str]:
        rows = []
        for task in (t for t in self.todo if t.what == "torch"):
            result = self.journal.result("torch", task.item, task.setting)
            if not result:
                rows.append(f"| {task.item} | {task.setting.toolkit} | not run | – |")
                continue
            counts = result["counts"]
            rows.append(f"| {task.item} | {task.setting.toolkit} | {'yes' if result['read'] else '**no**'} | {counts['safe']} of {counts['accesses']} |")
            if not result["read"] or not counts["accesses"]:
                self.differs("torch", task.setting, task.item, "; ".join(result["why"])[:300])
        return rows

    def reasons(self) -> tuple[list[str], list[str]]:
        """What differs, with its reason, as lines; and what has none."""
        lines, unexplained = {}, []
        for what, setting, item, how in self.differences:
            fields = (what, setting.toolkit, setting.host, item)
            reason = next((r[4] for r in REASONS if all(re.fullmatch(p, f) for p, f in zip(r, fields))), None)
            if reason is None:
                unexplained.append(f"{what}, {setting.toolkit}, {setting.host}, {item}: {how}")
            # Those that differ in toolkit, host compiler and item alone stand together.
            place = setting.toolkit + ("" if setting.host == "g++" else f" with {setting.host}")
            lines.setdefault((what, how, reason), []).append((place, item))
        shown = []
        for (what, how, reason), places in lines.items():
            toolkits, items = (list(dict.fromkeys(p[n] for p in places)) for n in (0, 1))
            of = f" ({len(items)} commands)" if len(items) > 2 else "".join(f" `{i}`" for i in items if i)
            shown.append(f"- {', '.join(toolkits)}, {WORDS[what]}{of}: {how.rstrip('.')}. {reason or '**No reason is known.**'}")
        return shown, unexplained


WORDS = {
    "check": "report of", "outputs": "command", "macros": "macros of `nvcc`", "flags": "the toolkit's flags", "doctor": "`scuba doctor`", "names": "functions",
    "cmake": "CMake", "alone": "nvcc's package alone", "torch": "torch",
}


def write_page(file, journal, todo, settings, absent, every, used: dict) -> list[str]:
    """Writes the page; what differs without a reason. `used`: the flags, lines and wheels of the run."""
    page = Page(journal, todo, settings)
    rows = [page.row(s) for s in settings]
    cmake, alone, torch = page.cmake(), page.alone(), page.torch()
    shown, unexplained = page.reasons()
    keys = {journal.key(t.what, t.item, t.setting) for t in todo}
    dates = sorted({e["date"] for k, e in journal.entries.items() if k in keys})
    measured = sum(k in journal.entries for k in keys)
    missing = [f"- {', '.join(p.replace('clang++-', 'clang ').replace('g++-', 'g++ ') for p in absent)}: not installed where this was measured."] if absent else []
    if not torch:
        missing.append("- Headers of torch: none was named (`--torch FOLDER`).")
    file.write_text(PAGE.format(
        commit=journal.commit, dates=" and ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "no day", measured=measured, total=len(keys), every=every, pinned=PINNED,
        rows="\n".join(rows), shown="\n".join(shown) or "None.", cmake="\n".join(cmake), alone="\n".join(alone),
        torch=TORCH.format(rows="\n".join(torch)) if torch else "", missing="\n".join(missing),
        flags="\n".join(f"  - {k.rstrip('.')}.x: `{v}`" for k, v in used["flags"].items()), lines="; ".join(f"`{l}`" for l in used["lines"]),
        wheels="\n".join(f"| {k} | {v.replace(' ', ', ')} |" for k, v in used["wheels"].items())))
    return unexplained


TORCH = """
## Headers of torch

A small extension (one kernel, a tensor that is checked) read with the headers of torch's wheels. Its one access is safe under the assumptions of [pytorch.md](../pytorch.md).

| torch | nvcc | read | safe accesses |
| --- | --- | --- | --- |
{rows}
"""

PAGE = """\
# Toolkits

Generated by `make toolkits` (`tools/toolkits.py`); not written by hand. Measured with SCuBA of commit {commit} on {dates}: {measured} of {total} measurements.

The wheels of 13.0 and later hold nvcc, and it compiles what is said to be built here. The wheels of 11.8 to 12.9 hold headers and ptxas, and no nvcc: with
*(headers)* a script stands for nvcc, which says its version and compiles nothing. The tests run with 13.5, and most other pages were measured with 13.0, g++ 12 and clang 22.

- *Read*: of how many programs the unit is read whole. Every {every}th program of `tests/ui` is taken, and `undecided/graph_of_kernels.cu`.
- *Same*: of how many programs the report has the same counts (accesses, verdicts, kernels) and the same findings, at the same places, as with {pinned}, g++ 12 and clang 22.
- *Outputs*: of how many commands `scuba-nvcc` leaves the files that nvcc itself leaves, byte by byte, but for the process number in `tmpxft_…`. Commands that write
  nothing and fail are counted under *streams* alone. The commands are `-arch=sm_80 -c` for two of the programs, and those named below.
- *Streams*: of how many commands the exit status and both streams are nvcc's own. Lines that begin with `scuba: ` and times that ptxas prints are left out.
- *Macros*: of how many commands clang is given, on both sides, the macros that nvcc's preprocessing has. Those that may differ are listed in `tests/frontend/macros.rs`.
- *Flags*: whether `scuba-nvcc` finds the bug of a unit that is compiled by flags in the toolkit's own words, named below.
- *Doctor*: whether `scuba doctor` is content with this toolkit in `SCUBA_NVCC`.
- *Unknown functions*: functions that `cuda_runtime_api.h` and `cuda.h` declare and `src/models/cuda_names.rs` does not name, of all that they declare.

| nvcc | host compiler | clang | read | same | outputs | streams | macros | bug behind its flags | doctor | unknown functions |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

What differs, and why:

{shown}

## CMake

The project of `tools/build-matrix.py` (a library and a program) in two ways: `CMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc` with Makefiles (launcher), and
`find_package(scuba)` with Ninja (package). *Outputs*, *read* and *bug found by* are those of [build-systems.md](build-systems.md).

| CMake | way | nvcc | outputs | read | bug found by |
| --- | --- | --- | --- | --- | --- |
{cmake}

## nvcc's packages alone

`pip install` in an empty virtual environment, of `nvidia-cuda-nvcc==VERSION` with what pip takes beside it (*nvcc's*), or of the same release of it and of the three packages
that it requires (*the four*). What is installed then; what `scuba doctor` says; whether nvcc itself compiles there; whether `scuba-nvcc` finds the bug of a unit,
fails and leaves no object; whether it compiles the corrected unit.

| nvcc | packages named | installed | doctor | nvcc compiles | bug fails | corrected builds |
| --- | --- | --- | --- | --- | --- | --- |
{alone}
{torch}
## Not measured

- nvcc 11.8 to 12.9: their wheels hold none. Outputs, streams and macros need one.
{missing}

## What was used

Flags in each toolkit's own words (from 13.3 on with `-std=c++23`):

{flags}

Commands beside the two programs: {lines}.

| toolkit | wheels |
| --- | --- |
{wheels}
"""
