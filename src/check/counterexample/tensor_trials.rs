//! Small tensors, and numbers beside them, on which an operator runs unchanged.
//!
//! In: the tensor properties that the terms of one root mention, and the conditions of its launches. Out: a model for
//! each run: ranks and sizes, types that the conditions of a launch need, and contents. They are guesses; a run
//! decides.

use super::completion;
use super::tensors::{self, FLOAT, NumberType, usual};
use crate::context::RootTools;
use crate::solver::Model;
pub use engine::symbolic::memory::tensors::OF_HANDLE;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use std::collections::BTreeMap;

/// Most runs of one root, most instructions of one run, and of all; runs with tensors of zeros get half of them.
pub(super) const RUNS: usize = 360;
pub(super) const STEPS: u64 = 3_000_000;
pub(super) const ALL_STEPS: u64 = 40_000_000;
/// Most dimensions of a tensor.
pub(crate) const RANKS_TRIED: u64 = 4;
/// Most launches whose conditions determine types and ranks.
const LAUNCHES: usize = 12;
/// Most elements of a tensor that get a value.
const ELEMENTS: i128 = 32;
/// Element values that lead out of any small tensor.
const FAR: [i128; 2] = [1000, -1000];

/// Property of a tensor that a symbol stands for.
#[derive(Clone, Copy)]
enum TensorProperty {
    Rank,
    Size(usize),
    /// Size of a dimension, counted from the last.
    Last(usize),
    Stride,
    Contiguous,
    Type,
    /// Parts of a type of DLPack.
    Code,
    Bits,
    Lanes,
    Device,
}

impl TensorProperty {
    /// Parses the property from the source's expression for it.
    fn of(asked: &str) -> Option<Self> {
        let index = |name: &str| asked.strip_prefix(name)?.strip_suffix(')')?.parse::<i64>().ok();
        let place = |i: i64| usize::try_from(i).ok();
        match asked {
            "dim()" => Some(Self::Rank),
            "is_contiguous()" => Some(Self::Contiguous),
            "scalar_type()" => Some(Self::Type),
            "device().type()" => Some(Self::Device),
            "dtype().code" => Some(Self::Code),
            "dtype().bits" => Some(Self::Bits),
            "dtype().lanes" => Some(Self::Lanes),
            _ => match (index("size("), index("stride(")) {
                (Some(i @ 0..), _) => place(i).map(Self::Size),
                (Some(i), _) => place(-i - 1).map(Self::Last),
                (_, Some(_)) => Some(Self::Stride),
                _ => None,
            },
        }
    }
}

/// A tensor that the root is given.
struct TrialTensor {
    name: String,
    numbers: Vec<(SymId, TensorProperty)>,
}

impl TrialTensor {
    /// Element type that a model gives the tensor.
    fn element(&self, model: &Model) -> Option<NumberType> {
        let value = |is: fn(&TensorProperty) -> bool| {
            let (s, _) = self.numbers.iter().find(|(_, n)| is(n))?;
            model.values.get(s).copied()
        };
        let (code, bits) = (value(|n| matches!(n, TensorProperty::Code)), value(|n| matches!(n, TensorProperty::Bits)));
        tensors::number_type(value(|n| matches!(n, TensorProperty::Type)), code, bits)
    }
}

/// Choices of a run: ranks and sizes of tensors, their contents, and other numbers.
struct TensorTrial {
    rank: Pick,
    size: Pick,
    number: Pick,
    contiguous: bool,
    holds: Holds,
    seed: u32,
}

#[derive(Clone, Copy)]
enum Pick {
    All(i128),
    /// First value; each further dimension gets one more.
    From(i128),
    Any(&'static [i128]),
}

#[derive(Clone, Copy, PartialEq)]
enum Holds {
    Zeros,
    All(i128),
    Any,
}

/// A reproducible pseudorandom sequence.
struct Sequence(u32);

impl Sequence {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) as usize
    }

    fn pick(&mut self, from: Pick, dimension: usize) -> i128 {
        match from {
            Pick::All(n) => n,
            Pick::From(n) => n + i128::try_from(dimension).unwrap_or(0),
            Pick::Any(all) => all[self.next() % all.len()],
        }
    }
}

const SIZES: &[i128] = &[1, 2, 3, 2, 4, 1, 5, 0];
const RANKS: &[i128] = &[2, 3, 1, 2, 4];
const NUMBERS: &[i128] = &[1, 0, 2, 3, -1, 4, 1, 8];

