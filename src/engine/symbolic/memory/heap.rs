//! Path-independent facts about objects ([`Heap`]): which exist and what made them, versions of contents, and free
//! sites.
//!
//! Plain data below the executor. Contents and free state of an object belong to a state
//! ([`Memory`](super::object::Memory)); facts here hold on all paths.

use super::memory_ssa::ContentOrigin;
use super::object::{CallerObject, ObjId, ObjKind, ObjState, Object};
use crate::symbolic::exec::site::Site;
use crate::symbolic::terms::term::TermId;
use ir::GlobalRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Key of an allocation: the activation, the site, and a number among the allocations of this instruction.
pub(crate) type AllocationKey = (u64, Site, u32);

/// The objects of one execution.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    objects: Vec<Object>,
    allocated: FxHashMap<AllocationKey, ObjId>,
    /// Global variables; the flag is true for host variables.
    globals: FxHashMap<(GlobalRef, bool), ObjId>,
    /// Device variables that are followed from the start, by the host variables that name them.
    shadows: FxHashMap<GlobalRef, ObjId>,
    /// Initial contents of objects that exist from the start.
    first: FxHashMap<ObjId, Rc<ObjState>>,
    /// Initial contents of given objects, variables and copies, shared by all executions that belong to one execution
    /// of their function.
    at_entry: FxHashMap<ObjId, Rc<ObjState>>,
    /// Last assigned version of contents.
    version: u32,
    /// Version at which each object was last allocated.
    made: FxHashMap<ObjId, u32>,
    /// Objects of allocations that were executed more than once.
    made_again: FxHashSet<ObjId>,
    /// Origins of device memory contents, by version.
    origins: FxHashMap<u32, ContentOrigin>,
    freed: FreeSites,
    /// Host memory that was ever registered with devices.
    registered: FxHashSet<ObjId>,
    /// Memory that callers gave: objects behind parameters, provenance of these and of structures passed by value, and
    /// pointees by the byte offset of their pointers.
    parameters: Vec<ObjId>,
    given: FxHashMap<ObjId, CallerObject>,
    all_given: Vec<ObjId>,
    pointees: FxHashMap<(ObjId, i64), ObjId>,
    /// Copies of given objects, with their originals.
    copies: FxHashMap<ObjId, ObjId>,
}

/// Free sites of each object: the call stacks that lead there.
#[derive(Clone, Debug, Default)]
pub(in crate::symbolic) struct FreeSites(FxHashMap<ObjId, Vec<Rc<Vec<Site>>>>);

// ---- objects ----
impl Heap {
    /// # Panics
    /// If the object belongs to another execution.
    #[must_use]
    pub fn object(&self, o: ObjId) -> &Object {
        &self.objects[o.0 as usize]
    }

    fn object_mut(&mut self, o: ObjId) -> &mut Object {
        &mut self.objects[o.0 as usize]
    }

    /// Objects in creation order: the index of each is its number.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Number of objects: later ones get this number or a higher one.
    pub(in crate::symbolic) const fn len(&self) -> usize {
        self.objects.len()
    }

    /// First object of a kind.
    pub fn first_of(&self, kind: &ObjKind) -> Option<ObjId> {
        let at = self.objects.iter().position(|o| o.kind == *kind)?;
        u32::try_from(at).ok().map(ObjId)
    }

    pub fn add(&mut self, object: Object) -> ObjId {
        let id = ObjId(u32::try_from(self.objects.len()).unwrap_or(u32::MAX));
        if object.kind == ObjKind::Parameter {
            self.parameters.push(id);
        }
        self.objects.push(object);
        id
    }

    /// Objects behind parameters of a root.
    pub(in crate::symbolic) fn parameters(&self) -> &[ObjId] {
        &self.parameters
    }

    pub(in crate::symbolic) fn set_extent(&mut self, o: ObjId, bytes: TermId) {
        self.object_mut(o).extent = Some(bytes);
    }

    pub fn set_kind(&mut self, o: ObjId, kind: ObjKind) {
        self.object_mut(o).kind = kind;
    }

    /// Names an object that has no name yet.
    pub(in crate::symbolic) fn name(&mut self, o: ObjId, name: &str) {
        let object = self.object_mut(o);
        if object.name.is_empty() {
            name.clone_into(&mut object.name);
        }
    }
}

