//! Steps of a finding: from the input to the byte, in the order in which they happen.

use crate::names::base_name;
use crate::{Allocation, Finding, Position, SAME_CHECK, USED_HERE};
use base::rules::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a step tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// An input of the program or of the entry point.
    Input,
    /// A size, as the source computes it from inputs.
    Size,
    /// The allocation of the accessed object.
    Allocation,
    /// A free, a copy or another call between allocation and access.
    Call,
    /// The launch of the kernel.
    Launch,
    /// The block and the thread that go wrong.
    Thread,
    /// The index, or another value that the address is computed from.
    Index,
    /// The byte offset beside the extent.
    Offset,
}

/// Step as `steps` of a finding has it in documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    pub kind: StepKind,
    /// Sentence for people, in names of the source and with the value: `d_x` is allocated: `4 * n` = 12 bytes.
    pub message: String,
    /// The value in the witness by itself, for programs, if it is known: `12`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
    /// Place in the source, if the step has one.
    #[serde(flatten, skip_serializing_if = "Option::is_none", default)]
    pub position: Option<Position>,
}

/// Labels of the kernel's access that a finding at the launch is about, after a free.
pub const READ_IN_KERNEL: &str = "read in the kernel here";
pub const WRITTEN_IN_KERNEL: &str = "written in the kernel here";

impl Step {
    #[must_use]
    pub fn new(kind: StepKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), value: None, position: None }
    }

    #[must_use]
    pub fn with_value(self, value: Option<impl ToString>) -> Self {
        Self { value: value.map(|v| v.to_string()), ..self }
    }

    /// Adds the place, if it has a file.
    #[must_use]
    pub fn at(self, position: Position) -> Self {
        Self { position: Some(position).filter(|p| !p.file.is_empty()), ..self }
    }
}

impl Allocation {
    /// Whether a caller gave the object: its extent has no other name.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.extent.starts_with("extent(") && self.extent.ends_with(')')
    }
}

