"""The judge of `oracle-features.py` against a compiler of C++: the same programs, their text made C++ that notes each access of a kernel.

Programs are made without inline PTX, and without calls of CUB and Thrust; threads of a block are coroutines that change at barriers, in the judge's first order. Both lists of accesses must be equal up to where memory that nothing set decides. Here conversions of the device's
that overflow do what the host's do, and products are rounded before sums, as the compiler does without instructions that fuse.
"""

import pathlib
import re
import subprocess
import tempfile

import oracle_language
from oracle_third import make
from oracle_vectors import VectorLoad, VectorStore

HEAD = """#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>
#include <ucontext.h>
#define __global__
#define __device__
#define __constant__
#define __managed__
using std::isnan; using std::min; using std::max;
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
    int &operator[](long long i) const { static int none; none = 0; return i >= 0 && (unsigned long long)i * 4 + 4 <= bytes ? base[i] : none; }
    Ptr operator+(long long by) const { Ptr p = *this; p.first = first + by; return p; }
    int &word() const { return (*this)[0]; }
    template<class V> V &wide(const char *file, int line, long long i) {
        static V none;
        long long offset = i * (long long)sizeof(V);
        if (depth) printf("%s:%d:%lld\\n", file, line, offset);
        return offset >= 0 && (unsigned long long)offset + sizeof(V) <= bytes ? *(V *)((char *)base + offset) : none;
    }
    char *range(unsigned long long n) const {
        return first >= 0 && n <= bytes && (unsigned long long)first * 4 <= bytes - n ? (char *)(base + first) : nullptr;
    }
    long long first = 0;
};
struct int2 { int x, y; }; struct int4 { int x, y, z, w; }; struct uint4 { unsigned x, y, z, w; };
struct float2 { float x, y; }; struct float4 { float x, y, z, w; }; struct longlong2 { long long x, y; };
inline void move(char *to, const char *from, unsigned long long n) { if (to && from) memcpy(to, from, n); }
enum Kind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline void cudaMemcpy(Ptr to, const int *from, unsigned long long n, Kind) { move(to.range(n), (const char *)from, n); }
inline void cudaMemcpy(int *to, Ptr from, unsigned long long n, Kind) { move((char *)to, from.range(n), n); }
inline void cudaMemcpyAsync(Ptr to, const int *from, unsigned long long n, Kind k, int) { cudaMemcpy(to, from, n, k); }
inline void cudaMallocHost(int **p, unsigned long long n) { *p = (int *)malloc(n); }
inline int take(Ptr p, int now) { return std::exchange(p.word(), now); }
inline int atomicAdd(Ptr p, int by) { return take(p, p.word() + by); }
inline int atomicSub(Ptr p, int by) { return take(p, p.word() - by); }
inline int atomicMin(Ptr p, int by) { return take(p, min(p.word(), by)); }
inline int atomicMax(Ptr p, int by) { return take(p, max(p.word(), by)); }
inline int atomicAnd(Ptr p, int by) { return take(p, p.word() & by); }
inline int atomicOr(Ptr p, int by) { return take(p, p.word() | by); }
inline int atomicExch(Ptr p, int by) { return take(p, by); }
inline int atomicCAS(Ptr p, int old, int now) { return take(p, p.word() == old ? now : p.word()); }
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(int) {}
inline void __pipeline_memcpy_async(Ptr to, Ptr from, unsigned long long n, unsigned long long zeros = 0) {
    char *t = to.range(n), *f = from.range(n - zeros);
    if (t) memset(t, 0, n);
    move(t, f, n - zeros);
}
inline std::map<std::string, std::vector<int>> shared;
inline unsigned long long dynamic;
inline Ptr in_block(const char *name, unsigned long long n) { auto &v = shared[name]; v.resize(n / 4 + 1); return Ptr(v.data(), n); }
inline ucontext_t scheduler, *current;
inline void __syncthreads() { swapcontext(current, &scheduler); }
namespace cg {
struct thread_block { void sync() { __syncthreads(); } };
inline thread_block this_thread_block() { return {}; }
template<int N> struct Tile {
    int thread_rank() { return threadIdx.x % N; }
    int meta_group_rank() { return threadIdx.x / N; }
    int meta_group_size() { return (blockDim.x + N - 1) / N; }
    void sync() { __syncthreads(); }
    int shfl(int v, int from) {
        static int held[1024];
        held[threadIdx.x] = v;
        __syncthreads();
        return held[threadIdx.x / N * N + from];
    }
};
template<int N> Tile<N> tiled_partition(thread_block) { return {}; }
inline void memcpy_async(thread_block, Ptr to, Ptr from, unsigned long long n) { move(to.range(n), from.range(n), n); }
inline void wait(thread_block) { __syncthreads(); }
}
inline std::function<void()> body;
inline bool over[1024];
inline void enter() { body(); over[threadIdx.x] = true; }
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
    gridDim.x = grid; blockDim.x = block; depth = 1; body = f;
    static std::vector<char> stacks(1024 << 15);
    static ucontext_t threads[1024];
    for (unsigned b = 0; b < grid; b++) {
        blockIdx.x = b; shared.clear();
        for (unsigned t = 0; t < block; t++) {
            over[t] = false;
            getcontext(&threads[t]);
            threads[t].uc_stack.ss_sp = &stacks[t << 15]; threads[t].uc_stack.ss_size = 1 << 15; threads[t].uc_link = &scheduler;
            makecontext(&threads[t], enter, 0);
        }
        for (bool some = true; some;) {
            some = false;
            for (unsigned t = 0; t < block; t++) if (!over[t]) { some = true; threadIdx.x = t; current = &threads[t]; swapcontext(&scheduler, current); }
        }
    }
    depth = 0;
}
template<class F> void launch_with(unsigned grid, unsigned block, unsigned long long bytes, F f) { dynamic = bytes; if (bytes <= 49152) launch(grid, block, f); }
"""
# Each run is a process of its own, so that variables start anew.
DRIVER = """#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
int program(int argc, char **argv);
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        fflush(stdout);
        int child = fork();
        if (!child) {
            // The arguments of a run are separated, and one separator is before the first.
            char *given[16] = {argv[0]};
            int n = 1;
            for (char *at = argv[i]; *at; at++) if (*at == '\x1f') { *at = 0; given[n++] = at + 1; }
            program(n, given);
            exit(0);
        }
        waitpid(child, nullptr, 0);
        puts("--");
    }
}
"""


