//! Order of functions and variables, and numbers in names, that do not depend on precompiled headers.
//!
//! clang emits what headers define for every source (initialisers of `static` variables, key functions of classes)
//! before the source's own code: in the order of the text, or, for a precompiled header, in the order in which that
//! stores them. Where there are several, functions are sorted by name, and variables as functions mention them. LLVM
//! numbers types and constants of one name as it meets them; they are numbered anew as the reader meets them.

use super::bindings::{BasicBlock, Bitcode, LlvmLinkage as L, Value, ValueKind as K};
use super::reachable::is_constant_user;
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns the functions and the variables of a module in an order of our own. `is_own` tells of a definition whether
/// it is the user's.
pub(super) fn ordered<'m>(
    bitcode: &Bitcode<'m>,
    is_own: impl Fn(Value<'m>) -> bool,
) -> (Vec<Value<'m>>, Vec<Value<'m>>) {
    let (mut functions, globals) = (bitcode.functions(), bitcode.globals());
    let is_first = |f: &Value<'m>| !f.is_declaration() && is_own(*f);
    let end = functions.iter().position(is_first).unwrap_or(functions.len());
    let head = &mut functions[..end];
    let mut mentioned: FxHashSet<Value<'m>> = FxHashSet::default();
    for f in head.iter() {
        mentioned.extend(operands(*f).filter(|o| o.kind() == K::LLVMFunctionValueKind && o != f));
    }
    if head.iter().filter(|f| !f.is_declaration() && !mentioned.contains(f)).count() < 2 {
        return (functions, globals);
    }
    head.sort_by_cached_key(|f| f.name());
    let globals = as_mentioned(&functions, globals);
    let is_numbered = |g: &&Value<'m>| matches!(g.linkage(), L::LLVMPrivateLinkage | L::LLVMInternalLinkage);
    let numbered: Vec<Value<'m>> = globals.iter().filter(is_numbered).copied().collect();
    let names: Vec<String> = numbered.iter().map(|g| g.name()).collect();
    let mut numbers = NameNumbers::default();
    numbered.iter().zip(0..).for_each(|(g, i): (_, u32)| bitcode.rename(*g, &format!("scuba.numbered.{i}")));
    numbered.iter().zip(names).for_each(|(g, name)| bitcode.rename(*g, &numbers.name(&name)));
    (functions, globals)
}

/// Returns variables in the order in which functions, and the variables that these mention, mention them; then others.
fn as_mentioned<'m>(functions: &[Value<'m>], globals: Vec<Value<'m>>) -> Vec<Value<'m>> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut found = vec![];
    for f in functions {
        let mut work: Vec<Value<'m>> = operands(*f).collect();
        work.reverse();
        while let Some(v) = work.pop() {
            if !is_constant_user(v) || v.kind() == K::LLVMFunctionValueKind || !seen.insert(v) {
                continue;
            }
            let is_variable = v.kind() == K::LLVMGlobalVariableValueKind;
            if is_variable {
                found.push(v);
            }
            let mut below: Vec<Value<'m>> =
                if is_variable { v.initializer().into_iter().collect() } else { v.operands() };
            below.reverse();
            work.extend(below);
        }
    }
    let known: FxHashSet<Value<'m>> = found.iter().copied().collect();
    let mut others: Vec<Value<'m>> = globals.iter().filter(|g| !known.contains(g)).copied().collect();
    others.sort_by_cached_key(|g| g.name());
    found.into_iter().chain(others).collect()
}

/// Returns the operands of a function's instructions in their order.
fn operands<'m>(f: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    f.blocks().into_iter().flat_map(BasicBlock::instructions).flat_map(Value::operands)
}

/// Numbers of types and variables by their names.
#[derive(Default)]
pub(super) struct NameNumbers {
    next: FxHashMap<String, u32>,
}

impl NameNumbers {
    /// Returns the name of one that was not met before, with a number if others have the same.
    pub fn name(&mut self, of_llvm: &str) -> String {
        let is_number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        let plain = of_llvm.rsplit_once('.').filter(|(_, n)| is_number(n)).map_or(of_llvm, |(plain, _)| plain);
        let next = self.next.entry(plain.to_owned()).or_default();
        *next += 1;
        if *next == 1 { plain.to_owned() } else { format!("{plain}.{}", *next - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_numbered_as_they_are_met() {
        let mut numbers = NameNumbers::default();
        let names = ["class.a::b.387", "class.a::b", "struct.anon.3", "class.a::b.2", "i.", "union.x"];
        let named: Vec<String> = names.iter().map(|n| numbers.name(n)).collect();
        assert_eq!(named, ["class.a::b", "class.a::b.1", "struct.anon", "class.a::b.2", "i.", "union.x"]);
    }
}
