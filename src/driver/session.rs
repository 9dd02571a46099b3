//! Settings that commands share: the project's, overridden by the command line.

mod reporting;

use super::args::{Colour, CommonArgs, DiffArgs};
use super::cache::remote::SessionRemote;
use super::changes::ChangesSince;
use super::history::SessionCounters;
use super::output;
use super::worker::memory;
use anyhow::{Context, Result, bail};
use base::cpu_time::TimeLimit;
use base::inside::{Dump, RequestedOutput, UserPosition};
use base::rules::Level;
use base::{own_program, paths};
use check::{self, Pace};
use config::{self, Config, FrontendKind, RuleSelector, SkippedStatements};
use confirm::Confirmations;
use files::ContentStore;
use finding::paths::ProjectRoot;
use frontend::{ExtractOptions, Precompile};
use nvcc::{colour, locate, once, shim};
use report::baseline::{self, Baseline};
use report::levels::{Levels, Overrides};
use report::render::{MessageFormat, Style, Verbosity};
use report::shard::Shard;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Shortest time for work that a shim still begins.
const LEAST: Duration = Duration::from_secs(1);

/// Environment variable that carries `-D`, `-W` and `-A` of `scuba build` to its shims: `deny=RULE,allow=all,…`.
const LEVELS_VARIABLE: &str = "SCUBA_LEVELS";

/// Environment variable that carries `--frontend` of `scuba build` to its shims.
const FRONTEND_VARIABLE: &str = "SCUBA_FRONTEND";

/// Settings of one run.
#[derive(Debug)]
pub struct Session {
    pub config: Config,
    pub root: ProjectRoot,
    levels: Levels,
    baseline: Option<Baseline>,
    confirmations: Confirmations,
    /// Changes that findings must concern, if they must.
    changes: Option<ChangesSince>,
    pub format: MessageFormat,
    style: Style,
    pub jobs: usize,
    pub strict: bool,
    /// Statements that a build command skipped because of mistakes in the project's settings.
    left_out: Option<SkippedStatements>,
    started: Instant,
    /// End of a shim's analysis, after `tu_seconds` of wall time for each unit; the shim ends it some seconds later.
    deadline: Option<Instant>,
    /// Part of the budget that the checks may spend, by who waits for them.
    pace: Pace,
    /// Part of the programs that are checked, if not all.
    shard: Option<Shard>,
    /// Whether a report counts even if another run could decide more.
    settled: bool,
    inside: RequestedOutput,
    /// Numbers of units read and programs checked, and of those taken from caches.
    pub tally: SessionCounters,
    remote: SessionRemote,
}

