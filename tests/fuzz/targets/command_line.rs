//! Command lines of nvcc and of host tools, as the shim and `scuba check` read them.
//!
//! Input: words, one a line; the first two lines are `NVCC_PREPEND_FLAGS` and `NVCC_APPEND_FLAGS`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nvcc::command::{Environment, NvccCommand};
use nvcc::locate::{self, SearchEnvironment};
use nvcc::request::AnalysisRequest;
use nvcc::{host, words};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Folder of the command; it does not exist, so that no options file is found by a relative path.
const FOLDER: &str = "/nonexistent/build";
/// Stands for the real nvcc.
const NVCC: &str = "/bin/true";
/// Most words of a command.
const MOST: usize = 200;

fn native() -> Vec<u32> {
    vec![90]
}

/// The shim runs the program that it found with the user's own words.
fn arguments_stay(given: &[OsString]) {
    let place = SearchEnvironment {
        ourselves: Path::new("/bin/false"),
        directory: Path::new("/"),
        named: Some(OsStr::new(NVCC)),
        toolkits: vec![],
        path: Some(OsStr::new("/bin")),
        running: None,
    };
    let Ok(found) = locate::locate(given, &place, || unreachable!("SCUBA_NVCC is set")) else { return };
    let kept = found.nvcc_arguments();
    assert!(given.ends_with(kept), "{given:?} became {kept:?}");
    let dropped = &given[..given.len() - kept.len()];
    let is_program = |word: &OsString| {
        let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
        name == "false" || name.starts_with("nvcc") || locate::LAUNCHERS.contains(&name)
    };
    assert!(dropped.iter().all(is_program), "{dropped:?} is dropped");
}

fn plans(given: &[OsString], environment: &Environment) {
    let folder = Path::new(FOLDER);
    let command = NvccCommand::read(given, environment, folder);
    let _ = (command.is_probe(folder), command.asks_native(), command.unknown_flags());
    let Some(plan) = command.plan(folder, Some(Path::new(NVCC)), &native) else { return };
    assert_eq!(Some(&plan), command.plan(folder, Some(Path::new(NVCC)), &native).as_ref());
    // The analysis gets the request as JSON.
    if let Ok(text) = serde_json::to_string(&plan.request) {
        assert_eq!(serde_json::from_str::<AnalysisRequest>(&text).ok().as_ref(), Some(&plan.request), "{text}");
    }
    // A unit's command is read again when the unit is.
    let bytes =
        given.iter().map(OsString::as_os_str).chain([environment.prepend.as_os_str(), environment.append.as_os_str()]);
    let is_plain =
        bytes.into_iter().all(|w| w.to_str().is_some_and(|w| !w.contains("-optf") && !w.contains("options-file")));
    let Some(unit) = plan.request.units.first().filter(|_| is_plain) else { return };
    let again: Vec<OsString> = unit.command[1..].iter().map(OsString::from).collect();
    let again = NvccCommand::read(&again, &Environment::default(), folder);
    let again = again.plan(folder, Some(Path::new(NVCC)), &native).map(|plan| plan.request);
    assert_eq!(again.as_ref(), Some(&plan.request), "{:?}", unit.command);
}

fn tools(given: &[OsString]) {
    let folder = Path::new(FOLDER);
    let _ = (host::is_tool(given), host::is_script(given, None, folder), host::compile(given, folder));
    let _ = (host::compile_and_link(given, folder), host::read(given, folder));
    let Some(strings) = given.iter().map(|w| w.to_str().map(str::to_owned)).collect::<Option<Vec<String>>>() else {
        return;
    };
    assert!(strings.ends_with(host::without_launchers(&strings)));
    let _ =
        (host::names_shim(&strings), host::named_nvcc(&strings), host::runs_nvcc(&strings), host::nvcc_words(&strings));
}

/// What is quoted by the rules of a reader comes back as it was.
fn quoting(word: &[u8]) {
    let escaped: Vec<u8> = word.iter().flat_map(|&byte| [b'\\', byte]).collect();
    if !word.contains(&b'"') && !word.is_empty() {
        assert_eq!(words::options_file(&escaped), [word]);
        assert_eq!(words::options_file(&[&escaped[..], b"\n", &escaped].concat()), [word, word]);
    }
    let items = words::list(&escaped);
    assert_eq!(items, if word.is_empty() { vec![] } else { vec![word.to_vec()] });
    if let Ok(quoted) = shlex::bytes::try_quote(word) {
        assert_eq!(words::host_words(&[quoted.into_owned()]), [word]);
    }
    let parts = words::environment(word);
    assert!(parts.iter().all(|part| !part.is_empty()));
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    if !word.contains(&b'"') {
        assert_eq!(parts, word.split(blank).filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect::<Vec<_>>());
    }
    let _ = (
        words::path(word),
        words::macro_definition(word),
        words::options_file(word),
        words::host_words(&[word.to_vec()]),
    );
}

fuzz_target!(|data: &[u8]| {
    let mut lines = data.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\0").unwrap_or(line));
    let mut next = || OsStr::from_bytes(lines.next().unwrap_or_default()).to_owned();
    let environment = Environment { prepend: next(), append: next(), host_compiler: OsString::new() };
    let given: Vec<OsString> = lines.take(MOST).map(|line| OsString::from_vec(line.to_vec())).collect();
    arguments_stay(&given);
    plans(&given, &environment);
    tools(&given);
    if let Some(word) = given.first() {
        quoting(word.as_bytes());
    }
});
