//! Concrete testing: small inputs on which the whole program runs unchanged, with every thread of every launch,
//! before any search for a model.
//!
//! In: the inputs that the terms of one root mention. Out: [`TrialResults`]: for an access, inputs under which it was
//! observed out of bounds. They are no verdict; the replay for one access decides.

use super::file_trials::{TrialFiles, ends};
use super::tried::{FirstThread, NewResults, ObservedAccess, ObservedAccesses, TrialResults};
use super::{recorded, tensor_trials};
use crate::context::{CheckContext, RootTools};
use crate::solver::Model;
use base::inside;
use base::work::{Allotment, Work, done, settle};
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind};
use finding::TensorArgument;
use ir::Side;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use witness::{self, AccessFault, ConcreteInputs, RunBudget};

/// Values of inputs: first the same for all, then different ones, then mixed.
const VALUES: [i128; 14] = [2, 3, 4, 1, 5, 8, 6, 7, 12, 9, 16, 33, 20, 64];
/// Most combinations of values, and most instructions of one run.
const RUNS: usize = 300;
const STEPS: u64 = 200_000;
/// Most instructions of all runs together, so that the trials do not depend on the machine's speed: 0.2 s on a usual
/// one.
const ALL_STEPS: u64 = 6_000_000;
/// Most instructions of all runs together, those at ends of ranges included.
const WITH_ENDS: u64 = 9_000_000;
/// Runs cut off by the instruction limit, without any access out of bounds, after which the trials end: the program
/// is too large for them.
const CUT: usize = 4;
/// Other sequences that `rand` may repeat.
const CHANCE: [&[u32]; 3] = [&[0], &[0x7fff_ffff, 0, 1, 0x7fff_fffe, 2], &[3, 7, 1, 6, 2, 5, 0, 4, 11]];
/// Most work for runs with small inputs.
const TRIED: Work = Work::seconds(2);
/// Largest end of a range that is tried, and most of them.
const MOST_END: i128 = 4100;
const MOST_ENDS: usize = 24;
/// Most inputs of which each is at an end while the others are small.
const ALONE: usize = 3;
/// Sizes around those of warps and blocks.
const BLOCKS: [i128; 10] = [31, 32, 63, 65, 127, 128, 129, 255, 256, 257];
/// Most inputs that are varied.
const INPUTS: usize = 8;

/// Accesses observed so far, each with whether that needed sizes below 1.
#[derive(Default)]
struct NewAccesses(FxHashMap<ObservedAccess, bool>);

