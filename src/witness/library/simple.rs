//! Models that many functions share: no effect that matters, the end of the program, or a result from outside the
//! program.

use super::arguments::{arg, name_of};
use crate::api::Cause;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;

#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn zero(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::ZERO))
}
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn one(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::new(1)))
}
/// Returns the first argument.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn first(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(arg(args, 0)))
}
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn nothing(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Void)
}

pub fn ends(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, _: &[Val]) -> ModelResult {
    let at = m.user_site(th).map(|s| m.line(s)).unwrap_or_default();
    Err(ThreadStop::Ended(format!("{at}: the call of `{}`", name_of(m, call))))
}

/// Models a function outside the program: its result and its arguments' pointees become unknown.
pub fn outside(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Call, &format!("`{}`", name_of(m, call)));
    for a in args {
        if !a.is_poison() {
            m.havoc(th, *a, why);
        }
    }
    Ok(Ret::Val(Val::poison(why)))
}
