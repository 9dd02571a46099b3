//! Statements of kernels, of device functions and, without arrays, of the host.

use super::expr::atom;
use super::{Array, Gen, Int, Scope, Stmt, Ty};

impl Gen {
    pub fn declare(&mut self, s: &mut Scope, ty: Ty, e: &str, mutable: bool) -> Stmt {
        let name = self.name('v');
        s.ints.push(Int { name: name.clone(), ty, mutable, data: false });
        Stmt::line(format!("{} {name} = {e};", ty.name()))
    }

    /// Statements in a scope of their own.
    pub fn inner(&mut self, s: &Scope, count: usize, depth: u32) -> Vec<Stmt> {
        let mut scope = s.clone();
        self.stmts(&mut scope, count, depth)
    }

    pub fn stmts(&mut self, s: &mut Scope, count: usize, depth: u32) -> Vec<Stmt> {
        let mut out = vec![];
        for _ in 0..count {
            self.stmt(s, depth, &mut out);
        }
        out
    }

    fn stmt(&mut self, s: &mut Scope, depth: u32, out: &mut Vec<Stmt>) {
        let arrays = u32::from(!s.arrays.is_empty());
        let deep = u32::from(depth > 0);
        match self.weigh(&[
            40 * arrays,
            14,
            8,
            14 * deep,
            4,
            18 * deep,
            4 * arrays,
            6 * arrays * u32::from(!s.helpers.is_empty()),
            3 * deep,
            4 * u32::from(s.looped),
            12 * arrays,
            4,
            7 * deep,
            if s.indices.is_empty() || !s.device { 0 } else { 60 },
            9 * arrays * deep,
        ]) {
            0 => self.access(s, depth, out),
            1 => {
                let (t, e, m) = (self.ty(), self.expr(s, 2), self.chance(40));
                out.push(self.declare(s, t, &e, m));
            }
            2 => match self.assign(s) {
                Some(a) => out.push(a),
                None => {
                    let (t, e) = (self.ty(), self.expr(s, 2));
                    out.push(self.declare(s, t, &e, true));
                }
            },
            3 => {
                let (c, n) = (self.cond(s, 2), 1 + self.below(2));
                let body = self.inner(s, n, depth - 1);
                out.push(Stmt::block(format!("if ({c}) {{"), body));
                if self.chance(35) {
                    out.push(Stmt::block("else {", self.inner(s, 1, depth - 1)));
                }
            }
            4 => {
                let c = self.cond(s, 1);
                out.push(Stmt::line(format!("if ({c}) return{};", if s.value { " 0" } else { "" })));
            }
            5 => self.a_loop(s, depth, out),
            6 => self.alias(s, out),
            7 => {
                let whole: Vec<Array> = s.arrays.iter().filter(|a| a.elem == "int" && !a.square).cloned().collect();
                let Some(a) = whole.get(self.below(whole.len().max(1))) else { return self.access(s, depth, out) };
                let (f, i, n) = (self.choose(&s.helpers), self.expr(s, 1), self.nearly(&a.extent));
                let name = self.name('v');
                out.push(Stmt::line(format!("int {name} = {f}({}, {i}, {n});", a.name)));
                s.ints.push(Int { name, ty: Ty::I32, mutable: false, data: true });
            }
            8 => {
                let (v, a, b, c) = (
                    self.expr(s, 1),
                    self.inner(s, 1, depth - 1),
                    self.inner(s, 1, depth - 1),
                    self.inner(s, 1, depth - 1),
                );
                let end = |mut body: Vec<Stmt>, more: &str| {
                    if !more.is_empty() {
                        body.push(Stmt::line(more));
                    }
                    body
                };
                let fall = if self.chance(30) { "" } else { "break;" };
                out.push(Stmt::block(
                    format!("switch ((int){} & 3) {{", atom(&v)),
                    vec![
                        Stmt::block("case 0: {", end(a, fall)),
                        Stmt::block("case 1: case 2: {", end(b, "break;")),
                        Stmt::block("default: {", c),
                    ],
                ));
            }
            10 => self.idiom(s, out),
            12 => self.counter(s, out),
            13 => self.indirect(s, out),
            14 => self.carried(s, out),
            11 => {
                let f = s.changers.clone();
                self.aliased(s, &f, out);
            }
            _ => {
                let (c, w) = (self.cond(s, 1), self.choose(&["break", "continue"]));
                out.push(Stmt::line(format!("if ({c}) {w};")));
            }
        }
    }

