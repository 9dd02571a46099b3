//! Sends the entries of an outbox, several at a time, and removes those that the store has.

use crate::target::Target;
use remote::{CacheState, Outbox, RemoteError, RemoteFolder};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longest time for one entry.
const LONGEST: Duration = Duration::from_secs(30);
/// Number of entries on their way at a time.
const AT_ONCE: usize = 8;

/// End of an attempt to send an entry.
enum SendOutcome {
    Sent,
    /// Entry that another process has removed, or that cannot be read.
    Gone,
    /// The store refuses entries: it is still asked for some.
    Refused(String),
    /// The store does not answer.
    Failed(String),
}

/// Sends the entries in the outbox of a remote cache's folder, until none waits.
pub(crate) async fn send(target: Target, folder: &Path) {
    let (outbox, folder) = (Outbox::new(folder), RemoteFolder::at(folder));
    // An entry that comes after the last look is seen in the next round: its process looked for a sender after it had
    // added the entry.
    while !outbox.is_empty() {
        let Some(_alone) = outbox.sender() else { return };
        // What cannot be read or removed waits for ever.
        if !matches!(send_all(&target, &outbox, &folder).await, Ok(1..)) {
            return;
        }
    }
}

/// Sends the entries that wait now; returns how many the store has taken.
///
/// # Errors
/// If the store fails: no other entry is tried.
async fn send_all(target: &Target, outbox: &Outbox, folder: &RemoteFolder) -> Result<u64, ()> {
    let mut waiting = outbox.waiting().into_iter();
    let mut sent = 0;
    let mut tasks = JoinSet::new();
    for (name, path) in waiting.by_ref().take(AT_ONCE) {
        tasks.spawn(send_one(target.clone(), name, path));
    }
    while let Some(done) = tasks.join_next().await {
        match done.unwrap_or_else(|e| SendOutcome::Failed(e.to_string())) {
            SendOutcome::Sent => {
                sent += 1;
                folder.count(CacheState { sent: 1, ..CacheState::default() });
            }
            SendOutcome::Gone => {}
            SendOutcome::Refused(why) => {
                note(folder, &why);
                // Later entries would be refused as well, and wait for ever.
                outbox.waiting().iter().for_each(|(_, path)| drop(std::fs::remove_file(path)));
                return Err(());
            }
            SendOutcome::Failed(why) => {
                note(folder, &why);
                folder.fail(None, &why);
                return Err(());
            }
        }
        if let Some((name, path)) = waiting.next() {
            tasks.spawn(send_one(target.clone(), name, path));
        }
    }
    Ok(sent)
}

async fn send_one(target: Target, name: String, path: PathBuf) -> SendOutcome {
    let Ok(bytes) = std::fs::read(&path) else { return SendOutcome::Gone };
    match timeout(LONGEST, target.write(&name, bytes)).await {
        Ok(Ok(())) => {
            let _ = std::fs::remove_file(&path);
            SendOutcome::Sent
        }
        Ok(Err(e)) if e.is_refusal => SendOutcome::Refused(e.why),
        Ok(Err(e)) => SendOutcome::Failed(e.why),
        Err(_) => SendOutcome::Failed(format!("an entry was not stored within {} s", LONGEST.as_secs())),
    }
}

fn note(folder: &RemoteFolder, why: &str) {
    folder.count(CacheState { last_error: Some(RemoteError::of_sender(why)), ..CacheState::default() });
}
