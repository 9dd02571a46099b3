//! `scuba warm`: precompiles the headers that most units begin with, so that the first build need not.
//!
//! In: the toolkit and the GPUs of this machine, or flags for nvcc. Out: precompiled headers in the cache, and models of
//! libraries. Each is made by reading a small source as a build reads its units, so what a build looks for is there.

use crate::args::WarmArgs;
use crate::cache::folder;
use crate::session::{Session, header_folder, real_nvcc};
use crate::{Status, output};
use anyhow::{Context, Result, bail};
use base::{background, own_program, paths};
use config::FrontendKind;
use frontend::{ExtractOptions, HeaderRequests, Precompile};
use nvcc::command::{Environment, NvccCommand};
use nvcc::interpose;
use nvcc::unit::TranslationUnit;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Sequences of headers that sources begin with, the frequent ones: each builds on those before it. What CUDA's own
/// headers include (`<cstdlib>`, `<cmath>`, `<cuda_runtime.h>`) is in all of them.
const BEGINNINGS: &[&[&str]] = &[
    &[],
    &["iostream"],
    &["iostream", "vector"],
    &["vector"],
    &["string"],
    &["algorithm"],
    &["chrono"],
    &["cstdio"],
    &["cstdio", "chrono"],
    &["stdio.h"],
    &["stdio.h", "chrono"],
];

/// Standards of C++ that most commands ask for; the first is nvcc's default.
const STANDARDS: &[&str] = &["", "-std=c++17"];

/// Architecture that is read in addition to nvcc's default if this machine has no GPU.
const WITHOUT_GPU: u32 = 80;

/// Time for one source.
const LONGEST: Duration = Duration::from_secs(120);

/// # Errors
/// If there is no cache or no nvcc, or if the given flags are not understood.
pub fn run(args: &WarmArgs) -> Result<Status> {
    if args.background {
        become_background(if args.recorded { LONGEST_AFTER_BUILD } else { LONGEST_IN_BACKGROUND });
    }
    if args.recorded {
        return answer_requests();
    }
    let here = std::env::current_dir().context("the working folder does not exist")?;
    let session = Session::of_shim(&here, 1)?;
    paths::remote_cache().map_err(anyhow::Error::msg)?;
    let Some(cache) = paths::cache() else {
        bail!("there is no cache to fill: {}", paths::why_no_cache().unwrap_or_default());
    };
    let nvcc = real_nvcc(&session.config).context("no nvcc was found: set SCUBA_NVCC, or put it into PATH")?;
    let options = ExtractOptions {
        precompile: Precompile::Ahead,
        one_side_at_a_time: args.background,
        time_limit: base::cpu_time::TimeLimit::of(LONGEST),
        ..session.extract_options()
    };
    let commands = match args.flags.as_slice() {
        [] => usual(&nvcc),
        given => vec![given.to_vec()],
    };
    let mark = options.headers.as_deref().and_then(|headers| mark(headers, &nvcc, &options, &commands));
    if args.background && mark.as_ref().is_some_and(|mark| mark.exists()) {
        return Ok(Status::Clean);
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let lists: Vec<Vec<TranslationUnit>> = match named(&nvcc, &here, &args.flags) {
        units if !units.is_empty() => vec![units],
        _ => commands.iter().map(|flags| units(&nvcc, folder.path(), flags)).collect::<Result<_>>()?,
    };
    let before = headers(&cache);
    let problems = make(&lists, &options, if args.background { 1 } else { parallel() });
    for problem in &problems {
        output::complain(&output::harmless(problem));
    }
    if let (Some(mark), []) = (mark, problems.as_slice()) {
        // Without it, a process in the background looks again.
        let _ = std::fs::write(mark, "");
    }
    let after = headers(&cache);
    if !args.background {
        let made = after.files.saturating_sub(before.files);
        let what = if made == 0 { "precompiled headers are up to date" } else { "headers are precompiled" };
        let flags: Vec<String> =
            commands.iter().map(|c| if c.is_empty() { "no flags".into() } else { c.join(" ") }).collect();
        output::print(&format!(
            "{what}: {} MiB in {}, for {}\n",
            after.bytes.div_ceil(1 << 20),
            cache.display(),
            flags.join("; ")
        ));
    }
    Ok(if problems.is_empty() { Status::Clean } else { Status::Unable })
}

/// Precompiles headers that builds lacked; another process that does so already is left alone.
fn answer_requests() -> Result<Status> {
    paths::remote_cache().map_err(anyhow::Error::msg)?;
    let headers = header_folder(&paths::cache().context("there is no cache to fill")?);
    let requests = HeaderRequests::of(&headers);
    let Some(_lock) = requests.lock() else { return Ok(Status::Clean) };
    for _ in 0..MOST_REQUESTS {
        let Some((unit, options)) = requests.take() else { break };
        let options = ExtractOptions {
            precompile: Precompile::Alone,
            // Only clang uses them.
            kind: FrontendKind::Clang,
            headers: Some(headers.clone()),
            one_side_at_a_time: true,
            time_limit: base::cpu_time::TimeLimit::of(LONGEST),
            ..options
        };
        // The next build reads without a header that cannot be made.
        let _ = frontend::extract(&unit, &options);
        files::Hashes::of_this_process().keep();
    }
    Ok(Status::Clean)
}

/// Size of the cached headers.
fn headers(cache: &Path) -> folder::CacheSize {
    let sizes = folder::sizes(cache);
    sizes.into_iter().find(|(what, _)| *what == folder::HEADERS).map(|(_, size)| size).unwrap_or_default()
}

/// Path of the mark that all headers of these commands were made by these programs. `None` if one of the programs cannot be
/// told from another version.
fn mark(headers: &Path, nvcc: &Path, options: &ExtractOptions, commands: &[Vec<String>]) -> Option<PathBuf> {
    let hashes = files::Hashes::of_this_process();
    let clang = which::which(&options.clang).ok()?;
    let worker = own_program::path().ok()?.with_file_name("scuba-extract");
    let programs = [nvcc, &clang, &worker].map(|program| files::program::identity(program, hashes));
    let programs: Vec<String> = programs.into_iter().collect::<Option<_>>()?;
    let text = format!("{programs:?} {:?} {commands:?} {BEGINNINGS:?}", options.extra_flags);
    Some(headers.join(format!("warmed-{}", &blake3::hash(text.as_bytes()).to_hex()[..16])))
}

/// Number of sources that are read at the same time; each runs clang for two sides.
fn parallel() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2)
}

