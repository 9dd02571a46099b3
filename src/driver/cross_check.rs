//! What is made of cgeist's reading where it is alone: verdicts as certain as the reading is. Beside clang's: [`super::second_reading`].
//!
//! In: reports of checks. Out: the report tempered. Nothing here changes a verdict that rests on clang's reading.

use crate::check::{ProgramReport, Standing};
use crate::report::finding::{Code, Finding, Position, Summary, Undecided, Verdict};
use crate::rules::Level;
use std::collections::BTreeMap;

/// Why a verdict of one reading of subscripts does not stand.
const SUBSCRIPTS: &str = "cgeist sign-extends every subscript";

/// Leaves of a report what holds too where every subscript that cgeist sign-extends is unsigned, as `other` takes it.
pub fn agreed(report: &mut ProgramReport, other: &ProgramReport) {
    let mut standings: BTreeMap<(&Position, &str, &str), Standing> = BTreeMap::new();
    for p in &other.places {
        let worst = standings.entry((&p.position, &p.kernel, &p.array)).or_insert(p.standing);
        *worst = (*worst).max(p.standing);
    }
    for p in report.places.iter_mut().filter(|p| p.standing == Standing::Safe) {
        if standings.get(&(&p.position, &p.kernel, &p.array)) == Some(&Standing::Safe) {
            continue;
        }
        p.standing = Standing::Open;
        report.undecided.push(Undecided {
            position: p.position.clone(),
            kernel: p.kernel.clone(),
            array: p.array.clone(),
            code: Code::Other,
            related: vec![],
            reason: format!("in bounds only where its subscripts are signed: {SUBSCRIPTS}"),
        });
        open_one(&mut report.summary);
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
        possible(f, &mut report.summary, SUBSCRIPTS);
    }
}

/// One access fewer is safe, one more undecided.
fn open_one(s: &mut Summary) {
    let from = if s.safe > 0 { &mut s.safe } else { &mut s.safe_if_no_wrap };
    *from = from.saturating_sub(1);
    s.unknown += 1;
    s.safe_assuming = s.safe_assuming.min(s.safe + s.safe_if_no_wrap);
}

fn possible(f: &mut Finding, s: &mut Summary, why: &str) {
    f.verdict = Verdict::Possible;
    f.level = Level::Warn;
    s.proved = s.proved.saturating_sub(1);
    s.possible += 1;
    f.assumptions.push(format!("the compiler reads the source as cgeist does, although {why}"));
}

/// Makes a report that rests on cgeist's reading alone as certain as that is. `doubts` are what cgeist is known to read
/// otherwise than a compiler in these units; where there are some, nothing is proved and nothing is safe.
pub fn temper(report: &mut ProgramReport, doubts: &[&str]) {
    if doubts.is_empty() {
        return;
    }
    let doubt = doubts.join(", ");
    for f in report.findings.iter_mut().filter(|f| f.verdict == Verdict::Proved) {
        possible(f, &mut report.summary, &doubt);
    }
    for p in report.places.iter_mut().filter(|p| p.standing == Standing::Safe) {
        p.standing = Standing::Open;
        report.undecided.push(Undecided {
            position: p.position.clone(),
            kernel: p.kernel.clone(),
            array: p.array.clone(),
            code: Code::Other,
            related: vec![],
            reason: format!("in bounds as cgeist reads it, but {doubt}"),
        });
    }
    let s = &mut report.summary;
    s.unknown += s.safe + s.safe_if_no_wrap;
    (s.safe, s.safe_if_no_wrap, s.safe_assuming) = (0, 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Place;
    use crate::report::finding::Position;

    fn report(places: &[(u32, &str, Standing)], launches: u32) -> ProgramReport {
        let mut r = ProgramReport::default();
        r.summary.launches = launches;
        for (line, array, standing) in places {
            r.places.push(Place {
                position: Position { file: "a.cu".into(), line: *line, column: 1 },
                kernel: "k".into(),
                array: (*array).into(),
                standing: *standing,
            });
            if *standing == Standing::Safe {
                r.summary.safe += 1;
            }
            r.summary.accesses += 1;
        }
        r
    }

    #[test]
    fn two_readings_of_subscripts_agree_on_what_stands() {
        use Standing::{Found, Open, Safe};
        let mut r = report(&[(0, "a", Safe), (1, "a", Safe), (2, "b", Found), (3, "c", Safe)], 1);
        agreed(&mut r, &report(&[(0, "a", Safe), (1, "a", Found), (2, "b", Safe), (3, "c", Open)], 1));
        assert_eq!(r.places.iter().map(|p| p.standing).collect::<Vec<_>>(), [Safe, Open, Found, Open]);
        assert_eq!((r.summary.safe, r.summary.unknown, r.undecided.len()), (1, 2, 2));
        assert!(r.undecided[0].reason.contains("cgeist sign-extends every subscript"));
    }

    #[test]
    fn a_doubtful_reading_leaves_nothing_safe() {
        let mut r = report(&[(0, "a", Standing::Safe), (7, "b", Standing::Safe)], 1);
        temper(&mut r, &["cgeist drops exceptions"]);
        assert_eq!((r.summary.safe, r.summary.unknown, r.undecided.len()), (0, 2, 2));
        assert!(r.undecided[1].reason.contains("cgeist drops exceptions"));
    }
}
