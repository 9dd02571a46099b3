//! What each model was compared with: `docs/models.md`, a table of every modelled function that this writes and a test compares.
//!
//! The judge is the real thing: the function itself, PyTorch, a device; where there was none, the document that the model follows, or nothing. What
//! the tests of this folder call is read from the programs that they compile.

use super::concrete::{self, unit};
use super::{numbers, symbolic};
use scuba::ir::{Callee, Op, Side};
use scuba::models::row::{CallSide, FunctionRow, MatchKind, ModelledBy, NameKey};
use scuba::models::table::FAMILIES;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The families in the order of [`FAMILIES`], with what a model follows that nothing else was compared with.
const DOCUMENTS: [(&str, &str); 13] = [
    ("Memory of the C library", "C11, POSIX.1-2017, glibc"),
    ("Texts of the C library", "C11, POSIX.1-2017, glibc"),
    ("Streams of the C library", "C11, POSIX.1-2017, glibc"),
    ("Processes", "C11, POSIX.1-2017, glibc"),
    ("The system", "POSIX.1-2017, glibc"),
    ("Mathematics of the C library", "C11, glibc"),
    ("CUDA's runtime", "CUDA Runtime API 13.0"),
    ("CUDA's driver", "CUDA Driver API 13.0"),
    ("CUDA's libraries, MPI, OpenMP", "their references"),
    ("What models of PyTorch's functions are built on", ""),
    ("The C++ library", "C++17, libstdc++"),
    ("Functions of devices", "libdevice, NVPTX, CUDA 13.0"),
    ("LLVM's intrinsics", "LLVM language reference"),
];

const ITSELF: &str = "the function itself (glibc, libstdc++)";
const NOTHING: &str = "**nothing**";

/// Functions of which a device was asked, as their models say: which one, and what.
const MEASURED: [(&str, &str); 8] = [
    ("cudaFree", "an H100 (what it refuses)"),
    ("cudaMallocPitch", "an H200 (the pitch)"),
    ("cudaLaunchKernel", "an H100 (which launches are refused, and the codes)"),
    ("cudaLaunchKernelExC", "an H100 (which launches are refused, and the codes)"),
    ("cudaLaunchCooperativeKernel", "an H100 (which launches are refused, and the codes)"),
    ("cudaFuncSetAttribute", "an H100 (limits, and the codes)"),
    ("cudaGetLastError", "an H100 (codes of launches)"),
    ("cudaPeekAtLastError", "an H100 (codes of launches)"),
];

/// Functions without a body here that a program's host code calls, other than from a body of a model: symbols, and how they
/// are displayed.
type Called = BTreeSet<(String, String)>;

fn called(source: String) -> Called {
    unit(source).with(0, |linked| {
        let names = |of_models: bool| -> BTreeSet<&str> {
            let defined = linked.functions().filter(|(r, _, f)| {
                !f.is_declaration() && linked.loc(r.module, f.loc).file.contains("/models-") == of_models
            });
            let calls = defined.flat_map(|(_, m, f)| f.blocks.iter().flat_map(|b| &b.insts).map(move |i| (m, &i.op)));
            let callees = calls.filter_map(|(m, op)| match op {
                Op::Call { callee: Callee::Direct(id), .. } => Some(m.func(*id).name.as_str()),
                _ => None,
            });
            callees.collect()
        };
        let (by_models, by_program) = (names(true), names(false));
        let called = |name: &str| !by_models.contains(name) || by_program.contains(name);
        let declared = linked.functions().filter(|(_, m, f)| m.side == Side::Host && f.is_declaration());
        declared.filter(|(.., f)| called(&f.name)).map(|(.., f)| (f.name.clone(), f.display.clone())).collect()
    })
}

fn is_called(called: &Called, on: CallSide, key: &NameKey) -> bool {
    let text: &str = &key.text;
    on != CallSide::Device
        && called.iter().any(|(name, display)| match key.kind {
            MatchKind::Whole => name.strip_suffix("_ptsz").unwrap_or(name) == text || intrinsic(name) == text,
            MatchKind::Start => name.starts_with(text),
            MatchKind::Part => name.contains(text),
            MatchKind::DemangledStart => display.starts_with(text),
            MatchKind::DemangledPart => display.contains(text),
            MatchKind::Real | MatchKind::Typed | MatchKind::Rest => false,
        })
}

/// The name of an intrinsic without the types that it is overloaded for.
fn intrinsic(name: &str) -> &str {
    let is_type = |part: &str| part.starts_with(['f', 'i', 'p', 'v']) && part[1..].chars().any(|c| c.is_ascii_digit());
    if !name.starts_with("llvm.") {
        return name;
    }
    let mut base = name;
    while let Some((front, last)) = base.rsplit_once('.') {
        if !is_type(last) {
            break;
        }
        base = front;
    }
    base
}

