//! Dynamic initialisers that run before a library function is called, for the variables that it or its callees mention.
//!
//! In: a program and one of its functions. Out: the functions that initialise these variables when the library is
//! loaded (C++ [basic.start.dynamic]), in order, each with the variables that it may write; and the strings that the
//! function and these initialisers mention. Initialisers of other variables (operator registrations, streams) are
//! ignored.

use super::reach::{MentionedGlobals, Reach};
use super::{Callee, Const, FuncRef, GlobalRef, Op, Program, Terminator};
use rustc_hash::FxHashSet;

/// Length in bytes of the longest string taken for a name rather than a message.
const LONGEST_NAME: usize = 15;
/// Largest number of strings collected.
const TEXTS: usize = 24;

/// A function that runs when the library is loaded.
#[derive(Clone, Debug)]
pub struct Initialiser {
    pub function: FuncRef,
    /// Variables that the function or its callees may write.
    pub variables: Vec<GlobalRef>,
    /// Constants that the function or its callees mention.
    constants: Vec<GlobalRef>,
}

/// State that the initialisers leave before a function is called.
#[derive(Debug, Default)]
pub struct Initialisers {
    pub in_order: Vec<Initialiser>,
    /// Variables that the function may mention and that initialisers alone write, each with the guards that are set by then.
    pub settled: Vec<(GlobalRef, Vec<GlobalRef>)>,
    /// True where some initialiser of the program is unknown: any variable may then hold another value.
    pub unknown: bool,
    /// Name-like strings (`sum`), those of initialisers first. The function often compares its arguments with one of
    /// them.
    pub strings: Vec<String>,
}

impl Initialisers {
    /// Drops the initialisers on which the contents of these variables do not depend.
    pub fn keep_for(&mut self, variables: &FxHashSet<GlobalRef>) {
        let mut needed = variables.clone();
        let mut kept = vec![false; self.in_order.len()];
        while let Some(i) =
            (0..kept.len()).find(|i| !kept[*i] && self.in_order[*i].variables.iter().any(|g| needed.contains(g)))
        {
            kept[i] = true;
            needed.extend(&self.in_order[i].variables);
        }
        let mut kept = kept.into_iter();
        self.in_order.retain(|_| kept.next().unwrap_or(false));
    }

    /// Returns the initialisers of the variables that a host function or its callees may mention.
    #[must_use]
    pub fn before(program: &Program, function: FuncRef) -> Self {
        Self::reached(program, &Reach::of(program, |_| false), function)
    }

    /// Returns the same by the program's call graph.
    #[must_use]
    pub fn reached(program: &Program, reach: &Reach, function: FuncRef) -> Self {
        let Some(mentions) = reach.mentions(function) else { return Self::default() };
        let own = reach.globals(mentions);
        let mut needed: FxHashSet<GlobalRef> = own.globals.iter().copied().collect();
        let constructors = program.constructors();
        let unknown = constructors.is_none();
        let mut all: Vec<Initialiser> =
            constructors.unwrap_or_default().into_iter().flat_map(|f| parts(program, reach, f)).collect();
        // What an initialiser gives to a library writes no variable that initialisers alone write; what it has an address of, it may.
        let once = reach.initialised_once(program);
        for i in &mut all {
            i.variables.retain(|g| !once.is_settled(*g));
            let written = once.written_from(reach, i.function);
            let guards = written.iter().flat_map(|g| once.guards(*g)).flatten().copied();
            i.variables.extend(guards.chain(written.iter().copied()).collect::<Vec<_>>());
        }
        let mut settled: Vec<(GlobalRef, Vec<GlobalRef>)> =
            needed.iter().filter_map(|g| Some((*g, once.guards(*g)?.iter().copied().collect()))).collect();
        settled.sort_unstable();
        // The initialiser of one variable may read another variable.
        let mut taken = vec![false; all.len()];
        loop {
            let next = (0..all.len())
                .find(|i| !taken[*i] && all[*i].variables.iter().any(|variable| needed.contains(variable)));
            let Some(i) = next else { break };
            taken[i] = true;
            needed.extend(&all[i].variables);
        }
        let in_order: Vec<Initialiser> =
            all.into_iter().zip(taken).filter_map(|(i, taken)| taken.then_some(i)).collect();
        let mentioned = in_order.iter().flat_map(|i| &i.constants).chain(&own.globals);
        let mut strings: Vec<String> = vec![];
        for text in mentioned.filter_map(|g| name_in(program, *g)) {
            if strings.len() < TEXTS && !strings.contains(&text) {
                strings.push(text);
            }
        }
        Self { in_order, settled, unknown, strings }
    }
}

/// Splits a constructor into the functions that it calls, if it does nothing else; otherwise returns it whole. clang
/// makes one function for each variable and one for each unit that calls them (`_GLOBAL__sub_I_x.cu`; clang 22,
/// CGDeclCXX.cpp).
fn parts(program: &Program, reach: &Reach, constructor: FuncRef) -> Vec<Initialiser> {
    let whole = || vec![initialiser(program, reach, constructor)];
    let [block] = &program.func(constructor).blocks[..] else { return whole() };
    let mut out = vec![];
    for i in &block.insts {
        match &i.op {
            Op::Call { callee: Callee::Direct(id), args } if args.is_empty() => {
                out.push(initialiser(program, reach, program.resolve_func(constructor.module, *id)));
            }
            _ => return whole(),
        }
    }
    if matches!(block.term, Terminator::Ret(_)) && !out.is_empty() { out } else { whole() }
}

fn initialiser(program: &Program, reach: &Reach, function: FuncRef) -> Initialiser {
    let named = reach.mentions(function).map_or_else(MentionedGlobals::default, |m| reach.globals(m));
    let (constants, variables) = named.globals.into_iter().partition(|g| program.global(*g).constant);
    Initialiser { function, variables, constants }
}

/// Returns the string that a constant holds, if it looks like a name.
fn name_in(program: &Program, g: GlobalRef) -> Option<String> {
    let global = program.global(g);
    let Some(Const::Bytes { data, .. }) = global.init.as_ref().filter(|_| global.constant) else { return None };
    let (0, text) = data.split_last()? else { return None };
    let is_of_names = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'+' | b'.');
    let fits = !text.is_empty() && text.len() <= LONGEST_NAME && text.iter().all(is_of_names);
    fits.then(|| String::from_utf8_lossy(text).into_owned())
}
