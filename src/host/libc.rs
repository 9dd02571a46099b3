//! The C library, as far as sizes, inputs and pointers depend on it.

use super::Call;
use crate::ir::Const;
use crate::kernel::Modelled;
use crate::models::no_return::{Returns, returns};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::inputs::command_line::one_object;
use crate::symbolic::memory::object::{ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::text::Reader;
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::{InputSource, Range, SymKind, TermId};
use std::rc::Rc;

/// Bytes; no host gives one block more.
const MOST_OF_HOST: i128 = 1 << 40;

/// Bytes of a text that are looked at for its end.
const MAX_TEXT: i128 = 256;

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
                let (end, inside) = (self.pointer_arg(c, 1), self.place_within(&text, "the end of a number"));
                self.store_value(&mut s, &end, inside, 8);
                Ok(Some((v, s)))
            }
            "atof" | "strtod" | "strtof" => {
                let v = Value::unknown("a floating-point argument");
                Ok(Some((v, s)))
            }
            "malloc"
            | "_Znwm"
            | "_Znam"
            | "valloc"
            | "_ZnwmSt11align_val_t"
            | "_ZnamSt11align_val_t"
            | "_ZnwmRKSt9nothrow_t"
            | "_ZnamRKSt9nothrow_t" => {
                let n = self.int_arg(c, 0, 64);
                self.host_allocation(c, s, n, Rest::Uninit)
            }
            "aligned_alloc" | "memalign" => {
                let n = self.int_arg(c, 1, 64);
                self.host_allocation(c, s, n, Rest::Uninit)
            }
            "calloc" => {
                let (a, b) = (self.int_arg(c, 0, 64), self.int_arg(c, 1, 64));
                let n = self.arena.mul(a, b);
                self.host_allocation(c, s, n, Rest::Zero)
            }
            "realloc" => {
                let (old, n) = (self.pointer_arg(c, 0), self.int_arg(c, 1, 64));
                let v = self.next_content_version();
                let made = self.host_allocation(
                    c,
                    s,
                    n,
                    Rest::Unknown { version: v, input: false, reason: Rc::from("a reallocated block") },
                );
                if let Ok(Some((Value::Ptr(new), s))) = &made {
                    self.keep_copy(s, new, &old);
                }
                made
            }
            "posix_memalign" => {
                let out = self.pointer_arg(c, 0);
                let n = self.int_arg(c, 2, 64);
                let Ok(Some((p, mut s))) = self.host_allocation(c, s, n, Rest::Uninit) else { return Ok(None) };
                self.store_value(&mut s, &out, p.clone(), 8);
                let status = self.status_of_given(&p);
                Ok(Some((Value::Int(status), s)))
            }
            "free"
            | "_ZdlPv"
            | "_ZdaPv"
            | "_ZdlPvm"
            | "_ZdaPvm"
            | "_ZdlPvSt11align_val_t"
            | "_ZdlPvmSt11align_val_t" => {
                let p = self.pointer_arg(c, 0);
                self.release(&mut s, &p);
                Self::no_value(s)
            }
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => Ok(self.may_come_back(s)),
            "printf"
            | "fprintf"
            | "puts"
            | "putchar"
            | "fputs"
            | "fputc"
            | "putc"
            | "fwrite"
            | "fflush"
            | "perror"
            | "vprintf"
            | "vfprintf"
            | "fclose"
            | "srand"
            | "srand48"
            | "srandom"
            | "setbuf"
            | "setvbuf"
            | "usleep"
            | "sleep"
            | "system"
            | "feof"
            | "ferror"
            | "gettimeofday_"
            | "atexit"
            | "__cxa_atexit"
            | "omp_set_num_threads" => {
                match c.name {
                    "atexit" | "__cxa_atexit" => {
                        let f = self.functions_of(c.args.first());
                        self.at_exit(&f);
                    }
                    "printf" => self.printed(c, &mut s, 0),
                    "fprintf" => self.printed(c, &mut s, 1),
                    "vprintf" | "vfprintf" => self.forget_reachable(&mut s, c.args, "what is printed"),
                    _ => {}
                }
                let m = self.program.module(c.site.func.module);
                let v = self.unknown_of(m, c.ty, &format!("the result of `{}`", c.name));
                Ok(Some((v, s)))
            }
            "rand" | "random" | "lrand48" => {
                let v = self.arena.fresh(
                    SymKind::Unknown { reason: "a random number".into() },
                    "rand()",
                    Range::new(0, (1 << 31) - 1),
                );
                Ok(Some((Value::Int(v), s)))
            }
            "strlen" => {
                let p = self.pointer_arg(c, 0);
                let known = match self.length_of_text(&mut s, &p) {
                    Some(n) => Some(self.arena.int(n)),
                    None => self.argument_length(&s, &p),
                };
                let v = known.unwrap_or_else(|| {
                    self.arena.fresh(
                        SymKind::Unknown { reason: "the length of a string".into() },
                        "strlen",
                        Range::new(0, 1 << 40),
                    )
                });
                Ok(Some((Value::Int(v), s)))
            }
            "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" => {
                let (p, q) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
                let most = if c.name.contains('n') {
                    let n = self.int_arg(c, 2, 64);
                    self.arena.as_int(n)
                } else {
                    None
                };
                let v =
                    self.comparison(&s, &p, &q, c.name.starts_with("strn").then_some(most), c.name.contains("case"));
                Ok(Some((Value::Int(v), s)))
            }
            "memcmp" | "isdigit" | "isalpha" | "isspace" | "tolower" | "toupper" | "access" => {
                let m = self.program.module(c.site.func.module);
                let v = self.unknown_of(m, c.ty, "a comparison of texts");
                Ok(Some((v, s)))
            }
            "strchr" | "strrchr" | "strstr" | "strpbrk" | "index" | "rindex" | "strcasestr" | "memchr" => {
                let p = self.pointer_arg(c, 0);
                let v = self.place_within(&p, &format!("the result of `{}`", c.name));
                Ok(Some((v, s)))
            }
            "getenv" | "strerror" | "opendir" => {
                let v = self.unknown_pointer(&format!("the result of `{}`", c.name));
                Ok(Some((v, s)))
            }
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
                let (d, f) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
                let n = self.int_arg(c, 2, 64);
                let n = self.interpret(n, 64, false);
                self.copy(&mut s, &d, &f, n);
                Ok(Some((Value::Ptr(d), s)))
            }
            "strcpy" => {
                let (d, f) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
                let Some(n) = self.length_of_text(&mut s, &f) else { return Err(Box::new(s)) };
                let n = self.arena.int(n + 1);
                self.copy(&mut s, &d, &f, n);
                Ok(Some((Value::Ptr(d), s)))
            }
            "strdup" | "strndup" => {
                let f = self.pointer_arg(c, 0);
                let length = match self.length_of_text(&mut s, &f) {
                    Some(n) => Some(self.arena.int(n)),
                    None => self.argument_length(&s, &f),
                };
                let length = length.filter(|_| c.name == "strdup").unwrap_or_else(|| {
                    self.arena.fresh(
                        SymKind::Unknown { reason: "the length of a string".into() },
                        "strlen",
                        Range::new(0, 1 << 40),
                    )
                });
                let (bytes, version) = (self.arena.add_const(length, 1), self.next_content_version());
                let made = self.host_allocation(
                    c,
                    s,
                    bytes,
                    Rest::Unknown { version, input: false, reason: Rc::from("a copied text") },
                );
                if let Ok(Some((Value::Ptr(to), mut s))) = made {
                    if self.arena.as_int(bytes).is_some() {
                        self.copy(&mut s, &to, &f, bytes);
                    }
                    return Ok(Some((Value::Ptr(to), s)));
                }
                made
            }
            "memset" | "__memset_chk" => {
                let d = self.pointer_arg(c, 0);
                let (b, n) = (self.int_arg(c, 1, 8), self.int_arg(c, 2, 64));
                let n = self.interpret(n, 64, false);
                self.fill(&mut s, &d, b, n);
                Ok(Some((Value::Ptr(d), s)))
            }
            "time" | "clock" | "clock_gettime" | "gettimeofday" | "omp_get_wtime" | "getpid" => {
                self.opaque(c, s, "the time")
            }
            "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => {
                let f = self.standard_input(&mut s);
                self.scan(c, s, 0, Some(&f))
            }
            "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => {
                let f = self.pointer_arg(c, 0);
                self.scan(c, s, 1, Some(&f))
            }
            "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => self.scan(c, s, 1, None),
            _ => Err(Box::new(s)),
        }
    }

    pub(super) fn int_arg(&mut self, c: &Call<'_>, i: usize, bits: u32) -> TermId {
        let v = c.args.get(i).cloned().unwrap_or_else(|| Value::unknown("a missing argument"));
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
        self.forget_targets(s, &end, "the end of a number");
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
        let reason = format!("what `{}` reads in another base", c.name);
        Value::Int(self.arena.fresh(SymKind::Unknown { reason }, c.name, Range::of_int(bits, true)))
    }

    fn number_of(&mut self, p: &[Target], s: &State, (bits, reader): (u32, Reader), what: &str) -> TermId {
        if let Some(t) = self.argument_as_number(p, s, (bits, reader)) {
            return t;
        }
        self.arena.fresh(SymKind::Unknown { reason: format!("what `{what}` reads") }, what, Range::of_int(bits, true))
    }

    /// The number in a text that is an argument of the program, or one of an option.
    fn argument_as_number(&mut self, p: &[Target], s: &State, (bits, reader): (u32, Reader)) -> Option<TermId> {
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

    fn host_allocation(&mut self, c: &Call<'_>, mut s: State, size: TermId, rest: Rest) -> Modelled {
        let want = Range::new(0, (1 << 63) - 1);
        let size = if want.contains(self.arena.range(size)) { size } else { self.interpret(size, 64, false) };
        // What is larger is not given, nor is a negative number read as `size_t`: C++ throws then, C gives null.
        let most = self.arena.int(MOST_OF_HOST);
        let fits = self.arena.le(size, most);
        let throws = c.name.starts_with("_Znw") || c.name.starts_with("_Zna");
        let throws = throws && !c.name.ends_with("nothrow_t");
        let assumed = if throws {
            self.assume(s, fits).map(|s| (s, None))
        } else {
            self.scarce(s, fits, c.site).map(|(s, well)| (s, Some(well)))
        };
        let Some((assumed, given)) = assumed else { return Ok(None) };
        s = assumed;
        let place = self.user_location();
        let o = self.allocate(c.context, c.site, 1, |_| Object {
            kind: ObjKind::HostHeap,
            name: String::new(),
            extent: Some(size),
            site: place,
            func: None,
            array: true,
        });
        if let Some(given) = given {
            self.note_scarce(o, given);
        }
        s.mem.insert(o, Rc::new(ObjState::new(rest)));
        Ok(Some((self.pointer(o, 0), s)))
    }

    /// `printf` and `fprintf`: `%n` stores how much was printed so far (C11, 7.21.6.1).
    fn printed(&mut self, c: &Call<'_>, s: &mut State, format: usize) {
        let text = self.pointer_arg(c, format);
        let stores = self.text_of(&text).is_none_or(|t| stores_length(&t));
        if stores {
            self.forget_reachable(s, c.args.get(format + 1..).unwrap_or_default(), "how much was printed");
        }
    }

    /// `scanf` and its kin: each conversion stores an input.
    fn scan(&mut self, c: &Call<'_>, mut s: State, format: usize, stream: Option<&[Target]>) -> Modelled {
        let text = self.pointer_arg(c, format);
        let format_of = self.text_of(&text).map(|t| conversions(&t));
        let mut targets = c.args.iter().skip(format + 1);
        let mut words = stream.filter(|_| format_of.as_ref().is_some_and(|f| f.plain));
        if stream.is_none()
            && let Some((reader, bytes)) = format_of.as_ref().and_then(Format::only_number)
            && let Some(to) = c.args.get(2)
        {
            let (from, to) = (self.pointer_arg(c, 0), self.as_pointer(&to.clone()));
            if let Some(result) = self.scan_argument(&mut s, &from, &to, (bytes, reader)) {
                return Ok(Some((Value::Int(result), s)));
            }
        }
        for conversion in format_of.iter().flat_map(|f| &f.each) {
            let word = words.and_then(|f| self.next_word(&mut s, f, conversion.bytes));
            if word.is_none() {
                words = None;
            }
            if !conversion.stored {
                continue;
            }
            let Some(a) = targets.next() else { break };
            let p = self.as_pointer(&a.clone());
            match word {
                Some(v @ Value::Int(_)) => self.store_value(&mut s, &p, v, u64::from(conversion.bytes)),
                None if conversion.bytes > 0 => {
                    let bits = conversion.bytes * 8;
                    let ordinal = self.next_read();
                    let what = if stream.is_some() { "a file" } else { "a text" };
                    let v = self.input(InputSource::Read { what: what.to_owned(), ordinal }, bits);
                    self.store_value(&mut s, &p, Value::Int(v), u64::from(conversion.bytes));
                }
                _ => self.forget_targets(&mut s, &p, "what is read"),
            }
        }
        for a in targets {
            let p = self.as_pointer(&a.clone());
            self.forget_targets(&mut s, &p, "what is read");
        }
        if words.is_none()
            && let Some(f) = stream
        {
            self.lose_position(&mut s, f);
        }
        let m = self.program.module(c.site.func.module);
        let v = self.unknown_of(m, c.ty, "how many values were read");
        Ok(Some((v, s)))
    }

    /// `sscanf` of one number in an argument: what is stored if it is one, else nothing is; how many were read.
    fn scan_argument(
        &mut self,
        s: &mut State,
        from: &[Target],
        to: &Rc<Vec<Target>>,
        (bytes, reader): (u32, Reader),
    ) -> Option<TermId> {
        let (argument, bits) = (self.argument_of(s, from), bytes * 8);
        let number = self.argument_as_number(from, s, (bits, reader))?;
        // No text that programs compare with has a blank in it (`comparison`).
        let is_number = match argument {
            Some(index) => {
                let (word, zero) =
                    (self.input(InputSource::ArgvWord { index, word: "no number".into() }, 32), self.arena.int(0));
                self.arena.ne(word, zero)
            }
            None => self.perhaps("whether a text is a number"),
        };
        let mut read = self.assume(s.clone(), is_number);
        if let Some(read) = &mut read {
            self.store_value(read, to, Value::Int(number), u64::from(bytes));
        }
        let no_number = self.arena.not(is_number);
        let not_read = self.assume(s.clone(), no_number);
        *s = self.merge(read.into_iter().chain(not_read).collect())?.0;
        let (one, failed) = (
            self.arena.int(1),
            self.arena.fresh(SymKind::Unknown { reason: "how many values were read".into() }, "?", Range::new(-1, 0)),
        );
        Some(self.arena.ite(is_number, one, failed))
    }

    /// The length in bytes of a text in memory of which every byte up to its end is known.
    fn length_of_text(&mut self, s: &mut State, p: &[Target]) -> Option<i128> {
        let mut targets = p.iter().filter(|t| t.base != Base::Null);
        let (Some(Target { base: Base::Object(o), offset, .. }), None) = (targets.next(), targets.next()) else {
            return None;
        };
        self.ensure(s, *o);
        if self.is_written_by_another_name(s, *o) {
            return None;
        }
        let state = s.mem.get(o)?.clone();
        for i in 0..MAX_TEXT {
            let at = self.arena.add_const(*offset, i);
            self.arena.as_int(at)?;
            let Value::Int(byte) = self.read_cells(*o, &state, at, 1, None) else { return None };
            if self.arena.as_int(byte)?.rem_euclid(256) == 0 {
                return Some(i);
            }
        }
        None
    }

    /// The constant text that a pointer names.
    pub(crate) fn text_of(&self, p: &[Target]) -> Option<String> {
        let [Target { base: Base::Object(o), offset, .. }] = p else { return None };
        if self.arena.as_int(*offset) != Some(0) {
            return None;
        }
        let ObjKind::HostGlobal(r) = self.object(*o).kind else { return None };
        let g = self.program.global(r);
        // What a variable begins with may have been replaced.
        match g.init.as_ref().filter(|_| g.constant)? {
            Const::Bytes { data, .. } => Some(data.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect()),
            _ => None,
        }
    }
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

/// One conversion of a `scanf` format: bytes that it stores as an integer, 0 for anything else.
#[derive(Debug, PartialEq, Eq)]
struct Conversion {
    bytes: u32,
    stored: bool,
    letter: char,
}

/// A `scanf` format.
#[derive(Debug, Default, PartialEq, Eq)]
struct Format {
    each: Vec<Conversion>,
    /// Nothing but words that white space separates is read.
    plain: bool,
}

impl Format {
    /// The format of one number alone: how it is read, and its bytes.
    fn only_number(&self) -> Option<(Reader, u32)> {
        let [Conversion { bytes: bytes @ 1.., stored: true, letter }] = self.each[..] else { return None };
        let reader = match letter {
            'd' => Reader::Decimal,
            'i' => Reader::AnyBase,
            'u' => Reader::Unsigned,
            _ => return None,
        };
        self.plain.then_some((reader, bytes))
    }
}

fn conversions(format: &str) -> Format {
    let mut out = Format { plain: true, ..Format::default() };
    let mut it = format.chars().peekable();
    // Two numbers that no space separates may still be two words: `%d%d` skips space before each.
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
                    // A hexadecimal or octal word is none of those that a witness has.
                    out.plain &= matches!(c, 'd' | 'i' | 'u' | 'f' | 'g' | 'e' | 's');
                    if c == '[' {
                        for c in it.by_ref() {
                            if c == ']' {
                                break;
                            }
                        }
                    }
                    out.each.push(Conversion { bytes, stored, letter: c });
                    break;
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Reader, conversions};

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
            (Some((Reader::AnyBase, 4)), None)
        );
        assert!(conversions("%d %lf\n%*s").plain);
        for f in ["%d,%d", "n=%d", "%c", "%3d", "%x", "%[0-9]"] {
            assert!(!conversions(f).plain, "{f}");
        }
    }
}
