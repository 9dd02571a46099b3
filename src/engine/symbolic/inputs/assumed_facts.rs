//! Applies assumptions: conditions stated in scuba.toml, asserts that the build removes, and claims of the program.
//!
//! In: functions at their entry, branches to a failing `assert` or to a block claimed unreachable, `__builtin_assume`,
//! the inputs of `main`. Out: facts of the path condition; [`Assumptions`](super::assume::Assumptions) records the
//! source of each.

use crate::symbolic::exec::events::{AccessEvent, ClaimEvent};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::ObjKind;
use crate::symbolic::memory::value::{Base, Value};
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use base::axioms::Axiom;
use contracts::assume::{AssumeExpr, AssumeUnary};
use contracts::operators::BinaryOperator;
use ir::{Block, BlockId, Callee, Const, FuncId, FuncRef, Module, Op, Operand, Side, Terminator, TypeKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// Functions that glibc, CUDA's headers and others call when an `assert` fails.
const FAILURES: [&str; 4] = ["__assert_fail", "__assertfail", "__assert_rtn", "__assert"];

pub(super) enum ExprMeaning {
    Int(TermId),
    Bool(TermId),
}

impl ExecutionContext<'_> {
    // ---- asserts that the build removes ----

    /// Returns the states that go on after a branch that only guards the failure of an `assert`, in a unit that was
    /// read without its `NDEBUG`.
    pub(in crate::symbolic) fn removed_assert(
        &mut self,
        f: FuncRef,
        cond: TermId,
        then: BlockId,
        otherwise: BlockId,
        at: BlockId,
        s: &State,
    ) -> Option<Vec<(BlockId, State)>> {
        let m = self.module(f);
        if !m.asserts_restored {
            return None;
        }
        let func = self.function(f);
        let (on, holds, failure) = match (failure(m, f, then), failure(m, f, otherwise)) {
            (Some(failure), None) => (otherwise, self.arena.not(cond), failure),
            (None, Some(failure)) => (then, cond, failure),
            _ => return None,
        };
        let AssertFailure { text, calls, of_the_macro } = failure;
        let loc = self.program.loc(f.module, func.blocks[at.index()].term_loc);
        let file = loc.file.rsplit('/').next().unwrap_or_default();
        let who = format!("`{text}` ({file}:{}), an assert that NDEBUG removes", loc.line);
        if of_the_macro {
            self.note_claim(s, holds, &calls, &format!("assert({text})"), Some(Arc::from(&*who)));
        }
        if !self.assumptions.takes(Axiom::RemovedAssert) {
            return Some(vec![(on, s.clone())]);
        }
        Some(self.assume_as(s.clone(), holds, &who).map(|s| (on, s)).into_iter().collect())
    }

    // ---- what the program claims ----

    /// Returns the state in which a claim of the program (`__builtin_assume`, `[[assume]]`) holds. The executor
    /// assumes it like an assert that the build removes: nothing checks it, and the compiler relies on it.
    pub(in crate::symbolic) fn claim(
        &mut self,
        s: State,
        c: TermId,
        site: Site,
        written: &'static str,
    ) -> Option<State> {
        let f = self.function(site.func);
        let block = &f.blocks[site.block.index()];
        let at = block.insts.get(site.inst as usize).map_or(block.term_loc, |i| i.loc);
        let loc = self.program.loc(site.func.module, at);
        // Claims in headers of the toolchain are true of their own code.
        if loc.system || loc.line == 0 {
            return if self.assumptions.takes(Axiom::ToolchainClaim) { self.assume(s, c) } else { Some(s) };
        }
        self.note_claim(&s, c, &[site], written, None);
        if !self.assumptions.takes(Axiom::Claim) {
            return Some(s);
        }
        let file = loc.file.rsplit('/').next().unwrap_or_default();
        let who = format!("`{written}` ({file}:{}), a claim of the program", loc.line);
        self.assume_as(s, c, &who)
    }

    /// Records for the rule `false-assumption` a claim that a kernel may reach and that may be false. `sites` lead
    /// from the executed function to what an execution would do there.
    fn note_claim(&mut self, s: &State, holds: TermId, sites: &[Site], written: &str, removed: Option<Arc<str>>) {
        if self.side != Side::Device || !self.events.recording {
            return;
        }
        let broken = self.arena.not(holds);
        let path = self.arena.and(s.path, broken);
        let [first, further @ ..] = sites else { return };
        if self.arena.as_bool(path) != Some(false) {
            let mut stack = self.stack_to(*first);
            stack.extend(further);
            self.events.claims.push(ClaimEvent {
                stack: Rc::new(stack),
                written: written.into(),
                removed,
                path,
                broken,
            });
        }
    }

    /// Returns the states that go on after a branch of which one side is claimed unreachable
    /// (`__builtin_unreachable`).
    pub(in crate::symbolic) fn claimed_unreachable(
        &mut self,
        f: FuncRef,
        cond: TermId,
        then: BlockId,
        otherwise: BlockId,
        s: &State,
    ) -> Option<Vec<(BlockId, State)>> {
        let func = self.function(f);
        let nothing = |b: BlockId| {
            let block = &func.blocks[b.index()];
            matches!(block.term, Terminator::Unreachable) && block.insts.is_empty()
        };
        let (on, never, holds) = match (nothing(then), nothing(otherwise)) {
            (true, false) => (otherwise, then, self.arena.not(cond)),
            (false, true) => (then, otherwise, cond),
            _ => return None,
        };
        let site = Site { func: f, block: never, inst: 0 };
        Some(self.claim(s.clone(), holds, site, "__builtin_unreachable").map(|s| (on, s)).into_iter().collect())
    }

    // ---- conditions that scuba.toml states ----

    /// Adds the conditions stated of a function to its entry state.
    pub(in crate::symbolic) fn assume_at_entry(&mut self, f: FuncRef, args: &[Value], mut s: State) -> State {
        let func = self.function(f);
        for condition in self.assumptions.stated.clone().iter() {
            if condition.function == "main" || !func.answers_to(&condition.function) {
                continue;
            }
            if !self.assumptions.takes(Axiom::Stated) {
                break;
            }
            let meaning = self.meaning(&condition.expr, &mut |e, leaf| e.parameter(f, args, leaf));
            match meaning.map(|m| self.truth(m)) {
                Ok(c) => match self.assume_as(s.clone(), c, &condition.describe()) {
                    Some(held) => s = held,
                    None => self.problem(format!(
                        "{}: `{}` never holds where `{}` is called; it is not assumed there",
                        condition.origin, condition.text, func.display
                    )),
                },
                Err(why) => self.problem(format!("{}: `{}` is not assumed: {why}", condition.origin, condition.text)),
            }
        }
        self.contracts_at_entry(f, args, s)
    }
}

