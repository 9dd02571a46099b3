"""Command lines of nvcc, drawn by a seed: for tools/command-lines.py.

Two sources: every flag of src/nvcc/flags.rs and of `nvcc --help` in every spelling, and the shapes of lines that build systems write.
`lines(flags, count, seed)` gives the same lines for the same arguments.
"""

import dataclasses
import pathlib
import random
import re
import shlex

import command_lines_builds

KERNEL = "__global__ void scale(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 2.0f; }\nvoid run(float *a, int n) { scale<<<1, 32>>>(a, n); }\n"
BUGGY = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\nint main() { int *a; cudaMalloc(&a, 16); k<<<1, 32>>>(a); return 0; }\n"
# Sources and response files, by name. Tiny: a line costs what its tools need to start.
FILES = {
    "a.cu": KERNEL, "e.cu": "int in_cuda() { return 1; }\n", "m.cu": "__global__ void k(int *p) { *p = 1; }\nint main() { return 0; }\n", "bug.cu": BUGGY,
    "a.c": "int in_c(void) { return 1; }\n", "b.cpp": "int in_cpp() { return 2; }\n", "d.cc": "int in_cc() { return 3; }\n", "e.cxx": "int in_cxx() { return 4; }\n",
    "main.c": "int main(void) { return 0; }\n", "three.c": "int main(int n, char **w) { return n + 2 + !w; }\n", "sp ace.c": "int spaced(void) { return 5; }\n", "é.c": "int accent(void) { return 6; }\n", "N.C": "int upper() { return 7; }\n",
    "warn.c": "int w(void) { int unused = 1; return 0; }\n#warning said\n", "warn.cu": "__global__ void k() { int unused; }\n", "broken.c": "int f( { }\n", "broken.cu": "__global__ void k( { }\n",
    "assert.cpp": "static_assert(sizeof(int) == 5, \"never\");\n", "assert.cu": "template <int N> __global__ void k() { static_assert(N > 9, \"more\"); }\nvoid f() { k<1><<<1, 1>>>(); }\n",
    "hash.c": "#error stop\n", "header.c": "#include \"h.h\"\n#ifndef FROM_H\n#error none\n#endif\nint h(void) { return FROM_H; }\n", "text.txt": "no source\n", "c_in.txt": "int in_text(void) { return 8; }\n",
    "inc/h.h": "#define FROM_H 1\n", "sub/keep": "", "old.o": "what an earlier run left", "x.i": "int in_i(void) { return 9; }\n", "x.ii": "int in_ii() { return 10; }\n",
    "options.txt": "-DA=\"x y\" -Iinc\n-O2\n", "nested.txt": "-DOUTER -optf inner.txt", "inner.txt": "-DINNER", "self.txt": "-DS -optf self.txt", "empty.txt": "", "source.txt": "a.c -DFROM_FILE", "ends.txt": "-DE -o", "crlf.txt": "-DR\r\n-DN\r\n",
}
# Made once by nvcc itself, from FILES.
OBJECTS = ("-dc a.cu -o a.rdc.o", "-c main.c -o main.o", "-c b.cpp -o b.o", "-lib a.c b.o -o libk.a", "-ptx a.cu -o k.ptx", "-cubin a.cu -o k.cubin", "-fatbin a.cu -o k.fatbin")

