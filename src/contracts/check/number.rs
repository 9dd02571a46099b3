//! Translates terms to C integers.
//!
//! In: a term. Out: its text with the necessary casts, a bound on its size, and the conditions under which it is
//! defined.

use super::{CheckWriter, Comparison, NoCheckReason, PrintedExpr, Width};
use crate::ast::{Binary, ContractFunction, ContractTerm, Span, TermKind, UnaryOperator};
use crate::print::{AND, CHOICE, OR, RELATION, SUFFIX, UNARY};

/// Bound of exact numbers: one of at most 2 to this power is distinguishable from a saturated one.
pub(super) const EXACT: u32 = 125;
const WIDE: &str = "(__int128)";

/// A number in C.
#[derive(Clone, Debug)]
pub(super) struct CNumber {
    pub text: PrintedExpr,
    /// The absolute value is at most 2 to this power. For a saturating number: the bound of what was added to the
    /// product.
    pub bits: u32,
    /// Whether the type is `__int128`.
    wide: bool,
    /// Signedness of a type that is not wide; `None` if unknown.
    signed: Option<bool>,
    /// Whether the number is nonnegative and fits every C type at least as wide as `int`.
    small: bool,
    /// Whether the nearest representable number replaces one that does not fit.
    pub saturates: bool,
}

/// Conditions under which a term is defined. Each one assumes those before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards(Vec<PrintedExpr>);

impl Guards {
    fn all(self) -> Option<PrintedExpr> {
        let one = self.0.len() == 1;
        let parts: Vec<String> = self.0.into_iter().map(|g| g.at(AND + 1)).collect();
        (!parts.is_empty()).then(|| PrintedExpr(parts.join(" && "), if one { AND + 1 } else { AND }))
    }

    /// Guards `text`: where a condition is false, the result makes the whole expression false.
    pub(super) fn around(self, text: PrintedExpr, positive: bool) -> PrintedExpr {
        match self.all() {
            None => text,
            Some(all) if positive => PrintedExpr(format!("{} && {}", all.at(AND), text.at(AND + 1)), AND),
            Some(all) => PrintedExpr(format!("!({}) || {}", all.0, text.at(AND + 1)), OR),
        }
    }
}

impl CNumber {
    pub(super) fn leaf(text: PrintedExpr, width: Option<Width>) -> Self {
        let bits = width.map_or(64, |w| if w.signed { w.bits - 1 } else { w.bits });
        // A type narrower than `int` is promoted to it.
        let signed = width.map(|w| w.signed || w.bits < 32);
        Self { text, bits, wide: false, signed, small: false, saturates: false }
    }

    fn literal(v: i128, span: Span) -> Result<Self, NoCheckReason> {
        let size = u64::try_from(v.unsigned_abs()).map_err(|_| NoCheckReason::TooWide(span))?;
        let suffix = match size {
            0..=0x7fff_ffff => "",
            0x8000_0000..=0x7fff_ffff_ffff_ffff => "LL",
            _ if v < 0 => return Err(NoCheckReason::TooWide(span)),
            _ => "ULL",
        };
        let level = if v < 0 { UNARY } else { SUFFIX };
        let (bits, signed) = (64 - size.leading_zeros(), Some(suffix != "ULL"));
        let text = PrintedExpr(format!("{v}{suffix}"), level);
        Ok(Self { text, bits, wide: false, signed, small: v >= 0 && suffix.is_empty(), saturates: false })
    }

    fn wide(text: PrintedExpr, bits: u32) -> Self {
        Self { text, bits, wide: true, signed: Some(true), small: false, saturates: false }
    }

    /// Casts to `__int128`.
    fn cast(self) -> Self {
        if self.wide {
            return self;
        }
        Self {
            wide: true,
            signed: Some(true),
            text: PrintedExpr(format!("{WIDE}{}", self.text.at(UNARY)), UNARY),
            ..self
        }
    }

    /// Converts both numbers so that C compares them without changing a value.
    pub(super) fn alike(self, other: Self) -> (Self, Self) {
        let same = self.signed.is_some() && self.signed == other.signed;
        let fine = self.wide || other.wide || same || self.small || other.small;
        if fine { (self, other) } else { (self.cast(), other) }
    }
}

