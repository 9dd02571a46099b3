//! Symbols in the text of a constant that has no form of its own ([`Const::Opaque`](super::Const::Opaque)): their addresses are used as numbers.

use super::{FuncId, FuncRef, GlobalId, GlobalRef, ModuleId, Program};

/// Collects the variables and functions that the text of an expression names (`@name`, LLVM 22 Language Reference, Identifiers).
pub(super) fn symbols_in(
    (program, module): (&Program, ModuleId),
    text: &str,
    globals: &mut Vec<GlobalRef>,
    functions: &mut Vec<FuncRef>,
) {
    let m = program.module(module);
    for rest in text.split('@').skip(1) {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
        let name = &rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())];
        if let Some(i) = (0u32..).zip(&m.globals).find(|(_, g)| g.name == name).map(|(i, _)| i) {
            globals.push(program.resolve_global(module, GlobalId(i)));
        }
        if let Some(i) = (0u32..).zip(&m.functions).find(|(_, f)| f.name == name).map(|(i, _)| i) {
            functions.push(program.resolve_func(module, FuncId(i)));
        }
    }
}
