#!/usr/bin/env python3
"""How time and memory of `scuba check` grow with the program: `make scale`.

Checks generated programs of growing size, each family growing in one respect (scale_programs.py), without bugs and with one
in a hundred places. What is right of each is known, and an answer that is not exactly that ends with status 1: the curve of a
wrong answer would say nothing. A family ends where one check takes longer than --limit or is not right.

Every check is one line of the journal; what stands there, of the same scuba and as many jobs, is not measured again, so that an
interrupted run goes on where it ended. scale.md and scale.svg in --out show all that the journal holds. Exponents are slopes of
log value over log size after what the smallest program of the family takes is subtracted: 1 is linear, 2 quadratic. Seconds
in them are those of the processors (user and system, all processes): other load on the machine disturbs these least. Memory is
that of the largest process, of which nothing is subtracted.
"""

import argparse
import hashlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape

import scale_programs
from scale_programs import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
WAYS = {False: "correct", True: "with bugs"}
# What is looked at: key of a point, words, how far above the start-up's a value must be (the rest is noise).
MEASURES = (("cpu_s", "time", 1.3), ("peak_mib", "memory", 1.1), ("work", "work", 1.1))
# A slope above this is not near-linear.
NEAR_LINEAR = 1.2
PHASE = re.compile(r"^(\S.*?)\s{2,}(\d+\.\d+)\s+\d+\s+\d+\s*$")


# --- One check ---------------------------------------------------------------------------------------------------------------


