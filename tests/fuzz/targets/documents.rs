//! Documents of earlier runs: those that `scuba merge` joins, and the kept report of an editor. Both become reports.

#![no_main]

use config::Config;
use finding::paths::ProjectRoot;
use finding::sources::SourceFiles;
use finding::{Axioms, ReportTool};
use libfuzzer_sys::fuzz_target;
use report::assemble::{Assembled, Policy, assemble};
use report::kept::KeptReport;
use report::levels::Levels;
use report::render::{MessageFormat, Style, Verbosity, render};
use report::shard::{self, MergedShards, ShardPart};
use serde_json::Value;

const FORMATS: [MessageFormat; 7] = [
    MessageFormat::Human,
    MessageFormat::Short,
    MessageFormat::Json,
    MessageFormat::Sarif,
    MessageFormat::Github,
    MessageFormat::Gitlab,
    MessageFormat::Junit,
];

/// Each format can be written, and those in JSON are JSON.
fn rendered(assembled: &Assembled, sources: &SourceFiles) {
    for format in FORMATS {
        let mut out = Vec::new();
        let style = Style { colour: false, verbosity: Verbosity::Verbose, summary: true };
        render(assembled, format, style, sources, &mut out).expect("memory takes it");
        let text = String::from_utf8(out).expect("reports are text");
        if matches!(format, MessageFormat::Json | MessageFormat::Sarif | MessageFormat::Gitlab) {
            serde_json::from_str::<Value>(&text).unwrap_or_else(|e| panic!("{format:?} is no JSON: {e}\n{text}"));
        }
    }
}

fn reported(merged: MergedShards) {
    let root = ProjectRoot::new("/nonexistent".into());
    let (config, levels) = (Config::default(), Levels::default());
    let policy = Policy { config: &config, levels: &levels, root: &root, baseline: None };
    let tool = ReportTool {
        version: "0".into(),
        z3: "0".into(),
        frontend: merged.found.frontend(),
        axioms: Axioms { device_memory: 192 << 30 },
    };
    let sources = SourceFiles::new(root.clone());
    let assembled = assemble(merged.found, tool, &policy, &sources);
    rendered(&assembled, &sources);
}

fuzz_target!(|data: &[u8]| {
    if let Some(kept) = KeptReport::read(data) {
        for file in kept.files() {
            assert!(kept.checked(file).is_some(), "{file}");
            let _ = kept.has_changed(file, "");
        }
        let text = serde_json::to_string(&kept).expect("a report that was read");
        let again = KeptReport::read(text.as_bytes()).expect("a report that was written");
        assert_eq!(serde_json::to_string(&again).expect("a report"), text);
        let sources = SourceFiles::new(ProjectRoot::new("/nonexistent".into()));
        rendered(&kept.assembled, &sources);
        report::html::page(&kept, String::new(), &sources).expect("a page");
    }
    let Ok(part) = serde_json::from_slice::<ShardPart>(data) else { return };
    let text = serde_json::to_string(&part).expect("a part that was read");
    assert_eq!(serde_json::from_str::<ShardPart>(&text).ok().as_ref(), Some(&part), "{text}");
    assert!(shard::merge(vec![("a.json".into(), part.clone()), ("b.json".into(), part.clone())]).is_err());
    let shard = (part.shard.index, part.shard.of);
    if let Ok(merged) = shard::merge(vec![("a.json".into(), part)]) {
        assert_eq!(shard, (1, 1));
        reported(merged);
    }
});
