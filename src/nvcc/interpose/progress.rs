//! Progress bar for the work after the build. While the build command runs nothing is drawn: its tools print to the
//! same terminal, and a bar would cut through their lines.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Counts up to a known total on standard error. Draws nothing unless that is a terminal, and nothing in the first half
/// second, so that short work does not flicker; from then on also during a long step, with the seconds so far.
pub struct ProgressDisplay {
    bar: ProgressBar,
    /// Ends the wait of the thread that shows the bar.
    end: Option<Sender<()>>,
}

const QUIET_AT_FIRST: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_secs(1);

impl ProgressDisplay {
    /// Creates a bar; `verb` stands before it, in the twelve columns that status lines use.
    #[must_use]
    pub fn new(verb: &'static str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = "{prefix:>12.bold.cyan} [{bar:28}] {pos}/{len} {elapsed:>3} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(verb);
        let end = std::io::stderr().is_terminal().then(|| {
            let (end, ended) = mpsc::channel::<()>();
            let bar = bar.clone();
            thread::spawn(move || {
                if ended.recv_timeout(QUIET_AT_FIRST) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                    let _ = ended.recv();
                }
            });
            end
        });
        Self { bar, end }
    }

    /// Counts one completed step; `what` stands behind the bar.
    pub fn step(&mut self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
    }

    /// Runs `print`, which writes to the terminal, with the bar hidden.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        drop(self.end.take());
        self.bar.finish_and_clear();
    }
}
