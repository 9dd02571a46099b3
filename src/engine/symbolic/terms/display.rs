//! Terms as C-like expressions, for messages and dumps.

use super::arena::Arena;
use super::functions::UninterpretedFunction;
use super::term::{Term, TermId};

/// Maximum depth and number of parts of a shown term: a larger term is shown less deeply. Shared subterms count each
/// time.
const DEPTH: u32 = 12;
const PARTS: u32 = 60;

/// Formats a term as a C-like expression.
#[must_use]
pub fn term(a: &Arena, t: TermId) -> String {
    let shown = (2..=DEPTH).rev().map(|depth| {
        let mut shown = DisplayedTerm { a, left: PARTS };
        let text = shown.part(t, 0, depth);
        (shown.left > 0, text)
    });
    let mut last = String::new();
    for (whole, text) in shown {
        if whole {
            return text;
        }
        last = text;
    }
    last
}

struct DisplayedTerm<'a> {
    a: &'a Arena,
    left: u32,
}

impl DisplayedTerm<'_> {
    /// Formats a part; `level` is 0 in a sum, 1 in a product, 2 in an atom.
    fn part(&mut self, t: TermId, level: u8, depth: u32) -> String {
        if depth == 0 || self.left == 0 {
            return "…".into();
        }
        self.left -= 1;
        let d = depth - 1;
        let paren = |s: String, need: bool| if need { format!("({s})") } else { s };
        match self.a.get(t) {
            Term::Int(v) => v.to_string(),
            Term::Sym(s) | Term::BoolSym(s) => self.a.symbol(*s).name.clone(),
            Term::Poly(p) => {
                let mut out = String::new();
                // Highest degree first, the constant last.
                let mut terms: Vec<_> = p.terms.iter().collect();
                terms.sort_by_key(|(m, _)| std::cmp::Reverse(m.len()));
                let many = terms.len() > 1;
                for (i, (m, c)) in terms.iter().enumerate() {
                    if i > 10 {
                        out.push_str(" + …");
                        break;
                    }
                    let sign = if *c < 0 { "-" } else { "+" };
                    if i == 0 {
                        if *c < 0 {
                            out.push('-');
                        }
                    } else {
                        out.push_str(&format!(" {sign} "));
                    }
                    let k = c.unsigned_abs();
                    let mut factors: Vec<String> = vec![];
                    if k != 1 || m.is_empty() {
                        factors.push(k.to_string());
                    }
                    for x in m {
                        factors.push(self.part(*x, 2, d));
                    }
                    out.push_str(&factors.join(" * "));
                }
                paren(out, level > 0 && (many || level > 1))
            }
            Term::Div(x, y) => paren(format!("{} / {}", self.part(*x, 2, d), self.part(*y, 2, d)), level > 0),
            Term::Rem(x, y) => paren(format!("{} % {}", self.part(*x, 2, d), self.part(*y, 2, d)), level > 0),
            Term::FloorDiv(x, c) => paren(format!("{} / {c}", self.part(*x, 2, d)), level > 0),
            Term::Mod(x, c) => paren(format!("{} % {c}", self.part(*x, 2, d)), level > 0),
            Term::Ite(c, x, y) => {
                format!("({} ? {} : {})", self.part(*c, 0, d), self.part(*x, 0, d), self.part(*y, 0, d))
            }
            Term::Wrap { arg, .. } => self.part(*arg, level, depth),
            Term::BitAnd(x, y, _) => format!("({} & {})", self.part(*x, 2, d), self.part(*y, 2, d)),
            Term::BitOr(x, y, _) => format!("({} | {})", self.part(*x, 2, d), self.part(*y, 2, d)),
            Term::BitXor(x, y, _) => format!("({} ^ {})", self.part(*x, 2, d), self.part(*y, 2, d)),
            Term::Pow2(x) => format!("2^{}", self.part(*x, 2, d)),
            Term::Apply { function, args, .. } => match function {
                UninterpretedFunction::Content => "a value in memory".into(),
                UninterpretedFunction::File | UninterpretedFunction::Word => "a value read from a file".into(),
                UninterpretedFunction::Round(_) => "a value that a loop wrote".into(),
                UninterpretedFunction::Reading { .. } if args.len() == 1 => self.part(args[0], level, depth),
                _ => format!("{function}({})", args.iter().map(|x| self.part(*x, 0, d)).collect::<Vec<_>>().join(", ")),
            },
            Term::True => "true".into(),
            Term::False => "false".into(),
            Term::Le(x) => format!("{} <= 0", self.part(*x, 0, d)),
            Term::EqZ(x) => format!("{} == 0", self.part(*x, 0, d)),
            Term::Not(x) => format!("!({})", self.part(*x, 0, d)),
            Term::And(v) => v.iter().map(|x| self.part(*x, 2, d)).collect::<Vec<_>>().join(" && "),
            Term::Or(v) => format!("({})", v.iter().map(|x| self.part(*x, 2, d)).collect::<Vec<_>>().join(" || ")),
        }
    }
}
