"""Lines of nvcc as build systems write them, for tools/command_lines_words.py: templates of this project's own, with slots.

A slot is `{name}`; `{src}` is the source. Most lines compile C or C++, which costs a tenth of CUDA; CUDA sources mostly run dry.
"""

import random
import re
import shlex

ARCHS = ["-gencode arch=compute_80,code=sm_80", "-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=compute_90", "-arch=sm_80", "--generate-code=arch=compute_80,code=[compute_80,sm_80]", "\"--generate-code=arch=compute_80,code=[sm_80]\" \"--generate-code=arch=compute_90,code=[compute_90,sm_90]\"", "-arch=native", "-arch=all-major", ""]
SLOTS = {
    "arch": ARCHS, "opt": ["-O3", "-O2", "-O3 -DNDEBUG", "-g", "-O0 -g -G", "-O2 -g -lineinfo", "--use_fast_math -O3", ""], "std": ["-std=c++17", "-std=c++14", "--std=c++20", "-std c++17", "-std=gnu++17", ""], "inc": ["-I. -Iinc", "-Iinc", "-isystem inc", "-isystem=inc", "-I inc -I sub", "--include-path inc", "-I\"inc\""],
    "def": ["-DUSE_GPU", "-DVERSION=\\\"1.2\\\"", "-DN=1024 -DM=16", "-D_GLIBCXX_USE_CXX11_ABI=1", "-DNAME='\"x y\"'", "-D X=1", ""], "pic": ["-Xcompiler -fPIC", "-Xcompiler=-fPIC", "-Xcompiler \"-fPIC -Wall\"", "--compiler-options '-fPIC'", "--compiler-options=-fPIC,-Wall", "-Xcompiler -fPIC,-fvisibility=hidden"],
    "warn": ["-Xcompiler -Wall", "-Xcompiler=-Wall,-Wextra", "-Xcompiler -Wall -Xcompiler -Wno-unused", "-Xcudafe --diag_suppress=177", "-diag-suppress 177", "-Wno-deprecated-gpu-targets", "-Werror cross-execution-space-call", "-w", ""], "out": ["out.o", "sub/out.o", "./out.o"],
}
HOSTS = ["a.c", "b.cpp", "d.cc", "header.c -Iinc", "e.cxx", "warn.c"]
CUDAS = ["a.cu", "e.cu", "m.cu"]
TEMPLATES = {
    "CMake": [
        "-forward-unknown-to-host-compiler {def} --options-file options.txt {opt} {std} {arch} -MD -MT {out} -MF {out}.d {lang} -c {src} -o {out}", "-forward-unknown-to-host-compiler {def} {inc} {opt} {std} {arch} {pic} {lang} -dc {src} -o {out}",
        "-forward-unknown-to-host-compiler {inc} {opt} {arch} -fPIC -Wall {lang} -c {src} -o {out}", "-ccbin=g++ -forward-unknown-to-host-compiler {def} {arch} {std} -x c++ -rdc=true -c {src} -o {out}", "-forward-unknown-to-host-linker {opt} -Wno-deprecated-gpu-targets -shared -dlink a.rdc.o -o cmake_device_link.o",
        "-forward-unknown-to-host-compiler {opt} {arch} -Xcompiler=-fPIC -Wno-deprecated-gpu-targets -shared -dlink a.rdc.o main.o -o sub/cmake_device_link.o", "-forward-unknown-to-host-compiler -E {inc} {src}", "-forward-unknown-to-host-compiler {inc} -M {src} -MT {out} -o {out}.d", "-v __cmake_determine_cuda", "{opt} {arch} main.o b.o -o app -L. -lk",
        "--compiler-bindir=g++ {def} {opt} -x c++ -c {src} -o {out}", "-forward-unknown-to-host-linker main.o b.o -o app -Wl,--as-needed", "-forward-unknown-to-host-compiler -fno-math-errno -march=x86-64 {lang} -c {src} -o {out}",
    ],
    "PyTorch extension": [
        "--generate-dependencies-with-compile --dependency-output {out}.d -DTORCH_EXTENSION_NAME=ext -DTORCH_API_INCLUDE_EXTENSION_H {inc} -isystem inc -D__CUDA_NO_HALF_OPERATORS__ -D__CUDA_NO_HALF_CONVERSIONS__ --expt-relaxed-constexpr {arch} --compiler-options '-fPIC' {std} -c {src} -o {out}",
        "{inc} -c {src} -o {out} -D__CUDA_NO_BFLOAT16_CONVERSIONS__ --expt-relaxed-constexpr --compiler-options \"'-fPIC'\" {opt} -DTORCH_EXTENSION_NAME=_C {arch} {std}", "-DPYBIND11_COMPILER_TYPE=\\\"_gcc\\\" -DPYBIND11_STDLIB=\\\"_libstdcpp\\\" {inc} --compiler-options -fPIC {opt} --threads 2 -c -c {src} -o {out}",
        "-ccbin g++ {inc} --extended-lambda -lineinfo --ptxas-options=-v {pic} {arch} -c {src} -o {out}", "-t4 {opt} {arch} {pic} -c {src} -o {out} -keep -keep-dir sub", "{arch} -shared main.o b.o -o ext.so",
    ],
    "Bazel": [
        "-x c++ {def} {inc} -iquote . -c {src} -o {out} -forward-unknown-to-host-compiler", "-ccbin gcc {lang} {arch} -D__DATE__=\\\"redacted\\\" {opt} {pic} --expt-extended-lambda -MD -MF {out}.d -c {src} -o {out}", "-ccbin gcc -I . {inc} --compiler-options \"-fPIC -fstack-protector\" {std} -rdc=true -c {src} -o {out} -Xfatbin -compress-all",
        "-x c++ --options-file source.txt -E -o out.ii", "--generate-dependencies-with-compile --dependency-output x.d {src} -c -o {out}", "-ccbin gcc -frandom-seed={out} -Xcompiler -fno-canonical-system-headers -c {src} -o {out}", "-dlink {arch} a.rdc.o b.o -o linked.o",
    ],
    "Meson": ["{inc} -Xcompiler=-fdiagnostics-color=always,-Wall,-Winvalid-pch {opt} {std} -MD -MQ {out} -MF {out}.d -o {out} -c {src}", "-Xcompiler=-D_FILE_OFFSET_BITS=64 {pic} {arch} -MD -MT {out} -MF {out}.d -o {out} -c {src}", "-o app main.o b.o -Xlinker=--as-needed,--no-undefined -Xlinker=--start-group libk.a -Xlinker=--end-group", "-E {src} -Xcompiler=-P -o out.ii", "--version"],
    "autotools": ["{def} {inc} {opt} -c -o {out} {src}", "-DPACKAGE_NAME=\\\"p\\\" -DHAVE_CONFIG_H -I. {inc} {opt} -c {src} -Xcompiler -fPIC -DPIC -o sub/out.o", "-o conftest {opt} main.c -lm", "-E conftest.c", "-c conftest.c", "-MT {out} -MD -MP -MF {out}.Tpo -c -o {out} {src}", "-o app main.o b.o libk.a -lm -Xlinker -rpath -Xlinker sub", "-lib -o libz.a b.o main.o", "-print-search-dirs"],
    "makefiles": [
        "{std} -Xcompiler -Wall {arch} {opt} -c {src} -o {out}", "{std} {warn} {arch} {opt} -DDEBUG -c {src}", "{opt} {arch} -o main main.o -lm", "{opt} -o main main.c b.cpp -lm {warn}", "-O3 -Xptxas -v {arch} {inc} -c {src} -o {out}", "-I../include {inc} {def} {opt} {warn} {src} -c -o {out}", "{arch} -rdc=true -lcudadevrt -c {src} -o {out}", "-M {inc} {src}", "-MM {inc} {src} -MT {out} -MF {out}.d", "{opt} -lineinfo --default-stream per-thread {src} -dc",
        "-ptx {arch} -o out.ptx a.cu -dryrun", "-shared -o libs.so {pic} {src}", "-Xcompiler -fopenmp {opt} {std} -c {src} -o {out}", "-Xcompiler \"-O3 -march=native\" -c {src} -o {out} {warn}", "-m64 {arch} -maxrregcount=64 -c {src} -o {out}", "-ccbin=/usr/bin/g++ {std} -m64 {warn} -Xlinker -L. main.o -o app -lk", "{opt} -g {inc} -Xcompiler -pthread main.c a.c -o app", "--device-c {arch} {src}", "--device-link a.rdc.o -o gpu.o", "-r -o whole.o b.o main.o",
    ],
    "others": [
        "-x c++ -fdiagnostics-color -c {src} -o {out}", "-forward-unknown-opts -Wall -g3 -c {src} -o {out}", "-E -P {src}", "-dM -E {src}", "-c {src} -Wp,-MD,x.d", "-c {src} -o{out}", "-Wall -c {src}", "-fPIC -c {src}", "-pthread main.o -o app", "{src} -c -odir sub -MD", "--compile --output-file={out} {src} --optimize 2 --define-macro=A,B=2 --include-path=inc,sub", "--compile --output-file {out} {src} --gpu-architecture=sm_80", "-std=c++17 -std=c++20 -c {src}", "-O3 -O0 -c {src}", "-o x.o -o {out} -c {src}",
        "-I=inc -c {src}", "-L. -lk main.o -o app -run", "-forward-unknown-to-host-compiler -flto -c {src} -o {out}", "-fvisibility=hidden --forward-unknown-to-host-compiler -c {src} -o {out}", "-c {src} -MJ x.json", "-c -g0 {src}", "-c -ggdb {src} -o {out}", "-Xcompiler -g -c {src}",
    ],
}


def lines(count: int, draw: random.Random) -> list[tuple[str, tuple[str, ...]]]:
    """Lines of each system in turn, by its name."""
    found = []
    while len(found) < count:
        for name, templates in TEMPLATES.items():
            found.append((name, filled(draw.choice(templates), draw)))
    return found[:count]


def filled(template: str, draw: random.Random) -> tuple[str, ...]:
    if "{src}" not in template:
        text, dry = template, False
    else:
        cuda = draw.random() < 0.35
        # One in thirty of CUDA's is compiled.
        dry = cuda and draw.random() < 0.97
        text = template.replace("{src}", draw.choice(CUDAS if cuda else HOSTS)).replace("{lang}", "-x cu" if cuda else draw.choice(["-x c++", ""]))
    # One name of the output for all of a line.
    out = draw.choice(SLOTS["out"])
    text = re.sub(r"\{(\w+)\}", lambda slot: out if slot.group(1) == "out" else draw.choice(SLOTS.get(slot.group(1), [""])), text)
    return (*(["-dryrun"] if dry else []), *shlex.split(text))
