//! An access through one named part of an object, and another part that the access may reach.

use crate::context::RootTools;
use crate::obligations::obligation::Obligation;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::{ObjId, Object};
use engine::symbolic::memory::partition::PartId;
use engine::symbolic::terms::term::TermId;

/// End of a part that an access may exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartEnd {
    Start,
    Finish,
}

/// A neighbouring part that an access may reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbour {
    pub id: PartId,
    pub start: TermId,
    pub end: PartEnd,
    /// Facts at the access, and that the parts lie in this order.
    pub facts: TermId,
}

/// An access through a named part.
pub(crate) struct PartAccess<'a> {
    pub event: &'a AccessEvent,
    pub id: ObjId,
    pub object: &'a Object,
    pub own: PartId,
    pub start: TermId,
    pub facts: TermId,
    pub offset: TermId,
    /// Offset past the last accessed byte.
    pub finish: TermId,
    /// Extent of the object, in bytes.
    pub extent: TermId,
}

impl PartAccess<'_> {
    /// Builds the obligation that the access stays on its side of the neighbour, except for `slack` bytes.
    pub fn goal(&self, tools: &mut RootTools<'_>, n: &Neighbour, slack: i128) -> Obligation {
        let a = &mut tools.e.arena;
        match n.end {
            PartEnd::Finish => {
                Obligation { facts: n.facts, offset: a.int(0), bytes: self.finish, extent: a.add_const(n.start, slack) }
            }
            PartEnd::Start => {
                let from = a.sub(self.offset, self.start);
                let from = a.add_const(from, slack);
                Obligation { facts: n.facts, offset: from, bytes: a.int(0), extent: from }
            }
        }
    }
}
