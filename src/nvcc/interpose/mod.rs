//! `scuba build`: runs any build command with nvcc replaced by the shim, and records its links, by interposing `exec`.
//!
//! In: the build command as typed, and the shim's path. Out: the command's exit status, the nvcc commands that were
//! passed to the shim, and the links that the host's tools made. A small preloaded library (`preload.c`) replaces the
//! commands inside the build's processes, and queries a CMake that configures for its targets (`facts/generated/`).
//! This module knows nothing of findings, facts or nvcc's flags.

mod error;
pub mod execution;
mod library;
pub mod links;
pub mod progress;
mod reach;
mod record;
mod scripts;
mod signals;
mod tools;

pub use error::InterposeError;
pub use execution::ExecutedCommand;

use super::command::ShimPlan;
use super::host;
use super::locate;
use super::processes;
use crate::request::Link;
use base::temporary;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Variable set for all that the shim executes: below it the preloaded library neither rewrites nor records. The
/// library itself sets the variable when `scuba-nvcc`, `scuba` or `scuba-extract` of the shim's folder executes
/// something.
pub const GUARD_VARIABLE: &str = "SCUBA_INTERPOSE_GUARD";
const LIBRARY_VARIABLE: &str = "SCUBA_INTERPOSE_LIB";
const SHIM_VARIABLE: &str = "SCUBA_INTERPOSE_SHIM";
const LOG_VARIABLE: &str = "SCUBA_INTERPOSE_LOG";

