//! Steps of a finding: expressions of the source with their values in the run that shows it.
//!
//! In: a finding, the model in which it happens, and the replay of that model. Out: its steps from the inputs to the
//! access. [`finding::steps::complete`] adds those that follow from the finished finding.

use super::run_values::{self, IndexInRun};
use super::source_names::{self, SizeVariable};
use super::wording::AccessText;
use crate::counterexample::model_inputs;
use crate::counterexample::replay;
use crate::counterexample::replay_result::ReplayResult;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::terms::term::{SymKind, TermId};
use finding::steps::{Step, StepKind, kernel};
use finding::{Allocation, Finding, Launch, MemorySpace, Position};
use witness::BadAccess;

/// Numbers of a launch.
pub(crate) struct LaunchValues {
    /// Blocks of the grid.
    pub grid: [u64; 3],
    /// Threads of a block.
    pub block: [u64; 3],
    /// Bytes of dynamic shared memory, if known.
    pub shared: Option<i128>,
    /// Kernel of the thread that launches, if it is no thread of the host.
    pub by: Option<String>,
}

/// Values that the steps of a finding state.
pub(crate) struct StepValues<'a> {
    pub e: &'a Executor<'a>,
    /// Value of a term in the model.
    pub value: &'a dyn Fn(TermId) -> Option<i128>,
    /// Size of the object in bytes.
    pub extent: Option<TermId>,
    /// Variables that the finding's texts name.
    pub variables: Vec<SizeVariable>,
    pub launch: Option<LaunchValues>,
    pub index: Option<IndexInRun>,
    /// Number of bytes that a call copies or sets.
    pub copied: Option<TermId>,
}

/// Returns the access of a replay that reached it.
pub(crate) fn reached(judged: &ReplayResult) -> Option<&BadAccess> {
    match judged {
        ReplayResult::Reached { bad, .. } | ReplayResult::ByChance(bad) | ReplayResult::InTurn { bad, .. } => Some(bad),
        _ => None,
    }
}

/// Returns the index of an access as seen at `at` in the run of a replay.
pub(crate) fn index_in_run(
    e: &Executor<'_>,
    ev: &AccessEvent,
    (at, text): (Site, &AccessText),
    judged: &ReplayResult,
) -> Option<IndexInRun> {
    let frame = reached(judged)?.frames.iter().find(|f| f.site == replay::site(at))?;
    run_values::index(e.program, &ev.stack, at, ev.kind, text, &frame.values)
}

/// Returns the steps from the inputs to the index.
pub(crate) fn until_access(f: &Finding, v: &StepValues<'_>) -> Vec<Step> {
    let mut steps = inputs(f, v.e);
    steps.extend(sizes(v));
    steps.extend(f.allocation.as_ref().map(|al| allocation(f, al, v.extent.and_then(v.value))));
    steps.extend(v.copied.and_then(v.value).map(|n| {
        let call = f.message.split('`').nth(1).unwrap_or_default();
        let message = format!("`{call}` is asked for {n} bytes");
        Step::new(StepKind::Call, message).with_value(Some(n)).at(f.access.position.clone())
    }));
    steps.extend(f.launch.as_ref().map(|l| launch(f, l, v.launch.as_ref())));
    steps.extend(index(f, v.index.as_ref()));
    steps
}

/// Returns the variables that hold sizes: each name with each of its numbers once, and with its function where several
/// functions have one of this name.
fn sizes(v: &StepValues<'_>) -> Vec<Step> {
    let known: Vec<(&SizeVariable, i128)> = v.variables.iter().filter_map(|s| Some((s, (v.value)(s.term)?))).collect();
    let mut out: Vec<Step> = vec![];
    for (variable, n) in &known {
        let name = &variable.name;
        let differs = known.iter().any(|(other, m)| other.name == *name && m != n);
        let message = match variable.in_function.as_str() {
            function if differs && !function.is_empty() => format!("`{name}` of `{function}` is {n}"),
            _ => format!("`{name}` is {n}"),
        };
        if out.iter().all(|known| known.message != message) {
            out.push(Step::new(StepKind::Size, message).with_value(Some(n)).at(variable.position.clone()));
        }
    }
    out
}

