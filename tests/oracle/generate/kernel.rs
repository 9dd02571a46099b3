//! Kernels and the device functions that they call.

use super::contents::Index;
use super::{Array, Gen, Int, Scope, Stmt, Ty};

/// What a launch has to give.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    pub arrays: Vec<Array>,
    /// Parameters of integer type, named as the host's variables.
    pub ints: Vec<Int>,
    /// A structure that carries all of them.
    pub packed: Option<String>,
    /// Dimensions of the index that it uses.
    pub axes: usize,
    /// Elements of dynamic shared memory that it takes to be there.
    pub dynamic: Option<String>,
}

/// What the host has for its kernels.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    pub buffers: &'a [Array],
    pub indices: &'a [Index],
    pub ints: &'a [Int],
    /// Device variables: arrays, and sizes.
    pub globals: &'a [Array],
    pub sizes: &'a [Int],
}

impl Gen {
    /// `int f(int *a, int i, int n)`: reads or writes one element, more or less guarded.
    pub fn helper(&mut self, items: &mut Vec<Stmt>) -> String {
        let name = format!("@{}", self.name('f'));
        let int = |n: &str, m| Int { name: n.into(), ty: Ty::I32, mutable: m, data: false };
        let a = Array { name: "a".into(), elem: "int", extent: "n".into(), dims: None, square: false, integer: true };
        let mut s = Scope {
            ints: vec![int("n", false), int("i", true)],
            arrays: vec![a],
            device: true,
            value: true,
            ..Scope::default()
        };
        let mut body = match self.below(4) {
            0 => {
                let (lt, ge) = (self.less(), self.least());
                vec![Stmt::line(format!("return i {ge} 0 && i {lt} n ? a[i] : 0;"))]
            }
            1 => {
                let ge = self.least();
                vec![Stmt::line(format!("if (i < 0 || i {ge} n) return 0;")), Stmt::line("a[i] = i;")]
            }
            2 => {
                let (lt, m) = (self.less(), self.nearly("n"));
                vec![
                    Stmt::line("int r = 0;"),
                    Stmt::line(format!("for (int j = 0; j {lt} {m}; j++) if (a[j] > i) r = j;")),
                    Stmt::line("return r;"),
                ]
            }
            _ => self.stmts(&mut s, 3, 2),
        };
        body.push(Stmt::line("return 0;"));
        items.push(Stmt::block(format!("__device__ int {name}(int *a, int i, int n) {{"), body));
        name
    }

    pub fn kernel(&mut self, items: &mut Vec<Stmt>, world: &World<'_>) -> Kernel {
        let World { buffers, globals, sizes, .. } = *world;
        let name = format!("@{}", self.name('k'));
        let count = 1 + self.below(buffers.len().min(3));
        let first = self.below(buffers.len());
        let mut arrays: Vec<Array> = (0..count).map(|i| buffers[(first + i) % buffers.len()].clone()).collect();
        let indices: Vec<Index> = world.indices.iter().filter(|_| self.chance(75)).cloned().collect();
        arrays.extend(indices.iter().filter(|x| x.is_argument()).map(|x| x.array.clone()));
        let used = |v: &Int| {
            indices.iter().any(|x| x.speaks_of(&v.name))
                || arrays.iter().any(|a| a.extent.split(|c: char| !c.is_alphanumeric()).any(|w| w == v.name))
        };
        let mut ints: Vec<Int> = vec![];
        for v in world.ints {
            if !(used(v) || self.chance(20)) {
                continue;
            }
            let ty = if self.chance(80) { Ty::I32 } else { self.ty() };
            ints.push(Int { ty, mutable: self.chance(15), ..v.clone() });
        }
        let packed = self.chance(12).then(|| format!("@S{}", self.below(9)));
        let mut s = Scope { device: true, ..Scope::default() };
        let parameters: Vec<String> = arrays
            .iter()
            .map(|a| format!("{} *{}", a.elem, a.name))
            .chain(ints.iter().map(|v| format!("{} {}", v.ty.name(), v.name)))
            .collect();
        let mut body = vec![];
        let head = match &packed {
            None => format!("__global__ void {name}({}) {{", parameters.join(", ")),
            Some(p) => {
                let tag = format!("{p}_{}", &name[1..]);
                items.push(Stmt::line(format!("struct {tag} {{ {}; }};", parameters.join("; "))));
                // Half of the uses go through locals.
                for a in &arrays {
                    body.push(Stmt::line(format!("{} *{} = st.{};", a.elem, a.name, a.name)));
                }
                for v in &ints {
                    body.push(Stmt::line(format!("{} {} = st.{};", v.ty.name(), v.name, v.name)));
                }
                format!("__global__ void {name}({tag} st) {{")
            }
        };
        s.ints.clone_from(&ints);
        s.ints.extend(sizes.iter().cloned());
        s.arrays.clone_from(&arrays);
        s.arrays.extend(indices.iter().filter(|x| !x.is_argument() && x.is_writable()).map(|x| x.array.clone()));
        s.indices = indices;
        s.arrays.extend(globals.iter().filter(|_| self.chance(40)).cloned().collect::<Vec<_>>());
        if self.chance(30) {
            let h = self.helper(items);
            s.helpers.push(h);
        }
        if self.chance(20) {
            let t = self.tester(items);
            s.tests.push(t);
        }
        if self.chance(20) {
            let f = self.changer(true, items);
            s.changers.push(f);
        }
        let axes = self.index(&mut s, &mut body);
        if self.chance(30)
            && let (Some(v), Some(i)) = (ints.first(), s.ints.last())
        {
            let (ge, m) = (self.least(), self.nearly(&v.name));
            body.push(Stmt::line(format!("if ({} {ge} {m}) return;", i.name)));
        }
        let dynamic = self.locals(&mut s, &ints, &mut body);
        if !s.indices.is_empty() && self.chance(15) {
            self.staged(&mut s, &mut body);
        }
        let n = 2 + self.below(4);
        body.extend(self.stmts(&mut s, n, 3));
        if s.arrays.iter().any(|a| a.name.starts_with('s')) && self.chance(40) {
            body.push(Stmt::line("__syncthreads();"));
            body.extend(self.stmts(&mut s, 2, 2));
        }
        items.push(Stmt::block(head, body));
        Kernel { name, arrays, ints, packed: packed.map(|p| p[1..].to_owned()), axes, dynamic }
    }

