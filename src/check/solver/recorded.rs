//! Queries written down, to be answered again by a benchmark: `--dump queries`.
//!
//! In: a query of any arena. Out: its terms without names, its limits and its cost, and later its answer by the whole
//! solver. Recording charges nothing, so that a check that is recorded decides as it does otherwise.

use super::query::{Answer, ModelAnswer, PositiveSymbols, Prover, SolverLimits, WrapMode};
use super::{FactContext, GroupResults, cache, find_model};
use base::inside::{self, Dump};
use base::reasons::UnknownReason;
use base::work::{Work, done, settle};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Axis, SymId, SymKind, Term, TermId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A query without the program that asked it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RecordedQuery {
    symbols: Vec<RecordedSymbol>,
    terms: Vec<Term>,
    facts: Vec<TermId>,
    goal: RecordedGoal,
    /// [`WrapMode::Exact`].
    exact: bool,
    work: Work,
    steps: u32,
    core: bool,
}

/// Symbol: true if the host alone decides its value ([`super::abstraction`]), then the bounds of its range.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct RecordedSymbol(bool, Option<i128>, Option<i128>);

/// Goal of a recorded query.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum RecordedGoal {
    Proof(TermId),
    /// Symbols preferred small, wished positive, and sizes among these.
    Model(Vec<SymId>, Vec<SymId>, Vec<SymId>),
}

/// Kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RecordedAnswer {
    /// Proved by the polynomial bound.
    Bound,
    /// Proved by Z3 or by enumeration.
    Z3,
    Model,
    /// The facts have no model.
    NoModel,
    Undecided,
}

impl RecordedAnswer {
    /// Whether one of the two answers must be wrong.
    #[must_use]
    pub const fn contradicts(self, other: Self) -> bool {
        !matches!((self, other), (Self::Undecided, _) | (_, Self::Undecided))
            && matches!(self, Self::Model) != matches!(other, Self::Model)
    }
}

/// Numbers of terms and symbols in the recorded query.
pub(super) struct RecordedNumbers {
    terms: FxHashMap<TermId, TermId>,
    symbols: Vec<SymId>,
}

impl RecordedNumbers {
    pub fn term(&self, t: TermId) -> TermId {
        self.terms[&t]
    }

    /// The symbols that the query mentions.
    fn symbols(&self, all: &[SymId]) -> Vec<SymId> {
        (0..).zip(&self.symbols).filter(|(_, s)| all.contains(s)).map(|(i, _)| SymId(i)).collect()
    }
}

impl RecordedGoal {
    pub fn model(numbers: &RecordedNumbers, small: &[SymId], positive: &PositiveSymbols) -> Self {
        Self::Model(numbers.symbols(small), numbers.symbols(&positive.wished), numbers.symbols(&positive.sizes))
    }
}

/// Writes a query down if the user wants to see queries, with its cost: the work since `start`.
pub(super) fn dump(
    arena: &Arena,
    facts: &[TermId],
    goal: Option<TermId>,
    (mode, limits): (WrapMode, &SolverLimits),
    start: Work,
    number: impl FnOnce(&RecordedNumbers) -> RecordedGoal,
) {
    inside::dump(Dump::Queries, || {
        let end = done();
        let roots: Vec<TermId> = facts.iter().copied().chain(goal).collect();
        let (own, terms, symbols) = arena.extract(&roots);
        let numbers = RecordedNumbers { terms, symbols };
        let query = RecordedQuery {
            symbols: numbers
                .symbols
                .iter()
                .map(|s| {
                    let s = arena.symbol(*s);
                    let threads = matches!(s.kind, SymKind::Thread(_) | SymKind::Block(_) | SymKind::Content { .. });
                    RecordedSymbol(!threads, s.range.lo, s.range.hi)
                })
                .collect(),
            terms: (0..).map(TermId).take(own.len()).map(|t| own.get(t).clone()).collect(),
            facts: facts.iter().map(|f| numbers.term(*f)).collect(),
            goal: number(&numbers),
            exact: mode == WrapMode::Exact,
            work: limits.work,
            steps: limits.steps,
            core: limits.core,
        };
        settle(end, Work::NONE);
        format!("query {} {}", (end - start).get(), serde_json::to_string(&query).unwrap_or_default())
    });
}

