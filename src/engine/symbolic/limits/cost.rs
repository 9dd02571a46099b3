//! Cost of each part of the host code during its execution, and the parts that are skipped.
//!
//! Functions and loops may be skipped if they do nothing on a device: no CUDA call is reachable from them. Other loops
//! are measured as well: where they were executed iteration by iteration, an invariant of every iteration may be
//! enough. In: when parts begin and end. Out: the parts that cost most, for another execution without them.
//! `effects/skipped_code.rs` defines what skipping means.

use base::work::{Work, done};
use ir::reach::{MentionedGlobals, Mentions, Reach};
use ir::{BlockId, FuncRef, GlobalRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Part of the host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostPart {
    Function(FuncRef),
    Loop(FuncRef, BlockId),
}

/// How the executor treats a part that costs too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartTreatment {
    /// A loop of a constant count: analysed by its invariant instead of iteration by iteration.
    Rounds,
    /// Skipped entirely.
    Entirely,
}

/// Cost of an execution or of a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub steps: u64,
    pub work: Work,
}

/// A part is skipped only if one run of it takes, on average, at least one `LEAST`th of an execution; otherwise the
/// loop around it is heavy, not the part.
const LEAST: u128 = 4000;

/// Measure by which parts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostMeasure {
    Steps,
    Work,
}

/// Choice of the heavy parts to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeavyParts {
    Innermost,
    All,
}

impl Cost {
    fn by(self, measure: CostMeasure) -> u128 {
        match measure {
            CostMeasure::Steps => u128::from(self.steps),
            CostMeasure::Work => u128::from(self.work.get()),
        }
    }
}

/// Part that is being executed.
pub(in crate::symbolic) struct RunningPart {
    pub(super) part: HostPart,
    pub(super) steps: u64,
    pub(super) at: Work,
}

/// Costs of parts, by the enclosing part.
#[derive(Clone, Debug, Default)]
pub struct PartCosts {
    pub(super) reach: Arc<Reach>,
    spared: FxHashMap<HostPart, PartTreatment>,
    active: Vec<HostPart>,
    /// Loops that were executed iteration by iteration.
    unrolled: FxHashSet<HostPart>,
    /// Cost and number of executions, by enclosing part and part.
    spent: FxHashMap<(Option<HostPart>, HostPart), (Cost, u64)>,
    /// Loops that do something on a device.
    pub(super) on_device: FxHashSet<HostPart>,
    pub(super) loops: FxHashMap<(FuncRef, BlockId), bool>,
    pub(super) named: FxHashMap<HostPart, Rc<MentionedGlobals>>,
}

impl PartCosts {
    #[must_use]
    pub fn new(reach: Arc<Reach>, spared: FxHashMap<HostPart, PartTreatment>) -> Self {
        Self { reach, spared, ..Self::default() }
    }

    pub(super) fn is_active(&self, part: HostPart) -> bool {
        self.active.contains(&part)
    }

    pub(super) fn note_unrolled(&mut self, part: HostPart) {
        self.unrolled.insert(part);
    }

    pub(super) fn enter(&mut self, part: HostPart) {
        self.active.push(part);
    }

    /// Returns the loops that are being executed iteration by iteration, the outermost first.
    #[must_use]
    pub fn loops_around(&self) -> Vec<HostPart> {
        self.active.iter().copied().filter(|p| self.unrolled.contains(p)).collect()
    }

    /// Ends a part, with `steps` steps left.
    pub(super) fn leave(&mut self, b: &RunningPart, steps: u64) {
        self.active.pop();
        let around = self.active.last().copied();
        let (cost, times) = self.spent.entry((around, b.part)).or_default();
        cost.steps += b.steps - steps;
        cost.work = cost.work + (done() - b.at);
        *times += 1;
    }

    #[must_use]
    pub fn spared(&self, part: HostPart) -> Option<PartTreatment> {
        self.spared.get(&part).copied()
    }

    /// Returns the total cost of each part, and how often it was executed.
    fn whole(&self) -> FxHashMap<HostPart, (Cost, u64)> {
        let mut whole: FxHashMap<HostPart, (Cost, u64)> = FxHashMap::default();
        for ((_, part), (cost, times)) in &self.spent {
            let (c, n) = whole.entry(*part).or_default();
            c.steps += cost.steps;
            c.work = c.work + cost.work;
            *n += times;
        }
        whole
    }