    /// A counter that some rounds of a loop change.
    fn counter(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let t = self.ty();
        let start = if self.chance(60) { "0".to_owned() } else { self.expr(s, 1) };
        out.push(self.declare(s, t, &start, true));
        let v = s.ints.last().map_or(String::new(), |v| v.name.clone());
        let bound = match self.int(s) {
            Some(b) if b.name != v => b.name,
            _ => self.positive(),
        };
        let mut inner = s.clone();
        let (head, tail, pre) = self.loop_form(&mut inner, &bound);
        out.extend(pre);
        let change = match self.below(6) {
            0 | 1 => format!("{v}++;"),
            2 => format!("{v}--;"),
            3 => {
                let k = self.positive();
                format!("{v} {}= {k};", self.choose(&["+", "-", "*", "/", "<<", ">>"]))
            }
            4 => format!("{v} += {};", inner.ints.last().map_or(String::new(), |j| j.name.clone())),
            _ => format!("{v} = {};", self.expr(&inner, 1)),
        };
        let mut body = vec![if self.chance(60) {
            let c = self.cond(&inner, 1);
            Stmt::line(format!("if ({c}) {change}"))
        } else {
            Stmt::line(change)
        }];
        body.extend(tail);
        out.push(head_block(head, body));
        let whole: Vec<Array> = s.arrays.iter().filter(|a| !a.square).cloned().collect();
        let Some(a) = whole.get(self.below(whole.len().max(1))).cloned() else { return };
        let (lt, m) = (self.less(), self.nearly(&a.extent));
        let low = if t.signed() && self.chance(40) { format!("{v} >= 0 && ") } else { String::new() };
        self.guarded(s, &a, &format!("{low}{v} {lt} {m}"), &v, out);
    }

    fn assign(&mut self, s: &Scope) -> Option<Stmt> {
        let all: Vec<&Int> = s.ints.iter().filter(|v| v.mutable).collect();
        if all.is_empty() {
            return None;
        }
        let v = all[self.below(all.len())].name.clone();
        Some(Stmt::line(match self.below(7) {
            0 => format!("{v}++;"),
            1 => format!("{v}--;"),
            2 => format!("{v} += {};", self.expr(s, 1)),
            3 => format!("{v} -= {};", self.expr(s, 1)),
            4 => format!("{v} = {};", self.expr(s, 2)),
            5 => {
                let k = self.positive();
                format!("{v} {}= {k};", self.choose(&["*", "/", "%"]))
            }
            _ => {
                let (c, e) = (self.cond(s, 1), self.expr(s, 1));
                format!("if ({c}) {v} = {e};")
            }
        }))
    }

