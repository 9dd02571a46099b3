"""First inputs of the fuzz targets (tests/fuzz), made from what the tests have: texts, recorded files, facts of small programs."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
# Programs of tests/ui whose facts the target `check` changes: loops, launches, libraries, shared memory, threads, strings.
PROGRAMS = [
    "oob-global/row_starts", "oob-shared/*", "oob-local/*", "misaligned/*", "use-after-free/*", "memcpy-out-of-bounds/*", "double-free/*",
    "index-overflow/*", "intra-allocation/*", "invalid-pointer/*", "memory-spaces/*", "data-index/*", "undecided/*", "clean/*",
]
# Of each folder so many programs, the smallest first.
OF_EACH = 4
# Larger programs make checks slow.
MAX_FACTS = 60_000
STRING = re.compile(r'r#"(.*?)"#|"((?:[^"\\\n]|\\.|\\\n\s*)*)"', re.S)


def strings(*files):
    """Texts of the string literals in Rust sources."""
    found = set()
    for file in files:
        for raw, plain in STRING.findall((CHECKOUT / file).read_text()):
            text = raw or re.sub(r"\\\n\s*", "", plain).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
            if text.strip():
                found.add(text)
    return sorted(found)


def command_lines():
    commands = [
        "-c a.cu -o a.o", "-O3 -std=c++17 -arch=sm_90 -c a.cu", "-gencode=arch=compute_80,code=[sm_80,compute_80] -rdc=true -dc x.cu y.cu",
        "-x cu -c a.cpp -o a.o -Xcompiler -fPIC,-Wall -I inc,d -isystem \"s\" -DA=\"x,y\" -UB", "a.o b.o -o app -L. -lfoo -dlink",
        "-shared -o libk.so a.cu -Xlinker -rpath,/x -ccbin g++", "--options-file o.txt -MD -MF a.d -c a.cu", "-ptx a.cu", "-E a.cu", "--version",
        "--expt-relaxed-constexpr --extended-lambda --use_fast_math -default-stream per-thread -c a.cu", "-arch native -cubin a.cu -o a.cubin",
        "-forward-unknown-to-host-compiler -fopenmp -march=native -c a.cu", "-dlto -c a.cu -odir out", "ccache nvcc -c a.cu", "nvcc -c a.cu",
        "g++ -c a.cpp -o a.o -I inc", "ccache c++ -O2 -c b.cc", "ar qc liba.a a.o b.o", "ld -shared -o libb.so a.o", "clang++ -x cuda --cuda-gpu-arch=sm_80 -c a.cu",
        "/usr/bin/cmake -E rm -f a", "-lib a.o b.o -o libx.a", "-r a.o b.o -o c.o", "-hls=gen-lcs", "-std c++20 -c -", "-include pre.h -c a.cu -t 4",
    ]
    seeds = ["\n\n" + "\n".join(c.split(" ")) for c in commands]
    return seeds + ['-DP "-DQ=a b"\n-O2\n-c\na.cu', '\n\na\\"b c', "\n\nx'y z"]


def mlir():
    for file in sorted((CHECKOUT / "tests/cgeist/fixtures").glob("*.mlir")):
        text = file.read_text()
        source = file.with_name(file.name.split(".")[0] + ".cu")
        whole = text + ("\n====\n" + source.read_text() if source.is_file() else "")
        if len(whole) < 40_000:
            yield whole
    yield from strings("src/cgeist/mlir/tests.rs")


def assembly():
    texts = strings("src/models/ptx/tests.rs", "src/models/ptx/single.rs", "src/models/ptx/grammar.rs")
    for text in texts:
        yield "=r,l,~{memory}\n" + text
    yield from ["=f,=f,=f,=f,l\nld.global.nc.v4.f32 {$0,$1,$2,$3}, [$4+16];", "l,f,~{memory}\nst.volatile.global.f32 [$0], $1;", "=r,0,l\nld.u32 $0, [$2];"]
    for file in sorted((CHECKOUT / "tests/ui").rglob("*.cu")):
        text = file.read_text()
        yield from re.findall(r"\basm\b.*?;\n", text, re.S)


def settings():
    yield (CHECKOUT / "scuba.toml.example").read_text()
    yield (CHECKOUT / "tests/ui/scuba.toml").read_text()
    commented = (CHECKOUT / "scuba.toml.example").read_text()
    yield re.sub(r"^# ?(?=[\[a-z])", "", commented, flags=re.M)
    for text in strings("src/config/load.rs", "src/config/lenient.rs", "src/config/scope.rs", "src/config/size.rs"):
        if "=" in text or "[" in text:
            yield text


def conditions():
    for text in strings(*(str(p.relative_to(CHECKOUT)) for p in (CHECKOUT / "src/contracts/tests").glob("*.rs")), "src/contracts/assume/parse.rs"):
        yield "\x03\x02\x05\x06\x07\x01\x03\x02" + text


def baseline():
    entry = {"file": "a.cu", "rule": "oob-global", "kernel": "k(int*)", "array": "a", "index": "i + 1", "fingerprint": "00ff"}
    yield json.dumps({"schema": "scuba-baseline/1", "findings": []})
    yield json.dumps({"schema": "scuba-baseline/1", "findings": [entry, entry | {"rule": "misaligned", "fingerprint": "a1"}]})


def sanitizer():
    for file in sorted((CHECKOUT / "tests/confirm/golden").glob("*.xml")):
        yield "\x02" + file.read_text()
    for file in sorted((CHECKOUT / "tests/confirm/golden").glob("*.txt")):
        yield "\x03" + file.read_text()
    outcome = {"fingerprint": "00ff", "status": "confirmed", "by": "compute-sanitizer", "device": "d", "detail": "t"}
    yield "\x01" + json.dumps({"schema": "scuba-results/1", "outcomes": [outcome]})


def cmake():
    """A build folder of both generators, in the order of the target's files."""
    rule = "CUDA_COMPILER__app_unscanned_Release"
    ninja = f"""rule {rule}
  depfile = $DEP_FILE
  command = /x/scuba-nvcc nvcc $DEFINES $in -o $out
rule CXX_EXECUTABLE_LINKER__app_Release
  command = $PRE_LINK && c++ $in -o $TARGET_FILE
build CMakeFiles/a.dir/a.cu.o: {rule} /s/a.cu || cmake_object_order_depends_target_a
  DEFINES = -DN=4
  FLAGS = -O2 $
    -g
build app: CXX_EXECUTABLE_LINKER__app_Release CMakeFiles/a.dir/a.cu.o | libb.a
  TARGET_FILE = app
build libc.so.p/libc.so.symbols: SHSYM libc.so
build libc.so: cpp_LINKER x.o | y.o
build all: phony app
"""
    database = [
        {"directory": "@ROOT@", "file": "/s/a.cu", "command": 'nvcc -DN="4 2" -arch=sm_90 -c /s/a.cu -o a.o'},
        {"directory": "sub", "file": "b.cpp", "arguments": ["ccache", "c++", "-O2", "-c", "b.cpp", "-o", "b o.o"]},
        {"directory": "/", "file": "c.cu", "arguments": ["clang++", "-x", "cuda", "-c", "c.cu"]},
    ]
    index = {"cmake": {"generator": {"name": "Ninja", "multiConfig": False}}, "objects": [{"kind": "codemodel", "version": {"major": 2, "minor": 3}, "jsonFile": "codemodel.json"}]}
    paths = {"source": "/s", "build": "@ROOT@"}
    model = {"paths": paths, "configurations": [{"name": "Release", "targets": [{"jsonFile": "target.json"}]}]}
    target = {
        "name": "a", "type": "EXECUTABLE", "paths": {"source": ".", "build": "."}, "artifacts": [{"path": "app"}],
        "link": {"commandFragments": [{"fragment": "-O2", "role": "flags"}, {"fragment": "libb.a -lm", "role": "libraries"}, {"fragment": "-L/x", "role": "libraryPath"}]},
        "sources": [{"path": "a.cu", "compileGroupIndex": 0}, {"path": "a.h"}], "compileGroups": [{"language": "CUDA"}],
    }
    make = "CMakeFiles/a.dir/a.cu.o: CMakeFiles/a.dir/flags.make\nCMakeFiles/a.dir/a.cu.o: /s/a.cu\n\tcd @ROOT@ && nvcc $(CUDA_DEFINES) $(CUDA_FLAGS) -x cu -c /s/a.cu -o CMakeFiles/a.dir/a.cu.o\n"
    flags = "CUDA_DEFINES = -DN=4\nCUDA_FLAGS = -O2 -std=c++17\n"
    link = "/usr/bin/c++ -O2 CMakeFiles/a.dir/a.cu.o -o app libb.a -L/x -lm\n/usr/bin/ranlib libb.a\n"
    device = "nvcc -arch=sm_90 -dlink CMakeFiles/a.dir/a.cu.o -o CMakeFiles/a.dir/cmake_device_link.o\n"
    reply = [json.dumps(target), json.dumps(model), json.dumps(index)]
    both = [json.dumps(database), ninja, "", "", "", "", "", "", *reply]
    makefiles = ["", "", "", "set(x)\n", link, device, make, flags, *[r.replace('"Ninja"', '"Unix Makefiles"') for r in reply]]
    archive = ["", "", "", "", "/usr/bin/ar qc liba.a CMakeFiles/a.dir/a.cu.o\n/usr/bin/ranlib liba.a\n", "", make, flags]
    for files in (both, makefiles, archive, [json.dumps(database)]):
        yield "\n====\n".join(files)


