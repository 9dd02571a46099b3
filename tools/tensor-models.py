#!/usr/bin/env python3
"""What PyTorch's operations give, for the models of them (`templates/models/aten.cpp`) to be compared with.

    .deps/torch-venv/bin/python tools/tensor-models.py [--seed N] [--cases N] [--device cpu|cuda] > FILE

Makes tensors at random (dimensions, sizes, strides, offsets, types) and asks PyTorch what each operation gives of them: sizes, strides, type, which
input's storage it shares and where in it, how far that reaches, whether it is an input itself, whether it throws. One line of JSON for each case,
behind a line that says which version and which seed. `tests/models/tensors.rs` reads it. The same seed makes the same cases.
"""

import argparse
import json
import random
import sys
import warnings

import torch

from tensor_shapes import dimension, packed, reshaped, shape, size

# By their number (torch/headeronly/core/ScalarType.h).
TYPES = {
    0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64, 5: torch.float16, 6: torch.float32, 7: torch.float64,
    9: torch.complex64, 10: torch.complex128, 11: torch.bool, 15: torch.bfloat16,
}
NUMBER = {**{t: n for n, t in TYPES.items()}, torch.complex32: 8}
FORMATS = [torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d]
FLOATS = [5, 6, 7, 15]

UNARY = (
    "abs neg sign square exp log log2 sqrt rsqrt reciprocal sin cos tanh sigmoid relu silu floor ceil round trunc".split()
)
SCALAR = {
    "add_Scalar": torch.add, "sub_Scalar": torch.sub, "mul_Scalar": torch.mul, "div_Scalar": torch.div, "pow_Tensor_Scalar": torch.pow,
    "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge, "eq": torch.eq, "ne": torch.ne, "clamp_min": torch.clamp_min,
    "clamp_max": torch.clamp_max,
}
BINARY = {"add_Tensor": torch.add, "sub_Tensor": torch.sub, "mul_Tensor": torch.mul, "div_Tensor": torch.div}


class Input:
    """A tensor of a description: storage of so many elements, and sizes, strides and an offset in it."""

    def __init__(self, dtype, device, sizes, strides, offset, elements):
        self.dtype, self.device, self.sizes, self.strides, self.offset, self.elements = dtype, device, sizes, strides, offset, elements

    def make(self):
        base = torch.empty(self.elements, dtype=TYPES[self.dtype], device=self.device)
        if self.elements:
            base.zero_()
        return base.as_strided(self.sizes, self.strides, self.offset)

    def json(self):
        return {
            "dtype": self.dtype, "cuda": int(self.device == "cuda"), "sizes": self.sizes, "strides": self.strides, "offset": self.offset,
            "elements": self.elements,
        }


def reach(sizes, strides):
    """Elements of storage that these need."""
    return 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides))


def tensor(r, device, dtype=None, sizes=None):
    if sizes is None:
        sizes = shape(r, r.choice((0, 1, 2, 3, 4)), r.choice((4, 4, 5)))
    n = len(sizes)
    order = list(range(n))[::-1]
    layout = r.choice(("packed", "packed", "permuted", "expanded", "stepped", "channels", "any", "odd"))
    if layout == "permuted":
        r.shuffle(order)
    if layout == "channels" and n >= 3:
        order = [1] + [d for d in range(n - 1, -1, -1) if d != 1]
    strides = packed(sizes, order)
    if layout == "expanded":
        strides = [0 if r.random() < 0.5 else s for s in strides]
    elif layout == "stepped":
        step = r.randint(1, 3)
        strides = [s * step for s in strides]
    elif layout == "any":
        strides = [r.randint(0, 7) for _ in strides]
    elif layout == "odd":
        strides = [r.randint(0, 9) if k == 1 else s for k, s in zip(sizes, strides)]
    plain = r.random() < 0.6
    offset = 0 if plain else r.randint(0, 6)
    elements = reach(sizes, strides) + offset + (0 if plain else r.randint(0, 5))
    if dtype is None:
        dtype = r.choice(list(TYPES) + [6, 6, 6, 4, 4])
    return Input(dtype, device, sizes, strides, offset, elements)


def perhaps(r, n, p=0.5):
    """An optional number as the comparing program reads it, and the same for torch."""
    return ([1, n], n) if r.random() < p else ([0], None)


def maybe_type(r, p=0.4):
    n = r.choice(list(TYPES))
    args, n = perhaps(r, n, p)
    return args, None if n is None else TYPES[n]


