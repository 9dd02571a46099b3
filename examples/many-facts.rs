//! `cargo run --release --example many-facts FOLDER N`: facts as a build of N translation units would leave them in FOLDER, a
//! hundred units to a program, each with the headers that CUDA sources include. For measuring joins (`make bench`).
//!
//! `many-facts FOLDER N PROGRAMS LINKED`: multiplies the two units that were compiled in FOLDER, `main0000000.cu` and
//! `unit0000000.cu`, to N units and as many programs, with the code, symbols and headers of the two. Each program is linked from
//! its own main and LINKED units in a row. Numbers have seven digits in all names; what a main calls has the number 9999999. Program P calls its first unit alone; rows start at
//! P * N / PROGRAMS. For measuring joins (`make scale`).

use anyhow::{Context, Result, ensure};
use scuba::facts::{DiskSnapshot, FactStore, LinkFacts, LinkSymbol, Recipe, Symbols, UnitFacts, UnitWithCode, key_of};
use scuba::ir::{Module, Side};
use scuba::nvcc::command::{Environment, NvccCommand};
use scuba::nvcc::request::{Link, LinkKind};
use scuba::nvcc::unit::TranslationUnit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Units of one program.
const PROGRAM: usize = 100;
/// Headers of one unit.
const HEADERS: usize = 150;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().context("a folder is wanted")?);
    let units: usize = arguments.next().context("how many units?")?.parse()?;
    if let Some(programs) = arguments.next() {
        let linked = arguments.next().context("how many units does each program link?")?.parse()?;
        let shape = Shape { units, programs: programs.parse()?, linked };
        return multiply(&folder.canonicalize()?, &shape);
    }
    std::fs::create_dir_all(folder.join("include"))?;
    let folder = folder.canonicalize()?;
    let headers: Vec<PathBuf> = (0..HEADERS).map(|i| folder.join(format!("include/h{i}.h"))).collect();
    for header in &headers {
        std::fs::write(header, format!("// {}\n", header.display()))?;
    }
    let store = FactStore::new(folder.join(".scuba"));
    let present = DiskSnapshot::default();
    for i in 0..units {
        store.write_unit(&unit(i, &folder, &headers, &present)?)?;
    }
    Ok(())
}

fn symbol(name: String) -> LinkSymbol {
    LinkSymbol { device: false, name }
}

fn unit(i: usize, folder: &Path, headers: &[PathBuf], present: &DiskSnapshot) -> Result<UnitWithCode> {
    let source = folder.join(format!("u{i}.cu"));
    std::fs::write(&source, format!("// {i}\n"))?;
    std::fs::write(folder.join(format!("u{i}.o")), "")?;
    let unit = compiled(&source, folder)?;
    let first = i.is_multiple_of(PROGRAM);
    let defined = if first { "main".to_owned() } else { format!("_Z4stepi{i}") };
    let next = (!(i + 1).is_multiple_of(PROGRAM)).then(|| symbol(format!("_Z4stepi{}", i + 1)));
    let mut needed: Vec<LinkSymbol> =
        (0..40).map(|n| symbol(format!("_ZNSt6vectorIfSaIfEE{n}Ev"))).chain(next).collect();
    needed.sort();
    let inline = (0..60).map(|n| symbol(format!("_ZN7project6detail{n}E"))).collect();
    let module = Module {
        side: Side::Host,
        source: source.display().to_string(),
        producer: "generated".into(),
        arch: String::new(),
        asserts_restored: false,
        doubts: vec![],
        relocatable: false,
        types: vec![],
        files: vec![],
        locs: vec![],
        globals: vec![],
        functions: vec![],
    };
    let facts = UnitFacts {
        key: key_of(&unit, None),
        dependencies: headers.iter().chain([&source]).filter_map(|h| present.dependency(h)).collect::<Vec<_>>().into(),
        recipe: Recipe::default(),
        maker: None,
        built_without: false,
        pending: false,
        symbols: Symbols { strong: vec![symbol(defined)], weak: inline, needed },
        not_analysed: vec![],
        producers: vec!["generated".into()],
        notes: vec![],
        unseen: None,
        denied: false,
        told: vec![],
        unit,
    };
    Ok(UnitWithCode { facts, modules: vec![Arc::new(module)], second: None })
}

