//! Inputs of a program that are sizes, and the program's memory use.
//!
//! In: the execution of one root. Out: the inputs that an allocation, a launch, a copy or the end of a count depends
//! on, and the device memory that it allocates. A failure that needs one of these inputs below 1 is degenerate; a
//! negative index is not.

use crate::solver::{Model, PositiveSymbols, WrapMode};
use engine::symbolic::exec::events::LaunchEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::{ObjKind, Object};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, Poly, SymId, SymKind, Symbol, Term, TermId};
use rustc_hash::FxHashSet;

#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    /// Inputs that are sizes; all inputs by default.
    inputs: Option<FxHashSet<SymId>>,
    /// The sizes themselves.
    sized: Vec<TermId>,
    /// Bytes of each allocation of device memory. An allocation in a loop counts once.
    memory: Vec<TermId>,
    /// Path conditions of the root's launches.
    pub launches: Vec<TermId>,
}

impl Sizes {
    /// Computes the sizes; `launches` are those of the root, each with the accesses of its kernel.
    pub fn of<'a>(e: &Executor<'_>, launches: impl Iterator<Item = (&'a LaunchEvent, &'a KernelRun)>) -> Self {
        let a = &e.arena;
        let mut sized: Vec<TermId> = e.heap.objects().iter().filter_map(|o| o.extent).collect();
        sized.extend(e.events.copies.iter().map(|c| c.side.bytes));
        let mut paths: Vec<TermId> = vec![];
        let mut conditions: Vec<TermId> = e.events.copies.iter().map(|c| c.side.path).collect();
        for (launch, run) in launches {
            let config = &launch.config;
            sized.extend(config.grid.iter().chain(&config.block).chain([&config.shared]));
            conditions.push(launch.path);
            paths.push(launch.path);
            for always in launch.always.iter() {
                let [count, cond] = always.terms();
                sized.push(count);
                conditions.push(cond);
            }
            conditions.extend(run.accesses.iter().map(|x| x.path));
        }
        let all = a.cone(&conditions);
        let counts = counting(a, &all);
        for t in all {
            if let Term::Le(p) = a.get(t) {
                sized.extend(ends(&a.poly(*p), &counts));
            }
        }
        let inputs = a.symbols_of(&sized).into_iter().filter(|s| is_number(a.symbol(*s))).collect();
        let of_device = |o: &&Object| matches!(o.kind, ObjKind::DeviceHeap | ObjKind::Managed);
        let memory = e.heap.objects().iter().filter(of_device).filter_map(|o| o.extent).collect();
        Self { inputs: Some(inputs), sized, memory, launches: paths }
    }

    /// Returns the inputs that a model should give at least 1.
    pub fn positive(&self, inputs: &[SymId]) -> PositiveSymbols {
        PositiveSymbols {
            wished: inputs.to_vec(),
            sizes: inputs.iter().copied().filter(|s| self.contains(*s)).collect(),
        }
    }

    pub fn contains(&self, s: SymId) -> bool {
        self.inputs.as_ref().is_none_or(|all| all.contains(&s))
    }

    /// Returns the bytes of device memory that a model takes, as far as it determines them.
    pub fn bytes(&self, a: &Arena, model: &Model, mode: WrapMode) -> i128 {
        let values = self.memory.iter().filter_map(|t| model.value(a, *t, mode));
        values.fold(0, |sum: i128, v| sum.saturating_add(v.max(0)))
    }

    /// Builds the condition that the program takes at most this many bytes; `None` where memory use does not depend
    /// on inputs.
    pub fn at_most(&self, a: &mut Arena, bytes: i128) -> Option<TermId> {
        let varying: Vec<TermId> = self.memory.iter().copied().filter(|t| !a.symbols_of(&[*t]).is_empty()).collect();
        let (first, others) = self.memory.split_first().filter(|_| !varying.is_empty())?;
        let all = others.iter().fold(*first, |sum, t| a.add(sum, *t));
        let most = a.int(bytes);
        Some(a.le(all, most))
    }

    /// Whether the model gives some size below 1. A byte may be one of several that a file has for a size; what they make is asked.
    pub fn degenerate(&self, a: &Arena, model: &Model) -> bool {
        let below_one = |s: &SymId| model.values.get(s).is_some_and(|v| *v < 1);
        let (bytes, numbers): (Vec<SymId>, Vec<SymId>) = (model.values.keys())
            .filter(|s| below_one(s) && is_number(a.symbol(**s)) && self.contains(**s))
            .partition(|s| is_byte(a.symbol(**s)) && self.inputs.is_some());
        if bytes.is_empty() || !numbers.is_empty() {
            return !numbers.is_empty();
        }
        let is_none = |t: &TermId| model.value(a, *t, WrapMode::Exact).is_none_or(|v| v < 1);
        let none: Vec<TermId> = self.sized.iter().copied().filter(is_none).collect();
        let made: FxHashSet<SymId> = a.symbols_of(&none).into_iter().collect();
        bytes.iter().any(|s| made.contains(s))
    }
}