impl Session {
    /// Reads the settings for a command line. `start` is the folder of the first source, or of the facts.
    ///
    /// # Errors
    /// If scuba.toml cannot be read, the chosen front end is not there, or `SCUBA_CACHE` is a URL of no known store.
    pub fn new(common: &CommonArgs, overrides: &Overrides, start: &Path) -> Result<Self> {
        paths::remote_cache().map_err(anyhow::Error::msg)?;
        let mut config = read_config(common.config.as_deref(), start)?;
        config.frontend.kind = decide_frontend(common.frontend, &config)?;
        let root = ProjectRoot::find(config.folder(), start, &working_folder()?);
        let verbosity = match (common.quiet, common.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let jobs = common.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
        Ok(Self {
            levels: Levels::new(&config, overrides),
            baseline: None,
            confirmations: Confirmations::default(),
            changes: None,
            format: common.message_format,
            style: Style { colour: output::coloured(common.color), verbosity, summary: true },
            jobs,
            strict: common.strict,
            left_out: None,
            started: Instant::now(),
            deadline: None,
            pace: Pace::Whole,
            shard: None,
            settled: false,
            inside: RequestedOutput { dumps: common.dump.clone(), explain: None, timings: common.timings },
            tally: SessionCounters::default(),
            remote: SessionRemote::of(&config),
            config,
            root,
        })
    }

    /// Reads the settings for the shim, which has no options of its own; its command has `units` units. A mistake in
    /// the project's settings costs the statement that contains it; with `SCUBA_STRICT` it is an error.
    ///
    /// # Errors
    /// If `SCUBA_MESSAGE_FORMAT` or the inherited front end cannot be read, or the chosen front end is not there; with
    /// `SCUBA_STRICT`, if scuba.toml or the baseline cannot be read.
    pub fn of_shim(start: &Path, units: u32) -> Result<Self> {
        let named = std::env::var_os("SCUBA_CONFIG").filter(|v| !v.is_empty()).map(PathBuf::from);
        let strict = shim::is_set("SCUBA_STRICT");
        let (mut config, left_out) = match find_config(named.as_deref(), start)? {
            None => (Config::default(), None),
            Some(path) if strict => (config::load(&path)?, None),
            Some(path) => config::load_leniently(&path),
        };
        config.frontend.kind = decide_frontend(inherited_frontend()?, &config)?;
        let format = match std::env::var("SCUBA_MESSAGE_FORMAT") {
            Ok(text) if !text.is_empty() => text
                .parse::<MessageFormat>()
                .map_err(|_| anyhow::anyhow!("SCUBA_MESSAGE_FORMAT is `{text}`: use {}", MessageFormat::names()))?
                .of_one_command(),
            _ => MessageFormat::Human,
        };
        let root = ProjectRoot::find(config.folder(), start, &working_folder()?);
        let changes = ChangesSince::inherited(root.folder())?;
        let session = Self {
            levels: Levels::new(&config, &inherited_levels()),
            baseline: None,
            confirmations: Confirmations::default(),
            changes,
            format,
            style: Style { colour: output::coloured(inherited_colour()), verbosity: Verbosity::Normal, summary: false },
            // nvcc itself runs beside the analysis, and make expects one job from one command.
            jobs: 1,
            strict,
            left_out,
            started: Instant::now(),
            deadline: Some(Instant::now() + Duration::from_secs(u64::from(config.limits.tu_seconds)) * units),
            pace: Pace::Whole,
            shard: None,
            settled: false,
            inside: RequestedOutput::default(),
            tally: SessionCounters::default(),
            remote: SessionRemote::of(&config),
            config,
            root,
        };
        if strict { session.with_baseline() } else { Ok(session.with_readable_baseline()) }
    }

    /// Sets the pace of checks for which a build command waits; `scuba check` finishes what they leave.
    #[must_use]
    pub fn with_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Restricts checks to a shard of the programs.
    ///
    /// # Errors
    /// If the report has no place for what [`report::shard::merge`] needs.
    pub fn sharded(self, shard: Option<Shard>) -> Result<Self> {
        if let Some(shard) = shard.filter(|_| self.format != MessageFormat::Json) {
            bail!("--shard {shard} needs `--message-format json`: `scuba merge` makes the report of the documents");
        }
        Ok(Self { shard, ..self })
    }

    /// Returns the shard that is checked, if not all programs are.
    #[must_use]
    pub const fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// Makes checks explain how they judge the accesses at a source position.
    #[must_use]
    pub fn explaining(self, spot: Option<UserPosition>) -> Self {
        let explain = spot.map(|s| s.below(self.root.folder()));
        Self { inside: RequestedOutput { explain, ..self.inside }, ..self }
    }

    /// Writes what `--dump`, `--explain` and `--timings` ask for: to standard output, unless that holds a document.
    pub fn show(&self, lines: &[String]) {
        let text: String = lines.iter().map(|l| format!("{}\n", l.trim_end_matches('\n'))).collect();
        match self.format {
            MessageFormat::Human | MessageFormat::Short => output::print(&text),
            _ => output::print_error(&text),
        }
    }

    /// Returns what the command line asks to see of checks.
    #[must_use]
    pub const fn inside(&self) -> &RequestedOutput {
        &self.inside
    }

    /// Makes reports leave out findings that no change since a revision concerns.
    ///
    /// # Errors
    /// If git cannot compare with the revision.
    pub fn since(self, diff: &DiffArgs) -> Result<Self> {
        let revision = diff.diff_base.as_deref().filter(|rev| !rev.is_empty());
        let changes = revision.map(|rev| ChangesSince::of(rev, self.root.folder())).transpose()?;
        Ok(Self { changes, ..self })
    }

    /// Makes reports count even if another run could decide more, for a command that acts on findings.
    #[must_use]
    pub fn acting_on_what_was_found(self) -> Self {
        Self { settled: true, ..self }
    }

    /// Whether a report counts even if a safety net ended its check.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.settled
    }

