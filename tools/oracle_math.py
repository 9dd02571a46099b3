"""Functions of the mathematical library for `oracle_language.py`, on Python's floating-point numbers."""

import math
from fractions import Fraction


def integral(function):
    return lambda x: float(function(x)) if math.isfinite(x) else x


def smaller(x, y):
    return y if math.isnan(x) else x if math.isnan(y) else min(x, y)


def larger(x, y):
    return y if math.isnan(x) else x if math.isnan(y) else max(x, y)


def away(x):
    return math.copysign(math.floor(abs(Fraction(x)) + Fraction(1, 2)), x)


ROUND = {"floor": integral(math.floor), "ceil": integral(math.ceil), "trunc": integral(math.trunc), "rint": integral(round), "round": integral(away)}
MATH = {**ROUND, "fabs": abs, "sqrt": lambda x: math.nan if x < 0 else math.sqrt(x), "fmin": smaller, "fmax": larger}
