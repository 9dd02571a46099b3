"""Random programs for `oracle-features.py`: what the generator of `tests/oracle` lacks.

Each is a `main` with sections: numbers go through managed variables, wide integers, constants and functions of equal names in two units, inline
PTX or floating point, and are an index or a size at the end. Most programs are nearly right, since the border is where mistakes show.
`VERSION` changes with what a seed gives: a changed generator gets a new number, and the old one stays beside it. The second one has predicates of
inner scopes that have the name of an outer one.
"""

import collections

from oracle_language import (
    F32, F64, I8, I16, I32, I64, I128, TO_INTEGER, U8, U16, U32, U64, U128, Allocate, Assign, Binary, Call, Cast, Choice, Const, Count, Declare, Element,
    FromSymbol, Function, Global, If, Launch, Load, Not, Perform, Plain, Return, Special, Store, ToSymbol, Unit, Var, wrap,
)
from oracle_ptx import Asm

VERSION = 2
SECTIONS = ["managed", "managed array", "wide", "wide", "units", "ptx", "ptx", "float", "float"]
FIRST = [*range(-4, 18), 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 1000, 32768, 65535, 65536, 16777217, 1 << 30, (1 << 31) - 1, -129, -65537, -(1 << 31)]
SECOND = [2, 0, 1, 3, 7, -1, 8, 9, 33, 255, -5, 65536]


class Random:
    """SplitMix64: the same numbers in every version of Python."""

    def __init__(self, seed):
        # A seed's numbers are not those of the next one, later: the first is made the state.
        self.state = seed * 0xD1342543DE82EF95 % 2**64
        self.state = self.below(2**64)

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) % n

    def choose(self, of):
        return of[self.below(len(of))]

    def chance(self, percent):
        return self.below(100) < percent


def num(value, ty=I32):
    return Const(ty, value)


