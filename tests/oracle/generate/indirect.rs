//! What kernels do with index arrays: follow them, set them, count in them.

use super::contents::Index;
use super::{Array, Gen, Int, Scope, Stmt, Ty};

impl Gen {
    /// A statement about an index array of the scope.
    pub fn indirect(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let Some(x) = s.indices.get(self.below(s.indices.len().max(1))).cloned() else { return };
        let Some(i) = self.int(s) else { return };
        let mut body = vec![];
        let mut inner = s.clone();
        match self.weigh(&[45, 22, 8, 8, 6, 6, 5]) {
            0 => self.follow(&mut inner, &x, &i.name, &mut body),
            1 if x.is_writable() => self.set(&mut inner, &x, &i.name, &mut body),
            2 if x.is_writable() => return self.take(s, &x, out),
            3 => self.row(&mut inner, &x, &i.name, &mut body),
            4 if x.is_writable() => self.jump(&mut inner, &x, &i.name, &mut body),
            5 => return self.search(s, &x, &i.name, out),
            6 => return self.pairs(s, &x, &i, out),
            _ => self.follow(&mut inner, &x, &i.name, &mut body),
        }
        let (lt, n) = (self.less(), self.nearly(&x.array.extent));
        let low = if i.ty.signed() && !self.chance(30) { format!("{} >= 0 && ", i.name) } else { String::new() };
        if self.chance(85) {
            out.push(Stmt::block(format!("if ({low}{} {lt} {n}) {{", i.name), body));
        } else {
            out.extend(body);
        }
    }

    /// An array that the numbers of `x` are meant for, if there is one.
    fn meant_by(&mut self, s: &Scope, x: &Index) -> Array {
        let fits: Vec<Array> = s.arrays.iter().filter(|a| !a.square && a.extent == x.top).cloned().collect();
        if !fits.is_empty() && self.chance(85) {
            return self.choose(&fits);
        }
        let mut others: Vec<Array> = s.arrays.iter().filter(|a| !a.square).cloned().collect();
        if others.is_empty() {
            others.clone_from(&s.arrays);
        }
        // It may be written to, and kernels cannot write what is constant: nvcc refuses that.
        if others.is_empty() || x.is_writable() && self.chance(20) { x.array.clone() } else { self.choose(&others) }
    }

    /// Uses a number as the index of another array.
    fn through(&mut self, s: &mut Scope, a: &Array, v: &str, body: &mut Vec<Stmt>) {
        let (lt, n) = (self.less(), self.nearly(&a.extent));
        match self.weigh(&[50, 14, 7, 8, 6, 5, 5, 5]) {
            0 => self.touch(s, a, v, body),
            1 => self.guarded(s, a, &format!("{v} >= 0 && {v} {lt} {n}"), v, body),
            2 => self.guarded(s, a, &format!("{v} {lt} {n}"), v, body),
            3 => self.guarded(s, a, &format!("(unsigned){v} {lt} {n}"), v, body),
            4 => {
                let op = self.choose(&["!=", ">"]);
                self.guarded(s, a, &format!("{v} {op} -1"), v, body);
            }
            5 => {
                let k = self.choose(&["+ 1", "- 1", "/ 2", "* 2"]);
                self.touch(s, a, &format!("({v} {k})"), body);
            }
            6 => {
                let k = self.choose(&["+ 1", "- 1"]);
                self.guarded(s, a, &format!("{v} {k} >= 0 && {v} {k} {lt} {n}"), &format!("({v} {k})"), body);
            }
            _ => self.touch(s, a, &format!("min((int){v}, (int){n} - 1)"), body),
        }
    }

    fn follow(&mut self, s: &mut Scope, x: &Index, i: &str, body: &mut Vec<Stmt>) {
        let (v, ty) = (self.name('v'), if self.chance(80) { Ty::I32 } else { self.ty() });
        let a = self.meant_by(s, x);
        let others: Vec<Index> = s.indices.clone();
        let y = self.choose(&others);
        let read = match self.weigh(&[70, 10, 6, 8, 6]) {
            0 => format!("{}[{i}]", x.array.name),
            1 => format!("{}[{}[{i}]]", y.array.name, x.array.name),
            2 => format!("{}[{i}] & {}", x.array.name, self.choose(&["3", "7"])),
            3 => format!("{}[{i}] + {}", x.array.name, self.choose(&["0", "1", "-1"])),
            _ => format!("{i} % 2 ? {}[{i}] : {}", x.array.name, self.small()),
        };
        body.push(Stmt::line(format!("{} {v} = {read};", ty.name())));
        self.through(s, &a, &v, body);
    }

