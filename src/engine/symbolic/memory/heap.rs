//! What is known of objects beside any state ([`Heap`]): which there are and what made them, versions of contents, and where each was freed.
//!
//! Plain data below the executor. What an object holds, and whether it has been freed there, is part of a state
//! ([`Memory`](super::object::Memory)); what is here holds on all paths.

use super::memory_ssa::Origin;
use super::object::{Given, ObjId, ObjKind, ObjState, Object};
use crate::symbolic::exec::site::Site;
use crate::symbolic::terms::term::TermId;
use ir::GlobalRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An allocation: the activation, the place in it, and which of those that one instruction makes.
pub(crate) type Allocation = (u64, Site, u32);

/// The objects of one execution.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    objects: Vec<Object>,
    allocated: FxHashMap<Allocation, ObjId>,
    /// Global variables; whether of the host.
    globals: FxHashMap<(GlobalRef, bool), ObjId>,
    /// Variables of the device that are followed from the start, by those that name them on the host.
    shadows: FxHashMap<GlobalRef, ObjId>,
    /// What objects hold that are there from the start.
    first: FxHashMap<ObjId, Rc<ObjState>>,
    /// The same of what callers gave and of variables, for all executions that belong to one of their function.
    at_entry: FxHashMap<ObjId, Rc<ObjState>>,
    /// The last version that contents got.
    version: u32,
    /// The versions of contents at which objects were last allocated.
    made: FxHashMap<ObjId, u32>,
    /// How contents of the device's memory came about, by their versions.
    origins: FxHashMap<u32, Origin>,
    freed: Frees,
    /// Memory of the host that was at some time made known to devices.
    registered: FxHashSet<ObjId>,
    /// What callers gave: objects behind parameters; what is known of these and of structures passed by value; what pointers at places in
    /// them led to.
    parameters: Vec<ObjId>,
    given: FxHashMap<ObjId, Given>,
    all_given: Vec<ObjId>,
    pointees: FxHashMap<(ObjId, i64), ObjId>,
    /// Copies of what callers gave, and of which object each is one.
    copies: FxHashMap<ObjId, ObjId>,
}

/// Where each object was ever freed: the calls that lead there.
#[derive(Clone, Debug, Default)]
pub(in crate::symbolic) struct Frees(FxHashMap<ObjId, Vec<Rc<Vec<Site>>>>);

// ---- objects ----
impl Heap {
    /// # Panics
    /// Where the object is another execution's.
    #[must_use]
    pub fn object(&self, o: ObjId) -> &Object {
        &self.objects[o.0 as usize]
    }

    fn object_mut(&mut self, o: ObjId) -> &mut Object {
        &mut self.objects[o.0 as usize]
    }

    /// All of them, in the order in which they were made: the index is the number of each.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// How many there are: those made later have this number or a higher one.
    pub(in crate::symbolic) const fn len(&self) -> usize {
        self.objects.len()
    }

