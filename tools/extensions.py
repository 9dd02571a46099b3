#!/usr/bin/env python3
"""What is decided of operators of public PyTorch extensions.

    tools/extensions.py DIR --torch INCLUDE [--cuda-headers INCLUDE] [--scuba PATH] [--nvcc PATH] [--only NAME] [--limit SECONDS] [--until SECONDS]
                        [--jobs N] [--journal FILE] [--oracle FILE] [--scripts FILE] [--out FILE.md] [--commit HASH]

DIR holds checkouts; INCLUDE is torch's include folder (wheel torch==2.11.0), and one with cuSPARSE's and cuBLAS' headers. Each program below is checked
where it lies, without a build, with the flags that torch's builds give; once as it is, and where accesses stay open once more with the conditions that
`scuba contracts` infers stated as its contracts. Of a unit that we do not read it is asked whether nvcc compiles it. FILE (target/extensions.jsonl) is a journal: what stands in it is not checked
again; none is begun after --until seconds. --oracle is the journal of tools/tensors-oracle.py, --scripts a list of scripts of a bundle that ran on a GPU, each
with its exit status. Writes the table.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import subprocess
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What is said of the other accesses that the check of a finding would mend (`report/finding.rs`).
SAME_CHECK = "the same check is missing for this access"
FLAGS = [
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
    "-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=ext", "-DWITH_CUDA", "-DWITH_PYTHON", "-std=c++17", "--expt-relaxed-constexpr",
]
# What the setup.py of a project adds for nvcc; its warnings and levels of optimization say nothing to us.
UNDEFINED = lambda *names: [f"-U__CUDA_NO_{of}__" for of in names]
WITH_HALVES = UNDEFINED("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_OPERATORS", "BFLOAT16_CONVERSIONS", "BFLOAT162_OPERATORS", "BFLOAT162_CONVERSIONS")
FAST = ["--expt-extended-lambda", "--use_fast_math"]
AMPERE = ["-gencode=arch=compute_80,code=sm_80"]
CONV1D = ["-Icsrc", *WITH_HALVES, *FAST]
# It names no architecture: torch takes that of the machine's GPU. Arithmetic of two bfloat16 begins with 8.0, below which nvcc refuses its units.
AWQ = ["-Icsrc", "-DENABLE_BF16", *WITH_HALVES, *FAST, *AMPERE]
PYTORCH3D = ["-I.", "-DTHRUST_IGNORE_CUB_VERSION_CHECK", "-DCUDA_HAS_FP16=1", "--device-entity-has-hidden-visibility=false", "-static-global-template-stub=false"]
TINY = [
    *UNDEFINED("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS"), *FAST, *AMPERE, "-DTCNN_MIN_GPU_ARCH=80", "-DTCNN_HALF_PRECISION=1",
    "-DTCNN_PARAMS_UNALIGNED", "-DTCNN_RTC", "-DTCNN_RTC_USE_FAST_MATH", "-Xcompiler=-fno-strict-aliasing",
    *(f"-I../../{of}" for of in ("include", "dependencies", "dependencies/cutlass/include", "dependencies/cutlass/tools/util/include", "dependencies/fmt/include")),
]
TINY_UNITS = ["cpp_api", "common_host", "encoding", "object", "rtc_kernel", "network", "cutlass_mlp", "fully_fused_mlp"]


def programs(folder):
    """Project, name, folder, units, flags: an operator with its kernels and its registration. No two of a project share a name."""
    for op in ("fps", "graclus", "grid", "knn", "nearest", "radius", "rw"):
        yield "rusty1s/pytorch_cluster", op, "pytorch_cluster", [f"csrc/{op}.cpp", f"csrc/cuda/{op}_cuda.cu", f"csrc/cpu/{op}_cpu.cpp"], ["-Icsrc"]
    for op in ("scatter", "segment_csr", "segment_coo"):
        yield "rusty1s/pytorch_scatter", op, "pytorch_scatter", [f"csrc/{op}.cpp", f"csrc/cuda/{op}_cuda.cu", f"csrc/cpu/{op}_cpu.cpp"], ["-Icsrc"]
    for op in ("fwd", "bwd", "update"):
        yield "Dao-AILab/causal-conv1d", op, "causal-conv1d", ["csrc/causal_conv1d.cpp", f"csrc/causal_conv1d_{op}.cu"], CONV1D
    units = ["ext.cpp", "rasterize_points.cu", "cuda_rasterizer/rasterizer_impl.cu", "cuda_rasterizer/forward.cu", "cuda_rasterizer/backward.cu"]
    yield "graphdeco-inria/diff-gaussian-rasterization", "all", "diff-gaussian-rasterization", units, ["-Ithird_party/glm"]
    units = ["tinycudann/bindings.cpp", "../../dependencies/fmt/src/format.cc", "../../dependencies/fmt/src/os.cc", *(f"../../src/{unit}.cu" for unit in TINY_UNITS)]
    yield "NVlabs/tiny-cuda-nn", "all", "tiny-cuda-nn/bindings/torch", units, TINY
    awq, base = "llm-awq/awq/kernels", "pytorch3d/pytorch3d/csrc"
    for unit in below(folder, awq, "csrc/**/*.cu"):
        yield "mit-han-lab/llm-awq", unit.removeprefix("csrc/").removesuffix(".cu"), awq, [unit, *below(folder, awq, f"{Path(unit).parent}/*.cpp"), "csrc/pybind.cpp"], AWQ
    pulsar = below(folder, base, "pulsar/**/*.c*")
    if pulsar:
        yield "facebookresearch/pytorch3d", "pulsar", base, ["ext.cpp", *pulsar], PYTORCH3D
    for unit in below(folder, base, "**/*.cu"):
        if unit not in pulsar:
            yield "facebookresearch/pytorch3d", Path(unit).stem, base, [unit, "ext.cpp"], PYTORCH3D
    for op in ("iou3d_nms", "roiaware_pool3d", "roipoint_pool3d", "bev_pool", "ingroup_inds", "pointnet2/pointnet2_stack", "pointnet2/pointnet2_batch"):
        base = f"OpenPCDet/pcdet/ops/{op}"
        yield "open-mmlab/OpenPCDet", Path(op).name, base, below(folder, base, "src/*"), []
    base = "torchsparse/torchsparse/backend"
    for unit in below(folder, base, "**/*_cuda.cu"):
        if unit != "pybind_cuda.cu":
            yield "mit-han-lab/torchsparse", Path(unit).stem.removesuffix("_cuda"), base, ["pybind_cuda.cu", unit], AMPERE
    base = "kaolin/kaolin/csrc"
    for unit in below(folder, base, "**/*.cu"):
        beside = below(folder, base, unit.removesuffix(".cu").removesuffix("_cuda") + ".cpp")
        yield "NVIDIAGameWorks/kaolin", Path(unit).stem.removesuffix("_cuda"), base, [unit, *beside, "bindings.cpp"], ["-DTHRUST_IGNORE_CUB_VERSION_CHECK"]


def below(folder, base, pattern):
    """Units of a project, by their paths below its folder."""
    return sorted(os.path.relpath(unit, Path(folder, base)) for unit in glob.glob(str(Path(folder, base, pattern)), recursive=True) if unit.endswith((".cu", ".cpp")))


def torch_flags(o):
    includes = [f"-I{o.torch}", f"-I{o.torch}/torch/csrc/api/include", f"-I{sysconfig.get_paths()['include']}"]
    return [*FLAGS, *includes, *([f"-I{o.cuda_headers}"] if o.cuda_headers else [])]


def call(o, folder, command, units, flags):
    """What a command of ours says of units, and its seconds; None where it takes too long."""
    command = [o.scuba, *command, *units, "-q", "--", *torch_flags(o), *flags]
    environment = dict(os.environ, SCUBA_NVCC=str(o.nvcc), SCUBA_CACHE=o.cache)
    started = time.monotonic()
    try:
        said = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=o.limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, o.limit
    return said, round(time.monotonic() - started)


def summary(said, seconds):
    """A line of the journal."""
    if said is None:
        return {"why": f"over {seconds} s"}
    try:
        report = json.loads(said.stdout)
    except ValueError:
        return {"why": (said.stderr.strip().splitlines() or ["nothing was said"])[0][:160], "seconds": seconds}
    s = report["summary"]
    findings = collections.Counter(f"{f['rule']} {f['verdict']}" for f in report["findings"])
    shown = lambda f: {
        **{k: f[k] for k in ("rule", "level", "verdict", "root", "fingerprint")},
        "place": f"{f['access']['file']}:{f['access']['line']}:{f['access']['column']}", "array": f["access"]["array"],
        "places": 1 + sum(r["what"] == SAME_CHECK for r in f.get("related", [])), "arguments": f.get("arguments"), "check": (f.get("missing_check") or {}).get("condition"),
        "inputs": [i for i in (f.get("witness") or {}).get("inputs", []) if "(" not in i["name"]],
    }
    return {
        **{k: s[k] for k in ("translation_units", "accesses", "unknown", "not_analysed")},
        "unread": [[n["file"], n["side"], n["reason"][:160]] for n in report["not_analysed"]],
        "findings": dict(findings),
        "reasons": dict(collections.Counter(u["code"] for u in report["undecided"])),
        "open": [[f"{u['file']}:{u['line']}", u["array"], u["reason"][:120]] for u in report["undecided"]],
        "shown": [shown(f) for f in report["findings"]],
        "seconds": seconds,
    }


def compiled(o, folder, unit, flags):
    """Whether nvcc takes a unit with these flags, and its first error; where it takes too long it has refused nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [o.nvcc, "-c", unit, "-o", f"{scratch}/unit.o", *torch_flags(o), *flags]
        try:
            said = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, errors="replace", timeout=o.limit, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return True, f"nvcc takes over {o.limit} s"
    errors = [line for line in said.stderr.splitlines() if "error" in line]
    return said.returncode == 0, (errors or [""])[0][:200]


