//! Input files of a unit, packed.
//!
//! A unit has hundreds of headers, and one command of a build reads the facts of all units to find those of its own
//! program. So the list is unpacked only where it is looked at.

use files::{Dependency, store};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Source and headers of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Inputs(Arc<[u8]>);

impl Inputs {
    /// Returns the files.
    #[must_use]
    pub fn list(&self) -> Vec<Dependency> {
        if self.0.is_empty() {
            return vec![];
        }
        // Only a file that somebody made up has another list: such facts are of no state of their sources.
        store::unpack(&self.0).unwrap_or_else(|| vec![Dependency { path: PathBuf::from("/"), stamp: None, hash: None }])
    }
}

impl Inputs {
    /// Address of the packed files, which clones share. Inputs without files may share theirs with others.
    pub(crate) fn address(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

impl From<Vec<Dependency>> for Inputs {
    fn from(files: Vec<Dependency>) -> Self {
        if files.is_empty() {
            return Self::default();
        }
        // postcard represents every value of ours.
        Self(store::pack(&files).unwrap_or_else(|_| vec![0]).into())
    }
}

impl Serialize for Inputs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Inputs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InputsVisitor;
        impl Visitor<'_> for InputsVisitor {
            type Value = Inputs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("packed files")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Inputs, E> {
                Ok(Inputs(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(InputsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::Inputs;
    use crate::DiskSnapshot;
    use files::Dependency;

    #[test]
    fn files_come_back_as_they_were() {
        let files: Vec<Dependency> = (0..300)
            .map(|i| Dependency { path: format!("/usr/include/header{i}.h").into(), stamp: None, hash: Some([7; 32]) })
            .collect();
        let inputs = Inputs::from(files.clone());
        let bytes = postcard::to_stdvec(&(&inputs, Inputs::default())).unwrap();
        assert!(bytes.len() < 5000, "{} bytes", bytes.len());
        let (again, none): (Inputs, Inputs) = postcard::from_bytes(&bytes).unwrap();
        assert_eq!((&again, again.list()), (&inputs, files));
        assert!(none.list().is_empty());
    }

    #[test]
    fn a_list_that_cannot_be_unpacked_is_of_files_that_changed() {
        let damaged = Inputs(vec![1, 2, 3].into());
        let present = DiskSnapshot::default();
        assert!(damaged.list().iter().all(|d| present.changed(d) && !present.unchanged(d)));
        assert_eq!(damaged.list().len(), 1);
    }
}
