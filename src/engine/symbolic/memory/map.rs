//! State of all objects as a map that is cheap to copy: copies share every part that neither has changed since.
//!
//! Objects are numbered densely, so the map is a vector of chunks of neighbouring objects, each shared until it is
//! written (a radix tree of two levels, as in Bagwell's ideal hash trees, 2001). Iteration is in order of object
//! numbers, whatever was done before.

use super::object::{ObjId, ObjState};
use std::rc::Rc;

/// Number of objects in a chunk.
const CHUNK: usize = 32;

type Slot = Option<Rc<ObjState>>;
type Chunk = Rc<[Slot; CHUNK]>;

/// Mutable parts of objects, copied on write.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    chunks: Vec<Option<Chunk>>,
    len: usize,
}

/// An object whose states in two memories differ: its number and both states.
pub type ObjectDifference<'m> = (ObjId, Option<&'m Rc<ObjState>>, Option<&'m Rc<ObjState>>);

fn place(o: ObjId) -> (usize, usize) {
    let at = o.0 as usize;
    (at / CHUNK, at % CHUNK)
}

fn number(chunk: usize, slot: usize) -> ObjId {
    ObjId(u32::try_from(chunk * CHUNK + slot).unwrap_or(u32::MAX))
}

impl Memory {
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Number of shared parts: the cost of a copy.
    #[must_use]
    pub const fn parts(&self) -> usize {
        self.chunks.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[must_use]
    pub fn get(&self, o: &ObjId) -> Option<&Rc<ObjState>> {
        let (chunk, slot) = place(*o);
        self.chunks.get(chunk)?.as_ref()?[slot].as_ref()
    }

    #[must_use]
    pub fn contains_key(&self, o: &ObjId) -> bool {
        self.get(o).is_some()
    }

    /// State of an object, to be replaced or changed.
    pub fn get_mut(&mut self, o: &ObjId) -> Option<&mut Rc<ObjState>> {
        let (chunk, slot) = place(*o);
        let chunk = self.chunks.get_mut(chunk)?.as_mut()?;
        // An absent object needs no copy of its chunk.
        chunk[slot].as_ref()?;
        Rc::make_mut(chunk)[slot].as_mut()
    }

    fn slot(&mut self, o: ObjId) -> &mut Slot {
        let (chunk, slot) = place(o);
        if self.chunks.len() <= chunk {
            self.chunks.resize(chunk + 1, None);
        }
        let chunk = self.chunks[chunk].get_or_insert_with(|| Rc::new([const { None }; CHUNK]));
        &mut Rc::make_mut(chunk)[slot]
    }

    /// Inserts a state and returns the object's previous one.
    pub fn insert(&mut self, o: ObjId, state: Rc<ObjState>) -> Option<Rc<ObjState>> {
        let before = self.slot(o).replace(state);
        self.len += usize::from(before.is_none());
        before
    }

    /// Inserts a state if there is none.
    pub fn or_insert_with(&mut self, o: ObjId, state: impl FnOnce() -> Rc<ObjState>) -> &mut Rc<ObjState> {
        if !self.contains_key(&o) {
            self.len += 1;
            *self.slot(o) = Some(state());
        }
        self.slot(o).get_or_insert_with(|| unreachable!("it is there by now"))
    }

    pub fn remove(&mut self, o: &ObjId) -> Option<Rc<ObjState>> {
        if !self.contains_key(o) {
            return None;
        }
        self.len -= 1;
        self.slot(*o).take()
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&ObjId) -> bool) {
        let gone: Vec<ObjId> = self.keys().filter(|o| !keep(o)).collect();
        for o in gone {
            self.remove(&o);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (ObjId, &Rc<ObjState>)> {
        let chunks = self.chunks.iter().enumerate().filter_map(|(c, chunk)| Some((c, chunk.as_ref()?)));
        chunks.flat_map(|(c, chunk)| {
            chunk.iter().enumerate().filter_map(move |(s, state)| Some((number(c, s), state.as_ref()?)))
        })
    }

    pub fn keys(&self) -> impl Iterator<Item = ObjId> + '_ {
        self.iter().map(|(o, _)| o)
    }

    pub fn values(&self) -> impl Iterator<Item = &Rc<ObjState>> {
        self.iter().map(|(_, state)| state)
    }

    /// Objects whose states are not one and the same. Chunks shared by both memories cost nothing.
    pub fn differing<'m>(&'m self, other: &'m Self) -> impl Iterator<Item = ObjectDifference<'m>> {
        let chunk = |m: &'m Self, c: usize| m.chunks.get(c).and_then(Option::as_ref);
        (0..self.chunks.len().max(other.chunks.len()))
            .map(move |c| (c, chunk(self, c), chunk(other, c)))
            .filter(|(_, a, b)| match (a, b) {
                (Some(a), Some(b)) => !Rc::ptr_eq(a, b),
                (a, b) => a.is_some() || b.is_some(),
            })
            .flat_map(|(c, a, b)| (0..CHUNK).map(move |s| (number(c, s), state(a, s), state(b, s))))
            .filter(|(_, a, b)| match (a, b) {
                (Some(a), Some(b)) => !Rc::ptr_eq(a, b),
                (a, b) => a.is_some() || b.is_some(),
            })
    }
}

fn state(chunk: Option<&Chunk>, slot: usize) -> Option<&Rc<ObjState>> {
    chunk.and_then(|c| c[slot].as_ref())
}

impl std::ops::Index<&ObjId> for Memory {
    type Output = Rc<ObjState>;

