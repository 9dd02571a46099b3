//! The models of PyTorch's stable ABI, of nanobind and of TVM-FFI (`templates/models/stable.cpp`, `templates/models/dlpack.cpp`) held against these
//! libraries.
//!
//! `libraries/*.cu` are programs of two lives: g++ compiles them with the libraries' own headers, and `tools/real-libraries.py` asks them; the front end
//! compiles them with ours, and the concrete interpreter runs them with the models. Both must print the same: sizes, strides, types, devices, orders,
//! whose memory it is, and what is refused. A model may leave any of it open. Functions of nanobind and TVM-FFI are run as a replay runs them, with
//! tensors of a caller, so that what the types of arguments require (`src/models/dlpack.rs`) is compared as well. Each case is run again with models
//! that are told of some numbers that they are not known, as the symbolic engine tells them; what models take for granted must hold each time.
//!
//! `*.txt` is what the libraries answered, so that nothing needs them here; `make library-answers` records anew. `many` asks them:
//! `SCUBA_MODELS_SEEDS=0..5 cargo test --release --test models -- --ignored libraries --nocapture`.

use super::compiled::compiled;
use scuba::finding::{HeldScalar, HeldValue, TensorArgument};
use scuba::ir::{FuncRef, Module, Program, Side, TypeKind};
use scuba::witness::{ConcreteInputs, RunBudget, enumerate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// How the models are told that a number is not known: not at all, or by a generator with this seed.
const DOUBTS: [i64; 3] = [0, 1, 77];

/// Programs with the answers that they are compared with.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("stable.cu", &["stable.txt"]),
    ("arrays.cu", &["nanobind-2.txt", "nanobind-3.txt"]),
    ("views.cu", &["tvm-ffi.txt"]),
];

fn folder() -> PathBuf {
    Path::new(HERE).join("tests/models/libraries")
}

/// A tensor of DLPack, as a case describes it.
struct Tensor {
    code: i64,
    bits: i64,
    lanes: i64,
    device: i64,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    /// Whether the caller stated no strides.
    unstated: bool,
}

fn packed(sizes: &[i64]) -> Vec<i64> {
    let mut strides: Vec<i64> = sizes.iter().rev().scan(1, |n, size| Some(std::mem::replace(n, *n * size))).collect();
    strides.reverse();
    strides
}

impl Tensor {
    /// Reads a tensor, and the number for the function's second argument behind it.
    fn read(numbers: &[i64]) -> (Self, Option<i64>) {
        let dims = usize::try_from(numbers[4]).unwrap();
        let (sizes, rest) = (numbers[5..5 + dims].to_vec(), &numbers[5 + dims..]);
        // The libraries fill in strides that are not stated.
        let stated = usize::try_from(rest[0]).ok();
        let strides = stated.map_or_else(|| packed(&sizes), |n| rest[1..=n].to_vec());
        let more = rest.get(1 + stated.unwrap_or(0)).copied();
        let (code, bits, lanes, device) = (numbers[0], numbers[1], numbers[2], numbers[3]);
        (Self { code, bits, lanes, device, sizes, strides, unstated: stated.is_none() }, more)
    }

    fn elements(&self) -> i64 {
        self.sizes.iter().product()
    }

    /// Whether elements lie in order (c10/core/TensorImpl.h, `compute_contiguous`).
    fn is_contiguous(&self) -> bool {
        let in_order = |((n, s), next): ((&i64, &i64), i64)| *n == 1 || *s == next;
        self.elements() == 0 || self.sizes.iter().zip(&self.strides).zip(packed(&self.sizes)).all(in_order)
    }

    /// Bytes of the least memory that it needs.
    fn bytes(&self) -> u64 {
        let last: i64 = self.sizes.iter().zip(&self.strides).map(|(n, s)| (n - 1) * s).sum();
        let elements = if self.elements() == 0 { 0 } else { last + 1 };
        u64::try_from((elements * self.bits * self.lanes + 7) / 8).unwrap()
    }

    /// The members of the object behind an argument, as a counterexample fills them in (`src/check/counterexample/tensors.rs`).
    fn members(&self) -> Vec<(&'static str, usize, i64)> {
        let (sizes, dims) = (&self.sizes, self.sizes.len());
        let product = |of: &[i64]| of.iter().product::<i64>();
        let mut out = vec![
            ("dim", 0, i64::try_from(dims).unwrap()),
            ("numel", 0, self.elements()),
            ("lead", 0, product(&sizes[..dims.saturating_sub(1)])),
            ("dtype", 0, 44),
            ("code", 0, self.code),
            ("bits", 0, self.bits),
            ("lanes", 0, self.lanes),
            ("device", 0, self.device - 1),
            ("contiguous", 0, i64::from(self.is_contiguous())),
            ("made", 0, 0),
        ];
        for (i, (n, s)) in sizes.iter().zip(&self.strides).enumerate() {
            out.extend([("sizes", i, *n), ("strides", i, *s)]);
        }
        out.extend((0..=dims).map(|i| ("rest", i, product(&sizes[i..]))));
        for (i, (n, s)) in sizes.iter().zip(&self.strides).rev().take(4).enumerate() {
            out.extend([("last", i, *n), ("last_strides", i, *s)]);
        }
        out
    }
}

