//! A program of `tests/models` as the front end reads it, with our headers of a library in place of the library's own.

use super::unit::{nvcc, worker};
use scuba::cpu_time::TimeLimit;
use scuba::frontend::{ExtractOptions, extract};
use scuba::ir::Program;
use scuba::nvcc::command::{Environment, NvccCommand};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Reads and links a source of `folder`. `own_headers` names a variable with the folders of the library's own headers,
/// for the question whether ours declare the same functions.
pub fn compiled(folder: &Path, source: &str, standard: &str, own_headers: &str) -> Arc<Program> {
    let mut arguments: Vec<OsString> = [source, standard, "-arch=sm_80", "-c"].map(Into::into).into();
    match std::env::var(own_headers) {
        Ok(all) => arguments.extend(all.split(':').map(|i| format!("-I{i}").into())),
        Err(_) => arguments.push(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/tests/support/include").into()),
    }
    let plan = NvccCommand::read(&arguments, &Environment::default(), folder)
        .plan(folder, Some(&nvcc()), &Vec::new)
        .expect("there is something to compile");
    let options = ExtractOptions {
        worker: Some(worker()),
        time_limit: TimeLimit::of(Duration::from_secs(600)),
        ..ExtractOptions::default()
    };
    let out = extract(&plan.request.units[0], &options).unwrap();
    assert!(out.not_analysed.is_empty(), "{:?}", out.not_analysed.first().map(|n| &n.reason));
    Arc::new(Program::link(out.modules.into_iter().map(Arc::new).collect()))
}