// ---- allocations and variables ----
impl Heap {
    /// Returns the object of an allocation: the same one each time that it is executed, with `object` as its new
    /// description.
    pub fn allocate(&mut self, at: AllocationKey, object: Object) -> ObjId {
        let id = match self.allocated.get(&at).copied() {
            Some(id) => {
                self.made_again.insert(id);
                *self.object_mut(id) = object;
                id
            }
            None => {
                let id = self.add(object);
                self.allocated.insert(at, id);
                id
            }
        };
        let now = self.next_version();
        self.made.insert(id, now);
        id
    }

    /// Returns the object of an allocation that is a copy of a given object; the copy inherits the original's
    /// provenance.
    pub fn copy_of_given(&mut self, at: AllocationKey, of: ObjId, object: Object) -> ObjId {
        let id = self.allocate(at, object);
        self.copies.insert(id, of);
        if let Some(given) = self.given.get(&of).copied() {
            self.note_given(id, given);
        }
        id
    }

    /// Whether an object is a copy of a given object: which original element each of its elements copies is unknown.
    pub(in crate::symbolic) fn is_copy_of_given(&self, o: ObjId) -> bool {
        self.copies.contains_key(&o)
    }

    /// Whether an object stands for several executions of its allocation.
    pub(in crate::symbolic) fn is_made_again(&self, o: ObjId) -> bool {
        self.made_again.contains(&o)
    }

    /// Object of the first allocation at a site.
    pub fn allocated_at(&self, context: u64, site: Site) -> Option<ObjId> {
        self.allocated.get(&(context, site, 1)).copied()
    }

    /// Whether an object was last allocated after contents got this version.
    pub(in crate::symbolic) fn is_made_since(&self, o: ObjId, version: u32) -> bool {
        self.made.get(&o).is_some_and(|at| *at > version)
    }

    pub(in crate::symbolic) fn global(&self, g: GlobalRef, host: bool) -> Option<ObjId> {
        self.globals.get(&(g, host)).copied()
    }

    pub(in crate::symbolic) fn given(&self, o: ObjId) -> Option<&CallerObject> {
        self.given.get(&o)
    }

    /// Whether an object that a caller gave belongs to a class of a library, which keeps it in memory of the host.
    pub(in crate::symbolic) fn is_of_class(&self, o: ObjId) -> bool {
        self.given.get(&o).is_some_and(|given| given.class.is_some())
    }

    /// Given objects of library classes, in creation order.
    pub(super) fn of_classes(&self) -> Vec<ObjId> {
        let mut all: Vec<ObjId> =
            self.given.iter().filter(|(_, given)| given.class.is_some()).map(|(o, _)| *o).collect();
        all.sort_unstable();
        all
    }

    pub(super) fn note_given(&mut self, o: ObjId, given: CallerObject) {
        if self.given.insert(o, given).is_none() {
            self.all_given.push(o);
        }
    }

    /// Objects with known provenance, in the order in which it was recorded.
    pub(in crate::symbolic) fn all_given(&self) -> &[ObjId] {
        &self.all_given
    }

    /// Returns `objects` and all given objects reachable from them through pointers.
    pub fn given_behind(&self, objects: &[ObjId]) -> Vec<ObjId> {
        let mut all = objects.to_vec();
        let mut at = 0;
        while let Some(from) = all.get(at).copied() {
            let mut behind: Vec<ObjId> =
                self.pointees.iter().filter(|((o, _), _)| *o == from).map(|(_, to)| *to).collect();
            behind.sort_unstable();
            behind.retain(|o| !all.contains(o));
            all.extend(behind);
            at += 1;
        }
        all
    }

    /// Pointee of the pointer at a byte of a given object.
    pub(super) fn pointee(&self, o: ObjId, at: i64) -> Option<ObjId> {
        self.pointees.get(&(o, at)).copied()
    }

    pub(super) fn note_pointee(&mut self, o: ObjId, at: i64, to: ObjId) {
        self.pointees.insert((o, at), to);
    }

    /// Global variables reached so far, in no order.
    pub(in crate::symbolic) fn globals(&self) -> impl Iterator<Item = ObjId> {
        self.globals.values().copied()
    }

