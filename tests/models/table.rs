//! What the table of external functions says of the two engines against what these have.

use scuba::models::cuda_names::{is_of_driver, is_of_runtime};
use scuba::models::row::{CallSide, MatchKind, ModelledBy, NameKey};
use scuba::models::table::rows;
use std::collections::{BTreeMap, BTreeSet};

type Keys = BTreeSet<(CallSide, NameKey)>;

fn symbolic() -> Vec<(CallSide, NameKey)> {
    let device = scuba::device_launches::keys().map(|k| (CallSide::Device, k));
    scuba::host::keys().into_iter().chain(scuba::kernel::keys()).chain(device).collect()
}

/// Models of the interpreter: its own, and bodies that are compiled with a unit.
fn concrete() -> Vec<(CallSide, NameKey)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/models");
    let sources = std::fs::read_dir(folder).unwrap().map(|f| std::fs::read_to_string(f.unwrap().path()).unwrap());
    let names =
        |s: String| s.split("CONCRETE(\"").skip(1).map(|n| n[..n.find('"').unwrap()].to_owned()).collect::<Vec<_>>();
    let bodies: Vec<String> = sources.flat_map(names).collect();
    assert!(bodies.len() > 20, "{bodies:?}");
    let bodies = bodies.into_iter().map(|n| (CallSide::Host, NameKey::whole(n)));
    scuba::witness::keys().into_iter().chain(bodies).collect()
}

/// Whether an engine has a model for all that a key names.
fn has(keys: &Keys, on: CallSide, key: &NameKey) -> bool {
    keys.iter().any(|(o, k)| (*o == on || *o == CallSide::Either) && k.covers(key))
}

#[test]
fn rows_say_what_the_engines_have() {
    let (symbolic, concrete): (Keys, Keys) = (symbolic().into_iter().collect(), concrete().into_iter().collect());
    let mut wrong = vec![];
    for row in rows() {
        for key in row.keys() {
            let (s, c) = (has(&symbolic, row.on, &key), has(&concrete, row.on, &key));
            let (says, why) = match row.modelled {
                ModelledBy::Both => ((true, true), "-"),
                ModelledBy::SymbolicOnly(why) => ((true, false), why),
                ModelledBy::ConcreteOnly(why) => ((false, true), why),
                ModelledBy::Neither(why) => ((false, false), why),
            };
            if says != (s, c) || why.is_empty() {
                wrong.push(format!(
                    "{:?} {:?} `{}`: the row says (symbolic, concrete) = {says:?}, the engines have {:?}",
                    row.on,
                    key.kind,
                    key.text,
                    (s, c)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_model_has_a_row() {
    let known: Keys = rows().flat_map(|r| r.keys().map(|k| (r.on, k))).collect();
    for (engine, keys) in [("symbolic", symbolic()), ("concrete", concrete())] {
        let missing: Vec<String> = keys
            .iter()
            .filter(|k| !known.contains(*k))
            .map(|(on, k)| format!("{on:?} {:?} `{}`", k.kind, k.text))
            .collect();
        assert!(missing.is_empty(), "models of the {engine} engine without a row:\n{}", missing.join("\n"));
    }
}

#[test]
fn each_function_has_one_row() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        for key in row.keys() {
            assert!(seen.insert((row.on, key.clone())), "{:?} {key:?} stands twice", row.on);
        }
    }
}

/// Of two models the one that is asked first hides the other.
#[test]
fn each_function_has_one_model_of_an_engine() {
    // With a body in a header of the system they are models of the C library, without one only their results are unknown.
    const TWICE: &[&str] = &["time", "gettimeofday", "clock_gettime"];
    for (engine, keys) in [("symbolic", symbolic()), ("concrete", concrete())] {
        let mut count: BTreeMap<(CallSide, NameKey), usize> = BTreeMap::new();
        for key in keys.into_iter().filter(|(_, k)| k.kind == MatchKind::Whole) {
            *count.entry(key).or_default() += 1;
        }
        for ((on, key), n) in count {
            assert!(n == 1 || TWICE.contains(&&*key.text), "{engine}, {on:?}: `{}` is modelled {n} times", key.text);
        }
    }
}

/// A name that is missing is one of a program's function to both engines, and nothing is known of what it does.
#[test]
fn each_function_of_the_toolkits_apis_is_known_as_one() {
    let nvcc = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    let nvcc = if nvcc.is_file() { nvcc } else { which::which("nvcc").unwrap().canonicalize().unwrap() };
    type Known = fn(&str) -> bool;
    let of_runtime = ("cuda_runtime_api.h", "CUDARTAPI ", "cuda", is_of_runtime as Known);
    let of_driver = ("cuda.h", "CUDAAPI ", "cu", is_of_driver as Known);
    for (header, before, begins, is_known) in [of_runtime, of_driver] {
        let text = std::fs::read_to_string(nvcc.parent().unwrap().join("../include").join(header)).unwrap();
        let declared: BTreeSet<&str> = text
            .split(before)
            .skip(1)
            .filter_map(|after| after.trim_start().split_once('(').map(|(name, _)| name.trim()))
            .filter(|name| name.starts_with(begins) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
            .collect();
        assert!(declared.len() > 200, "{header}: {}", declared.len());
        let unknown: Vec<&&str> = declared.iter().filter(|n| !is_known(n)).collect();
        assert!(unknown.is_empty(), "src/models/cuda_names.rs lacks {unknown:?} of {header}");
    }
}
