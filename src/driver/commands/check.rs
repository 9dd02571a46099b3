//! `scuba check`: checks sources as one program, the units of a compile_commands.json, or the facts of a build.

use crate::args::{CheckArgs, CommonArgs};
use crate::last_report::{self, CheckSubject};
use crate::programs::as_built;
use crate::programs::checking;
use crate::programs::checking::CheckResults;
use crate::programs::scope;
use crate::programs::sources::{self, NvccChoice};
use crate::programs::stored;
use crate::programs::unseen;
use crate::session::{Session, folder_of};
use crate::{Status, extraction, output};
use anyhow::{Result, bail};
use base::paths;
use facts::join::{self, ProgramPlan};
use facts::{UnitFacts, UnitWithCode};
use finding::UNDECIDED_COPY;
use nvcc::interpose::progress::ProgressDisplay;
use nvcc::unit::TranslationUnit;
use report::levels::Overrides;
use report::shard::{Shard, ShardPart};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// # Errors
/// If there is nothing to check, or settings or flags cannot be understood.
pub fn run(args: CheckArgs, overrides: Overrides) -> Result<Status> {
    if let Some(dir) = &args.compile_commands {
        let (session, units) = of_database(dir, &args, &overrides)?;
        let session = session.explaining(args.explain.clone()).since(&args.diff)?.sharded(args.shard)?;
        let units = extract(&units, &session);
        let facts: Vec<UnitFacts> = units.iter().map(|u| u.facts.clone()).collect();
        let mut plans = join::programs(&facts, &[]);
        scope::join(&mut plans, &facts);
        let subject = CheckSubject { folders: vec![store_of(dir)?], ..CheckSubject::default() };
        return finish(&session, check_units(&plans, &units, &session), subject);
    }
    match args.paths.as_slice() {
        [] => of_facts(None, &args, &overrides),
        [dir] if dir.is_dir() => of_facts(Some(dir), &args, &overrides),
        files => of_files(files, &args, &overrides),
    }
}

fn of_facts(dir: Option<&Path>, args: &CheckArgs, overrides: &Overrides) -> Result<Status> {
    if !args.flags.is_empty() {
        bail!("flags after `--` apply to sources only: `scuba check FILE.cu -- FLAGS`; a build's facts have their own");
    }
    let (mut stored, session) = stored::open_with_session(dir, &args.common, overrides)?;
    let session = session.since(&args.diff)?.sharded(args.shard)?;
    stored.choose(&args.program)?;
    stored.refresh(&session);
    let session = session.with_baseline()?.with_confirmations(stored.folders()).explaining(args.explain.clone());
    if let Some(by) = stored.links_unknown().filter(|_| !session.quiet()) {
        output::complain(&format!("note: {}", unseen::other_linker(by)));
    }
    let checked = stored.check(&session);
    let (folders, file) = (stored.folders(), args.report_to.clone());
    finish(&session, checked, CheckSubject { folders, file, of_facts: true, ..CheckSubject::default() })
}

fn of_files(files: &[PathBuf], args: &CheckArgs, overrides: &Overrides) -> Result<Status> {
    if !args.program.is_empty() {
        bail!("--program chooses among the programs of a build: name the build folder, not sources");
    }
    let (session, units, plan) = read_units(files, &args.common, overrides, |session| match &args.as_built {
        Some(dir) => as_built::units(files, &args.flags, dir, session),
        None => sources::named(files, &args.flags, session.nvcc().as_deref()),
    })?;
    let session = session.explaining(args.explain.clone()).since(&args.diff)?.sharded(args.shard)?;
    let sources = match args.as_built {
        Some(_) => units.iter().map(|u| u.facts.source()).collect(),
        None => files.to_vec(),
    };
    let subject = CheckSubject {
        folders: vec![store_of(&files[0])?],
        sources,
        flags: args.flags.clone(),
        file: args.report_to.clone(),
        ..CheckSubject::default()
    };
    let reasons = units.iter().flat_map(|u| &u.facts.not_analysed).map(|n| n.reason.as_str());
    let missing = output::missing_headers(reasons).filter(|_| !session.quiet());
    let status = finish(&session, check_units(&[plan], &units, &session), subject)?;
    missing.iter().for_each(|line| output::complain(line));
    Ok(status)
}

