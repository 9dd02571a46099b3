//! Tests that the lowered form computes what the MLIR says: both are interpreted, on random programs in cgeist's idioms
//! for control flow, flags and affine expressions.

use super::super::mlir::{self, AffineExpr, AffineMap, Attr, MlirValue};
use super::module::lower;
use super::unit::SourceFacts;
use ir::{AddressStep, BinOp, CastOp, Const, Function, Module, Op, Operand, Pred, Terminator};
use proptest::prelude::*;
use std::collections::HashMap;
use std::fmt::Write as _;

const FUEL: u32 = 20_000;

fn wrap(v: i128, bits: u32) -> i64 {
    i64::try_from(super::side::wrapped(v, bits)).unwrap()
}

// ---- MLIR ----

/// Exit from a region.
enum Left {
    Yield(Vec<i64>),
    Condition(bool, Vec<i64>),
    Return(i64),
}

#[derive(Default)]
struct Mlir {
    values: HashMap<MlirValue, i64>,
    memory: Vec<i64>,
    fuel: u32,
    calls: Vec<i64>,
}

impl Mlir {
    fn get(&self, op: &mlir::MlirOp, i: usize) -> i64 {
        self.values[&op.operands[i]]
    }
    fn all(&self, op: &mlir::MlirOp) -> Vec<i64> {
        op.operands.iter().map(|v| self.values[v]).collect()
    }

    fn region(&mut self, r: &mlir::MlirRegion, args: &[i64]) -> Option<Left> {
        let (mut b, mut args) = (0, args.to_vec());
        loop {
            for ((v, _), a) in r.blocks[b].args.iter().zip(&args) {
                self.values.insert(*v, *a);
            }
            let mut next = None;
            for op in &r.blocks[b].ops {
                self.fuel = self.fuel.checked_sub(1)?;
                match op.name.as_str() {
                    "scf.yield" | "affine.yield" => return Some(Left::Yield(self.all(op))),
                    "scf.condition" => {
                        let v = self.all(op);
                        return Some(Left::Condition(v[0] != 0, v[1..].to_vec()));
                    }
                    "func.return" => return Some(Left::Return(self.get(op, 0))),
                    "cf.br" => next = Some((op.successors[0], self.all(op))),
                    "cf.cond_br" => {
                        let s = op.segments().unwrap();
                        let side = usize::from(self.get(op, 0) == 0);
                        let v = s[1 + side].iter().map(|v| self.values[v]).collect();
                        next = Some((op.successors[side], v));
                    }
                    "cf.switch" => {
                        let v = self.get(op, 0);
                        let at =
                            op.attr("case_values").unwrap().ints().unwrap().iter().position(|c| *c == i128::from(v));
                        next = Some((op.successors[at.map_or(0, |i| i + 1)], vec![]));
                    }
                    _ => {
                        if let Some(left) = self.op(op)? {
                            return Some(left);
                        }
                    }
                }
            }
            match next {
                Some((to, v)) => {
                    b = to;
                    args = v;
                }
                None => return Some(Left::Yield(vec![])),
            }
        }
    }

