//! Judges a finding by the inspected host calls.
//!
//! In: the lines that `templates/calls.cpp` wrote during a run, and the expected fault. Out: a verdict, if the lines
//! allow one. Each line describes one side of one call, whose memory block the program itself allocated.

use super::manifest::{Expected, HOST_ACCESS};
use super::verdict::RunVerdict;
use base::rules::Rule;
use finding::Direction;

/// A wrong side of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrongSide<'l> {
    call: &'l str,
    writes: bool,
    host: bool,
    freed: bool,
    address: &'l str,
    offset: i64,
    bytes: i64,
    extent: i64,
}

impl<'l> WrongSide<'l> {
    fn read(line: &'l str) -> Option<Self> {
        let mut words = line.strip_prefix("bad ")?.split(' ');
        let mut word = || words.next();
        Some(Self {
            call: word()?,
            writes: word()? == "write",
            host: word()? == "host",
            freed: word()? == "freed",
            address: word()?,
            offset: word()?.parse().ok()?,
            bytes: word()?.parse().ok()?,
            extent: word()?.parse().ok()?,
        })
    }

    /// Whether the call's bytes include those from `offset` on.
    fn has(&self, offset: i64, bytes: i64) -> bool {
        // For a host access, the machine reports one byte.
        let bytes = if self.call == HOST_ACCESS { 1 } else { bytes };
        self.offset <= offset && offset.saturating_add(bytes) <= self.offset.saturating_add(self.bytes)
    }
}

impl std::fmt::Display for WrongSide<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {} {} bytes at {}, byte {} of {} of memory of the {}{}",
            if self.call == HOST_ACCESS { "the program".into() } else { format!("`{}`", self.call) },
            if self.writes { "writes" } else { "reads" },
            self.bytes,
            self.address,
            self.offset,
            self.extent,
            if self.host { "host" } else { "device" },
            if self.freed { " that was freed" } else { "" }
        )?;
        if self.call == HOST_ACCESS { write!(f, ", and the machine refused it") } else { Ok(()) }
    }
}

/// Whether the one kernel that was to be launched was launched.
pub fn launched(lines: &str) -> bool {
    lines.lines().any(|l| l.starts_with("launched "))
}

/// Verdict from the lines; `None` if they contain no such call.
pub fn judge(expected: &Expected, lines: &str) -> Option<RunVerdict> {
    let (call, side) = (expected.call.as_deref()?, expected.side?);
    let (writes, freed) = (expected.direction != Direction::Read, expected.rule == Rule::UseAfterFree);
    let bytes = i64::try_from(expected.bytes).unwrap_or(i64::MAX);
    let of_it: Vec<WrongSide<'_>> = lines
        .lines()
        .filter_map(WrongSide::read)
        .filter(|b| b.call == call && b.writes == writes && b.freed == freed)
        .collect();
    if let Some(b) = of_it.iter().find(|b| b.extent == side.extent && b.has(side.offset, bytes)) {
        return Some(RunVerdict::Confirmed(b.to_string()));
    }
    if let Some(b) = of_it.first() {
        return Some(RunVerdict::Inconclusive(format!(
            "{b}, where the witness has byte {} of {}",
            side.offset, side.extent
        )));
    }
    let unknown = format!("unknown {call} {} ", if writes { "write" } else { "read" });
    lines.lines().any(|l| l.starts_with(&unknown)).then(|| {
        RunVerdict::Inconclusive(format!(
            "`{call}` received memory of unknown size: a local host variable, or a library's allocation"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::{WrongSide, judge};
    use crate::manifest::{CopySide, Expected};
    use crate::verdict::RunVerdict;
    use base::rules::Rule;
    use finding::Direction;

    fn expected(rule: Rule, direction: Direction, bytes: u64, offset: i64, extent: i64) -> Expected {
        Expected {
            fingerprint: "f".into(),
            witness: "w".into(),
            rule,
            proved: None,
            summary: String::new(),
            architecture: None,
            kernel: String::new(),
            file: String::new(),
            line: 1,
            inner: None,
            own: frontend::own::UserFolders::default(),
            direction,
            bytes,
            block: [0; 3],
            thread: [0; 3],
            call: Some("cudaMemcpy".into()),
            side: Some(CopySide { offset, extent }),
        }
    }

    const LINES: &str = "unknown cudaMemcpy write 0x7ffd10\nbad cudaMemcpy read host live 0x5600 0 48 24\n\
        bad cudaMemcpy read device freed 0x7f00 0 128 128\nbad cudaMemset write device live 0x7f00 0 8 4\nbad cud";

    #[test]
    fn only_the_same_call_side_and_extent_confirm() {
        let good = expected(Rule::MemcpyOutOfBounds, Direction::Read, 48, 0, 24);
        assert_eq!(
            judge(&good, LINES),
            Some(RunVerdict::Confirmed(
                "`cudaMemcpy` reads 48 bytes at 0x5600, byte 0 of 24 of memory of the host".into()
            ))
        );
        // A witness may name one row of several.
        let row = expected(Rule::MemcpyOutOfBounds, Direction::Read, 4, 24, 24);
        assert!(matches!(judge(&row, LINES), Some(RunVerdict::Confirmed(_))));
        for other in [
            expected(Rule::MemcpyOutOfBounds, Direction::Read, 48, 0, 32),
            expected(Rule::MemcpyOutOfBounds, Direction::Read, 64, 0, 24),
            expected(Rule::MemcpyOutOfBounds, Direction::Read, 48, -8, 24),
        ] {
            let Some(RunVerdict::Inconclusive(why)) = judge(&other, LINES) else { panic!("{other:?}") };
            assert!(why.starts_with("`cudaMemcpy` reads 48 bytes at 0x5600, byte 0 of 24"), "{why}");
        }
        let unknown = expected(Rule::MemcpyOutOfBounds, Direction::Write, 48, 0, 24);
        assert!(
            matches!(judge(&unknown, LINES), Some(RunVerdict::Inconclusive(why)) if why.contains("a local host variable"))
        );
        let none = Expected { call: Some("cudaMemset2D".into()), ..good };
        assert_eq!(judge(&none, LINES), None);
    }

    #[test]
    fn what_was_freed_is_another_fault() {
        let freed = expected(Rule::UseAfterFree, Direction::Read, 128, 0, 128);
        let Some(RunVerdict::Confirmed(detail)) = judge(&freed, LINES) else { panic!() };
        assert!(detail.ends_with("of memory of the device that was freed"), "{detail}");
        assert_eq!(judge(&Expected { direction: Direction::Write, ..freed }, "bad cudaMemcpy write"), None);
        assert_eq!(WrongSide::read("bad cudaMemset write device live 0x7f00 0 8"), None);
    }
}
