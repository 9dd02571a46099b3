//! Points-to sets: objects and functions whose addresses were ever stored in an object, flow-insensitive and
//! field-insensitive (Andersen 1994).
//!
//! Cells lose pointers when an array of pointers is written at a variable offset or by a loop; these sets then give the
//! possible targets of a pointer loaded from there, whatever the order of the stores. In: every store and copy, and
//! every havoc for code that is not followed. Out: for a lost pointer, the objects and functions whose addresses were
//! ever stored where it was loaded. This holds if every store so far was followed: a loop is executed until no
//! iteration records anything new (`loops/discover.rs`). An object allocated in a loop is an allocation-site summary
//! here. Plain data below the executor: it does not know from which values and states the addresses come.

use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, UnknownPointer, Value};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of candidate targets of a lost pointer.
pub(in crate::symbolic) const MAX_PLACES: usize = 64;

/// Maximum number of objects that are recorded one by one as possible holders of addresses.
const MAX_MIXED: usize = 64;

/// Addresses ever stored in one object.
#[derive(Clone, Debug, Default)]
pub struct StoredAddresses {
    pub(in crate::symbolic) objects: FxHashSet<ObjId>,
    pub(in crate::symbolic) functions: FxHashSet<FuncRef>,
    /// Whether any other address may be stored too: an assembled number, or a value left by code that is not followed.
    pub(in crate::symbolic) anything: bool,
}

impl StoredAddresses {
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.functions.is_empty() && !self.anything
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.objects.extend(&other.objects);
        self.functions.extend(&other.functions);
        self.anything |= other.anything;
    }

    /// Union of two sets.
    #[must_use]
    pub(in crate::symbolic) fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.add(other);
        both
    }

    pub(in crate::symbolic) fn size(&self) -> usize {
        self.objects.len() + self.functions.len() + usize::from(self.anything)
    }

    /// Adds the objects and functions whose address, or part of it, a value may be.
    pub(in crate::symbolic) fn add_value(
        &mut self,
        v: &Value,
        is_constant: &dyn Fn(crate::symbolic::terms::term::TermId) -> bool,
    ) {
        match v {
            Value::Ptr(p) => {
                for t in p.iter() {
                    match &t.base {
                        Base::Object(o) => {
                            self.objects.insert(*o);
                        }
                        Base::Func(f) => {
                            self.functions.insert(*f);
                        }
                        // Null is no object's address.
                        Base::Null => {}
                        Base::Unknown(UnknownPointer { among: Some(a), .. }) => {
                            self.objects.extend(&a.objects);
                            self.functions.extend(&a.functions);
                        }
                        Base::Unknown(_) => self.anything = true,
                    }
                }
            }
            Value::Aggregate(e) => {
                for v in e.iter() {
                    self.add_value(v, is_constant);
                }
            }
            // Addresses are not compile-time constants. Any other number may be an address, or bytes of one.
            Value::Int(t) => self.anything |= !is_constant(*t),
            Value::Unknown(_) => self.anything = true,
            // Neither is ever converted to an address.
            Value::Bool(_) | Value::Real(_) => {}
        }
    }
}

/// Addresses stored in each object; those stored through unknown pointers are under `None`.
#[derive(Clone, Debug, Default)]
pub struct PointsTo {
    pub(super) places: FxHashMap<Option<ObjId>, StoredAddresses>,
    /// Keys with new entries, the latest last.
    pub(super) news: Vec<Option<ObjId>>,
    /// Whether the addresses stored through unknown pointers could not be determined.
    pub(super) unsettled: bool,
    /// Objects that stand for allocations of earlier iterations, by the object of the current iteration's allocation.
    pub(super) twins: FxHashMap<ObjId, FxHashSet<ObjId>>,
    /// Objects that callbacks may write at any later time: functions given to a library in a loop or at an unknown time
    /// (`effects/unanalysed_call.rs`).
    pub(super) lent: StoredAddresses,
    /// Whether any call may return to an earlier program point (`setjmp`).
    pub(in crate::symbolic) comes_back: bool,
    /// Objects whose addresses were read as integers, or which code that is not followed could reach. An unknown
    /// pointer, or a number converted back to an address, may lead to any of these.
    pub(super) exposed: FxHashSet<ObjId>,
    /// Offsets at which an object holds an address of its own, and the offsets to which these lead, in bytes.
    pub(super) links: FxHashMap<ObjId, FxHashSet<(i64, i64)>>,
    /// Objects that may hold addresses of their own at unknown offsets.
    pub(super) tangled: FxHashSet<ObjId>,
    /// Objects given to libraries that may retain their addresses (`effects/unanalysed_call.rs`).
    pub(super) given: FxHashSet<ObjId>,
}