VALUES = {
    "-o": ["out.o", "sub/out.o", "nosuch/out.o", "/dev/null", "sp out.o"], "-odir": ["sub", "nosuch", "."], "-MF": ["x.d", "sub/x.d", "nosuch/x.d"], "-MT": ["target", "a b"], "-include": ["inc/h.h", "nosuch.h", "inc/h.h,inc/h.h"],
    "-I": ["inc", "inc,sub", "nosuch", "sp ace"], "-isystem": ["inc", "inc,sub"], "-D": ["X", "X=1", "X=\"a b\"", "X,Y=2", "X=\\\"s\\\"", "F(x)=x", "1"], "-U": ["X", "X,Y"], "-L": [".", ".,sub"], "-l": ["k", "k,m", "nosuch", ":libk.a"],
    "-ccbin": ["g++", "gcc", "/usr/bin", "/usr/bin/g++", "nosuch"], "-arbin": ["ar", "nosuch"], "-cudart": ["none", "shared", "static", "maybe"], "-cudadevrt": ["none", "static", "x"], "-ldir": [".", "nosuch"], "-target-dir": ["x86_64-linux", "nosuch"],
    "-opt-info": ["inline", "x"], "-O": ["0", "1", "2", "3", "s", "fast", "-1"], "-Ofc": ["0", "min", "mid", "max", "x"], "-dopt": ["on", "off", "x"], "-ftemplate-backtrace-limit": ["5", "x"], "-ftemplate-depth": ["50", "x"],
    "-x": ["cu", "c", "c++", "rust"], "-std": ["c++17", "c++20", "c++14", "c++11", "c++03", "c++23", "gnu++17", "c99"], "-stdlib": ["libstdc++", "libc++"], "-m": ["64", "32"], "-Xcompiler": ["-Wall", "-Wall,-Wextra", "-O2 -g", "-DX=1", "-DX=\\\"a\\\"", "-fPIC", "--nosuch", "-Wall,"],
    "-Xlinker": ["-Map=x.map", "--as-needed", "--nosuch", "-rpath,sub"], "-Xarchive": ["v"], "-Xptxas": ["-v", "-O1", "-v,-warn-spills", "--nosuch"], "-Xnvlink": ["-v"], "-Xcudafe": ["--diag_suppress=177", "--display_error_number"], "-Xcicc": ["-O1"], "-Xfatbin": ["-compress-all"],
    "-t": ["0", "1", "2", "x"], "-split-compile": ["0", "2", "x"], "-split-compile-extended": ["0", "2"], "-keep-dir": ["sub", "nosuch"], "-time": ["times.csv", "-"], "-run-args": ["a", "a,b"], "-idp": ["x"], "-ddp": ["x"], "-dp": ["x"], "-fmax-errors": ["1", "x"],
    "-arch": ["sm_80", "compute_90", "sm_90a", "native", "all", "all-major", "sm_5", "sm_75", "lto_80", "sm_100f", "80"], "-code": ["sm_80", "sm_80,sm_86", "compute_75", "x"], "-gencode": ["arch=compute_80,code=sm_80", "arch=compute_80,code=[sm_80,compute_80]", "arch=compute_90a,code=sm_90a", "arch=compute_80", "code=sm_80", "arch=compute_80,code=\"sm_80,sm_86\"", "arch=compute_80,code=compute_80"],
    "-e": ["scale", "x"], "-maxrregcount": ["32", "x"], "-default-stream": ["legacy", "null", "per-thread", "x"], "-Werror": ["all-warnings", "reorder", "cross-execution-space-call", "x", "default-stream-launch,reorder"], "-diag-error": ["177", "x"], "-diag-suppress": ["177", "1,2"], "-diag-warn": ["177"],
    "-hls": ["gen-lcs", "use-lcs", "x"], "-jtd": ["50", "x"], "-compress-mode": ["none", "size", "speed", "default", "x"], "-frandom-seed": ["7", "x"], "-optf": ["options.txt", "nested.txt", "empty.txt", "nosuch.txt", "self.txt", "options.txt,inner.txt", "ends.txt", "crlf.txt"], "-qpp-config": ["x"],
}
BOOLEAN = ["true", "false", "maybe", "1"]
# Slow, or of a machine's own: not drawn beside a compilation.
APART = {"-run", "-arch-ls", "-h"}


@dataclasses.dataclass(frozen=True)
class Line:
    kind: str
    words: tuple[str, ...]
    prepend: str = ""
    append: str = ""
    # A file for standard input.
    input: str = ""
    # Whether the shim is given nvcc's path before the words, as a launcher is.
    launcher: bool = False

    @property
    def key(self) -> str:
        variables = "".join(f"{name}={shlex.quote(value)} " for name, value in (("NVCC_PREPEND_FLAGS", self.prepend), ("NVCC_APPEND_FLAGS", self.append)) if value)
        return variables + ("launcher " if self.launcher else "") + shlex.join(self.words) + (f" < {self.input}" if self.input else "")


@dataclasses.dataclass(frozen=True)
class Flag:
    long: str
    short: str
    valued: bool
    boolean: bool = False

    def values(self) -> list[str]:
        return BOOLEAN if self.boolean else VALUES.get(self.short or self.long, ["x", "1"])


def flags(table: str, help_text: str) -> list[Flag]:
    """The rows of src/nvcc/flags.rs, and those of `nvcc --help` that it lacks."""
    rows = [Flag(long, short, value != "None", value == "Boolean") for long, short, value in re.findall(r'flag\("(--[^"]+)", "([^"]*)", V::(\w+)', table)]
    known = {row.long for row in rows}
    for line in help_text.splitlines():
        words = line.split()
        if line.startswith("--") and words[0] not in known:
            rows.append(Flag(words[0], words[-1].strip("()"), len(words) > 2))
    return rows


