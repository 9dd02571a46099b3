#!/usr/bin/env python3
"""Judges `scuba contracts` by brute force: random kernels, small values, every thread simulated.

    tools/contracts-oracle.py --scuba PATH [--kernels N] [--seed N] [--first N] [--per-file N] [--nvcc PATH] [--launches N]
                              [--time SECONDS] [--examples N] [--out FILE.md] [--commit HASH]

A kernel is made of a seed and its number, as CUDA and as Python that does the same with C's types. The conditions that `scuba contracts` prints
of it are read by a parser of this file's own and compared with what the threads do, for parameters from -2 to 5 (unsigned ones
from 0), grids and blocks of 1 to 3 along the axes that it uses, and extents around those where a condition or an access changes; of
more launches than `--launches`, as many are drawn. Memory that indices depend on holds a few arbitrary contents. Counted are

  wrong      an access that a condition covers goes out of bounds though all conditions of the kernel hold (`sufficient`); one that is
             neither covered nor open does (`safe`); a launch violates an `exact` condition and all stays in bounds (`exact`);
  wrapped    an access goes out of bounds in threads only where an operation wrapped: wrong as well if it is covered, all conditions
             hold, and those that cover it name no operation that must not wrap;
  alone      the conditions that cover an access do not suffice without the others of the kernel (nobody promises it);
  not seen   no launch that violates a condition called `needed` or `exact` goes out of bounds;
  vacuous    an access stays in bounds in some launch, but it is made in none for which the conditions that cover it hold;
  not tight  nothing goes out of bounds where the least extent for which a condition holds is one byte less, nor, of a condition
             on no extent, where it does not hold and arrays are large; loose: a launch violates it, and all stays in bounds;
  too strict a launch keeps all covered accesses in bounds of large arrays, and a condition does not hold.

The exit status is 1 if something is wrong, 2 if nothing could be judged. Only the Python standard library is used.
"""

import argparse
import bisect
import collections
import functools
import itertools
import json
import math
import operator
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

