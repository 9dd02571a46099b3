//! `getopt` and similar functions (POSIX.1-2017, glibc): the option that they find is unknown, its argument is an
//! input.

use super::cuda;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::inputs::command_line::{FoundOption, OptionArgument, OptionWord};
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::SymKind;
use ir::Side;
use std::rc::Rc;

/// Size in bytes of glibc's `struct option`, and offsets of its fields `has_arg`, `flag` and `val`.
const LONG_OPTION: i128 = 32;
const HAS_ARGUMENT: i128 = 8;
const FLAG: i128 = 16;
const VALUE: i128 = 24;

/// Maximum length of a table of long options that is read.
const MAX_LONG: i128 = 64;

/// Models `getopt`: options may stand anywhere and repeat, so every call may find any of them, or none.
pub(crate) fn getopt(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State, long: bool) -> ModelOutcome {
    let mut s = s;
    let short = short_options(e, c);
    let mut all = short.is_some();
    let mut words = short.unwrap_or_default();
    // It permutes `argv` so that operands stand last, unless it is told not to.
    let (argv, format) = (cuda::pointer_arg(e, c, 1), cuda::pointer_arg(e, c, 2));
    let permutes = e.text_of(&format).is_none_or(|t| !t.starts_with(['+', '-']));
    if permutes {
        e.havoc_targets(&mut s, &argv, &UnknownReason::GetoptPermutes);
    }
    if long {
        all &= long_options(e, c, &mut s, &mut words);
        let index = cuda::pointer_arg(e, c, 4);
        e.havoc_targets(&mut s, &index, &UnknownReason::GetoptFound);
    }
    for name in ["optind", "optopt"] {
        // A program that does not name the variable cannot read it.
        if let Some(o) = library_variable(e, name) {
            e.havoc(&mut s, o, &UnknownReason::GetoptFound, false);
        }
    }
    let option =
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::OptionFound }, "an option", Interval::of_int(32, true));
    if let Some(o) = library_variable(e, "optarg") {
        let text = e.heap.add(Object {
            kind: ObjKind::Opaque,
            name: "optarg".into(),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        let given = if all { e.has_argument(option, &words) } else { e.perhaps(&UnknownReason::OptionHasArgument) };
        e.inputs.options.insert(text, FoundOption { option, words: words.into() });
        let reason = Rc::new(UnknownReason::ArgumentText);
        let first = ObjState::new(UncoveredContents::Unknown { version: e.heap.next_version(), input: true, reason });
        // No state contains it: otherwise, a loop around this call would change another object in each iteration.
        e.starts_as_given(text, first);
        let (always, nothing, zero) = (e.arena.bool(true), e.arena.not(given), e.arena.int(0));
        let place = Rc::new(vec![GuardedTarget::new(always, Base::Object(o), zero)]);
        s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Zero)));
        let p = Value::Ptr(Rc::new(vec![
            GuardedTarget::new(given, Base::Object(text), zero),
            GuardedTarget::new(nothing, Base::Null, zero),
        ]));
        e.store_value(&mut s, &place, p, 8);
    }
    Ok(Some((Value::Int(option), s)))
}

fn library_variable(e: &mut MemoryDomain<'_>, name: &str) -> Option<ObjId> {
    let r = e.program.find_global(Side::Host, name)?;
    Some(e.global_of(r))
}

/// Returns the options that a string such as `n:v` names; `None` if they are unknown.
fn short_options(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>) -> Option<Vec<OptionWord>> {
    let text = cuda::pointer_arg(e, c, 2);
    let text: Vec<char> = e.text_of(&text)?.chars().collect();
    // With a leading `-`, operands count as arguments of an option 1.
    if text.first() == Some(&'-') {
        return None;
    }
    let mut words = vec![];
    for (i, ch) in text.iter().enumerate().filter(|(_, ch)| ch.is_ascii_graphic() && !":;+".contains(**ch)) {
        let takes = match text[i + 1..] {
            [':', ':', ..] => OptionArgument::Perhaps,
            [':', ..] => OptionArgument::Argument,
            _ => OptionArgument::Nothing,
        };
        words.push(OptionWord { value: i128::from(u32::from(*ch)), word: format!("-{ch} "), takes });
    }
    Some(words)
}

/// Reads the table of long options; targets of their flags may be written. Returns `false` if it cannot be read to
/// its end.
fn long_options(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, words: &mut Vec<OptionWord>) -> bool {
    let table = cuda::pointer_arg(e, c, 3);
    let field = |e: &mut ExecutionContext<'_>, i: i128, at: i128| {
        let d = e.arena.int(i * LONG_OPTION + at);
        e.offset_targets(&table, d)
    };
    for i in 0..MAX_LONG {
        let at = field(e, i, 0);
        let name = e.load_pointer(s, &at);
        if name.iter().all(|t| matches!(t.base, Base::Null)) {
            return true;
        }
        let at = field(e, i, FLAG);
        let flag = e.load_pointer(s, &at);
        if flag.iter().any(|t| matches!(t.base, Base::Unknown(_))) {
            break;
        }
        e.havoc_targets(s, &flag, &UnknownReason::GetoptFound);
        let takes = match long_field(e, c, s, &table, i * LONG_OPTION + HAS_ARGUMENT) {
            Some(0) => OptionArgument::Nothing,
            Some(1) => OptionArgument::Argument,
            _ => OptionArgument::Perhaps,
        };
        // With a flag, 0 is returned and the value is stored there.
        let value = if flag.iter().all(|t| matches!(t.base, Base::Null)) {
            long_field(e, c, s, &table, i * LONG_OPTION + VALUE)
        } else {
            Some(0)
        };
        let (Some(value), Some(name)) = (value, e.text_of(&name)) else { break };
        match words.iter_mut().find(|w| w.value == value) {
            Some(w) => {
                if w.takes != takes {
                    w.takes = OptionArgument::Perhaps;
                }
            }
            None => words.push(OptionWord { value, word: format!("--{name}="), takes }),
        }
    }
    // The table cannot be read to its end.
    e.havoc_reachable(s, c.args, &UnknownReason::GetoptFound);
    false
}

fn long_field(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    table: &Rc<Vec<GuardedTarget>>,
    at: i128,
) -> Option<i128> {
    let at = e.arena.int(at);
    let at = e.offset_targets(table, at);
    match e.load_typed(s, c.site.func, &at, c.ty) {
        Value::Int(v) => e.arena.as_int(v),
        _ => None,
    }
}
