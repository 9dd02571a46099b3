//! Tests that each place counts once, however programs are joined.

use crate::assemble::{Policy, ProgramFindings, RunFindings, assemble};
use crate::levels::Levels;
use config::Config;
use finding::counts::PlaceClass::{Possible, Proved, Safe, Unknown};
use finding::counts::{CountedKernel, CountedPlace, PlaceClass, PlaceUnion};
use finding::paths::ProjectRoot;
use finding::samples;
use finding::sources::SourceFiles;
use finding::{Axioms, Finding, Position, ReasonCode, Report, ReportTool, Summary, Undecided, Verdict};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Sample program: the class of each place, by line and array, and the count of each kernel.
type Sample = (BTreeMap<(u32, u8), PlaceClass>, BTreeMap<u32, u8>);

fn classes() -> impl Strategy<Value = PlaceClass> {
    let safe = (any::<bool>(), any::<bool>()).prop_map(|(if_no_wrap, assuming)| Safe { if_no_wrap, assuming });
    prop_oneof![4 => safe, 1 => Just(Unknown), 1 => Just(Possible), 1 => Just(Proved)]
}

fn programs() -> impl Strategy<Value = Vec<Sample>> {
    let places = prop::collection::btree_map((1..6u32, 0..3u8), classes(), 0..12);
    prop::collection::vec((places, prop::collection::btree_map(1..4u32, 1..3u8, 0..3)), 1..5)
}

fn position(line: u32) -> Position {
    Position { file: "/project/scale.cu".into(), line, column: 1 }
}

fn array(n: u8) -> String {
    format!("a{n}")
}

fn counted((places, kernels): &Sample) -> (Vec<CountedPlace>, Vec<CountedKernel>) {
    let place = |(&(line, n), &class): (&(u32, u8), &PlaceClass)| CountedPlace {
        position: position(line),
        array: array(n),
        class,
        kernel: "k".into(),
    };
    let kernel = |line: u32| CountedKernel { position: position(line), name: format!("k{line}(int)") };
    let times = kernels.iter().flat_map(|(&line, &n)| (0..n).map(move |_| line));
    (places.iter().map(place).collect(), times.map(kernel).collect())
}

/// Returns the results of checking such a program.
fn said(name: usize, program: &Sample) -> ProgramFindings {
    let (places, kernels) = counted(program);
    let mut found = ProgramFindings { name: format!("p{name}"), kernels, ..ProgramFindings::default() };
    for p in &places {
        let verdict = match p.class {
            Safe { .. } => continue,
            Unknown => {
                found.undecided.push(Undecided {
                    position: p.position.clone(),
                    kernel: "k".into(),
                    array: p.array.clone(),
                    reason: "budget".into(),
                    code: ReasonCode::Work,
                    related: vec![],
                });
                continue;
            }
            Possible => Verdict::Possible,
            Proved => Verdict::Proved,
        };
        let mut f = Finding { verdict, ..samples::finding() };
        (f.access.position, f.access.array) = (p.position.clone(), p.array.clone());
        found.findings.push(f);
    }
    found.summary.launches = 1;
    found.summary.kernels = u32::try_from(found.kernels.len()).unwrap();
    found.summary.set_places(places.iter().map(|p| p.class));
    found.places = places;
    found
}

fn document(programs: Vec<ProgramFindings>) -> Report {
    let root = ProjectRoot::new("/project".into());
    let (config, levels, sources) = (Config::default(), Levels::default(), SourceFiles::new(root.clone()));
    let tool = ReportTool {
        version: String::new(),
        z3: String::new(),
        frontend: String::new(),
        axioms: Axioms { device_memory: 0 },
    };
    let policy = Policy { config: &config, levels: &levels, root: &root, baseline: None };
    assemble(RunFindings { programs, ..RunFindings::default() }, tool, &policy, &sources).report
}

/// Reduces a summary to the counts of places and kernels.
fn counts(s: &Summary) -> Summary {
    Summary { programs: 0, launches: 0, ..s.clone() }
}

