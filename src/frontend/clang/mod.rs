//! The clang front end: runs clang once per side and reads the bitcode.
//!
//! In: a translation unit and options. Out: an [`Extraction`]. It runs only inside the worker process. `flags` chooses
//! clang's flags, `toolkit` finds the toolkit, `invoke` runs clang, `pch` precompiles headers.

pub mod assembly_text;
mod beginning;
mod bypassed;
mod compat;
mod device_constructors;
mod device_functions;
mod doubts;
pub mod flags;
mod float128;
mod host_flags;
mod insertions;
pub(crate) mod invoke;
mod kernel_bodies;
mod lead;
mod library_models;
mod mentioned;
mod own_names;
pub(crate) mod pch;
mod positions;
pub mod predefined;
mod shared;
mod shared_variables;
pub(crate) mod source_overlay;
mod spread_launches;
mod template_bodies;
mod toolkit;
mod unrolling;

use self::compat::COMPAT;
use self::doubts::CompilerDependentNames;
use self::invoke::Refusal;
use self::pch::{ClangRun, HeaderContents};
use self::shared::{SharedHeader, SharedHeaders, SoughtHeader};
use crate::extraction::{ExtractOptions, Extraction, FailedSide, Precompile};
use crate::llvm::{self, CompileFacts, INITIALISER, checks};
use crate::namesakes::SearchFolders;
use crate::own::UserFolders;
use crate::requests::HeaderRequests;
use base::temporary;
use files::{ContentStore, normalise, store};
use flags::{Asserts, ClangCommand, Fidelity, LeadingHeader};
use ir::{Module, Side};
use library_models::{MODELS, ModelCompiler};
use nvcc::arch::DeviceCompilation;
use nvcc::processes::TimeAllowance;
use nvcc::unit::{Language, Sides, TranslationUnit};
use source_overlay::TemplateBodies;
use std::path::{Path, PathBuf};
use std::thread::{Builder, ScopedJoinHandle};
use toolkit::Toolkit;

/// Returns the sides of a unit.
#[must_use]
pub fn sides(unit: &TranslationUnit) -> Vec<Side> {
    match (unit.language, unit.sides) {
        (Language::Cuda, Sides::Both) => vec![Side::Device, Side::Host],
        (Language::Cuda, Sides::DeviceOnly) => vec![Side::Device],
        (Language::Cuda, Sides::HostOnly) => vec![Side::Host],
        (Language::Cxx | Language::C, Sides::DeviceOnly) => vec![],
        (Language::Cxx | Language::C, _) => vec![Side::Host],
    }
}

/// Largest number of corrections of a unit's sources: code after a corrected error may have further ones.
const MAX_ROUNDS: u32 = 4;

impl SideResult {
    fn refused(reason: String) -> Self {
        Self { module: Err(reason), variants: vec![], dependencies: vec![], notes: vec![] }
    }
}

/// Result for one side: a module, or the reason why clang rejected it.
struct SideResult {
    module: Result<Module, String>,
    /// Device code for further architectures, where it differs.
    variants: Vec<Module>,
    dependencies: Vec<PathBuf>,
    notes: Vec<String>,
}

/// Returns the toolkit's root that clang is given.
pub fn toolkit_root(unit: &TranslationUnit, options: &ExtractOptions) -> Option<PathBuf> {
    Toolkit::find(unit, options.cuda_path.as_deref()).ok().and_then(|t| t.root)
}

/// Returns clang's arguments for one side of a unit, without files; `None` if there is no toolkit.
#[must_use]
pub fn arguments(unit: &TranslationUnit, side: Side, options: &ExtractOptions) -> Option<Vec<String>> {
    let toolkit = Toolkit::find(unit, options.cuda_path.as_deref()).ok()?;
    Some(ClangCommand::new(unit, side, &Fidelity::default(), &toolkit, options).without_files())
}

/// Returns the folders of toolkit headers that a unit is read with, as given and with links resolved. The toolkit's
/// root is excluded: samples below it are user code.
pub fn toolkit_headers(unit: &TranslationUnit, options: &ExtractOptions) -> Vec<PathBuf> {
    let Ok(toolkit) = Toolkit::find(unit, options.cuda_path.as_deref()) else { return vec![] };
    let root = Toolkit { includes: vec![], system_includes: vec![], ..toolkit.clone() }.folders();
    toolkit.folders().into_iter().filter(|f| !root.contains(f)).collect()
}

