//! One file for each rule: its checks of accesses, copies, calls and launches. [`rule`] defines the interface,
//! [`ALL`] lists them in the order in which they are applied.

pub(crate) mod alignment;
pub(crate) mod bounds;
pub(crate) mod claims;
pub(crate) mod contracts;
pub(crate) mod crossing;
mod device;
pub(crate) mod layout;
pub(crate) mod layout_intent;
mod lifetime;
pub(crate) mod memcpy;
pub(crate) mod overflow;
pub(crate) mod partition;
pub(crate) mod pointer;
pub(crate) mod rule;
pub(crate) mod subarray;

use self::alignment::Alignment;
use self::bounds::Bounds;
use self::claims::Claims;
use self::contracts::Contracts;
use self::device::TensorDevice;
use self::lifetime::Lifetime;
use self::memcpy::Memcpy;
use self::overflow::IndexOverflow;
use self::partition::NamedParts;
use self::pointer::InvalidPointer;
use self::rule::RuleCheck;
use self::subarray::Subarray;
use crate::context::ExecutedLaunch;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;

/// The rules. Where several give findings at one source position and none outweighs the others, the first rule's
/// finding is reported.
pub(crate) const ALL: &[&dyn RuleCheck] = &[
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

/// Whether some rule makes findings of a class.
pub(crate) fn is_made(class: Rule) -> bool {
    ALL.iter().any(|r| r.classes().contains(&class))
}

/// Whether an access may have obligations beyond staying in its object.
pub(crate) fn concern(e: &Executor<'_>, run: &ExecutedLaunch, event: &AccessEvent) -> bool {
    ALL.iter().any(|r| r.concerns(e, run, event))
}

#[cfg(test)]
mod tests {
    use super::is_made;
    use base::rules::Rule;

    #[test]
    fn every_class_of_findings_has_its_rule() {
        for class in Rule::ALL {
            assert!(is_made(class), "{class}");
        }
    }
}
