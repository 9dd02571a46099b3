//! Remote cache: entries of the content store, shared by machines through a store on a network.
//!
//! In: names of entries, the key of a team, the URL of a store. Out: entries that this key has signed under these names.
//! The helper `scuba-cache-remote` speaks to the store; it never gets the key. Trouble of the store costs one line and a
//! bounded wait: after the first failure this process and the next ones leave the store alone for a while.

mod cache;
mod connection;
mod key;
mod outbox;
pub mod protocol;
mod state;

pub use cache::{HELPER, RemoteCache, RemoteSettings, StoreTrouble};
pub use key::{KEY_VARIABLE, TeamKey};
pub use outbox::Outbox;
pub use state::{CacheState, RemoteError, RemoteFolder};