def frames():
    """Frames of the remote cache's helper in postcard: numbers are varints, texts and lists have their length before them."""
    yield b"\x00" + b"\x07" + b"\x00" + b"\x03abc"
    yield b"\x00" + b"\x07" + b"\x01"
    yield b"\x00" + b"\x07" + b"\x02" + b"\x05later"
    yield b"\x01" + b"\x0as3://b/dir" + b"\x00"
    yield b"\x01" + b"\x0as3://b/dir" + b"\x01" + b"\x04/tmp"
    yield b"\x02" + b"\x80\x01" + b"\x0breadings/00"
    yield b"\x03" + b"\x06\0\0\0" + b"\x07" + b"\x00" + b"\x03abc"
    yield b"\x04entry"


def objects(folder):
    source = folder / "a.c"
    source.write_text('int b(void); static int c; extern int d; __attribute__((weak)) int w(void) { return d; } int a(void) { return b() + c; }\n')
    run = lambda *words: subprocess.run(words, cwd=folder, check=True)
    run("cc", "-c", "a.c", "-o", "a.o")
    run("cc", "-g", "-c", "a.c", "-o", "g.o")
    run("cc", "-shared", "-fPIC", "-nostdlib", "a.c", "-o", "a.so")
    run("ar", "qc", "a.a", "a.o")
    run("strip", "a.so")
    return [(folder / name).read_bytes() for name in ("a.o", "g.o", "a.so", "a.a")]