def look(o, folder, units, flags):
    units = [u for u in units if Path(folder, u).exists()]
    line = {"units": len(units), **summary(*call(o, folder, ["check", "--message-format", "json"], units, flags))}
    unread = {file for file, *_ in line.get("unread", [])}
    same = lambda unit, file: Path(folder, unit).resolve() == Path(folder, file).resolve() or f"/{Path(folder, unit).resolve()}".endswith(f"/{file}")
    line["nvcc"] = {unit: compiled(o, folder, unit, flags) for unit in units if any(same(unit, file) for file in unread)}
    if not line.get("unknown") or o.plain:
        return line
    said, seconds = call(o, folder, ["contracts", "--format", "toml"], units, flags)
    if said is None or said.returncode:
        line["inferred"] = {"why": "no contracts were inferred", "seconds": seconds}
        return line
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write(said.stdout)
        config.flush()
        line["inferred"] = summary(*call(o, folder, ["check", "--message-format", "json", "--config", config.name], units, flags))
    line["inferred"]["contracts"] = said.stdout
    return line


def read(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()] if path and Path(path).exists() else []


def run(o):
    done = {(line["project"], line["name"]) for line in read(o.journal)}
    end = time.monotonic() + o.until
    lock = threading.Lock()

    def one(program):
        project, name, folder, units, flags = program
        folder = Path(o.dir, folder)
        if o.only not in f"{project} {name}" or not folder.is_dir() or (project, name) in done or time.monotonic() > end:
            return
        line = {"project": project, "name": name, **look(o, folder, units, flags)}
        with lock, Path(o.journal).open("a") as out:
            out.write(json.dumps(line) + "\n")
            print({k: v for k, v in line.items() if k not in ("open", "shown", "inferred")}, flush=True)

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(one, programs(o.dir)))