    /// Gives an element another value, in one of the ways of a kernel.
    fn set(&mut self, s: &mut Scope, x: &Index, i: &str, body: &mut Vec<Stmt>) {
        let (a, top) = (&x.array.name, self.nearly(&x.top));
        let others: Vec<Index> = s.indices.clone();
        let y = self.choose(&others).array.name;
        let e = match self.weigh(&[22, 14, 10, 8, 10, 8, 6, 10, 5]) {
            0 => i.to_owned(),
            1 => format!("{top} > 0 ? {i} % {top} : 0"),
            2 => format!("min((int){i}, (int){top} - 1)"),
            3 => format!("{top} - 1 - {i}"),
            4 => format!("{y}[{i}]"),
            5 => format!("{a}[{i}] {} 1", self.choose(&["+", "-", "^", "/"])),
            6 => self.small(),
            7 => self.expr(s, 2),
            _ => format!("{i} > 0 ? {y}[{i} - 1] : 0"),
        };
        let wide = matches!(x.array.elem, "int" | "unsigned");
        match self.weigh(&[
            60,
            if wide { 6 } else { 0 },
            if wide { 6 } else { 0 },
            if wide { 6 } else { 0 },
            if wide { 4 } else { 0 },
            5,
            5,
            6,
        ]) {
            0 => body.push(Stmt::line(format!("{a}[{i}] = {e};"))),
            1 => body.push(Stmt::line(format!(
                "{}(&{a}[{i}], {e});",
                self.choose(&["atomicMax", "atomicMin", "atomicExch"])
            ))),
            2 => body.push(Stmt::line(format!("atomicCAS(&{a}[{i}], {}, {e});", self.small()))),
            3 => body.push(Stmt::line(format!(
                "{}(&{a}[{i}], {});",
                self.choose(&["atomicAdd", "atomicSub", "atomicOr", "atomicXor", "atomicAnd"]),
                self.choose(&["1", "1", "0", "2"])
            ))),
            4 => body.push(Stmt::line(format!("atomicInc((unsigned *)&{a}[{i}], {top});"))),
            5 => body.push(Stmt::line(format!("((char *){a})[{i}] = {};", self.choose(&["0", "1", "-1"])))),
            6 => {
                let c = self.cond(s, 1);
                body.push(Stmt::line(format!("if ({c}) {a}[{i}] = {e};")));
            }
            _ => {
                let (t, lt, n) = (self.name('v'), self.less(), &x.array.extent);
                body.push(Stmt::line(format!(
                    "if ({i} + 1 {lt} {n}) {{ {} {t} = {a}[{i}]; {a}[{i}] = {a}[{i} + 1]; {a}[{i} + 1] = {t}; }}",
                    x.array.elem
                )));
            }
        }
        if self.chance(30) {
            self.follow(s, x, i, body);
        }
    }

    /// Takes the next free place of an array by counting.
    fn take(&mut self, s: &mut Scope, x: &Index, out: &mut Vec<Stmt>) {
        if !matches!(x.array.elem, "int" | "unsigned") {
            return;
        }
        let (v, k, a) = (self.name('v'), self.choose(&["0", "0", "1"]), self.meant_by(s, x));
        let top = self.nearly(&a.extent);
        let call = match self.weigh(&[60, 10, 10, 10, 10]) {
            0 => format!("atomicAdd(&{}[{k}], 1)", x.array.name),
            1 => format!("atomicSub(&{}[{k}], 1)", x.array.name),
            2 => format!("atomicInc((unsigned *)&{}[{k}], {top})", x.array.name),
            3 => format!("atomicDec((unsigned *)&{}[{k}], {top})", x.array.name),
            _ => format!("atomicAdd(&{}[{k}], {})", x.array.name, self.choose(&["2", "0", "-1"])),
        };
        let mut body = vec![Stmt::line(format!("int {v} = {call};"))];
        self.through(&mut s.clone(), &a, &v, &mut body);
        out.push(Stmt::block(format!("if ({} > {k}) {{", x.array.extent), body));
    }

    /// From one number to the next, as in compressed rows.
    fn row(&mut self, s: &mut Scope, x: &Index, i: &str, body: &mut Vec<Stmt>) {
        let (j, a, lt) = (self.name('v'), self.meant_by(s, x), self.less());
        let mut inner = vec![];
        self.touch(&mut s.clone(), &a, &j, &mut inner);
        let n = &x.array.extent;
        let next = self.choose(&["+ 1", "+ 1", "+ 0"]);
        body.push(Stmt::block(
            format!("if ({i} + 1 {lt} {n}) {{"),
            vec![Stmt::block(
                format!(
                    "for (int {j} = {}[{i}]; {j} {} {}[{i} {next}]; {j}++) {{",
                    x.array.name,
                    self.choose(&["<", "<", "<="]),
                    x.array.name
                ),
                inner,
            )],
        ));
    }

