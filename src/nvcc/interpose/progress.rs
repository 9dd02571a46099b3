//! Progress bar for the work after the build. While the build command runs nothing is drawn: its tools print to the
//! same terminal, and a bar would cut through their lines.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Counts up to a known total on standard error. Draws nothing unless that is a terminal, and nothing in the first half
/// second, so that short work does not flicker.
pub struct ProgressDisplay {
    bar: ProgressBar,
    start: Instant,
    shown: bool,
}

const QUIET_AT_FIRST: Duration = Duration::from_millis(500);

impl ProgressDisplay {
    /// Creates a bar; `verb` stands before it, in the twelve columns that status lines use.
    #[must_use]
    pub fn new(verb: &'static str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{prefix:>12.bold.cyan} [{bar:28}] {pos}/{len} {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(verb);
        Self { bar, start: Instant::now(), shown: false }
    }

    /// Counts one completed step; `what` names the next.
    pub fn step(&mut self, what: &str) {
        if !self.shown && self.start.elapsed() >= QUIET_AT_FIRST && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
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
        self.bar.finish_and_clear();
    }
}
