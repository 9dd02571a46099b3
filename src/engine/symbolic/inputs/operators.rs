//! Semantics of the operators in conditions that users state, in contracts and assumptions: over the integers.
//!
//! In: an operator and two numbers. Out: the result as a term, or the reason why there is none.

use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::term::TermId;
use contracts::ast::{Binary, Comparison};
use ir::FuncRef;

impl Terms {
    pub(super) fn arithmetic_said(&mut self, op: Binary, x: TermId, y: TermId) -> Result<TermId, String> {
        let a = &mut self.arena;
        Ok(match op {
            Binary::Mul => a.mul(x, y),
            Binary::Add => a.add(x, y),
            Binary::Sub => a.sub(x, y),
            Binary::Div | Binary::Rem if a.as_int(y) == Some(0) => return Err("it divides by zero".into()),
            Binary::Div => a.div(x, y),
            Binary::Rem => a.rem(x, y),
            Binary::Shl | Binary::Shr => {
                let Some(n @ 0..=62) = a.as_int(y) else {
                    return Err("it shifts by something other than a number from 0 to 62".into());
                };
                if op == Binary::Shl { a.scale(x, 1 << n) } else { a.floor_div(x, 1 << n) }
            }
            Binary::And => a.bit_and(x, y, 64),
            Binary::Or => a.bit_or(x, y, 64),
            Binary::Xor => a.bit_xor(x, y, 64),
        })
    }

    pub(super) fn comparison_said(&mut self, op: Comparison, x: TermId, y: TermId) -> TermId {
        match op {
            Comparison::Lt => self.arena.lt(x, y),
            Comparison::Le => self.arena.le(x, y),
            Comparison::Gt => self.arena.lt(y, x),
            Comparison::Ge => self.arena.le(y, x),
            Comparison::Eq => self.arena.eq(x, y),
            Comparison::Ne => self.arena.ne(x, y),
        }
    }

    /// Returns the least integer that is at least `a / b`; unspecified if the divisor is 0.
    pub(super) fn rounded_up(&mut self, a: TermId, b: TermId) -> TermId {
        let zero = self.arena.int(0);
        let negative = self.arena.lt(b, zero);
        let (minus_a, minus_b) = (self.arena.neg(a), self.arena.neg(b));
        let (a, b) = (self.arena.ite(negative, minus_a, a), self.arena.ite(negative, minus_b, b));
        // C's division rounds towards zero: up where the quotient is negative.
        let more = self.arena.add(a, b);
        let more = self.arena.add_const(more, -1);
        let (up, towards_zero) = (self.arena.div(more, b), self.arena.div(a, b));
        let positive = self.arena.lt(zero, a);
        self.arena.ite(positive, up, towards_zero)
    }
}

impl ValueDomain<'_> {
    pub(super) fn no_such_name(&self, f: FuncRef, name: &str) -> String {
        let func = self.program.func(f);
        let mut names: Vec<_> = func
            .params
            .iter()
            .map(ir::Param::source_name)
            .filter(|n| !n.is_empty())
            .map(|n| format!("`{n}`"))
            .collect();
        names.dedup();
        let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("`{}` has no parameter `{name}`; it has {has}", func.display)
    }
}
