//! The write set (MOD set) of a kernel: the bytes of memory that it writes. The bytes between them keep their contents
//! from the launch.
//!
//! A kernel that increments one member of a structure, or of each structure in an array, preserves the pointers beside
//! it. In: the offsets of stores. Out: for each object, the written bytes, exactly or at a constant stride.
//!
//! If a kernel stores only pointers with known targets, the write set lists them: threads that exchange two pointers
//! store either of them at both offsets. This holds for any order of the threads, if every store has been seen
//! (`effects/kernel_summary.rs`, `kernel/launch.rs`).

use crate::symbolic::memory::object::{Memory, ObjId};
use crate::symbolic::memory::scalar::{Scalar, Scalars};
use crate::symbolic::memory::value::Base;
use base::polynomial::gcd;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of byte ranges that are distinguished in one object.
const MAX_PLACES: usize = 16;

/// Size of a pointer in bytes.
pub(super) const POINTER: i128 = 8;

/// Maximum number of pointers distinguished in one byte range, and of offsets in one object.
const MAX_POINTERS: usize = 8;
const MAX_OFFSETS: usize = 3;

/// Bytes of an object: `bytes` bytes from `at + k·every` on, for every integer k; one range if `every` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::symbolic) struct ByteRanges {
    pub(super) every: i128,
    pub(super) at: i128,
    pub(super) bytes: i128,
}

impl ByteRanges {
    /// The whole object.
    pub(super) const ALL: Self = Self { every: 1, at: 0, bytes: 1 };

    pub(super) fn once(at: i128, bytes: i128) -> Self {
        Self { every: 0, at, bytes }
    }

    /// Whether both may share a byte.
    pub(super) fn meet(self, other: Self) -> bool {
        let every = gcd(self.every, other.every);
        if every == 0 {
            return self.at < other.at + other.bytes && other.at < self.at + self.bytes;
        }
        let apart = (other.at - self.at).rem_euclid(every);
        apart < self.bytes || apart + other.bytes > every
    }

    /// Whether elements that share a byte are identical, both of a pointer's size.
    pub(super) fn is_one_of(self, other: Self) -> bool {
        let every = gcd(self.every, other.every);
        let apart = other.at - self.at;
        self.bytes == POINTER
            && other.bytes == POINTER
            && if every == 0 { apart == 0 } else { every >= POINTER && apart.rem_euclid(every) == 0 }
    }

    /// Whether these bytes include all bytes of the other.
    pub(super) fn cover(self, other: Self) -> bool {
        if self == Self::ALL {
            return true;
        }
        if self.every == 0 {
            return other.every == 0 && self.at <= other.at && other.at + other.bytes <= self.at + self.bytes;
        }
        other.every % self.every == 0 && (other.at - self.at).rem_euclid(self.every) + other.bytes <= self.bytes
    }
}

/// Targets of pointers: bases with offsets in bytes, `None` for any offset.
pub(super) type Pointers = Vec<(Base, Option<i64>)>;

/// Writes by object: the bytes, and the pointers if nothing else is stored there.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    pub(super) places: FxHashMap<ObjId, Vec<(ByteRanges, Option<Pointers>)>>,
    /// Scalar types of the stores, by object.
    scalars: FxHashMap<ObjId, Scalars>,
    /// Whether pointers are among the stored values.
    pointers: bool,
}

impl Footprint {
    pub(in crate::symbolic) fn add(&mut self, o: ObjId, bytes: ByteRanges, as_scalar: Option<Scalar>) {
        self.add_scalars(o, Scalars::of(as_scalar));
        self.add_bytes(o, bytes);
    }

    fn add_bytes(&mut self, o: ObjId, bytes: ByteRanges) {
        let places = self.places.entry(o).or_default();
        if places.iter().any(|(p, only)| only.is_none() && p.cover(bytes)) {
            return;
        }
        places.retain(|(p, _)| !bytes.cover(*p));
        if places.len() >= MAX_PLACES {
            places.clear();
            places.push((ByteRanges::ALL, None));
            return;
        }
        places.push((bytes, None));
    }