impl MemoryDomain<'_> {
    /// Returns the conditions stated of `main`'s inputs that `conditions` mention.
    pub fn assumed_of_inputs(&mut self, main: FuncRef, conditions: &[TermId]) -> Vec<TermId> {
        let mut out = vec![];
        if self.assumptions.stated.iter().all(|c| c.function != "main") || !self.assumptions.takes(Axiom::Stated) {
            return out;
        }
        let mut known: Vec<(InputSource, TermId)> = vec![];
        for s in self.arena.symbols_of(conditions) {
            if let SymKind::Input(source) = &self.arena.symbol(s).kind {
                let source = source.clone();
                known.push((source, self.arena.symbol_term(s)));
            }
        }
        for condition in self.assumptions.stated.clone().iter().filter(|c| c.function == "main") {
            let leaves = condition.expr.leaves();
            let sources: Result<Vec<InputSource>, String> = leaves.iter().map(|leaf| self.source(main, leaf)).collect();
            let sources = match sources {
                Ok(s) => s,
                Err(why) => {
                    self.problem(format!("{}: `{}` is not assumed: {why}", condition.origin, condition.text));
                    continue;
                }
            };
            if !sources.iter().any(|s| known.iter().any(|(k, _)| k == s)) {
                continue;
            }
            // An argument may be read as an `int` here and as a `long` there: one fact for each reading.
            for way in 0..2 {
                let meaning = self.meaning(&condition.expr, &mut |e, leaf| {
                    let source = e.source(main, leaf)?;
                    let mut read = known.iter().filter(|(k, _)| *k == source).map(|k| k.1);
                    let first = read.next();
                    Ok(if way == 0 { first } else { read.next().or(first) }.unwrap_or_else(|| e.input(source, 32)))
                });
                match meaning.map(|m| self.truth(m)) {
                    Ok(c) => {
                        for part in self.arena.conjuncts(c) {
                            if self.arena.as_bool(part).is_some() || out.contains(&part) {
                                continue;
                            }
                            self.assumptions.note(part, &condition.describe());
                            out.push(part);
                        }
                    }
                    Err(why) => {
                        self.problem(format!("{}: `{}` is not assumed: {why}", condition.origin, condition.text));
                    }
                }
            }
        }
        out
    }

    /// Returns the value of a name at function entry.
    pub(super) fn parameter(&mut self, f: FuncRef, args: &[Value], leaf: &AssumeExpr) -> Result<TermId, String> {
        let func = self.function(f);
        let m = self.module(f);
        let AssumeExpr::Name(name) = leaf else {
            return Err(format!("`argv` is an input of `main`, not of `{}`", func.display));
        };
        let Some(i) = func.params.iter().position(|p| p.name == *name) else {
            return Err(self.no_such_name(f, name));
        };
        match (&m.ty(func.params[i].ty).kind, args.get(i)) {
            (TypeKind::Int(_), Some(Value::Bool(b))) => Ok(self.count(ExprMeaning::Bool(*b))),
            (TypeKind::Int(bits), Some(v)) => {
                let t = self.as_int_value(v, *bits);
                Ok(self.interpret(t, *bits, !func.is_unsigned(name)))
            }
            _ => Err(format!("`{name}` of `{}` is no integer", func.display)),
        }
    }

    /// Returns the meaning of an expression over the integers.
    pub(super) fn meaning(
        &mut self,
        e: &AssumeExpr,
        leaf: &mut dyn FnMut(&mut Self, &AssumeExpr) -> Result<TermId, String>,
    ) -> Result<ExprMeaning, String> {
        use ExprMeaning::{Bool, Int};
        Ok(match e {
            AssumeExpr::Int(v) => Int(self.arena.int(*v)),
            AssumeExpr::Name(_) | AssumeExpr::Argv(_) => Int(leaf(self, e)?),
            AssumeExpr::Unary(op, a) => {
                let a = self.meaning(a, leaf)?;
                match op {
                    AssumeUnary::Minus => {
                        let t = self.count(a);
                        Int(self.arena.neg(t))
                    }
                    AssumeUnary::Not => {
                        let t = self.truth(a);
                        Bool(self.arena.not(t))
                    }
                    AssumeUnary::Complement => {
                        let t = self.count(a);
                        let t = self.arena.neg(t);
                        Int(self.arena.add_const(t, -1))
                    }
                }
            }
            AssumeExpr::Choice(c, a, b) => {
                let (c, a, b) = (self.meaning(c, leaf)?, self.meaning(a, leaf)?, self.meaning(b, leaf)?);
                let c = self.truth(c);
                if let (Bool(a), Bool(b)) = (&a, &b) {
                    let n = self.arena.not(c);
                    let (a, b) = (self.arena.and(c, *a), self.arena.and(n, *b));
                    return Ok(Bool(self.arena.or(a, b)));
                }
                let (a, b) = (self.count(a), self.count(b));
                Int(self.arena.ite(c, a, b))
            }
            AssumeExpr::Binary(op, a, b) => {
                let (a, b) = (self.meaning(a, leaf)?, self.meaning(b, leaf)?);
                self.binary_meaning(*op, a, b)?
            }
        })
    }
}

