//! Handling of one command by `scuba-nvcc`.
//!
//! In: this process's arguments and environment. Out: how it must end. If nothing is to be analysed, nvcc replaces this
//! process, and all behaviour is nvcc's own.

use super::command::{Environment, NvccCommand};
use super::history::BuildHistory;
use super::host::{self, HostCommand};
use super::interpose;
use super::locate::{self, GUARD, Invocation, LocateError, SearchEnvironment};
use super::notes::Notes;
use super::once::PrintedMessages;
use super::plan::ShimPlan;
use super::request::AnalysisRequest;
use super::settings::Settings;
use super::supervise::{self, ProcessEnd, SupervisedCommand};
use base::{own_program, paths};
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

/// Time added to the analysis's own limit before it is cut off from outside: it should end by itself and report why.
const MARGIN: Duration = Duration::from_secs(15);

/// Exit status if there is no nvcc: a shell's for a command that is not found.
pub const NOT_FOUND: i32 = 127;
/// Exit status if nvcc cannot be executed: that of a shell, too.
pub const NOT_EXECUTABLE: i32 = 126;

#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    #[error(transparent)]
    Locate(#[from] LocateError),
    #[error("cannot run `{}`: {cause}", program.display())]
    Execute { program: PathBuf, cause: std::io::Error },
}

impl ShimError {
    /// Returns the exit status for the error.
    pub fn status(&self) -> i32 {
        match self {
            ShimError::Execute { cause, .. } if cause.kind() != ErrorKind::NotFound => NOT_EXECUTABLE,
            ShimError::Locate(_) | ShimError::Execute { .. } => NOT_FOUND,
        }
    }
}

/// Runs nvcc with `arguments` (the shim's, without its own name), and the analysis beside it. Call from the main
/// thread.
///
/// # Errors
/// When nvcc is not found or cannot be run.
pub fn run(arguments: &[OsString]) -> Result<ProcessEnd, ShimError> {
    // nvcc can do without a working directory; what is analysed cannot.
    let (directory, lost) = match std::env::current_dir() {
        Ok(directory) => (directory, None),
        Err(cause) => (PathBuf::from("/"), Some(cause)),
    };
    // nvcc can do without this program's path, too.
    let ourselves = own_program::path().unwrap_or_default();
    let [named, path, running] = ["SCUBA_NVCC", "PATH", GUARD].map(std::env::var_os);
    let place = SearchEnvironment {
        ourselves: &ourselves,
        directory: &directory,
        named: named.as_deref(),
        toolkits: locate::toolkits(&directory),
        path: path.as_deref(),
        running: running.as_deref(),
    };
    if host::is_tool(arguments) {
        return if lost.is_some() {
            Err(become_tool(arguments))
        } else {
            launch(arguments, &directory, &ourselves, &place)
        };
    }
    if host::is_script(arguments, place.path, &directory) {
        let off = lost.is_some() || is_set("SCUBA_OFF") || running.as_ref().is_some_and(|running| !running.is_empty());
        let off = off || ourselves.as_os_str().is_empty();
        return if off { Err(become_tool(arguments)) } else { behind_script(arguments, ourselves) };
    }
    let environment = Environment::of_this_process();
    let nearby = |arguments: &[OsString]| nearby_settings(arguments, &environment, &directory);
    let invocation = locate::locate(arguments, &place, || nearby(arguments))?;
    let guard = place.guard(&invocation.program);

    // Within another invocation of the shim, the outer one analyses.
    let nested = running.as_ref().is_some_and(|running| !running.is_empty());
    if nested || is_set("SCUBA_OFF") {
        return Err(become_nvcc(&invocation, &guard));
    }
    let command = NvccCommand::read(invocation.nvcc_arguments(), &environment, &directory);
    // `-arch=native` is resolved only once nvcc runs.
    let plan =
        if command.is_probe(&directory) { None } else { command.plan(&directory, Some(&invocation.nvcc), &Vec::new) };
    let Some(mut plan) = plan else { return Err(become_nvcc(&invocation, &guard)) };
    if let Some(cause) = lost {
        supervise::say(&format!("scuba: note: nothing is analysed here: cannot read the working directory: {cause}\n"));
        return Err(become_nvcc(&invocation, &guard));
    }
    plan.request.launcher = invocation.launcher();

    let settings = nearby(invocation.nvcc_arguments());
    let job = SupervisedCommand {
        limit: settings.translation_unit * u32::try_from(plan.request.units.len().max(1)).unwrap_or(u32::MAX) + MARGIN,
        analyser: analyser(&ourselves),
        strict: is_set("SCUBA_STRICT"),
        guard,
        notes: Notes::new(first_output(&plan), &directory),
        history: BuildHistory::of(&paths::of_this_process(first_output(&plan), &directory)),
        once: PrintedMessages::of(&paths::of_this_process(first_output(&plan), &directory)),
        unknown_flags: command.unknown_flags().to_vec(),
        request: request(command, &plan, &directory, &invocation.nvcc),
        beside: true,
        plan,
        invocation,
    };
    let program = job.invocation.program.clone();
    supervise::run(job).map_err(|cause| ShimError::Execute { program, cause })
}