/// Options of a run of a build command.
#[derive(Clone, Debug)]
pub struct InterposeOptions {
    /// Absolute path of `scuba-nvcc`.
    pub shim: PathBuf,
    /// Further variables for the command (`SCUBA_DIR`, `SCUBA_MESSAGE_FORMAT`, …). The `SCUBA_…` ones reach the shim
    /// even if the build clears its environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// Result of a build command.
#[derive(Debug)]
pub struct BuildOutcome {
    pub status: ExitStatus,
    /// The nvcc commands that the preloaded library or the build itself passed to the shim, in the order in which they
    /// started, probes included.
    pub compiles: Vec<ExecutedCommand>,
    /// Links and archives by the host's tools whose output exists, one for each output, in the order of their first
    /// command. The shim records nvcc's own links, so they are not here.
    pub links: Vec<Link>,
    /// Links by the host's tools whose output does not exist, in the order of their outputs.
    pub links_without_output: Vec<Link>,
    /// Compilations by the host's own compilers whose object exists; for each object the last one.
    pub host_compiles: Vec<ShimPlan>,
    /// Programs that the host's own compilers compiled and linked in one command, with their links; for each output the
    /// last one.
    pub host_programs: Vec<ShimPlan>,
    /// Absolute paths of the folders that build tools (make, Ninja) were started for, even if they had nothing to do.
    pub tool_folders: BTreeSet<PathBuf>,
    /// The build's own command, and the build tools that it started, in the order in which they started.
    pub tools: Vec<ExecutedCommand>,
    /// Messages for the user about programs that interposition cannot reach, one line each.
    pub notes: Vec<String>,
}

/// Runs `command` in the foreground with this process's own streams and waits for it. Until it ends, an interrupt from
/// the terminal is left to the command, which receives it as well; SIGTERM and SIGHUP are forwarded to it.
///
/// # Errors
/// When the command cannot be found or started, or the interposition cannot be set up. A command that ran and failed is
/// an [`BuildOutcome`].
pub fn run(command: &[OsString], options: &InterposeOptions) -> Result<BuildOutcome, InterposeError> {
    let (name, arguments) = command.split_first().ok_or(InterposeError::NoCommand)?;
    let program =
        which::which(name).map_err(|reason| InterposeError::CommandNotFound { command: name.into(), reason })?;
    if !is_executable(&options.shim) {
        return Err(InterposeError::NoShim { path: options.shim.clone() });
    }
    processes::keep_statuses();
    let library = library::extract()?;
    let folder = temporary::folder("scuba-build-");
    let folder =
        folder.map_err(|source| InterposeError::Log { path: std::env::temp_dir(), doing: "created", source })?;
    let log = folder.path().join("log");
    std::fs::write(&log, b"").map_err(|source| InterposeError::Log { path: log.clone(), doing: "created", source })?;

    // By name, not by the path found: some programs inspect the name by which they were called. What this process
    // itself executes is not rewritten, so `env` executes an nvcc: its own `exec` is rewritten.
    let mut child = if locate::is_nvcc(name) { Command::new("env") } else { Command::new(name) };
    child.args(locate::is_nvcc(name).then_some(name));
    child.args(arguments).envs(options.environment.iter().map(|(k, v)| (k, v)));
    child.env_remove(GUARD_VARIABLE);
    child.env("LD_PRELOAD", appended(std::env::var_os("LD_PRELOAD"), library.path().as_os_str()));
    child.env(LIBRARY_VARIABLE, library.path()).env(SHIM_VARIABLE, &options.shim).env(LOG_VARIABLE, &log);
    // The build may run a program built with gcc's AddressSanitizer, which refuses to start behind another preloaded
    // library.
    child.env("ASAN_OPTIONS", appended(std::env::var_os("ASAN_OPTIONS"), OsStr::new("verify_asan_link_order=0")));

    let mut notes = Vec::new();
    if let Some(why) = reach::unreachable(&program) {
        for variable in ["CUDACXX", "NVCC"] {
            if std::env::var_os(variable).is_none() {
                child.env(variable, &options.shim);
            }
        }
        notes.push(format!(
            "{} {why}: nvcc runs that it starts are analysed only if it passes LD_PRELOAD on, or takes nvcc from CUDACXX or NVCC, which name scuba-nvcc",
            program.display()
        ));
    }

    processes::pass_dispositions(&mut child);
    let signals = signals::Forwarding::install().map_err(|source| InterposeError::Signals { source })?;
    let mut child = child.spawn().map_err(|source| InterposeError::NotStarted { command: name.into(), source })?;
    signals.forward_to(&child);
    let status = child.wait().map_err(|source| InterposeError::Wait { command: name.into(), source })?;
    drop(signals);

    let bytes =
        std::fs::read(&log).map_err(|source| InterposeError::Log { path: log.clone(), doing: "read", source })?;
    let mut compiles = Vec::new();
    let mut linking = Vec::new();
    let mut host_compiles = BTreeMap::new();
    // What this process itself executes is not recorded.
    let directory = std::env::current_dir().unwrap_or_default();
    let own = ExecutedCommand { directory, program: name.into(), arguments: command.to_vec() };
    let mut tool_runs = vec![own];
    for (kind, mut execution) in record::parse(&bytes) {
        if matches!(kind, record::RecordKind::Link | record::RecordKind::Compile) {
            execution.arguments = host::expanded(&execution.arguments, &execution.directory);
        }
        match kind {
            // Compilations that only their response file reveals.
            record::RecordKind::Link if host::compiles(execution.program.as_os_str(), &execution.arguments) => {
                add_compile(&mut host_compiles, &execution);
            }
            record::RecordKind::Nvcc => compiles.push(execution),
            record::RecordKind::Link => linking.push(execution),
            record::RecordKind::Compile => add_compile(&mut host_compiles, &execution),
            record::RecordKind::Tool => tool_runs.push(execution),
        }
    }
    let links = links::collect(&linking);
    Ok(BuildOutcome {
        status,
        compiles,
        host_programs: programs(&linking, &links),
        links_without_output: links::without_output(&linking),
        links,
        host_compiles: host_compiles.into_values().collect(),
        tool_folders: tool_runs.iter().filter_map(tools::folder).collect(),
        tools: tool_runs,
        notes,
    })
}

/// Plans the commands that both compiled and linked.
fn programs(linking: &[ExecutedCommand], links: &[Link]) -> Vec<ShimPlan> {
    let mut all = BTreeMap::new();
    for execution in linking.iter().filter(|e| e.directory.is_absolute()) {
        let Some(mut plan) = host::compile_and_link(&execution.arguments, &execution.directory) else { continue };
        let Some(output) = plan.request.link.as_ref().map(|l| l.output.clone()) else { continue };
        // The path as in the collected links: canonical, and the file exists.
        let canonical = output.canonicalize().unwrap_or(output);
        if let Some(link) = links.iter().find(|l| l.output == canonical) {
            plan.request.link = Some(link.clone());
            all.insert(canonical, plan);
        }
    }
    all.into_values().collect()
}

/// Adds the compilation of a command if its object exists; failed and probing commands leave none.
fn add_compile(all: &mut BTreeMap<PathBuf, ShimPlan>, execution: &ExecutedCommand) {
    // Relative names mean nothing if the folder is unknown.
    if !execution.directory.is_absolute() {
        return;
    }
    let Some(plan) = host::compile(&execution.arguments, &execution.directory) else { return };
    let object = plan.request.units.first().and_then(|unit| unit.output.clone());
    if let Some(object) = object.filter(|o| o.is_file()) {
        all.insert(object, plan);
    }
}

/// Returns `list:word`, or `word` alone; colons separate the lists of LD_PRELOAD and ASAN_OPTIONS.
fn appended(list: Option<OsString>, word: &OsStr) -> OsString {
    let mut list = list.unwrap_or_default();
    if !list.is_empty() {
        list.push(":");
    }
    list.push(word);
    list
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.is_absolute() && path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
