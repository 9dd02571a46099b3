//! Entries of a remote cache, and what its helper answers.
//!
//! Input: a byte that chooses the reader, then its bytes.

#![no_main]

use files::store;
use libfuzzer_sys::fuzz_target;
use remote::TeamKey;
use remote::protocol::{self, HelperAnswer, Order, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn frames<T: Serialize + DeserializeOwned>(mut bytes: &[u8]) {
    while let Ok(value) = protocol::read::<T>(&mut bytes) {
        let mut stream = Vec::new();
        protocol::write(&mut stream, &value).expect("a value that was read");
        let again: T = protocol::read(&mut stream.as_slice()).expect("a frame that was written");
        let mut second = Vec::new();
        protocol::write(&mut second, &again).expect("a value that was read");
        assert!(second == stream);
    }
}

/// A frame of these bytes.
fn frame(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).expect("inputs are short").to_le_bytes(), bytes].concat()
}

fn entries(bytes: &[u8]) {
    let key = TeamKey::of("the key of the fuzzed team").expect("a key");
    let name = "readings/00";
    // Nobody signs by chance.
    assert!(key.open(name, bytes).is_err());
    let sealed = key.seal(name, bytes);
    assert_eq!(key.open(name, &sealed), Ok(bytes));
    assert!(key.open("readings/01", &sealed).is_err());
    let at = bytes.iter().fold(bytes.len(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)))
        % sealed.len();
    let mut changed = sealed.clone();
    changed[at] ^= bytes.first().copied().filter(|&bit| bit != 0).unwrap_or(1);
    assert!(key.open(name, &changed).is_err(), "byte {at}");
    assert!(key.open(name, &sealed[..at]).is_err(), "{at} bytes");
    let _ = store::unpack::<Vec<u8>>(bytes);
}

fuzz_target!(|data: &[u8]| {
    let Some((&kind, bytes)) = data.split_first() else { return };
    match kind % 5 {
        0 => frames::<HelperAnswer>(&frame(bytes)),
        1 => frames::<Order>(&frame(bytes)),
        2 => frames::<Request>(&frame(bytes)),
        3 => frames::<HelperAnswer>(bytes),
        _ => entries(bytes),
    }
});
