//! Processes that are writing an output.

use serde::{Deserialize, Serialize};

/// Identity of one process of this machine, which remains distinct after its process number is reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    process: u32,
    /// Clock ticks from the machine's start to the process's.
    started: u64,
}

impl Maker {
    /// Returns the process that started this one: for an analysis, its shim.
    #[must_use]
    pub fn parent() -> Option<Self> {
        Self::of(std::os::unix::process::parent_id())
    }

    fn of(process: u32) -> Option<Self> {
        Some(Self { process, started: started(process)? })
    }

    /// Whether the process still runs.
    #[must_use]
    pub fn alive(self) -> bool {
        Self::of(self.process) == Some(self)
    }
}

/// Returns field 22 of `/proc/N/stat` (proc(5)); `None` for a zombie. The second field is a name in parentheses, which
/// may hold any characters.
fn started(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    if fields.next()? == "Z" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Maker;

    #[test]
    fn a_process_is_alive_until_it_ends() {
        assert!(Maker::parent().is_some_and(Maker::alive));
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let maker = Maker::of(child.id()).unwrap();
        assert!(maker.alive());
        assert!(!Maker { started: maker.started + 1, ..maker }.alive(), "another process by this number");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!maker.alive());
    }
}
