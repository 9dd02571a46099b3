//! Sessions with the language server.

use super::Client;
use crate::{Project, SAFE, buggy, nvcc};
use serde_json::{Value, json};

/// The start and the end of a diagnostic.
fn range(d: &Value) -> [u64; 4] {
    let at = |end: &str, of: &str| d["range"][end][of].as_u64().unwrap();
    [at("start", "line"), at("start", "character"), at("end", "line"), at("end", "character")]
}

/// Applies the one edit of an action to a text.
fn applied(text: &str, action: &Value, uri: &str) -> String {
    let edit = &action["edit"]["changes"][uri][0];
    let (line, column) =
        (edit["range"]["start"]["line"].as_u64().unwrap(), edit["range"]["start"]["character"].as_u64());
    assert_eq!(edit["range"]["start"], edit["range"]["end"], "an insertion");
    let mut out = String::new();
    for (number, text) in (0..).zip(text.split_inclusive('\n')) {
        let at = if number == line { usize::try_from(column.unwrap()).unwrap() } else { text.len() };
        out.push_str(&text[..at]);
        if number == line {
            out.push_str(edit["newText"].as_str().unwrap());
        }
        out.push_str(&text[at..]);
    }
    out
}

#[test]
fn a_session_is_as_recorded() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    p.write("a.cu", &buggy());
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    c.open("a.cu", &buggy());
    assert_eq!(c.diagnostics("a.cu"), [] as [Value; 0], "nothing was checked yet");
    c.save("a.cu");
    let found = c.diagnostics("a.cu");
    assert_eq!(
        c.hover("a.cu", 3, 4).unwrap().lines().next().unwrap(),
        "**proved wrong** `oob-global`: write past the end of `a`"
    );
    c.actions("a.cu", 3, &found);
    // The bug is mended and saved.
    p.write("a.cu", SAFE);
    c.change("a.cu", 2, [3, 2, 3, 2], "if (i < n) ");
    c.diagnostics("a.cu");
    c.save("a.cu");
    c.wait("end of the check", |m| m["params"]["value"]["message"] == "0 findings");
    assert_eq!(c.hover("a.cu", 3, 14).unwrap(), "**safe** for every input: access of `a`");
    let record = c.record.join("\n").replace(&cache.path().to_string_lossy().into_owned(), "CACHE") + "\n";
    assert_eq!(c.end(), 0);
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/lsp/session.txt");
    if std::env::var_os("SCUBA_BLESS").is_some() {
        std::fs::write(&file, &record).unwrap();
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    let hash = |text: &str| text.lines().filter(|l| !l.contains("\"version\": \"")).collect::<Vec<_>>().join("\n");
    assert_eq!(hash(&record), hash(&recorded), "SCUBA_BLESS=1 records it anew");
}

