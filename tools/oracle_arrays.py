"""Index arrays of the third generator of `oracle-features.py`: the host fills an array of `int`, copies it, and kernels take its elements as indices.

Permutations, row offsets that are prefix sums, clamped and unclamped numbers, counts, and arrays that change between launches, copied again or not.
"""

from oracle_language import (
    I32, U32, U64, Allocate, Binary, Cast, Choice, Const, Count, Declare, Element, If, Launch, Load, Object, Return, Special, Store, Var, convert, wrap,
)
from oracle_programs import num

INT = 4


class At(Element):
    """An element of an array at a computed index: a read of the host's, or one of several accesses on the line of a kernel's statement."""

    def text(self):
        return f"{self.name}[{self.at.text()}]"

    def value_in(self, f):
        held, index = f.object(self.name), self.at.value_in(f)
        f.run.step()
        if f.device and not f.run.access(f.statement, held, index * INT, INT, False):
            f.run.certain = False
            return 0
        value = held.cells.get(index, held.fill)
        if value is None or not 0 <= index < held.count:
            f.run.certain, value = False, 0
        return value


class Extreme:
    """`std::min` or `std::max` of two numbers of type `int`; on the device without `std`."""

    ty = I32

    def __init__(self, name, a, b, std="std::"):
        self.name, self.a, self.b, self.std = name, a, b, std

    def text(self):
        return f"{self.std}{self.name}({self.a.text()}, {self.b.text()})"

    def value_in(self, f):
        f.run.step()
        return (min if self.name == "min" else max)(self.a.value_in(f), self.b.value_in(f))


class Nested:
    """A statement whose expressions read arrays (`At`), which count as accesses of its line."""

    def __init__(self, of):
        self.of, self.body, self.other = of, getattr(of, "body", ()), getattr(of, "other", ())

    def write(self, w):
        self.of.where = self.where = (w.name, len(w.lines) + 1)
        self.of.write(w)

    def run(self, f):
        before, f.statement = getattr(f, "statement", None), self
        self.of.run(f)
        f.statement = before


class HostArray:
    """An array of `int` in host memory. `way`: how it comes to be; only a vector and `calloc` begin as zeros."""

    WAYS = ["malloc", "malloc", "vector", "new", "calloc", "array", "pinned"]

    def __init__(self, name, count, way):
        self.name, self.count, self.way = name, count, way

    def write(self, w):
        n, t = self.name, self.count.text()
        w.put({
            "malloc": f"int *{n} = (int *)malloc({t} * sizeof(int));", "calloc": f"int *{n} = (int *)calloc({t}, sizeof(int));",
            "vector": f"std::vector<int> {n}({t});", "new": f"int *{n} = new int[{t}];", "array": f"int {n}[{t}];",
            "pinned": f"int *{n}; cudaMallocHost(&{n}, {t} * sizeof(int));",
        }[self.way])

    def run(self, f):
        f.vars[self.name] = Object(f.run, self.name, I32, self.count.value_in(f), 0 if self.way in ("vector", "calloc") else None)

    def given(self):
        return f"{self.name}.data()" if self.way == "vector" else self.name


