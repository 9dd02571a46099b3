//! An access through one named part of an object, and another part that it may reach.

use crate::context::Tools;
use crate::obligations::obligation::Obligation;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::{ObjId, Object};
use engine::symbolic::memory::partition::PartId;
use engine::symbolic::terms::term::TermId;

/// Which end of a part an access may go beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Start,
    Finish,
}

/// Another part that an access may reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbour {
    pub id: PartId,
    pub start: TermId,
    pub end: End,
    /// What holds where the access is made and both parts lie so.
    pub facts: TermId,
}

/// One access through one named part.
pub(crate) struct Through<'a> {
    pub event: &'a AccessEvent,
    pub id: ObjId,
    pub object: &'a Object,
    pub own: PartId,
    pub start: TermId,
    pub facts: TermId,
    pub offset: TermId,
    /// Past its last byte.
    pub finish: TermId,
    /// Of the object, in bytes.
    pub extent: TermId,
}

impl Through<'_> {
    /// That the access stays on its side of the neighbour, but for `slack` bytes.
    pub fn goal(&self, tools: &mut Tools<'_>, n: &Neighbour, slack: i128) -> Obligation {
        let a = &mut tools.e.arena;
        match n.end {
            End::Finish => {
                Obligation { facts: n.facts, offset: a.int(0), bytes: self.finish, extent: a.add_const(n.start, slack) }
            }
            End::Start => {
                let from = a.sub(self.offset, self.start);
                let from = a.add_const(from, slack);
                Obligation { facts: n.facts, offset: from, bytes: a.int(0), extent: from }
            }
        }
    }
}
