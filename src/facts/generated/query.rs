//! Query to CMake's File API that has it write down its targets: `cmake-file-api(7)`, a stateful query of a client.

use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Text of the query; the same as in `preload.c`, which queries before the first configuration.
const QUERY: &str = "{\"requests\":[{\"kind\":\"codemodel\",\"version\":{\"major\":2}}]}\n";

/// Asks CMake to reply from its next configuration of `root` on. Does nothing if the folder cannot be written.
pub(super) fn ask(root: &Path) {
    let folder = root.join(".cmake/api/v1/query/client-scuba");
    let file = folder.join("query.json");
    if file.exists() || std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    let written = File::create_new(&file).map(|mut f| f.write_all(QUERY.as_bytes()));
    if matches!(written, Ok(Err(_))) {
        // A partial query would never be replaced.
        let _ = std::fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use super::{QUERY, ask};

    #[test]
    fn asked_once_with_the_words_of_the_preloaded_library() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(".cmake/api/v1/query/client-scuba/query.json");
        ask(root.path());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), QUERY);
        std::fs::write(&file, "{}").unwrap();
        ask(root.path());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{}");
        let source = include_str!("../../nvcc/interpose/preload.c");
        assert!(source.contains(&QUERY.trim_end().replace('"', "\\\"")));
        ask(&root.path().join("none/of/these\0"));
    }
}
