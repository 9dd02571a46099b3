//! Variables that the host names and a device has: which of both sides belong together.
//!
//! In: the modules of a program. Out: for a variable of the host the one of the device that it stands for, and which two are one piece of memory.
//! CUDA C++ Programming Guide 13.0, *Device Memory Space Specifiers*: the host names a `__device__` or `__constant__` variable by a shadow with its
//! name; a `__managed__` variable is one object, which both sides access. Without `-rdc=true` the device code of each unit is a program of its own
//! (NVIDIA CUDA Compiler Driver 13.0, *Separate Compilation*): equal names in two units are two variables there, whatever their linkage.

use super::{Const, GlobalId, GlobalRef, Linkage, Module, ModuleId, Program, Side, space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What our front end writes on managed variables.
const MANAGED: &[u8] = b"scuba:managed";

/// How variables of both sides belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// The device side of each host module's unit.
    device_side: FxHashMap<ModuleId, ModuleId>,
    /// Modules that have variables which no other module of the device can name.
    apart: FxHashSet<ModuleId>,
    /// Managed variables as the host names them, with the device's object.
    managed: FxHashMap<GlobalRef, GlobalRef>,
    /// These objects.
    objects: FxHashSet<GlobalRef>,
}

impl Variables {
    pub(super) fn of(modules: &[Arc<Module>]) -> Self {
        let of_side = |side: Side, source: &str| -> Vec<ModuleId> {
            (0u32..)
                .zip(modules)
                .filter(|(_, m)| m.side == side && m.source == source)
                .map(|(i, _)| ModuleId(i))
                .collect()
        };
        let mut all = Self::default();
        let sources: FxHashSet<&str> = modules.iter().map(|m| m.source.as_str()).collect();
        for source in sources {
            let (hosts, devices) = (of_side(Side::Host, source), of_side(Side::Device, source));
            // A source that is compiled twice, with other macros: its units come in one order on both sides.
            if hosts.len() == devices.len() {
                all.device_side.extend(hosts.into_iter().zip(devices));
            }
        }
        let is_apart = |m: &Module| {
            m.side == Side::Device
                && !m.relocatable
                && m.globals
                    .iter()
                    .any(|g| g.defined && !g.constant && matches!(g.space, space::GLOBAL | space::CONSTANT))
        };
        all.apart.extend((0u32..).zip(modules).filter(|(_, m)| is_apart(m)).map(|(i, _)| ModuleId(i)));
        all
    }

    /// The device side of a host module's unit, if that is known.
    pub(super) fn device_side(&self, host: ModuleId) -> Option<ModuleId> {
        self.device_side.get(&host).copied()
    }

    /// Whether a module of the device has variables of its own, which its copies of inline functions mean.
    pub(super) fn is_apart(&self, module: ModuleId) -> bool {
        self.apart.contains(&module)
    }

    /// The object that both sides access, of a managed variable as the host names it.
    pub(super) fn managed(&self, named: GlobalRef) -> Option<GlobalRef> {
        self.managed.get(&named).copied()
    }
}

impl Program {
    /// The definition among those of one side that a reference from `module` resolves to, or the declaration itself.
    pub(super) fn linked_global(&self, module: ModuleId, global: GlobalId) -> GlobalRef {
        let m = self.module(module);
        let g = m.global(global);
        let own = GlobalRef { module, global };
        let alone = m.side == Side::Device && !m.relocatable;
        if alone || g.linkage == Linkage::Internal || (g.defined && g.linkage == Linkage::External) {
            return own;
        }
        self.globals.get(&(m.side, g.name.clone())).copied().unwrap_or(own)
    }

    /// The variable of the device that one of the host stands for; `None` where it stands for none, or for one that is not at hand. One that is
    /// both sides' own stands for itself.
    #[must_use]
    pub fn device_variable(&self, named: GlobalRef) -> Option<GlobalRef> {
        if self.module(named.module).side == Side::Device {
            return Some(named);
        }
        let name = &self.global(named).name;
        let own = self.variables.device_side(named.module)?;
        let m = self.module(own);
        if let Some(i) = (0u32..).zip(&m.globals).find(|(_, g)| g.name == *name).map(|(i, _)| i) {
            let found = self.linked_global(own, GlobalId(i));
            return self.global(found).defined.then_some(found);
        }
        // The device side of a unit need not mention what another one defines.
        let linked = self.globals.get(&(Side::Device, name.clone())).copied()?;
        (m.relocatable && self.module(linked.module).relocatable).then_some(linked)
    }

    /// Whether a variable is `__managed__`: one object, which both sides access.
    #[must_use]
    pub fn is_managed(&self, variable: GlobalRef) -> bool {
        self.variables.objects.contains(&variable)
    }

