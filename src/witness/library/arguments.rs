//! Access to the arguments of modelled functions, and names of the callee.

use crate::machine::call::ThreadStop;
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::space::split;

/// Name of the callee as users know it.
pub fn name_of(m: &Machine<'_>, call: &CallInfo) -> String {
    call.target.map_or_else(String::new, |f| m.program.func(f).display.clone())
}

/// An argument; poison if it is absent.
pub fn arg(args: &[Val], i: usize) -> Val {
    args.get(i).copied().unwrap_or(Val::UNINIT)
}

/// Name of the callee without parameters, as reports name an allocation by it.
pub fn short_name(m: &Machine<'_>, call: &CallInfo) -> String {
    let n = name_of(m, call);
    n.split('(').next().unwrap_or_default().to_owned()
}

/// Writes one scalar through a pointer argument of a model.
pub fn write(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, p: Val, bits: u32, v: Val) -> Result<(), ThreadStop> {
    if p.known() == Some(0) {
        return Ok(());
    }
    let Some(site) = m.site(th) else { return Ok(()) };
    m.store(th, || site, p, bits, v)
}

/// Reads one scalar through a pointer argument of a model.
pub fn read(m: &mut Machine<'_>, th: &Thread, p: Val, bits: u32) -> Result<Val, ThreadStop> {
    let Some(site) = m.site(th) else { return Ok(Val::UNINIT) };
    m.load(th, || site, p, bits)
}

/// Bytes of a string argument; poison if they are unknown.
pub fn text(m: &mut Machine<'_>, th: &Thread, p: Val) -> Result<Vec<u8>, Val> {
    m.mem.c_string(&th.stack, p).map_err(|r| Val::poison(r.unwrap_or(Reason::BAD_READ)))
}

/// Ends a host program that reads a string through a null pointer, such as a missing argument.
pub fn not_null(th: &Thread, p: Val) -> Result<(), ThreadStop> {
    if th.on_device() || p.is_poison() || !split(p.bits).0.is_null() {
        return Ok(());
    }
    Err(ThreadStop::Ended("the program reads a string through a null pointer".into()))
}