    /// Executes an operation; returns an exit if it leaves the function.
    #[expect(clippy::option_option, reason = "out of fuel, and on or out")]
    fn op(&mut self, op: &mlir::MlirOp) -> Option<Option<Left>> {
        let bits = |t: &mlir::Type| match t {
            mlir::Type::Int(b) => *b,
            _ => 64,
        };
        let set = |me: &mut Self, v: &[i64]| {
            for (r, v) in op.results.iter().zip(v) {
                me.values.insert(*r, *v);
            }
        };
        let int = |v: i128| wrap(v, op.result_types.first().map_or(64, bits));
        match op.name.as_str() {
            "arith.constant" => {
                let v = op.int("value").unwrap();
                set(self, &[int(v)]);
            }
            "arith.addi" => {
                let v = i128::from(self.get(op, 0)) + i128::from(self.get(op, 1));
                set(self, &[int(v)]);
            }
            "arith.subi" => {
                let v = i128::from(self.get(op, 0)) - i128::from(self.get(op, 1));
                set(self, &[int(v)]);
            }
            "arith.muli" => {
                let v = i128::from(self.get(op, 0)) * i128::from(self.get(op, 1));
                set(self, &[int(v)]);
            }
            "arith.andi" => {
                let v = self.get(op, 0) & self.get(op, 1);
                set(self, &[v]);
            }
            "arith.ori" => {
                let v = self.get(op, 0) | self.get(op, 1);
                set(self, &[v]);
            }
            "arith.xori" => {
                let v = self.get(op, 0) ^ self.get(op, 1);
                set(self, &[v]);
            }
            "arith.floordivsi" => {
                let v = i128::from(self.get(op, 0)).div_euclid(i128::from(self.get(op, 1)));
                set(self, &[int(v)]);
            }
            "arith.extui" => {
                let v = self.get(op, 0) & ((1 << bits(&op.operand_types[0])) - 1);
                set(self, &[v]);
            }
            "arith.extsi" | "arith.index_cast" => {
                let v = i128::from(self.get(op, 0));
                set(self, &[int(v)]);
            }
            "arith.trunci" => {
                let v = i128::from(self.get(op, 0));
                set(self, &[int(v)]);
            }
            "arith.select" => {
                let v = if self.get(op, 0) != 0 { self.get(op, 1) } else { self.get(op, 2) };
                set(self, &[v]);
            }
            "arith.cmpi" => {
                let (a, b) = (self.get(op, 0), self.get(op, 1));
                let r = match op.int("predicate").unwrap() {
                    0 => a == b,
                    1 => a != b,
                    2 => a < b,
                    3 => a <= b,
                    4 => a > b,
                    _ => a >= b,
                };
                set(self, &[-i64::from(r)]);
            }
            "memref.alloca" => {
                self.memory.push(0);
                let a = i64::try_from(self.memory.len() - 1).unwrap();
                set(self, &[a]);
            }
            "memref.load" => {
                let v = self.memory[usize::try_from(self.get(op, 0)).unwrap()];
                set(self, &[v]);
            }
            "memref.store" => {
                let at = usize::try_from(self.get(op, 1)).unwrap();
                self.memory[at] = self.get(op, 0);
            }
            "func.call" => {
                let v = self.get(op, 0);
                self.calls.push(v);
            }
            "scf.if" | "affine.if" => {
                let yes = if op.name == "scf.if" {
                    self.get(op, 0) != 0
                } else {
                    let Some(Attr::Set(s)) = op.attr("condition") else { panic!() };
                    let args = self.all(op);
                    s.constraints.iter().all(|(e, equal)| {
                        let v = expr(e, &args, s.dims);
                        if *equal { v == 0 } else { v >= 0 }
                    })
                };
                let r = &op.regions[usize::from(!yes)];
                if r.blocks.is_empty() {
                    return Some(None);
                }
                match self.region(r, &[])? {
                    Left::Yield(v) => set(self, &v),
                    other => return Some(Some(other)),
                }
            }
            "scf.execute_region" => match self.region(&op.regions[0], &[])? {
                Left::Yield(v) => set(self, &v),
                other => return Some(Some(other)),
            },
            "scf.while" => {
                let mut v = self.all(op);
                loop {
                    self.fuel = self.fuel.checked_sub(1)?;
                    let Left::Condition(go, passed) = self.region(&op.regions[0], &v)? else { panic!() };
                    if !go {
                        set(self, &passed);
                        break;
                    }
                    match self.region(&op.regions[1], &passed)? {
                        Left::Yield(n) => v = n,
                        other => return Some(Some(other)),
                    }
                }
            }
            "scf.for" | "affine.for" => {
                let all = self.all(op);
                let (lo, hi, step, mut v) = if op.name == "scf.for" {
                    (all[0], all[1], all[2], all[3..].to_vec())
                } else {
                    let (Some(Attr::Map(l)), Some(Attr::Map(h))) = (op.attr("lowerBoundMap"), op.attr("upperBoundMap"))
                    else {
                        panic!()
                    };
                    let n = l.dims + l.symbols;
                    let k = n + h.dims + h.symbols;
                    (
                        results(l, &all[..n]).into_iter().max().unwrap(),
                        results(h, &all[n..k]).into_iter().min().unwrap(),
                        i64::try_from(op.int("step").unwrap()).unwrap(),
                        all[k..].to_vec(),
                    )
                };
                let mut i = lo;
                while i < hi {
                    let mut args = vec![i];
                    args.extend(&v);
                    let Left::Yield(n) = self.region(&op.regions[0], &args)? else { panic!() };
                    v = n;
                    i += step;
                }
                set(self, &v);
            }
            "affine.apply" | "affine.min" | "affine.max" => {
                let Some(Attr::Map(m)) = op.attr("map") else { panic!() };
                let v = results(m, &self.all(op));
                let v = match op.name.as_str() {
                    "affine.min" => v.into_iter().min(),
                    "affine.max" => v.into_iter().max(),
                    _ => v.first().copied(),
                };
                set(self, &[v.unwrap()]);
            }
            other => panic!("{other}"),
        }
        Some(None)
    }
}

fn results(m: &AffineMap, args: &[i64]) -> Vec<i64> {
    m.results.iter().map(|e| expr(e, args, m.dims)).collect()
}

