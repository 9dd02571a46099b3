//! Bytes of one object: pages created at their first write, poison per byte.
//!
//! A 100-GiB allocation without writes costs a few words. Copies share pages until one side writes.

use super::space::looks_like_address;
use crate::machine::value::{Reason, Val};
use base::work::charge;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

const PAGE_BITS: u32 = 12;
const PAGE: u64 = 1 << PAGE_BITS;
/// Largest size in bytes of an object with a flat page table.
const FLAT_LIMIT: u64 = 4 << 30;
/// Most pages that a partial fill touches one by one; a larger fill havocs the whole object.
const FILL_PAGES: u64 = 1 << 20;

/// Contents of unwritten bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    Byte(u8),
    Poison(Reason),
}

thread_local! { static PAGES: Cell<u64> = const { Cell::new(0) } }

/// Bytes of the pages of all stores of this thread.
pub fn held() -> u64 {
    PAGES.get() * PAGE * (1 + size_of::<Reason>() as u64)
}

struct Page {
    data: Box<[u8]>,
    /// Poison of each byte; `None` if every byte is known.
    poison: Option<Box<[Reason]>>,
}

impl Page {
    fn new(data: Box<[u8]>, poison: Option<Box<[Reason]>>) -> Self {
        PAGES.set(PAGES.get() + 1);
        charge(data.len() as u64 / 8);
        Self { data, poison }
    }

    fn filled(len: usize, fill: Fill) -> Self {
        match fill {
            Fill::Byte(b) => Self::new(vec![b; len].into(), None),
            Fill::Poison(r) => Self::new(vec![0; len].into(), Some(vec![r; len].into())),
        }
    }
}

impl Clone for Page {
    fn clone(&self) -> Self {
        Self::new(self.data.clone(), self.poison.clone())
    }
}

/// Value of bytes that are not all known.
#[cold]
fn known_in_part(data: &[u8], poison: &[Reason]) -> Val {
    let (mut bits, mut known, mut why) = (0, 0, Reason::NONE);
    for (i, (byte, reason)) in data.iter().zip(poison).enumerate() {
        if reason.is_some() {
            why = if why.is_some() { why } else { *reason };
        } else {
            bits |= u64::from(*byte) << (8 * i);
            known |= 1 << i;
        }
    }
    Val::known_in_part(bits, why, known)
}

impl Drop for Page {
    fn drop(&mut self) {
        PAGES.set(PAGES.get() - 1);
    }
}

#[derive(Clone)]
enum Pages {
    Flat(Vec<Option<Rc<Page>>>),
    Sparse(FxHashMap<u64, Rc<Page>>),
}

/// Bytes copied out of a store, sharing its pages.
pub struct Piece {
    len: u64,
    what: PieceKind,
    addresses: bool,
}
enum PieceKind {
    Fill(Fill),
    Page { page: Rc<Page>, start: usize },
}

/// Bytes of one object.
#[derive(Clone)]
pub struct ObjectBytes {
    size: u64,
    fill: Fill,
    pages: Pages,
    /// Whether a word that may be an address was written since the last fill of the whole object.
    addresses: bool,
}

impl ObjectBytes {
    pub fn new(size: u64, fill: Fill) -> Self {
        let pages = if size <= FLAT_LIMIT { Pages::Flat(Vec::new()) } else { Pages::Sparse(FxHashMap::default()) };
        Self { size, fill, pages, addresses: false }
    }

    fn page_len(&self, page: u64) -> usize {
        // At most PAGE, so it fits.
        usize::try_from((self.size - (page << PAGE_BITS)).min(PAGE)).unwrap_or(0)
    }

    fn page(&self, page: u64) -> Option<&Rc<Page>> {
        match &self.pages {
            Pages::Flat(v) => v.get(usize::try_from(page).ok()?)?.as_ref(),
            Pages::Sparse(m) => m.get(&page),
        }
    }

    fn page_mut(&mut self, page: u64) -> &mut Page {
        let (len, fill) = (self.page_len(page), self.fill);
        let rc = match &mut self.pages {
            Pages::Flat(v) => {
                // A flat table has at most FLAT_LIMIT / PAGE entries.
                let i = page as usize;
                if i >= v.len() {
                    v.resize(i + 1, None);
                }
                v[i].get_or_insert_with(|| Rc::new(Page::filled(len, fill)))
            }
            Pages::Sparse(m) => m.entry(page).or_insert_with(|| Rc::new(Page::filled(len, fill))),
        };
        Rc::make_mut(rc)
    }

