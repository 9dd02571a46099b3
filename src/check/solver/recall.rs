//! Queries that were answered before, in the same check or by another process.
//!
//! In: a query. Out: its key, which is the same wherever the same question is asked: terms and symbols are numbered in the order in
//! which they are met, and nothing else of an arena counts. What is kept under a key is an answer in those numbers. An answer of
//! *satisfiable* is evaluated by whoever asked, as one of Z3 is.

use super::smt::{Outcome, Query};
use super::{Model, WrapMode};
use crate::symbolic::term::{Arena, Range, SymId, Term, TermId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Searches shorter than this are not worth a file.
const WORTH: Duration = Duration::from_millis(20);

/// Where answers are kept. Losing one costs time, and nothing else.
pub trait Answers: Send + Sync {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>>;
    /// `hurried`: with more time it might be another.
    fn put(&self, key: &[u8; 32], hurried: bool, answer: &[u8]);
}

/// Bytes of the answers that a check remembers itself.
const REMEMBERED: usize = 32 << 20;

/// What was answered for good in one check: launches and roots ask much the same of the same kernels.
#[derive(Default)]
struct Remembered { answers: FxHashMap<[u8; 32], Vec<u8>>, bytes: usize }

/// Where the queries of one check may have been answered.
#[derive(Clone)]
pub(crate) struct Recall { kept: Option<Arc<dyn Answers>>, here: Arc<Mutex<Remembered>> }

impl Recall {
    fn here(&self) -> MutexGuard<'_, Remembered> { self.here.lock().unwrap_or_else(PoisonError::into_inner) }

    fn get(&self, key: &[u8; 32]) -> Option<Answer> {
        let bytes = self.here().answers.get(key).cloned().or_else(|| self.kept.as_ref()?.get(key))?;
        postcard::from_bytes(&bytes).ok()
    }

    /// `took`: an answer that came at once is not worth a file; one that more time could change is not remembered here.
    fn put(&self, key: [u8; 32], hurried: bool, took: Duration, answer: &[u8]) {
        if let Some(kept) = self.kept.as_ref().filter(|_| took >= WORTH) { kept.put(&key, hurried, answer); }
        let mut here = self.here();
        if hurried || here.bytes + answer.len() > REMEMBERED { return; }
        here.bytes += answer.len() + key.len();
        here.answers.insert(key, answer.to_vec());
    }
}

thread_local! {
    /// Of the check that this thread works on, as Z3's own context is.
    static RECALL: RefCell<Option<Recall>> = const { RefCell::new(None) };
}

/// Lets the queries that `work` makes in this thread be answered from `kept`, and keeps what is answered anew.
pub fn recalling<T>(kept: Option<Arc<dyn Answers>>, work: impl FnOnce() -> T) -> T { with(Some(Recall { kept, here: Arc::default() }), work) }

/// What this thread recalls, for another one that works on the same check.
pub(crate) fn shared() -> Option<Recall> { RECALL.with(|r| r.borrow().clone()) }

/// Does some work with what another thread recalls.
pub(crate) fn with<T>(recall: Option<Recall>, work: impl FnOnce() -> T) -> T {
    let before = RECALL.with(|r| r.replace(recall));
    let done = work();
    RECALL.with(|r| r.replace(before));
    done
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Unsat,
    /// Values by the symbols' numbers, and of uninterpreted functions by name and arguments.
    Sat(Vec<(u32, i128)>, Vec<(String, Vec<i128>, i128)>),
    /// Milliseconds that were spent in vain.
    Unknown(u32, String),
}

/// The answer to a query, from before or by `search`, which may take so many milliseconds.
pub(super) fn answer(arena: &Arena, query: &Query, millis: u32, rlimit: u32, search: impl FnOnce() -> Outcome) -> Outcome {
    let Some(recall) = shared() else { return search() };
    let numbered = Numbered::of(arena, query, rlimit);
    if let Some(outcome) = recall.get(&numbered.key).and_then(|answer| numbered.outcome(answer, millis)) { return outcome; }
    let started = Instant::now();
    let outcome = search();
    let hurried = matches!(outcome, Outcome::Unknown(_));
    let bytes = numbered.answer(&outcome, millis).and_then(|a| postcard::to_stdvec(&a).ok());
    if let Some(bytes) = bytes { recall.put(numbered.key, hurried, started.elapsed(), &bytes); }
    outcome
}

/// A query's key, and the symbols that its numbers stand for.
struct Numbered { key: [u8; 32], symbols: Vec<SymId> }

impl Numbered {
    fn of(arena: &Arena, query: &Query, rlimit: u32) -> Self {
        let mut writer = Writer { hasher: blake3::Hasher::new(), terms: FxHashMap::default(), symbols: vec![], numbers: FxHashMap::default() };
        writer.byte(u8::from(query.mode == WrapMode::Exact));
        writer.byte(u8::from(query.strict));
        writer.word(rlimit);
        let roots: Vec<TermId> = query.want.iter().map(|w| w.0).collect();
        let cone = arena.cone(&roots);
        writer.count(cone.len());
        for t in cone { writer.term(arena, t); }
        writer.count(query.want.len());
        for (t, truth) in query.want {
            writer.child(*t);
            writer.byte(u8::from(*truth));
        }
        for (s, r) in query.bounds {
            writer.symbol(*s);
            writer.range(*r);
        }
        Self { key: *writer.hasher.finalize().as_bytes(), symbols: writer.symbols }
    }

    fn answer(&self, outcome: &Outcome, millis: u32) -> Option<Answer> {
        Some(match outcome {
            Outcome::Unsat => Answer::Unsat,
            Outcome::Unknown(why) => Answer::Unknown(millis, why.clone()),
            Outcome::Sat(model) => {
                let number = |s: &SymId| u32::try_from(self.symbols.iter().position(|x| x == s)?).ok();
                let values: Option<Vec<(u32, i128)>> = model.values.iter().map(|(s, v)| Some((number(s)?, *v))).collect();
                Answer::Sat(values?, model.applications.iter().map(|((name, args), v)| (name.clone(), args.clone(), *v)).collect())
            }
        })
    }

    /// `None` where a search of so many milliseconds might say more, or the numbers are of another query.
    fn outcome(&self, answer: Answer, millis: u32) -> Option<Outcome> {
        Some(match answer {
            Answer::Unsat => Outcome::Unsat,
            Answer::Unknown(spent, why) => if spent >= millis { Outcome::Unknown(why) } else { return None },
            Answer::Sat(values, applications) => Outcome::Sat(Model {
                values: values.into_iter().map(|(n, v)| Some((*self.symbols.get(n as usize)?, v))).collect::<Option<_>>()?,
                applications: applications.into_iter().map(|(name, args, v)| ((name, args), v)).collect(),
            }),
        })
    }
}

/// Writes terms, children first.
struct Writer {
    hasher: blake3::Hasher,
    terms: FxHashMap<TermId, u32>,
    symbols: Vec<SymId>,
    numbers: FxHashMap<SymId, u32>,
}

impl Writer {
    fn byte(&mut self, v: u8) { self.hasher.update(&[v]); }
    fn word(&mut self, v: u32) { self.hasher.update(&v.to_le_bytes()); }
    fn int(&mut self, v: i128) { self.hasher.update(&v.to_le_bytes()); }
    fn count(&mut self, n: usize) { self.hasher.update(&(n as u64).to_le_bytes()); }

    fn range(&mut self, r: Range) {
        for bound in [r.lo, r.hi] {
            self.byte(u8::from(bound.is_some()));
            self.int(bound.unwrap_or(0));
        }
    }

    fn symbol(&mut self, s: SymId) {
        let next = self.symbols.len() as u32;
        let number = *self.numbers.entry(s).or_insert(next);
        if number == next { self.symbols.push(s); }
        self.word(number);
    }

    /// By its number; children were written before.
    fn child(&mut self, t: TermId) {
        let number = self.terms.get(&t).copied();
        debug_assert!(number.is_some());
        self.word(number.unwrap_or(u32::MAX));
    }

    fn children<'t>(&mut self, all: impl IntoIterator<Item = &'t TermId, IntoIter: ExactSizeIterator>) {
        let all = all.into_iter();
        self.count(all.len());
        for t in all { self.child(*t); }
    }

    fn term(&mut self, arena: &Arena, t: TermId) {
        let number = self.terms.len() as u32;
        self.terms.insert(t, number);
        self.range(arena.range(t));
        match arena.get(t) {
            Term::Int(v) => { self.byte(0); self.int(*v); }
            Term::Sym(s) => { self.byte(1); self.symbol(*s); self.range(arena.symbol(*s).range); }
            Term::Poly(p) => {
                self.byte(2);
                self.count(p.terms.len());
                for (monomial, coefficient) in &p.terms { self.children(monomial); self.int(*coefficient); }
            }
            Term::Div(a, b) => { self.byte(3); self.children([a, b]); }
            Term::Rem(a, b) => { self.byte(4); self.children([a, b]); }
            Term::FloorDiv(a, c) => { self.byte(5); self.child(*a); self.int(*c); }
            Term::Mod(a, c) => { self.byte(6); self.child(*a); self.int(*c); }
            Term::Ite(c, a, b) => { self.byte(7); self.children([c, a, b]); }
            Term::Wrap { arg, bits, signed } => { self.byte(8); self.child(*arg); self.word(*bits); self.byte(u8::from(*signed)); }
            Term::BitAnd(a, b, w) => { self.byte(9); self.children([a, b]); self.word(*w); }
            Term::BitOr(a, b, w) => { self.byte(10); self.children([a, b]); self.word(*w); }
            Term::BitXor(a, b, w) => { self.byte(11); self.children([a, b]); self.word(*w); }
            Term::Pow2(a) => { self.byte(12); self.child(*a); }
            Term::Apply { name, args, range } => {
                self.byte(13);
                self.count(name.len());
                self.hasher.update(name.as_bytes());
                self.children(args);
                self.range(*range);
            }
            Term::True => self.byte(14),
            Term::False => self.byte(15),
            Term::Le(a) => { self.byte(16); self.child(*a); }
            Term::EqZ(a) => { self.byte(17); self.child(*a); }
            Term::Not(a) => { self.byte(18); self.child(*a); }
            Term::And(v) => { self.byte(19); self.children(v); }
            Term::Or(v) => { self.byte(20); self.children(v); }
            Term::BoolSym(s) => { self.byte(21); self.symbol(*s); }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answers, Numbered, recalling};
    use crate::check::solver::smt::{Outcome, Query};
    use crate::check::solver::groups::Groups;
    use crate::check::solver::{Answer, Limits, Model, WrapMode, smt};
    use crate::symbolic::term::{Arena, InputSource, Range, SymKind, TermId};
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    fn input(a: &mut Arena, i: u32) -> TermId { a.fresh(SymKind::Input(InputSource::Argv(i)), format!("argv[{i}]"), Range::new(0, 100)) }

    /// `x * y + more <= 7`, in an arena that has seen other things before.
    fn product(before: u32, more: i128) -> (Arena, TermId) {
        let mut a = Arena::new();
        for i in 0..before { input(&mut a, 10 + i); }
        let (x, y) = (input(&mut a, 1), input(&mut a, 2));
        let (xy, more, seven) = (a.mul(x, y), a.int(more), a.int(7));
        let sum = a.add(xy, more);
        let le = a.le(sum, seven);
        (a, le)
    }

    fn numbered(a: &Arena, t: TermId, mode: WrapMode, truth: bool) -> Numbered { Numbered::of(a, &Query { want: &[(t, truth)], bounds: &[], mode, strict: false }, 9) }

    #[test]
    fn a_key_stands_for_the_question_and_not_for_who_asks() {
        let (a, t) = product(0, 1);
        let (b, u) = product(5, 1);
        let (c, v) = product(0, 2);
        let key = |a: &Arena, t, mode, truth| numbered(a, t, mode, truth).key;
        let usual = key(&a, t, WrapMode::Assume, true);
        assert_eq!(usual, key(&b, u, WrapMode::Assume, true));
        for other in [key(&c, v, WrapMode::Assume, true), key(&a, t, WrapMode::Exact, true), key(&a, t, WrapMode::Assume, false)] { assert_ne!(usual, other); }
        let with_rlimit = Numbered::of(&a, &Query { want: &[(t, true)], bounds: &[], mode: WrapMode::Assume, strict: false }, 8);
        assert_ne!(usual, with_rlimit.key);
    }

    #[derive(Default)]
    struct InMemory(Mutex<HashMap<[u8; 32], Vec<u8>>>);

    impl Answers for InMemory {
        fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> { self.0.lock().unwrap().get(key).cloned() }
        fn put(&self, key: &[u8; 32], _: bool, answer: &[u8]) { self.0.lock().unwrap().insert(*key, answer.to_vec()); }
    }

    /// The answer to the product's query in an arena, where a search is slow and finds what it is given.
    fn ask(kept: &Arc<InMemory>, before: u32, millis: u32, found: impl FnOnce(&Numbered) -> Outcome) -> (Outcome, bool) {
        let (a, t) = product(before, 1);
        let (want, mut searched) = ([(t, true)], false);
        let query = Query { want: &want, bounds: &[], mode: WrapMode::Assume, strict: false };
        let outcome = recalling(Some(kept.clone()), || super::answer(&a, &query, millis, 9, || {
            searched = true;
            std::thread::sleep(Duration::from_millis(40));
            found(&numbered(&a, t, WrapMode::Assume, true))
        }));
        (outcome, searched)
    }

    #[test]
    fn a_model_comes_back_in_the_symbols_of_whoever_asks() {
        let kept = Arc::new(InMemory::default());
        let model = |n: &Numbered| Outcome::Sat(Model { values: [(n.symbols[0], 3), (n.symbols[1], 2)].into_iter().collect(), ..Model::default() });
        assert!(ask(&kept, 0, 100, model).1);
        let (Outcome::Sat(back), false) = ask(&kept, 4, 100, |_| Outcome::Unsat) else { panic!("it was known") };
        let (a, t) = product(4, 1);
        let n = numbered(&a, t, WrapMode::Assume, true);
        assert_eq!((back.values[&n.symbols[0]], back.values[&n.symbols[1]]), (3, 2));
        assert_eq!(back.value(&a, t, WrapMode::Assume), Some(1));
    }

    #[test]
    fn what_was_cut_off_is_searched_again_with_more_time_only() {
        let kept = Arc::new(InMemory::default());
        let cut = |_: &Numbered| Outcome::Unknown("timeout".into());
        assert!(ask(&kept, 0, 100, cut).1);
        assert!(!ask(&kept, 0, 100, cut).1 && !ask(&kept, 0, 40, cut).1);
        let (Outcome::Unsat, true) = ask(&kept, 0, 200, |_| Outcome::Unsat) else { panic!("more time was given") };
        let (Outcome::Unsat, false) = ask(&kept, 0, 10, cut) else { panic!("it is decided") };
    }

    #[test]
    fn without_a_place_for_answers_every_search_is_made() {
        let (a, t) = product(0, 1);
        let query = Query { want: &[(t, true)], bounds: &[], mode: WrapMode::Assume, strict: false };
        let mut searches = 0;
        for _ in 0..2 { super::answer(&a, &query, 1, 9, || { searches += 1; Outcome::Unsat }); }
        assert_eq!(searches, 2);
    }

    #[test]
    fn one_check_asks_the_same_only_once_in_all_its_threads() {
        let (a, t) = product(0, 1);
        let query = Query { want: &[(t, true)], bounds: &[], mode: WrapMode::Assume, strict: false };
        let ask = |found: Outcome| { let mut searches = 0; let outcome = super::answer(&a, &query, 100, 9, || { searches += 1; found }); (outcome, searches) };
        recalling(None, || {
            assert_eq!(ask(Outcome::Unknown("timeout".into())).1, 1);
            assert_eq!(ask(Outcome::Unsat).1, 1, "what was cut off is not remembered");
            let recall = super::shared();
            std::thread::scope(|s| s.spawn(|| super::with(recall, || {
                let (Outcome::Unsat, 0) = ask(Outcome::Unknown("timeout".into())) else { panic!("the other thread knows it") };
            })).join()).unwrap();
        });
        assert_eq!(recalling(None, || ask(Outcome::Unsat).1), 1, "another check is another one");
    }

    struct Always(&'static [u8]);

    impl Answers for Always {
        fn get(&self, _: &[u8; 32]) -> Option<Vec<u8>> { Some(self.0.to_vec()) }
        fn put(&self, _: &[u8; 32], _: bool, _: &[u8]) {}
    }

    #[test]
    fn the_solver_is_asked_only_what_is_not_known() {
        let (a, t) = product(0, 1);
        let prove = |kept: Option<&'static [u8]>| {
            let kept = kept.map(|bytes| Arc::new(Always(bytes)) as Arc<dyn Answers>);
            recalling(kept, || smt::prove(&a, &[], t, WrapMode::Assume, &Limits::default(), &mut Groups::default()))
        };
        assert!(matches!(prove(None), Answer::Model(_)), "7 * 7 is more than 7");
        assert!(matches!(prove(Some(&[0])), Answer::Proved { .. }), "as it was kept");
        // What is no answer, and a model of another query's symbols, are searched anew.
        for damaged in [&b""[..], b"nonsense", &[1, 1, 99, 0, 0]] { assert!(matches!(prove(Some(damaged)), Answer::Model(_)), "{damaged:?}"); }
    }
}