def paired(o):
    """Times nvcc's compilation of a program's unit of kernels, the check of that unit, and the check of the whole program, one after another."""
    project, name, folder, units, flags = next(p for p in programs(o.dir) if f"{p[0]} {p[1]}" == o.pair)
    folder, kernels = Path(o.dir, folder), next(u for u in units if u.endswith(".cu"))
    line = {"pair": o.pair, "unit": kernels, "nvcc": [], "check": [], "program": []}
    for _ in range(o.rounds):
        with tempfile.TemporaryDirectory() as out:
            started = time.monotonic()
            subprocess.run(list(map(str, [o.nvcc, "-c", kernels, "-o", f"{out}/kernels.o", *torch_flags(o), *flags])), cwd=folder, check=True, capture_output=True)
            line["nvcc"].append(round(time.monotonic() - started, 1))
        for key, of in (("check", [kernels]), ("program", units)):
            started = time.monotonic()
            call(o, folder, ["check"], of, flags)
            line[key].append(round(time.monotonic() - started, 1))
    with Path(o.pairs).open("a") as out:
        out.write(json.dumps(line) + "\n")
    print(line)


def share(n, of):
    return f"{n} ({100 * n / of:.0f} %)" if of else "–"


def cell(text):
    return text.replace("|", "\\|")


