//! A second reading of a program's units, held against what the first one's check said.
//!
//! In: the report of the check by clang's reading, and cgeist's modules of the same units. Out: what both say of each place. Nothing
//! here changes a verdict. What cgeist does not say of signs is settled by clang's code. cgeist's modules get the first, cheap looks
//! alone, and a twentieth of what the check cost; its report is compared as it is, before anything of it is tempered.

use crate::worker::guarded::Fault;
use check::{Options, Pace, Place, ProgramReport, Standing};
use finding::second_reading::{Compared, SecondReading, Stands};
use frontend::second;
use ir::Module;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What part of the check's work a second one may take: with what is not counted as work (reading the text, linking) it stays within a
/// tenth of the time.
const PART: u64 = 20;

/// Why a place that is told otherwise with signed subscripts than with unsigned ones does not count against cgeist's reading.
const SUBSCRIPTS: &str = "cgeist sign-extends every subscript";

/// Checks the second reading and compares. `clang`: the modules that the first report is of. `check` checks some modules.
///
/// # Errors
/// As `check`.
pub fn compare(
    first: &ProgramReport,
    clang: &[Arc<Module>],
    second: Vec<Arc<Module>>,
    frontend: String,
    options: &Options,
    check: impl Fn(Vec<Arc<Module>>, &Options) -> Result<ProgramReport, Fault>,
) -> Result<(SecondReading, Option<String>), Fault> {
    // What is inside of it is nobody's business, and how long it takes no finding's.
    let options = Options {
        pace: Pace::Beside(first.summary.work / PART),
        inside: base::inside::Wanted::default(),
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
    // What a clock cut off may stand otherwise in another run.
    if !other.nets.is_empty() {
        return Err(Fault::TooLong(u64::from(options.seconds)));
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
            let told: Vec<Compared> = places(first, &report);
            // That is what decides it, also where the cheap looks then leave open whether it is as clang has it.
            let otherwise = |c: &Compared| {
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

/// Says of places that differ why they do.
fn explain(out: &mut SecondReading, why: impl Fn(&Compared) -> Option<String>) {
    let opposed = |c: &Compared| {
        matches!(
            (c.first, c.second),
            (Some(Stands::Safe), Some(Stands::Found)) | (Some(Stands::Found), Some(Stands::Safe))
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

/// That the two see other launches.
fn launches(first: &ProgramReport, second: &ProgramReport, name: &str) -> Option<String> {
    let count = |n: u32| if n == 1 { "1 launch".to_owned() } else { format!("{n} launches") };
    let (ours, theirs) = (first.summary.launches, second.summary.launches);
    (ours != theirs).then(|| format!("{name} sees {}, clang {}", count(theirs), count(ours)))
}

/// Every place of either, as far as they have counterparts with its counterpart.
///
/// Places are matched by kernel and array, and by line where both readings have lines; cgeist as it is shipped gives none. Then they
/// are paired so that as few differ as can be: reads and writes of one statement come in another order, and two places of one array
/// of one kernel cannot be told apart.
fn places(first: &ProgramReport, second: &ProgramReport) -> Vec<Compared> {
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

fn by_array(r: &ProgramReport) -> BTreeMap<(&str, &str), Vec<&Place>> {
    let mut out: BTreeMap<(&str, &str), Vec<&Place>> = BTreeMap::new();
    for p in &r.places {
        out.entry((&p.kernel, &p.array)).or_default().push(p);
    }
    out
}

fn pair(mine: &[&Place], found: &[&Place], out: &mut Vec<Compared>) {
    let lined = |v: &[&Place]| v.iter().all(|p| p.position.line > 0);
    if !mine.is_empty() && !found.is_empty() && lined(mine) && lined(found) {
        let mut lines: BTreeMap<u32, (Vec<&Place>, Vec<&Place>)> = BTreeMap::new();
        mine.iter().for_each(|p| lines.entry(p.position.line).or_default().0.push(p));
        found.iter().for_each(|p| lines.entry(p.position.line).or_default().1.push(p));
        lines.values().for_each(|(a, b)| pair_by_standing(a, b, out));
    } else {
        pair_by_standing(mine, found, out);
    }
}

fn pair_by_standing(mine: &[&Place], found: &[&Place], out: &mut Vec<Compared>) {
    let (mut mine, mut found) = (mine.to_vec(), found.to_vec());
    // As many of one kind as of the other: one by one. Else instances of templates may be one place here and several there, and
    // what all of a kind have in common is what can be compared.
    if mine.len() != found.len() && !mine.is_empty() && !found.is_empty() {
        let all = |v: &[&Place], s| v.iter().all(|p| p.standing == s);
        if all(&mine, Standing::Safe) && all(&found, Standing::Safe) {
            let matched = mine.len().min(found.len());
            mine.iter().take(matched).for_each(|p| out.push(compared(Some(p), Some(p))));
            mine.iter().skip(matched).for_each(|p| out.push(compared(Some(p), None)));
            // More instances of the same places are nothing that the first lacks.
            return;
        }
        let worst = |v: &mut Vec<&Place>| -> Option<Place> {
            let at = (0..v.len()).max_by_key(|i| (v[*i].standing, std::cmp::Reverse(*i)))?;
            Some(v.remove(at).clone())
        };
        let (a, b) = (worst(&mut mine), worst(&mut found));
        out.push(compared(a.as_ref(), b.as_ref()));
        let wrong = |v: &[&Place]| v.iter().filter(|p| p.standing == Standing::Found).count();
        let mut both = wrong(&mine).min(wrong(&found));
        for p in mine {
            let matched = p.standing == Standing::Found && both > 0;
            both -= usize::from(matched);
            out.push(compared(Some(p), matched.then_some(p)));
        }
        return;
    }
    let mut take = |a: Option<Standing>, b: Option<Standing>| {
        let is = |s: Option<Standing>| move |p: &&Place| s.is_none_or(|s| p.standing == s);
        while let (Some(i), Some(j)) = (mine.iter().position(is(a)), found.iter().position(is(b))) {
            out.push(compared(Some(mine.remove(i)), Some(found.remove(j))));
        }
    };
    for s in [Standing::Safe, Standing::Open, Standing::Found] {
        take(Some(s), Some(s));
    }
    take(Some(Standing::Open), None);
    take(None, Some(Standing::Open));
    take(None, None);
    mine.iter().for_each(|p| out.push(compared(Some(p), None)));
    found.iter().for_each(|p| out.push(compared(None, Some(p))));
}

/// Told by the first's position, which is clang's.
fn compared(first: Option<&Place>, second: Option<&Place>) -> Compared {
    let stands = |p: &Place| match p.standing {
        Standing::Safe => Stands::Safe,
        Standing::Open => Stands::Open,
        Standing::Found => Stands::Found,
    };
    let at = first.or(second);
    Compared {
        position: at.map(|p| p.position.clone()).unwrap_or_default(),
        kernel: at.map(|p| p.kernel.clone()).unwrap_or_default(),
        array: at.map(|p| p.array.clone()).unwrap_or_default(),
        first: first.map(stands),
        second: second.map(stands),
        known: None,
    }
}
