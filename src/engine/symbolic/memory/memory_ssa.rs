//! Origins of contents of the device's memory that have only a number ([`Rest::Unknown`]), as in memory SSA: what a launch left there, what
//! was there on one of two paths that meet (a phi), or what is there at the head of a loop: what was there before it, or what one of its rounds
//! left.
//!
//! Plain data below the executor; [`super::origins`] notes them. What holds at all of a number's origins holds of what it stands for, by
//! induction over time; that is shown elsewhere (`check/concurrency/across_launches.rs`).

use super::array_write::Written;
use super::object::{ObjId, ObjState, Rest};
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
    /// What a launch left: its number among `Events::launches`, if it is one that counts and surely happens there.
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