    pub(in crate::symbolic) fn add_global(&mut self, g: GlobalRef, host: bool, object: Object) -> ObjId {
        let id = self.add(object);
        self.globals.insert((g, host), id);
        id
    }

    /// Device variable that a host variable names, if it is followed from the start.
    pub(in crate::symbolic) fn named_by(&self, shadow: GlobalRef) -> Option<ObjId> {
        self.shadows.get(&shadow).copied()
    }

    /// Device variables that are followed from the start.
    pub fn followed_variables(&self) -> impl Iterator<Item = ObjId> {
        self.shadows.values().copied()
    }

    pub fn follow_variable(&mut self, shadow: GlobalRef, o: ObjId) {
        self.shadows.insert(shadow, o);
    }
}

// ---- contents ----
impl Heap {
    /// Returns a version for new contents.
    pub const fn next_version(&mut self) -> u32 {
        self.version += 1;
        self.version
    }

    /// Last assigned version of contents.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Origin of the device memory contents with this version.
    #[must_use]
    pub fn origin(&self, version: u32) -> Option<&ContentOrigin> {
        self.origins.get(&version)
    }

    /// Origins of contents, in no order.
    pub fn origins(&self) -> impl ExactSizeIterator<Item = &ContentOrigin> {
        self.origins.values()
    }

    pub(in crate::symbolic) fn note_origin(&mut self, version: u32, origin: ContentOrigin) {
        self.origins.insert(version, origin);
    }

    /// Initial contents of an object that exists from the start, if it has been used.
    pub(in crate::symbolic) fn first(&self, o: ObjId) -> Option<&Rc<ObjState>> {
        self.first.get(&o)
    }

    pub(in crate::symbolic) fn note_first(&mut self, o: ObjId, state: Rc<ObjState>) {
        self.at_entry.entry(o).or_insert_with(|| state.clone());
        self.first.insert(o, state);
    }

    /// Records the initial contents of a copy of a given object.
    pub fn note_copied(&mut self, o: ObjId, state: Rc<ObjState>) {
        self.at_entry.entry(o).or_insert(state);
    }

    /// Contents of a given object at the call of its function, of a variable when it was first reached, or of a copy
    /// when it was made.
    pub fn at_entry(&self, o: ObjId) -> Option<&Rc<ObjState>> {
        self.at_entry.get(&o)
    }

    /// Takes the initial contents out for another execution, which begins with none.
    pub(in crate::symbolic) fn take_first(&mut self) -> FxHashMap<ObjId, Rc<ObjState>> {
        std::mem::take(&mut self.first)
    }

    pub(in crate::symbolic) fn restore_first(&mut self, first: FxHashMap<ObjId, Rc<ObjState>>) {
        self.first = first;
    }
}

// ---- lifetimes ----
impl Heap {
    /// Records a site that frees an object, under whatever condition.
    pub(in crate::symbolic) fn note_freed(&mut self, o: ObjId, at: Rc<Vec<Site>>) {
        let all = self.freed.0.entry(o).or_default();
        if !all.contains(&at) {
            all.push(at);
        }
    }

    /// Free sites of an object.
    pub(in crate::symbolic) fn freed_at(&self, o: ObjId) -> &[Rc<Vec<Site>>] {
        self.freed.0.get(&o).map_or(&[], Vec::as_slice)
    }

    /// Copies all recorded frees, so that those of a separate execution can be undone.
    pub(in crate::symbolic) fn frees(&self) -> FreeSites {
        self.freed.clone()
    }

    pub(in crate::symbolic) fn restore_frees(&mut self, frees: FreeSites) {
        self.freed = frees;
    }

    /// Number of pairs of an object and a free site.
    pub(in crate::symbolic) fn count_of_frees(&self) -> usize {
        self.freed.0.values().map(Vec::len).sum()
    }

    /// Records host memory registered with devices (`cudaHostRegister`); the registration is taken to last.
    pub(in crate::symbolic) fn register(&mut self, objects: impl IntoIterator<Item = ObjId>) {
        self.registered.extend(objects);
    }

    #[must_use]
    pub fn is_registered(&self, o: ObjId) -> bool {
        self.registered.contains(&o)
    }
}
