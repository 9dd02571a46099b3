//! Connection to a helper that answers requests.

use crate::KEY_VARIABLE;
use crate::protocol::{self, HelperAnswer, HelperTask, Order, Request, StoreAnswer};
use base::remote_url::RemoteUrl;
use std::collections::HashMap;
use std::io::{self, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Callers that wait, by the numbers of their requests; `None`: the helper has ended.
type WaitingCallers = Arc<Mutex<Option<HashMap<u64, Sender<StoreAnswer>>>>>;

/// Running helper. It ends with this value.
#[derive(Debug)]
pub(crate) struct Connection {
    helper: Mutex<Child>,
    input: Mutex<(ChildStdin, u64)>,
    waiting: WaitingCallers,
}

impl Connection {
    /// Starts a helper.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(program: &Path, url: &RemoteUrl) -> io::Result<Self> {
        let mut helper = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Libraries there may write anything.
            .stderr(Stdio::null())
            .env_remove(KEY_VARIABLE)
            .spawn()?;
        let (Some(mut input), Some(output)) = (helper.stdin.take(), helper.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let waiting = WaitingCallers::new(Mutex::new(Some(HashMap::new())));
        protocol::write(&mut input, &Order { url: url.with_secrets().to_owned(), task: HelperTask::Serve })?;
        let for_reader = waiting.clone();
        std::thread::spawn(move || distribute(output, &for_reader));
        Ok(Self { helper: Mutex::new(helper), input: Mutex::new((input, 0)), waiting })
    }

    /// Asks for an entry, and waits for the answer for at most `longest`.
    pub fn ask(&self, name: &str, longest: Duration) -> StoreAnswer {
        let (sender, answer) = channel();
        let id = {
            let mut input = lock(&self.input);
            let id = input.1;
            input.1 += 1;
            if let Some(waiting) = lock(&self.waiting).as_mut() {
                waiting.insert(id, sender);
            }
            if protocol::write(&mut input.0, &Request { id, name: name.to_owned() }).is_err() {
                return StoreAnswer::Failed(ENDED.into());
            }
            id
        };
        let answer = answer.recv_timeout(longest);
        if let Some(waiting) = lock(&self.waiting).as_mut() {
            waiting.remove(&id);
        }
        answer.unwrap_or_else(|why| match why {
            RecvTimeoutError::Timeout => StoreAnswer::Failed(format!("no answer within {} ms", longest.as_millis())),
            RecvTimeoutError::Disconnected => StoreAnswer::Failed(ENDED.into()),
        })
    }
}

/// Failure of a helper that ended.
const ENDED: &str = "the helper scuba-cache-remote ended";

impl Drop for Connection {
    fn drop(&mut self) {
        // It holds nothing that must be completed.
        let mut helper = lock(&self.helper);
        let _ = helper.kill();
        let _ = helper.wait();
    }
}

/// Gives each answer to its caller, until the helper ends.
fn distribute(output: ChildStdout, waiting: &Mutex<Option<HashMap<u64, Sender<StoreAnswer>>>>) {
    let mut output = BufReader::new(output);
    while let Ok(answer) = protocol::read::<HelperAnswer>(&mut output) {
        let caller = lock(waiting).as_mut().and_then(|callers| callers.remove(&answer.id));
        if let Some(caller) = caller {
            // A caller that waits no more needs no answer.
            let _ = caller.send(answer.found);
        }
    }
    // Drops the senders: their callers wait for nothing.
    lock(waiting).take();
}

pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
