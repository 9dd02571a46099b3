//! Steps of a finding: expressions of the source with their values in the model.
//!
//! In: a finding, and the model in which it happens. Out: its steps from the inputs to the access; those that follow
//! from the finished finding are added by [`finding::steps::complete`].

use engine::symbolic::terms::term::TermId;
use finding::steps::{Step, StepKind};
use finding::{Allocation, Finding, Launch, MemorySpace, Position};

/// Value of a term in the model.
type ValueIn<'a> = &'a dyn Fn(TermId) -> Option<i128>;

/// Returns the steps that the model's values belong to; `extent` is the size of the object in bytes.
pub(crate) fn until_access(f: &Finding, value: ValueIn<'_>, extent: Option<TermId>) -> Vec<Step> {
    let mut steps = inputs(f);
    if let Some(al) = &f.allocation {
        steps.extend(allocation(f, al, extent.and_then(value)));
    }
    steps.extend(f.launch.as_ref().map(launch));
    steps.extend(index(f));
    steps
}

/// Returns the inputs: tensors as a whole, then the numbers that are not theirs.
fn inputs(f: &Finding) -> Vec<Step> {
    let step =
        |name: &str, value: &str| Step::new(StepKind::Input, format!("{name} is {value}")).with_value(Some(value));
    let tensors = f.arguments.iter().map(|(name, t)| step(name, &t.to_string()));
    let numbers = f.inputs_outside_tensors().map(|i| step(&i.name, &i.value));
    tensors.chain(numbers).collect()
}

fn allocation(f: &Finding, al: &Allocation, value: Option<i128>) -> Vec<Step> {
    let at = Position { file: al.file.clone(), line: al.line, column: al.column };
    let is_number = al.extent.bytes().all(|b| b.is_ascii_digit());
    let how = match f.access.space {
        MemorySpace::Shared | MemorySpace::Local | MemorySpace::Constant => "declared",
        _ if al.is_given() => "given by the caller",
        _ => "allocated",
    };
    let bytes = |n: &dyn std::fmt::Display| format!("`{}` is {how} with {n} bytes", f.access.array);
    if is_number || al.is_given() {
        let message = value.map_or_else(|| bytes(&format!("`{}`", al.extent)), |v| bytes(&v));
        return vec![Step::new(StepKind::Allocation, message).with_value(value).at(at)];
    }
    let size =
        value.map(|v| Step::new(StepKind::Size, format!("`{}` is {v}", al.extent)).with_value(Some(v)).at(at.clone()));
    let allocated = Step::new(StepKind::Allocation, bytes(&format!("`{}`", al.extent))).with_value(value).at(at);
    size.into_iter().chain([allocated]).collect()
}

fn launch(l: &Launch) -> Step {
    let at = Position { file: l.file.clone(), line: l.line, column: l.column };
    let shared = if matches!(l.shared.as_str(), "" | "0") {
        String::new()
    } else {
        format!(", shared memory `{}` bytes", l.shared)
    };
    Step::new(StepKind::Launch, format!("the kernel is launched: grid `{}`, block `{}`{shared}", l.grid, l.block))
        .at(at)
}

fn index(f: &Finding) -> Option<Step> {
    let index = &f.access.index;
    let message = format!("`{}` is accessed at `{index}`", f.access.array);
    (!index.is_empty() && index != "0").then(|| Step::new(StepKind::Index, message).at(f.access.position.clone()))
}
