//! Interpretation: the signed or unsigned number that the machine reads from a representative.
//!
//! A representative is congruent to the machine's value; where it is compared, divided, extended or used as an offset,
//! it must lie in the range of the interpretation. If the range does not show this, a [`Term::Wrap`] states it: these
//! are the range obligations.

use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::{Interval, WIDEST};
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

impl ValueDomain<'_> {
    /// Returns a number of the user in a type of `bits` bits: again a number of the user's choice. Returns other terms
    /// unchanged.
    pub(super) fn narrowed_input(&mut self, t: TermId, bits: u32) -> TermId {
        if Interval::of_int(bits, true).contains(self.arena.range(t)) {
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

    /// Reads a representative as a signed or unsigned integer of `bits` bits. Opaque values get an exact range instead
    /// of a range obligation.
    pub fn interpret(&mut self, t: TermId, bits: u32, signed: bool) -> TermId {
        let want = Interval::of_int(bits, signed);
        if want.contains(self.arena.range(t)) {
            return t;
        }
        if bits > WIDEST && !matches!(self.arena.get(t), Term::Ite(..)) {
            return self.arena.wrap(t, bits, signed);
        }
        match self.arena.get(t) {
            Term::Sym(s)
                if !signed && self.loaded.contains_key(s) && self.arena.range(t) == Interval::of_int(bits, true) =>
            {
                return self.as_unsigned(t, bits);
            }
            Term::Sym(s) => {
                let kind = self.arena.symbol(*s).kind.clone();
                match kind {
                    // A number read as `long` and stored in an `int` is an `int` of the user's choice.
                    SymKind::Input(
                        src @ (InputSource::Argv(_) | InputSource::Read { .. } | InputSource::Word { .. }),
                    ) if signed && bits < 64 => return self.input_kept_in(t, src, bits),
                    SymKind::Unknown { .. } | SymKind::Content { .. } if self.arena.is_opaque(t) => {
                        return self.reinterpret(t, bits, signed, want);
                    }
                    _ => {}
                }
            }
            Term::Apply { function: UninterpretedFunction::Content, .. } => {
                return self.reinterpret(t, bits, signed, want);
            }
            Term::Apply { function, .. }
                if function.is_file() && !signed && self.arena.range(t) == Interval::of_int(bits, true) =>
            {
                return self.as_unsigned(t, bits);
            }
            // Bitwise results of numbers that did not wrap, read as a signed number again: two's complement, which is
            // no wrap.
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

    /// Interprets both arms separately: `i < 0 ? 0 : i`. Choices share their arms: each is visited once.
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
            Term::Ite(c, a, b) if !Interval::of_int(bits, signed).contains(self.arena.range(t)) => {
                let (x, y) = (self.interpret_arms(a, bits, signed, done), self.interpret_arms(b, bits, signed, done));
                self.arena.ite(c, x, y)
            }
            _ => self.interpret(t, bits, signed),
        };
        done.insert(t, read);
        read
    }
}

impl Terms {
    /// Reads the bits of a signed number as an unsigned one.
    pub(super) fn as_unsigned(&mut self, t: TermId, bits: u32) -> TermId {
        let (zero, other) = (self.arena.int(0), self.arena.add_const(t, 1i128 << bits));
        let negative = self.arena.lt(t, zero);
        self.arena.ite(negative, other, t)
    }

    /// Reads the lowest `width` bits of an unsigned number as a signed number, and that as one of `bits` bits.
    pub(super) fn as_signed(&mut self, t: TermId, width: u32, bits: u32) -> TermId {
        let (most, other) = (self.arena.int((1i128 << (width - 1)) - 1), self.arena.add_const(t, -(1i128 << width)));
        let negative = self.arena.lt(most, t);
        let [other, t] = if bits < width { [other, t].map(|t| self.arena.wrap(t, bits, true)) } else { [other, t] };
        self.arena.ite(negative, other, t)
    }

    pub(super) fn reinterpret(&mut self, t: TermId, bits: u32, signed: bool, range: Interval) -> TermId {
        self.arena.apply(UninterpretedFunction::Reading { bits, signed }, vec![t], range)
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, SymKind, Term};
    use crate::symbolic::exec::executor::Executor;
    use crate::symbolic::exec::library::NoLibrary;
    use base::reasons::UnknownReason;
    use ir::Program;

    #[test]
    fn choices_that_share_their_arms_are_read_once() {
        let program = Program::default();
        let mut e = Executor::new(&program, &NoLibrary);
        let unknown = || SymKind::Unknown { reason: UnknownReason::NoValue };
        let (mut t, other) = (
            e.arena.fresh(unknown(), "t", Interval::of_int(64, true)),
            e.arena.fresh(unknown(), "u", Interval::of_int(64, true)),
        );
        // There are 2^80 paths through it.
        for _ in 0..80 {
            let (c, d) = (e.arena.fresh_bool(unknown(), "c"), e.arena.fresh_bool(unknown(), "d"));
            let inner = e.arena.ite(d, t, other);
            t = e.arena.ite(c, inner, t);
        }
        let read = e.interpret(t, 32, true);
        assert!(matches!(e.arena.get(read), Term::Ite(..)) && Interval::of_int(32, true).contains(e.arena.range(read)));
    }
}