def programs():
    """Sources of the programs whose facts are changed."""
    for pattern in PROGRAMS:
        found = sorted((CHECKOUT / "tests/ui").glob(pattern + ".cu"), key=lambda p: (p.stat().st_size, p.name))
        # Neither the smallest, which hold little, nor large ones.
        found = [p for p in found if p.stat().st_size > 500] or found
        yield from found[:OF_EACH]


def facts(scuba, nvcc, out):
    """Fact files of the programs, one folder each, as builds write them; returns those that could not be made."""
    left = []
    for source in programs():
        name = f"{source.parent.name}.{source.stem}"
        if (out / name).is_dir():
            continue
        with tempfile.TemporaryDirectory() as work:
            settings = pathlib.Path(work) / "scuba.toml"
            settings.write_text('[build]\ncheck = "never"\n')
            environment = os.environ | {"SCUBA_NVCC": nvcc, "SCUBA_DIR": work, "SCUBA_CACHE": "off", "SCUBA_CONFIG": str(settings)}
            command = [str(scuba) + "-nvcc", "-c", str(source), "-o", str(pathlib.Path(work) / "a.o")]
            done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            units = sorted(pathlib.Path(work).glob(".scuba/units/*"))
            if done.returncode != 0 or not units or sum(u.stat().st_size for u in units) > MAX_FACTS:
                left.append(name)
                continue
            (out / name).mkdir(parents=True)
            for at, unit in enumerate(units):
                shutil.copy(unit, out / name / f"{at}.facts")
    return left


