#!/usr/bin/env python3
"""Measures the floors of the engine: which floor each method and each model of a library function stands on, and needs.

    tools/floors.py               a table: methods by floor and folder
    tools/floors.py --methods     a line for each: its floor, the one that it needs, and the fields that it touches itself
    tools/floors.py --high        what stands higher than it needs; status 1 if anything does
    tools/floors.py --figures     figures of all of `src`, as JSON

A floor is a type that owns the floor below it (`src/engine/symbolic/floors/`). The sources are read as text: calls
`self.method(…)`, and `function(e, …)` in `src/library`, make a graph, and what a method needs is the highest floor of
the fields that it reaches. Only the Python standard library is used.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# From the lowest to the highest.
FLOORS = ["Terms", "ValueDomain", "MemoryDomain", "ExecutionContext", "Executor"]

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<text>b?r(?P<hash>\#*)".*?"(?P=hash)|[bc]?"(?:[^"\\]|\\.)*")
  | (?P<char>b?'(?:[^'\\]|\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.))')
  | (?P<life>'[A-Za-z_]\w*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\d\w*(?:\.\d\w*)?)
  | (?P<sign>::|->|=>|\.\.=|\.\.|&&|[^\s\w])
    """,
    re.X | re.S,
)


def tokens(text):
    """Returns the tokens of a Rust source as (kind, text), without comments and characters."""
    found = []
    for m in TOKEN.finditer(text):
        kind = "text" if m.lastgroup == "hash" else m.lastgroup
        if kind not in ("comment", "char"):
            found.append((kind, m.group(0)))
    return found


def closing(ts, i):
    """Returns the index of the token that closes the bracket at index `i`."""
    opened, depth = ts[i][1], 0
    closed = {"(": ")", "[": "]", "{": "}", "<": ">"}[opened]
    for j in range(i, len(ts)):
        if ts[j] == ("sign", opened):
            depth += 1
        elif ts[j] == ("sign", closed):
            depth -= 1
            if depth == 0:
                return j
    raise ValueError(f"`{opened}` is not closed")


class Function:
    """A method, or a function whose first parameter `e` is a floor."""

    def __init__(self, owner, name, path, head, body):
        self.owner, self.name, self.path = owner, name, path
        self.fields, self.calls = set(), set()
        # Whether its type is fixed from outside: it takes functions over the same type, such as closures.
        self.is_fixed = "Self" in head or head.count(owner) > 1
        handles = {"self", "e"} | closures(body)
        named = {body[k + 1] for k in range(len(body) - 3) if body[k] == "let" and body[k + 2 : k + 4] == ["=", "|"]}
        # Functions that are called with the floor: a name that is neither a function nor a closure here is a value.
        self.called_with = set()
        for k, word in enumerate(body):
            before = body[k - 1] if k else ""
            after = body[k + 1 : k + 4]
            if word in handles and before not in (".", "::") and after[:1] == ["."]:
                name, is_call = after[1], after[2:3] in (["("], ["::"])
                (self.calls if is_call else self.fields).add(name)
            elif re.fullmatch(r"[a-z_]\w*", word) and before != "." and after[:1] == ["("] and after[1:2] and after[1] in handles:
                self.calls.add(word)
                if word not in named:
                    self.called_with.add(word)
            elif word == ")" and after[:1] == ["("] and after[1:2] and after[1] in handles:
                self.called_with.add("a value")
            elif word in ("Self", *FLOORS) and after[:1] == ["::"]:
                self.calls.add(after[1])


def closures(body):
    """Returns the parameters of closures that stand for the floor: `|e: &mut Self, …|`."""
    found = set()
    for k, word in enumerate(body[:-4]):
        if word == "|" and body[k + 2] == ":" and any(w in ("Self", *FLOORS) for w in body[k + 3 : k + 6]):
            found.add(body[k + 1])
    return found


def impl_blocks(ts):
    """Yields (type, whether of a trait, index of `{`, index of `}`) of each `impl` outside of tests."""
    i = 0
    while i < len(ts):
        word = ts[i][1]
        if word == "mod" and i + 2 < len(ts) and ts[i + 2][1] == "{" and ts[i + 1][1] == "tests":
            i = closing(ts, i + 2) + 1
            continue
        if word == "impl" and (i == 0 or ts[i - 1][1] in ("}", ";", "]", "{")):
            j, names, is_trait = i + 1, [], False
            while ts[j][1] != "{":
                if ts[j][1] == "<":
                    j = closing(ts, j)
                elif ts[j][1] == "for":
                    names, is_trait = [], True
                elif ts[j][1] == "where":
                    while ts[j + 1][1] != "{":
                        j += 1
                elif ts[j][0] == "word":
                    names.append(ts[j][1])
                j += 1
            end = closing(ts, j)
            yield names[-1] if names else "", is_trait, j, end
            i = end
        i += 1


def functions(ts, opened, closed):
    """Yields (name, words of the head, words of the body) of the functions of a block, not of those inside them."""
    i = opened + 1
    while i < closed:
        word = ts[i][1]
        if word == "fn" and ts[i + 1][0] == "word":
            j = i + 1
            while ts[j][1] not in ("{", ";"):
                j = closing(ts, j) + 1 if ts[j][1] in ("(", "[") else j + 1
            end = closing(ts, j) if ts[j][1] == "{" else j
            yield ts[i + 1][1], [t for _, t in ts[i + 2 : j]], [t for _, t in ts[j:end]]
            i = end
        elif word in ("(", "[", "{"):
            i = closing(ts, i)
        i += 1


