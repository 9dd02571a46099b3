//! Launches and built-in variables of device code, by clang's conventions.

use crate::lower::body::{BodyBuilder, YieldTarget};
use crate::lower::side::SideBuilder;
use crate::lower::unit::LoweringUnit;
use crate::mlir::{Attr, MlirOp, Type};
use ir::{
    AddressStep, Block, Bytes, Callee, Const, FuncId, Inst, Linkage, LocId, Op, Operand, Side, Terminator, TypeId,
    ValueId,
};

impl<'m> BodyBuilder<'_, '_, 'm> {
    pub(in crate::lower) fn gpu(&mut self, op: &'m MlirOp, exit: &YieldTarget) -> bool {
        let builtin = match op.name.as_str() {
            "gpu.thread_id" => "threadIdx",
            "gpu.block_id" => "blockIdx",
            "gpu.block_dim" => "blockDim",
            "gpu.grid_dim" => "gridDim",
            "gpu.launch" => return self.launch(op),
            "gpu.terminator" | "gpu.yield" => return self.yielded(op, exit),
            "gpu.wait" => return op.results.is_empty(),
            "gpu.barrier" | "nvvm.barrier0" | "polygeist.barrier" => {
                let void = self.side.types.void();
                self.call("llvm.nvvm.barrier0", vec![], void, &[]);
                return true;
            }
            name => {
                let Some(reg) = name.strip_prefix("nvvm.read.ptx.sreg.") else { return false };
                let i32t = self.side.types.int(32);
                let v = self.call(&format!("llvm.nvvm.read.ptx.sreg.{reg}"), vec![], i32t, &[]);
                let bits = op.result_types.first().and_then(Self::bits).unwrap_or(32);
                let v = self.resize(v, 32, bits, false);
                self.set(op, 0, v);
                return true;
            }
        };
        let Some(Attr::Other(d)) = op.attr("dimension") else { return false };
        let Some(axis) = ["x", "y", "z"].into_iter().find(|a| d.contains(&format!("dim {a}"))) else { return false };
        let i32t = self.side.types.int(32);
        let f = self.side.fetch(builtin, axis);
        let v = self.call_id(f, vec![], i32t);
        let bits = op.result_types.first().and_then(Self::bits).unwrap_or(64);
        let v = self.resize(v, 32, bits, false);
        self.set(op, 0, v);
        true
    }

    fn launch(&mut self, op: &'m MlirOp) -> bool {
        let Some(body) = op.regions.first() else { return false };
        let mut stub = None;
        op.walk(&mut |o| {
            if let Some(c) = o.text("callee").filter(|c| LoweringUnit::is_stub(c)) {
                stub = Some(c);
            }
        });
        let segments = op.segments();
        let dims = match &segments {
            Some(s) if s.len() >= 7 => s[1..7].concat(),
            _ => op.operands.iter().take(6).copied().collect(),
        };
        if dims.len() != 6 {
            return false;
        }
        let Some(stub) = stub else { return false };
        let kernel = ir::Program::kernel_symbol_of_stub(stub).unwrap_or_default();
        let (i32t, i64t, ptr) = (self.side.types.int(32), self.side.types.int(64), self.side.types.ptr());
        let dims: Vec<Operand> = dims
            .iter()
            .map(|v| {
                let o = self.value(*v, &Type::Index);
                self.resize(o, 64, 32, false)
            })
            .collect();
        let mut config = vec![];
        for d in dims.chunks(3) {
            config.extend(self.packed(d));
        }
        let shared = segments.as_ref().and_then(|s| s.get(7)).and_then(|s| s.first()).copied();
        config.push(match shared {
            Some(v) => {
                let t = op
                    .operands
                    .iter()
                    .position(|o| *o == v)
                    .and_then(|i| op.operand_types.get(i))
                    .cloned()
                    .unwrap_or(Type::Int(32));
                let o = self.value(v, &t);
                self.resize(o, Self::bits(&t).unwrap_or(32), 64, false)
            }
            None if self.unit.stock && self.unit.dynamic_shared.contains(kernel.as_str()) => {
                self.unknown("the size of dynamic shared memory, which cgeist leaves out", i64t, vec![])
            }
            None => Self::int(64, 0),
        });
        config.push(Operand::Const(Const::Zero(ptr)));
        self.call("__cudaPushCallConfiguration", config, i32t, &[i64t, i32t, i64t, i32t, i64t, ptr]);
        let join = self.block("launched", &[]);
        let inside = self.block("launch", &[]);
        self.jump(inside, vec![]);
        self.enter(inside);
        // The region's arguments are the thread's indices, which the stub's call does not use.
        self.region(body, vec![], &YieldTarget::Yield(join));
        self.enter(join);
        for (i, t) in op.result_types.iter().enumerate() {
            let ty = self.side.types.of(t);
            self.set(op, i, Operand::Const(Const::Undef(ty)));
        }
        true
    }

