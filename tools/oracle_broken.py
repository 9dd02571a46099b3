"""Mistakes that `oracle-features.py --broken` lets its judge make: each must show as disagreement, else the programs say little of that feature."""

import oracle_arrays as arrays
import oracle_collectives as collectives
import oracle_language as language
import oracle_options as options
import oracle_ptx as ptx
import oracle_races as races
import oracle_tiles as tiles
import oracle_vectors as vectors


def shared_names():
    """Variables of one name in two units are one."""
    start = language.World.__init__

    def init(self, units, run):
        start(self, units, run)
        for (_, name), held in list(self.globals.items()):
            for u in units[1:]:
                if (u.name, name) in self.globals:
                    self.globals[u.name, name] = self.globals.get((units[0].name, name), held)

    language.World.__init__ = init


def first_function():
    """Of functions of one name in two units the first is called."""
    call = language.World.call

    def first(self, caller, name, args, special):
        unit = next((u for u in self.units if any(f.name == name for f in u.functions)), caller.unit)
        before, caller.unit = caller.unit, unit
        try:
            return call(self, caller, name, args, special)
        finally:
            caller.unit = before

    language.World.call = first


def wide_as_64():
    """Integers of 128 bits have 64."""
    wrap = language.wrap
    language.wrap = lambda value, ty: wrap(value, {language.I128: language.I64, language.U128: language.U64}.get(ty, ty))


def unwrapped():
    """Integers of 64 bits and more do not wrap."""
    wrap = language.wrap
    language.wrap = lambda value, ty: value if ty.bits >= 64 else wrap(value, ty)


def lost_writes():
    """The host does not see what a kernel writes into a managed variable."""
    run = language.Launch.run

    def launch(self, f):
        held = {id(o): (o, dict(o.cells)) for (u, n), o in f.world.globals.items() if n.startswith("m")}
        run(self, f)
        for o, cells in held.values():
            o.cells = cells

    language.Launch.run = launch


def nan_compares():
    """A comparison with a NaN holds."""
    for op, test in list(language.COMPARE.items()):
        language.COMPARE[op] = lambda a, b, test=test: a != a or b != b or test(a, b)


def rounds_up():
    """A conversion to an integer takes the next one."""
    real = language.to_integer
    language.to_integer = lambda value, ty, run, device: real(value if value != value or abs(value) == float("inf") else float(-(-value // 1)), ty, run, device)


def no_predicates():
    """A predicate on an access or a branch does not count."""
    run = ptx.Asm.run

    def all_of(self, f):
        code, self.code = self.code, [(label, "" if op.startswith(("st", "ld", "bra")) and "@L" not in places[:1] else guard, op, places) for label, guard, op, places in self.code]
        try:
            run(self, f)
        finally:
            self.code = code

    ptx.Asm.run = all_of


def one_scope():
    """An inner scope's registers are those outside."""
    execute = ptx.State.execute
    ptx.State.execute = lambda self, op, places: None if op[0] in "{}" else execute(self, op, places)


def no_branches():
    """A branch is not taken."""
    run = ptx.Asm.run

    def straight(self, f):
        code, self.code = self.code, [(label, guard, "" if op == "bra" else op, places) for label, guard, op, places in self.code]
        try:
            run(self, f)
        finally:
            self.code = code

    ptx.Asm.run = straight


def empty_copies():
    """Copies to the device bring zeros."""
    copy = arrays.Copy.run

    def zeros(self, f):
        copy(self, f)
        if not self.back:
            held = f.object(self.device)
            held.cells = dict.fromkeys(held.cells, 0)

    arrays.Copy.run = zeros


def unclamped():
    """`min` and `max` give their first operand."""
    arrays.Extreme.value_in = lambda self, f: self.a.value_in(f)


def swapped_options():
    """The first option's number goes to the second one's variable, and the other way round."""
    run = options.Parse.run

    def parse(self, f):
        run(self, f)
        a, b = (o.name for o in self.options[:2])
        f.vars[a], f.vars[b] = f.vars[b], f.vars[a]

    options.Parse.run = parse


def vectors_by_element():
    """An index of vectors counts their elements."""
    for node in (vectors.VectorLoad, vectors.VectorStore):

        def by_element(self, f, run=node.run):
            access, wide = f.run.access, vectors.WIDTH[self.ty]
            f.run.access = lambda node, obj, offset, size, write: access(node, obj, offset // wide, size, write)
            try:
                run(self, f)
            finally:
                del f.run.access

        node.run = by_element


def groups_from_one():
    """The groups of a block are numbered from 1."""
    run = tiles.Group.run

    def later(self, f):
        run(self, f)
        f.vars["group"] += 1

    tiles.Group.run = later


def elements_for_bytes():
    """Sizes of asynchronous copies count elements."""
    move = tiles.moved
    tiles.moved = lambda f, node, target, source, size, read: move(f, node, target, source, size * arrays.INT, read * arrays.INT)


def atomics_return_new():
    """An atomic operation gives the number that it leaves."""
    run = races.Atomic.run

    def after(self, f):
        run(self, f)
        if self.name:
            f.vars[self.name] = f.object(self.pointer).cells.get(0, 0)

    races.Atomic.run = after


def inclusive():
    """Each scan is inclusive."""
    scan = collectives.scanned
    collectives.scanned = lambda values, inclusive: scan(values, True)


MISTAKES = {f.__name__.replace("_", "-"): f for f in (shared_names, first_function, wide_as_64, unwrapped, lost_writes, nan_compares, rounds_up, no_predicates, one_scope, no_branches, empty_copies, unclamped, swapped_options, vectors_by_element, groups_from_one, elements_for_bytes, atomics_return_new, inclusive)}
