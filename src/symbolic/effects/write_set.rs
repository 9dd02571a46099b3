//! Which bytes of memory a kernel writes: what lies between them stays as it was at the launch.
//!
//! A kernel that counts up one member of a structure, or of each in an array of them, leaves the pointers beside it alone. In: the
//! offsets of stores. Out: for each object, where it is written, exactly or at equal distances.
//!
//! Where only pointers to known places are stored, which ones: threads that exchange two pointers leave either of them in both places.
//! That holds whatever the order of the threads is, as long as every store has been seen (`effects.rs`, `kernel/launch.rs`).

use crate::ir::{FuncRef, TypeId, TypeKind};
use crate::symbolic::exec::executor::{Executor, State};
use crate::symbolic::memory::object::{Memory, ObjId, ObjKind, ObjState, Rest};
use crate::symbolic::memory::value::{Base, Lost, Target, Value, unwritten};
use crate::symbolic::terms::term::{Arena, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Places of one object that are told apart.
const MAX_PLACES: usize = 16;

/// Bytes of a pointer.
const POINTER: i128 = 8;

/// Pointers that are told apart at one place, and offsets in one object.
const MAX_POINTERS: usize = 8;
const MAX_OFFSETS: usize = 3;

/// Offsets that are looked at one by one where it is one of several.
const MAX_CHOICES: usize = 8;

/// What the reason begins with where nothing is known of which one of some pointers memory holds.
pub(crate) const WHICH: &str = "which pointer ";

/// Bytes of an object: so many from `at + k·every` on, for any integer k; once where `every` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::symbolic) struct Bytes {
    every: i128,
    at: i128,
    bytes: i128,
}

impl Bytes {
    /// All of an object.
    const ALL: Self = Self { every: 1, at: 0, bytes: 1 };

    fn once(at: i128, bytes: i128) -> Self {
        Self { every: 0, at, bytes }
    }

    /// Whether some byte may belong to both.
    fn meet(self, other: Self) -> bool {
        let every = gcd(self.every, other.every);
        if every == 0 {
            return self.at < other.at + other.bytes && other.at < self.at + self.bytes;
        }
        let apart = (other.at - self.at).rem_euclid(every);
        apart < self.bytes || apart + other.bytes > every
    }

    /// Whether elements that share a byte are the same, both of a pointer's size.
    fn is_one_of(self, other: Self) -> bool {
        let every = gcd(self.every, other.every);
        let apart = other.at - self.at;
        self.bytes == POINTER
            && other.bytes == POINTER
            && if every == 0 { apart == 0 } else { every >= POINTER && apart.rem_euclid(every) == 0 }
    }

    /// Whether all bytes of the other are among these.
    fn cover(self, other: Self) -> bool {
        if self == Self::ALL {
            return true;
        }
        if self.every == 0 {
            return other.every == 0 && self.at <= other.at && other.at + other.bytes <= self.at + self.bytes;
        }
        other.every % self.every == 0 && (other.at - self.at).rem_euclid(self.every) + other.bytes <= self.bytes
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Where pointers lead: objects with offsets in bytes, or anywhere in them.
type Pointers = Vec<(Base, Option<i64>)>;

/// What is written, by object: at which bytes, and which pointers if nothing else is stored there.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    places: FxHashMap<ObjId, Vec<(Bytes, Option<Pointers>)>>,
    /// Whether pointers are among what is stored.
    pointers: bool,
}

impl Footprint {
    pub(in crate::symbolic) fn add(&mut self, o: ObjId, bytes: Bytes) {
        let places = self.places.entry(o).or_default();
        if places.iter().any(|(p, only)| only.is_none() && p.cover(bytes)) {
            return;
        }
        places.retain(|(p, _)| !bytes.cover(*p));
        if places.len() >= MAX_PLACES {
            places.clear();
            places.push((Bytes::ALL, None));
            return;
        }
        places.push((bytes, None));
    }

    pub(in crate::symbolic) fn add_all(&mut self, o: ObjId) {
        self.add(o, Bytes::ALL);
    }

    /// Notes a pointer that is stored; `None` where it is not known.
    fn add_pointers(&mut self, o: ObjId, bytes: Bytes, pointers: Option<&Pointers>) {
        self.pointers = true;
        let Some(pointers) = pointers else { return self.add(o, bytes) };
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
            self.add(o, bytes);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.pointers |= other.pointers;
        for (o, places) in &other.places {
            for (p, only) in places {
                match only {
                    None => self.add(*o, *p),
                    Some(_) => self.add_pointers(*o, *p, only.as_ref()),
                }
            }
        }
    }

    pub fn contains(&self, o: ObjId) -> bool {
        self.places.contains_key(&o)
    }

    pub fn objects(&self) -> impl Iterator<Item = ObjId> {
        self.places.keys().copied()
    }