impl RecordedQuery {
    /// Answers the query as the first one of a check would be; returns the cost as well.
    #[must_use]
    pub fn answer(&self) -> (RecordedAnswer, Work) {
        let kind = |host| match host {
            true => SymKind::Unknown { reason: UnknownReason::Elsewhere },
            false => SymKind::Thread(Axis::X),
        };
        let symbols = self.symbols.iter().map(|s| (kind(s.0), Interval { lo: s.1, hi: s.2 }));
        let mut arena = Arena::of_terms(symbols, self.terms.iter().cloned());
        let mode = if self.exact { WrapMode::Exact } else { WrapMode::Assume };
        let limits = SolverLimits { work: self.work, steps: self.steps, core: self.core };
        let mut groups = GroupResults::default();
        cache::begin_task();
        let start = done();
        let answer = match &self.goal {
            RecordedGoal::Proof(goal) => {
                match FactContext::new(&mut arena, &self.facts, mode).prove(&mut arena, *goal, &limits, &mut groups) {
                    Answer::Proved { by: Prover::Poly, .. } => RecordedAnswer::Bound,
                    Answer::Proved { by: Prover::Z3, .. } => RecordedAnswer::Z3,
                    Answer::Model(_) => RecordedAnswer::Model,
                    Answer::Unknown(_) => RecordedAnswer::Undecided,
                }
            }
            RecordedGoal::Model(small, wished, sizes) => {
                let positive = PositiveSymbols { wished: wished.clone(), sizes: sizes.clone() };
                match find_model(&arena, &self.facts, small, &positive, mode, &limits, &mut groups) {
                    ModelAnswer::Model(_) => RecordedAnswer::Model,
                    ModelAnswer::Unsat => RecordedAnswer::NoModel,
                    ModelAnswer::Unknown(_) => RecordedAnswer::Undecided,
                }
            }
        };
        (answer, done() - start)
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordedAnswer, RecordedQuery};
    use crate::solver::tests::notation::Scope;
    use crate::solver::{SolverLimits, WrapMode, prove};
    use base::inside::{Dump, RequestedOutput, watching};
    use base::work::done;

    /// Records `facts ⊢ goal`; returns the query, its recorded cost, and its cost with the facts read.
    fn recorded(facts: &[&str], goal: &str) -> (RecordedQuery, u64, u64) {
        let ask = || {
            let mut s = Scope::default();
            s.declare("n size, m size, i 0..1023, p flag");
            let facts: Vec<_> = facts.iter().map(|f| s.term(f)).collect();
            let goal = s.term(goal);
            let start = done();
            prove(&mut s.arena, &facts, goal, WrapMode::Assume, &SolverLimits::default());
            (done() - start).get()
        };
        crate::solver::cache::begin_task();
        let plain = ask();
        crate::solver::cache::begin_task();
        let wanted = RequestedOutput { dumps: vec![Dump::Queries], ..RequestedOutput::default() };
        let (cost, seen) = watching(&wanted, ask);
        assert_eq!(cost, plain, "recording is free");
        let [line] = seen.lines.as_slice() else { panic!("{:?}", seen.lines) };
        let (work, query) = line.strip_prefix("query ").unwrap().split_once(' ').unwrap();
        (serde_json::from_str(query).unwrap(), work.parse().unwrap(), cost)
    }

    #[test]
    fn a_query_is_answered_from_what_was_written_down() {
        for (facts, goal, answer) in [
            (&["i < n", "n <= m"][..], "i < m", RecordedAnswer::Bound),
            (&["xor(i, 5) < 8", "p"], "i < 16", RecordedAnswer::Z3),
            (&["i < n", "p"], "i + 1 < n", RecordedAnswer::Model),
        ] {
            let (query, work, cost) = recorded(facts, goal);
            assert_eq!(query.answer().0, answer, "{goal}");
            assert!(work > 0 && work <= cost, "{goal}: reading the facts comes before the search");
        }
    }

    #[test]
    fn only_a_proof_and_a_model_contradict_each_other() {
        use RecordedAnswer::{Bound, Model, NoModel, Undecided, Z3};
        assert!(Bound.contradicts(Model) && Model.contradicts(Z3) && Model.contradicts(NoModel));
        assert!(!Bound.contradicts(Z3) && !Model.contradicts(Model) && !Undecided.contradicts(Model));
        assert!(!Model.contradicts(Undecided));
    }
}
