//! Bundles of `scuba confirm`, their results, and what Compute Sanitizer wrote.
//!
//! Input: a byte that chooses the reader, then the file.

#![no_main]

use confirm::manifest::{FILE, ManifestError};
use confirm::record::Records;
use confirm::{Manifest, bundle};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&kind, bytes)) = data.split_first() else { return };
    let folder = scuba_fuzz::folder();
    match kind % 4 {
        0 => {
            std::fs::write(folder.join(FILE), bytes).expect("a file in memory");
            match Manifest::load(&folder) {
                Ok(manifest) => {
                    let text = manifest.render().expect("a manifest that was read");
                    std::fs::write(folder.join(FILE), text).expect("a file in memory");
                    let again = Manifest::load(&folder).expect("a manifest that was written");
                    assert_eq!(format!("{manifest:?}"), format!("{again:?}"));
                }
                Err(e @ (ManifestError::Read { .. } | ManifestError::Parse { .. } | ManifestError::Schema { .. })) => {
                    assert!(e.to_string().contains(FILE));
                }
            }
        }
        1 => {
            std::fs::write(folder.join("results.json"), bytes).expect("a file in memory");
            if let Ok(Some(outcomes)) = bundle::results(&folder) {
                bundle::write_results(&folder, &outcomes).expect("a file in memory");
                assert_eq!(bundle::results(&folder).expect("results that were written"), Some(outcomes));
            }
        }
        2 => {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(Records::parse(&text), Records::parse(&text));
        }
        _ => {
            let _ = Records::parse_text(&String::from_utf8_lossy(bytes));
        }
    }
});
