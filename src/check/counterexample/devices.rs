//! The device on which a counterexample runs.

use base::reasons::{ReasonCode, UnknownReason};
use engine::symbolic::terms::term::InputSource;
use ir::Program;
use models::devices::PROPERTIES;
use std::collections::BTreeMap;
use witness::ConcreteInputs;

/// Replaces a property that the model sets once by the value that a replay takes. Where it sets several, no single device
/// has them.
pub(super) fn of_device_taken(inputs: &mut BTreeMap<InputSource, i128>) {
    let number = |s: &InputSource| if let InputSource::Device { property, .. } = s { Some(*property) } else { None };
    let all: Vec<usize> = inputs.keys().filter_map(number).collect();
    for (source, v) in inputs {
        if let Some(property) = number(source).filter(|p| all.iter().filter(|other| *other == p).count() == 1) {
            *v = PROPERTIES[property].attained(i64::try_from(*v).unwrap_or(i64::MAX)).into();
        }
    }
}

/// Returns why a run is not possible if no device has the properties that it takes together.
pub(super) fn no_such_device(program: &Program, inputs: &ConcreteInputs) -> Option<UnknownReason> {
    if witness::device(program, inputs).is_some() {
        return None;
    }
    let all: Vec<String> = inputs.device.iter().map(|(name, v)| format!("{v} {name}")).collect();
    Some(UnknownReason::Replay(format!("no known device has {}", all.join(", ")), ReasonCode::Replay))
}
