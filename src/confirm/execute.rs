//! Builds and runs the cases of a manifest on this machine's GPU.
//!
//! In: a [`Manifest`], the folder of its files, a [`Toolchain`]. Out: one [`RecordedOutcome`] for each case. It uses no facts
//! of programs: a bundle needs nothing else on the machine that runs it.

use super::calls;
use super::device::Toolchain;
use super::inputs::InputFiles;
use super::kernel_check;
use super::manifest::{Attempt, BuildStep, BuildTool, CommandWord, ConfirmCase, Executable, Manifest, ManifestBuild};
use super::process::{self, RunEnd};
use super::record::Records;
use super::scratch::Scratch;
use super::store::RecordedOutcome;
use super::verdict::{self, CodeFolders, RunVerdict};
use super::words::{end_of, head_of, last_line, shown, size};
use finding::{Confirmation, ConfirmationStatus, ConfirmedBy, RunFile};
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Build that compiles `templates/launch.cpp`.
pub const LAUNCHER: &str = "launcher";
/// Time limit of one compilation; nvcc takes that long for the largest units.
pub const COMPILE_TIME: Duration = Duration::from_secs(600);
/// Environment variable with the number of seconds after which the launcher ends by itself, later than its time
/// limit.
const SECONDS: &str = "SCUBA_SECONDS";
const SPARE: Duration = Duration::from_secs(5);
/// Environment variable with the milliseconds for which the launcher waits for a recording kernel; what is recorded
/// until then counts.
const WAIT: &str = "SCUBA_WAIT_MS";
/// Environment variable that names the output file of the inspected host calls.
const CALLS: &str = "SCUBA_CALLS";
/// Environment variable that names the only kernel whose launches are executed.
const KERNEL: &str = "SCUBA_KERNEL";
/// Message of the launcher about a kernel that it no longer waits for, and [`RunEnd::how`] of a killed run.
const LATE: &str = "did not end in time";
/// Exit status of Compute Sanitizer if it found something.
const FOUND: &str = "77";
/// Longest log in bytes; only the end of a longer one is kept.
const MAX_LOG: usize = 64 << 10;

#[derive(Debug, thiserror::Error)]
#[error("cannot make a folder for the runs: {0}")]
pub struct ExecuteError(#[from] std::io::Error);

/// Runs every case that can start before `deadline`. Calls `told` with each outcome as it becomes available.
///
/// # Errors
/// If there is no room for builds. The error of a single case is in its outcome.
pub fn execute(
    manifest: &Manifest,
    bundle: &Path,
    toolchain: &Toolchain,
    deadline: Option<Instant>,
    mut told: impl FnMut(&ConfirmCase, &RecordedOutcome),
) -> Result<Vec<RecordedOutcome>, ExecuteError> {
    let scratch = Scratch::new()?;
    let mut run = ManifestExecution {
        manifest,
        bundle,
        toolchain,
        scratch: scratch.path(),
        deadline,
        built: HashMap::new(),
        seen: HashMap::new(),
        checks: HashMap::new(),
        count: 0,
    };
    Ok(manifest
        .cases
        .iter()
        .take_while(|_| deadline.is_none_or(|d| Instant::now() < d))
        .map(|case| {
            let outcome = run.case(case);
            told(case, &outcome);
            outcome
        })
        .collect())
}

/// Result of a run under Compute Sanitizer.
#[derive(Clone)]
struct SanitizerResult {
    records: Records,
    ended: bool,
    how: String,
    output: String,
    log: String,
    /// Lines that the inspected host calls wrote.
    calls: String,
}

/// Everything that a run of the program itself depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ProgramRun {
    executable: Executable,
    argv: Vec<String>,
    stdin: String,
    files: Vec<RunFile>,
    /// The only kernel that is launched, if others are left out.
    kernel: Option<String>,
}

