//! Readings of numbers around bitwise operations: signed numbers have unsigned bits, and results are read as signed.

use super::arena::Arena;
use super::interval::Interval;
use super::term::{Term, TermId};

impl Arena {
    /// Returns the bits `b`, as an unsigned number, of which a term is the signed reading: `b - 2^w` if that is
    /// negative, else `b`. Both are 0 or neither is. Other terms are returned unchanged.
    pub fn bits_of_signed(&mut self, t: TermId) -> TermId {
        let Term::Ite(negative, below, above) = *self.get(t) else { return t };
        let bits = match *self.get(above) {
            Term::Wrap { arg, signed: true, .. } => arg,
            _ => above,
        };
        let (Term::BitAnd(.., width) | Term::BitOr(.., width) | Term::BitXor(.., width)) = *self.get(bits) else {
            return t;
        };
        let (half, read) = (self.int(1 << (width - 1)), self.add_const(bits, -(1 << width)));
        // Where these readings are chosen, neither wraps.
        let is_read = |a: &mut Self, as_read: TermId, t: TermId| as_read == t || a.wrap(as_read, width, true) == t;
        let is_signed = negative == self.le(half, bits) && is_read(self, read, below) && is_read(self, bits, above);
        if is_signed { bits } else { t }
    }

    /// Returns the signed number `x` of this width whose bits a term is: `x + 2^w` if `x` is negative, else `x`.
    pub fn signed_of_bits(&mut self, t: TermId, width: u32) -> Option<TermId> {
        let Term::Ite(negative, below, x) = *self.get(t) else { return None };
        let zero = self.int(0);
        let is_reading = negative == self.lt(x, zero)
            && below == self.add_const(x, 1 << width)
            && Interval::of_int(width, true).contains(self.range(x));
        is_reading.then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::super::term::{InputSource, SymKind, wrap_value};
    use super::*;

    /// Builds the value that a machine computes: the bits of a signed number, one bit of them, read as signed.
    #[test]
    fn readings_are_taken_apart() {
        let mut a = Arena::new();
        let x = a.fresh(SymKind::Input(InputSource::Argv(1)), "x", Interval::of_int(8, true));
        let [zero, half] = [0, 128].map(|v| a.int(v));
        let (negative, below) = (a.lt(x, zero), a.add_const(x, 256));
        let bits = a.ite(negative, below, x);
        assert_eq!(a.signed_of_bits(bits, 8), Some(x));
        assert_eq!((a.signed_of_bits(bits, 16), a.signed_of_bits(x, 8)), (None, None));
        let flipped = a.ite(negative, x, below);
        assert_eq!(a.signed_of_bits(flipped, 8), None);
        let before = a.add_const(x, -1);
        let before = a.wrap(before, 8, false);
        let both = a.bit_and(bits, before, 8);
        let (top, less) = (a.le(half, both), a.add_const(both, -256));
        let wrapped = [a.wrap(less, 8, true), a.wrap(both, 8, true)];
        for [less, both_read] in [[less, both], wrapped, [less, wrapped[1]]] {
            let read = a.ite(top, less, both_read);
            assert_eq!(a.bits_of_signed(read), both);
            let Term::Sym(s) = *a.get(x) else { panic!("a symbol") };
            for v in -128..128 {
                let of = |t| (t == s).then_some(v);
                let want = wrap_value(v & (v - 1), 8, true);
                assert_eq!(a.eval(read, &of), Some(want), "{v}");
                assert_eq!(a.eval(both, &of) == Some(0), want == 0, "{v}");
            }
        }
        let other = a.ite(negative, less, both);
        assert_eq!(a.bits_of_signed(other), other);
    }
}
