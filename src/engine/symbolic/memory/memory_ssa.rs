//! Origins of unknown contents of device memory ([`UncoveredContents::Unknown`]), as in memory SSA: contents that a launch left,
//! contents of one of two paths that meet (a phi), or contents at a loop head, which are those before the loop or those
//! that an iteration left.
//!
//! Plain data below the executor; [`super::origins`] records it. A property that holds at all origins of a version
//! holds of the contents with this version, by induction over time; `check/concurrency/across_launches.rs` proves such
//! properties.

use super::array_write::WrittenContents;
use super::object::{ObjId, ObjState, UncoveredContents};
use crate::symbolic::loops::quantified_facts::QuantifiedFact;
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Contents of an object at one program point.
#[derive(Clone, Debug)]
pub struct ContentVersion {
    /// Condition under which the point was reached.
    pub path: TermId,
    pub always: Rc<Vec<QuantifiedFact>>,
    pub held: Rc<ObjState>,
}

#[derive(Clone, Debug)]
pub enum ContentOrigin {
    /// Contents that a launch left: its index in `Events::launches`, if the launch is listed there and certain to
    /// happen.
    Launch(ObjId, Option<usize>),
    /// Contents at a loop head: those before the loop and after each iteration; `before` is the number of symbols and
    /// the last version before the loop.
    Loop { object: ObjId, moments: Vec<ContentVersion>, before: (usize, u32) },
    /// Contents at a join of paths on which they differ.
    Join { object: ObjId, moments: Vec<ContentVersion> },
}

impl ContentOrigin {
    #[must_use]
    pub const fn object(&self) -> ObjId {
        match self {
            Self::Launch(o, _) | Self::Loop { object: o, .. } | Self::Join { object: o, .. } => *o,
        }
    }
}

/// Collects the versions of all unknown contents in an object's state.
pub fn versions(held: &ObjState, out: &mut Vec<u32>) {
    match &held.rest {
        UncoveredContents::Unknown { version, .. } => out.push(*version),
        UncoveredContents::Layer(l) => {
            if let WrittenContents::Copy { state, .. } = &l.what {
                versions(state, out);
            }
            versions(&l.below, out);
        }
        UncoveredContents::Either(e) => {
            for s in &e.states {
                versions(s, out);
            }
        }
        UncoveredContents::Uninit | UncoveredContents::Zero | UncoveredContents::Init => {}
    }
}
