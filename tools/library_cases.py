"""Tensors and questions at random, for libraries and the models of them to be asked (`tools/real-libraries.py`). The same seed makes the same cases."""

import random

from tensor_shapes import dimension, packed, reshaped, shape, size

# Numbers of torch/headeronly/core/ScalarType.h, with the bytes of an element.
TYPES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 2, 6: 4, 7: 8, 9: 8, 10: 16, 11: 1, 15: 2, 27: 2, 28: 4, 29: 8}
# DLPack's code, bits and lanes of an element (dlpack.h). The last ones are such as numpy has not.
ELEMENTS = [
    (0, 8, 1), (0, 16, 1), (0, 32, 1), (0, 64, 1), (1, 8, 1), (1, 16, 1), (1, 32, 1), (1, 64, 1), (2, 16, 1), (2, 32, 1), (2, 64, 1),
    (5, 64, 1), (5, 128, 1), (6, 8, 1), (4, 16, 1), (2, 32, 4), (0, 8, 2), (0, 4, 1), (10, 8, 1), (0, 4, 3),
]
OF_NUMPY = 14
CPU, CUDA = 1, 2


def layout(r, sizes):
    n = len(sizes)
    order = list(range(n))[::-1]
    kind = r.choice(("packed", "packed", "permuted", "reversed", "expanded", "stepped", "any", "odd"))
    if kind == "permuted":
        r.shuffle(order)
    if kind == "reversed":
        order = order[::-1]
    strides = packed(sizes, order)
    if kind == "expanded":
        strides = [0 if r.random() < 0.5 else s for s in strides]
    elif kind == "stepped":
        step = r.randint(1, 3)
        strides = [s * step for s in strides]
    elif kind == "any":
        strides = [r.randint(0, 7) for _ in strides]
    elif kind == "odd":
        # What a dimension of size 1 has for a stride is nobody's concern.
        strides = [r.randint(0, 9) if k == 1 else s for k, s in zip(sizes, strides)]
    return strides


def counted(numbers):
    return [len(numbers), *numbers]


def perhaps(r, n, p=0.5):
    return [1, n] if r.random() < p else [0]


def maybe_format(r, dim, p=0.4):
    return perhaps(r, r.choice((0, 1, 2 if dim == 4 else 3 if dim == 5 else 0, r.choice((2, 3)))), p)


# Operations of the stable ABI, with what `tests/models/libraries/stable.cu` reads behind a name. Operations of sizes know those of the input alone:
# behind another operation they ask what may not be.


def maybe_type(r, p=0.4):
    return perhaps(r, r.choice(list(TYPES)), p)


STABLE = {
    "empty_like": lambda r, s: [], "clone": lambda r, s: [], "zero_": lambda r, s: [], "fill_": lambda r, s: [], "copied": lambda r, s: [],
    "typed": lambda r, s: [], "typed_long": lambda r, s: [],
    "contiguous": lambda r, s: [r.choice((0, 0, 0, 1, 2 if len(s) == 4 else 3 if len(s) == 5 else 0, r.choice((2, 3))))],
    "new_empty": lambda r, s: [*counted(shape(r)), *maybe_type(r)],
    "new_zeros": lambda r, s: [*counted(shape(r)), *maybe_type(r)],
    "new_empty_on": lambda r, s: [*counted(shape(r)), *maybe_type(r), r.randint(0, 1)],
    "empty": lambda r, s: (lambda new: [*counted(new), *maybe_type(r, 0.6), r.randint(0, 1), *maybe_format(r, len(new))])(
        [-1 if r.random() < 0.02 else n for n in shape(r, 0, 5)]
    ),
    "to": lambda r, s: [*maybe_type(r, 0.6), r.randint(0, 1), int(r.random() < 0.2), *maybe_format(r, len(s))],
    "transpose": lambda r, s: [dimension(r, len(s)), dimension(r, len(s))],
    "select": lambda r, s: (lambda d: [d, r.randint(-size_at(s, d) - 1, size_at(s, d))])(dimension(r, len(s))),
    "narrow": lambda r, s: narrowed(r, s),
    "flatten": lambda r, s: [0, -1] if r.random() < 0.4 else [dimension(r, len(s)), dimension(r, len(s))],
    "unsqueeze": lambda r, s: [r.randint(-len(s) - 2, len(s) + 1)],
    "squeeze": lambda r, s: [dimension(r, len(s))],
    "view": lambda r, s: counted(reshaped(r, s)),
    "reshape": lambda r, s: counted(reshaped(r, s)),
    "size": lambda r, s: [r.randint(-len(s) - 1, len(s))],
    "stride": lambda r, s: [r.randint(-len(s) - 1, len(s))],
}


