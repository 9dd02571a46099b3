//! The remote cache of one process.

use crate::connection::{Connection, lock};
use crate::protocol::{self, HelperTask, Order, StoreAnswer};
use crate::state::now;
use crate::{CacheState, KEY_VARIABLE, Outbox, RemoteError, RemoteFolder, TeamKey};
use base::background;
use base::remote_url::RemoteUrl;
use files::SharedEntries;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Name of the helper program, which lies beside `scuba`.
pub const HELPER: &str = "scuba-cache-remote";

/// Settings of a remote cache.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    pub url: RemoteUrl,
    pub key: TeamKey,
    /// Whether entries are sent to the store.
    pub upload: bool,
    /// Longest wait for an answer.
    pub wait: Duration,
    /// Path of the helper program.
    pub helper: PathBuf,
    /// Id of the build that this process is part of.
    pub build: Option<String>,
}

/// Trouble with the store, for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTrouble {
    /// Line for users.
    pub line: String,
    /// Identifies the failure: commands that leave the store alone for it give the same line.
    pub key: String,
    /// Whether this process met it; otherwise an earlier one did, and this process did not ask.
    pub is_new: bool,
}

/// Waits for answers of a store, so far.
#[derive(Clone, Copy, Debug, Default)]
struct StoreWaits {
    answers: u32,
    waited: Duration,
}

impl StoreWaits {
    /// Returns the failure of a store that answers, and so slowly that a build is better off without it: beyond one
    /// whole wait, an answer may take a tenth of it on average.
    fn too_long(self, wait: Duration) -> Option<String> {
        let Self { answers, waited } = self;
        let is_slow = waited > wait + wait / 10 * answers;
        is_slow.then(|| format!("slow: {answers} answers took {} ms", waited.as_millis()))
    }
}

/// Remote cache.
#[derive(Debug)]
pub struct RemoteCache {
    settings: RemoteSettings,
    folder: RemoteFolder,
    /// Seconds since 1970.
    opened: u64,
    connection: Mutex<Option<Arc<Connection>>>,
    waits: Mutex<StoreWaits>,
    counts: Mutex<CacheState>,
    trouble: Mutex<Option<StoreTrouble>>,
    /// Helper that sends entries in the background.
    sender: Mutex<Option<Child>>,
}

impl RemoteCache {
    /// Opens a remote cache beside a local one; the store is not asked yet.
    #[must_use]
    pub fn new(cache: &Path, settings: RemoteSettings) -> Self {
        let folder = RemoteFolder::new(cache, &settings.url);
        let earlier = folder.failure(settings.build.as_deref()).map(|failure| StoreTrouble {
            line: trouble_line(&settings.url, &failure.why),
            key: format!("remote cache {} {}", folder.path().display(), failure.at),
            is_new: false,
        });
        Self {
            settings,
            folder,
            opened: now(),
            connection: Mutex::default(),
            waits: Mutex::default(),
            counts: Mutex::default(),
            trouble: Mutex::new(earlier),
            sender: Mutex::default(),
        }
    }

    /// Returns the trouble with the store, if any.
    #[must_use]
    pub fn trouble(&self) -> Option<StoreTrouble> {
        lock(&self.trouble).clone()
    }

    /// Returns one line about the entries that this process refused, if any.
    #[must_use]
    pub fn refusals(&self) -> Option<String> {
        let counts = lock(&self.counts);
        let last = counts.last_refusal.as_ref()?;
        let entries = if counts.refused == 1 { "1 entry".to_owned() } else { format!("{} entries", counts.refused) };
        Some(format!("remote cache {}: {entries} refused: {last}", self.settings.url))
    }

    /// Records counts, and starts to send the waiting entries in the background.
    pub fn finish(&self) {
        self.folder.count(std::mem::take(&mut lock(&self.counts)));
        let outbox = Outbox::new(self.folder.path());
        if self.settings.upload && self.trouble().is_none() && !outbox.is_empty() && outbox.sender().is_some() {
            *lock(&self.sender) = self.send().ok();
        }
    }

    /// Waits until all entries are sent, their sender ends, or the time is over. Trouble of the sender is trouble of this
    /// process.
    pub fn wait_until_sent(&self, at_most: Duration) {
        self.wait(at_most);
        // Failures of others that asked are told by these.
        let error = self.folder.state().last_error.filter(|error| error.sending && error.at >= self.opened);
        let Some(error) = error else { return };
        lock(&self.trouble).get_or_insert_with(|| StoreTrouble {
            line: format!("remote cache {}: {}", self.settings.url, error.why),
            key: format!("remote cache {} {}", self.folder.path().display(), error.at),
            is_new: true,
        });
    }