def maybe_format(r, dim, p=0.5):
    n = r.choice((0, 1, 2, 3)) if r.random() < 0.2 else r.choice((0, 1, 2 if dim == 4 else 3 if dim == 5 else 0))
    args, n = perhaps(r, n, p)
    return args, None if n is None else FORMATS[n]


def options(r, device, p=0.6):
    """Options that say a type, or none, and the device where it is not the host; keywords for torch."""
    args, dtype = maybe_type(r, p)
    said = {} if dtype is None else {"dtype": dtype}
    if device == "cuda" and r.random() < 0.7:
        return args + [1, 1], {**said, "device": "cuda"}
    return args + [0], said


def scalar(r, kinds=(0, 1, 1, 1, 4)):
    kind, n = r.choice(kinds), r.randint(-6, 9)
    return [kind, n], {0: n / 4.0, 1: n, 3: complex(n, 1), 4: n != 0}[kind]


def counted(numbers):
    return [len(numbers), *numbers]


# Each gives the inputs, what the comparing program reads behind the operation's name, and what torch is asked.


def case_made(r, device, op):
    sizes = shape(r, 0, 5)
    if r.random() < 0.05 and sizes:
        sizes[0] = -1
    o, said = options(r, device)
    args = counted(sizes)
    if op == "empty":
        f, format = maybe_format(r, len(sizes), 0.4)
        more = {} if format is None else {"memory_format": format}
        return [], args + o + f, lambda: torch.empty(sizes, **said, **more)
    if op == "full":
        # What is no number of the type may throw.
        v, value = scalar(r, (0, 1, 1, 3, 4) if not said.get("dtype") else (4,))
        return [], args + v + o, lambda: torch.full(sizes, value, **said)
    return [], args + o, lambda: getattr(torch, op)(sizes, **said)


def case_range(r, device, op):
    kinds = r.choice(((1,), (1,), (1,), (0, 1)))
    (a, x), (b, y), (c, z) = scalar(r, kinds), scalar(r, kinds), scalar(r, kinds)
    # Where steps are no whole numbers and elements are, PyTorch divides by 0.
    o, said = options(r, device, 0.2 if kinds == (1,) else 0)
    if op == "arange":
        return [], a + o, lambda: torch.arange(x, **said)
    if op == "arange_from":
        return [], a + b + o, lambda: torch.arange(x, y, **said)
    return [], a + b + c + o, lambda: torch.arange(x, y, z, **said)


def case_like(r, device, op, x=None):
    x = x or tensor(r, device)
    args, more = [], ()
    if op == "full_like":
        args, value = scalar(r)
        more = (value,)
    o, said = options(r, device, 0.3)
    f, format = maybe_format(r, len(x.sizes))
    if format is not None:
        said["memory_format"] = format
    return [x], args + o + f, lambda t: getattr(torch, op)(t, *more, **said)


def case_new(r, device, op, x=None):
    x, sizes = x or tensor(r, device), shape(r)
    o, said = options(r, device, 0.4)
    return [x], counted(sizes) + o, lambda t: getattr(t, op)(sizes, **said)


def case_copied(r, device, op, x=None):
    x = x or tensor(r, device)
    dim = len(x.sizes)
    if op == "contiguous":
        f = r.choice((0, 0, 0, 1, 2 if dim == 4 else 3 if dim == 5 else 0, r.choice((2, 3))))
        return [x], [f], lambda t: t.contiguous(memory_format=FORMATS[f])
    f, format = maybe_format(r, dim, 0.4)
    said = {} if format is None else {"memory_format": format}
    if op == "clone":
        return [x], f, lambda t: t.clone(**said)
    if op == "to_type":
        n, copy = r.choice((x.dtype, x.dtype, r.choice(list(TYPES)))), r.random() < 0.2
        return [x], [n, int(copy)] + f, lambda t: t.to(TYPES[n], copy=copy, **said)
    if op == "to_options":
        n, copy = r.choice((x.dtype, r.choice(list(TYPES)))), r.random() < 0.2
        t, n = perhaps(r, n)
        to, other = [0], {}
        if r.random() < 0.6:
            other = r.choice(("cpu", device))
            to, other = [1, int(other == "cuda")], {"device": other if other == "cpu" else "cuda:0"}
        if n is not None:
            other["dtype"] = TYPES[n]
        # Without a type and a device Python's function has no such overload.
        if not other:
            return case_copied(r, device, op, x)
        return [x], t + to + [int(copy)] + f, lambda t: t.to(**other, copy=copy, **said)
    return [x], [], lambda t: getattr(t, op)()


