//! Handling of signals while a command runs in the foreground.

use crate::processes::not_ignored;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::io;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Until dropped, this process survives SIGINT, SIGQUIT, SIGTERM and SIGHUP, and forwards the last two to the child.
/// The terminal sends the first two to the child by itself. Signals that this process was started to ignore (by
/// `nohup`) stay ignored, in both processes.
pub struct Forwarding {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
    state: Arc<Mutex<SignalState>>,
}

#[derive(Default)]
struct SignalState {
    child: Option<Pid>,
    /// Signals that came before the child started.
    early: Vec<Signal>,
}

impl Forwarding {
    /// Installs the handlers. Call before the child is started, so that no signal is lost in between.
    ///
    /// # Errors
    /// When the handlers cannot be installed.
    pub fn install() -> io::Result<Self> {
        let mut signals = Signals::new(not_ignored(&[SIGINT, SIGQUIT, SIGTERM, SIGHUP]))?;
        let handle = signals.handle();
        let state = Arc::new(Mutex::new(SignalState::default()));
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            for signal in signals.forever() {
                let signal = match signal {
                    SIGTERM => Signal::TERM,
                    SIGHUP => Signal::HUP,
                    _ => continue,
                };
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match state.child {
                    Some(child) => send(child, signal),
                    None => state.early.push(signal),
                }
            }
        });
        Ok(Self { handle, thread: Some(thread), state })
    }

    pub fn forward_to(&self, child: &Child) {
        let Some(child) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.child = Some(child);
        for signal in state.early.drain(..) {
            send(child, signal);
        }
    }
}

/// Sends a signal to the child, which may have ended on its own: then the signal has no receiver.
fn send(child: Pid, signal: Signal) {
    let _ = kill_process(child, signal);
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