def size_at(sizes, d):
    return sizes[d] if -len(sizes) <= d < len(sizes) else 1


def narrowed(r, sizes):
    d = dimension(r, len(sizes))
    n = size_at(sizes, d)
    a = r.randint(-n - 1, n + 1)
    length = r.randint(0, max(n - (a if a >= 0 else a + n), 0)) if r.random() < 0.8 else r.randint(-1, n + 1)
    return [d, a, length]


def stable(seed, count):
    """Cases of each operation, alone and before others: the type, bytes of an element, sizes, strides, the offset, steps."""
    for op in STABLE:
        for n in range(count):
            r = random.Random(f"{seed} stable {op} {n}")
            sizes = shape(r, r.choice((0, 1, 2, 3, 4)), r.choice((4, 4, 5)))
            of = r.choice([*TYPES, 6, 6, 6, 4, 4])
            steps = [op]
            while r.random() < 0.5 and len(steps) < 3:
                steps.append(r.choice(list(STABLE)))
            words = [of, TYPES[of], *counted(sizes), *counted(layout(r, sizes)), 0 if r.random() < 0.6 else r.randint(0, 6), len(steps)]
            for step in steps:
                words += [step, *STABLE[step](r, sizes)]
            yield " ".join(map(str, words))


def dlpack(seed, functions, count, with_index):
    """Cases of each function, as `tools/library_answers.py` reads them."""
    for name in functions:
        for n in range(count):
            r = random.Random(f"{seed} dlpack {name} {n}")
            numpy = r.random() < 0.3
            of = r.choice(ELEMENTS[:OF_NUMPY] if numpy else [*ELEMENTS, (2, 32, 1)])
            # What types of arguments ask for comes often enough to be given.
            least, most = r.choice(((0, 4), (2, 2), (3, 3), (1, 2)))
            sizes = shape(r, least, most)
            if sizes and r.random() < 0.3:
                sizes[-1] = 4
            if len(sizes) == 3 and r.random() < 0.4:
                sizes[0], sizes[2] = 2, 3
            if with_index is None:
                of, sizes = wished(r, name, of, sizes)
            strides = counted(layout(r, sizes))
            if not numpy and r.random() < 0.15:
                strides = [-1]
            words = [name, "numpy" if numpy else "dlpack", *of, CPU if numpy else r.choice((CPU, CUDA)), *counted(sizes), *strides]
            if with_index and name in with_index:
                words.append(r.randint(-len(sizes) - 1, len(sizes)))
            yield " ".join(map(str, words))


# Element types of functions of `tests/models/libraries/arrays.cu`, which few of random tensors would have.
WISHED = {
    "f32": 9, "f64": 10, "i8": 0, "i16": 1, "i32": 2, "i64": 3, "ll": 3, "u8": 4, "u16": 5, "u32": 6, "u64": 7, "character": 0, "flag": 13,
    "c64": 11, "c128": 12, "f32_ro": 9, "d3": 9, "s1_1": 9, "all": 9, "cpu_all": 10, "numpy": 9, "pytorch": 2,
}


def wished(r, name, of, sizes):
    if name in WISHED and r.random() < 0.6:
        of = ELEMENTS[WISHED[name]]
    if name == "s1_1" and r.random() < 0.6:
        sizes = [1, size(r)]
    if name == "s0" and r.random() < 0.6:
        sizes = [0, size(r)]
    return of, sizes
