#!/usr/bin/env bash
# Z3 calls the end of its resource limit "canceled" or "max. resource limit exceeded", whichever step it meets it in.
#
# Versions:  z3-solver 4.16.0.0 and 5.4.1.0 from PyPI
# Guess:     "canceled" is what somebody canceled (another thread, a signal), and a run that ends at `rlimit` is "max. resource
#            limit exceeded": both texts exist, and the second is there for small limits.
# Behaviour: one query, one kind of solver: the reason is "max. resource limit exceeded" under a limit of 30000 and "canceled" under
#            1000000. SimpleSolver says "canceled" for both and, as well, where interrupt() ends it, so that the two cannot be told
#            apart by reason_unknown().
# Matters:   to those who use rlimit for reproducible verdicts, and decide by the reason whether a query may be cached as undecided
#            or must be repeated since someone stopped it.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
cat >"$folder/reasons.py" <<'PYTHON'
import threading
import time

import z3


def query():
    """A product of two 32-bit numbers in 64 bits: too hard for the limits below."""
    a, b = z3.BitVecs("a b", 64)
    product = 0x7FFFFFFB * 0x7FFFFFED
    return [a * b == product, z3.UGT(a, 1), z3.UGT(b, 1), z3.ULT(a, 1 << 32), z3.ULT(b, 1 << 32)]


def reason(solver, limit):
    solver.set("rlimit", limit)
    solver.add(query())
    return f"{solver.check()}, {solver.reason_unknown()}"


def reason_of_interrupt(solver):
    solver.set("timeout", 60000)  # in case that the interrupt comes before the search
    solver.add(query())
    timer = threading.Timer(0.5, solver.interrupt)
    begun = time.monotonic()
    timer.start()
    result = solver.check()
    if time.monotonic() - begun > 30:
        raise SystemExit("the interrupt did not arrive")
    return f"{result}, {solver.reason_unknown()}"


for name, make in (("Solver", z3.Solver), ("SimpleSolver", z3.SimpleSolver)):
    for limit in (30000, 1000000):
        print(f"{name}, rlimit {limit}: {reason(make(), limit)}")
print(f"SimpleSolver, interrupt: {reason_of_interrupt(z3.SimpleSolver())}")
PYTHON
cat >"$folder/expected" <<'TEXT'
Solver, rlimit 30000: unknown, max. resource limit exceeded
Solver, rlimit 1000000: unknown, canceled
SimpleSolver, rlimit 30000: unknown, canceled
SimpleSolver, rlimit 1000000: unknown, canceled
SimpleSolver, interrupt: unknown, canceled
TEXT

for release in 4.16.0.0 5.4.1.0; do
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$release" "z3-solver==$release"
  echo "z3-solver $release:"
  PYTHONPATH="$folder/$release" "$folder/venv/bin/python" "$folder/reasons.py" | tee "$folder/seen" | sed 's/^/  /'
  diff "$folder/expected" "$folder/seen" || { echo "changed" >&2; exit 1; }
done
