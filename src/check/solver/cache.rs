//! Query cache: queries answered before, in the same check or by another process.
//!
//! In: a query. Out: its answer, recalled or searched for. The query is brought into canonical form
//! ([`super::canonical`]) and searched in that form, so that an answer and its cost are functions of the key alone.
//! The cache keeps, under each key, an answer in canonical numbering and its cost. Recalling an answer charges its
//! full cost, and yields nothing that a search within the remaining budget could not have found. The caller evaluates
//! an answer of *satisfiable*, as it does one from Z3.

use super::canonical::CanonicalQuery;
use super::query::{Model, Query, SolverOutcome};
use base::inside::{self, CheckPhase};
use base::nets;
use base::reasons::UnknownReason;
use base::work::{self, Work, charge, done};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::SymId;
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Least cost of a search whose answer is worth a file.
const WORTH: Work = Work::millis(2);

/// Store of answers. Losing one costs time and nothing else.
pub trait Answers: Send + Sync {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>>;
    /// Stores an answer; `hurried`: a larger budget might give another answer.
    fn put(&self, key: &[u8; 32], hurried: bool, answer: &[u8]);
}

/// Most bytes of answers that a check keeps in memory.
const REMEMBERED: usize = 32 << 20;

/// Answers given in one check: launches and roots ask much the same about the same kernels.
#[derive(Default)]
struct CheckAnswers {
    answers: FxHashMap<[u8; 32], Vec<u8>>,
    bytes: usize,
}

/// Stores that may hold answers to the queries of one check.
#[derive(Clone)]
pub(crate) struct AnswerStores {
    kept: Option<Arc<dyn Answers>>,
    /// Digest of the program's code.
    program: [u8; 32],
    here: Arc<Mutex<CheckAnswers>>,
}

impl AnswerStores {
    fn here(&self) -> MutexGuard<'_, CheckAnswers> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.here().answers.get(key).cloned().or_else(|| self.kept.as_ref()?.get(key))
    }

    fn get(&self, key: &[u8; 32]) -> Option<CacheEntry> {
        postcard::from_bytes(&self.bytes(key)?).ok()
    }

    fn put(&self, key: [u8; 32], known: &CacheEntry) {
        let Ok(bytes) = postcard::to_stdvec(known) else { return };
        self.keep(key, known.cost, matches!(known.answer, CachedAnswer::Cut), bytes);
    }

    /// Remembers an answer in memory, and in the store if it was expensive.
    fn keep(&self, key: [u8; 32], cost: Work, hurried: bool, bytes: Vec<u8>) {
        if let Some(kept) = self.kept.as_ref().filter(|_| cost >= WORTH) {
            kept.put(&key, hurried, &bytes);
        }
        let mut here = self.here();
        if here.bytes + bytes.len() > REMEMBERED {
            return;
        }
        here.bytes += bytes.len() + key.len();
        here.answers.insert(key, bytes);
    }
}

thread_local! {
    /// Recall of the check that this thread works on (Z3's own context is thread-local too).
    static RECALL: RefCell<Option<AnswerStores>> = const { RefCell::new(None) };
    /// Queries that the current task has asked: repeating one is free, whichever thread runs the task.
    static ASKED: RefCell<FxHashMap<[u8; 32], Rc<CacheEntry>>> = RefCell::default();
}

/// Most queries that a task remembers.
const MAX_ASKED: usize = 1 << 15;

/// Clears the task's queries when a task begins or ends.
pub(crate) fn begin_task() {
    ASKED.with(|a| a.borrow_mut().clear());
}

/// Runs `work`; its queries in this thread may be answered from `kept`, and new answers are stored there.
pub fn recalling<T>(kept: Option<Arc<dyn Answers>>, work: impl FnOnce() -> T) -> T {
    with(Some(AnswerStores { kept, program: [0; 32], here: Arc::default() }), work)
}

/// Runs `work` on one program, identified by `digest`.
pub(crate) fn on_program<T>(digest: impl FnOnce() -> [u8; 32], work: impl FnOnce() -> T) -> T {
    with(shared().map(|r| AnswerStores { program: digest(), ..r }), work)
}

