//! The address space: every object lies in the middle of its own window of 1 TiB. A pointer that left its object
//! therefore still names it, and stays an ordinary 64-bit integer that the program can compute with.
//!
//! Global objects (heap, variables, device allocations) exist once. Shared variables have the same addresses in every
//! block, and stack objects the same in every thread, as on hardware; their contents belong to the current block or
//! thread.

use super::store::{Fill, ObjectBytes};
use crate::api::{ObjectKind, ProgramPoint};
use crate::machine::value::{Reason, Val};
use ir::FuncRef;
use rustc_hash::FxHashMap;
use std::rc::Rc;

const WINDOW_BITS: u32 = 40;
/// Offset of an object's start in its window: about the middle, at a value that data rarely have.
const BIAS: u64 = (1 << (WINDOW_BITS - 1)) + 0x3_5a5a_6000;

/// Number of an object's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub u32);

const HOST_STACK: u32 = 0x40_0000;
const LOCAL: u32 = 0x50_0000;
const SHARED: u32 = 0x60_0000;
const FUNCS: u32 = 0x70_0000;
/// Most objects of a run.
const MAX_OBJECTS: usize = (1 << 20) - 1;

/// Whether a word may be an address of an object: true for every such address and for few other words.
#[inline]
pub const fn looks_like_address(word: u64) -> bool {
    let (id, low) = (word >> WINDOW_BITS, word & ((1 << WINDOW_BITS) - 1));
    if id > 0 && id <= MAX_OBJECTS as u64 {
        return low >= BIAS - (1 << 30) && low < BIAS + (1 << 38);
    }
    // Stack objects are small.
    id >= HOST_STACK as u64 && id < SHARED as u64 && low >> 24 == BIAS >> 24
}

impl WindowId {
    /// Whether the address was null or near it.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }
    /// Whether the object is a local variable of a host function.
    pub const fn is_on_hosts_stack(self) -> bool {
        self.0 >= HOST_STACK && self.0 < LOCAL
    }
    /// Address of the object's first byte.
    pub const fn address(self) -> u64 {
        ((self.0 as u64) << WINDOW_BITS) + BIAS
    }
}

/// The object that an address was meant for, and the address's offset in it.
#[inline]
pub const fn split(address: u64) -> (WindowId, i64) {
    // 24 bits remain.
    let id = WindowId((address >> WINDOW_BITS) as u32);
    (id, (address & ((1 << WINDOW_BITS) - 1)).cast_signed() - BIAS.cast_signed())
}

/// Log2 of the bytes that one object has in the window of 32-bit shared-memory addresses; the object starts in the
/// middle.
const SHARED_BITS: u32 = 20;
const SHARED_BIAS: i64 = 1 << (SHARED_BITS - 1);

/// Converts a shared-memory address to an integer in the shared window; `None` if it is of other memory, or too far
/// from its object.
pub fn shared_number(address: u64) -> Option<u64> {
    let (id, off) = split(address);
    let index = u64::from(id.0.checked_sub(SHARED).filter(|_| id.0 < FUNCS)?);
    let fits = index < 1 << (32 - SHARED_BITS) && (-SHARED_BIAS..SHARED_BIAS).contains(&off);
    fits.then(|| (index << SHARED_BITS) + (off + SHARED_BIAS).cast_unsigned())
}

/// An object in memory.
#[derive(Clone)]
pub struct Obj {
    pub kind: ObjectKind,
    pub name: Rc<str>,
    pub alloc: Option<ProgramPoint>,
    /// Size in bytes; meaningless if `unknown` is set.
    pub size: u64,
    /// Reason why the size is unknown.
    pub unknown: Reason,
    pub freed: bool,
    /// Alignment in bytes that the object surely has: a power of two. Higher bits of its address are unknown.
    pub align: u32,
    /// Whether writes are errors of the program (string literals); the interpreter drops them.
    pub constant: bool,
    pub store: ObjectBytes,
    /// Attempt (see [`ConcreteMemory::begin`]) in which the contents were last saved for [`ConcreteMemory::rollback`].
    pub epoch: u32,
}

