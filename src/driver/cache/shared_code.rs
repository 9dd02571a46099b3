//! Code of units that several programs of a check take in: read, freed of folders and hashed once.
//!
//! In: the programs, and units as they are read. Out: their code, as long as a program is left that takes it in, and as
//! long as there is room.

use super::placeless;
use anyhow::Result;
use facts::SecondCode;
use finding::paths::ProjectRoot;
use ir::Module;
use std::collections::HashMap;
use std::sync::Arc;

/// Room for packed code, in bytes. In memory code takes several times as much.
const ROOM: usize = 32 << 20;

/// Code of a unit, and the same unit as another front end reads it.
pub type UnitCode = (Vec<Arc<Module>>, Option<SecondCode>);

/// Code without folders, and its hash.
struct MarkedModule {
    module: Arc<Module>,
    hash: [u8; 32],
}

struct KeptUnit {
    code: UnitCode,
    /// Length of its code, packed.
    length: usize,
}

pub struct SharedCode<'s> {
    root: &'s ProjectRoot,
    /// Number of programs that are still to take in a unit, by the unit's position.
    left: HashMap<usize, usize>,
    kept: HashMap<usize, KeptUnit>,
    /// Modules of kept units, by their addresses.
    marked: HashMap<*const Module, MarkedModule>,
    length: usize,
}

impl<'s> SharedCode<'s> {
    /// Prepares for programs, given by their units.
    #[must_use]
    pub fn new<'p>(programs: impl Iterator<Item = &'p [usize]>, root: &'s ProjectRoot) -> Self {
        let mut left = HashMap::new();
        programs.flatten().for_each(|unit| *left.entry(*unit).or_default() += 1);
        Self { root, left, kept: HashMap::new(), marked: HashMap::new(), length: 0 }
    }

    /// Returns a unit's code for one of the programs; `read` reads it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn unit(&mut self, unit: usize, read: impl FnOnce() -> Result<UnitCode>) -> Result<UnitCode> {
        if let Some(known) = self.kept.get(&unit) {
            return Ok(known.code.clone());
        }
        let code = read()?;
        if self.left.get(&unit).is_some_and(|left| *left > 1) && self.length < ROOM {
            self.keep(unit, &code);
        }
        Ok(code)
    }

    fn keep(&mut self, unit: usize, code: &UnitCode) {
        let mut length = 0;
        for module in &code.0 {
            let mut marked = [module.clone()];
            placeless::mark(&mut marked, self.root);
            let [marked] = marked;
            let Ok((hash, packed)) = hash(&marked) else { continue };
            length += packed;
            self.marked.insert(Arc::as_ptr(module), MarkedModule { module: marked, hash });
        }
        self.length += length;
        self.kept.insert(unit, KeptUnit { code: code.clone(), length });
    }

    /// Notes that a program has been checked.
    pub fn done(&mut self, units: &[usize]) {
        for unit in units {
            let Some(left) = self.left.get_mut(unit) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0
                && let Some(gone) = self.kept.remove(unit)
            {
                self.length -= gone.length;
                gone.code.0.iter().for_each(|module| drop(self.marked.remove(&Arc::as_ptr(module))));
            }
        }
    }

    /// Replaces modules by those without the folders of the project and of our own clang. Returns the hashes of those
    /// that were kept.
    pub fn mark(&self, modules: &mut [Arc<Module>]) -> Vec<Option<[u8; 32]>> {
        let one = |module: &mut Arc<Module>| match self.marked.get(&Arc::as_ptr(module)) {
            Some(known) => {
                *module = known.module.clone();
                Some(known.hash)
            }
            None => {
                placeless::mark(std::slice::from_mut(module), self.root);
                None
            }
        };
        modules.iter_mut().map(one).collect()
    }
}

/// Returns the hash of a module, and its length when packed.
///
/// # Errors
/// When it cannot be packed.
pub fn hash(module: &Module) -> postcard::Result<([u8; 32], usize)> {
    let packed = postcard::to_stdvec(module)?;
    Ok((*blake3::hash(&packed).as_bytes(), packed.len()))
}

#[cfg(test)]
mod tests {
    use super::{SharedCode, hash, placeless};
    use finding::paths::ProjectRoot;
    use ir::{Module, Side};
    use std::cell::Cell;
    use std::sync::Arc;

    fn module(name: &str) -> Module {
        Module {
            side: Side::Host,
            source: format!("/p/{name}.cu"),
            producer: "clang".into(),
            arch: String::new(),
            asserts_restored: false,
            relocatable: false,
            doubts: vec![],
            types: vec![],
            files: vec![],
            locs: vec![],
            globals: vec![],
            functions: vec![],
        }
    }

    #[test]
    fn what_programs_share_is_read_once_and_kept_until_the_last_of_them() {
        let root = ProjectRoot::new("/p".into());
        let programs: [&[usize]; 3] = [&[0, 1], &[0, 2], &[0]];
        let mut shared = SharedCode::new(programs.into_iter(), &root);
        let reads = Cell::new(0);
        let mut hashes = vec![];
        for units in programs {
            let mut code = vec![];
            for &unit in units {
                let read = || {
                    reads.set(reads.get() + 1);
                    Ok((vec![Arc::new(module(&unit.to_string()))], None))
                };
                code.extend(shared.unit(unit, read).unwrap().0);
            }
            // What is kept is what is made anew.
            let mut anew: Vec<Arc<Module>> = code.iter().map(|m| Arc::new(m.as_ref().clone())).collect();
            placeless::mark(&mut anew, &root);
            let known = shared.mark(&mut code);
            assert_eq!(format!("{code:?}"), format!("{anew:?}"));
            for (module, known) in code.iter().zip(&known) {
                assert!(known.is_none_or(|known| known == hash(module).unwrap().0));
            }
            hashes.push(known.iter().filter(|known| known.is_some()).count());
            shared.done(units);
        }
        assert_eq!((reads.get(), hashes), (3, vec![1, 1, 1]));
        assert!(shared.kept.is_empty() && shared.marked.is_empty() && shared.length == 0);
    }
}
