//! `scuba confirm`: runs counterexamples on a GPU, or writes them into a bundle for a machine that has one.

use super::check;
use crate::args::ConfirmArgs;
use crate::programs::architectures;
use crate::programs::checking;
use crate::programs::checking::CheckResults;
use crate::programs::stored;
use crate::programs::stored::StoredFacts;
use crate::session::{Session, folder_of};
use crate::{Status, output};
use anyhow::{Context, Result, bail};
use base::rules::Level;
use config::ConfirmWhen;
use confirm::bundle::{self, BundledFiles};
use confirm::commands::InPlace;
use confirm::device::{DeviceError, PATIENCE, Toolchain};
use confirm::manifest::{CommandWord, RunLimits};
pub use confirm::prepare::{self, AttemptChoice, Generated, Material, ProjectLocations};
use confirm::scratch::Scratch;
use confirm::{ConfirmCase, Manifest, RecordedOutcome, execute, store};
use facts::join::ProgramPlan;
use facts::{LinkFacts, UnderivedInputs, UnitFacts, UnitWithCode};
use finding::sources::SourceFiles;
use finding::{Confirmation, ConfirmationStatus, ConfirmedBy, Finding};
use ir::{Module, Program};
use nvcc::interpose::progress::ProgressDisplay;
use report::assemble::Assembled;
use report::human;
use report::levels::Overrides;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// # Errors
/// If nothing can be checked, a fingerprint matches no finding, or there is no GPU to run on.
pub fn run(args: &ConfirmArgs, overrides: &Overrides) -> Result<Status> {
    if let Some(folder) = &args.from {
        return from_bundle(folder, args, overrides);
    }
    let (files, wanted) = sort_targets(&args.targets);
    let (session, opened) = ConfirmUnits::new(&files, args, overrides)?;
    let toolchain = match args.bundle {
        Some(_) => None,
        // Comes before the check, which takes longer than finding out that there is no GPU.
        None => Some(toolchain(&session, None)?),
    };
    let checked = opened.check(&session);
    let project = opened.project();
    let frontend = checked.frontend.clone();
    let (mut assembled, sources) = session.assemble(checked.found, frontend);
    session.say_asides(&assembled);
    let chosen = choose(&assembled, &wanted, session.config.confirm.when)?;
    if chosen.is_empty() {
        let warned = assembled.report.findings.iter().filter(|f| f.witness.is_some()).count();
        output::complain(&if warned == 0 {
            "there is nothing to confirm: no finding has a counterexample".to_owned()
        } else {
            format!(
                "there is nothing to confirm: no denied finding has a counterexample; {warned} with level warn have one: set `[confirm] when = \"all\"`, or name them by their fingerprints"
            )
        });
        return Ok(Status::Clean);
    }
    match (&args.bundle, toolchain) {
        (Some(folder), _) => {
            let copied = project.copied(&session);
            let template = CommandWord::Bundle(bundle::LAUNCHER.into());
            let calls = CommandWord::Bundle(bundle::CALLS.into());
            let around = ProjectLocations { root: &session.root, sources: &sources, places: &copied, template, calls };
            let (manifest, generated) = project.manifest(
                &chosen,
                args.exe.as_deref(),
                AttemptChoice { program: true, checks: Some(&session.extract_options()), until: None },
                &session,
                &around,
            )?;
            for path in bundle::write(folder, &manifest, &copied, &generated)? {
                output::complain(&format!(
                    "{} cannot be read, so the bundle lacks it and its unit will not compile there: build again, then make the bundle again",
                    path.display()
                ));
            }
            for line in if args.exe.is_none() { project.lacking(&chosen) } else { vec![] } {
                output::complain(&format!("not in the bundle: {line}"));
            }
            let (n, at) = (manifest.cases.len(), folder.display());
            let what = if n == 1 { "1 counterexample is".to_owned() } else { format!("{n} counterexamples are") };
            output::complain(&format!("{what} in {at}; where there is a GPU, run `scuba confirm --from {at}`"));
            Ok(Status::Clean)
        }
        (None, Some(toolchain)) => {
            let outcomes = project.confirm(
                &chosen,
                args.exe.as_deref(),
                AttemptChoice { program: true, checks: Some(&session.extract_options()), until: None },
                &session,
                &sources,
                &toolchain,
            )?;
            attach(&mut assembled, &outcomes);
            session.write(&assembled, &sources)?;
            Ok(session.status(&assembled))
        }
        // The toolchain exists unless a bundle is asked for.
        (None, None) => Ok(Status::Unable),
    }
}

