//! Which bytes of memory a kernel writes: what lies between them stays as it was at the launch.
//!
//! A kernel that counts up one member of a structure, or of each in an array of them, leaves the pointers beside it alone. In: the
//! offsets of stores. Out: for each object, where it is written, exactly or at equal distances.

use super::exec::{Executor, State};
use super::memory::{Memory, ObjId, ObjState};
use super::term::{Arena, Term, TermId};
use super::value::Value;
use crate::ir::{FuncRef, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Places of one object that are told apart.
const MAX_PLACES: usize = 16;

/// Bytes of an object: so many from `at + k·every` on, for any integer k; once where `every` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bytes { every: i128, at: i128, bytes: i128 }

impl Bytes {
    /// All of an object.
    const ALL: Self = Self { every: 1, at: 0, bytes: 1 };

    pub(super) fn once(at: i128, bytes: i128) -> Self { Self { every: 0, at, bytes } }

    /// Whether some byte may belong to both.
    fn meet(self, other: Self) -> bool {
        let every = gcd(self.every, other.every);
        if every == 0 { return self.at < other.at + other.bytes && other.at < self.at + self.bytes; }
        let apart = (other.at - self.at).rem_euclid(every);
        apart < self.bytes || apart + other.bytes > every
    }

    /// Whether all bytes of the other are among these.
    fn cover(self, other: Self) -> bool {
        if self == Self::ALL { return true; }
        if self.every == 0 { return other.every == 0 && self.at <= other.at && other.at + other.bytes <= self.at + self.bytes; }
        other.every % self.every == 0 && (other.at - self.at).rem_euclid(self.every) + other.bytes <= self.bytes
    }
}

fn gcd(a: i128, b: i128) -> i128 { if b == 0 { a.abs() } else { gcd(b, a % b) } }

/// What is written, by object.
#[derive(Clone, Debug, Default)]
pub struct Footprint(FxHashMap<ObjId, Vec<Bytes>>);

impl Footprint {
    pub(super) fn add(&mut self, o: ObjId, bytes: Bytes) {
        let places = self.0.entry(o).or_default();
        if places.iter().any(|p| p.cover(bytes)) { return; }
        if places.len() >= MAX_PLACES { places.clear(); places.push(Bytes::ALL); return; }
        places.push(bytes);
    }

    pub(super) fn add_all(&mut self, o: ObjId) { self.add(o, Bytes::ALL); }

    pub(crate) fn merge(&mut self, other: &Self) { for (o, places) in &other.0 { for p in places { self.add(*o, *p); } } }

    pub fn contains(&self, o: ObjId) -> bool { self.0.contains_key(&o) }

    pub fn objects(&self) -> impl Iterator<Item = ObjId> { self.0.keys().copied() }

    pub(super) fn meets(&self, o: ObjId, bytes: Bytes) -> bool { self.0.get(&o).is_some_and(|places| places.iter().any(|p| p.meet(bytes))) }

    /// Whether everything that the other has in objects of interest is here.
    pub(crate) fn covers(&self, other: &Self, of_interest: impl Fn(ObjId) -> bool) -> bool {
        other.0.iter().filter(|(o, _)| of_interest(**o)).all(|(o, places)| {
            let own = self.0.get(o);
            places.iter().all(|p| own.is_some_and(|own| own.iter().any(|q| q.cover(*p))))
        })
    }
}

impl FromIterator<ObjId> for Footprint {
    fn from_iter<T: IntoIterator<Item = ObjId>>(all: T) -> Self { Self(all.into_iter().map(|o| (o, vec![Bytes::ALL])).collect()) }
}

/// Memory of which a kernel writes no more than some bytes.
#[derive(Clone, Debug)]
pub struct Beside {
    pub(crate) objects: FxHashSet<ObjId>,
    pub(crate) written: Footprint,
    /// As it is at the launch.
    pub(crate) memory: Memory,
}

/// The bytes that an access touches.
pub(super) fn bytes_at(arena: &Arena, offset: TermId, bytes: i128) -> Bytes {
    match arena.get(offset) {
        Term::Int(at) => Bytes::once(*at, bytes),
        Term::Poly(p) => {
            let every = p.terms.iter().filter(|(m, _)| !m.is_empty()).fold(0, |g, (_, c)| gcd(g, *c));
            let at = p.terms.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c);
            if every <= bytes { Bytes::ALL } else { Bytes { every, at, bytes } }
        }
        _ => Bytes::ALL,
    }
}

impl Executor<'_> {
    /// What an object held before a kernel wrote there, where it did not.
    pub(super) fn keep_beside(&self, s: &mut State, o: ObjId, before: &ObjState, written: &Footprint) {
        if self.several.has_other_names(o) { return; }
        let kept: Vec<_> = before.cells.iter().filter(|(at, (size, _))| !written.meets(o, Bytes::once(i128::from(**at), i128::from(*size)))).map(|(at, cell)| (*at, cell.clone())).collect();
        if kept.is_empty() { return; }
        if let Some(state) = s.mem.get_mut(&o) { Rc::make_mut(state).cells.extend(kept); }
    }

    /// What a kernel reads of memory of which it writes other bytes.
    pub(super) fn load_beside(&mut self, f: FuncRef, o: ObjId, offset: TermId, ty: TypeId) -> Option<Value> {
        let beside = self.beside.clone()?;
        let m = self.module(f);
        if !beside.objects.contains(&o) || self.is_never_known(o) || matches!(m.ty(ty).kind, TypeKind::Struct { .. } | TypeKind::Array { .. } | TypeKind::Vector { .. }) { return None; }
        let size = m.size_of(ty);
        if beside.written.meets(o, bytes_at(&self.arena, offset, i128::from(size))) { return None; }
        let state = beside.memory.get(&o)?;
        let raw = self.read_cells(o, state, offset, size, Some((f, ty)));
        Some(self.convert(f, raw, ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes in a window.
    fn set(b: Bytes) -> Vec<bool> {
        (-60..60).map(|x: i128| if b.every == 0 { x >= b.at && x < b.at + b.bytes } else { (x - b.at).rem_euclid(b.every) < b.bytes }).collect()
    }

    #[test]
    fn places_meet_and_cover_as_their_bytes_do() {
        let mut all = vec![Bytes::ALL];
        for every in [0, 4, 6, 12] { for at in [-5, 0, 3, 8] { for bytes in [1, 3, 4] { if every == 0 || bytes < every { all.push(Bytes { every, at, bytes }); } } } }
        let (mut apart, mut inside) = (0, 0);
        for a in &all {
            for b in &all {
                let (x, y) = (set(*a), set(*b));
                let meet = x.iter().zip(&y).any(|(p, q)| *p && *q);
                let cover = y.iter().zip(&x).all(|(q, p)| *p || !*q);
                assert!(a.meet(*b) || !meet, "{a:?} {b:?}");
                assert!(!a.cover(*b) || cover, "{a:?} {b:?}");
                // Nothing is given away: distances that divide each other are told apart exactly.
                if a.every == b.every { assert_eq!(a.meet(*b), meet, "{a:?} {b:?}"); }
                apart += usize::from(!a.meet(*b));
                inside += usize::from(a.cover(*b) && a != b);
            }
        }
        assert!(apart > 300 && inside > 60, "{apart} {inside}");
    }
}