/// Returns the `.scuba` folder for the outcomes of sources named on the command line, which leave no facts.
///
/// # Errors
/// If there is no working folder.
pub fn store_of(file: &Path) -> Result<PathBuf> {
    Ok(paths::of_this_process(None, &folder_of(file)?))
}

/// Reads the named sources, and returns their units and the one program that these form.
///
/// # Errors
/// If a source is missing, flags cannot be understood, or the sources are not one program.
pub fn read_files(
    files: &[PathBuf],
    flags: &[OsString],
    common: &CommonArgs,
    overrides: &Overrides,
) -> Result<(Session, Vec<UnitWithCode>, ProgramPlan)> {
    read_units(files, common, overrides, |session| sources::named(files, flags, session.nvcc().as_deref()))
}

/// Reads the units of the named sources, which `commands` gives.
fn read_units(
    files: &[PathBuf],
    common: &CommonArgs,
    overrides: &Overrides,
    commands: impl FnOnce(&Session) -> Result<Vec<TranslationUnit>>,
) -> Result<(Session, Vec<UnitWithCode>, ProgramPlan)> {
    if let Some(dir) = files.iter().find(|f| f.is_dir()) {
        bail!("{} is a folder: name one folder alone, or sources", dir.display());
    }
    if let Some(missing) = files.iter().find(|f| !f.exists()) {
        bail!("there is no file {}", missing.display());
    }
    let start = folder_of(&files[0])?;
    let session =
        Session::new(common, overrides, &start)?.with_baseline()?.with_confirmations(vec![store_of(&files[0])?]);
    let units = extract(&commands(&session)?, &session);
    let mains: Vec<&UnitWithCode> = units.iter().filter(|u| u.facts.symbols.has_main()).collect();
    if let [first, second, ..] = mains.as_slice() {
        bail!(
            "{} and {} both define `main`: sources named together are checked as one program",
            first.facts.unit.source.display(),
            second.facts.unit.source.display()
        );
    }
    let named_after = mains.first().or(units.first().as_ref()).map(|u| &u.facts.unit.source);
    let name = named_after.and_then(|s| s.file_stem()).unwrap_or_default().to_string_lossy().into_owned();
    let plan = ProgramPlan { name, units: (0..units.len()).collect(), ..ProgramPlan::default() };
    Ok((session, units, plan))
}

fn of_database(dir: &Path, args: &CheckArgs, overrides: &Overrides) -> Result<(Session, Vec<TranslationUnit>)> {
    let session = Session::new(&args.common, overrides, &folder_of(dir)?)?
        .with_baseline()?
        .with_confirmations(vec![store_of(dir)?]);
    let (set, found) = (session.set_nvcc(), session.nvcc());
    // A set nvcc that cannot run is reported by the code that needs it.
    let units =
        sources::of_database(dir, NvccChoice { set: set.as_deref().and(found.as_deref()), found: found.as_deref() })?;
    Ok((session, units))
}

fn extract(units: &[TranslationUnit], session: &Session) -> Vec<UnitWithCode> {
    let (outside, units): (Vec<TranslationUnit>, Vec<TranslationUnit>) =
        units.iter().cloned().partition(|unit| scope::excludes(&session.config.scope, unit));
    let progress = (!session.quiet()).then(|| Mutex::new(ProgressDisplay::new("Reading", units.len() as u64)));
    let mut extracted = extraction::extract_all(&units, session, &|source: &Path| {
        if let Some(p) = &progress {
            p.lock().unwrap_or_else(PoisonError::into_inner).step(&source.to_string_lossy());
        }
    });
    drop(progress);
    extracted.extend(outside.iter().map(|unit| scope::unread(unit, None)));
    extracted
}

