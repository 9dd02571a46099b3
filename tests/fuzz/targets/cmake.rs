//! Files of a build folder as CMake, Ninja and recorders of compilations write them.
//!
//! Input: files in the order of [`FILES`], divided by lines `====`; `@ROOT@` stands for the build folder.

#![no_main]

use driver::programs::sources::{NvccChoice, of_text};
use facts::DiskSnapshot;
use facts::generated::{FolderPlans, compile_commands};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The build folder's files. The generator's come before CMake's reply, which must not be older.
const FILES: [&str; 11] = [
    "compile_commands.json",
    "build.ninja",
    "CMakeFiles/rules.ninja",
    "CMakeFiles/Makefile.cmake",
    "CMakeFiles/a.dir/link.txt",
    "CMakeFiles/a.dir/dlink.txt",
    "CMakeFiles/a.dir/build.make",
    "CMakeFiles/a.dir/flags.make",
    ".cmake/api/v1/reply/target.json",
    ".cmake/api/v1/reply/codemodel.json",
    ".cmake/api/v1/reply/index-1.json",
];

/// A compilation database means the same if JSON is written in another way, and words as one command.
fn database(text: &str, root: &Path) {
    let path = root.join(FILES[0]);
    let Ok(units) = of_text(text, &path, NvccChoice::default()) else { return };
    let mut value: Value = serde_json::from_str(text).expect("a database is JSON");
    // Of several equal keys, serde refuses what a `Value` takes.
    let again = of_text(&value.to_string(), &path, NvccChoice::default()).expect("JSON that was read");
    assert_eq!(units, again);
    for entry in value.as_array_mut().into_iter().flatten() {
        let Some(words) = entry.get("arguments").and_then(Value::as_array) else { continue };
        let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
        let Some(command) = words.and_then(|words| shlex::try_join(words).ok()) else { continue };
        entry["arguments"] = Value::Null;
        entry["command"] = json!(command);
    }
    assert_eq!(units, of_text(&value.to_string(), &path, NvccChoice::default()).expect("the same commands"));
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let root = scuba_fuzz::folder();
    for folder in ["CMakeFiles/a.dir", ".cmake/api/v1/reply"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder in memory");
    }
    let text = text.replace("@ROOT@", &root.display().to_string());
    let parts = scuba_fuzz::parts(&text);
    std::fs::write(root.join("CMakeFiles/TargetDirectories.txt"), format!("{}/CMakeFiles/a.dir\n", root.display()))
        .expect("a file in memory");
    for (at, name) in FILES.iter().enumerate() {
        match parts.get(at).filter(|part| !part.is_empty()) {
            Some(part) => std::fs::write(root.join(name), part).expect("a file in memory"),
            None => {
                let _ = std::fs::remove_file(root.join(name));
            }
        }
    }
    database(parts[0], &root);
    let plans = || FolderPlans::of_folders(BTreeSet::from([root.clone()]), &DiskSnapshot::default());
    let (first, second) = (plans(), plans());
    let sorted = |plans: &FolderPlans| {
        let mut links = plans.links.iter().map(|link| format!("{link:?}")).collect::<Vec<_>>();
        links.sort();
        links
    };
    assert_eq!(sorted(&first), sorted(&second));
    for link in &first.links {
        assert!(link.output.is_absolute() && link.inputs.iter().all(|input| input.is_absolute()), "{link:?}");
        let _ = (first.is_unwatched(&link.output), first.dropped(&link.output));
    }
    let _ = (first.cuda_objects().count(), compile_commands(&root));
    let _ = facts::join::programs(&[], &facts::join::links(vec![], &first));
});
