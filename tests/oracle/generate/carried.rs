//! Loops whose variables depend on what they were in the round before: indices that start over, take turns, are halved or doubled, close in on
//! each other, are swapped, counted up and down; sizes of levels; and accesses by them.

use super::{Array, Gen, Int, Scope, Stmt, Ty};

impl Gen {
    /// One such loop over an array.
    pub fn carried(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let whole: Vec<Array> = s.arrays.iter().filter(|a| !a.square).cloned().collect();
        let Some(a) = whole.get(self.below(whole.len().max(1))).cloned() else { return };
        let n = if self.chance(70) { self.nearly(&a.extent) } else { self.positive() };
        let mut body = vec![];
        match self.below(10) {
            0 | 1 => self.starting_over(s, &a, &n, &mut body),
            2 => self.halving(s, &a, &n, &mut body),
            3 => self.closing_in(s, &a, &n, &mut body),
            4 => self.stacked(s, &a, &n, &mut body),
            5 => self.in_a_tree(s, &a, &n, &mut body),
            6 => self.in_turns(s, &a, &mut body),
            7 => self.alternating(s, &a, &n, &mut body),
            8 => self.of_levels(s, &a, &n, &mut body),
            _ => self.walking(s, &a, &n, &mut body),
        }
        out.push(if self.chance(75) { Stmt::block(format!("if ({n} > 0) {{"), body) } else { Stmt::block("{", body) });
    }

    fn kind(&mut self) -> Ty {
        if self.narrow && self.chance(50) {
            self.choose(&[Ty::U8, Ty::I8, Ty::I16, Ty::U16])
        } else {
            self.choose(&[Ty::I32, Ty::I32, Ty::I32, Ty::U32, Ty::U32, Ty::I64, Ty::U64])
        }
    }

    /// A scope with another variable in it.
    fn with(s: &Scope, name: &str, ty: Ty) -> Scope {
        let mut inner = s.clone();
        inner.ints.push(Int { name: name.to_owned(), ty, mutable: false, data: false });
        inner
    }

    fn rounds(&mut self, s: &Scope) -> String {
        let j = self.name('v');
        let bound = match self.int(s) {
            Some(v) if self.chance(60) => v.name,
            _ => self.positive(),
        };
        format!("for (int {j} = 0; {j} < {bound}; {j}++) {{")
    }

    /// An index that starts over at the end.
    fn starting_over(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (v, ty) = (self.name('v'), self.kind());
        let e = self.expr(s, 1);
        let start = match self.below(4) {
            0 | 1 => "0".to_owned(),
            2 => format!("(unsigned)({e}) % {n}"),
            _ => format!("{n} - 1"),
        };
        out.push(Stmt::line(format!("{} {v} = {start};", ty.name())));
        let head = self.rounds(s);
        let inner = Self::with(s, &v, ty);
        let (ge, m) = (self.least(), self.nearly(n));
        let (k, c) = (self.positive(), self.cond(&inner, 1));
        let next = match self.below(9) {
            0 => format!("if (++{v} == {m}) {v} = 0;"),
            1 => format!("if (++{v} {ge} {m}) {v} = 0;"),
            2 => format!("{v} = ({v} + {k}) % {m};"),
            3 => format!("{v} = {v} == {m} - 1 ? 0 : {v} + 1;"),
            4 => format!("if ({v} == 0) {v} = {m}; {v}--;"),
            5 => format!("{v} += {k}; if ({v} {ge} {m}) {v} -= {m};"),
            6 => format!("if ({c}) {{ if ({v} + 1 < {m}) {v}++; else {v} = 0; }}"),
            7 => format!("{v} = ({v} + {k}) & {};", self.choose(&["1", "3", "7"])),
            _ => format!("{v} = {m} - 1 - {v};"),
        };
        let mut body = vec![];
        let first = self.chance(70);
        if !first {
            body.push(Stmt::line(next.clone()));
        }
        self.touch(&mut inner.clone(), a, &v, &mut body);
        if first {
            body.push(Stmt::line(next));
        }
        out.push(Stmt::block(head, body));
        if self.chance(40) {
            self.touch(&mut inner.clone(), a, &v, out);
        }
    }