    fn index(&self, o: &ObjId) -> &Rc<ObjState> {
        self.get(o).unwrap_or_else(|| panic!("object {} holds nothing", o.0))
    }
}

impl FromIterator<(ObjId, Rc<ObjState>)> for Memory {
    fn from_iter<I: IntoIterator<Item = (ObjId, Rc<ObjState>)>>(all: I) -> Self {
        let mut out = Self::default();
        for (o, state) in all {
            out.insert(o, state);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Memory};
    use crate::symbolic::memory::object::{ObjId, ObjState, UncoveredContents};
    use std::collections::BTreeMap;
    use std::rc::Rc;

    fn fresh() -> Rc<ObjState> {
        Rc::new(ObjState::new(UncoveredContents::Uninit))
    }

    /// Compares with a plain map, through copies that are changed independently.
    #[test]
    fn it_holds_what_a_plain_map_holds() {
        let mut random = 1_u32;
        let mut next = move |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        let mut pairs = vec![(Memory::default(), BTreeMap::<ObjId, Rc<ObjState>>::new())];
        for _ in 0..5000 {
            let at = next(u32::try_from(pairs.len()).unwrap()) as usize;
            if pairs.len() < 6 && next(20) == 0 {
                let copy = pairs[at].clone();
                pairs.push(copy);
            }
            let (memory, plain) = &mut pairs[at];
            let o = ObjId(next(200));
            let state = fresh();
            let same = |a: Option<Rc<ObjState>>, b: Option<Rc<ObjState>>| {
                a.map(|x| Rc::as_ptr(&x)) == b.map(|x| Rc::as_ptr(&x))
            };
            match next(4) {
                0 => assert!(same(memory.remove(&o), plain.remove(&o))),
                1 => assert!(Rc::ptr_eq(memory.or_insert_with(o, || state.clone()), plain.entry(o).or_insert(state))),
                2 => {
                    if let (Some(a), Some(b)) = (memory.get_mut(&o), plain.get_mut(&o)) {
                        (*a, *b) = (state.clone(), state);
                    }
                }
                _ => assert!(same(memory.insert(o, state.clone()), plain.insert(o, state))),
            }
        }
        for (memory, plain) in &pairs {
            assert!(memory.iter().map(|(o, s)| (o, Rc::as_ptr(s))).eq(plain.iter().map(|(o, s)| (*o, Rc::as_ptr(s)))));
            assert_eq!((memory.len(), memory.is_empty()), (plain.len(), plain.is_empty()));
            for (other, plain_other) in &pairs {
                let differing: Vec<ObjId> = memory.differing(other).map(|d| d.0).collect();
                let expected: Vec<ObjId> = (0..200)
                    .map(ObjId)
                    .filter(|o| plain.get(o).map(Rc::as_ptr) != plain_other.get(o).map(Rc::as_ptr))
                    .collect();
                assert_eq!(differing, expected);
            }
        }
    }

    #[test]
    fn copies_share_what_neither_changed() {
        let mut one: Memory = (0..10).map(|c| (ObjId(c * u32::try_from(CHUNK).unwrap()), fresh())).collect();
        let other = one.clone();
        one.insert(ObjId(3), fresh());
        let shared =
            one.chunks.iter().zip(&other.chunks).filter(|(a, b)| Rc::ptr_eq(a.as_ref().unwrap(), b.as_ref().unwrap()));
        assert_eq!(shared.count(), 9);
    }
}