    /// Whether pointers are stored, known or not.
    pub(crate) fn has_pointers(&self) -> bool {
        self.pointers
    }

    pub(in crate::symbolic) fn meets(&self, o: ObjId, bytes: Bytes) -> bool {
        self.places.get(&o).is_some_and(|places| places.iter().any(|(p, _)| p.meet(bytes)))
    }

    /// The pointers that may be stored at these bytes; `None` where anything else may be.
    fn pointers_at(&self, o: ObjId, bytes: Bytes) -> Option<Pointers> {
        let mut all = vec![];
        for (p, only) in self.places.get(&o).into_iter().flatten().filter(|(p, _)| p.meet(bytes)) {
            let only = only.as_ref().filter(|_| p.is_one_of(bytes))?;
            for x in only {
                widen(&mut all, x);
            }
        }
        Some(all)
    }

    /// Takes pointers for unknown that lead to what `is_known` does not know.
    pub(crate) fn forget_pointers(&mut self, is_known: impl Fn(ObjId) -> bool) {
        let strange = |(base, _): &(Base, Option<i64>)| matches!(base, Base::Object(o) if !is_known(*o));
        let lost: Vec<(ObjId, Bytes)> = self
            .places
            .iter()
            .flat_map(|(o, places)| {
                places.iter().filter(|(_, only)| only.iter().flatten().any(strange)).map(|(p, _)| (*o, *p))
            })
            .collect();
        for (o, p) in lost {
            self.add(o, p);
        }
    }

