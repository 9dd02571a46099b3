//! Compares the check of a program's second reading with that of the first.
//!
//! In: the report of the check of clang's reading, and cgeist's modules of the same units. Out: both verdicts for each
//! access. No verdict changes here. Signs that cgeist leaves unknown are taken from clang's code. The check of
//! cgeist's modules makes only the first, cheap attempts, with a twentieth of the first check's work or the budget of
//! a compile command, whichever is larger ([`Pace::Beside`]). Its report is compared before anything in it is
//! weakened.

use crate::worker::guarded::WorkerFailure;
use check::{AccessStanding, CheckOptions, DecidedAccess, Pace, ProgramReport};
use finding::second_reading::{ReadingDifference, ReadingVerdict, SecondReading};
use frontend::second;
use ir::Module;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Divisor of the first check's work that gives the budget of the second: with what does not count as work (reading
/// the text, linking), the second check stays within a tenth of the time.
const PART: u64 = 20;

/// Reason why an access whose verdict depends on the sign of subscripts does not count against cgeist's reading.
const SUBSCRIPTS: &str = "cgeist sign-extends every subscript";

/// Checks the second reading and compares it with the first. `clang`: the modules of the first report. `check`: checks
/// some modules.
///
/// # Errors
/// If `check` fails, or a safety net cut off the second check.
pub fn compare(
    first: &ProgramReport,
    clang: &[Arc<Module>],
    second: Vec<Arc<Module>>,
    frontend: String,
    options: &CheckOptions,
    check: impl Fn(Vec<Arc<Module>>, &CheckOptions) -> Result<ProgramReport, WorkerFailure>,
) -> Result<(SecondReading, Option<String>), WorkerFailure> {
    // This check shows nothing of itself (`--dump`, `--explain`, `--timings`), and its duration affects no finding.
    let options = CheckOptions {
        pace: Pace::Beside(first.summary.work / PART),
        inside: base::inside::RequestedOutput::default(),
        ..options.clone()
    };
    let clang: Vec<&Module> = clang.iter().map(AsRef::as_ref).collect();
    let second: Vec<Arc<Module>> =
        second.into_iter().map(|m| second::settled(&m, &clang).map_or(m, Arc::new)).collect();
    let doubts: Vec<String> = second
        .iter()
        .filter_map(|m| second::doubts(&m.producer))
        .filter(|d| !d.is_empty())
        .map(str::to_owned)
        .collect();
    let other = check(second.clone(), &options)?;
    // Verdicts that a clock cut off may differ in another run.
    if !other.nets.is_empty() {
        return Err(WorkerFailure::TooLong(u64::from(options.seconds)));
    }
    let mut out = SecondReading { frontend: frontend.clone(), ..SecondReading::default() };
    for place in places(first, &other) {
        out.add(place);
    }
    if out.different > 0 {
        if let Some(doubt) = doubts.first() {
            explain(&mut out, |_| Some(doubt.clone()));
        } else if let Some(modules) = unsigned(&second) {
            let report = check(modules, &options)?;
            let told: Vec<ReadingDifference> = places(first, &report);
            // A changed verdict shows that the sign decides, even if the cheap attempts leave it undecided whether it
            // then equals clang's.
            let otherwise = |c: &ReadingDifference| {
                told.iter().any(|t| {
                    (&t.position, &t.kernel, &t.array, t.first) == (&c.position, &c.kernel, &c.array, c.first)
                        && t.second != c.second
                })
            };
            explain(&mut out, |c| otherwise(c).then(|| SUBSCRIPTS.to_owned()));
        }
    }
    Ok((out, launches(first, &other, &frontend)))
}

/// Sets the reason for accesses on which the two readings disagree.
fn explain(out: &mut SecondReading, why: impl Fn(&ReadingDifference) -> Option<String>) {
    let opposed = |c: &ReadingDifference| {
        matches!(
            (c.first, c.second),
            (Some(ReadingVerdict::Safe), Some(ReadingVerdict::Found))
                | (Some(ReadingVerdict::Found), Some(ReadingVerdict::Safe))
        )
    };
    for c in out.list.iter_mut().filter(|c| opposed(c)) {
        c.known = why(c);
    }
}

fn unsigned(modules: &[Arc<Module>]) -> Option<Vec<Arc<Module>>> {
    let others: Vec<Option<Module>> = modules.iter().map(|m| second::unsigned_subscripts(m)).collect();
    others
        .iter()
        .any(Option::is_some)
        .then(|| others.into_iter().zip(modules).map(|(o, m)| o.map_or_else(|| m.clone(), Arc::new)).collect())
}

/// Returns a line if the two readings have different numbers of launches.
fn launches(first: &ProgramReport, second: &ProgramReport, name: &str) -> Option<String> {
    let count = |n: u32| if n == 1 { "1 launch".to_owned() } else { format!("{n} launches") };
    let (ours, theirs) = (first.summary.launches, second.summary.launches);
    (ours != theirs).then(|| format!("{name} sees {}, clang {}", count(theirs), count(ours)))
}

