#!/usr/bin/env python3
"""Work of a check over the number of calls of one device function, by two builds.

Each program calls a device function at N places with other constants: an index of three dimensions, a stencil of nine loads, a
loop, a function that calls another one twenty times, a round of a cipher with tables. Verdicts of both builds must be equal.

    bench/call_sites.py --before PATH COMMIT --after PATH COMMIT > docs/evaluation/call-sites.md
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = (1, 10, 100, 400)


def calls(count: int, text) -> str:
    return "\n".join(f"  {text(i)}" for i in range(count))


def main_of(guard: str, buffers: dict, launch: str) -> str:
    names = sorted(set(re.findall(r"\b[whmnz]\b", guard)))
    lines = [f"  int {name} = atoi(argv[{k + 1}]);" for k, name in enumerate(names)]
    lines += [f"  if ({guard}) return 1;", f"  float {', '.join('*' + name for name in buffers)};"]
    lines += [f"  cudaMalloc(&{name}, sizeof(float) * {size});" for name, size in buffers.items()]
    return "\n".join(["int main(int argc, char **argv) {", f"  if (argc < {len(names) + 1}) return 1;", *lines, f"  {launch}", "}", ""])


def index(count: int) -> str:
    body = calls(count, lambda i: f"b[at(x, y, z, w, h)] += a[at((x + {i}) % w, y, z, w, h)];")
    return f"""#include <cstdlib>
__device__ int at(int x, int y, int z, int w, int h) {{ return (z * h + y) * w + x; }}
__global__ void k(const float *a, float *b, int w, int h) {{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= w) return;
{body}
}}
""" + main_of("w < 1 || h < 1 || n < 1 || w > 1000 || h > 1000 || n > 1000", {"a": "w * h * n", "b": "w * h * n"}, "k<<<dim3((w + 127) / 128, h, n), 128>>>(a, b, w, h);")


def stencil(count: int) -> str:
    loads = [("", 0, 0), ("x > 0", -1, 0), ("x < w - 1", 1, 0), ("y > 0", 0, -1), ("y < h - 1", 0, 1), ("x > 0 && y > 0", -1, -1), ("x < w - 1 && y > 0", 1, -1), ("x > 0 && y < h - 1", -1, 1), ("x < w - 1 && y < h - 1", 1, 1)]
    text = "\n".join(f"  {f'if ({guard}) ' if guard else ''}s += p[(y + {dy}) * w + x + {dx}];" for guard, dx, dy in loads)
    return f"""#include <cstdlib>
__device__ float blur(const float *p, int x, int y, int w, int h) {{
  float s = 0;
{text}
  return s;
}}
__global__ void k(const float *a, float *b, int w, int h) {{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0;
{calls(count, lambda i: f"s += blur(a + {i} * w * h, x, y, w, h);")}
  b[y * w + x] = s;
}}
""" + main_of("w < 1 || h < 1 || w > 2000 || h > 2000", {"a": f"w * h * {count}", "b": "w * h"}, "k<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h);")


def loop(count: int) -> str:
    return f"""#include <cstdlib>
__device__ float dot(const float *p, const float *q, int m) {{
  float s = 0;
  for (int j = 0; j < m; j++) s += p[j] * q[j];
  return s;
}}
__global__ void k(const float *a, const float *b, float *c, int n, int m) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
{calls(count, lambda i: f"s += dot(a + i * m, b + {i} * m, m);")}
  c[i] = s;
}}
""" + main_of("n < 1 || m < 1 || n > 2000 || m > 2000", {"a": "n * m", "b": f"m * {count}", "c": "n"}, "k<<<(n + 127) / 128, 128>>>(a, b, c, n, m);")


def nested(count: int) -> str:
    return f"""#include <cstdlib>
__device__ int at(int x, int y, int w) {{ return y * w + x; }}
__device__ float row(const float *p, int x, int y, int w) {{
  float s = 0;
{calls(20, lambda i: f"s += p[at((x + {i}) % w, y, w)];")}
  return s;
}}
__global__ void k(const float *a, float *b, int w, int h) {{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  float s = 0;
{calls(count, lambda i: f"s += row(a, x, {i} % h, w);")}
  b[x] = s;
}}
""" + main_of("w < 1 || h < 1 || w > 2000 || h > 2000", {"a": "w * h", "b": "w"}, "k<<<(w + 127) / 128, 128>>>(a, b, w, h);")


def cipher(count: int) -> str:
    return f"""#include <cstdlib>
