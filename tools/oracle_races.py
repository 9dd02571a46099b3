"""Values that other threads of a launch may change: what the third generator of `oracle-features.py` reads twice, counts in and takes by compare-and-swap.

The threads of such a launch run as coroutines that change places before each access of the shared word. `Sequence`, `Backwards`, `Turns` and `Sampled` are
orders of the threads; `Enumerated` goes through all of them. Orders are sequentially consistent: what only a weaker order shows is not seen.
"""

from oracle_arrays import INT, var
from oracle_language import I32, Allocate, Binary, Count, Cut, Declare, Frame, If, Launch, Load, Returned, Special, Store, Var, convert, wrap
from oracle_programs import Random, num


class Sequence:
    """The first thread that is not done goes on."""

    def next(self, n):
        return 0


class Backwards:
    def next(self, n):
        return n - 1


class Turns:
    """Each thread one step."""

    def __init__(self):
        self.at = -1

    def next(self, n):
        self.at = (self.at + 1) % n
        return self.at


class Sampled:
    def __init__(self, seed):
        self.r = Random(seed)

    def next(self, n):
        return self.r.below(n)


class Enumerated:
    """One order after another: `again` says whether there is one more."""

    def __init__(self):
        self.prefix, self.taken = [], []

    def next(self, n):
        at = len(self.taken)
        self.taken.append((self.prefix[at] if at < len(self.prefix) else 0, n))
        return self.taken[-1][0]

    def again(self):
        while self.taken and self.taken[-1][0] + 1 == self.taken[-1][1]:
            self.taken.pop()
        if not self.taken:
            return False
        self.prefix, self.taken = [c for c, _ in self.taken[:-1]] + [self.taken[-1][0] + 1], []
        return True


class Shared:
    """A read of the shared word that the compiler keeps: volatile, or atomic. The thread may lose its turn before it."""

    ty = I32

    def __init__(self, name, way):
        self.name, self.way = name, way

    def text(self):
        n = self.name
        return {
            "volatile": f"*(volatile int *){n}", "atomic": f"atomicAdd({n}, 0)", "or": f"atomicOr(&{n}[0], 0)",
            "atomic_ref": f"cuda::atomic_ref<int, cuda::thread_scope_device>(*{n}).load()",
        }[self.way]

    def read(self, f, statement):
        held, self.where = f.object(self.name), statement.where
        value = held.cells.get(0, held.fill) if f.run.access(self, held, 0, INT, False) else None
        if value is None:
            f.run.certain, value = False, 0
        f.vars[self] = value

    def value_in(self, f):
        return f.vars[self]


class Guarded(If):
    """A branch whose condition is an access of its line."""

    def write(self, w):
        self.where = (w.name, len(w.lines) + 1)
        super().write(w)


class Atomic:
    """`int j = atomicX(p, e);`, or the operation alone."""

    MEANING = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Min": min, "Max": max, "Exch": lambda a, b: b, "And": lambda a, b: a & b}

    def __init__(self, name, op, pointer, e):
        self.name, self.op, self.pointer, self.e = name, op, pointer, e

    def write(self, w):
        w.put((f"int {self.name} = " if self.name else "") + f"atomic{self.op}({self.pointer}, {self.e.text()});", self)

    def run(self, f):
        held, by = f.object(self.pointer), convert(self.e.value_in(f), self.e.ty, I32, f.run, True)
        f.run.step()
        old = held.cells.get(0, held.fill) if f.run.access(self, held, 0, INT, True) else None
        if old is None:
            f.run.certain, old = False, 0
        new = self.MEANING[self.op](old, by)
        held.cells[0] = wrap(new, I32)
        f.run.wrapped |= held.cells[0] != new
        if self.name:
            f.vars[self.name] = old


class Write:
    """A store to the shared word that the compiler keeps."""

    def __init__(self, pointer, e):
        self.pointer, self.e = pointer, e

    def write(self, w):
        w.put(f"*(volatile int *){self.pointer} = {self.e.text()};", self)

    def run(self, f):
        held, value = f.object(self.pointer), convert(self.e.value_in(f), self.e.ty, I32, f.run, True)
        f.run.step()
        if f.run.access(self, held, 0, INT, True):
            held.cells[0] = value


class Claim:
    """A loop of compare-and-swap: takes the next number below a limit (`j`), or leaves; the body runs with it."""

    def __init__(self, pointer, limit, body, first):
        self.pointer, self.limit, self.body, self.first = pointer, limit, body, first

    def write(self, w):
        w.put(f"int j = {self.first.text()};", self)
        w.put(f"while ({self.limit.text()}) {{")
        w.put(f"    int seen = atomicCAS({self.pointer}, j, j + 1);")
        w.put("    if (seen == j) {")
        w.depth += 1
        w.body(self.body)
        w.depth -= 1
        w.put("        break;")
        w.put("    }")
        w.put("    j = seen;")
        w.put("}")

    def steps(self, f):
        yield
        self.first.read(f, self)
        f.vars["j"] = self.first.value_in(f)
        held = f.object(self.pointer)
        while self.limit.value_in(f):
            f.run.step()
            yield
            seen = held.cells.get(0, held.fill)
            if seen is None:
                f.run.certain, seen = False, f.vars["j"]
            if seen == f.vars["j"]:
                held.cells[0] = wrap(seen + 1, I32)
                yield from steps(self.body, f)
                return
            f.vars["j"] = seen


