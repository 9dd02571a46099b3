#!/usr/bin/env python3
"""Operators of two or three tensors, made at random, judged by brute force.

    tools/tensors-oracle.py [--scuba PATH] [--seeds FROM..TO] [--journal FILE] [--keep DIR]

Each operator takes tensors a, b and perhaps c, checks some of what its kernel relies on, and launches it. All tensors of up to two dimensions
with sizes 0 to 3, contiguous, transposed or expanded, are tried: an access that one of them leads out of bounds must not be called safe, and where
an access is called proved wrong, the arguments that are shown must lead it there. FILE is a journal: seeds that stand in it are not tried again.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What is said of the other accesses that the check of a finding would mend (`report/finding.rs`).
SAME_CHECK = "the same check is missing for this access"


class Tensor:
    """Sizes and strides in elements; the least storage that these need."""

    def __init__(self, sizes, strides):
        self.sizes, self.strides = tuple(sizes), tuple(strides)
        self.numel = 1
        for n in self.sizes:
            self.numel *= n
        self.storage = 0 if self.numel == 0 else 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides))

    @staticmethod
    def packed(sizes):
        strides, n = [], 1
        for size in reversed(sizes):
            strides.insert(0, n)
            n *= max(size, 1)
        return strides

    def is_contiguous(self):
        return self.numel == 0 or all(n == 1 or s == p for n, s, p in zip(self.sizes, self.strides, self.packed(self.sizes)))


    def contiguous(self):
        return self if self.is_contiguous() else Tensor(self.sizes, self.packed(self.sizes))


class Thrown(Exception):
    pass


def size(t, d):
    if not -len(t.sizes) <= d < len(t.sizes):
        raise Thrown
    return t.sizes[d]


def stride(t, d):
    if not -len(t.sizes) <= d < len(t.sizes):
        raise Thrown
    return t.strides[d]


def tensors(ranks):
    """All tensors of these ranks with sizes up to 3."""
    for rank in ranks:
        for sizes in itertools.product(range(4), repeat=rank):
            packed = Tensor.packed(sizes)
            yield Tensor(sizes, packed)
            if rank == 2:
                yield Tensor(sizes, (1, max(sizes[0], 1)))
                yield Tensor(sizes, (0, 1))
            elif rank == 1:
                yield Tensor(sizes, (0,))
                yield Tensor(sizes, (2,))


# What a number of an operator may be: C++, and a function of the tensors.
def numbers(names):
    for t in names:
        yield f"{t}.numel()", lambda ts, t=t: ts[t].numel
        for d in (0, 1, -1):
            yield f"{t}.size({d})", lambda ts, t=t, d=d: size(ts[t], d)
        yield f"{t}.stride(0)", lambda ts, t=t: stride(ts[t], 0)


def checks(names):
    for t in names:
        yield f"{t}.dim() == 1", lambda ts, t=t: len(ts[t].sizes) == 1
        yield f"{t}.dim() == 2", lambda ts, t=t: len(ts[t].sizes) == 2
        yield f"{t}.is_contiguous()", lambda ts, t=t: ts[t].is_contiguous()
    for s, t in itertools.permutations(names, 2):
        yield f"{s}.numel() == {t}.numel()", lambda ts, s=s, t=t: ts[s].numel == ts[t].numel
        for d, e in itertools.product((0, 1, -1), repeat=2):
            yield f"{s}.size({d}) == {t}.size({e})", lambda ts, s=s, t=t, d=d, e=e: size(ts[s], d) == size(ts[t], e)
        yield f"{s}.size(0) >= {t}.size(0)", lambda ts, s=s, t=t: size(ts[s], 0) >= size(ts[t], 0)


# Where a thread goes: C++, and a function of its number and of the kernel's numbers.
INDICES = [
    ("i", lambda i, n, m: i),
    ("i + 1", lambda i, n, m: i + 1),
    ("n - 1 - i", lambda i, n, m: n - 1 - i),
    ("i * m", lambda i, n, m: i * m),
    ("i * m + (m - 1)", lambda i, n, m: i * m + m - 1),
    ("i % m", lambda i, n, m: i % m),
    ("i / m", lambda i, n, m: i // m),
]


class Operator:
    def __init__(self, seed):
        r = random.Random(seed)
        self.names = ["a", "b", "c"][: r.choice((2, 2, 3))]
        # Which dimensions they have, where that is checked.
        possible = list(checks(self.names))
        ranks = [r.choice((f"{t}.dim() == 1", f"{t}.dim() == 2")) for t in self.names]
        wanted = [c for c in possible if c[0] in ranks and r.random() < 0.8]
        wanted += [c for c in possible if c[0].endswith("is_contiguous()") and r.random() < 0.75]
        relations = [c for c in possible if "dim()" not in c[0] and "contiguous" not in c[0]]
        wanted += r.sample(relations, r.choice((0, 1, 1, 2, 3)))
        self.checks = wanted
        all_numbers = list(numbers(self.names))
        self.n, self.m = r.choice(all_numbers), r.choice(all_numbers)
        self.accesses = [(t, r.choice(INDICES if r.random() < 0.6 else INDICES[:1])) for t in self.names]
        self.out = r.choice(("n", "like"))
        # Which tensors the operator makes contiguous itself, before it checks or afterwards.
        r = random.Random(f"contiguous {seed}")
        self.copied = {t: r.choice((False, False, "before", "after")) for t in self.names}
        # Which are handed over by reference: a handle that pybind11 made.
        r = random.Random(f"reference {seed}")
        self.kinds = {t: r.choice(("torch::Tensor", "torch::Tensor &", "torch::Tensor &" if self.copied[t] else "const torch::Tensor &")) for t in self.names}

    def source(self):
        lines = ["#include <torch/extension.h>"]
        parameters = ", ".join(f"const float *{t}" for t in self.names)
        lines.append(f"__global__ void kernel(float *o, {parameters}, int64_t n, int64_t m) {{")
        lines.append("  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;")
        lines.append("  if (i >= n || m < 1) return;")
        lines.append("  float s = 0;")
        self.lines = {}
        for t, (index, _) in self.accesses:
            lines.append(f"  s += {t}[{index}];")
            self.lines[len(lines)] = t
        lines.append("  o[i] = s;")
        self.lines[len(lines)] = "o"
        lines.append("}")
        arguments = ", ".join(f"{self.kinds[t]} {t}" for t in self.names)
        lines.append(f"torch::Tensor op({arguments}) {{")
        copies = {when: [f"  {t} = {t}.contiguous();" for t in self.names if self.copied[t] == when] for when in ("before", "after")}
        lines += copies["before"]
        for text, _ in self.checks:
            lines.append(f"  TORCH_CHECK({text});")
        lines += copies["after"]
        lines.append(f"  int64_t n = {self.n[0]}, m = {self.m[0]};")
        made = "torch::empty({n})" if self.out == "n" else "torch::empty_like(a)"
        lines.append(f"  auto o = {made};")
        lines.append("  if (n < 1) return o;")
        pointers = ", ".join(f"{t}.data_ptr<float>()" for t in self.names)
        lines.append(f"  kernel<<<(n + 63) / 64, 64>>>(o.data_ptr<float>(), {pointers}, n, m);")
        lines.append("  return o;")
        lines.append("}")
        lines.append('PYBIND11_MODULE(ext, m) { m.def("op", &op); }')
        return "\n".join(lines) + "\n"

    def out_of_bounds(self, ts):
        """Which arrays are accessed out of bounds for these tensors; None where the operator launches nothing."""
        copied = lambda when: {t: x.contiguous() if self.copied[t] == when else x for t, x in ts.items()}
        try:
            ts = copied("before")
            for _, holds in self.checks:
                if not holds(ts):
                    return None
            ts = copied("after")
            n, m = self.n[1](ts), self.m[1](ts)
        except Thrown:
            return None
        if n < 1:
            return None
        bad = set()
        if m < 1:
            return bad
        storage = n if self.out == "n" else ts["a"].numel
        # Of the large tensors of a model the first and the last threads are looked at, and those around the first row's end.
        threads = range(n) if n <= 20000 else [*range(3000), *range(max(0, m - 3000), min(n, m + 3000)), *range(n - 3000, n)]
        for i in threads:
            for t, (_, index) in self.accesses:
                if not 0 <= index(i, n, m) < ts[t].storage:
                    bad.add(t)
            if i >= storage:
                bad.add("o")
        return bad


def check(o, source):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "op.cu")
        file.write_text(source)
        command = [o.scuba, "check", "op.cu", "-q", "--message-format", "json", "--", f"-I{ROOT}/tests/support/include", "-std=c++17"]
        environment = dict(os.environ, SCUBA_NVCC=str(o.nvcc), SCUBA_CACHE="off")
        said = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        try:
            return json.loads(said.stdout)
        except ValueError:
            sys.exit(f"scuba said no document: {said.stderr[:500]}\n{source}")


def judged(o, seed):
    op = Operator(seed)
    source = op.source()
    report = check(o, source)
    line = {"seed": seed, "wrong_safe": [], "wrong_proved": [], "counts": {}}
    bad_somewhere, shown = set(), {}
    every = [list(tensors((1, 2))) for _ in op.names]
    if len(op.names) == 3:
        r = random.Random(seed)
        every = [r.sample(ts, min(len(ts), 40)) for ts in every]
    for given in itertools.product(*every):
        ts = dict(zip(op.names, given))
        for t in op.out_of_bounds(ts) or ():
            if t not in bad_somewhere:
                bad_somewhere.add(t)
                shown[t] = {k: (v.sizes, v.strides) for k, v in ts.items()}
    said = {}
    for u in report["undecided"]:
        said[op.lines.get(u["line"])] = "undecided"
    for f in report["findings"]:
        t = op.lines.get(f["access"]["line"])
        said[t] = f["verdict"]
        if f["verdict"] == "proved":
            ts = {k: Tensor(v["sizes"], v["strides"]) for k, v in f.get("arguments", {}).items()}
            missing = [k for k in op.names if k not in ts]
            for k in missing:
                ts[k] = Tensor((), ())
            if t not in (op.out_of_bounds(ts) or ()):
                line["wrong_proved"].append([t, f.get("arguments")])
    # What is told beside another finding, since one check would mend both, has no tensors of its own.
    for r in (r for f in report["findings"] for r in f.get("related", []) if r["what"] == SAME_CHECK):
        said.setdefault(op.lines.get(r["line"]), "told beside another")
    for t in op.lines.values():
        verdict = said.get(t, "safe")
        key = f"{verdict}, {'wrong' if t in bad_somewhere else 'right'}"
        line["counts"][key] = line["counts"].get(key, 0) + 1
        if verdict == "safe" and t in bad_somewhere:
            line["wrong_safe"].append([t, shown[t]])
    if (line["wrong_safe"] or line["wrong_proved"]) and o.keep:
        Path(o.keep).mkdir(parents=True, exist_ok=True)
        Path(o.keep, f"{seed}.cu").write_text(source)
    return line


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--scuba", default=str(ROOT / "target/release/scuba"))
    p.add_argument("--nvcc", default=os.environ.get("SCUBA_NVCC", str(ROOT / ".deps/cuda/nvidia/cu13/bin/nvcc")))
    p.add_argument("--seeds", default="0..1000")
    p.add_argument("--journal", default=str(ROOT / "target/tensors-oracle.jsonl"))
    p.add_argument("--keep", default="")
    o = p.parse_args()
    first, last = map(int, o.seeds.split(".."))
    journal = Path(o.journal)
    journal.parent.mkdir(parents=True, exist_ok=True)
    done = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    tried = {line["seed"] for line in done}
    for seed in range(first, last):
        if seed in tried:
            continue
        line = judged(o, seed)
        done.append(line)
        with journal.open("a") as out:
            out.write(json.dumps(line) + "\n")
        if line["wrong_safe"] or line["wrong_proved"]:
            print(seed, line["wrong_safe"], line["wrong_proved"], flush=True)
    counts = {}
    for line in done:
        for k, n in line["counts"].items():
            counts[k] = counts.get(k, 0) + n
    for k in sorted(counts):
        print(f"{counts[k]:6} {k}")
    wrong = [sum(len(line[k]) for line in done) for k in ("wrong_safe", "wrong_proved")]
    print(f"{len(done)} operators: {wrong[0]} accesses wrongly called safe, {wrong[1]} wrongly called proved")
    sys.exit(1 if any(wrong) else 0)


if __name__ == "__main__":
    main()
