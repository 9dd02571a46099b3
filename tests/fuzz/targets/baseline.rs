//! Files of a baseline.

#![no_main]

use libfuzzer_sys::fuzz_target;
use report::baseline::{Baseline, BaselineError};

fuzz_target!(|data: &[u8]| {
    let path = scuba_fuzz::folder().join("baseline.json");
    std::fs::write(&path, data).expect("a file in memory");
    match Baseline::load(&path) {
        Ok(baseline) => {
            assert!(baseline.entries().iter().all(|entry| baseline.contains(&entry.fingerprint)));
            baseline.save(&path).expect("a file in memory");
            assert_eq!(Baseline::load(&path).expect("a baseline that was written"), baseline);
        }
        Err(e @ (BaselineError::Parse { .. } | BaselineError::Read { .. })) => {
            assert!(e.to_string().contains("baseline.json"))
        }
        Err(e @ BaselineError::Write { .. }) => panic!("{e}"),
    }
});
