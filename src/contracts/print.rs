//! Prints conditions and terms as text that [`super::parse()`] reads back to the same tree.
//!
//! In: a syntax tree. Out: its text with the fewest parentheses that C's precedence allows, and as a TOML string.

use super::ast::{
    Binary, Comparison, Cond, CondKind, ContractTerm, Dim3Member, LaunchProperty, MemberOperator, TermKind,
    UnaryOperator,
};
use std::fmt::{self, Display, Formatter, Write};

/// Binding level; the values are those of the parser's table.
pub(super) type BindingLevel = u8;
pub(super) const ANY: BindingLevel = 0;
const IMPLIES: BindingLevel = 4;
pub(super) const CHOICE: BindingLevel = 6;
pub(super) const OR: BindingLevel = 8;
pub(super) const AND: BindingLevel = 10;
pub(super) const EQUALITY: BindingLevel = 18;
pub(super) const RELATION: BindingLevel = 20;
pub(super) const UNARY: BindingLevel = 28;
pub(super) const SUFFIX: BindingLevel = 30;

impl Binary {
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&",
            Self::Xor => "^",
            Self::Or => "|",
        }
    }

    pub(super) fn level(self) -> BindingLevel {
        match self {
            Self::Mul | Self::Div | Self::Rem => 26,
            Self::Add | Self::Sub => 24,
            Self::Shl | Self::Shr => 22,
            Self::And => 16,
            Self::Xor => 14,
            Self::Or => 12,
        }
    }
}

impl Comparison {
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
        }
    }
}

impl Display for LaunchProperty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (of, axis) = match self {
            Self::Grid(axis) => ("gridDim.", axis),
            Self::Block(axis) => ("blockDim.", axis),
            Self::DynamicShared => return f.write_str("dynamicSharedBytes"),
        };
        f.write_str(of)?;
        f.write_char(match axis {
            Dim3Member::X => 'x',
            Dim3Member::Y => 'y',
            Dim3Member::Z => 'z',
        })
    }
}

impl Display for ContractTerm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        term(self, ANY, f)
    }
}

impl Display for Cond {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        cond(self, ANY, f)
    }
}

fn level_of(t: &ContractTerm) -> BindingLevel {
    match &t.kind {
        TermKind::Deref(_) | TermKind::Cast(..) | TermKind::Unary(..) => UNARY,
        TermKind::Binary(op, ..) => op.level(),
        TermKind::Choice(..) => CHOICE,
        _ => SUFFIX,
    }
}

fn term(t: &ContractTerm, least: BindingLevel, f: &mut Formatter<'_>) -> fmt::Result {
    if level_of(t) < least {
        f.write_char('(')?;
        term(t, ANY, f)?;
        return f.write_char(')');
    }
    match &t.kind {
        TermKind::Int(v) => write!(f, "{v}"),
        TermKind::Null => f.write_str("nullptr"),
        TermKind::Name(n) => f.write_str(n),
        TermKind::Launch(l) => write!(f, "{l}"),
        TermKind::Member(a, access, name) => {
            term(a, SUFFIX, f)?;
            f.write_str(sign(*access))?;
            f.write_str(name)
        }
        TermKind::Method(a, access, name, args) => {
            term(a, SUFFIX, f)?;
            f.write_str(sign(*access))?;
            f.write_str(name)?;
            list(args, f)
        }
        TermKind::Subscript(a, i) => {
            term(a, SUFFIX, f)?;
            write!(f, "[{i}]")
        }
        TermKind::Deref(a) => {
            f.write_char('*')?;
            term(a, UNARY, f)
        }
        TermKind::Apply(function, args) => {
            f.write_str(function.name())?;
            list(args, f)
        }
        TermKind::SizeOf(t) => write!(f, "sizeof({t})"),
        TermKind::Cast(to, a) => {
            write!(f, "({})", to.name())?;
            term(a, UNARY, f)
        }
        TermKind::Unary(op, a) => {
            let minus = |t: &ContractTerm| matches!(t.kind, TermKind::Unary(UnaryOperator::Minus, _));
            f.write_char(if *op == UnaryOperator::Minus { '-' } else { '~' })?;
            // `--` is another operator.
            term(a, if *op == UnaryOperator::Minus && minus(a) { SUFFIX } else { UNARY }, f)
        }
        TermKind::Binary(op, a, b) => {
            term(a, op.level(), f)?;
            write!(f, " {} ", op.sign())?;
            term(b, op.level() + 1, f)
        }
        TermKind::Choice(c, a, b) => {
            cond(c, OR, f)?;
            write!(f, " ? {a} : ")?;
            term(b, CHOICE, f)
        }
    }
}

