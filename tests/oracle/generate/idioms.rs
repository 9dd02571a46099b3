//! Constructions that real programs use around accesses: aliases of variables, flags, reinterpreted and two-dimensional
//! pointers, chunks, sizes in memory.

use super::{Array, Gen, Int, Scope, Stmt, Ty};

const fn width(elem: &str) -> usize {
    match elem.as_bytes() {
        b"char" | b"unsigned char" => 1,
        b"short" => 2,
        b"double" | b"long long" => 8,
        _ => 4,
    }
}

impl Gen {
    /// A variable that is changed through its address.
    pub fn aliased(&mut self, s: &mut Scope, items: &[String], out: &mut Vec<Stmt>) {
        let all: Vec<Int> = s.ints.iter().filter(|v| v.mutable && v.ty == Ty::I32).cloned().collect();
        let Some(v) = all.get(self.below(all.len().max(1))).cloned() else { return };
        let q = self.name('q');
        match self.below(if items.is_empty() { 4 } else { 6 }) {
            0 => {
                let e = self.expr(s, 1);
                out.extend([Stmt::line(format!("int *{q} = &{};", v.name)), Stmt::line(format!("*{q} = {e};"))]);
            }
            1 => {
                let c = self.cond(s, 1);
                let k = self.positive();
                out.extend([
                    Stmt::line(format!("int &{q} = {};", v.name)),
                    Stmt::line(format!("if ({c}) {q} += {k};")),
                ]);
            }
            2 if all.len() > 1 => {
                let w = all[self.below(all.len())].name.clone();
                let (c, e) = (self.cond(s, 1), self.expr(s, 1));
                out.extend([
                    Stmt::line(format!("int *{q} = {c} ? &{} : &{w};", v.name)),
                    Stmt::line(format!("*{q} -= {e};")),
                ]);
            }
            2 | 3 => {
                let (l, e, f) = (self.name('l'), self.expr(s, 1), self.expr(s, 1));
                let i = match self.below(3) {
                    0 => "1".to_owned(),
                    1 => format!("({} & 1)", v.name),
                    _ => format!("({} > 2)", v.name),
                };
                out.extend([
                    Stmt::line(format!("int {l}[2] = {{{e}, {f}}};")),
                    Stmt::line(format!("{l}[{i}] += {};", v.name)),
                    Stmt::line(format!("{} = {l}[0];", v.name)),
                ]);
            }
            _ => {
                let f = items[self.below(items.len())].clone();
                let e = self.expr(s, 1);
                out.push(Stmt::line(format!("{f}(&{}, {e});", v.name)));
            }
        }
    }

    /// `void f(int *out, int by)`, for either side.
    pub fn changer(&mut self, device: bool, items: &mut Vec<Stmt>) -> String {
        let name = format!("@{}", self.name('f'));
        let int = |n: &str| Int { name: n.into(), ty: Ty::I32, mutable: false, data: false };
        let s = Scope { ints: vec![int("by"), Int { name: "*out".into(), ..int("") }], device, ..Scope::default() };
        let (c, e, f) = (self.cond(&s, 1), self.expr(&s, 2), self.expr(&s, 1));
        let body = match self.below(3) {
            0 => vec![Stmt::line(format!("*out = {e};"))],
            1 => vec![Stmt::line(format!("if ({c}) return;")), Stmt::line(format!("*out = {e};"))],
            _ => vec![Stmt::line(format!("for (int j = 0; j < by; j++) {{ if ({c}) break; *out += {f}; }}"))],
        };
        items.push(Stmt::block(
            format!("{} void {name}(int *out, int by) {{", if device { "__device__" } else { "static" }),
            body,
        ));
        name
    }

    /// `bool f(int i, int n)`: whether an index is within bounds, or nearly.
    pub fn tester(&mut self, items: &mut Vec<Stmt>) -> String {
        let name = format!("@{}", self.name('f'));
        let (ge, lt) = (self.least(), self.less());
        let body = match self.below(4) {
            0 => vec![Stmt::line(format!("return i {ge} 0 && i {lt} n;"))],
            1 => vec![Stmt::line("if (i < 0) return false;"), Stmt::line(format!("return i {lt} n;"))],
            2 => {
                vec![Stmt::line(format!("bool ok = i {lt} n;")), Stmt::line("ok &= i >= 0;"), Stmt::line("return ok;")]
            }
            _ => vec![Stmt::line(format!("return !(i < 0 || i {ge} n);"))],
        };
        items.push(Stmt::block(format!("__device__ bool {name}(int i, int n) {{"), body));
        name
    }