#[test]
fn the_last_report_is_shown_and_a_later_one_replaces_it() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    p.write("src/a.cu", &buggy());
    let check = || p.command().env("SCUBA_CACHE", cache.path()).args(["check", "-q", "src/a.cu"]).output().unwrap();
    check();
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({"capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}}}));
    let [d] = c.diagnostics("src/a.cu").try_into().unwrap();
    assert_eq!((range(&d), d["severity"].as_i64()), ([3, 2, 3, 6], Some(1)));
    assert_eq!((d["code"].as_str(), d["source"].as_str()), (Some("oob-global"), Some("scuba")));
    let page = d["codeDescription"]["href"].as_str().unwrap().strip_prefix("file://").unwrap();
    assert!(std::fs::read_to_string(page).unwrap().starts_with("# oob-global: "));
    let message = d["message"].as_str().unwrap();
    assert!(message.starts_with("write past the end of `a`\n") && message.contains("argv[1] = 1"), "{message}");
    let related = d["relatedInformation"].as_array().unwrap();
    let lines: Vec<u64> = related.iter().map(|r| range(&r["location"])[0]).collect();
    assert!(lines.contains(&10) && lines.contains(&11), "allocation and launch: {related:?}");
    // Another command checks the mended file: the server sees the new report.
    p.write("src/a.cu", SAFE);
    p.write("src/scuba.toml", "[[contract]]\nfunction = \"fi*\"\nrequires = [\"n >= 0\"]\n");
    check();
    assert_eq!(c.diagnostics("src/a.cu"), [] as [Value; 0]);
    let hover = c.hover("src/a.cu", 3, 14).unwrap();
    assert!(hover.starts_with("**safe**") && hover.ends_with("`fill` requires `n >= 0` (scuba.toml:3)"), "{hover}");
    assert_eq!(c.end(), 0);
}

#[test]
fn contracts_are_shown_at_parameters_definitions_and_launches() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    let text = "\
// fill(a) is no call.
template <typename T>
__global__ void __launch_bounds__(256) fill(T *a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int last = n - 1;
  if (i <= last) a[i] = 1;
}
void launch(float *a, int n) {
  fill<float><<<(n + 255) / 256, 256>>>(a, n, 0);
}
";
    p.write("a.cu", text);
    p.write("scuba.toml", "[[contract]]\nfunction = \"fi*\"\nrequires = [\"elements(a) >= n\", \"m == 0\"]\n");
    p.command().env("SCUBA_CACHE", cache.path()).args(["check", "-q", "a.cu"]).output().unwrap();
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    let all = "`fill` requires `elements(a) >= n`, `m == 0` (scuba.toml:3)";
    let of_n = "`fill` requires `elements(a) >= n` (scuba.toml:3)";
    let of_m = "`fill` requires `m == 0` (scuba.toml:3)";
    for (line, column, said) in [
        (2, 40, Some(all)),  // the kernel
        (2, 47, Some(of_n)), // `a`
        (2, 54, Some(of_n)), // `n`
        (2, 61, Some(of_m)), // `m`
        (4, 13, Some(of_n)), // a use of `n`
        (8, 3, Some(all)),   // the launch
        (2, 17, None),       // `__launch_bounds__`
        (3, 6, None),        // a variable
        (0, 3, None),        // a comment
        (7, 19, None),       // a parameter of another function
        (8, 40, None),
    ] {
        assert_eq!(c.hover("a.cu", line, column).as_deref(), said, "{line}:{column}");
    }
    // The access itself tells its verdict first.
    let access = c.hover("a.cu", 5, 17).unwrap();
    assert!(access.starts_with("**safe** under an assumption") && access.ends_with(all), "{access}");
    // Lines that were added since change nothing: the text of the client counts.
    c.open("a.cu", text);
    c.change("a.cu", 2, [0, 0, 0, 0], "#define X 1\n\n");
    assert_eq!(c.hover("a.cu", 4, 54).as_deref(), Some(of_n));
    assert_eq!(c.end(), 0);
}

#[test]
fn contracts_in_sources_are_shown_in_every_file() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    let kernel = "\
#include \"scuba.h\"
namespace grid {
template <typename T> __global__ void fill(T *a, int n) {
  SCUBA_ELEMENTS(a, n);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}
}
";
    let main = "\
#include \"kernel.cuh\"
int main() {
  float *a;
  if (cudaMalloc(&a, 4096) != cudaSuccess) return 1;
  grid::fill<<<4, 256>>>(a, 1024);
  return cudaDeviceSynchronize();
}
";
    p.write("kernel.cuh", kernel);
    p.write("main.cu", main);
    let header = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/contracts/header/scuba.h");
    p.write("scuba.h", &std::fs::read_to_string(header).unwrap());
    p.command().env("SCUBA_CACHE", cache.path()).args(["check", "-q", "main.cu"]).output().unwrap();
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    let said = "`fill` requires `elements(a) >= n` (kernel.cuh:4)";
    assert_eq!(c.hover("kernel.cuh", 2, 46).as_deref(), Some(said), "the parameter");
    assert_eq!(c.hover("main.cu", 4, 9).as_deref(), Some(said), "the launch, of which the report says nothing");
    assert_eq!(c.end(), 0);
}