def case_view(r, device, op, x=None):
    x = x or tensor(r, device)
    dim = len(x.sizes)
    if op in ("view", "reshape"):
        sizes = reshaped(r, x.sizes)
        return [x], counted(sizes), lambda t: getattr(t, op)(sizes)
    if op == "flatten":
        a, b = (0, -1) if r.random() < 0.4 else (dimension(r, dim), dimension(r, dim))
        return [x], [a, b], lambda t: t.flatten(a, b)
    if op == "permute":
        dims = list(range(dim))
        r.shuffle(dims)
        dims = [d - dim if r.random() < 0.2 else d for d in dims]
        if r.random() < 0.1:
            dims.append(0)
        elif dim > 1 and r.random() < 0.1:
            dims[0] = dims[1]
        return [x], counted(dims), lambda t: t.permute(dims)
    if op == "expand":
        sizes = [n if n != 1 or r.random() < 0.3 else size(r) for n in x.sizes]
        sizes = [-1 if r.random() < 0.2 else n for n in sizes]
        for _ in range(r.randint(0, 2)):
            sizes.insert(0, r.choice((1, 1, 2, 3, 0, -1 if r.random() < 0.3 else 1)))
        if r.random() < 0.1 and sizes:
            sizes[r.randint(0, len(sizes) - 1)] = r.randint(-2, 4)
        return [x], counted(sizes), lambda t: t.expand(sizes)
    if op == "transpose":
        a, b = dimension(r, dim), dimension(r, dim)
        return [x], [a, b], lambda t: t.transpose(a, b)
    if op == "select":
        d = dimension(r, dim)
        n = x.sizes[d] if -dim <= d < dim else 1
        i = r.randint(-n - 1, n)
        return [x], [d, i], lambda t: t.select(d, i)
    if op == "index":
        n = x.sizes[0] if dim else 1
        i = r.randint(-n - 1, n) if r.random() < 0.3 or n == 0 else r.randint(-n, n - 1)
        return [x], [i], lambda t: t[i]
    if op == "narrow":
        d = dimension(r, dim)
        n = x.sizes[d] if -dim <= d < dim else 1
        a = r.randint(-n - 1, n + 1)
        length = r.randint(0, max(n - (a if a >= 0 else a + n), 0)) if r.random() < 0.8 else r.randint(-1, n + 1)
        return [x], [d, a, length], lambda t: t.narrow(d, a, length)
    if op == "slice":
        d = dimension(r, dim)
        (f, a), (t, b) = perhaps(r, r.randint(-6, 6), 0.7), perhaps(r, r.randint(-6, 6), 0.7)
        step = r.choice((1, 1, 1, 2, 3, 0 if r.random() < 0.2 else 2))
        return [x], [d, *f, *t, step], lambda x: torch.ops.aten.slice(x, d, a, b, step)
    if op == "unsqueeze":
        d = r.randint(-dim - 2, dim + 1)
        return [x], [d], lambda t: t.unsqueeze(d)
    if op == "squeeze_one":
        d = dimension(r, dim)
        return [x], [d], lambda t: t.squeeze(d)
    if op == "as_strided":
        sizes = shape(r, 0, 3)
        strides = [r.randint(0, 3) for _ in sizes]
        o, offset = perhaps(r, r.randint(0, 3))
        return [x], counted(sizes) + counted(strides) + o, lambda t: t.as_strided(sizes, strides, offset)
    return [x], [], lambda t: getattr(t, op)()


def case_each(r, device, op, x=None):
    x = x or tensor(r, device, r.choice((None, r.choice(FLOATS))))
    if op == "gelu":
        return [x], [], torch.nn.functional.gelu
    return [x], [], lambda t: getattr(torch.ops.aten, op)(t)


def case_scalar(r, device, op, x=None):
    x = x or tensor(r, device, r.choice((None, r.choice(FLOATS))))
    # Few operations have complex numbers of half precision.
    kinds = (0, 1, 1, 3) if r.random() < 0.3 and not op.startswith("clamp") and x.dtype != 5 else (0, 1, 1)
    v, value = scalar(r, kinds)
    if op == "clamp":
        w, other = scalar(r, (0, 1))
        return [x], v + w, lambda t: torch.clamp(t, value, other)
    return [x], v, lambda t: SCALAR[op](t, value)


