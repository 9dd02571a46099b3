#!/usr/bin/env python3
"""Operators of nanobind, TVM-FFI and PyTorch, judged with the real libraries.

    tools/real-libraries.py pairs [--work FOLDER] [--scuba PATH] [--only NAME]…
    tools/real-libraries.py answers [--work FOLDER] [--seed N] [--cases N] [--out FOLDER]

`pairs`: each program of `tests/cli/libraries` is an extension with one mistake, and its twin with `-DGOOD` has none. `scuba check` with the headers
of the library's own wheel must find the mistake on the line of its `//~ RULE VERDICT`, with that verdict and nothing else, and in the twin it must
find nothing and leave nothing undecided beyond what `//@ good undecided: N` allows. `//@ library:` names the libraries: each is one run.

`answers`: what the libraries answer about tensors, for `tests/models/libraries.rs` to compare the models of them with (`templates/models/stable.cpp`,
`templates/models/dlpack.cpp`): PyTorch's own library of host code, extensions compiled with nanobind, TVM-FFI's Python package. Files are written
to --out. The same seed makes the same cases.

The wheels are pinned here; they are kept in --work between runs (1.1 GB). No GPU is used, and of PyTorch's wheel only headers and host code are kept.
"""

import argparse
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import library_cases

HERE = pathlib.Path(__file__).resolve().parent.parent
PINS = {
    "nanobind-2": "nanobind==2.15.0",
    "nanobind-3": "nanobind==3.1.0",
    "tvm-ffi": "apache-tvm-ffi==0.1.15.post2",
    "torch": "torch==2.15.0",
    # libtorch_cpu.so of PyPI's wheel is linked with these two, though host code alone calls neither.
    "cupti": "nvidia-cuda-cupti==13.0.85",
    "cudart": "nvidia-cuda-runtime==13.0.96",
}
IN_THE_ENVIRONMENT = ["numpy==2.4.6", "typing_extensions==4.16.0", PINS["tvm-ffi"]]
# What is kept of PyTorch's wheel.
KEPT = re.compile(r"torch/include/.*|torch/lib/(libtorch_cpu\.so|libc10\.so|libgomp.*)")
# Headers of PyTorch take a front end without optimisation on a busy machine longer than what a build waits for.
MOST_SECONDS = 1800
SETTINGS = f"[limits]\ntu_seconds = {MOST_SECONDS}\n"


def fail(what, *do):
    print(f"real-libraries: {what}", *[f"    {line}" for line in do], sep="\n", file=sys.stderr)
    sys.exit(1)


def said(process):
    return "\n".join((process.stdout + process.stderr).strip().splitlines()[-12:])


# ---- the libraries ----


def pip(work, what, *args):
    process = subprocess.run([work / "venv/bin/python", "-m", "pip", *args], capture_output=True, text=True)
    if process.returncode:
        fail(
            f"pip could not fetch {what}:\n{said(process)}",
            "It comes from PyPI or a mirror of it (pip's own settings hold). With it at hand, run this again.",
        )


def once(work, name):
    """The mark that says that a step is done, where it is not."""
    mark = work / "done" / re.sub(r"[^\w.=-]", "_", name)
    mark.parent.mkdir(parents=True, exist_ok=True)
    return None if mark.exists() else mark


