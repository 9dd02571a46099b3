//! Schemas in `docs/schema/`: fresh, and true of what is written and read.

use super::{Project, cache, nvcc};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The committed schema, which must be that of the types.
fn committed(name: &str, derived: &Value) -> Value {
    let path = root().join("docs/schema").join(name);
    let text = format!("{}\n", serde_json::to_string_pretty(derived).unwrap());
    if std::env::var_os("SCUBA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let now = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        now == text,
        "{} is out of date: SCUBA_BLESS=1 cargo test --test cli -- schemas:: writes it",
        path.display()
    );
    serde_json::from_str(&now).unwrap()
}

fn findings() -> Value {
    committed("findings.schema.json", scuba::finding::schema::of_documents().as_value())
}

fn settings() -> Value {
    committed("scuba.schema.json", scuba::config::schema::of_settings().as_value())
}

/// The same schema, without room for properties that it does not name.
fn closed(schema: &Value) -> Value {
    let mut schema = schema.clone();
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(close);
            if map.get("properties").is_some_and(Value::is_object) && !map.contains_key("additionalProperties") {
                map.insert("unevaluatedProperties".into(), false.into());
            }
        }
        Value::Array(all) => all.iter_mut().for_each(close),
        _ => {}
    }
}

#[track_caller]
fn valid(validator: &Validator, document: &Value, of: &str) {
    let wrong: Vec<String> = validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{of}: {}", wrong.join("\n"));
}

/// Programs of tests/ui whose documents have much of what a document can have, and what each is there for.
const PROGRAMS: [(&str, &str); 6] = [
    ("oob-global/bytes_for_elements.cu", "/findings/0/witness/inputs"),
    ("undecided/last_bits.cu", "/undecided/0/code"),
    ("report/library.cu", "/findings/0/steps"),
    ("memory-spaces/dynamic_shared_oob.cu", "/findings/0/access/space"),
    ("intra-allocation/chained.cu", "/findings/0/access/partition"),
    ("misaligned/rows.cu", "/findings/0/access/bytes"),
];