def judged(o, lines):
    """What reading says of findings: of all denied ones and of the warnings that were drawn."""
    all_said = list(read(o.judged))
    # What one access is called changes its fingerprint, not what reading says of it.
    said, at = ({j[key]: j for j in all_said} for key in ("fingerprint", "place"))
    found = {f["fingerprint"]: (line, f) for line in lines for f in line.get("shown", [])}
    judgement = lambda key, f: said.get(key) or at.get(f["place"].rpartition("/torch/include/")[2])
    known = [(j, line, f) for key, (line, f) in found.items() if (j := judgement(key, f))]
    denied = [f for _, f in found.values() if f["level"] == "deny"]
    warned = [f for _, f in found.values() if f["level"] != "deny"]
    if not known:
        return [f"{len(denied)} findings are denied and {len(warned)} warn; none was judged by reading yet.", ""]
    counts = collections.Counter((f["level"] == "deny", j["judged"]) for j, _, f in known)
    text = ["## Judged by reading", "", f"Of {len(denied)} denied findings and {len(warned)} warnings these were judged by reading the code: is there a call of the operator that its checks accept, with the memory error that is reported?", ""]
    text += ["| | right | wrong | not clear |", "| --- | --- | --- | --- |"]
    text += [f"| {name} | " + " | ".join(str(counts[level, word]) for word in ("right", "wrong", "not clear")) + " |" for level, name in ((True, "denied"), (False, "warnings"))]
    text += ["", "| project | place | rule | judged | why |", "| --- | --- | --- | --- | --- |"]
    text += [f"| {line['project']} | `{f['place'].rpartition('/torch/include/')[2]}` | {f['rule']} | {j['judged']} | {cell(j['why'])} |" for j, line, f in sorted(known, key=lambda x: (x[1]["project"], x[2]["place"]))]
    return [*text, ""]


