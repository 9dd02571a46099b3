#!/usr/bin/env python3
"""What is decided of operators of public PyTorch extensions.

    tools/extensions.py DIR --torch INCLUDE [--cuda-headers INCLUDE] [--scuba PATH] [--nvcc PATH] [--only NAME] [--limit SECONDS] [--until SECONDS]
                        [--journal FILE] [--oracle FILE] [--scripts FILE] [--out FILE.md] [--commit HASH]

DIR holds checkouts; INCLUDE is torch's include folder (wheel torch==2.11.0), and one with cuSPARSE's and cuBLAS' headers. Each program below is checked
where it lies, without a build, with the flags that torch's builds give. FILE (target/extensions.jsonl) is a journal: what stands in it is not checked
again; none is begun after --until seconds. --oracle is the journal of tools/tensors-oracle.py, --scripts a list of scripts of a bundle that ran on a GPU, each
with its exit status. Writes the table.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = [
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
    "-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=ext", "-DWITH_CUDA", "-DWITH_PYTHON", "-std=c++17", "--expt-relaxed-constexpr",
]


def programs(folder):
    """Project, name, folder, units, flags: an operator with its kernels and its registration."""
    for op in ("fps", "graclus", "grid", "knn", "nearest", "radius", "rw"):
        yield "rusty1s/pytorch_cluster", op, "pytorch_cluster", [f"csrc/{op}.cpp", f"csrc/cuda/{op}_cuda.cu", f"csrc/cpu/{op}_cpu.cpp"], ["-Icsrc"]
    for op in ("scatter", "segment_csr", "segment_coo"):
        yield "rusty1s/pytorch_scatter", op, "pytorch_scatter", [f"csrc/{op}.cpp", f"csrc/cuda/{op}_cuda.cu", f"csrc/cpu/{op}_cpu.cpp"], ["-Icsrc"]
    for op in ("fwd", "bwd", "update"):
        yield "Dao-AILab/causal-conv1d", op, "causal-conv1d", ["csrc/causal_conv1d.cpp", f"csrc/causal_conv1d_{op}.cu"], ["-Icsrc"]
    units = ["ext.cpp", "rasterize_points.cu", "cuda_rasterizer/rasterizer_impl.cu", "cuda_rasterizer/forward.cu", "cuda_rasterizer/backward.cu"]
    yield "graphdeco-inria/diff-gaussian-rasterization", "all", "diff-gaussian-rasterization", units, ["-Ithird_party/glm"]
    for name, base, registration, flags in (
        ("mit-han-lab/llm-awq", "llm-awq/awq/kernels", "csrc/pybind.cpp", ["-Icsrc"]),
        ("facebookresearch/pytorch3d", "pytorch3d/pytorch3d/csrc", "ext.cpp", ["-I."]),
    ):
        for unit in sorted(glob.glob(f"{folder}/{base}/**/*.cu", recursive=True)):
            if "pulsar" not in unit:
                yield name, Path(unit).stem, base, [os.path.relpath(unit, f"{folder}/{base}"), registration], flags


def check(o, folder, units, flags):
    includes = [f"-I{o.torch}", f"-I{o.torch}/torch/csrc/api/include", f"-I{sysconfig.get_paths()['include']}"]
    includes += [f"-I{o.cuda_headers}"] if o.cuda_headers else []
    units = [u for u in units if Path(folder, u).exists()]
    command = [o.scuba, "check", *units, "-q", "--message-format", "json", "--", *FLAGS, *includes, *flags]
    environment = dict(os.environ, SCUBA_NVCC=str(o.nvcc), SCUBA_CACHE="off")
    started = time.monotonic()
    try:
        said = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=o.limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return {"why": f"over {o.limit} s"}
    seconds = round(time.monotonic() - started)
    try:
        report = json.loads(said.stdout)
    except ValueError:
        return {"why": (said.stderr.strip().splitlines() or ["nothing was said"])[0][:160], "seconds": seconds}
    s = report["summary"]
    findings = collections.Counter(f"{f['rule']} {f['verdict']}" for f in report["findings"])
    return {
        **{k: s[k] for k in ("accesses", "unknown", "not_analysed")},
        "findings": dict(findings),
        "reasons": dict(collections.Counter(u["code"] for u in report["undecided"])),
        "seconds": seconds,
    }


def read(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()] if path and Path(path).exists() else []


def run(o):
    done = {(line["project"], line["name"]) for line in read(o.journal)}
    end = time.monotonic() + o.until
    for project, name, folder, units, flags in programs(o.dir):
        folder = Path(o.dir, folder)
        if o.only not in f"{project} {name}" or not folder.is_dir() or (project, name) in done or time.monotonic() > end:
            continue
        line = {"project": project, "name": name, **check(o, folder, units, flags)}
        with Path(o.journal).open("a") as out:
            out.write(json.dumps(line) + "\n")
        print(line, flush=True)


def table(o):
    listed = lambda counts: ", ".join(f"{n} {k}" for k, n in sorted(counts.items(), key=lambda x: (-x[1], x[0])))
    rows = ["| project | program | accesses | decided | findings | what is open, by code | s |", "| --- | --- | --- | --- | --- | --- | --- |"]
    lines = sorted(read(o.journal), key=lambda line: (line["project"], line["name"]))
    whole, open_ones = 0, 0
    for line in lines:
        if "why" in line:
            rows.append(f"| {line['project']} | {line['name']} | | | {line['why']} | | {line.get('seconds', '')} |")
            continue
        whole, open_ones = whole + line["accesses"], open_ones + line["unknown"]
        share = f"{line['accesses'] - line['unknown']} ({100 * (line['accesses'] - line['unknown']) / max(line['accesses'], 1):.0f} %)"
        rows.append(f"| {line['project']} | {line['name']} | {line['accesses']} | {share} | {listed(line['findings'])} | {listed(line['reasons'])} | {line['seconds']} |")
    text = ["# PyTorch extensions", "", f"Made by `tools/extensions.py`{f' on {o.commit}' if o.commit else ''}. Do not edit.", ""]
    text += ["Operators checked where they lie, without a build and without any contract. Findings were **not judged by reading** unless a text beside this page says so.", ""]
    text += rows
    text += ["", f"{whole - open_ones} of {whole} accesses decided ({100 * (whole - open_ones) / max(whole, 1):.1f} %) in {len(lines)} programs."]
    oracle = read(o.oracle)
    if oracle:
        counts = collections.Counter()
        for line in oracle:
            counts.update(line["counts"])
        wrong = [sum(len(line[k]) for line in oracle) for k in ("wrong_safe", "wrong_proved")]
        text += ["", "## Brute force", "", f"{len(oracle)} operators made at random, judged over all tensors with up to two dimensions and sizes 0 to 3 (contiguous, transposed, expanded): {wrong[0]} accesses wrongly called safe, {wrong[1]} wrongly called proved.", ""]
        text += ["| verdict | some small tensors go wrong | none of them does |", "| --- | --- | --- |"]
        verdicts = sorted({k.split(",")[0] for k in counts})
        text += [f"| {v} | {counts[v + ', wrong']} | {counts[v + ', right']} |" for v in verdicts]
    if o.scripts:
        statuses = collections.Counter(line.split()[-1] for line in Path(o.scripts).read_text().splitlines() if line.strip())
        words = {"0": "confirmed (an invalid access was reported)", "1": "not reproduced", "2": "not run (the operator could not be built or called)"}
        text += ["", "## On a GPU, through torch", "", "Scripts beside bundles (`repro-….py`) of proved findings of such operators, under Compute Sanitizer:", "", "| outcome | scripts |", "| --- | --- |"]
        text += [f"| {words.get(k, k)} | {n} |" for k, n in sorted(statuses.items())]
    Path(o.out).write_text("\n".join(text) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir")
    p.add_argument("--torch", required=True)
    p.add_argument("--cuda-headers", default="")
    p.add_argument("--scuba", default=str(ROOT / "target/release/scuba"))
    p.add_argument("--nvcc", default=os.environ.get("SCUBA_NVCC", str(ROOT / ".deps/cuda/nvidia/cu13/bin/nvcc")))
    p.add_argument("--only", default="")
    p.add_argument("--limit", type=int, default=600)
    p.add_argument("--until", type=int, default=1 << 30)
    p.add_argument("--journal", default=str(ROOT / "target/extensions.jsonl"))
    p.add_argument("--oracle", default="")
    p.add_argument("--scripts", default="")
    p.add_argument("--out", default=str(ROOT / "docs/evaluation/pytorch.md"))
    p.add_argument("--commit", default="")
    o = p.parse_args()
    run(o)
    table(o)


if __name__ == "__main__":
    main()