/// Alignment in bytes of every object of this kind: 256 for CUDA's allocations (CUDA C++ Programming Guide 13.0, 5.3.2),
/// 16 for `malloc` (glibc 2.36 on x86-64) and dynamic shared memory. Variables have that of their declaration.
const fn least_alignment(kind: ObjectKind) -> u32 {
    match kind {
        ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned => 256,
        ObjectKind::HostHeap | ObjectKind::DynamicShared => 16,
        _ => 1,
    }
}

impl Obj {
    pub fn new(kind: ObjectKind, name: Rc<str>, size: u64, fill: Fill) -> Self {
        Self {
            kind,
            name,
            alloc: None,
            size,
            unknown: Reason::NONE,
            freed: false,
            align: least_alignment(kind),
            constant: false,
            store: ObjectBytes::new(size, fill),
            epoch: 0,
        }
    }

    /// Memory of unknown extent: never out of bounds, contents unknown.
    pub fn unbounded(kind: ObjectKind, name: Rc<str>, why: Reason) -> Self {
        Self { unknown: why, ..Self::new(kind, name, 1 << (WINDOW_BITS - 2), Fill::Poison(why)) }
    }

    /// Whether the `bytes` bytes at `off` lie inside the object and it is live.
    #[inline]
    pub fn holds(&self, off: i64, bytes: u64) -> bool {
        let off = off.cast_unsigned();
        // A negative offset is a huge unsigned one.
        !self.freed && off <= self.size && bytes <= self.size - off
    }
}

/// Stack objects of a thread.
#[derive(Clone)]
pub struct Stack {
    window: u32,
    objs: Vec<Obj>,
}

impl Stack {
    pub const fn host() -> Self {
        Self { window: HOST_STACK, objs: Vec::new() }
    }
    pub const fn device() -> Self {
        Self { window: LOCAL, objs: Vec::new() }
    }
    pub fn depth(&self) -> usize {
        self.objs.len()
    }
    pub fn cut(&mut self, depth: usize) {
        self.objs.truncate(depth);
    }
    /// Adds an object and returns its address, if there is room.
    pub fn push(&mut self, obj: Obj) -> Option<u64> {
        let n = u32::try_from(self.objs.len()).ok().filter(|n| *n < LOCAL - HOST_STACK)?;
        self.objs.push(obj);
        Some(WindowId(self.window + n).address())
    }
}

/// Memory except stacks.
#[derive(Default)]
pub struct ConcreteMemory {
    /// Global objects; index `i` has window `i + 1`.
    objs: Vec<Obj>,
    pub shared: Vec<Obj>,
    funcs: Vec<FuncRef>,
    func_index: FxHashMap<FuncRef, u32>,
    /// Current attempt; 0 if contents are not saved.
    epoch: u32,
    attempts: u32,
    kept: Vec<(WindowId, ObjectBytes, bool)>,
    /// Device bytes of the live objects in `objs`.
    device_bytes: u128,
}

/// Device bytes of an object while it is live; 0 if its size is unknown.
fn bytes_on_device(o: &Obj) -> u128 {
    if matches!(o.kind, ObjectKind::Device | ObjectKind::Managed) && !o.unknown.is_some() { o.size.into() } else { 0 }
}

impl ConcreteMemory {
    /// Adds an object; `None` if the address space is full.
    pub fn add(&mut self, obj: Obj) -> Option<WindowId> {
        if self.objs.len() >= MAX_OBJECTS || obj.size > 1 << (WINDOW_BITS - 2) {
            return None;
        }
        self.device_bytes += bytes_on_device(&obj);
        self.objs.push(obj);
        u32::try_from(self.objs.len()).ok().map(WindowId)
    }

    /// Adds a shared variable, the same for every block.
    pub fn add_shared(&mut self, obj: Obj) -> WindowId {
        self.shared.push(obj);
        // There are far fewer shared variables than 2^20.
        WindowId(SHARED + u32::try_from(self.shared.len() - 1).unwrap_or(0))
    }

