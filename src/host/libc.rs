//! The C library: which family models a function, and texts read as numbers, options, random numbers and the time.
//!
//! In: a call by its name. Out: what it gives and leaves in memory, as far as sizes, inputs and pointers depend on it; the call itself where
//! it is not modelled.

use super::Call;
use crate::kernel::Modelled;
use crate::models::no_return::{Returns, returns};
use crate::reasons::UnknownReason;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::inputs::command_line::one_object;
use crate::symbolic::memory::text::Reader;
use crate::symbolic::memory::value::{Target, Value};
use crate::symbolic::terms::term::{Range, SymKind, TermId};

impl Executor<'_> {
    pub(super) fn libc_call(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        match returns(c.name) {
            Some(Returns::Never) => return Ok(None),
            // A handler may come back from a signal, and what is started may fail to start.
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
        let families: [fn(&mut Self, &Call<'_>, State) -> Modelled; 3] =
            [Self::libc_memory, Self::libc_text, Self::libc_format];
        for family in families {
            s = match family(self, c, s) {
                Err(back) => *back,
                done => return done,
            };
        }
        match c.name {
            "getopt" => self.getopt(c, s, false),
            "getopt_long" | "getopt_long_only" => self.getopt(c, s, true),
            "atoi" => {
                let v = self.number(c, &s, 32, "atoi");
                Ok(Some((v, s)))
            }
            "atol" | "atoll" => {
                let v = self.number(c, &s, 64, c.name);
                Ok(Some((v, s)))
            }
            "strtol" | "strtoll" | "strtoul" | "strtoull" | "__isoc23_strtol" | "__isoc23_strtoul"
            | "__isoc23_strtoll" | "__isoc23_strtoull" => {
                let text = self.pointer_arg(c, 0);
                let v = self.number_in_base(c, &text, &mut s, 64);
                // It ends somewhere in the text.
                let (end, inside) = (self.pointer_arg(c, 1), self.place_within(&text, &UnknownReason::NumberEnd));
                self.store_value(&mut s, &end, inside, 8);
                Ok(Some((v, s)))
            }
            "strtod" | "strtof" => {
                let (text, end) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
                let inside = self.place_within(&text, &UnknownReason::NumberEnd);
                self.store_value(&mut s, &end, inside, 8);
                Ok(Some((Value::unknown(UnknownReason::FloatArgument), s)))
            }
            "atof" => {
                let v = Value::unknown(UnknownReason::FloatArgument);
                Ok(Some((v, s)))
            }
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => Ok(self.may_come_back(s)),
            "rand" | "random" | "lrand48" => {
                let v = self.arena.fresh(
                    SymKind::Unknown { reason: UnknownReason::RandomNumber },
                    "rand()",
                    Range::new(0, (1 << 31) - 1),
                );
                Ok(Some((Value::Int(v), s)))
            }
            "time" | "clock" | "clock_gettime" | "gettimeofday" | "omp_get_wtime" | "getpid" => {
                self.opaque(c, s, &UnknownReason::Time)
            }
            _ => Err(Box::new(s)),
        }
    }

    pub(super) fn int_arg(&mut self, c: &Call<'_>, i: usize, bits: u32) -> TermId {
        let v = c.args.get(i).cloned().unwrap_or_else(|| Value::unknown(UnknownReason::MissingArgument));
        self.value_int(&v, bits)
    }

    /// A text read as a number: an input where it is a program argument.
    fn number(&mut self, c: &Call<'_>, s: &State, bits: u32, what: &str) -> Value {
        let p = self.pointer_arg(c, 0);
        Value::Int(self.number_of(&p, s, (bits, Reader::Decimal), what))
    }

    /// What `strtol` and its like read of a text, with their own second and third argument.
    pub(super) fn number_in_base(&mut self, c: &Call<'_>, text: &[Target], s: &mut State, bits: u32) -> Value {
        let (end, base) = (self.pointer_arg(c, 1), self.int_arg(c, 2, 32));
        self.forget_targets(s, &end, &UnknownReason::NumberEnd);
        // Inputs are what a text says in decimal; in base 0 a decimal text reads so too, but for one that begins with a zero.
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

    /// The number in a text that is an argument of the program, or one of an option.
    pub(super) fn argument_as_number(
        &mut self,
        p: &[Target],
        s: &State,
        (bits, reader): (u32, Reader),
    ) -> Option<TermId> {
        if let Some(i) = self.argument_of(s, p) {
            return Some(self.argument_read(i, bits, reader));
        }
        // A null pointer is no text: such a call does not return.
        let (o, offset) = one_object(p)?;
        if self.arena.as_int(offset) == Some(0)
            && let Some(t) = self.option_argument(s, o, bits)
        {
            return Some(t);
        }
        self.argument_after_word(s, (o, offset), bits)
    }
}