/// Point in time: the number of recorded entries and of objects.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct PointsToMark {
    pub(super) news: usize,
    pub(super) objects: usize,
}

impl PointsTo {
    pub(in crate::symbolic) fn add(&mut self, place: Option<ObjId>, what: &StoredAddresses) {
        if let Some(o) = place
            && what.objects.contains(&o)
        {
            self.tangled.insert(o);
        }
        self.add_untangled(place, what);
    }

    pub(super) fn add_untangled(&mut self, place: Option<ObjId>, what: &StoredAddresses) {
        if what.is_empty() {
            return;
        }
        let there = self.places.entry(place).or_default();
        let (before, open) = (there.size(), !there.anything);
        there.add(what);
        if open && there.size() != before {
            self.news.push(place);
        }
    }

    pub(in crate::symbolic) fn add_objects(&mut self, place: Option<ObjId>, objects: &[ObjId]) {
        self.add(place, &StoredAddresses { objects: objects.iter().copied().collect(), ..StoredAddresses::default() });
    }

    /// Total number of stored addresses, plus one for each key.
    pub(in crate::symbolic) fn size(&self) -> usize {
        self.places.values().map(StoredAddresses::size).sum::<usize>() + self.places.len()
    }

    /// Records the objects that functions given to a library may write at any later time.
    pub(in crate::symbolic) fn lend(&mut self, objects: impl IntoIterator<Item = ObjId>, anything: bool) {
        let before = self.lent.size();
        self.lent.objects.extend(objects);
        self.lent.anything |= anything;
        // An earlier part of a loop's iteration may call these functions in the next iteration.
        if self.lent.size() != before {
            self.news.push(None);
        }
    }

    /// Objects that callbacks may write, and whether they may write anything else.
    pub(in crate::symbolic) fn lent(&self) -> (&FxHashSet<ObjId>, bool) {
        (&self.lent.objects, self.lent.anything)
    }

    /// Memory that callbacks may write at any later time.
    pub(in crate::symbolic) fn lent_for_good(&self) -> &StoredAddresses {
        &self.lent
    }

    /// Forgets what was lent since.
    pub(in crate::symbolic) fn lend_no_more_than(&mut self, before: StoredAddresses) {
        self.lent = before;
    }

    /// Functions whose addresses were ever stored in an object.
    pub(in crate::symbolic) fn functions_in(&self, o: ObjId) -> Option<Vec<FuncRef>> {
        self.places.get(&Some(o)).map(|s| s.functions.iter().copied().collect())
    }

    pub(in crate::symbolic) fn expose(&mut self, o: ObjId) {
        self.exposed.insert(o);
    }

    /// Whether the program may have an object's address as an integer.
    pub(in crate::symbolic) fn is_exposed(&self, o: ObjId) -> bool {
        self.exposed.contains(&o)
    }

    /// Records that code that is not followed could reach these objects, and may have stored any of their addresses in
    /// any of them, or elsewhere.
    pub(in crate::symbolic) fn mix(&mut self, objects: &[ObjId]) {
        let before = self.exposed.len();
        self.exposed.extend(objects);
        if objects.len() > MAX_MIXED {
            self.add_objects(None, objects);
        } else if objects.len() > 1 {
            for o in objects {
                self.add_objects(Some(*o), objects);
            }
        }
        // An earlier part of a loop's iteration may find these objects in the next iteration.
        if self.exposed.len() != before {
            self.news.push(None);
        }
    }

    /// Records that an object holds an address of its own.
    pub(in crate::symbolic) fn add_link(&mut self, o: ObjId, at: i64, to: i64) {
        if self.links.entry(o).or_default().insert((at, to)) {
            self.news.push(Some(o));
        }
    }