/// Returns the inputs: tensors as a whole, then the numbers that are not theirs, with the place where they are read.
fn inputs(f: &Finding, e: &Executor<'_>) -> Vec<Step> {
    let step =
        |name: &str, value: &str| Step::new(StepKind::Input, format!("{name} is {value}")).with_value(Some(value));
    let tensors = f.arguments.iter().map(|(name, t)| step(name, &t.to_string()));
    let numbers = f.inputs_outside_tensors().map(|i| {
        let named = |v: i128, source| model_inputs::shown(source, v).is_some_and(|(name, _)| name == i.name);
        let source = e.arena.symbols().iter().find_map(|s| match &s.kind {
            SymKind::Input(source) if named(0, source) || named(1, source) => Some(source),
            _ => None,
        });
        let at = source.and_then(|s| source_names::read_at(e, s));
        step(&i.name, &i.value).at(at.unwrap_or_default())
    });
    tensors.chain(numbers).collect()
}

fn allocation(f: &Finding, al: &Allocation, value: Option<i128>) -> Step {
    let how = match f.access.space {
        MemorySpace::Shared | MemorySpace::Local | MemorySpace::Constant => "declared",
        _ if al.is_given() => "given by the caller",
        _ => "allocated",
    };
    let size = match value {
        None if al.extent.is_empty() => "a size that is not known".to_owned(),
        Some(n) if al.is_given() || al.extent == n.to_string() => bytes(n),
        Some(n) => format!("`{}` = {}", al.extent, bytes(n)),
        None => format!("`{}` bytes", al.extent),
    };
    let message = format!("`{}` is {how}: {size}", f.access.array);
    let at = Position { file: al.file.clone(), line: al.line, column: al.column };
    Step::new(StepKind::Allocation, message).with_value(value).at(at)
}

fn bytes(n: i128) -> String {
    if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") }
}

fn launch(f: &Finding, l: &Launch, values: Option<&LaunchValues>) -> Step {
    let dims = |text: &str, of: fn(&LaunchValues) -> [u64; 3]| {
        let Some([x, y, z]) = values.map(of) else { return format!("`{text}`") };
        let plain = match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("({x}, {y})"),
            _ => format!("({x}, {y}, {z})"),
        };
        if plain == text { plain } else { format!("`{text}` = {plain}") }
    };
    let shared = match (l.shared.as_str(), values.and_then(|v| v.shared)) {
        ("" | "0", _) => String::new(),
        (text, Some(n)) if text == n.to_string() => format!(", shared memory {}", bytes(n)),
        (text, Some(n)) => format!(", shared memory `{text}` = {}", bytes(n)),
        (text, None) => format!(", shared memory `{text}` bytes"),
    };
    let (grid, block) = (dims(&l.grid, |v| v.grid), dims(&l.block, |v| v.block));
    let by = values.and_then(|v| v.by.as_ref()).map_or_else(String::new, |by| format!(" by a thread of `{by}`"));
    let message = format!("`{}` is launched{by}: grid {grid}, block {block}{shared}", kernel(f));
    let all = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    let value = values.map(|v| format!("grid {}, block {}", all(v.grid), all(v.block)));
    let at = Position { file: l.file.clone(), line: l.line, column: l.column };
    Step::new(StepKind::Launch, message).with_value(value).at(at)
}

fn index(f: &Finding, in_run: Option<&IndexInRun>) -> Option<Step> {
    let index = &f.access.index;
    if index.is_empty() || index.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let step = match in_run {
        Some(IndexInRun { message, value }) => Step::new(StepKind::Index, message.clone()).with_value(*value),
        None => Step::new(StepKind::Index, format!("`{}` is accessed at `{index}`", f.access.array)),
    };
    Some(step.at(f.access.position.clone()))
}
