//! The models of PyTorch's operations (`templates/models/aten.cpp`, `reductions.cpp`) held against PyTorch.
//!
//! `tools/tensor-models.py` asks PyTorch what an operation gives of a tensor, `tensors/operations.cu` does the same in the concrete interpreter. Both
//! must agree on sizes, strides, type, device, contiguity, on whose storage the result shares, where in it, how far that reaches, whether it is the
//! tensor itself, and on whether the operation throws; a model may leave any of it open. Each case is run with tensors that the program made and, where
//! these are such as a caller can give, with given ones; and again with models that are told of some numbers that they are not known, as the symbolic
//! engine tells them. What models take for granted (`__scuba_axiom`) must hold each time.
//!
//! `answers.jsonl` is what PyTorch answered, so that nothing needs it here. `many` asks the PyTorch of `.deps/torch-venv` (`tools/setup.sh torch`):
//! `SCUBA_MODELS_SEEDS=0..5 cargo test --release --test models -- --ignored torch --nocapture`.

use super::compiled::compiled;
use scuba::ir::{Program, Side};
use scuba::witness::{ConcreteInputs, RunBudget, enumerate};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Bytes of an element, by the number of its type.
const BYTES: &[(i64, i64)] =
    &[(0, 1), (1, 1), (2, 2), (3, 4), (4, 8), (5, 2), (6, 4), (7, 8), (8, 4), (9, 8), (10, 16), (11, 1), (15, 2)];

/// How the models are told that a number is not known: not at all, or by a generator with this seed.
const DOUBTS: [i64; 4] = [0, 1, 77, 4711];

fn folder() -> PathBuf {
    Path::new(HERE).join("tests/models/tensors")
}

fn numbers(v: &Value) -> Vec<i64> {
    v.as_array().map(|all| all.iter().filter_map(Value::as_i64).collect()).unwrap_or_default()
}

fn number(v: &Value) -> i64 {
    v.as_i64().unwrap_or_default()
}

fn spaced(all: &[i64]) -> String {
    all.iter().fold(String::new(), |mut s, n| {
        let _ = write!(s, " {n}");
        s
    })
}

/// A case as `operations.cu` reads it.
fn described(case: &Value, doubt: i64, given: bool) -> String {
    let inputs = case["in"].as_array().unwrap();
    let mut s = format!("{doubt} {} {} {}", i64::from(given), case["default"], inputs.len());
    for i in inputs {
        let (sizes, strides) = (numbers(&i["sizes"]), numbers(&i["strides"]));
        let _ = write!(s, " {} {} {}{}", i["dtype"], i["cuda"], sizes.len(), spaced(&sizes));
        let _ = write!(s, " {}{} {} {}", strides.len(), spaced(&strides), i["offset"], i["elements"]);
    }
    let steps = case["steps"].as_array().unwrap();
    let _ = write!(s, " {}", steps.len());
    for step in steps {
        let _ = write!(s, " {}{}", step["op"].as_str().unwrap(), spaced(&numbers(&step["args"])));
    }
    s
}

/// Whether a tensor is such as the models take those for that callers give: with the least storage, from its start on.
fn can_be_given(input: &Value) -> bool {
    let (sizes, strides) = (numbers(&input["sizes"]), numbers(&input["strides"]));
    let last: i64 = sizes.iter().zip(&strides).map(|(n, s)| (n - 1) * s).sum();
    let least = if sizes.contains(&0) { 0 } else { last + 1 };
    number(&input["offset"]) == 0 && number(&input["elements"]) == least
}

/// What PyTorch gave, as `operations.cu` prints it; nothing where it threw.
fn expected(case: &Value) -> Option<String> {
    if case.get("throws").is_some() {
        return None;
    }
    let (sizes, dtype) = (numbers(&case["sizes"]), number(&case["dtype"]));
    let numel: i64 = sizes.iter().product();
    let (dim, sizes) = (sizes.len(), spaced(&sizes));
    let bytes = BYTES.iter().find(|(t, _)| *t == dtype).map_or(1, |(_, bytes)| *bytes);
    Some(format!(
        "{dtype} {} {} :{sizes} :{} :{sizes} : {numel} {}{} {} {} {} {}",
        case["cuda"],
        dim,
        spaced(&numbers(&case["strides"])),
        numel * bytes,
        spaced(&numbers(&case["contiguous"])),
        case["shares"],
        case["from"],
        case["behind"],
        case["itself"]
    ))
}

/// What was found of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    Same,
    /// The model leaves something open, and agrees in the rest.
    Open,
    Differs,
}

