//! Inserts checks at chosen accesses into the device code of a unit.
//!
//! In: the code as clang gave it to the analysis, and the accesses. Out: assembly in which each address passes through
//! `scuba_check` (`templates/check.ll`). It knows nothing of findings; all that it shares with the analysis is that
//! accesses are named by their position in the analysis form.

mod guard;
mod listed;
#[cfg(test)]
mod tests;

use super::bindings::{BasicBlock, Bitcode, Editor, Opcode, Value};
use crate::checks::{ArrayStart, CheckRequest, CheckedAccess, InsertedChecks};
use files::store;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use models::access::AccessMode;
use std::path::Path;

const CHECK: &str = include_str!("../../../../templates/check.ll");

/// Inserts a check before each place; its row is its index.
///
/// # Errors
/// If LLVM cannot read the code, bitcode or assembly.
pub fn insert(code: &[u8], request: &CheckRequest) -> Result<InsertedChecks, String> {
    let (text, failed) = edited(code, &request.places, None)?;
    let guarded = request.guard.and_then(|arch| edited(code, &request.places, Some(arch)).ok());
    Ok(InsertedChecks { code: text, failed, guarded: guarded.map(|g| g.0) })
}

/// Inserts the requested checks into bitcode, and writes them to the request's file.
///
/// # Errors
/// The conditions of [`insert`]; also if a file cannot be read or written.
pub fn write(bitcode: &Path, request: &CheckRequest) -> Result<(), String> {
    let code = std::fs::read(bitcode).map_err(|e| e.to_string())?;
    let packed = store::pack(&insert(&code, request)?).map_err(|e| e.to_string())?;
    std::fs::write(&request.output, packed).map_err(|e| format!("{}: {e}", request.output.display()))
}

/// Text of the edited code, and the reasons for places that were not found.
type EditedCode = (String, Vec<(usize, String)>);

/// Inserts checks and, for an architecture `guard`, a guard before all other accesses.
fn edited(code: &[u8], places: &[CheckedAccess], guard: Option<u32>) -> Result<EditedCode, String> {
    let context = Context::create();
    let parse = |text: &[u8]| {
        let buffer = MemoryBuffer::create_from_memory_range_copy(text, "unit");
        context.create_module_from_ir(buffer).map_err(|e| e.to_string())
    };
    let module = parse(code)?;
    // With debug information it would be code for a debugger.
    module.strip_debug_info();
    let bitcode = Bitcode::new(&module);
    let (own, variables) = (bitcode.functions(), bitcode.globals());
    if guard.is_some() && own.iter().any(|f| guard::ALLOCATORS.contains(&f.name().as_str())) {
        return Err("the code allocates memory itself".into());
    }
    let template = match guard {
        Some(arch) => guard::template(places.len(), arch),
        None => CHECK.replace("{{rows}}", &places.len().max(1).to_string()),
    };
    // LLVM links what is internal only where something uses it, which comes later.
    let template = format!("{}{}", target(&module), template.replace(" internal ", " "));
    module.link_in_module(parse(template.as_bytes())?).map_err(|e| e.to_string())?;
    let unit = CheckedUnit(Editor::new(bitcode));
    for linked in bitcode.functions().iter().filter(|f| !own.contains(f) && !f.is_declaration()) {
        unit.0.make_internal(*linked);
    }
    for linked in bitcode.globals().iter().filter(|g| !variables.contains(g) && !g.is_externally_initialized()) {
        unit.0.make_internal(*linked);
    }
    let check = |(row, place)| Some((row, unit.check(row, place).err()?));
    let failed = places.iter().enumerate().filter_map(check).collect();
    if guard.is_some() {
        unit.guard(&own, &variables);
    }
    let text = module.print_to_string().to_string();
    Ok((text.lines().map(relaxed).collect(), failed))
}

/// Lines that give a template the target of a module.
fn target(module: &Module<'_>) -> String {
    let (layout, triple) = (module.get_data_layout().as_str().to_string_lossy().into_owned(), module.get_triple());
    format!("target datalayout = \"{layout}\"\ntarget triple = \"{}\"\n", triple.as_str().to_string_lossy())
}

/// Drops flags that promise properties of address computations and arithmetic. They do not hold for a wrong access,
/// and a compiler that relies on them may drop the check.
fn relaxed(line: &str) -> String {
    let mut out = format!("{line}\n");
    if line.starts_with("  ") {
        for word in [" inbounds", " nusw", " nuw", " nsw", " exact", " disjoint", " nneg", " samesign"] {
            out = out.replace(&format!("{word} "), " ").replace(&format!("{word}("), " (");
        }
    }
    out
}

/// Operand of a plain instruction that is the address of its access of this mode.
fn address_operand(v: Value<'_>, mode: AccessMode) -> Option<u32> {
    let is_copy = |v: Value<'_>| {
        let name = v.called().name();
        name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.")
    };
    match (v.opcode()?, mode) {
        (Opcode::LLVMLoad, AccessMode::Read)
        | (Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg, AccessMode::Atomic) => Some(0),
        (Opcode::LLVMStore, AccessMode::Write) => Some(1),
        (Opcode::LLVMCall, AccessMode::Read) => is_copy(v).then_some(1),
        (Opcode::LLVMCall, AccessMode::Write) => is_copy(v).then_some(0),
        _ => None,
    }
}

/// The address operand of an access of any mode, the written one of a copy.
fn any_address_operand(v: Value<'_>) -> Option<u32> {
    [AccessMode::Write, AccessMode::Read, AccessMode::Atomic].into_iter().find_map(|mode| address_operand(v, mode))
}

