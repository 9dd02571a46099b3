#!/usr/bin/env python3
"""Mutation testing of SCuBA's own Rust code by cargo-mutants: which planted mistakes its tests notice.

    tools/mutation-tests.py run --work DIR [--area NAME]... [--crate NAME] [--shard K/N | --sample N --seed S] [--programs] [--again] [--until SECONDS]
    tools/mutation-tests.py list --work DIR [--area NAME]...
    tools/mutation-tests.py table --work DIR [--record] [--write FILE]

tools/mutants.py plants bugs in CUDA programs and asks what `scuba check` says; this script plants them in SCuBA and asks what its tests say.

`cargo mutants --list` (cargo install cargo-mutants) says what can be changed. This script plants one change at a time in a clone of the checkout's HEAD
in DIR, with a target folder of its own, without optimisation or debug information, and ends with the first test that fails: cargo-mutants 27.1 would
run all, and cannot choose deletions of fields by name. A run without --shard and --sample takes every mutant. The first stage is the unit tests of
the mutated crate; with --programs, survivors meet whole programs: a fixed sample of small ones by file (PARTS), a few at a time, up to the first
failure. --again repeats what survived these stages, for instance after tests were added. DIR/journal.jsonl has a line for each mutant and
stage, the last one counts; a run goes on where it ended.

`table` reads tools/mutation-tests-recorded.jsonl (lines of journals of earlier samples; --record adds those of DIR), the journal, and
tools/mutation-tests-judged.jsonl: a JSON object for each survivor that somebody looked at: mutant, judgement (test added, equivalent, dead code,
slower, open), why. `slower` changes only work or wording. Only the Python standard library is used.
"""

import argparse
import collections
import contextlib
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
RECORDED = HERE / "tools" / "mutation-tests-recorded.jsonl"
JUDGED = HERE / "tools" / "mutation-tests-judged.jsonl"
# Area: crate, folder.
AREAS = {
    "solver": ("check", "src/check/solver"),
    "obligations": ("check", "src/check/obligations"),
    "rules": ("check", "src/check/rules"),
    "inference": ("check", "src/check/inference"),
    "loops": ("engine", "src/engine/symbolic/loops"),
    "memory": ("engine", "src/engine/symbolic/memory"),
    "contracts": ("contracts", "src/contracts"),
}
# Small programs that use a part, by file; the first match counts: names for tests/ui, separated by spaces, and modules of tests/cli.
LIFETIMES = """use-after-free/launch use-after-free/branch use-after-free/branch_ok use-after-free/in_kernel use-after-free/in_kernel_ok use-after-free/streams
 use-after-free/streams_ok use-after-free/aliases use-after-free/after_realloc use-after-free/after_realloc_ok use-after-free/one_of_a_list
 use-after-free/one_of_a_list_ok use-after-free/refused_ok use-after-free/reset_ok use-after-free/after_a_reset use-after-free/allocated_by_rounds
 use-after-free/pointers_set_in_loops use-after-free/wrapped_conditions use-after-free/graphs_with_memory double-free/loops double-free/loops_ok
 double-free/straight double-free/wrappers double-free/wrappers_ok undecided/freed_in_another_stream undecided/event_before_the_use
 undecided/memory_not_given undecided/outside_frees"""
NUMBERS = """clean/fast_divmod oob-global/fast_divmod oob-global/fast_divmod_premises clean/int_dividers oob-global/int_dividers clean/digits oob-global/digits
 clean/rounded_quotients oob-global/rounded_quotients clean/halved_by_shifts oob-global/halved_as_unsigned oob-global/halved_in_another_width
 clean/bits_of_other_widths oob-global/bits_of_other_widths clean/signed_bits_ok oob-global/signed_bits clean/shifts_by_variables
 oob-global/shifts_by_more clean/wide_integers oob-global/wide_below_zero oob-global/wide_bits 
 clean/sizes_in_fewer_bits oob-global/sizes_in_fewer_bits clean/classes_of_numbers oob-global/classes_of_numbers
 clean/negative_indices oob-global/negative_indices oob-global/negative_remainder oob-global/negative_rest_of_tiles oob-global/by_chance
 oob-global/beyond_the_integers undecided/products_of_other_lists"""