def libraries(o):
    """The row of what tools/libraries.py measures in its own way, as its document has it: units one by one, with what is stated of tensors."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in Path(o.libraries).read_text().splitlines()] if Path(o.libraries).exists() else []
    for row in rows:
        if len(row) == 11 and row[0] == "ggml-org/ggml":
            project, units, read_units, accesses, _, decided, inferred, _, findings, _, late = row
            return [f"| {project}, as in [libraries.md](libraries.md) | {units}, {late} not checked | {read_units} of {units} | {accesses} | {decided} | {inferred} | {findings} |"]
    return []


def unread_units(lines):
    """What nvcc says of units that are not read."""
    rows = []
    for line in lines:
        for unit, (taken, said) in sorted(line.get("nvcc", {}).items()):
            reason = next((why for file, _, why in line["unread"] if unit.endswith(Path(file).name)), "")
            rows.append(f"| {line['project']} | {line['name']} | `{unit}` | {'yes' if taken else 'no'}{f': {cell(said)}' if said else ''} | {cell(reason)} |")
    return ["", "## Units that are not read", "", "| project | program | unit | does nvcc compile it? | why it is not read |", "| --- | --- | --- | --- | --- |", *rows] if rows else []


def table(o):
    listed = lambda counts: ", ".join(f"{n} {k}" for k, n in sorted(counts.items(), key=lambda x: (-x[1], x[0]))) or "–"
    rows = ["| project | program | units | accesses | decided | with inferred contracts | findings | what is open, by code | s |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    lines = sorted(read(o.journal), key=lambda line: (line["project"], line["name"]))
    per = collections.defaultdict(collections.Counter)
    for line in lines:
        total = per[line["project"]]
        total["programs"] += 1
        if "why" in line:
            total["not checked"] += 1
            total["units"] += line.get("units", 0)
            rows.append(f"| {line['project']} | {line['name']} | {'0 of ' + str(line['units']) if 'units' in line else ''} | | | | {line['why']} | | {line.get('seconds', '')} |")
            continue
        of, decided = line["accesses"], line["accesses"] - line["unknown"]
        inferred = line.get("inferred", {})
        # With contracts other accesses are reached.
        of_under, under = (inferred["accesses"], inferred["accesses"] - inferred["unknown"]) if inferred.get("accesses") else (of, decided)
        unread = {file for file, *_ in line["unread"]}
        refused = sum(not taken for taken, _ in line.get("nvcc", {}).values())
        read_units, all_units = line["translation_units"] - len(unread), line["translation_units"] - refused
        for key, n in (("units", all_units), ("read", read_units), ("accesses", of), ("decided", decided), ("of under", of_under), ("under", under)):
            total[key] += n
        for k, n in line["findings"].items():
            total[f"finding {k}"] += n
        shown = f"{under} of {of_under} ({100 * under / max(1, of_under):.0f} %)" if inferred else ""
        rows.append(f"| {line['project']} | {line['name']} | {read_units} of {all_units} | {of} | {share(decided, of)} | {shown} | {listed(line['findings'])} | {listed(line['reasons'])} | {line['seconds']} |")
    text = ["# PyTorch extensions", "", f"Made by `tools/extensions.py`{f' on {o.commit}' if o.commit else ''}. Do not edit.", ""]
    text += [f"Operators checked where they lie, without a build, each with its registration as one program; at most {o.limit} s each. *Decided*: safe, safe where nothing wraps, or reported; what is reported of an operator beside its accesses (a tensor that may be the host's) counts as one of them.", ""]
    text += ["*With inferred contracts*: once more with what `scuba contracts` prints of the program stated in scuba.toml: it may reach other accesses, of which its share is.", ""]
    text += ["| project | programs | units read of those nvcc compiles | accesses | decided | with inferred contracts | findings |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for project, t in sorted(per.items()):
        found = {k.removeprefix("finding "): n for k, n in t.items() if k.startswith("finding ")}
        programs = f"{t['programs']}" + (f", {t['not checked']} not checked" if t["not checked"] else "")
        text.append(f"| {project} | {programs} | {t['read']} of {t['units']} | {t['accesses']} | {share(t['decided'], t['accesses'])} | {t['under']} of {t['of under']} ({100 * t['under'] / max(1, t['of under']):.0f} %) | {listed(found)} |")
    text += libraries(o)
    whole = sum((t for t in per.values()), collections.Counter())
    text += [f"| all of one measurement | {whole['programs']} | {whole['read']} of {whole['units']} | {whole['accesses']} | {share(whole['decided'], whole['accesses'])} | {whole['under']} of {whole['of under']} ({100 * whole['under'] / max(1, whole['of under']):.0f} %) | |", ""]
    shown = [f for line in lines for f in line.get("shown", [])]
    if shown:
        stand = f", which stand for {sum(f['places'] for f in shown)} accesses" if all("places" in f for f in shown) else ""
        checks = sum(bool(f["check"]) for f in shown)
        text += [f"{len(shown)} findings{stand}: one for each check that is missing, with the other places beside it. {checks} name the check.", ""]
    text += judged(o, lines)
    text += ["## Programs", "", *rows, *unread_units(lines)]
    pairs = read(o.pairs)
    if pairs:
        seconds = lambda all_: ", ".join(f"{n:.1f}" for n in all_)
        text += ["", "## Within the time of its own compilation", "", "One after another on one machine, in seconds:", "", "| unit | nvcc -c | `scuba check` of the unit | of the program |", "| --- | --- | --- | --- |"]
        text += [f"| `{p['unit']}` of {p['pair'].split()[0]} | {seconds(p['nvcc'])} | {seconds(p['check'])} | {seconds(p['program'])} |" for p in pairs]
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
        lines = [line.split() for line in Path(o.scripts).read_text().splitlines() if line.strip()]
        outcomes = {
            "confirmed": "confirmed at the finding's own line", "elsewhere": "confirmed by another invalid access of the same call, which ends the kernel before",
            "not-reproduced": "not reproduced", "not-run": "not run (the operator could not be built or called)",
        }
        text += ["", "## On a GPU, through torch", "", f"Made by `tools/operators-gpu.py`{' on ' + o.scripts_commit if o.scripts_commit else ''}: scripts beside bundles (`repro-….py`) of proved findings, which build the extension and call the operator under Compute Sanitizer.", ""]
        projects = sorted({line[0] for line in lines})
        text += ["| outcome | " + " | ".join(projects) + " | all |", "| --- |" + " --- |" * (len(projects) + 1)]
        for key, words in outcomes.items():
            counts = [sum(line[0] == project and line[-1] == key for line in lines) for project in projects]
            text.append(f"| {words} | " + " | ".join(map(str, counts)) + f" | {sum(counts)} |")
    Path(o.out).write_text("\n".join(text) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir")
    p.add_argument("--torch", required=True)
    p.add_argument("--cuda-headers", default="")
    p.add_argument("--scuba", default=str(ROOT / "target/release/scuba"))
    p.add_argument("--nvcc", default=os.environ.get("SCUBA_NVCC", str(ROOT / ".deps/cuda/nvidia/cu13/bin/nvcc")))
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--plain", action="store_true", help="without inferred contracts")
    p.add_argument("--cache", default="off", help="as SCUBA_CACHE")
    p.add_argument("--limit", type=int, default=600)
    p.add_argument("--until", type=int, default=1 << 30)
    p.add_argument("--journal", default=str(ROOT / "target/extensions.jsonl"))
    p.add_argument("--judged", default=str(ROOT / "tools/extensions-judged.jsonl"), help="what reading says of findings, by their fingerprints or places")
    p.add_argument("--libraries", default=str(ROOT / "docs/evaluation/libraries.md"), help="what tools/libraries.py wrote")
    p.add_argument("--pair", default="", help="a project and a program of it ('rusty1s/pytorch_cluster knn') that is timed beside nvcc, and nothing else")
    p.add_argument("--pairs", default="", help="the journal of what was timed so")
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--oracle", default="")
    p.add_argument("--scripts", default="", help="the journal of tools/operators-gpu.py")
    p.add_argument("--scripts-commit", default="")
    p.add_argument("--out", default=str(ROOT / "docs/evaluation/pytorch.md"))
    p.add_argument("--commit", default="")
    o = p.parse_args()
    if o.pair:
        paired(o)
        return
    run(o)
    table(o)


if __name__ == "__main__":
    main()