fn compiled(source: &Path, folder: &Path) -> Result<TranslationUnit> {
    let words = ["-arch=sm_80".into(), "-c".into(), source.into(), "-o".into(), source.with_extension("o").into()];
    let plan = NvccCommand::read(&words, &Environment::default(), folder).plan(folder, None, &Vec::new);
    plan.and_then(|p| p.request.units.into_iter().next()).context("nothing is compiled")
}

/// Number in the names of the units that are multiplied.
const NUMBER: &str = "0000000";
/// Number in the name of the function that a main calls.
const CALLED: &str = "9999999";

struct Shape {
    units: usize,
    programs: usize,
    /// Units of a program, besides its main.
    linked: usize,
}

/// A unit that was compiled: its facts and its code, packed, and its source.
struct Template {
    packed: Vec<u8>,
    path: PathBuf,
    source: String,
}

impl Template {
    fn read(store: &FactStore, units: &[UnitFacts], name: &str) -> Result<Self> {
        let facts = units.iter().find(|u| u.key.ends_with(format!("{name}{NUMBER}.o")));
        let facts = facts.with_context(|| format!("{name}{NUMBER}.cu was not compiled"))?;
        let modules: Vec<Module> = store.modules(&facts.key)?.iter().map(|m| m.as_ref().clone()).collect();
        ensure!(!modules.is_empty(), "{name}{NUMBER}.cu has no code");
        Ok(Self {
            packed: postcard::to_stdvec(&(facts, modules))?,
            path: facts.source(),
            source: std::fs::read_to_string(facts.source())?,
        })
    }

    /// Writes a copy with other numbers in place of those of the template: its source, an object and its facts. Returns its
    /// object.
    fn copy(&self, numbers: &[(&str, usize)], store: &FactStore, present: &DiskSnapshot) -> Result<PathBuf> {
        let (mut packed, mut text) = (self.packed.clone(), self.source.clone());
        for (name, number) in numbers {
            let number = format!("{number:0width$}", width = name.len());
            replace(&mut packed, name.as_bytes(), number.as_bytes());
            text = text.replace(name, &number);
        }
        let (mut facts, modules): (UnitFacts, Vec<Module>) = postcard::from_bytes(&packed)?;
        let source = facts.source();
        std::fs::write(&source, text)?;
        std::fs::write(&facts.key, facts.key.as_os_str().as_encoded_bytes())?;
        let mut dependencies = facts.dependencies.list();
        for dependency in dependencies.iter_mut().filter(|d| d.path == self.path) {
            *dependency = present.dependency(&source).context("a source that was just written is gone")?;
        }
        facts.dependencies = dependencies.into();
        let object = facts.key.clone();
        let modules = modules.into_iter().map(Arc::new).collect();
        store.write_unit(&UnitWithCode { facts, modules, second: None })?;
        Ok(object)
    }
}

/// Replaces a text in packed data by another one of the same length.
fn replace(packed: &mut [u8], text: &[u8], by: &[u8]) {
    let mut at = 0;
    while let Some(found) = packed[at..].windows(text.len()).position(|w| w == text) {
        packed[at + found..at + found + text.len()].copy_from_slice(by);
        at += found + text.len();
    }
}

fn multiply(folder: &Path, shape: &Shape) -> Result<()> {
    ensure!(shape.linked <= shape.units && shape.programs > 0, "a program has at most as many units as there are");
    let store = FactStore::new(folder.join(".scuba"));
    let known = store.read()?.units;
    let (main, unit) = (Template::read(&store, &known, "main")?, Template::read(&store, &known, "unit")?);
    let present = DiskSnapshot::default();
    let objects = (0..shape.units).map(|i| unit.copy(&[(NUMBER, i)], &store, &present)).collect::<Result<Vec<_>>>()?;
    for program in 0..shape.programs {
        let first = (program * shape.units / shape.programs).min(shape.units - shape.linked);
        let main = main.copy(&[(NUMBER, program), (CALLED, first)], &store, &present)?;
        let own = &objects[first..first + shape.linked];
        let inputs = [&[main], own].concat();
        let output = folder.join(format!("program{program:07}"));
        std::fs::write(&output, "")?;
        store.write_link(&LinkFacts { link: Link { kind: LinkKind::Executable, output, inputs }, units: vec![] })?;
    }
    Ok(())
}
