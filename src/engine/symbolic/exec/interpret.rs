//! Interpretation: the number that the machine reads of a representative, signed or unsigned.
//!
//! A representative is congruent to the machine's value; where that is compared, divided, extended or used as an offset it must lie in the range
//! of the interpretation. A [`Term::Wrap`] says so where the range does not show it: these are the range obligations.

use super::executor::Executor;
use crate::symbolic::terms::functions::Function;
use crate::symbolic::terms::interval::{Range, WIDEST};
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

impl Executor<'_> {
    /// A number that the user gives, kept in so many bits: one of the user's choice too. Anything else as it is.
    pub(super) fn narrowed_input(&mut self, t: TermId, bits: u32) -> TermId {
        if Range::of_int(bits, true).contains(self.arena.range(t)) {
            return t;
        }
        let Term::Sym(s) = self.arena.get(t) else { return t };
        match &self.arena.symbol(*s).kind {
            SymKind::Input(source @ (InputSource::Argv(_) | InputSource::Read { .. } | InputSource::Word { .. })) => {
                let source = source.clone();
                self.input_kept_in(t, source, bits)
            }
            _ => t,
        }
    }

    /// Reads a representative as a signed or unsigned integer of so many bits. Values that are opaque anyway get an
    /// exact range rather than a range obligation.
    pub fn interpret(&mut self, t: TermId, bits: u32, signed: bool) -> TermId {
        let want = Range::of_int(bits, signed);
        if want.contains(self.arena.range(t)) {
            return t;
        }
        if bits > WIDEST && !matches!(self.arena.get(t), Term::Ite(..)) {
            return self.arena.wrap(t, bits, signed);
        }
        match self.arena.get(t) {
            Term::Sym(s)
                if !signed && self.loaded.contains_key(s) && self.arena.range(t) == Range::of_int(bits, true) =>
            {
                return self.as_unsigned(t, bits);
            }
            Term::Sym(s) => {
                let kind = self.arena.symbol(*s).kind.clone();
                match kind {
                    // A number read as `long` and kept in an `int` is an `int` of the user's choice.
                    SymKind::Input(
                        src @ (InputSource::Argv(_) | InputSource::Read { .. } | InputSource::Word { .. }),
                    ) if signed && bits < 64 => return self.input_kept_in(t, src, bits),
                    SymKind::Unknown { .. } | SymKind::Content { .. } if self.arena.is_opaque(t) => {
                        return self.reinterpret(t, bits, signed, want);
                    }
                    _ => {}
                }
            }
            Term::Apply { function: Function::Content, .. } => return self.reinterpret(t, bits, signed, want),
            Term::Apply { function, .. }
                if function.is_file() && !signed && self.arena.range(t) == Range::of_int(bits, true) =>
            {
                return self.as_unsigned(t, bits);
            }
            // Bits of numbers none of which wrapped, read as a signed number again: two's complement, which is no wrap.
            Term::BitAnd(a, b, width) | Term::BitOr(a, b, width) | Term::BitXor(a, b, width)
                if signed
                    && (bits..=WIDEST).contains(width)
                    && ![*a, *b].iter().any(|t| matches!(self.arena.get(*t), Term::Wrap { .. })) =>
            {
                let width = *width;
                return self.as_signed(t, width, bits);
            }
            Term::Ite(..) => return self.interpret_arms(t, bits, signed, &mut FxHashMap::default()),
            _ => {}
        }
        self.arena.wrap(t, bits, signed)
    }

    /// Both arms separately: `i < 0 ? 0 : i`. Choices share their arms: each is looked at once.
    pub(super) fn interpret_arms(
        &mut self,
        t: TermId,
        bits: u32,
        signed: bool,
        done: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        if let Some(known) = done.get(&t) {
            return *known;
        }
        let read = match *self.arena.get(t) {
            Term::Ite(c, a, b) if !Range::of_int(bits, signed).contains(self.arena.range(t)) => {
                let (x, y) = (self.interpret_arms(a, bits, signed, done), self.interpret_arms(b, bits, signed, done));
                self.arena.ite(c, x, y)
            }
            _ => self.interpret(t, bits, signed),
        };
        done.insert(t, read);
        read
    }

    /// The bits of a signed number read as an unsigned one.
    pub(super) fn as_unsigned(&mut self, t: TermId, bits: u32) -> TermId {
        let (zero, other) = (self.arena.int(0), self.arena.add_const(t, 1i128 << bits));
        let negative = self.arena.lt(t, zero);
        self.arena.ite(negative, other, t)
    }

    /// So many bits of an unsigned number read as a signed one, and that as one of fewer bits.
    pub(super) fn as_signed(&mut self, t: TermId, width: u32, bits: u32) -> TermId {
        let (most, other) = (self.arena.int((1i128 << (width - 1)) - 1), self.arena.add_const(t, -(1i128 << width)));
        let negative = self.arena.lt(most, t);
        let [other, t] = if bits < width { [other, t].map(|t| self.arena.wrap(t, bits, true)) } else { [other, t] };
        self.arena.ite(negative, other, t)
    }

    pub(super) fn reinterpret(&mut self, t: TermId, bits: u32, signed: bool, range: Range) -> TermId {
        self.arena.apply(Function::Reading { bits, signed }, vec![t], range)
    }
}

#[cfg(test)]
mod tests {
    use super::{Range, SymKind, Term};
    use crate::symbolic::exec::executor::Executor;
    use base::reasons::UnknownReason;
    use ir::Program;

    #[test]
    fn choices_that_share_their_arms_are_read_once() {
        let program = Program::default();
        let mut e = Executor::new(&program);
        let unknown = || SymKind::Unknown { reason: UnknownReason::NoValue };
        let (mut t, other) = (
            e.arena.fresh(unknown(), "t", Range::of_int(64, true)),
            e.arena.fresh(unknown(), "u", Range::of_int(64, true)),
        );
        // 2^80 ways through it.
        for _ in 0..80 {
            let (c, d) = (e.arena.fresh_bool(unknown(), "c"), e.arena.fresh_bool(unknown(), "d"));
            let inner = e.arena.ite(d, t, other);
            t = e.arena.ite(c, inner, t);
        }
        let read = e.interpret(t, 32, true);
        assert!(matches!(e.arena.get(read), Term::Ite(..)) && Range::of_int(32, true).contains(e.arena.range(read)));
    }
}
