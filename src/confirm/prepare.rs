//! Prepares a manifest from findings.
//!
//! In: findings of one program, the program, the commands of its units. Out: cases with everything that their runs
//! need. The launch of a witness comes from a replay, which knows each argument and the contents of every buffer.

use super::checks;
use super::commands::{self, FileLocations};
use super::execute::LAUNCHER;
use super::manifest::{
    Attempt, CommandWord, ConfirmCase, CopySide, Executable, Expected, HOST_ACCESS, Manifest, ManifestBuild,
};
use super::repro;
use super::store;
use base::rules::Rule;
use base::work::Work;
use finding::paths::ProjectRoot;
use finding::sources::SourceFiles;
use finding::{Finding, PartSites, Sites, Verdict, Witness};
use frontend::ExtractOptions;
use frontend::own::UserFolders;
use ir::{self, BlockId, Callee, FuncId, FuncRef, ModuleId, Program, SourceLoc};
use nvcc::unit::TranslationUnit;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use witness::{
    self, BadAccess, ConcreteInputs, Image, ObjectKind, PartTarget, ProgramPoint, ReplayOutcome, RunBudget, Snapshot,
    TargetAccess, TriedThreads,
};

/// Source text of the launcher's template.
pub const TEMPLATE: &str = include_str!("../../templates/launch.cpp");

/// Source text of the wrappers that inspect host calls.
pub const CALLS: &str = include_str!("../../templates/calls.cpp");

/// A program as it was checked and as it is built.
pub struct Material<'a> {
    pub program: &'a Program,
    pub units: Vec<&'a TranslationUnit>,
    /// Unit of each module of the program.
    pub owners: Vec<usize>,
    /// Objects and libraries of the user's link besides the units.
    pub others: Vec<PathBuf>,
    /// Inputs of the link that do not exist, so that the program cannot be built.
    pub missing: Vec<PathBuf>,
    /// The user's own program, instead of one that we build.
    pub executable: Option<&'a Path>,
    /// Prefix that distinguishes this program's builds from those of others.
    pub prefix: String,
    /// The `.scuba` folder to which outcomes belong.
    pub store: PathBuf,
}

/// Attempts to make besides single launches, which take a moment and run no host code of the user.
#[derive(Clone, Copy, Debug)]
pub struct AttemptChoice<'a> {
    /// Whether to run the program itself.
    pub program: bool,
    /// Options for checks compiled into kernels, for which the front end extracts units again.
    pub checks: Option<&'a ExtractOptions>,
    /// Deadline for preparing and running. With a deadline both are hurried, and what is not ready in time is left
    /// out.
    pub until: Option<Instant>,
}

impl AttemptChoice<'_> {
    /// Work budget of a replay: the given one, or what fits into the time left.
    fn work(&self, wanted: Work) -> Work {
        let left = |end: Instant| {
            Work::millis(u64::try_from(end.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u64::MAX))
        };
        self.until.map_or(wanted, |end| left(end).min(wanted))
    }

    fn over(&self) -> bool {
        self.until.is_some_and(|end| Instant::now() >= end)
    }

    /// The same settings with half of the time left; the other half is for later steps.
    fn halfway(&self) -> Self {
        let half = |end: Instant| {
            let now = Instant::now();
            now + end.saturating_duration_since(now) / 2
        };
        Self { until: self.until.map(half), ..*self }
    }
}

/// Name of the user's project, and locations of files when the manifest is executed.
pub struct ProjectLocations<'a> {
    pub root: &'a ProjectRoot,
    pub sources: &'a SourceFiles,
    pub places: &'a dyn FileLocations,
    /// Source file of the launcher.
    pub template: CommandWord,
    /// Source file of the wrappers that inspect host calls.
    pub calls: CommandWord,
}

/// A generated file that accompanies the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    pub name: String,
    pub text: String,
}