fn expr(e: &AffineExpr, args: &[i64], dims: usize) -> i64 {
    let of = |e: &AffineExpr| expr(e, args, dims);
    match e {
        AffineExpr::Dim(i) => args[*i],
        AffineExpr::Sym(i) => args[dims + i],
        AffineExpr::Const(c) => *c,
        AffineExpr::Add(a, b) => of(a).wrapping_add(of(b)),
        AffineExpr::Mul(a, b) => of(a).wrapping_mul(of(b)),
        AffineExpr::Mod(a, b) => of(a).rem_euclid(of(b)),
        AffineExpr::FloorDiv(a, b) => of(a).div_euclid(of(b)),
        AffineExpr::CeilDiv(a, b) => -(-of(a)).div_euclid(of(b)),
    }
}

// ---- the analysis form ----

/// Returns the result of a function, and the arguments of its calls.
fn run(m: &Module, f: &Function, args: &[i64]) -> Option<(i64, Vec<i64>)> {
    let mut v: Vec<Option<i64>> = vec![None; f.values as usize];
    for (i, a) in args.iter().enumerate() {
        v[i] = Some(*a);
    }
    let (mut memory, mut calls): (Vec<i64>, Vec<i64>) = (vec![], vec![]);
    let bits = |t: ir::TypeId| match m.ty(t).kind {
        ir::TypeKind::Int(b) => b,
        _ => 64,
    };
    let (mut block, mut from, mut fuel) = (0usize, 0usize, FUEL * 4);
    loop {
        let b = &f.blocks[block];
        let get = |v: &[Option<i64>], o: &Operand| match o {
            Operand::Value(x) => {
                v[x.index()].unwrap_or_else(|| panic!("%{} is used before it is defined in\n{m}", x.0))
            }
            Operand::Const(Const::Int { value, .. }) => i64::try_from(*value).unwrap(),
            Operand::Const(Const::Undef(_)) => 0,
            Operand::Const(c) => panic!("{c:?}"),
        };
        let phis: Vec<(usize, i64)> = b
            .insts
            .iter()
            .filter_map(|i| match &i.op {
                Op::Phi(e) => {
                    assert_eq!(
                        e.iter().filter(|(p, _)| p.index() == from).count(),
                        1,
                        "block {block} from {from} in\n{m}"
                    );
                    Some((i.result.unwrap().index(), get(&v, &e.iter().find(|(p, _)| p.index() == from).unwrap().1)))
                }
                _ => None,
            })
            .collect();
        for (r, x) in phis {
            v[r] = Some(x);
        }
        for i in &b.insts {
            fuel = fuel.checked_sub(1)?;
            let g = |o: &Operand| get(&v, o);
            let x = match &i.op {
                Op::Phi(_) => continue,
                Op::Alloca { .. } => {
                    memory.push(0);
                    i64::try_from(memory.len() - 1).unwrap()
                }
                Op::Load { ptr, .. } => memory[usize::try_from(g(ptr)).unwrap()],
                Op::Store { ptr, value, .. } => {
                    let at = usize::try_from(g(ptr)).unwrap();
                    memory[at] = g(value);
                    continue;
                }
                Op::Bin { op, a, b, .. } => {
                    let (x, y) = (i128::from(g(a)), i128::from(g(b)));
                    wrap(
                        match op {
                            BinOp::Add => x + y,
                            BinOp::Sub => x - y,
                            BinOp::Mul => x * y,
                            BinOp::And => x & y,
                            BinOp::Or => x | y,
                            BinOp::Xor => x ^ y,
                            BinOp::SDiv => x / y,
                            BinOp::SRem => x % y,
                            other => panic!("{other:?}"),
                        },
                        bits(i.ty),
                    )
                }
                Op::Icmp { pred, a, b } => {
                    let (x, y) = (g(a), g(b));
                    -i64::from(match pred {
                        Pred::Eq => x == y,
                        Pred::Ne => x != y,
                        Pred::Slt => x < y,
                        Pred::Sle => x <= y,
                        Pred::Sgt => x > y,
                        Pred::Sge => x >= y,
                        other => panic!("{other:?}"),
                    })
                }
                Op::Cast { op, value, from, .. } => {
                    let x = i128::from(g(value));
                    wrap(
                        match op {
                            CastOp::SExt | CastOp::Trunc => x,
                            CastOp::ZExt => x & ((1i128 << bits(*from)) - 1),
                            other => panic!("{other:?}"),
                        },
                        bits(i.ty),
                    )
                }
                Op::Select { cond, a, b } => {
                    if g(cond) != 0 {
                        g(a)
                    } else {
                        g(b)
                    }
                }
                Op::Gep { base, steps, .. } => {
                    assert!(steps.iter().all(|s| matches!(
                        s,
                        AddressStep::Index { index: Operand::Const(Const::Int { value: 0, .. }), .. }
                    )));
                    g(base)
                }
                Op::Call { args, .. } => {
                    calls.push(g(&args[0]));
                    continue;
                }
                other => panic!("{other:?}"),
            };
            if let Some(r) = i.result {
                v[r.index()] = Some(x);
            }
        }
        from = block;
        block = match &b.term {
            Terminator::Ret(o) => return Some((get(&v, o.as_ref().unwrap()), calls)),
            Terminator::Br(t) => t.index(),
            Terminator::CondBr { cond, then, otherwise } => {
                if get(&v, cond) != 0 {
                    then.index()
                } else {
                    otherwise.index()
                }
            }
            Terminator::Switch { value, default, cases } => {
                let x = get(&v, value);
                cases.iter().find(|c| c.0 == i128::from(x)).map_or(*default, |c| c.1).index()
            }
            other => panic!("{other:?}"),
        };
    }
}