fn is_generic(pointer: Value<'_>) -> bool {
    pointer.pointer_space() == Some(0)
}

/// Alloca `number`, from 0, of a function.
fn alloca<'m>(blocks: &[BasicBlock<'m>], number: usize, of: usize) -> Result<Value<'m>, String> {
    let is_alloca = |v: &Value<'m>| v.opcode() == Some(Opcode::LLVMAlloca);
    let all: Vec<Value<'m>> = blocks.iter().flat_map(|b| b.instructions()).filter(is_alloca).collect();
    if all.len() != of {
        return Err("its function has other local variables in the unit's code than in the analysis".into());
    }
    all.get(number).copied().ok_or_else(|| "its array is not in its function".into())
}

/// A unit's code with the template linked into it.
struct CheckedUnit<'m>(Editor<'m>);

impl<'m> CheckedUnit<'m> {
    /// A function or variable of the template; panics without one, which ends the worker.
    fn helper(&self, name: &str) -> Value<'m> {
        self.0.bitcode.named(name).unwrap_or_else(|| panic!("`{name}` of the template is not linked"))
    }

    fn blocks(&self, function: &str) -> Result<Vec<BasicBlock<'m>>, String> {
        let found = self.0.bitcode.functions().into_iter().find(|f| !f.is_declaration() && f.name() == function);
        Ok(found.ok_or("its function is not in the unit's code")?.blocks())
    }

    /// Address of a variable in the generic address space.
    fn generic(&self, variable: Value<'m>) -> Value<'m> {
        match is_generic(variable) {
            true => variable,
            false => self.0.cast(Opcode::LLVMAddrSpaceCast, variable, self.0.pointer(0)),
        }
    }

    /// Passes the address of one access through a check. `Err` is the reason why this is impossible.
    fn check(&self, row: usize, place: &CheckedAccess) -> Result<(), String> {
        let Self(e) = self;
        let blocks = self.blocks(&place.function)?;
        let block = blocks.get(place.block).ok_or("its block is not in the unit's code")?;
        let accesses = |v: &Value<'_>| any_address_operand(*v).is_some() || !listed::accesses(*v).is_empty();
        let same: Vec<Value<'m>> = block.instructions().into_iter().filter(accesses).collect();
        let (now, then) = (same.len(), place.of);
        if now != then {
            return Err(format!("its block has {now} accesses in the unit's code, and {then} in the analysis"));
        }
        let access = *same.get(place.number).ok_or("it is not in its block")?;
        let site = e.constant(e.integer(32), row as u64);
        e.go_before(access);
        let known = self.start(&place.start, &blocks, site)?;
        e.go_before(access);
        let other = "it is another kind of access in the unit's code";
        let mut listed = listed::accesses(access);
        if listed.is_empty() {
            let operand = address_operand(access, place.mode).ok_or(other)?;
            let address = access.operand(operand);
            if !is_generic(address) {
                return Err("its address is not in the generic address space".into());
            }
            let width = e.constant(e.integer(64), place.width);
            e.set_operand(access, operand, e.call(self.helper("scuba_check"), &[site, address, width, known]));
            return Ok(());
        }
        listed.retain(|a| a.kind == place.mode);
        if listed.is_empty() {
            return Err(other.into());
        }
        let check = self.helper("scuba_check_if");
        self.pass(access, &listed, &|happens, address, bytes| e.call(check, &[happens, site, address, bytes, known]))
    }

    /// Start of an array, null if the table or a row of it gives the address. `blocks` are those of the access.
    fn start(&self, start: &ArrayStart, blocks: &[BasicBlock<'m>], site: Value<'m>) -> Result<Value<'m>, String> {
        let Self(e) = self;
        Ok(match start {
            ArrayStart::Table => e.null(),
            ArrayStart::Variable(name) => {
                let variable = e.bitcode.named(name).ok_or_else(|| format!("`{name}` is not in the unit's code"))?;
                self.generic(variable)
            }
            ArrayStart::DynamicShared => {
                let is_dynamic = |g: &Value<'m>| {
                    g.is_declaration()
                        && g.pointer_space() == Some(3)
                        && g.value_type().sequence().is_some_and(|s| s.1 == 0)
                };
                let variable = e.bitcode.globals().into_iter().find(is_dynamic);
                self.generic(variable.ok_or("the unit has no dynamic shared memory")?)
            }
            ArrayStart::Alloca { number, of } => alloca(blocks, *number, *of)?,
            ArrayStart::Kept { function, number, of } => {
                let array = alloca(&self.blocks(function)?, *number, *of)?;
                e.go_after(array);
                e.call(self.helper("scuba_keep"), &[site, array]);
                e.null()
            }
            ArrayStart::Row { block, number, of } => {
                let block = blocks.get(*block).ok_or("the block of its row is not in the unit's code")?;
                let varies = |v: &Value<'m>| {
                    v.opcode() == Some(Opcode::LLVMGetElementPtr)
                        && v.operands().last().is_some_and(|i| !i.is_constant())
                };
                let varying: Vec<Value<'m>> = block.instructions().into_iter().filter(varies).collect();
                if varying.len() != *of {
                    return Err("the block of its row is another in the unit's code than in the analysis".into());
                }
                let row = *varying.get(*number).ok_or("its row is not in its block")?;
                if !is_generic(row) {
                    return Err("its row is not in the generic address space".into());
                }
                e.go_after(row);
                e.row_start(row)
            }
        })
    }
}