    /// Passes a `dim3` as clang does: x and y in 64 bits, then z, through memory.
    fn packed(&mut self, d: &[Operand]) -> [Operand; 2] {
        let (i32t, i64t, ptr) = (self.side.types.int(32), self.side.types.int(64), self.side.types.ptr());
        let dim3 = self.side.types.structure(Some("struct.dim3".into()), &[i32t, i32t, i32t], false);
        let place = self.emit(Op::Alloca { ty: dim3, count: Self::int(64, 1), align: 8, var: None }, ptr);
        let mut z = place.clone();
        for (i, v) in (0u32..).zip(d) {
            let at = if i == 0 {
                place.clone()
            } else {
                self.emit(
                    Op::Gep {
                        base: place.clone(),
                        steps: vec![AddressStep::Field { offset: u64::from(i) * 4, field: i, ty: i32t, of: dim3 }],
                        inbounds: true,
                    },
                    ptr,
                )
            };
            self.effect(Op::Store { ptr: at.clone(), value: v.clone(), volatile: false, align: 0 });
            z = at;
        }
        [
            self.emit(Op::Load { ptr: place, volatile: false, align: 0 }, i64t),
            self.emit(Op::Load { ptr: z, volatile: false, align: 0 }, i32t),
        ]
    }
}

/// Instructions of a function without source text.
struct StraightLineCode {
    insts: Vec<Inst>,
    next: u32,
    loc: LocId,
}

impl StraightLineCode {
    fn emit(&mut self, op: Op, ty: TypeId) -> Operand {
        let v = ValueId(self.next);
        self.next += 1;
        self.insts.push(Inst { result: Some(v), ty, op, loc: self.loc });
        Operand::Value(v)
    }

    fn store(&mut self, ptr: Operand, value: Operand, void: TypeId) {
        self.insts.push(Inst {
            result: None,
            ty: void,
            op: Op::Store { ptr, value, volatile: false, align: 0 },
            loc: self.loc,
        });
    }

    fn block(self, result: Option<Operand>) -> (Vec<Block>, u32) {
        (
            vec![Block { name: "entry".into(), insts: self.insts, term: Terminator::Ret(result), term_loc: self.loc }],
            self.next,
        )
    }
}

impl SideBuilder<'_, '_> {
    /// Returns clang's wrapper of a thread register (`__clang_cuda_builtin_vars.h`).
    pub fn fetch(&mut self, variable: &str, axis: &str) -> FuncId {
        let class = format!("__cuda_builtin_{variable}_t");
        let name = format!("_ZN{}{class}17__fetch_builtin_{axis}Ev", class.len());
        let register = match variable {
            "threadIdx" => "tid",
            "blockIdx" => "ctaid",
            "blockDim" => "ntid",
            _ => "nctaid",
        };
        let i32t = self.types.int(32);
        let id = self.declare(&name, i32t, &[]);
        if !self.of(id).is_declaration() {
            return id;
        }
        let read = self.declare(&format!("llvm.nvvm.read.ptx.sreg.{register}.{axis}"), i32t, &[]);
        let mut s = StraightLineCode { insts: vec![], next: 0, loc: LocId(0) };
        let v = s.emit(Op::Call { callee: Callee::Direct(read), args: vec![] }, i32t);
        let (blocks, values) = s.block(Some(v));
        self.set_body(id, blocks, values);
        self.set_linkage(id, Linkage::Odr);
        id
    }