impl MemoryDomain<'_> {
    /// Returns the sources of the assumptions that an access may rest on, each once: those of its path, without
    /// conditions on the extent of an object that is not asked for, and those on elements that it reads.
    #[must_use]
    pub fn assumptions_of(&self, access: &AccessEvent) -> Vec<Arc<str>> {
        if !self.assumptions.in_effect() {
            return vec![];
        }
        let a = &self.arena;
        let mut own = vec![access.bytes];
        own.extend(a.conjuncts(access.path).into_iter().filter(|c| self.assumptions.of(*c).is_empty()));
        for target in access.targets.iter() {
            own.extend([target.cond, target.offset]);
            if let Base::Object(o) = target.base {
                own.extend(self.heap.object(o).extent);
            }
        }
        let needed: FxHashSet<TermId> = a.cone(&own).into_iter().collect();
        let given = self.heap.objects().iter().filter(|o| o.kind == ObjKind::Parameter);
        let extents: FxHashSet<TermId> =
            given.filter_map(|o| o.extent).filter(|t| matches!(a.get(*t), Term::Sym(_))).collect();
        let of_another = |c: &TermId| a.cone(&[*c]).iter().any(|t| extents.contains(t) && !needed.contains(t));
        let path = a.conjuncts(access.path).into_iter().filter(|c| !of_another(c));
        let asked: Vec<TermId> = path.chain(own.iter().copied()).collect();
        let mut out = self.assumptions_in(&asked);
        out.extend(self.assumptions.on_elements(a, &own));
        out.sort();
        out.dedup();
        out
    }
}

