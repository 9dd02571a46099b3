//! Translates conditions to C expressions that are true if the condition holds.
//!
//! In: a condition, and the program's spelling of its leaves ([`Leaves`]). Out: an expression, or the reason why
//! there is none. In the expression nothing wraps, no divisor is zero, and no signed integer is converted to an
//! unsigned one. Sums and products are `__int128`, which GCC, clang and nvcc (from 11.5 on in device code) support.
//! If not even that suffices (three sizes of 64 bits), products saturate: [`SATURATING`].

use super::ast::{Comparison, Cond, CondKind, ContractTerm, MemberOperator, Sort, Span, TermKind};
use super::print::{AND, ANY, BindingLevel, CHOICE, EQUALITY, OR, RELATION, SUFFIX, UNARY, sign};
use number::{CNumber, EXACT, Guards};

mod number;

/// Host functions that a check with [`Check::saturates`] calls; define them once per file.
pub const SATURATING: &str = "\
/* The product and the sum, or the nearest number of 128 bits where they do not fit. */
static inline __int128 scuba_mul(__int128 a, __int128 b) {
  const __int128 most = (__int128)(~(unsigned __int128)0 >> 1);
  __int128 out;
  if (!__builtin_mul_overflow(a, b, &out) && out >= -most) return out;
  return (a < 0) == (b < 0) ? most : -most;
}
static inline __int128 scuba_add(__int128 a, __int128 b) {
  const __int128 most = (__int128)(~(unsigned __int128)0 >> 1);
  __int128 out;
  if (!__builtin_add_overflow(a, b, &out) && out >= -most) return out;
  return a > 0 ? most : -most;
}
";
/// Longest expression in bytes; a longer one is not worth pasting.
const LONGEST: usize = 1 << 14;

/// C type of a name, a member or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Width in bits, 1 to 64.
    pub bits: u32,
    pub signed: bool,
}

/// The program's spelling of a contract's leaves.
pub trait Leaves {
    /// Text of a term in the program if it differs from the contract's, such as `x.numel()` for `elements(x)`. It
    /// must bind like a call. Extents, launch terms and sizes of types that C does not know need one.
    fn text(&self, term: &ContractTerm) -> Option<String>;
    /// C type of a term that is read or called; `None` if unknown.
    fn width(&self, term: &ContractTerm) -> Option<Width>;
    /// Spelling of the null pointer: `NULL` in C.
    fn null(&self) -> &'static str {
        "nullptr"
    }
}

/// A condition as C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// An expression whose operators bind at least as tightly as `||`.
    pub text: String,
    /// Whether it calls [`SATURATING`].
    pub saturates: bool,
}

/// Reason why a condition has no check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCheckReason {
    #[error("`{what}` cannot be evaluated at run time")]
    NotAtRunTime { what: String, span: Span },
    #[error("`forall` needs a loop")]
    Loop(Span),
    #[error("numbers in it do not fit into 128 bits")]
    TooWide(Span),
    #[error("its expression is longer than {LONGEST} bytes")]
    TooLong,
}

/// Translates a resolved condition to a C expression. In an unresolved one, every name is taken for an integer.
///
/// # Errors
/// If the condition needs a loop, an extent that the program does not know, or more than 128 bits.
pub fn check(c: &Cond, leaves: &dyn Leaves) -> Result<Check, NoCheckReason> {
    let mut w = CheckWriter { leaves, saturates: false };
    let text = w.cond(c, true)?.at(OR);
    Ok(Check { text, saturates: w.saturates })
}

/// Text and its binding level.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PrintedExpr(String, BindingLevel);

impl PrintedExpr {
    /// Adds parentheses if the text binds less tightly than `least`.
    fn at(self, least: BindingLevel) -> String {
        if self.1 < least { format!("({})", self.0) } else { self.0 }
    }
}

struct CheckWriter<'a> {
    leaves: &'a dyn Leaves,
    saturates: bool,
}