def case_binary(r, device, op):
    dtype = r.choice((None, r.choice(FLOATS)))
    x = tensor(r, device, dtype)
    sizes = [n if r.random() < 0.8 else 1 for n in x.sizes]
    sizes = sizes[r.choice((0, 0, 0, r.randint(0, len(sizes)))):]
    y = tensor(r, device, x.dtype if r.random() < 0.7 else None, sizes if r.random() < 0.9 else None)
    return [x, y], [], lambda s, t: BINARY[op](s, t)


def case_along(r, device, op, x=None):
    x = x or tensor(r, device)
    d = dimension(r, len(x.sizes))
    t, dtype = maybe_type(r, 0.3)
    return [x], [d, *t], lambda s: getattr(torch, op)(s, d, dtype=dtype)


def case_cat(r, device, op):
    x = tensor(r, device)
    all, d = [x], dimension(r, len(x.sizes))
    for _ in range(r.randint(0, 2)):
        sizes = list(x.sizes)
        if sizes and -len(sizes) <= d < len(sizes):
            sizes[d] = size(r)
        if r.random() < 0.1:
            sizes = [0]
        elif sizes and r.random() < 0.1:
            sizes[0] = size(r)
        all.append(tensor(r, device, x.dtype if r.random() < 0.8 else None, sizes))
    return all, [d], lambda *ts: torch.cat(ts, d)


def keep_dimension(r):
    return r.random() < 0.4


def dimensions(r, dim):
    """Some dimensions, which seldom repeat."""
    some = [d for d in range(dim) if r.random() < 0.5]
    some = [d - dim if r.random() < 0.3 else d for d in some]
    return some + [dimension(r, dim)] if r.random() < 0.15 else some


def case_reduced(r, device, op, x=None):
    x = x or tensor(r, device)
    dim, keep = len(x.sizes), keep_dimension(r)
    aten = getattr(torch.ops.aten, {"sum_dim_IntList": "sum", "mean_dim": "mean", "prod_dim_int": "prod"}.get(op, op.removesuffix("_dim")))
    if op in ("sum", "prod", "mean"):
        t, dtype = maybe_type(r, 0.3)
        return [x], t, lambda s: aten(s, dtype=dtype)
    if op in ("sum_dim_IntList", "mean_dim"):
        t, dtype = maybe_type(r, 0.3)
        dims = None if r.random() < 0.1 else dimensions(r, dim)
        said = [0] if dims is None else [1, *counted(dims)]
        return [x], [*said, int(keep), *t], lambda s: aten(s, dims, keep, dtype=dtype)
    if op == "prod_dim_int":
        t, dtype = maybe_type(r, 0.3)
        d = dimension(r, dim)
        return [x], [d, int(keep), *t], lambda s: aten(s, d, keep, dtype=dtype)
    if op in ("any_dim", "all_dim"):
        d = dimension(r, dim)
        return [x], [d, int(keep)], lambda s: aten(s, d, keep)
    if op in ("max_dim", "min_dim"):
        d, of = dimension(r, dim), r.randint(0, 1)
        return [x], [d, int(keep), of], lambda s: aten(s, d, keep)[of]
    if op in ("amax", "amin"):
        dims = dimensions(r, dim)
        return [x], [*counted(dims), int(keep)], lambda s: aten(s, dims, keep)
    if op in ("argmax", "argmin"):
        said, d = perhaps(r, dimension(r, dim), 0.7)
        return [x], [*said, int(keep)], lambda s: aten(s, d, keep)
    return [x], [], lambda s: aten(s)


def case_sorted(r, device, op, x=None):
    x = x or tensor(r, device)
    dim = len(x.sizes)
    d, of, down = dimension(r, dim), r.randint(0, 1), r.random() < 0.3
    if op == "argsort":
        return [x], [d, int(down)], lambda s: torch.ops.aten.argsort(s, d, down)
    if op == "sort":
        return [x], [d, int(down), of], lambda s: torch.ops.aten.sort(s, d, down)[of]
    if op == "sort_stable":
        return [x], [d, of], lambda s: torch.ops.aten.sort(s, stable=True, dim=d, descending=False)[of]
    if op == "topk":
        n = x.sizes[d] if -dim <= d < dim else 1
        k = r.randint(0, n) if r.random() < 0.8 else r.randint(-1, n + 1)
        return [x], [k, d, of], lambda s: torch.topk(s, k, d)[of]
    dims = dimensions(r, dim)
    return [x], counted(dims), lambda s: torch.flip(s, dims)