    /// Reads or writes one element.
    pub fn touch(&mut self, s: &mut Scope, a: &Array, index: &str, out: &mut Vec<Stmt>) {
        let place = if a.square {
            format!("{}{index}", a.name)
        } else if self.chance(8) {
            format!("*({} + {index})", a.name)
        } else {
            format!("{}[{index}]", a.name)
        };
        match self.weigh(&[
            30,
            12,
            10,
            if a.integer { 14 } else { 0 },
            4,
            if a.elem == "int" && s.device { 6 } else { 0 },
        ]) {
            0 => {
                let v = self.expr(s, 1);
                out.push(Stmt::line(format!("{place} = {v};")));
            }
            1 => out.push(Stmt::line(format!("{place} += 1;"))),
            2 => {
                let name = self.name('x');
                out.push(Stmt::line(format!("{} {name} = {place};", a.elem)));
            }
            3 => {
                let (name, m) = (self.name('v'), self.chance(20));
                out.push(Stmt::line(format!("int {name} = {place};")));
                s.ints.push(Int { name, ty: Ty::I32, mutable: m, data: true });
            }
            4 => out.push(Stmt::line(format!("++{place};"))),
            _ => out.push(Stmt::line(format!("atomicAdd(&{place}, 1);"))),
        }
    }

    pub fn guarded(&mut self, s: &mut Scope, a: &Array, guard: &str, index: &str, out: &mut Vec<Stmt>) {
        let mut body = vec![];
        self.touch(&mut s.clone(), a, index, &mut body);
        out.push(Stmt::block(format!("if ({guard}) {{"), body));
    }

    fn access(&mut self, s: &mut Scope, depth: u32, out: &mut Vec<Stmt>) {
        let a = self.choose(&s.arrays);
        if a.square || (a.dims.is_some() && self.chance(60)) {
            return self.two(s, &a, depth, out);
        }
        let n = a.extent.clone();
        let deep = u32::from(depth > 0);
        match self.weigh(&[16, 14, 6, 8, 10 * deep, 5, 7, 7, 6, 6, 5, 3]) {
            0 => {
                let Some(i) = self.int(s) else { return };
                let (lt, m) = (self.less(), self.nearly(&n));
                self.guarded(s, &a, &format!("{} {lt} {m}", i.name), &i.name, out);
            }
            1 => {
                let (t, e) = (self.ty(), self.expr(s, 2));
                let mut inner = s.clone();
                out.push(self.declare(&mut inner, t, &e, false));
                let x = inner.ints.last().map_or(String::new(), |v| v.name.clone());
                s.ints.clone_from(&inner.ints);
                let (ge, lt, m) = (self.least(), self.less(), self.nearly(&n));
                let (lower, i) = (
                    if t.signed() && !self.slip() { format!("{x} {ge} 0 && ") } else { String::new() },
                    self.nearly(&x),
                );
                self.guarded(s, &a, &format!("{lower}{x} {lt} {m}"), &i, out);
            }
            2 => {
                let e = self.expr(s, 2);
                let m = self.nearly(&format!("({n} - 1)"));
                let f = if s.device { "" } else { "std::" };
                self.touch(s, &a, &format!("{f}min({f}max((int){}, 0), (int){m})", atom(&e)), out);
            }
            3 => {
                let e = self.expr(s, 2);
                let i = match self.below(4) {
                    0 => format!("(unsigned){} % {n}", atom(&e)),
                    1 => format!("({} % {n} + {n}) % {n}", atom(&e)),
                    2 => format!("(({e}) & ({n} - 1))"),
                    _ => format!("{} % {n}", atom(&e)),
                };
                let c = if self.chance(70) { format!("{n} > 0") } else { "1".into() };
                self.guarded(s, &a, &c, &i, out);
            }
            4 => {
                let b = self.nearly(&n);
                let mut inner = Scope { looped: true, ..s.clone() };
                let (head, tail, pre) = self.loop_form(&mut inner, &b);
                out.extend(pre);
                let j = inner.ints.last().map_or(String::new(), |v| v.name.clone());
                let mut body = vec![];
                let (mut e, more) = (self.nearly(&j), self.chance(20));
                if more {
                    e = self.expr(&inner, 1);
                }
                self.touch(&mut inner, &a, &e, &mut body);
                if self.chance(30) {
                    body.extend(self.inner(&inner, 1, depth - 1));
                }
                body.extend(tail);
                out.push(head_block(head, body));
            }
            5 => {
                let (e, m) = (self.expr(s, 1), self.nearly(&n));
                self.touch(s, &a, &format!("({e} < {m} ? {e} : 0)"), out);
            }
            6 => {
                let (e, lt, m) = (self.expr(s, 1), self.less(), self.nearly(&n));
                self.guarded(s, &a, &format!("(unsigned){} {lt} {m}", atom(&e)), &e, out);
            }
            7 => {
                let Some(i) = self.int(s) else { return };
                let (ge, m) = (self.least(), self.nearly(&n));
                let exit = if s.looped && self.chance(50) {
                    self.choose(&["continue", "break"]).to_owned()
                } else {
                    format!("return{}", if s.value { " 0" } else { "" })
                };
                let low = if i.ty.signed() && self.chance(70) { format!("{} < 0 || ", i.name) } else { String::new() };
                out.push(Stmt::line(format!("if ({low}{} {ge} {m}) {exit};", i.name)));
                self.touch(s, &a, &i.name, out);
            }
            8 => {
                let e = self.expr(s, 2);
                self.touch(s, &a, &e, out);
            }
            9 => {
                let Some(i) = self.int(s) else { return };
                let (lo, m) = (self.choose(&["> 0", ">= 1", "> 0", ">= 0"]), self.nearly(&format!("{n} - 1")));
                let mut body = vec![];
                let (l, r) = (format!("{} - 1", i.name), format!("{} + 1", i.name));
                self.touch(s, &a, &l, &mut body);
                self.touch(s, &a, &r, &mut body);
                out.push(Stmt::block(format!("if ({} {lo} && {} < {m}) {{", i.name, i.name), keep_scope(s, body)));
            }
            10 => {
                // Through an index that memory holds.
                let from: Vec<Array> = s.arrays.iter().filter(|b| b.integer && !b.square).cloned().collect();
                let Some(b) = from.get(self.below(from.len().max(1))).cloned() else { return };
                let Some(i) = self.int(s) else { return };
                let (name, lt, m) = (self.name('v'), self.less(), self.nearly(&n));
                let mut body = vec![Stmt::line(format!("int {name} = {}[{}];", b.name, i.name))];
                let mut inner = s.clone();
                inner.ints.push(Int { name: name.clone(), ty: Ty::I32, mutable: false, data: true });
                self.guarded(&mut inner, &a, &format!("{name} >= 0 && {name} {lt} {m}"), &name, &mut body);
                out.push(Stmt::block(format!("if ({} >= 0 && {} < {}) {{", i.name, i.name, b.extent), body));
            }
            _ => {
                let k = self.small();
                self.touch(s, &a, &k, out);
            }
        }
    }

