"""Inline PTX of `oracle-features.py`: statements of `asm`, written as text and executed as the PTX ISA has it (sections 9.7.1 to 9.7.9)."""

import re

from oracle_language import I32, I64, U32, U64, split, wrap

KINDS = {"s32": I32, "u32": U32, "b32": U32, "s64": I64, "u64": U64, "b64": U64}
TESTS = {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}
SIMPLE = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "min": min, "max": max}
REGISTERS = {"p": ".pred", "r": ".b32", "d": ".b64"}


class Asm:
    """`code`: (label or None, guard or "", opcode, operands); `out`: names of `int` variables; `into`: expressions, or (array, index).

    A place `@LABEL` is a branch's target. The opcode `{` opens a scope with registers of its own (its operands), `}` closes it. Registers are named by kind (p1, r1, d1) and live in the statement's own scope.
    """

    def __init__(self, code, out, into, both=False):
        self.code, self.out, self.into, self.both = code, out, into, both

    def write(self, w):
        text = " ".join(o for _, guard, _, operands in self.code for o in (guard, *operands))
        names = sorted(set(re.findall(r"(?<![%\w])[prd]\d\b", text)))
        lines = [f".reg {REGISTERS[n[0]]} {n};" for n in names]
        for label, guard, op, operands in self.code:
            if label:
                lines.append(f"{label}%=:")
            if op == "{":
                lines.append("{ " + " ".join(f".reg {REGISTERS[n[0]]} {n};" for n in operands))
            elif op:
                operands = [operands[0], f"{{{operands[1]}, {operands[1]}}}"] if ".v2." in op else operands
                lines.append(f"{guard + ' ' if guard else ''}{op} {', '.join(o[1:] + '%=' if o.startswith('@') else o for o in operands)};".replace(" ;", ";")) if op != "}" else lines.append("}")
        outs = ", ".join(f'"{"+" if self.both else "="}r"({n})' for n in self.out)
        ins = ", ".join(f'"l"({e[0]} + {e[1].text()})' if isinstance(e, tuple) else f'"{"l" if isinstance(e, str) or e.ty.bits == 64 else "r"}"({e if isinstance(e, str) else e.text()})' for e in self.into)
        body = "\\n\\t".join(["{", *lines, "}"])
        w.put(f'asm volatile("{body}" : {outs} : {ins} : "memory");', self)

    def run(self, f):
        operands = [f.vars[n] & 0xFFFFFFFF if self.both else 0 for n in self.out]
        for e in self.into:
            if isinstance(e, tuple):
                offset = e[1].value_in(f) * 4
                f.run.wrapped |= wrap(offset, I64) != offset
                operands.append(f.object(e[0]).address + offset & (1 << 64) - 1)
            elif isinstance(e, str):
                operands.append(f.object(e).address)
            else:
                operands.append(e.value_in(f) & (1 << e.ty.bits) - 1)
        state, at = State(f, self, operands), 0
        labels = {label: n for n, (label, *_) in enumerate(self.code) if label}
        while at < len(self.code):
            _, guard, op, places = self.code[at]
            at += 1
            f.run.step()
            if not op or guard and bool(state.get(guard.lstrip("@!"))) == ("!" in guard):
                continue
            if op.startswith("bra"):
                at = labels[places[0][1:]]
            else:
                state.execute(op.split("."), places)
        for n, v in zip(self.out, operands):
            f.vars[n] = wrap(v, I32)


class State:
    """Registers during one execution of a statement, as unsigned numbers."""

    def __init__(self, f, node, operands):
        self.f, self.node, self.operands, self.registers, self.outer = f, node, operands, {}, []

    def get(self, place, ty=U64):
        if place.startswith("%%"):
            return self.f.special[{"%%tid.x": "threadIdx.x", "%%ctaid.x": "blockIdx.x", "%%ntid.x": "blockDim.x"}[place]]
        if place.startswith("%"):
            return wrap(self.operands[int(place[1:])], ty)
        if place[0] in "prd":
            return wrap(self.registers[place], ty)
        return wrap(int(place, 0), ty)

    def set(self, place, value, bits):
        value &= (1 << bits) - 1
        if place.startswith("%"):
            self.operands[int(place[1:])] = value
        else:
            self.registers[place] = value

    def fit(self, place, value, ty):
        self.f.run.wrapped |= wrap(value, ty) != value
        self.set(place, value, ty.bits)

    def execute(self, op, places):
        ty = KINDS.get(op[-1])
        if op[0] == "{":
            return self.outer.append({p: self.registers.get(p) for p in places})
        if op[0] == "}":
            return self.registers.update(self.outer.pop())
        if op[0] in SIMPLE and op[-1] == "pred":
            return self.set(places[0], SIMPLE[op[0]](*(self.get(p) for p in places[1:])), 1)
        if op[0] in SIMPLE:
            return self.fit(places[0], SIMPLE[op[0]](*(self.get(p, ty) for p in places[1:])), ty)
        if op[0] == "not":
            return self.set(places[0], ~self.get(places[1]), 1)
        if op[0] == "mov":
            return self.set(places[0], self.get(places[1], ty), ty.bits)
        if op[0] in ("mul", "mad"):
            a, b = (self.get(p, ty) for p in places[1:3])
            double = U64 if not ty.signed else I64
            if op[1] == "hi":
                return self.set(places[0], a * b >> ty.bits, ty.bits)
            more = self.get(places[3], double if op[1] == "wide" else ty) if op[0] == "mad" else 0
            return self.fit(places[0], a * b + more, double if op[1] == "wide" else ty)
        if op[0] in ("shl", "shr"):
            a, by = self.get(places[1], ty), min(self.get(places[2], U32), ty.bits)
            return self.fit(places[0], a << by if op[0] == "shl" else a >> by, ty)
        if op[0] == "setp":
            return self.set(places[0], TESTS[op[1]](*(self.get(p, ty) for p in places[1:])), 1)
        if op[0] == "selp":
            return self.set(places[0], self.get(places[1] if self.get(places[3]) else places[2], ty), ty.bits)
        if op[0] == "cvt":
            value = self.get(places[1], KINDS[op[2]])
            return self.fit(places[0], value, KINDS[op[1]])
        if op[0] == "ld":
            return self.set(places[0], self.memory(places[1], None), 32)
        if op[0] == "st":
            # Of a pair both elements are the operand; a byte leaves what is not known.
            return self.memory(places[0], self.get(places[1], I32), 1 if op[-1] == "u8" else 8 if "v2" in op else 4)
        raise NotImplementedError(op)

    def memory(self, place, value, size=4):
        m = re.fullmatch(r"\[([%\w]+)(?:\+(-?\d+))?\]", place)
        address = self.get(m[1]) + int(m[2] or 0)
        run = self.f.run
        obj, offset = split(run, address)
        run.step()
        if not run.access(self.node, obj, offset, size, value is not None):
            run.certain &= value is not None
            return 0
        if value is not None:
            for part in range(max(1, size // 4)):
                obj.cells[offset // 4 + part] = None if size == 1 else value
            # Misaligned accesses trap on a device.
            if offset % size:
                run.certain, run.vague = False, True
            return None
        held = obj.cells.get(offset // 4, obj.fill)
        if held is None:
            run.certain = False
        return held or 0