__constant__ unsigned T[4][256];
__device__ void round(unsigned *s, const float *k) {{
  unsigned t[4];
  for (int i = 0; i < 4; i++)
    t[i] = T[0][s[i] & 255] ^ T[1][(s[(i + 1) & 3] >> 8) & 255] ^ T[2][(s[(i + 2) & 3] >> 16) & 255] ^ T[3][s[(i + 3) & 3] >> 24] ^ __float_as_uint(k[i]);
  for (int i = 0; i < 4; i++) s[i] = t[i];
}}
__global__ void encrypt(const float *k, float *d, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s[4];
  for (int j = 0; j < 4; j++) s[j] = __float_as_uint(d[4 * i + j]);
{calls(count, lambda i: f"round(s, k + {4 * i});")}
  for (int j = 0; j < 4; j++) d[4 * i + j] = __uint_as_float(s[j]);
}}
""" + main_of("n < 1 || n > 1000000", {"k": f"4 * {count}", "d": "4 * n"}, "encrypt<<<(n + 127) / 128, 128>>>(k, d, n);")


# What is called, its program, and the largest number of calls.
KINDS = {
    "an index of three dimensions": (index, 400),
    "a stencil of nine loads": (stencil, 400),
    "a function with a loop": (loop, 400),
    "a function that calls another one 20 times": (nested, 100),
    "a round of a cipher with tables": (cipher, 100),
}


def measure(scuba: Path, text: str) -> tuple:
    """Work of the execution and of the decisions, in millions of units, and what is said of the accesses."""
    with tempfile.TemporaryDirectory(prefix="scuba-calls-") as folder:
        (Path(folder) / "main.cu").write_text(text)
        command = [scuba, "check", "--message-format", "json", "--timings", "-j", "1", "main.cu"]
        done = subprocess.run(command, cwd=folder, env=os.environ | {"SCUBA_CACHE": "off"}, capture_output=True, text=True)
    summary = json.loads(done.stdout)["summary"]
    verdicts = {key: summary[key] for key in ("accesses", "safe", "safe_if_no_wrap", "proved", "possible", "unknown")}
    phases = re.findall(r"^(execute|first pass|second pass)\D* +[\d.]+ +(\d+)", done.stderr, re.MULTILINE)
    executed = sum(int(work) for name, work in phases if name == "execute")
    return executed, sum(int(work) for name, work in phases) - executed, verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for way in ("--before", "--after"):
        parser.add_argument(way, nargs=2, metavar=("PATH", "COMMIT"), required=True, help="a checker, with scuba-extract beside it, and its commit")
    options = parser.parse_args()
    builds = [(Path(path).resolve(), commit) for path, commit in (options.before, options.after)]
    rows, different = [], []
    for what, (make, largest) in KINDS.items():
        for count in (s for s in SIZES if s <= largest):
            (run, decided, verdicts), (run_now, decided_now, verdicts_now) = (measure(path, make(count)) for path, _ in builds)
            if verdicts != verdicts_now:
                different.append(f"{what}, {count} calls: {verdicts}, then {verdicts_now}")
            rows.append(f"| {what} | {count} | {verdicts_now['accesses']} | {run} | {run_now} | {decided} | {decided_now} |")
            print(rows[-1], file=sys.stderr, flush=True)
    (_, before), (_, after) = builds
    print(f"""# Calls of one device function

Generated by `bench/call_sites.py`; not written by hand. Measured with SCuBA of commits {before} (before) and {after} (after) on
{datetime.date.today()}. Each program calls a device function at so many places, with other constants at each. Work is the engine's own
count in millions of units, the same on every machine: that of the execution of host and kernel, which follows each call, and that of the
decisions on accesses. All accesses are safe in both. Places that several calls share count once.

Between the two commits, one proof began to decide all accesses that differ only in constants and in the names of symbols
(`src/check/obligations/families.rs`).

| called | calls | accesses | execution, before | after | decisions, before | after |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
""" + "\n".join(rows))
    for line in different:
        print(f"call_sites: verdicts differ: {line}", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
