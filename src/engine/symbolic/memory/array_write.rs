//! Array contents known for many elements at once: writes over earlier contents.
//!
//! A layer describes which bytes were written and with what: a loop's elements, a file's bytes, an object's contents. A
//! read inside the layer gives its value, a read apart from it gives what is below, and any other read is unknown.

use super::object::{ObjId, ObjState, UncoveredContents};
use super::value::Value;
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Contents of an array write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenContents {
    /// The value of element `k`, where `k` is a symbol.
    Each { k: TermId, value: TermId },
    /// The same value in each element.
    All(TermId),
    /// The same value in every byte.
    Fill(u8),
    /// A file's bytes from position `at` on; `file` indexes `Inputs::files`.
    File { file: u32, at: TermId },
    /// Contents of an object from its byte `at` on.
    Copy { from: ObjId, state: Rc<ObjState>, at: TermId },
}

/// Array write of equally spaced elements over earlier contents. Offsets and sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub from: TermId,
    /// Distance between the starts of neighbouring elements.
    pub stride: i128,
    /// Size of each element; 1 if the contents have no elements.
    pub bytes: u32,
    pub count: TermId,
    pub what: WrittenContents,
    pub below: Rc<ObjState>,
    /// Version of the parts that are unknown.
    pub(super) version: u32,
    pub(super) depth: u32,
}

/// Contents on two paths that met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedContents {
    /// Condition that the first path was taken.
    pub first: TermId,
    pub states: [Rc<ObjState>; 2],
    pub(super) depth: u32,
}

impl Layer {
    /// Collects the terms of the layer and of everything below it.
    pub fn terms(&self, out: &mut Vec<TermId>) {
        out.extend([self.from, self.count]);
        match &self.what {
            WrittenContents::Each { value, .. } | WrittenContents::All(value) => out.push(*value),
            // A byte is not a term.
            WrittenContents::Fill(_) => {}
            WrittenContents::File { at, .. } => out.push(*at),
            WrittenContents::Copy { state, at, .. } => {
                out.push(*at);
                state_terms(state, out);
            }
        }
        state_terms(&self.below, out);
    }
}

fn state_terms(s: &ObjState, out: &mut Vec<TermId>) {
    for (_, v) in s.cells.values() {
        if let Value::Int(t) = v {
            out.push(*t);
        }
    }
    s.rest.terms(out);
}

pub(super) fn depth_of(s: &ObjState) -> u32 {
    match &s.rest {
        UncoveredContents::Layer(l) => l.depth,
        UncoveredContents::Either(e) => e.depth,
        _ => 0,
    }
}

impl UncoveredContents {
    /// Collects the terms of all layers.
    pub fn terms(&self, out: &mut Vec<TermId>) {
        match self {
            Self::Layer(l) => l.terms(out),
            Self::Either(e) => {
                out.push(e.first);
                for s in &e.states {
                    state_terms(s, out);
                }
            }
            // The others have no layers.
            _ => {}
        }
    }

    /// Applies `f` to all terms except those of cells.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(TermId) -> TermId) -> Self {
        let state =
            |s: &ObjState, f: &mut dyn FnMut(TermId) -> TermId| Rc::new(ObjState { rest: s.rest.map(f), ..s.clone() });
        match self {
            Self::Layer(l) => {
                let what = match &l.what {
                    WrittenContents::Each { k, value } => WrittenContents::Each { k: *k, value: f(*value) },
                    WrittenContents::All(value) => WrittenContents::All(f(*value)),
                    WrittenContents::Fill(byte) => WrittenContents::Fill(*byte),
                    WrittenContents::File { file, at } => WrittenContents::File { file: *file, at: f(*at) },
                    WrittenContents::Copy { from, state: held, at } => {
                        WrittenContents::Copy { from: *from, state: state(held, f), at: f(*at) }
                    }
                };
                Self::Layer(Rc::new(Layer {
                    from: f(l.from),
                    count: f(l.count),
                    what,
                    below: state(&l.below, f),
                    ..**l
                }))
            }
            Self::Either(e) => Self::Either(Rc::new(JoinedContents {
                first: f(e.first),
                states: [state(&e.states[0], f), state(&e.states[1], f)],
                depth: e.depth,
            })),
            other => other.clone(),
        }
    }
}