    fn set_page(&mut self, page: u64, value: Option<Rc<Page>>) {
        match &mut self.pages {
            Pages::Flat(v) => {
                let i = page as usize;
                if i >= v.len() {
                    if value.is_none() {
                        return;
                    }
                    v.resize(i + 1, None);
                }
                v[i] = value;
            }
            Pages::Sparse(m) => match value {
                Some(p) => {
                    m.insert(page, p);
                }
                None => {
                    m.remove(&page);
                }
            },
        }
    }

    /// Reads `bytes` (1 to 8) little-endian bytes at `off`; the caller has checked the bounds.
    #[inline]
    pub fn read(&self, off: u64, bytes: u32) -> Val {
        let (page, at) = (off >> PAGE_BITS, (off & (PAGE - 1)) as usize);
        let n = bytes as usize;
        if at + n > PAGE as usize {
            return self.read_across(off, bytes);
        }
        let Some(p) = self.page(page) else {
            return match self.fill {
                Fill::Byte(b) => {
                    Val::new((u64::from(b) * 0x0101_0101_0101_0101) & crate::machine::value::mask(bytes * 8))
                }
                Fill::Poison(r) => Val::poison(r),
            };
        };
        if let Some(poison) = &p.poison
            && let Some(r) = poison[at..at + n].iter().find(|r| r.is_some())
        {
            return if n > 1 { known_in_part(&p.data[at..at + n], &poison[at..at + n]) } else { Val::poison(*r) };
        }
        let mut raw = [0; 8];
        raw[..n].copy_from_slice(&p.data[at..at + n]);
        Val::new(u64::from_le_bytes(raw))
    }

