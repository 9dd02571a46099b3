//! The host side: inputs, sizes, allocations, launches.

use super::kernel::{Kernel, World};
use super::{Array, Gen, Int, Scope, Stmt, Ty};

impl Gen {
    /// File scope of a program, the number of its inputs, and whether it has index arrays.
    pub fn whole(&mut self) -> (Vec<Stmt>, usize, bool) {
        let mut items = vec![];
        let mut s = Scope::default();
        let mut body = vec![];
        if self.chance(15) {
            let f = self.changer(false, &mut items);
            s.changers.push(f);
        }
        let inputs = [1, 2, 3][self.weigh(&[55, 38, 7])];
        if self.chance(50) {
            body.push(Stmt::line(format!("if (argc < {}) return 1;", inputs + 1)));
        }
        for i in 1..=inputs {
            self.input(i, &mut items, &mut s, &mut body);
        }
        if self.chance(45) {
            for _ in 0..=self.below(2) {
                self.derived(&mut s, &mut body);
            }
        }
        let dims: Vec<Int> = s.ints.iter().filter(|v| v.ty == Ty::I32).cloned().collect();
        let globals = self.globals(&mut items);
        let buffers = self.buffers(&s, &dims, &mut body);
        let indices =
            if self.chance(60) { self.index_arrays(&s, &dims, &buffers, &mut items, &mut body) } else { vec![] };
        let sizes = self.device_sizes(&dims, &mut items, &mut body);
        let world = World { buffers: &buffers, indices: &indices, ints: &dims, globals: &globals, sizes: &sizes };
        let kernels = 1 + self.below(if indices.is_empty() { 2 } else { 3 });
        for i in 0..kernels {
            if i > 0 && !indices.is_empty() && self.chance(40) {
                self.between(&mut s, &indices, &mut body);
            }
            let k = self.kernel(&mut items, &world);
            self.launch(&mut s, &k, &mut body);
            if self.chance(20) {
                self.launch(&mut s, &k, &mut body);
            }
        }
        body.push(Stmt::line("return 0;"));
        items.push(Stmt::block("int @main(int argc, char **argv) {", body));
        (items, inputs, !indices.is_empty())
    }

    fn input(&mut self, i: usize, items: &mut Vec<Stmt>, s: &mut Scope, body: &mut Vec<Stmt>) {
        let (v, arg) = (self.name('v'), format!("argv[{i}]"));
        match self.weigh(&[70, 8, 6, 8, 8]) {
            0 => body.push(Stmt::line(format!("int {v} = atoi({arg});"))),
            1 => body.push(Stmt::line(format!("int {v} = strtol({arg}, nullptr, 10);"))),
            2 => body.push(Stmt::line(format!("int {v} = (short)atol({arg});"))),
            3 => {
                let f = self.name('f');
                items.push(Stmt::block(
                    format!("static void @{f}(const char *text, int *out) {{"),
                    vec![
                        Stmt::line("*out = atoi(text);"),
                        Stmt::line(if self.chance(50) {
                            "if (*out < 0) *out = 0;"
                        } else {
                            "if (*out > 12) *out = 12;"
                        }),
                    ],
                ));
                body.push(Stmt::line(format!("int {v} = 0;")));
                body.push(Stmt::line(format!("@{f}({arg}, &{v});")));
            }
            _ => {
                let g = self.name('g');
                items.push(Stmt::line(format!("static int @{g};")));
                body.push(Stmt::line(format!("@{g} = atoi({arg});")));
                body.push(Stmt::line(format!("int {v} = @{g};")));
            }
        }
        let top = self.choose(&["6", "8", "12", "16", "20", "32", "64", "100", "200", "300"]);
        for _ in 0..=self.below(2) {
            match self.weigh(&[34, 10, 10, 6, 6, 5, 5, 6, 5, 13]) {
                0 => body.push(Stmt::line(format!(
                    "if ({v} < {} || {v} > {top}) return 1;",
                    self.choose(&["1", "1", "1", "0", "2"])
                ))),
                1 => body.push(Stmt::line(format!("if ({v} <= 0) return 0;"))),
                2 => body.push(Stmt::line(format!("{v} = std::min(std::max({v}, 1), {top});"))),
                3 => body.push(Stmt::line(format!("if ({v} > {top}) {v} = {top};"))),
                4 => body.push(Stmt::line(format!("{v} &= {};", self.choose(&["3", "7", "15"])))),
                5 => body.push(Stmt::line(format!("{v} %= {};", self.choose(&["5", "8", "12"])))),
                6 => body.push(Stmt::line(format!("{v} = abs({v}) % {} + 1;", self.choose(&["5", "8", "12"])))),
                7 => body.push(Stmt::line(format!("if ({v} % {} != 0) return 1;", self.choose(&["2", "3", "4", "8"])))),
                8 => body.push(Stmt::line(format!("while ({v} > {top}) {v} /= 2;"))),
                _ => {}
            }
        }
        s.ints.push(Int { name: v, ty: Ty::I32, mutable: true, data: false });
    }

