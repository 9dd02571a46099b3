"""Which lines of the user's own sources access memory, as `nvcc -G -ptx` has it: one instruction for each access, none dropped or merged.

In: PTX with lines. Out: for each (file, line) the kinds of accesses (read, write, atomic). Left out are parameters, the stack (what is
addressed by a register that comes from the frame alone), and tables of the compiler's own mathematical functions. An access in a header counts at the lines of the user's sources that lead to it, by
calls or by `inlined_at`. Syntax: PTX ISA 9.0. Only the Python standard library is used.
"""

import collections
import re

READ, WRITE, ATOMIC = "read", "write", "atomic"
LOC = re.compile(r"^\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:,\s*function_name\s+[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
FILE = re.compile(r'^\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
HEAD = re.compile(r"^(?:\.(?:visible|weak|extern)\s+)*\.(entry|func)\b\s*(?:\([^)]*\)\s*)?([\w$.]+)")
# What the compiler itself makes: frames, and the tables of its mathematical functions (digits of 2/pi).
OWN = re.compile(r"__local_depot|__cudart_")
REGISTER = re.compile(r"%[A-Za-z_]\w*")
# What a kernel may call that has no body and is no access which a user wrote.
NO_ACCESS = ("vprintf", "__assertfail", "malloc", "free", "cudaGetParameterBuffer", "cudaLaunchDevice", "__cuda_syscall", "cudaGetDevice", "cudaStream", "cudaEvent", "cudaDevice")


def kinds_of(opcode, text):
    """The kinds of accesses of one instruction, by its opcode; none for what touches no memory that a user would count."""
    name = opcode.split(".")
    head, parts = name[0], name[1:]
    if "param" in parts or any(p.startswith("param::") for p in parts):
        return ()
    if head in ("ld", "ldu", "ldmatrix", "tex", "tld4", "suld"):
        return (READ,)
    if head in ("st", "stmatrix", "sust"):
        return (WRITE,)
    if head in ("red", "atom", "multimem", "sured"):
        return (ATOMIC,)
    if head == "wmma":
        return (READ,) if "load" in parts else (WRITE,) if "store" in parts else ()
    if head == "cp":
        # Waiting and grouping touch nothing.
        return () if any(p in ("wait_group", "wait_all", "commit_group", "mbarrier", "wait_group.read") for p in parts) else (READ, WRITE)
    if head == "wgmma" and "[" in text:
        return (READ,)
    return ()


class Function:
    def __init__(self, name):
        self.name = name
        self.accesses = []  # (frames, kinds, address register or symbol, text)
        self.calls = []  # (frames, callee, arguments)
        self.comes_from = collections.defaultdict(set)  # register → registers, "local", "other", ("parameter", n)


def parse(lines):
    files, functions, function = {}, {}, None
    frames, depth, pending = (), 0, ""
    arguments, call = {}, None
    for raw in lines:
        line = raw.split("//")[0].strip() if not raw.lstrip().startswith(".file") else raw.strip()
        if not line:
            continue
        m = FILE.match(line)
        if m:
            files[int(m.group(1))] = m.group(2)
            continue
        if function is None:
            pending = (pending + " " + line).strip()
            if pending.endswith(";"):
                pending = ""
            elif "{" in line:
                head = HEAD.match(pending)
                pending = ""
                if head:
                    function = functions.setdefault(head.group(2), Function(head.group(2)))
                    depth, frames = 1, ()
            elif pending.startswith((".version", ".target", ".address_size", ".section")):
                pending = ""
            continue
        m = LOC.match(line)
        if m:
            here = (int(m.group(1)), int(m.group(2)))
            frames = (here,) if not m.group(4) else (here, (int(m.group(4)), int(m.group(5))))
            continue
        if line.startswith("$") and line.endswith(":") or line.startswith("."):
            depth += line.count("{") - line.count("}")
            continue
        if call is not None:
            call += " " + line
            if ";" in line:
                finish_call(function, call, frames, arguments)
                call, arguments = None, {}
            continue
        braces = line.count("{") - line.count("}")
        for text in statements(line):
            text = re.sub(r"^@!?%?\w+\s+", "", text)
            opcode, _, rest = text.partition(" ") if " " in text else text.partition("\t")
            opcode, rest = opcode.strip(), rest.strip()
            if opcode.startswith("call"):
                call = text
                if line.rstrip().endswith(";"):
                    finish_call(function, call, frames, arguments)
                    call, arguments = None, {}
                continue
            if opcode.startswith("st.param"):
                m = re.match(r"\[param(\d+)(?:\+(\d+))?\],\s*(.*)", rest)
                if m:
                    arguments.setdefault(int(m.group(1)), set()).update(REGISTER.findall(m.group(3)) or {"other"})
                continue
            kinds = kinds_of(opcode, rest)
            address = re.search(r"\[([^\]]*)\]", rest)
            if kinds and address:
                inside = address.group(1)
                base = REGISTER.search(inside)
                function.accesses.append((frames, kinds, base.group(0) if base else inside.split("+")[0].strip(), text))
            provenance(function, opcode, rest)
        if braces:
            depth += braces
            if depth <= 0:
                function = None
    return files, functions


def statements(line):
    """Instructions of a line, without braces around them (vectors keep theirs)."""
    line = line.strip()
    if line.startswith("{") and not line.startswith("{ //"):
        line = line[1:]
    if line.endswith("}"):
        line = line[:-1]
    return [s.strip() for s in line.split(";") if s.strip() and not s.strip().startswith(".reg")]


def finish_call(function, text, frames, arguments):
    text = text.split(";")[0]
    names = re.sub(r"\([^)]*\)", " ", text.split(None, 1)[1] if " " in text else "").replace(",", " ").split()
    callee = names[0] if names else ""
    function.calls.append((frames, callee, {k: set(v) for k, v in arguments.items()}))


def provenance(function, opcode, rest):
    """Notes where the result of an instruction comes from; what is kept in the frame comes from what was stored there."""
    if "," not in rest:
        return
    slot = re.search(r"\[(%SPL?(?:\+\d+)?)\]", rest)
    target, source = rest.split(",", 1)
    if slot and opcode.startswith("st"):
        function.comes_from[slot.group(1)] |= set(REGISTER.findall(source)) or {"number"}
        return
    if slot and opcode.startswith("ld"):
        for r in REGISTER.findall(target):
            function.comes_from[r].add(slot.group(1))
        return
    results = REGISTER.findall(target)
    if not results or "[" in target:
        return
    if opcode.startswith("ld.param"):
        m = re.search(r"_param_(\d+)", source)
        origins = {("parameter", int(m.group(1)))} if m else {"other"}
    elif opcode.startswith("ld") or opcode.startswith("atom"):
        origins = {"other"}
    elif OWN.search(source):
        origins = {"local"}
    elif opcode.split(".")[0] in ("mov", "cvta", "add", "sub", "cvt", "selp", "or"):
        # A number added to an address leaves it where it is: what has no address in it says nothing.
        origins = set(REGISTER.findall(source)) - {"%SP_"} or {"number"}
        if re.search(r"\b(?![\d%])[A-Za-z_$][\w$]*", re.sub(r"%\w+", "", source)):
            origins.add("other")
    else:
        origins = {"number"}
    for r in results:
        function.comes_from[r] |= origins


def local_alone(functions):
    """For each function, the registers whose address comes from frames alone."""
    parameters = collections.defaultdict(set)  # (function, n) → origins
    entries = {f.name for f in functions.values() if not any(f.name == c for g in functions.values() for _, c, _ in g.calls)}

    def origins(f, register, seen):
        if register in ("local", "other", "number"):
            return {register}
        if isinstance(register, tuple):
            return {"other"} if f.name in entries else parameters[(f.name, register[1])] or {"number"}
        if register in seen:
            return set()
        seen.add(register)
        out = set()
        # A place in the frame that is not stored to by its name is written through its address.
        for r in f.comes_from.get(register, {"other"} if "+" in register else {"number"}):
            out |= origins(f, r, seen)
        return out

    changed = True
    while changed:
        changed = False
        for f in functions.values():
            for _, callee, arguments in f.calls:
                for n, registers in arguments.items():
                    new = set().union(*(origins(f, r, set()) for r in registers))
                    if not new <= parameters[(callee, n)]:
                        parameters[(callee, n)] |= new
                        changed = True
    return lambda f, r: (lambda o: "local" in o and "other" not in o)(origins(f, r, set())) if r.startswith("%") else bool(OWN.match(r))


def lines(text, is_users):
    """{(file, line): kinds} of accesses, at the user's own lines; `is_users` says of a path whether it is one of theirs."""
    files, functions = parse(text.splitlines())
    is_local = local_alone(functions)
    users = {n: is_users(path) for n, path in files.items()}
    found = collections.defaultdict(set)
    above = collections.defaultdict(set)  # function → kinds whose line is still sought among its callers

    def at(frames):
        return next((f for f in frames if users.get(f[0]) and f[1] > 0), None)

    waiting = []
    for f in functions.values():
        for frames, kinds, address, _ in f.accesses:
            if is_local(f, address):
                continue
            place = at(frames)
            if place:
                found[place] |= set(kinds)
            else:
                waiting.append((f.name, frozenset(kinds)))
        for frames, callee, arguments in f.calls:
            if callee in functions or callee.startswith("%") or callee.startswith(NO_ACCESS):
                continue
            # Without a body: the compiler's own function for an atomic operation, say.
            registers = set().union(*arguments.values()) if arguments else set()
            kinds = {ATOMIC} if "tomic" in callee else None
            if kinds and not all(is_local(f, r) for r in registers if r.startswith("%rd")):
                place = at(frames)
                if place:
                    found[place] |= kinds
                else:
                    waiting.append((f.name, frozenset(kinds)))
    callers = collections.defaultdict(list)
    for f in functions.values():
        for frames, callee, _ in f.calls:
            callers[callee].append((f.name, frames))
    done = set()
    while waiting:
        name, kinds = waiting.pop()
        for caller, frames in callers[name]:
            key = (caller, frames, kinds)
            if key in done:
                continue
            done.add(key)
            place = at(frames)
            if place:
                found[place] |= kinds
            else:
                waiting.append((caller, kinds))
    return {(files[n], line): kinds for (n, line), kinds in found.items()}