def run(command: list, folder: Path, environment: dict, limit: float) -> dict:
    """Runs one check to its end, or to the limit, and counts all processes that it waited for."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        late = False
        try:
            while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if time.monotonic() - start > limit:
                    late = True
                    os.killpg(process.pid, signal.SIGKILL)
                time.sleep(0.01)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        return {
            "wall_s": round(wall, 3),
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_mib": round(usage.ru_maxrss / 1024, 1),
            "status": process.returncode,
            "late": late,
            "stdout": out.read(),
            "stderr": err.read().decode(errors="replace"),
        }


def judge(program, done: dict) -> dict:
    """What the report says, and whether that is what is right of the program."""
    if done["late"]:
        return {"answer": "late"}
    try:
        report = json.loads(done["stdout"])
        summary = report["summary"]
    except (ValueError, KeyError):
        said = (done["stderr"].strip().splitlines() or ["nothing"])[-1]
        return {"answer": "wrong", "why": f"no report (status {done['status']}): {said[:200]}"}
    safe = summary["safe"] + summary["safe_if_no_wrap"]
    told = {"accesses": summary["accesses"], "safe": safe, "findings": len(report["findings"]), "undecided": summary["unknown"], "work": summary.get("work")}
    right = {"accesses": program.accesses, "safe": program.accesses - program.findings, "findings": program.findings, "undecided": 0}
    wrong = [f"{key} {told[key]} instead of {value}" for key, value in right.items() if told[key] != value]
    wrong += [f"{finding['rule']} is {finding['verdict']}" for finding in report["findings"] if not finding["rule"].startswith("oob-") or finding["verdict"] != "proved"][:1]
    wrong += [f"{unit['file']} not analysed: {unit['reason']}"[:200] for unit in report["not_analysed"][:1]]
    if done["status"] != (1 if program.findings else 0):
        wrong.append(f"status {done['status']}")
    if not wrong:
        return {**told, "answer": "right"}
    # Giving up is honest, anything else is not.
    honest = told["accesses"] == program.accesses and told["undecided"] and told["findings"] <= program.findings and safe <= right["safe"]
    reason = report["undecided"][0]["reason"][:160] if report["undecided"] else ""
    return {**told, "answer": "undecided" if honest else "wrong", "why": "; ".join(wrong) + (f" ({reason})" if reason else "")}


def phases(text: str) -> dict:
    """Seconds of each phase by --timings, summed over the threads and programs of the check."""
    found = {}
    for line in text.splitlines():
        if match := PHASE.match(line):
            found[match[1]] = round(found.get(match[1], 0) + float(match[2]), 3)
    return found


def measure(family, size: int, bugs: bool, options) -> dict:
    program = family.make(size, bugs)
    with tempfile.TemporaryDirectory(prefix="scuba-scale-") as folder:
        scale_programs.write(Path(folder), program)
        command = [options.scuba, "check", "--message-format", "json", "--timings", "-j", str(options.jobs), *program.arguments]
        done = run(command, Path(folder), options.environment, options.limit)
    point = {"family": family.name, "size": size, "bugs": bugs, **{key: done[key] for key in ("wall_s", "cpu_s", "peak_mib", "status")}}
    return {**point, **judge(program, done), "phases": phases(done["stderr"]), "limit_s": options.limit, "jobs": options.jobs, "scuba": options.build}


# --- The journal -------------------------------------------------------------------------------------------------------------


def key(point: dict) -> tuple:
    return point["family"], point["bugs"], point["size"]


def read_journal(path: Path, options) -> dict:
    """The points of this scuba; the last of each counts."""
    points, others = {}, 0
    if path.exists():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            try:
                point = json.loads(line)
                known = point["scuba"] == options.build and point["jobs"] == options.jobs and point["family"] in FAMILIES
                points |= {key(point): point} if known else {}
            except (ValueError, KeyError, TypeError):
                # The end of a line that was being written when the run was killed.
                print(f"scale: line {number} of {path.name} is no measurement and is left out", file=sys.stderr)
                continue
            others += not known
    if others:
        print(f"scale: {others} measurements in {path.name} are of another scuba or another number of jobs, and are left out", file=sys.stderr)
    return points


def finished(point: dict | None, limit: float) -> bool:
    return point is not None and not (point["answer"] == "late" and point["limit_s"] < limit)


def told(point: dict) -> str:
    if point["answer"] == "late":
        return f"takes more than {point['limit_s']:g} s"
    numbers = f"{point['wall_s']:.2f} s, {point['cpu_s']:.2f} s of processors, {point['peak_mib']:.0f} MiB"
    return f"{numbers}, {point['answer']}{': ' + point['why'] if 'why' in point else ''}"


def measure_all(points: dict, options) -> None:
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    with open(options.journal, "a+") as journal:
        if journal.tell() and not options.journal.read_text().endswith("\n"):
            journal.write("\n")
        for family in options.families:
            for bugs in options.ways:
                for size in options.sizes(family):
                    point = points.get((family.name, bugs, size))
                    if not finished(point, options.limit):
                        point = measure(family, size, bugs, options)
                        points[key(point)] = point
                        journal.write(json.dumps(point) + "\n")
                        journal.flush()
                        print(f"{family.name} {size} {WAYS[bugs]}: {told(point)}", file=sys.stderr, flush=True)
                    if point["answer"] != "right":
                        break


# --- Growth ------------------------------------------------------------------------------------------------------------------


def slope(pairs: list) -> float | None:
    """Least squares of log value over log size."""
    logs = [(math.log(x), math.log(y)) for x, y in pairs]
    if len(logs) < 2:
        return None
    mean_x, mean_y = (sum(column) / len(logs) for column in zip(*logs))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread


def growth(curve: list, measure: str, noise: float) -> tuple:
    """Exponents over the upper half of the sizes and between the last two, without the start-up; None where noise hides them."""
    start, *rest = curve
    # The largest process is the front end's for small programs and the check's for large ones: nothing that could be subtracted.
    fixed = 0 if measure == "peak_mib" else start[measure]
    net = [(p["size"], p[measure] - fixed) for p in rest if p[measure] > noise * start[measure]]
    upper = net[-max(2, math.ceil(len(rest) / 2)) :]
    return slope(upper), slope(net[-2:])


def curves(points: dict) -> dict:
    """The right answers of each family and way, by size."""
    found = {}
    for name in FAMILIES:
        for bugs in WAYS:
            curve = sorted((p for p in points.values() if (p["family"], p["bugs"]) == (name, bugs) and p["answer"] == "right"), key=lambda p: p["size"])
            if curve:
                found[name, bugs] = curve
    return found


# --- The table ---------------------------------------------------------------------------------------------------------------


def exponent(value: float | None) -> str:
    if value is None:
        return "–"
    return f"**{value:.2f}**" if value > NEAR_LINEAR else f"{value:.2f}"


def ended(points: dict, name: str, bugs: bool, last: int) -> str:
    after = sorted((p for p in points.values() if (p["family"], p["bugs"]) == (name, bugs) and p["size"] > last), key=lambda p: p["size"])
    if not after:
        return ""
    return f"{after[0]['size']}: " + (f"over {after[0]['limit_s']:g} s" if after[0]["answer"] == "late" else after[0]["answer"])


def table(points: dict) -> str:
    head = ["what grows", "", "to", "accesses", "findings", "wall, s", "CPU, s", "MiB", "work, 10⁶", "time", "last two", "memory", "work", "then"]
    lines = ["| " + " | ".join(head) + " |", "| --- | --- |" + " ---: |" * 11 + " --- |"]
    for (name, bugs), curve in curves(points).items():
        last = curve[-1]
        cells = [FAMILIES[name].what, WAYS[bugs], str(last["size"]), str(last["accesses"]), str(last["findings"])]
        cells += [f"{last['wall_s']:.1f}", f"{last['cpu_s']:.1f}", f"{last['peak_mib']:.0f}", f"{last['work'] / 1e6:.0f}"]
        seconds, recent = growth(curve, *MEASURES[0][::2])
        cells += [exponent(seconds), exponent(recent)]
        cells += [exponent(growth(curve, measure, noise)[0]) for measure, _, noise in MEASURES[1:]]
        lines.append("| " + " | ".join([*cells, ended(points, name, bugs, last["size"])]) + " |")
    return "\n".join(lines)


def document(points: dict, options) -> str:
    wrong = [f"- {p['family']} {p['size']} {WAYS[p['bugs']]}: {p['answer']}: {p['why']}" for p in points.values() if "why" in p]
    starts = [curve[0] for curve in curves(points).values()]
    fixed = f"{min(p['cpu_s'] for p in starts):.1f} to {max(p['cpu_s'] for p in starts):.1f} s" if starts else "nothing yet"
    return f"""# How a check grows