/// A launch that a replay reached, and its bad access.
pub(super) struct ReachedLaunch {
    pub snapshot: Snapshot,
    pub bad: Box<BadAccess>,
    /// Part of the object that the access must stay in, if it is not the whole object.
    pub parts: Option<PartTarget>,
}

/// The launch of a case.
pub(super) struct CaseLaunch {
    pub case: usize,
    pub unit: usize,
    pub launched: ReachedLaunch,
    /// Whether the launched code serves other accesses too.
    pub shared: bool,
}

/// Adds a case for each finding with a witness; returns the generated files.
#[must_use]
pub fn add(
    manifest: &mut Manifest,
    findings: &[&Finding],
    material: &Material<'_>,
    attempts: AttemptChoice<'_>,
    around: &ProjectLocations<'_>,
) -> Vec<Generated> {
    let places = around.places;
    let mut launches: Vec<CaseLaunch> = Vec::new();
    let mut others: Vec<(usize, Attempt)> = Vec::new();
    let mut scripts: Vec<Generated> = Vec::new();
    let before = manifest.cases.len();
    let own = |f: &Finding| is_of(f, material.program, around.root);
    let replaying = attempts.halfway();
    let with_witness: Vec<(&Finding, &Witness)> =
        findings.iter().filter(|f| own(f)).filter_map(|f| Some((*f, f.witness.as_ref()?))).collect();
    for (finding, witness) in &with_witness {
        if replaying.over() {
            break;
        }
        let mut case = ConfirmCase {
            expected: expected(finding, witness, material, around),
            store: material.store.clone(),
            attempts: vec![],
            notes: vec![],
        };
        match repro::script(finding, witness, material) {
            Some(Ok(script)) => scripts.push(script),
            Some(Err(why)) => case.notes.push(format!("a script that calls the operator: {why}")),
            None => {}
        }
        let launched = launch(finding, witness, material, replaying);
        let device_bytes = launched.as_ref().map_or(0, |l| l.snapshot.device_bytes);
        if attempts.program && finding.rule.info().confirmation.sanitizer {
            match lacking(&material.missing).filter(|_| material.executable.is_none()) {
                Some(line) => case.notes.push(line),
                None => case.attempts.extend(programs(finding, witness, device_bytes, material, around, manifest)),
            }
        }
        match launched {
            Ok(launched) => match material.owners.get(launched.snapshot.kernel.module.0 as usize) {
                Some(&unit) => {
                    let (snapshot, bad) = (&launched.snapshot, &launched.bad);
                    let name = format!("{}unit-{unit}", material.prefix);
                    build(manifest, &name, || commands::cubin(&name, &material.units, unit, places));
                    let kernel = material.program.func(snapshot.kernel).name.clone();
                    let description = describe(material.program, snapshot, false);
                    let extent = i64::try_from(bad.object.extent).unwrap_or(i64::MAX);
                    let target = snapshot.target.map(|t| (t.to_string(), bad.offset, extent));
                    case.attempts.push(Attempt::Launch {
                        cubin: name,
                        kernel,
                        description,
                        target,
                        device_bytes: bytes(snapshot),
                    });
                    let shared = witness.sites.as_ref().is_some_and(|s| !s.callers.is_empty());
                    launches.push(CaseLaunch { case: manifest.cases.len(), unit, launched, shared });
                }
                None => case.notes.push("this launch alone: the kernel belongs to no unit".into()),
            },
            Err(why) => case.notes.push(format!("this launch alone: {why}")),
        }
        // Last, because results of other kernels may be missing then.
        if attempts.program
            && let Some(kernel) = kernel_of(witness, material.program)
            && has_other_kernels(material.program, &kernel)
        {
            others.extend(alone(&case, kernel, material, around, manifest).map(|a| (manifest.cases.len(), a)));
        }
        manifest.cases.push(case);
    }
    if !launches.is_empty() {
        build(manifest, LAUNCHER, || commands::launcher(LAUNCHER, around.template.clone()));
    }
    let witness_of = |case: usize| with_witness[case - before].1;
    let mut units: Vec<usize> = launches.iter().map(|l| l.unit).collect();
    units.sort_unstable();
    units.dedup();
    let mut generated = scripts;
    for (unit, options) in units.into_iter().filter_map(|unit| Some((unit, attempts.checks?))) {
        let own: Vec<&CaseLaunch> = launches.iter().filter(|l| l.unit == unit).collect();
        generated.extend(checks::add(manifest, &own, &witness_of, material, options, attempts.halfway().until));
    }
    for (case, attempt) in others {
        manifest.cases[case].attempts.push(attempt);
    }
    generated
}

