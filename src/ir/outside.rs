//! Effects of code outside a program: it may call every function that the program exports, or whose address escaped.
//!
//! In: a linked program. Out: the variables that these functions and their callees write, or whose addresses they let
//! escape; whether they free memory or set kernel attributes. Outside code is an object or a library that was not read.
//! Which symbols it refers to is unknown here: where that is found out (the symbol table of an object that a link
//! names), [`OutsideEffects::of`] takes the functions that it can name.

use super::reach::{Mentions, written_by};
use super::{FuncRef, Function, Global, GlobalId, GlobalRef, Linkage, Module, ModuleId, Program, Side, space};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// CUDA functions that free memory (CUDA Runtime API and Driver API 13.0, Memory Management).
const FREES: &[&str] = &[
    "cudaFree",
    "cudaFreeAsync",
    "cudaFreeHost",
    "cudaDeviceReset",
    "cuMemFree_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
];

/// CUDA functions that set kernel attributes.
const ATTRIBUTES: &[&str] =
    &["cudaFuncSetAttribute", "cudaKernelSetAttributeForDevice", "cuFuncSetAttribute", "cuKernelSetAttribute"];

/// Effects of the functions of a program that outside code can call.
#[derive(Clone, Debug, Default)]
pub struct OutsideEffects {
    /// Host variables that these functions write, or whose addresses they use, in order.
    pub written: Vec<GlobalRef>,
    /// Host variables that these functions only read: they may write the memory that these variables point to.
    pub read: Vec<GlobalRef>,
    /// Device variables that the kernels launched by these functions may write; all variables if one is a tile kernel.
    pub device: Vec<GlobalRef>,
    /// True where these functions may mention other variables.
    pub opaque: bool,
    /// True where these functions free memory.
    pub frees: bool,
    /// True where these functions set kernel attributes.
    pub attributes: bool,
}

/// Whether outside code can name a function: user code that is visible beyond its unit. C++ forbids to call `main`
/// ([basic.start.main]).
fn is_exported(program: &Program, r: FuncRef, m: &Module, f: &Function) -> bool {
    m.side == Side::Host
        && !f.is_declaration()
        && matches!(f.linkage, Linkage::External | Linkage::Odr | Linkage::Instance | Linkage::Weak)
        && f.name != "main"
        && !program.loc(r.module, f.loc).system
}

impl OutsideEffects {
    /// Computes the effects of outside code, which may call exported functions and functions whose addresses the
    /// program takes. Of the exported ones it can name those for which `nameable` is true.
    pub(super) fn of(program: &Program, nameable: impl Fn(&Function) -> bool) -> Self {
        let host = || program.functions().filter(|(_, m, _)| m.side == Side::Host);
        let mut open: Vec<FuncRef> =
            host().filter(|(r, m, f)| is_exported(program, *r, m, f) && nameable(f)).map(|(r, ..)| r).collect();
        for (r, _, f) in host() {
            open.extend(Mentions::of(program, r.module, &f.blocks).named);
        }
        for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host) {
            let mut initial = Mentions::default();
            for c in m.globals.iter().filter_map(|g| g.init.as_ref()) {
                initial.add_constant(program, ModuleId(mi), c);
            }
            open.extend(initial.named);
        }
        let mut all = Self::default();
        let (mut seen, mut kernels) = (FxHashSet::default(), vec![]);
        // The writes of a tile kernel are unknown.
        let mut any_variable = false;
        let (mut written, mut read) = (FxHashSet::default(), FxHashSet::default());
        while let Some(f) = open.pop() {
            if !seen.insert(f) {
                continue;
            }
            let func = program.func(f);
            if func.name == "main" {
                continue;
            }
            all.frees |= FREES.contains(&func.name.as_str());
            all.attributes |= ATTRIBUTES.contains(&func.name.as_str());
            kernels.extend(program.kernel_of_stub(f.module, &func.name));
            any_variable |= program.tile_kernel_of_stub(f.module, &func.name).is_some();
            let mentions = Mentions::of(program, f.module, &func.blocks);
            all.opaque |= mentions.opaque;
            written.extend(written_by(program, f.module, &func.blocks));
            read.extend(mentions.globals);
            open.extend(mentions.called.into_iter().chain(mentions.named));
        }
        read.retain(|g| !written.contains(g));
        let of_host = |set: FxHashSet<GlobalRef>| {
            let mut list: Vec<GlobalRef> = set.into_iter().filter(|g| !program.global(*g).constant).collect();
            list.sort_unstable();
            list
        };
        (all.written, all.read) = (of_host(written), of_host(read));
        all.device = if any_variable { program.device_variables() } else { written_by_kernels(program, kernels) };
        all
    }
}

/// Whether kernels may write a variable by its name.
fn is_device_variable(g: &Global) -> bool {
    g.defined && !g.constant && g.space == space::GLOBAL
}

impl Program {
    /// Returns all variables that device code may write by name.
    #[must_use]
    pub fn device_variables(&self) -> Vec<GlobalRef> {
        let of = |(mi, m): (u32, &Arc<Module>)| {
            let variables = (0u32..).zip(&m.globals).filter(|(_, g)| is_device_variable(g));
            let refs = variables.map(move |(gi, _)| GlobalRef { module: ModuleId(mi), global: GlobalId(gi) });
            refs.collect::<Vec<_>>()
        };
        (0u32..).zip(&self.modules).filter(|(_, m)| m.side == Side::Device).flat_map(of).collect()
    }
}

/// Returns the device variables that kernels and their callees may write by name.
fn written_by_kernels(program: &Program, kernels: Vec<FuncRef>) -> Vec<GlobalRef> {
    let (mut seen, mut open) = (FxHashSet::default(), kernels);
    let mut found: FxHashSet<GlobalRef> = FxHashSet::default();
    while let Some(f) = open.pop() {
        if seen.insert(f) {
            let mentions = Mentions::of(program, f.module, &program.func(f).blocks);
            found.extend(written_by(program, f.module, &program.func(f).blocks));
            open.extend(mentions.called.into_iter().chain(mentions.named));
        }
    }
    let mut list: Vec<GlobalRef> = found.into_iter().filter(|g| is_device_variable(program.global(*g))).collect();
    list.sort_unstable();
    list
}
