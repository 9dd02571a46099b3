#!/usr/bin/env python3
"""What nanobind and TVM-FFI do with tensors of DLPack, asked of the libraries themselves; `tools/real-libraries.py` starts it in its own environment.

    library_answers.py nanobind FOLDER-OF-THE-EXTENSION
    library_answers.py tvm-ffi EXTENSION

Reads cases from standard input, one line each: the function, numpy or dlpack, code, bits and lanes of the type, DLPack's device, sizes, strides (each
list behind its length; a length of -1 for strides: none are stated), a number for the function's second argument. Writes what the function printed,
or `refused`.

A case is given as an array of numpy, or as an object with `__dlpack__` that describes memory of any device. That memory is never read.
"""

import ctypes
import sys


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", Type), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
MEMORY = ctypes.create_string_buffer(1 << 16)
ALIGNED = (ctypes.addressof(MEMORY) + 4095) & -4096
# Exports live as long as the process: libraries keep them.
KEPT = []


class Exported:
    """An object that gives its description by DLPack's protocol in Python."""

    def __init__(self, code, bits, lanes, device, sizes, strides):
        array = ctypes.c_int64 * max(len(sizes), 1)
        self.sizes, self.strides = array(*sizes), None if strides is None else array(*strides)
        self.device = device
        self.managed = Managed()
        t = self.managed.tensor
        t.data, t.device, t.ndim, t.dtype = ALIGNED, Device(device, 0), len(sizes), Type(code, bits, lanes)
        t.shape = ctypes.cast(self.sizes, ctypes.POINTER(ctypes.c_int64))
        if self.strides is not None:
            t.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        KEPT.append(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self):
        return self.device, 0


NAMES = {
    (0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8", (1, 16): "uint16", (1, 32): "uint32", (1, 64): "uint64",
    (2, 16): "float16", (2, 32): "float32", (2, 64): "float64", (5, 64): "complex64", (5, 128): "complex128", (6, 8): "bool",
}


def of_numpy(code, bits, sizes, strides):
    import numpy

    item = bits // 8
    reach = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    base = numpy.zeros(reach, dtype=NAMES[code, bits])
    return numpy.lib.stride_tricks.as_strided(base, sizes, [s * item for s in strides])


def case(words):
    """The function, the argument and the second argument that a line describes."""
    name, kind, *numbers = words
    code, bits, lanes, device, dims, *rest = map(int, numbers)
    sizes, count, rest = rest[:dims], rest[dims], rest[dims + 1:]
    strides = None if count < 0 else rest[:count]
    more = rest[max(count, 0):]
    if kind == "numpy":
        return name, of_numpy(code, bits, sizes, strides), more
    return name, Exported(code, bits, lanes, device, sizes, strides), more


def nanobind(where):
    sys.path.insert(0, where)
    import arrays

    def ask(name, x, _):
        try:
            return getattr(arrays, name)(x)
        except TypeError as e:
            # nanobind's own refusal, and nobody else's mistake.
            if "incompatible function arguments" not in str(e):
                raise
            return "refused"

    return ask


def tvm(where):
    import tvm_ffi

    module = tvm_ffi.load_module(where)

    def ask(name, x, more):
        x = tvm_ffi.from_dlpack(x)
        try:
            module[name](x, *more)
        except Exception as e:
            module["said"]()
            # The function's own check.
            if "dim" not in str(e):
                raise
            return "refused"
        return str(module["said"]())

    return ask


def main():
    ask = {"nanobind": nanobind, "tvm-ffi": tvm}[sys.argv[1]](sys.argv[2])
    for line in sys.stdin:
        print(ask(*case(line.split())), flush=True)


if __name__ == "__main__":
    main()
