//! The clang front end through its worker process, with the real clang and CUDA headers.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod float128;
mod foreign;
mod forms;
mod golden;
mod header;
mod macros;
mod reading;
mod tiles;
mod worker;

use scuba::frontend::{ExtractOptions, Extraction, extract};
use scuba::ir::{Function, Module, Op, Side, Terminator};
use scuba::nvcc::command::{Environment, NvccCommand};
use scuba::nvcc::unit::TranslationUnit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The real nvcc: the one that `make` set up, else the one in `PATH`.
fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    if path.is_file() { path } else { which::which("nvcc").expect("nvcc: run `make` first") }
}

fn options() -> ExtractOptions {
    ExtractOptions { worker: Some(env!("CARGO_BIN_EXE_scuba-extract").into()), ..ExtractOptions::default() }
}

/// A folder with sources in it.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The unit of `nvcc -c FLAGS`, sources among the flags.
    fn unit(&self, flags: &str) -> TranslationUnit {
        let arguments: Vec<OsString> =
            shlex::split(flags).unwrap().into_iter().chain(["-c".into()]).map(Into::into).collect();
        let plan = NvccCommand::read(&arguments, &Environment::default(), self.path())
            .plan(self.path(), Some(&nvcc()), &Vec::new)
            .unwrap();
        assert_eq!(plan.request.units.len(), 1);
        plan.request.units.into_iter().next().unwrap()
    }

    fn extract(&self, flags: &str) -> Extraction {
        extract(&self.unit(flags), &options()).unwrap()
    }
}

fn side(extraction: &Extraction, side: Side) -> &Module {
    extraction
        .modules
        .iter()
        .find(|m| m.side == side)
        .unwrap_or_else(|| panic!("no {side:?} module: {:?}", extraction.not_analysed))
}

fn function<'m>(module: &'m Module, display: &str) -> &'m Function {
    module.functions.iter().find(|f| f.display == display).unwrap_or_else(|| {
        panic!("no {display} among {:?}", module.functions.iter().map(|f| &f.display).collect::<Vec<_>>())
    })
}

/// Demangled names of what a function calls directly.
fn calls(module: &Module, f: &Function) -> Vec<String> {
    use scuba::ir::Callee;
    let mut out = vec![];
    let mut note = |c: &Callee| {
        if let Callee::Direct(id) = c {
            out.push(module.func(*id).display.clone());
        }
    };
    for b in &f.blocks {
        for i in &b.insts {
            if let Op::Call { callee, .. } = &i.op {
                note(callee);
            }
        }
        if let Terminator::Invoke { callee, .. } = &b.term {
            note(callee);
        }
    }
    out
}
