//! Points-to sets: which objects and functions the addresses lead to that were ever stored in an object, flow-insensitively and
//! field-insensitively (Andersen 1994).
//!
//! Cells lose pointers when an array of them is written at a variable place or by a loop; what a pointer read back from there may point to is
//! known from here, whatever the order of the stores. In: every store and copy, and what is forgotten because code that is not followed may
//! have written it. Out: for a pointer that was lost, the objects and functions whose addresses were ever stored where it is read. That holds
//! where every store so far was followed: a loop is executed until no round notes anything new (`loops/discover.rs`). An object allocated in a
//! loop is an allocation-site summary here. Plain data below the executor: which values and states the addresses come from is not known.

use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, Lost, Value};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// Places that a lost pointer is followed to.
pub(in crate::symbolic) const MAX_PLACES: usize = 64;

/// Objects that are noted one for one as places where addresses may have been kept.
const MAX_MIXED: usize = 64;

/// Addresses that were at some time stored in one place.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    pub(in crate::symbolic) objects: FxHashSet<ObjId>,
    pub(in crate::symbolic) functions: FxHashSet<FuncRef>,
    /// And what may be any address: a number that was put together, what code left there that is not followed.
    pub(in crate::symbolic) anything: bool,
}

impl Stored {
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.functions.is_empty() && !self.anything
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.objects.extend(&other.objects);
        self.functions.extend(&other.functions);
        self.anything |= other.anything;
    }

    /// What is in one or the other.
    #[must_use]
    pub(in crate::symbolic) fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.add(other);
        both
    }

    pub(in crate::symbolic) fn size(&self) -> usize {
        self.objects.len() + self.functions.len() + usize::from(self.anything)
    }

    /// What a value can be the address of, or a part of one.
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
                        // Null is the address of nothing.
                        Base::Null => {}
                        Base::Unknown(Lost { among: Some(a), .. }) => {
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
            // No address is known when the program is compiled. Any other number may be one, or bytes of one.
            Value::Int(t) => self.anything |= !is_constant(*t),
            Value::Unknown(_) => self.anything = true,
            // Neither is ever made an address of.
            Value::Bool(_) | Value::Real(_) => {}
        }
    }
}

/// What was stored in each object; under `None`, at places that are not known.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub(super) places: FxHashMap<Option<ObjId>, Stored>,
    /// Places where something new was noted, the latest last.
    pub(super) news: Vec<Option<ObjId>>,
    /// What is stored at places that are not known was not found out.
    pub(super) unsettled: bool,
    /// Objects that stand for what earlier rounds allocated, by those that the round at hand does.
    pub(super) twins: FxHashMap<ObjId, FxHashSet<ObjId>>,
    /// What functions may write that libraries were given in loops, or at a time that is not known, and may call at any later one
    /// (`effects/unanalysed_call.rs`).
    pub(super) lent: Stored,
    /// Any call may lead back to a place that was come by before (`setjmp`).
    pub(in crate::symbolic) comes_back: bool,
    /// Objects whose addresses were read as numbers, or which code could reach that is not followed. A pointer of which nothing is known,
    /// or a number that an address is made of again, may come from any of these.
    pub(super) exposed: FxHashSet<ObjId>,
    /// Where in an object an address of its own is stored, and where that leads, in bytes.
    pub(super) links: FxHashMap<ObjId, FxHashSet<(i64, i64)>>,
    /// Objects that may hold addresses of their own of which that is not known.
    pub(super) tangled: FxHashSet<ObjId>,
    /// What libraries were given that may keep the addresses (`effects/unanalysed_call.rs`).
    pub(super) given: FxHashSet<ObjId>,
}

/// A time: how much was noted, and how many objects there were.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct Mark {
    pub(super) news: usize,
    pub(super) objects: usize,
}

impl Kept {
    pub(in crate::symbolic) fn add(&mut self, place: Option<ObjId>, what: &Stored) {
        if let Some(o) = place
            && what.objects.contains(&o)
        {
            self.tangled.insert(o);
        }
        self.add_untangled(place, what);
    }

    pub(super) fn add_untangled(&mut self, place: Option<ObjId>, what: &Stored) {
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
        self.add(place, &Stored { objects: objects.iter().copied().collect(), ..Stored::default() });
    }

    /// How many addresses there are at all places together.
    pub(in crate::symbolic) fn size(&self) -> usize {
        self.places.values().map(Stored::size).sum::<usize>() + self.places.len()
    }

    /// Notes what functions may write that a library was given and may call at any later time.
    pub(in crate::symbolic) fn lend(&mut self, objects: impl IntoIterator<Item = ObjId>, anything: bool) {
        let before = self.lent.size();
        self.lent.objects.extend(objects);
        self.lent.anything |= anything;
        // What came before in a round of a loop may call them in the next.
        if self.lent.size() != before {
            self.news.push(None);
        }
    }

