//! Index arrays on the host: how they are filled, checked, changed and copied. What kernels do with them is in
//! [`super::indirect`].

use super::{Array, Gen, Int, Scope, Stmt, Ty};

/// An array of numbers that kernels take for indices.
#[derive(Clone, Debug)]
pub struct Index {
    pub array: Array,
    /// What its numbers are meant to stay below.
    pub top: String,
    /// Its size in bytes.
    bytes: String,
    /// A variable of file scope.
    symbol: bool,
    constant: bool,
}

impl Gen {
    /// One or two of them, filled.
    pub fn index_arrays(
        &mut self,
        s: &Scope,
        dims: &[Int],
        buffers: &[Array],
        items: &mut Vec<Stmt>,
        body: &mut Vec<Stmt>,
    ) -> Vec<Index> {
        let mut out: Vec<Index> = vec![];
        for _ in 0..=self.below(2) {
            let index = if self.chance(15) {
                self.index_symbol(buffers, items)
            } else {
                self.index_buffer(dims, buffers, body)
            };
            self.fill_index(s, &index, out.last(), body);
            out.push(index);
        }
        out
    }

    fn index_type(&mut self) -> &'static str {
        if self.narrow {
            self.choose(&["int", "int", "short", "unsigned char", "signed char", "unsigned short"])
        } else {
            self.choose(&["int", "int", "int", "int", "int", "unsigned", "short", "unsigned char", "long long"])
        }
    }

    fn index_symbol(&mut self, buffers: &[Array], items: &mut Vec<Stmt>) -> Index {
        let (name, n, elem) = (format!("@{}", self.name('g')), self.choose(&["4", "8", "16"]), self.index_type());
        let set = if self.chance(25) { " = {0, 1, 3, 2}" } else { "" };
        let constant = self.chance(33);
        items.push(Stmt::line(format!(
            "{} {elem} {name}[{n}]{set};",
            if constant { "__constant__" } else { "__device__" }
        )));
        let top = self.choose(buffers).extent;
        Index {
            array: Array { name, elem, extent: n.into(), dims: None, square: false, integer: true },
            top,
            bytes: format!("{n} * sizeof({elem})"),
            symbol: true,
            constant,
        }
    }

    fn index_buffer(&mut self, dims: &[Int], buffers: &[Array], body: &mut Vec<Stmt>) -> Index {
        let target = self.choose(buffers);
        let extent = match self.weigh(&[45, 30, 15, 10]) {
            0 => self.choose(dims).name,
            1 => target.extent.clone(),
            2 => format!("({} + 1)", self.choose(dims).name),
            _ => self.positive(),
        };
        let (name, elem, size) = (self.name('a'), self.index_type(), self.nearly(&extent));
        let bytes = format!("{size} * sizeof({elem})");
        body.push(Stmt::line(format!("{elem} *{name} = nullptr;")));
        body.push(Stmt::line(format!(
            "{}(&{name}, {bytes});",
            if self.chance(10) { "cudaMallocManaged" } else { "cudaMalloc" }
        )));
        let array = Array { name, elem, extent, dims: None, square: false, integer: true };
        let top = if self.chance(75) { target.extent } else { array.extent.clone() };
        Index { array, top, bytes, symbol: false, constant: false }
    }

    /// The first contents: the host's by a loop, a value in each byte, or those of another array.
    fn fill_index(&mut self, s: &Scope, x: &Index, other: Option<&Index>, body: &mut Vec<Stmt>) {
        let a = &x.array;
        let other = other.filter(|o| !o.symbol && !x.symbol && o.array.elem == a.elem);
        match self.weigh(&[
            70,
            if x.symbol { 0 } else { 18 },
            if other.is_some() { 12 } else { 0 },
            if x.symbol { 20 } else { 0 },
        ]) {
            0 => {
                let h = self.host_copy(x, body);
                self.values(s, x, &h, body);
                for _ in 0..[0, 1, 2][self.weigh(&[50, 35, 15])] {
                    self.overwrite(s, x, &h, body);
                }
                if self.chance(35) {
                    self.check(x, &h, body);
                }
                if self.chance(12) {
                    self.overwrite(s, x, &h, body);
                }
                self.upload(x, &h, body);
                // The copy was made before.
                if self.chance(12) {
                    self.overwrite(s, x, &h, body);
                }
            }
            1 => body.push(self.clear(x, "0")),
            2 => {
                let Some(o) = other else { return };
                body.push(self.clear(x, "0"));
                let bytes = self.choose(&[&x.bytes, &o.bytes, &o.bytes]).clone();
                body.push(Stmt::line(format!(
                    "cudaMemcpy({}, {}, {bytes}, cudaMemcpyDeviceToDevice);",
                    a.name, o.array.name
                )));
            }
            _ => {}
        }
        if !x.symbol && self.chance(12) {
            let at = self.small();
            body.push(Stmt::line(format!(
                "cudaMemset({} + {at}, {}, {} * sizeof({}));",
                a.name,
                self.choose(&["0", "1", "255"]),
                self.choose(&["1", "1", "2"]),
                a.elem
            )));
        }
    }

    fn clear(&mut self, x: &Index, byte: &str) -> Stmt {
        let byte = if self.chance(80) { byte } else { self.choose(&["1", "255", "2"]) };
        Stmt::line(format!("cudaMemset({}, {byte}, {});", x.array.name, x.bytes))
    }

    /// Declares the host's array, every byte of it set.
    fn host_copy(&mut self, x: &Index, body: &mut Vec<Stmt>) -> String {
        let (h, a) = (self.name('h'), &x.array);
        match if x.symbol { self.weigh(&[0, 0, 0, 60, 40]) } else { self.weigh(&[45, 30, 25, 0, 0]) } {
            0 => body.push(Stmt::line(format!("{} *{h} = ({} *)malloc({});", a.elem, a.elem, x.bytes))),
            1 => body
                .push(Stmt::line(format!("{} *{h} = ({} *)calloc({}, sizeof({}));", a.elem, a.elem, a.extent, a.elem))),
            2 => {
                body.push(Stmt::line(format!("{} *{h} = ({} *)malloc({});", a.elem, a.elem, x.bytes)));
                body.push(Stmt::line(format!("memset({h}, {}, {});", self.choose(&["0", "0", "1", "255"]), x.bytes)));
            }
            3 => body.push(Stmt::line(format!("{} {h}[{}] = {{}};", a.elem, a.extent))),
            _ => body.push(Stmt::line(format!("{} {h}[{}] = {{0, 2, 1, 3}};", a.elem, a.extent))),
        }
        h
    }

    /// A number that belongs into round `j` of a loop over `h`.
    fn value(&mut self, s: &Scope, x: &Index, h: &str, j: &str) -> String {
        let top = self.nearly(&x.top);
        let k = self.positive();
        match self.weigh(&[18, 12, 16, 8, 8, 6, 6, 5, 5, 6, 4, 6]) {
            0 => j.to_owned(),
            1 => format!("{top} > 0 ? {j} % {top} : 0"),
            2 => format!("rand() % ({top} > 0 ? {top} : 1)"),
            3 => format!("{top} - 1 - {j}"),
            4 => format!("std::min((int){j}, (int){top} - 1)"),
            5 => self.small(),
            6 => format!("({j} * {k}) % ({top} > 0 ? {top} : 1)"),
            7 => format!("rand() & {}", self.choose(&["1", "3", "7"])),
            8 => format!("{j} > 0 ? {h}[{j} - 1] + {} : 0", self.choose(&["1", "1", "2", "rand() % 2"])),
            9 => {
                let Some(v) = self.int(s) else { return k };
                v.name
            }
            10 => format!("{j} / {k}"),
            _ => {
                let mut inner = s.clone();
                inner.ints.push(Int { name: j.into(), ty: Ty::I32, mutable: false, data: false });
                self.expr(&inner, 2)
            }
        }
    }

    /// The loops that give every element its value.
    fn values(&mut self, s: &Scope, x: &Index, h: &str, body: &mut Vec<Stmt>) {
        let (j, n, lt) = (self.name('v'), self.nearly(&x.array.extent), self.less());
        let e = self.value(s, x, h, &j);
        let cast = if self.chance(10) { format!("({})", self.ty().name()) } else { String::new() };
        let set = format!("{h}[{j}] = {cast}({e});");
        match self.weigh(&[54, 8, 8, 8, 6, 8, 10]) {
            0 => body.push(Stmt::line(format!("for (int {j} = 0; {j} {lt} {n}; {j}++) {set}"))),
            1 => body.push(Stmt::line(format!("for (int {j} = {n} - 1; {j} >= 0; {j}--) {set}"))),
            2 => {
                let f = self.value(s, x, h, &j);
                body.push(Stmt::block(
                    format!("for (int {j} = 0; {j} + 1 {lt} {n}; {j} += 2) {{"),
                    vec![Stmt::line(set), Stmt::line(format!("{h}[{j} + 1] = {f};"))],
                ));
            }
            3 => {
                let half = format!("{n} / 2");
                let f = self.value(s, x, h, &j);
                body.push(Stmt::line(format!("for (int {j} = 0; {j} {lt} {half}; {j}++) {set}")));
                body.push(Stmt::line(format!("for (int {j} = {half}; {j} < {n}; {j}++) {h}[{j}] = {f};")));
            }
            4 => {
                // Counts of a compressed row, and their sums.
                let (top, start) = (self.nearly(&x.top), self.choose(&["0", "0", "0", "1"]));
                body.push(Stmt::line(format!("if ({n} > 0) {h}[0] = {start};")));
                body.push(Stmt::line(format!(
                    "for (int {j} = 1; {j} {lt} {n}; {j}++) {h}[{j}] = {h}[{j} - 1] + ({h}[{j} - 1] {lt} {top});"
                )));
            }
            5 => {
                // What has been added up so far.
                let (c, start, step) = (self.name('v'), self.choose(&["0", "0", "1", "-1"]), self.step(&j));
                match self.below(3) {
                    0 => {
                        body.push(Stmt::line(format!("int {c} = {start};")));
                        body.push(Stmt::block(
                            format!("for (int {j} = 0; {j} {lt} {n}; {j}++) {{"),
                            vec![Stmt::line(format!("{h}[{j}] = {c};")), Stmt::line(step.replace('@', &c))],
                        ));
                    }
                    1 => {
                        body.push(Stmt::line(format!("int {c} = {start};")));
                        body.push(Stmt::block(
                            format!("for (int {j} = 0; {j} {lt} {n}; {j}++) {{"),
                            vec![Stmt::line(step.replace('@', &c)), Stmt::line(format!("{h}[{j}] = {c};"))],
                        ));
                    }
                    _ => {
                        let step =
                            self.choose(&["rand() % 3", "1", "2", "-1", "(rand() & 1)", "v % 2"]).replace('v', &j);
                        body.push(Stmt::line(format!("if ({n} > 0) {h}[0] = {start};")));
                        body.push(Stmt::line(format!(
                            "for (int {j} = 0; {j} + 1 {lt} {n}; {j}++) {h}[{j} + 1] = {h}[{j}] + {step};"
                        )));
                    }
                }
            }
            _ => {
                let mut inner = s.clone();
                inner.ints.push(Int { name: j.clone(), ty: Ty::I32, mutable: false, data: false });
                let c = self.cond(&inner, 1);
                let f = self.value(s, x, h, &j);
                body.push(Stmt::block(
                    format!("for (int {j} = 0; {j} {lt} {n}; {j}++) {{"),
                    vec![
                        Stmt::line(format!("if ({c}) {set}")),
                        Stmt::line(if self.chance(60) { format!("else {h}[{j}] = {f};") } else { String::new() }),
                    ],
                ));
            }
        }
    }

    /// Moves `@` in round `j`.
    fn step(&mut self, j: &str) -> String {
        let k = self.positive();
        self.choose(&[
            "@++;",
            "@ += rand() % 3;",
            "@ += J % K;",
            "if (rand() % 2) @++;",
            "if (J % 2) @ += K;",
            "@ -= rand() % 2;",
            "@ += J;",
            "@ = @ + (rand() % K) - 1;",
        ])
        .replace('J', j)
        .replace('K', &k)
    }

    /// Changes some of the host's elements.
    fn overwrite(&mut self, s: &Scope, x: &Index, h: &str, body: &mut Vec<Stmt>) {
        let n = &x.array.extent;
        let (j, lt) = (self.name('v'), self.less());
        match self.below(7) {
            0 => {
                let (k, e) = (self.small(), self.value(s, x, h, "0"));
                body.push(Stmt::line(format!("if ({k} < {n}) {h}[{k}] = {e};")));
            }
            1 => {
                let Some(v) = self.int(s) else { return };
                let e = self.value(s, x, h, "1");
                body.push(Stmt::line(format!("if ({n} > 0) {h}[(unsigned){} % (unsigned){n}] = {e};", v.name)));
            }
            2 => {
                let (k, e) = (self.small(), self.value(s, x, h, &j));
                body.push(Stmt::line(format!(
                    "for (int {j} = {k}; {j} {lt} {n}; {j} += {}) {h}[{j}] = {e};",
                    self.choose(&["1", "2", "3"])
                )));
            }
            3 => body.push(Stmt::line(format!("if ({n} > 1) std::swap({h}[0], {h}[{n} - 1]);"))),
            4 => {
                let b = self.choose(&["0", "0", "1"]);
                body.push(Stmt::line(format!("if ({n} > 2) memset({h} + 1, {b}, sizeof({}));", x.array.elem)));
            }
            5 => {
                let top = self.nearly(&x.top);
                body.push(Stmt::line(format!(
                    "for (int {j} = 0; {j} {lt} {n}; {j}++) if ({h}[{j}] {} {top}) {h}[{j}] = {};",
                    self.least(),
                    self.choose(&["0", "0", "1"])
                )));
            }
            _ => {
                let k = self.positive();
                body.push(Stmt::line(format!("if ({n} > {k}) {h}[{n} - {k}] {} 1;", self.choose(&["+=", "-=", "="]))));
            }
        }
    }

    /// Leaves where some number is no index, or nearly so.
    fn check(&mut self, x: &Index, h: &str, body: &mut Vec<Stmt>) {
        let (j, lt, ge) = (self.name('v'), self.less(), self.least());
        let (n, top) = (self.nearly(&x.array.extent), self.nearly(&x.top));
        let low = if self.slip() { String::new() } else { format!("{h}[{j}] < 0 || ") };
        let bad = format!("{low}{h}[{j}] {ge} {top}");
        let head = match self.below(5) {
            0 => format!("for (int {j} = {n} - 1; {j} >= 0; {j}--)"),
            1 if self.slip() => format!("for (int {j} = 1; {j} {lt} {n}; {j}++)"),
            _ => format!("for (int {j} = 0; {j} {lt} {n}; {j}++)"),
        };
        match self.weigh(&[40, 15, 20, 10, if self.wrong > 0 { 15 } else { 5 }]) {
            0 => body.push(Stmt::line(format!("{head} if ({bad}) return 1;"))),
            1 => body.push(Stmt::line(format!("{head} if ({bad}) exit(2);"))),
            2 => {
                let ok = self.name('v');
                body.push(Stmt::line(format!("bool {ok} = true;")));
                body.push(Stmt::line(format!("{head} if ({bad}) {ok} = false;")));
                body.push(Stmt::line(format!("if (!{ok}) return 1;")));
            }
            3 => {
                let c = self.name('v');
                body.push(Stmt::line(format!("int {c} = 0;")));
                body.push(Stmt::line(format!("{head} {c} += ({bad});")));
                body.push(Stmt::line(format!("if ({c} {} 0) return 1;", self.choose(&["!=", ">", "!="]))));
            }
            // Ends the loop instead.
            _ => body.push(Stmt::line(format!("{head} if ({bad}) break;"))),
        }
    }

    /// To the device.
    fn upload(&mut self, x: &Index, h: &str, body: &mut Vec<Stmt>) {
        let (a, bytes) = (&x.array.name, &x.bytes);
        let elem = x.array.elem;
        if x.symbol {
            let (part, at) = (self.chance(20), self.choose(&["0", "1", "2"]));
            body.push(Stmt::line(if part {
                format!("cudaMemcpyToSymbol({a}, {h}, 2 * sizeof({elem}), {at} * sizeof({elem}));")
            } else {
                format!("cudaMemcpyToSymbol({a}, {h}, {bytes});")
            }));
            return;
        }
        match self.weigh(&[70, 8, 8, 8, 6]) {
            0 => body.push(Stmt::line(format!("cudaMemcpy({a}, {h}, {bytes}, cudaMemcpyHostToDevice);"))),
            1 => {
                body.push(self.clear(x, "0"));
                body.push(Stmt::line(format!(
                    "cudaMemcpy({a}, {h}, {} / 2 * sizeof({elem}), cudaMemcpyHostToDevice);",
                    x.array.extent
                )));
            }
            2 => {
                let k = self.choose(&["1", "2"]);
                body.push(self.clear(x, "0"));
                body.push(Stmt::line(format!(
                    "if ({} > {k}) cudaMemcpy({a} + {k}, {h}, {bytes} - {k} * sizeof({elem}), cudaMemcpyHostToDevice);",
                    x.array.extent
                )));
            }
            3 => {
                let k = self.choose(&["1", "2"]);
                body.push(self.clear(x, "0"));
                body.push(Stmt::line(format!(
                    "if ({} > {k}) cudaMemcpy({a}, {h} + {k}, {bytes} - {k} * sizeof({elem}), cudaMemcpyHostToDevice);",
                    x.array.extent
                )));
            }
            _ => body.push(Stmt::line(format!(
                "for (int j = 0; j < {}; j++) cudaMemcpy({a} + j, {h} + j, sizeof({elem}), cudaMemcpyHostToDevice);",
                x.array.extent
            ))),
        }
    }

    /// What the host does with such an array between two launches. A number read back becomes one of the scope's.
    pub fn between(&mut self, s: &mut Scope, all: &[Index], body: &mut Vec<Stmt>) {
        let x = self.choose(all);
        if x.symbol {
            let h = self.host_copy(&x, body);
            if self.chance(50) {
                body.push(Stmt::line(format!("cudaMemcpyFromSymbol({h}, {}, {});", x.array.name, x.bytes)));
                self.check(&x, &h, body);
            } else {
                self.values(s, &x, &h, body);
            }
            if self.chance(60) {
                self.upload(&x, &h, body);
            }
            return;
        }
        match self.weigh(&[25, 20, 30, 10]) {
            0 => {
                let h = self.host_copy(&x, body);
                body.push(Stmt::line(format!(
                    "cudaMemcpy({h}, {}, {}, cudaMemcpyDeviceToHost);",
                    x.array.name, x.bytes
                )));
                if self.chance(70) {
                    self.check(&x, &h, body);
                } else {
                    self.overwrite(s, &x, &h, body);
                }
                if self.chance(40) {
                    self.upload(&x, &h, body);
                }
            }
            1 => body.push(self.clear(&x, "0")),
            2 => {
                let (w, at) = (self.name('v'), self.choose(&["0", "0", "1"]));
                body.push(Stmt::line(format!("{} {w} = 0;", x.array.elem)));
                body.push(Stmt::line(format!(
                    "if ({} > {at}) cudaMemcpy(&{w}, {} + {at}, sizeof({}), cudaMemcpyDeviceToHost);",
                    x.array.extent, x.array.name, x.array.elem
                )));
                let (top, lt) = (self.nearly(&x.top), self.least());
                if self.chance(50) {
                    body.push(Stmt::line(format!("if ({w} < 0 || {w} {lt} {top}) return 1;")));
                }
                if x.array.elem == "int" {
                    s.ints.push(Int { name: w, ty: Ty::I32, mutable: true, data: true });
                }
            }
            _ => {
                let same: Vec<&Index> = all
                    .iter()
                    .filter(|y| y.array.elem == x.array.elem && !y.symbol && y.array.name != x.array.name)
                    .collect();
                let Some(y) = same.first() else { return };
                body.push(Stmt::line(if self.chance(50) {
                    format!("std::swap({}, {});", x.array.name, y.array.name)
                } else {
                    format!("cudaMemcpy({}, {}, {}, cudaMemcpyDeviceToDevice);", x.array.name, y.array.name, x.bytes)
                }));
            }
        }
    }
}

impl Index {
    /// A kernel gets it as an argument.
    pub const fn is_argument(&self) -> bool {
        !self.symbol
    }

    /// By kernels.
    pub const fn is_writable(&self) -> bool {
        !self.constant
    }

    /// Whether a name stands in what tells its size or its numbers' bound.
    pub fn speaks_of(&self, name: &str) -> bool {
        [&self.array.extent, &self.top].iter().any(|e| e.split(|c: char| !c.is_alphanumeric()).any(|w| w == name))
    }
}
