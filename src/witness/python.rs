//! Arguments of an operator as Python passes them.
//!
//! In: an operator and the inputs of a run. Out: its arguments in order, or the reason why one cannot be made; and the
//! call as a line of Python.

use finding::{HeldScalar, HeldValue, RunInputs, TensorArgument};
use ir::{FuncRef, Program, TypeKind};
use models::tensors::{OF_HANDLE, bytes_of_optional_handle};
use models::views::is_text;

/// Size of a pointer in bytes: the offset of a list's end pointer after its begin pointer.
const POINTER: i64 = 8;
/// Longest list to generate.
const MAX_IN_A_LIST: usize = 256;
/// Most elements of a tensor that a line spells, and longest line.
const SPELT: usize = 16;
const LONG: usize = 400;

/// An argument of an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum PythonArgument {
    Tensor(TensorArgument),
    List(Vec<TensorArgument>),
    /// Integers of a list.
    Numbers(Vec<i64>),
    Text(String),
    Bool(bool),
    Integer(i64),
    Float(f64),
    /// An optional argument without a value.
    Nothing,
}

/// Returns the arguments in order.
///
/// # Errors
/// Names the argument that cannot be made.
pub fn arguments(program: &Program, root: FuncRef, run: &RunInputs) -> Result<Vec<PythonArgument>, String> {
    let (m, f) = (program.module(root.module), program.func(root));
    let mut out = vec![];
    for (i, p) in f.params.iter().enumerate().filter(|(_, p)| p.sret.is_none()) {
        // A list may be passed in two registers: the first one represents it.
        let (name, part) = f.in_registers(i).map_or((p.name.as_str(), 0), |(name, _, at)| (name, at));
        let declared = p.class.as_deref().or_else(|| f.declared_type(name)).unwrap_or_default();
        if part > 0 {
            continue;
        }
        let is_optional = declared.contains("optional<");
        let behind = bytes_of_optional_handle(declared).or(Some(POINTER));
        let has_value = run.held.iter().any(|h| {
            h.object == p.name
                && Some(h.at) == behind
                && matches!(h.what, HeldValue::Number { value, .. } if value != 0)
        });
        out.push(match (&m.ty(p.ty).kind, run.tensors.get(&p.name)) {
            (TypeKind::Ptr(_), _) if is_optional && !has_value => PythonArgument::Nothing,
            (TypeKind::Ptr(_), _) if is_text(declared) => PythonArgument::Text(text(run, &p.name).to_owned()),
            (TypeKind::Ptr(_), Some(t)) => PythonArgument::Tensor(t.clone()),
            (TypeKind::Ptr(_), None) if is_list(declared) => match list(run, name, declared) {
                Some(tensors) => PythonArgument::List(tensors),
                None => return Err(format!("`{name}` is a list of more than {MAX_IN_A_LIST} tensors")),
            },
            (TypeKind::Ptr(_), None) if is_list_of_numbers(declared) => match numbers(run, name) {
                Some(all) => PythonArgument::Numbers(all),
                None => return Err(format!("the length of `{name}` is not known")),
            },
            (TypeKind::Ptr(_), None) if declared.contains("Tensor") => PythonArgument::Tensor(any_tensor()),
            (TypeKind::Int(1), _) => PythonArgument::Bool(run.args.get(i).is_some_and(|v| *v != 0)),
            (TypeKind::Int(_), _) => PythonArgument::Integer(run.args.get(i).copied().unwrap_or(1)),
            (TypeKind::Float(_), _) => PythonArgument::Float(1.0),
            _ => return Err(format!("`{}` is a `{declared}`, which cannot be made", p.name)),
        });
    }
    Ok(out)
}