impl CheckWriter<'_> {
    pub(super) fn number(&mut self, t: &ContractTerm, guards: &mut Guards) -> Result<CNumber, NoCheckReason> {
        if self.leaves.text(t).is_some() {
            return self.operand(t, guards);
        }
        match &t.kind {
            TermKind::Int(v) => CNumber::literal(*v, t.span),
            TermKind::Cast(_, a) => self.number(a, guards),
            TermKind::Unary(op, a) => {
                if let (UnaryOperator::Minus, TermKind::Int(v)) = (op, &a.kind) {
                    return CNumber::literal(-v, t.span);
                }
                let a = self.number(a, guards)?.cast();
                let (sign, bits) = if *op == UnaryOperator::Minus { ('-', a.bits) } else { ('~', a.bits + 1) };
                let saturates = a.saturates;
                // Saturation has the same limit for both signs.
                if bits > 126 || (saturates && *op == UnaryOperator::Complement) {
                    return Err(NoCheckReason::TooWide(t.span));
                }
                let inner = a.text.at(UNARY);
                let inner = if inner.starts_with('-') { format!("({inner})") } else { inner };
                Ok(CNumber { saturates, ..CNumber::wide(PrintedExpr(format!("{sign}{inner}"), UNARY), bits) })
            }
            TermKind::Binary(op, a, b) => {
                let (a, b) = (self.number(a, guards)?, self.number(b, guards)?);
                self.binary(*op, a, b, t.span, guards)
            }
            TermKind::Apply(ContractFunction::Min, args) => self.extreme(Comparison::Lt, args, guards),
            TermKind::Apply(ContractFunction::Max, args) => self.extreme(Comparison::Gt, args, guards),
            TermKind::Apply(ContractFunction::Abs, args) => {
                let [a] = &args[..] else { return Err(NoCheckReason::TooWide(t.span)) };
                let a = exact(self.number(a, guards)?.cast(), t.span)?;
                let (low, high) = (a.text.clone().at(UNARY), a.text.clone().at(RELATION + 1));
                let inner = if low.starts_with('-') { format!("({low})") } else { low };
                Ok(CNumber::wide(PrintedExpr(format!("{high} < 0 ? -{inner} : {}", a.text.at(CHOICE)), CHOICE), a.bits))
            }
            TermKind::Apply(ContractFunction::CeilDiv, args) => {
                let [a, b] = &args[..] else { return Err(NoCheckReason::TooWide(t.span)) };
                let a = exact(self.number(a, guards)?.cast(), t.span)?;
                let b = exact(self.number(b, guards)?, t.span)?;
                not_zero(&b, guards);
                let (bits, sum) = (a.bits + 1, Binary::Add.level());
                let (a, positive) = (a.text.at(UNARY), b.small);
                let b = if positive { b.text } else { b.cast().text }.at(UNARY);
                let above = if positive {
                    format!("({a} % {b} > 0)")
                } else {
                    format!("({a} % {b} != 0 && ({a} < 0) == ({b} < 0))")
                };
                Ok(CNumber::wide(PrintedExpr(format!("{a} / {b} + {above}"), sum), bits))
            }
            TermKind::Choice(c, a, b) => {
                let (surely, maybe) = (self.cond(c, true)?, self.cond(c, false)?);
                let (mut left, mut right) = (Guards::default(), Guards::default());
                let a = exact(self.number(a, &mut left)?, t.span)?.cast();
                let b = exact(self.number(b, &mut right)?, t.span)?;
                if surely != maybe {
                    let known = format!("{} || !{}", surely.clone().at(AND + 1), maybe.at(UNARY));
                    guards.0.push(PrintedExpr(known, OR));
                }
                let surely = surely.at(OR);
                if let (left, right) = (left.all(), right.all())
                    && (left.is_some() || right.is_some())
                {
                    let text = |g: Option<PrintedExpr>| g.map_or_else(|| "1".to_owned(), |g| g.at(CHOICE));
                    guards.0.push(PrintedExpr(format!("{surely} ? {} : {}", text(left), text(right)), CHOICE));
                }
                let text = format!("{surely} ? {} : {}", a.text.at(CHOICE), b.text.at(CHOICE));
                Ok(CNumber::wide(PrintedExpr(text, CHOICE), a.bits.max(b.bits)))
            }
            TermKind::Launch(_) | TermKind::Apply(..) => {
                Err(NoCheckReason::NotAtRunTime { what: t.to_string(), span: t.span })
            }
            _ => self.operand(t, guards),
        }
    }

    fn binary(
        &mut self,
        op: Binary,
        a: CNumber,
        b: CNumber,
        span: Span,
        guards: &mut Guards,
    ) -> Result<CNumber, NoCheckReason> {
        let level = op.level();
        // GCC warns of sums within shifts without parentheses.
        let least = if op == Binary::Shr { UNARY } else { level };
        let infix = |a: CNumber, b: CNumber, bits| {
            let (a, b) = (a.cast().text.at(least), b.text.at(least.max(level + 1)));
            CNumber::wide(PrintedExpr(format!("{a} {} {b}", op.sign()), level), bits)
        };
        match op {
            Binary::Mul | Binary::Add | Binary::Sub => self.sum_or_product(op, a, b, span),
            _ if a.saturates || b.saturates => Err(NoCheckReason::TooWide(span)),
            Binary::Div | Binary::Rem => {
                not_zero(&b, guards);
                let bits = if op == Binary::Div { a.bits } else { a.bits.min(b.bits) };
                // The result has a type that also holds `b`.
                if b.small && !a.wide {
                    let text = PrintedExpr(format!("{} {} {}", a.text.at(level), op.sign(), b.text.0), level);
                    return Ok(CNumber { text, bits, small: false, ..a });
                }
                Ok(infix(a, b, bits))
            }
            Binary::Shl => {
                let by = b.text.0.parse::<u32>().ok().filter(|by| *by < 63).ok_or(NoCheckReason::TooWide(span))?;
                let factor = CNumber::literal(1 << by, span)?;
                self.sum_or_product(Binary::Mul, a, factor, span)
            }
            Binary::Shr => {
                let bits = a.bits;
                if b.small && b.text.0.parse::<u32>().is_ok_and(|by| by < 128) {
                    return Ok(infix(a, b, bits));
                }
                let by = b.cast().text.at(RELATION + 1);
                guards.0.push(PrintedExpr(format!("{by} >= 0"), RELATION));
                let by = CNumber::wide(PrintedExpr(format!("{by} < 127 ? {by} : 127"), CHOICE), 7);
                Ok(infix(a, by, bits))
            }
            Binary::And | Binary::Xor | Binary::Or => {
                let bits = a.bits.max(b.bits) + 1;
                if bits > 126 {
                    return Err(NoCheckReason::TooWide(span));
                }
                // GCC warns of arithmetic next to them without parentheses.
                let text = format!("{} {} {}", a.cast().text.at(UNARY), op.sign(), b.text.at(UNARY));
                Ok(CNumber::wide(PrintedExpr(text, level), bits))
            }
        }
    }

    fn sum_or_product(&mut self, op: Binary, a: CNumber, b: CNumber, span: Span) -> Result<CNumber, NoCheckReason> {
        let bits = if op == Binary::Mul { a.bits + b.bits } else { a.bits.max(b.bits) + 1 };
        let level = op.level();
        if bits <= 126 && !a.saturates && !b.saturates {
            let text = format!("{} {} {}", a.cast().text.at(level), op.sign(), b.text.at(level + 1));
            return Ok(CNumber::wide(PrintedExpr(text, level), bits));
        }
        self.saturates = true;
        let call = |name: &str, a: CNumber, b: String, bits| CNumber {
            saturates: true,
            ..CNumber::wide(PrintedExpr(format!("{name}({}, {b})", a.text.at(0)), SUFFIX), bits)
        };
        if op == Binary::Mul {
            let slack = if a.saturates { a.bits } else { 0 }.max(if b.saturates { b.bits } else { 0 });
            let b = b.text.at(0);
            return Ok(call("scuba_mul", a, b, slack));
        }
        // One saturated summand and one distinguishable from it.
        if bits > EXACT || a.saturates == b.saturates {
            return Err(NoCheckReason::TooWide(span));
        }
        let b = if op == Binary::Sub { format!("-{}", b.cast().text.at(SUFFIX)) } else { b.text.at(0) };
        Ok(call("scuba_add", a, b, bits))
    }

    fn extreme(
        &mut self,
        op: Comparison,
        args: &[ContractTerm],
        guards: &mut Guards,
    ) -> Result<CNumber, NoCheckReason> {
        let mut out: Option<CNumber> = None;
        for t in args {
            let b = exact(self.number(t, guards)?, t.span)?.cast();
            out = Some(match out {
                None => b,
                Some(a) => {
                    let bits = a.bits.max(b.bits);
                    let (x, y) = (a.text.clone().at(RELATION + 1), b.text.clone().at(RELATION + 1));
                    let (a, b) = (a.text.at(CHOICE + 1), b.text.at(CHOICE));
                    CNumber::wide(PrintedExpr(format!("{x} {} {y} ? {a} : {b}", op.sign()), CHOICE), bits)
                }
            });
            if out.as_ref().is_some_and(|n| n.text.0.len() > super::LONGEST) {
                return Err(NoCheckReason::TooLong);
            }
        }
        out.ok_or(NoCheckReason::TooWide(Span::default()))
    }
}

fn exact(n: CNumber, span: Span) -> Result<CNumber, NoCheckReason> {
    if n.saturates || n.bits > EXACT { Err(NoCheckReason::TooWide(span)) } else { Ok(n) }
}

fn not_zero(b: &CNumber, guards: &mut Guards) {
    if !(b.small && b.text.0 != "0") {
        guards.0.push(PrintedExpr(format!("{} != 0", b.text.clone().at(RELATION + 1)), RELATION));
    }
}
