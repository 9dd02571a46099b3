//! Reads a patch in git's form into changed lines of each file.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Mode by which git marks the commit of a submodule.
const SUBMODULE: &str = "160000";

/// A part of a file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedPart {
    /// First line of the new text, from 1; for a removal the line above it, which is 0 at the start of the file.
    first: u32,
    /// Number of lines of the new text; 0 for a removal.
    count: u32,
    /// Lines of the old text.
    pub removed: Vec<String>,
}

impl ChangedPart {
    /// Whether the part changes lines of the range. A removal concerns the lines above and below it.
    pub(super) fn touches(&self, lines: &RangeInclusive<u32>) -> bool {
        let own = self.lines();
        own.start() <= lines.end() && lines.start() <= own.end()
    }

    /// Lines of the new text; for a removal those above and below it.
    pub(super) fn lines(&self) -> RangeInclusive<u32> {
        match self.count {
            0 => self.first..=self.first.saturating_add(1),
            count => self.first..=self.first.saturating_add(count - 1),
        }
    }

    /// Whether it adds no lines.
    pub(super) const fn is_removal(&self) -> bool {
        self.count == 0
    }
}

/// Changed parts of files, by paths in the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedFiles {
    files: BTreeMap<String, Vec<ChangedPart>>,
    /// Folders of submodules with another commit or local changes.
    submodules: Vec<String>,
}

impl ChangedFiles {
    /// Returns the changed parts of a file.
    pub(super) fn parts(&self, path: &str) -> &[ChangedPart] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether a file belongs to a submodule that changed.
    pub(super) fn is_in_changed_submodule(&self, path: &str) -> bool {
        self.submodules
            .iter()
            .any(|folder| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// Parses `git diff --unified=0`; context lines are allowed.
pub(super) fn parse(patch: &str) -> ChangedFiles {
    let mut found = ChangedFiles::default();
    let mut path: Option<String> = None;
    let mut submodule = false;
    let mut lines = patch.split('\n');
    while let Some(line) = lines.next() {
        if line.starts_with("diff --git ") {
            (path, submodule) = (None, false);
        } else if let Some(rest) = line.strip_prefix("index ") {
            submodule |= rest.ends_with(SUBMODULE);
        } else if line.starts_with("new file mode ") || line.starts_with("new mode ") {
            submodule |= line.ends_with(SUBMODULE);
        } else if let Some(name) = line.strip_prefix("+++ ") {
            path = new_name(name);
            if let Some(folder) = path.as_ref().filter(|_| submodule) {
                found.submodules.push(folder.clone());
            }
        } else if let Some(header) = line.strip_prefix("@@ -") {
            let Some((part, old, new)) = hunk(header) else { continue };
            let part = read_hunk(part, old, new, &mut lines);
            if let Some(path) = path.as_ref().filter(|_| !submodule) {
                found.files.entry(path.clone()).or_default().push(part);
            }
        }
    }
    found
}

/// Parses `a,b +c,d @@ …`: returns the part without its text, and the numbers of old and new lines that follow.
fn hunk(header: &str) -> Option<(ChangedPart, u32, u32)> {
    let (old, rest) = header.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    let ((_, old), (first, count)) = (range(old)?, range(new)?);
    Some((ChangedPart { first, count, removed: vec![] }, old, count))
}

/// Reads the lines of a hunk by their numbers: a line of the program may look like a header.
fn read_hunk<'a>(mut part: ChangedPart, old: u32, new: u32, lines: &mut impl Iterator<Item = &'a str>) -> ChangedPart {
    let (mut old, mut new) = (old, new);
    while old > 0 || new > 0 {
        let Some(line) = lines.next() else { break };
        match line.as_bytes().first() {
            Some(b'-') => {
                part.removed.push(line[1..].to_owned());
                old = old.saturating_sub(1);
            }
            Some(b'+') => new = new.saturating_sub(1),
            // "\ No newline at end of file".
            Some(b'\\') => {}
            _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
        }
    }
    part
}

/// Returns the path of `b/PATH`, which git quotes if it has special characters; `None` for a removed file.
fn new_name(name: &str) -> Option<String> {
    // Git ends a name that contains a space by a tab.
    let name = name.strip_suffix('\t').unwrap_or(name);
    let name = match name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
        Some(quoted) => unquoted(quoted),
        None => name.to_owned(),
    };
    name.strip_prefix("b/").map(str::to_owned)
}

/// Undoes the quotes of git, which are those of C.
fn unquoted(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        if b != b'\\' {
            bytes.push(b);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(d @ b'0'..=b'7') => {
                let digits = [Some(d), rest.next(), rest.next()];
                digits.into_iter().flatten().fold(0_u8, |n, d| n.wrapping_mul(8).wrapping_add(d.wrapping_sub(b'0')))
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{ChangedPart, new_name, parse};

    fn part(first: u32, count: u32, removed: &[&str]) -> ChangedPart {
        ChangedPart { first, count, removed: removed.iter().map(|l| (*l).to_owned()).collect() }
    }

    #[test]
    fn lines_of_each_file_are_read_by_their_numbers() {
        let found = parse(
            "diff --git a/a.cu b/a.cu\nindex 1..2 100644\n--- a/a.cu\n+++ b/a.cu\n@@ -3,2 +3 @@ void f()\n--- a/x\n-b\n+++ b/y\n\
             @@ -9 +7,0 @@\n-  if (i < n)\n\\ No newline at end of file\n\
             diff --git a/gone.cu b/gone.cu\ndeleted file mode 100644\n--- a/gone.cu\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
             diff --git a/new b.cu b/new b.cu\nnew file mode 100644\n--- /dev/null\n+++ b/new b.cu\t\n@@ -0,0 +1,2 @@\n+x\n+y\n",
        );
        assert_eq!(found.parts("a.cu"), [part(3, 1, &["-- a/x", "b"]), part(7, 0, &["  if (i < n)"])]);
        assert_eq!(found.parts("new b.cu"), [part(1, 2, &[])]);
        assert!(found.parts("gone.cu").is_empty() && found.parts("x").is_empty() && found.parts("y").is_empty());
    }

    #[test]
    fn a_removal_concerns_its_neighbours() {
        let removal = part(7, 0, &["x"]);
        assert_eq!([6, 7, 8, 9].map(|l| removal.touches(&(l..=l))), [false, true, true, false]);
        let change = part(3, 2, &[]);
        assert_eq!([2, 3, 4, 5].map(|l| change.touches(&(l..=l))), [false, true, true, false]);
    }

    #[test]
    fn a_submodule_changes_as_a_whole() {
        let found = parse(
            "diff --git a/lib/x b/lib/x\nindex 1..2 160000\n--- a/lib/x\n+++ b/lib/x\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n",
        );
        assert!(found.is_in_changed_submodule("lib/x/src/a.cu"));
        assert!(!found.is_in_changed_submodule("lib/xy/a.cu"));
        assert!(found.parts("lib/x").is_empty());
    }

    #[test]
    fn quoted_names_are_read() {
        assert_eq!(new_name("\"b/a\\tb\\\"\\303\\274.cu\"").as_deref(), Some("a\tb\"ü.cu"));
        assert_eq!(new_name("/dev/null"), None);
    }
}