fn judged(program: &Program, case: &Value, doubt: i64, given: bool) -> (Found, String) {
    let inputs = ConcreteInputs { stdin: described(case, doubt, given).into_bytes(), ..ConcreteInputs::default() };
    let run = enumerate(program, program.find_func(Side::Host, "main").unwrap(), &inputs, &RunBudget::default());
    let mut out = run.output.clone();
    for holds in ["{1}", "{?}"] {
        out = out.replace(holds, "");
    }
    let wanted = expected(case);
    if !out.starts_with("begin") || out.contains("{0}") || out.contains("no such operation") {
        return (Found::Differs, format!("{} ({})", run.output, run.why));
    }
    // What the run takes for granted is that it does not throw where that is not known.
    let certain = run.completed && run.assumptions.is_empty();
    let parts: Vec<&str> = out.split('=').collect();
    let (got, whole) = match parts.as_slice() {
        [_, got, _] => (*got, true),
        [_, got] => (*got, false),
        // It threw, or it was not followed to its end.
        _ => {
            let found = match (certain, &wanted) {
                (true, None) => Found::Same,
                (true, Some(_)) => Found::Differs,
                (false, _) => Found::Open,
            };
            return (found, format!("no result ({}): {}", run.why, run.output));
        }
    };
    let Some(wanted) = wanted else {
        // What the model leaves open may be what PyTorch throws for, and what it is not told.
        let found = if certain && whole && doubt == 0 && !got.contains('?') { Found::Differs } else { Found::Open };
        return (found, format!("{got}, and PyTorch throws"));
    };
    let (all, theirs): (Vec<&str>, Vec<&str>) = (got.split(' ').collect(), wanted.split(' ').collect());
    let dimensions_open = all.get(2) == Some(&"?");
    let long_enough = if whole { all.len() == theirs.len() } else { all.len() <= theirs.len() };
    let agrees = dimensions_open || long_enough && all.iter().zip(&theirs).all(|(a, b)| a == b || *a == "?");
    let found = match (agrees, got.contains('?') || !whole || !certain) {
        (true, false) => Found::Same,
        (true, true) => Found::Open,
        (false, _) => Found::Differs,
    };
    (found, format!("{got}, and PyTorch gives {wanted} ({})", run.why))
}

/// Compares all cases of a file; how many agree, and how many leave something open, of those where all numbers are known.
fn compare(program: &Program, answers: &str, doubts: &[i64]) {
    let mut lines = answers.lines();
    let head: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let mut tally: BTreeMap<(String, Found), usize> = BTreeMap::new();
    let mut wrong = vec![];
    for line in lines {
        let case: Value = serde_json::from_str(line).unwrap();
        let all = case["in"].as_array().unwrap();
        let forms: &[bool] = if !all.is_empty() && all.iter().all(can_be_given) { &[false, true] } else { &[false] };
        for (given, doubt) in forms.iter().flat_map(|g| doubts.iter().map(|d| (*g, *d))) {
            let (found, what) = judged(program, &case, doubt, given);
            if doubt == 0 {
                *tally.entry((case["name"].as_str().unwrap().to_owned(), found)).or_default() += 1;
            }
            if doubt == 0 && found == Found::Open && std::env::var_os("SCUBA_MODELS_SHOW").is_some() {
                println!("open: {} {} given {given}: {what}", case["in"], case["steps"]);
            }
            if found == Found::Differs {
                let (inputs, steps) = (&case["in"], &case["steps"]);
                wrong.push(format!(
                    "{inputs} {steps} default {} given {given} doubt {doubt}:\n  {what}",
                    case["default"]
                ));
            }
        }
    }
    let count = |f: Found| tally.iter().filter(|((_, found), _)| *found == f).map(|(_, n)| n).sum::<usize>();
    let (same, open) = (count(Found::Same), count(Found::Open));
    println!("{head}: {same} agree, {open} leave something open, {} differ", wrong.len());
    for ((op, found), n) in tally.iter().filter(|((_, found), _)| *found != Found::Same) {
        println!("{op}: {n} {found:?}");
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
    // A model that leaves everything open agrees with anything.
    assert!(same > 8 * open, "{same} agree, {open} leave something open");
}

#[test]
fn models_of_tensors_give_what_pytorch_gave() {
    let program = compiled(&folder(), "operations.cu", "-std=c++17", "SCUBA_TORCH_INCLUDES");
    for file in ["answers.jsonl", "answers-cuda.jsonl"] {
        let path = Path::new(HERE).join("tests/models/tensors").join(file);
        let answers = std::fs::read_to_string(&path).unwrap();
        compare(&program, &answers, &DOUBTS);
    }
}

#[test]
#[ignore = "asks PyTorch: `tools/setup.sh torch`, then SCUBA_MODELS_SEEDS=0..5"]
fn models_of_tensors_give_what_torch_gives() {
    let range = std::env::var("SCUBA_MODELS_SEEDS").unwrap_or_else(|_| "0..5".into());
    let (from, to) = range.split_once("..").unwrap();
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    // `SCUBA_TORCH_PYTHON`: a Python elsewhere that has PyTorch.
    let python =
        std::env::var_os("SCUBA_TORCH_PYTHON").unwrap_or_else(|| format!("{HERE}/.deps/torch-venv/bin/python").into());
    let program = compiled(&folder(), "operations.cu", "-std=c++17", "SCUBA_TORCH_INCLUDES");
    // A seed of programs costs as much as a few of these.
    for seed in from..to.min(from + 40) {
        let made = Command::new(&python)
            .args(["-B", "tools/tensor-models.py", "--cases", "20", "--seed", &(seed + 100).to_string()])
            .current_dir(HERE)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        compare(&program, &String::from_utf8(made.stdout).unwrap(), &DOUBTS[..2]);
    }
}
