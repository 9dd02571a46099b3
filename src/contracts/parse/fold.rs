//! Combines parsed operands with an operator.
//!
//! In: the parsed operands. Out: a term or a condition. If one stands in place of the other, an error that shows the
//! text that was probably meant.

use super::{Comparison, Cond, CondKind, ContractInput, ContractTerm, DEEPEST, ParseResult, Span, TermKind, refuse};
use crate::ast::Binary;
use crate::operators::BinaryOperator;

/// A parsed expression that may still become a term or a condition.
#[derive(Clone, Debug)]
pub(super) struct RawExpr {
    pub what: ParsedExpr,
    pub span: Span,
    /// Height of its tree; parentheses do not count.
    pub height: usize,
    parenthesised: bool,
}

#[derive(Clone, Debug)]
pub(super) enum ParsedExpr {
    Term(ContractTerm),
    Cond(Cond),
    /// `true` or `false`, which may be a term or a condition.
    Bool(bool, Span),
}

pub(super) fn too_deep() -> String {
    format!("at most {DEEPEST} nested operators and parentheses are allowed; split it")
}

impl RawExpr {
    pub(super) fn of(what: ParsedExpr, height: usize) -> ParseResult<Self> {
        let span = match &what {
            ParsedExpr::Term(t) => t.span,
            ParsedExpr::Cond(c) => c.span,
            ParsedExpr::Bool(_, span) => *span,
        };
        if height > DEEPEST {
            return refuse(span, "the contract is too deep", too_deep());
        }
        Ok(Self { what, span, height, parenthesised: false })
    }

    pub(super) fn in_parentheses(mut self, span: Span) -> Self {
        self.span = span;
        match &mut self.what {
            ParsedExpr::Term(t) => t.span = span,
            ParsedExpr::Cond(c) => c.span = span,
            ParsedExpr::Bool(_, s) => *s = span,
        }
        self.parenthesised = true;
        self
    }

    pub(super) fn into_cond(self) -> ParseResult<Cond> {
        Ok(match self.what {
            ParsedExpr::Cond(c) => c,
            ParsedExpr::Bool(b, span) => Cond::new(CondKind::Literal(b), span),
            ParsedExpr::Term(t) => {
                let span = t.span;
                Cond::new(CondKind::Truth(Box::new(t)), span)
            }
        })
    }

    pub(super) fn into_term(self, text: &str) -> ParseResult<ContractTerm> {
        match self.what {
            ParsedExpr::Term(t) => Ok(t),
            ParsedExpr::Bool(b, span) => Ok(ContractTerm::new(TermKind::Int(b.into()), span)),
            ParsedExpr::Cond(c) => {
                let help = format!("`{} ? 1 : 0` converts it to a number", excerpt(text, c.span));
                refuse(c.span, "a condition stands where a number is expected", help)
            }
        }
    }

    /// Operator and operand spans of a comparison that is not in parentheses.
    fn bare_comparison(&self) -> Option<(Comparison, Span, Span)> {
        match &self.what {
            ParsedExpr::Cond(Cond { kind: CondKind::Compare(op, a, b), .. }) if !self.parenthesised => {
                Some((*op, a.span, b.span))
            }
            _ => None,
        }
    }
}

/// Excerpt of the text at a span, if it is short and in one line.
fn excerpt(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).filter(|t| t.len() <= 60 && !t.contains('\n')).unwrap_or("…")
}

/// Combines both operands of an operator.
pub(super) fn operation(i: &mut ContractInput<'_>, op: BinaryOperator, a: RawExpr, b: RawExpr) -> ParseResult<RawExpr> {
    match op {
        BinaryOperator::Arithmetic(of) => binary(i, a, b, of, op.sign()),
        BinaryOperator::Compare(of) => comparison(i, a, b, of, op.sign()),
        BinaryOperator::Both => joined(a, b, Cond::all, |k| matches!(k, CondKind::And(_))),
        BinaryOperator::One => joined(a, b, Cond::any, |k| matches!(k, CondKind::Or(_))),
    }
}

fn above(a: &RawExpr, b: &RawExpr) -> usize {
    a.height.max(b.height) + 1
}

