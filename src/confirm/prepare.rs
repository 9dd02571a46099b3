//! From findings to a manifest.
//!
//! In: findings of one program, the program, the commands of its units. Out: cases with all that their runs need. The launch of
//! a witness is taken from a replay: it knows each argument and what every buffer holds.

use super::checks;
use super::commands::{self, Places};
use super::execute::LAUNCHER;
use super::manifest::{Attempt, Build, Case, Executable, Expected, HOST_ACCESS, Manifest, Side, Word};
use super::repro;
use super::store;
use base::rules::Rule;
use base::work::Work;
use finding::paths::ProjectRoot;
use finding::sources::Sources;
use finding::{Finding, PartSites, Sites, Verdict, Witness};
use frontend::ExtractOptions;
use frontend::own::Own;
use ir::{self, BlockId, Callee, FuncId, FuncRef, ModuleId, Program, SourceLoc};
use nvcc::unit::TranslationUnit;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use witness::{self, BadAccess, Budget, Image, Inputs, ObjectKind, Outcome, Parts, Site, Snapshot, Target, Threads};

/// Where the template of the launcher lies.
pub const TEMPLATE: &str = include_str!("../../templates/launch.cpp");

/// What looks at the host's calls.
pub const CALLS: &str = include_str!("../../templates/calls.cpp");

/// One program, as it was checked and as it is built.
pub struct Material<'a> {
    pub program: &'a Program,
    pub units: Vec<&'a TranslationUnit>,
    /// For each module of the program, its unit.
    pub owners: Vec<usize>,
    /// Objects and libraries that the user's link has besides the units.
    pub others: Vec<PathBuf>,
    /// Files that the link takes in and that are not there: the program cannot be built.
    pub missing: Vec<PathBuf>,
    /// The user's own program, in place of one that we build.
    pub executable: Option<&'a Path>,
    /// Tells this program's builds from those of others.
    pub prefix: String,
    /// The `.scuba` folder that outcomes belong to.
    pub store: PathBuf,
}

/// What may be tried besides single launches, which take a moment and run no host code of the user's.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'a> {
    /// The program itself.
    pub program: bool,
    /// The check compiled into kernels, for which the front end reads units again.
    pub checks: Option<&'a ExtractOptions>,
    /// When preparing and running must be over; both are hurried then, and what comes too late is left out.
    pub until: Option<Instant>,
}

impl Ways<'_> {
    /// Work for one replay: so much, or what may be done in the time that is left.
    fn work(&self, wanted: Work) -> Work {
        let left = |end: Instant| {
            Work::millis(u64::try_from(end.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u64::MAX))
        };
        self.until.map_or(wanted, |end| left(end).min(wanted))
    }

    fn over(&self) -> bool {
        self.until.is_some_and(|end| Instant::now() >= end)
    }

    /// The same with half of the time that is left: the other half is for what comes after it.
    fn halfway(&self) -> Self {
        let half = |end: Instant| {
            let now = Instant::now();
            now + end.saturating_duration_since(now) / 2
        };
        Self { until: self.until.map(half), ..*self }
    }
}

/// How the user's project is named and where things are found when the manifest is executed.
pub struct Surroundings<'a> {
    pub root: &'a ProjectRoot,
    pub sources: &'a Sources,
    pub places: &'a dyn Places,
    /// The launcher's source.
    pub template: Word,
    /// The source of what looks at the host's calls.
    pub calls: Word,
}

/// A file that goes beside the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    pub name: String,
    pub text: String,
}

/// A launch that a replay saw, and the access in it.
pub(super) struct Launched {
    pub snapshot: Snapshot,
    pub bad: Box<BadAccess>,
    /// What it must stay in, where that is less than its object.
    pub parts: Option<Parts>,
}

/// The launch of a case.
pub(super) struct Ready {
    pub case: usize,
    pub unit: usize,
    pub launched: Launched,
    /** Its code serves other accesses too. */
    pub shared: bool,
}

/// Adds a case for each finding that has a witness; the files that go with them.
#[must_use]
pub fn add(
    manifest: &mut Manifest,
    findings: &[&Finding],
    material: &Material<'_>,
    ways: Ways<'_>,
    around: &Surroundings<'_>,
) -> Vec<Generated> {
    let places = around.places;
    let mut launches: Vec<Ready> = Vec::new();
    let mut others: Vec<(usize, Attempt)> = Vec::new();
    let mut scripts: Vec<Generated> = Vec::new();
    let before = manifest.cases.len();
    let own = |f: &Finding| is_of(f, material.program, around.root);
    let replaying = ways.halfway();
    let with_witness: Vec<(&Finding, &Witness)> =
        findings.iter().filter(|f| own(f)).filter_map(|f| Some((*f, f.witness.as_ref()?))).collect();
    for (finding, witness) in &with_witness {
        if replaying.over() {
            break;
        }
        let mut case = Case {
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
        // Inside one allocation the sanitizer has nothing to say; of one launch it is shown. A claim is no access at all.
        if ways.program && !matches!(finding.rule, Rule::IntraAllocation | Rule::FalseAssumption | Rule::Contract) {
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
                    launches.push(Ready { case: manifest.cases.len(), unit, launched, shared });
                }
                None => case.notes.push("this launch alone: the kernel is of no unit".into()),
            },
            Err(why) => case.notes.push(format!("this launch alone: {why}")),
        }
        // Last, since what other kernels leave behind may be missing then.
        if ways.program
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
    for (unit, options) in units.into_iter().filter_map(|unit| Some((unit, ways.checks?))) {
        let own: Vec<&Ready> = launches.iter().filter(|l| l.unit == unit).collect();
        generated.extend(checks::add(manifest, &own, &witness_of, material, options, ways.halfway().until));
    }
    for (case, attempt) in others {
        manifest.cases[case].attempts.push(attempt);
    }
    generated
}

