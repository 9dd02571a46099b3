#!/usr/bin/env python3
"""tools/packaging/wheel.py DIST FOLDER: DIST (of tools/dist.sh) as a wheel in FOLDER, and its sizes on standard output.

The programs are the wheel's scripts; all else is data, which is laid out under the environment's prefix as it is under DIST: programs find
clang and libraries from where they lie, in virtual environments, pipx's and uv's, `--user` and `--target` alike. No Python runs on the way.

The same DIST gives the same bytes: entries are sorted, and their time is SOURCE_DATE_EPOCH, else that of the last commit.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

NAME = "scuba-cuda"
CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


def cargo(key: str) -> str:
    return re.search(rf'^{key} *= *"(.*)"', (CHECKOUT / "Cargo.toml").read_text(), re.M).group(1)


def glibc_needed(dist: pathlib.Path) -> tuple[int, int]:
    """The newest version of glibc that a program or library of DIST asks for."""
    files = [p for p in dist.rglob("*") if p.is_file() and p.open("rb").read(4) == b"\x7fELF"]
    said = subprocess.run(["readelf", "-V", *files], check=True, capture_output=True, text=True).stdout
    return max((int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", said))


def date() -> tuple[int, ...]:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        git = ["git", "-C", CHECKOUT, "log", "-1", "--format=%ct"]
        epoch = subprocess.run(git, capture_output=True, text=True).stdout.strip() or "315532800"
    return time.gmtime(max(int(epoch), 315532800))[:6]  # zip knows no time before 1980


def metadata(version: str, licences: list[str]) -> str:
    head = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version}",
        f"Summary: {cargo('description')}",
        f"License: {cargo('license')}; what comes along (LLVM, Z3 and their libraries): see the licence files",
        *(f"License-File: {name}" for name in licences),
        "Classifier: Environment :: GPU :: NVIDIA CUDA",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Topic :: Software Development :: Quality Assurance",
        "Requires-Python: >=3.7",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (CHECKOUT / "README.md").read_text()


class Wheel:
    def __init__(self, path: pathlib.Path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.record: list[str] = []
        self.unpacked = 0
        self.date = date()

    def add(self, name: str, content: bytes, executable: bool = False, recorded: bool = True):
        entry = zipfile.ZipInfo(name, self.date)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self.archive.writestr(entry, content)
        self.unpacked += len(content)
        if recorded:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            self.record.append(f"{name},sha256={digest},{len(content)}")


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    dist, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = cargo("version")
    stem = f"{NAME.replace('-', '_')}-{version}"
    tag = "py3-none-manylinux_{}_{}_x86_64".format(*glibc_needed(dist))
    path = folder / f"{stem}-{tag}.whl"
    licences = dist / "share/doc/scuba/licences"
    names = sorted(p.name for p in licences.iterdir())

    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".whl.new")
    wheel = Wheel(unfinished)
    for file in sorted(p for p in dist.rglob("*") if p.is_file()):
        place = file.relative_to(dist)
        if place.parts[0] == "bin":
            wheel.add(f"{stem}.data/scripts/{place.name}", file.read_bytes(), executable=True)
        elif licences not in file.parents and place.parts[0] in ("lib", "include", "share"):
            wheel.add(f"{stem}.data/data/{place.as_posix()}", file.read_bytes(), executable=os.access(file, os.X_OK))
    info = f"{stem}.dist-info"
    for name in names:
        wheel.add(f"{info}/licenses/{name}", (licences / name).read_bytes())
    wheel.add(f"{info}/METADATA", metadata(version, names).encode())
    lines = ["Wheel-Version: 1.0", "Generator: scuba", "Root-Is-Purelib: false", f"Tag: {tag}"]
    wheel.add(f"{info}/WHEEL", ("\n".join(lines) + "\n").encode())
    record = [*wheel.record, f"{info}/RECORD,,"]
    wheel.add(f"{info}/RECORD", ("\n".join(record) + "\n").encode(), recorded=False)
    wheel.archive.close()
    unfinished.replace(path)
    print(f"{path}: {path.stat().st_size / 1e6:.0f} MB, {wheel.unpacked / 1e6:.0f} MB unpacked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
