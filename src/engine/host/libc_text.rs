//! Strings in the C library: lengths, comparisons, searches and copies.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::Rest;
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::SymKind;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Maximum number of bytes of a string that are searched for its end.
const MAX_TEXT: i128 = 256;

/// Facts about strings from their contents, or about arguments as they were given.
pub(super) const TEXT: Table = &[
    (&["strlen"], |e, c, s| e.strlen(c, s)),
    (&["strcmp", "strncmp", "strcasecmp", "strncasecmp"], |e, c, s| e.strcmp(c, s)),
    (&["memcmp", "isdigit", "isalpha", "isspace", "tolower", "toupper", "access"], |e, c, s| e.compared(c, s)),
    (&["strchr", "strrchr", "strstr", "strpbrk", "index", "rindex", "strcasestr", "memchr"], |e, c, s| {
        e.searched(c, s)
    }),
    (&["getenv", "strerror", "opendir"], |e, c, s| e.named_text(c, s)),
    (&["strcpy"], |e, c, s| e.strcpy(c, s)),
    (&["strdup", "strndup"], |e, c, s| e.strdup(c, s)),
];

impl Executor<'_> {
    fn strlen(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let p = self.pointer_arg(c, 0);
        let known = match self.length_of_text(&mut s, &p) {
            Some(n) => Some(self.arena.int(n)),
            None => self.argument_length(&s, &p),
        };
        let v = known.unwrap_or_else(|| {
            self.arena.fresh(SymKind::Unknown { reason: UnknownReason::StringLength }, "strlen", Range::new(0, 1 << 40))
        });
        Ok(Some((Value::Int(v), s)))
    }

    fn strcmp(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let (p, q) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
        let most = if c.name.contains('n') {
            let n = self.int_arg(c, 2, 64);
            self.arena.as_int(n)
        } else {
            None
        };
        let v = self.comparison(&s, &p, &q, c.name.starts_with("strn").then_some(most), c.name.contains("case"));
        Ok(Some((Value::Int(v), s)))
    }

    fn compared(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let m = self.program.module(c.site.func.module);
        let v = self.unknown_of(m, c.ty, &UnknownReason::TextComparison);
        Ok(Some((v, s)))
    }

    fn searched(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let p = self.pointer_arg(c, 0);
        let v = self.place_within(&p, &UnknownReason::ResultOf(c.name.to_string()));
        Ok(Some((v, s)))
    }

    fn named_text(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let v = self.unknown_pointer(&UnknownReason::ResultOf(c.name.to_string()));
        Ok(Some((v, s)))
    }

    fn strcpy(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let (d, f) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
        let Some(n) = self.length_of_text(&mut s, &f) else { return Err(Box::new(s)) };
        let n = self.arena.int(n + 1);
        self.copy(&mut s, &d, &f, n);
        Ok(Some((Value::Ptr(d), s)))
    }

    /// Models a copy on the heap: of the whole string, or of its first bytes (`strndup`: POSIX.1-2017), with a
    /// terminating NUL.
    fn strdup(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let f = self.pointer_arg(c, 0);
        let length = match self.length_of_text(&mut s, &f) {
            Some(n) => Some(self.arena.int(n)),
            None => self.argument_length(&s, &f),
        };
        let mut length = length.unwrap_or_else(|| {
            self.arena.fresh(SymKind::Unknown { reason: UnknownReason::StringLength }, "strlen", Range::new(0, 1 << 40))
        });
        if c.name == "strndup" {
            let most = self.int_arg(c, 1, 64);
            let most = self.interpret(most, 64, false);
            length = self.arena.min(length, most);
        }
        let (bytes, version) = (self.arena.add_const(length, 1), self.heap.next_version());
        let made = self.host_allocation(
            c,
            s,
            bytes,
            Rest::Unknown { version, input: false, reason: Rc::new(UnknownReason::TextCopied) },
        );
        if let Ok(Some((Value::Ptr(to), mut s))) = made {
            if self.arena.as_int(length).is_some() {
                self.copy(&mut s, &to, &f, length);
                let (end, nul) = (self.offset_targets(&to, length), self.arena.int(0));
                self.store_value(&mut s, &end, Value::Int(nul), 1);
            }
            return Ok(Some((Value::Ptr(to), s)));
        }
        made
    }

    /// Returns the length in bytes of a string in memory whose bytes up to its end are all known.
    pub(super) fn length_of_text(&mut self, s: &mut State, p: &[Target]) -> Option<i128> {
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
}