    /// The first object of a kind.
    pub(crate) fn first_of(&self, kind: &ObjKind) -> Option<ObjId> {
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

    pub(crate) fn set_kind(&mut self, o: ObjId, kind: ObjKind) {
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
    /// The object that an allocation makes: the same one on every pass over it, made anew.
    pub(crate) fn allocate(&mut self, at: Allocation, object: Object) -> ObjId {
        let id = match self.allocated.get(&at).copied() {
            Some(id) => {
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

    /// The object that an allocation makes as a copy of what a caller gave: what is known of where the latter came from is known of it.
    pub(crate) fn copy_of_given(&mut self, at: Allocation, of: ObjId, object: Object) -> ObjId {
        let id = self.allocate(at, object);
        self.copies.insert(id, of);
        if let Some(given) = self.given.get(&of).copied() {
            self.note_given(id, given);
        }
        id
    }

    /// Whether an object is a copy of what a caller gave: which element of that each of its elements is, is not known.
    pub(in crate::symbolic) fn is_copy_of_given(&self, o: ObjId) -> bool {
        self.copies.contains_key(&o)
    }

    /// The object that the first allocation at this place made.
    pub(crate) fn allocated_at(&self, context: u64, site: Site) -> Option<ObjId> {
        self.allocated.get(&(context, site, 1)).copied()
    }

    /// Whether an object was last allocated after contents had this version.
    pub(in crate::symbolic) fn is_made_since(&self, o: ObjId, version: u32) -> bool {
        self.made.get(&o).is_some_and(|at| *at > version)
    }

    pub(in crate::symbolic) fn global(&self, g: GlobalRef, host: bool) -> Option<ObjId> {
        self.globals.get(&(g, host)).copied()
    }

    pub(in crate::symbolic) fn given(&self, o: ObjId) -> Option<&Given> {
        self.given.get(&o)
    }

    /// The objects of classes of libraries that callers gave, in the order in which they were made.
    pub(super) fn of_classes(&self) -> Vec<ObjId> {
        let mut all: Vec<ObjId> =
            self.given.iter().filter(|(_, given)| given.class.is_some()).map(|(o, _)| *o).collect();
        all.sort_unstable();
        all
    }

    pub(super) fn note_given(&mut self, o: ObjId, given: Given) {
        if self.given.insert(o, given).is_none() {
            self.all_given.push(o);
        }
    }

    /// All of which something is known, in the order in which they were come to.
    pub(in crate::symbolic) fn all_given(&self) -> &[ObjId] {
        &self.all_given
    }

    /// What pointers in an object led to that a caller gave, and so on, besides these objects themselves.
    pub(crate) fn given_behind(&self, objects: &[ObjId]) -> Vec<ObjId> {
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

    /// Where a pointer led, at a byte of what a caller gave.
    pub(super) fn pointee(&self, o: ObjId, at: i64) -> Option<ObjId> {
        self.pointees.get(&(o, at)).copied()
    }

    pub(super) fn note_pointee(&mut self, o: ObjId, at: i64, to: ObjId) {
        self.pointees.insert((o, at), to);
    }

    /// All global variables that were come to, in no order.
    pub(in crate::symbolic) fn globals(&self) -> impl Iterator<Item = ObjId> {
        self.globals.values().copied()
    }

    pub(in crate::symbolic) fn add_global(&mut self, g: GlobalRef, host: bool, object: Object) -> ObjId {
        let id = self.add(object);
        self.globals.insert((g, host), id);
        id
    }

    /// The variable of the device that one of the host names, if it is followed from the start.
    pub(in crate::symbolic) fn named_by(&self, shadow: GlobalRef) -> Option<ObjId> {
        self.shadows.get(&shadow).copied()
    }

    /// The variables of the device that are followed from the start.
    pub(crate) fn followed_variables(&self) -> impl Iterator<Item = ObjId> {
        self.shadows.values().copied()
    }

    pub(crate) fn follow_variable(&mut self, shadow: GlobalRef, o: ObjId) {
        self.shadows.insert(shadow, o);
    }
}

// ---- contents ----
impl Heap {
    /// A version for contents that are new.
    pub(crate) const fn next_version(&mut self) -> u32 {
        self.version += 1;
        self.version
    }

    /// The last version that contents got.
    pub(crate) const fn version(&self) -> u32 {
        self.version
    }

    /// How contents of the device's memory with this version came about.
    #[must_use]
    pub fn origin(&self, version: u32) -> Option<&Origin> {
        self.origins.get(&version)
    }

    /// In no order.
    pub fn origins(&self) -> impl ExactSizeIterator<Item = &Origin> {
        self.origins.values()
    }

    pub(in crate::symbolic) fn note_origin(&mut self, version: u32, origin: Origin) {
        self.origins.insert(version, origin);
    }

    /// What an object holds that is there from the start, if it is one and has been used.
    pub(in crate::symbolic) fn first(&self, o: ObjId) -> Option<&Rc<ObjState>> {
        self.first.get(&o)
    }

    pub(in crate::symbolic) fn note_first(&mut self, o: ObjId, state: Rc<ObjState>) {
        self.at_entry.entry(o).or_insert_with(|| state.clone());
        self.first.insert(o, state);
    }

    /// Notes what a copy of what a caller gave holds at first.
    pub(crate) fn note_copied(&mut self, o: ObjId, state: Rc<ObjState>) {
        self.at_entry.entry(o).or_insert(state);
    }

    /// What an object held when the function was called whose caller gave it, when a variable was first come to, or when a copy was made.
    pub(crate) fn at_entry(&self, o: ObjId) -> Option<&Rc<ObjState>> {
        self.at_entry.get(&o)
    }

    /// What objects hold at first, of which nothing is known from here on: another execution begins.
    pub(in crate::symbolic) fn take_first(&mut self) -> FxHashMap<ObjId, Rc<ObjState>> {
        std::mem::take(&mut self.first)
    }

    pub(in crate::symbolic) fn restore_first(&mut self, first: FxHashMap<ObjId, Rc<ObjState>>) {
        self.first = first;
    }
}

// ---- lifetimes ----
impl Heap {
    /// Notes that an object is freed at a place, under whatever condition.
    pub(in crate::symbolic) fn note_freed(&mut self, o: ObjId, at: Rc<Vec<Site>>) {
        let all = self.freed.0.entry(o).or_default();
        if !all.contains(&at) {
            all.push(at);
        }
    }

    /// Where an object was ever freed.
    pub(in crate::symbolic) fn freed_at(&self, o: ObjId) -> &[Rc<Vec<Site>>] {
        self.freed.0.get(&o).map_or(&[], Vec::as_slice)
    }

    /// All that were noted so far, for taking back what an execution aside adds.
    pub(in crate::symbolic) fn frees(&self) -> Frees {
        self.freed.clone()
    }

    pub(in crate::symbolic) fn restore_frees(&mut self, frees: Frees) {
        self.freed = frees;
    }

    /// How many pairs of an object and a place where it was freed there are.
    pub(in crate::symbolic) fn count_of_frees(&self) -> usize {
        self.freed.0.values().map(Vec::len).sum()
    }

    /// Notes memory of the host that is made known to devices (`cudaHostRegister`): for good, as far as this is followed.
    pub(in crate::symbolic) fn register(&mut self, objects: impl IntoIterator<Item = ObjId>) {
        self.registered.extend(objects);
    }

    #[must_use]
    pub fn is_registered(&self, o: ObjId) -> bool {
        self.registered.contains(&o)
    }
}