impl NewAccesses {
    fn has(&self, s: &ObservedAccess) -> bool {
        self.0.contains_key(s)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records an access; returns whether it was not observed yet, or only with sizes below 1 or empty tensors.
    fn is_new(&mut self, s: &ObservedAccess, degenerate: bool) -> bool {
        if let Some(before) = self.0.get_mut(s) {
            return std::mem::replace(before, *before && degenerate) && !degenerate;
        }
        self.0.insert(s.clone(), degenerate);
        true
    }
}

/// Returns the results of runs on small inputs, computed once for a root.
pub(crate) fn trials<'t, 'p>(cx: &CheckContext<'p>, tools: &'t RootTools<'p>) -> &'t TrialResults {
    tools.tried.get_or_init(|| {
        let before = done();
        let tried = run_all(cx, tools);
        // The first task to ask computes this for all tasks: no task is charged.
        settle(before, Work::NONE);
        tried
    })
}

/// Runs the program until enough inputs are tried or the budget is spent.
fn run_all(cx: &CheckContext<'_>, tools: &RootTools<'_>) -> TrialResults {
    if let Some(varied) = tensor_trials::TensorChoices::of(tools) {
        // The work is not divided among an extension's many operators, because each is asked for only a few accesses.
        return run_on_tensors(tools, &varied, cx.scaled(TRIED).min(cx.phase_work(Work::MAX, 25)));
    }
    let mut out = TrialResults::default();
    let Some(inputs) = varied(tools) else { return out };
    out.with_files = !inputs.files.is_empty();
    let draws =
        tools.e.program.functions().any(|(_, m, f)| {
            m.side == Side::Host && f.is_declaration() && matches!(f.name.as_str(), "rand" | "random")
        });
    let until = Allotment::of(cx.phase_work(TRIED, 25));
    let (mut known, mut by_chance, mut cut, mut steps): (NewAccesses, NewAccesses, usize, u64) = Default::default();
    let budget = RunBudget { steps: STEPS, ..tools.judge.first_limits() };
    let ends = ends(tools.e.program, MOST_END);
    let (small, at_ends) = inputs.models(&ends);
    let models = small.into_iter().map(|m| (m, ALL_STEPS)).chain(at_ends.into_iter().map(|m| (m, WITH_ENDS)));
    let mut until_steps = ALL_STEPS;
    for ((model, most), random) in models.zip(CHANCE.into_iter().cycle()) {
        if std::mem::replace(&mut until_steps, most) != most {
            cut = 0;
        }
        if until.is_spent() {
            break;
        }
        if steps >= most || cut >= CUT && known.is_empty() {
            continue;
        }
        let Some(given) = tools.judge.given(&tools.e.arena, &model) else { break };
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        let run = recorded::enumerate(tools.e.program, tools.root.func, &given, &budget);
        if out.with_files {
            inside::explain(|| {
                let why = if run.completed { "completed" } else { &run.why };
                let begin = |bytes: &Vec<u8>| bytes[..bytes.len().min(16)].escape_ascii().to_string();
                let files: Vec<String> = given.files.values().map(begin).collect();
                format!(
                    "    a run with {:?} and {files:?}: {} launches, {} accesses out of bounds, {why}",
                    given.argv, run.launches, run.certain
                )
            });
        }
        cut += usize::from(run.steps >= STEPS);
        steps += run.steps;
        for s in &run.astray {
            out.astray.entry(*s).or_insert_with(|| model.clone());
        }
        let new: ObservedAccesses = bad_of(run).filter(|(s, _)| known.is_new(s, degenerate)).collect();
        if !new.is_empty() {
            out.runs.push(NewResults { model: model.clone(), bad: new, random: &[], degenerate, empty: false });
        }
        if !draws {
            continue;
        }
        let run = recorded::enumerate(
            tools.e.program,
            tools.root.func,
            &ConcreteInputs { random: random.to_vec(), ..given },
            &budget,
        );
        steps += run.steps;
        let new: ObservedAccesses =
            bad_of(run).filter(|(s, _)| !known.has(s) && by_chance.is_new(s, degenerate)).collect();
        if !new.is_empty() {
            out.chance.push(NewResults { model, bad: new, random, degenerate, empty: false });
        }
    }
    for shown in [&mut out.runs, &mut out.chance] {
        shown.sort_by_key(|s| s.degenerate);
    }
    out
}

/// Runs an operator with small tensors: first with tensors of zeros, so that failures caused by elements are
/// distinguished from failures that need none.
fn run_on_tensors(tools: &RootTools<'_>, varied: &tensor_trials::TensorChoices, most: Work) -> TrialResults {
    let mut out = TrialResults { with_tensors: true, ..TrialResults::default() };
    let until = Allotment::of(most);
    let budget = RunBudget { steps: tensor_trials::STEPS, ..tools.judge.first_limits() };
    let (mut known, mut steps, mut cut) = (NewAccesses::default(), 0, 0);
    for (model, with_contents) in varied.models(tools) {
        if until.is_spent() || steps >= tensor_trials::ALL_STEPS || cut >= CUT && known.is_empty() {
            break;
        }
        if !with_contents && steps >= tensor_trials::ALL_STEPS / 2 {
            continue;
        }
        let Some(given) = tools.judge.given(&tools.e.arena, &model) else { break };
        let empty = given.tensors.values().any(TensorArgument::is_empty);
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        let run = recorded::enumerate(tools.e.program, tools.root.func, &given, &budget);
        inside::explain(|| {
            let why = if run.completed { "completed" } else { &run.why };
            let tensors: Vec<String> = given.tensors.iter().map(|(name, t)| format!("{name}: {t}")).collect();
            format!("    a run with {} and {:?}: {} launches, {why}", tensors.join(", "), given.args, run.launches)
        });
        cut += usize::from(run.steps >= tensor_trials::STEPS);
        steps += run.steps;
        let new: ObservedAccesses = bad_of(run).filter(|(s, _)| known.is_new(s, degenerate || empty)).collect();
        if new.is_empty() {
            continue;
        }
        let (model, bad) = if with_contents {
            let reduced = without_other_contents(tools, (model, new), &budget);
            steps += reduced.1;
            reduced.0
        } else {
            (model, new)
        };
        out.runs.push(NewResults { model, bad, random: &[], degenerate, empty });
    }
    out.runs.sort_by_key(|s| (s.degenerate, s.empty));
    out
}

/// Removes the contents of each tensor without which the same accesses are out of bounds; also returns the number of
/// instructions that this took.
fn without_other_contents(
    tools: &RootTools<'_>,
    (mut model, mut bad): (Model, ObservedAccesses),
    budget: &RunBudget,
) -> ((Model, ObservedAccesses), u64) {
    let object = |(f, args): &(UninterpretedFunction, Vec<i128>)| {
        (*f == UninterpretedFunction::Content).then(|| args.first().copied()).flatten()
    };
    let objects: BTreeSet<i128> = model.applications.keys().filter_map(object).collect();
    let mut steps = 0;
    for o in objects {
        let mut less = model.clone();
        less.applications.retain(|key, _| object(key) != Some(o));
        let Some(given) = tools.judge.given(&tools.e.arena, &less) else { continue };
        let run = recorded::enumerate(tools.e.program, tools.root.func, &given, budget);
        steps += run.steps;
        let still: ObservedAccesses = bad_of(run).filter(|(s, _)| bad.iter().any(|(before, _)| before == s)).collect();
        if still.len() == bad.len() {
            (model, bad) = (less, still);
        }
    }
    ((model, bad), steps)
}

/// Returns the accesses that one run observed out of bounds.
fn bad_of(run: witness::ExhaustiveRun) -> impl Iterator<Item = (ObservedAccess, FirstThread)> {
    run.bad
        .into_iter()
        .take(run.certain)
        .filter(|b| (b.fault.answers(AccessFault::Bounds) || b.fault == AccessFault::Unset) && !b.object.freed)
        .map(|b| ((b.site, b.direction, b.callers, b.launch_site), (b.block, b.thread)))
}

/// Inputs that are varied, grouped by source, and inputs that are fixed.
struct VariedInputs {
    groups: Vec<Vec<SymId>>,
    fixed: Vec<(SymId, i128)>,
    files: TrialFiles,
}

impl VariedInputs {
    fn model(&self, values: &[i128]) -> Model {
        let mut model = Model::default();
        for (group, v) in self.groups.iter().zip(values) {
            for s in group {
                model.values.insert(*s, *v);
            }
        }
        model.values.extend(self.fixed.iter().copied());
        model
    }

    /// Returns the inputs to run with, in order: small ones, and ends of ranges that the program tests.
    fn models(&self, ends: &[i128]) -> (Vec<Model>, Vec<Model>) {
        let n = self.groups.len();
        if self.files.is_empty() {
            let models = |all: Vec<Vec<i128>>| all.iter().map(|values| self.model(values)).collect();
            return (models(combinations(n)), models(combinations_of_ends(n, ends)));
        }
        let with_files = |pairs: Vec<(i128, i128)>| {
            let mut out = vec![];
            for (argument, number) in pairs {
                for contents in self.files.contents(number) {
                    let mut model = self.model(&vec![argument; n]);
                    model.files.extend(self.files.with(&contents));
                    out.push(model);
                }
            }
            let mut seen = FxHashSet::default();
            let key = |m: &Model| {
                let mut values: Vec<(SymId, i128)> = m.values.iter().map(|(s, v)| (*s, *v)).collect();
                values.sort_unstable();
                (values, m.files.clone())
            };
            out.retain(|m| seen.insert(key(m)));
            out.truncate(RUNS);
            out
        };
        // Arguments and numbers of files are the same, so that sizes fit; then each of them is larger.
        let same = VALUES.iter().map(|v| (*v, *v)).chain([(2, 8), (8, 2), (1, 33), (33, 1)]);
        (with_files(same.collect()), with_files(all_ends(ends).into_iter().map(|v| (v, v)).collect()))
    }
}

/// Returns the varied inputs; `None` where the program takes anything but numbers.
fn varied(tools: &RootTools<'_>) -> Option<VariedInputs> {
    let mut groups: Vec<(InputSource, Vec<SymId>)> = vec![];
    let (mut counts, mut top): (Vec<SymId>, u32) = (vec![], 0);
    for (i, symbol) in tools.e.arena.symbols().iter().enumerate() {
        let SymKind::Input(source) = &symbol.kind else { continue };
        let s = SymId(u32::try_from(i).ok()?);
        match source {
            InputSource::Argc => counts.push(s),
            InputSource::Argv(_) | InputSource::Option { .. } | InputSource::Param { .. } => {
                if let InputSource::Argv(n) = source {
                    top = top.max(*n);
                }
                match groups.iter_mut().find(|(k, _)| k == source) {
                    Some((_, all)) => all.push(s),
                    None => groups.push((source.clone(), vec![s])),
                }
            }
            InputSource::ArgvWord { .. }
            | InputSource::ArgvLen(_)
            | InputSource::Device { .. }
            | InputSource::World(_)
            | InputSource::Given { .. }
            | InputSource::Count { .. } => {}
            // Files have contents of their own.
            InputSource::Read { .. }
            | InputSource::File { .. }
            | InputSource::Word { .. }
            | InputSource::FileSize(_) => {}
        }
    }
    let files = TrialFiles::of(tools);
    top = top.max(files.last_argument(&tools.e.inputs.files));
    let reads = tools.e.arena.symbols().iter().any(|s| matches!(&s.kind, SymKind::Input(i) if i.is_of_file()));
    if reads && files.is_empty() {
        return None;
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    if groups.is_empty() && files.is_empty() || groups.len() > INPUTS {
        return None;
    }
    let fixed = counts.into_iter().map(|s| (s, i128::from(top) + 1)).collect();
    Some(VariedInputs { groups: groups.into_iter().map(|(_, all)| all).collect(), fixed, files })
}

/// Returns the ends of ranges, and sizes around those of blocks, in increasing order.
fn all_ends(ends: &[i128]) -> Vec<i128> {
    let mut all: Vec<i128> = ends.iter().take(MOST_ENDS).chain(&BLOCKS).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns combinations of ends of ranges for `n` inputs: all at an end, then each by itself.
fn combinations_of_ends(n: usize, ends: &[i128]) -> Vec<Vec<i128>> {
    let ends = all_ends(ends);
    let mut out: Vec<Vec<i128>> = vec![];
    for v in ends {
        out.push(vec![v; n]);
        if (2..=ALONE).contains(&n) {
            out.extend((0..n).map(|i| (0..n).map(|j| if i == j { v } else { 3 }).collect()));
        }
    }
    out
}

/// Returns combinations of values for `n` inputs, without repetition.
fn combinations(n: usize) -> Vec<Vec<i128>> {
    let mut out: Vec<Vec<i128>> = VALUES.iter().map(|v| vec![*v; n]).collect();
    if n == 1 {
        out.extend((1..=VALUES.len()).map(|i| vec![10 + 3 * i as i128]).chain([vec![0], vec![-1]]));
    }
    if n > 1 {
        // Different values for each input, from a reproducible sequence.
        let mut state: u32 = 1;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize
        };
        for _ in 0..RUNS {
            let near = if next() % 3 == 0 { 12 } else { 25 };
            out.push(
                (0..n)
                    .map(|_| if next() % 3 == 0 { VALUES[next() % VALUES.len()] } else { (next() % near) as i128 })
                    .collect(),
            );
        }
    }
    let mut seen: FxHashSet<Vec<i128>> = FxHashSet::default();
    out.retain(|v| seen.insert(v.clone()));
    out.truncate(RUNS);
    out
}

#[cfg(test)]
mod tests {
    use super::{RUNS, combinations};

    #[test]
    fn combinations_are_many_and_different() {
        for n in 1..4 {
            let mut all = combinations(n);
            let len = all.len();
            assert!(len > 20 && len <= RUNS && all.iter().all(|v| v.len() == n));
            all.sort();
            all.dedup();
            assert_eq!(all.len(), len);
        }
    }
}
