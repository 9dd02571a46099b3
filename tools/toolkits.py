#!/usr/bin/env python3
"""Whether what is said depends on the toolkit: headers of older ones, with an nvcc that only answers.

    tools/toolkits.py [--work FOLDER] [--every N] [--versions 12.8,12.1,11.8] [--out FILE.md]

The headers come from NVIDIA's wheels (pip), into FOLDER; wheels of these versions have no nvcc that compiles, so a script stands for it, which says its version
and leaves empty outputs. Every Nth (9) program of tests/ui is checked with each toolkit and with the pinned one, and what is counted must be the same. So must what
`scuba-nvcc`, around that script, says of flags that older toolkits take. Writes docs/evaluation/toolkits.md, or FILE. Binaries: SCUBA_RELEASE (target/release).
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
RELEASE = pathlib.Path(os.environ.get("SCUBA_RELEASE", HERE / "target/release")).resolve()
PINNED = HERE / ".deps/cuda/nvidia/cu13/bin/nvcc"
PARTS = ("cuda_runtime", "cuda_nvcc", "curand", "cuda_cccl")
NVCC = """\
#!/bin/sh
case " $* " in *" --version "*) echo "Cuda compilation tools, release {version}, V{full}"; exit ;; esac
while [ $# -gt 0 ]; do [ "$1" != -o ] || : >"$2"; shift; done
"""
PROFILE = """\
TOP = $(_HERE_)/..
INCLUDES += "-I$(TOP)/$(_TARGET_DIR_)/include" $(_SPACE_)
SYSTEM_INCLUDES += $(_SPACE_)
"""
# What nvcc 13 has dropped or renamed.
FLAGS = {
    "12": ["-gencode=arch=compute_52,code=sm_52", "-gencode", "arch=compute_70,code=[sm_70,compute_70]", "--expt-extended-lambda", "-std=c++14"],
    "11": ["-gencode=arch=compute_35,code=sm_35", "-arch=sm_52", "--expt-extended-lambda", "-std=c++11", "-Wno-deprecated-gpu-targets"],
}
BUG = "error[oob-global]"


def toolkit(version, work):
    """A folder as an installed toolkit is, but for what compiles."""
    major = version.split(".")[0]
    wheels, root = work / f"wheels-{version}", work / f"cuda-{version}"
    if not (root / "bin/nvcc").exists():
        names = [f"nvidia-cuda-runtime-cu{major}=={version}.*", f"nvidia-cuda-nvcc-cu{major}=={version}.*", f"nvidia-curand-cu{major}", f"nvidia-cuda-cccl-cu{major}"]
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target", wheels, *names], check=True)
        for part in PARTS:
            for folder in ("include", "nvvm"):
                if (wheels / "nvidia" / part / folder).is_dir():
                    shutil.copytree(wheels / "nvidia" / part / folder, root / (folder if folder == "include" else "nvvm"), dirs_exist_ok=True)
        full = next(wheels.glob(f"nvidia_cuda_nvcc_cu{major}-*.dist-info")).name.split("-")[1].removesuffix(".dist")
        (root / "bin").mkdir(exist_ok=True)
        (root / "bin/nvcc.profile").write_text(PROFILE)
        (root / "bin/nvcc").write_text(NVCC.format(version=version, full=full))
        (root / "bin/nvcc").chmod(0o755)
    return root / "bin/nvcc"


def environment(nvcc, work):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SCUBA_", "CUDA"))}
    return {**kept, "SCUBA_NVCC": str(nvcc), "SCUBA_CACHE": str(work / "cache"), "LC_ALL": "C.UTF-8"}


def counted(program, nvcc, work):
    """The last line of the report, without its time; and why a side was not read."""
    text = program.read_text()
    flags = [w for line in re.findall(r"^//@ flags: (.*)$", text, re.M) for w in line.split()]
    command = [RELEASE / "scuba", "check", program.name, "--", "-arch=sm_80", *flags]
    done = subprocess.run(command, cwd=program.parent, env=environment(nvcc, work), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    lines = done.stderr.strip().splitlines() or ["nothing"]
    why = next((re.sub(r"(\S*/)?([\w.]+:\d+:\d+: )", r"\2", l.split("not analysed: ")[1]) for l in lines if "not analysed: " in l), "")
    return re.sub(r" \([\d.]+ s\)$", "", lines[-1]), why


def flags_taken(version, nvcc, work):
    """Whether a command with an older toolkit's flags is analysed: the bug of its unit is found."""
    folder = work / f"flags-{version}"
    folder.mkdir(exist_ok=True)
    (folder / "a.cu").write_text("__global__ void k(int *a) { a[threadIdx.x] = 1; }\nint main() { int *a; cudaMalloc(&a, 16); k<<<1, 32>>>(a); }\n")
    command = [RELEASE / "scuba-nvcc", *FLAGS[version.split(".")[0]], "-c", "a.cu", "-o", "a.o"]
    done = subprocess.run(command, cwd=folder, env=environment(nvcc, work), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return BUG in done.stderr and done.returncode == 1 and "unknown" not in done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=9)
    parser.add_argument("--versions", default="12.8,12.1,11.8")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "docs/evaluation/toolkits.md")
    options = parser.parse_args()
    programs = [p for p in sorted((HERE / "tests/ui").glob("*/*.cu")) if "//@ with:" not in p.read_text()][:: options.every]
    rows, wrong, reasons = [], [], []
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or pathlib.Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        pinned = {p: counted(p, PINNED, work) for p in programs}
        for version in options.versions.split(","):
            nvcc = toolkit(version, work)
            said = {p: counted(p, nvcc, work) for p in programs}
            other = [p for p in programs if said[p][0] != pinned[p][0]]
            reasons += [f"- {version}, `{p.relative_to(HERE / 'tests/ui')}`: {said[p][1] or said[p][0]}" for p in other]
            taken = flags_taken(version, nvcc, work)
            wrong += [f"{version}: {p.relative_to(HERE)}" for p in other] + ([] if taken else [f"{version}: flags"])
            rows.append(f"| {version} | {len(programs) - len(other)} of {len(programs)} | {'found' if taken else 'not found'} |")
            print(rows[-1], flush=True)
    rows += ["", "Not the same:", "", *reasons] if reasons else []
    options.out.write_text(PAGE.format(every=options.every, rows="\n".join(rows), flags="; ".join(f"{k}.x: `{' '.join(v)}`" for k, v in FLAGS.items())))
    if wrong:
        sys.exit("differs:\n" + "\n".join(wrong))


PAGE = """\
# Older toolkits

Generated by `tools/toolkits.py`; not written by hand. Headers of NVIDIA's wheels, and a script in the place of nvcc, which no wheel of these versions has: it says its
version and compiles nothing. nvcc 13.0 itself is what all else was measured with.

- *Same*: every {every}th program of `tests/ui` is checked with this toolkit; of how many the report counts the same accesses, findings and verdicts as with 13.0's headers.
- *Flags*: a command in the toolkit's own words through `scuba-nvcc`, whose unit has a bug ({flags}).

| toolkit | same | bug behind its flags |
| --- | --- | --- |
{rows}
"""

if __name__ == "__main__":
    main()