proptest! {
    #[test]
    fn places_of_several_programs_count_once_in_any_order(programs in programs()) {
        let all: Vec<ProgramFindings> = programs.iter().enumerate().map(|(i, p)| said(i, p)).collect();
        let report = document(all.clone());
        let s = &report.summary;
        prop_assert_eq!(s.accesses, s.safe + s.safe_if_no_wrap + s.proved + s.possible + s.unknown);
        prop_assert!(s.safe_assuming <= s.safe + s.safe_if_no_wrap);
        prop_assert_eq!(s.launches as usize, programs.len());

        // Computed independently: the worst class of each place.
        let mut worst: BTreeMap<(u32, u8), PlaceClass> = BTreeMap::new();
        for (place, class) in programs.iter().flat_map(|(places, _)| places) {
            let now = worst.entry(*place).or_insert(*class);
            *now = now.join(*class);
        }
        let of = |is: fn(&PlaceClass) -> bool| worst.values().filter(|c| is(c)).count();
        prop_assert_eq!(s.accesses as usize, worst.len());
        prop_assert_eq!(s.proved as usize, of(|c| *c == Proved));
        prop_assert_eq!(s.possible as usize, of(|c| *c == Possible));
        prop_assert_eq!(s.unknown as usize, of(|c| *c == Unknown));
        prop_assert_eq!(s.safe as usize, of(|c| matches!(c, Safe { if_no_wrap: false, .. })));
        prop_assert_eq!(s.safe_assuming as usize, of(|c| matches!(c, Safe { assuming: true, .. })));
        // The lists of the document agree.
        prop_assert_eq!(report.undecided.len(), s.unknown as usize);
        prop_assert_eq!(report.findings.len(), (s.proved + s.possible) as usize);
        let proved = report.findings.iter().filter(|f| f.verdict == Verdict::Proved).count();
        prop_assert_eq!(proved, s.proved as usize);

        let mut turned = all.clone();
        turned.reverse();
        prop_assert_eq!(&document(turned.clone()).summary, s);
        turned.rotate_left(1);
        prop_assert_eq!(&document(turned).summary, s);

        // A single program with all of it, and the same as data of two jobs.
        let mut kernels: BTreeMap<u32, u8> = BTreeMap::new();
        for (line, n) in programs.iter().flat_map(|(_, kernels)| kernels) {
            let most = kernels.entry(*line).or_default();
            *most = (*n).max(*most);
        }
        prop_assert_eq!(counts(&document(vec![said(0, &(worst, kernels))]).summary), counts(s));
        for cut in 0..programs.len() {
            let [mut one, two] = [&programs[..cut], &programs[cut..]].map(|part| {
                let mut union = PlaceUnion::default();
                part.iter().map(counted).for_each(|(places, kernels)| union.add(places, kernels));
                union
            });
            one.join(two.clone());
            let mut summary = Summary::default();
            one.write_to(&mut summary);
            prop_assert_eq!(summary, counts(s));
            prop_assert_eq!(one.places().count(), s.accesses as usize);
            let before = one.clone();
            one.join(two);
            prop_assert_eq!(one, before, "what is known changes nothing");
        }
    }

    #[test]
    fn one_program_counts_as_by_itself(programs in programs()) {
        for program in &programs {
            let alone = said(0, program);
            prop_assert_eq!(document(vec![alone.clone()]).summary, Summary { programs: 1, ..alone.summary });
        }
    }

    #[test]
    fn classes_join_in_any_order(a in classes(), b in classes(), c in classes()) {
        prop_assert_eq!(a.join(b), b.join(a));
        prop_assert_eq!(a.join(b).join(c), a.join(b.join(c)));
        prop_assert_eq!(a.join(a), a);
        prop_assert!(a.join(b) >= a.max(b), "never better than either");
    }
}

#[test]
fn the_order_is_from_best_to_worst() {
    let assuming = Safe { if_no_wrap: false, assuming: true };
    let wraps = Safe { if_no_wrap: true, assuming: false };
    let order = [PlaceClass::SAFE, assuming, wraps, Unknown, Possible, Proved];
    assert!(order.is_sorted());
    assert_eq!(assuming.join(wraps), Safe { if_no_wrap: true, assuming: true });
}
