//! Assembles one report from the findings of several programs.

use super::baseline::Baseline;
use super::levels::Levels;
use super::shard::ShardPart;
use super::suppress::{Notice, Suppressed, Suppressions};
use super::{fingerprint, fix, merge, same_check, span};
use base::rules::Level;
use config::Config;
use finding::counts::{CountedKernel, CountedPlace, PlaceUnion};
use finding::paths::ProjectRoot;
use finding::second_reading::SecondReading;
use finding::sources::SourceFiles;
use finding::{
    BuiltWithout, Finding, NotAnalysed, Position, Related, Report, ReportTool, Summary, Undecided, UnreadObject,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Results of checking one program; paths are absolute, fingerprints and `program` not yet assigned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramFindings {
    /// Number among the programs of the check, from 0.
    pub number: usize,
    pub name: String,
    pub findings: Vec<Finding>,
    pub undecided: Vec<Undecided>,
    /// Every counted place, once, with its class.
    pub places: Vec<CountedPlace>,
    /// Kernels that the program runs.
    pub kernels: Vec<CountedKernel>,
    /// Counts of this program only.
    pub summary: Summary,
}

/// Outcome of a translation unit itself, whatever programs it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitOutcome {
    /// Sides that were not read (absolute paths).
    pub not_analysed: Vec<NotAnalysed>,
    /// Source, if the build compiled it without the analysis (absolute path).
    pub built_without: Option<String>,
    /// Front ends that read it.
    pub producers: Vec<String>,
}

/// Everything that one run found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    pub programs: Vec<ProgramFindings>,
    /// Units of these programs, by their numbers among all units of the check.
    pub units: BTreeMap<usize, UnitOutcome>,
    /// Further sides that were not analysed: of programs whose check failed, and of objects without a known unit.
    pub not_analysed: Vec<NotAnalysed>,
    /// Further sources, or objects, that a build compiled without the analysis (absolute paths).
    pub built_without: Vec<String>,
    /// Objects that programs were linked with and that were not read.
    pub unseen: BTreeSet<UnreadObject>,
    /// Sources that `[scope] exclude` names (absolute paths).
    pub excluded: BTreeSet<String>,
    /// Comparisons of second readings of programs with the first.
    pub second: Vec<SecondReading>,
    /// Settings of the safety nets that were reached.
    pub limits_reached: Vec<String>,
    /// Wall-clock time of the run in seconds.
    pub seconds: f64,
    /// The project's own source files that were analysed completely (absolute paths): suppression comments in them
    /// without effect are reported. Empty if only a part of the project was seen.
    pub files: Vec<String>,
}

impl RunFindings {
    /// Returns the names of the front ends that read the units.
    #[must_use]
    pub fn frontend(&self) -> String {
        let all: BTreeSet<&str> = self.units.values().flat_map(|u| &u.producers).map(String::as_str).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    }

    /// Moves what units say of themselves to what is not of any unit; returns their number.
    fn flatten(&mut self) -> usize {
        let units = std::mem::take(&mut self.units);
        let number = units.len();
        for unit in units.into_values() {
            self.not_analysed.extend(unit.not_analysed);
            self.built_without.extend(unit.built_without);
        }
        number
    }
}

/// Project settings for findings.
#[derive(Clone, Debug)]
pub struct Policy<'a> {
    pub config: &'a Config,
    pub levels: &'a Levels,
    pub root: &'a ProjectRoot,
    pub baseline: Option<&'a Baseline>,
}

/// A report ready to be rendered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assembled {
    pub report: Report,
    /// Findings omitted from the text because users have just read them; they are still counted.
    pub told_before: Vec<Finding>,
    /// Findings of checks that reported findings list with theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
    pub notices: Vec<Notice>,
    /// Every access in the source, once, with its class over all programs.
    pub places: Vec<CountedPlace>,
    /// Comments beside findings that do not accept them, each with the finding's fingerprint and the reason.
    pub comments: Vec<(String, Notice)>,
    /// Part of a shard's report that `scuba merge` needs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<Box<ShardPart>>,
}

impl Assembled {
    /// Removes findings from the text, but not from its counts.
    pub fn omit_findings(&mut self, told: impl Fn(&Finding) -> bool) {
        let (out, stay) = std::mem::take(&mut self.report.findings).into_iter().partition(told);
        self.report.findings = stay;
        self.told_before = out;
    }

