//! The question to CMake's File API that has it write down its targets: `cmake-file-api(7)`, a stateful query of a client.

use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The same as in `preload.c`, which asks before the first configuration.
const QUERY: &str = "{\"requests\":[{\"kind\":\"codemodel\",\"version\":{\"major\":2}}]}\n";

/// Asks CMake to answer from its next configuration of `root` on. A folder that cannot be written is not asked in.
pub(super) fn ask(root: &Path) {
    let folder = root.join(".cmake/api/v1/query/client-scuba");
    let file = folder.join("query.json");
    if file.exists() || std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    let written = File::create_new(&file).map(|mut f| f.write_all(QUERY.as_bytes()));
    if matches!(written, Ok(Err(_))) {
        // Half a question would never be put again.
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