    /// The thread's index, in one of the usual ways.
    fn index(&mut self, s: &mut Scope, body: &mut Vec<Stmt>) -> usize {
        let ty = [Ty::I32, Ty::U32, Ty::U64, Ty::I64, Ty::I16, Ty::U8][self.weigh(&[70, 14, 6, 4, 3, 3])];
        match self.weigh(&[50, 14, 10, 20, 6]) {
            0 => {
                body.push(self.declare(s, ty, "blockIdx.x * blockDim.x + threadIdx.x", false));
                1
            }
            1 => {
                body.push(self.declare(s, ty, "threadIdx.x", false));
                1
            }
            2 => {
                body.push(self.declare(s, ty, "blockIdx.x", false));
                body.push(self.declare(s, Ty::I32, "threadIdx.x", false));
                1
            }
            3 => {
                body.push(self.declare(s, Ty::I32, "blockIdx.y * blockDim.y + threadIdx.y", false));
                body.push(self.declare(s, ty, "blockIdx.x * blockDim.x + threadIdx.x", false));
                2
            }
            _ => {
                for a in ["z", "y", "x"] {
                    body.push(self.declare(s, Ty::I32, &format!("blockIdx.{a} * blockDim.{a} + threadIdx.{a}"), false));
                }
                3
            }
        }
    }

    /// Arrays of the block and of the thread. Gives what dynamic shared memory must hold.
    fn locals(&mut self, s: &mut Scope, ints: &[Int], body: &mut Vec<Stmt>) -> Option<String> {
        let elem = self.choose(&["int", "int", "float", "char", "short"]);
        if self.chance(18) {
            let (name, n) = (self.name('s'), self.choose(&["4", "8", "9", "16", "32", "33"]));
            body.push(Stmt::line(format!("__shared__ {elem} {name}[{n}];")));
            s.arrays.push(Array { name, elem, extent: n.into(), dims: None, square: false, integer: false });
        }
        if self.chance(8) {
            let (name, r, c) = (self.name('s'), self.choose(&["4", "8"]), self.choose(&["4", "5", "9"]));
            body.push(Stmt::line(format!("__shared__ int {name}[{r}][{c}];")));
            s.arrays.push(Array {
                name,
                elem: "int",
                extent: r.into(),
                dims: Some((r.into(), c.into())),
                square: true,
                integer: false,
            });
        }
        if self.chance(14) {
            let (name, n) = (self.name('l'), self.choose(&["2", "3", "4", "8"]));
            body.push(Stmt::line(format!("int {name}[{n}] = {{1}};")));
            s.arrays.push(Array { name, elem: "int", extent: n.into(), dims: None, square: false, integer: true });
        }
        if !self.chance(10) {
            return None;
        }
        let extent = match ints.first() {
            Some(v) if self.chance(50) => v.name.clone(),
            _ => self.choose(&["blockDim.x", "16", "32"]).to_owned(),
        };
        let name = self.name('s');
        body.push(Stmt::line("extern __shared__ int dynamic_memory[];"));
        body.push(Stmt::line(format!("int *{name} = dynamic_memory;")));
        s.arrays.push(Array { name, elem: "int", extent: extent.clone(), dims: None, square: false, integer: false });
        Some(extent)
    }
}