    /// A host integer computed from others.
    fn derived(&mut self, s: &mut Scope, body: &mut Vec<Stmt>) {
        match self.weigh(&[46, 20, 14, 15, 14]) {
            0 => {
                let (t, e) = (if self.chance(75) { Ty::I32 } else { self.ty() }, self.expr(s, 2));
                body.push(self.declare(s, t, &e, true));
            }
            1 => {
                // Rounded up to a power of two, or a sum.
                let Some(v) = self.int(s) else { return };
                let start = self.choose(&["1", "0", "2"]);
                let w = self.declare(s, Ty::I32, start, true);
                body.push(w);
                let w = s.ints.last().map_or(String::new(), |x| x.name.clone());
                let lt = self.less();
                body.push(match self.below(3) {
                    0 if start != "0" => Stmt::line(format!("while ({w} {lt} {}) {w} *= 2;", v.name)),
                    1 => {
                        let j = self.name('v');
                        let k = self.positive();
                        Stmt::line(format!("for (int {j} = 0; {j} {lt} {}; {j}++) {w} += {k};", v.name))
                    }
                    _ => {
                        let j = self.name('v');
                        let c = self.choose(&["% 2 == 0", "> 2", "& 1"]);
                        Stmt::line(format!("for (int {j} = 0; {j} {lt} {}; {j}++) if ({j} {c}) {w}++;", v.name))
                    }
                });
            }
            2 => {
                let (c, e, f) = (self.cond(s, 1), self.expr(s, 1), self.expr(s, 1));
                body.push(self.declare(s, Ty::I32, &e, true));
                let w = s.ints.last().map_or(String::new(), |x| x.name.clone());
                body.push(Stmt::block(format!("if ({c}) {{"), vec![Stmt::line(format!("{w} = {f};"))]));
            }
            3 => self.stored(s, body),
            _ => {
                let n = 1 + self.below(2);
                body.extend(self.stmts(&mut Scope { value: true, ..s.clone() }, n, 2));
            }
        }
    }

    /// Sizes that the host puts into device variables.
    fn device_sizes(&mut self, dims: &[Int], items: &mut Vec<Stmt>, body: &mut Vec<Stmt>) -> Vec<Int> {
        if !self.chance(12) {
            return vec![];
        }
        let (name, v) = (format!("@{}", self.name('g')), self.choose(dims));
        let (space, value) = (self.choose(&["__constant__", "__device__"]), self.nearly(&v.name));
        items.push(Stmt::line(format!("{space} int {name};")));
        let w = self.name('v');
        body.push(Stmt::line(format!("int {w} = {value};")));
        body.push(Stmt::line(format!("cudaMemcpyToSymbol({name}, &{w}, sizeof(int));")));
        vec![Int { name, ty: Ty::I32, mutable: false, data: true }]
    }

    /// Device variables of fixed size.
    fn globals(&mut self, items: &mut Vec<Stmt>) -> Vec<Array> {
        let mut out = vec![];
        if self.chance(10) {
            let (name, n) = (format!("@{}", self.name('g')), self.choose(&["4", "7", "16"]));
            items.push(Stmt::line(format!("__device__ int {name}[{n}];")));
            out.push(Array { name, elem: "int", extent: n.into(), dims: None, square: false, integer: true });
        }
        if self.chance(6) {
            let (name, r, c) = (format!("@{}", self.name('g')), self.choose(&["3", "4"]), self.choose(&["4", "6"]));
            items.push(Stmt::line(format!("__device__ int {name}[{r}][{c}];")));
            out.push(Array {
                name,
                elem: "int",
                extent: r.into(),
                dims: Some((r.into(), c.into())),
                square: true,
                integer: false,
            });
        }
        out
    }

