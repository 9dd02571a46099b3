//! The state of a `std::thread`, from the code that makes it.
//!
//! In: a constructor of `std::thread`. Out: the methods by which the thread runs its function and destroys its state. The
//! constructor makes a state of one class (`std::thread::_State_impl`, libstdc++ 14, `bits/std_thread.h`). What that object holds
//! may be unknown where other threads run; its class is not.

use ir::reach::Mentions;
use ir::{FuncRef, GlobalId, GlobalRef, Program};

/// Constructors of states, by how their symbols begin, and the symbols of their virtual tables.
const CONSTRUCTORS: &str = "_ZNSt6thread11_State_implI";
const TABLES: &str = "_ZTVNSt6thread11_State_implI";

/// Methods of a state.
pub(super) struct StateMethods {
    pub destroy: FuncRef,
    pub run: FuncRef,
}

/// Returns the methods of the state that a constructor of `std::thread` makes; `None` if its class is not found.
pub(super) fn methods(program: &Program, constructor: FuncRef) -> Option<StateMethods> {
    let called = Mentions::of(program, constructor.module, &program.func(constructor).blocks).called;
    let mut made: Vec<FuncRef> =
        called.into_iter().filter(|f| program.func(*f).name.starts_with(CONSTRUCTORS)).collect();
    made.sort_unstable();
    made.dedup();
    let [made] = made.as_slice() else { return None };
    let symbol = &program.func(*made).name;
    let is_table = |table: &str| {
        table.starts_with(TABLES)
            && table
                .strip_prefix("_ZTVN")
                .and_then(|t| t.strip_suffix('E'))
                .and_then(|class| symbol.strip_prefix("_ZN")?.strip_prefix(class))
                .is_some_and(|rest| rest.starts_with("C1") || rest.starts_with("C2"))
    };
    let globals = &program.module(made.module).globals;
    let at = globals.iter().position(|g| g.init.is_some() && is_table(&g.name))?;
    let table = GlobalRef { module: made.module, global: GlobalId(u32::try_from(at).ok()?) };
    let mut named = Mentions::default();
    named.add_constant(program, table.module, program.global(table).init.as_ref()?);
    let of = |end: &str| named.named.iter().copied().find(|f| program.func(*f).name.ends_with(end));
    Some(StateMethods { destroy: of("D0Ev")?, run: of("6_M_runEv")? })
}