/// Note that the program itself cannot be built without these files.
#[must_use]
pub fn lacking(missing: &[PathBuf]) -> Option<String> {
    let (first, more) = missing.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let first = first.display();
    Some(format!(
        "the program itself: its link takes in {first}{more}, missing here: build with SCUBA_OFF=1, then confirm again"
    ))
}

/// Symbol of the kernel that makes the access; `None` if host code does.
fn kernel_of(w: &Witness, program: &Program) -> Option<String> {
    let sites = w.sites.as_ref()?;
    let outermost = site(*sites.callers.first().unwrap_or(&sites.access), program)?.func;
    let f = program.func(outermost);
    f.kernel.then(|| f.name.clone())
}

/// Whether the program may launch other kernels.
fn has_other_kernels(program: &Program, symbol: &str) -> bool {
    let host = program.functions().filter(|(_, m, f)| m.side == ir::Side::Host && !f.is_declaration());
    host.filter_map(|(.., f)| Program::kernel_symbol_of_stub(&f.name)).any(|kernel| kernel != symbol)
}

/// Attempt that runs the program with launches of this kernel alone, if the program is run at all and we build it.
fn alone(
    case: &ConfirmCase,
    symbol: String,
    m: &Material<'_>,
    around: &ProjectLocations<'_>,
    manifest: &mut Manifest,
) -> Option<Attempt> {
    let (name, attempt) = case.attempts.iter().find_map(|a| match a {
        Attempt::Program { executable: Executable::Built(_), .. } => Some((with_calls(m, around, manifest), a.clone())),
        _ => None,
    })?;
    match attempt {
        Attempt::Program { directory, argv, stdin, files, device_bytes, .. } => {
            let executable = Executable::Built(name);
            Some(Attempt::Program { executable, directory, argv, stdin, files, kernel: Some(symbol), device_bytes })
        }
        _ => None,
    }
}

/// Build of the program with wrappers of the runtime's functions.
fn with_calls(m: &Material<'_>, around: &ProjectLocations<'_>, manifest: &mut Manifest) -> String {
    let name = format!("{}calls", m.prefix);
    build(manifest, &name, || {
        commands::program_with_calls(&name, &m.units, &m.others, around.calls.clone(), around.places)
    });
    name
}

/// Bytes of device memory that a single launch allocates.
pub(super) fn bytes(s: &Snapshot) -> u64 {
    s.objects.iter().map(|o| o.image.size.saturating_add(2 * ROOM)).fold(0, u64::saturating_add)
}

/// Position of the access itself: the innermost call on its call chain outside system headers. For a launch with
/// freed memory it is in the kernel.
fn accessed(w: &Witness, program: &Program) -> Option<SourceLoc> {
    let sites = w.sites.as_ref()?;
    std::iter::once(&sites.access)
        .chain(sites.callers.iter().rev())
        .filter_map(|s| site(*s, program))
        .map(|s| location(s, program))
        .find(SourceLoc::is_users)
}

fn location(s: ProgramPoint, program: &Program) -> SourceLoc {
    program.users_loc(s.func.module, program.loc_at(s.func, s.block, s.inst))
}