    /// Whether a build waits for the checks.
    #[must_use]
    pub fn is_hurried(&self) -> bool {
        self.pace != Pace::Whole
    }

    /// Reads the project's baseline, whose findings are accepted.
    ///
    /// # Errors
    /// If the baseline cannot be read; one that scuba.toml names must exist.
    pub fn with_baseline(mut self) -> Result<Self> {
        let path = self.baseline_path();
        if self.config.baseline.is_some() || path.is_file() {
            self.baseline = Some(Baseline::load(&path)?);
        }
        Ok(self)
    }

    /// Reads the project's baseline, whose findings are accepted. A named baseline that cannot be read is recorded as
    /// left out, and the default file takes its place if that can be read.
    fn with_readable_baseline(mut self) -> Self {
        let path = self.baseline_path();
        if self.config.baseline.is_some() || path.is_file() {
            match Baseline::load(&path) {
                Ok(baseline) => self.baseline = Some(baseline),
                Err(e) => {
                    self.left_out = Some(SkippedStatements::with_baseline(self.left_out.take(), e.to_string()));
                    self.baseline = Baseline::load(&self.root.folder().join(baseline::FILE_NAME)).ok();
                }
            }
        }
        self
    }

    /// Returns the line about mistakes in the project's settings: shown once for a build, and later beside what is
    /// denied in `subject`.
    #[must_use]
    pub fn settings_in_error(&self, subject: &str) -> Option<once::OnceMessage> {
        let left = self.left_out.as_ref()?;
        let file = self.config.path.as_ref().map(|p| self.root.show(&p.to_string_lossy()));
        let line = |text: String| format!("scuba: {}", output::harmless(&format!("note: {text}")));
        Some(once::OnceMessage {
            key: left.key(),
            first: line(left.text(file.as_deref())),
            later: Some(line(left.beside(subject, file.as_deref()))),
        })
    }

    /// Adds the outcomes of device runs that these `.scuba` folders hold.
    #[must_use]
    pub fn with_confirmations(mut self, stores: Vec<PathBuf>) -> Self {
        self.confirmations = Confirmations::new(stores);
        self
    }

    /// Path of the baseline, whether or not the file exists.
    #[must_use]
    pub fn baseline_path(&self) -> PathBuf {
        self.config.baseline.clone().unwrap_or_else(|| self.root.folder().join(baseline::FILE_NAME))
    }

    /// Path of the real nvcc; see [`real_nvcc`].
    #[must_use]
    pub fn nvcc(&self) -> Option<PathBuf> {
        real_nvcc(&self.config)
    }

    /// Path of the nvcc that `SCUBA_NVCC` or scuba.toml names.
    #[must_use]
    pub fn set_nvcc(&self) -> Option<PathBuf> {
        named_nvcc(&self.config)
    }

    /// Environment variables that pass this session's command line to the shims of a build.
    #[must_use]
    pub fn environment(&self, common: &CommonArgs, overrides: &Overrides) -> Vec<(OsString, OsString)> {
        // What machines read covers the whole build; a shim's output during the build is for people.
        let format = if self.format.is_for_machines() { MessageFormat::Short } else { self.format };
        let mut set: Vec<(OsString, OsString)> = vec![("SCUBA_MESSAGE_FORMAT".into(), format.name().into())];
        if let Some(path) = common.config.as_ref().and(self.config.path.as_ref()) {
            set.push(("SCUBA_CONFIG".into(), path.into()));
        }
        // Each command of the build runs in its own folder; a relative path is relative to this process's folder.
        if let Some(dir) = paths::set_folder().and_then(|d| std::path::absolute(d).ok()) {
            set.push(("SCUBA_DIR".into(), dir.into()));
        }
        if let Some(kind) = common.frontend {
            set.push((FRONTEND_VARIABLE.into(), kind.name().into()));
        }
        match common.color {
            Colour::Auto => {}
            Colour::Always => set.push((colour::VARIABLE.into(), "always".into())),
            Colour::Never => set.push((colour::VARIABLE.into(), "never".into())),
        }
        if self.strict {
            set.push(("SCUBA_STRICT".into(), "1".into()));
        }
        set.extend(self.changes.iter().flat_map(ChangesSince::environment));
        let levels: Vec<String> = overrides
            .iter()
            .map(|(rule, level)| {
                let word = match level {
                    Level::Deny => "deny",
                    Level::Warn => "warn",
                    Level::Note => "note",
                    Level::Allow => "allow",
                };
                format!("{word}={rule}")
            })
            .collect();
        set.push((LEVELS_VARIABLE.into(), levels.join(",").into()));
        set
    }

