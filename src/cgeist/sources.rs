//! The user's text of a unit: the source and the headers that it includes, found by textual search.

use files::normalise;
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use std::path::{Path, PathBuf};

/// Largest number of files read, and largest size of one in bytes.
const MAX_FILES: usize = 400;
const MAX_BYTES: u64 = 8 << 20;

/// Returns the source, then headers, as absolute paths with their text. Files in `foreign` folders are not the user's,
/// even if a command names these: CMake does so with the toolkit's.
#[must_use]
pub fn of(unit: &TranslationUnit, foreign: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let source = normalise(&unit.directory, &unit.source);
    let mut folders = vec![];
    let mut work = vec![source];
    for f in &unit.preprocessor {
        match f {
            PreprocessorFlag::Include(p) => folders.push(normalise(&unit.directory, p)),
            PreprocessorFlag::PreInclude(p) => work.push(normalise(&unit.directory, p)),
            _ => {}
        }
    }
    let mut out: Vec<(PathBuf, String)> = vec![];
    let mut at = 0;
    while at < work.len() && out.len() < MAX_FILES {
        let path = work[at].clone();
        at += 1;
        if std::fs::metadata(&path).map_or(0, |m| m.len()) > MAX_BYTES {
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let here = path.parent().unwrap_or(Path::new("/")).to_owned();
        for (name, quoted) in includes(&text) {
            let found = quoted
                .then_some(&here)
                .into_iter()
                .chain(&folders)
                .map(|d| normalise(d, Path::new(name)))
                .find(|p| p.is_file());
            if let Some(p) = found
                && !work.contains(&p)
                && !foreign.iter().any(|f| p.starts_with(f))
            {
                work.push(p);
            }
        }
        out.push((path, text));
    }
    out
}

/// Iterates over the names in `#include` lines, and whether they are quoted.
fn includes(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|l| {
        let rest = l.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let end = match rest.chars().next()? {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        Some((rest[1..].split(end).next()?, end == '"'))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn include_lines() {
        let all: Vec<_> =
            super::includes("#include \"a.h\"\n  #  include <b/c.h> // x\n#include MACRO\nint include;\n").collect();
        assert_eq!(all, [("a.h", true), ("b/c.h", false)]);
    }
}