    /// Whether a finding's own text explains the comment that a notice is about.
    #[must_use]
    pub fn is_at_finding(&self, notice: &Notice) -> bool {
        self.comments.iter().any(|(_, n)| (&n.file, n.line) == (&notice.file, notice.line))
    }

    /// Returns the notices about files with findings. Notices on a finding's line or the line above it come first: such
    /// a comment was meant for the finding.
    #[must_use]
    pub fn notices_beside_findings(&self) -> Vec<&Notice> {
        let distance = |n: &Notice| {
            let places = self.report.findings.iter().map(|f| &f.access.position).filter(|p| p.file == n.file);
            places.map(|p| p.line != n.line && p.line != n.line.saturating_add(1)).min()
        };
        let mut beside: Vec<(bool, &Notice)> = self.notices.iter().filter_map(|n| Some((distance(n)?, n))).collect();
        beside.sort_by_key(|(far, _)| *far);
        beside.into_iter().map(|(_, n)| n).collect()
    }
}

/// Merges, orders, fingerprints, suppresses and levels the findings.
#[must_use]
pub fn assemble(mut found: RunFindings, tool: ReportTool, policy: &Policy<'_>, sources: &SourceFiles) -> Assembled {
    let root = policy.root;
    let units = found.flatten();
    let built_without: BTreeSet<_> = found.built_without.iter().map(|f| BuiltWithout { file: root.show(f) }).collect();
    let excluded: BTreeSet<String> = found.excluded.iter().map(|f| root.show(f)).collect();
    let mut summary = Summary {
        programs: u32::try_from(found.programs.len()).unwrap_or(u32::MAX),
        translation_units: u32::try_from(units).unwrap_or(u32::MAX),
        not_analysed: u32::try_from(found.not_analysed.len()).unwrap_or(u32::MAX),
        built_without_analysis: u32::try_from(built_without.len()).unwrap_or(u32::MAX),
        unseen: u32::try_from(found.unseen.len()).unwrap_or(u32::MAX),
        excluded: u32::try_from(excluded.len()).unwrap_or(u32::MAX),
        seconds: found.seconds,
        ..Summary::default()
    };
    let mut findings = Vec::new();
    let mut undecided = Vec::new();
    let mut counted = PlaceUnion::default();
    let mut shown_as = FxHashMap::default();
    for program in found.programs {
        // Launches belong to a single program, and so does the cost of its check.
        summary.launches = summary.launches.saturating_add(program.summary.launches);
        summary.work = summary.work.saturating_add(program.summary.work);
        let places = program.places.into_iter().map(|mut p| {
            let file = std::mem::take(&mut p.position.file);
            p.position.file = shown_as.entry(file).or_insert_with_key(|file| root.show(file)).clone();
            p
        });
        counted.add(places, program.kernels);
        undecided.extend(program.undecided.into_iter().map(|mut u| {
            u.position.file = root.show(&u.position.file);
            for r in &mut u.related {
                r.position.file = root.show(&r.position.file);
            }
            u
        }));
        findings.extend(program.findings.into_iter().map(|f| shown(f, &program.name, root)));
    }
    counted.write_to(&mut summary);
    let mut findings = merge::merge(findings);
    let mut undecided = merge::merge_undecided(undecided, &findings);
    point_at_expressions(&mut findings, sources);
    same_check::strengthen(&mut findings);
    fix::add(&mut findings, sources);
    findings.sort_by(|a, b| order(a).cmp(&order(b)));
    fingerprint::assign(&mut findings);
    undecided.sort_by(|a, b| (&a.position, &a.array).cmp(&(&b.position, &b.array)));

    let mut suppressions = Suppressions::new(policy.config, root, sources, policy.baseline);
    let (findings, suppressed) = suppressions.split(findings);
    let (findings, mut suppressed) = same_check::join(findings, suppressed);
    let (mut findings, mut joined) = same_check::join_arguments(findings);
    fix::add(&mut findings, sources);
    joined.retain(|f| policy.levels.level_of(f) != Level::Allow);
    joined.sort_by(|a, b| order(a).cmp(&order(b)));
    suppressed.sort_by(|a, b| order(&a.finding).cmp(&order(&b.finding)));
    let files: Vec<String> = found.files.iter().map(|f| root.show(f)).collect();
    let comments = suppressions.beside(&findings);
    let notices = suppressions.notices(&files);
    for f in &mut findings {
        f.level = policy.levels.level_of(f);
    }
    findings.retain(|f| f.level != Level::Allow);
    findings.sort_by(|a, b| gravity(a).cmp(&gravity(b)).then_with(|| order(a).cmp(&order(b))));
    findings.iter_mut().for_each(remove_all_ordinals);
    for u in &mut undecided {
        remove_ordinals(&mut u.position, &mut u.related);
    }
    let mut not_analysed: Vec<NotAnalysed> =
        found.not_analysed.into_iter().map(|n| NotAnalysed { file: root.show(&n.file), ..n }).collect();
    not_analysed.sort_by(|a, b| (&a.file, &a.side, &a.reason).cmp(&(&b.file, &b.side, &b.reason)));
    found.limits_reached.sort();
    let report = Report {
        schema: finding::schema::NAME.into(),
        tool,
        summary,
        findings,
        undecided,
        not_analysed,
        built_without_analysis: built_without.into_iter().collect(),
        unseen: found.unseen.into_iter().collect(),
        excluded: excluded.into_iter().collect(),
        repeatable: found.limits_reached.is_empty(),
        limits_reached: found.limits_reached,
        diff_base: None,
        second_reading: SecondReading::merged(found.second, root),
    };
    Assembled {
        report,
        told_before: vec![],
        joined,
        suppressed,
        notices,
        comments,
        places: counted.places().collect(),
        shard: None,
    }
}

