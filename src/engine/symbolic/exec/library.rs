//! The seam between the executor and the models of library functions.
//!
//! In: a call, with the state before it. Out: the result and the state after it, or the unchanged state if no model
//! applies; then the executor enters the function's body, or havocs what the call may write. The models are in the crate
//! `library`.

use super::executor::Executor;
use super::site::Site;
use super::state::State;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;
use ir::{FuncRef, TypeId};

/// Call of a function by the program.
pub struct LibraryCall<'a> {
    pub func: FuncRef,
    pub name: &'a str,
    /// Demangled name.
    pub display: &'a str,
    pub args: &'a [Value],
    /// Hash of the call stack, as in [`super::state::Activation`].
    pub context: u64,
    pub site: Site,
    pub ty: TypeId,
}

impl<'a> LibraryCall<'a> {
    /// Returns the symbol without the suffix of a default stream.
    #[must_use]
    pub fn base(&self) -> &'a str {
        self.name.strip_suffix("_ptsz").or_else(|| self.name.strip_suffix("_ptds")).unwrap_or(self.name)
    }
}

/// Result of a model: handled (with `None` if the call does not return), or declined with the state.
pub type ModelOutcome = Result<Option<(Value, State)>, Box<State>>;

/// Models of library functions.
pub trait Library: Sync {
    /// Models a call on the executor's present side, before any body is entered.
    ///
    /// # Errors
    ///
    /// The unchanged state, if there is no model or it does not apply to this call.
    fn call(&self, executor: &mut Executor<'_>, call: &LibraryCall<'_>, state: State) -> ModelOutcome;

    /// Bounds what a call of a kernel wrote whose body was executed on the path `before`, by what its documentation
    /// says; returns whether it did. It holds if nothing disturbs the operation.
    fn bound_results(&self, _: &mut Executor<'_>, _: &LibraryCall<'_>, _before: TermId, _: &mut State) -> bool {
        false
    }
}

/// The empty library: every call is entered or havocked.
pub struct NoLibrary;

impl Library for NoLibrary {
    fn call(&self, _: &mut Executor<'_>, _: &LibraryCall<'_>, state: State) -> ModelOutcome {
        Err(Box::new(state))
    }
}