    /// What these are, and whether they may write anything else.
    pub(in crate::symbolic) fn lent(&self) -> (&FxHashSet<ObjId>, bool) {
        (&self.lent.objects, self.lent.anything)
    }

    /// Functions whose addresses were ever stored in an object.
    pub(in crate::symbolic) fn functions_in(&self, o: ObjId) -> Option<Vec<FuncRef>> {
        self.places.get(&Some(o)).map(|s| s.functions.iter().copied().collect())
    }

    pub(in crate::symbolic) fn expose(&mut self, o: ObjId) {
        self.exposed.insert(o);
    }

    /// Notes that code that is not followed could reach these, and may have kept any of their addresses in any of them, or elsewhere.
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
        // What came before in a round of a loop may find them in the next.
        if self.exposed.len() != before {
            self.news.push(None);
        }
    }

    /// Notes that an object holds an address of its own.
    pub(in crate::symbolic) fn add_link(&mut self, o: ObjId, at: i64, to: i64) {
        if self.links.entry(o).or_default().insert((at, to)) {
            self.news.push(Some(o));
        }
    }

    /// Whether the addresses of an object that are stored in this part of it lead into the part itself.
    pub(in crate::symbolic) fn leads_to_itself_only(&self, o: ObjId, part: std::ops::Range<i64>) -> bool {
        !self.tangled.contains(&o)
            && !self.places.get(&None).is_some_and(|s| s.objects.contains(&o))
            && self
                .links
                .get(&o)
                .is_none_or(|l| l.iter().all(|(at, to)| !(part.start - 7..part.end).contains(at) || part.contains(to)))
    }

    /// Notes what a library was given that may keep the addresses, for good.
    pub(in crate::symbolic) fn give(&mut self, objects: &[ObjId]) {
        let before = self.given.len();
        self.given.extend(objects);
        if self.given.len() != before {
            self.news.push(None);
        }
    }

    /// Whether code that is not followed, or a function that may run at any time, may have the address of an object.
    pub(in crate::symbolic) fn is_with_others(&self, o: ObjId) -> bool {
        self.given.contains(&o)
            || self.exposed.contains(&o)
            || self.lent.objects.contains(&o)
            || self.places.get(&None).is_some_and(|s| s.objects.contains(&o))
    }

    /// What such libraries have been given, in order.
    pub(in crate::symbolic) fn given(&self) -> Vec<ObjId> {
        let mut all: Vec<ObjId> = self.given.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// Notes that nothing is known of the addresses that an object holds.
    pub(in crate::symbolic) fn add_anything(&mut self, o: ObjId) {
        self.add(Some(o), &Stored { anything: true, ..Stored::default() });
    }

    /// Functions whose addresses were stored at places that are not known.
    pub(in crate::symbolic) fn functions_anywhere(&self) -> impl Iterator<Item = FuncRef> {
        self.places.get(&None).into_iter().flat_map(|s| s.functions.iter().copied())
    }

    pub(super) fn objects(&self, place: Option<ObjId>) -> impl Iterator<Item = ObjId> {
        self.places.get(&place).into_iter().flat_map(|s| s.objects.iter().copied())
    }

    /// Notes that what an earlier round allocated has an object of its own. What that held is not known.
    pub(in crate::symbolic) fn add_twin(&mut self, made: ObjId, twin: ObjId) {
        self.twins.entry(made).or_default().insert(twin);
        self.add_anything(twin);
    }

    pub(in crate::symbolic) fn has_twin(&self, o: ObjId) -> bool {
        self.twins.contains_key(&o) || self.is_twin(o)
    }

    /// What is stored at places that are not known was found out.
    pub(in crate::symbolic) fn is_settled(&self) -> bool {
        !self.unsettled
    }

    pub(in crate::symbolic) fn is_twin(&self, o: ObjId) -> bool {
        self.twins.values().any(|t| t.contains(&o))
    }

    /// Adds the twins of objects, and theirs.
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

    /// Places older than a time where something new has been noted since.
    pub(super) fn news_since(&self, mark: Mark) -> impl Iterator<Item = Option<ObjId>> {
        self.news[mark.news..].iter().copied().filter(move |p| p.is_none_or(|o| (o.0 as usize) < mark.objects))
    }

    /// Whether an address was ever stored in an object.
    pub(in crate::symbolic) fn has_addresses(&self, o: ObjId) -> bool {
        self.places.get(&Some(o)).is_some_and(|s| !s.objects.is_empty() || !s.functions.is_empty())
    }
}

/// The keys under which what is stored at a place is kept.
pub(super) fn keys(to: &Base) -> Vec<Option<ObjId>> {
    match to {
        Base::Object(o) => vec![Some(*o)],
        Base::Unknown(Lost { among: Some(a), .. }) => a.objects.iter().copied().map(Some).collect(),
        Base::Unknown(_) => vec![None],
        Base::Null | Base::Func(_) => vec![],
    }
}
