#!/usr/bin/env python3
"""Tries the templates for editors with the editors' own programs, and fails where one does not work.

    try-editors.py --scuba PATH

Neovim (Debian's, without a window) opens a program with a bug, saves it, reads the diagnostic and the hover, and accepts the finding by its code action.
Node runs the extension for VS Code with stand-ins for the editor's modules: it must start `scuba lsp`, and its problem matcher must read the lines of
`--message-format short`.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = """\
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 0)
  a[i] = 1.0f;
}
int main(int argc, char **) {
  float *a;
  cudaMalloc(&a, argc * sizeof(float));
  fill<<<(argc + 255) / 256, 256>>>(a, argc);
}
"""
SEEN = ["clients 1", "4:3 scuba write past the end of `a`", "**proved wrong** `oob-global`: write past the end of `a`",
        "Accept `oob-global` here with a comment", "Check this file now", "left 0", "  // scuba: allow(oob-global) say why this is right"]


def expect(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what}: {json.dumps(actual, indent=1)}\nexpected: {json.dumps(expected, indent=1)}")


def program(name):
    return shutil.which(name) or sys.exit(f"{name} is not installed")


def neovim(scuba, folder, environment):
    lua = folder / "nvim" / "lua"
    lua.mkdir(parents=True)
    shutil.copy(ROOT / "templates/editors/neovim/scuba.lua", lua)
    environment = {**environment, "ROOT": str(folder), "SCUBA": scuba, "XDG_STATE_HOME": str(folder / "state")}
    script = ROOT / "tests/cli/lsp/neovim.lua"
    said = subprocess.run([program("nvim"), "--headless", "--clean", "-u", "NONE", "-i", "NONE", "-c", f"luafile {script}"], env=environment, cwd=folder,
                          timeout=300, text=True, capture_output=True, check=False)
    out = folder / "out.txt"
    expect("Neovim", out.read_text().splitlines() if out.exists() else said.stderr.splitlines(), SEEN)


def vscode(scuba, folder, environment):
    # The copy of Neovim's session accepts the finding.
    (folder / "b.cu").write_text(PROGRAM)
    short = subprocess.run([scuba, "check", "--message-format", "short", "b.cu"], cwd=folder, env=environment, text=True, capture_output=True, check=False)
    said = subprocess.run([program("node"), ROOT / "tests/cli/lsp/vscode.js", ROOT / "templates/editors/vscode"], input=short.stderr, text=True,
                          capture_output=True, check=False)
    if said.returncode:
        sys.exit(said.stderr)
    told = json.loads(said.stdout)
    expect("the extension's server", told["server"], {"command": "scuba", "args": ["lsp"]})
    expect("the extension's settings", told["client"]["initializationOptions"], {"checkOnSave": True, "flags": []})
    expect("the extension's commands", told["commands"], told["declared"])
    expect("the extension's client", [told["started"], told["stopped"]], [True, True])
    expect("the problem matcher", told["read"], [{"file": "b.cu", "line": "4", "column": "3", "severity": "error", "code": "oob-global",
                                                  "message": "write past the end of `a`"}])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scuba", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        (folder / "a.cu").write_text(PROGRAM)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SCUBA_") or k == "SCUBA_NVCC"}
        environment["SCUBA_CACHE"] = str(folder / "cache")
        neovim(args.scuba, folder, environment)
        vscode(args.scuba, folder, environment)
    print("Neovim and the extension for VS Code work")


if __name__ == "__main__":
    main()
