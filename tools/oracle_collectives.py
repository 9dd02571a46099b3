"""Calls of CUB and Thrust of the third generator of `oracle-features.py`, with the meaning that their documents give: scans, reductions, selections, sorts, gathers.

The sizes given are right or slightly wrong; results are indices or limits of the kernel behind the call.
"""

from oracle_arrays import INT, At, Copy, HostArray, THREAD, plus, var
from oracle_language import I32, Allocate, Binary, Cast, Declare, If, Launch, Load, Return, Special, Store, convert, wrap
from oracle_programs import num
from oracle_tiles import Together


def numbers(run, node, held, count, write=False):
    """The first elements of an array, which the call reads or writes whole; None if it cannot."""
    run.step()
    if count > 0 and not run.access(node, held, 0, count * INT, write):
        run.certain = False
        return None
    out = [held.cells.get(i, held.fill) for i in range(max(count, 0))]
    if not write and None in out:
        run.certain = False
        return [v or 0 for v in out]
    return out


def put(run, node, held, values):
    if numbers(run, node, held, len(values), True) is not None:
        for i, v in enumerate(values):
            held.cells[i] = wrap(v, I32)
            run.wrapped |= held.cells[i] != v


def scanned(values, inclusive):
    out, total = [], 0
    for v in values:
        out.append(total + v if inclusive else total)
        total += v
    return out


class Whole:
    """One call on `count` elements of `source`. Its meaning: what it writes to `target`, and the number that it gives back (`result`)."""

    LINES = {
        "exclusive scan": "thrust::exclusive_scan(thrust::device, {a}, {a} + {n}, {b});", "inclusive scan": "thrust::inclusive_scan(thrust::device, {a}, {a} + {n}, {b});",
        "copy": "thrust::copy(thrust::device, {a}, {a} + {n}, {b});", "sequence": "thrust::sequence(thrust::device, {b}, {b} + {n});", "sort": "thrust::sort(thrust::device, {b}, {b} + {n});",
        "fill": "thrust::fill(thrust::device, {b}, {b} + {n}, 3);", "reverse": "thrust::reverse(thrust::device, {b}, {b} + {n});",
        "reduce": "int {r} = thrust::reduce(thrust::device, {a}, {a} + {n});", "maximum": "int {r} = thrust::reduce(thrust::device, {a}, {a} + {n}, 0, thrust::maximum<int>());",
        "copy_if": "int {r} = thrust::copy_if(thrust::device, {a}, {a} + {n}, {b}, Odd()) - {b};", "gather": "thrust::gather(thrust::device, {a}, {a} + {n}, {m}, {b});",
        "count_if": "int {r} = thrust::count_if(thrust::device, {a}, {a} + {n}, Odd());",
    }

    def __init__(self, kind, source, target, count, result=None, values=None):
        self.kind, self.source, self.target, self.count, self.result, self.values = kind, source, target, count, result, values

    def write(self, w):
        w.put(self.LINES[self.kind].format(a=self.source, b=self.target, n=self.count.text(), r=self.result, m=self.values), self)

    def run(self, f):
        run, n = f.run, self.count.value_in(f)
        to = f.object(self.target)
        if self.kind in ("sequence", "fill"):
            return put(run, self, to, [i if self.kind == "sequence" else 3 for i in range(n)])
        if self.kind in ("sort", "reverse"):
            held = numbers(run, self, to, n)
            return put(run, self, to, sorted(held) if self.kind == "sort" else held[::-1]) if held is not None else None
        a = numbers(run, self, f.object(self.source), n)
        if a is None:
            if self.result:
                f.vars[self.result] = 0
            return None
        odd = [v for v in a if v & 1]
        if self.kind in ("exclusive scan", "inclusive scan", "copy", "copy_if"):
            put(run, self, to, {"copy": lambda: a, "copy_if": lambda: odd}.get(self.kind, lambda: scanned(a, self.kind == "inclusive scan"))())
        elif self.kind == "gather":
            self.gather(f, a, to)
        if self.result:
            f.vars[self.result] = wrap({"reduce": sum(a), "maximum": max([0, *a])}.get(self.kind, len(odd)), I32)
        return None

    def gather(self, f, a, to):
        of, out = f.object(self.values), []
        for j in a:
            if not f.run.access(self, of, j * INT, INT, False):
                f.run.certain = False
                return
            value = of.cells.get(j, of.fill)
            f.run.certain &= value is not None
            out.append(value or 0)
        put(f.run, self, to, out)


