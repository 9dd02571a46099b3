//! The operation that computed a number which may exceed its width: reports of a wrap name it.
//!
//! A [`Term::Wrap`] stands where a number is *read* as a machine integer, often far from the operation that made it
//! too large, and equal terms are one. In: results of instructions. Out: for each, the first site, as the user sees
//! it.

use super::executor::Executor;
use super::site::Site;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Term, TermId};
use ir::{BinOp, CastOp, Inst, Op, Operand, SourceLoc};
use rustc_hash::FxHashMap;

/// The first site of each number, by the width in bits in which it is stored.
#[derive(Clone, Debug, Default)]
pub struct OperationSites {
    first: FxHashMap<(TermId, u32), Site>,
}

impl OperationSites {
    /// Returns the site that computed the operand of a wrap; `None` for any other term, and for one that summarises a
    /// loop.
    #[must_use]
    pub fn of_wrap(&self, a: &Arena, wrap: TermId) -> Option<Site> {
        let Term::Wrap { arg, bits, .. } = *a.get(wrap) else { return None };
        self.first.get(&(arg, bits)).copied()
    }
}

impl Executor<'_> {
    /// Records the site of a result that may exceed its width, and of an operand that is read in another width.
    pub(super) fn note_operation(&mut self, fr: &Activation, inst: &Inst, site: Site) {
        let (number, bits) = match &inst.op {
            Op::Bin { op: BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, .. }
            | Op::Cast { op: CastOp::Trunc, .. } => (inst.result.and_then(|r| fr.env[r.index()].as_ref()), inst.ty),
            Op::Cast { op: CastOp::SExt | CastOp::ZExt, value: Operand::Value(v), from, .. } => {
                (fr.env[v.index()].as_ref(), *from)
            }
            _ => return,
        };
        let (Some(Value::Int(t)), Some(bits)) = (number, self.bits_of(fr.func, bits)) else { return };
        let mut t = *t;
        // Narrower parts of a number are read from the number itself.
        while let Term::Wrap { arg, bits: inner, .. } = self.arena.get(t)
            && *inner >= bits
        {
            t = *arg;
        }
        let range = self.arena.range(t);
        if [true, false].iter().all(|signed| Interval::of_int(bits, *signed).contains(range))
            || self.operations.first.contains_key(&(t, bits))
        {
            return;
        }
        let seen = |s: &Site| {
            let (module, loc) = self.location(*s);
            SourceLoc::is_users(&self.program.users_loc(module, loc))
        };
        let place = std::iter::once(site).chain(self.stack.iter().rev().copied()).find(seen).unwrap_or(site);
        self.operations.first.insert((t, bits), place);
    }
}
