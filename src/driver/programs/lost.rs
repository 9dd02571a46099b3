//! Accounts in a program's report for parts of the program whose host code was not read: objects that were linked without
//! being compiled under SCuBA, and units that no front end could read.
//!
//! In: the report of the units that were read, all units of the program. Out: the report, with safe accesses resting
//! on the unread parts, which are also named as reasons of undecided accesses. An unread part that neither calls,
//! defines nor uses anything of the units that were read changes nothing; its symbols show that (System V ABI, "Symbol
//! Table").

use super::scope;
use check::ProgramReport;
use facts::{LinkSymbol, UnitFacts};
use finding::ReasonCode;
use frontend::names::demangle;
use std::collections::{HashMap, HashSet};

/// Number of objects that a reason names.
const NAMED: usize = 3;

/// Accounts in a report for the unread parts among a program's `units`.
pub fn account(report: &mut ProgramReport, units: &[&UnitFacts]) {
    let unseen = units.iter().filter(|u| u.unseen.is_some() && !u.is_excluded()).count();
    report.summary.unseen = u32::try_from(unseen).unwrap_or(u32::MAX);
    let lost: Vec<LostObject<'_>> = touching(units);
    if lost.is_empty() {
        return;
    }
    let names: Vec<&str> = lost.iter().take(NAMED).map(|l| &*l.object).collect();
    let names = if lost.len() > NAMED { format!("{} and others", names.join(", ")) } else { names.join(", ") };
    let why = why(&lost);
    let safe = report.assume_in_all();
    report.count_places();
    if safe > 0 {
        report.notes.push(format!("{safe} safe accesses rest on {names}: {why}"));
    }
    let definers: HashMap<String, &str> = lost
        .iter()
        .flat_map(|l| l.unit.symbols.strong.iter().chain(&l.unit.symbols.weak).map(|s| (shown(&s.name), &*l.object)))
        .collect();
    let main = definers.get("main").copied();
    for undecided in &mut report.undecided {
        // A spent budget is the more direct reason.
        if matches!(undecided.code, ReasonCode::Work | ReasonCode::Time | ReasonCode::Memory) {
            continue;
        }
        let named = quoted(&undecided.reason).find_map(|name| definers.get(name).copied());
        undecided.reason = match (named, main) {
            (Some(object), _) => format!("{}, in {object}: {why}", undecided.reason),
            (None, Some(object)) => {
                format!("{} (`main` is in {object}: {why})", undecided.reason)
            }
            (None, None) => format!("{} ({names}: {why})", undecided.reason),
        };
        if named.or(main).is_some() {
            undecided.code = ReasonCode::Unseen;
        }
    }
}

/// Returns why these objects were not read, in a few words.
fn why(lost: &[LostObject<'_>]) -> &'static str {
    if lost.iter().all(|l| l.unit.is_excluded()) {
        scope::OUTSIDE
    } else if lost.iter().all(|l| l.unit.unseen.is_none()) {
        "its host code could not be read"
    } else if lost.iter().all(|l| l.unit.unseen.is_some() && !l.unit.is_excluded()) {
        "linked without being read"
    } else {
        "not read"
    }
}

/// Object or unit whose host code was not read.
struct LostObject<'u> {
    unit: &'u UnitFacts,
    object: String,
}

impl<'u> LostObject<'u> {
    fn of(unit: &'u UnitFacts) -> Option<Self> {
        let unseen = unit.unseen.as_ref().map(|u| u.object.clone());
        let failed = unit.not_analysed.iter().any(|n| n.side != "device");
        let source = || unit.source().file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(Self { unit, object: unseen.or_else(|| failed.then(source))? })
    }
}

/// Returns the unread parts that share symbols with units that were read, directly or through other unread parts.
fn touching<'u>(units: &[&'u UnitFacts]) -> Vec<LostObject<'u>> {
    let mut apart: Vec<LostObject<'u>> = units.iter().filter_map(|u| LostObject::of(u)).collect();
    if apart.len() == units.len() {
        return vec![];
    }
    let host = |all: &'u [LinkSymbol]| all.iter().filter(|s| !s.device).map(|s| s.name.as_str());
    let (mut defined, mut needed) = (HashSet::new(), HashSet::new());
    let add = |unit: &'u UnitFacts, defined: &mut HashSet<&'u str>, needed: &mut HashSet<&'u str>| {
        defined.extend(host(&unit.symbols.strong).chain(host(&unit.symbols.weak)));
        needed.extend(host(&unit.symbols.needed));
    };
    for unit in units.iter().filter(|u| LostObject::of(u).is_none()) {
        add(unit, &mut defined, &mut needed);
    }
    let mut found = Vec::new();
    loop {
        let touches = |l: &LostObject<'u>| {
            let mut offers = host(&l.unit.symbols.strong).chain(host(&l.unit.symbols.weak));
            let mut asks = host(&l.unit.symbols.needed);
            // Symbols of relocatable device code are inside its object's device code.
            let silent = l.unit.symbols.is_empty() || l.unit.unit.relocatable;
            let open = silent && (l.unit.is_excluded() || l.unit.unseen.is_none());
            open || offers.any(|s| s == "main" || needed.contains(s)) || asks.any(|s| defined.contains(s))
        };
        let (near, far): (Vec<_>, Vec<_>) = apart.into_iter().partition(touches);
        if near.is_empty() {
            found.sort_by(|a: &LostObject<'u>, b| a.object.cmp(&b.object));
            return found;
        }
        for l in &near {
            add(l.unit, &mut defined, &mut needed);
        }
        found.extend(near);
        apart = far;
    }
}