impl CheckWriter<'_> {
    /// Translates `c`. Where `c` is undefined, the result is false if `positive`, otherwise true. The whole
    /// expression is therefore false there, under any number of negations.
    fn cond(&mut self, c: &Cond, positive: bool) -> Result<PrintedExpr, NoCheckReason> {
        let text = match &c.kind {
            CondKind::Literal(b) => PrintedExpr(if *b { "1" } else { "0" }.to_owned(), SUFFIX),
            CondKind::Compare(op, a, b) => {
                let mut guards = Guards::default();
                let text = self.comparison(*op, a, b, &mut guards)?;
                guards.around(text, positive)
            }
            CondKind::Truth(t) => {
                let mut guards = Guards::default();
                let n = self.operand(t, &mut guards)?;
                guards.around(n.text, positive)
            }
            CondKind::Not(a) => PrintedExpr(format!("!{}", self.cond(a, !positive)?.at(UNARY)), UNARY),
            CondKind::And(all) => self.chain(all, " && ", AND, positive)?,
            CondKind::Or(all) => self.chain(all, " || ", OR, positive)?,
            CondKind::Implies(a, b) => {
                let (a, b) = (self.cond(a, !positive)?.at(UNARY), self.cond(b, positive)?.at(AND + 1));
                PrintedExpr(format!("!{a} || {b}"), OR)
            }
            CondKind::Choice(c, a, b) => {
                let (surely, maybe) = (self.cond(c, true)?, self.cond(c, false)?);
                let (a, b) = (self.cond(a, positive)?, self.cond(b, positive)?);
                let b = match (surely == maybe, positive) {
                    (true, _) => b.at(CHOICE),
                    (false, true) => format!("!{} && {}", maybe.at(UNARY), b.at(AND + 1)),
                    (false, false) => format!("{} || {}", maybe.at(AND + 1), b.at(AND + 1)),
                };
                PrintedExpr(format!("{} ? {} : {b}", surely.at(OR), a.at(ANY)), CHOICE)
            }
            CondKind::Forall(_) => return Err(NoCheckReason::Loop(c.span)),
            CondKind::Disjoint(_) => return Err(NoCheckReason::NotAtRunTime { what: c.to_string(), span: c.span }),
        };
        if text.0.len() > LONGEST { Err(NoCheckReason::TooLong) } else { Ok(text) }
    }

    fn chain(
        &mut self,
        all: &[Cond],
        between: &str,
        level: BindingLevel,
        positive: bool,
    ) -> Result<PrintedExpr, NoCheckReason> {
        // GCC warns of `&&` within `||` without parentheses.
        let parts = all.iter().map(|c| Ok(self.cond(c, positive)?.at(AND + 1)));
        Ok(PrintedExpr(parts.collect::<Result<Vec<_>, _>>()?.join(between), level))
    }

    fn comparison(
        &mut self,
        op: Comparison,
        a: &ContractTerm,
        b: &ContractTerm,
        guards: &mut Guards,
    ) -> Result<PrintedExpr, NoCheckReason> {
        let (x, y) = (self.operand(a, guards)?, self.operand(b, guards)?);
        if x.saturates && y.bits > EXACT || y.saturates && x.bits > EXACT || x.saturates && y.saturates {
            return Err(NoCheckReason::TooWide(a.span.to(b.span)));
        }
        let pointer = |t: &ContractTerm| t.sort == Sort::Pointer;
        let (x, y) = if pointer(a) || pointer(b) { (x, y) } else { x.alike(y) };
        let level = if matches!(op, Comparison::Eq | Comparison::Ne) { EQUALITY } else { RELATION };
        Ok(PrintedExpr(format!("{} {} {}", x.text.at(RELATION + 1), op.sign(), y.text.at(RELATION + 1)), level))
    }

    /// Translates a name, a member, an element or the result of a call to the program's spelling.
    fn place(&mut self, t: &ContractTerm, guards: &mut Guards) -> Result<PrintedExpr, NoCheckReason> {
        if let Some(text) = self.leaves.text(t) {
            return Ok(PrintedExpr(text, SUFFIX));
        }
        Ok(match &t.kind {
            TermKind::Name(n) => PrintedExpr(n.clone(), SUFFIX),
            TermKind::Null => PrintedExpr(self.leaves.null().to_owned(), SUFFIX),
            TermKind::Member(a, access, name) => {
                PrintedExpr(format!("{}{}{name}", self.place(a, guards)?.at(SUFFIX), sign(*access)), SUFFIX)
            }
            TermKind::Method(a, access, name, args) => {
                let of = self.place(a, guards)?.at(SUFFIX);
                let args = args.iter().map(|a| Ok(self.number(a, guards)?.text.at(ANY)));
                let args = args.collect::<Result<Vec<_>, _>>()?.join(", ");
                PrintedExpr(format!("{of}{}{name}({args})", sign(*access)), SUFFIX)
            }
            TermKind::Subscript(a, index) => {
                let (of, index) = (self.place(a, guards)?.at(SUFFIX), self.number(index, guards)?.text.at(ANY));
                PrintedExpr(format!("{of}[{index}]"), SUFFIX)
            }
            TermKind::Deref(a) => PrintedExpr(format!("*{}", self.place(a, guards)?.at(UNARY)), UNARY),
            _ => return Err(NoCheckReason::NotAtRunTime { what: t.to_string(), span: t.span }),
        })
    }

    /// Translates an integer, or a pointer in a comparison.
    fn operand(&mut self, t: &ContractTerm, guards: &mut Guards) -> Result<CNumber, NoCheckReason> {
        let known = self.leaves.text(t).is_some();
        match &t.kind {
            TermKind::SizeOf(name) if !known => {
                let width = Width { bits: 64, signed: false };
                Ok(CNumber::leaf(PrintedExpr(format!("sizeof({name})"), SUFFIX), Some(width)))
            }
            TermKind::Name(_)
            | TermKind::Null
            | TermKind::Member(_, MemberOperator::Dot | MemberOperator::Arrow, _)
            | TermKind::Method(..)
            | TermKind::Subscript(..)
            | TermKind::Deref(_) => Ok(CNumber::leaf(self.place(t, guards)?, self.leaves.width(t))),
            _ if known => Ok(CNumber::leaf(self.place(t, guards)?, self.leaves.width(t))),
            _ => self.number(t, guards),
        }
    }
}