/// Returns a value that depends only on the program and on what `key` writes: recalled, or made by `make`. Recalling
/// it charges what making it cost. `fits` decides whether a recalled value, at this cost, equals what `make` would
/// return now.
pub(crate) fn recorded<T: Serialize + DeserializeOwned>(
    key: impl FnOnce(&mut blake3::Hasher),
    fits: impl FnOnce(&T, Work) -> bool,
    make: impl FnOnce() -> T,
) -> T {
    let Some(recall) = shared() else { return make() };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&recall.program);
    key(&mut hasher);
    let key = *hasher.finalize().as_bytes();
    let known = recall.bytes(&key).and_then(|b| postcard::from_bytes::<(Work, T)>(&b).ok());
    if let Some((cost, value)) = known
        && fits(&value, cost)
    {
        charge(cost.get());
        return value;
    }
    let (before, netted) = (done(), nets::count());
    let value = make();
    let made = (done() - before, value);
    if nets::count() == netted
        && made.0 >= WORTH
        && let Ok(bytes) = postcard::to_stdvec(&made)
    {
        recall.keep(key, made.0, false, bytes);
    }
    made.1
}

/// Returns this thread's recall, for another thread that works on the same check.
pub(crate) fn shared() -> Option<AnswerStores> {
    RECALL.with(|r| r.borrow().clone())
}

/// Runs `work` with another thread's recall.
pub(crate) fn with<T>(recall: Option<AnswerStores>, work: impl FnOnce() -> T) -> T {
    let before = RECALL.with(|r| r.replace(recall));
    let done = work();
    RECALL.with(|r| r.replace(before));
    done
}

/// An answer and its cost; the cost of a search that was cut off is all that it was given.
#[derive(Clone, Serialize, Deserialize)]
struct CacheEntry {
    cost: Work,
    answer: CachedAnswer,
}

#[derive(Clone, Serialize, Deserialize)]
enum CachedAnswer {
    Unsat,
    /// Values by symbol number, and values of uninterpreted functions by their arguments.
    Sat(Vec<(u32, i128)>, Vec<(UninterpretedFunction, Vec<i128>, i128)>),
    /// The solver gave up by itself.
    Unknown(UnknownReason),
    /// The budget was spent.
    Cut,
}

impl CacheEntry {
    /// Returns what a task with a budget of `most` knows: no more than a search would have found.
    fn as_within(&self, most: Work) -> Self {
        if self.cost > most { Self { cost: most, answer: CachedAnswer::Cut } } else { self.clone() }
    }

    /// Returns the outcome of a search within `most` and its charge; `None` where such a search might find more than
    /// is known.
    fn within(&self, most: Work, symbols: &[SymId]) -> Option<(SolverOutcome, Work)> {
        if matches!(self.answer, CachedAnswer::Cut) && most > self.cost {
            return None;
        }
        if matches!(self.answer, CachedAnswer::Cut) || self.cost > most {
            return Some((SolverOutcome::Unknown(UnknownReason::SolverWork), most));
        }
        let outcome = match &self.answer {
            CachedAnswer::Unsat => SolverOutcome::Unsat,
            CachedAnswer::Unknown(why) => SolverOutcome::Unknown(why.clone()),
            CachedAnswer::Cut => return None,
            CachedAnswer::Sat(values, applications) => SolverOutcome::Sat(Model {
                files: BTreeMap::new(),
                values: values.iter().map(|(n, v)| Some((*symbols.get(*n as usize)?, *v))).collect::<Option<_>>()?,
                applications: applications.iter().map(|(f, args, v)| ((*f, args.clone()), *v)).collect(),
                text: 0,
            }),
        };
        Some((outcome, self.cost))
    }
}

fn remember(key: [u8; 32], known: CacheEntry) {
    ASKED.with(|a| {
        let mut a = a.borrow_mut();
        if a.len() < MAX_ASKED || a.contains_key(&key) {
            a.insert(key, Rc::new(known));
        }
    });
}