    /// Follows an array in itself.
    fn jump(&mut self, s: &mut Scope, x: &Index, i: &str, body: &mut Vec<Stmt>) {
        let (p, t, a, times) = (self.name('v'), self.name('v'), self.meant_by(s, x), self.choose(&["2", "3", "4"]));
        let name = &x.array.name;
        body.push(Stmt::line(format!(
            "int {p} = {};",
            if self.chance(50) { format!("{name}[{i}]") } else { i.to_owned() }
        )));
        body.push(match self.below(3) {
            0 => Stmt::line(format!("for (int {t} = 0; {t} < {times}; {t}++) {p} = {name}[{p}];")),
            1 => {
                Stmt::line(format!("for (int {t} = 0; {t} < {times} && {name}[{p}] != {p}; {t}++) {p} = {name}[{p}];"))
            }
            _ => Stmt::line(format!(
                "for (int {t} = 0; {t} < {times}; {t}++) {{ {name}[{i}] = {name}[{p}]; {p} = {name}[{i}]; }}"
            )),
        });
        self.through(s, &a, &p, body);
    }

    /// Looks for a number, and goes on from where it was found.
    fn search(&mut self, s: &mut Scope, x: &Index, i: &str, out: &mut Vec<Stmt>) {
        let (j, f, a) = (self.name('v'), self.name('v'), self.meant_by(s, x));
        let (lt, n) = (self.less(), self.nearly(&x.array.extent));
        let start = self.choose(&["-1", "-1", "0"]);
        out.push(Stmt::line(format!("int {f} = {start};")));
        out.push(Stmt::line(format!(
            "for (int {j} = 0; {j} {lt} {n}; {j}++) if ({}[{j}] {} {i}) {f} = {};",
            x.array.name,
            self.choose(&["==", "==", "<", ">"]),
            if self.chance(70) { j.clone() } else { format!("{}[{j}]", x.array.name) }
        )));
        self.through(s, &a, &f, out);
    }

    /// Two numbers at a time.
    fn pairs(&mut self, s: &mut Scope, x: &Index, i: &Int, out: &mut Vec<Stmt>) {
        if x.array.elem != "int" {
            return;
        }
        let (v, a) = (self.name('v'), self.meant_by(s, x));
        let (lt, n) = (self.less(), self.nearly(&format!("{} / 2", x.array.extent)));
        let low = if i.ty.signed() { format!("{} >= 0 && ", i.name) } else { String::new() };
        let field = self.choose(&["x", "y"]);
        let mut body = vec![Stmt::line(format!("int2 {v} = ((int2 *){})[{}];", x.array.name, i.name))];
        self.through(&mut s.clone(), &a, &format!("{v}.{field}"), &mut body);
        out.push(Stmt::block(format!("if ({low}{} {lt} {n}) {{", i.name), body));
    }

    /// Carries numbers through shared memory, at the top of a kernel.
    pub fn staged(&mut self, s: &mut Scope, out: &mut Vec<Stmt>) {
        let Some(x) = s.indices.get(self.below(s.indices.len().max(1))).cloned() else { return };
        let (t, n, a) = (self.name('s'), self.choose(&["8", "16", "33"]), self.meant_by(s, &x));
        let Some(i) = self.int(s) else { return };
        let (lt, from) = (self.less(), self.choose(&["threadIdx.x", "threadIdx.x", "threadIdx.x ^ 1", "0"]));
        let guard = if i.ty.signed() { format!("{} >= 0 && ", i.name) } else { String::new() };
        out.push(Stmt::line(format!("__shared__ int {t}[{n}];")));
        if self.chance(80) {
            out.push(Stmt::line(format!("if (threadIdx.x < {n}) {t}[threadIdx.x] = 0;")));
            out.push(Stmt::line("__syncthreads();"));
        }
        out.push(Stmt::line(format!(
            "if (threadIdx.x < {n} && {guard}{} {lt} {}) {t}[threadIdx.x] = {}[{}];",
            i.name, x.array.extent, x.array.name, i.name
        )));
        out.push(Stmt::line("__syncthreads();"));
        let v = self.name('v');
        let mut body = vec![Stmt::line(format!("int {v} = {t}[{from}];"))];
        self.through(&mut s.clone(), &a, &v, &mut body);
        out.push(Stmt::block(format!("if (({from}) {} {n}) {{", self.less()), body));
    }
}
