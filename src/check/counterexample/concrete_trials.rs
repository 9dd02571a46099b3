//! Concrete testing: small inputs on which the whole program is run as it is, with every thread of every launch, before any search for a
//! model.
//!
//! In: the inputs that the terms of one root speak of. Out: [`Tried`]: for an access, inputs under which it was seen out of bounds. They
//! are no verdict: the replay that is asked for one access decides.

use super::tried::{Bad, By, Seen, Shown, Tried};
use super::{recorded, tensor_trials};
use crate::context::{Context, Tools};
use crate::solver::Model;
use base::inside;
use base::work::{Allotment, Work, done, settle};
use engine::symbolic::terms::term::{InputSource, SymId, SymKind};
use ir::Side;
use rustc_hash::{FxHashMap, FxHashSet};
use witness::{self, Budget, Fault, Inputs};

/// Values that inputs get: all the same, each other than the rest, then mixed.
const VALUES: [i128; 14] = [2, 3, 4, 1, 5, 8, 6, 7, 12, 9, 16, 33, 20, 64];
/// Most combinations of them, and most instructions of one run.
const RUNS: usize = 300;
const STEPS: u64 = 200_000;
/// Most instructions of all runs together, so that what is tried does not depend on how fast a machine is: 0.2 s on a usual one.
const ALL_STEPS: u64 = 6_000_000;
/// Runs that end early for want of instructions before anything was seen out of bounds: the program is too large for this.
const CUT: usize = 4;
/// What `rand` may give as well, over and over.
const CHANCE: [&[u32]; 3] = [&[0], &[0x7fff_ffff, 0, 1, 0x7fff_fffe, 2], &[3, 7, 1, 6, 2, 5, 0, 4, 11]];
/// Most work on running a program with small inputs.
const TRIED: Work = Work::seconds(2);
/// Most inputs that are varied.
const INPUTS: usize = 8;

/// What was seen so far, with whether that took sizes below 1.
#[derive(Default)]
struct New(FxHashMap<Seen, bool>);