/// Answers a query: recalled, or by `search` on the query in an arena of its own within `most` work.
pub(super) fn answer(
    arena: &Arena,
    query: &Query,
    most: Work,
    search: impl FnOnce(&Arena, &Query, Work) -> SolverOutcome,
) -> SolverOutcome {
    let own = CanonicalQuery::of(arena, query);
    // Too little work even to read the query.
    if most < own.least() {
        return SolverOutcome::Unknown(UnknownReason::SolverWork);
    }
    let asked = ASKED.with(|a| a.borrow().get(&own.key).cloned());
    if let Some((outcome, _)) = asked.and_then(|known| known.within(most, &own.symbols)) {
        return outcome;
    }
    let recall = shared();
    if let Some(known) = recall.as_ref().and_then(|r| r.get(&own.key))
        && let Some((outcome, price)) = known.within(most, &own.symbols)
    {
        charge(price.get());
        remember(own.key, known.as_within(most));
        return outcome;
    }
    let (before, netted) = (done(), nets::count());
    let outcome = inside::timed(CheckPhase::Solver, || search(&own.arena, &own.query(query), most));
    let cost = done() - before;
    let answer = match outcome {
        SolverOutcome::Unsat => CachedAnswer::Unsat,
        SolverOutcome::Sat(m) => {
            let mut values: Vec<(u32, i128)> = m.values.iter().map(|(s, v)| (s.0, *v)).collect();
            values.sort_unstable();
            let mut applications: Vec<(UninterpretedFunction, Vec<i128>, i128)> =
                m.applications.into_iter().map(|((f, args), v)| (f, args, v)).collect();
            applications.sort_unstable();
            CachedAnswer::Sat(values, applications)
        }
        SolverOutcome::Unknown(UnknownReason::SolverWork) => CachedAnswer::Cut,
        SolverOutcome::Unknown(why) => CachedAnswer::Unknown(why),
    };
    let known = CacheEntry { cost: if matches!(answer, CachedAnswer::Cut) { most } else { cost }, answer };
    if nets::count() == netted {
        if let Some(recall) = recall {
            recall.put(own.key, &known);
        }
        remember(own.key, known.as_within(most));
    }
    let (outcome, price) =
        known.within(most, &own.symbols).unwrap_or((SolverOutcome::Unknown(UnknownReason::SolverWork), most));
    work::settle(before, price);
    outcome
}