#[test]
fn diagnostics_move_with_edits_and_go_with_the_line_that_they_were_about() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    p.write("a.cu", &buggy());
    p.command().env("SCUBA_CACHE", cache.path()).args(["check", "-q", "a.cu"]).output().unwrap();
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    assert_eq!(range(&c.diagnostics("a.cu")[0]), [3, 2, 3, 6]);
    c.open("a.cu", &buggy());
    c.diagnostics("a.cu");
    c.change("a.cu", 2, [0, 0, 0, 0], "// ü\n\n");
    assert_eq!(range(&c.diagnostics("a.cu")[0]), [5, 2, 5, 6]);
    c.change("a.cu", 3, [5, 0, 5, 2], "\t\t\t");
    assert_eq!(range(&c.diagnostics("a.cu")[0]), [5, 3, 5, 7], "the line was only indented");
    assert!(c.hover("a.cu", 5, 4).unwrap().contains("proved wrong"));
    c.change("a.cu", 4, [5, 3, 5, 3], "if (i < n) ");
    assert_eq!(c.diagnostics("a.cu"), [] as [Value; 0], "what was said of it holds no longer");
    assert_eq!(c.hover("a.cu", 5, 15), None);
    // Unsaved changes are dropped: the file on disk is what was checked.
    let uri = c.uri("a.cu");
    c.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(range(&c.diagnostics("a.cu")[0]), [3, 2, 3, 6]);
    assert_eq!(c.end(), 0);
}

#[test]
fn actions_accept_a_finding_and_check_the_file() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    p.write("a.cu", &buggy());
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({"initializationOptions": {"checkOnSave": false}}));
    c.open("a.cu", &buggy());
    c.diagnostics("a.cu");
    c.save("a.cu");
    let [check] = c.actions("a.cu", 3, &[]).try_into().unwrap();
    assert_eq!(check["title"], "Check this file now");
    let command = check["command"].clone();
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    c.ask("workspace/executeCommand", params.clone());
    let found = c.diagnostics("a.cu");
    let actions = c.actions("a.cu", 3, &found);
    let accept = actions.iter().find(|a| a["title"] == "Accept `oob-global` here with a comment").unwrap();
    assert_eq!(accept["diagnostics"][0]["data"], found[0]["data"]);
    assert_eq!(c.actions("a.cu", 9, &[]).len(), 1, "elsewhere there is nothing to accept");
    let text = applied(&buggy(), accept, &c.uri("a.cu"));
    assert!(text.contains("\n  // scuba: allow(oob-global) "), "{text}");
    p.write("a.cu", &text);
    c.change("a.cu", 2, [3, 0, 3, 0], "  // scuba: allow(oob-global) say why this is right\n");
    assert_eq!(range(&c.diagnostics("a.cu")[0])[0], 4);
    c.ask("workspace/executeCommand", params);
    assert_eq!(c.diagnostics("a.cu"), [] as [Value; 0], "the comment accepts it");
    assert!(c.hover("a.cu", 4, 3).unwrap().contains("the finding is accepted"));
    assert_eq!(c.end(), 0);
}

#[test]
fn a_file_is_checked_with_the_flags_of_its_build() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    let text = format!("#include \"grid.cuh\"\n{}", buggy()).replace("a[i] =", "if (i < n + EXTRA) a[i] =");
    p.write("a.cu", &text);
    p.write("include/grid.cuh", "#ifndef EXTRA\n#error \"no EXTRA\"\n#endif\n");
    let command = format!("{} -Iinclude -DEXTRA=1 -arch=sm_80 -c a.cu -o a.o", nvcc().display());
    let database = json!([{"directory": p.root(), "file": "a.cu", "command": command}]);
    p.write("build/compile_commands.json", &database.to_string());
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    c.open("a.cu", &text);
    c.diagnostics("a.cu");
    c.save("a.cu");
    let found = c.diagnostics("a.cu");
    assert_eq!(range(&found[0])[0], 4, "{found:?}");
    // A saved header is checked with the open source that includes it.
    p.write("include/grid.cuh", "#undef EXTRA\n#define EXTRA 0\n");
    c.save("include/grid.cuh");
    assert_eq!(c.diagnostics("a.cu"), [] as [Value; 0]);
    assert_eq!(c.end(), 0);
}

