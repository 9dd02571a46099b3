//! What an array holds where that is known of many elements at once: writes over what it held before.
//!
//! A layer says which bytes were written and with what: the elements of a loop, bytes of a file, what another object held.
//! A read gives the layer's value where it lies inside, what was below where it lies apart from it, else nothing known.

use super::object::{ObjId, ObjState, Rest};
use super::value::Value;
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// The value of element `k`, a symbol.
    Each { k: TermId, value: TermId },
    /// One value in each element.
    All(TermId),
    /// One value in every byte.
    Fill(u8),
    /// The bytes of a file from the position `at` on. The number is that of `Inputs::files`.
    File { file: u32, at: TermId },
    /// What an object held from its byte `at` on.
    Copy { from: ObjId, state: Rc<ObjState>, at: TermId },
}

/// A write of equally spaced elements over what an object held. Offsets and sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub from: TermId,
    /// From the start of one element to that of the next.
    pub stride: i128,
    /// Of each element; of what has no elements, 1.
    pub bytes: u32,
    pub count: TermId,
    pub what: Written,
    pub below: Rc<ObjState>,
    /// Of what is not known in detail.
    pub(super) version: u32,
    pub(super) depth: u32,
}

/// What was on two paths that met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Either {
    /// Which path was taken.
    pub first: TermId,
    pub states: [Rc<ObjState>; 2],
    pub(super) depth: u32,
}

impl Layer {
    /// The terms of it and of what is below it.
    pub fn terms(&self, out: &mut Vec<TermId>) {
        out.extend([self.from, self.count]);
        match &self.what {
            Written::Each { value, .. } | Written::All(value) => out.push(*value),
            // A byte is no term.
            Written::Fill(_) => {}
            Written::File { at, .. } => out.push(*at),
            Written::Copy { state, at, .. } => {
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
        Rest::Layer(l) => l.depth,
        Rest::Either(e) => e.depth,
        _ => 0,
    }
}

impl Rest {
    /// The terms of what is known of many elements at once.
    pub fn terms(&self, out: &mut Vec<TermId>) {
        match self {
            Self::Layer(l) => l.terms(out),
            Self::Either(e) => {
                out.push(e.first);
                for s in &e.states {
                    state_terms(s, out);
                }
            }
            // Nothing is known of many elements at once.
            _ => {}
        }
    }

    /// The same with its terms changed, but for those of cells.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(TermId) -> TermId) -> Self {
        let state =
            |s: &ObjState, f: &mut dyn FnMut(TermId) -> TermId| Rc::new(ObjState { rest: s.rest.map(f), ..s.clone() });
        match self {
            Self::Layer(l) => {
                let what = match &l.what {
                    Written::Each { k, value } => Written::Each { k: *k, value: f(*value) },
                    Written::All(value) => Written::All(f(*value)),
                    Written::Fill(byte) => Written::Fill(*byte),
                    Written::File { file, at } => Written::File { file: *file, at: f(*at) },
                    Written::Copy { from, state: held, at } => {
                        Written::Copy { from: *from, state: state(held, f), at: f(*at) }
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
            Self::Either(e) => Self::Either(Rc::new(Either {
                first: f(e.first),
                states: [state(&e.states[0], f), state(&e.states[1], f)],
                depth: e.depth,
            })),
            other => other.clone(),
        }
    }
}