#[cfg(test)]
mod tests {
    use super::{Answers, CanonicalQuery, recalling};
    use crate::solver::entail;
    use crate::solver::independence::GroupResults;
    use crate::solver::query::{Answer, Model, Query, SolverLimits, SolverOutcome, WrapMode};
    use base::reasons::UnknownReason;
    use base::work::{Work, charge, done};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymId, SymKind, TermId};
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};

    fn input(a: &mut Arena, i: u32) -> TermId {
        a.fresh(SymKind::Input(InputSource::Argv(i)), format!("argv[{i}]"), Interval::new(0, 100))
    }

    /// Builds `x * y + more <= 7` in an arena that already holds other terms.
    fn product(before: u32, more: i128) -> (Arena, TermId) {
        let mut a = Arena::new();
        for i in 0..before {
            input(&mut a, 10 + i);
        }
        let (x, y) = (input(&mut a, 1), input(&mut a, 2));
        let (xy, more, seven) = (a.mul(x, y), a.int(more), a.int(7));
        let sum = a.add(xy, more);
        let le = a.le(sum, seven);
        (a, le)
    }

    #[test]
    fn a_key_stands_for_the_question_and_not_for_who_asks() {
        let (a, t) = product(0, 1);
        let (b, u) = product(5, 1);
        let (c, v) = product(0, 2);
        let key = |a: &Arena, t, mode, truth| {
            CanonicalQuery::of(a, &Query { want: &[(t, truth)], bounds: &[], mode, strict: false }).key
        };
        let usual = key(&a, t, WrapMode::Assume, true);
        assert_eq!(usual, key(&b, u, WrapMode::Assume, true));
        for other in
            [key(&c, v, WrapMode::Assume, true), key(&a, t, WrapMode::Exact, true), key(&a, t, WrapMode::Assume, false)]
        {
            assert_ne!(usual, other);
        }
        let x = b.symbols_of(&[u])[0];
        let bounded = |bounds: &[(SymId, Interval)]| {
            CanonicalQuery::of(&b, &Query { want: &[(u, true)], bounds, mode: WrapMode::Assume, strict: false }).key
        };
        assert_ne!(usual, bounded(&[(x, Interval::new(0, 5))]));
        assert_eq!(usual, bounded(&[(SymId(0), Interval::new(0, 5))]), "of a symbol that it does not speak of");
    }

    #[derive(Default)]
    struct InMemory(Mutex<HashMap<[u8; 32], Vec<u8>>>);

    impl Answers for InMemory {
        fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
            self.0.lock().unwrap().get(key).cloned()
        }
        fn put(&self, key: &[u8; 32], _: bool, answer: &[u8]) {
            self.0.lock().unwrap().insert(*key, answer.to_vec());
        }
    }

    #[test]
    fn what_a_task_asks_again_costs_nothing() {
        let kept = Arc::new(InMemory::default());
        let (a, t) = product(0, 1);
        let query = Query { want: &[(t, true)], bounds: &[], mode: WrapMode::Assume, strict: false };
        let ask = |most: u64| {
            let start = done();
            let outcome = recalling(Some(kept.clone()), || {
                super::answer(&a, &query, Work::millis(most), |_, _, _| {
                    charge(Work::millis(40).get());
                    SolverOutcome::Unsat
                })
            });
            (matches!(outcome, SolverOutcome::Unsat), done() - start >= Work::millis(40).min(Work::millis(most)))
        };
        super::begin_task();
        assert_eq!([ask(100), ask(100)], [(true, true), (true, false)]);
        // Another task is charged, although the answer is known, and learns only what it could pay for.
        super::begin_task();
        assert_eq!(
            [ask(30), ask(30), ask(100), ask(20)],
            [(false, true), (false, false), (true, true), (false, false)]
        );
        super::begin_task();
    }

    /// Asks the product's query within `most`, where a search costs `price` and gives `found`; returns the outcome,
    /// whether a search ran, and the charge.
    fn ask(
        kept: &Arc<InMemory>,
        before: u32,
        most: u64,
        price: u64,
        found: SolverOutcome,
    ) -> (SolverOutcome, bool, Work) {
        let (a, t) = product(before, 1);
        let (want, mut searched) = ([(t, true)], false);
        let query = Query { want: &want, bounds: &[], mode: WrapMode::Assume, strict: false };
        // Reading the query costs the same every time.
        let start = done();
        CanonicalQuery::of(&a, &query);
        let reading = done() - start;
        let start = done();
        super::begin_task();
        let outcome = recalling(Some(kept.clone()), || {
            super::answer(&a, &query, Work::millis(most), |_, _, _| {
                searched = true;
                charge(Work::millis(price).get());
                found
            })
        });
        (outcome, searched, done() - start - reading)
    }

    #[test]
    fn a_model_comes_back_in_the_symbols_of_whoever_asks() {
        let kept = Arc::new(InMemory::default());
        let model = SolverOutcome::Sat(Model {
            values: [(SymId(0), 3), (SymId(1), 2)].into_iter().collect(),
            ..Model::default()
        });
        assert!(ask(&kept, 0, 100, 40, model).1);
        let (SolverOutcome::Sat(back), false, _) = ask(&kept, 4, 100, 40, SolverOutcome::Unsat) else {
            panic!("it was known")
        };
        let (a, t) = product(4, 1);
        let symbols = a.symbols_of(&[t]);
        let mut values: Vec<i128> = symbols.iter().map(|s| back.values[s]).collect();
        values.sort_unstable();
        assert_eq!(values, [2, 3]);
        assert_eq!(back.value(&a, t, WrapMode::Assume), Some(1));
    }

    #[test]
    fn what_is_recalled_costs_what_it_cost() {
        let kept = Arc::new(InMemory::default());
        let cut = || SolverOutcome::Unknown(UnknownReason::SolverWork);
        let (SolverOutcome::Unsat, true, first) = ask(&kept, 0, 100, 40, SolverOutcome::Unsat) else {
            panic!("nothing was known")
        };
        let (SolverOutcome::Unsat, false, again) = ask(&kept, 3, 100, 40, cut()) else { panic!("it was known") };
        assert_eq!((first, again), (Work::millis(40), Work::millis(40)));
        // With less work the search would not have found it, now as before.
        let (SolverOutcome::Unknown(why), false, less) = ask(&kept, 0, 30, 40, SolverOutcome::Unsat) else {
            panic!("it costs more")
        };
        assert_eq!((why, less), (UnknownReason::SolverWork, Work::millis(30)));
        let (SolverOutcome::Unknown(_), true, over) = ask(&Arc::default(), 0, 30, 40, SolverOutcome::Unsat) else {
            panic!("it costs more")
        };
        assert_eq!(over, Work::millis(30), "the same without a cache");
    }

    #[test]
    fn what_was_cut_off_is_searched_again_with_more_only() {
        let kept = Arc::new(InMemory::default());
        let cut = || SolverOutcome::Unknown(UnknownReason::SolverWork);
        assert!(ask(&kept, 0, 100, 100, cut()).1);
        assert!(!ask(&kept, 0, 100, 100, cut()).1 && !ask(&kept, 0, 40, 40, cut()).1);
        let (SolverOutcome::Unsat, true, _) = ask(&kept, 0, 200, 150, SolverOutcome::Unsat) else {
            panic!("more was given")
        };
        let (SolverOutcome::Unsat, false, _) = ask(&kept, 0, 150, 0, cut()) else { panic!("it is decided") };
        let (SolverOutcome::Unknown(_), false, _) = ask(&kept, 0, 100, 0, cut()) else {
            panic!("as it was with so much")
        };
    }

    #[test]
    fn without_a_place_for_answers_every_search_is_made() {
        let (a, t) = product(0, 1);
        let query = Query { want: &[(t, true)], bounds: &[], mode: WrapMode::Assume, strict: false };
        let mut searches = 0;
        for _ in 0..2 {
            super::begin_task();
            super::answer(&a, &query, Work::millis(10), |_, _, _| {
                searches += 1;
                SolverOutcome::Unsat
            });
        }
        assert_eq!(searches, 2);
        super::answer(&a, &query, Work::units(1), |_, _, _| panic!("there is not even enough to read it"));
    }

    #[test]
    fn one_check_asks_the_same_only_once_in_all_its_threads() {
        let (a, t) = product(0, 1);
        let query = Query { want: &[(t, true)], bounds: &[], mode: WrapMode::Assume, strict: false };
        let ask = |found: SolverOutcome| {
            super::begin_task();
            let mut searches = 0;
            let outcome = super::answer(&a, &query, Work::millis(100), |_, _, _| {
                searches += 1;
                found
            });
            (outcome, searches)
        };
        recalling(None, || {
            assert_eq!(ask(SolverOutcome::Unsat).1, 1);
            let recall = super::shared();
            std::thread::scope(|s| {
                s.spawn(|| {
                    super::with(recall, || {
                        let (SolverOutcome::Unsat, 0) = ask(SolverOutcome::Unknown(UnknownReason::NoValue)) else {
                            panic!("the other thread knows it")
                        };
                    });
                })
                .join()
            })
            .unwrap();
        });
        assert_eq!(recalling(None, || ask(SolverOutcome::Unsat).1), 1, "another check is another one");
    }

    struct Always(&'static [u8]);

    impl Answers for Always {
        fn get(&self, _: &[u8; 32]) -> Option<Vec<u8>> {
            Some(self.0.to_vec())
        }
        fn put(&self, _: &[u8; 32], _: bool, _: &[u8]) {}
    }

    #[test]
    fn the_solver_is_asked_only_what_is_not_known() {
        let (a, t) = product(0, 1);
        let prove = |kept: Option<&'static [u8]>| {
            super::begin_task();
            let kept = kept.map(|bytes| Arc::new(Always(bytes)) as Arc<dyn Answers>);
            recalling(kept, || {
                entail::prove(&a, &[], t, WrapMode::Assume, &SolverLimits::default(), &mut GroupResults::default())
            })
        };
        assert!(matches!(prove(None), Answer::Model(_)), "7 * 7 is more than 7");
        assert!(matches!(prove(Some(&[0, 0])), Answer::Proved { .. }), "as it was kept");
        // Bytes that are no answer, and a model of another query's symbols, cause a new search.
        for damaged in [&b""[..], b"nonsense", &[0, 1, 1, 99, 0, 0]] {
            assert!(matches!(prove(Some(damaged)), Answer::Model(_)), "{damaged:?}");
        }
    }
}
