#!/usr/bin/env python3
"""What the safe verdicts of a program rest on, axiom by axiom, with counts: `scuba check --dump doubts` as a table.

    tools/doubts.py FILE.cu ... | DIR [--scuba PATH] [--json FILE] [--places N] [-- NVCC-FLAGS]

FILE: sources of one program; DIR: the folder of a build, all of whose programs count. A safe access rests on an axiom if it is no longer
decided to be safe where that axiom alone is left out. Of several programs that share an access, it rests on what it does in any. FILE (--json)
gets all of it, with every place. The status is that of `scuba check`, or 2 where nothing was said. Only the Python standard library is used.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
MARK = "doubts: "
KEY = ("file", "line", "column", "array")


def read(command, cwd=None):
    """The programs' rows, the document and the status of one check."""
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=cwd)
    programs = []
    for line in run.stderr.splitlines():
        if line.startswith(MARK):
            programs.append(json.loads(line[len(MARK) :]))
        elif line:
            print(line, file=sys.stderr)
    try:
        document = json.loads(run.stdout)
    except ValueError:
        document = None
    return programs, document, run.returncode


def joined(programs, document):
    """One table of all programs: places with what they rest on."""
    places, rows, order = {}, {}, []
    marks = {name: set() for name in ("several", "none", "open")}
    for program in programs:
        keys = [tuple(p[k] for k in KEY) for p in program["safe"]]
        for key, place in zip(keys, program["safe"]):
            places.setdefault(key, place)
        for row in program["axioms"]:
            if row["axiom"] not in rows:
                order.append(row["axiom"])
                rows[row["axiom"]] = {"says": row["says"], "how": row["how"], "places": set(), "unsettled": set()}
            known = rows[row["axiom"]]
            known["unsettled"].update(keys[i] for i in row["unsettled"])
            known["places"].update(keys[i] for i in row["places"])
            if row["how"] == "left-out":
                known["how"] = "left-out"
        for name, found in marks.items():
            found.update(keys[i] for i in program[name])
    # A place that another program makes wrong is not safe of the whole.
    bad = {tuple(of.get(k) for k in KEY[:3]) + (of.get("array"),) for of in (document or {}).get("undecided", [])}
    bad |= {tuple(f["access"].get(k) for k in KEY) for f in (document or {}).get("findings", [])}
    safe = {k for k in places if k not in bad}
    if "unseen-units" in rows and (document or {}).get("unseen"):
        rows["unseen-units"]["places"] = set(safe)
    one = set().union(*(r["places"] | r["unsettled"] for r in rows.values() if r["how"] == "left-out"))
    several = (marks["several"] - one) & safe
    return {
        "safe": sorted(safe),
        "axioms": [{"axiom": name, "says": rows[name]["says"], "how": rows[name]["how"],
                    "places": sorted(rows[name]["places"] & safe), "unsettled": sorted((rows[name]["unsettled"] - rows[name]["places"]) & safe)} for name in order],
        "several": sorted(several),
        "open": sorted(marks["open"] & safe),
        "none": sorted((marks["none"] - one - several) & safe),
    }


def shown(places, most):
    text = ", ".join(f"{os.path.basename(p[0])}:{p[1]}:{p[3]}" for p in places[:most])
    return text + (", …" if len(places) > most else "")


def table(all_of_it, most):
    safe = len(all_of_it["safe"])
    lines = [f"{safe} safe accesses", ""]

    def row(name, places, note=""):
        lines.append(f"{name:<20} {len(places):>6} of {safe:<6} {note or shown(places, most)}".rstrip())

    lines.append("left out one by one: no longer safe without it")
    untaken = []
    for r in all_of_it["axioms"]:
        if r["how"] == "left-out" or r["how"] == "named" and r["places"]:
            perhaps = f" (and perhaps {len(r['unsettled'])}: a budget or a safety net ended the search)" if r["unsettled"] else ""
            row(r["axiom"], r["places"], shown(r["places"], most) + perhaps)
        elif r["how"] in ("not-asked", "named"):
            untaken.append(r["axiom"])
    row("several together", all_of_it["several"])
    row("none of these", all_of_it["none"])
    if all_of_it["open"]:
        row("not decided again", all_of_it["open"])
    if untaken:
        lines.append("not taken anywhere in this program: " + ", ".join(untaken))
    lines += ["", "built into the engine: could concern"]
    for r in all_of_it["axioms"]:
        if r["how"] == "built-in":
            row(r["axiom"], r["places"], r["says"])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    own, flags = sys.argv[1:], []
    if "--" in own:
        own, flags = own[: own.index("--")], own[own.index("--") + 1 :]
    parser.add_argument("what", nargs="+", metavar="FILE|DIR")
    parser.add_argument("--scuba", default=str(HERE / "target/release/scuba"))
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--places", type=int, default=3, metavar="N", help="so many places in a row (3)")
    arguments = parser.parse_args(own)
    command = [arguments.scuba, "check", *arguments.what, "--dump", "doubts", "--message-format", "json"]
    programs, document, status = read(command + (["--", *flags] if flags else []))
    if not programs or document is None:
        print("nothing was checked: see above", file=sys.stderr)
        return 2
    all_of_it = joined(programs, document)
    if arguments.json:
        named = [{**r, **{k: [dict(zip(KEY, p)) for p in r[k]] for k in ("places", "unsettled")}} for r in all_of_it["axioms"]]
        rest = {name: [dict(zip(KEY, p)) for p in all_of_it[name]] for name in ("safe", "several", "none", "open")}
        pathlib.Path(arguments.json).write_text(json.dumps({"schema": "scuba-doubts/1", **rest, "axioms": named}, indent=1) + "\n")
    print(table(all_of_it, arguments.places))
    return status


if __name__ == "__main__":
    sys.exit(main())