#[test]
fn a_second_save_ends_the_first_check_and_a_failing_check_is_a_message() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    p.write("a.cu", &buggy());
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    c.open("a.cu", &buggy());
    c.diagnostics("a.cu");
    c.save("a.cu");
    c.save("a.cu");
    c.wait("end of the first check", |m| {
        m["params"]["token"] == "scuba-check-1" && m["params"]["value"]["message"] == "superseded"
    });
    c.wait("end of the second check", |m| {
        m["params"]["token"] == "scuba-check-2" && m["params"]["value"]["message"] == "1 finding"
    });
    // The program cannot be read.
    p.write("scuba.toml", "[nonsense]\n");
    c.save("a.cu");
    let said = c.wait("message", |m| m["method"] == "window/logMessage");
    let said = said["params"]["message"].as_str().unwrap();
    assert!(said.contains("a.cu was not checked: ") && said.contains("scuba.toml"), "{said}");
    assert_eq!(
        c.hover("a.cu", 3, 3).unwrap().lines().next().unwrap(),
        "**proved wrong** `oob-global`: write past the end of `a`"
    );
    assert_eq!(c.end(), 0);
}

#[test]
fn whatever_a_client_sends_the_server_lives() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    let mut c = Client::new(&p, cache.path(), |_| {});
    let offered = c.initialize(&json!({"rootUri": null}));
    assert_eq!(offered["capabilities"]["positionEncoding"], "utf-16");
    c.notify("textDocument/didChange", json!({"nonsense": 1}));
    let said = c.wait("message", |m| m["method"] == "window/logMessage");
    assert!(said["params"]["message"].as_str().unwrap().contains("cannot be read"));
    c.notify("textDocument/didSave", json!({"textDocument": {"uri": "untitled:1"}}));
    c.notify("$/setTrace", json!({"value": "off"}));
    c.number += 1;
    let unknown = json!({"jsonrpc": "2.0", "id": c.number, "method": "textDocument/definition", "params": {}});
    c.write(&unknown);
    let answer = c.wait("answer", |m| m.get("id").is_some());
    assert_eq!(answer["error"]["code"], -32601);
    assert_eq!(c.hover("no/such.cu", 0, 0), None);
    assert_eq!(c.end(), 0);
    // A client that goes away without a word.
    let mut gone = Client::new(&p, cache.path(), |_| {});
    gone.initialize(&json!({}));
    gone.notify("exit", Value::Null);
    assert_eq!(gone.server.wait().unwrap().code(), Some(1));
}

#[test]
fn a_build_through_the_shim_alone_is_checked_after_its_end() {
    let p = Project::new();
    let cache = tempfile::tempdir().unwrap();
    // The launch is in another unit than the kernel: no single file decides it.
    let text = buggy();
    let (kernel, rest) = text.split_at(text.find("int main").unwrap());
    let kernel = format!("{kernel}void launch(float *a, int n) {{ fill<<<(n + 255) / 256, 256>>>(a, n); }}\n");
    p.write("k.cu", &kernel);
    let start = rest.find("fill<<<").unwrap();
    let end = start + rest[start..].find(';').unwrap();
    let main =
        format!("#include <cstdlib>\nvoid launch(float *, int);\n{}launch(a, n){}", &rest[..start], &rest[end..]);
    p.write("main.cu", &main);
    p.write("scuba.toml", "[levels]\nall = \"warn\"\n");
    let shim = assert_cmd::cargo::cargo_bin!("scuba-nvcc");
    for source in ["k", "main"] {
        let mut build = std::process::Command::new(shim);
        build
            .current_dir(p.root())
            .env("SCUBA_NVCC", nvcc())
            .env("SCUBA_CACHE", cache.path())
            .env("SCUBA_DIR", p.root());
        let (object, source) = (format!("{source}.o"), format!("{source}.cu"));
        let built = build.args(["-c", &source, "-o", &object]).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
    let mut build = std::process::Command::new(shim);
    build.current_dir(p.root()).env("SCUBA_NVCC", nvcc()).env("SCUBA_CACHE", cache.path()).env("SCUBA_DIR", p.root());
    build.args(["k.o", "main.o", "-o", "app"]).output().unwrap();
    let mut c = Client::new(&p, cache.path(), |_| {});
    c.initialize(&json!({}));
    let found = c.diagnostics("k.cu");
    assert_eq!(range(&found[0])[0], 3, "{found:?}");
    // The file alone does not know its callers: the build's finding stays.
    c.open("k.cu", &kernel);
    c.diagnostics("k.cu");
    c.save("k.cu");
    c.wait("end of the check", |m| m["params"]["value"]["kind"] == "end");
    assert!(c.hover("k.cu", 3, 3).unwrap().contains("wrong"));
    assert_eq!(c.end(), 0);
}
