//! Builds terms and conditions from their parts.
//!
//! In: parts. Out: the term or condition with its sort, as far as the syntax determines it, and with flat chains.
//! Also lists the parts of a term or condition.

use super::ast::{
    Binary, Comparison, Cond, CondKind, ContractFunction, ContractTerm, Sort, Span, TermKind, UnaryOperator,
};

impl ContractTerm {
    /// Builds a term with the sort that its syntax determines.
    #[must_use]
    pub fn new(kind: TermKind, span: Span) -> Self {
        let sort = match &kind {
            TermKind::Null => Sort::Pointer,
            TermKind::Name(_) | TermKind::Member(..) | TermKind::Method(..) => Sort::Unresolved,
            TermKind::Subscript(..) | TermKind::Deref(_) => Sort::Unresolved,
            TermKind::Choice(_, a, b) => either(a.sort, b.sort),
            TermKind::Binary(Binary::Add | Binary::Sub, a, b) => either(a.sort, b.sort),
            _ => Sort::Integer,
        };
        Self { kind, span, sort }
    }

    #[must_use]
    pub fn int(value: i128) -> Self {
        let size = Self::new(TermKind::Int(value.saturating_abs()), Span::default());
        if value < 0 { Self::new(TermKind::Unary(UnaryOperator::Minus, Box::new(size)), Span::default()) } else { size }
    }

    #[must_use]
    pub fn name(name: impl Into<String>) -> Self {
        Self::new(TermKind::Name(name.into()), Span::default())
    }

    #[must_use]
    pub fn apply(function: ContractFunction, arguments: Vec<Self>) -> Self {
        Self::new(TermKind::Apply(function, arguments), Span::default())
    }

    #[must_use]
    pub fn binary(op: Binary, a: Self, b: Self) -> Self {
        let span = a.span.to(b.span);
        Self::new(TermKind::Binary(op, Box::new(a), Box::new(b)), span)
    }

    /// Direct subterms in order; a condition inside contributes its terms.
    #[must_use]
    pub fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            TermKind::Int(_) | TermKind::Null | TermKind::Name(_) | TermKind::Launch(_) | TermKind::SizeOf(_) => vec![],
            TermKind::Member(a, ..) | TermKind::Deref(a) | TermKind::Cast(_, a) | TermKind::Unary(_, a) => vec![a],
            TermKind::Method(a, _, _, args) => std::iter::once(a.as_ref()).chain(args).collect(),
            TermKind::Subscript(a, b) | TermKind::Binary(_, a, b) => vec![a, b],
            TermKind::Apply(_, args) => args.iter().collect(),
            TermKind::Choice(c, a, b) => c.terms().into_iter().chain([a.as_ref(), b]).collect(),
        }
    }

    /// Sets the sort of a term.
    #[must_use]
    pub fn of(mut self, sort: Sort) -> Self {
        self.sort = sort;
        self
    }
}

fn either(a: Sort, b: Sort) -> Sort {
    match (a, b) {
        (Sort::Pointer, _) | (_, Sort::Pointer) => Sort::Pointer,
        (Sort::Integer, Sort::Integer) => Sort::Integer,
        _ => Sort::Unresolved,
    }
}