/// Offset and width in bits of an element of a member of the models' tensors.
fn place(m: &Module, member: &str, index: usize) -> Option<(i64, u32)> {
    let TypeKind::Struct { fields, .. } = &m.ty(m.type_named("scuba::Tensor")?).kind else { return None };
    let field = fields.iter().find(|f| f.name.as_deref() == Some(member))?;
    let ty = if let TypeKind::Array { elem, .. } = &m.ty(field.ty).kind { *elem } else { field.ty };
    let bytes = m.size_of(ty).get();
    let at = field.offset + bytes * u64::try_from(index).ok()?;
    Some((i64::try_from(at).ok()?, u32::try_from(bytes * 8).ok()?))
}

/// The inputs with which a replay runs a function of one tensor.
fn inputs_of(program: &Program, t: &Tensor, more: Option<i64>) -> ConcreteInputs {
    let module = program.modules.iter().find(|m| place(m, "data", 0).is_some()).expect("the models' tensor");
    let held = |object: &str, at: i64, what: HeldValue| HeldScalar { object: object.into(), at, what };
    let mut all = vec![held("x", 0, HeldValue::Pointer("x.impl".into()))];
    for (member, index, value) in t.members() {
        let (at, bits) = place(module, member, index).unwrap();
        all.push(held("x.impl", at, HeldValue::Number { bits, value: value.into() }));
    }
    let (data, _) = place(module, "data", 0).unwrap();
    all.push(held("x.impl", data, HeldValue::Pointer("x.data_ptr()".into())));
    let argument = TensorArgument {
        dtype: String::new(),
        sizes: t.sizes.clone(),
        strides: t.strides.clone(),
        on_device: t.device == 2,
        elements: BTreeMap::new(),
    };
    ConcreteInputs {
        args: vec![0, more.unwrap_or(0).into()],
        extents: [("x.data_ptr()".to_owned(), t.bytes())].into(),
        held: all,
        tensors: [("x".to_owned(), argument)].into(),
        ..ConcreteInputs::default()
    }
}

fn root(program: &Program, name: &str) -> FuncRef {
    let is_it = |display: &str| display.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '_']));
    let mut all = program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
    all.find(|(.., f)| is_it(&f.display)).unwrap_or_else(|| panic!("no function {name}")).0
}

/// What was found of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    Same,
    /// The model leaves something open, and agrees in the rest.
    Open,
    Differs,
}

/// Runs a case, and compares what it prints with what the library answered.
fn judged(program: &Program, source: &str, case: &str, answer: &str, doubt: i64) -> (Found, String) {
    let words: Vec<&str> = case.split(' ').collect();
    let (function, inputs) = if source == "stable.cu" {
        let inputs = ConcreteInputs { stdin: format!("{doubt} {case}").into_bytes(), ..ConcreteInputs::default() };
        (program.find_func(Side::Host, "main").unwrap(), inputs)
    } else {
        let numbers: Vec<i64> = words[2..].iter().map(|w| w.parse().unwrap()).collect();
        let (tensor, more) = Tensor::read(&numbers);
        // numpy states none without dimensions.
        let unstated = i64::from(tensor.unstated || words[1] == "numpy" && tensor.sizes.is_empty());
        let name = if source == "arrays.cu" { format!("{}_of", words[0]) } else { words[0].to_owned() };
        let stdin = format!("{doubt} {unstated}").into_bytes();
        (root(program, &name), ConcreteInputs { stdin, ..inputs_of(program, &tensor, more) })
    };
    let run = enumerate(program, function, &inputs, &RunBudget::default());
    let said = format!("{} ({})", run.output, run.why);
    let refused = answer == "refused" || answer.ends_with("throws");
    if run.output.contains("{0}") || run.output.contains("no such operation") {
        // A model that is not told a number may go on where the library refuses, if what it then takes for granted cannot be: no such run is there.
        return (if refused && doubt != 0 { Found::Open } else { Found::Differs }, said);
    }
    // What the run takes for granted is that it does not throw where that is not known.
    let certain = run.completed && run.assumptions.is_empty();
    // The last word comes before the launch.
    let (begun, ended) = (run.output.contains('='), run.output.len() > 1 && run.output.ends_with('='));
    let is_open = !certain || run.output.contains('?') || doubt != 0;
    let found = match (begun, refused) {
        (false, true) if certain => Found::Same,
        (true, false) => agreement(&run.output, answer, ended && certain),
        _ if is_open => Found::Open,
        _ => Found::Differs,
    };
    (found, said)
}

