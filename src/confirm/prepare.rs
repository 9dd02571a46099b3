//! From findings to a manifest.
//!
//! In: findings of one program, the program, the commands of its units. Out: cases with all that their runs need. The launch of
//! a witness is taken from a replay: it knows each argument and what every buffer holds.

use super::commands::{self, Places};
use super::execute::LAUNCHER;
use super::manifest::{Attempt, Build, Case, Executable, Expected, Manifest, Word};
use super::store;
use crate::ir::{BlockId, FuncId, FuncRef, ModuleId, Program};
use crate::nvcc::unit::TranslationUnit;
use crate::report::finding::{Finding, Sites, Witness};
use crate::report::paths::ProjectRoot;
use crate::report::sources::Sources;
use crate::witness::{self, Budget, Image, Inputs, ObjectKind, Outcome, Site, Snapshot, Target, Threads};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the template of the launcher lies.
pub const TEMPLATE: &str = include_str!("../../templates/launch.cpp");

/// One program, as it was checked and as it is built.
pub struct Material<'a> {
    pub program: &'a Program,
    pub units: Vec<&'a TranslationUnit>,
    /// For each module of the program, its unit.
    pub owners: Vec<usize>,
    /// Objects and libraries that the user's link has besides the units.
    pub others: Vec<PathBuf>,
    /// The user's own program, in place of one that we build.
    pub executable: Option<&'a Path>,
    /// Tells this program's builds from those of others.
    pub prefix: String,
    /// The `.scuba` folder that outcomes belong to.
    pub store: PathBuf,
}

/// What may be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways { All, /** Single launches: they take a moment. */ LaunchesOnly }

/// Adds a case for each finding that has a witness.
#[expect(clippy::too_many_arguments, reason = "what a case is made of")]
pub fn add(manifest: &mut Manifest, findings: &[&Finding], material: &Material<'_>, ways: Ways, root: &ProjectRoot, sources: &Sources, places: &dyn Places, template: &Word) {
    for finding in findings {
        let Some(witness) = &finding.witness else { continue };
        let mut case = Case { expected: expected(finding, witness, root, sources, places), store: material.store.clone(), attempts: vec![], notes: vec![] };
        match launch(witness, material, places, manifest) {
            Ok(attempt) => {
                let (Attempt::Launch { device_bytes, .. } | Attempt::Program { device_bytes, .. }) = attempt;
                if ways == Ways::All { case.attempts.extend(program(finding, witness, device_bytes, material, places, manifest)); }
                case.attempts.push(attempt);
            }
            Err(why) => {
                case.notes.push(format!("this launch alone: {why}"));
                if ways == Ways::All { case.attempts.extend(program(finding, witness, 0, material, places, manifest)); }
            }
        }
        manifest.cases.push(case);
    }
    let launches = manifest.cases.iter().flat_map(|c| &c.attempts).any(|a| matches!(a, Attempt::Launch { .. }));
    if launches { build(manifest, LAUNCHER, || commands::launcher(LAUNCHER, template.clone())); }
}

fn expected(f: &Finding, w: &Witness, root: &ProjectRoot, sources: &Sources, places: &dyn Places) -> Expected {
    let p = &f.access.position;
    let file = match places.file(&root.absolute(&p.file)) { Word::Text(t) | Word::Bundle(t) | Word::Scratch(t) => t, Word::Architecture => String::new() };
    Expected {
        fingerprint: f.fingerprint.clone(), witness: store::key(f, sources), rule: f.rule,
        summary: format!("{}:{}:{}: {}", p.file, p.line, p.column, f.message),
        kernel: f.access.kernel.clone(), file, line: p.line, direction: f.access.direction, bytes: f.access.bytes, block: w.block, thread: w.thread,
    }
}

fn build(manifest: &mut Manifest, name: &str, make: impl FnOnce() -> Build) {
    if !manifest.builds.iter().any(|b| b.name == name) { manifest.builds.push(make()); }
}

/// The program with the witness's arguments; `None` where it does not begin at `main`.
fn program(f: &Finding, w: &Witness, device_bytes: u64, m: &Material<'_>, places: &dyn Places, manifest: &mut Manifest) -> Option<Attempt> {
    let root = m.program.func(root_of(w.sites?, m.program)?);
    if root.name != "main" || f.root.is_empty() { return None; }
    let executable = if let Some(path) = m.executable { Executable::At(places.file(path)) } else {
        let name = format!("{}program", m.prefix);
        build(manifest, &name, || commands::program(&name, &m.units, &m.others, places));
        Executable::Built(name)
    };
    Some(Attempt::Program {
        executable, directory: Word::Scratch(String::new()), argv: w.run.argv.clone(), stdin: w.run.stdin.clone(), device_bytes,
    })
}