INDICES = """clean/tiles oob-global/tiles clean/row_starts oob-global/row_starts clean/halo_guarded oob-global/one_row_too_many clean/rows_of_matrices
 oob-shared/rows_of_matrices clean/pitch_of_rows oob-global/pitch_of_rows clean/sides_of_a_comparison oob-global/sides_of_a_comparison
 undecided/sides_of_a_comparison oob-global/swapped_dimensions oob-shared/complement index-overflow/narrow index-overflow/narrow_ok"""
LOOPS = """clean/sums_of_loops oob-global/sums_of_loops clean/loops_that_remember oob-global/loops_that_remember clean/in_turn oob-global/in_turn
 clean/in_turns oob-global/in_turns clean/cursors oob-global/cursors undecided/cursors clean/best_of_a_loop clean/grown_in_rounds
 oob-global/grown_in_rounds clean/levels_of_a_pyramid oob-global/levels_of_a_pyramid clean/until_equal clean/hash_rounds
 clean/pointers_moved_by_more oob-global/pointers_moved_by_more undecided/pointers_moved_by_more clean/rows_filled_by_nested_loops
 oob-global/rows_filled_by_nested_loops undecided/rows_filled_with_gaps clean/end_of_a_number undecided/end_of_a_number
 clean/exchanged_pointers oob-global/exchanged_pointers undecided/exchanged_pointers clean/members_set_in_earlier_loops
 undecided/members_set_in_the_same_loop clean/arrays_constructed_in_loops clean/digits oob-global/digits clean/structure_in_loop
 clean/table_in_loop clean/products_of_lists undecided/products_of_other_lists clean/data_written_by_rounds undecided/rounds_that_data_decide
 undecided/numbers_of_inner_loops undecided/numbers_of_other_rounds"""
MEMORY = """clean/arrays oob-global/members clean/matrices clean/constructors oob-global/constructors clean/copies_of_a_group oob-global/copied_in_part
 oob-global/copied_structures clean/data_filled undecided/half_filled clean/globals_in_branches oob-global/globals_in_branches
 clean/members_by_choice oob-global/members_by_choice clean/written_through_a_member oob-global/written_through_a_member
 undecided/written_through_any_pointer clean/device_variables_at_start oob-global/device_variables_changed clean/new_beside_lambdas
 oob-global/new_beside_lambdas clean/memory_in_stream_order clean/pool_memory_of_two_streams undecided/pool_memory_freed_at_once
 clean/structure_changed_in_a_branch clean/vectors_checked oob-global/vectors clean/pairs_in_an_index_array oob-global/pairs_in_an_index_array
 undecided/arguments_moved undecided/changed_by_another_unit clean/texts_in_part oob-global/texts_in_part undecided/read_again_after_a_write"""