    /// Returns the parts that cost at least one `share`-th of an execution: all, or only the innermost of those that
    /// contain each other. If none of them can be skipped, returns the loops that were executed iteration by
    /// iteration.
    #[must_use]
    pub fn heaviest(&self, all: Cost, measure: CostMeasure, (share, which): (u128, HeavyParts)) -> Vec<HostPart> {
        let (mut heavy, all) = (self.whole(), all.by(measure));
        heavy.retain(|_, (c, _)| c.by(measure) > 0 && c.by(measure) * share >= all);
        let mut iterations: Vec<HostPart> =
            heavy.keys().copied().filter(|p| self.on_device.contains(p) && self.unrolled.contains(p)).collect();
        heavy.retain(|p, (c, times)| !self.on_device.contains(p) && c.by(measure) * LEAST >= all * u128::from(*times));
        if heavy.is_empty() {
            iterations.sort_unstable();
            return iterations;
        }
        let heavy: FxHashMap<HostPart, Cost> = heavy.into_iter().map(|(p, (c, _))| (p, c)).collect();
        let mut inside: FxHashMap<HostPart, Vec<HostPart>> = FxHashMap::default();
        for (around, part) in self.spent.keys() {
            if let Some(a) = around {
                inside.entry(*a).or_default().push(*part);
            }
        }
        let mut found: Vec<HostPart> =
            heavy.keys().copied().filter(|p| which == HeavyParts::All || !contains_any(*p, &inside, &heavy)).collect();
        // If all of them contain each other, take the cheapest.
        if found.is_empty() {
            found.extend(heavy.iter().min_by_key(|(p, c)| (c.by(measure), **p)).map(|(p, _)| *p));
        }
        found.sort_unstable();
        found
    }

    /// Returns the skipped parts for another execution: loops that were executed iteration by iteration lose that
    /// first, and are skipped entirely the next time.
    #[must_use]
    pub fn spare(&self, parts: &[HostPart]) -> FxHashMap<HostPart, PartTreatment> {
        let mut spared = self.spared.clone();
        spared.extend(
            parts
                .iter()
                .map(|p| (*p, if self.unrolled.contains(p) { PartTreatment::Rounds } else { PartTreatment::Entirely })),
        );
        spared
    }
}

fn contains_any(
    part: HostPart,
    inside: &FxHashMap<HostPart, Vec<HostPart>>,
    heavy: &FxHashMap<HostPart, Cost>,
) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![part]);
    while let Some(p) = work.pop() {
        for q in inside.get(&p).into_iter().flatten() {
            if *q == part {
                continue;
            }
            if heavy.contains_key(q) {
                return true;
            }
            if seen.insert(*q) {
                work.push(*q);
            }
        }
    }
    false
}

impl PartCosts {
    /// Returns the call graph of the host side.
    #[must_use]
    pub fn call_graph(&self) -> Arc<Reach> {
        self.reach.clone()
    }

    /// Returns the host functions whose address is taken.
    pub(in crate::symbolic) fn taken(&self) -> &[FuncRef] {
        self.reach.taken()
    }

    /// Whether a host function may call CUDA.
    pub fn leads_to_cuda(&self, f: FuncRef) -> bool {
        !self.reach.is_harmless(f)
    }

    /// Whether a piece of code does nothing on a device.
    pub(in crate::symbolic) fn are_harmless(&self, m: &Mentions) -> bool {
        self.reach.are_harmless(m)
    }

    /// Whether a piece of code may lead to a function that satisfies `such`.
    pub(in crate::symbolic) fn reaches(&self, m: &Mentions, such: impl Fn(FuncRef) -> bool) -> bool {
        self.reach.globals(m).reached.into_iter().any(such)
    }

    /// Whether the program does more with a host variable than read it by its name.
    pub(in crate::symbolic) fn may_be_written(&self, g: GlobalRef) -> bool {
        self.reach.may_be_written(g)
    }