    fn wait(&self, at_most: Duration) {
        let outbox = Outbox::new(self.folder.path());
        let start = Instant::now();
        while start.elapsed() < at_most && !outbox.is_empty() {
            let ours = lock(&self.sender).as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)));
            if !ours && outbox.sender().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn send(&self) -> std::io::Result<Child> {
        let mut command = Command::new(&self.settings.helper);
        // A build waits until its streams are closed, and a jobserver's pipe is the build's.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env_remove("MAKEFLAGS").env_remove(KEY_VARIABLE);
        background::detach(&mut command);
        let mut child = command.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            let task = HelperTask::Send { folder: self.folder.path().to_owned() };
            protocol::write(&mut input, &Order { url: self.settings.url.with_secrets().to_owned(), task })?;
        }
        Ok(child)
    }

    /// Asks the helper, which is started by the first request of this process.
    fn ask(&self, name: &str) -> StoreAnswer {
        let connection = {
            let mut connection = lock(&self.connection);
            if connection.is_none() {
                match Connection::start(&self.settings.helper, &self.settings.url) {
                    Ok(started) => *connection = Some(Arc::new(started)),
                    Err(e) => return StoreAnswer::Failed(format!("{HELPER} cannot be started ({e})")),
                }
            }
            connection.clone()
        };
        connection.map_or(StoreAnswer::Missing, |connection| connection.ask(name, self.settings.wait))
    }

    /// Leaves the store alone from now on, in this process and in others.
    fn fail(&self, why: &str) {
        let mut trouble = lock(&self.trouble);
        if trouble.is_some() {
            return;
        }
        let at = self.folder.fail(self.settings.build.as_deref(), why);
        *trouble = Some(StoreTrouble {
            line: trouble_line(&self.settings.url, why),
            key: format!("remote cache {} {at}", self.folder.path().display()),
            is_new: true,
        });
        lock(&self.counts).last_error = Some(RemoteError { at, why: why.to_owned(), sending: false });
        lock(&self.connection).take();
    }
}

impl Drop for RemoteCache {
    fn drop(&mut self) {
        self.finish();
    }
}

impl SharedEntries for RemoteCache {
    fn fetch(&self, name: &str) -> Option<Vec<u8>> {
        if self.trouble().is_some() {
            return None;
        }
        let start = Instant::now();
        let answer = self.ask(name);
        let slow = {
            let mut waits = lock(&self.waits);
            *waits = StoreWaits { answers: waits.answers + 1, waited: waits.waited + start.elapsed() };
            waits.too_long(self.settings.wait)
        };
        // The answer counts, even if it is the last one.
        if let Some(why) = slow.filter(|_| !matches!(answer, StoreAnswer::Failed(_))) {
            self.fail(&why);
        }
        let sealed = match answer {
            StoreAnswer::Entry(sealed) => sealed,
            StoreAnswer::Missing => {
                lock(&self.counts).misses += 1;
                return None;
            }
            StoreAnswer::Failed(why) => {
                self.fail(&why);
                return None;
            }
        };
        let mut counts = lock(&self.counts);
        match self.settings.key.open(name, &sealed) {
            Ok(entry) => {
                counts.hits += 1;
                Some(entry.to_vec())
            }
            Err(why) => {
                counts.refused += 1;
                counts.last_refusal = Some(format!("{name}: {why}"));
                None
            }
        }
    }

    fn count_as_miss(&self) {
        let mut counts = lock(&self.counts);
        counts.misses += 1;
        counts.hits = counts.hits.saturating_sub(1);
    }

    fn share(&self, name: &str, entry: &[u8]) {
        // A store that is left alone gets nothing: what would wait for it could grow without end.
        if self.settings.upload && self.trouble().is_none() {
            Outbox::new(self.folder.path()).add(name, &self.settings.key.seal(name, entry));
        }
    }
}

fn trouble_line(url: &RemoteUrl, why: &str) -> String {
    format!("remote cache {url}: {why}; only the local cache is used")
}

#[cfg(test)]
mod tests {
    use super::StoreWaits;
    use std::time::Duration;

    #[test]
    fn a_store_that_answers_slowly_is_too_slow_in_the_end() {
        let wait = Duration::from_secs(3);
        let of =
            |answers, milliseconds| StoreWaits { answers, waited: Duration::from_millis(milliseconds) }.too_long(wait);
        // A slow start, and many quick answers.
        assert_eq!((of(1, 2900), of(1000, 1000 * 299)), (None, None));
        assert_eq!(of(3, 3901), Some("slow: 3 answers took 3901 ms".into()));
        assert!(of(1000, 1000 * 304).is_some());
    }
}
