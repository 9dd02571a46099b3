//! `printf`, `scanf` and similar functions: values that they read as inputs, and memory that they store to.

use super::cuda;
use super::files;
use super::libc;
use super::table::HostTable;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::text::StringConversion;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};
use std::rc::Rc;

/// Formatted output and input; output of other kinds.
pub(super) const FORMATS: HostTable = &[
    (
        &[
            "printf",
            "fprintf",
            "puts",
            "putchar",
            "fputs",
            "fputc",
            "putc",
            "fwrite",
            "fflush",
            "perror",
            "vprintf",
            "vfprintf",
            "fclose",
            "srand",
            "srand48",
            "srandom",
            "setbuf",
            "setvbuf",
            "usleep",
            "sleep",
            "system",
            "feof",
            "ferror",
            "gettimeofday_",
            "atexit",
            "__cxa_atexit",
            "omp_set_num_threads",
        ],
        |e, c, s| output(e, c, s),
    ),
    (&["scanf", "__isoc99_scanf", "__isoc23_scanf"], |e, c, s| scanf(e, c, s)),
    (&["fscanf", "__isoc99_fscanf", "__isoc23_fscanf"], |e, c, s| fscanf(e, c, s)),
    (&["sscanf", "__isoc99_sscanf", "__isoc23_sscanf"], |e, c, s| scan(e, c, s, 1, None)),
];

/// Models `setbuf` and `setvbuf`: from here on the C library may write the buffer at any time (C11 7.21.5.5 and
/// 6).
fn lend_to_stream(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let buffer = cuda::pointer_arg(e, c, 1);
    if buffer.iter().all(|t| matches!(t.base, Base::Null)) {
        return;
    }
    e.havoc_targets(s, &buffer, &UnknownReason::StreamBuffer);
    let lost = buffer.iter().any(|t| matches!(t.base, Base::Unknown(_)));
    let objects = e.objects_at(s, &buffer);
    e.lend_objects(objects, lost);
    e.runtime.stream_buffers = true;
}

fn output(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    match c.name {
        // All others read their arguments, and write nothing that the program sees.
        "atexit" | "__cxa_atexit" => {
            let f = e.functions_of(c.args.first());
            e.at_exit(&f);
        }
        "printf" => printed(e, c, &mut s, 0),
        "fprintf" => printed(e, c, &mut s, 1),
        "vprintf" | "vfprintf" => e.havoc_reachable(&mut s, c.args, &UnknownReason::Printed),
        "setbuf" | "setvbuf" => lend_to_stream(e, c, &mut s),
        _ => {}
    }
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &UnknownReason::ResultOf(c.name.to_string()));
    Ok(Some((v, s)))
}

fn scanf(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let f = files::standard_input(e, &mut s);
    scan(e, c, s, 0, Some(&f))
}

fn fscanf(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let f = cuda::pointer_arg(e, c, 0);
    scan(e, c, s, 1, Some(&f))
}

/// Models `printf` and `fprintf`: `%n` stores the length printed so far (C11, 7.21.6.1).
pub(crate) fn printed(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, format: usize) {
    let text = cuda::pointer_arg(e, c, format);
    let stores = e.text_of(&text).is_none_or(|t| stores_length(&t));
    if stores {
        e.havoc_reachable(s, c.args.get(format + 1..).unwrap_or_default(), &UnknownReason::HowMuchPrinted);
    }
}

/// Models `scanf` and similar functions: each conversion stores an input.
pub(crate) fn scan(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    format: usize,
    stream: Option<&[GuardedTarget]>,
) -> ModelOutcome {
    let text = cuda::pointer_arg(e, c, format);
    let format_of = e.text_of(&text).map(|t| conversions(&t));
    let mut targets = c.args.iter().skip(format + 1);
    let mut words = stream.filter(|_| format_of.as_ref().is_some_and(|f| f.plain));
    if stream.is_none()
        && let Some((reader, bytes)) = format_of.as_ref().and_then(ScanFormat::only_number)
        && let Some(to) = c.args.get(2)
    {
        let (from, to) = (cuda::pointer_arg(e, c, 0), e.as_pointer(&to.clone()));
        if let Some(result) = scan_argument(e, &mut s, &from, &to, (bytes, reader)) {
            return Ok(Some((Value::Int(result), s)));
        }
    }
    for conversion in format_of.iter().flat_map(|f| &f.each) {
        let word = words.and_then(|f| files::next_word(e, &mut s, f, conversion.bytes));
        if word.is_none() {
            words = None;
        }
        if !conversion.stored {
            continue;
        }
        let Some(a) = targets.next() else { break };
        let p = e.as_pointer(&a.clone());
        match word {
            Some(v @ Value::Int(_)) => e.store_value(&mut s, &p, v, u64::from(conversion.bytes)),
            None if conversion.bytes > 0 => {
                let bits = conversion.bytes * 8;
                let ordinal = e.next_read();
                let what = if stream.is_some() { "a file" } else { "a text" };
                let v = e.input(InputSource::Read { what: what.to_owned(), ordinal }, bits);
                e.store_value(&mut s, &p, Value::Int(v), u64::from(conversion.bytes));
            }
            _ => e.havoc_targets(&mut s, &p, &UnknownReason::Read),
        }
    }
    for a in targets {
        let p = e.as_pointer(&a.clone());
        e.havoc_targets(&mut s, &p, &UnknownReason::Read);
    }
    if words.is_none()
        && let Some(f) = stream
    {
        files::lose_position(e, &mut s, f);
    }
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &UnknownReason::HowManyRead);
    Ok(Some((v, s)))
}

