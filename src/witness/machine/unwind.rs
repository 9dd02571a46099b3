//! Exceptions of host code: from the call that throws to the handler (Itanium C++ ABI, Exception Handling).
//!
//! In: a thrown object and the name of its type. Out: the thread at the innermost landing pad that an `invoke` names.
//! Clean-up is run on the way, as if a handler were certain: what happens before one begins is not certain, because a
//! program may end without unwinding. Types are compared by name; the bases of the library's exceptions are known.

use super::call::ThreadStop;
use super::calls::CallStep;
use super::form::{FunctionCode, I};
use super::state::Machine;
use super::thread::{Thread, site_of};
use super::value::{Reason, Val};
use ir::{Const, GlobalRef, Op, Program, Terminator};
use std::rc::Rc;

/// Prefix of descriptions of types.
const DESCRIPTION: &str = "_ZTI";

/// Single public bases of the library's exceptions (C++17, 22.2, 22.5, 21.6, 20.5).
const BASES: &[(&str, &str)] = &[
    ("St11logic_error", "St9exception"),
    ("St13runtime_error", "St9exception"),
    ("St9bad_alloc", "St9exception"),
    ("St8bad_cast", "St9exception"),
    ("St10bad_typeid", "St9exception"),
    ("St17bad_function_call", "St9exception"),
    ("St20bad_array_new_length", "St9bad_alloc"),
    ("St12domain_error", "St11logic_error"),
    ("St16invalid_argument", "St11logic_error"),
    ("St12length_error", "St11logic_error"),
    ("St12out_of_range", "St11logic_error"),
    ("St11range_error", "St13runtime_error"),
    ("St14overflow_error", "St13runtime_error"),
    ("St15underflow_error", "St13runtime_error"),
    ("St12system_error", "St13runtime_error"),
];

impl Machine<'_> {
    /// Symbol of the variable at an address.
    pub fn symbol_at(&self, address: Val) -> Option<String> {
        let address = address.known()?;
        let of = self.globals.iter().find(|(_, at)| **at == address)?.0;
        Some(self.program.global(*of).name.clone())
    }

    /// Returns whether a handler of a type takes the exception that flies; `None` where that is unknown.
    pub fn is_handled_as(&self, class: Val) -> Option<bool> {
        let wanted = self.symbol_at(class)?;
        let mut class = self.exceptions.flying.last()?.class.clone()?;
        // No hierarchy is as deep.
        for _ in 0..64 {
            if class == wanted {
                return Some(true);
            }
            // A pointer may be converted to another one, and to nothing else.
            let is_pointer = |class: &str| class.strip_prefix(DESCRIPTION).is_some_and(|name| name.starts_with('P'));
            if is_pointer(&class) && !is_pointer(&wanted) {
                return Some(false);
            }
            match base_of(self.program, &class)? {
                Some(base) => class = base,
                None => return Some(false),
            }
        }
        None
    }

    /// Executes a call or inline assembly; an exception continues at its landing pad, as a callee continues in its frame.
    #[inline]
    pub(super) fn call_or_unwind(
        &mut self,
        th: &mut Thread,
        (code, base): (&Rc<FunctionCode>, usize),
        floor: usize,
        op: &I,
    ) -> Result<CallStep, ThreadStop> {
        match self.call_or_assembly(th, code, base, op) {
            Err(ThreadStop::Thrown) if self.unwind(th, floor) => Ok(CallStep::Enters),
            done => done,
        }
    }

    /// Continues at the next landing pad where clean-up ends; returns whether an exception flies at all.
    pub(super) fn flies_on(&mut self, th: &mut Thread, floor: usize) -> Result<bool, ThreadStop> {
        if th.on_device() || self.exceptions.flying.is_empty() {
            return Ok(false);
        }
        if let Some(f) = th.frames.pop() {
            th.stack.cut(f.depth);
        }
        if self.unwind(th, floor) { Ok(true) } else { Err(ThreadStop::Thrown) }
    }

    /// Continues at the innermost landing pad among the frames from `floor` on, which it removes where they have none.
    /// Returns whether there is one.
    fn unwind(&mut self, th: &mut Thread, floor: usize) -> bool {
        while th.frames.len() > floor {
            let Some(f) = th.frames.last() else { return false };
            let (code, base) = (f.code.clone(), f.base);
            let site = site_of(&code, f.pc.wrapping_sub(1));
            let func = self.program.func(site.func);
            let block = &func.blocks[site.block.index()];
            if site.inst as usize >= block.insts.len()
                && let Terminator::Invoke { unwind, .. } = &block.term
            {
                let begin = self.arrive(th, &code, base, Some(site.block), *unwind, Reason::OPEN);
                let pad = &func.blocks[unwind.index()].insts;
                let is_pad = |op: &Op| matches!(op, Op::Other { what, .. } if what == "landingpad");
                if let Some(at) = pad.iter().position(|i| is_pad(&i.op)) {
                    let object = self.exceptions.flying.last().map_or(Val::UNINIT, |e| e.object);
                    if let Some(result) = pad[at].result {
                        let (d, n) = code.values[result.index()];
                        // The address of the object, and a number that `llvm.eh.typeid.for` gives for its types.
                        for (k, v) in (0..n).zip([object, Val::new(1)]) {
                            th.regs[base + (d + k) as usize] = v;
                        }
                    }
                    let behind = |place: &(u32, u32)| place.0 == unwind.0 && place.1 as usize > at;
                    let next = code.places[begin..].iter().position(behind);
                    if let (Some(next), Some(f)) = (next, th.frames.last_mut()) {
                        f.pc = begin + next;
                        return true;
                    }
                }
            }
            if let Some(f) = th.frames.pop() {
                th.stack.cut(f.depth);
            }
        }
        false
    }
}

/// Returns the only base class of a type by their symbols, `Some(None)` for none; `None` where that is unknown.
fn base_of(program: &Program, class: &str) -> Option<Option<String>> {
    let name = class.strip_prefix(DESCRIPTION)?;
    if name == "St9exception" {
        return Some(None);
    }
    if let Some((_, base)) = BASES.iter().find(|(of, _)| *of == name) {
        return Some(Some(format!("{DESCRIPTION}{base}")));
    }
    // Numbers and enumerations have no bases; pointers may be converted.
    if name.len() == 1 {
        return Some(None);
    }
    let of = |r: GlobalRef| program.global(r);
    let (r, init) = program
        .modules
        .iter()
        .enumerate()
        .flat_map(|(m, module)| (0u32..).zip(&module.globals).map(move |(g, global)| (m, g, global)))
        .find_map(|(m, g, global)| {
            let module = ir::ModuleId(u32::try_from(m).ok()?);
            (global.name == class).then_some(())?;
            Some((GlobalRef { module, global: ir::GlobalId(g) }, global.init.as_ref()?))
        })?;
    let Const::Aggregate { elems, .. } = init else { return None };
    let names: Vec<String> = elems
        .iter()
        .filter_map(|e| match e {
            Const::Global { id, .. } => Some(of(program.resolve_global(r.module, *id)).name.clone()),
            _ => None,
        })
        .collect();
    let kind = names.first()?;
    if kind.contains("__si_class_type_info") {
        return names.get(2).filter(|base| base.starts_with(DESCRIPTION)).map(|base| Some(base.clone()));
    }
    (kind.contains("17__class_type_info")).then_some(None)
}