    /// Rows and columns.
    fn two(&mut self, s: &mut Scope, a: &Array, depth: u32, out: &mut Vec<Stmt>) {
        let Some((rows, cols)) = a.dims.clone() else { return };
        let index = |g: &mut Self, r: &str, c: &str| {
            if a.square {
                format!("[{r}][{c}]")
            } else if g.slip() {
                format!("{c} * {rows} + {r}")
            } else {
                format!("{r} * {cols} + {c}")
            }
        };
        let (Some(r), Some(c)) = (self.int(s), self.int(s)) else { return };
        match self.below(if depth > 0 { 4 } else { 3 }) {
            0 | 1 => {
                let (l1, l2, m1, m2) = (self.less(), self.less(), self.nearly(&rows), self.nearly(&cols));
                let low = |g: &mut Self, v: &Int| {
                    if v.ty.signed() && g.chance(60) { format!("{} >= 0 && ", v.name) } else { String::new() }
                };
                let (a1, a2) = (low(self, &r), low(self, &c));
                let op = if self.slip() { "||" } else { "&&" };
                let i = index(self, &r.name, &c.name);
                self.guarded(s, a, &format!("{a1}{} {l1} {m1} {op} {a2}{} {l2} {m2}", r.name, c.name), &i, out);
            }
            2 => {
                let (e, f) = (self.expr(s, 1), self.expr(s, 1));
                let i = index(
                    self,
                    &format!("((unsigned){} % {rows})", atom(&e)),
                    &format!("((unsigned){} % {cols})", atom(&f)),
                );
                self.guarded(s, a, &format!("{rows} > 0 && {cols} > 0"), &i, out);
            }
            _ => {
                let b = self.nearly(&cols);
                let mut inner = Scope { looped: true, ..s.clone() };
                let (head, tail, pre) = self.loop_form(&mut inner, &b);
                out.extend(pre);
                let j = inner.ints.last().map_or(String::new(), |v| v.name.clone());
                let i = index(self, &r.name, &j);
                let (lt, m) = (self.less(), self.nearly(&rows));
                let mut body = vec![];
                self.guarded(&mut inner, a, &format!("{} >= 0 && {} {lt} {m}", r.name, r.name), &i, &mut body);
                body.extend(tail);
                out.push(head_block(head, body));
            }
        }
    }

