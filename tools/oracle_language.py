"""The language of `oracle-features.py`: CUDA programs as trees that are written as text and executed in Python.

Each node knows its C++ text and its meaning. The meaning is C++'s and PTX's own, on numbers of any size; no code of SCuBA takes part:
integers wrap as two's complement and the run notes it, `float` is rounded once per operation, and what overflows an integer behaves as
x86-64 and PTX's `cvt` do (host: the least number; device: the nearest one, 0 for a NaN).
"""

import collections
import math
import struct
from fractions import Fraction

from oracle_math import MATH, ROUND

DEVICE_MEMORY = 192 << 30
STEPS = 60_000
Type = collections.namedtuple("Type", "name bits signed real")
I8, U8, I16 = Type("signed char", 8, True, 0), Type("unsigned char", 8, False, 0), Type("short", 16, True, 0)
U16, I32, U32 = Type("unsigned short", 16, False, 0), Type("int", 32, True, 0), Type("unsigned", 32, False, 0)
I64, U64, I128 = Type("long long", 64, True, 0), Type("unsigned long long", 64, False, 0), Type("__int128", 128, True, 0)
U128, F32, F64 = Type("unsigned __int128", 128, False, 0), Type("float", 32, True, 24), Type("double", 64, True, 53)


class Ended(Exception):
    """The run is over: the program ended, or an axiom excludes what comes."""


class Cut(Exception):
    """The run is longer than brute force follows."""


def wrap(value, ty):
    value &= (1 << ty.bits) - 1
    return value - (1 << ty.bits) if ty.signed and value >> (ty.bits - 1) else value


def range_of(ty):
    return (-(1 << ty.bits - 1), (1 << ty.bits - 1) - 1) if ty.signed else (0, (1 << ty.bits) - 1)


def narrow(value):
    """A double as the nearest float."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def rounded(exact, ty):
    """The nearest number of a floating type, ties to even; exact is a Fraction."""
    if not exact:
        return 0.0
    power = exact.numerator.bit_length() - exact.denominator.bit_length() - ty.real
    if abs(exact) / Fraction(2) ** power >= 2**ty.real:
        power += 1
    out = math.ldexp(float(round(exact / Fraction(2) ** power)), power)
    return narrow(out) if ty is F32 else out


def to_integer(value, ty, run, device):
    """A number cut towards zero and converted."""
    low, high = range_of(ty)
    if math.isnan(value) or math.isinf(value) or not low <= int(value) <= high:
        run.vague = True
        if math.isnan(value):
            run.certain &= not (device and ty.bits > 32)
            return 0 if device or ty is U32 else low
        if device:
            return low if value < 0 else high
        if ty is U32:
            return int(value) & 0xFFFFFFFF if abs(value) < 2**63 else 0
        run.certain &= ty.signed
        return low
    return int(value)


def convert(value, old, new, run, device):
    if new.real:
        if old.real:
            return narrow(value) if new is F32 else value
        return rounded(Fraction(value), new)
    if old.real:
        return to_integer(value, new, run, device)
    out = wrap(value, new)
    run.wrapped |= out != value
    return out


def promoted(ty):
    return I32 if not ty.real and ty.bits < 32 else ty


def common(a, b):
    a, b = promoted(a), promoted(b)
    if a.real or b.real:
        return max(a, b, key=lambda t: t.real)
    if a.bits != b.bits:
        return max(a, b, key=lambda t: t.bits)
    return b if a.signed else a


class Run:
    """One execution: what is out of bounds, and how far it is to be trusted."""

    def __init__(self, argv, fused, order=None):
        self.argv, self.fused, self.order, self.racy = argv, fused, order, False
        self.bad, self.at, self.steps, self.objects = {}, set(), 0, []
        # What comes now is decided by known numbers; a replay may differ; an integer has wrapped; a device sum could be fused.
        self.certain, self.vague, self.wrapped, self.fusable = True, False, False, False

    def step(self):
        self.steps += 1
        if self.steps > STEPS:
            raise Cut("steps")

    def access(self, node, obj, offset, size, write):
        """Whether the bytes lie in the object; notes it where not."""
        self.at.add(node.where)
        if obj and 0 <= offset and offset + size <= obj.bytes:
            return True
        text = f"{'write' if write else 'read'} of {size} bytes at offset {offset} of {obj.name if obj else '?'} ({obj.bytes if obj else '?'} bytes)"
        self.bad.setdefault(node.where, (self.certain, self.wrapped, text))
        return False


class Object:
    """Memory of elements of one type; `fill` is what was never stored."""

    def __init__(self, run, name, ty, count, fill):
        self.name, self.ty, self.count, self.fill, self.cells = name, ty, count, fill, {}
        self.bytes, self.number = count * (ty.bits // 8), len(run.objects) + 1
        run.objects.append(self)

    @property
    def address(self):
        return self.number << 44


def split(run, address):
    """The object that an address was made of, and the offset from it."""
    number = (address + (1 << 43)) >> 44
    return (run.objects[number - 1], address - (number << 44)) if 0 < number <= len(run.objects) else (None, address)


def load(run, node, obj, index, ty=None):
    offset = index * (obj.ty.bits // 8)
    short = wrap(offset, I64)
    run.wrapped |= short != offset
    run.step()
    if not run.access(node, obj, short, obj.ty.bits // 8, False):
        run.certain = False
        return 0
    value = obj.cells.get(short // (obj.ty.bits // 8), obj.fill)
    if value is None:
        run.certain = False
        return 0
    return value


def store(run, node, obj, index, value):
    offset = index * (obj.ty.bits // 8)
    short = wrap(offset, I64)
    run.wrapped |= short != offset
    run.step()
    if run.access(node, obj, short, obj.ty.bits // 8, True):
        obj.cells[short // (obj.ty.bits // 8)] = value


class Frame:
    """Variables of one call of a function, by its unit's names."""

    def __init__(self, run, unit, device, world, special=None):
        self.run, self.unit, self.device, self.world, self.special, self.vars = run, unit, device, world, special, {}

    def object(self, name):
        return self.vars[name] if name in self.vars else self.world.globals[self.unit.name, name]