/// Returns the call of an operator as a line of Python; `None` if an argument cannot be made in it. `name` is the one
/// under which Python knows the operator: `scale` in a module, `ext::scale` in PyTorch's dispatcher.
#[must_use]
pub fn call(program: &Program, root: FuncRef, name: &str, run: &RunInputs) -> Option<String> {
    let all = arguments(program, root, run).ok()?;
    let all = all.iter().map(spelt).collect::<Option<Vec<String>>>()?.join(", ");
    let function = match name.split_once("::") {
        Some((library, operator)) => format!("torch.ops.{library}.{operator}"),
        None => name.to_owned(),
    };
    Some(format!("{function}({all})")).filter(|line| line.len() <= LONG)
}

/// Writes an argument in Python.
fn spelt(argument: &PythonArgument) -> Option<String> {
    Some(match argument {
        PythonArgument::Tensor(t) => tensor(t)?,
        PythonArgument::List(all) => format!("[{}]", all.iter().map(tensor).collect::<Option<Vec<_>>>()?.join(", ")),
        PythonArgument::Numbers(all) => {
            format!("[{}]", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        // The escapes of Rust for plain text are those of Python.
        PythonArgument::Text(text) if text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) => format!("{text:?}"),
        PythonArgument::Text(_) => return None,
        PythonArgument::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
        PythonArgument::Integer(n) => n.to_string(),
        PythonArgument::Float(x) => format!("{x:?}"),
        PythonArgument::Nothing => "None".to_owned(),
    })
}

/// Writes a tensor of zeros, or one with its elements if they are few.
fn tensor(t: &TensorArgument) -> Option<String> {
    let list = |all: &[i64]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let device = if t.on_device { ", device=\"cuda\"" } else { "" };
    let kind = format!("dtype=torch.{}{device}", t.dtype);
    let count = t.sizes.iter().try_fold(1_i64, |n, s| n.checked_mul(*s)).and_then(|n| usize::try_from(n).ok())?;
    let is_zero = t.elements.values().all(|n| *n == 0);
    if !t.is_packed() {
        let made = format!("torch.empty_strided(({},), ({},), {kind})", list(&t.sizes), list(&t.strides));
        return is_zero.then(|| format!("{made}.zero_()"));
    }
    if is_zero {
        let sizes = if t.sizes.is_empty() { "()".to_owned() } else { list(&t.sizes) };
        return Some(format!("torch.zeros({sizes}, {kind})"));
    }
    if count > SPELT {
        return None;
    }
    let of = |i: usize| t.elements.get(&u64::try_from(i).ok()?).copied().or(Some(0));
    let elements = (0..count).map(of).collect::<Option<Vec<i64>>>()?;
    let flat = format!("torch.tensor([{}], {kind})", list(&elements));
    Some(if t.sizes.len() == 1 { flat } else { format!("{flat}.reshape({})", list(&t.sizes)) })
}

/// Contents of a string.
fn text<'r>(run: &'r RunInputs, name: &str) -> &'r str {
    let text = |h: &'r HeldScalar| if let HeldValue::Text(text) = &h.what { Some(text.as_str()) } else { None };
    run.held.iter().filter(|h| h.object == name).find_map(text).unwrap_or_default()
}

/// A tensor on which nothing depends.
fn any_tensor() -> TensorArgument {
    TensorArgument {
        dtype: "float32".into(),
        sizes: vec![1],
        strides: vec![1],
        on_device: true,
        elements: Default::default(),
    }
}

/// Whether a parameter is a list of tensors.
fn is_list(declared: &str) -> bool {
    let kinds = ["std::vector<", "ArrayRef<", "TensorList"];
    kinds.iter().any(|kind| declared.contains(kind)) && declared.contains("Tensor")
}

/// Whether a parameter is a list of numbers.
fn is_list_of_numbers(declared: &str) -> bool {
    let kinds = ["std::vector<", "ArrayRef"];
    kinds.iter().any(|kind| declared.contains(kind)) && !declared.contains("Tensor")
}