    /// Another pointer to the same array, with an extent of its own.
    fn alias(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let a = self.choose(&s.arrays);
        if a.square {
            return;
        }
        let Some(i) = self.int(s) else { return };
        let name = self.name('q');
        match self.below(4) {
            0 => {
                out.push(Stmt::line(format!("{} *{name} = {} + {};", a.elem, a.name, i.name)));
                s.arrays.push(Array { name, extent: format!("({} - {})", a.extent, i.name), dims: None, ..a });
            }
            1 => {
                let same: Vec<Array> = s.arrays.iter().filter(|b| b.elem == a.elem && !b.square).cloned().collect();
                let b = self.choose(&same);
                let c = self.cond(s, 1);
                out.push(Stmt::line(format!("{} *{name} = {c} ? {} : {};", a.elem, a.name, b.name)));
                s.arrays.push(Array { name, dims: None, ..a });
            }
            2 => {
                // Walks.
                let (j, end) = (self.name('q'), self.nearly(&a.extent));
                let step = self.choose(&["1", "1", "2"]);
                let mut body = vec![];
                self.touch(&mut s.clone(), &Array { name: j.clone(), ..a.clone() }, "0", &mut body);
                let lt = self.less();
                out.push(Stmt::block(
                    format!("for ({} *{j} = {}; {j} {lt} {} + {end}; {j} += {step}) {{", a.elem, a.name, a.name),
                    body,
                ));
            }
            _ => {
                out.push(Stmt::line(format!("{} *{name} = &{}[{}];", a.elem, a.name, i.name)));
                let k = self.choose(&["0", "-1", "1"]);
                let guard = format!("{} >= 0 && {} < {}", i.name, i.name, a.extent);
                self.guarded(s, &Array { name, ..a.clone() }, &guard, k, out);
            }
        }
    }

    fn a_loop(&mut self, s: &mut Scope, depth: u32, out: &mut Vec<Stmt>) {
        let bound = match self.int(s) {
            Some(v) if self.chance(60) => v.name,
            _ => self.positive(),
        };
        let mut inner = Scope { looped: true, ..s.clone() };
        let (head, tail, pre) = self.loop_form(&mut inner, &bound);
        out.extend(pre);
        let n = 1 + self.below(2);
        let mut body = self.stmts(&mut inner, n, depth - 1);
        if self.chance(40)
            && let Some(a) = self.assign(s)
        {
            body.push(a);
        }
        body.extend(tail);
        out.push(head_block(head, body));
    }

