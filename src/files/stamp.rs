//! File states as the file system reports them, and the clock of their times.

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

const NANOSECONDS: i128 = 1_000_000_000;
/// Nanoseconds between two times of a file system that stores whole seconds. FAT stores even seconds only.
const COARSEST: i128 = 2 * NANOSECONDS;

/// A moment since 1970 by the clock that file systems take times from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileTime {
    seconds: i64,
    nanoseconds: u32,
}

impl FileTime {
    /// The present moment.
    ///
    /// Linux stamps a changed file with the time of the clock's last tick (`current_time()` in `fs/inode.c`; user space
    /// knows that clock as `CLOCK_REALTIME_COARSE`). If the time was queried before, Linux may use a finer, later time
    /// (Documentation/filesystems/multigrain-ts.rst, since 6.13). A change after this call never has an earlier time
    /// than the returned one.
    #[must_use]
    pub fn now() -> Self {
        let now = clock_gettime(ClockId::RealtimeCoarse);
        Self::of(now.tv_sec, now.tv_nsec)
    }

    /// Converts a time of the finer clock, which files may have as well.
    #[cfg(test)]
    pub(super) fn at(time: std::time::SystemTime) -> Self {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanoseconds: since.subsec_nanos() }
    }

    fn of(seconds: i64, nanoseconds: i64) -> Self {
        Self { seconds, nanoseconds: u32::try_from(nanoseconds).unwrap_or(0) }
    }

    /// Whether this moment is too early for one that is so much later than `start`: the clock was set back in between.
    pub(super) fn is_behind(self, start: FileTime, elapsed: Duration) -> bool {
        /// Ticks of the clock.
        const SLACK: i128 = NANOSECONDS / 10;
        let elapsed = i128::try_from(elapsed.as_nanos()).unwrap_or(i128::MAX / 2);
        // A clock that is adjusted gradually loses at most half a millisecond in each second (adjtimex(2)).
        self.since_1970() + SLACK + elapsed / 1000 < start.since_1970() + elapsed
    }

    fn since_1970(self) -> i128 {
        i128::from(self.seconds) * NANOSECONDS + i128::from(self.nanoseconds)
    }

    /// Nanoseconds by which the file system may have truncated a time: one that stores milliseconds stores times that
    /// end in zeros.
    fn cut_off(self) -> i128 {
        match self.nanoseconds {
            0 => COARSEST,
            n => i128::from(10_u32.pow(trailing_zeros(n))),
        }
    }

    pub(super) fn is_whole_seconds(self) -> bool {
        self.nanoseconds == 0
    }
}

/// Number of trailing zeros in the decimal digits of an integer.
fn trailing_zeros(mut number: u32) -> u32 {
    let mut zeros = 0;
    while number > 0 && number.is_multiple_of(10) {
        number /= 10;
        zeros += 1;
    }
    zeros
}

/// State of a file. Equal states mean equal contents, except in the case that [`Self::is_older_than`] describes.
///
/// No program can set the time of the last change (`st_ctim`, inode(7)): `cp -p`, `rsync -t`, `touch -r` and archivers
/// set the other times, which changes this one. A different file under the same name has a different inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    pub(super) modified: FileTime,
    pub(super) changed: FileTime,
    pub(super) inode: u64,
    pub(super) device: u64,
}

impl Stamp {
    /// Returns the state of a file, through symbolic links; `None` if there is none.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        Some(Self::of(&path.metadata().ok()?))
    }

    #[must_use]
    pub fn of(status: &Metadata) -> Self {
        Self {
            size: status.size(),
            modified: FileTime::of(status.mtime(), status.mtime_nsec()),
            changed: FileTime::of(status.ctime(), status.ctime_nsec()),
            inode: status.ino(),
            device: status.dev(),
        }
    }

    /// Whether the file was last changed before `moment`. A file that changed in one tick of the clock may change again
    /// within it and keep the same state: git calls such an index entry racy, and reads the file.
    #[must_use]
    pub fn is_older_than(&self, moment: FileTime) -> bool {
        self.changed.since_1970() + self.changed.cut_off() - 1 < moment.since_1970()
    }

    /// Whether the file may have changed at `moment` or later.
    #[must_use]
    pub fn changed_since(&self, moment: FileTime) -> bool {
        !self.is_older_than(moment)
    }

    /// Whether a folder was renamed, or its mode changed, at `moment` or later. An added or removed entry changes both
    /// times.
    pub(super) fn was_renamed_since(&self, moment: FileTime) -> bool {
        self.changed_since(moment) && self.modified < self.changed && self.modified < moment
    }

    /// Identity of the file in this state: its device and inode.
    #[must_use]
    pub fn file(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

#[cfg(test)]
mod tests {
    use super::{COARSEST, FileTime, Stamp};
    use std::path::Path;

    fn moment(seconds: i64, nanoseconds: i64) -> FileTime {
        FileTime::of(seconds, nanoseconds)
    }

    #[test]
    fn times_that_end_in_zeros_may_be_cut_off() {
        for (nanoseconds, wanted) in [
            (123_456_789, 1),
            (1, 1),
            (123_456_700, 100),
            (123_000_000, 1_000_000),
            (500_000_000, 100_000_000),
            (0, COARSEST),
        ] {
            assert_eq!(moment(7, nanoseconds).cut_off(), wanted, "{nanoseconds}");
        }
    }

    #[test]
    fn a_file_is_older_than_a_moment_only_if_it_must_be() {
        let at = |changed: FileTime| Stamp { size: 1, modified: moment(1, 0), changed, inode: 1, device: 1 };
        let started = moment(100, 4_000_001);
        assert!(at(moment(100, 3_999_999)).is_older_than(started));
        assert!(!at(started).is_older_than(started), "the same tick");
        assert!(!at(moment(100, 4_000_000)).is_older_than(started), "it may be of any moment of a millisecond");
        assert!(!at(moment(99, 0)).is_older_than(started), "and of any of two seconds");
        assert!(at(moment(98, 0)).is_older_than(started));
        assert!(!at(moment(200, 0)).is_older_than(started), "the clock was set back");
    }

    #[test]
    fn what_is_written_from_now_on_is_not_older_than_now() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for _ in 0..200 {
            let now = FileTime::now();
            std::fs::write(&path, "text").unwrap();
            assert!(Stamp::at(&path).unwrap().changed_since(now));
        }
        assert_eq!(Stamp::at(Path::new("/no/such")), None);
    }
}