/// Finds the tools to run with, which have to answer before `until`.
///
/// # Errors
/// If a tool is missing or does not answer, or there is no GPU.
fn toolchain(session: &Session, until: Option<Instant>) -> Result<Toolchain, DeviceError> {
    // Three tools are asked.
    let patience = until.map_or(PATIENCE, |end| (end.saturating_duration_since(Instant::now()) / 3).min(PATIENCE));
    Toolchain::find(session.nvcc().as_deref(), session.config.confirm.compute_sanitizer.as_deref(), patience)
}

/// Separates files and folders from fingerprints.
fn sort_targets(targets: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let is_fingerprint =
        |t: &String| (4..=16).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_hexdigit()) && !Path::new(t).exists();
    let (prints, files): (Vec<String>, Vec<String>) = targets.iter().cloned().partition(is_fingerprint);
    (files.into_iter().map(PathBuf::from).collect(), prints)
}

/// Returns the findings to confirm, among those with a counterexample: by fingerprint, else all denied ones (all, if
/// scuba.toml says so).
fn choose(assembled: &Assembled, wanted: &[String], when: ConfirmWhen) -> Result<Vec<Finding>> {
    let findings = &assembled.report.findings;
    for w in wanted {
        if !findings.iter().any(|f| f.fingerprint.starts_with(w.as_str())) {
            bail!("there is no finding `{w}`: `--message-format json` lists all fingerprints");
        }
    }
    let asked = |f: &&Finding| {
        if wanted.is_empty() {
            f.level == Level::Deny || when == ConfirmWhen::All
        } else {
            wanted.iter().any(|w| f.fingerprint.starts_with(w.as_str()))
        }
    };
    Ok(findings.iter().filter(asked).filter(|f| f.witness.is_some()).cloned().collect())
}

/// Stores outcomes in their findings.
pub fn attach(assembled: &mut Assembled, outcomes: &[RecordedOutcome]) {
    for f in &mut assembled.report.findings {
        if let Some(o) = outcomes.iter().find(|o| o.fingerprint == f.fingerprint) {
            f.confirmation = Some(o.confirmation.clone());
        }
    }
}

/// Units in which the findings were found, from sources or from a build's facts.
enum ConfirmUnits {
    Sources { units: Vec<UnitWithCode>, plan: ProgramPlan, store: PathBuf },
    Facts(Box<StoredFacts>),
}

impl ConfirmUnits {
    fn new(files: &[PathBuf], args: &ConfirmArgs, overrides: &Overrides) -> Result<(Session, Self)> {
        match files {
            [] => Self::of_facts(None, args, overrides),
            [dir] if dir.is_dir() => Self::of_facts(Some(dir), args, overrides),
            files => {
                let (session, units, plan) = check::read_files(files, &args.flags, &args.common, overrides)?;
                Ok((
                    session.acting_on_what_was_found(),
                    Self::Sources { units, plan, store: check::store_of(&files[0])? },
                ))
            }
        }
    }

    fn of_facts(dir: Option<&Path>, args: &ConfirmArgs, overrides: &Overrides) -> Result<(Session, Self)> {
        if !args.flags.is_empty() {
            bail!(
                "flags after `--` apply to sources only: `scuba confirm FILE.cu -- FLAGS`; a build's facts have their own"
            );
        }
        let (mut stored, session) = stored::open_with_session(dir, &args.common, overrides)?;
        stored.refresh(&session);
        let session = session.with_baseline()?.with_confirmations(stored.folders()).acting_on_what_was_found();
        Ok((session, Self::Facts(Box::new(stored))))
    }