/// Compares what both printed, word by word; a run that is not whole stopped at something open.
fn agreement(got: &str, wanted: &str, whole: bool) -> Found {
    let words = |text: &str| -> Vec<String> { text.split([' ', '=', '(', ')']).map(str::to_owned).collect() };
    let (mut all, theirs) = (words(got), words(wanted));
    if !whole {
        all.pop();
    }
    let agrees = |(a, b): (&String, &String)| a == b || a == "?" || b == "-";
    let is_open = !whole || got.contains('?');
    let same = all.iter().zip(&theirs).all(agrees) && (all.len() == theirs.len() || !whole);
    match (same, is_open) {
        (true, false) => Found::Same,
        (true, true) => Found::Open,
        // Where the number of dimensions is open, so is the rest.
        (false, true) if all.len() != theirs.len() => Found::Open,
        (false, _) => Found::Differs,
    }
}

fn compare(program: &Program, source: &str, answers: &str, doubts: &[i64]) {
    let mut tally: BTreeMap<Found, usize> = BTreeMap::new();
    let mut wrong = vec![];
    let (head, cases) = answers.split_once('\n').unwrap();
    for line in cases.lines() {
        let (case, answer) = line.split_once(" => ").unwrap();
        for doubt in doubts {
            let (found, said) = judged(program, source, case, answer, *doubt);
            if *doubt == 0 {
                *tally.entry(found).or_default() += 1;
            }
            if *doubt == 0 && found == Found::Open && std::env::var_os("SCUBA_MODELS_SHOW").is_some() {
                println!("open: {case}\n  model:   {said}\n  library: {answer}");
            }
            if found == Found::Differs {
                wrong.push(format!("{case} (doubt {doubt}):\n  model:   {said}\n  library: {answer}"));
            }
        }
    }
    let count = |f: Found| tally.get(&f).copied().unwrap_or_default();
    let (same, open) = (count(Found::Same), count(Found::Open));
    println!("{source}, {head}: {same} agree, {open} leave something open, {} differ", wrong.len());
    let first = wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{source}, {head}: {} differ:\n{first}", wrong.len());
    // A model that leaves everything open agrees with anything.
    assert!(same > 8 * open, "{source}, {head}: {same} agree, {open} leave something open");
}

fn compare_recorded(source: &str) {
    let program = compiled(&folder(), source, "-std=c++20", "SCUBA_LIBRARY_INCLUDES");
    let (_, files) = PROGRAMS.iter().find(|(of, _)| *of == source).unwrap();
    for file in *files {
        compare(&program, source, &std::fs::read_to_string(folder().join(file)).unwrap(), &DOUBTS);
    }
}

#[test]
fn models_of_the_stable_abi_give_what_pytorch_gave() {
    compare_recorded("stable.cu");
}

#[test]
fn arguments_of_nanobind_are_what_it_made_them() {
    compare_recorded("arrays.cu");
}

#[test]
fn arguments_of_tvm_ffi_are_what_it_made_them() {
    compare_recorded("views.cu");
}

#[test]
#[ignore = "asks the libraries: tools/real-libraries.py fetches 0.6 GB; SCUBA_MODELS_SEEDS=0..5"]
fn models_of_libraries_give_what_these_give() {
    let range = std::env::var("SCUBA_MODELS_SEEDS").unwrap_or_else(|_| "0..5".into());
    let (from, to) = range.split_once("..").unwrap();
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let out = tempfile::tempdir().unwrap();
    let programs = PROGRAMS
        .map(|(source, files)| (compiled(&folder(), source, "-std=c++20", "SCUBA_LIBRARY_INCLUDES"), source, files));
    // A seed of programs costs as much as a few of these.
    for seed in from..to.min(from + 40) {
        let mut ask = Command::new("python3");
        ask.args(["-B", "tools/real-libraries.py", "answers", "--cases", "40", "--seed"]);
        ask.arg((seed + 100).to_string()).arg("--out").arg(out.path());
        // A folder for the wheels other than the usual one.
        if let Some(work) = std::env::var_os("SCUBA_LIBRARIES") {
            ask.arg("--work").arg(work);
        }
        let made = ask.current_dir(HERE).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        for (program, source, files) in &programs {
            for file in *files {
                let answers = std::fs::read_to_string(out.path().join(file)).unwrap();
                compare(program, source, &answers, &DOUBTS[..2]);
            }
        }
    }
}
