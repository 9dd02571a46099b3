#!/usr/bin/env python3
"""Judges `scuba contracts` by brute force: random kernels, small values, every thread simulated.

    tools/contracts-oracle.py --scuba PATH [--kernels N] [--seed N] [--first N] [--per-file N] [--nvcc PATH] [--launches N] [--time SECONDS] [--examples N] [--jobs N] [--out FILE.md] [--commit HASH]

A kernel is made of a seed and its number, as CUDA and as Python that does the same with C's types. The conditions that SCuBA prints of it are
read by a parser of this file's own and compared with what the threads do, for parameters from -2 to 5 (unsigned ones from 0), grids and
blocks of 1 to 3 along the axes that it uses, and extents around those where a condition or an access changes; of more launches than
`--launches`, as many are drawn. Memory that indices depend on holds a few arbitrary contents. Counted are

  wrong      an access that a condition covers goes out of bounds though all conditions of the kernel hold (`sufficient`); one that is
             neither covered nor open does (`safe`); a launch violates an `exact` condition and all stays in bounds; a condition is not read (`text`);
  wrapped    an access goes out of bounds in threads only where an operation wrapped or a value did not fit its type: wrong as well if it
             is covered, all conditions hold, and those that cover it name nothing that must not wrap;
  alone      the conditions that cover an access do not suffice without the others of the kernel (nobody promises it);
  not seen   no launch that violates a condition called `needed` or `exact` goes out of bounds;
  vacuous    an access stays in bounds in some launch, but is made in none for which its conditions hold; never hold: all of a kernel;
  not tight  nothing goes out of bounds where the least extent for which a condition holds is one byte less, nor, of a condition
             on no extent, where it does not hold and arrays are large; loose: a launch violates it, and all stays in bounds;
  too strict a launch keeps all covered accesses in bounds of large arrays, and a condition does not hold.

The exit status is 1 if something is wrong, 2 if nothing could be judged. Only the Python standard library is used.
"""

import argparse
import bisect
import collections
import concurrent.futures
import functools
import itertools
import json
import math
import operator
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