/// Returns the flags that most commands have here.
fn usual(nvcc: &Path) -> Vec<Vec<String>> {
    let mut architectures: BTreeSet<u32> = nvcc::shim::native_architectures(nvcc).into_iter().collect();
    if architectures.is_empty() {
        architectures.insert(WITHOUT_GPU);
    }
    // No flag: nvcc's default.
    let named = architectures.iter().map(|a| format!("-arch=sm_{a}"));
    let each = std::iter::once(String::new()).chain(named);
    each.flat_map(|architecture| {
        STANDARDS.iter().map(move |standard| {
            [architecture.as_str(), standard].into_iter().filter(|f| !f.is_empty()).map(str::to_owned).collect()
        })
    })
    .collect()
}

/// Returns the units that nvcc would compile from the sources among these words.
fn named(nvcc: &Path, here: &Path, words: &[String]) -> Vec<TranslationUnit> {
    let arguments: Vec<_> = words.iter().map(Into::into).chain(["-c".into()]).collect();
    let command = NvccCommand::read(&arguments, &Environment::default(), here);
    let plan = command.plan(here, Some(nvcc), &|| nvcc::shim::native_architectures(nvcc));
    plan.map(|p| p.request.units).unwrap_or_default()
}

/// Writes a source for each beginning, and returns the units that nvcc would compile from them.
fn units(nvcc: &Path, folder: &Path, flags: &[String]) -> Result<Vec<TranslationUnit>> {
    let unit = |(i, headers): (usize, &&[&str])| {
        let name = format!("beginning{i}.cu");
        let text: String = headers.iter().map(|h| format!("#include <{h}>\n")).collect();
        std::fs::write(folder.join(&name), text).with_context(|| format!("cannot write to {}", folder.display()))?;
        let arguments: Vec<_> = flags.iter().map(Into::into).chain(["-c".into(), name.into()]).collect();
        let command = NvccCommand::read(&arguments, &Environment::default(), folder);
        let plan = command.plan(folder, Some(nvcc), &|| nvcc::shim::native_architectures(nvcc));
        let unit = plan.and_then(|p| p.request.units.into_iter().next());
        unit.with_context(|| format!("`{}` compiles no CUDA source", flags.join(" ")))
    };
    BEGINNINGS.iter().enumerate().map(unit).collect()
}

