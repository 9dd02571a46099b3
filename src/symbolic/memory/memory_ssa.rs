//! How contents of the device's memory that have only a number ([`Rest::Unknown`]) came about: what a launch left there, what was there
//! on one of two ways that meet, or what is there at the head of a loop: what was there before it, or what one of its rounds left.
//!
//! In: states before and behind launches and loops, and where ways meet. Out: an origin for each such number. What holds at all of a number's origins
//! holds of what it stands for, by induction over time; that is shown elsewhere (`check/history.rs`).

use super::array_write::Written;
use super::object::{ObjId, ObjKind, ObjState, Rest};
use crate::ir::Side;
use crate::symbolic::exec::executor::{Executor, State};
use crate::symbolic::loops::quantified_facts::Always;
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// What an object held at some time.
#[derive(Clone, Debug)]
pub struct Moment {
    /// A condition under which it was reached.
    pub path: TermId,
    pub always: Rc<Vec<Always>>,
    pub held: Rc<ObjState>,
}

#[derive(Clone, Debug)]
pub enum Origin {
    /// What a launch left: its number among [`Executor::launches`], if it is one that counts and surely happens there.
    Launch(ObjId, Option<usize>),
    /// At the head of a loop. What was there before and behind each round, and the time (symbols and contents) before the loop.
    Loop { object: ObjId, moments: Vec<Moment>, before: (usize, u32) },
    /// Where ways meet on which something else was there.
    Join { object: ObjId, moments: Vec<Moment> },
}

impl Origin {
    #[must_use]
    pub const fn object(&self) -> ObjId {
        match self {
            Self::Launch(o, _) | Self::Loop { object: o, .. } | Self::Join { object: o, .. } => *o,
        }
    }
}

/// The number of an object's contents, where they have no other description.
fn version(held: &ObjState) -> Option<u32> {
    if let Rest::Unknown { version, .. } = held.rest { Some(version) } else { None }
}

/// The numbers of all contents that an object's are made of.
pub fn versions(held: &ObjState, out: &mut Vec<u32>) {
    match &held.rest {
        Rest::Unknown { version, .. } => out.push(*version),
        Rest::Layer(l) => {
            if let Written::Copy { state, .. } = &l.what {
                versions(state, out);
            }
            versions(&l.below, out);
        }
        Rest::Either(e) => {
            for s in &e.states {
                versions(s, out);
            }
        }
        Rest::Uninit | Rest::Zero | Rest::Init => {}
    }
}

fn moment(s: &State, o: ObjId) -> Option<Moment> {
    Some(Moment { path: s.path, always: s.always.clone(), held: s.mem.get(&o)?.clone() })
}

impl Executor<'_> {
    fn is_followed_in_time(&self, o: ObjId) -> bool {
        self.side == Side::Host && matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_))
    }

    /// The last number that contents got.
    pub(crate) const fn contents_so_far(&self) -> u32 {
        self.version
    }

    /// Notes which contents are new behind a launch; `before` is the last number of contents before it.
    pub(crate) fn left_by_launch(&mut self, s: &State, launch: Option<usize>, before: u32) {
        let new: Vec<(u32, ObjId)> =
            s.mem.iter().filter_map(|(o, held)| Some((version(held).filter(|v| *v > before)?, *o))).collect();
        for (v, o) in new {
            if self.is_followed_in_time(o) {
                self.origins.insert(v, Origin::Launch(o, launch));
            }
        }
    }

    /// Notes what is at the head of a loop of which every way back was followed.
    pub(in crate::symbolic) fn left_by_rounds<'s>(
        &mut self,
        (start, head): (&'s State, &State),
        back: impl Iterator<Item = &'s State> + Clone,
        before: (usize, u32),
    ) {
        let new: Vec<(u32, ObjId)> =
            head.mem.iter().filter_map(|(o, held)| Some((version(held).filter(|v| *v > before.1)?, *o))).collect();
        for (v, o) in new {
            if !self.is_followed_in_time(o) {
                continue;
            }
            let moments: Option<Vec<Moment>> =
                std::iter::once(start).chain(back.clone()).map(|s| moment(s, o)).collect();
            if let Some(moments) = moments {
                self.origins.insert(v, Origin::Loop { object: o, moments, before });
            }
        }
    }

    /// Notes that contents are what was there on one of several ways that meet.
    pub(in crate::symbolic) fn left_on_ways(&mut self, o: ObjId, version: u32, ways: [&State; 2]) {
        if !self.is_followed_in_time(o) {
            return;
        }
        let moments: Option<Vec<Moment>> = ways.into_iter().map(|s| moment(s, o)).collect();
        if let Some(moments) = moments {
            self.origins.insert(version, Origin::Join { object: o, moments });
        }
    }

    /// Whether a term has been the same since a time.
    pub fn is_older(&self, t: TermId, (mark, version): (usize, u32)) -> bool {
        self.only_old(t, mark, version, None)
    }
}
