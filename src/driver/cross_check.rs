//! Weakens verdicts whose reading of the sources is uncertain: cgeist's reading where no other stands beside it, and
//! code that may differ from the compiled code. [`super::second_reading`] compares cgeist's reading with clang's.
//!
//! In: reports of checks. Out: the same reports, weakened. [`agreed`] and [`temper`] are for reports of cgeist's
//! modules alone; [`rest_on`] also weakens reports of clang's modules that carry doubts.

use base::rules::Level;
use check::{AccessStanding, DecidedAccess, ProgramReport};
use finding::counts::PlaceClass;
use finding::{Finding, Position, ReasonCode, Undecided, Verdict};
use ir::Doubt;
use std::collections::{BTreeMap, BTreeSet};

/// Reason why a verdict that depends on signed subscripts is withdrawn.
const SUBSCRIPTS: &str = "cgeist sign-extends every subscript";

/// Keeps the safe and the proved verdicts of a report that also hold in `other`, which takes every subscript that
/// cgeist sign-extends as unsigned. Other safe accesses become undecided, other proofs possible.
pub fn agreed(report: &mut ProgramReport, other: &ProgramReport) {
    let mut standings: BTreeMap<(&Position, &str, &str), AccessStanding> = BTreeMap::new();
    for p in &other.places {
        let worst = standings.entry((&p.position, &p.kernel, &p.array)).or_insert(p.standing);
        *worst = (*worst).max(p.standing);
    }
    for p in report.places.iter_mut().filter(|p| p.standing == AccessStanding::Safe) {
        if standings.get(&(&p.position, &p.kernel, &p.array)) == Some(&AccessStanding::Safe) {
            continue;
        }
        let reason = format!("in bounds only if its subscripts are signed: {SUBSCRIPTS}");
        report.undecided.extend(opened(p, reason));
    }
    for f in report.findings.iter_mut().filter(|f| f.verdict == Verdict::Proved) {
        let same = |g: &&Finding| {
            g.rule == f.rule
                && g.access.position == f.access.position
                && g.access.kernel == f.access.kernel
                && g.access.array == f.access.array
        };
        if other.findings.iter().filter(same).any(|g| g.verdict == Verdict::Proved) {
            continue;
        }
        possible(f, SUBSCRIPTS);
    }
    count_again(report);
}

/// Marks a safe access as undecided. Returns its entry for the list of undecided accesses, unless a finding at the
/// same access is worse.
fn opened(p: &mut DecidedAccess, reason: String) -> Option<Undecided> {
    p.standing = AccessStanding::Undecided;
    p.class = p.class.join(PlaceClass::Unknown);
    (p.class == PlaceClass::Unknown).then(|| Undecided {
        position: p.position.clone(),
        kernel: p.kernel.clone(),
        array: p.array.clone(),
        code: ReasonCode::Other,
        related: vec![],
        reason,
    })
}

/// Counts accesses again after proofs were withdrawn: a proved access stays proved only if a proved finding is left
/// there.
fn count_again(report: &mut ProgramReport) {
    let proved: BTreeSet<(&Position, &str)> = report
        .findings
        .iter()
        .filter(|f| f.verdict == Verdict::Proved)
        .map(|f| (&f.access.position, f.access.array.as_str()))
        .collect();
    for p in report.places.iter_mut().filter(|p| p.class == PlaceClass::Proved) {
        if !proved.contains(&(&p.position, p.array.as_str())) {
            p.class = PlaceClass::Possible;
        }
    }
    report.count_places();
}

fn possible(f: &mut Finding, why: &str) {
    weaken(f, format!("the compiler reads the source as cgeist does, although {why}"));
}

fn weaken(f: &mut Finding, assumption: String) {
    f.verdict = Verdict::Possible;
    f.level = Level::Warn;
    f.assumptions.push(assumption);
}

/// Weakens a report that rests on cgeist's reading alone. `doubts` are the known differences between cgeist's and a
/// compiler's reading of these units; if there are any, proofs become possible and safe accesses undecided.
pub fn temper(report: &mut ProgramReport, doubts: &[&str]) {
    if doubts.is_empty() {
        return;
    }
    let doubt = doubts.join(", ");
    for f in report.findings.iter_mut().filter(|f| f.verdict == Verdict::Proved) {
        possible(f, &doubt);
    }
    for p in report.places.iter_mut().filter(|p| p.standing == AccessStanding::Safe) {
        report.undecided.extend(opened(p, format!("in bounds as cgeist reads it, but {doubt}")));
    }
    count_again(report);
}

