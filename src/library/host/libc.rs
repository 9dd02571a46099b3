//! The C library: dispatch to the families of models; strings read as numbers, options, random numbers and the time.
//!
//! In: a call by name. Out: its result and its effects on memory, as far as sizes, inputs and pointers depend on them;
//! the call itself if it is not modelled.

use super::cuda;
use super::getopt;
use super::table::{HostTable, find};
use super::{entry_points, files, formats, libc_memory, libc_text, tensors};
use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::inputs::command_line::one_object;
use engine::symbolic::memory::text::StringConversion;
use engine::symbolic::memory::value::{GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use models::no_return::returns;
use models::returns::Returns;

/// Strings read as numbers, options, random numbers and the time.
pub(super) const NUMBERS: HostTable = &[
    (&["getopt"], |e, c, s| getopt::getopt(e, c, s, false)),
    (&["getopt_long", "getopt_long_only"], |e, c, s| getopt::getopt(e, c, s, true)),
    (&["atoi"], |e, c, s| atoi(e, c, s)),
    (&["atol", "atoll"], |e, c, s| atol(e, c, s)),
    (
        &[
            "strtol",
            "strtoll",
            "strtoul",
            "strtoull",
            "__isoc23_strtol",
            "__isoc23_strtoul",
            "__isoc23_strtoll",
            "__isoc23_strtoull",
        ],
        |e, c, s| strtol(e, c, s),
    ),
    (&["strtod", "strtof"], |e, c, s| strtod(e, c, s)),
    (&["atof"], |_, _, s| atof(s)),
    (&["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"], |e, _, s| Ok(e.may_come_back(s))),
    (&["rand", "random", "lrand48"], |e, c, s| rand(e, c, s)),
    (&["time", "clock", "clock_gettime", "gettimeofday", "omp_get_wtime", "getpid"], |e, c, s| {
        super::opaque(e, c, s, &UnknownReason::Time)
    }),
];

pub(crate) fn libc_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    match returns(c.name) {
        Some(Returns::Never) => return Ok(None),
        // A handler may return from a signal, and a started program may fail to start.
        Some(Returns::IfZero(i)) => {
            let (status, zero) = (int_arg(e, c, i, 32), e.arena.int(0));
            let goes_on = e.arena.eq(status, zero);
            return match e.assume(s, goes_on) {
                Some(s) => super::no_value(s),
                None => Ok(None),
            };
        }
        Some(Returns::IfHandled(_) | Returns::Perhaps) | None => {}
    }
    let families = [
        files::FILES,
        libc_memory::MEMORY,
        libc_text::TEXT,
        formats::FORMATS,
        NUMBERS,
        tensors::BASIS,
        entry_points::OF_LIBRARIES,
    ];
    match find(&families, c.name) {
        Some(model) => model(e, c, s),
        None => Err(Box::new(s)),
    }
}

fn atoi(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let v = number(e, c, &s, 32, "atoi");
    Ok(Some((v, s)))
}

fn atol(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let v = number(e, c, &s, 64, c.name);
    Ok(Some((v, s)))
}

fn strtol(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let text = cuda::pointer_arg(e, c, 0);
    let v = number_in_base(e, c, &text, &mut s, 64);
    // The number ends somewhere in the string.
    let (end, inside) = (cuda::pointer_arg(e, c, 1), e.place_within(&text, &UnknownReason::NumberEnd));
    e.store_value(&mut s, &end, inside, 8);
    Ok(Some((v, s)))
}

fn strtod(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (text, end) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let inside = e.place_within(&text, &UnknownReason::NumberEnd);
    e.store_value(&mut s, &end, inside, 8);
    Ok(Some((Value::unknown(UnknownReason::FloatArgument), s)))
}

fn atof(s: State) -> ModelOutcome {
    let v = Value::unknown(UnknownReason::FloatArgument);
    Ok(Some((v, s)))
}

fn rand(e: &mut Terms, _: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let v = e.arena.fresh(
        SymKind::Unknown { reason: UnknownReason::RandomNumber },
        "rand()",
        Interval::new(0, (1 << 31) - 1),
    );
    Ok(Some((Value::Int(v), s)))
}

