//! `scuba baseline`: accepts the current findings.

use crate::args::BaselineArgs;
use crate::programs::stored;
use crate::{Status, output};
use anyhow::Result;
use report::baseline::{Baseline, BaselineEntry};
use report::levels::Overrides;
use std::fmt::Write as _;

/// Writes the baseline, or reports what writing it would change.
///
/// # Errors
/// If there are no facts, or the baseline cannot be read or written.
pub fn run(args: &BaselineArgs, overrides: Overrides) -> Result<Status> {
    let (mut stored, session) = stored::open_with_session(args.dir.as_deref(), &args.common, &overrides)?;
    stored.refresh(&session);
    let path = session.baseline_path();
    let old = if path.exists() { Baseline::load(&path)? } else { Baseline::default() };
    let checked = stored.check(&session);
    let (assembled, _) = session.assemble(checked.found, checked.frontend);
    session.say_asides(&assembled);
    let new = Baseline::of(assembled.report.findings.iter().chain(&assembled.joined));

    let mut text = String::new();
    let mut list = |sign: char, entries: Vec<&BaselineEntry>| {
        for e in entries {
            let _ = writeln!(text, "{sign} {} {}: {}: `{}[{}]`", e.fingerprint, e.rule, e.file, e.array, e.index);
        }
    };
    list('+', new.entries().iter().filter(|e| !old.contains(&e.fingerprint)).collect());
    list('-', old.entries().iter().filter(|e| !new.contains(&e.fingerprint)).collect());
    let changed = !text.is_empty();
    output::print(&text);
    if args.write {
        new.save(&path)?;
        match new.entries().len() {
            1 => output::complain(&format!("1 finding is in {}", path.display())),
            n => output::complain(&format!("{n} findings are in {}", path.display())),
        }
    } else if changed {
        output::complain(&format!("{} differs as shown; `scuba baseline --write` writes it", path.display()));
    } else {
        output::complain(&format!("{} holds exactly the present findings", path.display()));
    }
    Ok(Status::Clean)
}