impl ValueDomain<'_> {
    /// Returns the sources that assume a part of these conditions, each once.
    #[must_use]
    pub fn assumptions_in(&self, conditions: &[TermId]) -> Vec<Arc<str>> {
        let mut out: Vec<Arc<str>> = vec![];
        if !self.assumptions.in_effect() {
            return out;
        }
        for t in self.arena.cone(conditions) {
            for who in self.assumptions.of(t) {
                if !out.contains(who) {
                    out.push(who.clone());
                }
            }
        }
        out.sort();
        out
    }

    pub(super) fn assume_as(&mut self, s: State, c: TermId, who: &str) -> Option<State> {
        let before = s.path;
        let s = self.assume(s, c)?;
        if s.path != before {
            for part in self.arena.conjuncts(c) {
                self.assumptions.note(part, who);
            }
        }
        Some(s)
    }

    pub(super) fn problem(&mut self, text: String) {
        if !self.assumptions.problems.contains(&text) {
            self.assumptions.problems.push(text);
        }
    }

    fn source(&self, main: FuncRef, leaf: &AssumeExpr) -> Result<InputSource, String> {
        match leaf {
            AssumeExpr::Argv(k) => Ok(InputSource::Argv(*k)),
            AssumeExpr::Name(n)
                if n == "argc" || self.program.func(main).params.first().is_some_and(|p| p.name == *n) =>
            {
                Ok(InputSource::Argc)
            }
            AssumeExpr::Name(n) => Err(format!(
                "`main` has no input `{n}`: it has `argc` and `argv[1]`, `argv[2]`, …; for a parameter of another function, name it by `function`"
            )),
            _ => Err("it is no name".into()),
        }
    }
}

impl Terms {
    fn count(&mut self, m: ExprMeaning) -> TermId {
        match m {
            ExprMeaning::Int(t) => t,
            ExprMeaning::Bool(b) => {
                let (one, zero) = (self.arena.int(1), self.arena.int(0));
                self.arena.ite(b, one, zero)
            }
        }
    }

    pub(super) fn truth(&mut self, m: ExprMeaning) -> TermId {
        match m {
            ExprMeaning::Bool(b) => b,
            ExprMeaning::Int(t) => {
                let zero = self.arena.int(0);
                self.arena.ne(t, zero)
            }
        }
    }

    fn binary_meaning(&mut self, op: BinaryOperator, a: ExprMeaning, b: ExprMeaning) -> Result<ExprMeaning, String> {
        use ExprMeaning::{Bool, Int};
        Ok(match op {
            BinaryOperator::Both | BinaryOperator::One => {
                let (a, b) = (self.truth(a), self.truth(b));
                Bool(if op == BinaryOperator::Both { self.arena.and(a, b) } else { self.arena.or(a, b) })
            }
            BinaryOperator::Arithmetic(op) => {
                let (x, y) = (self.count(a), self.count(b));
                Int(self.arithmetic_said(op, x, y)?)
            }
            BinaryOperator::Compare(op) => {
                let (x, y) = (self.count(a), self.count(b));
                Bool(self.comparison_said(op, x, y))
            }
        })
    }
}

/// Failure of an `assert`.
struct AssertFailure {
    text: String,
    /// Call sites, from the call in the block inwards to that of one of [`FAILURES`].
    calls: Vec<Site>,
    /// Whether it is C's macro, which the build removes for sure; others that end in the same function may remain
    /// (`CUDA_KERNEL_ASSERT` of PyTorch).
    of_the_macro: bool,
}

