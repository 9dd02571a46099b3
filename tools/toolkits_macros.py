"""The macros before a source: those of nvcc's own preprocessing of each side against those that clang is given, for tools/toolkits.py.

As tests/frontend/macros.rs does with the pinned nvcc. Its commands and its table of macros that may differ are read from there; how clang is
called is recorded by a script in clang's place.
"""

import ast
import os
import pathlib
import re
import shlex
import struct
import subprocess

TEST = pathlib.Path(__file__).resolve().parent.parent / "tests/frontend/macros.rs"
RELEASE = pathlib.Path(os.environ.get("SCUBA_RELEASE", TEST.parents[2] / "target/release")).resolve()
RECORDER = """\
#!/bin/sh
case " $* " in *" --cuda-host-only "*) side=host ;; *" --cuda-device-only "*) side=device ;; *) side=other ;; esac
printf '%s\\n' "$@" >"{folder}/$side"
exec {clang} "$@"
"""
# Words of clang's command that name files, with their values, and others that do not matter to the preprocessor.
WITH_VALUE = ("-include", "-ivfsoverlay", "-o", "-MF")
WITHOUT = ("-c", "-emit-llvm", "-MD", "--")


def strings(text: str) -> list[str]:
    return [ast.literal_eval(word) for word in re.findall(r'"(?:[^"\\]|\\.)*"', text)]


def commands() -> list[str]:
    """Flags that the test compiles by."""
    return strings(re.search(r"let flags = \[(.*?)\];", TEST.read_text(), re.S).group(1))


def may_differ(name: str) -> bool:
    table = re.search(r"const MAY_DIFFER.*?= &\[(.*?)\n\];", TEST.read_text(), re.S).group(1)
    for group in re.findall(r"&\[(.*?)\]", table, re.S):
        for pattern in strings(group):
            if pattern.startswith("*"):
                fits = name.endswith(pattern[1:])
            elif "*" in pattern:
                begin, end = pattern.split("*", 1)
                fits = name.startswith(begin) and name.endswith(end)
            else:
                fits = name == pattern
            if fits:
                return True
    return False


def parse(text: str) -> dict[str, str]:
    return {m.group(1): m.group(2).strip() for m in re.finditer(r"^#define (\w+)(.*)$", text, re.M)}


def number(text: str) -> tuple | None:
    """A number with its suffix, integers exactly. Of real numbers more digits than a type has say nothing."""
    inner = re.sub(r"^double\((.*)\)$", r"\1", text)
    whole = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)[uUlL]*", inner)
    if whole:
        return "whole", int(whole.group(1), 16 if whole.group(1).startswith("0x") else 10)
    real = re.fullmatch(r"([\d.]+(?:[eE][-+]?\d+)?)(F16|[FLfl]*)", inner)
    if not real:
        return None
    value = float(real.group(1))
    return "real", struct.unpack("f", struct.pack("f", value))[0] if inner.endswith("F") else value


def same(a: str, b: str) -> bool:
    """Whether two definitions mean the same: numbers by their value, types by their words in any order."""
    words = lambda s: sorted(w for w in s.split() if w != "int" or len(s.split()) == 1)
    return "".join(a.split()) == "".join(b.split()) or words(a) == words(b) or (number(a) is not None and number(a) == number(b))


def compared(ours: dict[str, str], theirs: dict[str, str]) -> list[str]:
    names = sorted(n for n in ours.keys() | theirs.keys() if n not in ours or n not in theirs or not same(ours[n], theirs[n]))
    return [f"`{n}`, clang {ours.get(n, 'none')}, nvcc {theirs.get(n, 'none')}" for n in names if not may_differ(n)]


def of_nvcc(flags: list[str], nvcc: pathlib.Path, folder: pathlib.Path, environment) -> list[dict[str, str]]:
    """The macros of each preprocessing in nvcc's own plan: the host's first, then one of each compilation of device code."""
    plan = subprocess.run([nvcc, "--dryrun", "-c", "a.cu", *flags], cwd=folder, env=environment, capture_output=True, text=True).stderr
    lines = [line[3:] for line in plan.splitlines() if line.startswith("#$ ") and " -E -x c++" in line]
    preprocess = [line.split('-o "')[0].replace('-include "cuda_runtime.h"', "") + " -dM" for line in lines]
    return [parse(subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout) for line in preprocess]


def of_clang(side: str, clang: str, folder: pathlib.Path, work: pathlib.Path) -> dict[str, str]:
    kept, words = [], iter((folder / side).read_text().splitlines())
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in WITHOUT and word != "a.cu":
            kept.append(word)
    command = [clang, *kept, "-nocudainc", "-nocudalib", "-E", "-dM", "/dev/null"]
    return parse(subprocess.run(command, cwd=work, capture_output=True, text=True, check=True).stdout)


def differences(line: str, setting, lab) -> dict:
    """What differs on either side for a command; of device code, from the compilation that is nearest."""
    folder = lab.folder(f"macros-{setting.toolkit}-{setting.host}-{pathlib.Path(setting.clang).name}-{len(line)}")
    source = folder / "source"
    source.mkdir()
    (source / "a.cu").write_text("")
    recorder = folder / "clang"
    recorder.write_text(RECORDER.format(folder=folder, clang=setting.clang))
    recorder.chmod(0o755)
    (source / "scuba.toml").write_text(f'[frontend]\nclang = "{recorder}"\n')
    flags = shlex.split(line) + ([] if setting.host == "g++" else ["-ccbin", setting.host])
    environment = lab.environment(setting, SCUBA_CACHE=str(folder / "cache"))
    environment.pop("SCUBA_CONFIG", None)
    lab.run([RELEASE / "scuba", "check", "a.cu", "--", *flags], source, environment)
    theirs = of_nvcc(flags, lab.nvcc(setting.toolkit), source, environment)
    if not all((folder / side).exists() for side in ("host", "device")) or len(theirs) < 2:
        return {"same": False, "why": ["clang or nvcc was not asked about both sides"]}
    host = compared(of_clang("host", setting.clang, folder, source), theirs[0])
    device = min((compared(of_clang("device", setting.clang, folder, source), t) for t in theirs[1:]), key=len)
    both = [d for d in host if d in device]
    sides = ((both, "both sides"), ([d for d in host if d not in both], "host"), ([d for d in device if d not in both], "device"))
    return {"same": not host + device, "why": [f"{side}: {d}" for found, side in sides for d in found]}