/// Runtime function that host code calls, if the finding is about a host call; [`HOST_ACCESS`] if it is about a host
/// access.
fn called(w: &Witness, program: &Program) -> Option<String> {
    let sites = w.sites.as_ref().filter(|s| s.launch.is_none())?;
    let at = site(sites.access, program)?;
    if program.module(at.func.module).side != ir::Side::Host {
        return None;
    }
    if program.call_at(at.func, at.block, at.inst).is_none() {
        return Some(HOST_ACCESS.to_owned());
    }
    let (Callee::Direct(id), _) = program.call_at(at.func, at.block, at.inst)? else { return None };
    let name = &program.func(program.resolve_func(at.func.module, *id)).name;
    Some(name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(name).to_owned())
}

fn expected(f: &Finding, w: &Witness, m: &Material<'_>, around: &ProjectLocations<'_>) -> Expected {
    let program = m.program;
    let p = &f.access.position;
    let access = accessed(w, program);
    let path = access.as_ref().map_or_else(|| around.root.absolute(&p.file), |l| around.root.absolute(&l.file));
    let file = match around.places.file(&path) {
        CommandWord::Text(t) | CommandWord::Bundle(t) | CommandWord::Scratch(t) => t,
        CommandWord::Architecture => String::new(),
    };
    Expected {
        fingerprint: f.fingerprint.clone(),
        witness: store::key(f, around.sources),
        rule: f.rule,
        proved: Some(f.verdict == Verdict::Proved),
        summary: format!("{p}: {}", f.message),
        architecture: f.launch.is_some().then(|| analysed(program)).flatten(),
        kernel: f.access.kernel.clone(),
        file,
        line: access.map_or(p.line, |l| l.line),
        inner: f.related.iter().rfind(|r| r.inner).map(|r| {
            let at = &r.position;
            format!("{}:{}", at.file.rsplit('/').next().unwrap_or_default(), at.line)
        }),
        own: unit_of(w, m).map_or_else(UserFolders::default, |unit| UserFolders::of(unit, [])),
        direction: f.access.direction,
        bytes: f.access.bytes,
        block: w.block,
        thread: w.thread,
        call: called(w, program),
        side: Some(CopySide { offset: w.offset_bytes, extent: w.extent_bytes }).filter(|_| is_about_memory(f)),
    }
}

/// Architecture that the program's device code was analysed for.
fn analysed(program: &Program) -> Option<String> {
    program.modules.iter().find(|m| m.side == ir::Side::Device && !m.arch.is_empty()).map(|m| m.arch.clone())
}

/// Whether the memory arguments of a host call are wrong.
fn is_about_memory(f: &Finding) -> bool {
    f.rule.info().confirmation.arguments || f.rule == Rule::UncheckedArgument && f.launch.is_none()
}

/// Unit that contains the access.
fn unit_of<'m>(w: &Witness, m: &Material<'m>) -> Option<&'m TranslationUnit> {
    let module = usize::try_from(w.sites.as_ref()?.access[0]).ok()?;
    m.units.get(*m.owners.get(module)?).copied()
}

fn build(manifest: &mut Manifest, name: &str, make: impl FnOnce() -> ManifestBuild) {
    if !manifest.builds.iter().any(|b| b.name == name) {
        manifest.builds.push(make());
    }
}

/// Attempts that run the program with the witness's arguments and input files; empty if the witness does not start at
/// `main`. If a host call is wrong, the first attempt inspects its arguments.
fn programs(
    f: &Finding,
    w: &Witness,
    device_bytes: u64,
    m: &Material<'_>,
    around: &ProjectLocations<'_>,
    manifest: &mut Manifest,
) -> Vec<Attempt> {
    let places = around.places;
    let main = w.sites.as_ref().and_then(|s| root_of(s, m.program)).is_some_and(|r| m.program.func(r).name == "main");
    if !main || f.root.is_empty() {
        return vec![];
    }
    let mut executables = Vec::new();
    if let Some(path) = m.executable {
        executables.push(Executable::At(places.file(path)));
    } else {
        if is_about_memory(f) && called(w, m.program).is_some() {
            executables.push(Executable::Built(with_calls(m, around, manifest)));
        }
        let name = format!("{}program", m.prefix);
        build(manifest, &name, || commands::program(&name, &m.units, &m.others, places));
        executables.push(Executable::Built(name));
    }
    let attempt = |executable| Attempt::Program {
        executable,
        directory: CommandWord::Scratch(String::new()),
        argv: w.run.argv.clone(),
        stdin: w.run.stdin.clone(),
        files: w.run.files.clone(),
        kernel: None,
        device_bytes,
    };
    executables.into_iter().map(attempt).collect()
}