/// Reads the units of each list in their order, several lists at a time; returns why some were not read.
fn make(lists: &[Vec<TranslationUnit>], options: &ExtractOptions, threads: usize) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let problems: Mutex<Vec<(usize, String)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(lists.len()) {
            scope.spawn(|| {
                while let Some((i, units)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| lists.get(i).map(|u| (i, u)))
                {
                    let problem = units.iter().find_map(|unit| read(unit, options).err());
                    let mut all = problems.lock().unwrap_or_else(PoisonError::into_inner);
                    all.extend(problem.map(|p| (i, p)));
                }
            });
        }
    });
    let mut all = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort();
    all.dedup_by(|a, b| a.1 == b.1);
    all.into_iter().map(|(_, problem)| problem).collect()
}

fn read(unit: &TranslationUnit, options: &ExtractOptions) -> Result<(), String> {
    let read = frontend::extract(unit, options).map_err(|e| e.to_string())?;
    files::Hashes::of_this_process().keep();
    read.not_analysed.into_iter().next().map_or(Ok(()), |n| Err(format!("no headers are precompiled: {}", n.reason)))
}

/// Starts the command in the background, for the usual flags.
pub fn start_in_background() {
    start(&["warm", "--background"]);
}

/// Starts the command in the background for headers that a build lacked, if its settings ask for that. The build is
/// over: what it printed, its status and its jobs are its own.
pub fn start_after_build(warm: bool) {
    // Programs below an interposed command are that command's.
    if !warm || std::env::var_os(interpose::GUARD_VARIABLE).is_some() {
        return;
    }
    if paths::cache().is_some_and(|cache| HeaderRequests::of(&header_folder(&cache)).is_any()) {
        start(&["warm", "--background", "--recorded"]);
    }
}

/// Starts a command in a session of its own, without this process's files. It ends by itself.
fn start(arguments: &[&str]) {
    use std::process::{Command, Stdio};
    let Ok(program) = own_program::path() else { return };
    if paths::remote_cache().is_err() || paths::cache().is_none() {
        return;
    }
    let mut command = Command::new(program);
    command.args(arguments).env_remove("MAKEFLAGS").env_remove("SCUBA_STRICT");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    background::detach(&mut command);
    // Without it the next build makes the headers.
    let _ = command.spawn();
}

/// Time after which a background process ends in any case.
const LONGEST_IN_BACKGROUND: Duration = Duration::from_secs(300);

/// The same after a build: headers of PyTorch take half a minute where nothing else runs.
const LONGEST_AFTER_BUILD: Duration = Duration::from_secs(900);

/// Largest number of units whose headers are precompiled after a build.
const MOST_REQUESTS: usize = 16;

/// Lowers this process's priority, and limits its life.
fn become_background(longest: Duration) {
    // Neither can fail in a way that matters: the work is the same at any priority.
    let _ = rustix::process::nice(19);
    std::thread::spawn(move || {
        std::thread::sleep(longest);
        std::process::exit(0);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_beginning_builds_on_one_before_it() {
        for (i, beginning) in BEGINNINGS.iter().enumerate() {
            let before = &BEGINNINGS[..i];
            assert!(beginning.len() < 2 || before.iter().any(|b| **b == beginning[..beginning.len() - 1]));
        }
    }

    #[test]
    fn usual_flags_are_the_default_and_one_architecture_in_each_standard() {
        let flags = usual(Path::new("/none/nvcc"));
        let flags: Vec<String> = flags.iter().map(|f| f.join(" ")).collect();
        assert_eq!(flags, ["", "-std=c++17", "-arch=sm_80", "-arch=sm_80 -std=c++17"]);
    }
}