PARTS = [
    (r"rules/alignment|obligations/alignment", """misaligned/rows misaligned/rows_ok misaligned/casts_in_place misaligned/members_and_assembly
 misaligned/one_of_many_launches misaligned/rows_of_many_launches clean/casts_in_place undecided/alignment_beside_a_flag
 undecided/alignment_by_contents undecided/alignment_lowered_by_a_typedef undecided/alignment_of_variables
 oob-global/less_aligned""", ""),
    (r"obligations/cone", """data-index/words data-index/graph_file data-index/behind_a_barrier data-index/vectors_checked data-index/worklist
 data-index/checked_by_flags data-index/decided_by_data clean/data_graph_file clean/data_words clean/data_of_nested_loops oob-global/data_of_nested_loops
 undecided/data_of_nested_loops undecided/rounds_that_data_decide undecided/numbers_of_inner_loops undecided/numbers_of_other_rounds
 clean/many_launches clean/launch_loop oob-global/seldom_launched clean/data_written_by_rounds undecided/many_cases""", ""),
    (r"rules/(lifetime|bounds)", LIFETIMES + " " + INDICES, ""),
    (r"rules/memcpy", """memcpy-out-of-bounds/arrays memcpy-out-of-bounds/batches memcpy-out-of-bounds/batches_ok memcpy-out-of-bounds/driver_units
 memcpy-out-of-bounds/graphs memcpy-out-of-bounds/nothing_left memcpy-out-of-bounds/rows memcpy-out-of-bounds/rows_ok memcpy-out-of-bounds/rows_packed
 memcpy-out-of-bounds/sides memcpy-out-of-bounds/sides_ok memcpy-out-of-bounds/sizes_of_new memcpy-out-of-bounds/volumes clean/volumes
 clean/pitches_of_one_width clean/planes_with_pitch clean/two_buffers""", ""),
    (r"rules/pointer", """invalid-pointer/constant_addresses invalid-pointer/host invalid-pointer/host_ok invalid-pointer/index_never_set
 invalid-pointer/never_set invalid-pointer/null invalid-pointer/null_ok oob-global/empty_allocation oob-global/structure clean/managed_variables""", ""),
    (r"rules/(claims|contracts)|src/contracts/", """false-assumption/checked_by_the_host false-assumption/in_a_loop false-assumption/multiple_of_four
 false-assumption/other_words false-assumption/safe_only_by_one clean/assumptions_that_hold""", "contracts:: assume:: classes::"),
    (r"rules/(partition|layout|subarray)", """intra-allocation/chained intra-allocation/chained_ok intra-allocation/halo_ok intra-allocation/in_a_function
 intra-allocation/in_a_function_ok intra-allocation/no_parts_ok intra-allocation/of_the_heap intra-allocation/of_the_heap_ok
 intra-allocation/reinterpreted intra-allocation/reinterpreted_ok intra-allocation/rows intra-allocation/rows_ok intra-allocation/swapped_ok
 intra-allocation/table_of_sizes intra-allocation/used_again_ok""", ""),
    (r"rules/overflow", """index-overflow/counted_ok index-overflow/far_apart index-overflow/host_argument index-overflow/host_argument_ok
 index-overflow/host_size index-overflow/host_size_ok index-overflow/host_square index-overflow/image index-overflow/narrow index-overflow/narrow_ok
 index-overflow/not_replayed index-overflow/one_for_all index-overflow/pitch index-overflow/pitch_ok index-overflow/planes index-overflow/shift
 index-overflow/shift_ok index-overflow/stencil""", ""),
    (r"rules/(device|crossing)|check/inference/", "report/library report/header_accesses", "operators:: refusals:: optionals:: narrowed:: filled_tensors:: entry_pointers:: views::"),
    (r"symbolic/loops/", LOOPS, ""),
    (r"symbolic/memory/", MEMORY + " " + LIFETIMES, ""),
    (r"", NUMBERS + " " + INDICES, ""),
]
# So many programs meet a mutant before the next look at what failed.
AT_ONCE = 8
# Tests of solver and obligations that take longest, after the others; the last one, as long as all others together, only for mutants of what it tests.
LATER = ["brute_force_tests", "solver::tests::random", "work_grows_by_less_than_a_proof_for_each_call", "a_query_that_computes_too_long_is_interrupted"]
# Terms call nothing of what is mutated above them.
BELOW = "symbolic::terms::"
SLOW = "logarithms_of_another_number_or_the_other_way_round_stay"
TESTED_BY_SLOW = re.compile(r"/(host_factors|logarithm|precomputed)\.rs:")
JUDGEMENTS = ("test added", "equivalent", "dead code", "slower", "open")
PROFILE = {f"CARGO_PROFILE_{p}_{k}": "0" for p in ("DEV", "TEST") for k in ("OPT_LEVEL", "DEBUG")}