#[test]
fn documents_are_what_their_schema_says() {
    let schema = findings();
    let open = jsonschema::draft202012::new(&schema).unwrap();
    // Every property of a document is in the schema.
    let strict = jsonschema::draft202012::new(&closed(&schema)).unwrap();
    for (program, holds) in PROGRAMS {
        let file = root().join("tests/ui").join(program);
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("scuba"));
        command.current_dir(root().join("tests/ui")).env("SCUBA_NVCC", nvcc()).env("SCUBA_CACHE", cache::fresh());
        let said = command.arg("check").arg(&file).args(["--message-format", "json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&said.stdout)
            .unwrap_or_else(|e| panic!("{program}: {e}: {}", String::from_utf8_lossy(&said.stderr)));
        assert!(document.pointer(holds).is_some_and(|v| !v.is_null()), "{program} has no {holds}: {document:#}");
        valid(&open, &document, program);
        valid(&strict, &document, program);
        // A schema that admits anything would pass so far.
        for (place, wrong) in [
            ("/schema", json!("scuba-findings/2")),
            ("/summary/accesses", json!(-1)),
            ("/findings", json!({})),
            ("/tool/axioms/device_memory", json!("much")),
            (holds, json!(true)),
        ] {
            let mut broken = document.clone();
            *broken.pointer_mut(place).unwrap() = wrong;
            assert!(!open.is_valid(&broken), "{program}: {place}");
        }
        let mut more = document.clone();
        more["later"] = json!(1);
        assert!(open.is_valid(&more) && !strict.is_valid(&more), "a later version may add fields");
        more = document;
        more.as_object_mut().unwrap().remove("undecided");
        assert!(!open.is_valid(&more));
    }
}

/// Settings as JSON, as an editor's language server validates them.
fn as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn the_example_of_settings_is_what_its_schema_says() {
    let schema = settings();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let text = std::fs::read_to_string(root().join("scuba.toml.example")).unwrap();
    let named = text.lines().next().and_then(|l| l.strip_prefix("#:schema ")).expect("a line for editors");
    assert!(root().join(named).is_file(), "{named}");
    // With every line that is commented out, once as a setting.
    let is_setting = |l: &str| l.starts_with('[') || l.split_once(" = ").is_some_and(|(k, _)| !k.contains(' '));
    let all: String =
        text.lines().map(|l| format!("{}\n", l.strip_prefix('#').filter(|r| is_setting(r)).unwrap_or(l))).collect();
    let document = as_json(&all);
    valid(&validator, &document, "scuba.toml.example");
    scuba::config::parse(&all, Path::new("/p/scuba.toml")).unwrap();
    // Every key that the schema has is in the example.
    for (table, of) in schema["properties"].as_object().unwrap() {
        let mut of = of.clone();
        while let Some(name) = reference(&of) {
            of = schema["definitions"][name].clone();
        }
        let Some(keys) = of["properties"].as_object() else { continue };
        let holds = |key: &String| {
            let one = &document[table];
            let entries = one.as_array().cloned().unwrap_or_else(|| vec![one.clone()]);
            entries.iter().any(|e| e.get(key).is_some())
        };
        let missing: Vec<_> = keys.keys().filter(|k| table != "levels" && !holds(k)).collect();
        assert!(missing.is_empty(), "scuba.toml.example lacks {missing:?} of [{table}]");
    }
}

/// Name of the definition that a property refers to, itself or by its elements.
fn reference(of: &Value) -> Option<String> {
    let text = [of.get("$ref"), of.pointer("/allOf/0/$ref"), of.pointer("/items/$ref")].into_iter().flatten().next()?;
    text.as_str()?.rsplit('/').next().map(str::to_owned)
}

/// Files that `scuba` refuses, and the schema with it; and a file that both take.
#[test]
fn editors_and_scuba_refuse_the_same_mistakes() {
    let schema = settings();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let reads = |text: &str| scuba::config::parse(text, Path::new("/p/scuba.toml")).is_ok();
    for text in [
        "[limits]\nsolver_sec = 5\n",
        "[limits]\nsolver_ms = 0\n",
        "[limits]\nwork = 100001\n",
        "[limits]\nsolver_ms = \"5\"\n",
        "[limits]\ndevice_memory = \"12 apples\"\n",
        "[frontend]\nkind = \"gcc\"\n",
        "[levels]\noob-gobal = \"warn\"\n",
        "[levels]\noob-global = \"error\"\n",
        "[[allow]]\nrule = \"oob-global\"\npath = \"a/**\"\n",
        "[[allow]]\nrule = \"some\"\npath = \"a/**\"\nreason = \"x\"\n",
        "[scope]\nexclude = \"a\"\n",
        "[build]\ncheck = \"always\"\n",
        "[confirm]\nwhen = \"always\"\n",
        "[[assume]]\nfunction = \"f\"\n",
        "[[contract]]\nfunction = \"f\"\nmodifies = [\"x\"]\n",
        "[unknown]\n",
    ] {
        assert!(!reads(text) && !validator.is_valid(&as_json(text)), "{text}");
    }
    for text in [
        "",
        "[limits]\ndevice_memory = \"16 GiB\"\nmemory = 1073741824\n",
        "[levels]\nall = \"allow\"\nmisaligned = \"deny\"\n",
        "[[contract]]\ntype = \"T\"\ninvariant = [\"elements(x) >= n\"]\n",
        "[[contract]]\nfunction = \"f\"\nmodifies = []\n",
        "[entry]\nexports = true\nfunctions = [\"k_*\"]\n",
    ] {
        scuba::config::parse(text, Path::new("/p/scuba.toml")).unwrap_or_else(|e| panic!("{text}: {e}"));
        valid(&validator, &as_json(text), text);
    }
}

#[test]
fn what_init_writes_is_what_the_schema_says() {
    let p = Project::new();
    p.write("k.cu", "__global__ void k(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1.0f; }\n");
    p.write("third_party/x.cu", "");
    p.scuba(["init"]).status(0);
    let text = std::fs::read_to_string(p.root().join("scuba.toml")).unwrap();
    valid(&jsonschema::draft7::new(&settings()).unwrap(), &as_json(&text), &text);
}