/// Models `sscanf` of one number in an argument: stores it if it is a number, else nothing. Returns the number of
/// conversions.
pub(crate) fn scan_argument(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    from: &[GuardedTarget],
    to: &Rc<Vec<GuardedTarget>>,
    (bytes, reader): (u32, StringConversion),
) -> Option<TermId> {
    let (argument, bits) = (e.argument_of(s, from), bytes * 8);
    let number = libc::argument_as_number(e, from, s, (bits, reader))?;
    // No string that programs compare with contains a blank (`comparison`).
    let is_number = match argument {
        Some(index) => {
            let (word, zero) = (e.input(InputSource::ArgvWord { index, word: "no number".into() }, 32), e.arena.int(0));
            e.arena.ne(word, zero)
        }
        None => e.perhaps(&UnknownReason::TextIsNumber),
    };
    let mut read = e.assume(s.clone(), is_number);
    if let Some(read) = &mut read {
        e.store_value(read, to, Value::Int(number), u64::from(bytes));
    }
    let no_number = e.arena.not(is_number);
    let not_read = e.assume(s.clone(), no_number);
    *s = e.merge(read.into_iter().chain(not_read).collect())?.0;
    let (one, failed) = (
        e.arena.int(1),
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::HowManyRead }, "?", Interval::new(-1, 0)),
    );
    Some(e.arena.ite(is_number, one, failed))
}

/// Whether a `printf` format has a conversion `%n`.
fn stores_length(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        let end =
            after.find(|c: char| c.is_ascii_alphabetic() && !"hlLqjzt".contains(c) || c == '%').unwrap_or(after.len());
        if after[end..].starts_with('n') {
            return true;
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    false
}

/// Conversion of a `scanf` format: bytes that it stores as an integer, 0 for anything else.
#[derive(Debug, PartialEq, Eq)]
struct ScanConversion {
    bytes: u32,
    stored: bool,
    letter: char,
}

/// A `scanf` format.
#[derive(Debug, Default, PartialEq, Eq)]
struct ScanFormat {
    each: Vec<ScanConversion>,
    /// Whether it reads only words separated by white space.
    plain: bool,
}

impl ScanFormat {
    /// Returns the reader and the size in bytes of a format with a single number.
    fn only_number(&self) -> Option<(StringConversion, u32)> {
        let [ScanConversion { bytes: bytes @ 1.., stored: true, letter }] = self.each[..] else { return None };
        let reader = match letter {
            'd' => StringConversion::Decimal,
            'i' => StringConversion::AnyBase,
            'u' => StringConversion::Unsigned,
            _ => return None,
        };
        self.plain.then_some((reader, bytes))
    }
}

fn conversions(format: &str) -> ScanFormat {
    let mut out = ScanFormat { plain: true, ..ScanFormat::default() };
    let mut it = format.chars().peekable();
    // Two numbers without a space between them may still be two words: `%d%d` skips space before each.
    while let Some(ch) = it.next() {
        if ch != '%' {
            out.plain &= ch.is_ascii_whitespace();
            continue;
        }
        let (mut longs, mut halves, mut stored) = (0, 0, true);
        while let Some(c) = it.next() {
            match c {
                '%' => {
                    out.plain = false;
                    break;
                }
                '*' => stored = false,
                'l' => longs += 1,
                'z' | 'j' | 't' => longs = 2,
                'h' => halves += 1,
                '0'..='9' => out.plain = false,
                _ => {
                    let bytes = match c {
                        'd' | 'i' | 'u' | 'x' | 'o' => {
                            if longs > 0 {
                                8
                            } else if halves > 0 {
                                4 / (2 * halves)
                            } else {
                                4
                            }
                        }
                        _ => 0,
                    };
                    // A witness contains no hexadecimal or octal word.
                    out.plain &= matches!(c, 'd' | 'i' | 'u' | 'f' | 'g' | 'e' | 's');
                    if c == '[' {
                        for c in it.by_ref() {
                            if c == ']' {
                                break;
                            }
                        }
                    }
                    out.each.push(ScanConversion { bytes, stored, letter: c });
                    break;
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{StringConversion, conversions};

    #[test]
    fn scanf_formats() {
        let read = |f: &str| conversions(f).each.into_iter().map(|c| (c.bytes, c.stored)).collect::<Vec<_>>();
        assert_eq!(
            read("%d %ld,%hd %f %*d %s %u%%"),
            [(4, true), (8, true), (2, true), (0, true), (4, false), (0, true), (4, true)]
        );
        assert_eq!(read("%[a-d] %d"), [(0, true), (4, true)]);
        assert_eq!(
            (conversions("%i").only_number(), conversions("%d %d").only_number()),
            (Some((StringConversion::AnyBase, 4)), None)
        );
        assert!(conversions("%d %lf\n%*s").plain);
        for f in ["%d,%d", "n=%d", "%c", "%3d", "%x", "%[0-9]"] {
            assert!(!conversions(f).plain, "{f}");
        }
    }
}
