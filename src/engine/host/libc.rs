//! The C library: dispatch to the families of models; strings read as numbers, options, random numbers and the time.
//!
//! In: a call by name. Out: its result and its effects on memory, as far as sizes, inputs and pointers depend on them;
//! the call itself if it is not modelled.

use super::table::{Table, find};
use super::{entry_points, files, formats, guards, libc_memory, libc_text, tensors};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::inputs::command_line::one_object;
use crate::symbolic::memory::text::Reader;
use crate::symbolic::memory::value::{Target, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use models::no_return::returns;
use models::returns::Returns;

/// Strings read as numbers, options, random numbers and the time.
pub(super) const NUMBERS: Table = &[
    (&["getopt"], |e, c, s| e.getopt(c, s, false)),
    (&["getopt_long", "getopt_long_only"], |e, c, s| e.getopt(c, s, true)),
    (&["atoi"], |e, c, s| e.atoi(c, s)),
    (&["atol", "atoll"], |e, c, s| e.atol(c, s)),
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
        |e, c, s| e.strtol(c, s),
    ),
    (&["strtod", "strtof"], |e, c, s| e.strtod(c, s)),
    (&["atof"], |e, c, s| e.atof(c, s)),
    (&["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"], |e, _, s| Ok(e.may_come_back(s))),
    (&["rand", "random", "lrand48"], |e, c, s| e.rand(c, s)),
    (&["time", "clock", "clock_gettime", "gettimeofday", "omp_get_wtime", "getpid"], |e, c, s| {
        e.opaque(c, s, &UnknownReason::Time)
    }),
];

impl Executor<'_> {
    pub(super) fn libc_call(&mut self, c: &Call<'_>, s: State) -> Modelled {
        match returns(c.name) {
            Some(Returns::Never) => return Ok(None),
            // A handler may return from a signal, and a started program may fail to start.
            Some(Returns::IfZero(i)) => {
                let (status, zero) = (self.int_arg(c, i, 32), self.arena.int(0));
                let goes_on = self.arena.eq(status, zero);
                return match self.assume(s, goes_on) {
                    Some(s) => Self::no_value(s),
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
            guards::GUARDS,
            tensors::BASIS,
            entry_points::OF_LIBRARIES,
        ];
        match find(&families, c.name) {
            Some(model) => model(self, c, s),
            None => Err(Box::new(s)),
        }
    }

    fn atoi(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let v = self.number(c, &s, 32, "atoi");
        Ok(Some((v, s)))
    }

    fn atol(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let v = self.number(c, &s, 64, c.name);
        Ok(Some((v, s)))
    }

    fn strtol(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let text = self.pointer_arg(c, 0);
        let v = self.number_in_base(c, &text, &mut s, 64);
        // The number ends somewhere in the string.
        let (end, inside) = (self.pointer_arg(c, 1), self.place_within(&text, &UnknownReason::NumberEnd));
        self.store_value(&mut s, &end, inside, 8);
        Ok(Some((v, s)))
    }

    fn strtod(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let (text, end) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
        let inside = self.place_within(&text, &UnknownReason::NumberEnd);
        self.store_value(&mut s, &end, inside, 8);
        Ok(Some((Value::unknown(UnknownReason::FloatArgument), s)))
    }

    fn atof(&mut self, _: &Call<'_>, s: State) -> Modelled {
        let v = Value::unknown(UnknownReason::FloatArgument);
        Ok(Some((v, s)))
    }

    fn rand(&mut self, _: &Call<'_>, s: State) -> Modelled {
        let v = self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::RandomNumber },
            "rand()",
            Range::new(0, (1 << 31) - 1),
        );
        Ok(Some((Value::Int(v), s)))
    }

    pub(super) fn int_arg(&mut self, c: &Call<'_>, i: usize, bits: u32) -> TermId {
        let v = c.args.get(i).cloned().unwrap_or_else(|| Value::unknown(UnknownReason::MissingArgument));
        self.value_int(&v, bits)
    }

    /// Reads a string as a number: an input if it is a program argument.
    fn number(&mut self, c: &Call<'_>, s: &State, bits: u32, what: &str) -> Value {
        let p = self.pointer_arg(c, 0);
        Value::Int(self.number_of(&p, s, (bits, Reader::Decimal), what))
    }

    /// Returns the result of `strtol` or a similar function for a string, with the call's own second and third
    /// argument.
    pub(super) fn number_in_base(&mut self, c: &Call<'_>, text: &[Target], s: &mut State, bits: u32) -> Value {
        let (end, base) = (self.pointer_arg(c, 1), self.int_arg(c, 2, 32));
        self.forget_targets(s, &end, &UnknownReason::NumberEnd);
        // Inputs are the decimal value of a string; base 0 reads a decimal string the same, unless it begins with a
        // zero.
        let reader = match (self.arena.as_int(base), c.name.contains("toul")) {
            (Some(10), false) => Some(Reader::Decimal),
            (Some(0), false) => Some(Reader::AnyBase),
            (Some(10), true) => Some(Reader::Unsigned),
            (Some(0), true) => Some(Reader::UnsignedAnyBase),
            _ => None,
        };
        if let Some(reader) = reader {
            return Value::Int(self.number_of(text, s, (bits, reader), c.name));
        }
        let reason = UnknownReason::ReadsInBase(c.name.to_owned());
        Value::Int(self.arena.fresh(SymKind::Unknown { reason }, c.name, Range::of_int(bits, true)))
    }

    pub(super) fn number_of(&mut self, p: &[Target], s: &State, (bits, reader): (u32, Reader), what: &str) -> TermId {
        if let Some(t) = self.argument_as_number(p, s, (bits, reader)) {
            return t;
        }
        self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::Reads(what.to_owned()) },
            what,
            Range::of_int(bits, true),
        )
    }

    /// Returns the number in a string that is a program argument, or the argument of an option.
    pub(super) fn argument_as_number(
        &mut self,
        p: &[Target],
        s: &State,
        (bits, reader): (u32, Reader),
    ) -> Option<TermId> {
        if let Some(i) = self.argument_of(s, p) {
            return Some(self.argument_read(i, bits, reader));
        }
        // A null pointer is no string: such a call does not return.
        let (o, offset) = one_object(p)?;
        if self.arena.as_int(offset) == Some(0)
            && let Some(t) = self.option_argument(s, o, bits)
        {
            return Some(t);
        }
        self.argument_after_word(s, (o, offset), bits)
    }
}
