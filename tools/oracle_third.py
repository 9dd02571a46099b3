"""The third generator of `oracle-features.py`: host-built index arrays, option parsers, vector copies, tiles, asynchronous copies, values that are read twice, and calls of CUB and Thrust.

Its programs take any number of arguments, which are texts. What an earlier generator gives for a seed stays as it is.
"""

import oracle_programs
from oracle_arrays import Arrays
from oracle_collectives import Collectives
from oracle_language import I32, Declare, Ended
from oracle_options import Options, number
from oracle_programs import FIRST
from oracle_races import Races
from oracle_tiles import Tiles
from oracle_vectors import Vectors

NEWEST = 3
OTHERS = [2, 5, -1]


class Third(Arrays, Options, Races, Vectors, Tiles, Collectives, oracle_programs.Program):
    kinds = ["index array", "index array", "rows", "option", "option", "race", "race", "race", "vector", "vector", "tile", "tile", "asynchronous", "asynchronous", "thrust", "thrust", "cub", "cub"]

    def begin(self):
        self.unit.declared += ["#include <algorithm>", "#include <vector>"]
        self.options, self.slips = [], self.r.choose([5, 20, 40, 60])
        # Their headers and kernels cost most of a check.
        if not self.r.chance(15):
            self.kinds = [k for k in self.kinds if k not in ("thrust", "cub")]
        if self.r.chance(50):
            self.unit.declared += ["#include <cstring>", "#include <unistd.h>"]
            return self.begin_options()
        self.body += [Declare(I32, "xy"[n], Text(n + 1)) for n in range(2)]

    def enough(self):
        return Enough(1 if self.options else 3)

    def arguments(self):
        return self.option_arguments() if self.options else [(str(x), str(y)) for y in OTHERS for x in FIRST]


class Text:
    """`atoi(argv[n])`."""

    ty = I32

    def __init__(self, n):
        self.n = n

    def text(self):
        return f"atoi(argv[{self.n}])"

    def value_in(self, f):
        return number(f.run.argv[self.n - 1])


class Enough:
    """The program ends where it has too few arguments."""

    def __init__(self, n):
        self.n = n

    def write(self, w):
        w.put(f"if (argc < {self.n}) return 0;")

    def run(self, f):
        if len(f.run.argv) + 1 < self.n:
            raise Ended("too few arguments")


def make(seed, version=NEWEST, without=()):
    """The program that a generator gives for a seed."""
    return Third(seed, without, version) if version == 3 else oracle_programs.Program(seed, without, version)
