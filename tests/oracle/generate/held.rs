//! Structures in device memory that hold pointers and numbers, which kernels read, change, exchange and store through.

use super::{Gen, Stmt};

impl Gen {
    /// Lets a program end with such a structure and launches that use it.
    pub fn hold(&mut self, items: &mut Vec<Stmt>) {
        let Some(Stmt::Block { head, mut body, tail }) = items.pop() else { return };
        let Some(last) = body.pop() else { return };
        let s = format!("@{}", self.name('S'));
        items.push(
            Stmt::block(
                format!("struct {s} {{"),
                vec![Stmt::line("int *a; int n; int *b;"), Stmt::line(format!("{s} *self; int k;"))],
            )
            .ended("};"),
        );
        let (h, d) = (self.name('h'), self.name('d'));
        let (first, second) = (self.choose(&["4", "6", "8"]), self.choose(&["2", "4", "7"]));
        let size = self.choose(&["argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < 9 ? atoi(argv[1]) : 3", "4", "3"]);
        let n = self.name('v');
        body.push(Stmt::line(format!("int {n} = {size};")));
        let extent = self.choose(&[first, first, n.as_str()]).to_owned();
        let bound = self.nearly(&extent);
        body.push(Stmt::line(format!(
            "{s} {h} = {{nullptr, {bound}, nullptr, nullptr, {}}};",
            self.choose(&["0", "1", "5"])
        )));
        body.push(Stmt::line(format!("cudaMalloc(&{h}.a, {extent} * sizeof(int));")));
        body.push(Stmt::line(format!("cudaMalloc(&{h}.b, {second} * sizeof(int));")));
        for (p, e) in [("a", extent.as_str()), ("b", second)] {
            if self.chance(70) {
                body.push(Stmt::line(format!("cudaMemset({h}.{p}, 0, {e} * sizeof(int));")));
            }
        }
        let count = self.choose(&["1", "2"]);
        body.push(Stmt::line(format!("{s} *{d};")));
        body.push(Stmt::line(format!("cudaMalloc(&{d}, {count} * sizeof({s}));")));
        body.push(Stmt::line(format!("{h}.self = {d}{};", if count == "2" && self.chance(50) { " + 1" } else { "" })));
        if self.chance(70) {
            for i in 0..if count == "2" { 2 } else { 1 } {
                body.push(Stmt::line(format!("cudaMemcpy({d} + {i}, &{h}, sizeof {h}, cudaMemcpyHostToDevice);")));
            }
        } else {
            for m in ["a", "n", "b", "self", "k"] {
                if !self.slip() {
                    body.push(Stmt::line(format!(
                        "cudaMemcpy(&{d}->{m}, &{h}.{m}, sizeof {h}.{m}, cudaMemcpyHostToDevice);"
                    )));
                }
            }
        }
        for _ in 0..=1 + self.below(2) {
            let k = format!("@{}", self.name('k'));
            let statements = 1 + self.below(3);
            let code: Vec<Stmt> = (0..statements).map(|_| self.held_statement(&s, count == "2")).collect();
            items.push(Stmt::block(format!("__global__ void {k}({s} *s, int n) {{"), code));
            let launch = format!("{k}<<<1, {}>>>({d}, {n});", self.choose(&["1", "1", "2", "4"]));
            match self.weigh(&[60, 20, 20]) {
                0 => body.push(Stmt::line(launch)),
                1 => body.extend([Stmt::line(launch.clone()), Stmt::line(launch)]),
                _ => {
                    let r = self.name('v');
                    body.push(Stmt::block(
                        format!("for (int {r} = 0; {r} < {}; {r}++) {{", self.choose(&["2", n.as_str()])),
                        vec![Stmt::line(launch)],
                    ));
                }
            }
            match self.weigh(&[60, 15, 15, 10]) {
                1 => body.extend([
                    Stmt::line(format!("cudaMemcpy(&{h}, {d}, sizeof {h}, cudaMemcpyDeviceToHost);")),
                    Stmt::line(format!("if ({h}.n > 0 && {h}.n < 9) {n} = {h}.n;")),
                ]),
                2 => body.push(Stmt::line(format!(
                    "cudaMemcpy(&{d}->{}, &{h}.{}, sizeof(int *), cudaMemcpyHostToDevice);",
                    self.choose(&["a", "b"]),
                    self.choose(&["a", "b"])
                ))),
                3 => body.push(Stmt::line(format!("cudaMemcpy(&{d}->n, &{n}, sizeof(int), cudaMemcpyHostToDevice);"))),
                _ => {}
            }
        }
        body.push(last);
        items.push(Stmt::Block { head, body, tail });
    }

    fn held_statement(&mut self, s: &str, two: bool) -> Stmt {
        let at = self.choose(&["threadIdx.x", "n - 1", "n", "s->n", "s->k", "0", "3", "s->n - 1"]);
        let p = self.choose(&["s->a", "s->a", "s->b", "s->self->a", if two { "s[1].a" } else { "s->a" }]);
        let value = self.choose(&["1", "n", "threadIdx.x", "s->n", "7"]);
        Stmt::line(match self.weigh(&[18, 12, 10, 8, 8, 8, 8, 8, 6, 8, 6]) {
            0 => format!("{p}[{at}] = {value};"),
            1 => format!("if ({at} {} s->n && {at} >= 0) {p}[{at}] = {value};", self.choose(&["<", "<", "<="])),
            2 => self.choose(&["s->n++;", "s->k = threadIdx.x;", "s->k += n;", "s->n = n;", "s->n--;"]).to_owned(),
            3 => "{ int *t = s->a; s->a = s->b; s->b = t; }".to_owned(),
            4 => format!("s->self->{} = s->{};", self.choose(&["a", "b"]), self.choose(&["a", "b", "b"])),
            5 => format!("s->self->{} = {value};", self.choose(&["n", "k"])),
            6 => format!("{{ int **q = &s->a; if (n & 1) q = &s->b; (*q)[{at}] = {value}; }}"),
            7 => format!(
                "{{ int **q = &s->{}; if (threadIdx.x == {}) *q = s->b; }}",
                self.choose(&["a", "b"]),
                self.choose(&["0", "1", "n"])
            ),
            8 => format!(
                "*({s} **)((char *)s + {}) = s->self;",
                self.choose(&["sizeof(int *) * 3", "sizeof(int *) * 3", "0"])
            ),
            9 => format!(
                "{{ int i = {p}[0]; if (i >= 0 && i {} s->n) s->a[i] = {value}; }}",
                self.choose(&["<", "<", "<="])
            ),
            _ => {
                if two {
                    "s[threadIdx.x & 1].k = 2;".to_owned()
                } else {
                    "s[0].k = 2;".to_owned()
                }
            }
        })
    }
}