    pub(in crate::symbolic) fn add_all(&mut self, o: ObjId) {
        self.add(o, ByteRanges::ALL, None);
    }

    pub(super) fn add_scalars(&mut self, o: ObjId, stored: Scalars) {
        let all = self.scalars.entry(o).or_default();
        *all = all.with(stored);
    }

    /// Whether an object is written as bytes too, or with an unknown scalar type.
    pub(in crate::symbolic) fn is_of_bytes(&self, o: ObjId) -> bool {
        self.scalars.get(&o) == Some(&Scalars::ALL)
    }

    /// Whether stores to an object may change what is read as such a scalar.
    pub(in crate::symbolic) fn may_change(&self, o: ObjId, read: Scalar) -> bool {
        self.scalars.get(&o).is_some_and(|stored| stored.may_change(read))
    }

    /// Records a stored pointer; `None` if its target is unknown.
    pub(super) fn add_pointers(&mut self, o: ObjId, bytes: ByteRanges, pointers: Option<&Pointers>) {
        self.pointers = true;
        let Some(pointers) = pointers else { return self.add(o, bytes, Some(Scalar::Pointer)) };
        self.add_scalars(o, Scalars::of(Some(Scalar::Pointer)));
        let places = self.places.entry(o).or_default();
        if places.iter().any(|(p, only)| only.is_none() && p.cover(bytes)) {
            return;
        }
        let i = match places.iter().position(|(p, only)| *p == bytes && only.is_some()) {
            Some(i) => i,
            None if places.len() >= MAX_PLACES => return self.add_all(o),
            None => {
                places.push((bytes, Some(vec![])));
                places.len() - 1
            }
        };
        let Some(there) = &mut places[i].1 else { return };
        for p in pointers {
            widen(there, p);
        }
        if there.len() > MAX_POINTERS {
            self.add(o, bytes, Some(Scalar::Pointer));
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.pointers |= other.pointers;
        for (o, places) in &other.places {
            for (p, only) in places {
                match only {
                    None => self.add_bytes(*o, *p),
                    Some(_) => self.add_pointers(*o, *p, only.as_ref()),
                }
            }
        }
        for (o, stored) in &other.scalars {
            self.add_scalars(*o, *stored);
        }
    }

    pub fn contains(&self, o: ObjId) -> bool {
        self.places.contains_key(&o)
    }

    pub fn objects(&self) -> impl Iterator<Item = ObjId> {
        self.places.keys().copied()
    }

    /// Whether pointers are stored, known or unknown.
    pub(crate) fn has_pointers(&self) -> bool {
        self.pointers
    }

    pub(in crate::symbolic) fn meets(&self, o: ObjId, bytes: ByteRanges) -> bool {
        self.places.get(&o).is_some_and(|places| places.iter().any(|(p, _)| p.meet(bytes)))
    }

    /// Returns the pointers that may be stored at these bytes; `None` if anything else may be.
    pub(super) fn pointers_at(&self, o: ObjId, bytes: ByteRanges) -> Option<Pointers> {
        let mut all = vec![];
        for (p, only) in self.places.get(&o).into_iter().flatten().filter(|(p, _)| p.meet(bytes)) {
            let only = only.as_ref().filter(|_| p.is_one_of(bytes))?;
            for x in only {
                widen(&mut all, x);
            }
        }
        Some(all)
    }

    /// Makes stored pointers unknown whose objects do not satisfy `is_known`.
    pub(crate) fn drop_pointers(&mut self, is_known: impl Fn(ObjId) -> bool) {
        let strange = |(base, _): &(Base, Option<i64>)| matches!(base, Base::Object(o) if !is_known(*o));
        let lost: Vec<(ObjId, ByteRanges)> = self
            .places
            .iter()
            .flat_map(|(o, places)| {
                places.iter().filter(|(_, only)| only.iter().flatten().any(strange)).map(|(p, _)| (*o, *p))
            })
            .collect();
        for (o, p) in lost {
            self.add(o, p, Some(Scalar::Pointer));
        }
    }

    /// Whether this write set includes the other, for the objects of interest.
    pub(crate) fn covers(&self, other: &Self, of_interest: impl Fn(ObjId) -> bool) -> bool {
        let scalars = |o: &ObjId, of: &Self| of.scalars.get(o).copied().unwrap_or_default();
        other.places.iter().filter(|(o, _)| of_interest(**o)).all(|(o, places)| {
            let own = self.places.get(o).filter(|_| scalars(o, self).covers(scalars(o, other)));
            places.iter().all(|(p, only)| {
                own.is_some_and(|own| {
                    own.iter().any(|(q, here)| match (here, only) {
                        (None, _) => q.cover(*p),
                        (Some(_), None) => false,
                        (Some(here), Some(only)) => {
                            q == p && only.iter().all(|x| here.contains(x) || here.contains(&(x.0.clone(), None)))
                        }
                    })
                })
            })
        })
    }
}

/// Adds a pointer to `all`; after [`MAX_OFFSETS`] offsets in one object, any offset there.
pub(super) fn widen(all: &mut Pointers, (base, at): &(Base, Option<i64>)) {
    if all.contains(&(base.clone(), None)) || all.contains(&(base.clone(), *at)) {
        return;
    }
    let any = at.is_none() || all.iter().filter(|(b, _)| b == base).count() >= MAX_OFFSETS;
    if any {
        all.retain(|(b, _)| b != base);
    }
    all.push((base.clone(), if any { None } else { *at }));
    all.sort();
}

impl FromIterator<ObjId> for Footprint {
    fn from_iter<T: IntoIterator<Item = ObjId>>(all: T) -> Self {
        let mut own = Self::default();
        for o in all {
            own.add_all(o);
        }
        own
    }
}

/// Memory in which a kernel writes only some bytes.
#[derive(Clone, Debug)]
pub struct PartialWrites {
    pub(crate) objects: FxHashSet<ObjId>,
    pub(crate) written: Footprint,
    /// Contents at the launch.
    pub(crate) memory: Memory,
}

/// Conditions under which a kernel may read an object as it was at its launch.
#[derive(Debug)]
pub(in crate::symbolic) struct StableReads {
    /// Number of objects at the launch: those below it existed.
    pub known: usize,
    /// Write set of the kernel.
    pub written: Footprint,
    /// Contents of memory at the launch.
    pub memory: Memory,
    /// Whether the kernel may write anywhere.
    pub anywhere: bool,
}

impl StableReads {
    /// Whether the object existed at the launch.
    pub fn is_there(&self, o: ObjId) -> bool {
        (o.0 as usize) < self.known || self.memory.contains_key(&o)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns which bytes of a window are in the range.
    pub(super) fn set(b: ByteRanges) -> Vec<bool> {
        (-60..60)
            .map(
                |x: i128| {
                    if b.every == 0 {
                        x >= b.at && x < b.at + b.bytes
                    } else {
                        (x - b.at).rem_euclid(b.every) < b.bytes
                    }
                },
            )
            .collect()
    }

    #[test]
    pub(super) fn places_meet_and_cover_as_their_bytes_do() {
        let mut all = vec![ByteRanges::ALL];
        for every in [0, 4, 6, 12] {
            for at in [-5, 0, 3, 8] {
                for bytes in [1, 3, 4] {
                    if every == 0 || bytes < every {
                        all.push(ByteRanges { every, at, bytes });
                    }
                }
            }
        }
        let (mut apart, mut inside) = (0, 0);
        for a in &all {
            for b in &all {
                let (x, y) = (set(*a), set(*b));
                let meet = x.iter().zip(&y).any(|(p, q)| *p && *q);
                let cover = y.iter().zip(&x).all(|(q, p)| *p || !*q);
                assert!(a.meet(*b) || !meet, "{a:?} {b:?}");
                assert!(!a.cover(*b) || cover, "{a:?} {b:?}");
                // The answer is exact: equal strides are distinguished precisely.
                if a.every == b.every {
                    assert_eq!(a.meet(*b), meet, "{a:?} {b:?}");
                }
                apart += usize::from(!a.meet(*b));
                inside += usize::from(a.cover(*b) && a != b);
            }
        }
        assert!(apart > 300 && inside > 60, "{apart} {inside}");
    }

    #[test]
    pub(super) fn pointers_stay_known_where_nothing_else_is_stored() {
        let (table, a, b, made) = (ObjId(0), ObjId(1), ObjId(2), ObjId(9));
        let to = |o: ObjId, at: i64| (Base::Object(o), Some(at));
        let each = |at: i128| ByteRanges { every: 24, at, bytes: 8 };
        let mut f = Footprint::default();
        f.add_pointers(table, each(0), Some(&vec![to(a, 0), (Base::Null, Some(0))]));
        f.add_pointers(table, ByteRanges::once(48, 8), Some(&vec![to(b, 4)]));
        f.add(table, ByteRanges { every: 24, at: 8, bytes: 4 }, None);
        assert!(f.has_pointers());
        // A range at a constant stride may mean this one too.
        assert_eq!(
            f.pointers_at(table, ByteRanges::once(48, 8)),
            Some(vec![to(a, 0), to(b, 4), (Base::Null, Some(0))])
        );
        assert_eq!(f.pointers_at(table, ByteRanges::once(24, 8)), Some(vec![to(a, 0), (Base::Null, Some(0))]));
        // Half of a pointer, a number beside it, any bytes.
        for other in [
            ByteRanges::once(28, 8),
            ByteRanges::once(0, 4),
            ByteRanges::once(8, 8),
            ByteRanges::ALL,
            ByteRanges { every: 4, at: 0, bytes: 8 },
        ] {
            assert_eq!(f.pointers_at(table, other), None, "{other:?}");
        }
        assert_eq!(f.pointers_at(table, ByteRanges::once(16, 8)), Some(vec![]));
        // Targets in memory of the execution itself are unknown.
        let mut g = f.clone();
        g.add_pointers(table, each(16), Some(&vec![to(made, 0)]));
        assert!(g.covers(&f, |_| true) && !f.covers(&g, |_| true));
        g.drop_pointers(|o| o.0 < 9);
        assert_eq!((g.pointers_at(table, each(16)), g.pointers_at(table, each(0)).is_some()), (None, true));
        // Another store to the same bytes.
        f.add(table, ByteRanges::once(2, 1), None);
        assert_eq!(f.pointers_at(table, ByteRanges::once(0, 8)), None);
        assert!(f.pointers_at(table, ByteRanges::once(48, 8)).is_some());
        // Many offsets become any offset, too many objects become unknown.
        let mut many = Footprint::default();
        for at in 0..4 {
            many.add_pointers(table, each(0), Some(&vec![to(a, at)]));
        }
        assert_eq!(many.pointers_at(table, each(0)), Some(vec![(Base::Object(a), None)]));
        assert!(many.covers(
            &{
                let mut one = Footprint::default();
                one.add_pointers(table, each(0), Some(&vec![to(a, 77)]));
                one
            },
            |_| true
        ));
        for o in 0..20 {
            many.add_pointers(table, each(0), Some(&vec![to(ObjId(o), 0)]));
        }
        assert_eq!(many.pointers_at(table, each(0)), None);
        let mut unknown = Footprint::default();
        unknown.add_pointers(table, each(0), None);
        assert!(
            unknown.has_pointers()
                && unknown.pointers_at(table, each(0)).is_none()
                && unknown.covers(&f, |o| o != table)
        );
    }
}
