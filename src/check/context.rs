//! What the parts of a check share: one launch as it was executed, the tools to decide with, and what may be spent.
//!
//! It lies above the data of obligations, invariants and replays, and below rules, counterexamples and the engine: these are functions of a
//! [`Context`], [`Tools`] and a [`Run`], and need not know the engine that calls them.

use super::concurrency::bounds::Invariants;
use super::counterexample::replay::Judge;
use super::counterexample::tried::Tried;
pub(crate) use super::findings::position::Place;
use super::findings::position::place_of;
use super::obligations::decide::Decider;
use super::obligations::specialise::Decided;
use super::obligations::verdict::Outcome;
use super::options::{Options, Pace};
use super::rules::layout::Layout;
use base::axioms::Without;
use base::nets;
use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::host::Root;
use engine::symbolic::exec::events::{AccessEvent, LaunchEvent};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::Object;
use engine::symbolic::memory::partition::{PartId, Partition};
use engine::symbolic::memory::value::Target;
use engine::symbolic::terms::term::TermId;
use finding::{Finding, Related};
use ir::{FuncRef, Program};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// What was decided of each place.
pub(crate) type Places = BTreeMap<Place, Tallied>;

/// The worst of what was decided of a place.
#[derive(Clone, Debug)]
pub(crate) struct Tallied {
    pub outcome: Outcome,
    /// As it is displayed.
    pub kernel: String,
    /// How often something was found there.
    pub times: u32,
    /// Of what is open: where it is in headers that are nobody's own.
    pub inner: Vec<Related>,
    /// What else was found there of the same rule: several operations may wrap at one access.
    pub also: Vec<Finding>,
}

/// A launch whose kernel was executed.
pub(crate) struct Run {
    pub launch: LaunchEvent,
    /// What the launch's path condition decides of its terms.
    pub decided: Decided,
    /// Among all that the root comes to.
    pub number: usize,
    pub kernel: FuncRef,
    pub run: KernelRun,
    pub layout: Layout,
    /// Of what its threads exchange through memory.
    pub invariants: Invariants,
    /// Why kernel or host was not followed to its end.
    pub partly: Option<UnknownReason>,
}

impl Run {
    pub fn part(&self, id: PartId) -> &Partition {
        &self.run.partitions[id.0 as usize]
    }

    /// What may be said of an access where the kernel or the host was not followed to its end: beyond that point it may be
    /// reached again, otherwise.
    pub fn partial(&self, outcome: Outcome) -> Outcome {
        match &self.partly {
            Some(why) if !outcome.is_finding() => Outcome::Unknown(why.clone()),
            _ => outcome,
        }
    }
}

/// What the events below one root are decided with.
pub(crate) struct Tools<'p> {
    pub e: Executor<'p>,
    pub decider: Decider,
    pub judge: Judge<'p>,
    pub root: Root,
    /// What small inputs showed, once that was asked: the same for all tasks of the root.
    pub tried: Arc<OnceLock<Tried>>,
}

impl Tools<'_> {
    /// From now on no search and no replay takes more than this leaves.
    pub fn within(&mut self, all: Allotment) {
        self.decider.until = Some(all);
        self.judge.until = all;
    }

    /// Does some work, and tells whether a replay in it ended early for want of budget: with more it may say more.
    pub fn noting_cuts<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> (R, bool) {
        self.judge.cut = false;
        let done = work(self);
        (done, self.judge.cut)
    }

    /// Does some replays in which `rand` gives these numbers, over and over; none: what it gives here.
    pub fn with_random<R>(&mut self, random: &[u32], work: impl FnOnce(&mut Self) -> R) -> R {
        self.judge.random = random.to_vec();
        let done = work(self);
        self.judge.random.clear();
        done
    }

    /// Looks for small witnesses without giving that more work than other searches, where it is likely to be for nothing.
    pub fn in_hurry<R>(&mut self, hurried: bool, work: impl FnOnce(&mut Self) -> R) -> R {
        self.decider.hurried = hurried;
        let done = work(self);
        self.decider.hurried = false;
        done
    }

    /// Does some replays that are each one of many tries, with a few million steps at most.
    pub fn in_short<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.judge.short = true;
        let done = work(self);
        self.judge.short = false;
        done
    }
}

/// The program, the settings, and what may be spent now: a small value that all who decide are given.
#[derive(Clone, Copy)]
pub(crate) struct Context<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    /// What is being done may cost so much.
    pub all: Allotment,
    /// Part of each budget of a whole root, in hundredths: of several roots none gets all.
    pub part: u32,
    /// All that it may cost, where somebody waits.
    pub total: Work,
    /// What was done for the program so far.
    pub spent: Work,
    /// Whether axioms are taken away: then nothing is replayed, and what is not safe is only counted.
    pub bare: bool,
    /// The axioms that are.
    pub without: Without,
}

impl<'p> Context<'p> {
    pub fn new(program: &'p Program, options: &'p Options) -> Self {
        Self {
            program,
            options,
            all: Allotment::UNLIMITED,
            part: 100,
            total: Work::MAX,
            spent: Work::NONE,
            bare: false,
            without: Without::NOTHING,
        }
    }

    /// The budget of one obligation as the settings have it.
    pub fn scaled(&self, work: Work) -> Work {
        work.percent(self.options.work)
    }

    /// The budget of a whole phase, as the settings, the number of roots and who waits have it: at most so many hundredths of what is left.
    pub fn phase(&self, work: Work, of_left: u32) -> Allotment {
        Allotment::of(self.phase_work(work, of_left))
    }

    pub fn phase_work(&self, work: Work, of_left: u32) -> Work {
        self.scaled(work).percent(self.part).min((self.total - self.spent).percent(of_left))
    }

    /// Whether somebody waits.
    pub fn is_hurried(&self) -> bool {
        self.total < Work::MAX
    }

    /// Whether what the first looks leave open stays so.
    pub fn looks_once(&self) -> bool {
        matches!(self.options.pace, Pace::Beside(_))
    }

    /// Whether nothing may be done any more: the budget is spent, or a safety net was reached.
    pub fn is_spent(&self) -> bool {
        self.all.is_spent() || nets::is_late()
    }

    /// What may still be done.
    pub fn work_left(&self) -> Work {
        self.all.left()
    }

    /// Source position (of the innermost call outside system headers) and array.
    pub fn place_of(&self, ev: &AccessEvent) -> Place {
        place_of(self.program, ev)
    }
}

/// One access to one of the objects that its pointer may point to.
#[derive(Clone, Copy)]
pub(crate) struct InObject<'a> {
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub target: &'a Target,
    /// Under which it is made there.
    pub facts: TermId,
    /// Of the object under the launch's conditions, in bytes.
    pub extent: TermId,
}