// ---- programs ----

/// Writes a function from a tape of choices.
struct Writer<'t> {
    tape: &'t [u8],
    at: usize,
    text: String,
    next: u32,
    labels: u32,
}

const VARIABLES: u8 = 4;

impl Writer<'_> {
    fn pick(&mut self, n: u8) -> u8 {
        let v = self.tape.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        v % n
    }
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%t{}", self.next)
    }
    fn line(&mut self, s: &str) {
        let _ = writeln!(self.text, "{s}");
    }

    fn def(&mut self, op: &str, operands: &str, attrs: &str, ty: &str) -> String {
        let r = self.name();
        self.line(&format!("{r} = \"{op}\"({operands}) {attrs} : {ty}"));
        r
    }

    fn constant(&mut self, v: i64, ty: &str) -> String {
        self.def("arith.constant", "", &format!("<{{value = {v} : {ty}}}>"), &format!("() -> {ty}"))
    }

    fn load(&mut self, k: u8) -> String {
        let z = self.constant(0, "index");
        self.def("memref.load", &format!("%v{k}, {z}"), "", "(memref<1xi32>, index) -> i32")
    }

    fn store(&mut self, v: &str, k: u8) {
        let z = self.constant(0, "index");
        self.line(&format!("\"memref.store\"({v}, %v{k}, {z}) : (i32, memref<1xi32>, index) -> ()"));
    }

    fn flag(&mut self, f: &str, v: bool) {
        let c = self.def("arith.constant", "", &format!("<{{value = {v}}}>"), "() -> i1");
        self.line(&format!("\"memref.store\"({c}, {f}) : (i1, memref<i1>) -> ()"));
    }

    fn value(&mut self, depth: u8) -> String {
        match self.pick(if depth == 0 { 3 } else { 9 }) {
            0 => {
                let v = i64::from(self.pick(9)) - 4;
                self.constant(v, "i32")
            }
            1 => {
                let k = self.pick(VARIABLES);
                self.load(k)
            }
            2 => ["%a", "%b"][usize::from(self.pick(2))].to_owned(),
            3 => {
                let (x, y) = (self.value(depth - 1), self.value(depth - 1));
                self.def("arith.addi", &format!("{x}, {y}"), "", "(i32, i32) -> i32")
            }
            4 => {
                let (x, y) = (self.value(depth - 1), self.value(depth - 1));
                self.def("arith.subi", &format!("{x}, {y}"), "", "(i32, i32) -> i32")
            }
            5 => {
                let (c, x, y) = (self.condition(depth - 1), self.value(depth - 1), self.value(depth - 1));
                self.def("arith.select", &format!("{c}, {x}, {y}"), "", "(i1, i32, i32) -> i32")
            }
            6 => {
                let x = self.value(depth - 1);
                let w = self.def("arith.index_cast", &x, "", "(i32) -> index");
                let w = self.map(&w);
                self.def("arith.index_cast", &w, "", "(index) -> i32")
            }
            7 => {
                let c = self.condition(depth - 1);
                self.def("arith.extui", &c, "", "(i1) -> i32")
            }
            _ => {
                let x = self.value(depth - 1);
                let y = self.constant(3, "i32");
                self.def("arith.floordivsi", &format!("{x}, {y}"), "", "(i32, i32) -> i32")
            }
        }
    }

    /// Writes an affine expression of one dimension and one symbol.
    fn affine(&mut self, depth: u8) -> String {
        let n = i64::from(self.pick(5)) + 1;
        match self.pick(if depth == 0 { 3 } else { 7 }) {
            0 => "d0".into(),
            1 => "s0".into(),
            2 => format!("{}", n - 3),
            3 => format!("({} + {})", self.affine(depth - 1), self.affine(depth - 1)),
            4 => format!("({} * {n})", self.affine(depth - 1)),
            5 => format!("({} floordiv {n} - {} ceildiv {n})", self.affine(depth - 1), self.affine(depth - 1)),
            _ => format!("({} mod {n})", self.affine(depth - 1)),
        }
    }

    fn map(&mut self, x: &str) -> String {
        let (op, n) = [("affine.apply", 1), ("affine.min", 2), ("affine.max", 3)][usize::from(self.pick(3))];
        let list: Vec<String> = (0..n).map(|_| self.affine(2)).collect();
        self.def(
            op,
            &format!("{x}, %i"),
            &format!("<{{map = affine_map<(d0)[s0] -> ({})>}}>", list.join(", ")),
            "(index, index) -> index",
        )
    }

    fn condition(&mut self, depth: u8) -> String {
        match self.pick(if depth == 0 { 2 } else { 5 }) {
            0 | 1 => {
                let (x, y) = (self.value(depth.saturating_sub(1)), self.value(0));
                let p = self.pick(6);
                self.def(
                    "arith.cmpi",
                    &format!("{x}, {y}"),
                    &format!("<{{predicate = {p} : i64}}>"),
                    "(i32, i32) -> i1",
                )
            }
            2 => self.def("memref.load", "%flag", "", "(memref<i1>) -> i1"),
            3 => {
                let (x, y) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = ["arith.andi", "arith.ori", "arith.xori"][usize::from(self.pick(3))];
                self.def(op, &format!("{x}, {y}"), "", "(i1, i1) -> i1")
            }
            _ => {
                // cgeist's idiom: a byte that is compared with zero.
                let x = self.condition(depth - 1);
                let w = self.def("arith.extui", &x, "", "(i1) -> i8");
                let z = self.constant(0, "i8");
                let p = self.pick(2);
                self.def("arith.cmpi", &format!("{w}, {z}"), &format!("<{{predicate = {p} : i64}}>"), "(i8, i8) -> i1")
            }
        }
    }

    /// Writes a statement that runs only while the function has not returned.
    fn guarded(&mut self, depth: u8) {
        let c = self.def("memref.load", "%flag", "", "(memref<i1>) -> i1");
        self.line(&format!("\"scf.if\"({c}) ({{ \"scf.execute_region\"() ({{"));
        self.statement(depth);
        self.line("\"scf.yield\"() : () -> () }) : () -> () \"scf.yield\"() : () -> () }, { }) : (i1) -> ()");
    }

    fn statements(&mut self, depth: u8) {
        for _ in 0..=self.pick(3) {
            self.guarded(depth);
        }
    }

    fn statement(&mut self, depth: u8) {
        let end = "\"scf.yield\"() : () -> ()";
        match self.pick(if depth == 0 { 4 } else { 11 }) {
            0 | 1 => {
                let v = self.value(2);
                let k = self.pick(VARIABLES);
                self.store(&v, k);
            }
            2 => {
                let v = self.value(1);
                self.line(&format!("\"func.call\"({v}) <{{callee = @g}}> : (i32) -> ()"));
            }
            // `return`.
            3 => {
                let v = self.value(1);
                self.line(&format!("\"memref.store\"({v}, %slot) : (i32, memref<i32>) -> ()"));
                self.flag("%flag", false);
            }
            4 | 5 => {
                let c = self.condition(2);
                self.line(&format!("\"scf.if\"({c}) ({{"));
                self.statements(depth - 1);
                self.line(&format!("{end} }}, {{"));
                if self.pick(2) == 1 {
                    self.statements(depth - 1);
                    self.line(end);
                }
                self.line("}) : (i1) -> ()");
            }
            6 => {
                let c = self.condition(2);
                let r = self.name();
                let flag = self.name();
                self.line(&format!("{r}, {flag} = \"scf.if\"({c}) ({{"));
                for _ in 0..2 {
                    let (x, y) = (
                        self.value(1),
                        if self.pick(2) == 0 {
                            self.condition(1)
                        } else {
                            let b = self.pick(2);
                            self.def("arith.constant", "", &format!("<{{value = {}}}>", b == 1), "() -> i1")
                        },
                    );
                    self.line(&format!("\"scf.yield\"({x}, {y}) : (i32, i1) -> ()"));
                    if !self.text.ends_with("}, {\n") && !self.text.contains(&format!("@@{r}")) {
                        self.line(&format!("}}, {{ // @@{r}"));
                    }
                }
                self.line("}) : (i1) -> (i32, i1)");
                self.store(&r, 0);
                self.line(&format!("\"scf.if\"({flag}) ({{"));
                self.statements(depth - 1);
                self.line(&format!("{end} }}, {{ }}) : (i1) -> ()"));
            }
            // A loop over a graph of blocks, with a flag that `break` clears.
            7 => {
                self.labels += 1;
                let (k, n) = (self.labels, self.pick(4));
                let (running, counter) = (format!("%r{k}"), format!("%n{k}"));
                self.line("\"scf.execute_region\"() ({");
                self.line(&format!("{running} = \"memref.alloca\"() : () -> memref<i1>"));
                self.line(&format!("{counter} = \"memref.alloca\"() : () -> memref<i32>"));
                self.flag(&running, true);
                let z = self.constant(0, "i32");
                self.line(&format!(
                    "\"memref.store\"({z}, {counter}) : (i32, memref<i32>) -> () \"cf.br\"()[^h{k}] : () -> ()\n^h{k}:"
                ));
                let (i, lim) =
                    (self.def("memref.load", &counter, "", "(memref<i32>) -> i32"), self.constant(i64::from(n), "i32"));
                let c = self.def("arith.cmpi", &format!("{i}, {lim}"), "<{predicate = 2 : i64}>", "(i32, i32) -> i1");
                let r = self.def("memref.load", &running, "", "(memref<i1>) -> i1");
                let both = self.def("arith.andi", &format!("{c}, {r}"), "", "(i1, i1) -> i1");
                self.line(&format!("\"cf.cond_br\"({both})[^b{k}, ^e{k}] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n^b{k}:"));
                self.statements(depth - 1);
                let stop = self.condition(1);
                self.line(&format!("\"scf.if\"({stop}) ({{"));
                self.flag(&running, false);
                self.line(&format!("{end} }}, {{ }}) : (i1) -> ()"));
                let (i, one) = (self.def("memref.load", &counter, "", "(memref<i32>) -> i32"), self.constant(1, "i32"));
                let i = self.def("arith.addi", &format!("{i}, {one}"), "", "(i32, i32) -> i32");
                self.line(&format!("\"memref.store\"({i}, {counter}) : (i32, memref<i32>) -> () \"cf.br\"()[^h{k}] : () -> ()\n^e{k}:\n{end} }}) : () -> ()"));
            }
            // As after canonicalisation: the condition is a value of `scf.if`.
            8 => {
                self.labels += 1;
                let (k, n) = (self.labels, self.pick(4));
                let (start, one, lim) =
                    (self.constant(0, "i32"), self.constant(1, "i32"), self.constant(i64::from(n), "i32"));
                self.line(&format!("%w{k}:2 = \"scf.while\"({start}, %a) ({{ ^bb0(%x{k}: i32, %y{k}: i32):"));
                let c = self.def("arith.cmpi", &format!("%x{k}, {lim}"), "<{predicate = 2 : i64}>", "(i32, i32) -> i1");
                self.line(&format!("%go{k}:2 = \"scf.if\"({c}) ({{"));
                self.statements(depth - 1);
                let go = if self.pick(2) == 0 {
                    self.def("arith.constant", "", "<{value = true}>", "() -> i1")
                } else {
                    self.condition(1)
                };
                let i = self.def("arith.addi", &format!("%x{k}, {one}"), "", "(i32, i32) -> i32");
                self.line(&format!("\"scf.yield\"({go}, {i}) : (i1, i32) -> () }}, {{"));
                let no = self.def("arith.constant", "", "<{value = false}>", "() -> i1");
                self.line(&format!("\"scf.yield\"({no}, %x{k}) : (i1, i32) -> () }}) : (i1) -> (i1, i32)"));
                self.line(&format!("\"scf.condition\"(%go{k}#0, %go{k}#1, %y{k}) : (i1, i32, i32) -> () }}, {{ ^bb0(%p{k}: i32, %q{k}: i32):"));
                let q = self.def("arith.addi", &format!("%q{k}, %p{k}"), "", "(i32, i32) -> i32");
                self.line(&format!("\"scf.yield\"(%p{k}, {q}) : (i32, i32) -> () }}) : (i32, i32) -> (i32, i32)"));
                self.store(&format!("%w{k}#1"), 1);
            }
            9 => {
                self.labels += 1;
                let k = self.labels;
                let init = self.value(1);
                if self.pick(2) == 0 {
                    let n = i64::from(self.pick(4));
                    let (lo, hi, step) =
                        (self.constant(-1, "index"), self.constant(n, "index"), self.constant(2, "index"));
                    self.line(&format!(
                        "%f{k} = \"scf.for\"({lo}, {hi}, {step}, {init}) ({{ ^bb0(%j{k}: index, %c{k}: i32):"
                    ));
                } else {
                    let (l, h) = (self.affine(1), self.affine(1));
                    self.line(&format!("%f{k} = \"affine.for\"(%i, %i, %i, %i, {init}) <{{lowerBoundMap = affine_map<(d0)[s0] -> ({l}, -3)>, upperBoundMap = affine_map<(d0)[s0] -> ({h}, 4)>, step = 1 : index}}> ({{ ^bb0(%j{k}: index, %c{k}: i32):"));
                }
                let j = self.def("arith.index_cast", &format!("%j{k}"), "", "(index) -> i32");
                let s = self.def("arith.addi", &format!("%c{k}, {j}"), "", "(i32, i32) -> i32");
                self.statements(depth - 1);
                self.line(&format!(
                    "\"scf.yield\"({s}) : (i32) -> () }}) : ({}, i32) -> i32",
                    if self
                        .text
                        .lines()
                        .rev()
                        .find(|l| l.contains(&format!("%f{k} =")))
                        .is_some_and(|l| l.contains("affine"))
                    {
                        "index, index, index, index"
                    } else {
                        "index, index, index"
                    }
                ));
                self.store(&format!("%f{k}"), 2);
            }
            _ => {
                self.labels += 1;
                let k = self.labels;
                let v = self.value(1);
                self.line(&format!("\"scf.execute_region\"() ({{ \"cf.switch\"({v})[^d{k}, ^s{k}, ^d{k}, ^u{k}] <{{case_operand_segments = array<i32: 0, 0, 0>, case_values = dense<[0, 1, -1]> : vector<3xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i32) -> ()\n^s{k}:"));
                self.statements(depth - 1);
                self.line(&format!("\"cf.br\"()[^d{k}] : () -> ()\n^d{k}:"));
                self.statements(depth - 1);
                self.line(&format!("\"cf.br\"()[^u{k}] : () -> ()\n^u{k}:\n{end} }}) : () -> ()"));
            }
        }
    }
}

