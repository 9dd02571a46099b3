//! Observations of a run: bad accesses, whether one of them is the target, and assumptions.

use super::api::{AccessFault, BadAccess, ProgramPoint, TargetAccess, UndecidedReason};
use super::machine::call::ThreadStop;
use super::memory::space::WindowId;
use super::snapshot::Snapshot;
use finding::Direction;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most distinct bad accesses to keep.
const MAX_BAD: usize = 10_000;

/// Key that merges bad accesses: site, call chain, launch site, and the object they were meant for.
pub struct BadAccessKey<'a, C> {
    pub site: ProgramPoint,
    pub callers: C,
    pub launch_site: Option<ProgramPoint>,
    pub alloc: Option<ProgramPoint>,
    pub name: &'a str,
    /// A copy reads and writes at one site.
    pub direction: Direction,
}

impl<C: Iterator<Item = ProgramPoint> + Clone> BadAccessKey<'_, C> {
    fn is_of(&self, bad: &BadAccess) -> bool {
        bad.launch_site == self.launch_site
            && bad.object.alloc == self.alloc
            && bad.object.name == self.name
            && bad.direction == self.direction
            && bad.callers.iter().copied().eq(self.callers.clone())
    }
}

/// Saved numbers of doubts and assumptions, for [`Observer::retract`].
pub struct Certainty {
    doubts: usize,
    assumptions: usize,
    certain: Option<usize>,
}

#[derive(Default)]
pub struct Observer {
    /// Access to look for; `None`: record every bad access.
    pub target: Option<TargetAccess>,
    pub bad: Vec<BadAccess>,
    /// Indices into `bad` by site, most recently seen first.
    index: FxHashMap<ProgramPoint, SmallVec<[usize; 2]>>,
    pub found: Option<BadAccess>,
    /// Object that the found access was meant for.
    pub found_object: Option<WindowId>,
    /// Whether to take a snapshot of the launch that reaches the target, into `snapshot`.
    pub wants_snapshot: bool,
    pub snapshot: Option<Snapshot>,
    /// False while code other than the target launch runs.
    pub armed: bool,
    /// Accesses with an unknown address, and the reason.
    pub unclear: FxHashMap<ProgramPoint, UndecidedReason>,
    /// Whether the address of the target access depended on what other threads may have written.
    pub hidden: bool,
    /// Accesses whose address was read out of bounds, before an unknown value decided anything.
    pub astray: FxHashSet<ProgramPoint>,
    /// Addresses last stored to the variables that name parts.
    pub starts: FxHashMap<ProgramPoint, u64>,
    /// Whether a loop was skipped: a run with a larger bound may decide more.
    pub skipped: bool,
    assumptions: Vec<String>,
    assumed: FxHashSet<String>,
    /// Reasons why the run leaves something undecided.
    pub doubts: Vec<UndecidedReason>,
    /// Whether one of the doubts is about the path itself.
    pub path_in_doubt: bool,
    /// Number of bad accesses before the first doubt or assumption.
    pub certain: Option<usize>,
}

impl Observer {
    pub fn exhaustive() -> Self {
        Self { armed: true, ..Self::default() }
    }
    pub fn seeking(target: TargetAccess) -> Self {
        Self { target: Some(target), ..Self::default() }
    }

    /// Whether the target is about parts of objects.
    #[inline]
    pub fn has_parts(&self) -> bool {
        self.target.as_ref().is_some_and(|t| t.parts.is_some())
    }

    /// Whether the run looks for an access whose address depends on uninitialised memory. Otherwise such accesses are
    /// not recorded as bad.
    pub fn wants_unset_index(&self) -> bool {
        self.target.as_ref().is_some_and(|t| t.fault == Some(AccessFault::UnsetIndex))
    }

    /// Alignment whose violation at this site is the target.
    pub fn alignment(&self, site: impl FnOnce() -> ProgramPoint) -> Option<u32> {
        let t = self.target.as_ref()?;
        t.align.filter(|_| t.site == site())
    }

    pub fn assume(&mut self, what: String) {
        self.certain.get_or_insert(self.bad.len());
        self.take_for_granted(what);
    }