HEAD = """# Mutation tests of SCuBA's own code

Generated by `tools/mutation-tests.py table` from the journals of `tools/mutation-tests.py run`; not edited by hand. Recorded with cargo-mutants 27.1.0 on 2 cores.
Commands: `make mutation-tests MUTATION_ARGS='--area AREA --sample N --seed SEED --programs'`, again with `--again` after tests were added, then
`tools/mutation-tests.py table --work DIR --record --write docs/evaluation/mutation-tests.md`.

`cargo mutants --list` says what can be changed in SCuBA's Rust code; one change is planted at a time, and the tests either notice it or not.
([mutants.md](mutants.md) is about bugs planted in CUDA programs instead.) A sample is what a seed draws from all mutants of an area, as far as the time went.
Each mutant met the unit tests of its crate first. Some that survived met whole programs afterwards: a fixed sample of small programs of `tests/ui`, and modules of
`tests/cli`, that use the file (`PARTS` in the script). A mutant with which a test does not end counts as noticed.
The unit test `logarithms_of_another_number_or_the_other_way_round_stay` takes as long as all others together, and ran only for mutants of `host_factors.rs`,
`logarithm.rs` and `precomputed.rs`; unit tests of `terms/`, which call nothing of the other areas, did not run for `loops` and `memory`.

| column | meaning |
| --- | --- |
| mutants | what cargo-mutants can change in the area |
| tried | those of the sample |
| unviable | do not compile; not counted |
| unit tests | noticed by the unit tests when it was first tried |
| programs | noticed only by whole programs |
| new tests | noticed only since tests were added because of survivors |
| equivalent, dead code | judged: nothing changes; not counted |
| slower | judged: only work, a budget or a wording changes, no answer; not counted |
| survived | noticed by none of the tests that it met; the last column but one of the tables of survivors says whether it met programs |
| noticed at first, now | share of the counted mutants, before and after tests were added; programs are counted in both. *Now* is no estimate for other mutants: the tests were written for survivors of this sample |
"""

# What the records of a sample do not say.
NOTES = {
    7: """The first five mutants of the solver met the tests as they were before; the others of `solver` and `obligations` also met tests that were
written from reading alone: of parts of the solver, and of random obligations against all assignments in machine arithmetic. No mutant met whole
programs: what only they exercise counts as survived.""",
    11: """Solver and obligations alone, as far as the time went. *At first* is by the tests as they were before a survivor of this sample was
looked at. Reading the places of the whole sample, also of other areas, found three faults of the code itself, each a wrong *safe*, that have tests
in `tests/ui` now: `use-after-free/one_of_many_uses`, `intra-allocation/named_in_one_branch`, `false-assumption/by_a_wrap`.""",
}

SURVIVORS = """
What the unit tests did not notice at first:

| place | mutant | became of it | met programs | why |
| --- | --- | --- | --- | --- |"""