def fields():
    """Returns the floor of each field, from the definitions of the types."""
    found = {}
    for path in sorted((SRC / "engine").rglob("*.rs")):
        for m in re.finditer(r"^pub struct (\w+)[^{;]*\{\n(.*?)^\}", path.read_text(), re.S | re.M):
            if m.group(1) in FLOORS:
                for name in re.findall(r"^    (?:pub(?:\([^)]*\))? )?(\w+):", m.group(2), re.M):
                    found[name] = FLOORS.index(m.group(1))
    return found


def read():
    """Returns the methods of floors and the models over floors, by name."""
    found, sources = {}, []
    for path in sorted(SRC.glob("engine/**/*.rs")) + sorted(SRC.glob("library/**/*.rs")):
        if "tests" in path.stem:
            continue
        ts, name = tokens(path.read_text()), str(path.relative_to(SRC))
        if name.startswith("library/"):
            sources.append(ts)
        for owner, is_trait, opened, closed in impl_blocks(ts):
            if owner in FLOORS and not is_trait:
                for f, head, body in functions(ts, opened, closed):
                    if f != "new":
                        found[f] = Function(owner, f, name, head, body)
        if name.startswith("library/"):
            for f, head, body in functions([("sign", "{"), *ts, ("sign", "}")], 0, len(ts) + 1):
                k = head.index("(") + 1 if "(" in head else 0
                owner = next((w for w in head[k : k + 6] if w in FLOORS), None)
                if owner and head[k : k + 2] == ["e", ":"]:
                    found[f] = Function(owner, f, name, head, body)
    # A model in a table, or one that another model runs, has the type that is asked for there.
    for ts in sources:
        for (_, before), (_, name), (_, after) in zip(ts, ts[1:], ts[2:]):
            if name in found and before in ("(", ",") and after in (")", ","):
                found[name].is_fixed = True
    return found


def needs(all_functions, of_field):
    """Returns the floor that each function needs: the highest of the fields that it reaches."""
    # The links from a floor to the one below are ways, not needs.
    links = {name for name, floor in of_field.items() if name in ("terms", "values", "memory", "context")}
    need = {}
    for name, f in all_functions.items():
        need[name] = max((of_field[x] for x in f.fields - links if x in of_field), default=0)
    changed = True
    while changed:
        changed = False
        for name, f in all_functions.items():
            callees = [c for c in f.calls if c in all_functions]
            level = max((need[c] for c in callees), default=0)
            # A closure that it is given, or a model from a table, may need as much as its type says.
            if f.is_fixed or f.called_with - set(all_functions):
                level = max(level, FLOORS.index(f.owner))
            if level > need[name]:
                need[name], changed = level, True
    return need


def table(all_functions, need):
    count = collections.defaultdict(collections.Counter)
    for name, f in all_functions.items():
        count[f.path.rsplit("/", 1)[0]][f.owner] += 1
        count["all"][f.owner] += 1
    lines = ["| folder | " + " | ".join(f"`{x}`" for x in FLOORS) + " |", "| --- |" + " ---: |" * len(FLOORS)]
    for folder in [*sorted(x for x in count if x != "all"), "all"]:
        lines.append(f"| {folder} | " + " | ".join(str(count[folder][x]) for x in FLOORS) + " |")
    high = sum(need[n] < FLOORS.index(f.owner) for n, f in all_functions.items())
    return "\n".join(lines) + f"\n\n{high} of {len(all_functions)} stand higher than they need (`--high`).\n"


def figures():
    """Returns figures of all of `src`: its lines, the methods of its largest types, and names of types that stand in several files."""
    lines, methods, names = 0, collections.Counter(), collections.defaultdict(set)
    for path in sorted(SRC.rglob("*.rs")):
        text = path.read_text()
        lines += text.count("\n")
        ts, crate = tokens(text), path.relative_to(SRC).parts[0]
        for owner, is_trait, opened, closed in impl_blocks(ts):
            if not is_trait:
                methods[f"{crate}::{owner}"] += sum(1 for _ in functions(ts, opened, closed))
        for name in re.findall(r"^(?:    )?(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type|union) (\w+)", text, re.M):
            names[name].add(str(path.relative_to(SRC)))
    several = {n: len(p) for n, p in names.items() if len(p) > 1}
    return {
        "lines": lines,
        "types": len(names),
        "type_names_in_several_files": len(several),
        "largest_types": dict(methods.most_common(8)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("methods", "high", "figures"):
        parser.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args()
    if options.figures:
        print(json.dumps(figures(), indent=1))
        return 0
    of_field, all_functions = fields(), read()
    need = needs(all_functions, of_field)
    if options.methods or options.high:
        high = 0
        for name, f in sorted(all_functions.items(), key=lambda x: (x[1].path, x[0])):
            is_high = need[name] < FLOORS.index(f.owner)
            high += is_high
            if options.methods or is_high:
                own = " ".join(sorted(x for x in f.fields if x in of_field))
                print(f"{f.path}: {name}: stands on {f.owner}, needs {FLOORS[need[name]]} ({own or 'no field'})")
        return 1 if options.high and high else 0
    print(table(all_functions, need), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