/// Whether a finding belongs to this program, and not to another one of the same name. Its site must have the
/// position in this program that the finding names, or one in a header to which that position leads according to the
/// finding.
fn is_of(f: &Finding, program: &Program, root: &ProjectRoot) -> bool {
    let Some(sites) = f.witness.as_ref().and_then(|w| w.sites.as_ref()) else { return true };
    std::iter::once(&sites.access).chain(&sites.callers).chain(&sites.launch).filter_map(|s| site(*s, program)).any(
        |s| {
            let at = location(s, program);
            let below = f.related.iter().filter(|r| r.inner).map(|r| &r.position);
            std::iter::once(&f.access.position).chain(below).any(|p| at.line == p.line && root.show(&at.file) == p.file)
        },
    )
}

fn root_of(sites: &Sites, program: &Program) -> Option<FuncRef> {
    func(sites.root, program)
}

fn func([module, function]: [u32; 2], program: &Program) -> Option<FuncRef> {
    let r = FuncRef { module: ModuleId(module), func: FuncId(function) };
    program.modules.get(module as usize)?.functions.get(function as usize).map(|_| r)
}

fn site([module, function, block, inst]: [u32; 4], program: &Program) -> Option<ProgramPoint> {
    let func = func([module, function], program)?;
    program.func(func).blocks.get(block as usize).map(|_| ProgramPoint { func, block: BlockId(block), inst })
}

/// Launch that reaches the access, from a replay of the witness. `Err` is the reason why there is none.
fn launch(f: &Finding, w: &Witness, m: &Material<'_>, attempts: AttemptChoice<'_>) -> Result<ReachedLaunch, String> {
    let sites = w.sites.as_ref().ok_or("the finding has no position in the program")?;
    let confirmation = &f.rule.info().confirmation;
    if let Some(why) = confirmation.not_alone {
        return Err(why.into());
    }
    if !confirmation.sanitizer && attempts.checks.is_none() {
        return Err("only a check compiled into the kernel sees it".into());
    }
    match called(w, m.program).as_deref() {
        None => {}
        Some(HOST_ACCESS) => return Err("the host makes the access".into()),
        Some(_) => return Err("the wrong call is the host's".into()),
    }
    let program = m.program;
    let stale = "the finding belongs to another program";
    let root = root_of(sites, program).ok_or(stale)?;
    let at = |s: &[u32; 4]| site(*s, program).ok_or(stale);
    let inputs = ConcreteInputs {
        argv: w.run.argv.clone(),
        args: w.run.args.iter().map(|v| i128::from(*v)).collect(),
        null: w.run.null.clone(),
        held: w.run.held.clone(),
        tensors: w.run.tensors.clone(),
        extents: w.run.extents.clone(),
        launch: None,
        required: vec![],
        impossible: false,
        stdin: w.run.stdin.clone().into_bytes(),
        files: w.run.files.iter().map(|f| (f.name.clone(), f.bytes.clone())).collect(),
        random: vec![],
        device: w.run.device.clone(),
    };
    let all = |sites: &[[u32; 4]]| sites.iter().map(at).collect::<Result<Vec<_>, _>>();
    let parts = match &sites.part {
        None => None,
        Some(PartSites::Named { own, others }) => Some(PartTarget::Named { own: at(own)?, others: all(others)? }),
        Some(PartSites::Row { gep, bytes }) => Some(PartTarget::Row { gep: at(gep)?, bytes: *bytes }),
    };
    let target = TargetAccess {
        site: at(&sites.access)?,
        callers: Some(all(&sites.callers)?),
        launch_site: sites.launch.as_ref().map(at).transpose()?,
        launch: None,
        threads: TriedThreads::List(vec![(w.block, w.thread)]),
        fault: None,
        direction: None,
        align: None,
        parts: parts.clone(),
        contract: None,
    };
    let (bad, snapshot) = replayed(program, root, &inputs, &target, attempts)?;
    Ok(ReachedLaunch { snapshot, bad, parts })
}

