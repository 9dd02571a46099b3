#!/usr/bin/env python3
"""Calls an operator of a PyTorch extension with arguments that lead it out of bounds, under Compute Sanitizer.

    repro.py [--module NAME] [--sources DIR]

Builds the extension from the sources named below (with --sources, from copies of them below DIR), or takes one that is installed (--module), makes
the tensors, and calls the operator. PyTorch's allocator keeps freed memory and hands out larger blocks than were asked for, which hides what goes
out of bounds; it is told not to. Exit status: 0 where Compute Sanitizer reported an invalid access, at the line of the finding or at another access of the same call (which ends
the kernel first), as the last line says; 1 where it reported none, 2 where the operator could not be built or called.
"""

import argparse
import hashlib
import importlib
import json
import os
import re
import subprocess
import sys

CASE = json.loads(r'''@CASE@''')


def tensor(torch, t):
    """A tensor on the least storage that its sizes and strides need."""
    if t is None:
        return None
    empty = 0 in t["sizes"]
    elements = 0 if empty else 1 + sum((n - 1) * s for n, s in zip(t["sizes"], t["strides"]))
    storage = torch.zeros(elements, dtype=getattr(torch, t["dtype"]), device="cuda" if t["on_device"] else "cpu")
    for at, value in t.get("elements", {}).items():
        storage[int(at)] = value
    return torch.as_strided(storage, t["sizes"], t["strides"])


def argument(torch, a):
    if "list" in a:
        return [argument(torch, one) for one in a["list"]]
    return tensor(torch, a["tensor"]) if "tensor" in a else a["value"]


def operator(torch, o):
    """The function to call."""
    namespace, _, name = CASE["operator"].rpartition("::")
    if o.module:
        module = importlib.import_module(o.module)
    else:
        from torch.utils import cpp_extension

        sources = [os.path.join(o.sources, s.lstrip("/")) if o.sources else s for s in CASE["sources"]]
        includes = [os.path.join(o.sources, s.lstrip("/")) if o.sources else s for s in CASE["includes"]]
        # What was built of other sources is not taken for this. A module that the sources name keeps its name.
        built_of, named = hashlib.sha256("\0".join(sources).encode()), None
        for source in sources:
            with open(source, "rb") as file:
                text = file.read()
            built_of.update(text)
            named = named or re.search(rb"^\s*PYBIND11_MODULE\(\s*(?!TORCH_EXTENSION_NAME\b)(\w+)", text, re.MULTILINE)
        own = "scuba_repro_" + built_of.hexdigest()[:16]
        folder = os.path.join(os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.expanduser("~/.cache/torch_extensions"), own)
        os.makedirs(folder, exist_ok=True)
        module = cpp_extension.load(
            name=named[1].decode() if named else own,
            build_directory=folder,
            sources=sources,
            extra_include_paths=includes,
            extra_cflags=CASE["flags"],
            extra_cuda_cflags=CASE["flags"] + CASE["cuda_flags"] + ["-lineinfo"],
            is_python_module=not namespace,
        )
    if namespace:
        found = torch.ops
        for part in namespace.split("::"):
            found = getattr(found, part)
        return getattr(found, name)
    return getattr(module, name)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--module", default="", help="an installed extension to call instead of building one")
    p.add_argument("--sources", default="", help="a folder that holds the sources at their paths")
    p.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    o = p.parse_args()
    import torch

    call = operator(torch, o)
    if o.inner:
        arguments = [argument(torch, a) for a in CASE["arguments"]]
        torch.cuda.synchronize()
        with torch.no_grad():  # as the run was that found it
            call(*arguments)
        torch.cuda.synchronize()
        return 0
    environment = dict(os.environ, PYTORCH_NO_CUDA_MEMORY_CACHING="1")
    command = ["compute-sanitizer", "--tool", "memcheck", "--padding", "512", "--error-exitcode", "42", sys.executable, os.path.abspath(__file__), "--inner"]
    command += ["--module", o.module] if o.module else []
    command += ["--sources", o.sources] if o.sources else []
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(said.stdout)
    if "Invalid __" in said.stdout:
        place = CASE["summary"].rsplit(" at ", 1)[-1]
        places = [f"{os.path.basename(file)}:{line}" for file, line in re.findall(r" in ([^\s:]+):(\d+)", said.stdout)]
        if set(CASE["places"]) & set(places):
            print(f"confirmed: {CASE['summary']}")
        else:
            print(f"confirmed: invalid accesses at {', '.join(sorted(set(places))) or 'places without lines'}, which end the kernel before {place}")
        return 0
    if said.returncode not in (0, 42):
        print(f"not run: the call of {CASE['operator']} ended with status {said.returncode}")
        return 2
    print(f"not reproduced: {CASE['summary']}")
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as why:
        print(f"not run: {type(why).__name__}: {why}")
        sys.exit(2)