    #[must_use]
    pub fn verbose(&self) -> bool {
        self.style.verbosity == Verbosity::Verbose
    }

    #[must_use]
    pub fn quiet(&self) -> bool {
        self.style.verbosity == Verbosity::Quiet
    }

    #[must_use]
    pub fn extract_options(&self) -> ExtractOptions {
        let defaults = ExtractOptions::default();
        let time = TimeLimit::of(Duration::from_secs(u64::from(self.config.limits.tu_seconds)));
        ExtractOptions {
            clang: self.config.frontend.clang.clone().unwrap_or(defaults.clang),
            time_limit: self.left().map_or(time, |left| time.within(left.max(LEAST))),
            memory_limit: self.config.limits.memory,
            extra_flags: self.placeless_names().into_iter().chain(self.config.frontend.flags.iter().cloned()).collect(),
            kind: self.config.frontend.kind,
            cgeist: named_cgeist(&self.config),
            cgeist_cuda: named_cgeist_cuda(&self.config),
            headers: ContentStore::of_this_process().map(|v| header_folder(v.folder())),
            one_side_at_a_time: self.jobs == 1,
            // Only commands of a build have a deadline.
            precompile: match self.config.warm && self.deadline.is_some() {
                true => Precompile::Recorded,
                false => Precompile::Needed,
            },
            ..ExtractOptions::default()
        }
    }

    /// Flag for a `__FILE__` relative to the project, equal in every checkout. Clang splits it at its first `=`.
    fn placeless_names(&self) -> Option<String> {
        let folder = self.root.folder().to_str().filter(|f| f.len() > 1 && !f.contains('='))?;
        Some(format!("-fmacro-prefix-map={folder}/="))
    }

    /// Time since the command began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time that a shim has left; `None` for other commands.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    #[must_use]
    pub fn check_options(&self) -> check::CheckOptions {
        let limits = &self.config.limits;
        let seconds = |left: Duration| u32::try_from((left + LEAST / 2).max(LEAST).as_secs()).unwrap_or(u32::MAX);
        check::CheckOptions {
            device_memory: limits.device_memory,
            handy: Some(self.config.confirm.max_bytes),
            work: limits.work,
            pace: self.pace,
            solver_ms: limits.solver_ms,
            memory: Some(memory::of_execution(limits.memory)),
            seconds: match self.inside.dumps.contains(&Dump::Doubts) {
                true => limits.tu_seconds.saturating_mul(check::CHECKS_FOR_DOUBTS),
                false => limits.tu_seconds,
            },
            patience: self.left().map(seconds),
            roots: self.config.roots.clone(),
            entry: self.config.entry.clone(),
            assume: self.config.assume.clone(),
            contracts: self.config.contracts.clone(),
            invariants: self.config.invariants.clone(),
            jobs: self.jobs,
            inside: self.inside.clone(),
            ..check::CheckOptions::default()
        }
    }
}

/// Returns the levels of the enclosing `scuba build`, without entries of other versions, which cannot be parsed.
fn inherited_levels() -> Overrides {
    let text = std::env::var(LEVELS_VARIABLE).unwrap_or_default();
    text.split(',')
        .filter_map(|one| {
            let (word, rule) = one.split_once('=')?;
            let level = match word {
                "deny" => Level::Deny,
                "warn" => Level::Warn,
                "note" => Level::Note,
                "allow" => Level::Allow,
                _ => return None,
            };
            Some((rule.parse::<RuleSelector>().ok()?, level))
        })
        .collect()
}

fn inherited_colour() -> Colour {
    match std::env::var(colour::VARIABLE).as_deref() {
        Ok("always") => Colour::Always,
        Ok("never") => Colour::Never,
        _ => Colour::Auto,
    }
}

