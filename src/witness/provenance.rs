//! Parts of objects at run time: where the pointer variables that cut an object begin, from the stores that set them,
//! and whether the target access leaves its part for another named part.

use super::api::{AccessFault, PartBounds, PartTarget, ProgramPoint};
use super::machine::call::ThreadStop;
use super::machine::state::Machine;
use super::machine::thread::Thread;
use super::machine::value::Val;
use super::memory::space::{WindowId, split};
use finding::Direction;

impl Machine<'_> {
    /// Whether the run must observe the stores that name parts: their variables then live in memory, not in
    /// registers.
    pub fn watches_parts(&self) -> bool {
        self.seen.target.as_ref().is_some_and(|t| matches!(t.parts, Some(PartTarget::Named { .. })))
    }

    pub fn names_part(&self, site: ProgramPoint) -> bool {
        matches!(self.seen.target.as_ref().and_then(|t| t.parts.as_ref()), Some(PartTarget::Named { own, others }) if *own == site || others.contains(&site))
    }

    /// Records the address that a store gives to a variable that names a part.
    #[cold]
    pub fn note_part(&mut self, site: ProgramPoint, v: Val) {
        if !self.names_part(site) {
            return;
        }
        match v.known() {
            Some(address) => {
                self.seen.starts.insert(site, address);
            }
            None => {
                self.seen.starts.remove(&site);
            }
        }
    }

    /// Records the base address of the address computation that names a row.
    #[cold]
    pub fn note_row(&mut self, site: ProgramPoint, from: Val) {
        let Some(PartTarget::Row { gep, .. }) = self.seen.target.as_ref().and_then(|t| t.parts.as_ref()) else {
            return;
        };
        if *gep != site {
            return;
        }
        match from.known() {
            Some(address) => {
                self.seen.starts.insert(site, address);
            }
            None => {
                self.seen.starts.remove(&site);
            }
        }
    }

    /// Checks an access inside its object: it is bad if it is the target and touches a part with another name.
    #[cold]
    pub fn in_part(
        &mut self,
        th: &Thread,
        site: ProgramPoint,
        address: u64,
        bytes: u64,
        direction: Direction,
    ) -> Result<(), ThreadStop> {
        let Some(t) = self.seen.target.as_ref().filter(|t| t.site == site) else { return Ok(()) };
        let Some(parts) = &t.parts else { return Ok(()) };
        let (object, offset) = split(address);
        let start = |s: &ProgramPoint| self.seen.starts.get(s).and_then(|a| within(object, *a));
        let bounds = match parts {
            PartTarget::Named { own, others } => start(own)
                .and_then(|own| left(own, &others.iter().filter_map(start).collect::<Vec<_>>(), offset, bytes)),
            PartTarget::Row { gep, bytes: size } => start(gep).and_then(|row| {
                let end = row.saturating_add_unsigned(*size);
                (offset < row || offset.saturating_add_unsigned(bytes) > end)
                    .then_some(PartBounds { start: row, end: Some(end) })
            }),
        };
        let Some(bounds) = bounds else { return Ok(()) };
        self.fault(th, site, AccessFault::Part(bounds), address, bytes, direction)
    }
}

/// Offset of an address in an object; `None` if it is in another one.
fn within(object: WindowId, address: u64) -> Option<i64> {
    let (id, offset) = split(address);
    (id == object).then_some(offset)
}

/// Bounds of the part that begins at `own`, if an access meant for it touches a part that begins elsewhere.
fn left(own: i64, others: &[i64], offset: i64, bytes: u64) -> Option<PartBounds> {
    let end = offset.saturating_add_unsigned(bytes);
    let next = others.iter().copied().filter(|s| *s > own).min();
    let before = others.iter().any(|s| *s < own && offset >= *s);
    let bad = next.is_some_and(|n| end > n) || offset < own && before;
    bad.then_some(PartBounds { start: own, end: next })
}

#[cfg(test)]
mod tests {
    use super::left;

    #[test]
    fn a_part_ends_where_the_next_begins() {
        assert_eq!(left(8, &[0, 24, 16], 12, 4), None);
        assert_eq!(left(8, &[0, 24, 16], 12, 8).map(|p| (p.start, p.end)), Some((8, Some(16))));
        assert!(left(8, &[0, 24, 16], 16, 4).is_some() && left(8, &[0, 24, 16], 4, 4).is_some());
        assert_eq!(left(8, &[0], 100, 4), None, "the last one ends with its object");
        assert_eq!(left(8, &[16], 4, 4), None, "nothing is named before it");
        assert_eq!(left(8, &[8], 12, 4), None, "two names of one place");
    }
}
