//! Families of obligations that differ in constants and in the names of symbols: a device function that is called at
//! hundreds of places leaves hundreds of obligations of one form. One proof decides those of a family.
//!
//! In: obligations that will be decided, and those that were proved one by one. Out: whether an obligation is an
//! instance of a statement that is proved. The statement has symbols for the constants that differ between members
//! (anti-unification: Plotkin, 1970): one symbol where all members lie on a line, else one for each constant, with the
//! range of the members. It rests on the facts that concern only symbols of the access. The form of an obligation
//! includes these facts, so a proof of the statement is a proof of each obligation of that form with constants in the
//! range.

use super::decide::{Decider, DecisionAttempt, ModelEffort};
use super::obligation::{Decision, Obligation};
use base::polynomial::gcd;
use base::reasons::UnknownReason;
use base::work::{Work, charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

/// Most facts of a statement, and most terms.
const MOST_FACTS: usize = 48;
const MOST_TERMS: usize = 512;

/// Work of the proof of a statement: what a solver takes is left to single obligations.
const STATEMENT: Work = Work::units(cost::CONTEXT - 1);

/// Factor between the numbers of proved members after which a statement about these is tried.
const MORE: usize = 4;

/// Form of an obligation and of the facts on its symbols, without constants and without the names of symbols.
///
/// Terms are numbered in the order of traversal. Each is kept with the numbers of its operands in place of their ids,
/// zeros in place of constants, and numbers in place of symbols; symbols have their ranges. Roots follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ObligationForm {
    nodes: Vec<(Term, Option<Interval>)>,
    roots: Vec<TermId>,
}

/// Obligation as a member of a family.
pub(super) struct FamilyMember {
    form: ObligationForm,
    constants: Vec<i128>,
    /// Offset, width, extent and facts.
    roots: Vec<TermId>,
}

/// Constants of several members: a range for each, or a part of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ConstantSpan {
    first: Vec<i128>,
    least: Vec<i128>,
    greatest: Vec<i128>,
    line: ConstantLine,
}

/// Line `first + t·direction` through the constants of members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum ConstantLine {
    /// Members that are all equal so far.
    #[default]
    Point,
    Through {
        direction: Vec<i128>,
        least: i128,
        greatest: i128,
    },
    /// Some members lie on no line.
    Off,
}

/// Obligations of one form.
#[derive(Default)]
struct Family {
    /// Constants of the members that were announced, and the number of these.
    expected: ConstantSpan,
    members: usize,
    /// Constants of the members that were proved one by one, the number of these, and that of the next attempt.
    proved: ConstantSpan,
    proofs: usize,
    next: usize,
    statements: Vec<ConstantSpan>,
}

/// Families of obligations.
#[derive(Default)]
pub(super) struct Families {
    by_form: FxHashMap<ObligationForm, Family>,
}

impl FamilyMember {
    /// Takes an obligation apart; `None` for one that is large, or without constants.
    pub fn of(decider: &mut Decider, a: &Arena, o: &Obligation) -> Option<Self> {
        let mut roots = vec![o.offset, o.bytes, o.extent];
        roots.extend(facts_of_own(decider, a, o)?);
        let cone = a.cone(&roots);
        if cone.len() > MOST_TERMS {
            return None;
        }
        let numbers: FxHashMap<TermId, TermId> = cone.iter().copied().zip((0..).map(TermId)).collect();
        let (mut constants, mut symbols) = (vec![], 0);
        let mut nodes = Vec::with_capacity(cone.len());
        charge_each(cost::OPERAND, cone.len());
        for t in cone {
            let (mut node, mut range) = (a.with_operands(t, |t| numbers[t]), None);
            match &mut node {
                Term::Int(v) => constants.push(std::mem::take(v)),
                Term::Poly(p) => constants.extend(p.terms.iter_mut().map(|(_, c)| std::mem::take(c))),
                Term::Sym(s) | Term::BoolSym(s) if is_own(a, *s) => {
                    range = Some(a.symbol(*s).range);
                    symbols += 1;
                    *s = SymId(u32::MAX - symbols);
                }
                _ => {}
            }
            nodes.push((node, range));
        }
        let form = ObligationForm { nodes, roots: roots.iter().map(|t| numbers[t]).collect() };
        (!constants.is_empty()).then_some(Self { form, constants, roots })
    }
}