    /// Records an assumption that holds on every device so far: what follows is as certain as what came before.
    pub fn take_for_granted(&mut self, what: String) {
        if self.assumed.insert(what.clone()) {
            self.assumptions.push(what);
        }
    }
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    pub fn doubt(&mut self, why: impl Into<UndecidedReason>) {
        let why = why.into();
        self.certain.get_or_insert(self.bad.len());
        if self.doubts.len() < 64 && !self.doubts.contains(&why) {
            self.doubts.push(why);
        }
    }

    /// Records that the run may not come this way: what it reaches from here on is not proved.
    pub fn doubt_path(&mut self, why: impl Into<UndecidedReason>) {
        self.doubt(why);
        self.path_in_doubt = true;
    }

    pub fn certainty(&self) -> Certainty {
        Certainty { doubts: self.doubts.len(), assumptions: self.assumptions.len(), certain: self.certain }
    }

    /// Removes and returns the doubts and assumptions added since `to`.
    pub fn retract(&mut self, to: &Certainty) -> Vec<UndecidedReason> {
        let mut since = self.doubts.split_off(to.doubts);
        for assumption in self.assumptions.split_off(to.assumptions) {
            self.assumed.remove(&assumption);
            since.push(assumption.into());
        }
        self.certain = to.certain;
        since
    }

    /// Records that an address depends on what other threads may have written.
    pub fn hidden(&mut self, site: ProgramPoint) {
        self.hidden |= self.target.as_ref().is_some_and(|t| t.site == site);
    }

    /// Forgets the unknown address of an access: other threads decide.
    pub fn clear(&mut self, site: ProgramPoint) {
        self.unclear.remove(&site);
    }

    /// Records an access with an unknown address.
    pub fn unclear(&mut self, site: ProgramPoint, why: impl FnOnce() -> UndecidedReason) {
        self.unclear.entry(site).or_insert_with(why);
    }

    /// Records an access whose address was read out of bounds.
    pub fn astray(&mut self, site: ProgramPoint) {
        if self.armed && self.doubts.is_empty() {
            self.astray.insert(site);
        }
    }

    /// Counts a repeated bad access, unless it is at the target's site. A loop makes millions of one kind.
    pub fn again<C: Iterator<Item = ProgramPoint> + Clone>(&mut self, kind: &BadAccessKey<'_, C>) -> bool {
        if self.target.as_ref().is_some_and(|t| t.site == kind.site) {
            return false;
        }
        let Some(i) = self.position(kind) else { return false };
        self.bad[i].count += 1;
        true
    }

    fn position<C: Iterator<Item = ProgramPoint> + Clone>(&mut self, kind: &BadAccessKey<'_, C>) -> Option<usize> {
        let here = self.index.get_mut(&kind.site)?;
        let at = here.iter().position(|i| kind.is_of(&self.bad[*i]))?;
        here.swap(0, at);
        Some(here[0])
    }

    pub fn bad(&mut self, bad: BadAccess, object: WindowId, on_device: bool) -> Result<(), ThreadStop> {
        if let Some(t) = &self.target
            && t.site == bad.site
            && t.parts.is_some() == matches!(bad.fault, AccessFault::Part(_))
            && t.fault.is_none_or(|f| bad.fault.answers(f))
            && t.direction.is_none_or(|d| d == bad.direction)
            && t.callers.as_ref().is_none_or(|c| *c == bad.callers)
            && (self.armed || !on_device)
            && (!on_device || t.launch_site.is_none() || t.launch_site == bad.launch_site)
        {
            self.found = Some(bad);
            self.found_object = Some(object);
            return Err(ThreadStop::Found);
        }
        let kind = BadAccessKey {
            site: bad.site,
            callers: bad.callers.iter().copied(),
            launch_site: bad.launch_site,
            alloc: bad.object.alloc,
            name: &bad.object.name,
            direction: bad.direction,
        };
        match self.position(&kind) {
            Some(i) => self.bad[i].count += 1,
            None if self.bad.len() < MAX_BAD => {
                self.index.entry(bad.site).or_default().push(self.bad.len());
                self.bad.push(bad);
            }
            None => self.doubt(format!("more than {MAX_BAD} different accesses are out of bounds")),
        }
        Ok(())
    }
}