class Cub:
    """A device-wide algorithm of CUB in two calls, with memory of its own between."""

    CALLS = {"exclusive sum": "cub::DeviceScan::ExclusiveSum", "inclusive sum": "cub::DeviceScan::InclusiveSum", "sum": "cub::DeviceReduce::Sum", "max": "cub::DeviceReduce::Max", "flagged": "cub::DeviceSelect::Flagged"}

    def __init__(self, kind, source, target, count, name, flags=None, chosen=None):
        self.kind, self.source, self.target, self.count, self.name, self.flags, self.chosen = kind, source, target, count, name, flags, chosen

    def write(self, w):
        words = [self.source, *([self.flags] if self.flags else []), self.target, *([self.chosen] if self.chosen else []), self.count.text()]
        call = f"{self.CALLS[self.kind]}({self.name}, {self.name}_bytes, {', '.join(words)});"
        w.put(f"void *{self.name} = nullptr; size_t {self.name}_bytes = 0;")
        w.put(call)
        w.put(f"cudaMalloc(&{self.name}, {self.name}_bytes);")
        w.put(call, self)

    def run(self, f):
        run, n = f.run, self.count.value_in(f)
        a = numbers(run, self, f.object(self.source), n)
        if a is None:
            return
        to = f.object(self.target)
        if self.kind in ("sum", "max"):
            put(run, self, to, [sum(a) if self.kind == "sum" else max(a, default=-(1 << 31))])
        elif self.kind == "flagged":
            flags = numbers(run, self, f.object(self.flags), n)
            if flags is not None:
                chosen = [v for v, on in zip(a, flags) if on]
                put(run, self, to, chosen)
                put(run, self, f.object(self.chosen), [len(chosen)])
        else:
            put(run, self, to, scanned(a, self.kind == "inclusive sum"))


class InBlock:
    """A collective of CUB's in a block: each thread's `v` gives `j`; a reduction's result is thread 0's."""

    def __init__(self, kind, size, e):
        self.kind, self.size, self.e = kind, size, e

    def write(self, w):
        name = {"scan": f"cub::BlockScan<int, {self.size}>", "sum": f"cub::BlockReduce<int, {self.size}>", "warp": f"cub::WarpReduce<int, {self.size}>"}[self.kind]
        w.put(f"using Collective = {name};")
        w.put("__shared__ typename Collective::TempStorage storage;")
        if self.kind == "scan":
            w.put("int j = 0;")
            w.put(f"Collective(storage).ExclusiveSum({self.e.text()}, j);")
        else:
            w.put(f"int j = Collective(storage).Sum({self.e.text()});")

    def steps(self, f):
        t = f.special["threadIdx.x"]
        f.block[self, t] = convert(self.e.value_in(f), self.e.ty, I32, f.run, True)
        yield
        values = [v for (k, _), v in sorted(((k, v) for k, v in f.block.items() if isinstance(k, tuple) and k[0] is self), key=lambda x: x[0][1])]
        f.vars["j"] = scanned(values, False)[t] if self.kind == "scan" else sum(values) if t == 0 else None


