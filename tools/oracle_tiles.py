"""Tiles in shared memory of the third generator of `oracle-features.py`: halos, barriers, groups of threads, and asynchronous copies.

The threads of a block go from one barrier to the next together; programs have no races for shared memory.
"""

from oracle_arrays import INT, THREAD, Extreme, plus, var
from oracle_language import I32, U32, U64, Allocate, Binary, Cast, Count, Cut, Declare, Frame, If, Launch, Load, Object, Return, Returned, Special, Store, convert
from oracle_programs import num
from oracle_races import steps


class Barrier:
    def __init__(self, text="__syncthreads();"):
        self.words = text

    def write(self, w):
        w.put(self.words)

    def steps(self, f):
        yield


class SharedArray:
    """An array of each block, of a constant number of elements or of what the launch gives (`count` is None)."""

    def __init__(self, name, count):
        self.name, self.count = name, count

    def write(self, w):
        w.put(f"__shared__ __align__(16) int {self.name}[{self.count}];" if self.count else f"extern __shared__ int {self.name}[];")

    def run(self, f):
        if self.name not in f.block:
            f.block[self.name] = Object(f.run, self.name, I32, self.count or f.block["bytes"] // INT, None)
        f.vars[self.name] = f.block[self.name]


class Group:
    """`auto tile = cg::tiled_partition<N>(block);` and the thread's numbers in it."""

    def __init__(self, size):
        self.size = size

    def write(self, w):
        w.put("cg::thread_block block = cg::this_thread_block();")
        w.put(f"auto tile = cg::tiled_partition<{self.size}>(block);")
        w.put("int rank = tile.thread_rank();")
        w.put("int group = tile.meta_group_rank();")
        w.put("int groups = tile.meta_group_size();")

    def run(self, f):
        t, b = f.special["threadIdx.x"], f.special["blockDim.x"]
        f.vars.update(rank=t % self.size, group=t // self.size, groups=-(-b // self.size))


class Shuffle:
    """`int j = tile.shfl(e, from);`: what the thread of that rank has."""

    def __init__(self, name, e, source, size):
        self.name, self.e, self.source, self.size = name, e, source, size

    def write(self, w):
        w.put(f"int {self.name} = tile.shfl({self.e.text()}, {self.source});", self)

    def steps(self, f):
        t = f.special["threadIdx.x"]
        f.block[self, t] = self.e.value_in(f)
        yield
        f.vars[self.name] = f.block[self, t // self.size * self.size + self.source]


class GroupCopy:
    """`cg::memcpy_async(block, s, in + first, bytes);`, done where the block waits."""

    def __init__(self, target, source, first, size):
        self.target, self.source, self.first, self.size = target, source, first, size

    def write(self, w):
        w.put(f"cg::memcpy_async(block, {self.target}, {self.source} + {self.first.text()}, {self.size.text()});", self)

    def run(self, f):
        size, first = convert(self.size.value_in(f), self.size.ty, U64, f.run, True), self.first.value_in(f)
        if size:
            moved(f, self, (f.object(self.target), 0), (f.object(self.source), first), size, size)


class ThreadCopy:
    """`__pipeline_memcpy_async(&s[a], &in[b], bytes, zeros);`"""

    def __init__(self, target, at, source, first, size, zeros=None):
        self.target, self.at, self.source, self.first, self.size, self.zeros = target, at, source, first, size, zeros

    def write(self, w):
        more = f", {self.zeros.text()}" if self.zeros else ""
        w.put(f"__pipeline_memcpy_async(&{self.target}[{self.at.text()}], &{self.source}[{self.first.text()}], {self.size}{more});", self)

    def run(self, f):
        zeros = convert(self.zeros.value_in(f), self.zeros.ty, U64, f.run, True) if self.zeros else 0
        read = self.size - zeros if zeros <= self.size else 0
        moved(f, self, (f.object(self.target), self.at.value_in(f)), (f.object(self.source), self.first.value_in(f)), self.size, read)


def moved(f, node, target, source, size, read):
    """`size` bytes are written, of which `read` are copied; the rest are zeros."""
    (to, a), (of, b) = target, source
    f.run.step()
    right = not read or f.run.access(node, of, b * INT, read, False)
    right = f.run.access(node, to, a * INT, size, True) and right
    if not right:
        f.run.certain = False
        return
    for i in range(-(-size // INT)):
        part = min(INT, read - i * INT)
        to.cells[a + i] = 0 if part <= 0 else of.cells.get(b + i, of.fill) if part == INT and size - i * INT >= INT else None


class Together(Launch):
    """A launch whose blocks have barriers. `bytes`: of dynamic shared memory."""

    def __init__(self, kernel, grid, block, args, size=None):
        super().__init__(kernel, grid, block, args)
        self.size = size

    def write(self, w):
        args = ", ".join(a if isinstance(a, str) else a.text() for a in self.args)
        more = f", {self.size.text()}" if self.size else ""
        w.put(f"{self.kernel}<<<{self.grid.text()}, {self.block.text()}{more}>>>({args});", self)

    def run(self, f):
        run = f.run
        grid, block = (convert(e.value_in(f), e.ty, U32, run, False) for e in (self.grid, self.block))
        size = convert(self.size.value_in(f), self.size.ty, U64, run, False) if self.size else 0
        args = [f.object(a) if isinstance(a, str) else (a.ty, a.value_in(f)) for a in self.args]
        # More shared memory than 48 KiB is refused.
        if not 0 < grid < 1 << 31 or not 0 < block <= 1024 or size > 49152:
            return
        if grid * block > 1024:
            raise Cut("threads")
        function = next(k for k in f.unit.functions if k.name == self.kernel)
        for b in range(grid):
            common, alive = {"bytes": size}, []
            for t in range(block):
                one = Frame(run, f.unit, True, f.world, {"threadIdx.x": t, "blockIdx.x": b, "blockDim.x": block, "gridDim.x": grid})
                one.block = common
                for (ty, p), a in zip(function.parameters, args):
                    one.vars[p] = a if ty is None else convert(a[1], a[0], ty, run, False)
                alive.append(steps(function.body, one))
            while alive:
                alive = [a for a in alive if advanced(a)]


def advanced(thread):
    """One thread goes to its next barrier; whether it is still there."""
    try:
        next(thread)
    except (StopIteration, Returned):
        return False
    return True


class Tiles:
    """Sections of a program (a part of the generator's class)."""

    def group_header(self):
        if "#include <cooperative_groups.h>" not in self.unit.declared:
            self.unit.declared += ["#include <cooperative_groups.h>", "#include <cooperative_groups/memcpy_async.h>", "#include <cuda_pipeline.h>", "namespace cg = cooperative_groups;"]

    def tile(self):
        r = self.r
        kind = r.choose(["halo", "halo", "staged", "groups", "groups", "loop"])
        self.count(f"tile, {kind}")
        n, _ = self.extent()
        block = r.choose([4, 8, 16])
        source, out = self.name("a"), self.name("b")
        self.body.append(Allocate(I32, source, n if not self.slip() else Binary("-", n, num(1)), 0))
        self.body.append(Allocate(I32, out, self.off(n) if r.chance(30) else n, 0))
        i, t, size = var("i"), Special("threadIdx.x"), var("n")
        blocks = Binary("/", plus(n, block - 1), num(block))
        inside = Binary("<=" if self.slip() else "<", i, size)
        body = {"halo": self.halo, "staged": self.staged, "groups": self.groups, "loop": self.tile_loop}[kind](block, i, t, size, inside)
        k = self.kernel([(None, "out"), (None, "in"), (I32, "n")], [Declare(I32, "i", THREAD), *body])
        self.body.append(Together(k, blocks, num(block), [out, source, n], self.dynamic))
        self.dynamic = None

    dynamic = None

    def shared_array(self, count):
        """Static, or dynamic of as many elements; sometimes of one less."""
        count = max(1, self.nearly(count) if self.r.chance(50) else count)
        if self.r.chance(30):
            self.count("tile, dynamic shared memory")
            self.dynamic = Binary("*", num(count), num(INT))
            return SharedArray("s", None)
        return SharedArray("s", count)

    def halo(self, block, i, t, size, inside):
        r, h = self.r, self.r.choose([1, 1, 2])
        load = [Load(I32, "w", "in", i), Store("s", plus(Cast(I32, t), h), var("w"))]
        left = Binary(">=", i, num(h if not self.slip() else h - 1))
        right = Binary("<", plus(i, block), size)
        edge = [
            If(left, [Load(I32, "l", "in", Binary("-", i, num(h))), Store("s", t, var("l"))]),
            If(right if not self.slip() else inside, [Load(I32, "u", "in", plus(i, block)), Store("s", plus(Cast(I32, t), block + h), var("u"))]),
        ]
        reads, total = [], None
        for d in range(-h, h + 1):
            reads.append(Load(I32, f"v{d + h}", "s", plus(Cast(I32, t), d + h if not self.slip() else d + h + 1)))
            total = var(f"v{d + h}") if total is None else plus(total, var(f"v{d + h}"))
        early = r.chance(15)
        clear = [Count(I32, "z", Cast(I32, t), num(block + 2 * h), num(block), [Store("s", var("z"), num(0))]), Barrier()]
        fill = [If(inside, load)]
        end = If(inside, [*reads, Store("out", i, total)])
        return [self.shared_array(block + 2 * h), *clear, *([Return(None, Binary(">=", i, size))] if early else []), *fill, If(Binary("<", Cast(I32, t), num(self.nearly(h))), edge), Barrier(), end]

    def staged(self, block, i, t, size, inside):
        """Numbers go through shared memory and are indices behind the barrier."""
        r = self.r
        e = r.choose([Binary("-", num(block - 1), Cast(I32, t)), Binary("%", plus(Cast(I32, t), r.choose([1, 3])), num(self.nearly(block))), plus(Cast(I32, t), 1), i])
        back = r.choose([Cast(I32, t), Binary("-", num(block - 1 if not self.slip() else block), Cast(I32, t)), Binary("^", Cast(I32, t), num(1))])
        j = var("j")
        return [self.shared_array(block), Store("s", t, e), Barrier(), Load(I32, "j", "s", back), self.inside(j, size, Store("out", j, num(1)))]

    def groups(self, block, i, t, size, inside):
        r = self.r
        self.group_header()
        part = r.choose([p for p in (4, 8, 16) if p <= block])
        if r.chance(30):
            part = 32
        self.count(f"tile, tiled_partition<{part}>")
        rank, group = var("rank"), var("group")
        groups = -(-block // part)
        kind = r.below(4)
        if kind == 0:
            lead = If(Binary("==", rank, num(0)), [Store("s", group, Binary("*", group, num(part)))])
            read = [Load(I32, "j", "s", r.choose([group, num(groups - 1), Binary("-", var("groups"), num(1)), var("groups") if self.slip() else num(0)]))]
            j = plus(var("j"), rank)
            return [self.shared_array(groups), Group(part), lead, Barrier("block.sync();"), *read, self.inside(j, size, Store("out", j, num(1)))]
        if kind == 1:
            self.count("tile, shfl")
            source = r.choose([0, 0, min(part, block) - 1])
            j = Binary("+", var("j"), rank) if r.chance(60) else var("j")
            return [Group(part), Shuffle("j", r.choose([i, Binary("*", i, num(2)), plus(i, 1)]), source, part), self.inside(j, size, Store("out", j, num(1)))]
        j = plus(Binary("*", plus(Binary("*", Cast(I32, Special("blockIdx.x")), var("groups")), group), num(part if not self.slip() else part * 2)), rank)
        if kind == 2:
            return [Group(part), self.inside(j, size, Store("out", j, num(1)))]
        return [self.shared_array(block), Group(part), Store("s", plus(Binary("*", group, num(part)), rank), i), Barrier("tile.sync();"), Barrier(), Load(I32, "j", "s", Binary("^", Cast(I32, t), num(r.choose([1, 2])))), If(Binary("<", var("j"), size), [Store("out", var("j"), num(1))])]

    def tile_loop(self, block, i, t, size, inside):
        """All tiles go through each block's shared memory."""
        m = self.name("q")
        at = plus(Binary("*", var(m), num(block)), Cast(I32, t))
        tiles = Binary("/", plus(size, block - 1), num(block)) if not self.slip() else plus(Binary("/", size, num(block)), 1)
        guard = Binary("<", var("e"), size)
        load = [Load(I32, "w", "in", var("e")), Store("s", t, var("w"))]
        clear = Store("s", t, num(0))
        last = Load(I32, "v", "s", Binary("-", num(block - 1), Cast(I32, t)))
        return [self.shared_array(block), clear, Barrier(), Count(I32, m, num(0), tiles, num(1), [Declare(I32, "e", at), If(guard, load) if not self.slip() else load[0], Barrier(), last, Barrier(), If(guard, [Store("out", var("e"), var("v"))])])]

    def asynchronous(self):
        """Copies that a pipeline or a group does, in bytes."""
        r = self.r
        self.group_header()
        kind = r.choose(["thread", "thread", "zeros", "group", "group"])
        self.count(f"asynchronous copy, {kind}")
        n, _ = self.extent()
        block = r.choose([4, 8])
        wide = r.choose([1, 1, 4, 2]) if kind != "group" else 1
        source, out = self.name("a"), self.name("b")
        self.body.append(Allocate(I32, source, n, 0))
        self.body.append(Allocate(I32, out, n, 0))
        i, t, size = var("i"), Cast(I32, Special("threadIdx.x")), var("n")
        tile = block * wide
        first = plus(Binary("*", Cast(I32, Special("blockIdx.x")), num(tile)), 0)
        at = plus(first, Binary("*", t, num(wide)))
        body = [Declare(I32, "i", at)]
        array = SharedArray("s", max(1, self.nearly(tile)))
        wait = [Pieces(["__pipeline_commit();", "__pipeline_wait_prior(0);"]), Barrier()]
        if kind == "group":
            left = Extreme("min", num(tile), Binary("-", size, first), "")
            size_ = r.choose([Binary("*", left, num(INT)), Binary("*", left, num(INT)), left, Binary("*", num(tile), num(INT)), Binary("*", left, num(8))])
            if not self.slip():
                size_ = Binary("*", left, num(INT))
            body = [Pieces(["cg::thread_block block = cg::this_thread_block();"]), *body, GroupCopy("s", "in", first, size_), Barrier("cg::wait(block);")]
        else:
            inside = Binary("<", plus(i, wide - 1), size) if wide > 1 and not self.slip() else Binary("<", i, size)
            bytes_ = wide * INT
            if self.slip():
                bytes_ = r.choose([4, 8, 16])
            zeros = None
            if kind == "zeros":
                over = Binary("-", plus(i, wide), size)
                zeros = Binary("*", Extreme("min", num(wide), Extreme("max", num(0), over, ""), ""), num(INT if not self.slip() else 1))
                inside = Binary("<", i, size) if r.chance(60) else None
            copy = ThreadCopy("s", Binary("*", t, num(wide)), "in", i, bytes_, zeros)
            body += [If(inside, [copy]) if inside else copy, *wait]
        use = [Load(I32, "w", "s", Binary("*", t, num(wide))), Store("out", i, var("w"))]
        body = [array, *body, If(Binary("<", i, size), use)]
        k = self.kernel([(None, "out"), (None, "in"), (I32, "n")], body)
        blocks = Binary("/", plus(n, tile - 1), num(tile)) if r.chance(80) else plus(Binary("/", n, num(tile)), 1)
        self.body.append(Together(k, blocks, num(block), [out, source, n]))


class Pieces:
    """Lines without meaning for the order in which the judge goes."""

    def __init__(self, lines):
        self.lines = lines

    def write(self, w):
        for line in self.lines:
            w.put(line)

    def run(self, f):
        pass
