//! Units that the host compiler compiled: recorded by their commands, and read when a program with CUDA code needs
//! them.
//!
//! In: a compile command whose object exists; later, programs. Out: facts without code; later, the facts with code
//! that a join needs. Most C++ units of a project have nothing to do with its kernels, and reading one takes about a
//! second.

use crate::extraction;
use crate::session::Session;
use facts::join::ProgramPlan;
use facts::linked::Stray;
use facts::{LinkSymbol, Recipe, UnitFacts, UnitWithCode, UnreadReason, key_of, objects};
use nvcc::unit::{Language, TranslationUnit};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Returns the facts of a unit that is not read yet: the symbols that its object defines and needs.
#[must_use]
pub fn record(unit: &TranslationUnit) -> UnitWithCode {
    let facts = UnitFacts {
        key: key_of(unit, None),
        unit: unit.clone(),
        dependencies: vec![].into(),
        recipe: Recipe::default(),
        maker: None,
        pending: true,
        built_without: false,
        symbols: unit.output.as_deref().map(objects::symbols).unwrap_or_default(),
        not_analysed: vec![],
        producers: vec![],
        notes: vec![],
        unseen: None,
        denied: false,
        told: vec![],
    };
    UnitWithCode { facts, modules: vec![], second: None }
}

/// Returns the facts of a linked object whose compile command is unknown: joined by its symbols, never read.
#[must_use]
pub fn unseen(stray: &Stray, reason: &str) -> UnitFacts {
    let unit = TranslationUnit {
        output: Some(stray.key.clone()),
        ..TranslationUnit::plain(
            stray.key.clone(),
            stray.key.parent().map(Path::to_owned).unwrap_or_default(),
            if stray.object.device_code { Language::Cuda } else { Language::Cxx },
        )
    };
    UnitFacts {
        key: stray.key.clone(),
        symbols: stray.object.symbols.clone(),
        unseen: Some(UnreadReason { object: stray.name(), reason: reason.to_owned(), excluded: false }),
        ..record(&unit).facts
    }
}

/// Whether a program is checked at all: it has a CUDA unit, or a unit that was read.
#[must_use]
pub fn concerns(plan: &ProgramPlan, units: &[UnitFacts]) -> bool {
    plan.units.iter().any(|&i| counts(&units[i]))
}

/// Whether a unit is read even if no other unit needs it. A pending CUDA unit was compiled without the analysis.
pub fn counts(unit: &UnitFacts) -> bool {
    !unit.is_excluded() && (!unit.pending || unit.unit.language == Language::Cuda)
}

/// Returns the units of a program that are still to be read: those from which its CUDA code is reached, and those that
/// these call directly. Both decide what is allocated and launched. Units further away stay as unknown as a library.
#[must_use]
pub fn needed(plan: &ProgramPlan, units: &[UnitFacts]) -> Vec<usize> {
    let mut definers: HashMap<&LinkSymbol, Vec<usize>> = HashMap::new();
    for &i in &plan.units {
        let symbols = &units[i].symbols;
        for symbol in symbols.strong.iter().chain(&symbols.weak) {
            definers.entry(symbol).or_default().push(i);
        }
    }
    let needs = |i: usize| units[i].symbols.needed.iter().filter_map(|s| definers.get(s)).flatten().copied();
    let mut callers: HashMap<usize, Vec<usize>> = HashMap::new();
    for &i in &plan.units {
        for definer in needs(i) {
            callers.entry(definer).or_default().push(i);
        }
    }
    let mut reaching: BTreeSet<usize> = plan.units.iter().copied().filter(|&i| counts(&units[i])).collect();
    let mut open: Vec<usize> = reaching.iter().copied().collect();
    while let Some(i) = open.pop() {
        for &caller in callers.get(&i).into_iter().flatten() {
            if reaching.insert(caller) {
                open.push(caller);
            }
        }
    }
    let called: BTreeSet<usize> = reaching.iter().flat_map(|&i| needs(i)).collect();
    // A unit without a lasting object, or with one for link-time optimisation, lists no symbols: it may call any unit.
    let is_open = |i: &usize| units[*i].pending && units[*i].unseen.is_none();
    let silent = plan.units.iter().any(|i| is_open(i) && units[*i].symbols.is_empty());
    let all: BTreeSet<usize> = plan.units.iter().copied().filter(|_| silent).collect();
    reaching.union(&called).chain(&all).copied().collect::<BTreeSet<usize>>().into_iter().filter(is_open).collect()
}

/// Reads units by their commands, again or for the first time. Records of what users were told stay.
#[must_use]
pub fn read(units: &[&UnitFacts], session: &Session, done: &(impl Fn(&Path) + Sync)) -> Vec<UnitWithCode> {
    let commands: Vec<TranslationUnit> = units.iter().map(|u| u.unit.clone()).collect();
    let mut all = extraction::extract_all(&commands, session, done);
    for (unit, before) in all.iter_mut().zip(units) {
        unit.facts.key.clone_from(&before.key);
        unit.facts.recipe.clone_from(&before.recipe);
        unit.facts.maker = before.maker;
        unit.facts.denied = before.denied;
        unit.facts.built_without = before.built_without;
        if before.pending {
            unit.facts.told.clone_from(&before.told);
        }
    }
    all
}