def unpacked(work, pin, keep):
    mark = once(work, pin)
    folder = work / pin
    if mark:
        print(f"real-libraries: fetching {pin}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        wheels = work / "wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        pip(work, pin, "download", "-q", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", wheels, pin)
        for wheel in wheels.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder, [n for n in archive.namelist() if keep.fullmatch(n)])
        shutil.rmtree(wheels)
        mark.touch()
    return folder


def installed(work):
    """Folders of the libraries by the name that programs give."""
    mark = once(work, " ".join(["venv", *IN_THE_ENVIRONMENT]))
    if mark:
        shutil.rmtree(work / "venv", ignore_errors=True)
        process = subprocess.run([sys.executable, "-m", "venv", work / "venv"], capture_output=True, text=True)
        if process.returncode:
            fail(f"python3 could not make a virtual environment:\n{said(process)}", "apt-get install python3-venv")
        pip(work, " ".join(IN_THE_ENVIRONMENT), "install", "-q", "--only-binary", ":all:", *IN_THE_ENVIRONMENT)
        mark.touch()
    if not (pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        fail("Python.h is missing: extensions include it.", "apt-get install python3-dev")
    everything = re.compile(r".*")
    folders = {name: unpacked(work, PINS[name], everything) for name in ("nanobind-2", "nanobind-3", "tvm-ffi", "cupti", "cudart")}
    folders["torch"] = unpacked(work, PINS["torch"], KEPT)
    return folders


def includes(folders):
    """Flags for nvcc, by the library that a program names."""
    python = f"-I{sysconfig.get_paths()['include']}"
    torch = folders["torch"] / "torch/include"
    all_of_torch = [f"-I{torch}", f"-I{torch}/torch/csrc/api/include", python, "-std=c++20", "--expt-relaxed-constexpr", "-DTORCH_EXTENSION_NAME=ext"]
    return {
        "nanobind-2": [f"-I{folders['nanobind-2']}/nanobind/include", python, "-std=c++17"],
        "nanobind-3": [f"-I{folders['nanobind-3']}/nanobind/include", python, "-std=c++17"],
        "tvm-ffi": [f"-I{folders['tvm-ffi']}/tvm_ffi/include", "-std=c++17"],
        "torch": all_of_torch,
        # The shim declares streams of CUDA with USE_CUDA alone.
        "torch-stable": [*all_of_torch, "-DUSE_CUDA"],
    }


# ---- pairs ----


def expected(text):
    """Findings that a program states: line, rule and verdict."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [(number, rule, verdict) for rule, verdict in re.findall(r"//~ (\S+) (\S+)", line)]
    return sorted(found)


def checked(scuba, work, program, flags):
    settings = work / "scuba.toml"
    settings.write_text(SETTINGS)
    command = [scuba, "check", program, "--config", settings, "--message-format", "json", "--", *flags, "-arch=sm_80"]
    environment = {**os.environ, "SCUBA_CACHE": str(work / "cache")}
    try:
        process = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"no end after {MOST_SECONDS} s"
    try:
        return json.loads(process.stdout), process.stderr
    except ValueError:
        return None, f"status {process.returncode}: {said(process)}"


def of_program(document, program):
    """Findings that lie in the program itself or in headers, and undecided accesses."""
    findings = []
    for f in document["findings"]:
        at = f["access"]
        name = pathlib.Path(at["file"]).name
        findings.append((at["line"] if name == program.name else f"{name}:{at['line']}", f["rule"], f["verdict"]))
    undecided = [f"{pathlib.Path(u['file']).name}:{u['line']} {u['array']}: {u['reason']}" for u in document["undecided"]]
    return sorted(findings, key=str), undecided


def judged(scuba, work, program, library, flags):
    """What is wrong with a pair."""
    text = program.read_text()
    allowed = re.search(r"//@ good undecided: (\d+)", text)
    wrong = []
    for twin, wanted, more in (("bad", expected(text), []), ("good", [], ["-DGOOD"])):
        document, said_of_it = checked(scuba, work, program, [*flags, *more])
        if document is None:
            wrong.append(f"{twin}: no report: {said_of_it}")
            continue
        findings, undecided = of_program(document, program)
        if findings != wanted:
            wrong.append(f"{twin}: found {findings or 'nothing'}, expected {wanted or 'nothing'}")
        if document["not_analysed"]:
            wrong.append(f"{twin}: not analysed: {document['not_analysed']}")
        if not document["summary"]["accesses"]:
            wrong.append(f"{twin}: no access was seen")
        if twin == "good" and len(undecided) > int(allowed.group(1) if allowed else 0):
            wrong.append("\n    ".join([f"{twin}: {len(undecided)} undecided:", *undecided[:8]]))
        if twin == "bad" and findings != wanted:
            wrong.append("\n    ".join([f"{twin}: {len(undecided)} undecided:", *undecided[:8]]))
    return wrong


def pairs(args, folders):
    flags = includes(folders)
    failed = number = 0
    for program in sorted((HERE / "tests/cli/libraries").glob("*.cu")):
        for library in re.search(r"//@ library: (.*)", program.read_text()).group(1).split():
            name = f"{program.stem} with {library}"
            if args.only and not any(o in name for o in args.only):
                continue
            number += 1
            wrong = judged(args.scuba, args.work, program, library, flags[library])
            failed += bool(wrong)
            print(f"{'WRONG' if wrong else 'ok   '} {name}", *[f"  {w}" for w in wrong], sep="\n", flush=True)
    print(f"real-libraries: {number - failed} of {number} pairs are judged as they say")
    return failed == 0 and number > 0


# ---- answers ----

PROGRAMS = HERE / "tests/models/libraries"


def compiled(work, name, what, command):
    """A program or an extension of g++, made anew where its source or the command is another one."""
    out = work / "built" / name
    source = next(c for c in command if str(c).endswith(".cu"))
    mark, said_before = work / "done" / f"{name.replace('/', ' ')}.command", ""
    said_now = "\n".join([*map(str, command), source.read_text()])
    if mark.exists() and out.exists():
        said_before = mark.read_text()
    if said_before != said_now:
        out.parent.mkdir(parents=True, exist_ok=True)
        process = subprocess.run([*command, "-o", out], capture_output=True, text=True)
        if process.returncode:
            fail(f"g++ does not compile {what}:\n{said(process)}", "What the library's headers or this program say is wrong has to be mended.")
        mark.write_text(said_now)
    return out


def answered(name, command, cases, environment=None):
    """Cases with what was answered to each."""
    process = subprocess.run(
        command, input="\n".join(cases) + "\n", capture_output=True, text=True, env={**os.environ, **(environment or {})}
    )
    answers = process.stdout.splitlines()
    if process.returncode or len(answers) != len(cases):
        after = cases[len(answers)] if len(answers) < len(cases) else "the last one"
        fail(f"{name} answers {len(answers)} of {len(cases)} cases (status {process.returncode}):\n{said(process)[-900:]}", f"The next case is: {after}")
    return [f"{case} => {answer}" for case, answer in zip(cases, answers)]


def stable_answers(args, folders):
    torch = folders["torch"] / "torch"
    command = ["g++", "-std=c++20", "-DREAL", f"-I{torch}/include", "-x", "c++", PROGRAMS / "stable.cu", "-x", "none", f"-L{torch}/lib"]
    command += ["-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch}/lib", "-Wl,--allow-shlib-undefined"]
    program = compiled(args.work, "stable", "the program of the stable ABI", command)
    libraries = [folders[name] / "nvidia/cu13/lib" for name in ("cupti", "cudart")]
    environment = {"LD_LIBRARY_PATH": ":".join(map(str, libraries))}
    return answered(PINS["torch"], [program], list(library_cases.stable(args.seed, args.cases)), environment)


def nanobind_answers(args, folders, name):
    root = folders[name] / "nanobind"
    command = ["g++", "-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", "-DREAL", "-DNDEBUG", f"-I{root}/include"]
    command += [f"-I{root}/ext/robin_map/include", f"-I{sysconfig.get_paths()['include']}", "-x", "c++", PROGRAMS / "arrays.cu", root / "src/nb_combined.cpp"]
    out = compiled(args.work, f"{name}/arrays.so", f"the extension of {PINS[name]}", command)
    functions = re.findall(r"\bF\((\w+), ", (PROGRAMS / "arrays.cu").read_text())
    cases = list(library_cases.dlpack(args.seed, functions, args.cases, None))
    asked = [args.work / "venv/bin/python", "-B", HERE / "tools/library_answers.py", "nanobind", out.parent]
    return answered(PINS[name], asked, cases)


def tvm_answers(args, folders):
    root = folders["tvm-ffi"] / "tvm_ffi"
    command = ["g++", "-std=c++17", "-fPIC", "-shared", "-DREAL", f"-I{root}/include", "-x", "c++", PROGRAMS / "views.cu", "-x", "none"]
    command += [f"-L{root}/lib", "-ltvm_ffi"]
    out = compiled(args.work, "views.so", f"the extension of {PINS['tvm-ffi']}", command)
    functions = re.findall(r"TYPED_FUNC\((?!said)(\w+),", (PROGRAMS / "views.cu").read_text())
    with_index = [f for f in functions if "_of_" in f]
    cases = list(library_cases.dlpack(args.seed, functions, 4 * args.cases, with_index))
    return answered(PINS["tvm-ffi"], [args.work / "venv/bin/python", "-B", HERE / "tools/library_answers.py", "tvm-ffi", out], cases)


def answers(args, folders):
    asked = {
        "stable.txt": (PINS["torch"], lambda: stable_answers(args, folders)),
        "nanobind-2.txt": (PINS["nanobind-2"], lambda: nanobind_answers(args, folders, "nanobind-2")),
        "nanobind-3.txt": (PINS["nanobind-3"], lambda: nanobind_answers(args, folders, "nanobind-3")),
        "tvm-ffi.txt": (PINS["tvm-ffi"], lambda: tvm_answers(args, folders)),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    for file, (pin, ask) in asked.items():
        if args.only and not any(o in file for o in args.only):
            continue
        lines = [f"# {pin}, seed {args.seed}, {args.cases} cases of each", *ask()]
        (args.out / file).write_text("\n".join(lines) + "\n")
        print(f"real-libraries: {len(lines) - 1} answers of {pin} in {args.out / file}", flush=True)
    return True


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", nargs="+", choices=["pairs", "answers"])
    p.add_argument("--work", type=pathlib.Path, default=pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "scuba-real-libraries")
    p.add_argument("--scuba", type=pathlib.Path, default=HERE / "target/release/scuba")
    p.add_argument("--only", action="append", help="programs or libraries whose name has this in it; may be repeated")
    p.add_argument("--seed", type=int, default=7, help="of the answers' cases (7)")
    p.add_argument("--cases", type=int, default=20, help="of each operation or function (20)")
    p.add_argument("--out", type=pathlib.Path, default=PROGRAMS, help="folder for the answers (tests/models/libraries)")
    args = p.parse_args()
    args.work = args.work.resolve()
    if "pairs" in args.what and not args.scuba.is_file():
        fail(f"{args.scuba} is missing.", "Run make build, or name another one by --scuba.")
    args.work.mkdir(parents=True, exist_ok=True)
    with (args.work / "lock").open("w") as lock:
        # Another run in this folder fetches and compiles the same: it is waited for.
        fcntl.flock(lock, fcntl.LOCK_EX)
        folders = installed(args.work)
    judges = {"pairs": pairs, "answers": answers}
    return 0 if all([judges[what](args, folders) for what in args.what]) else 1


if __name__ == "__main__":
    sys.exit(main())