/// That the program itself cannot be built without these files.
#[must_use]
pub fn lacking(missing: &[PathBuf]) -> Option<String> {
    let (first, more) = missing.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let first = first.display();
    Some(format!(
        "the program itself: its link takes in {first}{more}, missing here: build with SCUBA_OFF=1, then confirm again"
    ))
}

/// The symbol of the kernel that accesses, where it is one.
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

/// The program itself with launches of this kernel alone, where the program is run at all and is one that we build.
fn alone(
    case: &Case,
    symbol: String,
    m: &Material<'_>,
    around: &Surroundings<'_>,
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

/// The build of the program with stand-ins for the runtime's functions.
fn with_calls(m: &Material<'_>, around: &Surroundings<'_>, manifest: &mut Manifest) -> String {
    let name = format!("{}calls", m.prefix);
    build(manifest, &name, || {
        commands::program_with_calls(&name, &m.units, &m.others, around.calls.clone(), around.places)
    });
    name
}

/// Bytes of device memory that a launch alone asks for.
pub(super) fn bytes(s: &Snapshot) -> u64 {
    s.objects.iter().map(|o| o.image.size.saturating_add(2 * ROOM)).fold(0, u64::saturating_add)
}

/// Where the access itself stands, which for a launch with freed memory is in the kernel: the innermost of the calls that lead
/// to it outside system headers.
fn accessed(w: &Witness, program: &Program) -> Option<SourceLoc> {
    let sites = w.sites.as_ref()?;
    std::iter::once(&sites.access)
        .chain(sites.callers.iter().rev())
        .filter_map(|s| site(*s, program))
        .map(|s| location(s, program))
        .find(SourceLoc::is_users)
}

fn location(s: Site, program: &Program) -> SourceLoc {
    program.users_loc(s.func.module, program.loc_at(s.func, s.block, s.inst))
}

/// The function of the runtime that is called, where the finding is about a call of the host's; [`HOST_ACCESS`] where it is about an access.
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

fn expected(f: &Finding, w: &Witness, m: &Material<'_>, around: &Surroundings<'_>) -> Expected {
    let program = m.program;
    let p = &f.access.position;
    let access = accessed(w, program);
    let path = access.as_ref().map_or_else(|| around.root.absolute(&p.file), |l| around.root.absolute(&l.file));
    let file = match around.places.file(&path) {
        Word::Text(t) | Word::Bundle(t) | Word::Scratch(t) => t,
        Word::Architecture => String::new(),
    };
    Expected {
        fingerprint: f.fingerprint.clone(),
        witness: store::key(f, around.sources),
        rule: f.rule,
        proved: Some(f.verdict == Verdict::Proved),
        summary: format!("{p}: {}", f.message),
        kernel: f.access.kernel.clone(),
        file,
        line: access.map_or(p.line, |l| l.line),
        inner: f.related.iter().rfind(|r| r.inner).map(|r| {
            let at = &r.position;
            format!("{}:{}", at.file.rsplit('/').next().unwrap_or_default(), at.line)
        }),
        own: unit_of(w, m).map_or_else(Own::default, |unit| Own::of(unit, [])),
        direction: f.access.direction,
        bytes: f.access.bytes,
        block: w.block,
        thread: w.thread,
        call: called(w, program),
        side: Some(Side { offset: w.offset_bytes, extent: w.extent_bytes }).filter(|_| is_about_memory(f)),
    }
}

/// Whether what is wrong with a call of the host's is the memory that it is given.
fn is_about_memory(f: &Finding) -> bool {
    matches!(f.rule, Rule::MemcpyOutOfBounds | Rule::UseAfterFree)
        || f.rule == Rule::UncheckedArgument && f.launch.is_none()
}

/// The unit that the access is in.
fn unit_of<'m>(w: &Witness, m: &Material<'m>) -> Option<&'m TranslationUnit> {
    let module = usize::try_from(w.sites.as_ref()?.access[0]).ok()?;
    m.units.get(*m.owners.get(module)?).copied()
}