    /// Whether the program uses the address of a variable for anything but loads and stores there.
    pub(in crate::symbolic) fn is_addressed(&self, g: GlobalRef) -> bool {
        self.reach.is_addressed(g)
    }

    /// Returns, in order, the non-constant host variables with which the program does more than read them by name.
    pub(in crate::symbolic) fn written(&self) -> Vec<GlobalRef> {
        self.reach.written()
    }

    /// Returns the host variables that other translation units can write by name.
    pub(in crate::symbolic) fn exported(&self) -> &[GlobalRef] {
        self.reach.exported()
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, CostMeasure, HeavyParts, HostPart, PartCosts, PartTreatment};
    use base::work::Work;
    use ir::{BlockId, FuncId, FuncRef, ModuleId};

    fn function(n: u32) -> HostPart {
        HostPart::Function(FuncRef { module: ModuleId(0), func: FuncId(n) })
    }

    fn cost(steps: u64) -> Cost {
        Cost { steps, work: Work::millis(1) }
    }

    #[test]
    fn of_costly_parts_the_innermost_or_all_are_left_out() {
        let mut e = PartCosts::default();
        // 0 calls 1 and 2, 1 calls 3.
        for (around, part, steps) in [(None, 0, 900), (Some(0), 1, 800), (Some(0), 2, 50), (Some(1), 3, 400)] {
            e.spent.insert((around.map(function), function(part)), (cost(steps), 1));
        }
        let of = |e: &PartCosts, all, share, which| e.heaviest(cost(all), CostMeasure::Steps, (share, which));
        assert_eq!(of(&e, 1000, 8, HeavyParts::Innermost), [function(3)]);
        assert_eq!(of(&e, 1000, 2, HeavyParts::Innermost), [function(1)]);
        assert_eq!(of(&e, 1000, 20, HeavyParts::Innermost), [function(2), function(3)]);
        assert_eq!(of(&e, 10_000, 8, HeavyParts::Innermost), []);
        assert_eq!(of(&e, 1000, 2, HeavyParts::All), [function(0), function(1)]);
        // Parts 1 and 3 call each other.
        e.spent.insert((Some(function(3)), function(1)), (cost(1), 1));
        assert_eq!(of(&e, 1000, 8, HeavyParts::Innermost), [function(3)]);
    }

    #[test]
    fn what_is_cheap_each_time_is_not_left_out_but_the_iterations_around_it() {
        let at = |header| HostPart::Loop(FuncRef { module: ModuleId(0), func: FuncId(0) }, BlockId(header));
        let mut e = PartCosts::default();
        e.on_device.extend([at(1), at(2)]);
        e.unrolled.insert(at(1));
        e.spent.insert((None, at(1)), (cost(9000), 1));
        e.spent.insert((Some(at(1)), at(2)), (cost(8000), 80));
        // A constructor that is called again and again.
        e.spent.insert((Some(at(2)), function(1)), (cost(7000), 7000));
        let heaviest = |e: &PartCosts| e.heaviest(cost(10_000), CostMeasure::Steps, (8, HeavyParts::All));
        assert_eq!(heaviest(&e), [at(1)]);
        assert_eq!(e.spare(&[at(1)])[&at(1)], PartTreatment::Rounds);
        // A function that takes long each time.
        e.spent.insert((Some(at(2)), function(2)), (cost(2000), 80));
        assert_eq!(heaviest(&e), [function(2)]);
    }

    #[test]
    fn loops_that_were_executed_iteration_by_iteration_are_first_spared_that() {
        let of = |header| HostPart::Loop(FuncRef { module: ModuleId(0), func: FuncId(0) }, BlockId(header));
        let mut e = PartCosts::default();
        e.unrolled.insert(of(1));
        let spared = e.spare(&[of(1), of(2), function(0)]);
        assert_eq!(
            [of(1), of(2), function(0)].map(|p| spared[&p]),
            [PartTreatment::Rounds, PartTreatment::Entirely, PartTreatment::Entirely]
        );
        let spared = PartCosts { spared, ..PartCosts::default() }.spare(&[of(1)]);
        assert_eq!((spared[&of(1)], spared.len()), (PartTreatment::Entirely, 3));
    }
}