    /// Two ends, one of which becomes the middle.
    fn halving(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (lo, hi, mid, fuel) = (self.name('v'), self.name('v'), self.name('v'), self.name('v'));
        let ty = self.kind();
        let t = ty.name();
        let closed = self.chance(50);
        let end = if closed { format!("{n} - 1") } else { n.to_owned() };
        let test = match self.below(5) {
            0 if closed => format!("{lo} < {hi}"),
            1 => format!("{hi} - {lo} > 1"),
            _ if closed => format!("{lo} <= {hi}"),
            _ => format!("{lo} < {hi}"),
        };
        let middle = match self.below(3) {
            0 => format!("({lo} + {hi}) / 2"),
            1 => format!("{lo} + ({hi} - {lo}) / 2"),
            _ => format!("({lo} + {hi}) >> 1"),
        };
        let inner = Self::with(s, &mid, ty);
        let c = self.cond(&inner, 1);
        let up = if self.chance(80) { format!("{lo} = {mid} + 1;") } else { format!("{lo} = {mid};") };
        let down = if closed && self.chance(80) || self.slip() {
            format!("{hi} = {mid} - 1;")
        } else {
            format!("{hi} = {mid};")
        };
        out.push(Stmt::line(format!("{t} {lo} = 0, {hi} = {end};")));
        let mut body = vec![Stmt::line(format!("{t} {mid} = {middle};"))];
        self.touch(&mut inner.clone(), a, &mid, &mut body);
        body.push(Stmt::line(format!("if ({c}) {up} else {down}")));
        out.push(Stmt::block(format!("for (int {fuel} = 0; {fuel} < 9 && {test}; {fuel}++) {{"), body));
        match self.below(4) {
            0 => {
                let m = self.nearly(&a.extent);
                let mut scope = Self::with(s, &lo, ty);
                self.guarded(&mut scope, a, &format!("{lo} < {m}"), &lo, out);
            }
            1 => self.touch(&mut Self::with(s, &lo, ty), a, &lo, out),
            _ => {}
        }
    }

    /// Two indices that come closer to each other, or count together.
    fn closing_in(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (l, r) = (self.name('v'), self.name('v'));
        let ty = self.kind();
        let inner = Self::with(&Self::with(s, &l, ty), &r, ty);
        let c = self.cond(&inner, 1);
        let together = self.chance(40);
        let lt = self.less();
        let mut body = vec![];
        if together {
            let m = self.nearly(n);
            out.push(Stmt::line(format!("{} {l} = 0, {r} = 0;", ty.name())));
            let i = self.choose(&[format!("{l} + {r}"), l.clone(), format!("{l} + {r}")]);
            self.touch(&mut inner.clone(), a, &i, &mut body);
            body.push(Stmt::line(format!("if ({c}) {l}++; else {r}++;")));
            out.push(Stmt::block(format!("while ({l} + {r} {lt} {m}) {{"), body));
        } else {
            out.push(Stmt::line(format!("{} {l} = 0, {r} = {n} - 1;", ty.name())));
            let i = self.choose(&[l.clone(), r.clone()]);
            self.touch(&mut inner.clone(), a, &i, &mut body);
            body.push(Stmt::line(format!("if ({c}) {l}++; else {r}--;")));
            out.push(Stmt::block(format!("while ({l} {lt} {r}) {{"), body));
            if self.chance(40) {
                self.touch(&mut inner.clone(), a, &l, out);
            }
        }
    }

    /// A counter that rounds raise and lower: a stack.
    fn stacked(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (top, ty) = (self.name('v'), self.kind());
        let inner = Self::with(s, &top, ty);
        let (c, m, ge) = (self.cond(&inner, 1), self.nearly(n), self.choose(&["> 0", "> 0", ">= 0", "> 1"]));
        let full = self.choose(&[format!("{top} < {m}"), format!("{top} + 1 < {m}"), format!("{top} != {m}")]);
        out.push(Stmt::line(format!("{} {top} = {};", ty.name(), self.choose(&["0", "1", "0"]))));
        let head = self.rounds(s);
        let mut body = vec![];
        let mut push = vec![];
        self.touch(&mut inner.clone(), a, &top, &mut push);
        push.push(Stmt::line(format!("{top}++;")));
        let mut pop = vec![Stmt::line(format!("{top}--;"))];
        self.touch(&mut inner.clone(), a, &top, &mut pop);
        body.push(Stmt::block(format!("if (({c}) && {full}) {{"), push));
        body.push(Stmt::block(format!("else if ({top} {ge}) {{"), pop));
        out.push(Stmt::block(head, body));
        if self.chance(40) {
            let mut scope = inner;
            self.guarded(&mut scope, a, &format!("{top} > 0"), &format!("{top} - 1"), out);
        }
    }