/// Removes columns of positions without a line from a finding.
fn remove_all_ordinals(f: &mut Finding) {
    remove_ordinals(&mut f.access.position, &mut f.related);
    for at in f.steps.iter_mut().filter_map(|s| s.position.as_mut()).filter(|at| at.line == 0) {
        at.column = 0;
    }
    if let Some(a) = f.allocation.as_mut().filter(|a| a.line == 0) {
        a.column = 0;
    }
    if let Some(l) = f.launch.as_mut().filter(|l| l.line == 0) {
        l.column = 0;
    }
}

/// Removes columns of positions without a line: they only distinguished places so far.
fn remove_ordinals(at: &mut Position, related: &mut [Related]) {
    for p in std::iter::once(at).chain(related.iter_mut().map(|r| &mut r.position)).filter(|p| p.line == 0) {
        p.column = 0;
    }
}

pub(super) fn shown(mut f: Finding, program: &str, root: &ProjectRoot) -> Finding {
    program.clone_into(&mut f.program);
    f.access.position.file = root.show(&f.access.position.file);
    if let Some(a) = &mut f.allocation {
        a.file = root.show(&a.file);
    }
    for r in &mut f.related {
        r.position.file = root.show(&r.position.file);
    }
    if let Some(l) = &mut f.launch {
        l.file = root.show(&l.file);
    }
    for p in f.steps.iter_mut().filter_map(|s| s.position.as_mut()) {
        p.file = root.show(&p.file);
    }
    if let Some(m) = &mut f.missing_check {
        m.function.file = root.show(&m.function.file);
    }
    f
}

/// Moves columns from operators, where compilers locate stores, to the accessed expressions, for all formats alike. Two
/// findings never get the same position this way.
fn point_at_expressions(findings: &mut [Finding], sources: &SourceFiles) {
    let place = |f: &Finding, column| {
        let p = &f.access.position;
        (p.file.clone(), p.line, column, f.access.array.clone(), f.rule, f.program.clone())
    };
    let mut taken: FxHashSet<_> = findings.iter().map(|f| place(f, f.access.position.column)).collect();
    for f in findings {
        let p = &f.access.position;
        let Some(line) = sources.line(&p.file, p.line).filter(|_| p.column > 0) else { continue };
        let start = span::expression(&line, p.column, Some(&f.access.array)).start;
        let Ok(column) = u32::try_from(start + 1) else { continue };
        if column != p.column && taken.insert(place(f, column)) {
            let old = f.access.position.clone();
            f.access.position.column = column;
            for at in f.steps.iter_mut().filter_map(|s| s.position.as_mut()).filter(|at| **at == old) {
                at.column = column;
            }
        }
    }
}

/// Sort key of what is shown: what fails the build first, then what is proved, then what needs no empty memory.
fn gravity(f: &Finding) -> impl Ord + use<> {
    (Reverse(f.level == Level::Deny), Reverse(f.verdict), f.degenerate)
}

fn order(f: &Finding) -> impl Ord + use<'_> {
    let p = &f.access.position;
    (&p.file, p.line, p.column, &f.access.array, f.rule, &f.program)
}