pub(crate) fn int_arg(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize, bits: u32) -> TermId {
    let v = c.args.get(i).cloned().unwrap_or_else(|| Value::unknown(UnknownReason::MissingArgument));
    e.value_int(&v, bits)
}

/// Reads a string as a number: an input if it is a program argument.
fn number(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: &State, bits: u32, what: &str) -> Value {
    let p = cuda::pointer_arg(e, c, 0);
    Value::Int(number_of(e, &p, s, (bits, StringConversion::Decimal), what))
}

/// Returns the result of `strtol` or a similar function for a string, with the call's own second and third
/// argument.
pub(crate) fn number_in_base(
    e: &mut MemoryDomain<'_>,
    c: &LibraryCall<'_>,
    text: &[GuardedTarget],
    s: &mut State,
    bits: u32,
) -> Value {
    let (end, base) = (cuda::pointer_arg(e, c, 1), int_arg(e, c, 2, 32));
    let called = users_name(c.name);
    e.havoc_targets(s, &end, &UnknownReason::NumberEnd);
    // Inputs are the decimal value of a string; base 0 reads a decimal string the same, unless it begins with a
    // zero.
    let reader = match (e.arena.as_int(base), c.name.contains("toul")) {
        (Some(10), false) => Some(StringConversion::Decimal),
        (Some(0), false) => Some(StringConversion::AnyBase),
        (Some(10), true) => Some(StringConversion::Unsigned),
        (Some(0), true) => Some(StringConversion::UnsignedAnyBase),
        _ => None,
    };
    if let Some(reader) = reader {
        return Value::Int(number_of(e, text, s, (bits, reader), &called));
    }
    let reason = UnknownReason::ReadsInBase(called.clone());
    Value::Int(e.arena.fresh(SymKind::Unknown { reason }, &called, Interval::of_int(bits, true)))
}

/// Returns the name of a function that reads a number: `std::stoi` for its symbol in libstdc++.
fn users_name(symbol: &str) -> String {
    let of_library = symbol.strip_prefix("_ZNSt7__cxx11").and_then(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.get(digits..)?.get(..rest[..digits].parse().ok()?)
    });
    of_library.map_or_else(|| symbol.to_owned(), |name| format!("std::{name}"))
}

pub(crate) fn number_of(
    e: &mut MemoryDomain<'_>,
    p: &[GuardedTarget],
    s: &State,
    (bits, reader): (u32, StringConversion),
    what: &str,
) -> TermId {
    if let Some(t) = argument_as_number(e, p, s, (bits, reader)) {
        return t;
    }
    e.arena.fresh(
        SymKind::Unknown { reason: UnknownReason::Reads(what.to_owned()) },
        what,
        Interval::of_int(bits, true),
    )
}

/// Returns the number in a string that is a program argument, or the argument of an option.
pub(crate) fn argument_as_number(
    e: &mut MemoryDomain<'_>,
    p: &[GuardedTarget],
    s: &State,
    (bits, reader): (u32, StringConversion),
) -> Option<TermId> {
    if let Some(i) = e.argument_of(s, p) {
        return Some(e.argument_read(i, bits, reader));
    }
    // A null pointer is no string: such a call does not return.
    let (o, offset) = one_object(p)?;
    if e.arena.as_int(offset) == Some(0)
        && let Some(t) = e.option_argument(s, o, bits)
    {
        return Some(t);
    }
    e.argument_after_word(s, (o, offset), bits)
}

#[cfg(test)]
mod tests {
    use super::users_name;

    #[test]
    fn readers_of_numbers_have_the_names_of_the_source() {
        assert_eq!(users_name("_ZNSt7__cxx114stoiERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi"), "std::stoi");
        assert_eq!(users_name("_ZNSt7__cxx116stoullERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi"), "std::stoull");
        for other in ["strtol", "_ZNSt7__cxx11", "_ZNSt7__cxx1199x", "_ZNSt7__cxx114é"] {
            assert_eq!(users_name(other), other);
        }
    }
}
