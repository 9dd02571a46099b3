//! Facts about functions that depend on their code alone, computed once for each.

use super::thrown_classes::ThrownClasses;
use ir::cfg::Cfg;
use ir::{BlockId, FuncRef, TypeId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Default)]
pub(in crate::symbolic) struct FunctionFacts {
    pub cfgs: FxHashMap<FuncRef, Rc<Cfg>>,
    /// Functions that may throw, and handlers after which a function goes on ([`super::exceptions`]).
    pub throws: FxHashMap<FuncRef, bool>,
    pub handlers: FxHashMap<(FuncRef, BlockId), bool>,
    /// Functions that do not return: `true` if they end without device work.
    pub quiet: FxHashMap<FuncRef, bool>,
    /// Blocks that functions reach if nothing is thrown.
    pub unthrown: FxHashMap<FuncRef, FxHashSet<BlockId>>,
    /// Objects that functions catch.
    pub caught: FxHashMap<FuncRef, FxHashSet<ValueId>>,
    /// Functions of thrown classes that may change more than the exception.
    pub thrown: Option<Rc<ThrownClasses>>,
    /// Floating-point variables that are compared, and converted to integers.
    pub converted: FxHashMap<FuncRef, Rc<FxHashSet<ValueId>>>,
    /// Types of values, by function.
    pub types: RefCell<FxHashMap<FuncRef, Rc<Vec<Option<TypeId>>>>>,
}