def nearly(r, n):
    return n if r.random() < 0.92 else size(r)


def case_product(r, device, op):
    dtype = r.choice((r.choice(FLOATS), r.choice(FLOATS), r.choice(list(TYPES))))
    other = dtype if r.random() < 0.95 else r.choice(list(TYPES))
    n, k, m = size(r), size(r), size(r)
    if op == "mm":
        a, b = [n, k], [nearly(r, k), m]
    elif op == "bmm":
        batch = size(r)
        a, b = [batch, n, k], [nearly(r, batch), nearly(r, k), m]
    elif op == "linear":
        a, b = shape(r, 0, 3) + [k], [m, nearly(r, k)]
    else:
        batch = shape(r, 0, 2)
        a = [*batch, n, k] if r.random() < 0.75 else [k]
        spread = [d if r.random() < 0.7 else 1 for d in batch][r.choice((0, 0, len(batch))):]
        b = [*spread, nearly(r, k), m] if r.random() < 0.75 else [nearly(r, k)]
    if r.random() < 0.05:
        a = shape(r, 0, 3)
    x, y = tensor(r, device, dtype, a), tensor(r, device, other, b)
    if op == "linear":
        if r.random() < 0.5:
            z = tensor(r, device, dtype, [nearly(r, m)])
            return [x, y, z], [], lambda s, t, u: torch.nn.functional.linear(s, t, u)
        return [x, y], [], lambda s, t: torch.nn.functional.linear(s, t)
    return [x, y], [], lambda s, t: getattr(torch, op)(s, t)


def case_selected(r, device, op):
    x = tensor(r, device)
    if op == "nonzero":
        return [x], [], lambda s: torch.nonzero(s)
    if op == "masked_select":
        sizes = [n if r.random() < 0.9 else 1 for n in x.sizes][r.choice((0, 0, r.randint(0, len(x.sizes)))):]
        mask = tensor(r, device, 11 if r.random() < 0.9 else None, sizes)
        return [x, mask], [], lambda s, t: torch.masked_select(s, t)
    if op == "index_select":
        d = dimension(r, len(x.sizes))
        index = tensor(r, device, r.choice((3, 4, 4, r.choice(list(TYPES)))), shape(r, 1, 1) if r.random() < 0.9 else None)
        return [x, index], [d], lambda s, t: torch.index_select(s, d, t)
    if op == "where_self":
        part = lambda: [n if r.random() < 0.9 else 1 for n in x.sizes][r.choice((0, 0, 0, r.randint(0, len(x.sizes)))):]
        condition = tensor(r, device, 11 if r.random() < 0.9 else None, part())
        y = tensor(r, device, x.dtype if r.random() < 0.8 else None, part())
        return [condition, x, y], [], lambda c, s, t: torch.where(c, s, t)
    all, dim = [x], len(x.sizes)
    for _ in range(r.randint(0, 2)):
        all.append(tensor(r, device, x.dtype if r.random() < 0.9 else None, [nearly(r, n) for n in x.sizes]))
    d = dimension(r, dim + 1)
    return all, [d], lambda *ts: torch.stack(ts, d)


def case_replaced(r, device, op):
    x = tensor(r, device)
    if op == "zero_":
        return [x], [], lambda s: s.zero_()
    if op == "fill_":
        v, value = scalar(r, (0, 1, 1, 4))
        return [x], v, lambda s: s.fill_(value)
    sizes = [nearly(r, n) if r.random() < 0.8 else 1 for n in x.sizes][r.choice((0, 0, r.randint(0, len(x.sizes)))):]
    return [x, tensor(r, device, None, sizes)], [], lambda s, t: s.copy_(t)


# What may come behind another operation.
ONE_INPUT = (case_like, case_new, case_copied, case_view, case_view, case_each, case_scalar, case_along)


