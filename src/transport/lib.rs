//! The helper of the remote cache, `scuba-cache-remote`: the only program that speaks to a store on a network.
//!
//! In: an order on standard input (`remote::protocol`). Out: answers on standard output, or entries in the store. It knows
//! no key: it carries signed bytes. It never writes to standard error, which is a build's.

mod sending;
mod serving;
mod target;

use remote::protocol::{self, HelperTask, Order};
use std::process::ExitCode;

/// Main function of the helper.
#[must_use]
pub fn run() -> ExitCode {
    let Ok(order) = protocol::read::<Order>(&mut std::io::stdin().lock()) else { return ExitCode::from(2) };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::from(2);
    };
    let target = target::Target::of(&order.url);
    match order.task {
        HelperTask::Serve => runtime.block_on(serving::serve(target)),
        HelperTask::Send { folder } => runtime.block_on(sending::send(target, &folder)),
    }
    // A request that still runs must not hold up the end.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}