def spellings(flag: Flag, draw: random.Random) -> list[tuple[str, ...]]:
    """A flag as it may be written, rightly and wrongly."""
    long, short = flag.long, flag.short or flag.long
    bare = long.lstrip("-")
    if not flag.valued:
        plain = [(long,), (short,), (short, short), (long, short), (long + "=true",), (short + "=",), (short, "true")]
        return plain + [("-" + bare,), ("--" + short.lstrip("-"),), (long[:-1],), (long[: max(4, len(long) // 2)],), (short + "x",), (short.upper(),)]
    found = []
    for value in flag.values():
        found += [(long, value), (f"{long}={value}",), (short, value), (f"{short}={value}",), (short + value,), (f"-{bare}={value}",), (f"--{short.lstrip('-')}={value}",)]
        found += [(f"{long[:-1]}={value}",), (short, value, short, value), (f"{short}={value}", long, flag.values()[0]), (f"{short}={value},{value}",)]
    return found + [(long,), (short,), (long + "=",), (short + "=",), (short, ""), (short, "-c"), (short, short)]


def placed(words: tuple[str, ...], base: tuple[str, ...], draw: random.Random) -> tuple[str, ...]:
    at = draw.choice((0, len(base), len(base), draw.randrange(len(base) + 1)))
    return base[:at] + words + base[at:]


DRY = [("-dryrun", "-c", "a.cu"), ("-dryrun", "a.cu", "main.c"), ("-dryrun", "-dc", "a.cu"), ("-dryrun", "-ptx", "a.cu"), ("-dryrun", "-c", "a.c"), ("-dryrun", "a.cu", "b.cpp", "a.rdc.o", "libk.a", "main.o"), ("-dryrun", "-dlink", "a.rdc.o"), ("-dryrun", "-lib", "a.cu", "a.c"),
       ("-dryrun", "-cubin", "a.cu"), ("-dryrun", "-fatbin", "a.cu"), ("-dryrun", "-cuda", "a.cu"), ("-dryrun", "-shared", "-Xcompiler", "-fPIC", "a.cu"), ("-dryrun", "-x", "cu", "-c", "b.cpp"), ("-dryrun", "-MD", "-c", "a.cu")]
HOST = [("-c", "a.c"), ("-c", "a.c"), ("-c", "b.cpp"), ("-c", "header.c", "-Iinc"), ("-c", "a.c", "-o", "out.o"), ("-c", "-x", "c++", "c_in.txt"), ("-c", "-MD", "a.c"), ("-c", "sp ace.c"), ("-c", "warn.c")]
SHOWN = [("-E", "a.c"), ("-E", "b.cpp", "-o", "b.ii"), ("-M", "header.c", "-Iinc"), ("-MM", "a.c", "-MF", "x.d"), ("-E", "-x", "c++", "c_in.txt"), ("-M", "a.c", "b.cpp")]
CUDA = [("-c", "e.cu"), ("-ptx", "e.cu"), ("-cubin", "e.cu", "-arch=sm_80"), ("-cuda", "e.cu"), ("-c", "-rdc=true", "e.cu"), ("-c", "a.cu"), ("-fatbin", "a.cu")]
NONSENSE = ("-c -dc -ptx -E -M -MD -MF -o -odir -arch -arch=sm_80 -arch=all -gencode arch=compute_80,code=sm_80 -code sm_80 a.c b.cpp main.o text.txt x.o sub - -- -x c c++ -D -DA=\" -I -l -L. -Xcompiler -Wall, -rdc true -rdc=false -optf options.txt "
            "nosuch.txt --nosuch -t 2 -std c++17 -lib -dlink -shared -G -O -keep -w -forward-unknown-to-host-compiler \\ = -= --=x -o= é @options.txt @nosuch -dryrun --help=x -V=1 -version nvcc g++ ./sub /bin/true -run -c=c -ptx=1 -x=c -Dx -U, ,").split(" ") + ["", " ", "a b", "*", "$HOME", "`id`", "\n"]
TOOLS = {"c++", "g++", "nvcc"}
INPUTS = ["a.c", "b.cpp", "d.cc", "e.cxx", "main.c", "sp ace.c", "é.c", "N.C", "c_in.txt", "text.txt", "x.i", "x.ii", "a.rdc.o", "main.o", "b.o", "libk.a", "k.ptx", "k.cubin", "k.fatbin", "nosuch.c", "nosuch.o", "sub", "old.o", "inc/h.h", "./a.c", "sub/../a.c", "header.c", "-lk", "-lm"]
HOW = ["-c", "-c", "-dc", "-dw", "-E", "-M", "-MM", "-ptx", "-cubin", "-fatbin", "-cuda", "-lib", "-dlink", "-link", "-shared", "-r", "-run", "-c -MD", "-c -MMD -MP", "-c -odir sub", "-c -keep", "-c -keep -keep-dir sub", "-c -objtemp", "-c -save-temps", "-c -v", "-c -time -", "-clean -c", "-lib -o sub/l.a", "-o app", "-o sub/app -L.", "-run -run-args 1,2", "-optix-ir", "-c -t 2", ""]
WRONG = ["broken.c", "hash.c", "assert.cpp", "warn.c", "warn.c", "nosuch.c", "broken.c a.c", "a.c broken.c", "a.c nosuch.c", "header.c", "-Werror all-warnings warn.c", "-Xcompiler -Werror warn.c", "-Xcompiler -Wall,-Wextra warn.c", "-w warn.c", "-include nosuch.h a.c", "-ccbin nosuch a.c",
         "-std=c++99 b.cpp", "-Xcompiler --nosuch a.c", "old.o", "-o nosuch/x.o a.c", "a.c b.cpp -o both.o", "-o sub a.c", "-o a.c a.c", "-odir nosuch a.c"]
WRONG_CUDA = ["broken.cu", "assert.cu", "warn.cu", "warn.cu -Werror all-warnings", "-diag-suppress 177 warn.cu", "a.cu broken.cu", "-arch=sm_10 a.cu", "-ptx broken.cu", "-cubin assert.cu -arch=sm_80"]
INFORMATION = ["--version", "-V", "--help", "-h", "-v", "--list-gpu-arch", "--list-gpu-code", "-arch-ls", "-code-ls", "--list-gpu-code --list-gpu-arch", "--version --help", "-V a.c", "-v __cmake_determine_cuda", "", "-c", "-o", "--", "-", "-dryrun", "-dryrun -v", "-clean", "-clean -c a.c", "--dryrun --version", "-E", "-M", "-run", "-lib", "-dlink", "-x cu", "-optf empty.txt",
               "-optf options.txt", "-h -c a.c", "--version -c broken.c", "-v --version", "-keep", "-t 4", "-### -c a.c", "-print-prog-name=ld", "-dumpversion", "-dumpmachine", "-v -E", "-Wall", "@options.txt", "--version=1", "-qversion"]


def flagged(kind: str, bases: list[tuple[str, ...]], count: int, rows: list[Flag], draw: random.Random) -> list[Line]:
    """Every flag in turn, each time in spellings that were not yet drawn."""
    rows = [row for row in rows if kind == "flag, dry run" or not APART & {row.short, row.long}]
    pools = {}
    found = []
    while len(found) < count:
        for row in rows:
            pool = pools.setdefault(row, [])
            if not pool:
                pool += spellings(row, draw)
                draw.shuffle(pool)
            found.append(Line(kind, placed(pool.pop(), draw.choice(bases), draw), launcher=draw.random() < 0.05))
    return draw.sample(found, count)


def several(kind: str, bases: list[tuple[str, ...]], count: int, rows: list[Flag], draw: random.Random) -> list[Line]:
    found = []
    rows = [row for row in rows if not APART & {row.short, row.long}]
    for _ in range(count):
        words = draw.choice(bases)
        for row in draw.sample(rows, draw.randrange(2, 5)):
            chosen = draw.choice(spellings(row, draw)) if draw.random() < 0.2 else (row.short or row.long, *([draw.choice(row.values())] if row.valued else []))
            words = placed(chosen, words, draw)
        found.append(Line(kind, words))
    return found


def from_files(count: int, rows: list[Flag], draw: random.Random) -> list[Line]:
    """Words from the variables and from options files, in every quoting."""
    found = []
    quoted = ['"a b"', "'a b'", "a\\ b", '"-DX=\\"s\\""', "-DX='1 2'", '-D"X=1 2"', "'", '"', "\\", "  -DY  ", "\t-DZ\t", "-DX=1\n-DY", "$HOME", "-DX=a,b", "'-DA' '-DB'", "-D X", "-Xcompiler '-Wall -Wextra'", "a.c", "-o", "-c", "-optf options.txt", "-optf", "-dryrun", "-E", "-o app.o", "-x c++", "--nosuch", "@options.txt"]
    for _ in range(count):
        extra = draw.choice(quoted) if draw.random() < 0.6 else " ".join(draw.choice(spellings(draw.choice(rows), draw)))
        base = draw.choice(HOST[:4] + SHOWN[:2] + DRY[:3] + [("-c",), ("-E",)])
        where = draw.randrange(4)
        option = draw.choice(["options.txt", "nested.txt", "self.txt", "empty.txt", "source.txt", "ends.txt", "nosuch.txt", "options.txt,source.txt", "crlf.txt"])
        if where == 3:
            base = placed(draw.choice([("-optf", option), (f"-optf={option}",), (f"--options-file={option}",), ("--options-file", option), (f"@{option}",)]), base, draw)
            where = draw.randrange(6)
        found.append(Line("environment and options files", base, extra if where in (0, 2) else "", extra if where in (1, 2) else ""))
    return found


def others(share: float, rows: list[Flag], draw: random.Random) -> list[Line]:
    found = []
    for _ in range(round(1300 * share)):
        drawn = [draw.choice(NONSENSE) for _ in range(draw.randrange(1, 8))]
        # A launcher's first word is the tool that it launches.
        found.append(Line("words at random", tuple(drawn if drawn[0] not in TOOLS else ["-c", *drawn]), launcher=draw.random() < 0.05))
    for _ in range(round(420 * share)):
        inputs = draw.sample(INPUTS, draw.randrange(1, 5))
        words = tuple(draw.choice(HOW).split())
        found.append(Line("several inputs", (*words, *inputs) if draw.random() < 0.7 else (*inputs, *words)))
    for _ in range(round(80 * share)):
        source = draw.choice(["a.c", "b.cpp", "broken.c", "text.txt"])
        words = draw.choice(["-x c -c -", "-x c++ -c - -o out.o", "-x c -E -", "-x c -M -", "-c -", "-x c++ -", "-x c -c - -MD", "-x cu -E -", "-E - -x c++", "-x c a.c -c -", "-dryrun -x cu -c -", "-x c -c /dev/stdin", "-c a.c"])
        found.append(Line("standard input", tuple(words.split()), input=source))
    for _ in range(round(250 * share)):
        words = draw.choice(WRONG).split()
        found.append(Line("wrong or warned sources", (*draw.choice([["-c"], ["-c"], ["-E"], [], ["-c", "-MD"], ["-c", "-keep"], ["-dc"], ["-c", "-v"], ["-M"]]), *words)))
    found += [Line("wrong or warned sources", (*(() if "-ptx" in words or "-cubin" in words else ("-c",)), *words.split())) for words in draw.sample(WRONG_CUDA, min(len(WRONG_CUDA), max(1, round(9 * share))))]
    found += [Line("a bug that is denied", tuple(f"{words} bug.cu".split())) for words in ("-c", "-c -o sub/bug.o", "-o app", "-c -MD -o bug.o", "-rdc=true -c", "-arch=sm_80 -c -o old.o")[: max(1, round(6 * share))]]
    found += [Line("asking for information", tuple(words.split())) for words in INFORMATION]
    return found


def lines(rows: list[Flag], count: int, seed: int) -> list[Line]:
    """About `count` lines, each once, in an order that mixes the kinds."""
    share, draw = count / 10000, random.Random(seed)
    found = flagged("flag, dry run", DRY, round(3100 * share), rows, draw) + flagged("flag, C and C++", HOST, round(1400 * share), rows, draw)
    found += flagged("flag, -E and -M", SHOWN, round(900 * share), rows, draw) + flagged("flag, CUDA", CUDA, round(80 * share), rows, draw)
    found += several("several flags, dry run", DRY, round(1300 * share), rows, draw) + several("several flags, C and C++", HOST + SHOWN, round(500 * share), rows, draw)
    found += from_files(round(600 * share), rows, draw) + others(share, rows, draw)
    found += [Line(f"build systems: {name}", words) for name, words in command_lines_builds.lines(round(1500 * share), draw)]
    found = list({line.key: line for line in found}.values())
    more = flagged("flag, dry run", DRY, max(0, 4 * (count - len(found))), rows, draw)
    known = {line.key for line in found}
    fresh = list({line.key: line for line in more if line.key not in known}.values())
    found += fresh[: max(0, count - len(found))]
    draw.shuffle(found)
    return found


def write(folder: pathlib.Path) -> None:
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