/// What a model of one engine was compared with.
fn judge(row: &FunctionRow, key: &NameKey, family: usize, called: &Called, itself: &'static str) -> String {
    if is_called(called, row.on, key) {
        return itself.to_owned();
    }
    if let Some((_, what)) = MEASURED.iter().find(|(name, _)| *name == key.text) {
        return (*what).to_owned();
    }
    match (DOCUMENTS[family].1, key.kind) {
        // What a pattern fits gives something unknown, and loses what it could write.
        ("", _)
        | (
            _,
            MatchKind::Rest | MatchKind::Part | MatchKind::Start | MatchKind::DemangledPart | MatchKind::DemangledStart,
        ) => NOTHING.to_owned(),
        (documents, _) => format!("documents ({documents})"),
    }
}

fn page() -> String {
    let (by_interpreter, by_executor) = (
        concrete::sources().into_iter().chain([numbers::source()]).flat_map(called).collect::<Called>(),
        called(symbolic::source()),
    );
    let mut out = String::from(
        "<!-- Generated: `SCUBA_BLESS=1 cargo test --test models judges`. -->\n# Models of library functions, and their judges\n\n\
        Each engine models functions whose bodies are elsewhere on its own: the *interpreter* runs replays (`src/witness/library`), the *executor* is symbolic\n\
        (`src/library/host`, `src/library/kernel`). This says what each model was compared with. The judge is the real thing and never the other engine:\n\n\
        - *the function itself*: `tests/models` calls it on random and special arguments, compiled by g++, and compares what the interpreter computes;\n\
        - *runs of the function itself*: programs that use it, judged by the executor, are run as g++ compiles them on texts of a pool;\n\
        - *PyTorch*: its recorded answers (`tools/tensor-models.py`); models of its functions in `templates/models/aten.cpp` and `reductions.cpp` have that judge;\n\
        - *the libraries*: recorded answers of PyTorch's stable ABI, nanobind 2 and 3, and TVM-FFI (`tools/real-libraries.py`); models of their functions in\n\
        \x20 `templates/models/stable.cpp` and `templates/models/dlpack.cpp` have that judge, but for streams, device guards, and arrays that a function makes;\n\
        - an *H100* or *H200*: what the device did was measured, for what stands in brackets;\n\
        - *documents*: nothing but what they say;\n\
        - **nothing**: what fits a pattern of names gives something unknown and loses what it could write.\n\n\
        –: this engine has no model of it. Whole programs have judges of their own (`docs/evaluation/`).\n",
    );
    for (i, rows) in FAMILIES.iter().enumerate() {
        let mut groups: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for row in *rows {
            let (symbolic, concrete) = match row.modelled {
                ModelledBy::Both => (true, true),
                ModelledBy::SymbolicOnly(_) => (true, false),
                ModelledBy::ConcreteOnly(_) => (false, true),
                ModelledBy::Neither(_) => continue,
            };
            for key in row.keys() {
                let of = |has: bool, called: &Called, itself| match has {
                    true if DOCUMENTS[i].1.is_empty() && itself == ITSELF => "PyTorch".to_owned(),
                    true => judge(row, &key, i, called, itself),
                    false => "–".to_owned(),
                };
                let group = (
                    of(concrete, &by_interpreter, ITSELF),
                    of(symbolic, &by_executor, "runs of the function itself (glibc, libstdc++)"),
                );
                let name = match key.kind {
                    MatchKind::Start | MatchKind::DemangledStart | MatchKind::Typed | MatchKind::Rest => {
                        format!("`{}…`", key.text)
                    }
                    MatchKind::Part | MatchKind::DemangledPart => format!("`…{}…`", key.text),
                    MatchKind::Whole | MatchKind::Real => format!("`{}`", key.text),
                };
                groups.entry(group).or_default().push(name);
            }
        }
        if groups.is_empty() {
            continue;
        }
        let _ = write!(out, "\n## {}\n\n| interpreter | executor | functions |\n| --- | --- | --- |\n", DOCUMENTS[i].0);
        for ((concrete, symbolic), mut names) in groups {
            names.sort();
            names.dedup();
            let _ = writeln!(out, "| {concrete} | {symbolic} | {} |", names.join(" "));
        }
    }
    out
}

#[test]
fn the_page_says_what_each_model_was_compared_with() {
    assert_eq!(FAMILIES.len(), DOCUMENTS.len(), "a family without a word of what its models follow");
    for (name, _) in MEASURED {
        let known = FAMILIES
            .iter()
            .copied()
            .flatten()
            .flat_map(FunctionRow::keys)
            .any(|k| k.kind == MatchKind::Whole && k.text == name);
        assert!(known, "{name} has no row");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/models.md");
    let page = page();
    if std::env::var_os("SCUBA_BLESS").is_some() {
        return std::fs::write(path, page).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == page,
        "a model or what it is compared with changed: SCUBA_BLESS=1 cargo test --test models judges"
    );
}