fn program(tape: &[u8]) -> String {
    let mut w = Writer { tape, at: 0, text: String::new(), next: 0, labels: 0 };
    w.line("\"builtin.module\"() ({ \"func.func\"() <{function_type = (i32) -> (), sym_name = \"g\", sym_visibility = \"private\"}> ({ }) : () -> ()");
    w.line("\"func.func\"() <{function_type = (i32, i32) -> i32, sym_name = \"f\"}> ({ ^bb0(%a: i32, %b: i32):");
    for k in 0..VARIABLES {
        w.line(&format!("%v{k} = \"memref.alloca\"() : () -> memref<1xi32>"));
    }
    for k in 0..VARIABLES {
        w.store(if k % 2 == 0 { "%a" } else { "%b" }, k);
    }
    w.line("%flag = \"memref.alloca\"() : () -> memref<i1> %slot = \"memref.alloca\"() : () -> memref<i32> %i = \"arith.index_cast\"(%b) : (i32) -> index");
    w.flag("%flag", true);
    let first = w.load(0);
    w.line(&format!("\"memref.store\"({first}, %slot) : (i32, memref<i32>) -> ()"));
    w.statements(3);
    w.line("%last = \"memref.load\"(%slot) : (memref<i32>) -> i32");
    let (x, y) = (w.load(1), w.load(2));
    let s = w.def("arith.addi", &format!("{x}, {y}"), "", "(i32, i32) -> i32");
    let r = w.def("arith.addi", &format!("{s}, %last"), "", "(i32, i32) -> i32");
    w.line(&format!("\"func.return\"({r}) : (i32) -> () }}) : () -> () }}) : () -> ()"));
    w.text
}