/// Returns the `assert` whose failure a block is.
fn failure(m: &Module, func: FuncRef, block: BlockId) -> Option<AssertFailure> {
    let (inst, to, args) =
        calls_in(&m.func(func.func).blocks[block.index()]).find(|(_, to, _)| fails(m, *to).is_some())?;
    let text = match args.first() {
        Some(Operand::Const(Const::Global { id, offset: 0 })) => match &m.global(*id).init {
            Some(Const::Bytes { data, .. }) => String::from_utf8_lossy(data).trim_end_matches('\0').to_owned(),
            _ => "…".into(),
        },
        _ => "…".into(),
    };
    let mut calls = vec![Site { func, block, inst }];
    if let Some(Some(inner)) = fails(m, to) {
        calls.push(Site { func: FuncRef { module: func.module, func: to }, block: BlockId(0), inst: inner });
    }
    Some(AssertFailure { text, calls, of_the_macro: args.iter().any(|a| names_its_function(m, a)) })
}

/// Whether an argument is the `__PRETTY_FUNCTION__` that glibc's `assert` (2.36) passes in C++.
fn names_its_function(m: &Module, argument: &Operand) -> bool {
    matches!(argument, Operand::Const(Const::Global { id, .. }) if m.global(*id).name.starts_with("__PRETTY_FUNCTION__"))
}

/// Returns `Some` if a function is called when an `assert` fails: by its name, or because it passes its arguments to
/// such a function. The inner value is the instruction of that call. clang's headers (22) define such an
/// `__assert_fail` for kernels, which is not declared to end them.
fn fails(m: &Module, f: FuncId) -> Option<Option<u32>> {
    let named = |f: FuncId| FAILURES.contains(&m.func(f).name.as_str());
    if named(f) {
        return Some(None);
    }
    calls_in(m.func(f).blocks.first()?).find(|(_, to, _)| named(*to)).map(|(inst, ..)| Some(inst))
}

/// Returns the calls of named functions in a block, by instruction index.
fn calls_in(block: &Block) -> impl Iterator<Item = (u32, FuncId, &[Operand])> {
    (0u32..).zip(&block.insts).filter_map(|(n, i)| match &i.op {
        Op::Call { callee: Callee::Direct(id), args } => Some((n, *id, args.as_slice())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::ExprMeaning;
    use crate::symbolic::exec::executor::Executor;
    use crate::symbolic::exec::library::NoLibrary;
    use crate::symbolic::terms::term::InputSource;
    use contracts::assume::parse;
    use ir::Program;

    /// Tests each operator against C's own result.
    #[test]
    fn conditions_mean_what_c_means() {
        let program = Program::default();
        let mut e = Executor::new(&program, &NoLibrary);
        for (text, expected) in [
            ("7 / 2 - -7 / 2", 6),
            ("-7 % 3", -1),
            ("7 % -3", 1),
            ("1 + 2 * 3 - 4", 3),
            ("~5", -6),
            ("!5 + !0", 1),
            ("(2 < 3) + (3 <= 3) + (2 > 3) + (3 >= 4)", 2),
            ("6 & 3", 2),
            ("6 | 3", 7),
            ("6 ^ 3", 5),
            ("1 << 10 >> 3", 128),
            ("-9 >> 1", -5),
            ("2 == 2 != 0", 1),
            ("1 && 0 || 1", 1),
            ("0 ? 5 : 1 ? 6 : 7", 6),
            ("(1 ? 2 > 1 : 0 > 1) + 1", 2),
        ] {
            let m = e
                .meaning(&parse(text).unwrap(), &mut |_, _| panic!("no names"))
                .unwrap_or_else(|w| panic!("{text}: {w}"));
            let t = e.count(m);
            assert_eq!(e.arena.as_int(t), Some(expected), "{text}");
        }
        for text in ["n / 0", "n % (1 - 1)", "n << n", "1 << 63"] {
            let n = e.input(InputSource::Argc, 32);
            assert!(e.meaning(&parse(text).unwrap(), &mut |_, _| Ok(n)).is_err(), "{text}");
        }
        let n = e.input(InputSource::Argv(1), 32);
        let m = e.meaning(&parse("n").unwrap(), &mut |_, _| Ok(n)).ok();
        let c = m.map(|m| e.truth(m));
        assert!(c.is_some_and(|c| e.arena.is_boolean(c)), "a number as a condition is compared with 0");
        assert!(matches!(e.meaning(&parse("n > 1").unwrap(), &mut |_, _| Ok(n)), Ok(ExprMeaning::Bool(_))));
    }
}
