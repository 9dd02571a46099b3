//! All rules, in the order in which they are applied.

use super::alignment::Alignment;
use super::bounds::Bounds;
use super::claims::Claims;
use super::contracts::Contracts;
use super::device::Device;
use super::lifetime::Lifetime;
use super::memcpy::Memcpy;
use super::overflow::IndexOverflow;
use super::partition::NamedParts;
use super::pointer::InvalidPointer;
use super::rule::Rule;
use super::subarray::Subarray;
use crate::context::Run;
use base::rules::Rule as Class;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;

/// The rules. Where several give findings at one source position and none outweighs the others, the first rule's
/// finding is reported.
pub(crate) const ALL: [&dyn Rule; 11] = [
    &Bounds,
    &NamedParts,
    &Subarray,
    &InvalidPointer,
    &Lifetime,
    &Memcpy,
    &Alignment,
    &IndexOverflow,
    &Claims,
    &Contracts,
    &Device,
];

/// Returns the rule that makes the findings of a class. A class without a rule does not compile.
pub(crate) const fn of(class: Class) -> &'static dyn Rule {
    match class {
        Class::OobGlobal
        | Class::OobShared
        | Class::OobLocal
        | Class::OobConstant
        | Class::DataIndex
        | Class::UncheckedArgument => &Bounds,
        Class::IntraAllocation => &NamedParts,
        Class::MemcpyOutOfBounds => &Memcpy,
        Class::UseAfterFree | Class::DoubleFree => &Lifetime,
        Class::InvalidPointer => &InvalidPointer,
        Class::IndexOverflow => &IndexOverflow,
        Class::Misaligned => &Alignment,
        Class::FalseAssumption => &Claims,
        Class::Contract => &Contracts,
    }
}

/// Whether an access may have obligations beyond staying in its object.
pub(crate) fn concern(e: &Executor<'_>, run: &Run, event: &AccessEvent) -> bool {
    ALL.iter().any(|r| r.concerns(e, run, event))
}

#[cfg(test)]
mod tests {
    use super::{ALL, of};
    use base::rules::Rule as Class;

    #[test]
    fn every_class_of_findings_has_its_rule() {
        for class in Class::ALL {
            assert!(of(class).classes().contains(&class), "{class}");
            assert!(ALL.iter().any(|r| r.classes().contains(&class)), "{class} is asked of nothing");
        }
    }
}