fn check(tape: &[u8]) {
    let text = program(tape);
    let module = mlir::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let lowered = lower(&module, &SourceFacts::default()).unwrap();
    assert!(lowered.unknown.is_empty(), "{:?}", lowered.unknown);
    let f = lowered.host.functions.iter().find(|f| f.name == "f").unwrap();
    assert!(!ir::cfg::Cfg::new(f).irreducible, "a loop with several ways in:\n{text}\n{}", lowered.host);
    for (a, b) in [(0, 0), (1, -2), (3, 2), (-3, 1), (5, 5), (i64::from(i32::MIN), 7)] {
        let mut m = Mlir { fuel: FUEL, ..Mlir::default() };
        let body = module.ops[0].regions[0].blocks[0].ops.iter().find(|o| o.text("sym_name") == Some("f")).unwrap();
        let Some(Left::Return(want)) = m.region(&body.regions[0], &[a, b]) else { continue };
        let got = run(&lowered.host, f, &[a, b]);
        assert_eq!(got, Some((want, m.calls)), "f({a}, {b}) of\n{text}\n{}", lowered.host);
    }
}

fn modules() -> &'static [mlir::MlirModule] {
    static ALL: std::sync::OnceLock<Vec<mlir::MlirModule>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        mlir::tests::fixtures()
            .into_iter()
            .filter(|f| f.0.contains("light"))
            .map(|f| mlir::read(&f.1).unwrap())
            .collect()
    })
}