    /// From a node to a child or to the parent.
    fn in_a_tree(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (v, ty) = (self.name('v'), self.kind());
        let inner = Self::with(s, &v, ty);
        let c = self.cond(&inner, 1);
        let mut body = vec![];
        if self.chance(50) {
            let m = self.nearly(n);
            let k = self.choose(&["1", "1", "2"]);
            out.push(Stmt::line(format!("{} {v} = 0;", ty.name())));
            self.touch(&mut inner.clone(), a, &v, &mut body);
            body.push(Stmt::line(format!(
                "if (({c}) && 2 * {v} + 2 < {m}) {v} = 2 * {v} + 2; else {v} = 2 * {v} + 1;"
            )));
            out.push(Stmt::block(format!("while (2 * {v} + {k} < {m}) {{"), body));
        } else {
            let up = self.choose(&[
                format!("({v} - 1) / 2"),
                format!("{v} / 2"),
                format!("({v} >> 1)"),
                format!("(({v} - 1) >> 1)"),
            ]);
            out.push(Stmt::line(format!("{} {v} = {n} - 1;", ty.name())));
            self.touch(&mut inner.clone(), a, &up, &mut body);
            body.push(Stmt::line(format!("{v} = {up};")));
            out.push(Stmt::block(format!("while ({v} {}) {{", self.choose(&["> 0", "> 1", ">= 1"])), body));
        }
        if self.chance(40) {
            self.touch(&mut inner.clone(), a, &v, out);
        }
    }

    /// Halves of an array that take turns.
    fn in_turns(&mut self, s: &mut Scope, a: &Array, out: &mut Vec<Stmt>) {
        let (p, q, t) = (self.name('v'), self.name('v'), self.name('v'));
        let half = self.choose(&[format!("({} / 2)", a.extent), "2".to_owned(), "3".to_owned()]);
        let Some(i) = self.int(s) else { return };
        let next = match self.below(4) {
            0 => format!("{p} = 1 - {p}; {q} = 1 - {q};"),
            1 => format!("{p} ^= 1; {q} ^= 1;"),
            2 => format!("int {t} = {p}; {p} = {q}; {q} = {t};"),
            _ => format!("{q} = {p}; {p} = !{p};"),
        };
        out.push(Stmt::line(format!("{} {p} = 0, {q} = {};", self.kind().name(), self.choose(&["1", "1", "2"]))));
        let head = self.rounds(s);
        let m = self.nearly(&half);
        let mut body = vec![];
        for w in [&p, &q] {
            self.guarded(
                &mut s.clone(),
                a,
                &format!("{} >= 0 && {} < {m} && {half} * 2 <= {}", i.name, i.name, a.extent),
                &format!("{w} * {half} + {}", i.name),
                &mut body,
            );
        }
        body.push(Stmt::line(next));
        out.push(Stmt::block(head, body));
    }

    /// An index that takes turns between two values, and what it is behind the loop. Either may lie outside what its type holds.
    fn alternating(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (v, ty) = (self.name('v'), self.kind());
        let start = match self.below(4) {
            0 => "0".to_owned(),
            1 => format!("{n} - 1"),
            2 => self.positive(),
            _ => self.expr(s, 1),
        };
        out.push(Stmt::line(format!("{} {v} = {start};", ty.name())));
        let head = self.rounds(s);
        let (m, e, k) = (self.nearly(n), self.expr(s, 1), self.positive());
        let next = match self.below(6) {
            0 | 1 => format!("{v} = {m} - 1 - {v};"),
            2 => format!("{v} = {k} - {v};"),
            3 => format!("{v} = {e} - {v};"),
            4 => format!("{v} ^= {k};"),
            _ => format!("{v} ^= {e};"),
        };
        let (inner, mut body) = (Self::with(s, &v, ty), vec![]);
        let within = format!("{v} >= 0 && {v} < {m}");
        if self.chance(40) {
            self.touch(&mut inner.clone(), a, &v, &mut body);
        } else {
            let past = self.choose(&[v.clone(), format!("{n} - 1 - {v}"), format!("{v} / 2")]);
            self.guarded(&mut inner.clone(), a, &within, &past, &mut body);
        }
        body.push(Stmt::line(next));
        out.push(Stmt::block(head, body));
        if self.chance(40) {
            self.guarded(&mut inner.clone(), a, &within, &v, out);
        }
    }