    /// Whether everything that the other has in objects of interest is here.
    pub(crate) fn covers(&self, other: &Self, of_interest: impl Fn(ObjId) -> bool) -> bool {
        other.places.iter().filter(|(o, _)| of_interest(**o)).all(|(o, places)| {
            let own = self.places.get(o);
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

/// Adds a pointer to some; of many offsets in one object, any.
fn widen(all: &mut Pointers, (base, at): &(Base, Option<i64>)) {
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

/// Memory of which a kernel writes no more than some bytes.
#[derive(Clone, Debug)]
pub struct Beside {
    pub(crate) objects: FxHashSet<ObjId>,
    pub(crate) written: Footprint,
    /// As it is at the launch.
    pub(crate) memory: Memory,
}

/// The bytes that an access touches.
fn bytes_at(arena: &Arena, offset: TermId, bytes: i128) -> Bytes {
    match arena.get(offset) {
        Term::Int(at) => Bytes::once(*at, bytes),
        Term::Poly(p) => {
            let every = p.terms.iter().filter(|(m, _)| !m.is_empty()).fold(0, |g, (_, c)| gcd(g, *c));
            let at = p.terms.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c);
            if every < bytes { Bytes::ALL } else { Bytes { every, at, bytes } }
        }
        _ => Bytes::ALL,
    }
}

impl Executor<'_> {
    /// The offsets that one may be, each by itself where they are few: that of one of two members, say.
    fn each_offset(&self, offset: TermId) -> Vec<TermId> {
        if !matches!(self.arena.get(offset), Term::Ite(..)) {
            return vec![offset];
        }
        self.leaves(offset).filter(|l| l.len() <= MAX_CHOICES).unwrap_or_else(|| vec![offset])
    }

    /// Notes that a kernel writes so many bytes.
    pub(in crate::symbolic) fn note_written(&mut self, o: ObjId, offset: TermId, bytes: i128) {
        for at in self.each_offset(offset) {
            self.written.add(o, bytes_at(&self.arena, at, bytes));
        }
    }

    /// Notes what a kernel stores as a pointer.
    pub(in crate::symbolic) fn note_pointer(&mut self, o: ObjId, offset: TermId, p: &[Target]) {
        let mut all: Option<Pointers> = Some(vec![]);
        for t in p {
            let known = match &t.base {
                Base::Object(to) => {
                    !matches!(
                        self.object(*to).kind,
                        ObjKind::DeviceLocal | ObjKind::SharedStatic(_) | ObjKind::SharedDynamic
                    ) && !self.is_never_known(*to)
                }
                Base::Null | Base::Func(_) => true,
                Base::Unknown(l) => l.unset,
            };
            let Some(found) = all.as_mut().filter(|_| known) else {
                all = None;
                break;
            };
            for at in self.constants(t.offset) {
                widen(found, &(t.base.clone(), at));
            }
        }
        for at in self.each_offset(offset) {
            self.written.add_pointers(o, bytes_at(&self.arena, at, POINTER), all.as_ref());
        }
    }

    /// The constants that an offset may be, or anything.
    pub(in crate::symbolic) fn constants(&self, offset: TermId) -> Vec<Option<i64>> {
        let all = self.leaves(offset).unwrap_or_default();
        let all: Option<Vec<i64>> =
            all.into_iter().map(|t| self.arena.as_int(t).and_then(|at| i64::try_from(at).ok())).collect();
        all.filter(|all| !all.is_empty()).map_or_else(|| vec![None], |all| all.into_iter().map(Some).collect())
    }

    /// What was in memory, or one of these.
    fn or_one_of(&mut self, before: Value, pointers: &Pointers, name: &str) -> Value {
        let why = format!("{WHICH}`{name}` holds");
        let mut all = before;
        for (base, at) in pointers {
            let offset = match at {
                Some(at) => self.arena.int(i128::from(*at)),
                None => self.arena.fresh(
                    SymKind::Unknown { reason: why.clone() },
                    "an offset",
                    crate::symbolic::terms::term::Range::of_int(64, true),
                ),
            };
            let yes = self.arena.bool(true);
            let other = Value::Ptr(Rc::new(vec![Target::new(yes, base.clone(), offset)]));
            if other == all {
                continue;
            }
            let chosen = self.arena.fresh_bool(SymKind::Unknown { reason: why.clone() }, "?");
            all = self.ite_value(chosen, &other, &all);
        }
        all
    }

    /// What is read as a pointer where no cell is: null of what was cleared, one that was never set where nothing was written.
    fn pointer_without_cell(&mut self, before: &ObjState, at: i64, name: &str) -> Option<Value> {
        if before.overlapping(at, at + 8).next().is_some() {
            return None;
        }
        match before.rest {
            Rest::Zero => Some(self.null()),
            Rest::Uninit => Some(self.lost_pointer(Lost::unset(&unwritten(name)))),
            _ => None,
        }
    }

    /// What an object held before a kernel wrote there, where it did not, and which pointers where it stored only such.
    pub(in crate::symbolic) fn keep_beside(&mut self, s: &mut State, o: ObjId, before: &ObjState, written: &Footprint) {
        if self.several.has_other_names(o) {
            return;
        }
        let name = self.object(o).name.clone();
        let mut kept = vec![];
        for (at, (size, v)) in &before.cells {
            let bytes = Bytes::once(i128::from(*at), i128::from(*size));
            if !written.meets(o, bytes) {
                kept.push((*at, (*size, v.clone())));
                continue;
            }
            let (Value::Ptr(_), Some(pointers)) = (v, written.pointers_at(o, bytes)) else { continue };
            kept.push((*at, (*size, self.or_one_of(v.clone(), &pointers, &name))));
        }
        for (bytes, _) in
            written.places.get(&o).into_iter().flatten().filter(|(p, only)| p.every == 0 && only.is_some())
        {
            let (Ok(at), Some(pointers)) = (i64::try_from(bytes.at), written.pointers_at(o, *bytes)) else { continue };
            let Some(held) = self.pointer_without_cell(before, at, &name) else { continue };
            kept.push((at, (8, self.or_one_of(held, &pointers, &name))));
        }
        if kept.is_empty() {
            return;
        }
        if let Some(state) = s.mem.get_mut(&o) {
            Rc::make_mut(state).cells.extend(kept);
        }
    }

    /// Replaces what an object holds at a few known places that a kernel writes; `false` where it writes elsewhere.
    pub(in crate::symbolic) fn rewrite(
        &mut self,
        s: &mut State,
        o: ObjId,
        before: &ObjState,
        written: &Footprint,
    ) -> bool {
        let Some(places) = written.places.get(&o) else { return false };
        let each: Option<Vec<(i64, u32)>> = places
            .iter()
            .map(|(p, _)| {
                (p.every == 0 && matches!(p.bytes, 1 | 2 | 4 | 8))
                    .then_some(())
                    .and_then(|()| Some((i64::try_from(p.at).ok()?, u32::try_from(p.bytes).ok()?)))
            })
            .collect();
        let Some(mut each) = each.filter(|_| {
            !self.several.has_other_names(o) && matches!(before.rest, Rest::Uninit | Rest::Zero | Rest::Unknown { .. })
        }) else {
            return false;
        };
        each.sort_unstable();
        if each.windows(2).any(|w| w[0].0 + i64::from(w[0].1) > w[1].0) {
            return false;
        }
        self.kept.add_anything(o);
        let name = self.object(o).name.clone();
        let version = self.next_version();
        let mut state = before.clone();
        for (at, bytes) in each {
            let pointers = written.pointers_at(o, Bytes::once(i128::from(at), i128::from(bytes)));
            let held = match before.cells.get(&at) {
                Some((size, v @ Value::Ptr(_))) if *size == bytes => Some(v.clone()),
                None if bytes == 8 && pointers.is_some() => self.pointer_without_cell(before, at, &name),
                _ => None,
            };
            let value = match (held, pointers) {
                (Some(held), Some(pointers)) => self.or_one_of(held, &pointers, &name),
                (Some(_), None) => Value::unknown(&format!("what a kernel writes to `{name}`")),
                (None, _) => {
                    let at = self.arena.int(i128::from(at));
                    self.content(o, version, at, bytes * 8)
                }
            };
            self.keep_cut_cells(&mut state, at, at + i64::from(bytes));
            state.cells.insert(at, (bytes, value));
        }
        s.mem.insert(o, Rc::new(state));
        true
    }

    /// What a kernel reads of memory of which it writes other bytes, or pointers only.
    pub(in crate::symbolic) fn load_beside(
        &mut self,
        f: FuncRef,
        o: ObjId,
        offset: TermId,
        ty: TypeId,
    ) -> Option<Value> {
        let mut out: Option<Value> = None;
        for at in self.each_offset(offset) {
            let v = self.load_beside_at(f, o, at, ty)?;
            let here = self.arena.eq(offset, at);
            out = Some(match out {
                None => v,
                Some(old) => self.ite_value(here, &v, &old),
            });
        }
        out
    }

    fn load_beside_at(&mut self, f: FuncRef, o: ObjId, offset: TermId, ty: TypeId) -> Option<Value> {
        let beside = self.beside.clone()?;
        let m = self.module(f);
        if !beside.objects.contains(&o)
            || self.is_never_known(o)
            || matches!(m.ty(ty).kind, TypeKind::Struct { .. } | TypeKind::Array { .. } | TypeKind::Vector { .. })
        {
            return None;
        }
        let size = m.size_of(ty);
        let bytes = bytes_at(&self.arena, offset, i128::from(size));
        let pointers = if beside.written.meets(o, bytes) {
            Some(beside.written.pointers_at(o, bytes).filter(|_| matches!(m.ty(ty).kind, TypeKind::Ptr(_)))?)
        } else {
            None
        };
        let state = beside.memory.get(&o)?;
        let raw = self.read_cells(o, state, offset, size, Some((f, ty)));
        let before = self.convert(f, raw, ty);
        let name = self.object(o).name.clone();
        Some(match pointers {
            Some(pointers) => self.or_one_of(before, &pointers, &name),
            None => before,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes in a window.
    fn set(b: Bytes) -> Vec<bool> {
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
    fn places_meet_and_cover_as_their_bytes_do() {
        let mut all = vec![Bytes::ALL];
        for every in [0, 4, 6, 12] {
            for at in [-5, 0, 3, 8] {
                for bytes in [1, 3, 4] {
                    if every == 0 || bytes < every {
                        all.push(Bytes { every, at, bytes });
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
                // Nothing is given away: distances that divide each other are told apart exactly.
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
    fn pointers_stay_known_where_nothing_else_is_stored() {
        let (table, a, b, made) = (ObjId(0), ObjId(1), ObjId(2), ObjId(9));
        let to = |o: ObjId, at: i64| (Base::Object(o), Some(at));
        let each = |at: i128| Bytes { every: 24, at, bytes: 8 };
        let mut f = Footprint::default();
        f.add_pointers(table, each(0), Some(&vec![to(a, 0), (Base::Null, Some(0))]));
        f.add_pointers(table, Bytes::once(48, 8), Some(&vec![to(b, 4)]));
        f.add(table, Bytes { every: 24, at: 8, bytes: 4 });
        assert!(f.has_pointers());
        // Also one of those at equal distances may be meant.
        assert_eq!(f.pointers_at(table, Bytes::once(48, 8)), Some(vec![to(a, 0), to(b, 4), (Base::Null, Some(0))]));
        assert_eq!(f.pointers_at(table, Bytes::once(24, 8)), Some(vec![to(a, 0), (Base::Null, Some(0))]));
        // Half of one, a number beside it, any bytes.
        for other in
            [Bytes::once(28, 8), Bytes::once(0, 4), Bytes::once(8, 8), Bytes::ALL, Bytes { every: 4, at: 0, bytes: 8 }]
        {
            assert_eq!(f.pointers_at(table, other), None, "{other:?}");
        }
        assert_eq!(f.pointers_at(table, Bytes::once(16, 8)), Some(vec![]));
        // What leads to memory of the execution itself is not known.
        let mut g = f.clone();
        g.add_pointers(table, each(16), Some(&vec![to(made, 0)]));
        assert!(g.covers(&f, |_| true) && !f.covers(&g, |_| true));
        g.forget_pointers(|o| o.0 < 9);
        assert_eq!((g.pointers_at(table, each(16)), g.pointers_at(table, each(0)).is_some()), (None, true));
        // What is stored there besides.
        f.add(table, Bytes::once(2, 1));
        assert_eq!(f.pointers_at(table, Bytes::once(0, 8)), None);
        assert!(f.pointers_at(table, Bytes::once(48, 8)).is_some());
        // Of many offsets any, of too many objects nothing.
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