    /// An access behind a flag, a test in a function, a cast, or in a row of a reinterpreted array.
    pub fn idiom(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let whole: Vec<Array> = s.arrays.iter().filter(|a| !a.square).cloned().collect();
        let Some(a) = whole.get(self.below(whole.len().max(1))).cloned() else { return };
        let Some(i) = self.int(s) else { return };
        let (n, lt) = (self.nearly(&a.extent), self.less());
        let (i, signed) = (i.name, i.ty.signed());
        let low = if signed && !self.slip() { format!("{i} >= 0") } else { "true".into() };
        let touched = |g: &mut Self, a: &Array, index: &str| {
            let mut body = vec![];
            g.touch(&mut s.clone(), a, index, &mut body);
            body
        };
        match self.below(if s.tests.is_empty() { 6 } else { 8 }) {
            0 => {
                let flag = self.name('v');
                let op = self.choose(&["&&", "&", "&&"]);
                out.push(Stmt::line(format!("bool {flag} = ({low}) {op} ({i} {lt} {n});")));
                let body = touched(self, &a, &i);
                out.push(Stmt::block(format!("if ({flag}) {{"), body));
            }
            1 => {
                let flag = self.name('v');
                out.push(Stmt::line(format!("int {flag} = {i} {lt} {n} ? {i} : -1;")));
                let body = touched(self, &a, &flag);
                out.push(Stmt::block(format!("if ({flag} {} 0) {{", self.choose(&[">=", ">=", "!="])), body));
            }
            2 => {
                // Other elements of the same bytes.
                let q = self.name('q');
                let elem = self.choose(&["char", "short", "int", "long long", "unsigned char"]);
                let (from, to) = (width(a.elem), width(elem));
                let extent = if from >= to {
                    format!("({} * {})", a.extent, from / to)
                } else {
                    format!("({} / {})", a.extent, to / from)
                };
                out.push(Stmt::line(format!("{elem} *{q} = ({elem} *){};", a.name)));
                let b = Array { name: q, elem, extent: extent.clone(), dims: None, square: false, integer: false };
                let m = self.nearly(&extent);
                let body = touched(self, &b, &i);
                out.push(Stmt::block(format!("if ({low} && {i} {lt} {m}) {{"), body));
            }
            3 => {
                let (q, c) = (self.name('q'), self.choose(&["2", "4", "5"]));
                out.push(Stmt::line(format!("{} (*{q})[{c}] = ({} (*)[{c}]){};", a.elem, a.elem, a.name)));
                let rows = self.nearly(&format!("({} / {c})", a.extent));
                let e = self.expr(s, 1);
                let b = Array { name: q, extent: rows.clone(), dims: None, square: true, integer: false, ..a };
                let body = touched(self, &b, &format!("[{i}][(unsigned)({e}) % {c}]"));
                out.push(Stmt::block(format!("if ({low} && {i} {lt} {rows}) {{"), body));
            }
            4 => {
                // The distance between two pointers.
                let (q, d) = (self.name('q'), self.name('v'));
                let k = self.expr(s, 1);
                out.push(Stmt::line(format!("{} *{q} = {} + {i};", a.elem, a.name)));
                out.push(Stmt::line(format!("int {d} = {q} - {} + {k};", a.name)));
                let body = touched(self, &a, &d);
                out.push(Stmt::block(format!("if ({d} >= 0 && {d} {lt} {n}) {{"), body));
            }
            5 => {
                // Counts up to what was found before.
                let (c, j) = (self.name('v'), self.name('v'));
                let test = self.cond(
                    &Scope {
                        ints: [s.ints.clone(), vec![Int { name: j.clone(), ty: Ty::I32, mutable: false, data: false }]]
                            .concat(),
                        ..s.clone()
                    },
                    1,
                );
                out.push(Stmt::line(format!("int {c} = 0;")));
                out.push(Stmt::line(format!("for (int {j} = 0; {j} {lt} {n}; {j}++) if ({test}) {c}++;")));
                let k = self.choose(&["", " - 1", ""]);
                let body = touched(self, &a, &format!("{c}{k}"));
                out.push(Stmt::block(
                    format!("if ({c} {} {}) {{", self.choose(&["<", "<", "<=", ">"]), a.extent),
                    body,
                ));
            }
            _ => {
                let f = self.choose(&s.tests);
                let body = touched(self, &a, &i);
                let not = self.slip();
                out.push(if not {
                    Stmt::line(format!("if (!{f}({i}, {n})) return{};", if s.value { " 0" } else { "" }))
                } else {
                    Stmt::block(format!("if ({f}({i}, {n})) {{"), body.clone())
                });
                if not {
                    out.extend(body);
                }
            }
        }
    }

    /// Sizes that a host program keeps in memory.
    pub fn stored(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let (h, j, w) = (self.name('h'), self.name('v'), self.name('v'));
        let (a, b) = (self.expr(s, 1), self.expr(s, 1));
        match self.below(4) {
            0 => out.extend([
                Stmt::line(format!("int {h}[3] = {{{a}, {b}, 4}};")),
                Stmt::line(format!("int {w} = 0;")),
                Stmt::line(format!("for (int {j} = 0; {j} < 3; {j}++) {w} += {h}[{j}];")),
            ]),
            1 => {
                let Some(v) = self.int(s) else { return };
                out.extend([
                    Stmt::line(format!("int {h}[2] = {{{a}, {b}}};")),
                    Stmt::line(format!("int {w} = {h}[{} {} 0 ? 0 : 1];", v.name, self.choose(&[">", "==", "<"]))),
                ]);
            }
            2 => {
                out.extend([
                    Stmt::line(format!("struct {{ int n, m; }} {h} = {{{a}, {b}}};")),
                    Stmt::line(format!("auto {j} = {h};")),
                    Stmt::line(format!("{j}.n += {h}.m;")),
                    Stmt::line(format!(
                        "int {w} = {};",
                        self.choose(&[format!("{h}.n"), format!("{j}.n"), format!("{h}.m")])
                    )),
                ]);
            }
            _ => {
                out.extend([
                    Stmt::line(format!("int {j} = {a};")),
                    Stmt::line(format!("int {w} = {b};")),
                    Stmt::line(format!("std::swap({j}, {w});")),
                ]);
            }
        }
        s.ints.push(Int { name: w, ty: Ty::I32, mutable: true, data: false });
    }
}
