//! Answers requests for entries, several at a time, until the input ends.

use crate::target::Target;
use remote::protocol::{self, HelperAnswer, Request};
use tokio::sync::mpsc::unbounded_channel;

/// Answers the requests on standard input.
pub(crate) async fn serve(target: Target) {
    let (requests, mut asked) = unbounded_channel::<Request>();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Ok(request) = protocol::read::<Request>(&mut input) {
            if requests.send(request).is_err() {
                return;
            }
        }
        // Whoever asked is gone, and with it everybody who waits for an answer.
        std::process::exit(0);
    });
    let (answers, mut found) = unbounded_channel::<HelperAnswer>();
    tokio::spawn(async move {
        while let Some(Request { id, name }) = asked.recv().await {
            let (target, answers) = (target.clone(), answers.clone());
            tokio::spawn(async move {
                let found = target.read(&name).await;
                // The other end is open as long as this function runs.
                let _ = answers.send(HelperAnswer { id, found });
            });
        }
    });
    while let Some(answer) = found.recv().await {
        if protocol::write(&mut std::io::stdout().lock(), &answer).is_err() {
            return;
        }
    }
}