    fn check(&self, session: &Session) -> CheckResults {
        match self {
            Self::Sources { units, plan, .. } => check::check_units(std::slice::from_ref(plan), units, session),
            Self::Facts(stored) => stored.check(session),
        }
    }

    fn project(&self) -> ConfirmProject<'_> {
        match self {
            Self::Sources { units, plan, store } => ConfirmProject {
                facts: units.iter().map(|u| &u.facts).collect(),
                modules: Box::new(|i| Ok(units[i].modules.clone())),
                plans: vec![plan.clone()],
                links: &[],
                stores: vec![store.clone(); units.len()],
            },
            Self::Facts(stored) => ConfirmProject::stored(stored),
        }
    }
}

/// Programs with their code and the commands that build them.
pub struct ConfirmProject<'a> {
    pub facts: Vec<&'a UnitFacts>,
    /// Returns a unit's code by its position.
    pub modules: Box<dyn Fn(usize) -> Result<Vec<Arc<Module>>> + 'a>,
    pub plans: Vec<ProgramPlan>,
    pub links: &'a [LinkFacts],
    /// The `.scuba` folder for outcomes of each unit, by position.
    pub stores: Vec<PathBuf>,
}

impl<'a> ConfirmProject<'a> {
    /// Takes the units, programs and links of a build's facts.
    #[must_use]
    pub fn stored(stored: &'a StoredFacts) -> Self {
        Self {
            facts: stored.units.iter().collect(),
            modules: Box::new(|i| stored.modules(i)),
            plans: stored.plans(),
            links: stored.links(),
            stores: (0..stored.units.len()).map(|i| stored.folder_of(i).to_owned()).collect(),
        }
    }

    /// Returns what is missing to link the programs of these findings, one line for each program.
    fn lacking(&self, findings: &[Finding]) -> Vec<String> {
        let concerned = self.plans.iter().filter(|p| findings.iter().any(|f| f.program == p.name));
        concerned.filter_map(|p| prepare::lacking(&UnderivedInputs::of(p, &self.facts, self.links).missing)).collect()
    }

    fn copied(&self, session: &Session) -> BundledFiles {
        let nvcc = session.nvcc();
        let names = nvcc.iter().cloned().chain(nvcc.iter().filter_map(|n| n.canonicalize().ok()));
        let toolkit = names.filter_map(|n| Some(n.parent()?.parent()?.to_owned())).collect();
        let units = self.plans.iter().flat_map(|p| &p.units).map(|&i| self.facts[i]);
        let files: Vec<PathBuf> =
            units.flat_map(|u| u.dependencies.list().into_iter().map(|d| d.path).chain([u.source()])).collect();
        BundledFiles::new(toolkit, files)
    }

    /// Makes the manifest of the runs for these findings, with the files generated for it.
    fn manifest(
        &self,
        findings: &[Finding],
        exe: Option<&Path>,
        attempts: AttemptChoice<'_>,
        session: &Session,
        around: &ProjectLocations<'_>,
    ) -> Result<(Manifest, Vec<Generated>)> {
        let c = &session.config.confirm;
        let limits = RunLimits {
            padding: c.padding,
            max_bytes: c.max_bytes,
            timeout_s: c.timeout_s,
            memory: session.config.limits.memory,
        };
        let mut manifest = Manifest::new(limits);
        let mut generated = Vec::new();
        let executable = exe
            .map(|p| p.canonicalize().with_context(|| format!("there is no program {}", p.display())))
            .transpose()?;
        for (n, plan) in self.plans.iter().enumerate() {
            // Positions refer to the code of the lowest architecture.
            let is_own = |f: &&Finding| f.program == plan.name && f.architecture.is_none();
            let own: Vec<&Finding> = findings.iter().filter(is_own).collect();
            if own.is_empty() {
                continue;
            }
            let mut code = Vec::new();
            for (position, &unit) in plan.units.iter().enumerate() {
                code.extend(architectures::lowest(&(self.modules)(unit)?).into_iter().map(|m| (m, position)));
            }
            // The order in which the check linked the code: sites are positions in it.
            code.sort_by(|(a, _), (b, _)| checking::order(a).cmp(&checking::order(b)));
            let (code, owners): (Vec<Arc<Module>>, Vec<usize>) = code.into_iter().unzip();
            let program = Program::link(code);
            let besides = UnderivedInputs::of(plan, &self.facts, self.links);
            let material = Material {
                program: &program,
                units: plan.units.iter().map(|&i| &self.facts[i].unit).collect(),
                owners,
                others: besides.files,
                missing: besides.missing,
                executable: executable.as_deref(),
                prefix: format!("{n}-"),
                store: plan.units.first().map(|&i| self.stores[i].clone()).unwrap_or_default(),
            };
            generated.extend(prepare::add(&mut manifest, &own, &material, attempts, around));
        }
        Ok((manifest, generated))
    }

