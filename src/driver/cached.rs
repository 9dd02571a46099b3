//! Checks whose outcome is known from before.
//!
//! In: the code of one program and the options of its check. Out: its report, kept under all that it depends on: the code of its
//! units in their order, options and axioms, this program and Z3.

use super::analysis::{self, Fault};
use crate::check::{self, Options, ProgramReport};
use crate::facts::verdicts::Verdicts;
use crate::ir::Module;
use crate::report::finding::Sites;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// Seconds of a check below which no search in it can have been cut off.
const UNHURRIED: f64 = 0.3;

/// A report as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    report: ProgramReport,
    /// How long its check might have taken, where more time might have said more.
    hurried: Option<u32>,
    /// Of each finding's witness: no part of a finding's own document.
    sites: Vec<Option<Sites>>,
}

/// Checks a program, or takes what an earlier check said of it. `codes` are the hashes of its units' code, in their order;
/// `memory` is what the process may take, in bytes.
///
/// # Errors
/// As [`analysis::check_program`].
pub fn check_program(modules: Vec<Arc<Module>>, codes: &[[u8; 32]], options: &Options, memory: u64, verdicts: Option<&Verdicts>) -> Result<ProgramReport, Fault> {
    let Some((verdicts, key)) = verdicts.and_then(|v| Some((v, key(codes, options, memory)?))) else { return analysis::check_program(modules, options) };
    if let Some(known) = verdicts.get(&key).and_then(|text| unpack(&text, options.seconds)) { return Ok(known); }
    let report = analysis::check_program(modules, options)?;
    let open = report.summary.unknown + report.summary.safe_if_no_wrap > 0;
    let hurried = (open && report.summary.seconds > UNHURRIED).then_some(options.seconds);
    if let Some(text) = pack(&report, hurried) { verdicts.put(&key, hurried.is_some(), &text); }
    Ok(report)
}

/// `None` where this program cannot be told from another version of itself.
fn key(codes: &[[u8; 32]], options: &Options, memory: u64) -> Option<[u8; 32]> {
    let program = std::env::current_exe().and_then(|p| p.metadata()).ok()?;
    // Neither changes what is true.
    let options = Options { seconds: 0, jobs: 0, ..options.clone() };
    let rest = format!("{} {} {} {} {} {memory} {options:?}", env!("CARGO_PKG_VERSION"), program.size(), program.mtime(), program.mtime_nsec(), check::z3_version());
    let mut hasher = blake3::Hasher::new();
    for code in codes { hasher.update(code); }
    hasher.update(rest.as_bytes());
    Some(*hasher.finalize().as_bytes())
}

fn pack(report: &ProgramReport, hurried: Option<u32>) -> Option<String> {
    let sites = report.findings.iter().map(|f| f.witness.as_ref().and_then(|w| w.sites.clone())).collect();
    serde_json::to_string(&Kept { report: report.clone(), hurried, sites }).ok()
}

/// The report, unless a check that may take so many seconds might say more.
fn unpack(text: &str, seconds: u32) -> Option<ProgramReport> {
    let mut kept: Kept = serde_json::from_str(text).ok()?;
    // A second or two have passed in the same shim before its check.
    if kept.hurried.is_some_and(|had| had + had / 10 + 2 < seconds) { return None; }
    if kept.sites.len() != kept.report.findings.len() { return None; }
    for (finding, sites) in kept.report.findings.iter_mut().zip(kept.sites) {
        if let Some(witness) = &mut finding.witness { witness.sites = sites; }
    }
    Some(kept.report)
}

#[cfg(test)]
mod tests {
    use super::{Options, key, pack, unpack};
    use crate::check::ProgramReport;
    use crate::report::finding::Sites;
    use crate::report::samples::finding;

    #[test]
    fn a_report_comes_back_with_the_sites_of_its_witnesses() {
        let sites = Sites { root: [0, 1], access: [1, 2, 3, 4], callers: vec![[1, 0, 0, 9]], launch: None, part: None };
        let mut found = finding();
        if let Some(witness) = &mut found.witness { witness.sites = Some(sites); }
        let report = ProgramReport { findings: vec![found, finding()], notes: vec!["n".into()], ..ProgramReport::default() };
        let back = unpack(&pack(&report, None).unwrap(), 60).unwrap();
        assert_eq!(back.findings, report.findings);
        assert_eq!(back.notes, report.notes);
        assert!(unpack("{", 60).is_none());
        let hurried = pack(&report, Some(20)).unwrap();
        assert!(unpack(&hurried, 19).is_some() && unpack(&hurried, 60).is_none(), "with more time more may be said");
    }

    #[test]
    fn a_key_stands_for_code_and_limits_and_not_for_haste() {
        let options = Options::default();
        let of = |codes: &[[u8; 32]], options: &Options| key(codes, options, 1 << 30).unwrap();
        let usual = of(&[[1; 32], [2; 32]], &options);
        assert_eq!(usual, of(&[[1; 32], [2; 32]], &Options { seconds: 3, jobs: 7, ..options.clone() }));
        assert_ne!(usual, of(&[[2; 32], [1; 32]], &options));
        assert_ne!(usual, of(&[[1; 32], [2; 32]], &Options { solver_ms: 1, ..options.clone() }));
        assert_ne!(usual, of(&[[1; 32], [2; 32]], &Options { roots: vec!["f".into()], ..options.clone() }));
        assert_ne!(usual, key(&[[1; 32], [2; 32]], &options, 1).unwrap());
    }
}
