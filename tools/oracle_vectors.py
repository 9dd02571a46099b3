"""Vector copies of the third generator of `oracle-features.py`: loads and stores of `int2`, `int4`, `float2`, `float4` on arrays of `int`, tails, unrolled loops."""

from oracle_arrays import INT, THREAD, plus, var
from oracle_language import I32, I64, Allocate, Binary, Count, Declare, If, Launch, Load, Return, Special, Store, wrap
from oracle_programs import num

WIDTH = {"int2": 2, "int4": 4, "float2": 2, "float4": 4, "uint4": 4, "longlong2": 4}


class VectorLoad:
    """`T q = reinterpret_cast<const T *>(a)[i];`"""

    def __init__(self, name, ty, array, index):
        self.name, self.ty, self.array, self.index = name, ty, array, index

    def write(self, w):
        w.put(f"{self.ty} {self.name} = reinterpret_cast<const {self.ty} *>({self.array})[{self.index.text()}];", self)

    def run(self, f):
        held, wide = f.object(self.array), WIDTH[self.ty]
        offset = wrap(self.index.value_in(f) * wide * INT, I64)
        f.run.step()
        known = f.run.access(self, held, offset, wide * INT, False)
        f.run.certain &= known
        at = offset // INT
        f.vars[self.name] = [held.cells.get(at + i, held.fill) if known else 0 for i in range(wide)]


class VectorStore:
    """`reinterpret_cast<T *>(a)[i] = q;`"""

    def __init__(self, array, ty, index, name):
        self.array, self.ty, self.index, self.name = array, ty, index, name

    def write(self, w):
        w.put(f"reinterpret_cast<{self.ty} *>({self.array})[{self.index.text()}] = {self.name};", self)

    def run(self, f):
        held, wide = f.object(self.array), WIDTH[self.ty]
        offset = wrap(self.index.value_in(f) * wide * INT, I64)
        f.run.step()
        if f.run.access(self, held, offset, wide * INT, True):
            for i, value in enumerate(f.vars[self.name]):
                held.cells[offset // INT + i] = value


class Member:
    """`q.x` of a vector of `int`."""

    ty = I32

    def __init__(self, name, at):
        self.name, self.at = name, at

    def text(self):
        return f"{self.name}.{'xyzw'[self.at]}"

    def value_in(self, f):
        value = f.vars[self.name][self.at]
        if value is None:
            f.run.certain, value = False, 0
        return value


class Vectors:
    """Sections of a program (a part of the generator's class)."""

    def vector(self):
        r = self.r
        ty = r.choose(list(WIDTH))
        wide = WIDTH[ty]
        if r.chance(50):
            n = num(r.choose([8, 16, 32, 12]) + (r.choose([0, 1, 2, 3]) if r.chance(40) else 0))
        else:
            n, _ = self.extent()
            if r.chance(30):
                self.body.append(Return(num(0), Binary("!=", Binary("%", n, num(wide)), num(0))))
                self.count("vector, extent tested for the width")
        a, b = self.name("a"), self.name("b")
        self.body.append(Allocate(I32, a, self.off(n), 0))
        self.body.append(Allocate(I32, b, n, 0 if r.chance(50) else None))
        kind = r.choose(["copy", "copy", "strided", "unrolled", "indices"])
        self.count(f"vector, {kind}")
        self.count(f"vector of type {ty}")
        if kind == "indices":
            return self.vector_indices(r.choose(["int4", "int2"]), b)
        i, size, q = var("i"), var("n"), "q"
        vectors = Binary("/", size, num(wide))
        test = r.choose([Binary("<", i, vectors), Binary("<", i, vectors), Binary("<", plus(Binary("*", i, num(wide)), wide - 1), size), Binary("<", Binary("*", i, num(wide)), size)])
        if self.slip():
            test = Binary("<=", i, vectors)
        move = [VectorLoad(q, ty, "in", i), VectorStore("out", ty, i, q)]
        stride = Binary("*", Special("gridDim.x"), Special("blockDim.x"))
        if kind == "strided":
            body = [Count(I32, "i", THREAD, test.b, stride, move)] if test.a is i and test.op == "<" else [Declare(I32, "i", THREAD), If(test, move)]
        elif kind == "unrolled":
            step = num(wide)
            e = lambda o: plus(var("e"), o) if o else var("e")
            parts = [s for o in range(wide) for s in (Load(I32, f"w{o}", "in", e(o)), Store("out", e(o), var(f"w{o}")))]
            end = r.choose([Binary("<", plus(var("e"), wide - 1), size), Binary("<", plus(var("e"), wide - 1), size), Binary("<", var("e"), size)])
            body = [Declare(I32, "i", THREAD), Declare(I32, "e", Binary("*", i, step)), If(end, parts)]
        else:
            body = [Declare(I32, "i", THREAD), If(test, move)]
        if r.chance(50):
            # What is left over.
            self.count("vector, tail")
            first = Binary("*", vectors, num(wide))
            if r.chance(50):
                rest = [Count(I32, "t", plus(first, THREAD), size if not self.slip() else plus(size, 1), stride, [Load(I32, "w", "in", var("t")), Store("out", var("t"), var("w"))])]
            else:
                t = plus(first, Special("threadIdx.x"))
                at = Binary("<", Special("threadIdx.x"), Binary("%", size, num(wide if not self.slip() else 8)))
                rest = [If(at, [Declare(I32, "t", t), Load(I32, "w", "in", var("t")), Store("out", var("t"), var("w"))])]
            body += rest
        k = self.kernel([(None, "out"), (None, "in"), (I32, "n")], body)
        block = num(r.choose([4, 8, 2]))
        blocks = Binary("/", plus(Binary("/", plus(n, wide - 1), num(wide)), block.value - 1), block) if r.chance(70) else num(r.choose([1, 2]))
        self.body.append(Launch(k, blocks, block, [b, a, n]))

    def vector_indices(self, ty, out):
        """The members of a vector are indices that the host built."""
        r, wide = self.r, WIDTH[ty]
        n = num(r.choose([8, 16, 4]))
        h = self.host_array(n)
        self.filled(h, n)
        d = self.device_copy(h, n)
        uses = []
        for at in r.choose([[0], [1], [0, 1], [1, 0], [wide - 1]]):
            j = Member("q", at)
            uses.append(self.inside(j, num(self.nearly(8)), Store("out", j, num(at))))
        target = self.array(8)
        i = var("i")
        k = self.kernel([(None, "out"), (None, "idx")], [Declare(I32, "i", THREAD), VectorLoad("q", ty, "idx", i), *uses])
        self.body.append(Launch(k, num(1), num(self.nearly(n.value // wide)), [target, d]))
