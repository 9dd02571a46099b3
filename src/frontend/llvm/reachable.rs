//! Functions and globals reachable from those that the unit exports or runs.
//!
//! Headers define thousands of inline functions; facts keep only those in use.

use super::bindings::{Bitcode, LlvmLinkage as L, Value, ValueKind as K};
use super::library_models::{LibraryModels, MODEL};
use rustc_hash::FxHashSet;

/// LLVM's calling convention number of kernels (llvm/IR/CallingConv.h, `PTX_Kernel`).
pub(super) const PTX_KERNEL: u32 = 71;

/// Returns the functions, globals and aliases reachable from kernels, exported definitions (`main` among them) and
/// static constructors.
pub(super) fn reachable<'m>(bitcode: &Bitcode<'m>, models: &LibraryModels<'m>) -> FxHashSet<Value<'m>> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut work: Vec<Value<'m>> = vec![];
    for f in bitcode.functions() {
        // A model is reachable only through the function that it replaces.
        let in_use = !models.have(f) && !f.name().starts_with(MODEL);
        if in_use && !f.is_declaration() && (exported(f.linkage()) || f.calling_convention() == PTX_KERNEL) {
            work.push(f);
        }
    }
    for g in bitcode.globals() {
        let name = g.name();
        let speaks = matches!(name.as_str(), "llvm.global_ctors" | "llvm.global_dtors" | "llvm.global.annotations");
        if speaks || (!name.starts_with("llvm.") && !g.is_declaration() && exported(g.linkage())) {
            work.push(g);
        }
    }
    for a in bitcode.aliases() {
        if exported(a.linkage()) {
            work.push(a);
        }
    }
    while let Some(v) = work.pop() {
        let v = match models.instead_of(v) {
            model if model != v => {
                seen.insert(v);
                model
            }
            own => own,
        };
        if !seen.insert(v) {
            continue;
        }
        match v.kind() {
            K::LLVMFunctionValueKind => {
                work.extend(models.concrete_of(v));
                for block in v.blocks() {
                    for inst in block.instructions() {
                        work.extend(inst.operands().into_iter().filter(|o| is_constant_user(*o) && !seen.contains(o)));
                    }
                }
            }
            K::LLVMGlobalVariableValueKind => work.extend(v.initializer()),
            K::LLVMGlobalAliasValueKind => work.push(v.aliasee()),
            _ => work.extend(v.operands()),
        }
    }
    seen
}

/// Whether other translation units (or the runtime) can reach a definition without this unit's help. Explicit template
/// instantiations are `weak_odr`.
fn exported(linkage: L) -> bool {
    matches!(linkage, L::LLVMExternalLinkage | L::LLVMWeakAnyLinkage | L::LLVMWeakODRLinkage | L::LLVMCommonLinkage)
}

/// Whether a constant can mention a global; instructions and arguments cannot lead out of the function.
pub(super) fn is_constant_user(v: Value<'_>) -> bool {
    matches!(
        v.kind(),
        K::LLVMFunctionValueKind
            | K::LLVMGlobalVariableValueKind
            | K::LLVMGlobalAliasValueKind
            | K::LLVMGlobalIFuncValueKind
            | K::LLVMConstantExprValueKind
            | K::LLVMConstantArrayValueKind
            | K::LLVMConstantStructValueKind
            | K::LLVMConstantVectorValueKind
    )
}
