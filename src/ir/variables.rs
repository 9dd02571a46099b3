//! Pairing of host variables with device variables.
//!
//! In: the modules of a program. Out: the device variable that a host variable stands for, and which variables of both
//! sides are one object. CUDA C++ Programming Guide 13.0, *Device Memory Space Specifiers*: the host names a
//! `__device__` or `__constant__` variable through a shadow of the same name; a `__managed__` variable is one object,
//! which both sides access. Without `-rdc=true` the device code of each unit is a program of its own (NVIDIA CUDA
//! Compiler Driver 13.0, *Separate Compilation*): equal names in two units are then two variables, whatever their
//! linkage.

use super::{Const, GlobalId, GlobalRef, Linkage, Module, ModuleId, Program, Side, space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Annotation that SCuBA's front end puts on managed variables.
const MANAGED: &[u8] = b"scuba:managed";

/// Pairing of the variables of both sides.
#[derive(Clone, Debug, Default)]
pub(super) struct VariablePairs {
    /// Map from each host module to the device module of its unit.
    device_side: FxHashMap<ModuleId, ModuleId>,
    /// Modules with variables that no other device module can name.
    apart: FxHashSet<ModuleId>,
    /// Map from managed variables as the host names them to the device object.
    managed: FxHashMap<GlobalRef, GlobalRef>,
    /// Objects of managed variables.
    objects: FxHashSet<GlobalRef>,
}

impl VariablePairs {
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
            // A source may be compiled twice with different macros: its units have the same order on both sides.
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

    /// Returns the device module of a host module's unit, if known.
    pub(super) fn device_side(&self, host: ModuleId) -> Option<ModuleId> {
        self.device_side.get(&host).copied()
    }

    /// Whether a device module has its own variables, to which its copies of inline functions refer.
    pub(super) fn is_apart(&self, module: ModuleId) -> bool {
        self.apart.contains(&module)
    }

    /// Returns the object that both sides access, for a managed variable as the host names it.
    pub(super) fn managed(&self, named: GlobalRef) -> Option<GlobalRef> {
        self.managed.get(&named).copied()
    }
}

impl Program {
    /// Returns the definition on the same side that a reference from `module` resolves to, or else the declaration
    /// itself.
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

    /// Returns the device variable that a host variable stands for; `None` if it stands for none, or if that one is not
    /// available. A variable of the device side stands for itself.
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
        // The device side of a unit need not mention a variable that another unit defines.
        let linked = self.globals.get(&(Side::Device, name.clone())).copied()?;
        (m.relocatable && self.module(linked.module).relocatable).then_some(linked)
    }

    /// Whether a variable is `__managed__`: one object, which both sides access.
    #[must_use]
    pub fn is_managed(&self, variable: GlobalRef) -> bool {
        self.variables.objects.contains(&variable)
    }

    /// Returns all managed variables, in order.
    #[must_use]
    pub fn managed_variables(&self) -> Vec<GlobalRef> {
        let mut all: Vec<GlobalRef> = self.variables.objects.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// Merges the two sides of each managed variable into one object.
    pub(super) fn join_managed(&mut self) {
        let named: Vec<GlobalRef> = self
            .annotated(MANAGED)
            .filter_map(|(module, what)| match what {
                Const::Global { id, .. } => Some(self.linked_global(module, *id)),
                _ => None,
            })
            .collect();
        for g in named {
            // A variable that only the host mentions has no device side.
            let object = self.device_variable(g).unwrap_or(g);
            self.variables.objects.insert(object);
            if object != g {
                self.variables.managed.insert(g, object);
            }
        }
        // Several shadows may be linked to one object.
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
            align: 1,
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
