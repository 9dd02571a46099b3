//! Fact files and packed values, as stores and caches hold them.
//!
//! Input: a byte that chooses the kind, then bytes of a file or of its contents.

#![no_main]

use facts::file::{self, FactKind};
use facts::{LinkFacts, UnitFacts};
use files::store;
use ir::Module;
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// Packs bytes that need not be a value.
fn packed(contents: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress_prepend_size(contents);
    [blake3::hash(&packed).as_bytes().as_slice(), &packed].concat()
}

/// What is read is written, and read again as the same.
fn settles<T: Serialize + DeserializeOwned>(value: &T) {
    let first = store::pack(value).expect("a value that was read");
    let again: T = store::unpack(&first).expect("a value that was written");
    assert!(store::pack(&again).expect("a value that was read") == first);
}

fn contents<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    if let Some(value) = store::unpack::<T>(&packed(bytes)) {
        settles(&value);
    }
}

fn fact_file<H: Serialize + DeserializeOwned, B: Serialize + DeserializeOwned>(kind: FactKind, bytes: &[u8]) {
    let mut source = bytes;
    let Ok(opened) = file::open::<H>(kind, &mut source, bytes.len() as u64) else { return };
    let Ok(body) = opened.body::<B>(&mut source) else { return };
    let written = file::encode(kind, &opened.head, &body).expect("facts that were read");
    let mut source = written.as_slice();
    let opened = file::open::<H>(kind, &mut source, written.len() as u64).expect("facts that were written");
    let body = opened.body::<B>(&mut source).expect("facts that were written");
    assert!(file::encode(kind, &opened.head, &body).expect("facts that were read") == written);
}

fuzz_target!(|data: &[u8]| {
    let Some((&kind, bytes)) = data.split_first() else { return };
    match kind % 7 {
        0 => fact_file::<(PathBuf, UnitFacts), Vec<Module>>(FactKind::Unit, bytes),
        1 => fact_file::<(PathBuf, LinkFacts), ()>(FactKind::Link, bytes),
        2 => contents::<(PathBuf, UnitFacts)>(bytes),
        3 => contents::<(PathBuf, LinkFacts)>(bytes),
        4 => contents::<Vec<Module>>(bytes),
        5 => {
            // A file of this version with these contents as head and body.
            let middle = bytes.len() / 2;
            let mut whole = file::encode(FactKind::Unit, &(), &()).expect("an empty file");
            let sizes = 2 * 8 + 2 * store::pack(&()).expect("nothing").len();
            whole.truncate(whole.len() - sizes);
            let (head, body) = (packed(&bytes[..middle]), packed(&bytes[middle..]));
            whole.extend((head.len() as u64).to_le_bytes());
            whole.extend((body.len() as u64).to_le_bytes());
            whole.extend([head, body].concat());
            fact_file::<(PathBuf, UnitFacts), Vec<Module>>(FactKind::Unit, &whole);
        }
        _ => {
            let _ = (store::unpack::<UnitFacts>(bytes), store::unpack::<Vec<Module>>(bytes));
        }
    }
});