/// Numbers of a list in order; `None` where the run has no memory of it.
fn numbers(run: &RunInputs, name: &str) -> Option<Vec<i64>> {
    let first = run.held.iter().find(|h| h.object == name && h.at == 0)?.pointer_to()?;
    let mut all: Vec<(i64, i64)> = vec![];
    for h in run.held.iter().filter(|h| h.object == *first) {
        let HeldValue::Number { value, .. } = h.what else { return None };
        all.push((h.at, i64::try_from(value).ok()?));
    }
    all.sort_unstable();
    Some(all.into_iter().map(|(_, n)| n).collect())
}

/// Tensors of a list in order: as many as its length says, or as the witness names; `None` if there are too many.
fn list(run: &RunInputs, name: &str, declared: &str) -> Option<Vec<TensorArgument>> {
    let bytes = if declared.contains("torch::stable::Tensor") { 2 * POINTER } else { POINTER };
    let said = run.held.iter().filter(|h| h.object == name && h.at == POINTER).find_map(|h| match h.what {
        // The end of a vector, the length of an `ArrayRef`.
        HeldValue::Behind { bytes: behind, .. } => usize::try_from(behind / bytes).ok(),
        HeldValue::Number { value, .. } => usize::try_from(value).ok(),
        HeldValue::Pointer(_) | HeldValue::Text(_) => None,
    });
    let pointer = |object: &str, at: i64| {
        run.held.iter().filter(|h| h.object == object && h.at == at).find_map(HeldScalar::pointer_to)
    };
    let first = pointer(name, 0);
    let tensor = |i: usize| {
        let element = pointer(first?, bytes * i64::try_from(i).ok()?)?;
        run.tensors.get(element.strip_suffix(OF_HANDLE)?)
    };
    let asked_for = (0..MAX_IN_A_LIST).rev().find(|i| tensor(*i).is_some()).map_or(0, |i| i + 1);
    let count = said.unwrap_or(asked_for);
    let of = |i| tensor(i).cloned().unwrap_or_else(any_tensor);
    (count <= MAX_IN_A_LIST).then(|| (0..count).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::{PythonArgument, spelt};
    use finding::TensorArgument;

    #[test]
    fn arguments_are_written_as_python_makes_them() {
        let tensor = |sizes: &[i64], strides: &[i64], elements: &[(u64, i64)]| {
            spelt(&PythonArgument::Tensor(TensorArgument {
                dtype: "int64".into(),
                sizes: sizes.to_vec(),
                strides: strides.to_vec(),
                on_device: true,
                elements: elements.iter().copied().collect(),
            }))
        };
        let text = |t: Option<String>| t.unwrap().replace(", dtype=torch.int64, device=\"cuda\"", "");
        assert_eq!(text(tensor(&[2, 8], &[8, 1], &[(3, 0)])), "torch.zeros(2, 8)");
        assert_eq!(text(tensor(&[], &[], &[])), "torch.zeros(())");
        assert_eq!(text(tensor(&[2, 8], &[1, 2], &[])), "torch.empty_strided((2, 8,), (1, 2,)).zero_()");
        assert_eq!(text(tensor(&[3], &[1], &[(1, 9)])), "torch.tensor([0, 9, 0])");
        assert_eq!(text(tensor(&[1, 2], &[2, 1], &[(1, -4)])), "torch.tensor([0, -4]).reshape(1, 2)");
        assert_eq!(tensor(&[1 << 20], &[1], &[(1, 9)]), None, "too long for a line");
        assert_eq!(tensor(&[1 << 40], &[1], &[(1, 9)]), None, "longer than memory");
        assert_eq!(spelt(&PythonArgument::Text("same".into())).unwrap(), "\"same\"");
        assert_eq!(spelt(&PythonArgument::Text("a\nb".into())), None);
        assert_eq!(spelt(&PythonArgument::Nothing).unwrap(), "None");
        assert_eq!(spelt(&PythonArgument::Float(1.0)).unwrap(), "1.0");
    }
}
