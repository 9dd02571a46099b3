//! Functions that never return, or may not return.

use super::arguments::{arg, name_of};
use super::model::{ModelClass, ModelEntry};
use super::simple::{ends, outside};
use crate::api::{Cause, UndecidedReason};
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Val, signed};
use ir::Side;
use models::no_return::returns;
use models::returns::Returns;

pub fn find(name: &str) -> Option<ModelEntry> {
    let model = match (name, returns(name)?) {
        ("syscall", _) => syscall,
        (_, Returns::Never) => ends,
        (_, Returns::IfZero(_)) => if_zero,
        (_, Returns::IfHandled(_)) => if_handled,
        (_, Returns::Perhaps) => perhaps,
    };
    Some((model, ModelClass::Ends))
}

/// Functions that let a program continue after a signal.
const HANDLES: &[&str] = &[
    "signal",
    "sigaction",
    "sigset",
    "sigignore",
    "sighold",
    "bsd_signal",
    "ssignal",
    "sigprocmask",
    "pthread_sigmask",
    "sigblock",
    "sigsetmask",
    "__sysv_signal",
];

/// Signals whose default action does not end a program (POSIX.1-2017, signal.h; x86-64 Linux): SIGCHLD, SIGCONT,
/// SIGURG, SIGWINCH.
const IGNORED: [u64; 4] = [17, 18, 23, 28];
/// SIGKILL, which no program can handle.
const KILL: u64 = 9;
/// System calls that end a thread or the program (x86-64 Linux): `exit` and `exit_group`.
const EXITS: [u64; 2] = [60, 231];
/// System calls that may end the program: `kill`, `tkill`, `tgkill`, `execve`, `execveat`.
const MAY_END: [u64; 5] = [62, 200, 234, 59, 322];

fn argument_of(m: &Machine<'_>, call: &CallInfo, args: &[Val]) -> Val {
    match call.target.and_then(|f| returns(&m.program.func(f).name)) {
        Some(Returns::IfZero(i) | Returns::IfHandled(i)) => arg(args, i),
        _ => Val::UNINIT,
    }
}

fn perhaps(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, _: &[Val]) -> ModelResult {
    let at = m.user_site(th).map(|s| m.line(s)).unwrap_or_default();
    let text = format!("{at}: the call of `{}` may not return", name_of(m, call));
    Err(ThreadStop::Unknown(UndecidedReason { text, cause: Cause::Call }))
}

fn if_zero(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match argument_of(m, call, args).known().map(|v| signed(v, 32)) {
        Some(0) => Ok(Ret::Void),
        Some(_) => ends(m, th, call, args),
        None => perhaps(m, th, call, args),
    }
}

fn if_handled(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let Some(signal) = argument_of(m, call, args).known() else { return perhaps(m, th, call, args) };
    let handles =
        || m.program.functions().any(|(_, module, f)| module.side == Side::Host && HANDLES.contains(&f.name.as_str()));
    match signal {
        0 => Ok(Ret::Val(Val::ZERO)),
        KILL => ends(m, th, call, args),
        1..=31 if !handles() => {
            if IGNORED.contains(&signal) {
                Ok(Ret::Val(Val::ZERO))
            } else {
                ends(m, th, call, args)
            }
        }
        _ => perhaps(m, th, call, args),
    }
}

fn syscall(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match arg(args, 0).known() {
        Some(n) if EXITS.contains(&n) => ends(m, th, call, args),
        Some(n) if !MAY_END.contains(&n) => outside(m, th, call, args),
        _ => perhaps(m, th, call, args),
    }
}