/// Launch in which a replay of the witness reaches the access. The first replay is patient, so that buffers contain
/// what loops prepare.
fn replayed(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    attempts: AttemptChoice<'_>,
) -> Result<(Box<BadAccess>, Snapshot), String> {
    let mut why = String::new();
    for (wanted, patient) in [(Work::seconds(5), true), (RunBudget::default().work, false)] {
        let hurry = RunBudget {
            work: attempts.work(if attempts.until.is_some() { Work::seconds(2) } else { wanted }),
            ..RunBudget::default()
        };
        let budget = if patient { RunBudget { loop_steps: u64::MAX, ..hurry } } else { hurry };
        match witness::replay_with_snapshot(program, root, inputs, target, &budget) {
            (ReplayOutcome::Reached { bad, .. }, Some(snapshot)) => return Ok((bad, snapshot)),
            (ReplayOutcome::Reached { .. }, None) => why = "the replay recorded nothing of the launch".into(),
            (ReplayOutcome::NotReached { why: w }, _) => why = format!("the replay does not reach it: {w}"),
            (ReplayOutcome::Incomplete { why: w } | ReplayOutcome::Astray { why: w, .. }, _) => {
                why = format!("the replay does not reach it: {w}");
            }
        }
    }
    Err(why)
}

/// Bytes before and after every object except the one whose bounds are tested, so that other bad accesses of the same
/// launch do not end it first.
pub(super) const ROOM: u64 = 1 << 20;

/// Description of a snapshot for `templates/launch.cpp`, without module and kernel. `all_roomy`: something other than
/// the memory around the object tests its bounds, and clang compiles the code, without nvcc's attributes.
pub(super) fn describe(program: &Program, s: &Snapshot, all_roomy: bool) -> String {
    let mut out = String::new();
    let ([gx, gy, gz], [bx, by, bz]) =
        if all_roomy { (s.grid, s.block) } else { program.func(s.kernel).shape.as_launched(s.grid, s.block) };
    let _ = writeln!(out, "grid {gx} {gy} {gz}\nblock {bx} {by} {bz}\nshared {}", s.shared);
    for (i, o) in s.objects.iter().enumerate() {
        let size = o.image.size;
        let how = match (o.kind, o.variable) {
            (ObjectKind::DeviceGlobal | ObjectKind::Constant, Some(v)) => {
                let _ = writeln!(out, "object {i} symbol {size} {}", program.global(v).name);
                continue;
            }
            (ObjectKind::HostHeap | ObjectKind::HostStack | ObjectKind::HostGlobal, _) => "host",
            _ if o.freed => "freed",
            _ if s.target == Some(i) && !all_roomy => "device",
            _ => "roomy",
        };
        let _ = writeln!(out, "object {i} {how} {size}");
    }
    for (i, o) in s.objects.iter().enumerate() {
        contents(&mut out, &o.image, &format!("bytes {i}"), &format!("address {i}"));
    }
    for (i, p) in s.parameters.iter().enumerate() {
        let _ = writeln!(out, "parameter {i} {}", p.size);
        contents(&mut out, p, &format!("value {i}"), &format!("points {i}"));
    }
    out
}

fn contents(out: &mut String, image: &Image, bytes: &str, address: &str) {
    for (offset, data) in &image.bytes {
        let _ = write!(out, "{bytes} {offset} ");
        for b in data {
            let _ = write!(out, "{b:02x}");
        }
        out.push('\n');
    }
    for (offset, target, distance) in &image.addresses {
        let _ = writeln!(out, "{address} {offset} {target} {distance}");
    }
}