pub(super) fn implies(a: RawExpr, b: RawExpr) -> ParseResult<RawExpr> {
    let (span, height) = (a.span.to(b.span), above(&a, &b));
    let kind = CondKind::Implies(Box::new(a.into_cond()?), Box::new(b.into_cond()?));
    RawExpr::of(ParsedExpr::Cond(Cond::new(kind, span)), height)
}

fn joined(a: RawExpr, b: RawExpr, join: fn(Vec<Cond>) -> Cond, same: fn(&CondKind) -> bool) -> ParseResult<RawExpr> {
    let span = a.span.to(b.span);
    let (left, right) = (a.height, b.height);
    let (a, b) = (a.into_cond()?, b.into_cond()?);
    // A chain is flat, however long.
    let level = |c: &Cond, height: usize| if same(&c.kind) { height } else { height + 1 };
    let height = level(&a, left).max(level(&b, right));
    let mut both = join(vec![a, b]);
    both.span = span;
    RawExpr::of(ParsedExpr::Cond(both), height)
}

fn binary(i: &mut ContractInput<'_>, a: RawExpr, b: RawExpr, op: Binary, sign: &str) -> ParseResult<RawExpr> {
    let (span, height, text) = (a.span.to(b.span), above(&a, &b), i.state.text);
    if matches!(op, Binary::And | Binary::Xor | Binary::Or) {
        for (side, other, left) in [(&b, &a, false), (&a, &b, true)] {
            let Some((cmp, x, y)) = side.bare_comparison() else { continue };
            let (cmp, x, y, other) = (cmp.sign(), excerpt(text, x), excerpt(text, y), excerpt(text, other.span));
            let meant = if left {
                format!("{x} {cmp} ({y} {sign} {other})")
            } else {
                format!("({other} {sign} {x}) {cmp} {y}")
            };
            let message = format!("a condition stands where a number is expected: `{cmp}` binds tighter than `{sign}`");
            return refuse(side.span, message, format!("did you mean `{meant}`?"));
        }
    }
    let kind = TermKind::Binary(op, Box::new(a.into_term(text)?), Box::new(b.into_term(text)?));
    RawExpr::of(ParsedExpr::Term(ContractTerm::new(kind, span)), height)
}

fn comparison(i: &mut ContractInput<'_>, a: RawExpr, b: RawExpr, op: Comparison, sign: &str) -> ParseResult<RawExpr> {
    let (span, height, text) = (a.span.to(b.span), above(&a, &b), i.state.text);
    if let Some((first, x, y)) = a.bare_comparison() {
        let (x, y, b) = (excerpt(text, x), excerpt(text, y), excerpt(text, b.span));
        let meant = format!("{x} {} {y} && {y} {sign} {b}", first.sign());
        return refuse(span, "comparisons cannot be chained", format!("did you mean `{meant}`?"));
    }
    if let (ParsedExpr::Cond(_), ParsedExpr::Cond(_)) = (&a.what, &b.what) {
        return refuse(span, format!("`{sign}` compares numbers, not conditions"), "`==>` relates conditions");
    }
    let kind = CondKind::Compare(op, Box::new(a.into_term(text)?), Box::new(b.into_term(text)?));
    RawExpr::of(ParsedExpr::Cond(Cond::new(kind, span)), height)
}

pub(super) fn choice(i: &ContractInput<'_>, c: RawExpr, yes: RawExpr, no: RawExpr) -> ParseResult<RawExpr> {
    let (span, text) = (c.span.to(no.span), i.state.text);
    let height = above(&yes, &no).max(c.height + 1);
    let c = Box::new(c.into_cond()?);
    if !matches!((&yes.what, &no.what), (ParsedExpr::Term(_), ParsedExpr::Term(_))) {
        let kind = CondKind::Choice(c, Box::new(yes.into_cond()?), Box::new(no.into_cond()?));
        return RawExpr::of(ParsedExpr::Cond(Cond::new(kind, span)), height);
    }
    let kind = TermKind::Choice(c, Box::new(yes.into_term(text)?), Box::new(no.into_term(text)?));
    RawExpr::of(ParsedExpr::Term(ContractTerm::new(kind, span)), height)
}