    fn buffers(&mut self, s: &Scope, dims: &[Int], body: &mut Vec<Stmt>) -> Vec<Array> {
        let mut out: Vec<Array> = vec![];
        for _ in 0..=self.below(3) {
            let (v, w) = (self.choose(dims).name, self.choose(dims).name);
            let k = self.positive();
            let mut two = None;
            let extent = match self.weigh(&[40, if v == w { 4 } else { 24 }, 6, 8, 5, 5, 6, 4]) {
                0 => v.clone(),
                1 => {
                    two = Some((v.clone(), w.clone()));
                    format!("({v} * {w})")
                }
                2 => format!("({v} + {k})"),
                3 => {
                    two = Some((v.clone(), k.clone()));
                    format!("({v} * {k})")
                }
                4 => format!("(({v} + 3) / 4)"),
                5 => format!("({v} > {w} ? {v} : {w})"),
                6 => k.clone(),
                _ => format!("({v} + {w})"),
            };
            let elem =
                self.choose(&["int", "int", "int", "float", "char", "short", "unsigned char", "double", "long long"]);
            let integer = !matches!(elem, "float" | "double");
            let name = self.name('a');
            let size = self.nearly(&extent);
            let bytes = match self.weigh(&[80, 6, 4 * u32::from(self.wrong > 0), 6]) {
                0 => format!("{size} * sizeof({elem})"),
                1 => format!("sizeof({elem}) * (size_t){size}"),
                2 => size.clone(),
                _ => format!("(unsigned long){size} * sizeof({elem})"),
            };
            body.push(Stmt::line(format!("{elem} *{name} = nullptr;")));
            let how = if self.chance(8) { "cudaMallocManaged" } else { "cudaMalloc" };
            body.push(Stmt::line(format!("{how}(&{name}, {bytes});")));
            if self.chance(4) {
                // Grows.
                let (j, grow) = (self.name('v'), self.nearly(&extent));
                body.push(Stmt::block(
                    format!(
                        "for (int {j} = 1; {j} {} {grow}; {j}{}) {{",
                        self.less(),
                        self.choose(&["++", " *= 2", "++"])
                    ),
                    vec![
                        Stmt::line(format!("cudaFree({name});")),
                        Stmt::line(format!("cudaMalloc(&{name}, {j} * sizeof({elem}));")),
                        Stmt::line(format!("cudaMemset({name}, 0, {j} * sizeof({elem}));")),
                    ],
                ));
            } else if integer && elem == "int" && self.chance(25) {
                let (h, j) = (self.name('h'), self.name('v'));
                let mut inner = s.clone();
                inner.ints.push(Int { name: j.clone(), ty: Ty::I32, mutable: false, data: false });
                let e = self.expr(&inner, 2);
                body.push(Stmt::line(format!("int *{h} = (int *)malloc({bytes});")));
                body.push(Stmt::line(format!("for (int {j} = 0; {j} < {size}; {j}++) {h}[{j}] = {e};")));
                body.push(Stmt::line(format!("cudaMemcpy({name}, {h}, {bytes}, cudaMemcpyHostToDevice);")));
            } else {
                body.push(Stmt::line(format!("cudaMemset({name}, {}, {bytes});", self.choose(&["0", "0", "1"]))));
            }
            out.push(Array { name, elem, extent, dims: two, square: false, integer });
        }
        out
    }

