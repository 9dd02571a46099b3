//! Object files and archives that a link takes in.

#![no_main]

use facts::archive;
use facts::objects::ObjectFile;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    if let Some(object) = ObjectFile::parse(data) {
        let all = [&object.symbols.strong, &object.symbols.weak, &object.symbols.needed];
        assert!(all.iter().all(|list| list.is_sorted()));
    }
    for (_, member) in archive::contents(Path::new("/nonexistent/a.a"), data).unwrap_or_default() {
        let _ = ObjectFile::parse(&member);
    }
});
