//! Strings in the C library: lengths, comparisons, searches and copies.

use super::cuda;
use super::libc;
use super::libc_memory;
use super::table::HostTable;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::object::UncoveredContents;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::SymKind;
use std::rc::Rc;

/// Maximum number of bytes of a string that are searched for its end.
const MAX_TEXT: i128 = 256;

/// Facts about strings from their contents, or about arguments as they were given.
pub(super) const TEXT: HostTable = &[
    (&["strlen"], |e, c, s| strlen(e, c, s)),
    (&["strspn", "strcspn"], |e, c, s| span(e, c, s)),
    (&["strcmp", "strncmp", "strcasecmp", "strncasecmp"], |e, c, s| strcmp(e, c, s)),
    (&["memcmp"], |e, c, s| memcmp(e, c, s)),
    (&["isdigit", "isalpha", "isspace", "tolower", "toupper", "access"], |e, c, s| compared(e, c, s)),
    (&["strchr", "strrchr", "strstr", "strpbrk", "index", "rindex", "strcasestr", "memchr"], |e, c, s| {
        searched(e, c, s)
    }),
    (&["getenv", "strerror", "opendir"], |e, c, s| named_text(e, c, s)),
    (&["strcpy"], |e, c, s| strcpy(e, c, s)),
    (&["strdup", "strndup"], |e, c, s| strdup(e, c, s)),
];

fn strlen(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let p = cuda::pointer_arg(e, c, 0);
    let known = match length_of_text(e, &mut s, &p) {
        Some(n) => Some(e.arena.int(n)),
        None => e.argument_length(&s, &p),
    };
    let v = known.unwrap_or_else(|| {
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::StringLength }, "strlen", Interval::new(0, 1 << 40))
    });
    Ok(Some((Value::Int(v), s)))
}

/// Models `strspn` and `strcspn` (C11 7.24.5.3, 7.24.5.6): the number of leading bytes that are all in a set, or all
/// outside of it. It is at most the string's length.
fn span(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (p, q) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let (text, set) = (bytes_of_text(e, &mut s, &p), bytes_of_text(e, &mut s, &q));
    if let (Some(text), Some(set)) = (&text, &set) {
        let inside = c.name == "strspn";
        let n = text.iter().take_while(|byte| set.contains(*byte) == inside).count();
        let n = e.arena.int(n as i128);
        return Ok(Some((Value::Int(n), s)));
    }
    let reason = UnknownReason::ResultOf(c.name.to_string());
    let v = e.arena.fresh(SymKind::Unknown { reason }, c.name, Interval::new(0, 1 << 40));
    let length = match text {
        Some(text) => Some(e.arena.int(text.len() as i128)),
        None => e.argument_length(&s, &p),
    };
    let v = length.map_or(v, |length| e.arena.min(v, length));
    Ok(Some((Value::Int(v), s)))
}

fn strcmp(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (p, q) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let most = if c.name.contains('n') {
        let n = libc::int_arg(e, c, 2, 64);
        e.arena.as_int(n)
    } else {
        None
    };
    let v = e.comparison(&s, &p, &q, c.name.starts_with("strn").then_some(most), c.name.contains("case"));
    Ok(Some((Value::Int(v), s)))
}

fn compared(e: &mut ValueDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &UnknownReason::TextComparison);
    Ok(Some((v, s)))
}

/// Models a comparison of bytes, whose result is 0 only if all of them are equal (C11 7.24.4.1). Its sign is not followed.
fn memcmp(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (p, q) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let size = libc::int_arg(e, c, 2, 64);
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &UnknownReason::TextComparison);
    if let Value::Int(result) = v
        && e.note_compared(&mut s, c.site.func, [&p, &q], size, result)
    {
        return Ok(Some((Value::Int(e.arena.int(0)), s)));
    }
    Ok(Some((v, s)))
}

fn searched(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let p = cuda::pointer_arg(e, c, 0);
    let v = e.place_within(&p, &UnknownReason::ResultOf(c.name.to_string()));
    Ok(Some((v, s)))
}

fn named_text(e: &mut Terms, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let v = e.unknown_pointer(&UnknownReason::ResultOf(c.name.to_string()));
    Ok(Some((v, s)))
}

fn strcpy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (d, f) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let Some(n) = length_of_text(e, &mut s, &f) else { return Err(Box::new(s)) };
    let n = e.arena.int(n + 1);
    e.copy(&mut s, &d, &f, n);
    Ok(Some((Value::Ptr(d), s)))
}

/// Models a copy on the heap: of the whole string, or of its first bytes (`strndup`: POSIX.1-2017), with a
/// terminating NUL.
fn strdup(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let f = cuda::pointer_arg(e, c, 0);
    let length = match length_of_text(e, &mut s, &f) {
        Some(n) => Some(e.arena.int(n)),
        None => e.argument_length(&s, &f),
    };
    let mut length = length.unwrap_or_else(|| {
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::StringLength }, "strlen", Interval::new(0, 1 << 40))
    });
    if c.name == "strndup" {
        let most = libc::int_arg(e, c, 1, 64);
        let most = e.interpret(most, 64, false);
        length = e.arena.min(length, most);
    }
    let (bytes, version) = (e.arena.add_const(length, 1), e.heap.next_version());
    let made = libc_memory::host_allocation(
        e,
        c,
        s,
        bytes,
        UncoveredContents::Unknown { version, input: false, reason: Rc::new(UnknownReason::TextCopied) },
    );
    if let Ok(Some((Value::Ptr(to), mut s))) = made {
        if e.arena.as_int(length).is_some() {
            e.copy(&mut s, &to, &f, length);
            let (end, nul) = (e.offset_targets(&to, length), e.arena.int(0));
            e.store_value(&mut s, &end, Value::Int(nul), 1);
        }
        return Ok(Some((Value::Ptr(to), s)));
    }
    made
}

/// Returns the length in bytes of a string in memory whose bytes up to its end are all known.
pub(crate) fn length_of_text(e: &mut ExecutionContext<'_>, s: &mut State, p: &[GuardedTarget]) -> Option<i128> {
    bytes_of_text(e, s, p).map(|bytes| bytes.len() as i128)
}

/// Returns the bytes of such a string, without its end.
fn bytes_of_text(e: &mut ExecutionContext<'_>, s: &mut State, p: &[GuardedTarget]) -> Option<Vec<u8>> {
    let mut targets = p.iter().filter(|t| t.base != Base::Null);
    let (Some(GuardedTarget { base: Base::Object(o), offset, .. }), None) = (targets.next(), targets.next()) else {
        return None;
    };
    e.ensure(s, *o);
    if e.is_written_by_another_name(s, *o) {
        return None;
    }
    let state = s.mem.get(o)?.clone();
    let mut bytes = vec![];
    for i in 0..MAX_TEXT {
        let at = e.arena.add_const(*offset, i);
        e.arena.as_int(at)?;
        let Value::Int(byte) = e.read_cells(*o, &state, at, 1, None) else { return None };
        match e.arena.as_int(byte)?.rem_euclid(256) as u8 {
            0 => return Some(bytes),
            byte => bytes.push(byte),
        }
    }
    None
}
