//! Texts of source files, read once each, for excerpts and for comments that suppress findings.

use crate::paths::ProjectRoot;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Source files by their path as shown in the report.
#[derive(Debug)]
pub struct SourceFiles {
    root: ProjectRoot,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl SourceFiles {
    #[must_use]
    pub fn new(root: ProjectRoot) -> Self {
        Self { root, texts: RefCell::default() }
    }

    /// Folder that the paths of this report are relative to.
    #[must_use]
    pub fn root(&self) -> &ProjectRoot {
        &self.root
    }

    /// Returns the file's text; `None` if it cannot be read. Bytes that are not UTF-8 are replaced.
    pub fn text(&self, shown: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(shown) {
            return known.clone();
        }
        let text = std::fs::read(self.root.absolute(shown))
            .ok()
            .map(|bytes| Rc::from(String::from_utf8_lossy(&bytes).as_ref()));
        self.texts.borrow_mut().insert(shown.to_owned(), text.clone());
        text
    }

    /// Returns one line by its 1-based number, without its end.
    pub fn line(&self, shown: &str, line: u32) -> Option<String> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        self.text(shown)?.lines().nth(index).map(str::to_owned)
    }
}