/// Demangles a symbol, as reasons show functions.
fn shown(symbol: &str) -> String {
    demangle(symbol)
}

/// Returns the parts between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::account;
    use check::{AccessStanding, DecidedAccess, ProgramReport};
    use facts::linked::Stray;
    use facts::objects::ObjectFile;
    use facts::{LinkSymbol, Symbols, UnitFacts, UnreadSide};
    use finding::counts::PlaceClass;
    use finding::samples;
    use finding::{ReasonCode, Undecided};

    fn unit(key: &str, strong: &[&str], needed: &[&str]) -> UnitFacts {
        let all = |names: &[&str]| names.iter().map(|n| LinkSymbol { device: false, name: (*n).to_owned() }).collect();
        let symbols = Symbols { strong: all(strong), weak: vec![], needed: all(needed) };
        let object = ObjectFile { symbols, ..ObjectFile::default() };
        super::super::pending::unseen(&Stray { key: key.into(), object, contents: None }, "not known")
    }

    fn read(strong: &[&str], needed: &[&str]) -> UnitFacts {
        UnitFacts { unseen: None, ..unit("/b/k.o", strong, needed) }
    }

    fn undecided(reason: &str, code: ReasonCode) -> Undecided {
        let position = samples::finding().access.position;
        let (kernel, array) = ("k".into(), "a".into());
        Undecided { position, kernel, array, code, reason: reason.into(), related: vec![] }
    }

    fn safe(if_no_wrap: bool) -> DecidedAccess {
        let position = samples::finding().access.position;
        let (kernel, array, standing) = ("k".into(), "a".into(), AccessStanding::Safe);
        DecidedAccess { position, kernel, array, standing, class: PlaceClass::Safe { if_no_wrap, assuming: false } }
    }

    fn report() -> ProgramReport {
        ProgramReport {
            undecided: vec![
                undecided("the result of `parse(char**)`", ReasonCode::CallUnknown),
                undecided("what a buffer holds", ReasonCode::ContentsUnknown),
                undecided("the budget of its program was spent (limits.work)", ReasonCode::Work),
            ],
            places: vec![safe(false), safe(false), safe(true)],
            ..ProgramReport::default()
        }
    }

    #[test]
    fn what_depends_on_an_object_that_was_not_read_names_it() {
        let (k, options) = (read(&["main"], &["_Z5parsePPc"]), unit("/b/options.o", &["_Z5parsePPc"], &[]));
        let mut r = report();
        account(&mut r, &[&k, &options]);
        let said: Vec<_> = r.undecided.iter().map(|u| (u.reason.as_str(), u.code)).collect();
        assert_eq!(
            said,
            [
                ("the result of `parse(char**)`, in options.o: linked without being read", ReasonCode::Unseen),
                ("what a buffer holds (options.o: linked without being read)", ReasonCode::ContentsUnknown),
                ("the budget of its program was spent (limits.work)", ReasonCode::Work),
            ]
        );
        assert_eq!((r.summary.safe, r.summary.safe_assuming), (2, 3));
    }

    #[test]
    fn a_unit_that_could_not_be_read_may_launch_what_others_define() {
        let failed = |side: &str, needed: &[&str]| UnitFacts {
            not_analysed: vec![UnreadSide { side: side.into(), reason: "error: no".into() }],
            ..read(&["g"], needed)
        };
        let k = read(&["f"], &[]);
        let of = |units: &[&UnitFacts]| {
            let mut r = report();
            account(&mut r, units);
            (r.summary.safe_assuming, r.undecided[1].reason.clone())
        };
        let source = k.source();
        let name = source.file_name().unwrap_or_default();
        let said = format!("what a buffer holds ({}: its host code could not be read)", name.to_string_lossy());
        for side in ["host", "both"] {
            assert_eq!(of(&[&k, &failed(side, &["f"])]), (3, said.clone()));
        }
        for apart in [failed("device", &["f"]), failed("host", &["printf"])] {
            assert_eq!(of(&[&k, &apart]), (0, "what a buffer holds".to_owned()));
        }
        // Alone, it leaves nothing that rests on launches.
        assert_eq!(of(&[&failed("host", &["f"])]).0, 0);
    }

    #[test]
    fn a_part_apart_changes_nothing_and_main_decides_all() {
        let (k, apart) = (read(&["main", "f"], &["g"]), unit("/b/apart.o", &["h"], &["printf"]));
        let mut r = report();
        account(&mut r, &[&k, &apart]);
        assert_eq!((r.summary.safe_assuming, r.undecided[1].reason.as_str()), (0, "what a buffer holds"));
        // Through another unread object.
        let between = unit("/b/between.o", &["g"], &["h"]);
        account(&mut r, &[&k, &apart, &between]);
        assert!(r.undecided[1].reason.contains("apart.o, between.o"), "{}", r.undecided[1].reason);
        // Outside of [scope], without symbols.
        let mut excluded = unit("/b/outside.o", &[], &[]);
        excluded.unseen.as_mut().unwrap().excluded = true;
        let mut r = report();
        account(&mut r, &[&k, &excluded]);
        assert_eq!((r.summary.unseen, r.summary.safe_assuming), (0, 3));
        assert_eq!(r.undecided[1].reason, "what a buffer holds (outside.o: outside of [scope])");
        let mut r = report();
        account(&mut r, &[&read(&["f"], &[]), &unit("/b/main.o", &["main"], &["f"])]);
        assert!(r.undecided[1].code == ReasonCode::Unseen && r.undecided[1].reason.contains("`main` is in main.o"));
    }
}