impl Families {
    /// Announces an obligation: a statement is sought about all that were announced.
    pub fn expect(&mut self, member: FamilyMember) {
        let family = self.by_form.entry(member.form).or_default();
        family.expected.include(&member.constants);
        family.members += 1;
    }

    /// Whether a statement that is proved has the obligation as an instance.
    pub fn has_instance(&self, member: &FamilyMember) -> bool {
        let Some(family) = self.by_form.get(&member.form) else { return false };
        family.statements.iter().any(|s| s.contains(&member.constants))
    }

    /// Adds an obligation that was proved. Tries to prove the statement about all members at the first one, and
    /// statements about those that were proved at some later ones.
    pub fn add(&mut self, a: &Arena, member: &FamilyMember, attempt: DecisionAttempt) {
        let Some(family) = self.by_form.get_mut(&member.form).filter(|f| f.members > 1) else { return };
        family.proved.include(&member.constants);
        family.proofs += 1;
        if family.proofs < family.next || attempt.until.is_spent() || attempt.proofs.is_spent() {
            return;
        }
        family.next = family.proofs * MORE;
        let span = if family.proofs == 1 { &family.expected } else { &family.proved };
        if span.contains(&member.constants) && is_proved(a, &member.roots, span, attempt) {
            family.statements.push(span.clone());
        }
    }
}

impl ConstantSpan {
    fn include(&mut self, constants: &[i128]) {
        if self.first.is_empty() {
            (self.first, self.least, self.greatest) = (constants.to_vec(), constants.to_vec(), constants.to_vec());
            return;
        }
        for (at, v) in constants.iter().enumerate() {
            self.least[at] = self.least[at].min(*v);
            self.greatest[at] = self.greatest[at].max(*v);
        }
        if constants == self.first {
            return;
        }
        let moved = self.moved(constants);
        if self.line == ConstantLine::Point
            && let Some(moved) = &moved
        {
            let step = moved.iter().fold(0, |g, v| gcd(g, *v));
            self.line =
                ConstantLine::Through { direction: moved.iter().map(|v| v / step).collect(), least: 0, greatest: step };
            return;
        }
        let at = moved.and_then(|moved| self.line.number(&moved));
        match (&mut self.line, at) {
            (ConstantLine::Through { least, greatest, .. }, Some(at)) => {
                (*least, *greatest) = ((*least).min(at), (*greatest).max(at));
            }
            (line, _) => *line = ConstantLine::Off,
        }
    }

    /// Differences from the first member.
    fn moved(&self, constants: &[i128]) -> Option<Vec<i128>> {
        constants.iter().zip(&self.first).map(|(v, first)| v.checked_sub(*first)).collect()
    }

    fn contains(&self, constants: &[i128]) -> bool {
        match &self.line {
            ConstantLine::Point => constants == self.first,
            ConstantLine::Through { least, greatest, .. } => {
                let at = self.moved(constants).and_then(|moved| self.line.number(&moved));
                at.is_some_and(|at| (*least..=*greatest).contains(&at))
            }
            ConstantLine::Off => {
                let ranges = self.least.iter().zip(&self.greatest);
                ranges.zip(constants).all(|((least, greatest), v)| least <= v && v <= greatest)
            }
        }
    }
}

impl ConstantLine {
    /// Returns the `t` of a member that differs from the first one by these numbers; `None` for one beside the line.
    fn number(&self, moved: &[i128]) -> Option<i128> {
        let Self::Through { direction, .. } = self else { return None };
        let (at, by) = moved.iter().zip(direction).find(|(_, by)| **by != 0)?;
        let t = at / by;
        moved.iter().zip(direction).all(|(at, by)| by.checked_mul(t) == Some(*at)).then_some(t)
    }
}