fn cases() -> Vec<TensorTrial> {
    let mut out = vec![];
    let mut seed = 1;
    let mut case = |rank, size, number, contiguous, holds| {
        seed += 7;
        TensorTrial { rank, size, number, contiguous, holds, seed }
    };
    for number in [1, 0] {
        for size in [Pick::All(2), Pick::From(2), Pick::All(1)] {
            for rank in [2, 1, 3, 4] {
                out.push(case(Pick::All(rank), size, Pick::All(number), true, Holds::Zeros));
            }
        }
    }
    for i in 0..96 {
        let rank = if i % 3 == 0 { Pick::Any(RANKS) } else { Pick::All(RANKS[i % RANKS.len()]) };
        out.push(case(rank, Pick::Any(SIZES), Pick::Any(NUMBERS), i % 5 != 4, Holds::Zeros));
    }
    for i in 0..64 {
        let holds = match i % 4 {
            0 => Holds::All(FAR[0]),
            1 => Holds::All(FAR[1]),
            _ => Holds::Any,
        };
        let rank = Pick::All([2, 1, 3, 4][i / 4 % 4]);
        let (size, number) = match i {
            0..16 => (Pick::All(2 - i128::from(i % 2 == 0)), Pick::All(1)),
            16..32 => (Pick::From(2), Pick::All(0)),
            _ => (Pick::Any(SIZES), Pick::Any(NUMBERS)),
        };
        out.push(case(rank, size, number, true, holds));
    }
    out
}

/// Choices for the tensors and numbers of one root.
pub(super) struct TensorChoices {
    given: Vec<TrialTensor>,
    others: Vec<SymId>,
    /// Conditions of launches, which determine types and ranks.
    launches: Vec<TermId>,
    /// Types that the paths to launches require of tensors.
    types: BTreeMap<SymId, Vec<i128>>,
}

impl TensorChoices {
    /// Collects the tensors of the root; `None` where it is given none.
    pub fn of(tools: &RootTools<'_>) -> Option<Self> {
        let (program, a) = (tools.e.program, &tools.e.arena);
        let root = program.func(tools.root.func);
        let (mut given, mut others): (Vec<TrialTensor>, Vec<SymId>) = Default::default();
        for (i, symbol) in (0..).zip(a.symbols()) {
            let SymKind::Input(source) = &symbol.kind else { continue };
            match source {
                InputSource::Given { function, object, bits: 1.., path, .. } if *function == root.display => {
                    let Some(name) = object.strip_suffix(OF_HANDLE) else {
                        others.push(SymId(i));
                        continue;
                    };
                    let asked = path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
                    let Some(number) = asked.and_then(TensorProperty::of) else { continue };
                    match given.iter_mut().find(|g| g.name == name) {
                        Some(known) => known.numbers.push((SymId(i), number)),
                        None => given.push(TrialTensor { name: name.to_owned(), numbers: vec![(SymId(i), number)] }),
                    }
                }
                InputSource::Param { name, .. } if root.params.iter().any(|p| p.name == *name) => {
                    others.push(SymId(i));
                }
                // Length of a list.
                InputSource::Count { function, .. } if *function == root.display => others.push(SymId(i)),
                _ => {}
            }
        }
        if given.is_empty() {
            return None;
        }
        let paths = &tools.decider.sizes.launches;
        let mut all = Self { given, others, launches: vec![], types: BTreeMap::new() };
        all.types = all.types_asked_for(a, paths);
        all.launches = all.different_launches(a, paths);
        Some(all)
    }

    /// Returns the types that the paths compare tensor types with, ignoring the context of the comparison: which
    /// answer leads to the launch may depend on much else.
    fn types_asked_for(&self, a: &Arena, paths: &[TermId]) -> BTreeMap<SymId, Vec<i128>> {
        let of_types = |(s, n): &(SymId, TensorProperty)| matches!(n, TensorProperty::Type).then_some((*s, vec![]));
        let mut all: BTreeMap<SymId, Vec<i128>> =
            self.given.iter().flat_map(|g| g.numbers.iter().filter_map(of_types)).collect();
        for t in a.cone(paths) {
            let Term::EqZ(difference) = a.get(t) else { continue };
            let p = a.poly(*difference);
            let mut symbols = p.terms.iter().filter(|(m, _)| !m.is_empty());
            let (Some((m, factor)), None) = (symbols.next(), symbols.next()) else { continue };
            let ([one], 1 | -1) = (m.as_slice(), factor) else { continue };
            if let Term::Sym(s) = a.get(*one)
                && let Some(types) = all.get_mut(s)
                && !types.contains(&(-factor * p.constant()))
            {
                types.push(-factor * p.constant());
            }
        }
        all
    }

    /// Returns the type of an unconstrained tensor: the usual one, unless the launches require other types.
    fn type_of(&self, s: SymId, at_random: &mut Sequence) -> Option<i128> {
        match self.types.get(&s).map_or(&[][..], Vec::as_slice) {
            [one] => Some(*one),
            several if !several.is_empty() && !several.contains(&FLOAT) => {
                Some(several[at_random.next() % several.len()])
            }
            _ => usual(".scalar_type()"),
        }
    }

    /// Returns one launch for each choice of types and ranks.
    fn different_launches(&self, a: &Arena, paths: &[TermId]) -> Vec<TermId> {
        let kinds = |(s, n): &(SymId, TensorProperty)| match n {
            TensorProperty::Type => Some((*s, Some(FLOAT))),
            TensorProperty::Rank => Some((*s, Some(2))),
            _ => None,
        };
        let symbols: Vec<_> = self.given.iter().flat_map(|g| g.numbers.iter().filter_map(kinds)).collect();
        let mut seen: Vec<BTreeMap<SymId, i128>> = vec![];
        let mut out = vec![];
        for path in paths {
            let mut known = BTreeMap::new();
            completion::complete(a, &[*path], &mut known, &symbols);
            if !seen.contains(&known) && out.len() < LAUNCHES {
                seen.push(known);
                out.push(*path);
            }
        }
        out
    }