    fn launch(&mut self, s: &mut Scope, k: &Kernel, body: &mut Vec<Stmt>) {
        let (mut around, mut after): (Option<String>, Vec<Stmt>) = (None, vec![]);
        let mut inner = s.clone();
        if self.chance(22) {
            let t = self.name('v');
            let bound = match self.int(s) {
                Some(v) if self.chance(60) => v.name,
                _ => self.choose(&["2", "3", "4"]).to_owned(),
            };
            around = Some(match self.below(4) {
                0 | 1 => format!("for (int {t} = 0; {t} {} {bound}; {t}++) {{", self.less()),
                2 => format!("for (int {t} = {bound} / 2; {t} > 0; {t} /= 2) {{"),
                _ => format!("for (int {t} = 1; {t} {} {bound}; {t} *= 2) {{", self.less()),
            });
            inner.ints.push(Int { name: t, ty: Ty::I32, mutable: false, data: false });
            let same: Vec<&Array> = k.arrays.iter().filter(|a| a.elem == k.arrays[0].elem).collect();
            if same.len() > 1 && self.chance(40) {
                let q = self.name('q');
                after.push(Stmt::line(format!(
                    "{} *{q} = {}; {} = {}; {} = {q};",
                    same[0].elem, same[0].name, same[0].name, same[1].name, same[1].name
                )));
            } else if self.chance(15) {
                after.push(Stmt::line(format!("{}++;", same[0].name)));
            }
            if self.chance(15)
                && let Some(v) = k.ints.first()
            {
                after.push(Stmt::line(self.choose(&[format!("{} -= 1;", v.name), format!("{} /= 2;", v.name)])));
            }
        } else if self.chance(12) {
            around = Some(format!("if ({}) {{", self.cond(s, 2)));
        }
        let mut out = vec![];
        let grid = self.grid(&inner, k);
        let block: Vec<&str> = match k.axes {
            1 => vec![grid.1.0],
            2 => vec![grid.1.0, grid.1.1],
            _ => vec![grid.1.0, grid.1.1, "2"],
        };
        let shared = k
            .dynamic
            .as_ref()
            .map(|d| {
                let e = if d == "blockDim.x" { block[0].to_owned() } else { d.clone() };
                format!(", {} * sizeof(int)", self.nearly(&e))
            })
            .unwrap_or_default();
        let named = self.chance(15);
        let dims = if named {
            let (g, b) = (self.name('g'), self.name('b'));
            out.push(Stmt::line(format!("dim3 {g}({});", grid.0.join(", "))));
            out.push(Stmt::line(format!("dim3 {b};")));
            for (axis, n) in ["x", "y", "z"].iter().zip(&block) {
                out.push(Stmt::line(format!("{b}.{axis} = {n};")));
            }
            if self.slip() {
                out.push(Stmt::line(format!("{g}.x++;")));
            }
            format!("{g}, {b}")
        } else if k.axes == 1 && self.chance(80) {
            format!("{}, {}", grid.0[0], block[0])
        } else {
            format!("dim3({}), dim3({})", grid.0.join(", "), block.join(", "))
        };
        let mut args: Vec<String> = k.arrays.iter().map(|a| a.name.clone()).collect();
        if self.chance(6)
            && let Some(v) = self.int(&inner)
        {
            args[0] = format!("{} + {}", args[0], v.name);
        }
        let same: Vec<&Array> = k.arrays.iter().filter(|a| a.elem == k.arrays[0].elem).collect();
        if same.len() > 1 && self.chance(8) {
            // Through a table of pointers.
            let q = self.name('q');
            let i = match self.int(&inner) {
                Some(v) if self.chance(60) => format!("({} {} 0)", v.name, self.choose(&[">", "==", "<"])),
                _ => self.choose(&["0", "1"]).into(),
            };
            out.push(Stmt::line(format!("{} *{q}[2] = {{{}, {}}};", same[0].elem, same[0].name, same[1].name)));
            if self.chance(30) {
                let c = self.cond(&inner, 1);
                out.push(Stmt::line(format!("if ({c}) std::swap({q}[0], {q}[1]);")));
            }
            args[0] = format!("{q}[{i}]");
        }
        if args.len() > 1 && self.wrong > 0 && self.chance(3) && k.arrays[0].elem == k.arrays[1].elem {
            args.swap(0, 1);
        }
        for v in &k.ints {
            args.push(if self.slip() || (around.is_some() && self.chance(15)) {
                self.int(&inner).map_or(v.name.clone(), |x| x.name)
            } else if self.slip() {
                self.nearly(&v.name)
            } else {
                v.name.clone()
            });
        }
        match &k.packed {
            None => out.push(Stmt::line(format!("{}<<<{dims}{shared}>>>({});", k.name, args.join(", ")))),
            Some(p) => {
                let tag = format!("@{p}_{}", &k.name[1..]);
                let st = self.name('p');
                out.push(Stmt::line(format!("{tag} {st};")));
                for (field, a) in k.arrays.iter().map(|a| &a.name).chain(k.ints.iter().map(|v| &v.name)).zip(&args) {
                    out.push(Stmt::line(format!("{st}.{field} = {a};")));
                }
                out.push(Stmt::line(format!("{}<<<{dims}{shared}>>>({st});", k.name)));
            }
        }
        out.extend(after);
        match around {
            Some(head) => body.push(Stmt::block(head, out)),
            None => body.extend(out),
        }
    }

    /// Blocks along each axis, and threads along x and y.
    fn grid(&mut self, s: &Scope, k: &Kernel) -> (Vec<String>, (&'static str, &'static str)) {
        let block = match k.axes {
            1 => (self.choose(&["1", "2", "4", "8", "16", "32", "33"]), "1"),
            2 => (self.choose(&["2", "4", "8"]), self.choose(&["1", "2", "4"])),
            _ => ("2", "2"),
        };
        let mut out = vec![];
        for axis in 0..k.axes {
            let b = match axis {
                0 => block.0,
                1 => block.1,
                _ => "2",
            };
            let n = match k.ints.get(axis).or(k.ints.first()) {
                Some(v) if self.chance(85) => v.name.clone(),
                _ => self.int(s).map_or("4".into(), |v| v.name),
            };
            out.push(match self.weigh(&[50, 10, 10, 14, 10]) {
                0 => format!("({n} + {b} - 1) / {b}"),
                1 => format!("{n} / {b} + 1"),
                2 => format!("{n} / {b}"),
                3 => self.choose(&["1", "2", "3"]).into(),
                _ => n,
            });
        }
        (out, block)
    }
}