struct ManifestExecution<'a> {
    manifest: &'a Manifest,
    bundle: &'a Path,
    toolchain: &'a Toolchain,
    scratch: &'a Path,
    deadline: Option<Instant>,
    built: HashMap<String, Result<PathBuf, String>>,
    /// Runs of the program itself, which many findings share.
    seen: HashMap<ProgramRun, SanitizerResult>,
    /// Launches of code with checks, which many findings share, too.
    checks: HashMap<(CommandWord, String, String), RunEnd>,
    count: usize,
}

impl ManifestExecution<'_> {
    fn case(&mut self, case: &ConfirmCase) -> RecordedOutcome {
        let mut log = String::new();
        for note in &case.notes {
            let _ = writeln!(log, "note: {note}");
        }
        let mut silent = Vec::new();
        let mut open: Vec<String> = Vec::new();
        let mut confirmed = None;
        // Compute Sanitizer does not see bounds inside one allocation: neither its silence nor its other reports are
        // evidence.
        let hidden = !case.expected.rule.info().confirmation.sanitizer;
        let mut unseen = "";
        let device = &self.toolchain.device;
        let other_code = case
            .expected
            .architecture
            .as_ref()
            .filter(|a| device.lacks_code_of(a))
            .map(|a| format!(", in code for {}: the finding is about code for {a}", device.architecture()));
        let mut by = ConfirmedBy::ComputeSanitizer;
        for attempt in &case.attempts {
            let what = match attempt {
                Attempt::Program { kernel: None, .. } => "the program itself",
                Attempt::Program { .. } => "the program itself without the launches of other kernels",
                Attempt::Launch { .. } => "this launch alone",
                Attempt::Check { .. } => "this launch with a check compiled into the kernel",
            };
            // An earlier attempt may have set another value.
            by = match attempt {
                Attempt::Check { .. } => ConfirmedBy::KernelCheck,
                _ => ConfirmedBy::ComputeSanitizer,
            };
            let _ = writeln!(log, "== {what}");
            let blind = hidden && !matches!(attempt, Attempt::Check { .. });
            match self.attempt(case, attempt, &mut by, &mut log) {
                Ok(RunVerdict::NotReproduced(_)) if blind => unseen = "; Compute Sanitizer reports nothing",
                _ if blind => {}
                Ok(RunVerdict::Confirmed(detail)) => {
                    confirmed = Some(format!("{detail}, running {what}"));
                    break;
                }
                // The check is compiled into the analysed code itself.
                Ok(RunVerdict::NotReproduced(why))
                    if !matches!(attempt, Attempt::Check { .. }) && other_code.is_some() =>
                {
                    open.push(format!("{what}: {why}{}", other_code.as_deref().unwrap_or_default()));
                }
                Ok(RunVerdict::NotReproduced(why)) => silent.push(format!("{what}: {why}")),
                Ok(RunVerdict::Inconclusive(why)) => open.push(format!("{what}: {why}")),
                Err(why) => {
                    let _ = writeln!(log, "not run: {why}");
                    open.push(format!("{what}: {why}"));
                }
            }
        }
        // Two runs may give the same text.
        for lines in [&mut silent, &mut open] {
            lines.dedup();
        }
        let (status, mut detail) = match confirmed {
            Some(detail) => (ConfirmationStatus::Confirmed, detail),
            // Silence is evidence only if nothing stayed undecided.
            None if open.is_empty() && !silent.is_empty() => (ConfirmationStatus::NotReproduced, silent.join("; ")),
            None if open.is_empty() => {
                (ConfirmationStatus::Inconclusive, format!("there is no way to run it: {}", case.notes.join("; ")))
            }
            None => (ConfirmationStatus::Inconclusive, open.into_iter().chain(silent).collect::<Vec<_>>().join("; ")),
        };
        let _ = write!(detail, "{unseen} ({})", self.toolchain.versions());
        let _ = writeln!(log, "== {status}: {detail}");
        RecordedOutcome {
            fingerprint: case.expected.fingerprint.clone(),
            witness: case.expected.witness.clone(),
            confirmation: Confirmation { status, by, device: self.toolchain.device.name.clone(), detail },
            log: end_of(&log, MAX_LOG),
        }
    }

    /// Runs one attempt. `Err` is the reason why it could not be run.
    fn attempt(
        &mut self,
        case: &ConfirmCase,
        attempt: &Attempt,
        by: &mut ConfirmedBy,
        log: &mut String,
    ) -> Result<RunVerdict, String> {
        let limit = self.manifest.limits.max_bytes;
        let device_bytes = attempt.device_bytes();
        if device_bytes > limit {
            return Err(format!(
                "it takes {} of device memory, and `[confirm] max_bytes` allows {}",
                size(device_bytes),
                size(limit)
            ));
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err("the time limit was reached".into());
        }
        let mut array = None;
        let seen = match attempt {
            Attempt::Program { executable, argv, stdin, files, kernel, .. } => {
                let key = ProgramRun {
                    executable: executable.clone(),
                    argv: argv.clone(),
                    stdin: stdin.clone(),
                    files: files.clone(),
                    kernel: kernel.clone(),
                };
                if let Some(known) = self.seen.get(&key) {
                    known.clone()
                } else {
                    // Checks the input files before it builds anything.
                    let files = InputFiles::new(files, stdin, limit).map_err(|e| e.to_string())?;
                    let program = match executable {
                        Executable::Built(name) => self.build(name, log)?,
                        Executable::At(word) => PathBuf::from(self.word(word)),
                    };
                    let seen = self.sanitized(&program, argv, stdin, &files, kernel.as_deref())?;
                    self.seen.insert(key, seen.clone());
                    seen
                }
            }
            Attempt::Launch { cubin, kernel, description, target, .. } => {
                let launcher = self.build(LAUNCHER, log)?;
                let cubin = self.build(cubin, log)?;
                let entry = entry_of(&cubin, kernel)?;
                let file = self.launch_file(&cubin, &entry, description)?;
                let seen = self.sanitized(
                    &launcher,
                    &[file.to_string_lossy().into_owned()],
                    "",
                    &InputFiles::default(),
                    None,
                )?;
                array = target
                    .as_ref()
                    .and_then(|(name, offset, extent)| Some((start_of(&seen.output, name)?, *offset, *extent)));
                seen
            }
            Attempt::Check { .. } => return self.check(case, attempt, log),
        };
        log.push_str(&seen.log);
        if matches!(attempt, Attempt::Program { kernel: Some(_), .. }) && !calls::launched(&seen.calls) {
            return Ok(RunVerdict::Inconclusive("it was not launched".into()));
        }
        let around = CodeFolders { bundle: self.bundle, toolkit: self.toolchain.toolkit() };
        let looked = calls::judge(&case.expected, &seen.calls);
        if let Some(sure @ RunVerdict::Confirmed(_)) = looked {
            *by = ConfirmedBy::KernelCheck;
            return Ok(sure);
        }
        Ok(match (verdict::judge(&case.expected, &seen.records, seen.ended, &seen.how, array, &around), looked) {
            (RunVerdict::Confirmed(detail), _) => RunVerdict::Confirmed(detail),
            // The inspected call is better evidence than the sanitizer's records.
            (_, Some(open)) => open,
            (other, None) => other,
        })
    }

    /// Verdict of a launch of code with checks.
    fn check(&mut self, case: &ConfirmCase, attempt: &Attempt, log: &mut String) -> Result<RunVerdict, String> {
        let Attempt::Check { code, kernel, description, row, extent, guard, .. } = attempt else {
            return Err("it is not a launch with checks".into());
        };
        let key = (code.clone(), kernel.clone(), description.clone());
        let ended = if let Some(known) = self.checks.get(&key) {
            log.push_str("as it was run for another finding\n");
            known.clone()
        } else {
            let ended = self.checked(code, kernel, description, log)?;
            self.checks.insert(key, ended.clone());
            ended
        };
        let _ = writeln!(log, "{}\nit {}", end_of(ended.output.trim_end(), 4096), ended.how());
        let how = match last_line(&ended) {
            Some(line) if !ended.success() && !self.was_late(&ended) => format!("{}: {line}", ended.how()),
            _ => self.how(&ended),
        };
        let left_out = guard.and_then(|g| kernel_check::record(&ended.output, g)).map_or(0, |r| r.count);
        Ok(verdict::of_record(
            &case.expected,
            left_out,
            kernel_check::record(&ended.output, *row),
            *extent,
            ended.success(),
            &how,
        ))
    }

    /// Path of PTX that the device accepts: it rejects PTX with a newer target, whatever the code.
    fn for_this_device(&mut self, code: PathBuf) -> Result<PathBuf, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", code.display());
        let Some(older) =
            retargeted(&std::fs::read_to_string(&code).map_err(failed)?, self.toolchain.device.capability)
        else {
            return Ok(code);
        };
        self.count += 1;
        let own = self.scratch.join(format!("{}.ptx", self.count));
        std::fs::write(&own, older).map_err(failed)?;
        Ok(own)
    }

    /// Writes the launcher's input file.
    fn launch_file(&mut self, module: &Path, kernel: &str, description: &str) -> Result<PathBuf, String> {
        self.count += 1;
        let file = self.scratch.join(format!("{}.launch", self.count));
        let text = format!("module {}\nkernel {kernel}\n{description}", module.display());
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(file)
    }

    /// Launches a kernel with checks.
    fn checked(
        &mut self,
        code: &CommandWord,
        kernel: &str,
        description: &str,
        log: &mut String,
    ) -> Result<RunEnd, String> {
        let launcher = self.build(LAUNCHER, log)?;
        let code = self.for_this_device(PathBuf::from(self.word(code)))?;
        let file = self.launch_file(&code, kernel, description)?;
        let mut command = Command::new(launcher);
        command.arg(file).current_dir(self.scratch);
        log.push_str(&shown(&command));
        self.run(&mut command, "")
    }

    /// Runs a program under Compute Sanitizer, in its own folder.
    fn sanitized(
        &mut self,
        program: &Path,
        argv: &[String],
        stdin: &str,
        files: &InputFiles<'_>,
        kernel: Option<&str>,
    ) -> Result<SanitizerResult, String> {
        self.count += 1;
        let folder = self.scratch.join(format!("run-{}", self.count));
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let xml = self.scratch.join(format!("{}.xml", self.count));
        let calls = self.scratch.join(format!("{}.calls", self.count));
        let limits = self.manifest.limits;
        files.write(&folder).map_err(|e| e.to_string())?;
        let mut command = Command::new(&self.toolchain.compute_sanitizer);
        command
            .args(["--tool", "memcheck", "--xml", "--save"])
            .arg(&xml)
            .args([
                "--error-exitcode",
                FOUND,
                "--print-limit",
                "0",
                "--strip-paths",
                "no",
                "--show-backtrace",
                "device",
            ])
            // Defaults of 2025.3, set explicitly because 2026.4 has others: it reports failing calls in more words
            // and races of stream-ordered allocations, and no finding is confirmed by such records.
            .args(["--report-api-errors", "explicit", "--track-stream-ordered-races", "no"])
            .args(["--check-api-memory-access", "yes", "--demangle", "full"])
            // A program that ends before it calls CUDA keeps its exit status; the report tells what was seen.
            .args(["--require-cuda-init", "no"])
            // Without it memcheck does not report an access into the next allocation.
            .args(["--padding", &limits.padding.to_string(), "--destroy-on-device-error", "kernel"])
            .arg(program)
            .args(argv)
            .env(CALLS, &calls)
            .current_dir(&folder);
        match kernel {
            Some(symbol) => command.env(KERNEL, symbol),
            None => command.env_remove(KERNEL),
        };
        let mut log = shown(&command);
        for f in files.iter() {
            let _ = writeln!(log, "with `{}` of {} bytes in its folder", f.name, f.bytes.len());
        }
        let ended = self.run(&mut command, stdin)?;
        let text = std::fs::read(&xml).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        let records = records(&text, &ended.output);
        // Only a program built with the wrappers writes such a file.
        let calls = std::fs::read(&calls).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        let _ = writeln!(
            log,
            "{}\nit {}; {} records{}",
            end_of(ended.output.trim_end(), 4096),
            ended.how(),
            records.records.len(),
            if records.cut_off { ", cut off" } else { "" }
        );
        // An example of the records is worth keeping, not a thousand of them.
        let _ = writeln!(log, "{}{}", head_of(&text, 4096), head_of(&calls, 4096));
        let mut how = self.how(&ended);
        if records.records.is_empty()
            && let Some(last) = last_line(&ended)
        {
            let _ = write!(how, ": {last}");
        }
        Ok(SanitizerResult { records, ended: ended.success(), how, output: ended.output, log, calls })
    }

    /// Runs a process that uses the device, within the limits.
    fn run(&self, command: &mut Command, stdin: &str) -> Result<RunEnd, String> {
        let limits = self.manifest.limits;
        let time = self.time(limits.time());
        command.env(SECONDS, (time + SPARE).as_secs().to_string());
        command.env(WAIT, time.saturating_sub(SPARE.min(time / 4)).as_millis().to_string());
        process::run_to_the_last(command, stdin, time, Some(limits.memory))
            .map_err(|e| format!("{}: {e}", command.get_program().display()))
    }

    /// Whether the time limit ended the process; the launcher ends by itself a little earlier.
    fn was_late(&self, ended: &RunEnd) -> bool {
        ended.status.is_none() || (!ended.success() && ended.output.lines().any(|l| l == LATE))
    }

    /// Description of the process's end; if the time limit ended it, with the limit.
    fn how(&self, ended: &RunEnd) -> String {
        if !self.was_late(ended) {
            return ended.how();
        }
        let (all, key) = (self.manifest.limits.timeout_s, "`[confirm] timeout_s`");
        format!("{LATE} ({all} second{}: {key})", if all == 1 { "" } else { "s" })
    }

    /// The given time, or what is left until the deadline.
    fn time(&self, all: Duration) -> Duration {
        self.deadline.map_or(all, |d| all.min(d.saturating_duration_since(Instant::now())))
    }

    /// Output of a build, which is run once.
    fn build(&mut self, name: &str, log: &mut String) -> Result<PathBuf, String> {
        if let Some(known) = self.built.get(name) {
            return known.clone();
        }
        let result = match self.manifest.builds.iter().find(|b| b.name == name) {
            Some(build) => self.make(build, log),
            None => Err(format!("the manifest has no build `{name}`")),
        };
        self.built.insert(name.to_owned(), result.clone());
        result
    }

    fn make(&self, build: &ManifestBuild, log: &mut String) -> Result<PathBuf, String> {
        let output = self.scratch.join(&build.output);
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        for step in &build.steps {
            let mut command = self.command(step);
            log.push_str(&shown(&command));
            let done = process::run(&mut command, "", self.time(COMPILE_TIME), None)
                .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
            if !done.output.trim().is_empty() {
                let _ = writeln!(log, "{}", done.output.trim_end());
            }
            if !done.success() {
                let why = done
                    .output
                    .lines()
                    .find(|l| l.contains("error") || l.contains("fatal"))
                    .or(done.output.lines().last())
                    .unwrap_or_default();
                return Err(format!("nvcc {}{}{why}", done.how(), if why.is_empty() { "" } else { ": " }));
            }
        }
        Ok(output)
    }

    fn command(&self, step: &BuildStep) -> Command {
        let program = match step.tool {
            BuildTool::Nvcc => self.toolchain.nvcc.clone(),
            BuildTool::Nvlink => self
                .toolchain
                .nvcc
                .canonicalize()
                .unwrap_or_else(|_| self.toolchain.nvcc.clone())
                .with_file_name("nvlink"),
        };
        let mut command = Command::new(program);
        command
            .args(step.words.iter().map(|w| self.word(w)))
            .current_dir(self.word(&step.directory))
            // The words contain these flags already.
            .env_remove("NVCC_PREPEND_FLAGS")
            .env_remove("NVCC_APPEND_FLAGS");
        command
    }

    fn word(&self, word: &CommandWord) -> String {
        match word {
            CommandWord::Text(text) => text.clone(),
            CommandWord::Scratch(path) => self.scratch.join(path).to_string_lossy().into_owned(),
            CommandWord::Bundle(path) => self.bundle.join(path).to_string_lossy().into_owned(),
            CommandWord::Architecture => self.toolchain.device.architecture(),
        }
    }
}