/// Returns every access of either reading, with its counterpart if it has one.
///
/// Accesses are matched by kernel and array, and by line if both readings have lines; cgeist as released gives none.
/// Without lines they are paired so that as few as possible differ: reads and writes of one statement come in another
/// order, and two accesses to one array in one kernel cannot be told apart.
fn places(first: &ProgramReport, second: &ProgramReport) -> Vec<ReadingDifference> {
    let (ours, theirs) = (by_array(first), by_array(second));
    let mut out = vec![];
    for (key, mine) in &ours {
        let none = vec![];
        pair(mine, theirs.get(key).unwrap_or(&none), &mut out);
    }
    for found in theirs.iter().filter(|(key, _)| !ours.contains_key(*key)).map(|(_, found)| found) {
        pair(&[], found, &mut out);
    }
    out
}

fn by_array(r: &ProgramReport) -> BTreeMap<(&str, &str), Vec<&DecidedAccess>> {
    let mut out: BTreeMap<(&str, &str), Vec<&DecidedAccess>> = BTreeMap::new();
    for p in &r.places {
        out.entry((&p.kernel, &p.array)).or_default().push(p);
    }
    out
}

fn pair(mine: &[&DecidedAccess], found: &[&DecidedAccess], out: &mut Vec<ReadingDifference>) {
    let lined = |v: &[&DecidedAccess]| v.iter().all(|p| p.position.line > 0);
    if !mine.is_empty() && !found.is_empty() && lined(mine) && lined(found) {
        let mut lines: BTreeMap<u32, (Vec<&DecidedAccess>, Vec<&DecidedAccess>)> = BTreeMap::new();
        mine.iter().for_each(|p| lines.entry(p.position.line).or_default().0.push(p));
        found.iter().for_each(|p| lines.entry(p.position.line).or_default().1.push(p));
        lines.values().for_each(|(a, b)| pair_by_standing(a, b, out));
    } else {
        pair_by_standing(mine, found, out);
    }
}

fn pair_by_standing(mine: &[&DecidedAccess], found: &[&DecidedAccess], out: &mut Vec<ReadingDifference>) {
    let (mut mine, mut found) = (mine.to_vec(), found.to_vec());
    // Equal numbers are paired one by one. Otherwise an access in a template may count once here and several times
    // there, and only what all of its instances have in common can be compared.
    if mine.len() != found.len() && !mine.is_empty() && !found.is_empty() {
        let all = |v: &[&DecidedAccess], s| v.iter().all(|p| p.standing == s);
        if all(&mine, AccessStanding::Safe) && all(&found, AccessStanding::Safe) {
            let matched = mine.len().min(found.len());
            mine.iter().take(matched).for_each(|p| out.push(compared(Some(p), Some(p))));
            mine.iter().skip(matched).for_each(|p| out.push(compared(Some(p), None)));
            // Further instances of the same accesses are nothing that the first reading lacks.
            return;
        }
        let worst = |v: &mut Vec<&DecidedAccess>| -> Option<DecidedAccess> {
            let at = (0..v.len()).max_by_key(|i| (v[*i].standing, std::cmp::Reverse(*i)))?;
            Some(v.remove(at).clone())
        };
        let (a, b) = (worst(&mut mine), worst(&mut found));
        out.push(compared(a.as_ref(), b.as_ref()));
        let wrong = |v: &[&DecidedAccess]| v.iter().filter(|p| p.standing == AccessStanding::Found).count();
        let mut both = wrong(&mine).min(wrong(&found));
        for p in mine {
            let matched = p.standing == AccessStanding::Found && both > 0;
            both -= usize::from(matched);
            out.push(compared(Some(p), matched.then_some(p)));
        }
        return;
    }
    let mut take = |a: Option<AccessStanding>, b: Option<AccessStanding>| {
        let is = |s: Option<AccessStanding>| move |p: &&DecidedAccess| s.is_none_or(|s| p.standing == s);
        while let (Some(i), Some(j)) = (mine.iter().position(is(a)), found.iter().position(is(b))) {
            out.push(compared(Some(mine.remove(i)), Some(found.remove(j))));
        }
    };
    for s in [AccessStanding::Safe, AccessStanding::Undecided, AccessStanding::Found] {
        take(Some(s), Some(s));
    }
    take(Some(AccessStanding::Undecided), None);
    take(None, Some(AccessStanding::Undecided));
    take(None, None);
    mine.iter().for_each(|p| out.push(compared(Some(p), None)));
    found.iter().for_each(|p| out.push(compared(None, Some(p))));
}

/// Returns the comparison of two accesses, at the position of the first, which is clang's.
fn compared(first: Option<&DecidedAccess>, second: Option<&DecidedAccess>) -> ReadingDifference {
    let stands = |p: &DecidedAccess| match p.standing {
        AccessStanding::Safe => ReadingVerdict::Safe,
        AccessStanding::Undecided => ReadingVerdict::Undecided,
        AccessStanding::Found => ReadingVerdict::Found,
    };
    let at = first.or(second);
    ReadingDifference {
        position: at.map(|p| p.position.clone()).unwrap_or_default(),
        kernel: at.map(|p| p.kernel.clone()).unwrap_or_default(),
        array: at.map(|p| p.array.clone()).unwrap_or_default(),
        first: first.map(stands),
        second: second.map(stands),
        known: None,
    }
}