class Copy:
    """`cudaMemcpy` of `count` elements between a host array and device memory; `at`: the element of both where it begins."""

    def __init__(self, device, host, count, back=False, at=None, is_async=False):
        self.device, self.host, self.count, self.back, self.at, self.is_async = device, host, count, back, at, is_async

    def write(self, w):
        more = f" + {self.at.text()}" if self.at else ""
        ends = [self.device + more, self.host.given() + more]
        ends = ends[::-1] if self.back else ends
        kind = "cudaMemcpyDeviceToHost" if self.back else "cudaMemcpyHostToDevice"
        name, stream = ("cudaMemcpyAsync", ", 0") if self.is_async else ("cudaMemcpy", "")
        w.put(f"{name}({ends[0]}, {ends[1]}, {self.count.text()} * sizeof(int), {kind}{stream});", self)

    def run(self, f):
        run = f.run
        count = convert(self.count.value_in(f), self.count.ty, U64, run, False)
        size, at = wrap(count * INT, U64), self.at.value_in(f) if self.at else 0
        run.wrapped |= size != count * INT
        run.step()
        if not size:
            return
        ends = f.object(self.device), f.object(self.host.name)
        # A copy that goes wrong is refused or does harm: what it leaves is not known.
        right = [run.access(self, o, at * INT, size, (o is ends[0]) != self.back) for o in ends]
        if not all(right):
            run.certain = False
            return
        source, target = ends if self.back else ends[::-1]
        for i in range(at, at + size // INT):
            target.cells[i] = source.cells.get(i, source.fill)


class Swap:
    """Two elements of a host array change places."""

    def __init__(self, array, a, b):
        self.array, self.a, self.b = array, a, b

    def write(self, w):
        w.put(f"std::swap({self.array}[{self.a.text()}], {self.array}[{self.b.text()}]);")

    def run(self, f):
        held, a, b = f.object(self.array), self.a.value_in(f), self.b.value_in(f)
        held.cells[a], held.cells[b] = held.cells.get(b, held.fill), held.cells.get(a, held.fill)


def plus(a, b):
    return Binary("+", a, b if hasattr(b, "text") else num(b))


def var(name):
    return Var(I32, name)


THREAD = plus(Binary("*", Special("blockIdx.x"), Special("blockDim.x")), Special("threadIdx.x"))


class Arrays:
    """Sections of a program (a part of the generator's class)."""

    def extent(self):
        """How many elements there are: a constant, or a number that the command line gives within limits."""
        r = self.r
        if r.chance(65):
            return num(r.choose([8, 16, 4, 5, 12])), 16
        low, high = r.choose([1, 1, 2]), r.choose([16, 32, 12])
        v = self.remember(I32, self.host_var())
        self.body.append(Return(num(r.choose([0, 1])), Binary("||", Binary("<", v, num(low)), Binary(">", v, num(high)))))
        self.count("extent from the command line")
        return v, high

    def off(self, e):
        """The expression, or one that is off by one."""
        return Binary(self.r.choose("+-"), e, num(1)) if self.slip() else e

    def host_array(self, count, name="h"):
        ways = [w for w in HostArray.WAYS if w != "array" or isinstance(count, Const)]
        h = HostArray(self.name(name), count, self.r.choose(ways))
        self.body.append(h)
        return h

    def device_copy(self, h, count, name="d"):
        """Device memory of so many elements with what the host array has."""
        d = self.name(name)
        self.body.append(Allocate(I32, d, count))
        size = self.off(count) if self.r.chance(30) else count
        self.body.append(Copy(d, h, size, is_async=self.r.chance(15)))
        return d

    def loop(self, count, body, start=0):
        i = self.name("i")
        self.body.append(Count(I32, i, num(start), count, num(1), body(var(i))))

    def inside(self, j, n, use):
        """A statement behind a guard that is right, nearly so, or missing."""
        kind = self.r.below(5)
        if kind < 3:
            return If(self.bounds(j, n), [use])
        return use if kind == 3 else If(Binary("<", j, n), [use])

    def bounds(self, j, n):
        high = Binary("<=", j, n) if self.slip() else Binary("<", j, n)
        if self.r.chance(30):
            return Binary("<", Cast(U32, j), Cast(U32, n)) if not self.slip() else high
        return Binary("&&", Binary(">=", j, num(0 if not self.slip() else -1)), high)

    def threads(self, n, high):
        """Grid and block for about n threads, and whether a kernel must ask."""
        r = self.r
        if r.chance(45):
            return num(1), self.off(n), r.chance(25)
        block = r.choose([4, 8, 32])
        return Binary("/", plus(n, block - 1), num(block)), num(block), not self.slip()

    def filled(self, h, n):
        """Statements that fill the host array with numbers that are meant to be below n; whether they are."""
        r = self.r
        i0 = self.r.choose([3, 5, 7, 1])
        shift = r.choose([num(r.choose([0, 1, 3])), self.host_var(), num(1)])
        kind = r.choose(["permutation", "reversed", "shuffled", "clamped", "masked", "any", "counted", "rotated"])
        self.count(f"index array, {kind}")
        store = lambda e: (lambda i: [Store(h.name, i, e(i))])
        if kind == "permutation":
            self.loop(n, store(lambda i: Binary("%", plus(Binary("*", i, num(i0)), num(r.choose([0, 1, 2]))), self.off(n))))
        elif kind == "reversed":
            self.loop(n, store(lambda i: Binary("-", n if self.slip() else Binary("-", n, num(1)), i)))
        elif kind == "shuffled":
            self.loop(n, store(lambda i: i))
            s = self.name("s")
            self.body.append(Declare(U32, s, Cast(U32, self.host_var())))
            step = Declare(U32, s, plus(Binary("*", Var(U32, s), num(1664525, U32)), num(1013904223, U32)))
            i = self.name("i")
            j = self.name("j")
            self.body.append(Down(i, Binary("-", n, num(1)), [Again(step), Declare(I32, j, Binary("%", Binary(">>", Var(U32, s), num(8)), Cast(U32, plus(var(i), 1)))), Swap(h.name, var(i), var(j))]))
        elif kind == "clamped":
            def clamped(i):
                e = plus(Binary(r.choose("+*-"), i, self.host_var()), 0)
                top = self.off(Binary("-", n, num(1)))
                if r.chance(50):
                    return Extreme("min", Extreme("max", e, num(0 if not self.slip() else -1)), top)
                return Choice(Binary("<", e, num(0)), num(0), Choice(Binary(">" if not self.slip() else ">=", e, top), top, e))
            self.loop(n, store(clamped))
        elif kind == "masked":
            self.loop(n, store(lambda i: Binary("&", Binary(r.choose("+*"), i, shift), num(r.choose([3, 7, 7, 15])))))
        elif kind == "any":
            self.loop(n, store(lambda i: Binary(r.choose("+-*"), i, shift)))
        elif kind == "rotated":
            self.loop(n, store(lambda i: Binary("%", plus(i, shift), n)))
        else:
            self.loop(n, store(lambda i: num(0)))
            self.loop(n, lambda i: [Store(h.name, Binary("%", Binary("*", i, num(i0)), n), plus(At(I32, h.name, Binary("%", Binary("*", i, num(i0)), n)), 1))])
        if r.chance(25):
            at = Binary("-", n, num(1)) if r.chance(60) else num(0)
            self.body.append(Store(h.name, at, r.choose([self.host_var(), n, Binary("-", n, num(1)), num(-1), num(2)])))
            self.count("index array, one element set by hand")

    def index_array(self):
        r = self.r
        n, high = self.extent()
        h = self.host_array(n)
        self.filled(h, n)
        d = self.device_copy(h, n)
        out, target = self.name("a"), self.off(n)
        self.body.append(Allocate(I32, out, target, 0 if r.chance(50) else None))
        grid, block, asks = self.threads(n, high)
        i, j, size = var("i"), var("j"), var("n")
        form = r.choose(["scatter", "scatter", "gather", "twice", "nested", "written through"])
        self.count(f"index array, {form}")
        body = [Declare(I32, "i", THREAD)]
        asks_too = [Return(None, Binary(">=" if not self.slip() else ">", i, size))] if asks else []
        parameters = [(None, "out"), (None, "idx"), (I32, "n")]
        read = Load(I32, "j", "idx", i)
        if form == "scatter":
            use = [read, self.inside(j, size, Store("out", j, i))]
        elif form == "gather":
            use = [read, self.inside(j, size, Load(I32, "w", "out", j))]
        elif form == "twice":
            use = [read, Load(I32, "k", "idx", j), self.inside(var("k"), size, Store("out", var("k"), i))]
            use = [read, If(self.bounds(j, size), use[1:])] if r.chance(50) else use
        elif form == "nested":
            use = [Nested(Store("out", At(I32, "idx", i), i))]
        else:
            # The kernel changes the indices for the next launch.
            first = Load(I32, "j", "idx", i)
            use = [first, If(self.bounds(j, size), [Store("idx", i, Binary("-", Binary("-", size, num(1)) if not self.slip() else size, j))])]
            k0 = self.kernel(parameters[1:], [Declare(I32, "i", THREAD), *(Return(None, a.c) for a in asks_too), *use])
            self.body.append(Launch(k0, grid, block, [d, n]))
            use = [read, Store("out", j, i)]
        k = self.kernel(parameters, [*body, *asks_too, *use])
        self.body.append(Launch(k, grid, block, [out, d, n]))
        self.array_again(h, d, out, n, k, grid, block)

    def array_again(self, h, d, out, n, k, grid, block):
        """Elements change, are copied or not, and the kernel runs once more; or elements come back and are indices on the host."""
        r = self.r
        if r.chance(40):
            self.count("index array, changed between launches")
            if r.chance(50):
                self.body.append(Store(h.name, num(0), self.bounded(self.host_var(), r.choose([4, 8]))))
            else:
                self.loop(n, lambda i: [Store(h.name, i, Binary(r.choose(["+", "-", "%"]), At(I32, h.name, i), num(r.choose([1, 2, 4]))))])
            if r.chance(75):
                at = num(r.choose([0, 1])) if r.chance(25) else None
                size = num(1) if at or r.chance(25) else n
                self.body.append(Copy(d, h, size, at=at))
            self.launch(k, [out, d, n], grid, block)
        elif r.chance(40):
            self.count("index array, read back")
            self.body.append(Copy(d, h, n, back=True))
            v = self.remember(I32, At(I32, h.name, num(r.choose([0, 0, 1]))))
            self.end(v)

    def rows(self):
        """Row offsets as prefix sums of counts, and a kernel that goes through each thread's row."""
        r = self.r
        n, high = self.extent()
        self.count("row offsets")
        length = n if self.slip() else plus(n, 1)
        # A host array that is too short would be a fault of the host's, which is not judged.
        h = self.host_array(plus(n, 1), "row")
        self.body.append(Store(h.name, num(0), num(0)))
        kind, some = r.choose(["constant", "remainder", "bits", "given", "array"]), r.choose([2, 3, 1])
        self.count(f"row offsets, {kind}")
        if kind == "array":
            deg = self.host_array(n, "deg")
            self.loop(n, lambda i: [Store(deg.name, i, Binary("&", plus(i, self.host_var()), num(3)))])
        degree = {
            "constant": lambda i: num(some), "remainder": lambda i: Binary("%", i, num(some + 1)), "bits": lambda i: Binary("&", Binary(">>", self.host_var(), i), num(1)),
            "given": lambda i: Binary("&", self.host_var(), num(3)), "array": lambda i: At(I32, deg.name, i),
        }[kind]
        if r.chance(25):
            # Counts first, then their sums in place.
            self.loop(n, lambda i: [Store(h.name, plus(i, 1), degree(i))])
            self.loop(n, lambda i: [Store(h.name, plus(i, 1), plus(At(I32, h.name, plus(i, 1)), At(I32, h.name, i)))])
            self.count("row offsets, sums in place")
        else:
            self.loop(n, lambda i: [Store(h.name, plus(i, 1), plus(At(I32, h.name, i), degree(i)))])
        d = self.name("d")
        self.body.append(Allocate(I32, d, length))
        self.body.append(Copy(d, h, length))
        total = At(I32, h.name, n)
        if r.chance(60):
            total = self.remember(I32, total)
        size = self.off(r.choose([total, total, Binary("*", n, num(3)), Binary("*", n, num(some))]))
        cols = self.name("a")
        self.body.append(Allocate(I32, cols, size, 0 if r.chance(50) else None))
        grid, block, asks = self.threads(n, high)
        i, e, m = var("i"), var("e"), var("m")
        test = [Return(None, Binary(">=" if not self.slip() else ">", i, var("n")))] if asks else []
        use = Store("out", e, i)
        if r.chance(25):
            use = If(Binary("<", e, m), [use])
        if r.chance(50):
            inner = [Load(I32, "b", "idx", i), Load(I32, "c", "idx", plus(i, 1)), Count(I32, "e", var("b"), var("c"), num(1), [use])]
        else:
            inner = [Load(I32, "b", "idx", i), Load(I32, "c", "idx", plus(i, 1)), Count(I32, "o", num(0), Binary("-", var("c"), var("b")), num(1), [Declare(I32, "e", plus(var("b"), var("o"))), use])]
        k = self.kernel([(None, "out"), (None, "idx"), (I32, "n"), (I32, "m")], [Declare(I32, "i", THREAD), *test, *inner])
        self.body.append(Launch(k, grid, block, [cols, d, n, total]))


class Down:
    """`for (int i = start; i > 0; i--)`."""

    def __init__(self, name, start, body):
        self.name, self.start, self.body = name, start, body

    def write(self, w):
        w.put(f"for (int {self.name} = {self.start.text()}; {self.name} > 0; {self.name}--) {{")
        w.body(self.body)
        w.put("}")

    def run(self, f):
        f.vars[self.name] = self.start.value_in(f)
        while f.vars[self.name] > 0:
            f.run.step()
            for s in self.body:
                s.run(f)
            f.vars[self.name] -= 1


class Again:
    """A declaration's variable gets the expression once more."""

    def __init__(self, declare):
        self.of = declare

    def write(self, w):
        w.put(f"{self.of.name} = {self.of.e.text()};")

    def run(self, f):
        self.of.run(f)