# Expressions: a type, a text and a meaning.


class Const:
    def __init__(self, ty, value):
        self.ty, self.value = ty, value

    def text(self):
        suffix = {I32: "", U32: "u", I64: "ll", U64: "ull", F32: "f", F64: ""}
        if self.ty.real:
            return repr(float(self.value)) + suffix[self.ty]
        low, _ = range_of(self.ty)
        if self.value == low and low:
            return f"({self.value + 1}{suffix[self.ty]} - 1)"
        return f"({self.value}{suffix[self.ty]})" if self.value < 0 else f"{self.value}{suffix[self.ty]}"

    def value_in(self, f):
        return self.value


class Var:
    """A local variable, a parameter, or a scalar variable of file scope."""

    def __init__(self, ty, name):
        self.ty, self.name = ty, name

    def text(self):
        return self.name

    def value_in(self, f):
        held = f.object(self.name)
        if isinstance(held, Object):
            held = held.cells.get(0, held.fill)
        if held is None:
            f.run.certain, held = False, 0
        return held


class Special:
    """`threadIdx.x` and its kin."""

    ty = U32

    def __init__(self, name):
        self.name = name

    def text(self):
        return self.name

    def value_in(self, f):
        return f.special[self.name]


class Element:
    """An element of an array, read on the host at a constant place."""

    def __init__(self, ty, name, at):
        self.ty, self.name, self.at = ty, name, at

    def text(self):
        return f"{self.name}[{self.at}]"

    def value_in(self, f):
        held = f.object(self.name)
        value = held.cells.get(self.at, held.fill)
        if value is None:
            f.run.certain, value = False, 0
        return value