class Program:
    """The program of a seed: units, values to try, and how often each feature occurs."""

    def __init__(self, seed, without=(), version=VERSION):
        """`without`: sections that are left out, which makes another program."""
        self.version = version
        self.seed, self.r, self.names, self.counts = seed, Random(seed), 0, collections.Counter()
        # Percent by which what would be right is made slightly wrong.
        self.slips = self.r.choose([0, 5, 15, 30])
        self.unit, self.other = Unit("a.cu"), None
        self.body, self.vars = [], [Var(I32, "x"), Var(I32, "y")]
        self.features = {}
        self.begin()
        if self.r.chance(35):
            self.body.append(Return(num(0), Binary("||", Binary("<", Var(I32, "x"), num(self.r.choose([0, 1, -3]))), Binary(">", Var(I32, "x"), num(self.r.choose([7, 8, 64, 1000]))))))
        for _ in range(3 + self.r.below(3)):
            which = self.r.choose([s for s in self.kinds if s not in without])
            before = set(self.statements())
            getattr(self, which.replace(" ", "_"))()
            for s in self.statements():
                if s not in before:
                    self.features[s] = which
        self.body.append(Return(num(0)))
        self.main = Function("", I32, "main", [], self.body, "external")
        self.main.head = lambda: "int main(int argc, char **argv)"
        self.body.insert(0, self.enough())
        self.unit.functions.append(self.main)
        self.units = [self.unit] + ([self.other] if self.other else [])
        for u in self.units:
            u.write()
        self.sections = {s.where: which for s, which in self.features.items() if hasattr(s, "where")}
        self.inputs = self.arguments()

    # What the third generator does otherwise.

    kinds = SECTIONS

    def begin(self):
        """`x` and `y` from the command line."""
        self.body += [Declare(I32, "xy"[n], Argument(n + 1)) for n in range(2)]

    def enough(self):
        return TooFew()

    def arguments(self):
        return [(x, y) for y in SECOND for x in FIRST]

    def statements(self):
        todo = [s for u in (self.unit, self.other) if u for f in u.functions for s in f.body] + self.body
        while todo:
            s = todo.pop()
            yield s
            todo += [*getattr(s, "body", ()), *getattr(s, "other", ())]

    # Small things.

    def name(self, kind):
        self.names += 1
        return f"{kind}{self.names}"

    def count(self, what):
        self.counts[what] += 1

    def slip(self):
        return self.r.chance(self.slips)

    def nearly(self, n):
        return n + self.r.choose([1, -1, 1, n]) if self.slip() else n

    def host_var(self):
        return self.r.choose(self.vars)

    def remember(self, ty, e):
        v = Var(ty, self.name("v"))
        self.body.append(Declare(ty, v.name, e))
        self.vars.append(v)
        return v

    def expr(self, vars, depth=2):
        r = self.r
        if not depth or r.chance(25):
            return r.choose(vars) if r.chance(75) else num(r.choose([0, 1, 2, 3, 7, 8, 255, -1]))
        a = self.expr(vars, depth - 1)
        kind = r.below(8)
        if kind < 4:
            return Binary(r.choose("+-*+"), a, self.expr(vars, depth - 1))
        if kind == 4:
            return Binary(r.choose(["/", "%"]), a, num(r.choose([2, 3, 8, 7])))
        if kind == 5:
            return Binary(r.choose("&|^&"), a, num(r.choose([7, 15, 1, 255])))
        if kind == 6:
            return Binary(">>", a, num(r.choose([1, 3, 4, 28])))
        return Choice(Binary(r.choose(["<", ">=", "==", "!="]), a, num(r.choose([0, 3, 8]))), self.expr(vars, depth - 1), num(r.choose([0, 5, 8])))

    def bounded(self, e, n):
        """About 0 <= e < n by a mask, a remainder or a choice."""
        r, e = self.r, Cast(I32, e) if e.ty is not I32 else e
        kind = r.below(4)
        if kind == 0 and n & (n - 1) == 0:
            return Binary("&", e, num(self.nearly(n) - 1))
        if kind == 1:
            return Binary("%", Cast(U32, e), num(self.nearly(n), U32))
        if kind == 2:
            return Binary("%", e, num(self.nearly(n)))
        return Choice(Binary("<", e, num(0)), num(0), Choice(Binary("<", e, num(n)), e, num(n if self.slip() else n - 1)))

    def guard(self, e, n, real=False):
        """About 0 <= e < n as a condition."""
        high = Binary("<", e, num(self.nearly(n))) if self.r.chance(70) else Binary("<=", e, num(self.nearly(n) - 1))
        if self.slip() and not real:
            return high
        low = Binary(">=", e, num(0)) if self.r.chance(60) else Binary(">", e, num(-1))
        return Binary("&&", low, high)

    def array(self, n=8):
        a = self.name("a")
        self.body.append(Allocate(I32, a, num(n), 0 if self.r.chance(60) else None))
        return a

    def kernel(self, parameters, body, unit=None, name=None, linkage="static"):
        k = name or self.name("k")
        (unit or self.unit).functions.append(Function("__global__", None, k, parameters, body, linkage))
        return k

    def launch(self, k, args, grid=None, block=None):
        self.body.append(Launch(k, grid or num(1), block or num(1), args))

    def wait(self):
        self.body.append(Plain("cudaDeviceSynchronize();"))

    def take(self, ty=I32):
        """A kernel that stores at the index that it is given."""
        return self.kernel([(None, "out"), (ty, "i")], [Store("out", Var(ty, "i"), num(1))])

    def end(self, index, n=None):
        """On the host: a number is an index, guarded or bounded, or a size."""
        r = self.r
        n = n or r.choose([8, 8, 4, 16, 5])
        kind = r.below(5)
        if kind == 0:
            v = self.remember(I32, self.bounded(index, n))
            self.launch(self.take(), [self.array(n), v])
        elif kind in (1, 2):
            v = self.remember(I32, index) if index.ty.bits <= 32 or r.chance(50) else self.remember(I64, index)
            a, k = self.array(n), self.take(v.ty)
            self.body.append(If(self.guard(v, n), [Launch(k, num(1), num(1), [a, v])]))
        elif kind == 3:
            self.size(index)
        else:
            a, k, v = self.array(n), self.take(), self.remember(I32, index)
            i = Var(I32, self.name("i"))
            top = Choice(Binary(">", v, num(self.nearly(n))), num(self.nearly(n)), v)
            self.body.append(Count(I32, i.name, num(0), top, num(r.choose([1, 2])), [Launch(k, num(1), num(1), [a, i])]))

    def size(self, e):
        """On the host: a number is the size of an array, and how far a kernel goes."""
        r, v = self.r, self.remember(I32, e)
        self.body.append(Return(num(0), Binary("||", Binary("<", v, num(r.choose([1, 1, 0]))), Binary(">", v, num(r.choose([64, 200]))))))
        a = self.name("a")
        more = r.choose([v, Binary("+", v, num(1)), Binary("*", v, num(2)), v]) if not self.slip() else Binary("-", v, num(1))
        self.body.append(Allocate(I32, a, Cast(U64, more) if r.chance(30) else more))
        t, i, n = r.choose([32, 16]), Var(I32, "i"), Var(I32, "n")
        test = Binary("<=" if self.slip() else "<", i, n)
        index = Binary("+", Binary("*", Special("blockIdx.x"), Special("blockDim.x")), Special("threadIdx.x"))
        k = self.kernel([(None, "out"), (I32, "n")], [Declare(I32, "i", index), If(test, [Store("out", i, num(1))])])
        self.launch(k, [a, v], Binary("/", Binary("+", v, num(t - 1)), num(t)), num(t))
        self.count("size")

    # `__managed__` variables.

    def managed(self):
        r, ty = self.r, self.r.choose([I32, I32, I32, U32, I64, U64, I16, U8, I8, U16, I128, U128])
        m = Var(ty, self.name("m"))
        self.unit.globals.append(Global("__managed__", ty, m.name, None, r.choose([(), (3,), (8,)])))
        self.count("managed variable")
        if ty.bits == 128:
            self.count("managed, of 128 bits")
        if ty in (I32, U32) and r.chance(35):
            return self.managed_counter(m)
        if r.chance(40):
            self.body.append(Assign(ty, m.name, self.expr(self.vars, 1)))
            self.count("managed, written by the host")
        v = Var(I32, "v")
        write = Assign(ty, m.name, self.bounded(self.expr([v], 2), 8) if r.chance(60) else self.expr([v], 1), r.choose(["", "", "+"]))
        if r.chance(30):
            write = If(Binary(r.choose(["<", ">", "=="]), v, num(r.choose([0, 3, 8]))), [write])
        k = self.kernel([(I32, "v")], [write])
        self.count("managed, written by a kernel")
        kind = r.below(5)
        self.launch(k, [self.host_var()])
        if kind == 0:
            # A kernel reads it next.
            n = r.choose([8, 4, 16])
            a = self.array(n)
            body = [Store("out", Cast(I32, m), num(1))]
            if r.chance(70):
                body = [If(self.guard(m, n), body)]
            self.launch(self.kernel([(None, "out")], body), [a])
            self.count("managed, index in a kernel")
            return
        self.wait()
        if r.chance(30):
            # Once more, from what the host read.
            self.launch(k, [Cast(I32, m)])
            self.wait()
        self.count(f"managed, {'size' if kind == 1 else 'index'} on the host")
        self.size(m) if kind == 1 else self.end(m)

    def managed_counter(self, m):
        """Threads count in a managed variable; where each stood, or how many there were, is an index or a size."""
        r, n, t, j = self.r, self.r.choose([8, 16, 4]), Special("threadIdx.x"), Var(m.ty, "j")
        self.count("managed, atomic counter")
        if r.chance(70):
            self.body.append(Assign(m.ty, m.name, num(0) if r.chance(70) else self.expr(self.vars, 1)))
        test = Binary(r.choose(["<", ">=", "=="]), Binary("&", Binary("+", Cast(I32, t), Var(I32, "v")), num(r.choose([3, 7]))), num(r.choose([1, 2, 4])))
        use = Store("out", j, num(1))
        body = [Counted(m.ty, "j", m.name)] + ([If(self.guard(j, n), [use])] if r.chance(60) else [use] if r.chance(50) else [])
        body = [If(test, body)] if r.chance(70) else body
        self.launch(self.kernel([(None, "out"), (I32, "v")], body), [self.array(n), self.host_var()], block=num(r.choose([4, 8, 16, 17])))
        self.wait()
        self.end(m) if r.chance(70) else self.size(m)

    def managed_array(self):
        r, m, n = self.r, self.name("m"), self.r.choose([8, 4, 16])
        self.unit.globals.append(Global("__managed__", I32, m, n, r.choose([(), (1, 2, 3)])))
        self.count("managed array")
        v, t = Var(I32, "v"), Special("threadIdx.x")
        kind = r.below(4)
        if kind == 0:
            # The array itself is left.
            k = self.kernel([(I32, "v")], [If(self.guard(v, n), [Store(m, v, num(2))])] if r.chance(60) else [Store(m, self.bounded(v, n), v)])
            self.launch(k, [self.host_var()])
            self.wait()
            self.count("managed array, index into it")
        fill = Binary("+", Binary("*", Cast(I32, t), r.choose([v, num(1), num(2)])), r.choose([v, num(0), num(1)]))
        body = [Store(m, t, self.bounded(fill, 8) if r.chance(40) else fill)]
        if r.chance(25):
            i = Var(I32, self.name("i"))
            self.body.append(Count(I32, i.name, num(0), num(n), num(1), [Store(m, i, self.bounded(Binary(r.choose("+*"), i, self.host_var()), 8))]))
            self.count("managed array, filled by the host")
        threads = n
        if self.slip() or r.chance(20):
            threads = r.choose([n + 1, 32])
            body = [If(Binary("<", t, num(self.nearly(n))), body)]
        self.launch(self.kernel([(I32, "v")], body), [self.host_var()], block=num(threads))
        if kind == 1:
            # Indices in it are used by a kernel.
            a = self.array(8)
            read = Load(I32, "j", m, t)
            use = Store("out", Var(I32, "j"), num(1))
            self.launch(self.kernel([(None, "out")], [read, If(self.guard(Var(I32, "j"), 8), [use]) if r.chance(70) else use]), [a], block=num(n))
            self.count("managed array, indices in a kernel")
            return
        self.wait()
        at = r.below(n)
        if r.chance(40):
            self.body.append(Store(m, num(at), self.expr(self.vars, 1)))
        self.count("managed array, element on the host")
        self.end(Element(I32, m, at))

    # Wide integers.

    def wide_expr(self, vars, depth, ty):
        r = self.r
        if depth == 0 or r.chance(15):
            if r.chance(70):
                v = r.choose(vars)
                return Cast(ty, Cast(U64, v) if r.chance(40) else v)
            big = r.choose([1, 3, 8, 10**9, 1 << 32, 1 << 61, (1 << 63) - 1, (1 << 64) - 1, 0x2000000000000001])
            return Cast(ty, num(big, U64))
        a, kind = self.wide_expr(vars, depth - 1, ty), r.below(10)
        if kind < 5:
            return Binary(r.choose("+-**"), a, self.wide_expr(vars, depth - 1, ty))
        if kind == 5:
            return Binary(r.choose(["/", "%"]), a, Cast(ty, num(r.choose([3, 8, 10**9, (1 << 64) - 1]), U64)))
        if kind in (6, 7):
            return Binary(r.choose([">>", ">>", "<<"]), a, num(r.choose([1, 3, 31, 32, 60, 61, 64, 96, 120, 125]) % ty.bits))
        if kind == 8:
            return Binary(r.choose("&|^"), a, self.wide_expr(vars, depth - 1, ty))
        return Choice(Binary(r.choose(["<", ">=", "=="]), a, self.wide_expr(vars, depth - 1, ty)), a, Cast(ty, r.choose(vars)))

    def wide_shape(self, vars, ty):
        """Idioms: the high half of a product, a product divided again, a difference that wraps."""
        r, big = self.r, Cast(ty, num(self.r.choose([1 << 32, 10**9, 1 << 61, (1 << 64) - 1, 1 << 63]), U64))
        a, b = Cast(ty, r.choose(vars)), Cast(ty, r.choose(vars))
        return r.choose([
            Binary(">>", Binary("*", Cast(ty, Cast(U64, r.choose(vars))), big), num(64 % ty.bits or 61)),
            Binary("/", Binary("*", a, big), big),
            Binary("%", Binary("*", a, big), Cast(ty, num(8))),
            Binary(">>", Binary("-", a, b), num(ty.bits - 3)),
            Binary("+", Binary("*", a, b), Cast(ty, num(self.r.choose([0, 1, -1])))),
            Binary("-", Binary("+", a, big), big),
        ])

    def wide(self):
        r, ty = self.r, self.r.choose([I128, U128, U128, I128, U64])
        device = r.chance(55)
        vars = [Var(I32, "v"), Var(I32, "w")] if device else self.vars[-3:]
        e = self.wide_shape(vars, ty) if r.chance(55) else self.wide_expr(vars, 2 + r.below(2), ty)
        self.count(f"{ty.name} on the {'device' if device else 'host'}")
        q, n = Var(ty, "q") if device else Var(ty, self.name("q")), r.choose([8, 8, 16, 5])
        declare = Declare(ty, q.name, e)
        bound = Cast(ty, num(self.nearly(n)))
        kind = r.below(4)
        index, test = r.choose([Cast(I32, q), Cast(I64, q), Cast(U64, q), Cast(I32, q)]), None
        if kind == 0:
            index = Cast(I32, Binary("%", q, bound) if not ty.signed or self.slip() else Binary("&", q, Cast(ty, num(7))))
        elif kind == 1:
            # Tested in full, used cut.
            test = Binary("<", q, bound)
            if ty.signed and not self.slip():
                test = Binary("&&", Binary(">=", q, Cast(ty, num(0))), test)
        elif kind == 2:
            # Tested cut, used in full or cut.
            cut = Cast(r.choose([I32, I32, U32, I64]), q)
            test = Binary("&&", Binary(">=", cut, num(0)), Binary("<", cut, num(n)))
            index = r.choose([cut, cut, index]) if self.slip() else cut
        else:
            index = Cast(I32, Binary(">>", q, num(ty.bits - r.choose([3, 3, 4, 2]))))
            index = index if not ty.signed or self.slip() else Binary("&", index, num(7))
        if device:
            use = [Store("out", index, num(1))]
            k = self.kernel([(None, "out"), (I32, "v"), (I32, "w")], [declare] + ([If(test, use)] if test else use))
            self.launch(k, [self.array(n), self.host_var(), self.host_var()])
        else:
            self.body.append(declare)
            if r.chance(30):
                # The number itself is the parameter.
                k = self.kernel([(None, "out"), (ty, "w")], [Store("out", Cast(r.choose([I32, I64]), Var(ty, "w")), num(1))])
                use = Launch(k, num(1), num(1), [self.array(n), q if test else index])
                self.count("wide parameter of a kernel")
            else:
                use = Launch(self.take(index.ty), num(1), num(1), [self.array(n), index])
            self.body.append(If(test, [use]) if test else use)

    # Two units with equal names.

    def units_kernel(self, unit, g, f, shape):
        v = Var(I32, "v")
        index = {"g": g, "f": Call(I32, f, v), "gf": Binary("+", Call(I32, f, v), g), "table": None}[shape]
        if shape == "table":
            body = [Load(I32, "j", "table", self.bounded(v, self.lengths[unit])), Store("out", Var(I32, "j"), num(1))]
        else:
            body = [Store("out", index, num(1))]
        if self.r.chance(30):
            body = [If(self.guard(v, 8), body)]
        return Function("__global__", None, "work", [(None, "out"), (I32, "v")], body, self.r.choose(["static", "unnamed"]))

    def units(self):
        if self.other:
            return self.managed()
        r = self.r
        self.other = Unit("b.cu")
        kind, ty, shape = r.choose(["__constant__", "__device__", "__managed__"]), r.choose([I32, I32, U8]), r.choose(["g", "f", "gf", "table", "table"])
        unnamed = r.chance(50)
        self.lengths = {}
        sizes, starts = (r.choose([8, 4, 9]), r.choose([8, 12, 16])), (r.choose([1, 3, 0]), r.choose([5, 8, 7]))
        self.count("two units, variables of equal names")
        self.count(f"two units, {kind}, {'unnamed namespace' if unnamed else 'static'}")
        for unit, start in zip((self.unit, self.other), starts):
            unit.globals.append(Global(kind, ty, "g", None, (start,), unnamed))
            length = r.choose([2, 4, 6])
            self.lengths[unit] = length
            unit.globals.append(Global(r.choose(["__constant__", "__device__"]), I32, "table", length, tuple((start + j * r.choose([1, 2])) % 9 for j in range(length)), r.chance(50)))
            e = self.bounded(Binary(r.choose("+*"), Var(I32, "v"), num(start)), r.choose([4, 8]))
            unit.functions.append(Function("__device__", I32, "f", [(I32, "v")], [Return(e)], r.choose(["static", "unnamed"])))
            unit.functions.append(self.units_kernel(unit, Var(ty, "g"), "f", shape))
            scale = Function("", I32, "scale", [(I32, "v")], [Return(Binary(r.choose("+-"), Binary("&", Var(I32, "v"), num(3)), num(start)))], "static")
            unit.functions.append(scale)
        self.count("two units, functions and kernels of equal names")
        if shape == "table":
            self.count("two units, arrays of equal names")
        # What the other unit does for this one.
        run = [Allocate(I32, "b", num(sizes[1]), 0)]
        if r.chance(50) and kind != "__managed__":
            run.append(ToSymbol(ty, "g", "h", Call(I32, "scale", Var(I32, "v"))))
            self.count("two units, symbol set in the other one")
        elif kind == "__managed__":
            run += [Assign(ty, "g", self.bounded(Var(I32, "v"), 8)), Plain("cudaDeviceSynchronize();")]
        run.append(Launch("work", num(1), num(1), ["b", Var(I32, "v")]))
        run += [Plain("cudaDeviceSynchronize();"), Return(Call(I32, "scale", Var(I32, "v")))]
        other = Function("", I32, "run_b", [(I32, "v")], run, "external")
        self.other.functions.append(other)
        self.unit.declared.append(other.head() + ";")
        if r.chance(50) and kind != "__managed__":
            self.body.append(ToSymbol(ty, "g", self.name("h"), self.bounded(self.host_var(), 8)))
        calls = [lambda: self.remember(I32, Call(I32, "run_b", self.host_var())), lambda: self.launch("work", [self.array(sizes[0]), self.host_var()])]
        for c in calls if r.chance(50) else calls[::-1]:
            c()
        if kind == "__device__" and r.chance(50):
            local = self.name("v")
            self.body.append(FromSymbol(ty, "g", local))
            self.end(Var(ty, local))
        elif r.chance(40):
            self.end(Call(I32, "scale", self.host_var()))

    # Inline PTX.

    def ptx(self):
        r, n = self.r, self.r.choose([8, 8, 16])
        kind = r.choose(["predicated store", "predicated load", "number", "loop", "branch around", "address", "scopes", "plain", "operand as predicate", "operand as predicate", "several accesses"] + ["predicate of a scope"] * 2 * (self.version > 1))
        self.count("PTX statement with a scope")
        self.count(f"PTX, {kind}")
        v = Var(I32, "v")
        bound = str(self.nearly(n))
        sign = r.choose(["u32", "u32", "s32"])
        test = (None, "", f"setp.lt.{sign}", ["p1", "%1", bound])
        if r.chance(25):
            test = (None, "", f"setp.ge.{sign}", ["p1", "%1", bound])
        guard = "@p1" if "lt" in test[2] else "@!p1"
        if self.slip():
            guard = r.choose(["@p1", "@!p1"])
        both = r.chance(35)
        tests = [test] if not both else [(None, "", "setp.ge.s32", ["p2", "%1", "0"]), (None, "", f"setp.lt.{sign}", ["p3", "%1", bound]), (None, "", r.choose(["and.pred", "and.pred", "or.pred"]) if self.slip() else "and.pred", ["p1", "p2", "p3"])]
        guard = guard if not both else "@p1"
        self.count("PTX, predicate" if kind in ("predicated store", "predicated load", "branch around", "operand as predicate") else "PTX, no predicate on memory")
        offset = r.choose(["", "", "+4", "+-4"]) if r.chance(30) else ""
        pointer, out = ("out", v), []
        if kind in ("predicated store", "plain"):
            if kind == "plain":
                tests, guard, pointer = [], "", ("out", self.bounded(v, n))
            code = [*tests, (None, guard, "st.global.u32", [f"[%0{offset}]", "%1"])]
            if r.chance(30):
                code[-1] = (None, guard, r.choose(["st.global.v2.u32", "st.global.u8"]), [f"[%0{offset}]", "%1"])
                self.count("PTX, other widths")
            body = [Asm(code, [], [pointer, v])]
        elif kind == "predicated load":
            code = [(t[0], t[1], t[2], [{"%1": "%2"}.get(p, p) for p in t[3]]) for t in tests] + [(None, guard, "ld.global.u32", ["%0", f"[%1{offset}]"])]
            body = [Declare(I32, "j", num(r.choose([0, 3, -1]))), Asm(code, ["j"], [pointer, v], True)]
            body.append(Store("out", Choice(Binary("<", Cast(U32, Var(I32, "j")), num(self.nearly(n), U32)), Var(I32, "j"), num(0)), num(1)))
        elif kind == "operand as predicate":
            # The test is C++'s; what the text asks of it may be the opposite.
            right = r.choose([("setp.ne.s32", "@p1"), ("setp.eq.s32", "@!p1"), ("setp.ne.u32", "@p1")])
            op, at = (right[0], r.choose(["@p1", "@!p1"])) if self.slip() else right
            code = [(None, "", op, ["p1", "%2", "0"]), (None, at, r.choose(["st.global.u32", "st.global.v2.u32", "st.global.u8"]), [f"[%0{offset}]", "%1"])]
            body = [Asm(code, [], [pointer, v, Cast(I32, self.guard(Binary("+", v, num(r.choose([0, 0, 1]))), n))])]
        elif kind == "predicate of a scope":
            # An inner scope asks the opposite, of a predicate of its own or of the outer one.
            op, opposite = r.choose([("setp.ne.s32", "setp.eq.s32"), ("setp.eq.s32", "setp.ne.s32")])
            at = "@p1" if op == "setp.ne.s32" else "@!p1"
            own, store = not self.slip(), (None, at, "st.global.u32", [f"[%0{offset}]", "%1"])
            code = [(None, "", op, ["p1", "%2", "0"]), (None, "", "{", ["p1"] if own else []), (None, "", opposite, ["p1", "%2", "0"])]
            code += [store, (None, "", "}", [])] if self.slip() else [(None, "", "}", []), store]
            body = [Asm(code, [], [pointer, v, Cast(I32, self.guard(v, n))])]
        elif kind == "several accesses":
            first = r.choose(["", "+4", "+-4", "+8"])
            code = [(None, "", "{", ["r1"]), (None, "", "ld.global.u32", ["r1", f"[%0{first}]"]), (None, "", "st.global.u32", [f"[%0{r.choose(['', '+4', '+8', '+12'])}]", "r1"]), (None, "", "}", [])]
            body = [Asm(code, [], [("out", self.bounded(v, n - r.choose([0, 1, 2, 3])))])]
        elif kind == "branch around":
            skip = "@!p1" if guard == "@p1" else "@p1"
            code = [*tests, (None, skip, "bra", ["@L"]), (None, "", "st.global.u32", [f"[%0{offset}]", "%1"]), ("L", "", "", [])]
            body = [Asm(code, [], [pointer, v])]
            self.count("PTX, label")
        elif kind == "address":
            code = [*tests, (None, "", r.choose(["mul.wide.s32", "mul.wide.u32", "mul.wide.s32"]), ["d1", "%1", r.choose(["4", "4", "8"])]), (None, "", "add.u64", ["d2", "%0", "d1"]), (None, guard if r.chance(80) else "", "st.global.u32", [f"[d2{offset}]", "%1"])]
            body = [Asm(code, [], ["out", self.bounded(v, n) if r.chance(40) else v])]
        else:
            body = [Declare(I32, "j", num(0)), *self.ptx_number(kind, v, n)]
            j = Var(I32, "j")
            use = Store("out", j, num(1))
            body.append(If(self.guard(j, n), [use]) if r.chance(35) else use)
        if r.chance(25):
            body.insert(0, Return(None, Not(self.guard(v, n))))
            self.count("PTX behind a test in C++")
        k = self.kernel([(None, "out"), (I32, "v")], body)
        self.launch(k, [self.array(n), self.host_var()])

    def ptx_number(self, kind, v, n):
        """Statements that leave a number in `j`."""
        r = self.r
        if kind == "loop":
            self.count("PTX, label")
            top = r.choose(["%1", "5", str(self.nearly(n) - 1)])
            code = [
                (None, "", "mov.u32", ["r1", "0"]), ("L", "", "add.s32", ["r1", "r1", r.choose(["1", "2", "1"])]),
                (None, "", "setp.lt.s32", ["p1", "r1", top]), (None, "@p1", "bra", ["@L"]), (None, "", "mov.u32", ["%0", "r1"]),
            ]
            return [Asm(code, ["j"], [self.bounded(v, n) if r.chance(60) else v])]
        if kind == "scopes":
            inner = r.choose(["r1", "r2"])
            code = [
                (None, "", "and.b32", ["r1", "%1", str(self.nearly(n) - 1)]), (None, "", "{", [inner]),
                (None, "", "mov.u32", [inner, r.choose(["100", "3", "%1"])]), (None, "", "add.s32", ["%0", inner, "1"]), (None, "", "}", []),
                (None, "", "mov.u32", ["%0", "r1"]) if r.chance(70) else (None, "", "min.u32", ["%0", "%0", "r1"]),
            ]
            return [Asm(code, ["j"], [v])]
        m = str(self.nearly(n) - 1)
        code = r.choose([
            [(None, "", "min.s32", ["r1", "%1", m]), (None, "", "max.s32", ["%0", "r1", "0"])],
            [(None, "", "min.u32", ["%0", "%1", m])],
            [(None, "", "setp.lt.u32", ["p1", "%1", str(int(m) + 1)]), (None, "", "selp.b32", ["%0", "%1", "0", "p1"])],
            [(None, "", "setp.lt.s32", ["p1", "%1", str(int(m) + 1)]), (None, "", "selp.b32", ["%0", "%1", r.choose(["0", "-1"]), "p1"])],
            [(None, "", "mul.hi.u32", ["%0", "%1", r.choose(["8", str(n), "4"])])],
            [(None, "", "shr.u32", ["%0", "%1", r.choose(["29", "28"])])],
            [(None, "", "shr.s32", ["r1", "%1", "31"]), (None, "", "and.b32", ["%0", "r1", r.choose(["7", "8", m])])],
            [(None, "", "mov.u32", ["r1", "0"]), (None, "", "setp.gt.s32", ["p1", "%1", "0"]), (None, "@p1", "mov.u32", ["r1", m]), (None, "", "mov.u32", ["%0", "r1"])],
            [(None, "", "mul.wide.u32", ["d1", "%1", "8"]), (None, "", "shr.u64", ["d2", "d1", "32"]), (None, "", "cvt.u32.u64", ["%0", "d2"])],
        ])
        return [Asm(code, ["j"], [v])]

    # Floating point.

    def float_expr(self, v, ty, device):
        r = self.r
        k = lambda *of: Const(ty, r.choose(of))
        s = "f" if ty is F32 else ""
        f = Cast(ty, v)
        return r.choose([
            lambda: Binary("*", Binary("*", f, k(0.1, 0.3, 0.7)), k(10.0, 3.0)),
            lambda: Binary("*", Binary("/", f, k(3.0, 7.0, 49.0, 10.0)), k(3.0, 7.0, 49.0, 10.0)),
            lambda: Binary("+", Binary("*", f, k(0.5, 0.1, 1.1)), k(0.5, 0.75, 1.0)),
            lambda: Binary("-", Binary("+", f, k(16777216.0, 8388608.0, 1e10)), k(16777216.0, 8388608.0, 1e10)),
            lambda: Call(ty, r.choose(["floor", "ceil", "trunc", "rint", "round"]) + s, Binary("*", f, k(0.5, 0.25, 0.3))),
            lambda: Call(ty, "sqrt" + s, f),
            lambda: Binary("/", Binary("-", f, k(3.0, 0.0, 5.0)), Binary("-", f, k(3.0, 0.0, 5.0))),
            lambda: Call(ty, r.choose(["fmin", "fmax"]) + s, Call(ty, "sqrt" + s, f), k(7.0, 0.0, 8.0)),
            lambda: Binary("/", k(8.0, 64.0, 0.0), f),
            lambda: f,
        ])()

    def float(self):
        r, ty, device = self.r, self.r.choose([F32, F32, F64]), self.r.chance(60)
        v, n = Var(I32, "v") if device else self.host_var(), r.choose([8, 8, 4, 16])
        place = "device" if device else "host"
        q = Var(ty, "q" if device else self.name("q"))
        declare, kind = Declare(ty, q.name, self.float_expr(v, ty, device)), r.below(5)
        low, high = Const(ty, 0.0), Const(ty, float(self.nearly(n)))
        to = r.choose([I32, I32, U32, I64]) if device else r.choose([I32, I32, U32, I64])
        index, test = Cast(to, q), None
        if device and ty is F32 and r.chance(35):
            index = Call(I32, r.choose(list(TO_INTEGER)), q)
            self.count("float, conversion of the device's")
        if kind == 0:
            test = Binary("&&", Binary(">=", q, low), Binary("<", q, high))
            self.count(f"float, tested as such on the {place}")
        elif kind == 1:
            # A NaN passes.
            test = Not(Binary("||", Binary("<", q, low), Binary(">=", q, high)))
            index = r.choose([index, self.bounded(v, n), v])
            self.count(f"float, NaN passes the test on the {place}")
        elif kind == 2:
            test = Binary("&&", Not(Call(I32, "isnan", q)) if ty is F64 or device else Binary("==", q, q), Binary("<", q, high))
            index = r.choose([index, self.bounded(index, n)])
            self.count(f"float, NaN sorted out on the {place}")
        elif kind == 3:
            index = self.bounded(index, n)
            self.count(f"float, bounded as an integer on the {place}")
        else:
            s = "f" if ty is F32 else ""
            index = Cast(I32, Call(ty, "fmin" + s, Call(ty, "fmax" + s, q, low), Const(ty, float(self.nearly(n) - 1))))
            self.count(f"float, clamped on the {place}")
        if device:
            use = [Store("out", index, num(1))]
            if index.ty in (I32,) and test is None and r.chance(40):
                use = [If(self.guard(index, n), use)]
            k = self.kernel([(None, "out"), (I32, "v")], [declare] + ([If(test, use)] if test else use))
            self.launch(k, [self.array(n), self.host_var()])
            return
        self.body.append(declare)
        if test is None:
            if r.chance(50):
                self.count("float, size on the host")
                self.size(index)
            else:
                self.end(index, n)
            return
        a, k = self.array(n), self.take(index.ty)
        self.body.append(If(test, [Launch(k, num(1), num(1), [a, index])]))


class Counted:
    """`T j = atomicAdd(&m, 1);`"""

    def __init__(self, ty, name, m):
        self.ty, self.name, self.m = ty, name, m

    def write(self, w):
        w.put(f"{self.ty.name} {self.name} = atomicAdd(&{self.m}, 1);", self)

    def run(self, f):
        held = f.object(self.m)
        f.run.access(self, held, 0, self.ty.bits // 8, True)
        old = f.vars[self.name] = held.cells.get(0, held.fill)
        held.cells[0] = wrap(old + 1, self.ty)
        f.run.wrapped |= held.cells[0] != old + 1


class Argument:
    """`atoi(argv[n])`."""

    ty = I32

    def __init__(self, n):
        self.n = n

    def text(self):
        return f"atoi(argv[{self.n}])"

    def value_in(self, f):
        return f.run.argv[self.n - 1]


class TooFew:
    def write(self, w):
        w.put("if (argc < 3) return 0;")

    def run(self, f):
        pass