class Work:
    """The clone in which mutants are planted, and the journal."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.tree = self.folder / "tree"
        self.journal = self.folder / "journal.jsonl"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, **PROFILE, "CARGO_INCREMENTAL": "1", "CARGO_TERM_COLOR": "never"}
        # Without optimisation, deep recursion takes more stack than the tests allow for.
        self.environment.setdefault("RUST_MIN_STACK", str(64 << 20))
        self.environment["CARGO_TARGET_DIR"] = str(self.folder / "target")
        for name in ("CARGO_MUTANTS_OUTPUT", "SCUBA_BLESS", "INSTA_UPDATE"):
            self.environment.pop(name, None)

    def update(self):
        """Brings the clone to HEAD of the checkout; undoes what a killed run left there."""
        commit = git(HERE, "rev-parse", "HEAD")
        if not self.tree.exists():
            subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(HERE), str(self.tree)], check=True)
        git(self.tree, "fetch", "--quiet", str(HERE), "HEAD")
        git(self.tree, "reset", "--quiet", "--hard", commit)
        tools = self.tree / ".deps"
        if not tools.exists():
            tools.symlink_to((HERE / ".deps").resolve())
        return git(self.tree, "rev-parse", "--short=8", "HEAD")

    def mutants(self, areas, more=()):
        """Mutants of areas as cargo-mutants lists them, by area and name."""
        out = {}
        for area in areas:
            crate, folder = AREAS[area]
            command = ["cargo", "mutants", "--list", "--json", "--diff", "-d", str(self.tree), "-p", crate, "-f", f"{folder}/**/*.rs", *more]
            listed = subprocess.run(command, cwd=self.tree, env=self.environment, check=True, stdout=subprocess.PIPE).stdout
            out[area] = {m["name"]: m for m in json.loads(listed)}
        return out

    def cargo(self, arguments, seconds):
        """Whether `cargo test` succeeds, and its output; `None` after so many seconds."""
        command = ["cargo", "test", "--quiet", "--locked", *arguments]
        started = subprocess.Popen(command, cwd=self.tree, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            text, _ = started.communicate(timeout=seconds)
            return started.returncode == 0, text
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            # A test that loops must not outlive its run, nor this script.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()

    def plant(self, mutant):
        """Plants a mutant; the returned function takes it away."""
        path = self.tree / mutant["file"]
        text = path.read_text()
        subprocess.run(["patch", "--quiet", "--no-backup-if-mismatch", str(path)], input=mutant["diff"], text=True, check=True)
        if path.read_text() == text:
            sys.exit(f"not planted: {mutant['name']}")
        return lambda: path.write_text(text)

    def records(self):
        return read(self.journal)

    def note(self, record):
        with self.journal.open("a") as file:
            file.write(json.dumps(record) + "\n")


def read(journal):
    return [json.loads(line) for line in journal.read_text().splitlines() if line.strip()] if journal.exists() else []


def git(folder, *arguments):
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


STAGES = ("unit tests", "programs")


def runs(stage, area, name):
    """What `cargo test` builds at a stage, and the arguments of its runs, in their order: a list of `[what to build, [arguments]...]`."""
    crate = AREAS[area][0]
    if stage == "unit tests":
        if crate != "check":
            return [(["-p", crate, "--lib"], [["--skip", BELOW]])]
        skipped = [a for t in [*LATER, SLOW] for a in ("--skip", t)]
        later = LATER if area in ("solver", "obligations") else []
        slow = [[SLOW]] if TESTED_BY_SLOW.search(name) else []
        return [(["-p", crate, "--lib"], [skipped, *([t] for t in later), *slow])]
    programs, modules = next((p.split(), m.split()) for pattern, p, m in PARTS if re.search(pattern, name))
    few = [[",".join(programs[n : n + AT_ONCE])] for n in range(0, len(programs), AT_ONCE)]
    return [(["-p", "scuba", "--test", "ui"], few), *[(["-p", "scuba", "--test", "cli"], [[m] for m in modules])] * bool(modules)]


def attempt(work, mutant, tests, seconds):
    """What tests make of a mutant."""
    undo = work.plant(mutant)
    try:
        for what, given in tests:
            built, text = work.cargo([*what, "--no-run"], None)
            if not built:
                if "could not compile" not in text:
                    sys.exit(f"neither built nor refused: {mutant['name']}\n{text[-2000:]}")
                return "unviable"
            for arguments in given:
                passed, _ = work.cargo([*what, "--", *arguments], seconds)
                if not passed:
                    return "timed out" if passed is None else "caught"
        return "survived"
    finally:
        undo()


class Passed:
    """Which tests pass without a mutant, otherwise each mutant would count as caught; kept in DIR/passed for this code."""

    def __init__(self, work):
        self.work = work
        self.file = work.folder / "passed"
        self.code = git(work.tree, "rev-parse", "HEAD:src")
        self.known = set(self.file.read_text().splitlines()) if self.file.exists() else set()

    def all(self, tests):
        return all(self.one(what, arguments) for what, given in tests for arguments in given)

    def one(self, what, arguments):
        line = json.dumps([self.code, what, arguments])
        if line not in self.known:
            passed, text = self.work.cargo([*what, "--", *arguments], None)
            if not passed:
                print(text[-3000:], file=sys.stderr)
                return False
            self.known.add(line)
            with self.file.open("a") as file:
                file.write(line + "\n")
        return True


def chosen(work, options):
    """Mutants that a run takes, by area, in the order of the seed."""
    areas = options.area or [a for a in AREAS if options.crate in (None, AREAS[a][0])]
    listed = work.mutants(areas, ["--shard", options.shard] if options.shard else [])
    if options.sample is not None:
        listed = {a: taken(m, random.Random(f"{options.seed} {a}"), options.sample) for a, m in listed.items()}
    return listed


def taken(mutants, rng, sample):
    """So many mutants at random. A larger sample of the same seed begins with the smaller one."""
    names = sorted(mutants)
    rng.shuffle(names)
    return {n: mutants[n] for n in names[:sample]}


def last(records):
    """Last outcome of each mutant at each stage."""
    return {(r["mutant"], r["stage"]): r["outcome"] for r in records}


def run(options):
    work = Work(options.work)
    commit = work.update()
    begun = time.monotonic()
    passed = Passed(work)
    every = STAGES if options.programs else STAGES[:1]
    for stage in every:
        for area, mutants in chosen(work, options).items():
            known = last(r for r in work.records() if r["seed"] == options.seed)
            survived = [n for n in mutants if all(known.get((n, s), "survived") == "survived" for s in every)]
            harmless = {n for n, j in judgements().items() if j["judgement"] in HARMLESS}
            again = [n for n in survived if options.again and (n, stage) in known and n not in harmless]
            wanted = again if options.again else [n for n in survived if (n, stage) not in known and n not in harmless]
            for name in wanted:
                if options.until and time.monotonic() - begun > options.until:
                    return
                tests = runs(stage, area, name)
                if not passed.all(tests):
                    sys.exit(f"{stage} of {area} fail without a mutant")
                start = time.monotonic()
                outcome = attempt(work, mutants[name], tests, options.timeout)
                seconds = round(time.monotonic() - start, 1)
                record = {"area": area, "seed": options.seed, "mutant": name, "stage": stage, "outcome": outcome, "seconds": seconds, "commit": commit}
                work.note({**record, "date": time.strftime("%Y-%m-%d", time.gmtime())})
                print(f"{area}: {stage}: {outcome} {seconds} s: {name}", flush=True)


def listing(options):
    work = Work(options.work)
    work.update()
    for area, names in work.mutants(options.area or list(AREAS)).items():
        print(f"{area}: {len(names)}")


def history(records):
    """Outcomes of each mutant and stage, oldest first."""
    out = collections.defaultdict(list)
    for r in records:
        out[r["mutant"], r["stage"]].append(r["outcome"])
    return out


NOTICED = ("caught", "timed out")
# What a judgement says about the tests: whether they should notice such a mutant.
HARMLESS = ("equivalent", "slower", "dead code")


def fate(mutant, outcomes, judged):
    """What became of a mutant: unviable, caught by whom, or the judgement of a survivor."""
    unit = outcomes.get((mutant, "unit tests"), [])
    if not unit:
        return None
    if unit[-1] == "unviable":
        return "unviable"
    if unit[0] in NOTICED:
        return "unit tests"
    programs = outcomes.get((mutant, "programs"), ["survived"])
    if programs[0] in NOTICED:
        return "programs"
    if unit[-1] in NOTICED or programs[-1] in NOTICED:
        return "new tests"
    judgement = judged.get(mutant, {}).get("judgement")
    return judgement if judgement in HARMLESS else "survived"


def share(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "–"


def interval(part, whole):
    """Wilson's interval of 95 %, in percent."""
    if not whole:
        return "–"
    z, p = 1.96, part / whole
    middle, half = p + z * z / (2 * whole), z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    low, high = ((middle + s * half) / (1 + z * z / whole) for s in (-1, 1))
    return f"{100 * low:.0f}–{100 * high:.0f} %"