class Cast:
    def __init__(self, ty, of):
        self.ty, self.of = ty, of

    def text(self):
        return f"({self.ty.name}){self.of.text()}" if isinstance(self.of, (Var, Const, Cast, Call)) else f"({self.ty.name})({self.of.text()})"

    def value_in(self, f):
        return convert(self.of.value_in(f), self.of.ty, self.ty, f.run, f.device)


COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


class Binary:
    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b
        self.ty = I32 if op in COMPARE or op in ("&&", "||") else promoted(a.ty) if op in ("<<", ">>") else common(a.ty, b.ty)

    def text(self):
        return f"({self.a.text()} {self.op} {self.b.text()})"

    def value_in(self, f):
        op, run = self.op, f.run
        run.step()
        if op == "&&":
            return int(bool(self.a.value_in(f)) and bool(self.b.value_in(f)))
        if op == "||":
            return int(bool(self.a.value_in(f)) or bool(self.b.value_in(f)))
        a = self.a.value_in(f)
        if op in ("<<", ">>"):
            a, by = convert(a, self.a.ty, self.ty, run, f.device), self.b.value_in(f)
            return self.fit(a << by if op == "<<" else a >> by, run)
        ty = common(self.a.ty, self.b.ty)
        if ty.real and op in "+-" and f.device and isinstance(self.a, Binary) and self.a.op == "*" and self.a.ty is ty:
            run.fusable = True
            if run.fused:
                x, y, z = (convert(e.value_in(f), e.ty, ty, run, True) for e in (self.a.a, self.a.b, self.b))
                if all(map(math.isfinite, (x, y, z))):
                    return rounded(Fraction(x) * Fraction(y) + (Fraction(z) if op == "+" else -Fraction(z)), ty)
        a, b = convert(a, self.a.ty, ty, run, f.device), convert(self.b.value_in(f), self.b.ty, ty, run, f.device)
        if op in COMPARE:
            return int(COMPARE[op](a, b))
        return real(op, a, b, ty) if ty.real else self.fit(whole(op, a, b), run)

    def fit(self, value, run):
        out = wrap(value, self.ty)
        run.wrapped |= out != value
        return out


def whole(op, a, b):
    if op in "/%":
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "/" else a - quotient * b
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op]


def real(op, a, b, ty):
    if op == "/" and b == 0:
        out = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    else:
        try:
            out = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[op]()
        except OverflowError:
            out = math.inf
    return narrow(out) if ty is F32 else out


class Not:
    ty = I32

    def __init__(self, of):
        self.of = of

    def text(self):
        return f"!({self.of.text()})"

    def value_in(self, f):
        return int(not self.of.value_in(f))


class Choice:
    def __init__(self, c, a, b):
        self.c, self.a, self.b, self.ty = c, a, b, common(a.ty, b.ty)

    def text(self):
        return f"({self.c.text()} ? {self.a.text()} : {self.b.text()})"

    def value_in(self, f):
        of = self.a if self.c.value_in(f) else self.b
        return convert(of.value_in(f), of.ty, self.ty, f.run, f.device)


# Result, parameters and meaning; the device's conversions saturate.
LIBRARY = {name: (F64, F64, f) for name, f in MATH.items()} | {name + "f": (F32, F32, lambda *a, f=f: narrow(f(*a))) for name, f in MATH.items()}
TO_INTEGER = {"__float2int_rn": "rint", "__float2int_ru": "ceil", "__float2int_rd": "floor", "__float2int_rz": "trunc"}


class Call:
    """A call of the mathematical library, of an intrinsic, or of a function of the program's."""

    def __init__(self, ty, name, *args):
        self.ty, self.name, self.args = ty, name, args

    def text(self):
        return f"{self.name}({', '.join(a.text() for a in self.args)})"

    def value_in(self, f):
        f.run.step()
        if self.name in LIBRARY:
            ty, taken, meaning = LIBRARY[self.name]
            return meaning(*(convert(a.value_in(f), a.ty, taken, f.run, f.device) for a in self.args))
        if self.name == "isnan":
            return int(math.isnan(self.args[0].value_in(f)))
        if self.name in TO_INTEGER:
            return to_integer(ROUND[TO_INTEGER[self.name]](convert(self.args[0].value_in(f), self.args[0].ty, F32, f.run, True)), I32, f.run, True)
        if self.name in ("__umul64hi", "__umulhi"):
            ty = U64 if self.name == "__umul64hi" else U32
            a, b = (convert(e.value_in(f), e.ty, ty, f.run, True) for e in self.args)
            return a * b >> ty.bits
        return f.world.call(f, self.name, [(a.ty, a.value_in(f)) for a in self.args], f.special)