def shared_reads(node):
    """Reads of the shared word in a statement's own expressions, in order."""
    if isinstance(node, Shared):
        yield node
        return
    for name, part in vars(node).items():
        if name not in ("body", "other") and hasattr(part, "value_in"):
            yield from shared_reads(part)


def steps(statements, f):
    """One thread: each `yield` is a place where others may come first."""
    for s in statements:
        if hasattr(s, "steps"):
            yield from s.steps(f)
            continue
        # A read that a short circuit would leave out is made as well, which changes nothing.
        for read in shared_reads(s):
            yield
            read.read(f, s)
        if isinstance(s, If):
            yield from steps(s.body if s.c.value_in(f) else s.other, f)
        elif isinstance(s, Count):
            s.first.run(f)
            while s.test.value_in(f):
                f.run.step()
                yield from steps(s.body, f)
                s.next.run(f)
        elif isinstance(s, (Atomic, Write)):
            yield
            s.run(f)
        else:
            s.run(f)


class Raced(Launch):
    """A launch whose threads run in the order that the run has."""

    def run(self, f):
        run, world = f.run, f.world
        grid, block = (convert(e.value_in(f), e.ty, I32, run, False) for e in (self.grid, self.block))
        args = [f.object(a) if isinstance(a, str) else (a.ty, a.value_in(f)) for a in self.args]
        if not 0 < grid < 64 or not 0 < block <= 64:
            if grid > 0 and 0 < block <= 1024:
                raise Cut("threads")
            return
        function = next(k for k in f.unit.functions if k.name == self.kernel)
        alive = []
        for b in range(grid):
            for t in range(block):
                one = Frame(run, f.unit, True, world, {"threadIdx.x": t, "blockIdx.x": b, "blockDim.x": block, "gridDim.x": grid})
                for (ty, p), a in zip(function.parameters, args):
                    one.vars[p] = a if ty is None else convert(a[1], a[0], ty, run, False)
                alive.append(steps(function.body, one))
        run.racy |= len(alive) > 1
        order = run.order or Sequence()
        while alive:
            at = order.next(len(alive)) if len(alive) > 1 else 0
            run.step()
            try:
                next(alive[at])
            except (StopIteration, Returned):
                alive.pop(at)


