//! Panics of the analysis: faults of its own, which are told in one line each.
//!
//! In: panics on threads of the name [`THREAD`]. Out: their words, with the position in the source of the analysis.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Name of the threads of a check.
pub const THREAD: &str = "check";

/// Positions of panics by their messages.
static SEEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

fn seen() -> MutexGuard<'static, BTreeMap<String, String>> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps panics of threads of a check for [`described`]; other panics are printed as usual.
pub fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(THREAD) {
                return usual(info);
            }
            let at = info.location().map_or_else(String::new, |l| format!(" at {}:{}", l.file(), l.line()));
            seen().insert(message(info.payload()), at);
        }));
    });
}

/// Describes a panic of a thread of a check, from its payload.
#[must_use]
pub fn described(payload: &(dyn Any + Send)) -> String {
    let message = message(payload);
    let at = seen().get(&message).cloned().unwrap_or_default();
    format!("{message}{at}")
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