Measured by `make scale` (`bench/scale.py`): generated programs that grow in one respect, without bugs and with one in each hundred
places (at least one). Every number is of an answer that was exactly right: all accesses but the bugs safe, each bug proved. Without
a cache, {options.jobs} jobs; {options.nvcc_version}.

`time`, `last two`, `memory` and `work` are exponents, the slope of log value over log size: 1 is linear, 2 quadratic, bold is above
{NEAR_LINEAR}, – is lost in noise. `time` (CPU seconds), `memory` (of the largest process) and `work` (the engine's own count, the same
on every machine) are over the upper half of the sizes, `last two` is the time between the last two. What the smallest program of the
family takes ({fixed} of the processors) is subtracted, but for memory, where the front end's process is the largest of small
programs. `then` says what ended a family before its largest size. Calls are followed 256 deep: their families end at 200.

![Time and memory over size](scale.svg)

{table(points)}
""" + ("\nAnswers that were not the right ones:\n\n" + "\n".join(wrong) + "\n" if wrong else "")


# --- The plot ----------------------------------------------------------------------------------------------------------------

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f", "#8c510a", "#5e3c99", "#000000")
DASHES = ("", "6 3", "2 3")
PANEL_W, PANEL_H, LEFT, RIGHT, TOP, BOTTOM = 400, 380, 70, 130, 50, 50
LABEL_GAP = 14


class Panel:
    """Log-log axes in one part of the picture, and what is drawn on them."""

    def __init__(self, column: int, row: int, title: str, unit: str, x_range: tuple, y_range: tuple):
        self.x0 = LEFT + column * (PANEL_W + LEFT + RIGHT)
        self.y0 = TOP + row * (PANEL_H + TOP + BOTTOM)
        self.x_range, self.y_range = x_range, y_range
        self.parts = [f'<text x="{self.x0}" y="{self.y0 - 14}" class="title">{escape(title)}</text>']
        self.axes(unit)

    def x(self, value: float) -> float:
        low, high = self.x_range
        return self.x0 + PANEL_W * (math.log10(value) - low) / (high - low)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.y0 + PANEL_H * (1 - (math.log10(value) - low) / (high - low))

    def axes(self, unit: str) -> None:
        right, bottom = self.x0 + PANEL_W, self.y0 + PANEL_H
        for e in range(self.x_range[0], self.x_range[1] + 1):
            x = self.x(10**e)
            self.parts.append(f'<path d="M{x:.1f} {self.y0}V{bottom}" class="grid"/><text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{10**e:,}</text>')
        for e in range(self.y_range[0], self.y_range[1] + 1):
            y = self.y(10.0**e)
            self.parts.append(f'<path d="M{self.x0} {y:.1f}H{right}" class="grid"/><text x="{self.x0 - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**e:,.10g}</text>')
        self.parts.append(f'<rect x="{self.x0}" y="{self.y0}" width="{PANEL_W}" height="{PANEL_H}" class="frame"/>')
        self.parts.append(f'<text x="{self.x0 + PANEL_W / 2}" y="{bottom + 38}" text-anchor="middle">size</text>')
        middle = self.y0 + PANEL_H / 2
        self.parts.append(f'<text transform="translate({self.x0 - 52} {middle}) rotate(-90)" text-anchor="middle">{escape(unit)}</text>')

    def guide(self, power: int, through: tuple) -> None:
        """Where a curve of this power would go from a point on, up to the frame."""
        (low, high), top = self.x_range, self.y_range[1]
        reach = min(high, math.log10(through[0]) + (top - math.log10(through[1])) / power)
        if reach <= max(low, math.log10(through[0])):
            return
        end = 10**reach, through[1] * (10**reach / through[0]) ** power
        self.parts.append(f'<path d="M{self.x(through[0]):.1f} {self.y(through[1]):.1f}L{self.x(end[0]):.1f} {self.y(end[1]):.1f}" class="guide"/>')
        label = "n" if power == 1 else "n²"
        self.parts.append(f'<text x="{self.x(end[0]) - 6:.1f}" y="{self.y(end[1]) + 14:.1f}" text-anchor="end" class="faint">{label}</text>')

    def lines(self, drawn: list) -> None:
        """Curves as (name, [(size, value)]), each with its name at the right edge, no two of which overlap."""
        ends = []
        for name, pairs in drawn:
            index = list(FAMILIES).index(name)
            colour, dash = COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS)]
            at = [(self.x(size), self.y(value)) for size, value in pairs]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in at)
            self.parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash or "none"}"/>')
            self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{colour}"/>' for x, y in at]
            ends.append((at[-1][1], at[-1][0], name, colour))
        ends.sort()
        wanted = [y for y, *_ in ends]
        for i in range(1, len(wanted)):
            wanted[i] = max(wanted[i], wanted[i - 1] + LABEL_GAP)
        lowest = self.y0 + PANEL_H
        for i in range(len(wanted) - 1, -1, -1):
            wanted[i] = min(wanted[i], lowest - LABEL_GAP * (len(wanted) - 1 - i))
        for (y, x, name, colour), label in zip(ends, wanted):
            edge = self.x0 + PANEL_W
            self.parts.append(f'<path d="M{x:.1f} {y:.1f}L{edge + 8} {label:.1f}h6" fill="none" stroke="{colour}" stroke-width="0.5" opacity="0.6"/>')
            self.parts.append(f'<text x="{edge + 17}" y="{label + 4:.1f}" fill="{colour}">{escape(name)}</text>')


def decades(values: list) -> tuple:
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))), math.floor(math.log10(min(values))) + 1)


def plot(points: dict) -> str:
    """Time and memory over size, without bugs above and with bugs below."""
    found = curves(points)
    everything = [p for curve in found.values() for p in curve]
    width, height = 2 * (LEFT + PANEL_W + RIGHT), 2 * (TOP + PANEL_H + BOTTOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        "<title>Time and memory of a check over the size of the program</title>",
        "<style>.title{font-size:14px;font-weight:bold}.grid{stroke:#ddd;fill:none}.frame{stroke:#444;fill:none}.guide{stroke:#aaa;stroke-width:3;opacity:.4;fill:none}.faint{fill:#888}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    x_range = (0, max(1, math.ceil(math.log10(max(p["size"] for p in everything)))))
    for column, (measure, words, unit) in enumerate((("cpu_s", "Time", "seconds of the processors"), ("peak_mib", "Memory of the largest process", "MiB"))):
        y_range = decades([p[measure] for p in everything])
        for row, (bugs, way) in enumerate(WAYS.items()):
            panel = Panel(column, row, f"{words}, {way}", unit, x_range, y_range)
            drawn = [(name, [(p["size"], p[measure]) for p in curve]) for (name, with_bugs), curve in found.items() if with_bugs == bugs]
            if drawn:
                start = min(value for _, pairs in drawn for _, value in pairs)
                for power in (1, 2):
                    panel.guide(power, (10, start))
                panel.lines(drawn)
            parts += panel.parts
    return "\n".join([*parts, "</svg>", ""])


# --- The command -------------------------------------------------------------------------------------------------------------


def positive(kind):
    def read(text: str):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not value > 0 or value == math.inf:
            raise argparse.ArgumentTypeError(f"`{text}` is no {'whole ' if kind is int else ''}number above 0")
        return value

    return read


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FOLDER", default=ROOT / "docs" / "evaluation", help="where scale.md and scale.svg go (default: docs/evaluation)")
    parser.add_argument("--journal", type=Path, metavar="FILE", default=ROOT / "target" / "scale.jsonl", help="every measurement, one JSON line each; what stands there is not measured again (default: target/scale.jsonl)")
    parser.add_argument("--scuba", type=Path, metavar="PATH", default=ROOT / "target" / "release" / "scuba", help="the checker, with scuba-extract beside it (default: target/release/scuba)")
    parser.add_argument("--families", nargs="+", metavar="FAMILY", choices=FAMILIES, default=list(FAMILIES), help="measure these only: " + ", ".join(FAMILIES))
    parser.add_argument("--ways", nargs="+", choices=("correct", "bugs"), default=["correct", "bugs"], help="without bugs, or with (default: both)")
    parser.add_argument("--limit", type=positive(float), metavar="SECONDS", default=None, help="a family ends where one check takes longer (default: 120; with --quick 30)")
    parser.add_argument("--max-size", type=positive(int), metavar="N", default=None, help="the largest size (default: 10000; with --quick 100, and 10 units)")
    parser.add_argument("--steps", choices=("1-2-5", "10"), default=None, help="sizes 10, 20, 50, 100 …, or 10, 100 … (default: 1-2-5; with --quick 10)")
    parser.add_argument("--jobs", type=positive(int), metavar="N", default=len(os.sched_getaffinity(0)), help="of each check (default: the machine's)")
    parser.add_argument("--quick", action="store_true", help="small sizes, in a few minutes: whether all answers are right, rather than how they grow")
    options = parser.parse_args()

    options.limit = options.limit or (30.0 if options.quick else 120.0)
    largest = options.max_size or (100 if options.quick else 10_000)
    coarse = (options.steps or ("10" if options.quick else "1-2-5")) == "10"

    def sizes(family) -> list:
        most = min(largest, 10) if family.name == "units" and options.quick and not options.max_size else largest
        chosen = [s for s in family.sizes if s <= most]
        return [s for s in chosen if not coarse or s == chosen[0] or max(chosen) < 100 or math.log10(s).is_integer()]

    options.sizes = sizes
    options.families = [FAMILIES[name] for name in dict.fromkeys(options.families)]
    options.ways = [bugs for bugs, way in ((False, "correct"), (True, "bugs")) if way in options.ways]
    for path in (options.scuba, options.scuba.parent / "scuba-extract"):
        if not (path.is_file() and os.access(path, os.X_OK)):
            parser.error(f"{path} is no program: run `make build`, or give --scuba PATH")
    options.scuba = options.scuba.resolve()
    for folder in (options.out, options.journal.parent):
        if folder.exists() and not folder.is_dir():
            parser.error(f"{folder} is not a folder")
    if options.journal.is_dir():
        parser.error(f"--journal: {options.journal} is a folder, not a file")
    return options


def look_around(options) -> None:
    """The environment of all checks, and what tells this scuba from another."""
    found = subprocess.run([ROOT / "tools" / "find-nvcc.sh"], capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit("scale: no nvcc: run `make setup`, or set SCUBA_NVCC")
    nvcc = found.stdout.strip()
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
    options.nvcc_version = f"nvcc {version.split('release ')[1].split(',')[0]}" if "release " in version else "nvcc"
    options.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SCUBA_", "NVCC_"))} | {"SCUBA_NVCC": nvcc, "SCUBA_CACHE": "off"}
    digest = hashlib.sha256()
    for name in ("scuba", "scuba-extract"):
        digest.update((options.scuba.parent / name).read_bytes())
    options.build = digest.hexdigest()[:16]


def main() -> int:
    options = parse()
    look_around(options)
    points = read_journal(options.journal, options)
    try:
        measure_all(points, options)
    except KeyboardInterrupt:
        print(f"scale: interrupted; what was measured is in {options.journal}, and the same command goes on", file=sys.stderr)
        return 130
    if not curves(points):
        print("scale: no right answer to draw", file=sys.stderr)
    else:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "scale.md").write_text(document(points, options))
        (options.out / "scale.svg").write_text(plot(points))
        print(table(points))
    wrong = [p for p in points.values() if "why" in p]
    for point in wrong:
        print(f"scale: {point['family']} {point['size']} {WAYS[point['bugs']]}: {told(point)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