impl New {
    fn has(&self, s: &Seen) -> bool {
        self.0.contains_key(s)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it was not seen yet, or only with sizes below 1.
    fn is_new(&mut self, s: &Seen, degenerate: bool) -> bool {
        if let Some(before) = self.0.get_mut(s) {
            return std::mem::replace(before, *before && degenerate) && !degenerate;
        }
        self.0.insert(s.clone(), degenerate);
        true
    }
}

/// What small inputs show, found out once for a root.
pub(crate) fn trials<'t, 'p>(cx: &Context<'p>, tools: &'t Tools<'p>) -> &'t Tried {
    tools.tried.get_or_init(|| {
        let before = done();
        let tried = run_all(cx, tools);
        // Whichever task asks first does it for all: none is charged.
        settle(before, Work::NONE);
        tried
    })
}

/// Runs the program until enough is tried, or for about so long.
fn run_all(cx: &Context<'_>, tools: &Tools<'_>) -> Tried {
    if let Some(varied) = tensor_trials::Varied::of(tools) {
        // An extension has many operators, of which each is asked for a few accesses: none has a part of the work alone.
        return run_on_tensors(tools, &varied, cx.scaled(TRIED).min(cx.phase_work(Work::MAX, 25)));
    }
    let mut out = Tried::default();
    let Some(inputs) = varied(tools) else { return out };
    let draws =
        tools.e.program.functions().any(|(_, m, f)| {
            m.side == Side::Host && f.is_declaration() && matches!(f.name.as_str(), "rand" | "random")
        });
    let until = Allotment::of(cx.phase_work(TRIED, 25));
    let (mut known, mut by_chance, mut cut, mut steps): (New, New, usize, u64) = Default::default();
    let budget = Budget { steps: STEPS, ..tools.judge.first_limits() };
    for (values, random) in combinations(inputs.groups.len()).into_iter().zip(CHANCE.into_iter().cycle()) {
        if until.is_spent() || steps >= ALL_STEPS || cut >= CUT && known.is_empty() {
            break;
        }
        let model = inputs.model(&values);
        let Some(given) = tools.judge.given(&tools.e.arena, &model) else { break };
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        let run = recorded::enumerate(tools.e.program, tools.root.func, &given, &budget);
        cut += usize::from(run.steps >= STEPS);
        steps += run.steps;
        for s in &run.astray {
            out.astray.entry(*s).or_insert_with(|| model.clone());
        }
        let new: Bad = bad_of(run).filter(|(s, _)| known.is_new(s, degenerate)).collect();
        if !new.is_empty() {
            out.runs.push(Shown { model: model.clone(), bad: new, random: &[], degenerate });
        }
        if !draws {
            continue;
        }
        let run = recorded::enumerate(
            tools.e.program,
            tools.root.func,
            &Inputs { random: random.to_vec(), ..given },
            &budget,
        );
        steps += run.steps;
        let new: Bad = bad_of(run).filter(|(s, _)| !known.has(s) && by_chance.is_new(s, degenerate)).collect();
        if !new.is_empty() {
            out.chance.push(Shown { model, bad: new, random, degenerate });
        }
    }
    for shown in [&mut out.runs, &mut out.chance] {
        shown.sort_by_key(|s| s.degenerate);
    }
    out
}

/// The same of an operator, with small tensors: first such as hold zeros, so that what an element leads astray is told from what takes none.
fn run_on_tensors(tools: &Tools<'_>, varied: &tensor_trials::Varied, most: Work) -> Tried {
    let mut out = Tried { with_tensors: true, ..Tried::default() };
    let until = Allotment::of(most);
    let budget = Budget { steps: tensor_trials::STEPS, ..tools.judge.first_limits() };
    let (mut known, mut steps, mut cut) = (New::default(), 0, 0);
    for (model, with_contents) in varied.models(tools) {
        if until.is_spent() || steps >= tensor_trials::ALL_STEPS || cut >= CUT && known.is_empty() {
            break;
        }
        if !with_contents && steps >= tensor_trials::ALL_STEPS / 2 {
            continue;
        }
        let Some(given) = tools.judge.given(&tools.e.arena, &model) else { break };
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        let run = recorded::enumerate(tools.e.program, tools.root.func, &given, &budget);
        inside::explain(|| {
            let why = if run.completed { "completed" } else { &run.why };
            let tensors: Vec<String> = given.tensors.iter().map(|(name, t)| format!("{name}: {t}")).collect();
            format!("    a run with {} and {:?}: {} launches, {why}", tensors.join(", "), given.args, run.launches)
        });
        cut += usize::from(run.steps >= tensor_trials::STEPS);
        steps += run.steps;
        let new: Bad = bad_of(run).filter(|(s, _)| known.is_new(s, degenerate)).collect();
        if !new.is_empty() {
            out.runs.push(Shown { model, bad: new, random: &[], degenerate });
        }
    }
    out.runs.sort_by_key(|s| s.degenerate);
    out
}

/// What one run saw out of bounds.
fn bad_of(run: witness::Run) -> impl Iterator<Item = (Seen, By)> {
    run.bad
        .into_iter()
        .take(run.certain)
        .filter(|b| (b.fault.answers(Fault::Bounds) || b.fault == Fault::Unset) && !b.object.freed)
        .map(|b| ((b.site, b.callers, b.launch_site), (b.block, b.thread)))
}

/// The inputs that are varied, those of one source together, and those that are not.
struct Varied {
    groups: Vec<Vec<SymId>>,
    fixed: Vec<(SymId, i128)>,
}

impl Varied {
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
}

/// `None` where the program is given something else than numbers.
fn varied(tools: &Tools<'_>) -> Option<Varied> {
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
            | InputSource::World(_)
            | InputSource::Given { .. }
            | InputSource::Count { .. } => {}
            InputSource::Read { .. }
            | InputSource::File { .. }
            | InputSource::Word { .. }
            | InputSource::FileSize(_) => return None,
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    if groups.is_empty() || groups.len() > INPUTS {
        return None;
    }
    let fixed = counts.into_iter().map(|s| (s, i128::from(top) + 1)).collect();
    Some(Varied { groups: groups.into_iter().map(|(_, all)| all).collect(), fixed })
}

/// Combinations of values for so many inputs, without repetition.
fn combinations(n: usize) -> Vec<Vec<i128>> {
    let mut out: Vec<Vec<i128>> = VALUES.iter().map(|v| vec![*v; n]).collect();
    if n == 1 {
        out.extend((1..=VALUES.len()).map(|i| vec![10 + 3 * i as i128]).chain([vec![0], vec![-1]]));
    }
    if n > 1 {
        // A number of its own for each, from a sequence that is the same every time.
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