class Collectives:
    """Sections of a program (a part of the generator's class)."""

    def include(self, *names):
        for name in names:
            if f"#include <{name}>" not in self.unit.declared:
                self.unit.declared.append(f"#include <{name}>")

    def small_numbers(self, n):
        """Device memory with small numbers that the host made, some of them odd."""
        h = self.host_array(n)
        e = self.r.choose([lambda i: Binary("&", plus(i, self.host_var()), num(3)), lambda i: Binary("%", i, num(3)), lambda i: Binary("&", i, num(1)), lambda i: Binary("&", Binary("*", i, self.host_var()), num(7))])
        self.loop(n, lambda i: [Store(h.name, i, e(i))])
        d = self.name("a")
        self.body.append(Allocate(I32, d, n))
        self.body.append(Copy(d, h, n))
        return d

    def thrust(self):
        r = self.r
        if '#include <thrust/execution_policy.h>' not in self.unit.declared:
            self.include(*(f"thrust/{h}.h" for h in ("execution_policy", "scan", "copy", "sequence", "sort", "fill", "reverse", "reduce", "gather", "count", "functional", "device_vector")))
            self.unit.declared.append("struct Odd { __host__ __device__ bool operator()(int v) const { return v & 1; } };")
        n, _ = self.extent()
        kind = r.choose(["exclusive scan", "exclusive scan", "inclusive scan", "copy", "sequence", "sort", "reverse", "reduce", "reduce", "maximum", "copy_if", "copy_if", "gather", "gather", "count_if", "fill"])
        self.count(f"Thrust, {kind}")
        a, b, size = self.small_numbers(n), self.name("b"), self.off(n) if r.chance(50) else n
        self.body.append(Allocate(I32, b, self.off(n), 0))
        if kind in ("sort", "reverse"):
            self.body.append(Whole("copy", a, b, n))
        values = None
        if kind == "gather":
            values = self.name("c")
            self.body.append(Allocate(I32, values, num(r.choose([4, 4, 8, 3])), 0))
            self.body.append(Whole("sequence", None, values, num(3)))
        result = self.name("v") if kind in ("reduce", "maximum", "copy_if", "count_if") else None
        self.body.append(Whole(kind, a, b, size, result, values))
        if result and kind != "copy_if":
            v = var(result)
            self.vars.append(v)
            return self.end(v) if r.chance(60) else self.size(v)
        return self.offsets(a, b, n, var(result) if result else n)

    def offsets(self, a, b, n, many):
        """What the call wrote is indices of the kernel behind it."""
        r, i, j = self.r, var("i"), var("j")
        room = r.choose([num(8), Binary("*", n, num(3)), n, plus(n, 1)])
        out = self.name("o")
        self.body.append(Allocate(I32, out, room, 0))
        test = [] if r.chance(30) else [Return(None, Binary(">=" if not self.slip() else ">", i, var("n")))]
        k = self.kernel([(None, "out"), (None, "idx"), (I32, "n"), (I32, "m")], [Declare(I32, "i", THREAD), *test, Load(I32, "j", "idx", i), self.inside(j, var("m"), Store("out", j, i))])
        block = num(r.choose([4, 8]))
        self.body.append(Launch(k, Binary("/", plus(many, block.value - 1), block), block, [out, b, many, room]))

    def cub(self):
        r = self.r
        if r.chance(45):
            return self.cub_in_block()
        self.include("cub/cub.cuh")
        n, _ = self.extent()
        kind = r.choose(["exclusive sum", "exclusive sum", "inclusive sum", "sum", "max", "flagged", "flagged"])
        self.count(f"CUB, {kind}")
        a, b, size = self.small_numbers(n), self.name("b"), self.off(n) if r.chance(50) else n
        one = kind in ("sum", "max")
        self.body.append(Allocate(I32, b, num(1) if one else self.off(n), 0))
        flags = chosen = None
        if kind == "flagged":
            flags, chosen = self.small_numbers(n), self.name("c")
            self.body.append(Allocate(I32, chosen, num(1), 0))
        self.body.append(Cub(kind, a, b, size, self.name("t"), flags, chosen))
        if kind in ("sum", "max", "flagged"):
            # The number comes to the host.
            h = HostArray(self.name("h"), num(1), "malloc")
            self.body += [h, Copy(b if one else chosen, h, num(1), back=True)]
            v = self.remember(I32, At(I32, h.name, num(0)))
            if one:
                return self.end(v) if r.chance(60) else self.size(v)
            return self.offsets(a, b, n, v)
        return self.offsets(a, b, n, n)

    def cub_in_block(self):
        r, t = self.r, Cast(I32, Special("threadIdx.x"))
        kind = r.choose(["scan", "scan", "sum", "warp"])
        self.count(f"CUB in a block, {kind}")
        self.include("cub/cub.cuh")
        size = r.choose([8, 4, 16])
        v = var("v")
        e = r.choose([num(1), num(2), Binary("&", plus(t, v), num(1)), Binary("&", plus(t, v), num(3)), Cast(I32, Binary("<", t, v))])
        n = num(r.choose([size, size * 2, size * 3, size + 1, size - 1]))
        j = var("j")
        use = self.inside(j, n, Store("out", j, num(1)))
        if kind != "scan":
            use = If(Binary("==", t, num(0)), [use])
        k = self.kernel([(None, "out"), (I32, "v")], [InBlock(kind, size, e), use])
        self.body.append(Together(k, num(1), num(size), [self.array(n.value), self.host_var()]))