    /// Converts an integer in the shared window to an address; `None` if no object is near.
    pub fn shared_address(&self, number: u64) -> Option<u64> {
        let index = u32::try_from(number >> SHARED_BITS).ok().filter(|i| (*i as usize) < self.shared.len())?;
        let off = (number & ((1 << SHARED_BITS) - 1)).cast_signed() - SHARED_BIAS;
        Some(WindowId(SHARED + index).address().wrapping_add_signed(off))
    }

    /// Ids of all shared variables.
    pub fn shared_ids(&self) -> impl Iterator<Item = WindowId> + use<> {
        (0..u32::try_from(self.shared.len()).unwrap_or(0)).map(|i| WindowId(SHARED + i))
    }

    /// Address of a function.
    pub fn func_address(&mut self, f: FuncRef) -> u64 {
        let funcs = &mut self.funcs;
        let i = *self.func_index.entry(f).or_insert_with(|| {
            funcs.push(f);
            u32::try_from(funcs.len() - 1).unwrap_or(u32::MAX)
        });
        WindowId(FUNCS).address() + 16 * u64::from(i)
    }

    /// Function at an address.
    pub fn func_at(&self, address: u64) -> Option<FuncRef> {
        let (id, off) = split(address);
        if id.0 != FUNCS || off % 16 != 0 {
            return None;
        }
        self.funcs.get(usize::try_from(off / 16).ok()?).copied()
    }

    #[inline]
    pub fn get<'a>(&'a self, stack: &'a Stack, id: WindowId) -> Option<&'a Obj> {
        let id = id.0;
        if id < HOST_STACK {
            return self.objs.get((id as usize).wrapping_sub(1));
        }
        if id >= stack.window && id < stack.window + (LOCAL - HOST_STACK) {
            return stack.objs.get((id - stack.window) as usize);
        }
        if (SHARED..FUNCS).contains(&id) {
            return self.shared.get((id - SHARED) as usize);
        }
        None
    }

    /// Returns an object for writing; saves the old contents during an attempt.
    #[inline]
    pub fn get_mut<'a>(&'a mut self, stack: &'a mut Stack, id: WindowId) -> Option<&'a mut Obj> {
        let n = id.0;
        if n < HOST_STACK {
            return self.global_mut(id);
        }
        if n >= stack.window && n < stack.window + (LOCAL - HOST_STACK) {
            return stack.objs.get_mut((n - stack.window) as usize);
        }
        if (SHARED..FUNCS).contains(&n) {
            return self.shared.get_mut((n - SHARED) as usize);
        }
        None
    }

    /// Returns an object that is neither shared nor on a stack.
    pub fn global(&self, id: WindowId) -> Option<&Obj> {
        self.objs.get((id.0 as usize).wrapping_sub(1))
    }

    pub fn global_mut(&mut self, id: WindowId) -> Option<&mut Obj> {
        let obj = self.objs.get_mut((id.0 as usize).wrapping_sub(1))?;
        if obj.epoch != self.epoch && self.epoch != 0 {
            obj.epoch = self.epoch;
            self.kept.push((id, obj.store.clone(), obj.freed));
        }
        Some(obj)
    }

    /// Whether two addresses that always differ in this address space may be equal on hardware: one of a freed block
    /// and one of a block allocated later.
    #[inline]
    pub fn may_be_one_address(&self, a: u64, b: u64) -> bool {
        if !looks_like_address(a) || !looks_like_address(b) || a >> WINDOW_BITS == b >> WINDOW_BITS {
            return false;
        }
        let (old, new) = (split(a.min(b)).0, split(a.max(b)).0);
        let (Some(x), Some(y)) = (self.global(old), self.global(new)) else { return false };
        x.freed && x.kind == y.kind
    }

    /// Whether two addresses belong to different objects, whose order in memory is unknown.
    #[inline]
    pub fn have_unknown_order(&self, stack: &Stack, a: u64, b: u64) -> bool {
        a >> WINDOW_BITS != b >> WINDOW_BITS
            && looks_like_address(a)
            && looks_like_address(b)
            && [a, b].into_iter().all(|x| self.get(stack, split(x).0).is_some())
    }

