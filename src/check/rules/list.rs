//! All rules, in the order in which they are applied.

use super::alignment::Alignment;
use super::bounds::Bounds;
use super::claims::Claims;
use super::contracts::Contracts;
use super::device::TensorDevice;
use super::lifetime::Lifetime;
use super::memcpy::Memcpy;
use super::overflow::IndexOverflow;
use super::partition::NamedParts;
use super::pointer::InvalidPointer;
use super::rule::RuleCheck;
use super::subarray::Subarray;
use crate::context::ExecutedLaunch;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;

/// The rules. Where several give findings at one source position and none outweighs the others, the first rule's
/// finding is reported.
pub(crate) const ALL: [&dyn RuleCheck; 11] = [
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
    &TensorDevice,
];

/// Returns the rule that makes the findings of a class. A class without a rule does not compile.
pub(crate) const fn of(class: Rule) -> &'static dyn RuleCheck {
    match class {
        Rule::OobGlobal
        | Rule::OobShared
        | Rule::OobLocal
        | Rule::OobConstant
        | Rule::DataIndex
        | Rule::UncheckedArgument => &Bounds,
        Rule::IntraAllocation => &NamedParts,
        Rule::MemcpyOutOfBounds => &Memcpy,
        Rule::UseAfterFree | Rule::DoubleFree => &Lifetime,
        Rule::InvalidPointer => &InvalidPointer,
        Rule::IndexOverflow => &IndexOverflow,
        Rule::Misaligned => &Alignment,
        Rule::FalseAssumption => &Claims,
        Rule::Contract => &Contracts,
    }
}

/// Whether an access may have obligations beyond staying in its object.
pub(crate) fn concern(e: &Executor<'_>, run: &ExecutedLaunch, event: &AccessEvent) -> bool {
    ALL.iter().any(|r| r.concerns(e, run, event))
}

#[cfg(test)]
mod tests {
    use super::{ALL, of};
    use base::rules::Rule;

    #[test]
    fn every_class_of_findings_has_its_rule() {
        for class in Rule::ALL {
            assert!(of(class).classes().contains(&class), "{class}");
            assert!(ALL.iter().any(|r| r.classes().contains(&class)), "{class} is asked of nothing");
        }
    }
}