    /// Runs findings on this machine's GPU and stores the outcomes.
    ///
    /// # Errors
    /// If what is run cannot be prepared, or the folder for it cannot be written.
    pub fn confirm(
        &self,
        findings: &[Finding],
        exe: Option<&Path>,
        attempts: AttemptChoice<'_>,
        session: &Session,
        sources: &SourceFiles,
        toolchain: &Toolchain,
    ) -> Result<Vec<RecordedOutcome>> {
        let folder = Scratch::new().context("cannot make a folder for the launcher")?;
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            anyhow::Ok(CommandWord::text(path.to_string_lossy()))
        };
        let around = ProjectLocations {
            root: &session.root,
            sources,
            places: &InPlace,
            template: put(bundle::LAUNCHER, prepare::TEMPLATE)?,
            calls: put(bundle::CALLS, prepare::CALLS)?,
        };
        let (manifest, generated) = self.manifest(findings, exe, attempts, session, &around)?;
        bundle::write_generated(folder.path(), &generated)?;
        execute_all(&manifest, folder.path(), toolchain, session, attempts.until, session.verbose())
    }
}

/// Confirms findings that have a counterexample and are not confirmed yet, as `[confirm] when` says, if there is a
/// GPU. If runs should have taken place and did not, each finding without an outcome gets the reason, and the returned
/// line covers all of them.
#[must_use]
pub fn automatically(
    assembled: &mut Assembled,
    sources: &SourceFiles,
    project: &ConfirmProject<'_>,
    attempts: AttemptChoice<'_>,
    session: &Session,
) -> Option<String> {
    let when = session.config.confirm.when;
    // A finding that did not show before may show to the check compiled into the kernel, and to that check again with
    // more time.
    let again = |c: &Confirmation| {
        attempts.checks.is_some()
            && c.status != ConfirmationStatus::Confirmed
            && (attempts.until.is_none() || c.by != ConfirmedBy::KernelCheck)
    };
    let open = |f: &Finding| f.confirmation.as_ref().is_none_or(again);
    let wanted = |f: &&Finding| f.witness.is_some() && open(f) && (f.level == Level::Deny || when == ConfirmWhen::All);
    let findings: Vec<Finding> = assembled.report.findings.iter().filter(wanted).cloned().collect();
    if when == ConfirmWhen::Never || findings.is_empty() {
        return None;
    }
    let (why, more) = match toolchain(session, attempts.until) {
        Err(DeviceError::NoDevice(_)) => (
            "there is no NVIDIA GPU here".to_owned(),
            "; `scuba confirm --bundle DIR` makes a bundle for a machine that has one".to_owned(),
        ),
        Err(e) => (e.to_string(), String::new()),
        Ok(toolchain) => {
            // A fault in the confirmation, which is only evidence, must not cost the verdict.
            let run = std::panic::AssertUnwindSafe(|| {
                project.confirm(&findings, None, attempts, session, sources, &toolchain)
            });
            match std::panic::catch_unwind(run)
                .unwrap_or_else(|_| Err(anyhow::anyhow!("internal fault; please report it")))
            {
                Ok(outcomes) => {
                    attach(assembled, &outcomes);
                    match findings.len() - outcomes.len() {
                        0 => return None,
                        left => (
                            "the time limit was reached".to_owned(),
                            format!(" for {left} of the findings; `scuba confirm` runs them"),
                        ),
                    }
                }
                Err(e) => (format!("{e:#}"), String::new()),
            }
        }
    };
    for f in assembled
        .report
        .findings
        .iter_mut()
        .filter(|f| f.confirmation.is_none() && findings.iter().any(|w| w.fingerprint == f.fingerprint))
    {
        f.confirmation_not_run = Some(why.clone());
    }
    Some(human::not_run(&(why + &more)))
}

