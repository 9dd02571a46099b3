//! Documents of earlier runs: those that `scuba merge` joins, and the kept report of an editor.

#![no_main]

use libfuzzer_sys::fuzz_target;
use report::kept::KeptReport;
use report::shard::{self, ShardPart};

fuzz_target!(|data: &[u8]| {
    if let Some(kept) = KeptReport::read(data) {
        for file in kept.files() {
            assert!(kept.checked(file).is_some() || kept.files().count() == 0);
            let _ = kept.has_changed(file, "");
        }
        let text = serde_json::to_string(&kept).expect("a report that was read");
        let again = KeptReport::read(text.as_bytes()).expect("a report that was written");
        assert_eq!(serde_json::to_string(&again).expect("a report"), text);
    }
    let Ok(part) = serde_json::from_slice::<ShardPart>(data) else { return };
    let text = serde_json::to_string(&part).expect("a part that was read");
    assert_eq!(serde_json::from_str::<ShardPart>(&text).ok().as_ref(), Some(&part), "{text}");
    let one = shard::merge(vec![("a.json".into(), part.clone())]);
    assert_eq!(one.is_ok(), part.shard.of == 1, "{one:?}");
    assert!(shard::merge(vec![("a.json".into(), part.clone()), ("b.json".into(), part)]).is_err());
});
