//! Many programs in one translation unit: the front end costs seconds, a program milliseconds.

use super::program::Program;
use scuba::cpu_time::TimeLimit;
use scuba::frontend::{ExtractOptions, extract};
use scuba::ir::{Block, Function, Module, Program as Linked, Side};
use scuba::nvcc::command::{Environment, NvccCommand};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every name of file scope of program `i` begins with this.
pub fn prefix(i: usize) -> String {
    format!("zq{i}_")
}

/// The number of the program that a symbol belongs to.
fn owner(symbol: &str) -> Option<usize> {
    let at = symbol.find("zq")?;
    let digits: String = symbol[at + 2..].chars().take_while(char::is_ascii_digit).collect();
    symbol[at + 2 + digits.len()..].starts_with('_').then(|| digits.parse().ok()).flatten()
}

/// The real nvcc: the one that `make` set up, else the one in `PATH`.
pub fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    if path.is_file() { path } else { which::which("nvcc").expect("nvcc: run `make` first") }
}

const HEAD: &str = "#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <string>\n#include <cuda_runtime.h>\n";

/// The front end's worker: one beside this program, so that a copy of both stays as it is while others are built.
pub fn worker() -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|e| Some(e.parent()?.join("scuba-extract")));
    beside.filter(|b| b.is_file()).unwrap_or_else(|| env!("CARGO_BIN_EXE_scuba-extract").into())
}

/// What a program is on its own, as a file.
pub fn alone(p: &Program) -> String {
    format!("{HEAD}{}", p.text(""))
}

/// Compiles a translation unit.
///
/// # Errors
/// What the front end says where it refuses it.
pub fn modules(text: &str) -> Result<Vec<Module>, String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(dir.path().join("many.cu"), text).map_err(|e| e.to_string())?;
    let arguments: Vec<OsString> = ["many.cu", "-std=c++17", "-arch=sm_80", "-c"].map(Into::into).into();
    let plan = NvccCommand::read(&arguments, &Environment::default(), dir.path())
        .plan(dir.path(), Some(&nvcc()), &Vec::new)
        .ok_or("there is nothing to compile")?;
    let options = ExtractOptions {
        worker: Some(worker()),
        time_limit: TimeLimit::of(std::time::Duration::from_secs(300)),
        ..ExtractOptions::default()
    };
    let out = extract(&plan.request.units[0], &options).map_err(|e| e.to_string())?;
    match out.not_analysed.first() {
        Some(n) => Err(n.reason.clone()),
        None => Ok(out.modules),
    }
}

/// Bodies of one side's functions of one program.
type Bodies = Vec<(usize, Vec<Block>, bool)>;

struct Part {
    /// Absent while a program is linked from it.
    module: Option<Module>,
    bodies: BTreeMap<usize, Bodies>,
}

impl Part {
    fn new(mut module: Module) -> Self {
        let mut bodies: BTreeMap<usize, Bodies> = BTreeMap::new();
        for (i, f) in module.functions.iter_mut().enumerate() {
            let Some(o) = owner(&f.name) else { continue };
            bodies.entry(o).or_default().push((i, std::mem::take(&mut f.blocks), std::mem::take(&mut f.kernel)));
        }
        Self { module: Some(module), bodies }
    }
}

/// The programs of one translation unit.
pub struct Unit {
    parts: Vec<Part>,
    /// The line before each program's first.
    pub above: Vec<u32>,
}

impl Unit {
    /// Compiles the programs together.
    ///
    /// # Errors
    /// What the front end says where it refuses them.
    pub fn new(programs: &[Program]) -> Result<Self, String> {
        let mut text = HEAD.to_owned();
        let mut above = vec![];
        for (i, p) in programs.iter().enumerate() {
            above.push(u32::try_from(text.lines().count()).map_err(|e| e.to_string())?);
            text.push_str(&p.text(&prefix(i)));
        }
        Ok(Self { parts: modules(&text)?.into_iter().map(Part::new).collect(), above })
    }

    /// Runs `work` on program `i`, linked as if it were alone, its root named `main`.
    pub fn with<T>(&mut self, i: usize, work: impl FnOnce(&Arc<Linked>) -> T) -> T {
        let mut modules = vec![];
        let mut put = vec![];
        for part in &mut self.parts {
            let mut module = part.module.take().expect("put back below");
            let mut names = vec![];
            for (f, blocks, kernel) in part.bodies.remove(&i).unwrap_or_default() {
                let function: &mut Function = &mut module.functions[f];
                function.blocks = blocks;
                function.kernel = kernel;
                names.push((f, function.name.clone()));
                if module.side == Side::Host && function.display.starts_with(&format!("{}main(", prefix(i))) {
                    function.name = "main".into();
                }
            }
            modules.push(Arc::new(module));
            put.push(names);
        }
        let program = Arc::new(Linked::link(modules));
        let result = work(&program);
        let modules = Arc::try_unwrap(program).expect("nobody else keeps the program").modules;
        for ((part, names), module) in self.parts.iter_mut().zip(put).zip(modules) {
            let mut module = Arc::try_unwrap(module).expect("nobody else keeps the module");
            let mut bodies = vec![];
            for (f, name) in names {
                let function: &mut Function = &mut module.functions[f];
                function.name = name;
                bodies.push((f, std::mem::take(&mut function.blocks), std::mem::take(&mut function.kernel)));
            }
            part.module = Some(module);
            part.bodies.insert(i, bodies);
        }
        result
    }
}