TOOLKIT = pathlib.Path(__file__).resolve().parent.parent / ".deps/cuda/nvidia/cu13"
# Bits, and whether there is a sign.
NUMBERS = {"int": (32, True), "unsigned": (32, False), "long": (64, True), "size_t": (64, False), "bool": (1, False)}
STORED = {"char": (8, True), "unsigned char": (8, False), "short": (16, True), "int": (32, True), "unsigned": (32, False)}
ELEMENTS = {**STORED, "float": (32, True), "double": (64, True), "long long": (64, True)}
SIDES, AXES, SIZES = (1, 2, 3), "xyz", [f"{size}.{axis}" for size in ("gridDim", "blockDim") for axis in "xyz"]
# More bytes than small launches reach, and more elements than they read; the iterations after which a thread is taken for endless; what memory may hold.
LARGE, READ, FUEL = 1 << 40, 4096, 300
CONTENTS = [lambda at: 0, lambda at: 1, lambda at: -1, lambda at: 1000003, lambda at: at * 2654435761 // 512 % 8 - 2, lambda at: at * 2654435761 // 1024 % 4]
# What is counted; of the first kinds no examples are shown.
PLAIN = "kernels", "accesses", "covered", "safe", "open", "conditions", "sufficient", "needed", "exact", "tight"
REMARKABLE = "not tight", "loose", "not seen", "vacuous", "never hold", "alone", "wrapped"
# How conditions are written.
TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*(?:\.[xyz])?|==>|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^~!?:(),\[\]])")
LEVELS = {op: level for level, ops in enumerate(["==>", "?", "||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"]) for op in ops.split()}
# What has no value is None; a number is true where it is not 0.
APPLIED = {"|": operator.or_, "^": operator.xor, "&": operator.and_, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
           ">=": operator.ge, "+": operator.add, "-": operator.sub, "*": operator.mul, "min": min, "max": max, "abs": abs, "/": lambda a, b: quotient(a, b) if b else None,
           "%": lambda a, b: a - b * quotient(a, b) if b else None, "<<": lambda a, b: a << b if b >= 0 else None, ">>": lambda a, b: a >> b if b >= 0 else None,
           "ceil_div": lambda a, b: -(-a // b) if b else None, "negated": operator.neg, "~": operator.invert, "!": operator.not_}
APPLIED = {name: functools.partial(lambda f, *values: None if None in values else f(*values), f) for name, f in APPLIED.items()}
APPLIED |= {"&&": lambda a, b: 0 if 0 in (a, b) else None if None in (a, b) else 1, "||": lambda a, b: 1 if a or b else None if None in (a, b) else 0,
            "==>": lambda a, b: 1 if a == 0 or b else None if None in (a, b) else 0, "?": lambda c, a, b: None if c is None else a if c else b}


def literal(value):
    return Expr("int", str(value), str(value))


class Expr(collections.namedtuple("Expr", "type c py")):
    """A number or a condition, as C and as Python side by side."""

    def to(self, kind):
        """The Python of its value in another type. A value that does not fit counts as one that wrapped."""
        (bits, signed), (wide, also) = NUMBERS[self.type], NUMBERS[kind]
        if self.py.isdigit() or (bits < wide and (also or not signed)) or (bits, signed) == (wide, also):
            return self.py
        return f"fit_{kind}({self.py})"

    def nested(self):
        return self.c if re.fullmatch(r"[\w.]+|min\([^()]*\)", self.c) else f"({self.c})"

    def cast(self, kind):
        return Expr(kind, f"({kind}){self.nested()}", self.to(kind))

    def with_(self, b):
        """The other operand, the type that both are converted to, and the Python of both in it."""
        b = b if isinstance(b, Expr) else literal(b)
        kind = next((t for t in ("size_t", "long", "unsigned") if t in (self.type, b.type)), "int")
        return b, kind, self.to(kind), b.to(kind)

    def arith(self, b, op):
        b, kind, x, y = self.with_(b)
        py = {"/": f"quotient({x}, {y})", "%": f"remainder({x}, {y})"}.get(op, f"({x} {op} {y})")
        return Expr(kind, f"{self.nested()} {op} {b.nested()}", py if op in ("&", "%", ">>") else f"fit_{kind}({py})")

    __add__, __sub__ = functools.partialmethod(arith, op="+"), functools.partialmethod(arith, op="-")
    __mul__, __truediv__, __mod__ = functools.partialmethod(arith, op="*"), functools.partialmethod(arith, op="/"), functools.partialmethod(arith, op="%")
    __and__, __lshift__, __rshift__ = functools.partialmethod(arith, op="&"), functools.partialmethod(arith, op="<<"), functools.partialmethod(arith, op=">>")

    def compare(self, op, b):
        b, _, x, y = self.with_(b)
        return Expr("bool", f"{self.nested()} {op} {b.nested()}", f"({x} {({'&&': 'and', '||': 'or'}).get(op, op)} {y})")

    def choose(self, a, b):
        b, kind, x, y = a.with_(b)
        return Expr(kind, f"{self.nested()} ? {a.nested()} : {b.nested()}", f"({x} if {self.py} else {y})")


class Array(collections.namedtuple("Array", "name element kind sides of read_only", defaults=[(), None, False])):
    """Its kind is `parameter`, `static`, `dynamic`, or `alias`, which is a pointer into `of`."""

    @property
    def bytes(self):
        return ELEMENTS[self.element][0] // 8


# One line, with a block if there is a body, at the end of which Python does `last`. In the Python of an access `@` is its number.
Statement = collections.namedtuple("Statement", "c py body last array", defaults=[None, "pass", None])
Access = collections.namedtuple("Access", "array line")


class Kernel:
    """`scope` holds the numbers that indices are made of while it is written, `left` how many accesses there may still be."""

    def __init__(self, seed, number):
        self.r, self.scope, self.left, self.serial, self.indirect = random.Random(f"{seed}/{number}"), [], 5, itertools.count(1), False
        self.number, self.depth, self.axes = number, 0, AXES[: self.r.choices((1, 2, 3), (6, 3, 1))[0]]
        self.parameters = [(n, self.one(int=6, unsigned=2, long=1, size_t=1)) for n in "nmk"[: self.r.randint(1, 3)]]
        self.numbers = [Expr(t, n, n) for n, t in self.parameters]
        self.parameters += [("flag", "bool")] * (self.r.random() < 0.1)
        self.arrays = [Array(n, self.r.choice(list(ELEMENTS)), "parameter", read_only=self.r.random() < 0.3) for n in AXES[: self.r.randint(1, 3)]]
        self.body = [s for axis, name in zip(self.axes, "ijl") for s in self.position(axis, name)]
        self.body += (self.leave() if self.r.random() < 0.3 else []) + self.block()

    def render(self, before=0):
        """Sets its CUDA, of which the first line is behind `before` others, its accesses, and its Python. Returns how many lines it has."""
        given = [f"{'const ' * a.read_only}{a.element} *{a.name}" for a in self.arrays if a.kind == "parameter"] + [f"{t} {n}" for n, t in self.parameters]
        self.c, self.py, self.accesses, self.before = [f"__global__ void k{self.number}({', '.join(given)})", "{"], [], [], before
        for a in self.arrays:
            if a.kind in ("static", "dynamic"):
                sides = "".join(f"[{side}]" for side in a.sides) or "[]"
                self.c.append(f"    {'extern ' * (a.kind == 'dynamic')}__shared__ {a.element} {a.name}{sides};")
        self.emit(self.body, "    ")
        names = [w + axis for w in "btdg" for axis in AXES] + [n for n, _ in self.parameters]
        self.text, self.python = "\n".join([*self.c, "}", ""]), "\n".join([f"def thread({', '.join(names)}):", *self.py])
        return len(self.c) + 2

    def emit(self, statements, margin):
        for s in statements:
            self.c.append(margin + s.c)
            self.py += [margin + line.replace("@", str(len(self.accesses))) for line in s.py.split("\n")]
            if s.array:
                self.accesses.append(Access(s.array, self.before + len(self.c)))
            if s.body is not None:
                self.emit(s.body, margin + "    ")
                self.py.append(f"{margin}    {s.last}")
                self.c.append(margin + "}")

    def one(self, **weights):
        return self.r.choices(list(weights), list(weights.values()))[0]

    def declare(self, kind, name, value):
        self.scope.append(Expr(kind, name, name))
        return [Statement(f"{kind} {name} = {value.c};", f"{name} = {value.to(kind)}")]

    def launch(self, what, axis):
        return Expr("unsigned", f"{what}.{axis}", {"threadIdx": "t", "blockIdx": "b", "blockDim": "d", "gridDim": "g"}[what] + axis)

    def position(self, axis, name):
        thread, block, width = (self.launch(what, axis) for what in ("threadIdx", "blockIdx", "blockDim"))
        form = self.one(both=7, thread=2, block=1, wide=1)
        self.scope += [thread] * (self.r.random() < 0.15)
        values = {"thread": thread, "block": block, "both": block * width + thread, "wide": block.cast("long") * width + thread}
        return self.declare(self.one(int=7, unsigned=2, long=1), name, values[form])

    def variable(self):
        return self.r.choice(self.scope[-4:])

    def parameter(self):
        return self.r.choice(self.numbers)

    def small(self, low=1):
        return literal(self.r.randint(low, 3))

    def bound(self):
        p, c = self.parameter(), self.small()
        form = self.one(plain=8, less=2, more=1, times=1, product=2, half=1, fixed=1)
        return {"plain": p, "less": p - c, "more": p + c, "times": p * self.small(2), "product": p * self.parameter(), "half": p / 2, "fixed": literal(self.r.randint(1, 6))}[form]

    def guard(self):
        v, c, to = self.variable(), self.small(2), self.bound()
        less, form = v.compare("<", to), self.one(less=8, most=2, ahead=2, both=3, inner=1, times=1, even=1, other=1, sum=1)
        if form == "both":
            return less.compare(self.r.choice(["&&", "&&", "&&", "||"]), self.guard())
        return {
            "less": less, "most": v.compare("<=", to), "ahead": (v + self.r.choice([self.parameter(), c])).compare("<", to),
            "inner": v.compare(">=", c).compare("&&", v.compare("<", to - self.small())), "times": (v * c).compare("<", to),
            "even": less.compare("&&", (v % c).compare("==", 0)), "other": less.compare("&&", v.compare("!=", 0)), "sum": (v + self.variable()).compare("<", to),
        }[form]

    def given(self):
        p, q = self.parameter(), self.parameter()
        c = p.compare(self.r.choice(["<", ">", "==", ">=", "!="]), self.small(0) if p.c == q.c or self.r.random() < 0.5 else q)
        if self.parameters[-1][0] == "flag" and self.r.random() < 0.6:
            c = Expr("bool", "flag", "flag")
        return c.compare(self.r.choice(["&&", "||"]), self.given()) if self.r.random() < 0.15 else c

    def index(self):
        v, w, p, c, last = self.variable(), self.variable(), self.parameter(), self.small(2), self.parameter() - 1
        weights = dict(plain=6, row=5, wide=1, slab=1, ahead=2, behind=2, times=1.5, strided=1.5, mirror=2, quotient=1.5, remainder=1.5, parameter=2, far=1.5)
        form = self.one(**weights, product=1, bits=1, clamp=1, least=0.5, fixed=1, last=1, sum=1, by=0.7)
        least = Expr("int", f"min({v.c}, {last.c})", f"min({v.py}, {last.py})") if v.type == last.type == "int" else v
        return {
            "plain": v, "row": v * p + w, "wide": v.cast("size_t") * p + w, "slab": (v * p + w) * self.parameter() + self.variable(), "ahead": v + self.small(),
            "behind": v - self.small(), "times": v * c, "strided": v * c + self.small(0), "mirror": last - v, "quotient": v / c, "remainder": v % c,
            "parameter": p, "far": v + p, "product": v * p, "bits": self.r.choice([v << 1, v >> 1, v & 3]), "clamp": v.compare("<", p).choose(v, p - 1),
            "least": least, "fixed": self.small(0), "last": last, "sum": v + w, "by": self.r.choice([v / p, v % p]),
        }[form]

    def block(self):
        """What its statements declare is gone behind them, but for shared arrays, which stand at the head of the kernel."""
        scope, arrays, body = len(self.scope), self.arrays[:], []
        self.depth += 1
        for _ in range(self.r.randint(1, 3)):
            form = self.one(branch=5.5 * (self.depth < 4), loop=3 * (self.depth < 3), local=1, leave=0.3, access=4, alias=0.8, gather=0.8)
            body += getattr(self, form)() if self.left > 0 else []
        if not any(s.array or s.body for s in body):
            body += self.access()
        self.depth -= 1
        del self.scope[scope:]
        self.arrays[:] = [a for a in self.arrays if a in arrays or a.kind != "alias"]
        return body

    def branch(self):
        c = self.guard() if self.r.random() < 0.75 else self.given()
        body, otherwise = self.block(), [Statement("else {", "else:", self.block())] if self.r.random() < 0.1 else []
        return [Statement(f"if ({c.c}) {{", f"if {c.py}:", body), *otherwise]

    def leave(self, word="return"):
        c = self.guard()
        return [Statement(f"if (!({c.c})) {word};", f"if not {c.py}: {word}")]

    def local(self):
        value = self.index()
        return self.declare(self.r.choice(["int", "int", "unsigned", value.type, value.type]), f"d{next(self.serial)}", value)

    def loop(self):
        form, v, to, axis = self.one(count=6, grid=3, down=1.5, thread=2, window=1, double=0.5), self.variable(), self.bound(), self.r.choice(self.axes)
        kind, name = "int" if form == "down" else self.one(int=7, unsigned=1.5, long=1), f"p{next(self.serial)}"
        p, step, width = Expr(kind, name, name), self.r.choice([literal(1)] * 5 + [self.small(2), self.parameter()]), self.launch("blockDim", axis)
        less = p.compare(self.r.choice(["<"] * 5 + ["<="]), to)
        start, condition, op, step = {
            "count": (literal(0), less, "+", step), "thread": (v, less, "+", step), "window": (v, p.compare("<", v + self.small()), "+", step),
            "grid": (v, less, "+", width * self.launch("gridDim", axis) if self.r.random() < 0.6 else width),
            "down": (to - 1, p.compare(">=", 0), "-", step), "double": (literal(1), less, "*", literal(2)),
        }[form]
        self.scope.append(p)
        body = (self.leave("break") if self.r.random() < 0.08 else []) + self.block()
        self.scope.pop()
        after = f"{name}{op}{op}" if step.c == "1" and op != "*" else f"{name} {op}= {step.c}"
        py = f"{name} = {start.to(kind)}\nwhile {condition.py} and go_on():"
        return [Statement(f"for ({kind} {name} = {start.c}; {condition.c}; {after}) {{", py, body, f"{name} = {p.arith(step, op).to(kind)}")]

    def at(self, array, indices, into=""):
        self.left -= 1
        flat = indices[0].py
        for side, index in zip(array.sides[1:], indices[1:]):
            flat = f"({flat}) * {side} + {index.py}"
        place, c = f"@, ({flat}) * {array.bytes}" + f" + {array.name}" * bool(array.of), array.name + "".join(f"[{i.c}]" for i in indices)
        read = (f"{array.element} {into} = {c};", f"{into} = at({place}, {ELEMENTS[array.element]})")
        return Statement(*(read if into else (f"{c} = 1;", f"at({place})")), array=array)

    def access(self):
        form = self.one(parameter=8, static=1.2, dynamic=0.8)
        known = [a for a in self.arrays if a.kind == form or a.kind == "alias" and form == "parameter"]
        if not known:
            sides = tuple(self.r.randint(1, 3) for _ in range(self.r.randint(1, min(len(self.axes), 2)))) if form == "static" else ()
            known = [Array("s" if sides else f"dyn{self.number}", self.r.choice(list(ELEMENTS)), form, sides)]
            self.arrays += known
        a = self.r.choice(known)
        of_threads = [self.launch("threadIdx", axis) for axis in reversed(self.axes[: max(len(a.sides), 1)])]
        indices = of_threads if form != "parameter" and self.r.random() < 0.7 else [self.index() for _ in a.sides or (0,)]
        return [self.at(a, indices, f"v{next(self.serial)}" if a.read_only or self.r.random() < 0.35 else "")]

    def alias(self):
        a, shift = self.r.choice([a for a in self.arrays if a.kind == "parameter"]), self.r.choice([self.parameter(), self.small(), self.index()])
        q = Array(f"q{next(self.serial)}", a.element, "alias", of=a, read_only=a.read_only)
        self.arrays.append(q)
        return [Statement(f"{'const ' * a.read_only}{a.element} *{q.name} = {a.name} + {shift.nested()};", f"{q.name} = ({shift.py}) * {a.bytes}"), *self.access()]

    def gather(self):
        """An index from memory that nothing writes, and an access with it, most times behind a guard."""
        known = [a for a in self.arrays if a.name == "idx"] or [Array("idx", self.r.choice(list(STORED)), "parameter", read_only=True)]
        self.arrays += [] if known[0] in self.arrays else known
        self.indirect, name = True, f"e{next(self.serial)}"
        read, v = self.at(known[0], [self.index()], name), Expr(known[0].element if known[0].element in NUMBERS else "int", name, name)
        self.scope.append(v)
        inner, c = self.access(), v.compare("<", self.bound())
        c = v.compare(">=", 0).compare("&&", c) if self.r.random() < 0.8 else c
        return [read, Statement(f"if ({c.c}) {{", f"if {c.py}:", inner)] if self.r.random() < 0.6 else [read, *inner]


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def stored(value, bits, has_sign):
    low = -(1 << bits - 1) if has_sign else 0
    return (value - low) % (1 << bits) + low


class Machine:
    """Runs the Python of a kernel. Of each access it keeps the least offset and the largest end in bytes: first those of threads where
    nothing wrapped, behind them those of others."""

    def __init__(self, kernel):
        self.kernel, self.sizes, self.held = kernel, [s.array.bytes for s in kernel.accesses], CONTENTS if kernel.indirect else CONTENTS[:1]
        scope = {"at": self.at, "go_on": lambda: next(self.fuel), "quotient": quotient, "remainder": lambda a, b: a - b * quotient(a, b)}
        scope.update({f"fit_{kind}": self.fitting(*of) for kind, of in NUMBERS.items()})
        exec(kernel.python, scope)
        self.thread = scope["thread"]

    def fitting(self, bits, has_sign):
        def fit(value):
            fitted = stored(value, bits, has_sign)
            self.wrapped |= fitted != value
            return fitted
        return fit

    def at(self, access, offset, kind=(8, True)):
        offset, k = stored(offset, 64, True), access + self.wrapped * len(self.sizes)
        self.low[k], self.high[k] = min(self.low[k], offset), max(self.high[k], offset + self.sizes[access])
        return stored(self.contents(offset), *kind)

    def threads(self, launch):
        """Runs each thread with each content, and says which. A launch is its grid, its block and its numbers."""
        grid, block, given = launch
        self.low, self.high, self.unclear = [math.inf] * 2 * len(self.sizes), [-math.inf] * 2 * len(self.sizes), False
        for self.contents in self.held:
            for place in itertools.product(*(range(side) for side in grid + block)):
                self.wrapped, self.fuel = False, itertools.repeat(True, FUEL)
                try:
                    self.thread(*place, *block, *grid, *given)
                except StopIteration:
                    self.unclear = True
                self.unclear |= self.wrapped
                yield f"block {place[:3]} thread {place[3:]}" + f" contents {CONTENTS.index(self.contents)}" * self.kernel.indirect

    def run(self, launch):
        """False where something has no meaning, as a division by zero."""
        try:
            return all(self.threads(launch))
        except ZeroDivisionError:
            return False


class Claim:
    """A condition of a kernel, read from its text. `holds` says whether it does for a dictionary of names, `extents` are those that it speaks of,
    and `seen` is what launches showed of it: `needed`, `tight`, `loose`."""

    def __init__(self, said, kernel):
        self.text, self.evidence, self.wraps, self.seen = said["condition"], said["evidence"], said.get("if_no_wrap", []), set()
        places = {(p["line"], p["array"]) for p in said["covers"]}
        self.covers = [i for i, s in enumerate(kernel.accesses) if (s.line, s.array.name) in places]
        self.sizes, self.words, self.extents = {a.name: a.bytes for a in kernel.arrays}, TOKEN.findall(self.text) + [""], set()
        self.types, bound = {a.name: ELEMENTS[a.element] for a in kernel.arrays}, re.findall(r"\bforall (\w+) in\b", self.text)
        known = {*SIZES, *APPLIED, *self.sizes, *dict(kernel.parameters), "dynamicSharedBytes", "extent", "elements", "true", "false", "forall", "in", *bound}
        if "".join(self.words) != "".join(self.text.split()) or not {w for w in self.words if w[:1].isalpha()} <= known:
            raise ValueError(f"cannot read `{self.text}`")
        value = self.expression()
        self.take("")
        self.holds = lambda names: bool(value(names))

    def __str__(self):
        return f"{self.text}  [{self.evidence}{', if nothing wraps' * bool(self.wraps)}, of access {', '.join(map(str, self.covers))}]"

    def take(self, *words):
        if words and self.words[0] not in words:
            raise ValueError(f"`{self.words[0]}` where one of {words} is wanted")
        return self.words.pop(0)

    def expression(self, least=0):
        left = self.unary()
        while LEVELS.get(self.words[0], -1) >= least:
            op = self.take()
            parts = [self.expression() if op == "?" else self.expression(LEVELS[op] + (op != "==>"))]
            parts += [self.expression(LEVELS["?"])] if op == "?" and self.take(":") else []
            left = self.applied(op, left, *parts)
        return left

    def applied(self, op, *parts):
        f = APPLIED[op]
        return lambda names: f(*[part(names) for part in parts])

    def unary(self):
        word = self.take()
        if word in ("-", "~", "!"):
            return self.applied("negated" if word == "-" else word, self.unary())
        if word == "(":
            return (self.expression(), self.take(")"))[0]
        if word == "forall":
            return self.forall()
        if self.words[0] == "(":
            return self.call(word)
        if self.words[0] == "[":
            return self.element(word)
        if not word[:1].isalnum():
            raise ValueError(f"`{word}` where a number is wanted")
        self.extents |= {word} & {"dynamicSharedBytes"}
        fixed = int(word) if word.isdigit() else {"true": 1, "false": 0}.get(word)
        return operator.itemgetter(word) if fixed is None else lambda names: fixed

    def forall(self):
        """Of an array as large as can be, the elements that small launches read."""
        name, _, _, low, _, high = self.take(), self.take("in"), self.take("["), self.expression(), self.take(","), self.expression()
        closed, _, body = self.take(")", "]") == "]", self.take(":"), self.expression()
        return lambda names: int(all(body({**names, name: i}) for i in range(low(names), min(high(names) + closed, READ))))

    def element(self, array):
        _, at, _ = self.take("["), self.expression(), self.take("]")
        size, kind = self.sizes[array], self.types[array]
        return lambda names: stored(names["held"](at(names) * size), *kind)

    def call(self, function):
        self.take("(")
        if function in ("extent", "elements"):
            of, by = self.take(*self.sizes), self.sizes if function == "elements" else {}
            self.extents.add(of)
            self.take(")")
            return lambda names: names[of] // by.get(of, 1)
        parts = [self.expression()]
        while self.take(",", ")") == ",":
            parts.append(self.expression())
        return self.applied(function, *parts)


class Judge:
    """Compares all that is said of one kernel with its launches. `found` has examples by what they show, and of what."""

    def __init__(self, kernel, said):
        self.kernel, self.machine, self.r, self.found, self.counts = kernel, Machine(kernel), random.Random(kernel.number), {}, collections.Counter()
        self.arrays = [a for a in kernel.arrays if a.kind in ("parameter", "dynamic")]
        self.names = ["dynamicSharedBytes" if a.kind == "dynamic" else a.name for a in self.arrays]
        self.claims = [Claim(r, kernel) for r in said["requires"]]
        reasons = {(o["line"], o["array"]): o["reason"] for o in said["open"]}
        self.open = {i: reasons[s.line, s.array.name] for i, s in enumerate(kernel.accesses) if (s.line, s.array.name) in reasons}
        self.of = [[c for c in self.claims if i in c.covers] for i in range(len(kernel.accesses))]
        # Of a kernel that was not followed to its end nothing is said of accesses that are not listed.
        self.open |= {i: said["partly"] for i, of in enumerate(self.of) if "partly" in said and not of and i not in self.open}
        self.where = [None if s.array.sides else self.arrays.index(s.array.of or s.array) for s in kernel.accesses]
        self.possible, self.met, self.together = set(), set(), not self.claims

    def launches(self, limit):
        values = [range(-2, 6) if NUMBERS[t][1] else range(2 if t == "bool" else 6) for _, t in self.kernel.parameters]
        values = [SIDES if axis in self.kernel.axes else (1,) for axis in AXES] * 2 + values
        drawn = (tuple(self.r.choice(v) for v in values) for _ in range(limit))
        for one in itertools.product(*values) if math.prod(map(len, values)) <= limit else drawn:
            yield one[:3], one[3:6], one[6:]

    def leaves(self, access, extents):
        """1 where it leaves its array, 2 where it does only in threads in which something wrapped, else 0."""
        array, where, m = self.kernel.accesses[access].array, self.where[access], self.machine
        size = math.prod(array.sides) * array.bytes if where is None else extents[where]
        return next((1 + k for k, at in enumerate((access, access + len(self.where))) if m.low[at] < 0 or m.high[at] > size), 0)

    def around(self, names):
        """Extents to look at, each with the condition that holds for one byte more."""
        large, tops, ends = [LARGE] * len(self.arrays), [0] * len(self.arrays), [{0} for _ in self.arrays]
        yield large, None
        for claim, e in ((claim, e) for claim in self.claims for e, name in enumerate(self.names) if name in claim.extents):
            others = {**names, **dict(zip(self.names, large))}
            first = bisect.bisect_left(range(LARGE + 1), True, key=lambda v: claim.holds({**others, self.names[e]: v}))
            if 0 < first <= LARGE:
                yield large[:e] + [first] + large[e + 1:], None
                yield large[:e] + [first - 1] + large[e + 1:], claim
                tops[e] = max(tops[e], first)
        yield tops, None
        for e, end in zip(self.where, self.machine.high):
            if e is not None and 0 < end <= LARGE:
                yield large[:e] + [end - 1] + large[e + 1:], None
                ends[e] |= {end, end - 1, tops[e], end + self.arrays[e].bytes}
        for _ in range(6):
            yield [self.r.choice(sorted(some)) for some in ends], None

    def launch(self, launch):
        """With each content of memory, since conditions may speak of it."""
        for held in CONTENTS if self.kernel.indirect else CONTENTS[:1]:
            self.machine.held = [held]
            if self.machine.run(launch):
                self.compare(launch, held)

    def compare(self, launch, held):
        names = {"held": held} | dict(zip(SIZES + [n for n, _ in self.kernel.parameters], launch[0] + launch[1] + launch[2]))
        for extents, below in self.around(names):
            names.update(zip(self.names, extents))
            holds, out = {c: c.holds(names) for c in self.claims}, [self.leaves(a, extents) for a in range(len(self.where))]
            made, large = [a for a in range(len(out)) if self.of[a] and self.machine.low[a] < math.inf], min(extents, default=LARGE) == LARGE
            self.together |= all(holds.values())
            if large and made and not any(out[a] for a in made):
                self.counts.update({"launches that fit": 1, "too strict": not all(holds.values())})
            for c in self.claims:
                if not holds[c]:
                    self.violated(c, [out[a] for a in c.covers], below is c or large and not c.extents, (launch, extents))
            for a in range(len(out)):
                if a not in self.open:
                    self.access(a, out[a], holds, (launch, extents))

    def violated(self, claim, out, edge, case):
        if 1 in out:
            claim.seen |= {"needed", "tight"} if edge else {"needed"}
        elif not any(out) and not self.machine.unclear and not self.kernel.indirect:
            claim.seen.add("loose")
            if claim.evidence == "exact":
                self.note("wrong exact", claim.text, case)

    def access(self, a, out, holds, case):
        own, named = all(holds[c] for c in self.of[a]), not self.of[a] or any(c.wraps for c in self.of[a])
        if not out and self.machine.low[a] < math.inf:
            self.possible.add(a)
            self.met |= {a} if own else set()
        if out and (all(holds.values()) or not self.of[a]):
            self.note("wrapped" if out == 2 and named else "wrong wrapped" if out == 2 else "wrong sufficient" if self.of[a] else "wrong safe", a, case)
        elif out == 1 and own:
            self.note("alone", a, case)

    def note(self, kind, of, case):
        """Keeps the first launch that shows something of an access or a condition, and the thread that leaves."""
        if (kind, of) not in self.found:
            (grid, block, given), extents = case
            values = [f"{n} = {v}" for (n, _), v in zip(self.kernel.parameters, given)] + [f"{v} bytes behind {n}" for n, v in zip(self.names, extents)]
            thread = next((t for t in self.machine.threads(case[0]) if self.leaves(of, extents)), "") if isinstance(of, int) else ""
            self.found[kind, of] = f"of {of}: <<<{grid}, {block}>>> with {', '.join(values)}; {thread}"
            self.machine.run(case[0])

    def remarks(self, said):
        """What came of it all, once the launches are done: what is shown, and of what."""
        for c in self.claims:
            shown = {"conditions": True, c.evidence: True, "tight": "tight" in c.seen, "not tight": "tight" not in c.seen, "loose": "loose" in c.seen}
            shown["not seen"] = c.evidence != "sufficient" and "needed" not in c.seen
            yield from [(kind, str(c)) for kind, yes in shown.items() if yes]
        for a in range(len(self.where)):
            covered = a not in self.open and bool(self.of[a])
            yield from (("accesses", ""), ("covered" if covered else "open" if a in self.open else "safe", self.open.get(a, "")))
            if covered and a in self.possible - self.met:
                yield "vacuous", f"access {a}: " + "; ".join(map(str, self.of[a]))
        yield from ((kind, what) for (kind, _), what in self.found.items())
        if not self.together:
            yield "never hold", "all conditions"
        if "partly" not in said and said["safe"] != sum(not of and a not in self.open for a, of in enumerate(self.of)):
            yield "not listed", f"{said['safe']} accesses are called safe"


def ask(kernels, arguments):
    """What SCuBA says of kernels, by their names."""
    before = 0
    for k in kernels:
        before += k.render(before)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernels.cu").write_text("\n".join(k.text for k in kernels))
        command, environment = [arguments.scuba, "contracts", "kernels.cu", "--format", "json"], {**os.environ, "SCUBA_NVCC": arguments.nvcc, "SCUBA_CACHE": "off"}
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    said = {f["function"].split("(")[0]: f for f in json.loads(run.stdout or '{"functions": []}')["functions"]}
    if run.returncode or len(said) < len(kernels):
        print(f"status {run.returncode}, {len(said)} kernels of {len(kernels)}: {run.stderr.strip()[-400:]}", file=sys.stderr)
    return said


class Tally:
    """Counts of all that is shown, why accesses are open, and how many examples were printed."""

    def __init__(self, examples):
        self.most, self.reasons, self.shown = examples, collections.Counter(), collections.Counter()
        self.counts = collections.Counter(dict.fromkeys([*PLAIN, *REMARKABLE, *(f"wrong {kind}" for kind in ("sufficient", "wrapped", "safe", "exact", "text"))], 0))

    def add(self, kernel, said, launches):
        judge = Judge(kernel, said)
        for launch in judge.launches(launches):
            judge.launch(launch)
        self.counts.update({"kernels": 1, "partly": "partly" in said, **judge.counts})
        for kind, what in judge.remarks(said):
            self.counts[kind] += 1
            self.reasons[what] += kind == "open"
            key = (kind, what) if kind == "open" else kind
            if kind.startswith("wrong") or self.shown[key] < self.most and (kind == "open" or kind not in PLAIN):
                self.shown[key] += 1
                lines = [f"    access {i}: line {s.line - kernel.before}  {judge.open.get(i, '')}".rstrip() for i, s in enumerate(kernel.accesses)]
                print(f"== {kind}, kernel {kernel.number}: {what}\n{kernel.text}", *lines, *(f"    {c} {c.wraps or ''}" for c in judge.claims), sep="\n", flush=True)

    def take(self, other):
        """The counts of other kernels as well."""
        self.counts.update(other.counts)
        self.reasons.update(other.reasons)

    def write(self, arguments):
        """Tables in Markdown."""
        told = " ".join(f"--{name} {getattr(arguments, name.replace('-', '_'))}" for name in ("kernels", "seed", "first", "per-file"))
        text = f"# `scuba contracts` against brute force\n\nGenerated by `tools/contracts-oracle.py {told}`{f', commit {arguments.commit}' * bool(arguments.commit)}.\n"
        for head, counts in (("", self.counts.items()), ("why accesses are open", self.reasons.most_common())):
            text += f"\n| {head} | number |\n| --- | ---: |\n" + "".join(f"| {what} | {n} |\n" for what, n in counts if n or not head)
        pathlib.Path(arguments.out).write_text(text)


def judged(arguments, first, end):
    """What the kernels of one file are counted as; nothing where the time is over."""
    tally = Tally(arguments.examples)
    if time.monotonic() >= end:
        return tally
    kernels = [Kernel(arguments.seed, n) for n in range(first, min(first + arguments.per_file, arguments.first + arguments.kernels))]
    said = ask(kernels, arguments)
    for k in [k for k in kernels if f"k{k.number}" in said]:
        try:
            tally.add(k, said[f"k{k.number}"], arguments.launches)
        except ValueError as fault:
            tally.counts["wrong text"] += 1
            print(f"kernel {k.number}: {fault}", file=sys.stderr)
    tally.counts["not analysed"] += len(kernels) - len(said)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    numbers = {"kernels": 200, "seed": 1, "first": 0, "per-file": 50, "launches": 300, "time": 0, "examples": 0, "jobs": 1}
    for name, default in {**numbers, "scuba": "scuba", "nvcc": str(TOOLKIT / "bin/nvcc"), "out": "", "commit": ""}.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    arguments = parser.parse_args()
    tally, end = Tally(arguments.examples), time.monotonic() + (arguments.time or math.inf)
    files = range(arguments.first, arguments.first + arguments.kernels, arguments.per_file)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for of_file in pool.map(judged, itertools.repeat(arguments), files, itertools.repeat(end)):
            tally.take(of_file)
    if arguments.out:
        tally.write(arguments)
    print(*(f"{n} {kind}" for kind, n in tally.counts.items()), sep=", ")
    return 2 if not tally.counts["kernels"] else int(any(n for kind, n in tally.counts.items() if kind.startswith("wrong")))


if __name__ == "__main__":
    sys.exit(main())