    /// The head of a loop whose variable is the scope's last, what ends its body, and what stands before it.
    fn loop_form(&mut self, s: &mut Scope, bound: &str) -> (String, Vec<Stmt>, Vec<Stmt>) {
        let j = self.name('v');
        let t = [Ty::I32, Ty::U32, Ty::I64, Ty::U64, Ty::U8, Ty::I16, Ty::U16, Ty::I8][if self.narrow {
            self.weigh(&[30, 12, 5, 5, 16, 10, 10, 12])
        } else {
            self.weigh(&[60, 14, 6, 6, 5, 3, 3, 3])
        }];
        let start = if self.chance(65) { "0".to_owned() } else { self.leaf_of(s) };
        let step = match self.below(8) {
            0 => "2".into(),
            1 => "3".into(),
            2 => match self.int(s) {
                Some(v) => format!("({} > 0 ? {} : 1)", v.name, v.name),
                None => "1".into(),
            },
            _ => "1".to_owned(),
        };
        let lt = self.less();
        let ty = t.name();
        let (mut pre, mut tail) = (vec![], vec![]);
        let form = self.weigh(&[40, 8, 6, 7, 7, if s.device { 8 } else { 0 }, 8, 6, 5, 4, 4, 3]);
        let head = match form {
            0 => format!("for ({ty} {j} = {start}; {j} {lt} {bound}; {j} += {step}) {{"),
            1 => format!("for (int {j} = {bound} - 1; {j} {} 0; {j}--) {{", if self.slip() { ">" } else { ">=" }),
            2 => format!("for (unsigned {j} = {bound}; {j}-- > 0;) {{"),
            3 => format!("for ({ty} {j} = {bound}; {j} > 0; {j} {}) {{", self.choose(&["/= 2", ">>= 1"])),
            4 => format!("for (int {j} = 1; {j} {lt} {bound}; {j} {}) {{", self.choose(&["*= 2", "<<= 1"])),
            5 => format!(
                "for (int {j} = blockIdx.x * blockDim.x + threadIdx.x; {j} {lt} {bound}; {j} += gridDim.x * blockDim.x) {{"
            ),
            6 => {
                pre.push(Stmt::line(format!("{ty} {j} = {start};")));
                tail.push(Stmt::line(format!("{j} += {step};")));
                format!("while ({j} {lt} {bound}) {{")
            }
            7 => {
                pre.push(Stmt::line(format!("{ty} {j} = {start};")));
                format!("do {{ // while ({j} += {step}, {j} {lt} {bound})")
            }
            8 => {
                let l = self.name('v');
                format!("for (int {j} = 0, {l} = {bound} - 1; {j} < {l}; {j}++, {l}--) {{")
            }
            9 => {
                tail.push(Stmt::line(format!("if (++{j} {} {bound}) break;", self.least())));
                format!("for (int {j} = 0;;) {{")
            }
            10 => format!("for (int {j} = {start}; {j} != {bound}; {j}++) {{"),
            _ => format!("for (unsigned {j} = {bound} - 1; {j} < {bound}; {j}--) {{"),
        };
        // A `continue` would skip what ends the body.
        if !tail.is_empty() {
            s.looped = false;
        }
        let ty = match form {
            0 | 3 | 6 | 7 => t,
            2 | 11 => Ty::U32,
            _ => Ty::I32,
        };
        s.ints.push(Int { name: j, ty, mutable: false, data: false });
        (head, tail, pre)
    }

    fn leaf_of(&mut self, s: &Scope) -> String {
        match self.int(s) {
            Some(v) => v.name,
            None => self.small(),
        }
    }
}

fn head_block(head: String, body: Vec<Stmt>) -> Stmt {
    match head.strip_prefix("do { // ") {
        Some(test) => Stmt::Block { head: "do {".into(), body, tail: format!("}} {test};") },
        None => Stmt::block(head, body),
    }
}

/// What a block declares does not leave it.
fn keep_scope(s: &mut Scope, body: Vec<Stmt>) -> Vec<Stmt> {
    let declared = |name: &str| body.iter().any(|b| matches!(b, Stmt::Line(t) if t.contains(&format!(" {name} ="))));
    s.ints.retain(|v| !declared(&v.name));
    body
}