impl Cond {
    #[must_use]
    pub fn new(kind: CondKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Outermost terms of a condition.
    #[must_use]
    pub fn terms(&self) -> Vec<&ContractTerm> {
        match &self.kind {
            CondKind::Literal(_) => vec![],
            CondKind::Compare(_, a, b) => vec![a, b],
            CondKind::Truth(a) => vec![a],
            CondKind::Not(a) => a.terms(),
            CondKind::And(all) | CondKind::Or(all) => all.iter().flat_map(Self::terms).collect(),
            CondKind::Implies(a, b) => a.terms().into_iter().chain(b.terms()).collect(),
            CondKind::Choice(c, a, b) => [c, a, b].into_iter().flat_map(|c| c.terms()).collect(),
            CondKind::Forall(all) => [&all.from, &all.to].into_iter().chain(all.body.terms()).collect(),
            CondKind::Disjoint(all) => all.iter().collect(),
        }
    }

    #[must_use]
    pub fn literal(value: bool) -> Self {
        Self::new(CondKind::Literal(value), Span::default())
    }

    #[must_use]
    pub fn compare(op: Comparison, a: ContractTerm, b: ContractTerm) -> Self {
        let span = a.span.to(b.span);
        Self::new(CondKind::Compare(op, Box::new(a), Box::new(b)), span)
    }

    #[must_use]
    pub fn implies(a: Self, b: Self) -> Self {
        let span = a.span.to(b.span);
        Self::new(CondKind::Implies(Box::new(a), Box::new(b)), span)
    }

    #[must_use]
    pub fn choice(c: Self, yes: Self, no: Self) -> Self {
        let span = c.span.to(no.span);
        let kind = match (yes.kind, no.kind) {
            (CondKind::Truth(a), CondKind::Truth(b)) => {
                CondKind::Truth(Box::new(ContractTerm::new(TermKind::Choice(Box::new(c), a, b), span)))
            }
            (a, b) => CondKind::Choice(Box::new(c), Box::new(Self::new(a, yes.span)), Box::new(Self::new(b, no.span))),
        };
        Self::new(kind, span)
    }

    /// Flat conjunction; `true` if empty.
    #[must_use]
    pub fn all(conds: Vec<Self>) -> Self {
        Self::joined(conds, true)
    }

    /// Flat disjunction; `false` if empty.
    #[must_use]
    pub fn any(conds: Vec<Self>) -> Self {
        Self::joined(conds, false)
    }

    /// Puts first, of alternatives and of conditions that hold together, those on whether optional tensors are given: C++
    /// evaluates no more of them than it needs.
    #[must_use]
    pub fn presence_first(self) -> Self {
        let in_order = |parts: Vec<Self>| {
            let mut parts: Vec<Self> = parts.into_iter().map(Self::presence_first).collect();
            parts.sort_by_key(|part| !part.asks_presence());
            parts
        };
        match self.kind {
            CondKind::Or(parts) => Self::any(in_order(parts)),
            CondKind::And(parts) => Self::all(in_order(parts)),
            kind => Self { kind, ..self },
        }
    }

    /// Whether this compares `has_value()` of an optional tensor.
    fn asks_presence(&self) -> bool {
        matches!(self.kind, CondKind::Compare(..)) && self.asked().iter().any(|(_, what)| *what == "has_value")
    }

    /// Returns what the condition asks of parameters: their names, and those of the methods.
    #[must_use]
    pub fn asked(&self) -> Vec<(&str, &str)> {
        let (mut open, mut found) = (self.terms(), vec![]);
        while let Some(t) = open.pop() {
            if let TermKind::Method(of, _, name, _) = &t.kind
                && let TermKind::Name(of) = &of.kind
            {
                found.push((of.as_str(), name.as_str()));
            }
            open.extend(t.parts());
        }
        found
    }

    /// Drops parts that repeat others: of a conjunction or disjunction those that it has twice, and in a conjunction
    /// inside of a disjunction the alternatives that the disjunction has itself (`a || (a || b) && c`).
    #[must_use]
    pub fn without_repeats(&self) -> Self {
        self.without(&[])
    }

    /// The same, where none of `known` holds.
    fn without(&self, known: &[Self]) -> Self {
        let mut kept: Vec<Self> = vec![];
        match &self.kind {
            CondKind::Or(parts) => {
                for part in parts {
                    if !known.contains(part) && !kept.contains(part) {
                        kept.push(part.clone());
                    }
                }
                for i in 0..kept.len() {
                    let others = kept.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, c)| c.clone());
                    let others: Vec<Self> = known.iter().cloned().chain(others).collect();
                    kept[i] = kept[i].without(&others);
                }
                kept.retain(|c| !matches!(c.kind, CondKind::Literal(false)));
                Self::any(kept)
            }
            CondKind::And(parts) => {
                for part in parts {
                    let part = part.without(known);
                    if matches!(part.kind, CondKind::Literal(false)) {
                        return part;
                    }
                    if !kept.contains(&part) {
                        kept.push(part);
                    }
                }
                Self::all(kept)
            }
            _ => self.clone(),
        }
    }

    fn joined(conds: Vec<Self>, and: bool) -> Self {
        let span = conds.iter().map(|c| c.span).reduce(Span::to).unwrap_or_default();
        let mut flat = Vec::with_capacity(conds.len());
        for c in conds {
            match c.kind {
                CondKind::And(inner) if and => flat.extend(inner),
                CondKind::Or(inner) if !and => flat.extend(inner),
                _ => flat.push(c),
            }
        }
        match flat.len() {
            0 => Self::literal(and),
            1 => flat.remove(0),
            _ => Self::new(if and { CondKind::And(flat) } else { CondKind::Or(flat) }, span),
        }
    }
}