fn build(manifest: &mut Manifest, name: &str, make: impl FnOnce() -> Build) {
    if !manifest.builds.iter().any(|b| b.name == name) {
        manifest.builds.push(make());
    }
}

/// The program with the witness's arguments and input files; none where it does not begin at `main`. Where a call of the host's is
/// wrong, first with a look at its arguments.
fn programs(
    f: &Finding,
    w: &Witness,
    device_bytes: u64,
    m: &Material<'_>,
    around: &Surroundings<'_>,
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
        directory: Word::Scratch(String::new()),
        argv: w.run.argv.clone(),
        stdin: w.run.stdin.clone(),
        files: w.run.files.clone(),
        kernel: None,
        device_bytes,
    };
    executables.into_iter().map(attempt).collect()
}

/// Whether a finding is of this program: another one may have the same name. Where its site stands in this program is where it
/// says that it is, or where it says that this leads.
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

fn site([module, function, block, inst]: [u32; 4], program: &Program) -> Option<Site> {
    let func = func([module, function], program)?;
    program.func(func).blocks.get(block as usize).map(|_| Site { func, block: BlockId(block), inst })
}

/// The launch that reaches the access as a replay of the witness saw it; `Err`: why there is none.
fn launch(f: &Finding, w: &Witness, m: &Material<'_>, ways: Ways<'_>) -> Result<Launched, String> {
    let sites = w.sites.as_ref().ok_or("the finding does not say where it is in the program")?;
    if f.rule == Rule::FalseAssumption {
        return Err("it is no access: the compiler may make anything of it".into());
    }
    if f.rule == Rule::Contract {
        return Err("it is no access: what the function does with it is another finding".into());
    }
    if f.rule == Rule::Misaligned {
        return Err("its buffers need not lie as they do in the program".into());
    }
    if f.rule == Rule::IntraAllocation && ways.checks.is_none() {
        return Err("only a check compiled into the kernel sees it".into());
    }
    match called(w, m.program).as_deref() {
        None => {}
        Some(HOST_ACCESS) => return Err("it is the host that accesses".into()),
        Some(_) => return Err("it is a call of the host's that is wrong".into()),
    }
    let program = m.program;
    let stale = "the finding is of another program";
    let root = root_of(sites, program).ok_or(stale)?;
    let at = |s: &[u32; 4]| site(*s, program).ok_or(stale);
    let inputs = Inputs {
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
    };
    let all = |sites: &[[u32; 4]]| sites.iter().map(at).collect::<Result<Vec<_>, _>>();
    let parts = match &sites.part {
        None => None,
        Some(PartSites::Named { own, others }) => Some(Parts::Named { own: at(own)?, others: all(others)? }),
        Some(PartSites::Row { gep, bytes }) => Some(Parts::Row { gep: at(gep)?, bytes: *bytes }),
    };
    let target = Target {
        site: at(&sites.access)?,
        callers: Some(all(&sites.callers)?),
        launch_site: sites.launch.as_ref().map(at).transpose()?,
        launch: None,
        threads: Threads::List(vec![(w.block, w.thread)]),
        fault: None,
        direction: None,
        align: None,
        parts: parts.clone(),
        contract: None,
    };
    let (bad, snapshot) = replayed(program, root, &inputs, &target, ways)?;
    Ok(Launched { snapshot, bad, parts })
}

/// The launch in which a replay of the witness reaches the access. Patiently first: what loops prepare is then in the buffers.
fn replayed(
    program: &Program,
    root: FuncRef,
    inputs: &Inputs,
    target: &Target,
    ways: Ways<'_>,
) -> Result<(Box<BadAccess>, Snapshot), String> {
    let mut why = String::new();
    for (wanted, patient) in [(Work::seconds(5), true), (Budget::default().work, false)] {
        let hurry = Budget {
            work: ways.work(if ways.until.is_some() { Work::seconds(2) } else { wanted }),
            ..Budget::default()
        };
        let budget = if patient { Budget { loop_steps: u64::MAX, ..hurry } } else { hurry };
        match witness::replay_with_snapshot(program, root, inputs, target, &budget) {
            (Outcome::Reached { bad, .. }, Some(snapshot)) => return Ok((bad, snapshot)),
            (Outcome::Reached { .. }, None) => why = "the replay kept nothing of the launch".into(),
            (Outcome::NotReached { why: w }, _) => why = format!("the replay does not reach it: {w}"),
            (Outcome::Incomplete { why: w } | Outcome::Astray { why: w, .. }, _) => {
                why = format!("the replay does not reach it: {w}");
            }
        }
    }
    Err(why)
}

/// Bytes before and after every object but the one whose bounds are tested, so that other bad accesses of the same launch do
/// not end it first.
pub(super) const ROOM: u64 = 1 << 20;

/// A snapshot as `templates/launch.cpp` reads it, without its module and its kernel. `all_roomy`: its bounds are tested in
/// another way than by what lies around it, in code that clang compiles, which has no attributes of nvcc's.
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