/// Whether a symbol belongs to one iteration or one value that was read, so that another call has another one.
fn is_own(a: &Arena, s: SymId) -> bool {
    matches!(a.symbol(s).kind, SymKind::Iteration { .. } | SymKind::Content { .. } | SymKind::Unknown { .. })
}

/// Returns the facts that concern only symbols of the obligation's terms; `None` for too many.
fn facts_of_own(decider: &mut Decider, a: &Arena, o: &Obligation) -> Option<Vec<TermId>> {
    let symbols = a.symbols_of(&[o.offset, o.bytes, o.extent]);
    let mut own = vec![];
    for f in a.conjuncts(o.facts) {
        let of_fact = decider.symbols_of_fact(a, f);
        if !of_fact.is_empty() && of_fact.iter().all(|s| symbols.binary_search(s).is_ok()) {
            own.push(f);
        }
    }
    (own.len() <= MOST_FACTS).then_some(own)
}

/// Whether the statement about all constants of a span is proved, in an arena of its own.
fn is_proved(a: &Arena, roots: &[TermId], span: &ConstantSpan, attempt: DecisionAttempt) -> bool {
    let (mut own, copies, _) = a.extract(roots);
    let (constants, ranges) = generalised(&mut own, span);
    let mut constants = constants.into_iter();
    // A map that changes nothing: rebuilt terms take their operands from `done`.
    let always = own.bool(true);
    let same = FxHashMap::from_iter([(always, always)]);
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for t in a.cone(roots) {
        let copy = copies[&t];
        let monomials: Vec<Vec<TermId>> = match a.get(t) {
            Term::Int(_) => vec![vec![]],
            Term::Poly(p) => p.terms.iter().map(|(m, _)| m.to_vec()).collect(),
            _ => {
                own.substitute_more(copy, &same, &mut done);
                continue;
            }
        };
        let mut sum = own.int(0);
        for (atoms, constant) in monomials.into_iter().zip(constants.by_ref()) {
            let product = atoms.into_iter().fold(constant, |product, t| own.mul(product, done[&copies[&t]]));
            sum = own.add(sum, product);
        }
        done.insert(copy, sum);
    }
    let mut roots = roots.iter().map(|t| done[&copies[t]]);
    let (Some(offset), Some(bytes), Some(extent)) = (roots.next(), roots.next(), roots.next()) else { return false };
    let facts = own.and_all(roots.chain(ranges).collect());
    let general = Obligation { facts, offset, bytes, extent };
    let attempt = attempt.with_work(attempt.limits.work.min(STATEMENT));
    let decision = Decider::default().search(attempt).decide(&mut own, &general, ModelEffort::Rough);
    matches!(decision, Decision::Safe)
}

/// Builds the constants of a statement, and the facts on their symbols.
fn generalised(a: &mut Arena, span: &ConstantSpan) -> (Vec<TermId>, Vec<TermId>) {
    let mut facts = vec![];
    let mut any = |a: &mut Arena, least: i128, greatest: i128| {
        let kind = SymKind::Unknown { reason: UnknownReason::Elsewhere };
        // The search multiplies facts with each other, but no ranges of symbols: a range that states no fact is wider.
        let range = Interval { lo: least.checked_sub(1), hi: greatest.checked_add(1) };
        let t = a.fresh(kind, "constant", range);
        let [least, greatest] = [least, greatest].map(|v| a.int(v));
        facts.extend([a.le(least, t), a.le(t, greatest)]);
        t
    };
    let constants = match &span.line {
        ConstantLine::Point => span.first.iter().map(|v| a.int(*v)).collect(),
        ConstantLine::Through { direction, least, greatest } => {
            let t = any(a, *least, *greatest);
            let on_line = |(first, by): (&i128, &i128)| {
                let moved = a.scale(t, *by);
                a.add_const(moved, *first)
            };
            span.first.iter().zip(direction).map(on_line).collect()
        }
        ConstantLine::Off => {
            let ranges = span.least.iter().zip(&span.greatest);
            ranges.map(|(l, g)| if l == g { a.int(*l) } else { any(a, *l, *g) }).collect()
        }
    };
    (constants, facts)
}

#[cfg(test)]
#[path = "families_tests.rs"]
mod tests;