class Races:
    """Sections of a program (a part of the generator's class)."""

    def shared_word(self):
        """A word in device memory with a number of the host's, or 0."""
        r, p = self.r, self.name("p")
        self.body.append(Allocate(I32, p, num(1), 0))
        if r.chance(45):
            start = self.remember(I32, self.bounded(self.host_var(), 8) if r.chance(70) else self.host_var())
            self.body.append(OneIn(p, start))
        return p

    def shared(self, name="p"):
        way = self.r.choose(["volatile", "volatile", "atomic", "or", "atomic_ref"])
        if way == "atomic_ref" and "#include <cuda/atomic>" not in self.unit.declared:
            self.unit.declared.append("#include <cuda/atomic>")
        self.count(f"shared word, {way}")
        return Shared(name, way)

    def race(self):
        kind = self.r.choose(["twice", "twice", "cursor", "check and claim", "least and greatest", "claimed"])
        self.count(f"race, {kind}")
        p, n = self.shared_word(), self.r.choose([8, 4, 8, 5])
        t = Special("threadIdx.x")
        getattr(self, "race_" + kind.replace(" ", "_"))(p, n, t)
        if self.r.chance(40):
            # The next launch sees the last of the numbers.
            self.count("race, used by the next launch")
            j = var("j")
            use = self.inside(j, num(n), Store("out", j, num(1)))
            self.launch(self.kernel([(None, "out"), (None, "p")], [Load(I32, "j", "p", num(0)), use]), [self.array(n), p])

    def raced(self, body, p, n, grid, block):
        k = self.kernel([(None, "out"), (None, "p"), (I32, "v")], body)
        self.body.append(Raced(k, num(grid), num(block), [self.array(n), p, self.host_var()]))

    def shape(self):
        return self.r.choose([(1, 2), (1, 2), (2, 1), (1, 3), (3, 1)])

    def race_twice(self, p, n, t):
        """Some threads write the word, others test it and use it, read once or twice."""
        r, v = self.r, Var(I32, "v")
        grid, block = self.shape()
        me = Special("blockIdx.x") if grid > 1 else t
        written = r.choose([self.bounded(v, n), v, num(self.nearly(n)), Binary("&", v, num(n - 1 if n & 1 == 0 else 3)), num(r.below(n))])
        put = Write("p", written) if r.chance(60) else Atomic(None, r.choose(["Exch", "Exch", "Add", "Max", "And"]), "p", written)
        once = r.chance(45)
        self.count("race, read once" if once else "race, read twice")
        if once:
            first = self.shared()
            use = [Touch(Declare(I32, "j", first)), self.inside(var("j"), num(n), Store("out", var("j"), num(1)))]
        else:
            a, b, c = self.shared(), self.shared(), self.shared()
            test = Binary("&&", Binary(">=", a, num(0)), Binary("<", b, num(self.nearly(n))))
            use = [Guarded(test, [Store("out", c, num(1))])]
        if r.chance(70):
            body = [If(Binary("==", me, num(0)), [put], use)]
        else:
            body = [*use, put] if r.chance(60) else [put, *use]
        self.raced(body, p, n, grid, block)

    def race_cursor(self, p, n, t):
        """Threads take numbers by an atomic operation."""
        r, j = self.r, var("j")
        op, by = r.choose([("Add", 1), ("Add", 1), ("Add", 2), ("Sub", 1)])
        block = r.choose([n, n, n + 1, 2, 4])
        index = r.choose([j, j, Binary("-", j, num(1))]) if op == "Sub" else j
        use = Store("out", index, num(1))
        if by == 2 and r.chance(60):
            use = If(Binary("<", plus_one(j), num(self.nearly(n))), [Store("out", plus_one(j), num(2))])
        kind = r.below(4)
        use = [use] if kind == 0 else [If(self.bounds(index, num(n)), [use])] if kind < 3 else [If(Binary("<", index, num(self.nearly(n))), [use])]
        body = [Atomic("j", op, "p", num(by)), *use]
        if r.chance(30):
            body = [If(Binary("<", t, num(r.choose([2, 3, n]))), body)]
        self.raced(body, p, n, 1, block)

    def race_check_and_claim(self, p, n, t):
        """The count is tested and raised in two steps."""
        r, j = self.r, var("j")
        grid, block = self.shape()
        claim = [Atomic("j", "Add", "p", num(1)), Store("out", j, num(1)) if r.chance(75) else If(self.bounds(j, num(n)), [Store("out", j, num(1))])]
        test = Binary("<", self.shared(), num(r.choose([n, n - 1, n - block * grid + 1, n - block * grid])))
        if r.chance(50):
            test = Binary("&&", test, Binary(">=", self.shared(), num(0)))
        self.raced([Guarded(test, claim)], p, n, grid, block)

    def race_least_and_greatest(self, p, n, t):
        r, j, v = self.r, var("j"), Var(I32, "v")
        grid, block = self.shape()
        e = r.choose([self.bounded(Binary("+", v, Special("blockIdx.x") if grid > 1 else t), n), Binary("+", v, num(1)), self.bounded(v, n)])
        body = [Atomic("j", r.choose(["Min", "Max"]), "p", e if e.ty is I32 else Binary("&", e, num(n - 1)))]
        if r.chance(60):
            read = self.shared()
            body = [body[0], Touch(Declare(I32, "k", read))]
            j = r.choose([j, var("k")])
        self.raced([*body, self.inside(j, num(n), Store("out", j, num(1)))], p, n, grid, block)

    def race_claimed(self, p, n, t):
        """A loop of compare-and-swap keeps the count within its limit."""
        r, j = self.r, var("j")
        grid, block = r.choose([(1, 2), (1, 2), (2, 1), (1, 3)])
        limit = Binary("<", j, num(self.nearly(n)))
        if r.chance(60):
            limit = Binary("&&", Binary(">=", j, num(0)), limit)
        self.raced([Claim("p", limit, [Store("out", j, num(1))], self.shared())], p, n, grid, block)


def plus_one(e):
    return Binary("+", e, num(1))


class Touch:
    """A statement whose expression reads the shared word."""

    def __init__(self, of):
        self.of, self.e = of, of.e

    def write(self, w):
        self.where = (w.name, len(w.lines) + 1)
        self.of.write(w)

    def run(self, f):
        self.of.run(f)


class OneIn:
    """One `int` of the host's is copied to device memory."""

    def __init__(self, pointer, v):
        self.pointer, self.v = pointer, v

    def write(self, w):
        w.put(f"cudaMemcpy({self.pointer}, &{self.v.name}, sizeof(int), cudaMemcpyHostToDevice);", self)

    def run(self, f):
        held = f.object(self.pointer)
        if f.run.access(self, held, 0, INT, True):
            held.cells[0] = self.v.value_in(f)