fn inherited_frontend() -> Result<Option<FrontendKind>> {
    let text = std::env::var(FRONTEND_VARIABLE).unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    <FrontendKind as clap::ValueEnum>::from_str(&text, false)
        .map(Some)
        .map_err(|_| anyhow::anyhow!("{FRONTEND_VARIABLE} is `{text}`: use auto, clang or cgeist"))
}

/// Returns the folder of a cache's precompiled headers. Clang writes its path into them, so symbolic links in it are
/// resolved.
pub(crate) fn header_folder(cache: &Path) -> PathBuf {
    let folder = cache.join("headers");
    folder.canonicalize().unwrap_or(folder)
}

/// Returns the nvcc that `SCUBA_NVCC` names, else the one of scuba.toml.
#[must_use]
pub fn named_nvcc(config: &Config) -> Option<PathBuf> {
    std::env::var_os("SCUBA_NVCC").filter(|v| !v.is_empty()).map(PathBuf::from).or_else(|| config.nvcc.clone())
}

/// Returns the real nvcc: the named one, else the first of `CUDA_HOME`, `CUDA_PATH` and `PATH`. The shim is skipped.
#[must_use]
pub fn real_nvcc(config: &Config) -> Option<PathBuf> {
    let shim = own_program::path().and_then(|p| p.with_file_name("scuba-nvcc").canonicalize()).ok();
    locate::candidates(named_nvcc(config).as_deref()).into_iter().find(|p| p.canonicalize().ok() != shim)
}

/// Returns the cgeist that `SCUBA_CGEIST` names, else the one of scuba.toml.
#[must_use]
pub fn named_cgeist(config: &Config) -> Option<PathBuf> {
    std::env::var_os("SCUBA_CGEIST")
        .filter(|v| !v.is_empty())
        .map(PathBuf::from)
        .or_else(|| config.frontend.cgeist.clone())
}

/// Returns the toolkit for cgeist that `SCUBA_CGEIST_CUDA` names, else the one of scuba.toml.
#[must_use]
pub fn named_cgeist_cuda(config: &Config) -> Option<PathBuf> {
    std::env::var_os("SCUBA_CGEIST_CUDA")
        .filter(|v| !v.is_empty())
        // A unit is read in its own folder; a relative path is relative to this process's folder.
        .map(|v| std::path::absolute(&v).unwrap_or_else(|_| v.into()))
        .or_else(|| config.frontend.cgeist_cuda.clone())
}

/// Chooses the front end that reads the sources: the command line's, else that of scuba.toml. Every command asks here.
fn decide_frontend(chosen: Option<FrontendKind>, config: &Config) -> Result<FrontendKind> {
    match chosen.unwrap_or(config.frontend.kind) {
        FrontendKind::Cgeist => {
            find_cgeist(config)?;
            Ok(FrontendKind::Cgeist)
        }
        kind => Ok(kind),
    }
}

#[cfg(feature = "cgeist")]
fn find_cgeist(config: &Config) -> Result<()> {
    let program = named_cgeist(config).unwrap_or_else(|| "cgeist".into());
    if which::which(&program).is_err() {
        bail!("{}", cgeist::process::CgeistError::Missing { program });
    }
    Ok(())
}

#[cfg(not(feature = "cgeist"))]
fn find_cgeist(_: &Config) -> Result<()> {
    bail!("this scuba was built without cgeist (the feature `cgeist` of its crate): read by clang")
}

fn read_config(named: Option<&Path>, start: &Path) -> Result<Config> {
    Ok(find_config(named, start)?.map(|p| config::load(&p)).transpose()?.unwrap_or_default())
}

/// Returns the scuba.toml that is named, else the nearest one.
fn find_config(named: Option<&Path>, start: &Path) -> Result<Option<PathBuf>> {
    Ok(match named {
        Some(p) => Some(std::path::absolute(p).with_context(|| format!("cannot resolve {}", p.display()))?),
        None => config::find(start),
    })
}

fn working_folder() -> Result<PathBuf> {
    std::env::current_dir().context("the working folder does not exist")
}

/// Returns the absolute folder of a path; the path itself if it is a folder.
///
/// # Errors
/// If there is no working folder.
pub fn folder_of(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).with_context(|| format!("cannot resolve {}", path.display()))?;
    Ok(if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("/")).to_owned() })
}
