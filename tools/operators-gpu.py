#!/usr/bin/env python3
"""Runs the scripts of operators' findings (`repro-….py`) on a GPU, through torch, under Compute Sanitizer.

    tools/operators-gpu.py DIR --torch INCLUDE --out FILE [--cuda-headers INCLUDE] [--scuba PATH] [--nvcc PATH] [--only NAME] [--generated N]
                           [--jobs N] [--gpus N] [--limit SECONDS] [--until SECONDS]

DIR holds checkouts of public extensions. Operators of those whose sources link without the rest of their project (pytorch_cluster's, and pytorch3d's, each
with a registration that names its functions alone, made of the project's lines in a temporary folder) are checked as programs, and so are --generated
ones of tools/tensors-oracle.py. Of each the proved findings are written as bundles, and every script among them is run: it builds the extension with
torch.utils.cpp_extension. FILE is a journal of one line a script, `PROJECT PROGRAM SCRIPT OUTCOME` (confirmed; elsewhere: another access of the same call was
invalid and ended the kernel before; not-reproduced; not-run); what stands in it is not run again, and what each said last is printed. Needs a GPU, torch, ninja and compute-sanitizer.
"""

import argparse
import concurrent.futures
import glob
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def registration_of(csrc, folder):
    """Lines of pytorch3d's ext.cpp that register what one folder's header declares."""
    header = Path(csrc, folder, f"{folder}.h")
    if not header.exists():
        return None
    declared, text = header.read_text(), Path(csrc, "ext.cpp").read_text()
    of = lambda line: re.search(r"&(\w+)", line)[1]
    lines = [line for line in re.findall(r'm\.def\("[^"]+",\s*&\w+\);', text) if re.search(r"\b" + of(line) + r"\b", declared)]
    if not lines:
        return None
    return f'#include <torch/extension.h>\n#include "{folder}/{folder}.h"\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{\n  ' + "\n  ".join(lines) + "\n}\n"


def used_with(csrc, folder):
    """The folder, and those whose headers its files include and that have units of kernels."""
    found, open_ = set(), [folder]
    while open_:
        of = open_.pop()
        if of not in found and (of == folder or glob.glob(f"{csrc}/{of}/*.cu")):
            found.add(of)
            text = "".join(Path(file).read_text(errors="replace") for file in glob.glob(f"{csrc}/{of}/*"))
            open_ += re.findall(r'#include "(\w+)/', text)
    return found


def programs(o, made):
    """Project, program, folder, units, flags; `made` is a folder for registrations and generated operators."""
    for op in ("fps", "graclus", "grid", "knn", "nearest", "radius", "rw"):
        yield "rusty1s/pytorch_cluster", op, Path(o.dir, "pytorch_cluster"), [u for u in (f"csrc/{op}.cpp", f"csrc/cuda/{op}_cuda.cu", f"csrc/cpu/{op}_cpu.cpp") if Path(o.dir, "pytorch_cluster", u).exists()], ["-Icsrc"]
    csrc = Path(o.dir, "pytorch3d/pytorch3d/csrc")
    for header in sorted(glob.glob(f"{csrc}/*/*.h")):
        folder = Path(header).parent.name
        text = registration_of(csrc, folder) if Path(header).stem == folder else None
        if text:
            registration = Path(made, f"{folder}.cpp")
            registration.write_text(text)
            units = [os.path.relpath(u, csrc) for of in sorted(used_with(csrc, folder)) for u in sorted(glob.glob(f"{csrc}/{of}/*.cu") + glob.glob(f"{csrc}/{of}/*.cpp"))]
            yield "facebookresearch/pytorch3d", folder, csrc, [*units, str(registration)], tool("extensions").PYTORCH3D
    oracle = tool("tensors-oracle")
    for seed in range(o.generated):
        source = Path(made, f"generated{seed}.cu")
        source.write_text(oracle.Operator(seed).source())
        yield "generated", str(seed), Path(made), [source.name], []


def bundle(o, folder, units, flags, into):
    """Writes bundles of all proved findings; the scripts among them, each with its rule."""
    extensions = tool("extensions")
    flags = ["--", *extensions.torch_flags(o), *flags]
    environment = dict(os.environ, SCUBA_NVCC=str(o.nvcc), SCUBA_CACHE=f"{into}-cache")

    def scuba(*arguments):
        command = list(map(str, [o.scuba, *arguments, *flags]))
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=o.limit)

    try:
        report = scuba("check", *units, "-q", "--message-format", "json").stdout
        said = scuba("confirm", *units, "-q", "-D", "all", "--bundle", into)
    except subprocess.TimeoutExpired:
        return [], "bundle: over its limit"
    try:
        proved = {f["fingerprint"][:12] for f in json.loads(report)["findings"] if f["verdict"] == "proved"}
    except ValueError:
        proved = set()
    scripts = [s for s in sorted(glob.glob(f"{into}/**/repro-*.py", recursive=True)) if Path(s).stem.removeprefix("repro-") in proved]
    return scripts, (said.stderr.strip().splitlines() or [""])[-1][:200]


def run(o, script, extensions_folder, number):
    environment = dict(os.environ, TORCH_EXTENSIONS_DIR=extensions_folder, MAX_JOBS="4", CUDA_VISIBLE_DEVICES=str(number % o.gpus))
    try:
        said = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=o.limit)
        return said.returncode, (said.stdout.strip().splitlines() or said.stderr.strip().splitlines() or [""])[-1][:240]
    except subprocess.TimeoutExpired:
        return 2, "over its limit"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir")
    p.add_argument("--torch", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--cuda-headers", default="")
    p.add_argument("--scuba", default=str(ROOT / "target/release/scuba"))
    p.add_argument("--nvcc", default=os.environ.get("SCUBA_NVCC", str(ROOT / ".deps/cuda/nvidia/cu13/bin/nvcc")))
    p.add_argument("--only", default="")
    p.add_argument("--generated", type=int, default=0)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--gpus", type=int, default=1, help="programs take turns on so many")
    p.add_argument("--limit", type=int, default=600)
    p.add_argument("--until", type=int, default=1 << 30)
    o = p.parse_args()
    done = {tuple(line.split()[:3]) for line in Path(o.out).read_text().splitlines()} if Path(o.out).exists() else set()
    end = time.monotonic() + o.until
    lock = threading.Lock()
    made = tempfile.mkdtemp()

    def one(numbered):
        number, program = numbered
        project, name, folder, units, flags = program
        if o.only not in f"{project} {name}" or not folder.is_dir() or time.monotonic() > end:
            return
        into = Path(made, f"bundle-{project.replace('/', '-')}-{name}")
        scripts, said = bundle(o, folder, units, flags, into)
        print(project, name, len(scripts), "scripts", said, flush=True)
        # One after another: they build one extension.
        for script in scripts:
            key = (project, name, Path(script).name)
            if key in done or time.monotonic() > end:
                continue
            status, last = run(o, script, str(into) + "-built", number)
            outcome = {0: "elsewhere" if "which end the kernel before" in last else "confirmed", 1: "not-reproduced"}.get(status, "not-run")
            with lock, Path(o.out).open("a") as out:
                out.write(f"{' '.join(key)} {outcome}\n")
                print(*key, outcome, last, flush=True)

    try:
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            list(pool.map(one, enumerate(programs(o, made))))
    finally:
        shutil.rmtree(made, ignore_errors=True)


if __name__ == "__main__":
    main()