/// Reads a unit in this process. Never fails as a whole: a side that cannot be read is listed.
#[must_use]
pub fn extract_here(unit: &TranslationUnit, options: &ExtractOptions) -> Extraction {
    let frontend = invoke::version(&options.clang, options.headers.as_deref()).unwrap_or_else(|| "clang".into());
    let source = normalise(&unit.directory, &unit.source);
    let mut out = Extraction { frontend: frontend.clone(), ..Extraction::default() };
    let wanted = sides(unit);
    let refuse = |side, reason: String| FailedSide { file: source.clone(), side, reason };
    let (mut toolkit, folder) =
        match (Toolkit::find(unit, options.cuda_path.as_deref()), temporary::folder("scuba-work-")) {
            (Ok(t), Ok(f)) => (t, f),
            (Err(e), _) => {
                out.not_analysed = wanted.into_iter().map(|s| refuse(s, e.to_string())).collect();
                return out;
            }
            (_, Err(e)) => {
                out.not_analysed =
                    wanted.into_iter().map(|s| refuse(s, format!("cannot make a temporary folder: {e}"))).collect();
                return out;
            }
        };
    let mut compiled = unit.clone();
    if let Some(standard) = toolkit::ignored_standard(unit) {
        out.notes.push(format!("nvcc ignores -std={standard} with this host compiler, and so does the analysis"));
        compiled.standard = None;
    }
    let unit = &compiled;
    let compat = folder.path().join("scuba-compat.h");
    let kept = options.headers.as_deref().unwrap_or(folder.path());
    let cuda = unit.language == Language::Cuda;
    let stood_in = if cuda { toolkit.stand_in(kept).map_err(|e| (kept, e)) } else { Ok(()) };
    let written = std::fs::write(&compat, COMPAT).map_err(|e| (compat.as_path(), e));
    if let Err((place, e)) = written.and(stood_in) {
        out.not_analysed =
            wanted.into_iter().map(|s| refuse(s, format!("cannot write {}: {e}", place.display()))).collect();
        return out;
    }
    let job = || ClangJob {
        unit,
        options,
        toolkit: &toolkit,
        folder: folder.path(),
        compat: &compat,
        frontend: &frontend,
        time: TimeAllowance::new(options.time_limit, 1),
    };
    let results = each_side(&wanted, options.one_side_at_a_time, |side| job().whole_side(side));
    let mut dependencies = std::collections::BTreeSet::new();
    for (side, result) in results {
        dependencies.extend(result.dependencies);
        match result.module {
            Ok(m) => out.modules.push(m),
            Err(reason) => out.not_analysed.push(refuse(side, reason)),
        }
        out.modules.extend(result.variants);
        for n in result.notes {
            if !out.notes.contains(&n) {
                out.notes.push(n);
            }
        }
    }
    float128::rename(&mut out.modules);
    dependencies
        .retain(|d| !d.starts_with(folder.path()) && !options.headers.as_ref().is_some_and(|h| d.starts_with(h)));
    dependencies.remove(&source);
    out.dependencies = std::iter::once(source).chain(dependencies).collect();
    out
}

/// Stack size in bytes of a thread that reads one side: types and constants may nest thousands of levels deep. Only
/// touched pages are backed by memory.
const STACK: usize = 64 << 20;

/// Reads each side on a thread of its own, whose end by a panic costs that side alone.
fn each_side(
    wanted: &[Side],
    one_at_a_time: bool,
    read: impl Fn(Side) -> SideResult + Sync,
) -> Vec<(Side, SideResult)> {
    let ended = |read: std::thread::Result<SideResult>| {
        read.unwrap_or_else(|_| {
            SideResult::refused("the reader of clang's output stopped at an unknown construct".into())
        })
    };
    std::thread::scope(|scope| {
        let start = |side: Side| {
            let read = &read;
            let with = |builder: Builder| builder.spawn_scoped(scope, move || read(side));
            // A limit of memory (`[limits] memory`, `ulimit -v`) may have room for the usual stack alone.
            with(Builder::new().stack_size(STACK)).or_else(|_| with(Builder::new()))
        };
        let end = |started: std::io::Result<ScopedJoinHandle<'_, SideResult>>| match started {
            Ok(thread) => ended(thread.join()),
            Err(cause) => SideResult::refused(format!("cannot start a thread for the reader: {cause}")),
        };
        if one_at_a_time {
            return wanted.iter().map(|side| (*side, end(start(*side)))).collect();
        }
        let threads: Vec<_> = wanted.iter().map(|side| (*side, start(*side))).collect();
        threads.into_iter().map(|(side, thread)| (side, end(thread))).collect()
    })
}

