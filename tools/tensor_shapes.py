"""Sizes, strides and dimensions of tensors at random, for `tools/tensor-models.py` and `tools/library_cases.py`."""


def size(r):
    return r.choice((0, 1, 1, 2, 2, 3, 3, 4, 5))


def shape(r, least=0, most=4):
    sizes = [size(r) for _ in range(r.randint(least, most))]
    # Most tensors have elements.
    if 0 in sizes and r.random() < 0.6:
        sizes = [n or r.randint(1, 3) for n in sizes]
    return sizes


def packed(sizes, order):
    strides, n = [0] * len(sizes), 1
    for d in order:
        strides[d] = n
        n *= max(sizes[d], 1)
    return strides


def dimension(r, dim, wrong=0.1):
    """Returns a dimension, which exists most of the time."""
    return r.randint(-dim - 1, dim + 1) if r.random() < wrong or dim == 0 else r.randint(-dim, dim - 1)


def reshaped(r, sizes):
    """Returns other sizes, of the same number of elements most of the time."""
    n = 1
    for k in sizes:
        n *= k
    new = []
    if r.random() < 0.3:
        new = list(sizes)
        for _ in range(r.randint(0, 2)):
            new.insert(r.randint(0, len(new)), 1)
        if len(new) > 1 and r.random() < 0.5:
            at = r.randint(0, len(new) - 2)
            new[at:at + 2] = [new[at] * new[at + 1]]
    elif n == 0:
        new = shape(r, 1, 3)
        new[r.randint(0, len(new) - 1)] = 0
    else:
        left = n
        while left > 1 or r.random() < 0.2:
            k = r.choice([d for d in range(1, left + 1) if left % d == 0])
            new.append(k)
            left //= k
            if len(new) > 4:
                new.append(left)
                break
    if new and r.random() < 0.3:
        new[r.randint(0, len(new) - 1)] = -1
    if r.random() < 0.1:
        new.append(r.choice((2, -1, 0, 1)))
    return new
