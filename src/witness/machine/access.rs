//! Bounds-checked loads, stores, atomics and copies of the program.

use super::call::ThreadStop;
use super::form::TypeLayout;
use super::state::Machine;
use super::thread::Thread;
use super::value::{Reason, Val, mask};
use crate::api::{AccessFault, ObjectKind, ProgramPoint};
use crate::memory::space::{Obj, WindowId, split};
use crate::memory::store::Fill;
use finding::Direction;

/// Whether other threads of the launch can write this memory.
const fn is_common(kind: ObjectKind) -> bool {
    matches!(
        kind,
        ObjectKind::Device
            | ObjectKind::Managed
            | ObjectKind::Pinned
            | ObjectKind::DeviceGlobal
            | ObjectKind::Shared
            | ObjectKind::DynamicShared
            | ObjectKind::HostHeap
            | ObjectKind::Foreign
    )
}

/// Result of the check of an access.
enum AccessCheck {
    Fine(WindowId, u64),
    Poison(Reason),
    /* of unknown extent, or skipped */ Nowhere(Reason),
}

impl Machine<'_> {
    /// Checks an access of `bytes` bytes and records it if it is wrong.
    #[inline]
    fn way(
        &mut self,
        th: &Thread,
        site: impl Fn() -> ProgramPoint,
        p: Val,
        bytes: u64,
        dir: Direction,
    ) -> Result<AccessCheck, ThreadStop> {
        if p.is_unset() && th.on_device() && bytes > 0 {
            self.fault(th, site(), AccessFault::Unset, 0, bytes, dir)?;
            return Ok(AccessCheck::Nowhere(Reason::BAD_READ));
        }
        if p.is_poison() {
            if p.poison == Reason::UNINIT && th.on_device() && bytes > 0 && self.seen.wants_unset_index() {
                self.fault(th, site(), AccessFault::UnsetIndex, 0, bytes, dir)?;
            }
            self.seen.unclear(site(), || self.reasons.why(p.poison, |why| format!("its address depends on {why}")));
            match p.poison {
                Reason::BAD_READ => self.seen.astray(site()),
                Reason::OTHERS => self.seen.hidden(site()),
                _ => {}
            }
            return Ok(AccessCheck::Poison(p.poison));
        }
        let (id, off) = split(p.bits);
        match self.mem.get(&th.stack, id) {
            Some(o) if o.unknown.is_some() => self.unbounded(site(), id, off),
            Some(o) if o.holds(off, bytes) => {
                let hosts = th.on_device() && matches!(o.kind, ObjectKind::HostHeap | ObjectKind::HostGlobal);
                if self.seen.alignment(&site).is_some_and(|a| !p.bits.is_multiple_of(u64::from(a))) {
                    self.misaligned(th, site(), p.bits, bytes, dir)?;
                    return Ok(AccessCheck::Fine(id, off.cast_unsigned()));
                }
                if self.seen.has_parts() {
                    self.in_part(th, site(), p.bits, bytes, dir)?;
                }
                if hosts {
                    self.hosts_memory(th, site(), p.bits, bytes, dir)?;
                }
                Ok(AccessCheck::Fine(id, off.cast_unsigned()))
            }
            _ if bytes == 0 => Ok(AccessCheck::Nowhere(Reason::BAD_READ)),
            _ => {
                self.bad_access(th, site(), p.bits, bytes, dir)?;
                if id.is_null() && !th.on_device() {
                    return Err(ThreadStop::Ended("the program uses a null pointer".into()));
                }
                Ok(AccessCheck::Nowhere(Reason::BAD_READ))
            }
        }
    }

    #[cold]
    fn unbounded(&mut self, site: ProgramPoint, id: WindowId, off: i64) -> Result<AccessCheck, ThreadStop> {
        let Some(o) = self.mem.global(id) else { return Ok(AccessCheck::Nowhere(Reason::BAD_READ)) };
        let (why, foreign) = (o.unknown, o.kind == ObjectKind::Foreign);
        if !foreign {
            self.seen
                .unclear(site, || self.reasons.why(why, |why| format!("the extent of its object depends on {why}")));
        }
        Ok(if o.holds(off, 16) { AccessCheck::Fine(id, off.cast_unsigned()) } else { AccessCheck::Nowhere(why) })
    }

    #[inline]
    pub fn load(&mut self, th: &Thread, site: impl Fn() -> ProgramPoint, p: Val, bits: u32) -> Result<Val, ThreadStop> {
        let bytes = bits.div_ceil(8);
        Ok(match self.way(th, site, p, u64::from(bytes), Direction::Read)? {
            AccessCheck::Fine(id, off) => {
                let v = self.peek(th, id, off, bytes.min(8));
                if v.is_poison() { v } else { Val::new(v.bits & mask(bits)) }
            }
            AccessCheck::Poison(r) | AccessCheck::Nowhere(r) => Val::poison(r),
        })
    }

    /// Reads bytes inside an object, as far as this thread may know them.
    #[inline]
    fn peek(&self, th: &Thread, id: WindowId, off: u64, bytes: u32) -> Val {
        let Some(o) = self.mem.get(&th.stack, id) else { return Val::poison(Reason::BAD_READ) };
        if th.alone && th.synced && is_common(o.kind) && !o.constant {
            return Val::poison(Reason::OTHERS);
        }
        o.store.read(off, bytes)
    }

    #[inline]
    pub fn store(
        &mut self,
        th: &mut Thread,
        site: impl Fn() -> ProgramPoint,
        p: Val,
        bits: u32,
        v: Val,
    ) -> Result<(), ThreadStop> {
        let bytes = bits.div_ceil(8);
        if self.seen.has_parts() {
            self.note_part(site(), v);
        }
        match self.way(th, &site, p, u64::from(bytes), Direction::Write)? {
            AccessCheck::Fine(id, off) => self.poke(th, id, off, bytes.min(8), v),
            AccessCheck::Poison(r) => self.store_somewhere(th, site(), p, r),
            AccessCheck::Nowhere(_) => {}
        }
        Ok(())
    }

    #[inline]
    fn poke(&mut self, th: &mut Thread, id: WindowId, off: u64, bytes: u32, v: Val) {
        if let Some(o) = self.mem.get_mut(&mut th.stack, id)
            && !o.constant
        {
            o.store.write(off, bytes, v);
        }
    }

    /// Havocs the object that a write with an unknown address was meant for, if that object is known.
    #[cold]
    fn store_somewhere(&mut self, th: &mut Thread, site: ProgramPoint, p: Val, why: Reason) {
        if let Some(o) = self.mem.get_mut(&mut th.stack, split(p.bits).0) {
            o.store.fill_all(Fill::Poison(why));
            return;
        }
        let what = format!(
            "{}: the write through an unknown pointer ({}) changes nothing that matters",
            self.line(site),
            self.reasons.text(why)
        );
        self.seen.assume(what);
    }

    pub fn load_many(
        &mut self,
        th: &Thread,
        site: impl Fn() -> ProgramPoint,
        p: Val,
        layout: &TypeLayout,
        out: &mut Vec<Val>,
    ) -> Result<(), ThreadStop> {
        match self.way(th, site, p, layout.bytes, Direction::Read)? {
            AccessCheck::Fine(id, off) => {
                for l in &layout.leaves {
                    if l.bits == 0 {
                        out.push(Val::poison(Reason::OPEN));
                        continue;
                    }
                    let v = self.peek(th, id, off + u64::from(l.off), l.bytes().min(8));
                    out.push(if v.is_poison() { v } else { Val::new(v.bits & mask(u32::from(l.bits))) });
                }
            }
            AccessCheck::Poison(r) | AccessCheck::Nowhere(r) => {
                out.extend(layout.leaves.iter().map(|_| Val::poison(r)));
            }
        }
        Ok(())
    }

    pub fn store_many(
        &mut self,
        th: &mut Thread,
        site: impl Fn() -> ProgramPoint,
        p: Val,
        layout: &TypeLayout,
        values: &[Val],
    ) -> Result<(), ThreadStop> {
        match self.way(th, &site, p, layout.bytes, Direction::Write)? {
            AccessCheck::Fine(id, off) => {
                for (l, v) in layout.leaves.iter().zip(values) {
                    let (bytes, v) = if l.bits == 0 { (8, Val::poison(Reason::OPEN)) } else { (l.bytes().min(8), *v) };
                    self.poke(th, id, off + u64::from(l.off), bytes, v);
                }
            }
            AccessCheck::Poison(r) => self.store_somewhere(th, site(), p, r),
            AccessCheck::Nowhere(_) => {}
        }
        Ok(())
    }

    /// Reads, changes and writes back; returns the old value.
    pub fn update(
        &mut self,
        th: &mut Thread,
        site: impl Fn() -> ProgramPoint,
        p: Val,
        bits: u32,
        f: impl FnOnce(Val) -> Option<Val>,
    ) -> Result<Val, ThreadStop> {
        let bytes = bits.div_ceil(8);
        match self.way(th, &site, p, u64::from(bytes), Direction::Atomic)? {
            AccessCheck::Fine(id, off) => {
                let old = self.peek(th, id, off, bytes);
                let old = if old.is_poison() { old } else { Val::new(old.bits & mask(bits)) };
                if let Some(new) = f(old) {
                    self.poke(th, id, off, bytes, new);
                }
                Ok(old)
            }
            AccessCheck::Poison(r) => {
                self.store_somewhere(th, site(), p, r);
                Ok(Val::poison(r))
            }
            AccessCheck::Nowhere(r) => Ok(Val::poison(r)),
        }
    }

    /// Performs `memcpy` or `memmove`. A range that leaves either object is an error of the whole copy: it may be
    /// refused, or performed up to the bound.
    pub fn copy(
        &mut self,
        th: &mut Thread,
        site: impl Fn() -> ProgramPoint,
        dst: Val,
        src: Val,
        len: Val,
    ) -> Result<(), ThreadStop> {
        let Some(n) = len.known() else {
            self.seen.unclear(site(), || self.reasons.why(len.poison, |why| format!("its length depends on {why}")));
            if len.poison == Reason::OTHERS {
                self.seen.hidden(site());
            }
            self.havoc(th, dst, len.poison);
            return Ok(());
        };
        if n == 0 {
            return Ok(());
        }
        let from = self.way(th, &site, src, n, Direction::Read)?;
        let to = self.way(th, &site, dst, n, Direction::Write)?;
        match (to, from) {
            (AccessCheck::Fine(d, doff), AccessCheck::Fine(s, soff)) => {
                let Some(source) = self.mem.get(&th.stack, s) else { return Ok(()) };
                let hidden = th.alone && th.synced && is_common(source.kind) && !source.constant;
                // An object of unknown extent may be shorter than the copy.
                let pieces = if hidden { Vec::new() } else { source.store.cut(soff, n) };
                if let Some(o) = self.mem.get_mut(&mut th.stack, d).filter(|o| !o.constant) {
                    if hidden {
                        o.store.fill_range(doff, n, Fill::Poison(Reason::OTHERS));
                    } else {
                        o.store.paste(doff, &pieces);
                    }
                }
            }
            (AccessCheck::Fine(d, doff), AccessCheck::Poison(r) | AccessCheck::Nowhere(r)) => {
                if let Some(o) = self.mem.get_mut(&mut th.stack, d).filter(|o| !o.constant) {
                    o.store.fill_range(doff, n, Fill::Poison(r));
                }
            }
            (AccessCheck::Poison(r), _) => self.store_somewhere(th, site(), dst, r),
            (AccessCheck::Nowhere(r), _) => self.havoc_range(th, dst, n, r),
        }
        Ok(())
    }

    /// Makes bytes from an address on unknown, up to the end of the object, because they may or may not have been
    /// written.
    fn havoc_range(&mut self, th: &mut Thread, p: Val, bytes: u64, why: Reason) {
        let (id, off) = split(p.bits);
        let Some(o) = self.mem.get_mut(&mut th.stack, id).filter(|o| !o.constant && o.holds(off, 0)) else { return };
        let off = off.cast_unsigned();
        o.store.fill_range(off, bytes.min(o.size - off), Fill::Poison(why));
    }

    pub fn set(
        &mut self,
        th: &mut Thread,
        site: impl Fn() -> ProgramPoint,
        dst: Val,
        byte: Val,
        len: Val,
    ) -> Result<(), ThreadStop> {
        let Some(n) = len.known() else {
            self.seen.unclear(site(), || self.reasons.why(len.poison, |why| format!("its length depends on {why}")));
            if len.poison == Reason::OTHERS {
                self.seen.hidden(site());
            }
            self.havoc(th, dst, len.poison);
            return Ok(());
        };
        if n == 0 {
            return Ok(());
        }
        match self.way(th, &site, dst, n, Direction::Write)? {
            AccessCheck::Fine(id, off) => {
                let fill = byte.known().map_or(Fill::Poison(byte.poison), |b| Fill::Byte(b as u8));
                if let Some(o) = self.mem.get_mut(&mut th.stack, id).filter(|o| !o.constant) {
                    o.store.fill_range(off, n, fill);
                }
            }
            AccessCheck::Poison(r) => self.store_somewhere(th, site(), dst, r),
            AccessCheck::Nowhere(r) => self.havoc_range(th, dst, n, r),
        }
        Ok(())
    }

    /// Checks an access that other code makes later.
    pub fn examine(
        &mut self,
        th: &Thread,
        site: ProgramPoint,
        p: Val,
        bytes: u64,
        dir: Direction,
    ) -> Result<(), ThreadStop> {
        self.way(th, || site, p, bytes, dir).map(|_| ())
    }

    /// Checks an access whose contents are not followed; what it writes becomes unknown.
    pub fn touch(
        &mut self,
        th: &mut Thread,
        site: ProgramPoint,
        p: Val,
        bytes: u64,
        dir: Direction,
        why: Reason,
    ) -> Result<(), ThreadStop> {
        let way = self.way(th, || site, p, bytes, dir)?;
        if dir == Direction::Read {
            return Ok(());
        }
        match way {
            AccessCheck::Fine(id, off) => {
                if let Some(o) = self.mem.get_mut(&mut th.stack, id).filter(|o| !o.constant) {
                    o.store.fill_range(off, bytes, Fill::Poison(why));
                }
            }
            AccessCheck::Poison(r) => self.store_somewhere(th, site, p, r),
            AccessCheck::Nowhere(r) => self.havoc_range(th, p, bytes, r),
        }
        Ok(())
    }

    /// Makes the whole object at an address unknown.
    pub fn havoc(&mut self, th: &mut Thread, p: Val, why: Reason) {
        self.havoc_object(th, split(p.bits).0, why);
    }

    pub fn havoc_object(&mut self, th: &mut Thread, id: WindowId, why: Reason) {
        if let Some(o) = self.mem.get_mut(&mut th.stack, id)
            && !o.constant
        {
            o.store.fill_all(Fill::Poison(why));
        }
    }

    /// Makes everything reachable from these addresses unknown.
    pub fn havoc_reachable(&mut self, th: &mut Thread, roots: &[Val], why: Reason) {
        let roots: Vec<WindowId> = roots.iter().map(|v| split(v.bits).0).filter(|id| id.0 != 0).collect();
        for id in self.mem.reachable(&th.stack, &self.with_those_of_threads(roots)) {
            self.havoc_object(th, id, why);
        }
    }

    /// Adds to objects those that threads have in place of them.
    pub fn with_those_of_threads(&self, mut objects: Vec<WindowId>) -> Vec<WindowId> {
        let own = self.libc.threads.in_place_of(&objects);
        objects.extend(own.into_iter().map(|address| split(address).0));
        objects
    }

    /// Creates an object of `size` bytes, aligned to `align` bytes, on `th`'s stack and returns its address.
    pub fn stack_object(
        &mut self,
        th: &mut Thread,
        name: std::rc::Rc<str>,
        alloc: Option<ProgramPoint>,
        (size, align): (u64, u32),
    ) -> Result<Val, ThreadStop> {
        let kind = if th.on_device() { ObjectKind::Local } else { ObjectKind::HostStack };
        th.stack
            .push(Obj { alloc, align: align.max(1), ..Obj::new(kind, name, size, Fill::Poison(Reason::UNINIT)) })
            .map(Val::new)
            .ok_or_else(|| ThreadStop::Unknown("more stack objects than the interpreter can hold".into()))
    }

    /// Creates a heap or device object and returns its address. `size` may be unknown.
    pub fn heap_object(
        &mut self,
        kind: ObjectKind,
        name: &str,
        alloc: Option<ProgramPoint>,
        size: Val,
        fill: Fill,
    ) -> Result<Val, ThreadStop> {
        let obj = match size.known() {
            Some(n) => Obj { alloc, ..Obj::new(kind, name.into(), n, fill) },
            None => Obj { alloc, ..Obj::unbounded(kind, name.into(), size.poison) },
        };
        let (n, at) = (obj.size, alloc.map(|s| self.line(s)).unwrap_or_default());
        self.mem.add(obj).map(|id| Val::new(id.address())).ok_or_else(|| {
            ThreadStop::Unknown(
                format!("{at}: an allocation of {n} bytes, or more allocations than the interpreter keeps").into(),
            )
        })
    }
}