/// Weakens a report whose program may differ from the compiled one. Safe accesses then rest on an assumption, which
/// proved findings name; they are undecided where the program certainly differs. A proof becomes merely possible in a
/// file that asks what compilers answer differently, and in every file if the doubt concerns all code.
pub fn rest_on(report: &mut ProgramReport, doubts: &BTreeSet<Doubt>) {
    if doubts.is_empty() {
        return;
    }
    let words: Vec<&str> = doubts.iter().map(|d| d.words.as_str()).collect();
    let assumption = format!("the program read is the one that is compiled, although {}", words.join("; "));
    for f in report.findings.iter_mut().filter(|f| f.verdict == Verdict::Proved) {
        let file = f.access.position.file.rsplit('/').next().unwrap_or_default();
        if doubts.iter().any(|d| d.file.as_deref().is_none_or(|asks| asks == file)) {
            weaken(f, assumption.clone());
        } else {
            f.assumptions.push(assumption.clone());
        }
    }
    let certain: Vec<&str> = doubts.iter().filter(|d| d.certain).map(|d| d.words.as_str()).collect();
    if !certain.is_empty() {
        for p in report.places.iter_mut().filter(|p| p.standing == AccessStanding::Safe) {
            report.undecided.extend(opened(p, certain.join("; ")));
        }
    }
    let safe = report.assume_in_all();
    count_again(report);
    if safe > 0 {
        let accesses = if safe == 1 { "1 access is".to_owned() } else { format!("{safe} accesses are") };
        report.notes.push(format!("{accesses} safe only under an assumption: {assumption}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finding::samples;

    fn report(places: &[(u32, &str, AccessStanding)], launches: u32) -> ProgramReport {
        let mut r = ProgramReport::default();
        r.summary.launches = launches;
        for (line, array, standing) in places {
            r.places.push(DecidedAccess {
                position: Position { file: "a.cu".into(), line: *line, column: 1 },
                kernel: "k".into(),
                array: (*array).into(),
                standing: *standing,
                class: match standing {
                    AccessStanding::Safe => PlaceClass::SAFE,
                    AccessStanding::Undecided => PlaceClass::Unknown,
                    AccessStanding::Found => PlaceClass::Proved,
                },
            });
        }
        for p in r.places.iter().filter(|p| p.standing == AccessStanding::Found) {
            let mut f = samples::finding();
            (f.access.position, f.access.kernel, f.access.array) = (p.position.clone(), "k".into(), p.array.clone());
            r.findings.push(f);
        }
        r.count_places();
        r
    }

    #[test]
    fn two_readings_of_subscripts_agree_on_what_stands() {
        use AccessStanding::{Found, Safe, Undecided};
        let mut r = report(&[(0, "a", Safe), (1, "a", Safe), (2, "b", Found), (3, "c", Safe)], 1);
        agreed(&mut r, &report(&[(0, "a", Safe), (1, "a", Found), (2, "b", Safe), (3, "c", Undecided)], 1));
        assert_eq!(r.places.iter().map(|p| p.standing).collect::<Vec<_>>(), [Safe, Undecided, Found, Undecided]);
        assert_eq!((r.summary.safe, r.summary.unknown, r.undecided.len()), (1, 2, 2));
        assert_eq!((r.summary.proved, r.summary.possible, r.summary.accesses), (0, 1, 4));
        assert!(r.undecided[0].reason.contains("cgeist sign-extends every subscript"));
    }

    #[test]
    fn a_doubtful_reading_leaves_nothing_safe() {
        let mut r = report(
            &[(0, "a", AccessStanding::Safe), (7, "b", AccessStanding::Safe), (9, "c", AccessStanding::Found)],
            1,
        );
        // Two operations wrap at one access: the access is wrong, and counts once.
        let (mut wraps, mut also) = (samples::finding(), samples::finding());
        (wraps.access.position.line, also.access.position.line) = (20, 20);
        r.places.push(DecidedAccess {
            position: wraps.access.position.clone(),
            array: wraps.access.array.clone(),
            class: PlaceClass::Proved,
            standing: AccessStanding::Safe,
            kernel: "k".into(),
        });
        r.findings.extend([wraps, also]);
        temper(&mut r, &["cgeist drops exceptions"]);
        assert_eq!((r.summary.safe, r.summary.unknown, r.undecided.len()), (0, 2, 2));
        assert_eq!((r.summary.proved, r.summary.possible, r.summary.accesses), (0, 2, 4));
        assert!(r.undecided[1].reason.contains("cgeist drops exceptions"));
    }
}