/// Whether two readings of one side contain different code.
fn differ(a: &Module, b: &Module) -> bool {
    let same = |m: &Module| Module { arch: String::new(), ..m.clone() };
    postcard::to_stdvec(&same(a)).ok() != postcard::to_stdvec(&same(b)).ok()
}

/// Whether several variables of headers that are not the user's have initialisers: clang runs those of a precompiled
/// header in the order in which that stores them.
fn initialises_in_turn(module: &Module) -> bool {
    let is_of_header = |loc: ir::LocId| {
        let file = module.locs.get(loc.0 as usize).and_then(|l| module.files.get(l.file.0 as usize));
        file.is_some_and(|f| f.system)
    };
    let initialisers = module.functions.iter().filter(|f| f.name.starts_with(INITIALISER));
    initialisers.filter(|f| f.blocks.iter().flat_map(|b| &b.insts).any(|i| is_of_header(i.loc))).count() > 1
}

struct ClangJob<'a> {
    unit: &'a TranslationUnit,
    options: &'a ExtractOptions,
    toolkit: &'a Toolkit,
    folder: &'a Path,
    compat: &'a Path,
    frontend: &'a str,
    /// Time for all runs of clang for one side.
    time: TimeAllowance,
}

impl ClangJob<'_> {
    /// Reads one side for each architecture, and records the reasons why it may differ from the compiled program.
    fn whole_side(&self, side: Side) -> SideResult {
        let mut result = self.side(side, None);
        let asked = CompilerDependentNames::of(&result.dependencies, &self.own());
        let compiled = flags::compilations(self.unit, self.toolkit);
        let Ok(module) = &mut result.module else { return result };
        let command = ClangCommand::new(self.unit, side, &Fidelity::default(), self.toolkit, self.options);
        let kept = self.options.headers.as_ref().and_then(|_| ContentStore::of_this_process());
        module.doubts.extend(asked.doubts(&self.options.clang, &command.without_files(), self.unit, kept.as_ref()));
        if side == Side::Host {
            module.doubts.extend(doubts::of_flags(self.unit));
            return result;
        }
        if !asked.architectures {
            return result;
        }
        let read = flags::analysed(compiled[0]);
        if read != compiled[0] {
            module.doubts.push(doubts::anywhere(format!("code for {} is read as for {read}", compiled[0])));
        }
        for one in &compiled[1..] {
            let other = self.side(side, Some(*one));
            let read = flags::analysed(*one);
            match other.module {
                Ok(mut m) if read == *one => {
                    m.doubts.clone_from(&module.doubts);
                    if differ(module, &m) {
                        result.notes.push(format!("the code for {one} differs, and is analysed as well"));
                        result.variants.push(m);
                    }
                    result.dependencies.extend(other.dependencies);
                }
                Ok(_) => {
                    module.doubts.push(doubts::anywhere(format!("code for {one} is not read: clang does not know it")));
                }
                Err(why) => module.doubts.push(doubts::anywhere(format!("code for {one} is not read: {why}"))),
            }
        }
        result
    }

    /// Compiles and reads one side: first with asserts kept and as the host's GCC, then ever closer to plain clang.
    fn side(&self, side: Side, compiled: Option<DeviceCompilation>) -> SideResult {
        let stem = match (side, compiled) {
            (Side::Device, None) => "device".to_owned(),
            (Side::Device, Some(one)) => format!("device-{one}"),
            (Side::Host, _) => "host".to_owned(),
        };
        let stem = stem.as_str();
        let bitcode = self.folder.join(format!("{stem}.bc"));
        let depfile = self.folder.join(format!("{stem}.d"));
        let mut reading = Fidelity { textures: self.mentions_textures(), compiled, ..Fidelity::default() };
        let mut reason = String::new();
        let (mut asks_for_ndebug, mut alone) = (false, false);
        loop {
            let command = ClangCommand::new(self.unit, side, &reading, self.toolkit, self.options);
            if let (Precompile::Alone, Some(kept)) = (self.options.precompile, &self.options.headers) {
                self.with_others(kept, &command, SoughtHeader::Longest);
                return SideResult::refused("only its headers are precompiled".into());
            }
            let header = if alone { None } else { self.with_header(&command, &bitcode, &depfile) };
            let helped = header.is_some();
            let command = command.files(LeadingHeader::Ours(self.compat), &bitcode, &depfile);
            let ran = header.unwrap_or_else(|| {
                invoke::clang(&self.options.clang, &command.arguments, &self.unit.directory, &self.time)
                    .map(|()| vec![])
            });
            let refusal = match ran {
                Ok(files) => {
                    if let (Side::Device, None, Some(request)) = (side, compiled, &self.options.checks)
                        && let Err(e) = checks::write(&bitcode, request)
                    {
                        return SideResult::refused(format!("no checks can be inserted: {e}"));
                    }
                    let released = flags::defines_ndebug(self.unit);
                    let restored = released && reading.asserts == Asserts::Kept;
                    // Without `NDEBUG` this may be another program than the one that nvcc compiles.
                    if restored {
                        let read = invoke::dependencies(&depfile, &self.unit.directory);
                        asks_for_ndebug =
                            CompilerDependentNames::of(&[read, files.clone()].concat(), &self.own()).ndebug;
                        if asks_for_ndebug && let Some(next) = self.with_asserts_as_given(&reading) {
                            reading = next;
                            continue;
                        }
                    }
                    let mut result = self.read(side, &bitcode, &depfile, command, restored);
                    if helped && result.module.as_ref().is_ok_and(initialises_in_turn) {
                        alone = true;
                        continue;
                    }
                    result.dependencies.extend(files);
                    let mut note = |text: &str| result.notes.push(format!("{side:?} side: {text}"));
                    if restored {
                        note("read without NDEBUG: its `assert` conditions are assumed");
                    }
                    if released && asks_for_ndebug {
                        note("tests NDEBUG, or has an assert with side effects: read as compiled, without its asserts");
                    } else if released && !restored {
                        note("does not compile without NDEBUG: read without its asserts");
                    }
                    for what in reading.overlay.iter().flat_map(|o| &o.said) {
                        note(what);
                    }
                    if reading.float128 {
                        note("`__float128` was read as a type of its size with unknown values");
                    }
                    if reading.device_on_both {
                        note("functions whose attributes depend on the side were read for both sides");
                    }
                    if reading.objects_printed {
                        note("`printf` of objects was read as a function that only prints");
                    }
                    if reading.own_names.is_some() {
                        note(
                            "types and functions that the source defines and clang knows already were read under other names",
                        );
                    }
                    if reading.late_macros.is_some() {
                        note("macros of the command line are defined after the headers that clang includes by itself");
                    }
                    if !reading.as_gcc {
                        note("compiles only without the host compiler's GCC version macros");
                    }
                    return result;
                }
                Err(refusal) => refusal,
            };
            // Report the last reason under the command's own macros: later attempts may fail for reasons of their own.
            if reading.as_gcc || reason.is_empty() {
                reason = refusal.to_string();
            }
            let next = match refusal {
                Refusal::Error { stderr, line } => self.next_reading(&reading, (side, stem), &stderr, &line),
                _ => None,
            };
            match next {
                Some(next) => reading = next,
                None => return SideResult::refused(reason),
            }
        }
    }

    /// Compiles with a precompiled header, and returns the files that the header was made of: clang lists only some of
    /// them. `None` if there is no such header or clang rejects the source; the run without it gives the messages then.
    /// Only textures, which the next reading has, are told by this run.
    fn with_header(
        &self,
        command: &ClangCommand,
        bitcode: &Path,
        depfile: &Path,
    ) -> Option<Result<Vec<PathBuf>, Refusal>> {
        if self.unit.language != Language::Cuda {
            return None;
        }
        let kept = self.options.headers.as_deref()?;
        let folders = SearchFolders::of(self.unit);
        // What is made ahead serves other sources.
        let begins = || command.lead(&self.unit.directory).filter(|_| !self.options.precompile.is_at_once());
        let lead = begins();
        let flags = |contents| ClangRun {
            clang: &self.options.clang,
            version: self.frontend,
            arguments: command.without_files(),
            contents,
            directory: &self.unit.directory,
            folders: &folders,
            time: &self.time,
        };
        let of_lead = lead.as_ref().and_then(|includes| {
            // Foreign headers are much larger than what a source adds to them.
            let below = || {
                self.with_others(kept, command, SoughtHeader::Foreign)
                    .found()
                    .filter(|found| found.foreign)
                    .map(|f| f.header)
            };
            pch::find(kept, &flags(HeaderContents::Lead { includes, below: None }), below)
        });
        let skipped = of_lead.as_ref().and(lead.as_ref()).map_or(0, |l| l.text.len());
        let header = of_lead.or_else(|| match self.with_others(kept, command, SoughtHeader::Longest) {
            SharedHeader::Found(found) => {
                if !found.whole && self.options.precompile == Precompile::Recorded {
                    HeaderRequests::of(kept).record(self.unit, self.options);
                }
                Some(found.header)
            }
            SharedHeader::Missing => None,
            SharedHeader::Unfit => pch::find(kept, &flags(HeaderContents::Ours), || None),
        })?;
        let before = LeadingHeader::Precompiled { header: &header.path, skipped };
        let arguments = command.clone().files(before, bitcode, depfile).arguments;
        match invoke::clang(&self.options.clang, &arguments, &self.unit.directory, &self.time) {
            // The header must stand for what clang skipped, even if the source was saved in the meantime.
            Ok(()) => (skipped == 0 || begins() == lead).then_some(Ok(header.files)),
            Err(Refusal::Error { stderr, line }) if stderr.contains(flags::TEXTURES) => {
                Some(Err(Refusal::Error { stderr, line }))
            }
            Err(refusal) => {
                if refusal.concerns(&header.path) {
                    pch::forget(&header.path);
                }
                None
            }
        }
    }

    /// Finds a header that other units share.
    fn with_others(&self, kept: &Path, command: &ClangCommand, sought: SoughtHeader) -> SharedHeader {
        let shared = SharedHeaders {
            kept,
            clang: &self.options.clang,
            version: self.frontend,
            directory: &self.unit.directory,
            toolkit: self.toolkit,
            time: &self.time,
            own: &self.own(),
            at_once: self.options.precompile.is_at_once(),
        };
        // Files before the source may define macros that its headers see.
        let sought = if command.user_includes.is_empty() { sought } else { SoughtHeader::Base };
        shared.find(&command.without_files(), &self.unit.source, sought)
    }

    /// Whether the source itself mentions textures or surfaces, so that reading it without them would fail.
    fn mentions_textures(&self) -> bool {
        let text = std::fs::read(self.unit.directory.join(&self.unit.source)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        ["tex1D", "tex2D", "tex3D", "texCube", "surf1D", "surf2D", "surf3D", "surfCube"]
            .iter()
            .any(|w| text.contains(w))
    }

    /// Returns the next attempt after a rejection; `None` if no further attempt could help.
    fn next_reading(&self, now: &Fidelity, (side, stem): (Side, &str), stderr: &str, line: &str) -> Option<Fidelity> {
        if !now.textures && stderr.contains(flags::TEXTURES) {
            return Some(Fidelity { textures: true, ..now.clone() });
        }
        if side == Side::Device && !now.float128 && float128::is_refused(stderr) {
            return Some(Fidelity { float128: true, ..now.clone() });
        }
        if side == Side::Device && !now.device_on_both && flags::CALLS_DEVICE.iter().any(|m| stderr.contains(m)) {
            return Some(Fidelity { device_on_both: true, ..now.clone() });
        }
        if side == Side::Device && !now.objects_printed && stderr.contains(flags::OBJECT_PRINTED) {
            return Some(Fidelity { objects_printed: true, ..now.clone() });
        }
        if now.late_macros.is_none()
            && invoke::is_before_the_source(stderr)
            && let Some(text) = flags::late_macros(self.unit, now.asserts)
        {
            let file = self.folder.join(format!("{stem}-macros.h"));
            std::fs::write(&file, text).ok()?;
            return Some(Fidelity { late_macros: Some(file), ..now.clone() });
        }
        // Positions are those of the source as long as nothing is corrected.
        if now.overlay.is_none()
            && let Some(more) = own_names::renamed(stderr, &self.unit.directory)
        {
            let file = self.folder.join(format!("{stem}-names.h"));
            let names =
                now.own_names.as_ref().and_then(|f| String::from_utf8(store::bytes(f)?).ok()).unwrap_or_default();
            // A type may rest on another one of them.
            if !names.contains(&more) && names.lines().count() < own_names::MAX {
                std::fs::write(&file, names + &more).ok()?;
                return Some(Fidelity { own_names: Some(file), ..now.clone() });
            }
        }
        if now.overlay.as_ref().is_none_or(|o| o.rounds < MAX_ROUNDS) {
            let folder = self.folder.join(format!("{stem}-corrected"));
            let overlay = std::fs::create_dir_all(&folder).ok().and_then(|()| {
                let folders = (self.unit.directory.as_path(), folder.as_path());
                source_overlay::overlay((side, stderr), folders, now.overlay.as_ref(), now.template_bodies)
            });
            if overlay.is_some() {
                return Some(Fidelity { overlay, ..now.clone() });
            }
        }
        if now.asserts == Asserts::Kept && flags::defines_ndebug(self.unit) {
            return self.with_asserts_as_given(now);
        }
        if line.ends_with("file not found") || now.template_bodies == TemplateBodies::IfNeeded {
            return None;
        }
        if now.as_gcc {
            return Some(Fidelity { as_gcc: false, ..now.clone() });
        }
        // Last of all, for it takes functions away.
        let is_device = side == Side::Device;
        is_device.then(|| Fidelity { as_gcc: true, template_bodies: TemplateBodies::IfNeeded, ..now.clone() })
    }

    /// Returns the same reading with `NDEBUG` as in the command.
    fn with_asserts_as_given(&self, now: &Fidelity) -> Option<Fidelity> {
        if let Some((file, text)) = now.late_macros.as_ref().zip(flags::late_macros(self.unit, Asserts::AsGiven)) {
            std::fs::write(file, text).ok()?;
        }
        Some(Fidelity { asserts: Asserts::AsGiven, ..now.clone() })
    }

    fn read(
        &self,
        side: Side,
        bitcode: &Path,
        depfile: &Path,
        command: ClangCommand,
        asserts_restored: bool,
    ) -> SideResult {
        let about = CompileFacts {
            side,
            source: self.unit.source.to_string_lossy().into_owned(),
            directory: self.unit.directory.clone(),
            own: self.own(),
            arch: command.arch,
            producer: self.frontend.to_owned(),
            asserts_restored,
            relocatable: self.unit.relocatable,
        };
        let mut notes = command.notes;
        let compiler = ModelCompiler {
            clang: &self.options.clang,
            version: self.frontend,
            kept: self.options.headers.as_deref(),
            folder: self.folder,
            time: &self.time,
        };
        if side == Side::Host && self.options.precompile == Precompile::Ahead {
            notes.extend(compiler.all().err());
        }
        let models = |declares: &dyn Fn(&str) -> bool| match side {
            Side::Host => compiler.models(bitcode, declares).unwrap_or_else(|why| {
                notes.push(why);
                vec![]
            }),
            Side::Device => vec![],
        };
        SideResult {
            variants: vec![],
            module: llvm::read_bitcode(bitcode, models, about).map_err(|e| e.to_string()),
            dependencies: invoke::dependencies(depfile, &self.unit.directory),
            notes,
        }
    }

    /// Returns the classifier of the user's files. A corrected copy has the name of its original.
    fn own(&self) -> UserFolders {
        let ours = [self.folder.to_owned(), MODELS.into()].into_iter().chain(self.options.headers.clone());
        UserFolders::of(self.unit, self.toolkit.folders()).and_ours(ours)
    }
}
