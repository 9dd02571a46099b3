"""Programs that grow in one respect: the families of scale.py.

Each family is a function from a size and whether there are bugs to a `Program`: its sources, and what a right answer says of
them. Programs are alike but for their size: sizes come from arguments that are checked, allocations are made by them, kernels
compare their index with what they were given. With bugs, one place in a hundred (at least one of all) goes one element
too far; every other access is within bounds.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import generate

BLOCK = 128
BUGS_EVERY = 100
KERNELS_PER_UNIT = 10

# Places that are accesses, by style of generate.py: what its kernels read and write, local and shared arrays included.
PLACES = {"map": 2, "grid_stride": 3, "stencil": 5, "reduce": 6, "transpose": 4, "rows": 3, "window": 5}
# What goes one too far in a kernel of the style `map`.
RIGHT, WRONG = "out[i] =", "out[i + 1] ="


@dataclass(frozen=True)
class Program:
    """Sources, by file name, and what a right answer says: how many places are accesses, and how many of these are findings."""

    files: dict
    accesses: int
    findings: int
    # What `scuba check` is given, in the folder of the sources.
    arguments: tuple = ("main.cu",)


@dataclass(frozen=True)
class Family:
    """What grows, and the sizes it has. The first size is the start-up: what the smallest program of the kind takes."""

    name: str
    what: str
    make: object
    sizes: tuple


def steps(largest: int) -> tuple:
    """1, then 10, 20, 50, 100, …"""
    return (1, *(d * 10**e for e in range(1, 5) for d in (1, 2, 5) if d * 10**e <= largest))


# Calls are followed 256 deep, what is below is undecided: main or the kernel is the first.
CALLS = (1, 10, 20, 50, 100, 200)


def buggy(size: int, bugs: bool) -> set:
    """Which of `size` things have a bug: one of each hundred, of fewer the one in the middle."""
    if not bugs:
        return set()
    return set(range(BUGS_EVERY // 2, size, BUGS_EVERY)) if size >= BUGS_EVERY else {size // 2}


HEADER = generate.HEADER.removeprefix("#pragma once\n")


def main_of(body: list, largest: int, second: str = "") -> str:
    """`main` with n, from 1 to `largest`, of its first argument; `second` names one from 0 to 1024 of its second."""
    lines = ["int main(int argc, char **argv)", "{", f"    if (argc != {3 if second else 2})", "        return EXIT_FAILURE;"]
    lines += ["    const int n = std::atoi(argv[1]);", f"    if (n < 1 || n > {largest})", "        return EXIT_FAILURE;"]
    if second:
        lines += [f"    const int {second} = std::atoi(argv[2]);", f"    if ({second} < 1 || {second} > 1024)", "        return EXIT_FAILURE;"]
    ends = ["    CHECK(cudaDeviceSynchronize());", "    return EXIT_SUCCESS;", "}", ""]
    return "\n".join([*lines, *(f"    {line}" for line in body), *ends])


def source(*parts: str) -> dict:
    return {"main.cu": HEADER + "\n".join(parts)}


def allocated(**extents: str) -> list:
    """Lines that allocate arrays of float, by name, of so many elements."""
    return [f"float *{', *'.join(extents)};", *(f"CHECK(cudaMalloc(&{name}, sizeof(float) * ({extent})));" for name, extent in extents.items())]


def freed(*names: str) -> list:
    return [f"CHECK(cudaFree({name}));" for name in names]


def launched(kernel: str, arguments: str, count: str = "n") -> str:
    return f"{kernel}<<<({count} + {BLOCK - 1}) / {BLOCK}, {BLOCK}>>>({arguments});"


def kernel(name: str, parameters: str, body: list, guard: str = "n") -> str:
    """A kernel with one thread for each i below `guard`."""
    head = [f"__global__ void {name}({parameters})", "{", "    const int i = blockIdx.x * blockDim.x + threadIdx.x;"]
    return "\n".join([*head, f"    if (i >= {guard})", "        return;", *(f"    {line}" for line in body), "}", ""])


def stages(prefix: str, first: int, count: int, wrong: set) -> tuple:
    """Kernels of generate.py with what launches them, numbered from `first`: the text, their names, how many accesses."""
    rng = random.Random(first)
    styles = sorted(generate.STYLES)
    texts, names, accesses = [], [], 0
    for number in range(first, first + count):
        style = "map" if number in wrong else styles[number % len(styles)]
        name = f"{prefix}k{number}"
        text = generate.stage(rng, name, style)
        texts.append(text.replace(RIGHT, WRONG) if number in wrong else text)
        names.append(name)
        accesses += PLACES[style]
    return "\n".join(texts), names, accesses


def main_of_stages(calls: list) -> str:
    lines = ["int main(int argc, char **argv)", "{", "    if (argc != 3)", "        return EXIT_FAILURE;"]
    lines += ["    const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]);"]
    lines += [f"    if (nx < 1 || nx > {generate.MAX_SIDE} || ny < 1 || ny > {generate.MAX_SIDE})", "        return EXIT_FAILURE;", "    const int n = nx * ny;"]
    ends = ["    CHECK(cudaDeviceSynchronize());", "    return EXIT_SUCCESS;", "}", ""]
    return "\n".join([*lines, *(f"    {call}" for call in calls), *ends])


def kernels(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    text, names, accesses = stages("", 0, size, wrong)
    return Program(source(text, main_of_stages([f"run_{name}(n, nx, ny);" for name in names])), accesses, len(wrong))


def units(size: int, bugs: bool) -> Program:
    wrong = buggy(size * KERNELS_PER_UNIT, bugs)
    declarations = "".join(f"void unit_{u}(int n, int nx, int ny);\n" for u in range(1, size))
    files, accesses = {"bench.h": generate.HEADER + declarations}, 0
    for unit in range(size):
        text, names, places = stages(f"u{unit}_", unit * KERNELS_PER_UNIT, KERNELS_PER_UNIT, wrong)
        calls = [f"run_{name}(n, nx, ny);" for name in names]
        accesses += places
        if unit:
            body = "\n".join([f"void unit_{unit}(int n, int nx, int ny)", "{", *(f"    {call}" for call in calls), "}", ""])
        else:
            body = main_of_stages([*calls, *(f"unit_{u}(n, nx, ny);" for u in range(1, size))])
        files[f"unit_{unit}.cu"] = f'#include "bench.h"\n\n{text}\n{body}'
    entries = [{"directory": ".", "command": f"nvcc -std=c++17 -c unit_{u}.cu -o unit_{u}.o", "file": f"unit_{u}.cu"} for u in range(size)]
    files["compile_commands.json"] = json.dumps(entries, indent=1)
    return Program(files, accesses, len(wrong), ("-p", "."))


def launches(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    blend = kernel("blend", "const float *a, float *b, const float *halo, int n, int shift", ["b[i] = 0.5f * a[i] + halo[i + shift];"])
    body = allocated(a="n", b="n", c="n", halo="n + 16")
    for k in range(size):
        read, written = "abc"[k % 3], "abc"[(k + 1) % 3]
        body.append(launched("blend", f"{read}, {written}, halo, n, {17 if k in wrong else k % 17}"))
    return Program(source(blend, main_of([*body, *freed("a", "b", "c", "halo")], 1 << 20)), 3, min(len(wrong), 1))


def accesses(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    body = ["float sum = 0.0f;"]
    for k in range(size):
        if k in wrong:
            body.append("sum += edge[i + 1];")
        else:
            body.append(f"out[{k} * n + i] = sum;" if k % 2 else f"sum += 0.{k % 9 + 1}f * in[{k} * n + i];")
    many = kernel("many", "const float *in, const float *edge, float *out, int n", body)
    host = [*allocated(**{"in": f"{size} * n", "edge": "n", "out": f"{size} * n"}), launched("many", "in, edge, out, n"), *freed("in", "edge", "out")]
    return Program(source(many, main_of(host, 1 << 16)), size, len(wrong))


def device_calls(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    levels = []
    for k in range(size):
        deeper = f" + level_{k - 1}(in, i, n)" if k else ""
        index = f"i + {k + 1}" if k in wrong else f"i + {k}"
        levels.append(
            f"__device__ float level_{k}(const float *in, int i, int n)\n{{\n"
            f"    float own = 0.0f;\n    if (i + {k} < n)\n        own = 0.5f * in[{index}];\n    return own{deeper};\n}}\n"
        )
    top = kernel("top", "const float *in, float *out, int n", [f"out[i] = level_{size - 1}(in, i, n);"])
    host = [*allocated(**{"in": "n", "out": "n"}), launched("top", "in, out, n"), *freed("in", "out")]
    return Program(source(*levels, top, main_of(host, 1 << 20)), size + 1, len(wrong))


def call_sites(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    around = """__device__ float around(const float *plane, int i, int j, int m)
{
    float sum = plane[i * m + j];
    if (j > 0)
        sum += plane[i * m + j - 1];
    if (j < m - 1)
        sum += plane[i * m + j + 1];
    return sum;
}
"""
    calls = [f"sum += around(in + {size if k in wrong else k} * (size_t)n * m, i, i % m, m);" for k in range(size)]
    many = kernel("many", "const float *in, float *out, int n, int m", ["float sum = 0.0f;", *calls, "out[i] = sum;"])
    host = [*allocated(**{"in": f"{size} * (size_t)n * m", "out": "n"}), launched("many", "in, out, n, m"), *freed("in", "out")]
    # All calls share the places of the function.
    return Program(source(around, many, main_of(host, 1 << 16, "m")), 4, 3 if bugs else 0)


def host_calls(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    smooth = kernel("smooth", "const float *in, float *out, int n, int shift", ["out[i] = 0.5f * in[i + shift];"])
    field = "struct Field {\n    float *in, *out;\n    int n, shift, steps;\n};\n"
    levels = []
    for k in range(size):
        further = f"level_{k - 1}(field)" if k else launched("smooth", "field->in, field->out, field->n, field->shift", "field->n").rstrip(";")
        shift = "    field->shift = 1;\n" if k in wrong else ""
        levels.append(f"static void level_{k}(Field *field)\n{{\n    if (field->n > {1 << 20})\n        return;\n    field->steps += 1;\n{shift}    {further};\n}}\n")
    host = ["Field field = {};", "field.n = n;", "CHECK(cudaMalloc(&field.in, sizeof(float) * n));", "CHECK(cudaMalloc(&field.out, sizeof(float) * n));"]
    host += [f"level_{size - 1}(&field);", *freed("field.in", "field.out")]
    return Program(source(smooth, field, *levels, main_of(host, 1 << 20)), 2, min(len(wrong), 1))


def loops_in_sequence(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    body = [f"__shared__ float row[{BLOCK}];", "float sum = 0.0f;"]
    for k in range(size):
        end = "k <= m" if k in wrong else "k < m"
        body += [f"for (int k = 0; {end}; ++k)", f"    sum += 0.{k % 9 + 1}f * in[i * m + k];"]
    body += ["row[threadIdx.x] = sum;", "out[i] = row[threadIdx.x];"]
    many = kernel("many", "const float *in, float *out, int n, int m", body)
    host = [*allocated(**{"in": "n * m", "out": "n"}), launched("many", "in, out, n, m"), *freed("in", "out")]
    return Program(source(many, main_of(host, 1 << 16, "m")), size + 3, len(wrong))


def loops_nested(size: int, bugs: bool) -> Program:
    extents = [2 + k % 2 for k in range(size)]
    index, body, elements = "i", ["float sum = 0.0f;"], 1
    for k, extent in enumerate(extents):
        compare = "<=" if bugs and k == size - 1 else "<"
        body.append(f"{'    ' * k}for (int x{k} = 0; x{k} {compare} {extent}; ++x{k})")
        index = f"({index}) * {extent} + x{k}" if k else f"i * {extent} + x{k}"
        elements *= extent
    body += [f"{'    ' * size}sum += in[{index}];", "out[i] = sum;"]
    nest = kernel("nest", "const float *in, float *out, int n", body)
    host = [*allocated(**{"in": f"{elements} * n", "out": "n"}), launched("nest", "in, out, n"), *freed("in", "out")]
    return Program(source(nest, main_of(host, 1 << 14)), 2, int(bugs))


def templates(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    window = f"""template <int RADIUS, int EXTRA> __global__ void window(const float *in, float *out, int n)
{{
    __shared__ float tile[{BLOCK} + RADIUS];
    const int i = blockIdx.x * {BLOCK} + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0.0f;
    for (int k = threadIdx.x; k < RADIUS; k += {BLOCK})
        tile[{BLOCK} + k] = 0.0f;
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x] + tile[threadIdx.x + RADIUS + EXTRA];
}}
"""
    host = allocated(**{"in": "n", "out": "n"})
    host += [launched(f"window<{k + 1}, {int(k in wrong)}>", "in, out, n") for k in range(size)]
    return Program(source(window, main_of([*host, *freed("in", "out")], 1 << 20)), 6, min(len(wrong), 1))


def allocations(size: int, bugs: bool) -> Program:
    """Ten buffers for each launch, which copies one into the next, which is larger."""
    pairs = max(size // 10, 1)
    wrong = buggy(pairs, bugs)
    copy = kernel("copy", "const float *in, int n_in, float *out, int n_out", ["out[i] = i < n_in ? in[i] : 0.0f;"], "n_out")
    count = max(size, 2)
    host = [f"float *b{k};" for k in range(count)]
    for k in range(count):
        host += [f"CHECK(cudaMalloc(&b{k}, sizeof(float) * (n + {k})));", f"CHECK(cudaMemset(b{k}, 0, sizeof(float) * (n + {k})));"]
    for pair in range(pairs):
        k = 10 * pair
        claimed = k + 1 if pair in wrong else k
        host.append(launched("copy", f"b{k}, n + {claimed}, b{k + 1}, n + {k + 1}", f"n + {k + 1}"))
    host += freed(*(f"b{k}" for k in range(count)))
    return Program(source(copy, main_of(host, 1 << 20)), 2, min(len(wrong), 1))


def branches_in_chain(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    body = []
    for k in range(size):
        index = "i + 1" if k in wrong else "i"
        body += [f"{'else ' if k else ''}if (mode == {k})", f"    out[i] = 0.{k % 9 + 1}f * in[{index}];"]
    chosen = kernel("chosen", "const float *in, float *out, int n, int mode", body)
    lines = [*allocated(**{"in": "n", "out": "n"}), "const int mode = argc > 2 ? std::atoi(argv[2]) : 0;", launched("chosen", "in, out, n, mode")]
    host = main_of([*lines, *freed("in", "out")], 1 << 20).replace("argc != 2", "argc < 2 || argc > 3")
    return Program(source(chosen, host), 2 * size, len(wrong))


def branches_in_sequence(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    body = ["float sum = 0.0f;"]
    for k in range(size):
        body += [f"if (level > {k})", "    sum += edge[i + 1];" if k in wrong else f"    sum += in[{k} * n + i];"]
    body.append("out[i] = sum;")
    many = kernel("many", "const float *in, const float *edge, float *out, int n, int level", body)
    lines = allocated(**{"in": f"{size} * n", "edge": "n", "out": "n"})
    lines += ["const int level = argc > 2 ? std::atoi(argv[2]) : 0;", launched("many", "in, edge, out, n, level"), *freed("in", "edge", "out")]
    host = main_of(lines, 1 << 16).replace("argc != 2", "argc < 2 || argc > 3")
    return Program(source(many, host), size + 1, len(wrong))


def offsets(size: int, wrong: set) -> list:
    """Where each row of n elements starts in an array of `size` of them."""
    return [f"{size - 1} * n + 1" if k in wrong else f"{k} * n" for k in range(size)]


def parameters(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    body = ["float sum = 0.0f;", *(f"sum += 0.{k % 9 + 1}f * in[at_{k} + i];" for k in range(size)), "out[i] = sum;"]
    names = ", ".join(f"int at_{k}" for k in range(size))
    many = kernel("many", f"const float *in, float *out, int n, {names}", body)
    lines = [*allocated(**{"in": f"{size} * n", "out": "n"}), launched("many", "in, out, n, " + ", ".join(offsets(size, wrong))), *freed("in", "out")]
    return Program(source(many, main_of(lines, 1 << 16)), size + 1, len(wrong))


def members(size: int, bugs: bool) -> Program:
    wrong = buggy(size, bugs)
    body = ["float sum = 0.0f;", *(f"sum += 0.{k % 9 + 1}f * rows.in[rows.at_{k} + i];" for k in range(size)), "rows.out[i] = sum;"]
    rows = "\n".join(["struct Rows {", "    const float *in;", "    float *out;", "    int n;", *(f"    int at_{k};" for k in range(size)), "};", ""])
    many = kernel("many", "Rows rows", body, "rows.n")
    lines = [*allocated(**{"in": f"{size} * n", "out": "n"}), "Rows rows;", "rows.in = in;", "rows.out = out;", "rows.n = n;"]
    lines += [f"rows.at_{k} = {offset};" for k, offset in enumerate(offsets(size, wrong))]
    lines += [launched("many", "rows"), *freed("in", "out")]
    return Program(source(rows, many, main_of(lines, 1 << 16)), size + 1, len(wrong))


def host_rounds(size: int, bugs: bool) -> Program:
    blend = kernel("blend", "const float *a, float *b, const float *halo, int n, int shift", ["b[i] = 0.5f * a[i] + halo[i + shift];"])
    lines = [*allocated(a="n", b="n", halo=f"n + {size - 1}"), f"for (int step = 0; step {'<=' if bugs else '<'} {size}; ++step) {{"]
    lines += [f"    {launched('blend', 'a, b, halo, n, step')}", "    CHECK(cudaGetLastError());", "    std::swap(a, b);", "}"]
    return Program(source(blend, main_of([*lines, *freed("a", "b", "halo")], 1 << 20)), 3, int(bugs))


FAMILIES = {
    family.name: family
    for family in (
        Family("kernels", "kernels in one unit", kernels, steps(10_000)),
        Family("units", f"units of {KERNELS_PER_UNIT} kernels", units, steps(10_000)),
        Family("launches", "launches of one kernel", launches, steps(10_000)),
        Family("accesses", "accesses in one kernel", accesses, steps(10_000)),
        Family("device-calls", "depth of device calls", device_calls, CALLS),
        Family("call-sites", "calls of one device function", call_sites, steps(10_000)),
        Family("host-calls", "depth of host calls", host_calls, CALLS),
        Family("loops", "loops one after the other", loops_in_sequence, steps(1_000)),
        Family("nest", "loops inside each other", loops_nested, (1, 2, 3, 4, 6, 8, 10, 12)),
        Family("templates", "instances of one template", templates, steps(10_000)),
        Family("allocations", "allocations in main", allocations, steps(10_000)),
        Family("chain", "branches of one if/else chain", branches_in_chain, steps(10_000)),
        Family("branches", "branches one after the other", branches_in_sequence, steps(10_000)),
        # A launch passes at most 32,764 bytes.
        Family("parameters", "parameters of one kernel", parameters, steps(5_000)),
        Family("members", "members of one structure", members, steps(5_000)),
        Family("host-rounds", "rounds of a host loop that launches", host_rounds, steps(10_000)),
    )
}


def write(folder: Path, program: Program) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in program.files.items():
        (folder / name).write_text(text)