/// Adds the steps that follow from the finding itself: frees, thread, and offset beside extent. Then orders all steps
/// as they happen.
pub fn complete(f: &mut Finding) {
    let mut steps = std::mem::take(&mut f.steps);
    steps.retain(|s| !matches!(s.kind, StepKind::Thread | StepKind::Offset));
    if matches!(f.rule, Rule::UseAfterFree | Rule::DoubleFree) {
        let passed = f.related.iter().filter(|r| !r.inner && r.what != SAME_CHECK && !is_use(&r.what));
        for step in passed.map(|r| Step::new(StepKind::Call, &r.what).at(r.position.clone())) {
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
    }
    steps.extend(thread(f));
    steps.extend(offset(f));
    // Stable: steps of one kind stay in their order.
    steps.sort_by_key(|s| s.kind);
    f.steps = steps;
}

/// Returns the kernel's name without its parameters.
#[must_use]
pub fn kernel(f: &Finding) -> String {
    Some(base_name(&f.access.kernel)).filter(|n| !n.is_empty()).unwrap_or_else(|| f.access.kernel.clone())
}

/// Whether a related place is the access in the kernel, where the finding itself is at the launch.
fn is_use(what: &str) -> bool {
    matches!(what, USED_HERE | READ_IN_KERNEL | WRITTEN_IN_KERNEL)
}

/// Returns the step of the thread that goes wrong.
fn thread(f: &Finding) -> Option<Step> {
    let w = f.witness.as_ref().filter(|_| f.launch.is_some())?;
    let triple = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    let message = format!("thread {} of block {} runs `{}`", triple(w.thread), triple(w.block), kernel(f));
    Some(Step::new(StepKind::Thread, message))
}

/// Returns the step at the fault: the bytes beside the extent, or what is wrong there in another way.
fn offset(f: &Finding) -> Option<Step> {
    let (a, w) = (&f.access, f.witness.as_ref()?);
    let array = &a.array;
    let used = f.related.iter().find(|r| is_use(&r.what)).map(|r| r.position.clone());
    let position = used.unwrap_or_else(|| a.position.clone());
    let plain = |message: String| Some(Step::new(StepKind::Offset, message).at(position.clone()));
    match f.rule {
        Rule::DoubleFree | Rule::InvalidPointer | Rule::FalseAssumption | Rule::Contract => {
            return plain(f.message.clone());
        }
        _ => {}
    }
    let verb = match a.direction {
        crate::Direction::Read => "reads",
        crate::Direction::Write => "writes",
        crate::Direction::Atomic => "updates",
    };
    let last = i64::try_from(a.bytes).unwrap_or(i64::MAX).saturating_add(w.offset_bytes).saturating_sub(1);
    let bytes = if last <= w.offset_bytes {
        format!("byte {}", w.offset_bytes)
    } else {
        format!("bytes {} to {last}", w.offset_bytes)
    };
    let part = if a.partition.is_some() { " in this part" } else { "" };
    let freed = if f.rule == Rule::UseAfterFree { " and was freed" } else { "" };
    let extent = if w.extent_bytes == 1 { "1 byte".to_owned() } else { format!("{} bytes", w.extent_bytes) };
    let message = format!("it {verb} {bytes} of `{array}`, which has {extent}{part}{freed}");
    Some(Step::new(StepKind::Offset, message).with_value(Some(w.offset_bytes)).at(position))
}

#[cfg(test)]
mod tests {
    use super::{READ_IN_KERNEL, Step, StepKind, complete};
    use crate::{Position, Related, samples};
    use base::rules::Rule;

    fn told(f: &crate::Finding) -> Vec<String> {
        let place = |s: &Step| s.position.as_ref().map_or(String::new(), |p| format!(" @{}", p.line));
        f.steps.iter().map(|s| format!("{:?}: {}{}", s.kind, s.message, place(s))).collect()
    }

    #[test]
    fn steps_end_at_the_byte_beside_the_extent() {
        let mut f = samples::finding();
        complete(&mut f);
        let again = f.clone();
        complete(&mut f);
        assert_eq!(f, again, "nothing is added twice");
        assert_eq!(
            told(&f),
            [
                "Input: argv[1] is \"1\"",
                "Size: `n` is 1 @9",
                "Allocation: `a` is allocated: `4 * n` = 4 bytes @11",
                "Launch: `scale` is launched: grid `((n + 255) / 256, 1, 1)` = 1, block 256 @12",
                "Thread: thread (1, 0, 0) of block (0, 0, 0) runs `scale`",
                "Index: `blockIdx.x * 256 + threadIdx.x` is 1 @5",
                "Offset: it writes bytes 4 to 7 of `a`, which has 4 bytes @5",
            ]
        );
        assert_eq!(f.steps.last().and_then(|s| s.value.as_deref()), Some("4"));
        f.access.partition = Some("a row".into());
        f.access.bytes = 1;
        complete(&mut f);
        assert_eq!(f.steps.last().unwrap().message, "it writes byte 4 of `a`, which has 4 bytes in this part");
    }

    #[test]
    fn a_free_stands_between_allocation_and_launch_and_the_use_at_the_end() {
        let mut f = samples::finding();
        f.rule = Rule::UseAfterFree;
        let at = |line, what: &str| Related {
            position: Position { file: "/project/scale.cu".into(), line, column: 3 },
            what: what.into(),
            inner: false,
        };
        f.related = vec![at(7, "freed here"), at(5, READ_IN_KERNEL)];
        complete(&mut f);
        let kinds: Vec<StepKind> = f.steps.iter().map(|s| s.kind).collect();
        assert_eq!(kinds[2..5], [StepKind::Allocation, StepKind::Call, StepKind::Launch]);
        assert_eq!(told(&f)[3], "Call: freed here @7");
        assert!(told(&f).last().unwrap().ends_with("which has 4 bytes and was freed @5"));
        assert_eq!(told(&f).iter().filter(|t| t.contains("in the kernel here")).count(), 0);
    }
}