    #[cold]
    fn read_across(&self, off: u64, bytes: u32) -> Val {
        let each: Vec<Val> = (0..u64::from(bytes)).map(|i| self.read(off + i, 1)).collect();
        let data: Vec<u8> = each.iter().map(|b| b.bits.to_le_bytes()[0]).collect();
        let poison: Vec<Reason> = each.iter().map(|b| b.poison).collect();
        if poison.iter().any(|r| r.is_some()) {
            return known_in_part(&data, &poison);
        }
        Val::new(data.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    /// Writes the lowest `bytes` (1 to 8) bytes of `v` at `off`; the caller has checked the bounds.
    #[inline]
    pub fn write(&mut self, off: u64, bytes: u32, v: Val) {
        let at = (off & (PAGE - 1)) as usize;
        let n = bytes as usize;
        if n == 8 && looks_like_address(v.bits) {
            self.addresses = true;
        }
        if at + n > PAGE as usize {
            for i in 0..u64::from(bytes) {
                self.write(off + i, 1, Val { bits: v.bits >> (8 * i) & 0xff, known: v.known >> i & 1, ..v });
            }
            return;
        }
        let p = self.page_mut(off >> PAGE_BITS);
        p.data[at..at + n].copy_from_slice(&v.bits.to_le_bytes()[..n]);
        if v.is_poison() {
            let len = p.data.len();
            let poison = &mut p.poison.get_or_insert_with(|| vec![Reason::NONE; len].into())[at..at + n];
            for (i, reason) in poison.iter_mut().enumerate() {
                *reason = if v.known >> i & 1 == 1 { Reason::NONE } else { v.poison };
            }
        } else if let Some(poison) = &mut p.poison {
            poison[at..at + n].fill(Reason::NONE);
        }
    }

    pub fn write_bytes(&mut self, mut off: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let at = (off & (PAGE - 1)) as usize;
            let n = bytes.len().min(PAGE as usize - at);
            let p = self.page_mut(off >> PAGE_BITS);
            p.data[at..at + n].copy_from_slice(&bytes[..n]);
            if let Some(poison) = &mut p.poison {
                poison[at..at + n].fill(Reason::NONE);
            }
            bytes = &bytes[n..];
            off += n as u64;
        }
    }

    /// Fills the whole object.
    pub fn fill_all(&mut self, fill: Fill) {
        let size = self.size;
        *self = Self::new(size, fill);
    }

    /// Fills `len` bytes at `off`.
    pub fn fill_range(&mut self, off: u64, len: u64, fill: Fill) {
        if len == 0 {
            return;
        }
        if off == 0 && len >= self.size {
            return self.fill_all(fill);
        }
        if len >> PAGE_BITS > FILL_PAGES {
            // More than 4 GiB of a larger object: havoc all of it rather than create a million pages.
            let reason = match fill {
                Fill::Poison(r) => r,
                Fill::Byte(_) => Reason::UNINIT,
            };
            return self.fill_all(Fill::Poison(reason));
        }
        let mut whole: Option<Rc<Page>> = None;
        let (mut off, end) = (off, off + len);
        while off < end {
            let (page, at) = (off >> PAGE_BITS, (off & (PAGE - 1)) as usize);
            let n = (end - off).min(PAGE - at as u64);
            if n == PAGE {
                if fill == self.fill {
                    self.set_page(page, None);
                } else {
                    let p = whole.get_or_insert_with(|| Rc::new(Page::filled(PAGE as usize, fill))).clone();
                    self.set_page(page, Some(p));
                }
            } else {
                let p = self.page_mut(page);
                let (range, size) = (at..at + n as usize, p.data.len());
                match fill {
                    Fill::Byte(b) => {
                        p.data[range.clone()].fill(b);
                        if let Some(poison) = &mut p.poison {
                            poison[range].fill(Reason::NONE);
                        }
                    }
                    Fill::Poison(r) => {
                        p.poison.get_or_insert_with(|| vec![Reason::NONE; size].into())[range].fill(r);
                    }
                }
            }
            off += n;
        }
    }

    /// Copies `len` bytes from `off` out, for [`Self::paste`] into this or another store.
    pub fn cut(&self, off: u64, len: u64) -> Vec<Piece> {
        let mut out = Vec::new();
        if len == 0 {
            return out;
        }
        let (first, last) = (off >> PAGE_BITS, (off + len - 1) >> PAGE_BITS);
        let present: Vec<u64> = match &self.pages {
            Pages::Flat(v) => {
                (first..=last).take_while(|p| (*p as usize) < v.len()).filter(|p| v[*p as usize].is_some()).collect()
            }
            // A small range of an object with many pages.
            Pages::Sparse(m) if last - first < m.len() as u64 => (first..=last).filter(|p| m.contains_key(p)).collect(),
            Pages::Sparse(m) => {
                let mut k: Vec<u64> = m.keys().copied().filter(|p| (first..=last).contains(p)).collect();
                k.sort_unstable();
                k
            }
        };
        let (mut at, end) = (off, off + len);
        for p in present {
            let start = at.max(p << PAGE_BITS);
            if start > at {
                out.push(Piece { len: start - at, what: PieceKind::Fill(self.fill), addresses: false });
            }
            let stop = end.min((p + 1) << PAGE_BITS);
            if let Some(page) = self.page(p) {
                let what = PieceKind::Page { page: page.clone(), start: (start & (PAGE - 1)) as usize };
                out.push(Piece { len: stop - start, what, addresses: self.addresses });
            }
            at = stop;
        }
        if at < end {
            out.push(Piece { len: end - at, what: PieceKind::Fill(self.fill), addresses: false });
        }
        out
    }

    /// Writes the result of [`Self::cut`] at `off`; the caller has checked the bounds.
    pub fn paste(&mut self, mut off: u64, pieces: &[Piece]) {
        let total: u64 = pieces.iter().map(|p| p.len).sum();
        let whole = off == 0 && total >= self.size;
        if whole {
            // The whole object is replaced: bytes unwritten in the source are unwritten here.
            let gap = pieces.iter().find_map(|p| match p.what {
                PieceKind::Fill(f) => Some(f),
                PieceKind::Page { .. } => None,
            });
            self.fill_all(gap.unwrap_or(self.fill));
        }
        self.addresses |= pieces.iter().any(|p| p.addresses);
        for piece in pieces {
            match &piece.what {
                PieceKind::Fill(f) if whole && *f == self.fill => {}
                PieceKind::Fill(f) => self.fill_range(off, piece.len, *f),
                PieceKind::Page { page, start } => {
                    let aligned = *start == 0 && off & (PAGE - 1) == 0;
                    let n = piece.len as usize;
                    if aligned && n == page.data.len() && self.page_len(off >> PAGE_BITS) == n {
                        self.set_page(off >> PAGE_BITS, Some(page.clone()));
                    } else {
                        self.paste_bytes(
                            off,
                            &page.data[*start..start + n],
                            page.poison.as_ref().map(|p| &p[*start..start + n]),
                        );
                    }
                }
            }
            off += piece.len;
        }
    }

    fn paste_bytes(&mut self, off: u64, bytes: &[u8], poison: Option<&[Reason]>) {
        self.write_bytes(off, bytes);
        let Some(poison) = poison else { return };
        for (i, r) in poison.iter().enumerate().filter(|(_, r)| r.is_some()) {
            self.write(off + i as u64, 1, Val::poison(*r));
        }
    }

    /// Known bytes that were written, or that the initial fill set to a nonzero value: runs within a page, by offset.
    pub fn known(&self) -> Vec<(u64, Vec<u8>)> {
        let mut out: Vec<(u64, Vec<u8>)> = Vec::new();
        let pages: Vec<u64> = match (&self.pages, self.fill) {
            (_, Fill::Byte(b)) if b != 0 && self.size <= FLAT_LIMIT => (0..self.size.div_ceil(PAGE)).collect(),
            (Pages::Flat(v), _) => (0u64..).zip(v).filter(|(_, p)| p.is_some()).map(|(i, _)| i).collect(),
            (Pages::Sparse(m), _) => {
                let mut k: Vec<u64> = m.keys().copied().collect();
                k.sort_unstable();
                k
            }
        };
        for n in pages {
            let filled;
            let page = match (self.page(n), self.fill) {
                (Some(p), _) => p.as_ref(),
                (None, fill) => {
                    filled = Page::filled(self.page_len(n), fill);
                    &filled
                }
            };
            let known = |i: usize| page.poison.as_ref().is_none_or(|r| !r[i].is_some());
            let mut at = 0;
            while at < page.data.len() {
                let end = (at..page.data.len()).find(|i| !known(*i)).unwrap_or(page.data.len());
                if end > at {
                    out.push(((n << PAGE_BITS) + at as u64, page.data[at..end].to_vec()));
                }
                at = (end..page.data.len()).find(|i| known(*i)).unwrap_or(page.data.len());
            }
        }
        out
    }

    /// Known words at eight-byte boundaries that may be addresses.
    pub fn words(&self) -> Vec<u64> {
        let mut out = Vec::new();
        if !self.addresses {
            return out;
        }
        let mut scan = |p: &Page| {
            for (i, w) in p.data.chunks_exact(8).enumerate() {
                let v = u64::from_le_bytes(w.try_into().unwrap_or_default());
                if looks_like_address(v)
                    && p.poison.as_ref().is_none_or(|r| r[i * 8..i * 8 + 8].iter().all(|r| !r.is_some()))
                {
                    out.push(v);
                }
            }
        };
        match &self.pages {
            Pages::Flat(v) => v.iter().flatten().for_each(|p| scan(p)),
            Pages::Sparse(m) => m.values().for_each(|p| scan(p)),
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: Reason = Reason(7);

    #[test]
    fn unwritten_bytes_are_poison_or_zero() {
        let s = ObjectBytes::new(100 << 30, Fill::Poison(R));
        assert_eq!(s.read(99 << 30, 8), Val::poison(R));
        assert_eq!(ObjectBytes::new(16, Fill::Byte(0xff)).read(4, 4), Val::new(0xffff_ffff));
    }

    #[test]
    fn pages_count_while_some_store_has_them() {
        let before = held();
        let mut s = ObjectBytes::new(1 << 30, Fill::Byte(0));
        for page in 0..100 {
            s.write(page << PAGE_BITS, 4, Val::new(1));
        }
        let hundred = held() - before;
        assert!(hundred >= 100 * PAGE, "{hundred}");
        let mut other = s.clone();
        assert_eq!(held() - before, hundred, "shared");
        other.write(0, 4, Val::new(2));
        assert_eq!(held() - before, hundred / 100 * 101);
        drop(s);
        drop(other);
        assert_eq!(held(), before);
    }

    #[test]
    fn a_write_defines_just_its_bytes() {
        let mut s = ObjectBytes::new(5000, Fill::Poison(R));
        s.write(4094, 4, Val::new(0x0403_0201));
        assert_eq!(s.read(4094, 4), Val::new(0x0403_0201));
        assert_eq!(s.read(4095, 2), Val::new(0x0302));
        assert_eq!(s.read(4093, 2), Val::known_in_part(0x0100, R, 0b10));
        s.write(4095, 1, Val::poison(Reason(9)));
        assert_eq!(s.read(4094, 4), Val::known_in_part(0x0403_0001, Reason(9), 0b1101));
        assert_eq!(s.read(4094, 1), Val::new(1));
    }

    #[test]
    fn copies_share_and_then_part() {
        let mut a = ObjectBytes::new(3 * PAGE, Fill::Poison(R));
        for i in 0..PAGE {
            a.write(PAGE + i, 1, Val::new(i & 0x7f));
        }
        let mut b = ObjectBytes::new(3 * PAGE, Fill::Byte(1));
        b.paste(0, &a.cut(0, 3 * PAGE));
        assert_eq!(b.read(0, 1), Val::poison(R));
        assert_eq!(b.read(PAGE + 5, 1), Val::new(5));
        b.write(PAGE + 5, 1, Val::new(200));
        assert_eq!(a.read(PAGE + 5, 1), Val::new(5));
        assert_eq!(b.read(PAGE + 5, 1), Val::new(200));
    }

    #[test]
    fn small_and_large_copies_of_a_sparse_object_are_alike() {
        let mut a = ObjectBytes::new(FLAT_LIMIT + 8 * PAGE, Fill::Byte(3));
        for page in [1, 2, 5, 6] {
            a.write(page * PAGE + 7, 1, Val::new(page));
        }
        // Two pages, fewer than there are, and seven.
        for (off, len) in [(PAGE, 2 * PAGE), (0, 7 * PAGE)] {
            let mut b = ObjectBytes::new(8 * PAGE, Fill::Byte(0));
            b.paste(0, &a.cut(off, len));
            let read: Vec<Val> = (0..len / PAGE).map(|p| b.read(p * PAGE + 7, 1)).collect();
            let expected: Vec<Val> = (off / PAGE..(off + len) / PAGE)
                .map(|p| Val::new(if [1, 2, 5, 6].contains(&p) { p } else { 3 }))
                .collect();
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn unaligned_copies_keep_poison_where_it_is() {
        let mut a = ObjectBytes::new(64, Fill::Byte(0));
        a.write(10, 1, Val::poison(R));
        a.write(11, 1, Val::new(42));
        let mut b = ObjectBytes::new(64, Fill::Byte(9));
        b.paste(3, &a.cut(9, 4));
        assert_eq!(b.read(2, 1), Val::new(9));
        assert_eq!(b.read(3, 1), Val::new(0));
        assert_eq!(b.read(4, 1), Val::poison(R));
        assert_eq!(b.read(5, 1), Val::new(42));
        assert_eq!(b.read(7, 1), Val::new(9));
    }

    #[test]
    fn a_range_is_filled_and_no_more() {
        let mut s = ObjectBytes::new(4 * PAGE, Fill::Poison(R));
        s.fill_range(100, 2 * PAGE, Fill::Byte(3));
        assert_eq!(s.read(99, 1), Val::poison(R));
        assert_eq!(s.read(100, 1), Val::new(3));
        assert_eq!(s.read(2 * PAGE + 99, 1), Val::new(3));
        assert_eq!(s.read(2 * PAGE + 100, 1), Val::poison(R));
        let mut huge = ObjectBytes::new(64 << 30, Fill::Byte(0));
        huge.fill_range(1, 32 << 30, Fill::Byte(1));
        assert!(huge.read(40 << 30, 1).is_poison(), "what is too large to follow is forgotten");
    }

    #[test]
    fn what_is_known_comes_in_runs() {
        let mut s = ObjectBytes::new(2 * PAGE + 8, Fill::Poison(R));
        s.write(4094, 4, Val::new(0x0403_0201));
        s.write(2 * PAGE, 2, Val::new(0x0605));
        assert_eq!(s.known(), [(4094, vec![1, 2]), (4096, vec![3, 4]), (2 * PAGE, vec![5, 6])]);
        assert_eq!(ObjectBytes::new(3, Fill::Byte(7)).known(), [(0, vec![7; 3])]);
        assert!(ObjectBytes::new(64 << 30, Fill::Byte(0)).known().is_empty());
    }

    #[test]
    fn a_word_that_was_written_in_part_is_copied_byte_by_byte() {
        let mut s = ObjectBytes::new(32, Fill::Poison(Reason::UNINIT));
        s.write(0, 1, Val::new(7));
        s.write(2, 2, Val::new(0x0605));
        let word = s.read(0, 4);
        assert!(word.is_poison());
        s.write(16, 4, word);
        assert_eq!((s.read(16, 1), s.read(18, 2)), (Val::new(7), Val::new(0x0605)));
        assert!(s.read(17, 1).is_poison() && s.read(16, 2).is_poison());
    }

    #[test]
    fn words_finds_pointers() {
        let mut s = ObjectBytes::new(64, Fill::Poison(R));
        let p = crate::memory::space::WindowId(3).address() + 8;
        assert!(s.words().is_empty());
        s.write(8, 8, Val::new(p));
        s.write(16, 8, Val::new(77));
        s.write(24, 8, Val::unknown_address(p, R));
        assert_eq!(s.words(), vec![p]);
        let mut t = ObjectBytes::new(64, Fill::Byte(0));
        t.paste(16, &s.cut(8, 8));
        assert_eq!(t.words(), vec![p]);
    }
}