    /// Builds a kernel's launch stub on the host: it takes the launch configuration and calls `cudaLaunchKernel` with
    /// its arguments.
    pub fn stub(&mut self, id: FuncId) {
        debug_assert!(self.side == Side::Host);
        let (void, ptr, i32t, i64t) = (self.types.void(), self.types.ptr(), self.types.int(32), self.types.int(64));
        let params = self.of(id).params.clone();
        let name = self.of(id).name.clone();
        let by_value = crate::lower::names::values(&self.of(id).display);
        let n = params.len() as u64;
        let loc = self.of(id).loc;
        let mut s = StraightLineCode { insts: vec![], next: u32::try_from(params.len()).unwrap_or(0), loc };
        let one = || Operand::Const(Const::Int { bits: 64, value: 1 });
        let signature = self.unit.signature(&name);
        let mut places = vec![];
        for (i, p) in (0u32..).zip(&params) {
            let memref = matches!(signature.as_ref().and_then(|s| s.params.get(i as usize)), Some(Type::MemRef(_)));
            let value = Operand::Value(ValueId(i));
            // A structure of equal members is passed as its address.
            if memref && by_value.get(i as usize) == Some(&true) {
                places.push(value);
                continue;
            }
            let align = self.types.defs[p.ty.index()].align;
            let at = s.emit(Op::Alloca { ty: p.ty, count: one(), align, var: None }, ptr);
            s.store(at.clone(), value, void);
            places.push(at);
        }
        let dim3 = self.types.structure(Some("struct.dim3".into()), &[i32t, i32t, i32t], false);
        let alloca = |s: &mut StraightLineCode, ty: TypeId, count: u64| {
            s.emit(
                Op::Alloca {
                    ty,
                    count: Operand::Const(Const::Int { bits: 64, value: i128::from(count) }),
                    align: 8,
                    var: None,
                },
                ptr,
            )
        };
        let (grid, block) = (alloca(&mut s, dim3, 1), alloca(&mut s, dim3, 1));
        let (shared, stream) = (alloca(&mut s, i64t, 1), alloca(&mut s, ptr, 1));
        let list = alloca(&mut s, ptr, n.max(1));
        for (i, p) in (0i128..).zip(places) {
            let step = AddressStep::Index {
                index: Operand::Const(Const::Int { bits: 64, value: i }),
                stride: Bytes(8),
                count: None,
            };
            let slot = s.emit(Op::Gep { base: list.clone(), steps: vec![step], inbounds: false }, ptr);
            s.store(slot, p, void);
        }
        let pop = self.declare("__cudaPopCallConfiguration", i32t, &[ptr; 4]);
        s.emit(
            Op::Call {
                callee: Callee::Direct(pop),
                args: vec![grid.clone(), block.clone(), shared.clone(), stream.clone()],
            },
            i32t,
        );
        let mut args = vec![Operand::Const(Const::Func(id))];
        for d in [grid, block] {
            args.push(s.emit(Op::Load { ptr: d.clone(), volatile: false, align: 0 }, i64t));
            let z = s.emit(
                Op::Gep {
                    base: d,
                    steps: vec![AddressStep::Field { offset: 8, field: 2, ty: i32t, of: dim3 }],
                    inbounds: true,
                },
                ptr,
            );
            args.push(s.emit(Op::Load { ptr: z, volatile: false, align: 0 }, i32t));
        }
        args.push(list);
        args.push(s.emit(Op::Load { ptr: shared, volatile: false, align: 0 }, i64t));
        args.push(s.emit(Op::Load { ptr: stream, volatile: false, align: 0 }, ptr));
        let launch = self.declare("cudaLaunchKernel", i32t, &[ptr, i64t, i32t, i64t, i32t, ptr, i64t, ptr]);
        s.emit(Op::Call { callee: Callee::Direct(launch), args }, i32t);
        let (blocks, values) = s.block(None);
        self.set_body(id, blocks, values);
    }
}