fn root_of(sites: Sites, program: &Program) -> Option<FuncRef> { func(sites.root, program) }

fn func([module, function]: [u32; 2], program: &Program) -> Option<FuncRef> {
    let r = FuncRef { module: ModuleId(module), func: FuncId(function) };
    program.modules.get(module as usize)?.functions.get(function as usize).map(|_| r)
}

fn site([module, function, block, inst]: [u32; 4], program: &Program) -> Option<Site> {
    let func = func([module, function], program)?;
    program.func(func).blocks.get(block as usize).map(|_| Site { func, block: BlockId(block), inst })
}

/// One launch of the kernel, as a replay of the witness saw it; `Err`: why there is none.
fn launch(w: &Witness, m: &Material<'_>, places: &dyn Places, manifest: &mut Manifest) -> Result<Attempt, String> {
    let sites = w.sites.ok_or("the finding does not say where it is in the program")?;
    let program = m.program;
    let stale = "the finding is of another program";
    let root = root_of(sites, program).ok_or(stale)?;
    let access = site(sites.access, program).ok_or(stale)?;
    let launch_site = sites.launch.map(|s| site(s, program).ok_or(stale)).transpose()?;
    let inputs = Inputs {
        argv: w.run.argv.clone(), args: w.run.args.iter().map(|v| i128::from(*v)).collect(), stdin: w.run.stdin.clone().into_bytes(), ..Inputs::default()
    };
    let target = Target { site: access, callers: None, launch_site, launch: None, threads: Threads::List(vec![(w.block, w.thread)]) };
    let snapshot = replayed(program, root, &inputs, &target)?;
    let kernel = snapshot.kernel;
    let unit = *m.owners.get(kernel.module.0 as usize).ok_or(stale)?;
    let description = describe(program, &snapshot);
    let name = format!("{}unit-{unit}", m.prefix);
    build(manifest, &name, || commands::cubin(&name, &m.units, unit, places));
    let bytes = snapshot.objects.iter().map(|o| o.image.size + 2 * ROOM).fold(0, u64::saturating_add);
    Ok(Attempt::Launch { cubin: name, kernel: program.func(kernel).name.clone(), description, device_bytes: bytes })
}

/// The launch in which a replay of the witness reaches the access. Patiently first: what loops prepare is then in the buffers.
fn replayed(program: &Program, root: FuncRef, inputs: &Inputs, target: &Target) -> Result<Snapshot, String> {
    let patient = Budget { seconds: 5.0, loop_steps: u64::MAX, ..Budget::default() };
    let mut why = String::new();
    for budget in [patient, Budget::default()] {
        match witness::replay_with_snapshot(program, root, inputs, target, &budget) {
            (Outcome::Reached { .. }, Some(snapshot)) => return Ok(snapshot),
            (Outcome::Reached { .. }, None) => why = "the replay kept nothing of the launch".into(),
            (Outcome::NotReached { why: w } | Outcome::Incomplete { why: w }, _) => why = format!("the replay does not reach it: {w}"),
        }
    }
    Err(why)
}

/// Bytes before and after every object but the one whose bounds are tested, so that other bad accesses of the same launch do
/// not end it first.
const ROOM: u64 = 1 << 20;

/// A snapshot as `templates/launch.cpp` reads it, without its module and its kernel.
fn describe(program: &Program, s: &Snapshot) -> String {
    let mut out = String::new();
    let [gx, gy, gz] = s.grid;
    let [bx, by, bz] = s.block;
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
            _ if s.target == Some(i) => "device",
            _ => "roomy",
        };
        let _ = writeln!(out, "object {i} {how} {size}");
    }
    for (i, o) in s.objects.iter().enumerate() { contents(&mut out, &o.image, &format!("bytes {i}"), &format!("address {i}")); }
    for (i, p) in s.parameters.iter().enumerate() {
        let _ = writeln!(out, "parameter {i} {}", p.size);
        contents(&mut out, p, &format!("value {i}"), &format!("points {i}"));
    }
    out
}

fn contents(out: &mut String, image: &Image, bytes: &str, address: &str) {
    for (offset, data) in &image.bytes {
        let _ = write!(out, "{bytes} {offset} ");
        for b in data { let _ = write!(out, "{b:02x}"); }
        out.push('\n');
    }
    for (offset, target, distance) in &image.addresses { let _ = writeln!(out, "{address} {offset} {target} {distance}"); }
}