/// Checks programs of units that were just read.
pub fn check_units(plans: &[ProgramPlan], units: &[UnitWithCode], session: &Session) -> CheckResults {
    let facts: Vec<UnitFacts> = units.iter().map(|u| u.facts.clone()).collect();
    let mut progress = (!session.quiet()).then(|| ProgressDisplay::new("Checking", plans.len() as u64));
    let mut checked = checking::check(
        plans,
        &facts,
        |i| Ok((units[i].modules.clone(), units[i].second.clone())),
        session,
        |name| {
            if let Some(p) = &mut progress {
                p.step(name);
            }
        },
    );
    checked.found.excluded.extend(scope::sources(&facts, plans, true));
    checked
}

/// Reports a whole run, keeps the report, and records its cost in the subject's first `.scuba` folder.
///
/// # Errors
/// If the report cannot be rendered.
pub fn finish(session: &Session, checked: CheckResults, subject: CheckSubject) -> Result<Status> {
    if !session.quiet() {
        checked.problems.iter().for_each(|p| output::complain(p));
    }
    if session.verbose() {
        checked.notes.iter().for_each(|n| output::complain(n));
    } else if !session.quiet() {
        match checked.notes.iter().filter(|n| n.contains(UNDECIDED_COPY)).count() {
            0 => {}
            1 => output::complain("a copy or fill is undecided (-v says why)"),
            calls => output::complain(&format!("{calls} copies and fills are undecided (-v says why)")),
        }
    }
    session.show(&checked.inside);
    if session.inside().explain.is_some() && checked.inside.iter().any(|l| l.contains('?')) {
        output::complain("`?` above is an unknown value");
    }
    if let Some(spot) = session.inside().explain.as_ref().filter(|_| checked.inside.is_empty()) {
        output::complain(&format!(
            "nothing was checked at {spot}: it has no access of a kernel, no copy and no free; `-v` lists undecided accesses"
        ));
    }
    for fault in &checked.faults {
        output::print_error(&format!("{}\n\n", fault.shown));
    }
    let wrong = !checked.faults.is_empty();
    // A shard may have no program.
    let has_own = session.shard().is_none_or(|s| (0..checked.plans.len()).any(|n| s.has(n)));
    let nothing = (checked.modules == 0 || checked.found.programs.is_empty()) && (has_own || checked.plans.is_empty());
    if nothing && !checked.found.excluded.is_empty() {
        output::complain(scope::ALL_OUTSIDE);
    }
    if let Some(shard) = session.shard() {
        return finish_shard(session, checked, shard, wrong || nothing);
    }
    let (assembled, sources) = session.assemble(checked.found, checked.frontend);
    if subject.file.is_none() {
        session.keep(&assembled.report, "check", None, session.elapsed(), &subject.folders);
    }
    let subject = CheckSubject { contracts: checked.contracts, ..subject };
    last_report::keep(session, &assembled, &sources, &subject);
    let status = session.tell(assembled, &sources, &[])?;
    session.close_remote();
    // Sources that could not be read at all, or whose check failed, have not been checked.
    Ok(if wrong || nothing && status == Status::Clean { Status::Unable } else { status })
}

/// Writes the document of a shard. It is not kept as the last report, which is one of all programs.
fn finish_shard(session: &Session, mut checked: CheckResults, shard: Shard, unable: bool) -> Result<Status> {
    let settings = session.config.path.as_ref().map(|path| std::fs::read(path).unwrap_or_default()).unwrap_or_default();
    // Which comments accept nothing is known of all programs alone.
    let files = std::mem::take(&mut checked.found.files);
    let part = ShardPart {
        shard,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        programs: checked.plans,
        settings: blake3::hash(&settings).to_hex().to_string(),
        root: session.root.folder().display().to_string(),
        files,
        unmatched: checked.unmatched.into_iter().collect(),
        faults: checked.faults.into_iter().map(|f| f.shown).collect(),
        found: checked.found.clone(),
    };
    let (mut assembled, sources) = session.assemble(checked.found, checked.frontend);
    assembled.shard = Some(Box::new(part.shown(&session.root)));
    let status = session.tell(assembled, &sources, &[])?;
    session.close_remote();
    Ok(if unable { Status::Unable } else { status })
}