def subscripts(line, where):
    """Each subscript of an array of the program's as a call that notes it."""
    out, at = "", 0
    for m in re.finditer(r"(?<![&\w])(out|table|m\d+|idx|in|s|p)\[", line):
        if m.start() < at:
            continue
        end, open_ = m.end(), 1
        while open_:
            open_ += {"[": 1, "]": -1}.get(line[end], 0)
            end += 1
        out += line[at : m.start()] + f'{m[1]}.at("{where[0]}", {where[1]}, {line[m.end() : end - 1]})'
        at = end
    return out + line[at:]


def commas(text):
    """How many operands a list has."""
    depth, n = 0, 1
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        n += c == "," and not depth
    return n


def launched(m):
    with_bytes = commas(m[2]) == 3
    name, first = ("launch_with", "unsigned grid, unsigned block, unsigned long long bytes") if with_bytes else ("launch", "unsigned grid, unsigned block")
    shape = "grid, block, bytes" if with_bytes else "grid, block"
    return f"{{ auto arguments = [&]({first}, auto... a) {{ {name}({shape}, [=] {{ {m[1]}(a...); }}); }}; arguments({m[2]}{', ' + m[3] if m[3] else ''}); }}"


def exchanged(line, where):
    """What the third generator writes that plain C++ has no word for."""
    line = re.sub(r"__shared__ __align__\(16\) int s\[(\d+)\];", r'Ptr s = in_block("s", \1 * 4);', line)
    line = line.replace("extern __shared__ int s[];", 'Ptr s = in_block("s", dynamic);')
    line = re.sub(r"cuda::atomic_ref<int, cuda::thread_scope_device>\(\*p\)\.load\(\)|\*\(volatile int \*\)p\b", "p.word()", line).replace("&p[0]", "p")
    line = re.sub(r"namespace cg = .*|^#pragma.*", "", line)
    if "__pipeline_memcpy_async" in line:
        return re.sub(r"&(s|in)\[(.*?)\](?=, )", r"\1 + (\2)", line)
    m = re.search(r"reinterpret_cast<(?:const )?(\w+) \*>\((\w+)\)\[(.*?)\](?=;| = q)", line)
    return line if not m else line[: m.start()] + f'{m[2]}.wide<{m[1]}>("{where[0]}", {where[1]}, {m[3]})' + line[m.end() :]


def translated(unit):
    lines = []
    for number, line in enumerate(unit.text.splitlines(), 1):
        if line.startswith("#include"):
            lines.append('#include "head.h"' if "cuda_runtime" in line else "")
            continue
        line = exchanged(line, (unit.name, number))
        array = re.match(r"(namespace \{ |static )(__\w+__) int (\w+)\[(\d+)\](?: = \{(.*?)\})?;( \})?$", line)
        if array:
            lines.append(f"{array[1]}Array<{array[4]}> {array[3]}{{{array[5] or ''}}};{array[6] or ''}")
            continue
        line = re.sub(r"int \*((?:out|idx|in|p|table|[abcdmop]\d+)\b)", r"Ptr \1", subscripts(line, (unit.name, number)))
        lines.append(re.sub(r"(\w+)<<<(.*)>>>\((.*)\);", launched, line))
    return "\n".join(lines) + "\n"


class Noted(oracle_language.Run):
    """A run that lists the accesses of kernels, up to where it is not certain."""

    def __init__(self, argv, fused, order=None):
        super().__init__(argv, fused, order)
        self.trace = []

    def access(self, node, obj, offset, size, write):
        if self.certain and isinstance(node, (oracle_language.Store, oracle_language.Load, VectorLoad, VectorStore)):
            self.trace.append(f"{node.where[0]}:{node.where[1]}:{offset}")
        return super().access(node, obj, offset, size, write)


def compare(seeds, cxx, generator):
    """Prints where the judge and the compiled program differ; the number of such seeds."""
    host_way = oracle_language.to_integer
    oracle_language.to_integer = lambda value, ty, run, device: host_way(value, ty, run, False)
    oracle_language.Run = Noted
    compared = differ = accesses = 0
    for seed in seeds:
        program = make(seed, generator, ("ptx", "thrust", "cub"))
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
            given = ["".join(f"\x1f{a}" for a in argv) for argv in program.inputs]
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
