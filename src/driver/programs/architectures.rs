//! Programs whose device code differs between architectures: each version is checked, and one report holds the worst
//! verdicts.
//!
//! In: the modules of units, with one or several device sides. Out: the program of the lowest architecture, and one
//! for each further architecture that has its own code; joined reports.

use check::{DecidedAccess, ProgramReport};
use finding::{Finding, Position};
use ir::{Module, Side};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Returns a unit's modules for its lowest architecture.
#[must_use]
pub fn lowest(modules: &[Arc<Module>]) -> Vec<Arc<Module>> {
    for_architecture(modules, "")
}

/// Returns a unit's modules for an architecture, or for its lowest one if it has no code of its own for that.
fn for_architecture(modules: &[Arc<Module>], arch: &str) -> Vec<Arc<Module>> {
    let device = || modules.iter().filter(|m| m.side == Side::Device);
    let chosen = device().find(|m| m.arch == arch).or_else(|| device().next());
    let host = modules.iter().filter(|m| m.side == Side::Host);
    chosen.into_iter().chain(host).cloned().collect()
}

/// Returns the programs of further architectures, each with the architecture's name.
#[must_use]
pub fn others(units: &[Vec<Arc<Module>>]) -> Vec<(String, Vec<Arc<Module>>)> {
    let further = |unit: &Vec<Arc<Module>>| {
        let device = unit.iter().filter(|m| m.side == Side::Device);
        device.skip(1).map(|m| m.arch.clone()).collect::<Vec<_>>()
    };
    let names: BTreeSet<String> = units.iter().flat_map(further).collect();
    let program = |arch: &str| units.iter().flat_map(|u| for_architecture(u, arch)).collect();
    names.into_iter().map(|arch| (arch.clone(), program(&arch))).collect()
}

type PositionKey = (Position, String);

fn key(p: &DecidedAccess) -> PositionKey {
    (p.position.clone(), p.array.clone())
}

/// Joins the report for another architecture into a report. An access in both counts once, with the worse verdict.
pub fn join(report: &mut ProgramReport, mut other: ProgramReport, arch: &str) {
    let mut known: BTreeMap<PositionKey, usize> = report.places.iter().enumerate().map(|(i, p)| (key(p), i)).collect();
    for place in other.places {
        let here = key(&place);
        let Some(&at) = known.get(&here) else {
            known.insert(here, report.places.len());
            report.places.push(place);
            continue;
        };
        let old = &mut report.places[at];
        let joined = old.class.join(place.class);
        // An undecided access is listed once: by the report with the worse verdict.
        let undecided = if joined == old.class { &mut other.undecided } else { &mut report.undecided };
        undecided.retain(|u| (&u.position, &u.array) != (&here.0, &here.1));
        old.class = joined;
        old.standing = old.standing.max(place.standing);
    }
    report.undecided.append(&mut other.undecided);
    for mut finding in other.findings {
        let same = |f: &Finding| {
            f.rule == finding.rule
                && f.access.position == finding.access.position
                && f.access.array == finding.access.array
        };
        let known = report.findings.iter().position(same);
        finding.message.push_str(&format!(" (in the code for {arch})"));
        finding.architecture = Some(arch.to_owned());
        match known {
            Some(i) if report.findings[i].verdict < finding.verdict => report.findings[i] = finding,
            Some(_) => {}
            None => report.findings.push(finding),
        }
    }
    let kernels: Vec<_> = other.kernels.into_iter().filter(|k| !report.kernels.contains(k)).collect();
    report.kernels.extend(kernels);
    let s = &mut report.summary;
    s.kernels = s.kernels.max(other.summary.kernels);
    s.launches = s.launches.max(other.summary.launches);
    s.work += other.summary.work;
    report.count_places();
    report.nets.extend(other.nets);
    let new_of = |all: &[String], more: Vec<String>| more.into_iter().filter(|n| !all.contains(n)).collect::<Vec<_>>();
    let notes = new_of(&report.notes, other.notes);
    report.notes.extend(notes.into_iter().map(|n| format!("{n} (for {arch})")));
    let internal = new_of(&report.internal, other.internal);
    report.internal.extend(internal);
    let problems = new_of(&report.problems, other.problems);
    report.problems.extend(problems);
    report.faults.extend(other.faults.into_iter().filter(|f| !report.faults.contains(f)).collect::<Vec<_>>());
    report.seen.lines.extend(other.seen.lines);
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::AccessStanding;
    use finding::Verdict;
    use finding::counts::PlaceClass;
    use finding::samples;

    fn place(line: u32, standing: AccessStanding) -> DecidedAccess {
        let position = Position { file: "a.cu".into(), line, column: 1 };
        let class = match standing {
            AccessStanding::Safe => PlaceClass::SAFE,
            AccessStanding::Undecided => PlaceClass::Unknown,
            AccessStanding::Found => PlaceClass::Possible,
        };
        DecidedAccess { position, kernel: "k".into(), array: "a".into(), standing, class }
    }

    fn report(places: &[DecidedAccess], findings: Vec<Finding>) -> ProgramReport {
        let mut r = ProgramReport { places: places.to_vec(), ..ProgramReport::default() };
        for p in &mut r.places {
            if findings.iter().any(|f| f.access.position == p.position && f.verdict == Verdict::Proved) {
                p.class = PlaceClass::Proved;
            }
        }
        r.count_places();
        r.findings = findings;
        r
    }

    fn finding(line: u32, verdict: Verdict) -> Finding {
        let mut f = samples::finding();
        f.verdict = verdict;
        f.access.position = place(line, AccessStanding::Found).position;
        f.access.array = "a".into();
        f
    }

    #[test]
    fn a_place_of_both_counts_once_as_the_worse() {
        use AccessStanding::{Found, Safe, Undecided};
        let mut r = report(
            &[place(1, Safe), place(2, Undecided), place(3, Found), place(4, Found)],
            vec![finding(3, Verdict::Possible), finding(4, Verdict::Proved)],
        );
        let other = report(
            &[place(1, Found), place(2, Safe), place(3, Found), place(4, Undecided), place(5, Safe)],
            vec![finding(1, Verdict::Proved), finding(3, Verdict::Proved)],
        );
        join(&mut r, other, "sm_90");
        let s = &r.summary;
        assert_eq!((s.accesses, s.safe, s.unknown, s.proved, s.possible), (5, 1, 1, 3, 0));
        assert_eq!(r.places.iter().map(|p| p.standing).collect::<Vec<_>>(), [Found, Undecided, Found, Found, Safe]);
        let of: Vec<_> = r.findings.iter().map(|f| (f.access.position.line, f.architecture.as_deref())).collect();
        assert_eq!(of, [(3, Some("sm_90")), (4, None), (1, Some("sm_90"))]);
    }
}