def bundles_and_documents(scuba, nvcc):
    """A bundle's manifest and the documents of a check, of one small program."""
    with tempfile.TemporaryDirectory() as work:
        source = CHECKOUT / "tests/ui/oob-global/row_starts.cu"
        environment = os.environ | {"SCUBA_NVCC": nvcc, "SCUBA_DIR": work, "SCUBA_CACHE": "off"}
        ask = lambda *words: subprocess.run([str(scuba), *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        document = json.loads(ask("check", str(source), "--shard", "1/1", "--message-format", "json"))
        subprocess.run([str(scuba) + "-nvcc", "-c", str(source), "-o", f"{work}/a.o"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ask("confirm", "--bundle", f"{work}/bundle", f"{work}")
        ask("check", work)
        manifests = [p.read_text() for p in pathlib.Path(work).glob("bundle/manifest.json")]
        kept = [p.read_bytes() for p in pathlib.Path(work).glob(".scuba/**/*") if p.is_file() and p.read_bytes()[:8] == b'{"form":']
        return manifests, [json.dumps(document["shard"]).encode(), *kept]


def of_choices():
    """Edits for the target `check`: fixed numbers of a linear congruence."""
    state = 7
    for length in (0, 8, 16, 24, 40, 60, 90):
        for _ in range(12):
            numbers = []
            for _ in range(length):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                numbers.append(state >> 56)
            yield bytes(numbers)


def write(folder, seeds):
    folder.mkdir(parents=True, exist_ok=True)
    for at, seed in enumerate(seeds):
        data = seed if isinstance(seed, bytes) else seed.encode("utf-8", "surrogateescape")
        (folder / f"{at:04}").write_bytes(data)


# Sources whose string literals are words of what a target reads.
DICTIONARIES = {
    "command_line": ["src/nvcc/flags.rs", "src/nvcc/host.rs", "src/nvcc/interpose/links.rs", "src/nvcc/parse.rs"],
    "mlir": ["src/cgeist/fuzz.rs", "src/cgeist/lower/side.rs", "src/cgeist/lower/body.rs", "src/cgeist/mlir/types.rs", "src/cgeist/mlir/attribute.rs"],
    "assembly": ["src/models/ptx.rs", "src/models/ptx/grammar.rs", "src/models/ptx/opcodes.rs", "src/models/ptx/waits.rs", "src/models/tiles.rs"],
    "settings": ["src/config/lenient.rs", "src/config/load.rs", "src/base/remote_url.rs"],
    "conditions": ["src/contracts/lexical.rs", "src/contracts/operators.rs", "src/contracts/ast.rs", "src/contracts/print.rs"],
    "bundle": ["src/confirm/record.rs"],
    "cmake": ["src/facts/generated/ninja.rs", "src/facts/generated/makefiles.rs", "src/facts/generated/reply.rs", "src/nvcc/host.rs"],
}
# Longer ones are messages.
MOST_LETTERS = 40


def dictionary(folder, target):
    """Writes the words of a target for libFuzzer (its option `-dict`)."""
    words = [word.encode() for word in strings(*DICTIONARIES[target]) if len(word) <= MOST_LETTERS]
    quoted = ("".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in word) for word in words)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / target).write_text("".join(f'"{word}"\n' for word in quoted))


def make(work, scuba, nvcc):
    """Writes the seeds of all targets below a folder, and the programs whose facts are changed."""
    seeds = work / "seeds"
    left = facts(scuba, nvcc, work / "programs")
    files = sorted((work / "programs").glob("*/*.facts"), key=lambda p: p.stat().st_size)[:12]
    manifests, documents = bundles_and_documents(scuba, nvcc)
    with tempfile.TemporaryDirectory() as folder:
        binaries = objects(pathlib.Path(folder))
    texts = {
        "command_line": command_lines(), "mlir": mlir(), "assembly": assembly(), "settings": settings(), "conditions": conditions(),
        "baseline": baseline(), "bundle": [*sanitizer(), *("\x00" + m for m in manifests)], "cmake": cmake(), "remote": frames(),
        "objects": binaries, "documents": documents, "check": of_choices(),
        "facts": [b"\x00" + f.read_bytes() for f in files] + [bytes([kind]) + bytes(40) for kind in range(2, 6)],
    }
    for target, inputs in texts.items():
        write(seeds / target, inputs)
    for target in DICTIONARIES:
        dictionary(work / "dictionaries", target)
    return left
