//! Set of objects that a walk along pointers has reached.
//!
//! Objects are numbered densely, so the set is a bit vector, which is ordered without sorting.

use crate::symbolic::memory::object::ObjId;
use base::work::{charge, cost};

/// Objects in a word.
const BITS: usize = 64;

/// Reached objects, and those of them that the walk has not yet visited.
pub(in crate::symbolic) struct ReachedObjects {
    words: Vec<u64>,
    open: Vec<ObjId>,
    /// Whether objects whose addresses were stored through unknown pointers are included.
    anywhere: bool,
}

impl ReachedObjects {
    /// Empty set among `objects` objects.
    pub(in crate::symbolic) fn among(objects: usize) -> Self {
        charge(objects as u64 / BITS as u64);
        Self { words: vec![0; objects.div_ceil(BITS)], open: vec![], anywhere: false }
    }

    /// Adds objects; each costs the same, whether it is new or not.
    pub(in crate::symbolic) fn add(&mut self, objects: impl IntoIterator<Item = ObjId>) {
        let mut passed = 0;
        for o in objects {
            passed += 1;
            let (word, bit) = (o.0 as usize / BITS, 1 << (o.0 as usize % BITS));
            if word >= self.words.len() {
                self.words.resize(word + 1, 0);
            }
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.open.push(o);
            }
        }
        charge(cost::OBJECT * passed);
    }

    /// Takes the next object to visit, without adding what its pointers lead to.
    pub(in crate::symbolic) fn next(&mut self) -> Option<ObjId> {
        self.open.pop()
    }

    /// Adds the objects whose addresses were stored through unknown pointers, unless that has been done.
    pub(super) fn add_anywhere(&mut self, objects: impl IntoIterator<Item = ObjId>) {
        if !std::mem::replace(&mut self.anywhere, true) {
            self.add(objects);
        }
    }

    pub(in crate::symbolic) fn in_order(&self) -> Vec<ObjId> {
        let mut all = vec![];
        for (at, word) in self.words.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let number = at * BITS + left.trailing_zeros() as usize;
                all.push(ObjId(u32::try_from(number).unwrap_or(u32::MAX)));
                left &= left - 1;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::ReachedObjects;
    use crate::symbolic::memory::object::ObjId;
    use base::work::{Work, cost, done};

    #[test]
    fn what_is_reached_is_in_order_and_gone_on_from_once() {
        let mut all = ReachedObjects::among(70);
        all.add([69, 3, 64, 3, 0].map(ObjId));
        // An object made since.
        all.add([200, 69].map(ObjId));
        assert_eq!(all.in_order(), [0, 3, 64, 69, 200].map(ObjId));
        assert_eq!(all.open, [69, 3, 64, 0, 200].map(ObjId));
    }

    #[test]
    fn what_is_passed_again_is_charged_again() {
        let mut all = ReachedObjects::among(0);
        let before = done();
        all.add((0..100).chain(0..100).map(ObjId));
        assert_eq!(done() - before, Work::units(200 * cost::OBJECT));
    }
}