TOOLKIT = pathlib.Path(__file__).resolve().parent.parent / ".deps/cuda/nvidia/cu13"
# Bits, and whether there is a sign.
NUMBERS = {"int": (32, True), "unsigned": (32, False), "long": (64, True), "size_t": (64, False), "bool": (1, False)}
STORED = {"char": (8, True), "unsigned char": (8, False), "short": (16, True), "int": (32, True), "unsigned": (32, False)}
ELEMENTS = {**STORED, "float": (32, True), "double": (64, True), "long long": (64, True)}
SIDES, AXES = (1, 2, 3), "xyz"
# More bytes than small launches reach; the iterations after which a thread is taken for endless; what memory may hold.
LARGE, FUEL = 1 << 16, 300
CONTENTS = [lambda at: 0, lambda at: 1, lambda at: -1, lambda at: 1000003, lambda at: at * 2654435761 // 512 % 8 - 2, lambda at: at * 2654435761 // 1024 % 4]


# What kernels are made of, as C and as Python side by side.

def nested(text):
    return text if re.fullmatch(r"[\w.]+|min\([^()]*\)", text) else f"({text})"


def literal(value):
    return Expr("int", str(value), str(value))


@dataclass
class Expr:
    type: str
    c: str
    py: str

    def to(self, kind):
        """The Python of its value in another type. A value that does not fit counts as one that wrapped."""
        (bits, signed), (wide, also) = NUMBERS[self.type], NUMBERS[kind]
        if self.py.isdigit() or (bits < wide and (also or not signed)) or (bits, signed) == (wide, also):
            return self.py
        return f"fit_{kind}({self.py})"

    def cast(self, kind):
        return Expr(kind, f"({kind}){nested(self.c)}", self.to(kind))

    def with_(self, b):
        """The other operand, the type that both are converted to, and the Python of both in it."""
        b = b if isinstance(b, Expr) else literal(b)
        kind = next((t for t in ("size_t", "long", "unsigned") if t in (self.type, b.type)), "int")
        return b, kind, self.to(kind), b.to(kind)

    def arith(self, b, op):
        b, kind, x, y = self.with_(b)
        py = {"/": f"quotient({x}, {y})", "%": f"remainder({x}, {y})"}.get(op, f"({x} {op} {y})")
        return Expr(kind, f"{nested(self.c)} {op} {nested(b.c)}", py if op in ("&", "%", ">>") else f"fit_{kind}({py})")

    __add__, __sub__ = functools.partialmethod(arith, op="+"), functools.partialmethod(arith, op="-")
    __mul__, __truediv__, __mod__ = functools.partialmethod(arith, op="*"), functools.partialmethod(arith, op="/"), functools.partialmethod(arith, op="%")
    __and__, __lshift__, __rshift__ = functools.partialmethod(arith, op="&"), functools.partialmethod(arith, op="<<"), functools.partialmethod(arith, op=">>")

    def compare(self, op, b):
        b, _, x, y = self.with_(b)
        return Expr("bool", f"{nested(self.c)} {op} {nested(b.c)}", f"({x} {op} {y})")

    def join(self, op, b):
        return Expr("bool", f"{nested(self.c)} {op} {nested(b.c)}", f"({self.py} {'and' if op == '&&' else 'or'} {b.py})")

    def choose(self, a, b):
        b, kind, x, y = a.with_(b)
        return Expr(kind, f"{nested(self.c)} ? {nested(a.c)} : {nested(b.c)}", f"({x} if {self.py} else {y})")


@dataclass
class Array:
    """Its kind is `parameter`, `static`, `dynamic`, or `alias`, which is a pointer into `of`."""

    name: str
    element: str
    kind: str
    sides: tuple = ()
    of: object = None
    read_only: bool = False

    def declared(self):
        return f"{'const ' * self.read_only}{self.element} *{self.name}"

    @property
    def bytes(self):
        return ELEMENTS[self.element][0] // 8


@dataclass
class Statement:
    """One line, with a block if there is a body, at the end of which Python does `last`. In the Python of an access `@` is its number."""

    c: str
    py: str
    body: list = None
    last: str = "pass"
    array: Array = None
    line: int = 0


class Kernel:
    """`scope` holds the numbers that indices are made of while it is written, `left` how many accesses there may still be."""

    def __init__(self, seed, number):
        self.r, self.scope, self.left, self.counts, self.indirect = random.Random(f"{seed}/{number}"), [], 5, collections.Counter(), False
        self.number, self.depth, self.axes = number, 0, AXES[: self.r.choices((1, 2, 3), (6, 3, 1))[0]]
        self.parameters = [(n, self.one(int=6, unsigned=2, long=1, size_t=1)) for n in "nmk"[: self.r.randint(1, 3)]]
        self.numbers = [Expr(t, n, n) for n, t in self.parameters]
        self.parameters += [("flag", "bool")] * self.chance(0.1)
        self.arrays = [Array(n, self.r.choice(list(ELEMENTS)), "parameter", read_only=self.chance(0.3)) for n in AXES[: self.r.randint(1, 3)]]
        self.body = [s for axis, name in zip(self.axes, "ijl") for s in self.position(axis, name)]
        self.body += (self.leave() if self.chance(0.3) else []) + self.block()

    def render(self, before=0):
        """Sets its CUDA, of which the first line is behind `before` others, its accesses, and its Python."""
        given = [a.declared() for a in self.arrays if a.kind == "parameter"] + [f"{t} {n}" for n, t in self.parameters]
        self.c, self.py, self.accesses, self.before = [f"__global__ void k{self.number}({', '.join(given)})", "{"], [], [], before
        for a in self.arrays:
            if a.kind in ("static", "dynamic"):
                sides = "".join(f"[{side}]" for side in a.sides) or "[]"
                self.c.append(f"    {'extern ' * (a.kind == 'dynamic')}__shared__ {a.element} {a.name}{sides};")
        self.emit(self.body, "    ")
        names = [w + axis for w in "btdg" for axis in AXES] + [n for n, _ in self.parameters]
        self.text, self.python = "\n".join([*self.c, "}", ""]), "\n".join([f"def thread({', '.join(names)}):", *self.py])

    def emit(self, statements, margin):
        for s in statements:
            self.c.append(margin + s.c)
            self.py += [margin + line.replace("@", str(len(self.accesses))) for line in s.py.split("\n")]
            if s.array:
                s.line = self.before + len(self.c)
                self.accesses.append(s)
            if s.body is not None:
                self.emit(s.body, margin + "    ")
                self.py.append(f"{margin}    {s.last}")
                self.c.append(margin + "}")

    def one(self, **weights):
        return self.r.choices(list(weights), list(weights.values()))[0]

    def chance(self, p):
        return self.r.random() < p

    def name(self, letter):
        self.counts[letter] += 1
        return f"{letter}{self.counts[letter]}"

    # Numbers and conditions.

    def declare(self, kind, name, value):
        self.scope.append(Expr(kind, name, name))
        return [Statement(f"{kind} {name} = {value.c};", f"{name} = {value.to(kind)}")]

    def launch(self, what, axis):
        return Expr("unsigned", f"{what}.{axis}", {"threadIdx": "t", "blockIdx": "b", "blockDim": "d", "gridDim": "g"}[what] + axis)

    def position(self, axis, name):
        thread, block, width = (self.launch(what, axis) for what in ("threadIdx", "blockIdx", "blockDim"))
        form = self.one(both=7, bare=0.6, thread=1.4, block=1, wide=1)
        if form == "bare":
            self.scope.append(thread)
            return []
        value = {"thread": thread, "block": block, "both": block * width + thread, "wide": block.cast("long") * width + thread}[form]
        return self.declare(self.one(int=7, unsigned=2, long=1), name, value)

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
            return less.join(self.r.choice(["&&", "&&", "&&", "||"]), self.guard())
        return {
            "less": less, "most": v.compare("<=", to), "ahead": (v + self.r.choice([self.parameter(), c])).compare("<", to),
            "inner": v.compare(">=", c).join("&&", v.compare("<", to - self.small())), "times": (v * c).compare("<", to),
            "even": less.join("&&", (v % c).compare("==", 0)), "other": less.join("&&", v.compare("!=", 0)), "sum": (v + self.variable()).compare("<", to),
        }[form]

    def given(self):
        p, q = self.parameter(), self.parameter()
        c = p.compare(self.r.choice(["<", ">", "==", ">=", "!="]), self.small(0) if p.c == q.c or self.chance(0.5) else q)
        if self.parameters[-1][0] == "flag" and self.chance(0.6):
            c = Expr("bool", "flag", "flag")
        return c.join(self.r.choice(["&&", "||"]), self.given()) if self.chance(0.15) else c

    def index(self):
        v, w, p, c, last = self.variable(), self.variable(), self.parameter(), self.small(2), self.parameter() - 1
        weights = dict(plain=6, row=5, wide=1, slab=1, ahead=2, behind=2, times=1.5, strided=1.5, mirror=2, quotient=1.5, remainder=1.5, parameter=2, far=1.5)
        form = self.one(**weights, product=1, bits=1, clamp=1, least=0.5, fixed=1, last=1, sum=1, by=0.7)
        if form == "least" and v.type == last.type == "int":
            return Expr("int", f"min({v.c}, {last.c})", f"min({v.py}, {last.py})")
        return {
            "plain": v, "row": v * p + w, "wide": v.cast("size_t") * p + w, "slab": (v * p + w) * self.parameter() + self.variable(), "ahead": v + self.small(),
            "behind": v - self.small(), "times": v * c, "strided": v * c + self.small(0), "mirror": last - v, "quotient": v / c, "remainder": v % c,
            "parameter": p, "far": v + p, "product": v * p, "bits": self.r.choice([v << 1, v >> 1, v & 3]), "clamp": v.compare("<", p).choose(v, p - 1),
            "least": v, "fixed": self.small(0), "last": last, "sum": v + w, "by": self.r.choice([v / p, v % p]),
        }[form]

    # Statements.

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
        c = self.guard() if self.chance(0.75) else self.given()
        first = Statement(f"if ({c.c}) {{", f"if {c.py}:", self.block())
        return [first] + ([Statement("else {", "else:", self.block())] if self.chance(0.1) else [])

    def leave(self, word="return"):
        c = self.guard()
        return [Statement(f"if (!({c.c})) {word};", f"if not {c.py}: {word}")]

    def local(self):
        value = self.index()
        return self.declare(self.r.choice(["int", "int", "unsigned", value.type, value.type]), self.name("d"), value)

    def loop(self):
        form, v, to, axis = self.one(count=6, grid=3, down=1.5, thread=2, window=1, double=0.5), self.variable(), self.bound(), self.r.choice(self.axes)
        kind, name = "int" if form == "down" else self.one(int=7, unsigned=1.5, long=1), self.name("p")
        p, step, width = Expr(kind, name, name), self.r.choice([literal(1)] * 5 + [self.small(2), self.parameter()]), self.launch("blockDim", axis)
        less = p.compare(self.r.choice(["<"] * 5 + ["<="]), to)
        start, condition, op, step = {
            "count": (literal(0), less, "+", step), "thread": (v, less, "+", step), "window": (v, p.compare("<", v + self.small()), "+", step),
            "grid": (v, less, "+", width * self.launch("gridDim", axis) if self.chance(0.6) else width),
            "down": (to - 1, p.compare(">=", 0), "-", step), "double": (literal(1), less, "*", literal(2)),
        }[form]
        self.scope.append(p)
        body = (self.leave("break") if self.chance(0.08) else []) + self.block()
        self.scope.pop()
        after = f"{name}{op}{op}" if step.c == "1" and op != "*" else f"{name} {op}= {step.c}"
        start_py, next_py = f"{name} = {start.to(kind)}", f"{name} = {p.arith(step, op).to(kind)}"
        return [Statement(f"for ({kind} {name} = {start.c}; {condition.c}; {after}) {{", f"{start_py}\nwhile {condition.py} and go_on():", body, next_py)]

    def at(self, array, indices, into=""):
        self.left -= 1
        flat = indices[0].py
        for side, index in zip(array.sides[1:], indices[1:]):
            flat = f"({flat}) * {side} + {index.py}"
        place, c = f"@, ({flat}) * {array.bytes}" + f" + {array.name}" * bool(array.of), array.name + "".join(f"[{i.c}]" for i in indices)
        if into:
            return Statement(f"{array.element} {into} = {c};", f"{into} = load({place}, {ELEMENTS[array.element]})", array=array)
        return Statement(f"{c} = 1;", f"at({place})", array=array)

    def access(self):
        form = self.one(parameter=8, static=1.2, dynamic=0.8)
        known = [a for a in self.arrays if a.kind == form or a.kind == "alias" and form == "parameter"]
        if not known:
            sides = tuple(self.r.randint(1, 4) for _ in range(self.r.randint(1, min(len(self.axes), 2)))) if form == "static" else ()
            known = [Array("s" if sides else f"dyn{self.number}", self.r.choice(list(ELEMENTS)), form, sides)]
            self.arrays += known
        a = self.r.choice(known)
        indices = [self.index() for _ in a.sides or (0,)]
        if form != "parameter" and self.chance(0.7):
            indices = [self.launch("threadIdx", axis) for axis in reversed(self.axes[: len(indices)])]
        return [self.at(a, indices, self.name("v") if a.read_only or self.chance(0.35) else "")]

    def alias(self):
        a, shift = self.r.choice([a for a in self.arrays if a.kind == "parameter"]), self.r.choice([self.parameter(), self.small(), self.index()])
        q = Array(self.name("q"), a.element, "alias", of=a, read_only=a.read_only)
        self.arrays.append(q)
        return [Statement(f"{q.declared()} = {a.name} + {nested(shift.c)};", f"{q.name} = ({shift.py}) * {a.bytes}"), *self.access()]

    def gather(self):
        """An index from memory that nothing writes, and an access with it, most times behind a guard."""
        known = [a for a in self.arrays if a.name == "idx"] or [Array("idx", self.r.choice(list(STORED)), "parameter", read_only=True)]
        self.arrays += [] if known[0] in self.arrays else known
        self.indirect, name = True, self.name("e")
        read = self.at(known[0], [self.index()], name)
        v = Expr(known[0].element if known[0].element in NUMBERS else "int", name, name)
        self.scope.append(v)
        inner, c = self.access(), v.compare("<", self.bound())
        c = v.compare(">=", 0).join("&&", c) if self.chance(0.8) else c
        return [read, Statement(f"if ({c.c}) {{", f"if {c.py}:", inner)] if self.chance(0.6) else [read, *inner]


# What the threads of a launch do.

def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return a - b * quotient(a, b)


def as_signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Machine:
    """Runs the Python of a kernel. Of each access it keeps the least offset and the largest end in bytes: first those of threads where
    nothing wrapped, behind them those of others."""

    def __init__(self, kernel):
        self.kernel, self.sizes = kernel, [s.array.bytes for s in kernel.accesses]
        scope = {"at": self.at, "load": self.load, "go_on": self.go_on, "quotient": quotient, "remainder": remainder}
        scope.update({f"fit_{kind}": self.fitting(*of) for kind, of in NUMBERS.items()})
        exec(kernel.python, scope)
        self.thread = scope["thread"]

    def fitting(self, bits, has_sign):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if has_sign else (0, (1 << bits) - 1)

        def fit(value):
            if low <= value <= high:
                return value
            self.wrapped = True
            return as_signed(value, bits) if has_sign else value & high
        return fit

    def at(self, access, offset):
        offset, k = as_signed(offset, 64), access + self.wrapped * len(self.sizes)
        self.low[k], self.high[k] = min(self.low[k], offset), max(self.high[k], offset + self.sizes[access])

    def load(self, access, offset, kind):
        self.at(access, offset)
        value = self.contents(offset)
        return as_signed(value, kind[0]) if kind[1] else value & ((1 << kind[0]) - 1)

    def go_on(self):
        self.fuel -= 1
        if self.fuel < 0:
            raise TimeoutError
        return True

    def threads(self, launch):
        """Runs each thread with each content, and says which. A launch is its grid, its block and its numbers."""
        grid, block, given = launch
        self.low, self.high, self.endless = [math.inf] * 2 * len(self.sizes), [-math.inf] * 2 * len(self.sizes), False
        for number, self.contents in enumerate(CONTENTS if self.kernel.indirect else CONTENTS[:1]):
            for place in itertools.product(*(range(side) for side in grid + block)):
                self.wrapped, self.fuel = False, FUEL
                try:
                    self.thread(*place, *block, *grid, *given)
                except TimeoutError:
                    self.endless = True
                yield f"block {place[:3]} thread {place[3:]}" + f" contents {number}" * self.kernel.indirect

    def run(self, launch):
        """False where something has no meaning, as a division by zero."""
        try:
            return all(self.threads(launch))
        except ZeroDivisionError:
            return False


# Conditions. What has no value is None.

def defined(f):
    return lambda *values: None if None in values else f(*values)


def both(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def opposite(a):
    return None if a is None else not a


TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*(?:\.[xyz])?|==>|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^~!?:(),])")
LEVELS = {op: level for level, ops in enumerate(["==>", "?", "||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"]) for op in ops.split()}
TOTAL = {"|": operator.or_, "^": operator.xor, "&": operator.and_, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt}
TOTAL |= {">=": operator.ge, "+": operator.add, "-": operator.sub, "*": operator.mul, "min": min, "max": max, "abs": abs}
PARTIAL = {"/": lambda a, b: quotient(a, b) if b else None, "%": lambda a, b: remainder(a, b) if b else None, "ceil_div": lambda a, b: -(-a // b) if b else None}
PARTIAL |= {"<<": lambda a, b: a << b if b >= 0 else None, ">>": lambda a, b: a >> b if b >= 0 else None}
APPLIED = {"&&": both, "||": lambda a, b: opposite(both(opposite(a), opposite(b))), "==>": lambda a, b: opposite(both(a, opposite(b)))}
APPLIED |= {name: defined(f) for name, f in (TOTAL | PARTIAL).items()}


class Reader:
    """Reads a condition as a function of a dictionary of its names. `sizes` are the bytes of an element of each pointer; `extents` become
    those pointers of which the condition speaks, and `dynamicSharedBytes`."""

    def __init__(self, text, sizes):
        self.sizes, self.words, self.extents = sizes, TOKEN.findall(text) + [""], set()
        if "".join(self.words) != "".join(text.split()):
            raise ValueError(f"cannot read `{text}`")
        value = self.expression()
        self.take("")
        self.holds = lambda names: value(names) not in (None, False)

    def take(self, *words):
        if words and self.words[0] not in words:
            raise ValueError(f"`{self.words[0]}` where one of {words} is wanted")
        return self.words.pop(0)

    def expression(self, least=0):
        left = self.unary()
        while LEVELS.get(self.words[0], -1) >= least:
            op = self.take()
            if op == "?":
                yes, _, no = self.expression(), self.take(":"), self.expression(LEVELS["?"])
                left = self.applied(lambda c, a, b: None if c is None else a if c else b, left, yes, no)
            else:
                left = self.applied(APPLIED[op], left, self.expression(LEVELS[op] + (op != "==>")))
        return left

    def applied(self, f, *parts):
        return lambda names: f(*[part(names) for part in parts])

    def unary(self):
        word = self.take()
        if word in ("-", "~", "!"):
            return self.applied({"-": defined(operator.neg), "~": defined(operator.invert), "!": opposite}[word], self.unary())
        if word == "(":
            inner = self.take() if NUMBERS.get(self.words[0], (0,))[0] == 64 else self.expression()
            self.take(")")
            return self.unary() if isinstance(inner, str) else inner
        if self.words[0] == "(":
            return self.call(word)
        if not re.fullmatch(r"\w+(\.[xyz])?", word):
            raise ValueError(f"`{word}` where a number is wanted")
        self.extents |= {word} & {"dynamicSharedBytes"}
        fixed = int(word) if word.isdigit() else {"true": True, "false": False}.get(word)
        return operator.itemgetter(word) if fixed is None else lambda names: fixed

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
        return self.applied(APPLIED[function], *parts)


# What is said of kernels against what they do.

class Claim:
    """A condition. `seen` says what launches showed of it: `needed`, `tight`, `loose`."""

    def __init__(self, said, kernel, extents):
        self.text, self.evidence, self.wraps, self.seen = said["condition"], said["evidence"], said.get("if_no_wrap", []), set()
        places = {(p["line"], p["array"]) for p in said["covers"]}
        self.covers = [i for i, s in enumerate(kernel.accesses) if (s.line, s.array.name) in places]
        reader = Reader(self.text, {a.name: a.bytes for a in kernel.arrays})
        self.holds, self.extents = reader.holds, [i for i, name in enumerate(extents) if name in reader.extents]

    def __str__(self):
        return f"{self.text}  [{self.evidence}{', if nothing wraps' * bool(self.wraps)}, of access {', '.join(map(str, self.covers))}]"


class Judge:
    """Compares all that is said of one kernel with its launches. `found` has examples by what they show, and of what."""

    def __init__(self, kernel, said):
        self.kernel, self.machine, self.r, self.found, self.counts = kernel, Machine(kernel), random.Random(kernel.number), {}, collections.Counter()
        self.arrays = [a for a in kernel.arrays if a.kind in ("parameter", "dynamic")]
        self.names = ["dynamicSharedBytes" if a.kind == "dynamic" else a.name for a in self.arrays]
        self.claims = [Claim(r, kernel, self.names) for r in said["requires"]]
        places = [(s.line, s.array.name) for s in kernel.accesses]
        reasons = {(o["line"], o["array"]): o["reason"] for o in said["open"]}
        self.open = {i: reasons[place] for i, place in enumerate(places) if place in reasons}
        self.of = [[c for c in self.claims if i in c.covers] for i in range(len(places))]
        self.where = [None if s.array.sides else self.arrays.index(s.array.of or s.array) for s in kernel.accesses]
        self.possible, self.met = set(), set()

    def launches(self, limit):
        values = [range(-2, 6) if NUMBERS[t][1] else range(2 if t == "bool" else 6) for _, t in self.kernel.parameters]
        values = [SIDES if axis in self.kernel.axes else (1,) for axis in AXES] * 2 + values
        few = math.prod(map(len, values)) <= limit
        for one in itertools.product(*values) if few else ([self.r.choice(v) for v in values] for _ in range(limit)):
            yield tuple(one[:3]), tuple(one[3:6]), tuple(one[6:])

    def leaves(self, access, extents):
        """1 where it leaves its array, 2 where it does only in threads in which something wrapped, else 0."""
        array, where, m = self.kernel.accesses[access].array, self.where[access], self.machine
        size = math.prod(array.sides) * array.bytes if where is None else extents[where]
        return next((1 + k for k, at in enumerate((access, access + len(self.where))) if m.low[at] < 0 or m.high[at] > size), 0)

    def around(self, names):
        """Extents to look at, each with the condition that holds for one byte more."""
        large, tops, ends = [LARGE] * len(self.arrays), [0] * len(self.arrays), [{0} for _ in self.arrays]
        yield large, None
        for claim, e in ((claim, e) for claim in self.claims for e in claim.extents):
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
        if not self.machine.run(launch):
            return
        names = dict(zip([f"{d}.{axis}" for d in ("gridDim", "blockDim") for axis in AXES], launch[0] + launch[1]))
        names.update(zip([n for n, _ in self.kernel.parameters], launch[2]))
        for extents, below in self.around(names):
            names.update(zip(self.names, extents))
            holds, out = {c: c.holds(names) for c in self.claims}, [self.leaves(a, extents) for a in range(len(self.where))]
            made, large = [a for a in range(len(out)) if self.of[a] and self.machine.low[a] < math.inf], min(extents, default=LARGE) == LARGE
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
        elif not any(out) and not self.machine.endless and not self.kernel.indirect:
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

    def remarks(self):
        """What came of it all, once the launches are done: what is shown, and of what."""
        for c in self.claims:
            yield from (("conditions", ""), (c.evidence, ""), ("tight" if "tight" in c.seen else "not tight", str(c)))
            yield from [(kind, str(c)) for kind, yes in (("loose", "loose" in c.seen), ("not seen", c.evidence != "sufficient" and "needed" not in c.seen)) if yes]
        for a in range(len(self.where)):
            covered = a not in self.open and bool(self.of[a])
            yield from (("accesses", ""), ("covered" if covered else "open" if a in self.open else "safe", self.open.get(a, "")))
            if covered and a in self.possible - self.met:
                yield "vacuous", f"access {a}: " + "; ".join(map(str, self.of[a]))
        yield from ((kind, what) for (kind, _), what in self.found.items())


def ask(kernels, arguments):
    """What SCuBA says of kernels, by their names."""
    before = 0
    for k in kernels:
        k.render(before)
        before += k.text.count("\n") + 1
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernels.cu").write_text("\n".join(k.text for k in kernels))
        environment = {**os.environ, "SCUBA_NVCC": str(arguments.nvcc), "SCUBA_CACHE": "off"}
        run = subprocess.run([arguments.scuba, "contracts", "kernels.cu", "--format", "json"], cwd=folder, env=environment, capture_output=True, text=True)
    said = {f["function"].split("(")[0]: f for f in json.loads(run.stdout or '{"functions": []}')["functions"]}
    if run.returncode or len(said) < len(kernels):
        print(f"status {run.returncode}, {len(said)} kernels of {len(kernels)}: {run.stderr.strip()[-400:]}", file=sys.stderr)
    return said


class Tally:
    """Counts of all that is shown, why accesses are open, and examples."""

    def __init__(self, examples):
        self.most, self.counts, self.reasons, self.shown = examples, collections.Counter(), collections.Counter(), collections.Counter()

    def add(self, kernel, said, launches):
        judge = Judge(kernel, said)
        for launch in judge.launches(launches):
            judge.launch(launch)
        self.counts.update({"kernels": 1, "partly": "partly" in said, **judge.counts})
        remarks = list(judge.remarks())
        unlisted = sum(kind == "safe" for kind, _ in remarks) - said["safe"]
        for kind, what in remarks + [("not listed", f"{unlisted} accesses")] * ("partly" not in said and unlisted != 0):
            self.counts[kind] += 1
            self.reasons[what] += kind == "open"
            self.show(kind, what, judge)

    def show(self, kind, what, judge):
        key = (kind, what) if kind == "open" else kind
        plain = kind in ("kernels", "conditions", "accesses", "covered", "safe", "tight", "sufficient", "needed", "exact")
        if kind.startswith("wrong") or self.shown[key] < self.most and not plain:
            self.shown[key] += 1
            k, lines = judge.kernel, "\n".join(f"    access {i}: line {s.line - judge.kernel.before}" for i, s in enumerate(judge.kernel.accesses))
            print(f"== {kind}, kernel {k.number}: {what}\n{k.text}{lines}", *(f"    {c}" + f"; {c.wraps}" * (kind != "open" and bool(c.wraps)) for c in judge.claims), sep="\n", flush=True)

    def rows(self):
        columns = ("kernels", "accesses", "covered", "safe", "open", "conditions", "sufficient", "needed", "exact", "tight", "not tight", "loose", "not seen", "vacuous", "alone", "wrapped")
        more = sorted(set(self.counts) - set(columns) - {"wrong"})
        return [(c, self.counts[c]) for c in (*columns, *more)] + [("wrong", sum(n for c, n in self.counts.items() if c.startswith("wrong")))]


def write(path, tally, arguments):
    """A table in Markdown."""
    head = f"# `scuba contracts` against brute force\n\nGenerated by `{shlex.join(['tools/contracts-oracle.py', *sys.argv[1:]])}`"
    rows = "".join(f"| {name} | {n} |\n" for name, n in tally.rows())
    reasons = "".join(f"| {why} | {n} |\n" for why, n in tally.reasons.most_common() if n)
    commit = f", commit {arguments.commit}" * bool(arguments.commit)
    pathlib.Path(path).write_text(f"{head}{commit}.\n\n| | number |\n| --- | ---: |\n{rows}\n| why accesses are open | number |\n| --- | ---: |\n{reasons}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("kernels", 200), ("seed", 1), ("first", 0), ("per-file", 50), ("launches", 300), ("time", 0), ("examples", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("scuba", "scuba"), ("nvcc", TOOLKIT / "bin/nvcc"), ("out", None), ("commit", "")):
        parser.add_argument(f"--{name}", default=default)
    arguments = parser.parse_args()
    tally, end = Tally(arguments.examples), time.monotonic() + (arguments.time or math.inf)
    numbers = range(arguments.first, arguments.first + arguments.kernels)
    for i in range(0, len(numbers), arguments.per_file):
        if time.monotonic() > end:
            break
        kernels = [Kernel(arguments.seed, number) for number in numbers[i: i + arguments.per_file]]
        said = ask(kernels, arguments)
        for k in kernels:
            if f"k{k.number}" in said:
                tally.add(k, said[f"k{k.number}"], arguments.launches)
            else:
                tally.counts["not analysed"] += 1
    if arguments.out:
        write(arguments.out, tally, arguments)
    print(*(f"{n} {name}" for name, n in tally.rows()), sep=", ")
    return 2 if not tally.counts["kernels"] else min(tally.rows()[-1][1], 1)


if __name__ == "__main__":
    sys.exit(main())