    /// Returns models for runs, each with whether tensors hold anything but zeros.
    pub fn models<'a>(&'a self, tools: &'a RootTools<'_>) -> impl Iterator<Item = (Model, bool)> + 'a {
        let all = cases();
        let zeros = all.iter().filter(|c| c.holds == Holds::Zeros).count();
        let each = RUNS / self.launches.len().max(1);
        let (zeros, others) = (zeros.min(each * 3 / 5), (all.len() - zeros).min(each * 2 / 5));
        let first = all.iter().position(|c| c.holds != Holds::Zeros).unwrap_or(all.len());
        let chosen: Vec<usize> = (0..zeros).chain(first..first + others).collect();
        chosen.into_iter().flat_map(move |i| {
            let paths = if self.launches.is_empty() { vec![None] } else { self.launches.iter().map(Some).collect() };
            let case = cases().swap_remove(i);
            let with_contents = case.holds != Holds::Zeros;
            paths.into_iter().map(move |path| (self.model(tools, &case, path.copied()), with_contents))
        })
    }

    fn model(&self, tools: &RootTools<'_>, case: &TensorTrial, path: Option<TermId>) -> Model {
        let a = &tools.e.arena;
        let mut at_random = Sequence(case.seed);
        let mut symbols: Vec<(SymId, Option<i128>)> = vec![];
        for g in &self.given {
            let rank = at_random.pick(case.rank, 0);
            let sizes: Vec<i128> = (0..64).map(|i| at_random.pick(case.size, i)).collect();
            let dims = usize::try_from(rank).unwrap_or(0);
            for (s, number) in &g.numbers {
                let value = match number {
                    TensorProperty::Rank => Some(rank),
                    TensorProperty::Size(i) if *i < dims => Some(sizes[*i]),
                    TensorProperty::Last(i) if *i < dims => Some(sizes[dims - 1 - *i]),
                    TensorProperty::Size(_) | TensorProperty::Last(_) => None,
                    TensorProperty::Contiguous => Some(i128::from(case.contiguous)),
                    TensorProperty::Stride => (!case.contiguous).then_some(0),
                    TensorProperty::Type => self.type_of(*s, &mut at_random),
                    // The conditions of a launch determine these.
                    TensorProperty::Code | TensorProperty::Bits => None,
                    TensorProperty::Lanes => usual(".dtype().lanes"),
                    TensorProperty::Device => usual(".device().type()"),
                };
                symbols.push((*s, value));
            }
        }
        symbols.extend(self.others.iter().map(|s| (*s, Some(at_random.pick(case.number, 0)))));
        let mut known = BTreeMap::new();
        completion::complete(a, path.as_slice(), &mut known, &symbols);
        let mut model = Model { values: known.into_iter().collect(), ..Model::default() };
        self.fill(tools, case.holds, &mut at_random, &mut model);
        model.text = at_random.next();
        model
    }

    /// Sets the contents of tensors of numbers.
    fn fill(&self, tools: &RootTools<'_>, holds: Holds, at_random: &mut Sequence, model: &mut Model) {
        if holds == Holds::Zeros {
            return;
        }
        for g in &self.given {
            let Some(element) = g.element(model) else { continue };
            let Some((object, version)) = tools.judge.contents_of(&g.name) else { continue };
            for i in 0..ELEMENTS {
                let value = match holds {
                    Holds::Zeros => 0,
                    Holds::All(n) => n,
                    Holds::Any => [0, 1, 2, 3, 1, 5, -1, 9][at_random.next() % 8],
                };
                let bytes = element.bytes();
                let place = vec![object, version, i * bytes, bytes * 8];
                model.applications.insert((UninterpretedFunction::Content, place), element.held(value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Holds, TensorProperty, cases};

    #[test]
    fn numbers_of_a_tensor_by_how_they_are_asked_for() {
        assert!(matches!(TensorProperty::of("size(2)"), Some(TensorProperty::Size(2))));
        assert!(matches!(TensorProperty::of("size(-1)"), Some(TensorProperty::Last(0))));
        assert!(matches!(TensorProperty::of("stride(0)"), Some(TensorProperty::Stride)));
        assert!(matches!(TensorProperty::of("dim()"), Some(TensorProperty::Rank)));
        assert!(TensorProperty::of("numel() from size(1) on").is_none());
    }

    #[test]
    fn tensors_hold_zeros_before_they_hold_anything_else() {
        let all = cases();
        let zeros = all.iter().take_while(|c| c.holds == Holds::Zeros).count();
        assert!(zeros > 0 && all[zeros..].iter().all(|c| c.holds != Holds::Zeros));
    }
}
