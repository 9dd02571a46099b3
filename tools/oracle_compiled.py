"""The judge of `oracle-features.py` against a compiler of C++: the same programs, their text made C++ that notes each access of a kernel.

Programs are made without inline PTX. Both lists of accesses must be equal up to where memory that nothing set decides. Here conversions of the device's
that overflow do what the host's do, and products are rounded before sums, as the compiler does without instructions that fuse.
"""

import pathlib
import re
import subprocess
import tempfile

import oracle_language
from oracle_programs import Program

HEAD = """#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define __global__
#define __device__
#define __constant__
#define __managed__
using std::isnan;
template<class T> T atomicAdd(T *p, int by) { T old = *p; *p += by; return old; }
struct Axis { unsigned x; };
inline Axis threadIdx, blockIdx, blockDim, gridDim;
inline int depth;
inline int least(float v) { return v >= -2147483648.0f && v < 2147483648.0f ? (int)v : (-2147483647 - 1); }
inline int __float2int_rn(float v) { return least(rintf(v)); }
inline int __float2int_ru(float v) { return least(ceilf(v)); }
inline int __float2int_rd(float v) { return least(floorf(v)); }
inline int __float2int_rz(float v) { return least(truncf(v)); }
struct Ptr {
    int *base = nullptr; unsigned long long bytes = 0; int spare = 0;
    Ptr() = default;
    Ptr(int *b, unsigned long long n) : base(b), bytes(n) {}
    template<class T> int &at(const char *file, int line, T i) {
        long long offset = (long long)((unsigned long long)i * 4);
        if (depth) printf("%s:%d:%lld\\n", file, line, offset);
        if (offset >= 0 && (unsigned long long)offset + 4 <= bytes) return base[offset / 4];
        spare = 0;
        return spare;
    }
};
template<int N> struct Array : Ptr {
    int cells[N];
    template<class... T> Array(T... v) : Ptr(nullptr, N * 4), cells{v...} { base = cells; }
};
inline void cudaMalloc(Ptr *p, unsigned long long n) {
    if (n > (192ull << 30)) { puts("end"); exit(0); }
    *p = Ptr((int *)calloc(n < (1 << 20) ? n + 4 : 1 << 20, 1), n < (1 << 20) ? n : 1 << 20);
}
inline void cudaMemset(Ptr &, int, unsigned long long) {}
inline void cudaDeviceSynchronize() {}
template<class T> void cudaMemcpyToSymbol(T &to, const T *from, unsigned long) { to = *from; }
template<class T> void cudaMemcpyFromSymbol(T *to, const T &from, unsigned long) { *to = from; }
template<class F> void launch(unsigned grid, unsigned block, F f) {
    if (!grid || grid >= 1u << 31 || !block || block > 1024) return;
    if ((unsigned long long)grid * block > 4096) { puts("cut"); exit(0); }
    gridDim.x = grid; blockDim.x = block; depth = 1;
    for (unsigned b = 0; b < grid; b++) for (unsigned t = 0; t < block; t++) { blockIdx.x = b; threadIdx.x = t; f(); }
    depth = 0;
}
"""
# Each run is a process of its own, so that variables start anew.
DRIVER = """#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
int program(int argc, char **argv);
int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        fflush(stdout);
        int child = fork();
        if (!child) { char *given[] = {argv[0], argv[i], argv[i + 1], nullptr}; program(3, given); exit(0); }
        waitpid(child, nullptr, 0);
        puts("--");
    }
}
"""


def subscripts(line, where):
    """Each subscript of an array of the program's as a call that notes it."""
    out, at = "", 0
    for m in re.finditer(r"\b(out|table|m\d+)\[", line):
        if m.start() < at:
            continue
        end, open_ = m.end(), 1
        while open_:
            open_ += {"[": 1, "]": -1}.get(line[end], 0)
            end += 1
        out += line[at : m.start()] + f'{m[1]}.at("{where[0]}", {where[1]}, {line[m.end() : end - 1]})'
        at = end
    return out + line[at:]


def translated(unit):
    lines = []
    for number, line in enumerate(unit.text.splitlines(), 1):
        if line.startswith("#include"):
            lines.append('#include "head.h"' if "cuda_runtime" in line else "")
            continue
        array = re.match(r"(namespace \{ |static )(__\w+__) int (\w+)\[(\d+)\](?: = \{(.*?)\})?;( \})?$", line)
        if array:
            lines.append(f"{array[1]}Array<{array[4]}> {array[3]}{{{array[5] or ''}}};{array[6] or ''}")
            continue
        line = re.sub(r"int \*(\w+)", r"Ptr \1", subscripts(line, (unit.name, number)))
        lines.append(re.sub(r"(\w+)<<<(.*)>>>\((.*)\);", lambda m: f"{{ auto arguments = [&](unsigned grid, unsigned block, auto... a) {{ launch(grid, block, [&] {{ {m[1]}(a...); }}); }}; arguments({m[2]}{', ' + m[3] if m[3] else ''}); }}", line))
    return "\n".join(lines) + "\n"


class Noted(oracle_language.Run):
    """A run that lists the accesses of kernels, up to where it is not certain."""

    def __init__(self, argv, fused, order=None):
        super().__init__(argv, fused, order)
        self.trace = []

    def access(self, node, obj, offset, size, write):
        if self.certain and isinstance(node, (oracle_language.Store, oracle_language.Load)):
            self.trace.append(f"{node.where[0]}:{node.where[1]}:{offset}")
        return super().access(node, obj, offset, size, write)


def compare(seeds, cxx):
    """Prints where the judge and the compiled program differ; the number of such seeds."""
    host_way = oracle_language.to_integer
    oracle_language.to_integer = lambda value, ty, run, device: host_way(value, ty, run, False)
    oracle_language.Run = Noted
    compared = differ = accesses = 0
    for seed in seeds:
        program = Program(seed, without="ptx")
        with tempfile.TemporaryDirectory(prefix="scuba-oracle-") as name:
            folder = pathlib.Path(name)
            (folder / "head.h").write_text("#pragma once\n" + HEAD)
            for u in program.units:
                (folder / (u.name + ".cpp")).write_text(translated(u).replace("int main(", "int program("))
            (folder / "driver.cpp").write_text(DRIVER)
            built = subprocess.run([cxx, "-std=c++17", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-o", "program", *(u.name + ".cpp" for u in program.units), "driver.cpp"], cwd=folder, capture_output=True, text=True)
            if built.returncode:
                print(f"seed {seed}: not compiled: {built.stderr[:600]}")
                differ += 1
                continue
            compared += 1
            given = [str(a) for argv in program.inputs for a in argv]
            answers = subprocess.run([str(folder / "program"), *given], capture_output=True, text=True).stdout.split("--\n")
            for argv, answer in zip(program.inputs, answers, strict=False):
                run = oracle_language.execute(program.units, argv, False)
                there = [t for t in answer.split() if ":" in t]
                here = run.trace
                accesses += len(here)
                long = not run.certain or run.end.startswith("cut")
                if here != (there[: len(here)] if long else there):
                    at = next((n for n, (a, b) in enumerate(zip(here, there)) if a != b), min(len(here), len(there)))
                    print(f"seed {seed}, {argv}: access {at}: judge {here[at : at + 1]}, compiled {there[at : at + 1]} ({run.end})", flush=True)
                    differ += 1
                    break
    print(f"{compared} programs compared, {accesses} accesses, {differ} differ")
    return 1 if differ or not accesses else 0