/// Whether a symbol is an input that can be a size. The result of a string comparison is none, and a value that can
/// only be 0 or 1 is a flag (that a pointer is null, say).
fn is_number(symbol: &Symbol) -> bool {
    symbol.range != Interval::new(0, 1)
        && matches!(&symbol.kind, SymKind::Input(source) if !matches!(source, InputSource::ArgvWord { .. }))
}

/// Whether a symbol has the range of a byte.
fn is_byte(symbol: &Symbol) -> bool {
    symbol.range.lo.is_some_and(|lo| lo >= -128) && symbol.range.hi.is_some_and(|hi| hi <= 255)
}

/// Returns the terms of a cone that contain the index of a thread, of a block or of an iteration.
fn counting(a: &Arena, cone: &[TermId]) -> FxHashSet<TermId> {
    let mut out = FxHashSet::default();
    for &t in cone {
        let counts = match a.get(t) {
            Term::Sym(s) => {
                matches!(a.symbol(*s).kind, SymKind::Thread(_) | SymKind::Block(_) | SymKind::Iteration { .. })
            }
            _ => a.children(t).iter().any(|c| out.contains(c)),
        };
        if counts {
            out.insert(t);
        }
    }
    out
}

/// Returns the terms that bound such an index from above in `p <= 0`.
fn ends(p: &Poly, counting: &FxHashSet<TermId>) -> Vec<TermId> {
    let (counted, other): (Vec<_>, Vec<_>) = p.terms.iter().partition(|(m, _)| m.iter().any(|t| counting.contains(t)));
    if !counted.iter().any(|(_, c)| *c > 0) {
        return vec![];
    }
    other.into_iter().filter(|(_, c)| *c < 0).flat_map(|(m, _)| m.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Sizes, counting, ends};
    use crate::solver::Model;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{Axis, InputSource, SymKind, Term};

    #[test]
    fn the_end_of_a_count_is_a_size_and_its_start_is_not() {
        let mut a = Arena::new();
        let i = a.fresh(SymKind::Thread(Axis::X), "threadIdx.x", Interval::new(0, 1023));
        let [n, start] = [1, 2]
            .map(|k| a.fresh(SymKind::Input(InputSource::Argv(k)), format!("argv[{k}]"), Interval::of_int(32, true)));
        let sum = a.add(i, start);
        for (cond, wanted) in [(a.lt(sum, n), vec![n]), (a.le(start, i), vec![]), (a.lt(start, n), vec![])] {
            let Term::Le(p) = a.get(cond) else { panic!("no comparison") };
            assert_eq!(ends(&a.poly(*p), &counting(&a, &a.cone(&[cond]))), wanted);
        }
        let Term::Sym(s) = *a.get(start) else { panic!("no symbol") };
        let model = Model { values: [(s, -1)].into_iter().collect(), ..Model::default() };
        assert!(Sizes::default().degenerate(&a, &model));
        assert!(!Sizes { inputs: Some([].into_iter().collect()), ..Sizes::default() }.degenerate(&a, &model));
    }

    #[test]
    fn a_byte_that_is_0_is_no_size_unless_what_it_makes_is_none() {
        let mut a = Arena::new();
        let [low, high] =
            [0, 1].map(|k| a.fresh(SymKind::Input(InputSource::Argv(k)), format!("byte {k}"), Interval::new(0, 255)));
        let [Term::Sym(l), Term::Sym(h)] = [a.get(low).clone(), a.get(high).clone()] else { panic!("no symbols") };
        let upper = a.scale(high, 256);
        let size = a.add(upper, low);
        let sizes = Sizes { inputs: Some([l, h].into_iter().collect()), sized: vec![size], ..Sizes::default() };
        let model = |low, high| Model { values: [(l, low), (h, high)].into_iter().collect(), ..Model::default() };
        assert!(!sizes.degenerate(&a, &model(3, 0)));
        assert!(!sizes.degenerate(&a, &model(0, 1)));
        assert!(sizes.degenerate(&a, &model(0, 0)));
    }
}
