//! A small notation for terms in tests: C's operators with C's meaning over mathematical integers, and
//! `min max abs ite floor mod and or xor pow2 i32 u32 f` as functions. A name's range is declared as `name lo..hi`.

use base::reasons::UnknownReason;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};
use std::collections::BTreeMap;

#[derive(Default)]
pub(in crate::solver) struct Scope {
    pub arena: Arena,
    names: BTreeMap<String, TermId>,
}

impl Scope {
    /// Declares names with ranges: `n i32, tid 0..255, m size, p flag`.
    pub fn declare(&mut self, names: &str) {
        for d in names.split(',').map(str::trim).filter(|d| !d.is_empty()) {
            let (name, range) = d.split_once(' ').expect("a name and a range");
            let t = if range == "flag" {
                self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::NoValue }, name)
            } else {
                let range = match range {
                    "i32" => Interval::of_int(32, true),
                    "i64" => Interval::of_int(64, true),
                    "u32" => Interval::of_int(32, false),
                    "size" => Interval::new(0, (1 << 31) - 1),
                    "count" => Interval::new(1, (1 << 31) - 1),
                    "any" => Interval::ANY,
                    r => {
                        let (a, b) = r.split_once("..").expect("a range");
                        Interval::new(a.parse().expect("low"), b.parse().expect("high"))
                    }
                };
                self.arena.fresh(SymKind::Input(InputSource::World(name.into())), name, range)
            };
            self.names.insert(name.into(), t);
        }
    }

    pub fn term(&mut self, text: &str) -> TermId {
        let tokens = tokens(text);
        let mut p = Parser { scope: self, tokens: &tokens, at: 0 };
        let t = p.or();
        assert_eq!(p.at, p.tokens.len(), "all of {text:?} is read");
        t
    }
}

fn tokens(text: &str) -> Vec<String> {
    let c: Vec<char> = text.chars().collect();
    let mut out = vec![];
    let mut i = 0;
    while i < c.len() {
        let start = i;
        if c[i].is_whitespace() {
            i += 1;
            continue;
        }
        if c[i].is_alphanumeric() || c[i] == '_' {
            while i < c.len() && (c[i].is_alphanumeric() || c[i] == '_') {
                i += 1;
            }
        } else {
            i += 1;
            let two: String = c[start..c.len().min(start + 2)].iter().collect();
            if ["<=", ">=", "==", "!=", "&&", "||"].contains(&two.as_str()) {
                i += 1;
            }
        }
        out.push(c[start..i].iter().collect());
    }
    out
}

struct Parser<'a> {
    scope: &'a mut Scope,
    tokens: &'a [String],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }
    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }
    fn expect(&mut self, t: &str) {
        assert_eq!(self.next(), t);
    }

    fn or(&mut self) -> TermId {
        let mut t = self.and();
        while self.peek() == "||" {
            self.next();
            let u = self.and();
            t = self.scope.arena.or(t, u);
        }
        t
    }
    fn and(&mut self) -> TermId {
        let mut t = self.comparison();
        while self.peek() == "&&" {
            self.next();
            let u = self.comparison();
            t = self.scope.arena.and(t, u);
        }
        t
    }
    fn comparison(&mut self) -> TermId {
        let t = self.sum();
        let op = self.peek().to_owned();
        if !["<", "<=", ">", ">=", "==", "!="].contains(&op.as_str()) {
            return t;
        }
        self.next();
        let u = self.sum();
        let a = &mut self.scope.arena;
        match op.as_str() {
            "<" => a.lt(t, u),
            "<=" => a.le(t, u),
            ">" => a.lt(u, t),
            ">=" => a.le(u, t),
            "==" => a.eq(t, u),
            _ => a.ne(t, u),
        }
    }
    fn sum(&mut self) -> TermId {
        let mut t = self.product();
        while ["+", "-"].contains(&self.peek()) {
            let op = self.next();
            let u = self.product();
            t = if op == "+" { self.scope.arena.add(t, u) } else { self.scope.arena.sub(t, u) };
        }
        t
    }
    fn product(&mut self) -> TermId {
        let mut t = self.unary();
        while ["*", "/", "%"].contains(&self.peek()) {
            let op = self.next();
            let u = self.unary();
            let a = &mut self.scope.arena;
            t = match op.as_str() {
                "*" => a.mul(t, u),
                "/" => a.div(t, u),
                _ => a.rem(t, u),
            };
        }
        t
    }
    fn unary(&mut self) -> TermId {
        match self.peek() {
            "-" => {
                self.next();
                let t = self.unary();
                self.scope.arena.neg(t)
            }
            "!" => {
                self.next();
                let t = self.unary();
                self.scope.arena.not(t)
            }
            _ => self.primary(),
        }
    }
    fn primary(&mut self) -> TermId {
        let t = self.next();
        if t == "(" {
            let u = self.or();
            self.expect(")");
            return u;
        }
        if let Ok(v) = t.parse() {
            return self.scope.arena.int(v);
        }
        if self.peek() != "(" {
            return *self.scope.names.get(&t).unwrap_or_else(|| panic!("{t} is not declared"));
        }
        self.next();
        let mut args = vec![self.or()];
        while self.peek() == "," {
            self.next();
            args.push(self.or());
        }
        self.expect(")");
        let a = &mut self.scope.arena;
        let int = |a: &Arena, t: TermId| a.as_int(t).expect("a constant");
        match (t.as_str(), args.as_slice()) {
            ("min", [x, y]) => a.min(*x, *y),
            ("max", [x, y]) => a.max(*x, *y),
            ("ite", [c, x, y]) => a.ite(*c, *x, *y),
            ("floor", [x, c]) => {
                let c = int(a, *c);
                a.floor_div(*x, c)
            }
            ("mod", [x, c]) => {
                let c = int(a, *c);
                a.modulo(*x, c)
            }
            ("and", [x, y]) => a.bit_and(*x, *y, 32),
            ("or", [x, y]) => a.bit_or(*x, *y, 32),
            ("xor", [x, y]) => a.bit_xor(*x, *y, 32),
            ("pow2", [x]) => a.pow2(*x),
            ("i32", [x]) => a.wrap(*x, 32, true),
            ("u32", [x]) => a.wrap(*x, 32, false),
            ("f", _) => a.apply(UninterpretedFunction::Round(0), args, Interval::of_int(32, true)),
            (name, args) => panic!("{name} of {} arguments", args.len()),
        }
    }
}