# Statements.


class Writer:
    """Lines of one unit, numbered."""

    def __init__(self, name):
        self.name, self.lines, self.depth = name, [], 0

    def put(self, text, node=None):
        self.lines.append("    " * self.depth + text)
        if node is not None:
            place = (self.name, len(self.lines))
            if getattr(node, "where", place) != place:
                raise ValueError(f"one statement at {node.where} and {place}")
            node.where = place

    def body(self, statements):
        self.depth += 1
        for s in statements:
            s.write(self)
        self.depth -= 1


class Declare:
    def __init__(self, ty, name, e):
        self.ty, self.name, self.e = ty, name, e

    def write(self, w):
        w.put(f"{self.ty.name} {self.name} = {self.e.text()};")

    def run(self, f):
        f.vars[self.name] = convert(self.e.value_in(f), self.e.ty, self.ty, f.run, f.device)


class Assign:
    """To a local variable, or to a scalar variable of file scope."""

    def __init__(self, ty, name, e, op=""):
        self.ty, self.name, self.e, self.op = ty, name, e if not op else Binary(op, Var(ty, name), e), op
        self.shown = e

    def write(self, w):
        w.put(f"{self.name} {self.op}= {self.shown.text()};", self)

    def run(self, f):
        value = convert(self.e.value_in(f), self.e.ty, self.ty, f.run, f.device)
        held = f.object(self.name)
        if isinstance(held, Object):
            if f.device:
                f.run.access(self, held, 0, self.ty.bits // 8, True)
            held.cells[0] = value
        else:
            f.vars[self.name] = value


class Store:
    """One element of an array; a site where a device does it."""

    def __init__(self, array, index, e):
        self.array, self.index, self.e = array, index, e

    def write(self, w):
        w.put(f"{self.array}[{self.index.text()}] = {self.e.text()};", self)

    def run(self, f):
        held, index = f.object(self.array), self.index.value_in(f)
        value = convert(self.e.value_in(f), self.e.ty, held.ty, f.run, f.device)
        if f.device:
            store(f.run, self, held, index, value)
        else:
            held.cells[index] = value


class Load:
    """A new local variable from one element of an array; a site."""

    def __init__(self, ty, name, array, index):
        self.ty, self.name, self.array, self.index = ty, name, array, index

    def write(self, w):
        w.put(f"{self.ty.name} {self.name} = {self.array}[{self.index.text()}];", self)

    def run(self, f):
        held = f.object(self.array)
        f.vars[self.name] = convert(load(f.run, self, held, self.index.value_in(f)), held.ty, self.ty, f.run, f.device)


class If:
    def __init__(self, c, body, other=()):
        self.c, self.body, self.other = c, body, other

    def write(self, w):
        w.put(f"if ({self.c.text()}) {{")
        w.body(self.body)
        if self.other:
            w.put("} else {")
            w.body(self.other)
        w.put("}")

    def run(self, f):
        for s in self.body if self.c.value_in(f) else self.other:
            s.run(f)


class Count:
    """`for (T i = start; i < end; i += step)`."""

    def __init__(self, ty, name, start, end, by, body):
        self.ty, self.name, self.body = ty, name, body
        self.first, self.test, self.next = Declare(ty, name, start), Binary("<", Var(ty, name), end), Assign(ty, name, by, "+")

    def write(self, w):
        w.put(f"for ({self.ty.name} {self.name} = {self.first.e.text()}; {self.test.text()[1:-1]}; {self.name} += {self.next.shown.text()}) {{")
        w.body(self.body)
        w.put("}")

    def run(self, f):
        self.first.run(f)
        while self.test.value_in(f):
            f.run.step()
            for s in self.body:
                s.run(f)
            self.next.run(f)


class Returned(Exception):
    def __init__(self, value):
        self.value = value


class Return:
    def __init__(self, e=None, c=None):
        self.e, self.c = e, c

    def write(self, w):
        w.put((f"if ({self.c.text()}) " if self.c else "") + f"return{' ' + self.e.text() if self.e else ''};")

    def run(self, f):
        if self.c is None or self.c.value_in(f):
            raise Returned((self.e.ty, self.e.value_in(f)) if self.e else None)


class Allocate:
    """Device memory of `count` elements; `fill`: a byte that it is set to."""

    def __init__(self, ty, name, count, fill=None):
        self.ty, self.name, self.count, self.fill = ty, name, count, fill

    def write(self, w):
        size = f"{self.count.text()} * sizeof({self.ty.name})"
        clear = "" if self.fill is None else f" cudaMemset({self.name}, {self.fill}, {size});"
        w.put(f"{self.ty.name} *{self.name}; cudaMalloc(&{self.name}, {size});{clear}")

    def run(self, f):
        count = convert(self.count.value_in(f), self.count.ty, U64, f.run, False)
        size = wrap(count * (self.ty.bits // 8), U64)
        if size > DEVICE_MEMORY:
            raise Ended("allocation")
        f.run.wrapped |= size != count * (self.ty.bits // 8)
        f.vars[self.name] = Object(f.run, self.name, self.ty, size // (self.ty.bits // 8), None if self.fill is None else self.fill * 0x01010101)


class Launch:
    def __init__(self, kernel, grid, block, args):
        self.kernel, self.grid, self.block, self.args = kernel, grid, block, args

    def write(self, w):
        args = ", ".join(a if isinstance(a, str) else a.text() for a in self.args)
        w.put(f"{self.kernel}<<<{self.grid.text()}, {self.block.text()}>>>({args});", self)

    def run(self, f):
        grid, block = (convert(e.value_in(f), e.ty, U32, f.run, False) for e in (self.grid, self.block))
        args = [f.object(a) if isinstance(a, str) else (a.ty, a.value_in(f)) for a in self.args]
        if not 0 < grid < 1 << 31 or not 0 < block <= 1024:
            return
        if grid * block > 4096:
            raise Cut("threads")
        for b in range(grid):
            for t in range(block):
                f.world.call(f, self.kernel, args, {"threadIdx.x": t, "blockIdx.x": b, "blockDim.x": block, "gridDim.x": grid})


class Plain:
    """A statement without meaning for one order of events (a synchronisation)."""

    def __init__(self, text):
        self.text = text

    def write(self, w):
        w.put(self.text)

    def run(self, f):
        pass


class ToSymbol:
    def __init__(self, ty, name, local, e):
        self.ty, self.name, self.local = ty, name, Declare(ty, local, e)

    def write(self, w):
        self.local.write(w)
        w.put(f"cudaMemcpyToSymbol({self.name}, &{self.local.name}, sizeof({self.ty.name}));")

    def run(self, f):
        self.local.run(f)
        f.object(self.name).cells[0] = f.vars[self.local.name]


class FromSymbol:
    def __init__(self, ty, name, local):
        self.ty, self.name, self.local = ty, name, local

    def write(self, w):
        w.put(f"{self.ty.name} {self.local} = 0; cudaMemcpyFromSymbol(&{self.local}, {self.name}, sizeof({self.ty.name}));")

    def run(self, f):
        held = f.object(self.name)
        f.vars[self.local] = held.cells.get(0, held.fill)


class Perform:
    """A call for its effects; names of arrays are passed as they are."""

    def __init__(self, name, *args):
        self.name, self.args = name, args

    def write(self, w):
        w.put(f"{self.name}({', '.join(a if isinstance(a, str) else a.text() for a in self.args)});")

    def run(self, f):
        f.world.call(f, self.name, [f.object(a) if isinstance(a, str) else (a.ty, a.value_in(f)) for a in self.args], f.special)


# Units and whole programs.


class Global:
    """A variable of file scope of internal linkage: `static`, or in an unnamed namespace."""

    def __init__(self, kind, ty, name, count=None, values=(), unnamed=False):
        self.kind, self.ty, self.name, self.count, self.values, self.unnamed = kind, ty, name, count, values, unnamed

    def write(self, w):
        size = "" if self.count is None else f"[{self.count}]"
        values = ", ".join(str(v) for v in self.values)
        start = "" if not self.values else f" = {values}" if self.count is None else f" = {{{values}}}"
        text = f"{self.kind} {self.ty.name} {self.name}{size}{start};"
        w.put(f"namespace {{ {text} }}" if self.unnamed else f"static {text}")


class Function:
    """`kind`: `__global__`, `__device__` or none; parameters of type None are `int *`."""

    def __init__(self, kind, result, name, parameters, body, linkage="static"):
        self.kind, self.result, self.name, self.parameters, self.body, self.linkage = kind, result, name, parameters, body, linkage

    def head(self):
        words = [w for w in (self.kind, self.result.name if self.result else "void") if w]
        names = ", ".join("int *" + n if t is None else f"{t.name} {n}" for t, n in self.parameters)
        return f"{' '.join(words)} {self.name}({names})"

    def write(self, w):
        unnamed = self.linkage == "unnamed"
        w.put(("namespace { " if unnamed else "static " if self.linkage == "static" else "") + self.head() + " {")
        w.body(self.body)
        w.put("} }" if unnamed else "}")


class Unit:
    def __init__(self, name):
        self.name, self.globals, self.functions, self.declared = name, [], [], []

    def write(self):
        w = Writer(self.name)
        for text in ("#include <cmath>", "#include <cstdlib>", "#include <cuda_runtime.h>", *self.declared):
            w.put(text)
        for item in (*self.globals, *self.functions):
            item.write(w)
        self.text = "\n".join(w.lines) + "\n"
        return w


class World:
    """A linked program during one run."""

    def __init__(self, units, run):
        self.units, self.run_, self.globals = units, run, {}
        for u in units:
            for g in u.globals:
                o = self.globals[u.name, g.name] = Object(run, g.name, g.ty, 1 if g.count is None else g.count, 0)
                o.cells.update(enumerate(g.values))

    def call(self, caller, name, args, special):
        """Names are those of the caller's unit first, then the external ones."""
        own = [(caller.unit, f) for f in caller.unit.functions if f.name == name]
        unit, function = (own or [(u, f) for u in self.units for f in u.functions if f.name == name and f.linkage == "external"])[0]
        self.run_.step()
        f = Frame(self.run_, unit, caller.device or function.kind == "__global__", self, special)
        for (ty, p), a in zip(function.parameters, args):
            f.vars[p] = a if ty is None else convert(a[1], a[0], ty, self.run_, caller.device)
        try:
            for s in function.body:
                s.run(f)
        except Returned as r:
            if r.value is not None and function.result:
                return convert(r.value[1], r.value[0], function.result, self.run_, f.device)
        return 0


def execute(units, argv, fused, order=None):
    """One run of the program whose first unit has `main`; what is out of bounds is in the result. `order`: of threads that exchange values."""
    run = Run(argv, fused, order)
    world = World(units, run)
    main = Frame(run, units[0], False, world)
    body = next(f.body for f in units[0].functions if f.name == "main")
    run.end = "end"
    main.vars.update({f"argv[{n}]": v for n, v in enumerate(argv, 1)})
    try:
        for s in body:
            s.run(main)
    except (Ended, Returned) as e:
        run.end = str(e) if isinstance(e, Ended) else "end"
    except Cut as e:
        run.end, run.vague = f"cut: {e}", True
    except ZeroDivisionError:
        run.end, run.vague = "division by zero", True
    return run