    /// Whether an object's own addresses that are stored in a part of it lead into that part.
    pub(in crate::symbolic) fn leads_to_itself_only(&self, o: ObjId, part: std::ops::Range<i64>) -> bool {
        !self.tangled.contains(&o)
            && !self.places.get(&None).is_some_and(|s| s.objects.contains(&o))
            && self
                .links
                .get(&o)
                .is_none_or(|l| l.iter().all(|(at, to)| !(part.start - 7..part.end).contains(at) || part.contains(to)))
    }

    /// Records objects given to a library that may retain their addresses forever.
    pub(in crate::symbolic) fn give(&mut self, objects: &[ObjId]) {
        let before = self.given.len();
        self.given.extend(objects);
        if self.given.len() != before {
            self.news.push(None);
        }
    }

    /// Whether code that is not followed, or a function that may run at any time, may have an object's address.
    pub(in crate::symbolic) fn is_with_others(&self, o: ObjId) -> bool {
        self.given.contains(&o)
            || self.exposed.contains(&o)
            || self.lent.objects.contains(&o)
            || self.places.get(&None).is_some_and(|s| s.objects.contains(&o))
    }

    /// Objects given to libraries that may retain their addresses, in order.
    pub(in crate::symbolic) fn given(&self) -> Vec<ObjId> {
        let mut all: Vec<ObjId> = self.given.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// Records that the addresses in an object are unknown.
    pub(in crate::symbolic) fn add_anything(&mut self, o: ObjId) {
        self.add(Some(o), &StoredAddresses { anything: true, ..StoredAddresses::default() });
    }

    /// Functions whose addresses were stored through unknown pointers.
    pub(in crate::symbolic) fn functions_anywhere(&self) -> impl Iterator<Item = FuncRef> {
        self.places.get(&None).into_iter().flat_map(|s| s.functions.iter().copied())
    }

    pub(super) fn objects(&self, place: Option<ObjId>) -> impl Iterator<Item = ObjId> {
        self.places.get(&place).into_iter().flat_map(|s| s.objects.iter().copied())
    }

    /// Records an object for an earlier iteration's allocation; the addresses in it are unknown.
    pub(in crate::symbolic) fn add_twin(&mut self, made: ObjId, twin: ObjId) {
        self.twins.entry(made).or_default().insert(twin);
        self.add_anything(twin);
    }

    pub(in crate::symbolic) fn has_twin(&self, o: ObjId) -> bool {
        self.twins.contains_key(&o) || self.is_twin(o)
    }

    /// Whether the addresses stored through unknown pointers were determined.
    pub(in crate::symbolic) fn is_settled(&self) -> bool {
        !self.unsettled
    }

    pub(in crate::symbolic) fn is_twin(&self, o: ObjId) -> bool {
        self.twins.values().any(|t| t.contains(&o))
    }

    /// Adds the twins of objects, transitively.
    pub(super) fn add_twins(&self, objects: &mut FxHashSet<ObjId>) {
        let mut open: Vec<ObjId> = objects.iter().copied().collect();
        while let Some(o) = open.pop() {
            for t in self.twins.get(&o).into_iter().flatten() {
                if objects.insert(*t) {
                    open.push(*t);
                }
            }
        }
    }

    /// Keys, older than a mark, with new entries since then.
    pub(super) fn news_since(&self, mark: PointsToMark) -> impl Iterator<Item = Option<ObjId>> {
        self.news[mark.news..].iter().copied().filter(move |p| p.is_none_or(|o| (o.0 as usize) < mark.objects))
    }

    /// Whether an address was ever stored in an object.
    pub(in crate::symbolic) fn has_addresses(&self, o: ObjId) -> bool {
        self.places.get(&Some(o)).is_some_and(|s| !s.objects.is_empty() || !s.functions.is_empty())
    }
}

/// Keys for addresses stored through a pointer with this base.
pub(super) fn keys(to: &Base) -> Vec<Option<ObjId>> {
    match to {
        Base::Object(o) => vec![Some(*o)],
        Base::Unknown(UnknownPointer { among: Some(a), .. }) => a.objects.iter().copied().map(Some).collect(),
        Base::Unknown(_) => vec![None],
        Base::Null | Base::Func(_) => vec![],
    }
}
