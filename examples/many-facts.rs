//! `cargo run --release --example many-facts FOLDER N`: facts as a build of N translation units would leave them in FOLDER, a
//! hundred units to a program, each with the headers that CUDA sources include. For measuring joins (`make bench`).

use anyhow::{Context, Result};
use scuba::facts::{DiskSnapshot, FactStore, LinkSymbol, Recipe, Symbols, UnitFacts, UnitWithCode, key_of};
use scuba::ir::{Module, Side};
use scuba::nvcc::command::{Environment, NvccCommand};
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
        dependencies: headers.iter().chain([&source]).filter_map(|h| present.dependency(h)).collect(),
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