/// Retargets PTX to this compute capability, if its target is newer.
fn retargeted(ptx: &str, capability: u32) -> Option<String> {
    const TARGET: &str = ".target sm_";
    let at = ptx.lines().find_map(|l| l.strip_prefix(TARGET))?;
    let wanted = at.split(',').next()?.trim();
    let number: u32 = wanted.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()?;
    (number > capability).then(|| ptx.replacen(&format!("{TARGET}{wanted}"), &format!("{TARGET}{capability}"), 1))
}

/// Records of Compute Sanitizer. It writes its file at the program's own end. If that was not reached and the file
/// has no whole record, the printed output counts.
fn records(file: &str, printed: &str) -> Records {
    let records = Records::parse(file);
    if !records.records.is_empty() || !records.cut_off {
        return records;
    }
    let printed = Records::parse_text(printed);
    if printed.records.is_empty() { records } else { printed }
}

/// Address of an object, as the launcher printed it.
fn start_of(output: &str, object: &str) -> Option<u64> {
    let rest = output.lines().find_map(|l| l.strip_prefix(&format!("object {object} at 0x")))?;
    u64::from_str_radix(rest.split(' ').next()?, 16).ok()
}

/// Name of a kernel in a cubin, which may differ from clang's for symbols local to a unit.
fn entry_of(cubin: &Path, kernel: &str) -> Result<String, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", cubin.display());
    let data = std::fs::read(cubin).map_err(|e| failed(&e))?;
    let file = ElfFile64::<Endianness>::parse(data.as_slice()).map_err(|e| failed(&e))?;
    let entries: Vec<String> =
        file.sections().filter_map(|s| Some(s.name().ok()?.strip_prefix(".text.")?.to_owned())).collect();
    if entries.iter().any(|e| e == kernel) {
        return Ok(kernel.to_owned());
    }
    let wanted = demangled(kernel);
    let mut same = entries.into_iter().filter(|e| demangled(e) == wanted);
    match (same.next(), same.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(format!("nvcc's code of the unit has no kernel `{wanted}`")),
        (Some(_), Some(_)) => Err(format!("nvcc's code of the unit has several kernels `{wanted}`")),
    }
}

fn demangled(symbol: &str) -> String {
    cpp_demangle::Symbol::new(symbol).ok().and_then(|s| s.demangle().ok()).unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
mod tests {
    use super::retargeted;

    #[test]
    fn code_for_a_newer_device_is_said_to_be_for_this_one() {
        let ptx = ".version 8.8\n.target sm_90a, debug\n.address_size 64\n// .target sm_90\n";
        assert_eq!(
            retargeted(ptx, 86).unwrap(),
            ".version 8.8\n.target sm_86, debug\n.address_size 64\n// .target sm_90\n"
        );
        assert_eq!(retargeted(ptx, 90), None);
        assert_eq!(retargeted("\n", 75), None);
    }
}