/// Runs a manifest and stores each outcome; if `aloud`, also reports it.
fn execute_all(
    manifest: &Manifest,
    folder: &Path,
    toolchain: &Toolchain,
    session: &Session,
    deadline: Option<Instant>,
    aloud: bool,
) -> Result<Vec<RecordedOutcome>> {
    let mut progress = (!session.quiet()).then(|| ProgressDisplay::new("Confirming", manifest.cases.len() as u64));
    let outcomes = execute::execute(manifest, folder, toolchain, deadline, |case, outcome| {
        keep(&case.store, outcome);
        if let Some(p) = &mut progress {
            p.step(&case.expected.fingerprint);
            if aloud {
                p.suspend(|| say(case, outcome));
            }
        }
    })?;
    Ok(outcomes)
}

/// Stores an outcome. If the project is on another machine, the folder does not exist and nothing is stored.
fn keep(folder: &Path, outcome: &RecordedOutcome) {
    if folder.parent().is_none_or(|p| !p.is_dir()) {
        return;
    }
    if let Err(e) = store::keep(folder, outcome) {
        output::complain(&format!("cannot store the run's output in {}: {e}", folder.display()));
    }
}

fn say(case: &ConfirmCase, outcome: &RecordedOutcome) {
    let c = &outcome.confirmation;
    output::complain(&format!("{}: {}: {}", c.status, case.expected.summary, c.detail));
}

/// Runs a bundle; without a GPU, takes over the results of an earlier run elsewhere.
fn from_bundle(folder: &Path, args: &ConfirmArgs, overrides: &Overrides) -> Result<Status> {
    if !args.targets.is_empty() || args.exe.is_some() {
        bail!("`--from` runs a bundle as it is: name no findings and no program beside it");
    }
    let folder = std::path::absolute(folder).with_context(|| format!("cannot resolve {}", folder.display()))?;
    let manifest = Manifest::load(&folder)?;
    let here = std::env::current_dir().context("the working folder does not exist")?;
    let session = Session::new(&args.common, overrides, &folder_of(&here)?)?;
    let (outcomes, written) = match toolchain(&session, None) {
        Ok(toolchain) => {
            let outcomes = execute_all(&manifest, &folder, &toolchain, &session, None, false)?;
            let written = bundle::write_results(&folder, &outcomes);
            (outcomes, written)
        }
        Err(e) => {
            let Some(outcomes) = bundle::results(&folder)? else { return Err(e.into()) };
            for (case, outcome) in manifest
                .cases
                .iter()
                .filter_map(|c| Some((c, outcomes.iter().find(|o| o.fingerprint == c.expected.fingerprint)?)))
            {
                keep(&case.store, outcome);
            }
            (outcomes, Ok(()))
        }
    };
    if session.format.is_document() {
        let text = serde_json::to_string_pretty(&outcomes).context("cannot render the outcomes")?;
        output::print(&(text + "\n"));
    } else if !session.quiet() {
        for (case, outcome) in manifest.cases.iter().zip(&outcomes) {
            say(case, outcome);
        }
    }
    // Outcomes are reported first: a bundle may be in a folder without write access.
    written?;
    let confirmed = outcomes.iter().filter(|o| o.confirmation.status == ConfirmationStatus::Confirmed).count();
    output::complain(&format!(
        "{confirmed} of {} findings confirmed; the logs are in {}",
        outcomes.len(),
        folder.join("results.json").display()
    ));
    Ok(if confirmed > 0 { Status::Denied } else { Status::Clean })
}