def judgements():
    out = {}
    for line in JUDGED.read_text().splitlines() if JUDGED.exists() else []:
        j = json.loads(line)
        if j["judgement"] not in JUDGEMENTS:
            sys.exit(f"{JUDGED}: no such judgement: {j['judgement']}")
        out[j["mutant"]] = j
    return out


def table(options):
    work = Work(options.work)
    recorded = read(RECORDED)
    recorded += [r for r in work.records() if r not in recorded]
    if options.record:
        RECORDED.write_text("".join(json.dumps(r) + "\n" for r in recorded))
    totals = {a: len(m) for a, m in work.mutants(list(AREAS)).items()}
    lines = [HEAD]
    for seed in sorted({r["seed"] for r in recorded}):
        lines += sample(seed, [r for r in recorded if r["seed"] == seed], totals, judgements())
    text = "\n".join(lines) + "\n"
    if options.write:
        pathlib.Path(options.write).write_text(text)
    else:
        print(text, end="")


def sample(seed, records, totals, judged):
    """What the page says of one sample."""
    outcomes = history(records)
    areas = {r["mutant"]: r["area"] for r in records}
    fates = {m: fate(m, outcomes, judged) for m in areas}
    dates, commits = (list(dict.fromkeys(r[k] for r in records)) for k in ("date", "commit"))
    when = " to ".join(dict.fromkeys([dates[0], dates[-1]]))
    which = f"commits {commits[0]} to {commits[-1]}" if len(commits) > 1 else f"commit {commits[0]}"
    lines = [f"## Seed {seed}\n", f"Recorded {when} on {which}. {NOTES.get(seed, '')}".rstrip() + "\n"]
    columns = ("unviable", "unit tests", "programs", "new tests", *HARMLESS, "survived")
    lines.append("| area | mutants | tried | " + " | ".join(columns) + " | noticed at first | noticed now | 95 % interval of *at first* |")
    lines.append("| --- " * (len(columns) + 6) + "|")
    for name, members in [*((a, [a]) for a in AREAS), ("solver and obligations", ["solver", "obligations"]), ("all", list(AREAS))]:
        n = collections.Counter(f for m, f in fates.items() if areas[m] in members and f)
        tried = sum(n.values())
        if not tried:
            continue
        counted = tried - n["unviable"] - sum(n[h] for h in HARMLESS)
        first = n["unit tests"] + n["programs"]
        cells = [name, sum(totals[m] for m in members), tried, *(n[c] for c in columns)]
        cells += [share(first, counted), share(first + n["new tests"], counted), interval(first, counted)]
        lines.append("| " + " | ".join(str(c) for c in cells) + " |")
    lines.append(SURVIVORS)
    for m in sorted(m for m, f in fates.items() if f and f not in ("unviable", "unit tests")):
        j = judged.get(m, {})
        met = "yes" if any((m, s) in outcomes for s in STAGES[1:]) else "no"
        place, what = re.match(r"(.*?:\d+):\d+: (.*)", m).groups()
        lines.append(f"| `{place}` | {escaped(what)} | {fates[m]} | {met} | {escaped(j.get('why', '–'))} |")
    return [*lines, ""]


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("run", run), ("list", listing), ("table", table)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--work", required=True, help="folder of the clone, its target folder and the journal")
        command.add_argument("--area", action="append", choices=AREAS)
    one = commands.choices["run"]
    one.add_argument("--crate", choices=sorted({c for c, _ in AREAS.values()}))
    one.add_argument("--shard", metavar="K/N")
    one.add_argument("--sample", type=int, metavar="N", help="so many mutants of each area")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--programs", action="store_true", help="survivors of the unit tests meet programs of tests/ui")
    one.add_argument("--again", action="store_true", help="repeat the survivors")
    one.add_argument("--until", type=float, metavar="SECONDS", help="begin nothing new after that")
    one.add_argument("--timeout", type=float, default=150, metavar="SECONDS", help="for the tests of one mutant")
    page = commands.choices["table"]
    page.add_argument("--write", metavar="FILE")
    page.add_argument("--record", action="store_true", help="keep the journal's lines in the checkout")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    options.action(options)


if __name__ == "__main__":
    main()