    /// A size that rounds divide, rounding up or to a least value: it starts anywhere, also where the sum wraps. What two
    /// loops leave of the same size is compared, too.
    fn of_levels(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (v, w, ty) = (self.name('v'), self.name('v'), self.kind());
        let t = ty.name();
        let start = match self.below(6) {
            0 | 1 => n.to_owned(),
            2 => self.positive(),
            3 => format!("({t})(({t})-1 / 2 - {})", self.choose(&["0", "1", "3"])),
            4 => format!("({t})(0x7fffffff - {})", self.choose(&["0", "1", "3"])),
            _ => self.expr(s, 1),
        };
        out.push(Stmt::line(format!("{t} {v} = {start}, {w} = {v};")));
        let (c, log) = self.choose(&[(2, 1), (2, 1), (4, 2), (8, 3)]);
        let added = if self.slip() { c } else { c - 1 };
        let least = self.choose(&[0, 1, 1, 2, 5]);
        let [compared, divided] = [(); 2].map(|()| self.choose(&["", "", "(int)", "(unsigned)"]));
        let next = |v: &str, form: usize| match form {
            0 | 1 => format!("{v} = ({v} + {added}) / {c};"),
            2 => format!("{v} = ({v} + {added}) >> {log};"),
            3 => format!("{v} = {v} / {c} > {least} ? {v} / {c} : {least};"),
            4 => format!("{v} = {compared}{v} > {c} * {least} ? {divided}{v} / {c} : {least};"),
            _ => format!("{v} = {v} >> {log} < {least} ? {least} : {v} >> {log};"),
        };
        let (form, head) = (self.below(6), self.rounds(s));
        let other = if self.slip() { self.below(6) } else { form };
        let inner = Self::with(s, &v, ty);
        let (m, below) = (self.nearly(&a.extent), self.less());
        let within = format!("{v} >= 0 && {v} {below} {m}");
        let mut body = vec![];
        if self.chance(50) {
            self.touch(&mut inner.clone(), a, &format!("{v} - 1"), &mut body);
        } else {
            self.guarded(&mut inner.clone(), a, &within, &v, &mut body);
        }
        body.push(Stmt::line(next(&v, form)));
        out.push(Stmt::block(head.clone(), body));
        out.push(Stmt::block(head, vec![Stmt::line(next(&w, other))]));
        let index = self.choose(&[format!("{v} - {w}"), format!("({v} == {w} ? 0 : {})", a.extent), v.clone()]);
        if self.chance(70) {
            self.touch(&mut inner.clone(), a, &index, out);
        } else {
            self.guarded(&mut inner.clone(), a, &within, &v, out);
        }
    }

    /// An index that rounds move by anything, and that is kept inside.
    fn walking(&mut self, s: &mut Scope, a: &Array, n: &str, out: &mut Vec<Stmt>) {
        let (v, w) = (self.name('v'), self.name('v'));
        let head = self.rounds(s);
        let inner = Self::with(s, &v, Ty::I32);
        let (e, m, lt) = (self.expr(&inner, 1), self.nearly(n), self.less());
        let f = if s.device { "" } else { "std::" };
        let next = match self.below(3) {
            0 => format!("{v} += {e}; {v} = {f}max(0, {f}min({v}, (int){m} - 1));"),
            1 => format!("int {w} = {v} + {e}; if ({w} >= 0 && {w} {lt} {m}) {v} = {w};"),
            _ => format!("{v} += {e}; if ({v} < 0) {v} = 0; if ({v} >= {m}) {v} = {m} - 1;"),
        };
        out.push(Stmt::line(format!("int {v} = 0;")));
        let mut body = vec![];
        self.touch(&mut inner.clone(), a, &v, &mut body);
        body.push(Stmt::line(next));
        out.push(Stmt::block(head, body));
    }
}
