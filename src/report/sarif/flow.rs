//! The steps of a finding as a code flow, which GitHub shows as the paths of an alert.

use super::place::Places;
use finding::Finding;
use finding::steps::{Step, StepKind};
use serde_json::{Value, json};

/// Returns the code flow of a finding; `None` if no step has a place.
///
/// Every location of a flow needs a place in a file. A step without one joins the next step that has one, or the last
/// of them.
pub(super) fn of(f: &Finding, places: &Places<'_>) -> Option<Value> {
    let mut waiting: Vec<String> = vec![];
    let mut flow: Vec<(&Step, Vec<String>)> = vec![];
    for step in &f.steps {
        waiting.push(step.message.clone());
        if step.position.as_ref().is_some_and(|p| p.line > 0) {
            flow.push((step, std::mem::take(&mut waiting)));
        }
    }
    flow.last_mut()?.1.append(&mut waiting);
    let locations: Vec<Value> = flow
        .into_iter()
        .filter_map(|(step, texts)| {
            let p = step.position.as_ref()?;
            let array = matches!(step.kind, StepKind::Index | StepKind::Offset).then_some(f.access.array.as_str());
            let location = places.location(p, array, Some(&texts.join("; ")));
            Some(json!({"location": location, "kinds": [kind(step.kind)]}))
        })
        .enumerate()
        .map(|(i, mut location)| {
            location["executionOrder"] = json!(i + 1);
            location
        })
        .collect();
    Some(json!([{"threadFlows": [{"locations": locations}]}]))
}

/// Returns the kind of a location in a thread flow: words of SARIF 2.1.0, 3.38.8, where one fits.
const fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Input => "input",
        StepKind::Size => "size",
        StepKind::Allocation => "acquire",
        StepKind::Call => "call",
        StepKind::Launch => "launch",
        StepKind::Thread => "thread",
        StepKind::Index => "value",
        StepKind::Offset => "danger",
    }
}