CASES = {op: case_made for op in ("empty", "zeros", "ones", "rand", "randn", "full")}
CASES.update({op: case_range for op in ("arange", "arange_from", "arange_step")})
CASES.update({op: case_like for op in ("empty_like", "zeros_like", "ones_like", "full_like")})
CASES.update({op: case_new for op in ("new_empty", "new_zeros", "new_ones")})
CASES.update({op: case_copied for op in ("contiguous", "clone", "detach", "cpu", "to_type", "to_options")})
CASES.update({
    op: case_view
    for op in (
        "view", "reshape", "flatten", "permute", "expand", "transpose", "t", "select", "index", "narrow", "slice", "unsqueeze", "squeeze",
        "squeeze_one", "as_strided",
    )
})
CASES.update({op: case_each for op in (*UNARY, "gelu", "bernoulli")})
CASES.update({op: case_scalar for op in (*SCALAR, "clamp")})
CASES.update({op: case_binary for op in BINARY})
CASES.update({op: case_along for op in ("cumsum", "cumprod")})
CASES["cat"] = case_cat
CASES.update({
    op: case_reduced
    for op in (
        "max", "min", "any", "all", "sum", "prod", "mean", "sum_dim_IntList", "mean_dim", "prod_dim_int", "any_dim", "all_dim", "max_dim", "min_dim",
        "amax", "amin", "argmax", "argmin",
    )
})
CASES.update({op: case_sorted for op in ("sort", "sort_stable", "argsort", "topk", "flip")})
CASES.update({op: case_product for op in ("matmul", "mm", "bmm", "linear")})
CASES.update({op: case_replaced for op in ("zero_", "fill_", "copy_")})
CASES.update({op: case_selected for op in ("nonzero", "masked_select", "index_select", "where_self", "stack")})


def description(t, device):
    """What an operation gave, as the next one is asked about it."""
    item = t.element_size()
    elements = t.untyped_storage().nbytes() // item
    return Input(NUMBER[t.dtype], device, list(t.shape), list(t.stride()), t.storage_offset(), elements)


def chain(r, device, op, steps):
    """Inputs and steps of an operation and others behind it, and what torch gives; of one that throws nothing is asked further."""
    inputs, numbers, ask = CASES[op](r, device, op)
    said = [{"op": op, "args": numbers}]
    tensors = [i.make() for i in inputs]
    try:
        with torch.no_grad():
            t = ask(*tensors)
            for _ in range(steps - 1):
                if t.dtype not in TYPES.values():
                    break
                kind = r.choice(ONE_INPUT)
                # Whether `bernoulli` throws depends on what the elements are.
                op = r.choice([op for op, k in CASES.items() if k is kind and op != "bernoulli"])
                _, numbers, ask = kind(r, device, op, description(t, device))
                said.append({"op": op, "args": numbers})
                t = ask(t)
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as e:
        return inputs, said, {"throws": str(e).split("\n")[0][:90]}
    return inputs, said, answer(tensors, t)


def answer(tensors, t):
    """What the interface says of a tensor that inputs led to."""
    item = t.element_size()
    at = lambda t: t.untyped_storage().data_ptr()
    shares, start = -1, 0
    for i, o in enumerate(tensors):
        # Storages without bytes have no address.
        if t is o or t.untyped_storage()._cdata == o.untyped_storage()._cdata or (at(t) == at(o) and at(t) != 0):
            shares = i
            start = t.storage_offset() * item - o.storage_offset() * o.element_size()
            break
    return {
        "dtype": NUMBER.get(t.dtype, -1), "cuda": int(t.is_cuda), "sizes": list(t.shape), "strides": list(t.stride()),
        "contiguous": [
            int(t.is_contiguous()), int(t.is_contiguous(memory_format=torch.channels_last)), int(t.is_contiguous(memory_format=torch.channels_last_3d)),
        ],
        "shares": shares, "from": start, "behind": t.untyped_storage().nbytes() - t.storage_offset() * item,
        "itself": int(bool(tensors) and t is tensors[0]),
    }


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cases", type=int, default=20, help="of each operation (20)")
    p.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    p.add_argument("--operations", help="these alone, with commas between them")
    args = p.parse_args()
    warnings.simplefilter("ignore")
    if args.device == "cuda":
        CASES["cuda"] = case_copied
    print(json.dumps({"torch": torch.__version__, "device": args.device, "seed": args.seed, "cases": args.cases}))
    for op in args.operations.split(",") if args.operations else CASES:
        for n in range(args.cases):
            r = random.Random(f"{args.seed} {args.device} {op} {n}")
            device = "cuda" if args.device == "cuda" and r.random() < 0.8 else "cpu"
            steps = 1 if r.random() < 0.5 else r.choice((2, 2, 3))
            default = r.choice((6, 6, 6, 7, 5, 15))
            torch.set_default_dtype(TYPES[default])
            inputs, said, gave = chain(r, device, op, steps)
            name = op if len(said) == 1 else "several"
            line = {"name": name, "in": [i.json() for i in inputs], "default": default, "steps": said, **gave}
            print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    sys.exit(main())