    /// All managed variables, in order.
    #[must_use]
    pub fn managed_variables(&self) -> Vec<GlobalRef> {
        let mut all: Vec<GlobalRef> = self.variables.objects.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// Makes one object of the two sides of each managed variable.
    pub(super) fn join_managed(&mut self) {
        let named: Vec<GlobalRef> = self
            .annotated(MANAGED)
            .filter_map(|(module, what)| match what {
                Const::Global { id, .. } => Some(self.linked_global(module, *id)),
                _ => None,
            })
            .collect();
        for g in named {
            // What only the host mentions has no other side.
            let object = self.device_variable(g).unwrap_or(g);
            self.variables.objects.insert(object);
            if object != g {
                self.variables.managed.insert(g, object);
            }
        }
        // Of several shadows that are linked into one.
        let extern_shadows: Vec<(GlobalRef, GlobalRef)> = (0u32..)
            .zip(&self.modules)
            .filter(|(_, m)| m.side == Side::Host && !self.variables.objects.is_empty())
            .flat_map(|(mi, m)| {
                (0u32..).zip(&m.globals).map(move |(i, _)| GlobalRef { module: ModuleId(mi), global: GlobalId(i) })
            })
            .filter_map(|g| {
                let object = self.device_variable(g)?;
                self.variables.objects.contains(&object).then_some((g, object))
            })
            .collect();
        self.variables.managed.extend(extern_shadows);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Const, Global, GlobalId, GlobalRef, Linkage, LocId, Module, ModuleId, Program, Side, TypeId, space};
    use std::sync::Arc;

    fn variable(name: &str, space: u32, linkage: Linkage, init: Option<Const>) -> Global {
        Global {
            name: name.into(),
            source_name: name.into(),
            ty: TypeId(0),
            space,
            linkage,
            constant: false,
            defined: true,
            init,
            loc: LocId(0),
        }
    }

    fn module(side: Side, source: &str, relocatable: bool, globals: Vec<Global>) -> Arc<Module> {
        Arc::new(Module {
            side,
            source: source.into(),
            producer: String::new(),
            arch: String::new(),
            asserts_restored: false,
            relocatable,
            doubts: vec![],
            types: vec![],
            files: vec![],
            locs: vec![],
            globals,
            functions: vec![],
        })
    }

    fn two_units(relocatable: bool, host: Linkage, device: Linkage) -> Program {
        let unit = |source| {
            [
                module(Side::Device, source, relocatable, vec![variable("g", space::GLOBAL, device, None)]),
                module(Side::Host, source, relocatable, vec![variable("g", 0, host, None)]),
            ]
        };
        Program::link(["a.cu", "b.cu"].into_iter().flat_map(unit).collect())
    }

    fn at(module: u32) -> GlobalRef {
        GlobalRef { module: ModuleId(module), global: GlobalId(0) }
    }

    #[test]
    fn without_relocatable_code_each_unit_has_its_own() {
        for device in [Linkage::Internal, Linkage::External, Linkage::Odr] {
            let p = two_units(false, Linkage::Internal, device);
            assert_eq!([1, 3].map(|m| p.device_variable(at(m))), [Some(at(0)), Some(at(2))], "{device:?}");
            assert_eq!(p.resolve_global(ModuleId(2), GlobalId(0)), at(2), "{device:?}");
        }
    }

    #[test]
    fn relocatable_code_is_linked_by_name() {
        let p = two_units(true, Linkage::Odr, Linkage::Odr);
        assert_eq!([1, 3].map(|m| p.device_variable(at(m))), [Some(at(0)), Some(at(0))]);
        let p = two_units(true, Linkage::Internal, Linkage::Internal);
        assert_eq!([1, 3].map(|m| p.device_variable(at(m))), [Some(at(0)), Some(at(2))]);
    }

    #[test]
    fn a_managed_variable_is_one_object() {
        let ty = TypeId(0);
        let text = Const::Bytes { ty, data: b"scuba:managed\0".to_vec() };
        let row = Const::Aggregate {
            ty,
            elems: vec![Const::Global { id: GlobalId(0), offset: 0 }, Const::Global { id: GlobalId(1), offset: 0 }],
        };
        let table = Const::Aggregate { ty, elems: vec![row] };
        let host = vec![
            variable("g", 0, Linkage::Internal, None),
            variable("text", 0, Linkage::Internal, Some(text)),
            variable("llvm.global.annotations", 0, Linkage::Internal, Some(table)),
        ];
        let p = Program::link(vec![
            module(Side::Device, "a.cu", false, vec![variable("g", space::GLOBAL, Linkage::External, None)]),
            module(Side::Host, "a.cu", false, host),
        ]);
        assert_eq!(p.resolve_global(ModuleId(1), GlobalId(0)), at(0));
        assert!(p.is_managed(at(0)));
        assert_eq!(p.managed_variables(), [at(0)]);
    }
}