pub(super) fn sign(access: MemberOperator) -> &'static str {
    match access {
        MemberOperator::Dot => ".",
        MemberOperator::Arrow => "->",
    }
}

fn list(terms: &[ContractTerm], f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('(')?;
    for (k, t) in terms.iter().enumerate() {
        if k > 0 {
            f.write_str(", ")?;
        }
        term(t, ANY, f)?;
    }
    f.write_char(')')
}

fn cond_level(c: &Cond) -> BindingLevel {
    match &c.kind {
        CondKind::Literal(_) | CondKind::Disjoint(_) => SUFFIX,
        CondKind::Compare(Comparison::Eq | Comparison::Ne, ..) => EQUALITY,
        CondKind::Compare(..) => RELATION,
        CondKind::Truth(t) => level_of(t),
        CondKind::Not(_) => UNARY,
        CondKind::And(_) => AND,
        CondKind::Or(_) => OR,
        CondKind::Implies(..) => IMPLIES,
        CondKind::Choice(..) => CHOICE,
        CondKind::Forall(_) => ANY,
    }
}

fn cond(c: &Cond, least: BindingLevel, f: &mut Formatter<'_>) -> fmt::Result {
    if cond_level(c) < least {
        f.write_char('(')?;
        cond(c, ANY, f)?;
        return f.write_char(')');
    }
    match &c.kind {
        CondKind::Literal(b) => write!(f, "{b}"),
        CondKind::Compare(op, a, b) => {
            term(a, RELATION + 1, f)?;
            write!(f, " {} ", op.sign())?;
            term(b, RELATION + 1, f)
        }
        CondKind::Truth(t) => term(t, least, f),
        CondKind::Not(a) => {
            f.write_char('!')?;
            cond(a, UNARY, f)
        }
        CondKind::And(all) => chain(all, " && ", AND, f),
        CondKind::Or(all) => chain(all, " || ", OR, f),
        CondKind::Implies(a, b) => {
            cond(a, CHOICE, f)?;
            f.write_str(" ==> ")?;
            // An implication is only followed by a closing bracket or the end.
            cond(b, if matches!(b.kind, CondKind::Forall(_)) { ANY } else { IMPLIES }, f)
        }
        CondKind::Choice(c, a, b) => {
            cond(c, OR, f)?;
            write!(f, " ? {a} : ")?;
            cond(b, CHOICE, f)
        }
        CondKind::Forall(all) => {
            let close = if all.closed { ']' } else { ')' };
            write!(f, "forall {} in [{}, {}{close}: {}", all.variable, all.from, all.to, all.body)
        }
        CondKind::Disjoint(all) => {
            f.write_str("disjoint")?;
            list(all, f)
        }
    }
}

fn chain(all: &[Cond], between: &str, level: BindingLevel, f: &mut Formatter<'_>) -> fmt::Result {
    for (k, c) in all.iter().enumerate() {
        if k > 0 {
            f.write_str(between)?;
        }
        cond(c, level + 1, f)?;
    }
    Ok(())
}

/// The condition as a TOML string in quotation marks.
#[must_use]
pub fn toml(c: &Cond) -> String {
    let text = c.to_string();
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' | '\\' => out.extend(['\\', ch]),
            // Other characters that TOML requires to be escaped.
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