    /// Number of low bits of an integer that are known for every place of its object in memory; `None` if the integer
    /// is no address of an object.
    #[inline]
    pub fn known_low_bits(&self, stack: &Stack, word: u64) -> Option<u32> {
        if !looks_like_address(word) {
            return None;
        }
        self.get(stack, split(word).0).map(|o| o.align.trailing_zeros())
    }

    /// Ids of all objects that are neither shared nor on a stack, in creation order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = WindowId> + use<> {
        (1..=u32::try_from(self.objs.len()).unwrap_or(u32::MAX)).map(WindowId)
    }

    /// Returns a new object for writing its first contents, without saving old ones. A rollback therefore keeps the
    /// initial contents of a variable that an attempt uses first.
    pub fn initial_mut(&mut self, id: WindowId) -> Option<&mut Obj> {
        self.objs.get_mut((id.0 as usize).wrapping_sub(1))
    }

    /// Marks a global object as freed; it keeps its size for messages.
    pub fn free(&mut self, id: WindowId) {
        let Some(o) = self.global_mut(id) else { return };
        let before = if std::mem::replace(&mut o.freed, true) { 0 } else { bytes_on_device(o) };
        self.device_bytes -= before;
    }

    /// Makes an object that was freed live again, with contents that are not set.
    pub fn revive(&mut self, id: WindowId) {
        let Some(o) = self.global_mut(id) else { return };
        let more = if std::mem::replace(&mut o.freed, false) { bytes_on_device(o) } else { 0 };
        o.store.fill_all(Fill::Poison(Reason::UNINIT));
        self.device_bytes += more;
    }

    /// Bytes of live device allocations of known size.
    pub fn device_bytes(&self) -> u64 {
        u64::try_from(self.device_bytes).unwrap_or(u64::MAX)
    }

    /// Starts an attempt that [`Self::rollback`] undoes.
    pub fn begin(&mut self) {
        self.attempts += 1;
        self.epoch = self.attempts;
        self.kept.clear();
    }

    /// Restores the contents of all global objects to their state at [`Self::begin`].
    pub fn rollback(&mut self) {
        self.epoch = 0;
        for (id, store, freed) in std::mem::take(&mut self.kept) {
            if let Some(o) = self.objs.get_mut((id.0 as usize).wrapping_sub(1)) {
                o.store = store;
                if o.freed && !freed {
                    self.device_bytes += bytes_on_device(o);
                }
                o.freed = freed;
            }
        }
    }

    /// Objects reachable from `roots` through stored addresses, `roots` included. A stored address may point inside
    /// an object.
    pub fn reachable(&self, stack: &Stack, roots: &[WindowId]) -> Vec<WindowId> {
        let mut seen: Vec<WindowId> = Vec::new();
        let mut work: Vec<WindowId> = roots.to_vec();
        while let Some(id) = work.pop() {
            if seen.contains(&id) {
                continue;
            }
            let Some(obj) = self.get(stack, id) else { continue };
            seen.push(id);
            work.extend(
                obj.store.words().into_iter().map(|w| split(w).0).filter(|i| i.0 != 0 && self.get(stack, *i).is_some()),
            );
        }
        seen
    }

    /// Bytes of a string without its NUL. `Err` gives the reason of an unknown byte, or `None` if the string runs
    /// past the end of its object.
    pub fn c_string(&self, stack: &Stack, address: Val) -> Result<Vec<u8>, Option<Reason>> {
        self.c_string_within(stack, address, u64::MAX)
    }

    /// Like [`Self::c_string`], but reads at most `most` bytes: that many need no NUL after them.
    pub fn c_string_within(&self, stack: &Stack, address: Val, most: u64) -> Result<Vec<u8>, Option<Reason>> {
        if most == 0 {
            return Ok(vec![]);
        }
        if address.is_poison() {
            return Err(Some(address.poison));
        }
        let (id, mut off) = split(address.bits);
        let obj = self.get(stack, id).ok_or(None)?;
        let mut out = Vec::new();
        while obj.holds(off, 1) {
            let b = obj.store.read(off.cast_unsigned(), 1);
            if b.is_poison() {
                return Err(Some(b.poison));
            }
            if b.bits == 0 {
                return Ok(out);
            }
            out.push(b.bits as u8);
            if out.len() as u64 == most {
                return Ok(out);
            }
            off += 1;
        }
        Err(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obj(size: u64) -> Obj {
        Obj::new(ObjectKind::Device, "t".into(), size, Fill::Byte(0))
    }

    #[test]
    fn a_pointer_says_what_it_was_meant_for() {
        let mut m = ConcreteMemory::default();
        let (a, b) = (m.add(obj(8)).unwrap(), m.add(obj(100 << 30)).unwrap());
        assert_eq!(split(a.address() - 4), (a, -4));
        assert_eq!(split(b.address() + (200 << 30)), (b, 200 << 30));
        assert_eq!(split(0).0, WindowId(0));
        assert_eq!(a.address() % 4096, 0);
        assert!(looks_like_address(a.address()) && looks_like_address(b.address() + (99 << 30)));
        assert!(!looks_like_address(384 << 32 | 5) && !looks_like_address(1f64.to_bits()) && !looks_like_address(0));
    }

    #[test]
    fn shared_memory_has_a_window_of_its_own() {
        let mut m = ConcreteMemory::default();
        let (a, b) = (m.add_shared(obj(8)), m.add_shared(obj(64)));
        let n = shared_number(b.address() + 12).unwrap();
        assert!(n < 1 << 32);
        assert_eq!(m.shared_address(n), Some(b.address() + 12));
        assert_eq!(m.shared_address(n - 16), Some(b.address() - 4));
        assert_ne!(shared_number(a.address()), shared_number(b.address()));
        let other = m.add(obj(8)).unwrap();
        assert_eq!(shared_number(other.address()), None);
        assert_eq!(shared_number(a.address() + (1 << 20)), None);
        assert_eq!(m.shared_address(0x5a5a_6000), None);
        assert_eq!(m.shared_ids().collect::<Vec<_>>(), [a, b]);
    }

    #[test]
    fn bounds_are_exact() {
        let o = obj(8);
        assert!(o.holds(0, 8) && o.holds(7, 1) && o.holds(8, 0));
        assert!(!o.holds(1, 8) && !o.holds(-1, 1) && !o.holds(8, 1) && !o.holds(i64::MIN, 1));
        assert!(!Obj { freed: true, ..obj(8) }.holds(0, 1));
    }

    #[test]
    fn an_attempt_is_taken_back() {
        let mut m = ConcreteMemory::default();
        let mut s = Stack::host();
        let a = m.add(obj(8)).unwrap();
        m.get_mut(&mut s, a).unwrap().store.write(0, 4, Val::new(1));
        m.begin();
        m.get_mut(&mut s, a).unwrap().store.write(0, 4, Val::new(2));
        m.rollback();
        assert_eq!(m.get(&s, a).unwrap().store.read(0, 4), Val::new(1));
    }

    #[test]
    fn what_is_freed_takes_nothing_on_the_device() {
        let mut m = ConcreteMemory::default();
        let (a, b) = (m.add(obj(8)).unwrap(), m.add(obj(16)).unwrap());
        m.add(Obj::new(ObjectKind::HostHeap, "h".into(), 32, Fill::Byte(0))).unwrap();
        m.free(b);
        m.free(b);
        assert_eq!(m.device_bytes(), 8);
        m.begin();
        m.free(a);
        assert_eq!(m.device_bytes(), 0);
        m.rollback();
        assert_eq!(m.device_bytes(), 8);
    }

    #[test]
    fn stacks_of_host_and_device_are_apart() {
        let m = ConcreteMemory::default();
        let (mut h, mut d) = (Stack::host(), Stack::device());
        let p = h.push(obj(4)).unwrap();
        assert!(m.get(&h, split(p).0).is_some());
        assert!(m.get(&d, split(p).0).is_none());
        assert!(looks_like_address(p));
        assert_ne!(d.push(obj(4)).unwrap(), p);
    }
}
