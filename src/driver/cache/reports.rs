//! Cache of checks, as whole reports or query by query.
//!
//! In: one program and the options of its check. Out: its report. The key covers all that the report depends on: the
//! code of the units in their order (independent of the project's folder), options and axioms, this program and Z3.

use super::placeless;
use super::shared_code::{self, SharedCode};
use crate::worker::guarded::WorkerFailure;
use crate::worker::parcel::Parcel;
use base::own_program;
use check::solver::cache::Answers;
use check::{self, CheckOptions, ProgramReport};
use files::{ContentStore, Hashes, program};
use finding::paths::ProjectRoot;
use ir::Module;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

/// Report in its stored form.
#[derive(Serialize, Deserialize)]
struct StoredReport {
    parcel: Parcel,
    /// Whether a safety net ended the check: another run may decide more.
    netted: bool,
}

/// Returns the report of a program, from the cache or by `check`, which gets the code without the project's folder.
/// `memory` is the limit of a check, in bytes.
///
/// # Errors
/// If `check` fails, or its report cannot be packed and read back.
pub fn report(
    mut code: Vec<Arc<Module>>,
    options: &CheckOptions,
    memory: u64,
    (root, settled): (&ProjectRoot, bool),
    (verdicts, shared): (Option<&ContentStore>, &SharedCode<'_>),
    check: impl FnOnce(Vec<Arc<Module>>) -> Result<ProgramReport, WorkerFailure>,
) -> Result<ProgramReport, WorkerFailure> {
    let hashes = shared.mark(&mut code);
    // A cached check has no output for `--dump`, `--explain` and `--timings`.
    let verdicts =
        verdicts.filter(|_| options.inside.is_nothing()).and_then(|v| Some((v, key(&code, &hashes, options, memory)?)));
    let known = verdicts.as_ref().and_then(|(verdicts, key)| {
        let kept = verdicts.get::<String>(key).and_then(|text| unpack(&text, root, settled));
        kept.or_else(|| fetch(verdicts, key, root))
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let report = check(code)?;
    let (netted, faulty) = (!report.nets.is_empty(), !report.internal.is_empty());
    let text = pack(report).map_err(|e| WorkerFailure::Panicked(e.to_string()))?;
    // A fault may be mended in the same version.
    if let Some((verdicts, key)) = verdicts.filter(|_| !faulty) {
        verdicts.put(&key, netted, &text);
        if !netted {
            verdicts.share(&key, &text);
        }
    }
    unpack(&text, root, true).ok_or_else(|| WorkerFailure::Panicked("its report cannot be read".into()))
}

/// Returns the report that another machine shared, and stores it.
fn fetch(verdicts: &ContentStore, key: &[u8; 32], root: &ProjectRoot) -> Option<ProgramReport> {
    let text: String = verdicts.fetch(key)?;
    let report = unpack(&text, root, false)?;
    verdicts.put(key, false, &text);
    Some(report)
}

/// Answers of the solver, stored beside verdicts.
struct StoredAnswers {
    verdicts: ContentStore,
    tool: &'static str,
}

impl StoredAnswers {
    fn key(&self, query: &[u8; 32]) -> [u8; 32] {
        *blake3::Hasher::new().update(query).update(self.tool.as_bytes()).finalize().as_bytes()
    }
}

impl Answers for StoredAnswers {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.verdicts.get(&self.key(key))
    }
    fn put(&self, key: &[u8; 32], hurried: bool, answer: &[u8]) {
        self.verdicts.put(&self.key(key), hurried, &answer);
    }
}

/// Returns the store of the solver's answers. `None` without a store of verdicts, or if this program cannot be told
/// from another version.
#[must_use]
pub fn answers(verdicts: Option<ContentStore>) -> Option<Arc<dyn Answers>> {
    Some(Arc::new(StoredAnswers { verdicts: verdicts?.of_obligations(), tool: tool()? }))
}

/// Versions of this program and the solver; `None` if this program cannot be told from another version.
fn tool() -> Option<&'static str> {
    static TOOL: LazyLock<Option<String>> = LazyLock::new(|| {
        let hashes = Hashes::of_this_process();
        let program = program::build(&own_program::path().ok()?, hashes)?;
        hashes.keep();
        Some(format!("{} {program} {}", env!("CARGO_PKG_VERSION"), check::z3_version()))
    });
    TOOL.as_deref()
}

/// Key of a report. `None` if this program cannot be told from another version of itself, or the code cannot be
/// packed. `hashes` are those of modules, as far as they are known.
fn key(code: &[Arc<Module>], hashes: &[Option<[u8; 32]>], options: &CheckOptions, memory: u64) -> Option<[u8; 32]> {
    // None of these options changes what is true.
    let options = CheckOptions { seconds: 0, patience: None, solver_ms: 0, memory: None, jobs: 0, ..options.clone() };
    let rest = format!("{} {memory} {options:?}", tool()?);
    let mut hasher = blake3::Hasher::new();
    for (module, known) in code.iter().zip(hashes) {
        let hash = match known {
            Some(hash) => *hash,
            None => shared_code::hash(module).ok()?.0,
        };
        hasher.update(&hash);
    }
    hasher.update(rest.as_bytes());
    Some(*hasher.finalize().as_bytes())
}

fn pack(report: ProgramReport) -> serde_json::Result<String> {
    let netted = !report.nets.is_empty();
    serde_json::to_string(&StoredReport { parcel: Parcel::of(report), netted })
}

/// Unpacks a report. `None` if another run may decide more and the caller is not `settled`.
fn unpack(text: &str, root: &ProjectRoot, settled: bool) -> Option<ProgramReport> {
    let kept: StoredReport = serde_json::from_str(&placeless::settle(text, root)).ok()?;
    if kept.netted && !settled {
        return None;
    }
    kept.parcel.open()
}

#[cfg(test)]
mod tests {
    use super::{CheckOptions, key, pack, unpack};
    use base::nets::Net;
    use check::{Pace, ProgramReport};
    use finding::paths::ProjectRoot;
    use finding::samples::finding;
    use ir::{Module, Side};
    use std::sync::Arc;

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_does_not() {
        let root = ProjectRoot::new("/p".into());
        let report = ProgramReport { findings: vec![finding()], ..ProgramReport::default() };
        assert_eq!(unpack(&pack(report.clone()).unwrap(), &root, false).unwrap().findings, report.findings);
        assert!(unpack("{", &root, true).is_none());
        let netted = pack(ProgramReport { nets: vec![Net::Time], ..report }).unwrap();
        assert!(
            unpack(&netted, &root, false).is_none() && unpack(&netted, &root, true).is_some(),
            "a check runs again, what acts on its findings does not"
        );
    }

    fn module(arch: &str) -> Arc<Module> {
        Arc::new(Module {
            side: Side::Device,
            source: "a.cu".into(),
            producer: "clang".into(),
            arch: arch.into(),
            asserts_restored: false,
            relocatable: false,
            doubts: vec![],
            types: vec![],
            files: vec![],
            locs: vec![],
            globals: vec![],
            functions: vec![],
        })
    }

    #[test]
    fn a_key_stands_for_code_and_limits_and_not_for_haste() {
        let options = CheckOptions::default();
        let (one, two) = (module("sm_80"), module("sm_90"));
        let of = |code: &[&Arc<Module>], options: &CheckOptions, memory| {
            let code: Vec<Arc<Module>> = code.iter().map(|m| (*m).clone()).collect();
            key(&code, &vec![None; code.len()], options, memory).unwrap()
        };
        let usual = of(&[&one, &two], &options, 1 << 30);
        assert_eq!(
            usual,
            of(&[&one, &two], &CheckOptions { seconds: 3, patience: Some(2), jobs: 7, ..options.clone() }, 1 << 30)
        );
        assert_ne!(usual, of(&[&two, &one], &options, 1 << 30));
        assert_ne!(usual, of(&[&one, &two], &CheckOptions { work: 1, ..options.clone() }, 1 << 30));
        assert_ne!(usual, of(&[&one, &two], &CheckOptions { pace: Pace::Compile, ..options.clone() }, 1 << 30));
        assert_ne!(usual, of(&[&one, &two], &CheckOptions { roots: vec!["f".into()], ..options.clone() }, 1 << 30));
        assert_ne!(usual, of(&[&one, &two], &options, 1));
    }
}