/// Runs a host tool as given, with this program before it as `CMAKE_CXX_COMPILER_LAUNCHER` or `RULE_LAUNCH_LINK`. The
/// analysis of what it compiled or linked follows if it succeeded.
fn launch(
    arguments: &[OsString],
    directory: &Path,
    ourselves: &Path,
    place: &SearchEnvironment<'_>,
) -> Result<ProcessEnd, ShimError> {
    let nested = place.running.is_some_and(|running| !running.is_empty());
    let plan = match host::read(arguments, directory) {
        HostCommand::Compile(plan) | HostCommand::Link(plan) if !nested && !is_set("SCUBA_OFF") => plan,
        _ => return Err(become_tool(arguments)),
    };
    let invocation = Invocation {
        program: arguments[0].clone().into(),
        arguments: arguments[1..].to_vec(),
        before: 0,
        nvcc: PathBuf::new(),
    };
    let named = std::env::var_os("SCUBA_CONFIG").filter(|file| !file.is_empty()).map(|file| directory.join(file));
    let sources: Vec<PathBuf> = plan.request.units.iter().map(|unit| directory.join(&unit.source)).collect();
    let settings =
        Settings::find(named.as_deref(), sources.iter().filter_map(|source| source.parent()).chain([directory]));
    let request = plan.request.clone();
    let job = SupervisedCommand {
        limit: settings.translation_unit + MARGIN,
        analyser: analyser(ourselves),
        strict: is_set("SCUBA_STRICT"),
        guard: place.guard(&invocation.program),
        notes: Notes::new(first_output(&plan), directory),
        history: BuildHistory::of(&paths::of_this_process(first_output(&plan), directory)),
        once: PrintedMessages::of(&paths::of_this_process(first_output(&plan), directory)),
        unknown_flags: Vec::new(),
        request: Arc::new(move || request.clone()),
        beside: false,
        plan,
        invocation,
    };
    let program = job.invocation.program.clone();
    supervise::run(job).map_err(|cause| ShimError::Execute { program, cause })
}

/// Runs a script whose commands are unknown: an nvcc that it starts runs through this program, as in `scuba build`.
fn behind_script(arguments: &[OsString], ourselves: PathBuf) -> Result<ProcessEnd, ShimError> {
    match interpose::run(arguments, &interpose::InterposeOptions { shim: ourselves, environment: vec![] }) {
        Ok(outcome) => Ok(outcome.status.into()),
        Err(
            interpose::InterposeError::Wait { command, source }
            | interpose::InterposeError::Log { path: command, doing: "read", source },
        ) => Err(ShimError::Execute { program: command, cause: source }),
        // Nothing was started.
        Err(_) => Err(become_tool(arguments)),
    }
}

/// Replaces this process by a tool that is not analysed; an nvcc that the tool starts still is. Returns only if that
/// fails.
fn become_tool(arguments: &[OsString]) -> ShimError {
    let cause = std::process::Command::new(&arguments[0]).args(&arguments[1..]).exec();
    ShimError::Execute { program: arguments[0].clone().into(), cause }
}

/// Returns the plan's request, with `-arch=native` resolved.
fn request(
    command: NvccCommand,
    plan: &ShimPlan,
    directory: &Path,
    nvcc: &Path,
) -> Arc<dyn Fn() -> AnalysisRequest + Send + Sync> {
    let request = plan.request.clone();
    if !command.asks_native() {
        return Arc::new(move || request.clone());
    }
    let (directory, nvcc) = (directory.to_owned(), nvcc.to_owned());
    Arc::new(move || {
        let answered = command.plan(&directory, Some(&nvcc), &|| native_architectures(&nvcc));
        let launcher = request.launcher.clone();
        answered.map_or_else(|| request.clone(), |plan| AnalysisRequest { launcher, ..plan.request })
    })
}

/// Replaces this process by nvcc; returns only if that fails.
fn become_nvcc(invocation: &Invocation, guard: &OsStr) -> ShimError {
    let cause = std::process::Command::new(&invocation.program).args(&invocation.arguments).env(GUARD, guard).exec();
    ShimError::Execute { program: invocation.program.clone(), cause }
}

/// Reads scuba.toml as INTERFACE defines: from the sources' folders upwards, since builds are often out of source; then
/// from the working directory.
fn nearby_settings(arguments: &[OsString], environment: &Environment, directory: &Path) -> Settings {
    let named = std::env::var_os("SCUBA_CONFIG").filter(|file| !file.is_empty()).map(|file| directory.join(file));
    let plan = NvccCommand::read(arguments, environment, directory).plan(directory, None, &Vec::new);
    let sources: Vec<PathBuf> =
        plan.iter().flat_map(|plan| &plan.request.units).map(|unit| directory.join(&unit.source)).collect();
    let folders = sources.iter().filter_map(|source| source.parent()).chain([directory]);
    Settings::find(named.as_deref(), folders)
}

fn first_output(plan: &ShimPlan) -> Option<&Path> {
    let unit = plan.request.units.iter().find_map(|unit| unit.output.as_deref());
    unit.or_else(|| plan.request.link.as_ref().map(|link| link.output.as_path()))
}

/// Returns the analysis program, which lies beside this one.
fn analyser(ourselves: &Path) -> Result<PathBuf, String> {
    if ourselves.as_os_str().is_empty() {
        return Err("the path of scuba-nvcc is unknown".to_owned());
    }
    let program = ourselves.with_file_name("scuba");
    if program.is_file() { Ok(program) } else { Err(format!("`{}` is missing", program.display())) }
}

/// Returns the capabilities that the toolkit's own query program prints, separated by commas or spaces. Empty if there
/// is no GPU; nvcc then compiles for its default.
#[must_use]
pub fn native_architectures(nvcc: &Path) -> Vec<u32> {
    let query = nvcc.with_file_name("__nvcc_device_query");
    let child =
        std::process::Command::new(query).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return Vec::new() };
    let mut text = String::new();
    let read = child.stdout.take().map(|mut output| output.read_to_string(&mut text));
    let succeeded = child.wait().is_ok_and(|status| status.success());
    if !succeeded || !matches!(read, Some(Ok(_))) {
        return Vec::new();
    }
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// Whether a variable is set, and to a value that means yes.
#[must_use]
pub fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}