fn ops_of<'m>(r: &'m mut mlir::MlirRegion, out: &mut Vec<&'m mut mlir::MlirOp>) {
    for o in r.blocks.iter_mut().flat_map(|b| &mut b.ops) {
        if o.regions.is_empty() {
            out.push(o);
        } else {
            for r in &mut o.regions {
                ops_of(r, out);
            }
        }
    }
}

/// Damages one operation in a way that the reader accepts.
fn damage(m: &mut mlir::MlirModule, at: usize, what: u8, how: usize) {
    const NAMES: &[&str] = &[
        "memref.store",
        "memref.load",
        "scf.if",
        "scf.while",
        "scf.for",
        "scf.yield",
        "scf.condition",
        "gpu.launch",
        "cf.br",
        "cf.cond_br",
        "cf.switch",
        "func.call",
        "func.return",
        "arith.cmpi",
        "arith.extui",
        "arith.select",
        "arith.floordivsi",
        "math.absi",
        "memref.alloca",
        "memref.alloc",
        "memref.dealloc",
        "memref.atomic_rmw",
        "memref.copy",
        "memref.cast",
        "memref.get_global",
        "polygeist.subindex",
        "polygeist.typeSize",
        "llvm.getelementptr",
        "llvm.store",
        "llvm.load",
        "llvm.call",
        "llvm.insertvalue",
        "llvm.extractvalue",
        "llvm.intr.memcpy",
        "llvm.cmpxchg",
        "llvm.inline_asm",
        "affine.apply",
        "affine.for",
        "affine.if",
        "affine.load",
        "affine.store",
        "affine.parallel",
        "scf.parallel",
        "scf.index_switch",
        "scf.execute_region",
        "gpu.thread_id",
        "nvvm.barrier0",
        "func.call_indirect",
        "x.unknown",
    ];
    let top = &mut m.ops[0].regions[0];
    let inner = !how.is_multiple_of(3);
    let mut all: Vec<&mut mlir::MlirOp> = vec![];
    if inner {
        ops_of(top, &mut all);
    } else {
        all = top.blocks[0].ops.iter_mut().collect();
    }
    let n = all.len();
    let op = &mut all[at % n];
    match what % 12 {
        0 => {
            op.operands.clear();
            op.operand_types.clear();
        }
        1 => {
            let k = how % (op.operands.len() + 1);
            op.operands.truncate(k);
            op.operand_types.truncate(k);
        }
        2 => {
            let k = op.attrs.keys().nth(how % op.attrs.len().max(1)).cloned();
            if let Some(k) = k {
                op.attrs.remove(&k);
            }
        }
        3 | 4 => op.name = NAMES[how % NAMES.len()].to_owned(),
        5 => op.regions.clear(),
        6 => {
            op.results.clear();
            op.result_types.clear();
        }
        7 => {
            for t in &mut op.operand_types {
                *t = mlir::Type::Int(u32::try_from(how).unwrap());
            }
        }
        8 => {
            for t in &mut op.result_types {
                *t = mlir::Type::Void;
            }
        }
        9 => op.successors.clear(),
        10 => op.operands.reverse(),
        _ => {
            for a in op.attrs.values_mut() {
                *a = Attr::Int(i128::try_from(how).unwrap() - 3, None);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, max_shrink_iters: 4000, ..ProptestConfig::default() })]

    /// Whatever the reader accepts can be lowered.
    #[test]
    fn any_module_is_lowered(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<u16>(), any::<u8>(), any::<u8>()), 1..12)) {
        let all = modules();
        let mut m = which.get(all).clone();
        for (at, what, how) in edits { damage(&mut m, usize::from(at), what, usize::from(how)); }
        let Ok(l) = lower(&m, &SourceFacts { text: "void f(int a) {}".into(), ..SourceFacts::default() }) else { return Ok(()) };
        for f in l.device.functions.iter().chain(&l.host.functions) { prop_assert!(f.blocks.iter().flat_map(|b| b.term.successors()).all(|t| t.index() < f.blocks.len())); }
    }

    #[test]
    fn lowering_keeps_what_a_function_computes(tape in prop::collection::vec(any::<u8>(), 0..400)) { check(&tape); }
}
